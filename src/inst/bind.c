/* Bindings: the value that modifications or a declaration give to a variable.
 *
 * A binding stands in the scope it was written in, often outside the component it is for. If the
 * component is in an array and the modification is not `each`, the value has the sizes of all
 * arrays between: the value for one element is one place of it. A record may be bound as a whole;
 * its parts then take their place of the record value. The last value evaluated is kept, so that an
 * array of n elements evaluates its binding once and not n times; elements that are split, each a node
 * of its own, find it by its expression.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

/* ---- which modification counts --------------------------------------------------------------- */

static const inst_layer *own_layer(flat_builder *b, inst_node *n)
{
    if (!n->binding_known) {
        n->binding_known = true;
        n->binding = inst_value_layer(b, n->env, n->name);
    }
    return n->binding;
}

/* Does one of the layers that reach the record p, from the outermost to l, give a value to n below
 * it or to a record between? Modifications of elements in the layer of l itself count too:
 * R r(a = 1) = s. */
static bool given_inside(flat_builder *b, const inst_node *n, inst_node *p, const inst_layer *l)
{
    const inst_node *path[FLAT_MAX_DEPTH];
    inst_env env = {p->env.at, (int)(l - p->env.at) + 1};
    int k = 0;
    for (; n != p && k < FLAT_MAX_DEPTH; n = n->parent)
        if (!n->is_element) path[k++] = n;
    while (k-- && env.n) {
        env = inst_sub(b, env, path[k]->name, path[k]->parent);
        for (int i = 0; i < env.n; i++)
            if (env.at[i].mod && env.at[i].mod->value) return true;
    }
    return false;
}

/* The layer that binds n, and the node it was written for: n or a record around it. The outermost
 * counts, whichever of the two it is for. */
static const inst_layer *find_binding(flat_builder *b, inst_node *n, inst_node **of)
{
    const inst_layer *best = own_layer(b, n);
    *of = n;
    for (inst_node *p = n->parent; p; p = p->parent) {
        if (p->kind == NODE_SPLIT) continue;
        if (!p->is_record || p->kind != NODE_COMPOSITE) break;
        const inst_layer *l = own_layer(b, p);
        if (l && (!best || !given_inside(b, n, p, l))) {
            best = l;
            *of = p;
        }
    }
    return best;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The sizes a value for n must have: of all nodes below the layer's base down to n. */
static int expected_dims(const inst_node *n, const inst_layer *l, int *dims)
{
    const inst_node *chain[FLAT_MAX_DEPTH], *base = l->base;
    int k = 0, n_dims = 0;
    if (l->tail && l->tail <= n->n_dims) {
        memcpy(dims, n->dims + n->n_dims - l->tail, (size_t)l->tail * sizeof *dims);
        return l->tail;
    }
    for (; n && n != base && k < FLAT_MAX_DEPTH; n = n->parent)
        if (!n->is_element) chain[k++] = n;
    while (k--)
        for (int i = 0; i < chain[k]->n_dims && n_dims < VALUE_MAX_DIMS; i++)
            dims[n_dims++] = chain[k]->dims[i];
    return n_dims;
}

/* One value where each element of an array needs one, as libraries in use have it without `each`: of
 * an attribute, or of a variable in an array of components. */
static bool lacks_each(const inst_node *n, const char *name, int n_dims, const value *v)
{
    if (!v->n_dims) return n_dims > n->n_dims || name != n->name;
    bool own = n_dims > n->n_dims && v->n_dims == n->n_dims;
    for (int i = 0; own && i < n->n_dims; i++) own = v->dims[i] == n->dims[i];
    return own;
}

static bool said_already(const flat_builder *b, const char *code, span at)
{
    const diag *d = b->diags->first;
    while (d && (d->at.begin != at.begin || strcmp(d->code, code) != 0)) d = d->next;
    return d != NULL;
}

static bool report_dims(flat_builder *b, const inst_layer *l, const inst_node *n, const char *name,
                        const int *dims, int n_dims, const value *v)
{
    span at = l->mod->value->span;
    const char *want = value_dims_name(&b->env, dims, n_dims);
    bool each = lacks_each(n, name, n_dims, v);
    if (!each)
        diag_error(b->diags, "M137", at, "'%s' has size %s, but its value has size %s", name, want,
                   value_dims_name(&b->env, v->dims, v->n_dims));
    else if (said_already(b, "M136", at)) return true;
    else if (n_dims > n->n_dims)
        diag_warning(b->diags, "M136", at,
                     "'%s' belongs to an array of components and needs values of size %s; the one "
                     "that is given is taken for all, as by 'each' in front of the modification",
                     name, want);
    else
        diag_warning(
            b->diags, "M136", at,
            "'%s' has size %s, but its attribute '%s' is a scalar, which is taken for all, "
            "as by 'each %s = ...'",
            n->name, want, name, name);
    return each;
}

/* ---- evaluating ------------------------------------------------------------------------------ */

static bool evaluate_whole(flat_builder *b, const inst_layer *l, const ast_expr *x,
                           const inst_node *n, int e, int mode, value *out)
{
    scope s = inst_scope(b, l->at, n, e);
    arena *before = b->env.a;
    arena_mark mark = arena_here(b->scratch);
    bool open_texts = b->open_texts;
    b->open_texts = n->type_id == TYPE_OBJECT;
    b->env.a = b->scratch;
    if (++b->depth > FLAT_MAX_DEPTH) {
        diag_error(b->diags, "M121", x->span, "values depend on each other more than %d deep",
                   FLAT_MAX_DEPTH);
        *out = value_error();
    } else if (!(mode == SCOPE_STRUCTURAL ? eval_structural(&s, x, out) : eval_expr(&s, x, out))) {
        *out = value_error();
    }
    b->depth--;
    b->open_texts = open_texts;
    b->env.a = b->front;
    *out = value_copy(&b->env, *out);
    b->env.a = before;
    arena_release(b->scratch, mark);
    return !value_is_error(out);
}

/* Does a value stay what it is? Before variables have numbers only numbers do. */
static bool value_stays(flat_builder *b, const value *v)
{
    return b->inst->numbered || value_is_literal(&b->env, v);
}

/* The value of an expression that elements of a split array take their places of. */
typedef struct sibling_value {
    const inst_class *at;
    int key; // element of the scope; -1: none
    bool object, varying;
    value whole;
} sibling_value;

static sibling_value *sibling_of(flat_builder *b, const inst_layer *l, const ast_expr *x,
                                 const inst_node *n, int mode)
{
    const inst_node *p = n;
    while (p && p != l->base && !p->is_element) p = p->parent;
    if (!p || p == l->base || n->family || l->family) return NULL;
    uint64_t *slot =
        map_put(&b->inst->siblings, 2 * map_key(x) + (uint64_t)(mode == SCOPE_STRUCTURAL));
    if (!*slot) {
        sibling_value *made = arena_new(b->front, sibling_value);
        made->key = -1;
        *slot = map_key(made);
    }
    return (sibling_value *)(uintptr_t)*slot;
}

/* As evaluate_whole, with *stays, but once for all elements of a split array. */
static bool sibling_whole(flat_builder *b, const inst_layer *l, const ast_expr *x,
                          const inst_node *n, int e, int mode, int key, value *out, bool *stays)
{
    struct inst *in = b->inst;
    sibling_value *s = sibling_of(b, l, x, n, mode);
    bool object = n->type_id == TYPE_OBJECT, before = in->varying;
    if (s && s->at == l->at && s->key == key && s->object == object) {
        *out = s->whole;
        in->varying = before || s->varying;
        return *stays = true;
    }
    in->varying = false;
    bool ok = evaluate_whole(b, l, x, n, e, mode, out);
    *stays = ok && value_stays(b, out);
    if (s && *stays) *s = (sibling_value){l->at, key, object, in->varying, *out};
    in->varying = before || in->varying;
    return ok;
}

/* In a family key is the number of the component where shapes apply. */
static bool bound_value(flat_builder *b, inst_cache *c, const inst_layer *l, const ast_expr *x,
                        const inst_node *n, int e, int mode, int key, bool *stays)
{
    if (!inst_shape_applies(b, l, n, mode))
        return sibling_whole(b, l, x, n, e, mode, key, &c->whole, stays);
    *stays = true; // variables have numbers
    if (inst_shape_value(b, c->shape, l, x, n->family, key, &c->whole)) return true;
    arena_mark mark = arena_here(b->scratch);
    struct inst_reads *before = inst_reads_begin(b, n);
    bool ok = evaluate_whole(b, l, x, n, e, mode, &c->whole);
    inst_reads_end(b, before, l, x, key, &c->whole, &c->shape);
    arena_release(b->scratch, mark);
    return ok;
}

static inst_cache *bound_of(flat_builder *b, inst_node *n)
{
    if (!n->bound) {
        n->bound = arena_new(b->front, inst_cache);
        n->bound->key = -1;
    }
    return n->bound;
}

bool inst_layer_value(flat_builder *b, inst_cache *c, const inst_layer *l, inst_node *n, int e,
                      int mode, const char *name, int *pos)
{
    const ast_expr *x = inst_layer_expr(l, n, e);
    int key = inst_up(inst_self(b, l->at), n, e), size;
    *pos = inst_place(n, l->base, e, &size);
    if (l->tail && n->dims_known && l->tail <= n->n_dims) {
        size = 1;
        for (int i = n->n_dims - l->tail; i < n->n_dims; i++) size *= n->dims[i];
        *pos = size ? e % size : 0;
    }
    if (c->key != key || c->mode != mode || c->layer != l || c->of != x) {
        bool stays;
        c->key = -1;
        if (!bound_value(b, c, l, x, n, e, mode, key, &stays)) return false;
        int dims[VALUE_MAX_DIMS], n_dims = n->dims_known ? expected_dims(n, l, dims) : 0;
        bool same = n_dims == c->whole.n_dims;
        for (int i = 0; same && i < n_dims; i++) same = dims[i] == c->whole.dims[i];
        if (!same && n->dims_known && !report_dims(b, l, n, name, dims, n_dims, &c->whole))
            return false;
        c->each = !same && n->dims_known;
        c->key = stays ? key : -1;
        c->mode = (uint8_t)mode;
        c->layer = l;
        c->of = x;
    }
    if (c->each) {
        *pos = c->whole.n_dims ? e % n->size : 0;
        return true;
    }
    // What differs between the elements of an array of components must not decide its structure.
    for (const inst_node *p = n->parent; p && p != l->base; p = p->parent)
        if (!p->is_element && p->size > 1) b->inst->varying = true; // in a family all are asked
    return !n->dims_known || *pos < c->whole.n || !c->whole.n_dims;
}

/* The scalar of leaf n, element e, inside the value of the record `of` around it. */
static bool descend(flat_builder *b, inst_node *n, int e, inst_node *of, value v, int pos, span at,
                    value *out)
{
    inst_node *path[FLAT_MAX_DEPTH];
    int k = 0;
    for (inst_node *p = n; p != of && k < FLAT_MAX_DEPTH; p = p->parent) path[k++] = p;
    while (k--) {
        inst_node *m = path[k];
        if (v.type != VALUE_RECORD || pos >= v.n) return false;
        int f = 0;
        while (f < v.record->n && v.record->names[f] != m->name) f++;
        if (f == v.record->n) {
            diag_error(b->diags, "M138", at, "the value of '%s' is a %s, which has no field '%s'",
                       of->name, v.record->name, m->name);
            return false;
        }
        v = v.fields[pos * v.record->n + f];
        pos = m->size > 0 ? e / (n->total / m->total) % m->size : 0;
    }
    if (v.type == VALUE_ERROR || v.type > VALUE_OBJECT || pos >= v.n) return false;
    *out = v;
    out->e = value_at(&v)[pos];
    out->n_dims = 0;
    out->n = 1;
    return true;
}

static bool convert(flat_builder *b, const inst_node *n, span at, value v, expr *out)
{
    value type = {.type = n->type_id, .enum_id = (uint16_t)n->enum_id, .n = 1};
    v.n_dims = 0;
    v.n = 1;
    if (!value_accepts(&type, &v)) {
        value plain = type;
        diag_error(b->diags, "M114", at, "'%s' is %s, but its value is %s", n->name,
                   value_type_name(&b->env, &plain), value_type_name(&b->env, &v));
        return false;
    }
    *out = value_convert(&b->env, &type, v).e;
    return true;
}

bool inst_bound(flat_builder *b, inst_node *n, int e, int mode, bool *has, expr *out)
{
    inst_node *of;
    *has = false;
    if (b->inst->n_overrides) {
        int done = inst_override(b, n, e, out);
        if (done) return *has = true, done > 0;
    }
    const inst_layer *l = find_binding(b, n, &of);
    if (!l) return true;
    int pos, eo = inst_up(of, n, e);
    if (!inst_layer_value(b, bound_of(b, of), l, of, eo, mode, of->name, &pos)) return false;
    value v = of->bound->whole;
    span at = l->mod->value->span;
    if (of == n) {
        if (v.type == VALUE_RECORD || v.type == VALUE_TUPLE || v.type == VALUE_FUNCTION) {
            diag_error(b->diags, "M114", at, "'%s' is a scalar variable, but its value is %s",
                       n->name, value_type_name(&b->env, &v));
            return false;
        }
        v.e = value_at(&v)[v.n_dims ? pos : 0];
    } else {
        if (v.type != VALUE_RECORD) {
            diag_error(b->diags, "M114", at, "'%s' is a record, but its value is %s", of->name,
                       value_type_name(&b->env, &v));
            return false;
        }
        if (!descend(b, n, e, of, v, pos, at, &v)) return false;
    }
    *has = true;
    return convert(b, n, at, v, out);
}

bool inst_has_binding(flat_builder *b, inst_node *n)
{
    inst_node *of;
    return find_binding(b, n, &of) != NULL;
}

static bool take_dims(const value *v, int *dims, int *n_dims)
{
    *n_dims = v->n_dims;
    for (int i = 0; i < v->n_dims; i++) dims[i] = v->dims[i];
    return true;
}

/* Without a value the start values have the sizes. */
static bool start_dims(flat_builder *b, inst_node *n, int e, bool *has, int *dims, int *n_dims)
{
    inst_env env = inst_sub(b, n->env, b->inst->s_start, n);
    const inst_layer *l = env.n ? inst_value_layer(b, env, b->inst->s_start) : NULL;
    inst_cache cache = {.key = -1};
    int pos;
    if (!l) return true;
    if (!inst_layer_value(b, &cache, l, n, e, SCOPE_SYMBOLIC, "start", &pos)) return false;
    *has = cache.whole.n_dims > 0;
    return take_dims(&cache.whole, dims, n_dims);
}

bool inst_bound_dims(flat_builder *b, inst_node *n, int e, bool *has, int *dims, int *n_dims)
{
    inst_node *of;
    const inst_layer *l = find_binding(b, n, &of);
    *has = l != NULL;
    if (!l) return start_dims(b, n, e, has, dims, n_dims);
    int pos, at = inst_up(of, n, e);
    if (!inst_layer_value(b, bound_of(b, of), l, of, at, SCOPE_SYMBOLIC, of->name, &pos))
        return false;
    value v = of->bound->whole;
    inst_node *path[FLAT_MAX_DEPTH];
    int k = 0;
    for (inst_node *p = n; p != of && k < FLAT_MAX_DEPTH; p = p->parent) path[k++] = p;
    while (k--) { // fields of a record value
        int f = 0;
        if (v.type != VALUE_RECORD || !v.n) return *has = false, true;
        while (f < v.record->n && v.record->names[f] != path[k]->name) f++;
        if (f == v.record->n) return *has = false, true;
        v = v.fields[(pos < v.n ? pos : 0) * v.record->n + f];
        pos = 0;
    }
    return take_dims(&v, dims, n_dims);
}

bool inst_bound_together(flat_builder *b, inst_node *n, int e, int f)
{
    inst_node *of;
    const inst_layer *l = find_binding(b, n, &of);
    if (!l || of != n) return false;
    const inst_node *self = inst_self(b, l->at);
    return inst_layer_expr(l, n, e) == inst_layer_expr(l, n, f) &&
           inst_up(self, n, e) == inst_up(self, n, f);
}

/* ---- values known before the simulation ------------------------------------------------------ */

enum { KNOWN_OPEN = -1, KNOWN_FAILED = -2 }; // values of `known` that are no expressions

bool inst_known(flat_builder *b, inst_node *n, int e, expr *out)
{
    struct inst *in = b->inst;
    if (!n->known) n->known = arena_array(b->front, expr, n->total ? n->total : 1);
    inst_note_read(b, n, e);
    if (n->variability == FLAT_PARAMETER) inst_set_structural(b, n, e, true);
    if (n->known[e] == KNOWN_OPEN) {
        diag_error(b->diags, "M115", n->decl->at, "the value of '%s' depends on itself", n->name);
        return false;
    }
    if (n->known[e] == KNOWN_FAILED && b->diags->n_errors) return false; // it was said before
    if (n->known[e] > 0) {
        in->varying = in->varying || n->varies;
        *out = n->known[e];
        return true;
    }
    bool has, before = in->varying;
    in->varying = false;
    n->known[e] = KNOWN_OPEN;
    bool ok = inst_bound(b, n, e, SCOPE_STRUCTURAL, &has, out);
    n->known[e] = KNOWN_FAILED;
    n->varies = n->varies || in->varying;
    in->varying = before || in->varying;
    if (!ok) return false;
    if (!has) {
        sym path = inst_path_sym(b, n, e);
        diag_error(b->diags, "M116", n->decl->at,
                   n->variability == FLAT_CONSTANT
                       ? "the constant '%s' has no value"
                       : "the parameter '%s' has no value, and a size or condition depends on it; "
                         "give it one, for example '%s = ...'",
                   path, n->name);
        return false;
    }
    n->known[e] = in->numbered || expr_is_literal(b->pool, *out) ? *out : 0;
    return true;
}
