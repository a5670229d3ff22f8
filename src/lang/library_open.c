/* Opening what the user names: files, package directories, whole trees.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/library_dir.h"

#include <string.h>

static const span nowhere = {0, 0};

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
    const char *node = file_join(lib->a, dir, "package.mo");
    if (file_kind_of(node, NULL) != FILE_TEXT) return NULL;
    ast_file *f = load_text(lib, node);
    if (!f || f->n_errors || f->n_classes != 1) return NULL;
    size_t n = strlen(f->classes[0]->name) + 1;
    for (int i = 0; i < f->within.n; i++) n += strlen(f->within.at[i].name) + 1;
    char *path = arena_alloc(lib->a, n);
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
        if (file_kind_of(file_join(lib->a, dir, "package.mo"), NULL) != FILE_TEXT) return NULL;
        if (i + 1 < within->n) dir = file_parent(lib->a, dir);
    }
    uint64_t *known = map_find(&lib->top_index, map_key(within->at[0].name));
    ast_class *c = known ? (ast_class *)(uintptr_t)*known : NULL;
    if (!c) {
        c = load_dir(lib, dir, NULL, within->at[0].name);
        if (!c || !top_add(lib, c)) return NULL;
        lang_search_add(lib, file_parent(lib->a, dir));
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
                   lang_class_path(parent, lib->a), c->name);
        diag_note(lib->diags, own->span, "it is here");
        return false;
    }
    if (!parent->dir) parent->dir = dir_new(lib, NULL);
    dir_list(lib, parent->dir, parent);
    dir_entry *e = dir_find(parent->dir, c->name);
    if (!e) {
        array_push(lib->a, &parent->dir->entries, (dir_entry){.name = c->name});
        *map_put(&parent->dir->index, map_key(c->name)) = (uint64_t)parent->dir->entries.n;
        e = &array_last(&parent->dir->entries);
    }
    e->loaded = true;
    e->class_ = c;
    c->parent = parent;
    return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

// dir: where the package that the file says it belongs to should be; NULL for a text in memory.
static int add_classes(lang_library *lib, ast_file *f, const char *dir)
{
    ast_class *parent = NULL;
    if (f->n_errors) return LANG_E_TEXT;
    if (f->n_classes == 0) {
        span at = {f->span.begin, f->span.begin};
        diag_error(lib->diags, "L043", at, "there is no class in %s", f->path);
        return LANG_E_TEXT;
    }
    if (f->within.n && !(parent = library_enclosing(lib, &f->within, dir))) return LANG_E_TEXT;
    for (int i = 0; i < f->n_classes; i++) {
        ast_class *c = f->classes[i];
        if (parent ? !library_attach(lib, parent, c) : !top_add(lib, c)) return LANG_E_TEXT;
        lib->last = c;
    }
    return LANG_OK;
}

static int open_dir(lang_library *lib, const char *path)
{
    const char *node = file_join(lib->a, path, "package.mo");
    if (file_kind_of(node, NULL) != FILE_TEXT) {
        diag_error(lib->diags, "L041", nowhere,
                   "the directory %s has no package.mo, so it is not a Modelica package", path);
        return LANG_E_TEXT;
    }
    ast_file *f = load_text(lib, node);
    if (!f) return LANG_E_FILE;
    int rc = add_classes(lib, f, file_parent(lib->a, path));
    if (rc) return rc;
    lib->last->dir = dir_new(lib, path);
    if (!lib->last->parent) lang_search_add(lib, file_parent(lib->a, path));
    const char *base = file_base(lib->a, path);
    size_t n = strlen(lib->last->name);
    bool dots = base[0] == '.'; // the user stands in the directory: its name is not known
    if (!dots && (strncmp(base, lib->last->name, n) != 0 || (base[n] && base[n] != ' ')))
        diag_warning(lib->diags, "L043", lib->last->at,
                     "the directory %s holds the package '%s'; other tools want the same name",
                     path, lib->last->name);
    return LANG_OK;
}

int lang_open(lang_library *lib, const char *path)
{
    uint64_t *seen = map_put(&lib->opened, map_key(sym_of(lib->syms, path)));
    if (*seen) {
        lib->last = (ast_class *)(uintptr_t)*seen;
        return LANG_OK;
    }
    int rc;
    if (file_kind_of(path, NULL) == FILE_DIR) {
        rc = open_dir(lib, path);
    } else if (strcmp(file_base(lib->a, path), "package.mo") == 0) {
        rc = open_dir(lib, file_parent(lib->a, path));
    } else {
        ast_file *f = load_text(lib, path);
        rc = f ? add_classes(lib, f, file_parent(lib->a, path)) : LANG_E_FILE;
    }
    if (!rc) *map_put(&lib->opened, map_key(sym_of(lib->syms, path))) = map_key(lib->last);
    return rc;
}

int lang_open_text(lang_library *lib, const char *path, const char *words, size_t n)
{
    const char *copy = arena_strndup(lib->a, words, n);
    const source *src = source_add(&lib->sources, path, copy, n);
    if (!src) {
        diag_error(lib->diags, "L040", nowhere, "cannot read %s: it is too large", path);
        return LANG_E_FILE;
    }
    return add_classes(lib, lang_parse(src, lib->a, lib->syms, lib->diags), NULL);
}

/* ---- trees ----------------------------------------------------------------------------------- */

typedef struct tree_level { // the directories from the root of the walk to here
    file_id id;
    const struct tree_level *up;
} tree_level;

enum { TREE_DEPTH = 100 };

static int parse_one(lang_library *lib, const char *path, lang_tree_stats *stats)
{
    ast_file *f = load_text(lib, path);
    if (!f) return LANG_E_FILE;
    stats->files++;
    stats->bytes += f->span.end - f->span.begin;
    stats->failed += f->n_errors > 0;
    return f->n_errors ? LANG_E_TEXT : LANG_OK;
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
    if (why || !file_list(lib->a, path, &files, &why)) {
        diag_error(lib->diags, "L040", nowhere, "cannot read %s: %s", path, why);
        return LANG_E_FILE;
    }
    int rc = LANG_OK;
    for (int i = 0; i < files.n; i++) {
        const char *inner = file_join(lib->a, path, files.at[i]);
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
