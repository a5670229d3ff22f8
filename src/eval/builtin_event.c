/* Derivatives, events and hints for the solver: operators that look at their argument as it is
 * written get the syntax.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"
#include "flat/flat_function.h"

#include <math.h>
#include <string.h>

/* ---- variability of arguments ---------------------------------------------------------------- */

static const flat_var *variable_of(const scope *s, expr e)
{
    const expr_node *n = expr_at(s->b->pool, e);
    bool known = n->op == EXPR_VAR && n->u.var.index < s->b->m->vars.n;
    return known ? flat_at(s->b->m, n->u.var.index) : NULL;
}

/* An argument that may not change during the simulation. */
static bool check_parameter(const scope *s, const char *what, expr e, span at)
{
    arena *a = eval_env(s)->a;
    int_array nodes = expr_reach(s->b->pool, &e, 1, a);
    for (int i = 0; i < nodes.n; i++) {
        const flat_var *v = variable_of(s, nodes.at[i]);
        bool time = expr_at(s->b->pool, nodes.at[i])->op == EXPR_TIME;
        if (!time && (!v || v->variability <= FLAT_PARAMETER)) continue;
        diag_error(s->b->diags, "M361", at,
                   "the %s must be a parameter expression, but it depends on '%s', which changes "
                   "during the simulation; use a parameter",
                   what,
                   time ? "time"
                        : FLAT_NAME(s->b->m, expr_at(s->b->pool, nodes.at[i])->u.var.index));
        return false;
    }
    return true;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Whether it depends on the coordinates of an integral, or on arguments of a function: they stand for
 * many values at each time, and change by themselves in none. */
static bool of_stand_ins(const scope *s, const expr *list, int n)
{
    int_array vars = expr_vars(s->b->pool, list, n, eval_env(s)->a);
    for (int i = 0; i < vars.n; i++)
        if (expr_at(s->b->pool, vars.at[i])->u.var.index >= FLAT_FORMAL) return true;
    return false;
}

/* Expressions that are not variables are differentiated now. */
static value call_der(const scope *s, const eval_builtin *f, const ast_call *c,
                      const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    value v = eval_value(s, a[0]);
    if (v.type == VALUE_INTEGER && a[0]->kind != AST_REF) v = value_to_real(env, v);
    if (v.type != VALUE_REAL && v.type != VALUE_RECORD)
        return builtin_wrong(s, f->name, "a Real expression", &v, at);
    int count = value_count(&v);
    expr one[2], *list = count == 1 ? one : arena_array(env->a, expr, 2 * count + 1);
    value_scalars(&v, list);
    for (int i = 0; i < count; i++) {
        const flat_var *of = variable_of(s, list[i]);
        if (!of || of->variability != FLAT_DISCRETE) continue;
        diag_error(s->b->diags, "M360", at,
                   "'%s' is discrete and has no derivative: it changes at events only; declare it "
                   "without 'discrete'",
                   FLAT_NAME(s->b->m, expr_at(s->b->pool, list[i])->u.var.index));
        return value_error();
    }
    if (of_stand_ins(s, list, count)) {
        diag_error(s->b->diags, "M351", at,
                   "der() is by time, and this depends on a coordinate of an integral, which is no "
                   "function of time; differentiate by hand, or the integral as a whole");
        return value_error();
    }
    const char *why = NULL;
    if (!expr_total_diff(env->p, list, count, env->a, list + count, &why)) {
        diag_error(s->b->diags, "M351", at, "this expression cannot be differentiated: %s",
                   why ? why : "no rule");
        return value_error();
    }
    return value_with_scalars(env, &v, list + count);
}

/* ---- discrete operators ---------------------------------------------------------------------- */

static value call_hybrid(const scope *s, const eval_builtin *f, const ast_call *c,
                         const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    value v = eval_value(s, a[0]);
    if (value_is_error(&v)) return v;
    if (a[0]->kind != AST_REF) {
        diag_error(s->b->diags, "M362", at,
                   "%s() looks at a variable, not at an expression; give the expression a variable "
                   "of its own and write %s() of that",
                   f->name, f->name);
        return value_error();
    }
    if (v.type > VALUE_RECORD || (f->op == EXPR_EDGE && v.type != VALUE_BOOLEAN))
        return builtin_wrong(s, f->name, f->op == EXPR_EDGE ? "a Boolean" : "a variable", &v, at);
    if (f->op == EXPR_PRE) return builtin_map(s, EXPR_PRE, v, 0);
    if (v.type > VALUE_OBJECT)
        return builtin_wrong(s, f->name, "a variable of a basic type", &v, at);
    return value_map_1(eval_env(s), f->op, v);
}

static value call_no_argument(const scope *s, const eval_builtin *f, const ast_call *c,
                              const ast_expr *const *a, int n, span at)
{
    (void)c, (void)a, (void)n, (void)at;
    return value_scalar(eval_env(s), expr_make(s->b->pool, f->op, NULL, 0));
}

/* sample(start, interval), an event in time, and sample(u, clock), from continuous time to a clock:
 * the second argument, or its absence, tells which is meant. */
static bool sample_arguments(const scope *s, const ast_call *c, const ast_expr *a[2], span at)
{
    static const char *const names[] = {"start", "interval", "clock"};
    int n = c->args.n + c->n_named;
    if (n < 1 || n > 2 || c->args.n > 2) {
        diag_error(s->b->diags, "M355", at, "sample() takes 1 or 2 arguments, not %d", n);
        return false;
    }
    a[0] = a[1] = NULL;
    for (int i = 0; i < c->args.n; i++) a[i] = c->args.at[i];
    for (int i = 0; i < c->n_named; i++) {
        int k = 0;
        while (k < 3 && strcmp(names[k], c->named[i].name)) k++;
        if (k == 3 || a[k > 0]) {
            diag_error(s->b->diags, "M356", c->named[i].at, "sample() has no argument '%s' here",
                       c->named[i].name);
            return false;
        }
        a[k > 0] = c->named[i].value;
    }
    if (a[0]) return true;
    diag_error(s->b->diags, "M355", at, "sample() needs its first argument");
    return false;
}

static value call_sample(const scope *s, const eval_builtin *f, const ast_call *c,
                         const ast_expr *const *none, int n, span at)
{
    (void)f, (void)none, (void)n;
    const ast_expr *a[2];
    if (!sample_arguments(s, c, a, at)) return value_error();
    value v[2] = {eval_value(s, a[0])};
    if (!a[1]) return builtin_sampled(s, v[0], 0, at);
    v[1] = eval_value(s, a[1]);
    if (v[1].type == VALUE_CLOCK && !v[1].n_dims) return builtin_sampled(s, v[0], v[1].e, at);
    expr e[2];
    for (int i = 0; i < 2; i++) {
        if (value_is_error(&v[i])) return v[i];
        if (!value_is_numeric(&v[i]) || v[i].n_dims) {
            diag_error(s->b->diags, "M352", at,
                       "sample(start, interval) needs two numbers, sample(u, clock) a value and a "
                       "Clock");
            return value_error();
        }
        e[i] = value_to_real(eval_env(s), v[i]).e;
        if (!check_parameter(s, i ? "interval of sample()" : "start of sample()", e[i], at))
            return value_error();
    }
    double interval;
    if (expr_number(s->b->pool, e[1], &interval) && !(interval > 0)) {
        diag_error(s->b->diags, "M352", at,
                   "the interval of sample(start, interval) is %g; it must be positive", interval);
        return value_error();
    }
    return value_scalar(eval_env(s), expr_make(s->b->pool, EXPR_SAMPLE, e, 2));
}

static value call_delay(const scope *s, const eval_builtin *f, const ast_call *c,
                        const ast_expr *const *a, int n, span at)
{
    (void)c;
    const value_env *env = eval_env(s);
    value v = value_to_real(env, eval_value(s, a[0]));
    if (!value_is_numeric(&v)) return builtin_wrong(s, f->name, "a number", &v, at);
    expr e[3];
    for (int i = 1; i < n; i++) {
        value t = eval_value(s, a[i]);
        if (!value_is_numeric(&t) || t.n_dims) return builtin_wrong(s, f->name, "a time", &t, at);
        e[i] = value_to_real(env, t).e;
        double time;
        if (expr_number(env->p, e[i], &time) && !(time >= 0)) {
            diag_error(s->b->diags, "M352", at,
                       "the %s of delay() is %g; it must not be negative: the future is not known",
                       i == 1 ? "delay time" : "longest delay", time);
            return value_error();
        }
        if (i == n - 1 &&
            !check_parameter(s, i == 1 ? "time of delay() without a longest one" : "longest delay",
                             e[i], at))
            return value_error();
    }
    expr *list = arena_array(env->a, expr, v.n ? v.n : 1);
    for (int i = 0; i < v.n; i++) {
        e[0] = value_at(&v)[i];
        list[i] = expr_make(env->p, EXPR_DELAY, e, n);
    }
    return value_with_scalars(env, &v, list);
}

/* ---- transport ------------------------------------------------------------------------------- */

/* Numbers of one quantity's profile: a vector for all, or a row for each. NULL after a diagnostic. */
static const expr *profile_row(const scope *s, const value *v, int quantity, int n, int *count,
                               const char *what, span at)
{
    bool rows = v->n_dims == 2;
    if ((v->n_dims != 1 && !rows) || (rows && v->dims[0] != n) || !v->n) {
        diag_error(s->b->diags, "M368", at,
                   "%s of spatialDistribution() must be a vector with one element at least%s", what,
                   n > 1 ? ", or a matrix with a row for each quantity" : "");
        return NULL;
    }
    *count = v->dims[rows];
    const expr *list = value_at(v) + (rows ? quantity * *count : 0);
    for (int i = 0; i < *count; i++)
        if (!check_parameter(s, what, list[i], at)) return NULL;
    return list;
}

/* Points as far as they are known. */
static bool points_in_order(const scope *s, const expr *points, int n, span at)
{
    double last = 0, y;
    for (int i = 0; i < n; last = fmax(last, y), i++) {
        if (!expr_number(s->b->pool, points[i], &y)) y = last;
        if (y >= last && y <= 1) continue;
        diag_error(s->b->diags, "M368", at,
                   "initialPoints of spatialDistribution() must lie between 0 and 1 and must not "
                   "descend; number %d is %g%s",
                   i + 1, y, y < last && y >= 0 ? ", after a larger one" : "");
        return false;
    }
    return true;
}

/* Both ends of one quantity: what enters at one, what arrives at the other. */
static bool carried(const scope *s, const value v[6], int i, int n, expr out[2], span at)
{
    const value_env *env = eval_env(s);
    int n_points, n_values;
    const expr *points = profile_row(s, &v[4], i, n, &n_points, "initialPoints", at);
    const expr *values =
        points ? profile_row(s, &v[5], i, n, &n_values, "initialValues", at) : NULL;
    if (!values || !points_in_order(s, points, n_points, at)) return false;
    if (n_points != n_values) {
        diag_error(s->b->diags, "M368", at,
                   "spatialDistribution() has %d initialPoints and %d initialValues; it needs a "
                   "value for each point",
                   n_points, n_values);
        return false;
    }
    expr *e = arena_array(env->a, expr, 4 + 2 * n_points), in[2];
    for (int k = 0; k < 2; k++) e[1 + k] = in[k] = value_at(&v[k])[i];
    e[3] = v[2].e;
    memcpy(e + 4, points, (size_t)n_points * sizeof *e);
    memcpy(e + 4 + n_points, values, (size_t)n_points * sizeof *e);
    for (int k = 0; k < 2; k++) {
        e[0] = k ? env->p->one : env->p->zero;
        expr past = expr_make(env->p, EXPR_TRANSPORT, e, 4 + 2 * n_points);
        out[k] = expr_3(env->p, EXPR_IF, v[3].e, k ? past : in[0], k ? in[1] : past);
    }
    return true;
}

static value call_transport(const scope *s, const eval_builtin *f, const ast_call *c,
                            const ast_expr *const *a, int n, span at)
{
    (void)c;
    const value_env *env = eval_env(s);
    value v[6];
    for (int i = 0; i < n; i++) {
        v[i] = eval_value(s, a[i]);
        bool number = value_is_numeric(&v[i]), condition = v[i].type == VALUE_BOOLEAN;
        if (i == 3 ? !condition || v[i].n_dims : !number || (i == 2 && v[i].n_dims))
            return builtin_wrong(
                s, f->name, i == 3 ? "a condition as positiveVelocity" : "a number", &v[i], at);
        if (i != 3) v[i] = value_to_real(env, v[i]);
    }
    for (int i = n; i < 6; i++) { // from 0 to 1, nothing in it
        value ends[2] = {value_real(env, 0), value_real(env, i == 4)};
        v[i] = value_array(env, ends, 2, at);
    }
    if (v[0].n != v[1].n || v[0].n_dims != v[1].n_dims || v[0].n_dims > 1) {
        diag_error(s->b->diags, "M368", at,
                   "in0 and in1 of spatialDistribution() must be numbers, or vectors of one size");
        return value_error();
    }
    int count = v[0].n;
    expr *left = arena_array(env->a, expr, count + 1),
         *right = arena_array(env->a, expr, count + 1);
    for (int i = 0; i < count; i++) {
        expr out[2];
        if (!carried(s, v, i, count, out, at)) return value_error();
        left[i] = out[0];
        right[i] = out[1];
    }
    value both[2] = {value_with_scalars(env, &v[0], left), value_with_scalars(env, &v[0], right)};
    return value_tuple(env, both, 2);
}

/* ---- hints for the solver -------------------------------------------------------------------- */

static value call_no_event(const scope *s, const eval_builtin *f, const ast_call *c,
                           const ast_expr *const *a, int n, span at)
{
    (void)f, (void)c, (void)n, (void)at;
    value v = eval_value(s, a[0]);
    return value_is_error(&v) || eval_env(s)->no_event ? v : builtin_map(s, EXPR_NOEVENT, v, 0);
}

static value call_smooth(const scope *s, const eval_builtin *f, const ast_call *c,
                         const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    value order = eval_literal(s, a[0]), v = eval_value(s, a[1]);
    if (value_is_error(&v)) return v;
    int64_t k;
    if (!value_literal_integer(eval_env(s), &order, &k))
        return builtin_wrong(s, f->name, "a constant Integer as order", &order, at);
    return s->in_function ? v : builtin_map(s, EXPR_SMOOTH, v, order.e);
}

/* Combine the scalars of two values of the same shape. */
static value call_homotopy(const scope *s, const eval_builtin *f, const ast_call *c,
                           const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    value x = eval_value(s, a[0]), y = eval_value(s, a[1]);
    if (value_is_error(&x) || value_is_error(&y)) return value_error();
    if (x.type == VALUE_INTEGER) x = value_to_real(env, x);
    if (!value_accepts(&x, &y) || !value_same_dims(&x, &y)) {
        diag_error(s->b->diags, "M302", at, "%s() of %s and %s: they must have one type and size",
                   f->name, value_type_name(env, &x), value_type_name(env, &y));
        return value_error();
    }
    y = value_convert(env, &x, y);
    int k = value_count(&x);
    expr *u = arena_array(env->a, expr, 2 * k + 1), *v = u + k;
    value_scalars(&x, u);
    value_scalars(&y, v);
    for (int i = 0; i < k; i++) u[i] = expr_2(env->p, EXPR_HOMOTOPY, u[i], v[i]);
    return value_with_scalars(env, &x, u);
}

static value call_semi_linear(const scope *s, const eval_builtin *f, const ast_call *c,
                              const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    value v[3];
    const value *dims = NULL;
    for (int i = 0; i < 3; i++) {
        v[i] = value_to_real(env, eval_value(s, a[i]));
        if (!value_is_numeric(&v[i])) return builtin_wrong(s, f->name, "numbers", &v[i], at);
        if (v[i].n_dims && dims && !value_same_dims(dims, &v[i]))
            return builtin_wrong(s, f->name, "arguments of one size", &v[i], at);
        if (v[i].n_dims) dims = &v[i];
    }
    if (!dims) return value_scalar(env, expr_3(env->p, EXPR_SEMILINEAR, v[0].e, v[1].e, v[2].e));
    expr *slots;
    value r = value_new(env, VALUE_REAL, 0, dims->dims, dims->n_dims, &slots);
    for (int i = 0; i < r.n; i++) {
        expr e[3];
        for (int k = 0; k < 3; k++) e[k] = v[k].n_dims ? v[k].at[i] : v[k].e;
        slots[i] = expr_make(env->p, EXPR_SEMILINEAR, e, 3);
    }
    return r;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const eval_builtin event_functions[] = {
    // sorted by name
    {"change", "v", RESULT_BOOLEAN, BUILTIN_IN_EQUATION, "3.7.5", NULL, EXPR_CHANGE,
     .call = call_hybrid},
    {"delay", "expr delayTime [delayMax]", RESULT_REAL, BUILTIN_IN_EQUATION | BUILTIN_NAMED,
     "3.7.4", NULL, EXPR_DELAY, .call = call_delay},
    {"der", "expr", RESULT_REAL, BUILTIN_IN_EQUATION, "3.7.4", NULL, EXPR_DER, .call = call_der},
    {"edge", "b", RESULT_BOOLEAN, BUILTIN_IN_EQUATION, "3.7.5", NULL, EXPR_EDGE,
     .call = call_hybrid},
    {"homotopy", "actual simplified", RESULT_AS_ARGUMENTS, BUILTIN_NAMED, "3.7.4", NULL,
     EXPR_HOMOTOPY, .call = call_homotopy},
    {"initial", "", RESULT_BOOLEAN, BUILTIN_IN_EQUATION, "3.7.5", NULL, EXPR_INITIAL,
     .call = call_no_argument},
    {"noEvent", "expr", RESULT_AS_ARGUMENTS, 0, "3.7.5", "noEvent(2 > 1)", EXPR_NOEVENT,
     .call = call_no_event},
    {"pre", "y", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION, "3.7.5", NULL, EXPR_PRE,
     .call = call_hybrid},
    {"sample", "", RESULT_AS_ARGUMENTS, BUILTIN_IN_EQUATION | BUILTIN_SYNTAX, "3.7.5", NULL,
     EXPR_SAMPLE, .call = call_sample},
    {"semiLinear", "x k1 k2", RESULT_REAL, BUILTIN_NAMED, "3.7.4",
     "abs(semiLinear(-2, 3, 5) + 10) < 1e-15", EXPR_SEMILINEAR, .call = call_semi_linear},
    {"smooth", "p expr", RESULT_AS_ARGUMENTS, BUILTIN_NAMED, "3.7.5", "smooth(0, 2 > 1)",
     EXPR_SMOOTH, .call = call_smooth},
    {"spatialDistribution", "in0 in1 x positiveVelocity [initialPoints] [initialValues]",
     RESULT_REAL, BUILTIN_IN_EQUATION | BUILTIN_NAMED, "3.7.4.2", NULL, EXPR_TRANSPORT,
     .call = call_transport},
    {"terminal", "", RESULT_BOOLEAN, BUILTIN_IN_EQUATION, "3.7.5", NULL, EXPR_TERMINAL,
     .call = call_no_argument},
};

const eval_family eval_event_functions = {event_functions,
                                          sizeof event_functions / sizeof *event_functions};
