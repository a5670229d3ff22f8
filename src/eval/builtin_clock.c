/* Clocks: their constructors, what turns one clock into another, and what only clocked equations
 * have (Modelica Language Specification 3.6, chapter 16).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

static value wrong_clock(const scope *s, const char *what, const char *wants, const value *got,
                         span at)
{
    if (!value_is_error(got))
        diag_error(s->b->diags, "M367", at, "%s must be %s, not %s", what, wants,
                   value_type_name(eval_env(s), got));
    return value_error();
}

/* A whole number that is known when the model is flattened, not smaller than `least`. */
static bool whole_number(const scope *s, const char *what, int64_t least, const ast_expr *a,
                         expr *out)
{
    value v = eval_literal(s, a);
    int64_t k;
    if (value_is_error(&v)) return false;
    if (!value_literal_integer(eval_env(s), &v, &k)) {
        wrong_clock(s, what, "an Integer that is known before the simulation", &v, a->span);
        return false;
    }
    if (k < least) {
        diag_error(s->b->diags, "M367", a->span, "%s is %lld; it must not be smaller than %lld",
                   what, (long long)k, (long long)least);
        return false;
    }
    *out = v.e;
    return true;
}

/* Every scalar is a variable, a parameter or a constant: something that has a start value. */
static bool is_component(const scope *s, const value *v)
{
    const value_env *env = eval_env(s);
    int n = value_count(v);
    expr one, *list = n == 1 ? &one : arena_array(env->a, expr, n ? n : 1);
    value_scalars(v, list);
    for (int i = 0; i < n; i++) {
        const expr_node *x = expr_at(env->p, list[i]);
        bool variable = x->op == EXPR_VAR && !x->u.var.order;
        if (!variable && !expr_is_literal(env->p, list[i])) return false;
    }
    return true;
}

static bool is_fixed(const scope *s, expr e) // a constant or a parameter
{
    const expr_pool *p = s->b->pool;
    const expr_node *x = expr_at(p, e);
    if (x->op == EXPR_VAR && x->u.var.index < s->b->m->vars.n)
        return flat_at(s->b->m, x->u.var.index)->variability <= FLAT_PARAMETER;
    return expr_is_literal(p, e);
}

/* op(x, further ...) for every scalar of v. */
static value map_clocked(const scope *s, expr_op op, const value *v, const expr *further, int n)
{
    const value_env *env = eval_env(s);
    int count = value_count(v);
    expr *list = arena_array(env->a, expr, count ? count : 1), args[3];
    value_scalars(v, list);
    for (int i = 0; i < count; i++) {
        args[0] = list[i];
        for (int k = 0; k < n; k++) args[k + 1] = further[k];
        list[i] = expr_make(env->p, op, args, n + 1);
    }
    return value_with_scalars(env, v, list);
}

/* ---- constructors ---------------------------------------------------------------------------- */

/* The arguments of Clock(...), by place or by the names of any of its forms. */
static bool clock_arguments(const scope *s, const ast_call *c, const ast_expr *arg[2], int *n,
                            span at)
{
    static const char *const names[2][5] = {{"intervalCounter", "interval", "condition", "c"},
                                            {"resolution", "startInterval", "solverMethod"}};
    if (c->args.n + c->n_named > 2) {
        diag_error(s->b->diags, "M355", at, "Clock() takes at most 2 arguments, not %d",
                   c->args.n + c->n_named);
        return false;
    }
    arg[0] = arg[1] = NULL;
    for (int i = 0; i < c->args.n; i++) arg[i] = c->args.at[i];
    for (int i = 0; i < c->n_named; i++) {
        int to = -1;
        for (int k = 0; k < 2; k++)
            for (int j = 0; names[k][j]; j++)
                if (!strcmp(names[k][j], c->named[i].name)) to = k;
        if (to < 0 || arg[to]) {
            diag_error(s->b->diags, "M356", c->named[i].at,
                       to < 0 ? "%s() has no argument '%s'"
                              : "%s() is given its argument '%s' twice, or another is missing",
                       "Clock", c->named[i].name);
            return false;
        }
        arg[to] = c->named[i].value;
    }
    *n = arg[1] ? 2 : arg[0] ? 1 : 0;
    return arg[0] || !arg[1] ||
           (wrong_clock(s, "the first argument of Clock()", "given", &(value){.type = VALUE_REAL},
                        at),
            false);
}

static value make_clock(const scope *s, const expr *args, int n)
{
    return value_scalar(eval_env(s), expr_make(s->b->pool, EXPR_CLOCK, args, n));
}

/* Clock(intervalCounter, resolution): a counter that is known, or a clocked variable. */
static value rational_clock(const scope *s, const ast_expr *const *a, int n, value counter)
{
    expr e[2] = {counter.e, expr_integer(s->b->pool, 1)};
    if (n > 1 && !whole_number(s, "the resolution of a clock", 1, a[1], &e[1]))
        return value_error();
    if (expr_at(s->b->pool, counter.e)->op != EXPR_VAR || is_fixed(s, counter.e)) {
        if (!whole_number(s, "the interval counter of a clock", 0, a[0], &e[0]))
            return value_error();
        if (expr_at(s->b->pool, e[0])->u.integer == 0) return make_clock(s, NULL, 0);
    }
    return make_clock(s, e, 2);
}

static value real_clock(const scope *s, value interval, span at)
{
    double x;
    if (expr_number(s->b->pool, interval.e, &x) && !(x > 0)) {
        diag_error(s->b->diags, "M367", at, "the interval of a clock is %g; it must be positive",
                   x);
        return value_error();
    }
    return make_clock(s, &interval.e, 1);
}

static value event_clock(const scope *s, const ast_expr *const *a, int n, value condition)
{
    expr e[2] = {condition.e, s->b->pool->zero};
    if (n > 1) {
        value v = value_to_real(eval_env(s), eval_value(s, a[1]));
        if (v.type != VALUE_REAL || v.n_dims || value_is_error(&v))
            return wrong_clock(s, "the start interval of a clock", "a number", &v, a[1]->span);
        e[1] = v.e;
    }
    return make_clock(s, e, 2);
}

static value solver_clock(const scope *s, const ast_expr *const *a, int n, value clock)
{
    expr e[2] = {clock.e, 0};
    if (n < 2) return clock;
    value v = eval_literal(s, a[1]);
    if (value_is_error(&v)) return v;
    if (v.type != VALUE_STRING || v.n_dims || expr_at(s->b->pool, v.e)->op != EXPR_STRING)
        return wrong_clock(s, "the solver method of a clock",
                           "a String that is known before the simulation", &v, a[1]->span);
    e[1] = v.e;
    return make_clock(s, e, 2);
}

static value call_clock(const scope *s, const eval_builtin *f, const ast_call *c,
                        const ast_expr *const *none, int n, span at)
{
    (void)f, (void)none;
    const ast_expr *a[2];
    if (!clock_arguments(s, c, a, &n, at)) return value_error();
    if (!n) return make_clock(s, NULL, 0);
    value v = eval_value(s, a[0]);
    if (!v.n_dims) switch ((value_type)v.type) {
        case VALUE_INTEGER: return rational_clock(s, a, n, v);
        case VALUE_REAL: return real_clock(s, v, a[0]->span);
        case VALUE_BOOLEAN: return event_clock(s, a, n, v);
        case VALUE_CLOCK: return solver_clock(s, a, n, v);
        default: break;
        }
    return wrong_clock(s, "the first argument of Clock()",
                       "an Integer, a Real, a Boolean or a Clock", &v, a[0]->span);
}

/* ---- from one partition to another ----------------------------------------------------------- */

value builtin_sampled(const scope *s, value v, expr clock, span at)
{
    if (value_is_error(&v)) return v;
    if (v.type == VALUE_CLOCK || v.type > VALUE_RECORD)
        return builtin_wrong(s, "sample", "a value", &v, at);
    return map_clocked(s, EXPR_SAMPLED, &v, &clock, clock ? 1 : 0);
}

/* hold(u), previous(u): of a parameter its value. */
static value call_kept(const scope *s, const eval_builtin *f, const ast_call *c,
                       const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    value v = eval_value(s, a[0]);
    if (value_is_error(&v)) return v;
    if (v.type == VALUE_CLOCK || v.type > VALUE_RECORD)
        return builtin_wrong(s, f->name, "a clocked variable", &v, at);
    if (!is_component(s, &v)) {
        diag_error(s->b->diags, "M363", a[0]->span,
                   "%s() needs a variable, which has a start value, and not an expression; give "
                   "the expression a variable of its own",
                   f->name);
        return value_error();
    }
    const value_env *env = eval_env(s);
    int count = value_count(&v);
    expr *list = arena_array(env->a, expr, count ? count : 1);
    value_scalars(&v, list);
    for (int i = 0; i < count; i++)
        if (!is_fixed(s, list[i])) list[i] = expr_1(env->p, f->op, list[i]);
    return value_with_scalars(env, &v, list);
}

/* interval(u), firstTick(u): u only says which clock is meant. */
static value call_of_clock(const scope *s, const eval_builtin *f, const ast_call *c,
                           const ast_expr *const *a, int n, span at)
{
    (void)c;
    expr of = 0;
    if (n) {
        value v = eval_value(s, a[0]);
        if (value_is_error(&v)) return v;
        if (v.type > VALUE_RECORD || !value_count(&v))
            return builtin_wrong(s, f->name, "a clocked expression", &v, at);
        expr *list = arena_array(eval_env(s)->a, expr, value_count(&v));
        value_scalars(&v, list);
        of = list[0];
    }
    return value_scalar(eval_env(s), expr_make(s->b->pool, f->op, &of, n ? 1 : 0));
}

/* subSample, superSample: a factor; shiftSample, backSample: a counter and a resolution. */
static value call_conversion(const scope *s, const eval_builtin *f, const ast_call *c,
                             const ast_expr *const *a, int n, span at)
{
    (void)c;
    bool shift = f->op == EXPR_SHIFTSAMPLE || f->op == EXPR_BACKSAMPLE;
    value v = eval_value(s, a[0]);
    if (value_is_error(&v)) return v;
    if (v.type > VALUE_RECORD || (v.type == VALUE_CLOCK && v.n_dims))
        return builtin_wrong(s, f->name, "a clocked expression or a Clock", &v, at);
    if (f->op == EXPR_NOCLOCK) {
        if (v.type == VALUE_CLOCK) return builtin_wrong(s, f->name, "a clocked expression", &v, at);
        return map_clocked(s, f->op, &v, NULL, 0);
    }
    expr e[2] = {expr_integer(s->b->pool, 0), expr_integer(s->b->pool, 1)};
    if (n > 1 && a[1] &&
        !whole_number(s, shift ? "the counter of a shift" : "the factor", 0, a[1], &e[0]))
        return value_error();
    if (n > 2 && a[2] && !whole_number(s, "the resolution of a shift", 1, a[2], &e[1]))
        return value_error();
    return map_clocked(s, f->op, &v, e, shift ? 2 : 1);
}

/* ---- state machines -------------------------------------------------------------------------- */

static value call_active(const scope *s, const eval_builtin *f, const ast_call *c,
                         const ast_expr *const *a, int n, span at)
{
    (void)f, (void)a, (void)n;
    value v;
    return s->b->verbs->active_state(s, c, at, &v) ? v : value_error();
}

static value call_in_state(const scope *s, const eval_builtin *f, const ast_call *c,
                           const ast_expr *const *a, int n, span at)
{
    (void)c, (void)a, (void)n, (void)at;
    return value_scalar(eval_env(s), expr_make(s->b->pool, f->op, NULL, 0));
}

/* ---- the list -------------------------------------------------------------------------------- */

static const eval_builtin clock_functions[] = {
    // sorted by name
    {"Clock", "", RESULT_CLOCK, BUILTIN_IN_EQUATION | BUILTIN_SYNTAX, "16.3", NULL, EXPR_CLOCK,
     .call = call_clock},
    {"activeState", "state", RESULT_BOOLEAN, BUILTIN_IN_EQUATION | BUILTIN_NAMED, "17.1", NULL,
     EXPR_ACTIVESTATE, .call = call_active},
    {"backSample", "u backCounter [resolution]", RESULT_AS_ARGUMENTS,
     BUILTIN_IN_EQUATION | BUILTIN_NAMED, "16.5.2", NULL, EXPR_BACKSAMPLE, .call = call_conversion},
    {"firstTick", "[u]", RESULT_BOOLEAN, BUILTIN_IN_EQUATION, "16.10", NULL, EXPR_FIRSTTICK,
     .call = call_of_clock},
    {"hold", "u", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION, "16.5.1", NULL, EXPR_HOLD,
     .call = call_kept},
    {"interval", "[u]", RESULT_REAL, BUILTIN_IN_EQUATION, "16.10", NULL, EXPR_INTERVAL,
     .call = call_of_clock},
    {"noClock", "u", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION, "16.5.2", NULL, EXPR_NOCLOCK,
     .call = call_conversion},
    {"previous", "u", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION, "16.4", NULL, EXPR_PREVIOUS,
     .call = call_kept},
    {"shiftSample", "u shiftCounter [resolution]", RESULT_AS_ARGUMENTS,
     BUILTIN_IN_EQUATION | BUILTIN_NAMED, "16.5.2", NULL, EXPR_SHIFTSAMPLE,
     .call = call_conversion},
    {"subSample", "u [factor]", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION | BUILTIN_NAMED, "16.5.2",
     NULL, EXPR_SUBSAMPLE, .call = call_conversion},
    {"superSample", "u [factor]", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION | BUILTIN_NAMED,
     "16.5.2", NULL, EXPR_SUPERSAMPLE, .call = call_conversion},
    {"ticksInState", "", RESULT_INTEGER, BUILTIN_IN_EQUATION, "17.1", NULL, EXPR_TICKSINSTATE,
     .call = call_in_state},
    {"timeInState", "", RESULT_REAL, BUILTIN_IN_EQUATION, "17.1", NULL, EXPR_TIMEINSTATE,
     .call = call_in_state},
};

const eval_family eval_clock_functions = {clock_functions,
                                          sizeof clock_functions / sizeof *clock_functions};
