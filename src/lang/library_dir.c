/* Directories of classes: listing them and loading what is in them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/library_dir.h"

#include <stdio.h>
#include <string.h>

static const span nowhere = {0, 0};

lang_dir *dir_new(lang_library *lib, arena *a, const char *path)
{
    lang_dir *d = arena_new(a, lang_dir);
    d->path = path ? arena_strndup(a, path, strlen(path)) : NULL;
    dir_forget(lib, d);
    return d;
}

void dir_forget(lang_library *lib, lang_dir *d)
{
    *d = (lang_dir){.path = d->path, .listed = !d->path};
    map_init(&d->index, lib->trees);
}

/* ---- listing --------------------------------------------------------------------------------- */

// Length of the identifier at the beginning of a file name; 0 if there is none.
static size_t ident_length(const char *s)
{
    size_t n = 0;
    if (s[0] == '\'') {
        const char *end = strchr(s + 1, '\'');
        return end ? (size_t)(end - s) + 1 : 0;
    }
    if (s[0] >= '0' && s[0] <= '9') return 0;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') || s[n] == '_' ||
           (s[n] >= '0' && s[n] <= '9'))
        n++;
    return n;
}

// "Name.mo", "Name", and with versions "Name 1.2.mo", "Name 1.2". False for any other file.
static bool read_name(lang_library *lib, const lang_dir *d, const char *file, bool versions,
                      dir_entry *e)
{
    size_t n = strlen(file), id = ident_length(file);
    bool mo = n > 3 && strcmp(file + n - 3, ".mo") == 0;
    if (mo) n -= 3;
    if (id == 0 || id > n || (id < n && !(versions && file[id] == ' '))) return false;
    if (mo && strcmp(file, "package.mo") == 0) return false;
    const char *path = file_join(lib->trees, d->path, file);
    if (file_kind_of(path, NULL) != (mo ? FILE_TEXT : FILE_DIR)) return false;
    e->name = sym_of_n(lib->syms, file, id);
    e->file = file;
    e->version = id < n ? arena_strndup(lib->trees, file + id + 1, n - id - 1) : "";
    e->is_dir = !mo;
    return true;
}

bool dir_has_class(lang_library *lib, const lang_dir *d, const dir_entry *e)
{
    if (!e->is_dir) return true;
    const char *path = file_join(lib->trees, file_join(lib->trees, d->path, e->file), "package.mo");
    return file_kind_of(path, NULL) == FILE_TEXT;
}

// A class may be given once: in the text of the package, in a file, or in a directory.
static void check_once(lang_library *lib, lang_dir *d, ast_class *package)
{
    const dir_entry *before = NULL;
    for (int i = 0; i < d->entries.n; i++) {
        const dir_entry *e = &d->entries.at[i];
        ast_element *given = lang_element(package, e->name);
        if (!dir_has_class(lib, d, e)) continue;
        if (given && given->kind == AST_CLASS)
            diag_error(lib->diags, "L044", given->class_->at,
                       "'%s' is given here and again in %s; keep one of them", e->name,
                       file_join(lib->trees, d->path, e->file));
        if (before && before->name == e->name)
            diag_error(lib->diags, "L044", nowhere,
                       "the class '%s' is given twice, in %s and in %s; keep one of them", e->name,
                       file_join(lib->trees, d->path, before->file),
                       file_join(lib->trees, d->path, e->file));
        before = e;
    }
}

void dir_list(lang_library *lib, lang_dir *d, ast_class *package)
{
    if (d->listed) return;
    d->listed = true;
    file_names files;
    const char *why = NULL;
    if (!file_list(lib->trees, d->path, &files, &why)) {
        if (package) diag_error(lib->diags, "L040", nowhere, "cannot read %s: %s", d->path, why);
        return;
    }
    for (int i = 0; i < files.n; i++) {
        dir_entry e = {0};
        if (!read_name(lib, d, files.at[i], !package, &e)) continue;
        array_push(lib->trees, &d->entries, e);
        *map_put(&d->index, map_key(e.name)) = (uint64_t)d->entries.n;
    }
    if (package) check_once(lib, d, package);
}

dir_entry *dir_find(lang_dir *d, sym name)
{
    uint64_t *found = map_find(&d->index, map_key(name));
    return found ? &d->entries.at[*found - 1] : NULL;
}

/* ---- loading --------------------------------------------------------------------------------- */

static const source *kept_text(const lang_library *lib, sym path)
{
    const uint64_t *kept = map_find(&lib->texts, map_key(path));
    return kept ? &lib->sources.files.at[*kept - 1] : NULL;
}

static bool is_text(const source *s, const char *words, size_t n)
{
    return s && s->n == n && memcmp(s->text, words, n) == 0;
}

static const source *add_text(lang_library *lib, sym path, const char *words, size_t n)
{
    const source *s = source_add(&lib->sources, path, words, n);
    if (s) *map_put(&lib->texts, map_key(path)) = (uint64_t)lib->sources.files.n;
    return s;
}

/* The text that was read last when there were so many sources; NULL: it was not read yet. */
static const source *text_as_of(const lang_library *lib, sym path)
{
    for (int i = lib->as_of - 1; i >= 0; i--)
        if (!strcmp(lib->sources.files.at[i].path, path)) return &lib->sources.files.at[i];
    return NULL;
}

const source *read_text(lang_library *lib, const char *path)
{
    const source *known = lib->as_of ? text_as_of(lib, path) : NULL;
    if (known) return known;
    const char *why;
    size_t n = 0, limit = UINT32_MAX - 1 - (size_t)lib->sources.next;
    sym name = sym_of(lib->syms, path);
    arena_mark before = arena_here(lib->a);
    const char *words = file_read(lib->a, path, limit, &n, &why);
    const source *s = words ? kept_text(lib, name) : NULL;
    if (is_text(s, words, n)) {
        arena_release(lib->a, before);
        return s;
    }
    s = words ? add_text(lib, name, words, n) : NULL;
    if (!s)
        diag_error(lib->diags, "L040", nowhere, "cannot read %s: %s", path,
                   why ? why : "it is too large");
    return s;
}

const source *keep_text(lang_library *lib, const char *path, const char *words, size_t n)
{
    sym name = sym_of(lib->syms, path);
    const source *s = kept_text(lib, name);
    if (is_text(s, words, n)) return s;
    s = add_text(lib, name, arena_strndup(lib->a, words, n), n);
    if (!s) diag_error(lib->diags, "L040", nowhere, "cannot read %s: it is too large", path);
    return s;
}

ast_file *load_text(lang_library *lib, const char *path)
{
    const source *s = read_text(lib, path);
    return s ? lang_parse(s, lib->trees, lib->syms, lib->diags) : NULL;
}

void warn_once(lang_library *lib, const char *code, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *words = arena_alloc(lib->trees, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(words, (size_t)n + 1, format, args);
    va_end(args);
    for (const diag *d = lib->diags->first; d; d = d->next)
        if (d->at.begin == at.begin && !strcmp(d->code, code) && !strcmp(d->text, words)) return;
    diag_warning(lib->diags, code, at, "%s", words);
}

static bool within_is(const ast_ref *within, const ast_class *c)
{
    for (int i = within->n; i-- > 0; c = c->parent)
        if (!c || c->name != within->at[i].name) return false;
    return !c;
}

static bool check_within(lang_library *lib, const ast_file *f, ast_class *parent)
{
    if (within_is(&f->within, parent)) return true;
    if (parent && !f->has_within) {
        warn_once(lib, "L042", f->classes[0]->at, "a file of a package begins with 'within %s;'",
                  lang_class_path(parent, lib->trees));
        return true;
    }
    const ast_class *c = f->classes[0];
    if (parent)
        diag_error(lib->diags, "L042", f->within.n ? f->within.span : c->at,
                   "this file lies in the directory of '%s'; write 'within %s;'",
                   lang_class_path(parent, lib->trees), lang_class_path(parent, lib->trees));
    else
        diag_error(lib->diags, "L042", f->within.span,
                   "this file is not in the directory of a package; write 'within;' or move it");
    return false;
}

ast_class *load_file(lang_library *lib, const char *path, ast_class *parent, sym name)
{
    const source *s = read_text(lib, path);
    ast_file *f = s ? lang_parse_heads(s, lib->trees, lib->syms, lib->diags) : NULL;
    if (!f || f->n_errors) return NULL;
    if (f->n_classes != 1) {
        span at = f->n_classes ? f->classes[1]->at : f->span;
        if (!f->n_classes) at.end = at.begin;
        diag_error(lib->diags, "L043", at,
                   "a file of a library defines one class, with the name of the file; this one "
                   "defines %s",
                   f->n_classes ? "more" : "none");
        return NULL;
    }
    ast_class *c = f->classes[0];
    if (name && c->name != name) {
        diag_error(lib->diags, "L043", c->at,
                   "this file is found as '%s' but defines '%s'; rename the class or the file",
                   name, c->name);
        return NULL;
    }
    if (!check_within(lib, f, parent)) return NULL;
    c->parent = parent;
    return c;
}

ast_class *load_dir(lang_library *lib, const char *path, ast_class *parent, sym name)
{
    const char *node = file_join(lib->trees, path, "package.mo");
    if (file_kind_of(node, NULL) == FILE_NONE) {
        diag_error(lib->diags, "L041", nowhere,
                   "the directory %s has no package.mo, so it is not a Modelica package", path);
        return NULL;
    }
    ast_class *c = load_file(lib, node, parent, name);
    if (c) c->dir = dir_new(lib, lib->trees, path);
    return c;
}
