/* Looking classes up by name.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/library_dir.h"

#include <stdlib.h>
#include <string.h>

void lang_library_init(lang_library *lib, arena *a, arena *trees, sym_table *syms, diag_sink *diags)
{
    *lib = (lang_library){.a = a, .trees = trees, .syms = syms, .diags = diags};
    source_init(&lib->sources, a);
    map_init(&lib->texts, a);
    map_init(&lib->top_index, trees);
}

void lang_forget(lang_library *lib)
{
    arena_done(lib->trees);
    lib->top = (lang_classes){0};
    map_init(&lib->top_index, lib->trees);
    lib->last = NULL;
    for (int i = 0; i < lib->search.n; i++) dir_forget(lib, lib->search.at[i]);
    for (int i = 0; i < lib->opened.n; i++) {
        lib->opened.at[i]->open = false;
        lib->opened.at[i]->last = NULL;
        lib->opened.at[i]->file = NULL;
    }
}

void top_remove(lang_library *lib, const ast_class *c)
{
    int n = 0;
    for (int i = 0; i < lib->top.n; i++)
        if (lib->top.at[i] != c) lib->top.at[n++] = lib->top.at[i];
    if (n == lib->top.n) return;
    lib->top.n = n;
    map_init(&lib->top_index, lib->trees); // what was not found may be found now
    for (int i = 0; i < n; i++)
        *map_put(&lib->top_index, map_key(lib->top.at[i]->name)) = map_key(lib->top.at[i]);
}

void lang_search_add(lang_library *lib, const char *dir)
{
    array_push(lib->a, &lib->search, dir_new(lib, lib->a, dir));
}

const char *lang_search_at(const lang_library *lib, int i)
{
    return i < lib->search.n ? lib->search.at[i]->path : NULL;
}

bool top_add(lang_library *lib, ast_class *c)
{
    uint64_t *slot = map_put(&lib->top_index, map_key(c->name));
    if (*slot) {
        const ast_class *other = (const ast_class *)(uintptr_t)*slot;
        diag_error(lib->diags, "L044", c->at, "there is already a class '%s'; rename one of them",
                   c->name);
        diag_note(lib->diags, other->at, "the other one is here");
        return false;
    }
    *slot = map_key(c);
    array_push(lib->trees, &lib->top, c);
    return true;
}

/* ---- versions -------------------------------------------------------------------------------- */

// Main release versions in the order of their numbers; anything after them ("beta 1") comes before
// the release itself. Modelica Language Specification 3.6, section 18.8.1.
static int compare_versions(const char *x, const char *y)
{
    for (;;) {
        char *end_x, *end_y;
        long a = strtol(x, &end_x, 10), b = strtol(y, &end_y, 10);
        if (end_x == x || end_y == y) break;
        if (a != b) return a < b ? -1 : 1;
        x = end_x + (*end_x == '.');
        y = end_y + (*end_y == '.');
    }
    if (!*x || !*y) { // one has ended: more numbers make it newer, other letters older
        if (!*x && !*y) return 0;
        char next = *x ? *x : *y;
        bool newer = next >= '0' && next <= '9';
        return (*x != 0) == newer ? 1 : -1;
    }
    return strcmp(x, y);
}

// The version of a class that the classes opened so far say they use, or NULL.
static const char *wanted_version(lang_library *lib, sym name)
{
    const char *path[] = {"uses", name, "version", NULL};
    for (int i = 0; i < lib->top.n; i++) {
        const ast_expr *e = lang_annotation_value(lib->top.at[i]->annotation, path);
        if (e && e->kind == AST_STRING) return lang_string(lib->trees, e->string);
    }
    return NULL;
}

static bool library_better(const dir_entry *x, const dir_entry *y, const char *wanted)
{
    if (!y) return true;
    if (wanted && strcmp(x->version, wanted) == 0) return true;
    if (wanted && strcmp(y->version, wanted) == 0) return false;
    if (!*x->version || !*y->version) return !*x->version && *y->version;
    return compare_versions(x->version, y->version) > 0;
}

/* ---- lookup ---------------------------------------------------------------------------------- */

static dir_entry *search_entry(lang_library *lib, lang_dir *d, sym name, const char *wanted)
{
    dir_entry *best = NULL;
    for (int i = 0; i < d->entries.n; i++) {
        dir_entry *e = &d->entries.at[i];
        if (e->name != name || !library_better(e, best, wanted)) continue;
        if (dir_has_class(lib, d, e)) best = e;
    }
    return best;
}

static bool has_versions(const lang_library *lib, sym name)
{
    int n = 0;
    for (int k = 0; k < lib->search.n; k++)
        for (int i = 0; i < lib->search.at[k]->entries.n; i++)
            n += lib->search.at[k]->entries.at[i].name == name;
    return n > 1;
}

/* From the first directory that has one, unless that is called another version and a later directory
 * has the one that is wanted. */
static dir_entry *find_entry(lang_library *lib, sym name, const char *wanted, lang_dir **in)
{
    dir_entry *best = NULL;
    for (int i = 0; i < lib->search.n; i++) {
        lang_dir *d = lib->search.at[i];
        dir_entry *e = dir_find(d, name) ? search_entry(lib, d, name, wanted) : NULL;
        if (!e) continue;
        bool other = best && *best->version && wanted && strcmp(best->version, wanted) != 0;
        if (!best || (other && strcmp(e->version, wanted) == 0)) best = e, *in = d;
    }
    return best;
}

/* Another main release than the one that is asked for: names have been changed between them. */
static void check_release(lang_library *lib, const ast_class *c, const char *wanted)
{
    static const char *const path[] = {"version", NULL};
    const ast_expr *e = lang_annotation_value(c->annotation, path);
    if (!wanted || !e || e->kind != AST_STRING) return;
    const char *found = lang_string(lib->trees, e->string);
    if (strtol(found, NULL, 10) == strtol(wanted, NULL, 10)) return;
    warn_once(
        lib, "L046", c->at,
        "version %s of '%s' is asked for by an annotation 'uses', and this is version %s: names "
        "may differ; put version %s on the search path, in a folder '%s %s'",
        wanted, c->name, found, wanted, c->name, wanted);
}

ast_class *lang_top(lang_library *lib, sym name)
{
    uint64_t *known = map_find(&lib->top_index, map_key(name));
    if (!known) {
        opened_again(lib, name);
        known = map_find(&lib->top_index, map_key(name));
    }
    if (known) return (ast_class *)(uintptr_t)*known;
    for (int i = 0; i < lib->search.n; i++) dir_list(lib, lib->search.at[i], NULL);
    if (has_versions(lib, name)) { // all that was opened may say which one
        opened_again(lib, NULL);
        known = map_find(&lib->top_index, map_key(name));
        if (known) return (ast_class *)(uintptr_t)*known;
    }
    lang_dir *d = NULL;
    const char *wanted = wanted_version(lib, name);
    dir_entry *e = find_entry(lib, name, wanted, &d);
    if (e) {
        const char *path = file_join(lib->trees, d->path, e->file);
        ast_class *c =
            e->is_dir ? load_dir(lib, path, NULL, name) : load_file(lib, path, NULL, name);
        if (c) check_release(lib, c, wanted);
        if (c && top_add(lib, c)) return c;
    }
    map_put(&lib->top_index, map_key(name)); // not there: do not look again
    return NULL;
}

static ast_class *load_entry(lang_library *lib, ast_class *c, dir_entry *e)
{
    if (e->loaded) return e->class_;
    e->loaded = true;
    const char *path = file_join(lib->trees, c->dir->path, e->file);
    if (!dir_has_class(lib, c->dir, e)) {
        warn_once(lib, "L041", c->at,
                  "'%s' is looked up in this package, but its directory %s has no package.mo",
                  e->name, path);
        return NULL;
    }
    ast_class *child =
        e->is_dir ? load_dir(lib, path, c, e->name) : load_file(lib, path, c, e->name);
    e->class_ = child;
    return child;
}

ast_class *lang_child(lang_library *lib, ast_class *c, sym name)
{
    ast_element *own = lang_element(c, name);
    if (own) return own->kind == AST_CLASS ? lang_whole(own->class_) : NULL;
    if (!c->dir) return NULL;
    dir_list(lib, c->dir, c);
    dir_entry *e = dir_find(c->dir, name);
    return e ? load_entry(lib, c, e) : NULL;
}

ast_class *lang_find_in(lang_library *lib, ast_class *in, const char *dotted)
{
    ast_class *c = in;
    const char *s = dotted + (dotted[0] == '.');
    do {
        size_t n = 0;
        bool quoted = false;
        for (; s[n] && (quoted || s[n] != '.'); n++) {
            if (s[n] == '\'') quoted = !quoted;
            if (s[n] == '\\' && s[n + 1]) n++;
        }
        if (n == 0) return NULL;
        sym name = memchr(s, '\\', n) ? lang_name(lib->syms, s, n) : sym_of_n(lib->syms, s, n);
        c = c ? lang_child(lib, c, name) : lang_top(lib, name);
        s += n;
    } while (c && *s++ == '.');
    return c;
}

ast_class *lang_find(lang_library *lib, const char *dotted)
{
    return lang_find_in(lib, NULL, dotted);
}

/* ---- names, for messages --------------------------------------------------------------------- */

typedef ARRAY(sym) names_array;

static void add_once(lang_library *lib, names_array *names, map *known, sym name)
{
    uint64_t *slot = map_put(known, map_key(name));
    if (*slot) return;
    *slot = 1;
    array_push(lib->trees, names, name);
}

// The lines of package.order that name a file of the directory.
static void add_ordered(lang_library *lib, lang_dir *d, names_array *names, map *known)
{
    size_t n;
    const char *why, *s = file_read(lib->trees, file_join(lib->trees, d->path, "package.order"),
                                    UINT32_MAX, &n, &why);
    while (s && *s) {
        size_t len = strcspn(s, "\r\n");
        sym name = len ? sym_find_n(lib->syms, s, len) : NULL;
        if (name && dir_find(d, name)) add_once(lib, names, known, name);
        s += len;
        s += strspn(s, "\r\n");
    }
}

int lang_child_names(lang_library *lib, ast_class *c, const sym **out)
{
    names_array names = {0};
    map known;
    map_init(&known, lib->trees);
    for (int i = 0; i < c->n_elements; i++)
        if (c->elements[i]->kind == AST_CLASS)
            add_once(lib, &names, &known, c->elements[i]->class_->name);
    if (c->dir) {
        dir_list(lib, c->dir, c);
        if (c->dir->path) add_ordered(lib, c->dir, &names, &known);
        for (int i = 0; i < c->dir->entries.n; i++) {
            const dir_entry *e = &c->dir->entries.at[i];
            if (dir_has_class(lib, c->dir, e)) add_once(lib, &names, &known, e->name);
        }
    }
    *out = names.at;
    return names.n;
}

int lang_top_names(lang_library *lib, const sym **out)
{
    names_array names = {0};
    for (int i = 0; i < lib->top.n; i++) array_push(lib->trees, &names, lib->top.at[i]->name);
    for (int i = 0; i < lib->opened.n; i++) {
        const lang_opened *o = lib->opened.at[i];
        for (int k = 0; !o->open && k < o->names.n; k++)
            array_push(lib->trees, &names, o->names.at[k]);
    }
    *out = names.at;
    return names.n;
}
