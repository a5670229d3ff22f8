/* Directories of classes: listing them and loading what is in them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/library_dir.h"

#include <string.h>

static const span nowhere = {0, 0};

lang_dir *dir_new(lang_library *lib, const char *path)
{
    lang_dir *d = arena_new(lib->a, lang_dir);
    d->path = path ? arena_strndup(lib->a, path, strlen(path)) : NULL;
    d->listed = !path;
    map_init(&d->index, lib->a);
    return d;
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
    const char *path = file_join(lib->a, d->path, file);
    if (file_kind_of(path, NULL) != (mo ? FILE_TEXT : FILE_DIR)) return false;
    e->name = sym_of_n(lib->syms, file, id);
    e->file = file;
    e->version = id < n ? arena_strndup(lib->a, file + id + 1, n - id - 1) : "";
    e->is_dir = !mo;
    return true;
}

bool dir_has_class(lang_library *lib, const lang_dir *d, const dir_entry *e)
{
    if (!e->is_dir) return true;
    const char *path = file_join(lib->a, file_join(lib->a, d->path, e->file), "package.mo");
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
                       file_join(lib->a, d->path, e->file));
        if (before && before->name == e->name)
            diag_error(lib->diags, "L044", nowhere,
                       "the class '%s' is given twice, in %s and in %s; keep one of them", e->name,
                       file_join(lib->a, d->path, before->file),
                       file_join(lib->a, d->path, e->file));
        before = e;
    }
}

void dir_list(lang_library *lib, lang_dir *d, ast_class *package)
{
    if (d->listed) return;
    d->listed = true;
    file_names files;
    const char *why = NULL;
    if (!file_list(lib->a, d->path, &files, &why)) {
        if (package) diag_error(lib->diags, "L040", nowhere, "cannot read %s: %s", d->path, why);
        return;
    }
    for (int i = 0; i < files.n; i++) {
        dir_entry e = {0};
        if (!read_name(lib, d, files.at[i], !package, &e)) continue;
        array_push(lib->a, &d->entries, e);
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

ast_file *load_text(lang_library *lib, const char *path)
{
    const char *why;
    size_t n, limit = UINT32_MAX - 1 - (size_t)lib->sources.next;
    const char *words = file_read(lib->a, path, limit, &n, &why);
    const source *src = words ? source_add(&lib->sources, path, words, n) : NULL;
    if (!src) {
        diag_error(lib->diags, "L040", nowhere, "cannot read %s: %s", path,
                   why ? why : "it is too large");
        return NULL;
    }
    return lang_parse(src, lib->a, lib->syms, lib->diags);
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
        diag_warning(lib->diags, "L042", f->classes[0]->at,
                     "a file of a package begins with 'within %s;'",
                     lang_class_path(parent, lib->a));
        return true;
    }
    const ast_class *c = f->classes[0];
    if (parent)
        diag_error(lib->diags, "L042", f->within.n ? f->within.span : c->at,
                   "this file lies in the directory of '%s'; write 'within %s;'",
                   lang_class_path(parent, lib->a), lang_class_path(parent, lib->a));
    else
        diag_error(lib->diags, "L042", f->within.span,
                   "this file is not in the directory of a package; write 'within;' or move it");
    return false;
}

ast_class *load_file(lang_library *lib, const char *path, ast_class *parent, sym name)
{
    ast_file *f = load_text(lib, path);
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
    const char *node = file_join(lib->a, path, "package.mo");
    if (file_kind_of(node, NULL) == FILE_NONE) {
        diag_error(lib->diags, "L041", nowhere,
                   "the directory %s has no package.mo, so it is not a Modelica package", path);
        return NULL;
    }
    ast_class *c = load_file(lib, node, parent, name);
    if (c) c->dir = dir_new(lib, path);
    return c;
}
