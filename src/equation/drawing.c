/* Drawings: what a picture of the moving model is made of.
 *
 *     annotation(__Vincolo(draw = {point(r), rod(r1, r2), trace(r), spring(r1, r2),
 *                                  body(r, R, shape, size)}))
 *
 * in a class or at a component, where the arguments are expressions of the class the annotation
 * stands in. A list may be a comprehension, {point(r[i]) for i in 1:n}. The expressions are kept in
 * the flat model; whoever draws evaluates them along the run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"

#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

static bool wrong(const scope *s, const ast_expr *e, const char *what)
{
    diag_error(s->b->diags, "M195", e->span, "%s", what);
    return false;
}

/* A vector of 2 or 3 numbers. */
static bool take_place(const scope *s, const ast_expr *e, flat_drawing *d, expr *out)
{
    value v;
    if (!eval_expr(s, e, &v)) return false;
    if (!value_is_numeric(&v) || v.n_dims != 1 || (v.n != 2 && v.n != 3) || (d->n && v.n != d->n))
        return wrong(s, e,
                     "a place in a drawing is a vector of 2 or 3 numbers, and all places of one "
                     "shape have as many");
    d->n = (uint8_t)v.n;
    memcpy(out, v.at, (size_t)v.n * sizeof *out);
    return true;
}

/* An angle, or a matrix whose columns are the axes of the body. */
static bool take_rotation(const scope *s, const ast_expr *e, flat_drawing *d)
{
    value v;
    if (!eval_expr(s, e, &v)) return false;
    bool square = v.n_dims == 2 && v.dims[0] == d->n && v.dims[1] == d->n;
    if (!value_is_numeric(&v) || (v.n_dims && !square))
        return wrong(s, e,
                     "the rotation of a body is an angle or a square matrix with as many rows "
                     "as its place has coordinates");
    d->n_rotation = (uint8_t)v.n;
    memcpy(d->rotation, value_at(&v), (size_t)v.n * sizeof *d->rotation);
    return true;
}

static bool take_shape(const scope *s, const ast_expr *e, flat_drawing *d)
{
    static const char *const known[] = {"box", "cylinder", "sphere"};
    value v;
    if (!eval_structural(s, e, &v)) return false;
    const expr_node *x = v.type == VALUE_STRING && !v.n_dims ? expr_at(s->b->pool, v.e) : NULL;
    for (size_t i = 0; x && x->op == EXPR_STRING && i < sizeof known / sizeof *known; i++)
        if (strcmp(x->u.string, known[i]) == 0) return d->shape = x->u.string, true;
    return wrong(s, e, "the shape of a body is \"box\", \"cylinder\" or \"sphere\"");
}

static bool take_size(const scope *s, const ast_expr *e, flat_drawing *d)
{
    value v;
    if (!eval_expr(s, e, &v)) return false;
    if (!value_is_numeric(&v) || v.n_dims > 1 || v.n < 1 || v.n > 3)
        return wrong(s, e, "the size of a body is one to three numbers");
    d->n_size = (uint8_t)v.n;
    memcpy(d->size, value_at(&v), (size_t)v.n * sizeof *d->size);
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool take_arguments(const scope *s, const ast_exprs *args, flat_drawing *d)
{
    if (!take_place(s, args->at[0], d, d->from)) return false;
    if (d->kind == FLAT_DRAW_ROD || d->kind == FLAT_DRAW_SPRING)
        return take_place(s, args->at[1], d, d->to);
    return (args->n < 2 || take_rotation(s, args->at[1], d)) &&
           (args->n < 3 || take_shape(s, args->at[2], d)) &&
           (args->n < 4 || take_size(s, args->at[3], d));
}

static bool take_one(const scope *s, const ast_expr *e)
{
    static const char known[] = "a drawing is a list of point(r), rod(r1, r2), trace(r), "
                                "spring(r1, r2) and body(r, R, shape, size)";
    const ast_call *c = e->kind == AST_CALL ? e->call : NULL;
    if (!c || c->f.n != 1) return wrong(s, e, known);
    for (int kind = 0; kind < FLAT_N_DRAWINGS; kind++) {
        const flat_drawing_shape *shape = &flat_drawing_shapes[kind];
        if (strcmp(c->f.at[0].name, shape->name) != 0) continue;
        if (c->n_named || c->iters.n || c->args.n < shape->least || c->args.n > shape->most)
            return wrong(s, e, known);
        flat_drawing d = {.kind = (uint8_t)kind, .at = e->span};
        d.instance = inst_instance_name(s);
        if (!take_arguments(s, &c->args, &d)) return false;
        array_push(s->b->model, &s->b->m->drawings, d);
        return true;
    }
    return wrong(s, e, known);
}

static bool take_each(const scope *s, const ast_call *c, int k)
{
    flat_builder *b = s->b;
    value range;
    if (k == c->iters.n) return take_one(s, c->args.at[0]);
    if (!eval_iterator(s, &c->iters.at[k], c->args.at[0], NULL, &range)) return false;
    for (int i = 0; i < range.n; i++) {
        value v = value_element(&b->env, &range, i);
        scope_name name = {c->iters.at[k].name, &v, s->names, NULL};
        scope inner = *s;
        inner.names = &name;
        if (++b->work > FLAT_MAX_WORK || !take_each(&inner, c, k + 1)) return false;
    }
    return true;
}

static bool take_list(const scope *s, const ast_expr *e)
{
    if (e->kind == AST_COMPREHENSION) return take_each(s, e->call, 0);
    if (e->kind != AST_ARRAY) return take_one(s, e);
    for (int i = 0; i < e->list.n; i++)
        if (!take_list(s, e->list.at[i])) return false;
    return true;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static const ast_expr *drawing_of(const ast_mod *annotation)
{
    static const char *const path[] = {"__Vincolo", "draw", NULL};
    return annotation ? lang_annotation_value(annotation, path) : NULL;
}

static bool take_annotation(flat_builder *b, const ast_mod *a, inst_class *at, const inst_node *n,
                            int e)
{
    const ast_expr *list = drawing_of(a);
    if (!list) return true;
    arena_mark mark = arena_here(b->scratch);
    scope s = inst_scope(b, at, n, e);
    bool ok = take_list(&s, list);
    arena_release(b->scratch, mark);
    return ok;
}

static bool draw_part(flat_builder *b, inst_class *part, inst_node *n, int e)
{
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i] && !draw_part(b, part->bases[i], n, e)) return false;
    return take_annotation(b, part->ast->annotation, part, n, e);
}

static bool draws(const inst_class *part)
{
    if (drawing_of(part->ast->annotation)) return true;
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i] && draws(part->bases[i])) return true;
    return false;
}

/* Is there anything to draw below? */
static bool draws_below(const inst_node *n)
{
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return false;
    bool any = n->kind == NODE_COMPOSITE && draws(n->cls);
    for (int i = 0; i < n->children.n && !any; i++) {
        const inst_node *child = n->children.at[i];
        any = (child->decl && drawing_of(child->decl->annotation)) || draws_below(child);
    }
    return any;
}

/* What a class says of itself, then what declarations say of its components; once per element. */
static bool draw_node(flat_builder *b, inst_node *n, int member)
{
    int first, last;
    if (n->kind == NODE_MEMBER) {
        inst_family *f = n->target->family;
        if (!n->index) f->draws = draws_below(n->target);
        return !f->draws || draw_node(b, n->target, n->index);
    }
    inst_elements(n, member, &first, &last);
    if (n->kind == NODE_COMPOSITE && draws(n->cls))
        for (int e = first; e < last; e++)
            if (!draw_part(b, n->cls, n, e)) return false;
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return true;
    for (int i = 0; i < n->children.n; i++) {
        inst_node *child = n->children.at[i];
        bool present = child->kind != NODE_ABSENT && child->kind != NODE_OUTER && child->decl;
        for (int e = first; present && !child->is_element && e < last; e++)
            if (!take_annotation(b, child->decl->annotation, child->decl_at, n, e)) return false;
        if (!draw_node(b, child, member)) return false;
    }
    return true;
}

bool equation_drawings(flat_builder *b)
{
    return draw_node(b, b->inst->root, -1);
}
