/* Questions about a syntax tree.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang.h"

#include <string.h>

const char *lang_op_text(ast_op op)
{
    static const char *const names[] = {
#define X(name, text, level) text,
        AST_OPS(X)
#undef X
    };
    return names[op];
}

const char *lang_restriction_text(ast_restriction r)
{
    static const char *const names[] = {
#define X(name, text) text,
        AST_RESTRICTIONS(X)
#undef X
    };
    return names[r];
}

static char unescape(char c)
{
    switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return c;
    }
}

const char *lang_string(arena *a, ast_string s)
{
    char *out = arena_alloc(a, (size_t)s.n + 1), *at = out;
    for (uint32_t i = 0; i < s.n; i++) {
        if (s.at[i] == '\\' && i + 1 < s.n) *at++ = unescape(s.at[++i]);
        else if (s.at[i] == '\r' && i + 1 < s.n && s.at[i + 1] == '\n') continue;
        else *at++ = s.at[i];
    }
    *at = 0;
    return out;
}

/* ---- names ----------------------------------------------------------------------------------- */

sym lang_element_name(const ast_element *e)
{
    switch (e->kind) {
    case AST_COMPONENT: return e->component->name;
    case AST_CLASS: return e->class_->name;
    default: return NULL;
    }
}

enum { ELEMENTS_WITHOUT_MAP_MAX = 8 }; // elements up to which a search is as fast as a map

ast_element *lang_element(ast_class *c, sym name)
{
    if (c->n_elements <= ELEMENTS_WITHOUT_MAP_MAX) {
        for (int i = 0; i < c->n_elements; i++)
            if (lang_element_name(c->elements[i]) == name) return c->elements[i];
        return NULL;
    }
    if (!c->index.cap)
        for (int i = 0; i < c->n_elements; i++) {
            uint64_t *slot = map_put(&c->index, map_key(lang_element_name(c->elements[i])));
            if (!*slot) *slot = map_key(c->elements[i]);
        }
    uint64_t *found = name ? map_find(&c->index, map_key(name)) : NULL;
    return found ? (ast_element *)(uintptr_t)*found : NULL;
}

const char *lang_class_path(const ast_class *c, arena *a)
{
    size_t n = 0;
    for (const ast_class *k = c; k; k = k->parent) n += strlen(k->name) + 1;
    char *path = arena_alloc(a, n + 1), *at = path + n;
    for (const ast_class *k = c; k; k = k->parent) { // from the back
        size_t len = strlen(k->name);
        *--at = k == c ? 0 : '.';
        at -= len;
        memcpy(at, k->name, len);
    }
    return path;
}

// The argument whose name is the beginning of the path; *used: how many names of it.
static const ast_arg *annotation_arg(const ast_mod *m, const char *const *path, int *used)
{
    for (int i = 0; i < m->args.n; i++) {
        const ast_arg *arg = &m->args.at[i];
        int k = 0;
        if (arg->kind != AST_ARG_MOD) continue;
        while (k < arg->name.n && path[k] && strcmp(arg->name.at[k].name, path[k]) == 0) k++;
        *used = k;
        if (k == arg->name.n) return arg;
    }
    return NULL;
}

static const ast_mod *annotation_at(const ast_mod *annotation, const char *const *path)
{
    const ast_mod *m = annotation;
    int used = 0;
    while (m && *path) {
        const ast_arg *arg = annotation_arg(m, path, &used);
        m = arg ? arg->mod : NULL;
        path += used;
    }
    return m;
}

ast_expr *lang_annotation_value(const ast_mod *annotation, const char *const *path)
{
    const ast_mod *m = annotation_at(annotation, path);
    return m ? m->value : NULL;
}

bool lang_annotation_has(const ast_mod *annotation, const char *const *path)
{
    return annotation_at(annotation, path) != NULL;
}
