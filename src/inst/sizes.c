/* Sizes and conditions of components: what decides the structure of a model.
 *
 * They are evaluated when the component is completed, with parameters replaced by their values. In
 * an array of components they are evaluated for the first element, and for the others only when the
 * evaluation read something that differs between elements; if they come out different, the array is
 * to be split (node.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

typedef struct demand {
    inst_class *at;
    const ast_expr *e;
    const char *what;
    bool condition;
} demand;

static bool sizes_evaluate(flat_builder *b, const demand *d, const inst_node *parent, int element,
                           int64_t *out)
{
    scope s = inst_scope(b, d->at, parent, element);
    bool yes = false, ok;
    arena *before = b->env.a;
    arena_mark mark = arena_here(b->scratch);
    b->env.a = b->scratch;
    ok =
        d->condition ? eval_boolean(&s, d->e, d->what, &yes) : eval_integer(&s, d->e, d->what, out);
    b->env.a = before;
    arena_release(b->scratch, mark);
    if (d->condition) *out = yes;
    return ok;
}

/* The value for every element of the parent, which must be the same for all of them: otherwise the
 * array is to be split. */
static bool evaluate_shared(flat_builder *b, const demand *d, const inst_node *parent, int64_t *out)
{
    struct inst *in = b->inst;
    bool before = in->varying;
    in->varying = false;
    bool ok = sizes_evaluate(b, d, parent, 0, out);
    for (int k = 1; ok && (in->varying || parent->family) && k < parent->total; k++) {
        int64_t other;
        ok = sizes_evaluate(b, d, parent, k, &other);
        if (ok && other != *out) {
            in->split = true;
            ok = false;
        }
    }
    in->varying = before || in->varying;
    return ok;
}

static const char *size_text(flat_builder *b, const char *prefix, const inst_node *n)
{
    size_t room = strlen(prefix) + strlen(n->name) + 4;
    char *t = arena_array(b->front, char, room);
    memcpy(t, prefix, strlen(prefix));
    strcat(t, "'");
    strcat(t, n->name);
    strcat(t, "'");
    return t;
}

/* The Boolean or enumeration type that a size names; NULL: it is a number. */
static const inst_primitive *size_type(flat_builder *b, inst_class *at, const ast_expr *e)
{
    if (e->kind != AST_REF) return NULL;
    inst_found f = {0};
    if (e->ref->n == 1 && !e->ref->at[0].subs.n) inst_lookup(b, at, e->ref->at[0].name, &f);
    if (e->ref->n > 1 && !e->ref->global && inst_lookup(b, at, e->ref->at[0].name, &f) && f.cls)
        f.cls = inst_try_class(b, at, e->ref);
    const inst_primitive *p = f.cls ? inst_primitive_of(b, f.cls) : NULL;
    return p && (p->kind == PRE_BOOLEAN || p->kind == PRE_ENUM) ? p : NULL;
}

/* A size may be an Integer, an enumeration type or Boolean. */
static bool one_size(flat_builder *b, inst_node *n, inst_class *at, const ast_expr *e,
                     int64_t *size)
{
    const inst_primitive *p = size_type(b, at, e);
    if (p) return *size = p->kind == PRE_BOOLEAN ? 2 : b->m->enums.at[p->enum_id].n, true;
    demand d = {at, e, size_text(b, "the size of ", n), false};
    if (!evaluate_shared(b, &d, n->parent, size)) return false;
    if (*size < 0) {
        diag_error(b->diags, "M131", e->span, "the size of '%s' is %lld; a size cannot be negative",
                   n->name, (long long)*size);
        return false;
    }
    return true;
}

typedef struct dims_list {
    const ast_exprs *at[6];
    inst_class *from[6];
    int n, total;
} dims_list;

static void sizes_add_dims(dims_list *l, const ast_exprs *dims, inst_class *from)
{
    if (!dims->n || l->n == 6) return;
    l->at[l->n] = dims;
    l->from[l->n++] = from;
    l->total += dims->n;
}

/* model A = B[3]: the sizes of short classes on the way to the text. */
static void alias_dims(flat_builder *b, inst_class *c, dims_list *l)
{
    const inst_primitive *p = inst_primitive_of(b, c);
    if (p->kind) {
        for (int i = 0; i < p->n_dims; i++) sizes_add_dims(l, p->dims[i], p->dims_at[i]);
        return;
    }
    for (int i = 0; c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        sizes_add_dims(l, &c->ast->dims, c->parent);
        if (!inst_expand(b, c) || !c->bases[0]) return;
        c = c->bases[0];
    }
}

/* Sizes left open take those of the binding; in an array of components, of all its elements. Those
 * that are `same` as another one are not known yet. */
static bool open_sizes(flat_builder *b, inst_node *n, int *dims, const int *same, span at)
{
    struct inst *in = b->inst;
    int first[VALUE_MAX_DIMS], other[VALUE_MAX_DIMS], n_first = 0, n_other = 0;
    bool has = false, before = in->varying;
    n->total = n->parent->total; // its elements are those of the parent until sizes are known
    in->varying = false;
    bool ok = inst_bound_dims(b, n, 0, &has, first, &n_first);
    for (int k = 1; ok && (in->varying || n->family) && k < n->total; k++) {
        if (inst_bound_together(b, n, 0, k)) continue;
        ok = inst_bound_dims(b, n, k, &has, other, &n_other);
        if (!ok || (n_other == n_first && !memcmp(first, other, (size_t)n_other * sizeof *other)))
            continue;
        in->split = true;
        ok = false;
    }
    in->varying = before || in->varying;
    if (!ok) return false;
    if (!has) {
        diag_error(b->diags, "M132", at,
                   "the size of '%s' is left open with ':' and there is no value to take it from; "
                   "give it a value or a size",
                   n->name);
        return false;
    }
    if (n_first < n->n_dims) {
        diag_error(b->diags, "M133", at, "'%s' has %d dimensions but its value has %d", n->name,
                   n->n_dims, n_first);
        return false;
    }
    for (int i = 0; i < n->n_dims; i++) {
        int size = first[n_first - n->n_dims + i];
        if (dims[i] >= 0 && dims[i] != size && !same[i]) {
            diag_error(b->diags, "M137", at,
                       "dimension %d of '%s' has size %d, but that of its value has size %d", i + 1,
                       n->name, dims[i], size);
            return false;
        }
        if (dims[i] < 0) dims[i] = size;
    }
    return true;
}

/* A[:, size(A, 1)]: the dimension that one of A's sizes is equal to; 0: it is no such size. */
static int same_as(const inst_node *n, const ast_expr *e)
{
    if (e->kind != AST_CALL || e->call->f.n != 1 || strcmp(e->call->f.at[0].name, "size")) return 0;
    const ast_exprs *args = &e->call->args;
    if (args->n != 2 || args->at[0]->kind != AST_REF || args->at[1]->kind != AST_INTEGER) return 0;
    const ast_ref *of = args->at[0]->ref;
    int64_t k = args->at[1]->integer;
    return of->n == 1 && of->at[0].name == n->name && !of->at[0].subs.n && k > 0 &&
                   k <= VALUE_MAX_DIMS
               ? (int)k
               : 0;
}

/* As written: of the declaration or of the one it replaces, then of type aliases. */
static dims_list declared_dims(flat_builder *b, const inst_node *n)
{
    dims_list l = {0};
    const ast_exprs *own = &n->decl->dims;
    if (!own->n && n->element && n->element->comp != n->decl)
        sizes_add_dims(&l, &n->element->comp->dims, n->element->owner);
    else sizes_add_dims(&l, own, n->decl_at);
    alias_dims(b, n->type, &l);
    return l;
}

const inst_primitive *inst_index_type(flat_builder *b, const inst_node *n, int k)
{
    dims_list l = declared_dims(b, n);
    for (int i = 0; i < l.n; k -= l.at[i++]->n)
        if (k < l.at[i]->n) return size_type(b, l.from[i], l.at[i]->at[k]);
    return NULL;
}

bool inst_sizes(flat_builder *b, inst_node *n)
{
    dims_list l = declared_dims(b, n);
    if (!l.total) return true;
    if (l.total > VALUE_MAX_DIMS) {
        diag_error(b->diags, "M134", n->decl->at, "'%s' has more than %d dimensions", n->name,
                   VALUE_MAX_DIMS);
        return false;
    }
    int *dims = arena_array(b->front, int, l.total), k = 0;
    int same[VALUE_MAX_DIMS] = {0};
    int64_t count = 1;
    bool open = false;
    for (int i = 0; i < l.n; i++)
        for (int j = 0; j < l.at[i]->n; j++, k++) {
            const ast_expr *e = l.at[i]->at[j];
            int64_t size = -1;
            same[k] = i == 0 ? same_as(n, e) : 0;
            if (e->kind == AST_COLON) open = true;
            else if (same[k] && same[k] <= l.total && same[k] - 1 != k) size = 0;
            else if (!one_size(b, n, l.from[i], e, &size)) return false;
            if (e->kind == AST_REF && size_type(b, l.from[i], e)) n->typed |= 1u << k;
            dims[k] = size > FLAT_MAX_ELEMENTS ? FLAT_MAX_ELEMENTS + 1 : (int)size;
        }
    n->n_dims = l.total;
    for (int i = 0; i < k && n->given; i++)
        if (dims[i] < 0) dims[i] = n->given[i];
    if (open && !n->given && !open_sizes(b, n, dims, same, n->decl->at)) return false;
    for (int i = 0; i < n->n_dims; i++) {
        if (same[i]) dims[i] = dims[same[i] - 1];
        count *= dims[i];
        if (count > FLAT_MAX_ELEMENTS) {
            diag_error(b->diags, "M134", n->decl->at, "the array '%s' has more than %d elements",
                       n->name, FLAT_MAX_ELEMENTS);
            return false;
        }
    }
    n->dims = dims;
    n->size = (int)count;
    return true;
}

/* 1: it is there, 0: its condition is false, -1: error. */
int inst_condition(flat_builder *b, inst_node *n)
{
    const ast_expr *e = n->decl->condition;
    inst_class *at = n->decl_at;
    if (!e && n->element && n->element->comp->condition) {
        e = n->element->comp->condition;
        at = n->element->owner;
    }
    if (!e) return 1;
    int64_t yes = 0;
    demand d = {at, e, size_text(b, "the condition of ", n), true};
    return evaluate_shared(b, &d, n->parent, &yes) ? (yes ? 1 : 0) : -1;
}
