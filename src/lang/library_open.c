/* Opening what the user names: files, package directories, whole trees.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/library_dir.h"

#include <string.h>

static const span nowhere = {0, 0};

static void search_add_once(lang_library *lib, const char *dir)
{
    for (int i = 0; i < lib->search.n; i++)
        if (!strcmp(lib->search.at[i]->path, dir)) return;
    lang_search_add(lib, dir);
}

/* ---- files that belong to a package ---------------------------------------------------------- */

static bool within_says(const ast_ref *within, const char *path)
{
    for (int i = 0; i < within->n; i++) {
        size_t n = strlen(within->at[i].name);
        if (strncmp(path, within->at[i].name, n) != 0) return false;
        path += n;
        if (i + 1 < within->n && *path++ != '.') return false;
    }
    return !*path;
}

// What a file in this directory must say: the path of the package that the directory holds, as its
// package.mo gives it. NULL when there is none, or it has errors (reported).
static const char *path_of_dir(lang_library *lib, const char *dir)
{
    const char *node = file_join(lib->trees, dir, "package.mo");
    if (file_kind_of(node, NULL) != FILE_TEXT) return NULL;
    ast_file *f = load_text(lib, node);
    if (!f || f->n_errors || f->n_classes != 1) return NULL;
    size_t n = strlen(f->classes[0]->name) + 1;
    for (int i = 0; i < f->within.n; i++) n += strlen(f->within.at[i].name) + 1;
    char *path = arena_alloc(lib->trees, n);
    for (int i = 0; i < f->within.n; i++) {
        strcat(path, f->within.at[i].name);
        strcat(path, ".");
    }
    return strcat(path, f->classes[0]->name);
}

// The package on disk whose innermost directory is given: go up to the first name of `within` and
// come down again through package.mo files.
static ast_class *enclosing_on_disk(lang_library *lib, const ast_ref *within, const char *dir)
{
    for (int i = 0; i < within->n; i++) {
        if (file_kind_of(file_join(lib->trees, dir, "package.mo"), NULL) != FILE_TEXT) return NULL;
        if (i + 1 < within->n) dir = file_parent(lib->trees, dir);
    }
    opened_again(lib, within->at[0].name);
    uint64_t *known = map_find(&lib->top_index, map_key(within->at[0].name));
    ast_class *c = known ? (ast_class *)(uintptr_t)*known : NULL;
    if (!c) {
        c = load_dir(lib, dir, NULL, within->at[0].name);
        if (!c || !top_add(lib, c)) return NULL;
        search_add_once(lib, file_parent(lib->trees, dir));
    }
    for (int i = 1; i < within->n && c; i++) c = lang_child(lib, c, within->at[i].name);
    return c;
}

static ast_class *library_enclosing(lang_library *lib, const ast_ref *within, const char *dir)
{
    int errors = lib->diags->n_errors;
    ast_class *c = NULL;
    const char *path = dir ? path_of_dir(lib, dir) : NULL;
    if (path && !within_says(within, path))
        diag_error(lib->diags, "L042", within->span,
                   "this file lies in the directory of '%s'; write 'within %s;'", path, path);
    else if (path) c = enclosing_on_disk(lib, within, dir);
    if (!c && lib->diags->n_errors == errors) {
        c = lang_top(lib, within->at[0].name);
        for (int i = 1; i < within->n && c; i++) c = lang_child(lib, c, within->at[i].name);
    }
    if (!c && lib->diags->n_errors == errors)
        diag_error(lib->diags, "L042", within->span,
                   "there is no such package, neither in the directories above this file nor in "
                   "the search path; name its place with -L, or write 'within;'");
    return c;
}

// Make c an element of the class around it, in place of what its directory has under this name.
static bool library_attach(lang_library *lib, ast_class *parent, ast_class *c)
{
    ast_element *own = lang_element(parent, c->name);
    if (own) {
        diag_error(lib->diags, "L044", c->at, "'%s' already has an element '%s'",
                   lang_class_path(parent, lib->trees), c->name);
        diag_note(lib->diags, own->span, "it is here");
        return false;
    }
    if (!parent->dir) parent->dir = dir_new(lib, lib->trees, NULL);
    dir_list(lib, parent->dir, parent);
    dir_entry *e = dir_find(parent->dir, c->name);
    if (!e) {
        array_push(lib->trees, &parent->dir->entries, (dir_entry){.name = c->name});
        *map_put(&parent->dir->index, map_key(c->name)) = (uint64_t)parent->dir->entries.n;
        e = &array_last(&parent->dir->entries);
    }
    e->loaded = true;
    e->class_ = c;
    c->parent = parent;
    return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int add_classes(lang_library *lib, lang_opened *o, ast_file *f)
{
    ast_class *parent = NULL;
    if (f->n_errors) return LANG_E_TEXT;
    if (f->n_classes == 0) {
        span at = {f->span.begin, f->span.begin};
        diag_error(lib->diags, "L043", at, "there is no class in %s", f->path);
        return LANG_E_TEXT;
    }
    if (f->within.n && !(parent = library_enclosing(lib, &f->within, o->where))) return LANG_E_TEXT;
    for (int i = 0; i < f->n_classes; i++) {
        ast_class *c = f->classes[i];
        if (!parent) opened_again(lib, c->name); // is there one in another file?
        if (parent ? !library_attach(lib, parent, c) : !top_add(lib, c)) return LANG_E_TEXT;
        o->last = c;
    }
    if (!o->dir) return LANG_OK;
    o->last->dir = dir_new(lib, lib->trees, o->dir);
    if (!parent) search_add_once(lib, o->where);
    return LANG_OK;
}

static void leave_opened(lang_library *lib, lang_opened *o)
{
    for (int i = 0; o->file && i < o->file->n_classes; i++) {
        ast_class *c = o->file->classes[i];
        dir_entry *e = c->parent && c->parent->dir ? dir_find(c->parent->dir, c->name) : NULL;
        if (e && e->class_ == c) {
            e->class_ = NULL;
            e->loaded = !e->file; // what lies on disk is read when it is asked for
        }
        top_remove(lib, c);
        if (lib->last == c) lib->last = NULL;
    }
    o->open = false;
    o->last = NULL;
    o->file = NULL;
}

// Parse the text that is kept and put its classes into the trees.
static int enter_opened(lang_library *lib, lang_opened *o)
{
    o->open = true; // before: what is around it may ask for it
    const source *s = source_of(&lib->sources, o->base);
    ast_file *f = lang_parse(s, lib->trees, lib->syms, lib->diags);
    if (!o->names.n && f->within.n) array_push(lib->a, &o->names, f->within.at[0].name);
    else if (!o->names.n)
        for (int i = 0; i < f->n_classes; i++) array_push(lib->a, &o->names, f->classes[i]->name);
    o->file = f;
    int rc = add_classes(lib, o, f);
    if (rc) o->last = NULL;
    return rc;
}

void opened_again(lang_library *lib, sym name)
{
    for (int i = 0; i < lib->opened.n; i++) {
        lang_opened *o = lib->opened.at[i];
        bool asked = !name;
        for (int k = 0; k < o->names.n && !asked; k++) asked = o->names.at[k] == name;
        if (asked && !o->open) enter_opened(lib, o);
    }
}

static void check_dir_name(lang_library *lib, const char *path, const ast_class *c)
{
    const char *base = file_base(lib->trees, path);
    size_t n = strlen(c->name);
    bool dots = base[0] == '.'; // the user stands in the directory: its name is not known
    if (!dots && (strncmp(base, c->name, n) != 0 || (base[n] && base[n] != ' ')))
        diag_warning(lib->diags, "L043", c->at,
                     "the directory %s holds the package '%s'; other tools want the same name",
                     path, c->name);
}

// The record of what was opened under this path; where there is none, a new one, not in the list.
static lang_opened *opened_as(lang_library *lib, sym path)
{
    for (int i = 0; i < lib->opened.n; i++)
        if (lib->opened.at[i]->path == path) return lib->opened.at[i];
    lang_opened *o = arena_new(lib->a, lang_opened);
    o->path = path;
    return o;
}

static const char *stays(lang_library *lib, const char *s)
{
    return s ? arena_strndup(lib->a, s, strlen(s)) : NULL;
}

// dir, where: see lang_opened.
static int open_source(lang_library *lib, const char *path, const source *src, const char *dir,
                       const char *where)
{
    lang_opened *o = opened_as(lib, sym_of(lib->syms, path));
    bool is_new = !o->base;
    if (o->base != src->base || !o->dir != !dir) {
        lang_opened now = {.path = o->path, .base = src->base};
        bool open = o->open;
        now.dir = stays(lib, dir);
        now.where = stays(lib, where);
        o->open = true; // the older text is not asked while the new one is read
        int rc = enter_opened(lib, &now);
        o->open = open;
        if (rc) {
            leave_opened(lib, &now);
            return rc;
        }
        *o = now;
        if (is_new) array_push(lib->a, &lib->opened, o);
        if (dir) check_dir_name(lib, dir, o->last);
    } else if (!o->open) {
        int rc = enter_opened(lib, o);
        if (rc) return rc;
    }
    lib->latest = o;
    lib->last = o->last;
    return LANG_OK;
}

int lang_open(lang_library *lib, const char *path)
{
    const char *dir = NULL, *node = path;
    if (file_kind_of(path, NULL) == FILE_DIR) dir = path;
    else if (strcmp(file_base(lib->trees, path), "package.mo") == 0)
        dir = file_parent(lib->trees, path);
    if (dir) node = file_join(lib->trees, dir, "package.mo");
    if (dir && file_kind_of(node, NULL) != FILE_TEXT) {
        diag_error(lib->diags, "L041", nowhere,
                   "the directory %s has no package.mo, so it is not a Modelica package", dir);
        return LANG_E_TEXT;
    }
    const source *s = read_text(lib, node);
    if (!s) return LANG_E_FILE;
    return open_source(lib, path, s, dir, file_parent(lib->trees, dir ? dir : path));
}

void lang_close(lang_library *lib, const char *path)
{
    sym name = sym_of(lib->syms, path);
    int n = 0;
    for (int i = 0; i < lib->opened.n; i++) {
        lang_opened *o = lib->opened.at[i];
        if (o->path != name) {
            lib->opened.at[n++] = o;
            continue;
        }
        leave_opened(lib, o);
        if (lib->latest == o) lib->latest = NULL;
    }
    lib->opened.n = n;
}

int lang_open_text(lang_library *lib, const char *path, const char *words, size_t n)
{
    const source *s = keep_text(lib, path, words, n);
    return s ? open_source(lib, path, s, NULL, NULL) : LANG_E_FILE;
}

ast_class *lang_last(lang_library *lib)
{
    if (lib->last || !lib->latest) return lib->last;
    if (!lib->latest->open) enter_opened(lib, lib->latest);
    return lib->last = lib->latest->last;
}

/* ---- trees ----------------------------------------------------------------------------------- */

typedef struct tree_level { // the directories from the root of the walk to here
    file_id id;
    const struct tree_level *up;
} tree_level;

enum { TREE_DEPTH = 100 };

static int parse_one(lang_library *lib, const char *path, lang_tree_stats *stats)
{
    const source *s = read_text(lib, path);
    if (!s) return LANG_E_FILE;
    stats->files++;
    stats->bytes += s->n;
    arena_mark before = arena_here(lib->trees);
    int n_errors = lang_parse(s, lib->trees, lib->syms, lib->diags)->n_errors;
    arena_release(lib->trees, before);
    stats->failed += n_errors > 0;
    return n_errors ? LANG_E_TEXT : LANG_OK;
}

static int parse_dir(lang_library *lib, const char *path, file_id id, const tree_level *up,
                     int depth, lang_tree_stats *stats)
{
    tree_level here = {id, up};
    for (const tree_level *l = up; l; l = l->up)
        if (l->id.device == id.device && l->id.inode == id.inode) {
            diag_warning(lib->diags, "L045", nowhere,
                         "%s leads back to a directory above it; it is left out", path);
            return LANG_OK;
        }
    file_names files;
    const char *why = depth > TREE_DEPTH ? "directories are nested too deep" : NULL;
    if (why || !file_list(lib->trees, path, &files, &why)) {
        diag_error(lib->diags, "L040", nowhere, "cannot read %s: %s", path, why);
        return LANG_E_FILE;
    }
    int rc = LANG_OK;
    for (int i = 0; i < files.n; i++) {
        const char *inner = file_join(lib->trees, path, files.at[i]);
        size_t n = strlen(inner);
        file_id inner_id;
        file_kind kind = file_kind_of(inner, &inner_id);
        int one = LANG_OK;
        if (kind == FILE_DIR) one = parse_dir(lib, inner, inner_id, &here, depth + 1, stats);
        else if (n > 3 && strcmp(inner + n - 3, ".mo") == 0) one = parse_one(lib, inner, stats);
        if (one) rc = one;
    }
    return rc;
}

int lang_parse_tree(lang_library *lib, const char *path, lang_tree_stats *stats)
{
    file_id id;
    if (file_kind_of(path, &id) == FILE_DIR) return parse_dir(lib, path, id, NULL, 0, stats);
    return parse_one(lib, path, stats);
}
