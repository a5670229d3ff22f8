/* Partial derivatives of functions: function f = der(g, x, y).
 *
 * A call is one of g in which the inputs of the list are variables of their own; what comes out is
 * differentiated by them, one after the other, and then they become the arguments again (Modelica
 * Language Specification 3.6, section 12.7.2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"
#include "inst/tree.h"

#include <string.h>

static const ast_class *der_class(flat_builder *b, inst_class *c, inst_class **at)
{
    for (int i = 0; c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        if (!inst_expand(b, c) || !c->bases[0]) return NULL;
        c = c->bases[0];
    }
    *at = c->parent;
    return c->ast->body == AST_DER ? c->ast : NULL;
}

static int der_input(const function_def *g, sym name)
{
    for (int i = 0; i < g->n_inputs; i++)
        if (g->all[g->inputs[i]].name == name) return i;
    return -1;
}

static bool der_check(flat_builder *b, function_def *f)
{
    const function_def *g = f->derives;
    for (int k = 0; k < f->der->n_der_by; k++) {
        const ast_ident *by = &f->der->der_by[k];
        int i = der_input(g, by->name);
        const inst_component *c = i < 0 ? NULL : &g->all[g->inputs[i]];
        if (c && c->type.kind == INST_PREDEFINED && c->type.type == TYPE_REAL &&
            !function_dims_count(c))
            continue;
        diag_error(b->diags, "M427", by->at,
                   "'%s' cannot be differentiated by '%s': it must be an input, Real and scalar",
                   g->name, by->name);
        return false;
    }
    return true;
}

bool function_find_der(flat_builder *b, function_def *f)
{
    inst_class *at = NULL;
    f->der = der_class(b, f->cls, &at);
    if (!f->der) return true;
    inst_class *cls = inst_lookup_class(b, at, &f->der->base, false);
    if (!cls) return false;
    if (inst_restriction(b, cls) != AST_R_FUNCTION) {
        diag_error(b->diags, "M427", f->der->base.span, "'%s' is no function to differentiate",
                   inst_name(b, cls));
        return false;
    }
    f->derives = function_find(b, cls);
    for (const function_def *g = f->derives; g; g = g->derives)
        if (g == f) {
            diag_error(b->diags, "M427", f->der->at, "'%s' is its own derivative", f->name);
            f->derives = NULL;
            return false;
        }
    return !f->derives->failed;
}

bool function_finish_der(flat_builder *b, function_def *f)
{
    const function_def *g = f->derives;
    f->all = g->all;
    f->n_all = g->n_all;
    f->inputs = g->inputs;
    f->n_inputs = g->n_inputs;
    f->outputs = g->outputs;
    f->n_outputs = g->n_outputs;
    f->impure = g->impure;
    return der_check(b, f);
}

expr function_stand_in(flat_builder *b)
{
    // No formal argument of a function has a number so high.
    enum { STAND_IN = FLAT_FORMAL + (1 << 27) };
    return expr_var(b->pool, STAND_IN + function_all(b)->n_stand_ins++, 0, TYPE_REAL, 0);
}

/* All scalars of v differentiated by `var`. */
static bool der_value(const scope *s, const function_def *f, value *v, expr var, span at)
{
    arena *a = eval_env(s)->a;
    int n = value_count(v);
    expr *e = arena_array(a, expr, n + 1);
    value_scalars(v, e);
    for (int i = 0; i < n; i++) {
        const char *why = "it is not Real";
        if (expr_at(s->b->pool, e[i])->type == TYPE_REAL)
            e[i] = expr_diff(s->b->pool, e[i], var, a, &why);
        else e[i] = 0;
        if (e[i]) continue;
        diag_error(s->b->diags, "M428", at, "'%s' has no partial derivative: %s", f->derives->name,
                   why);
        return false;
    }
    *v = value_with_scalars(eval_env(s), v, e);
    return true;
}

value function_call_der(const scope *s, function_def *f, const value *inputs, span at)
{
    const function_def *g = f->derives;
    expr_pool *p = s->b->pool;
    arena *a = eval_env(s)->a;
    value *args = arena_array(a, value, f->n_inputs + 1);
    expr *stand_in = arena_array(a, expr, f->n_inputs + 1);
    memcpy(args, inputs, sizeof *args * (size_t)f->n_inputs);
    expr_subst back;
    expr_subst_init(&back, p, a);
    for (int k = 0; k < f->der->n_der_by; k++) {
        int i = der_input(g, f->der->der_by[k].name);
        if (stand_in[i]) continue;
        stand_in[i] = function_stand_in(s->b);
        args[i] = value_scalar(eval_env(s), stand_in[i]);
        expr_subst_set(&back, stand_in[i], inputs[i].e);
    }
    if (!eval_enter(s, at)) return value_error();
    value v = function_call_with(s, g->cls, args, f->n_inputs, at);
    eval_leave(s);
    for (int k = 0; k < f->der->n_der_by && !value_is_error(&v); k++) {
        expr var = stand_in[der_input(g, f->der->der_by[k].name)];
        if (!der_value(s, f, &v, var, at)) return value_error();
    }
    if (value_is_error(&v)) return v;
    int n = value_count(&v);
    expr *e = arena_array(a, expr, n + 1);
    value_scalars(&v, e);
    for (int i = 0; i < n; i++) e[i] = expr_subst_apply(&back, e[i]);
    return value_with_scalars(eval_env(s), &v, e);
}
