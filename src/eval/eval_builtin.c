/* Built-in operators with function syntax: Modelica Language Specification 3.6, section 3.7.
 *
 * Mathematical functions make one node per element and spread scalars over arrays; operators that
 * look at their argument as it is written (der, pre, size of a reference) get the syntax.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef const ast_expr *const *args;

static value wrong(const scope *s, const char *name, const char *wants, const value *got, span at)
{
    if (!value_is_error(got))
        diag_error(s->b->diags, "M320", at, "%s() needs %s, not %s", name, wants,
                   value_type_name(eval_env(s), got));
    return value_error();
}

/* Apply an operator to every scalar of a value of any type, records included. */
static value map_scalars(const scope *s, expr_op op, value v, expr before)
{
    const value_env *env = eval_env(s);
    int n = value_count(&v);
    expr one, *list = n == 1 ? &one : arena_array(env->a, expr, n ? n : 1);
    value_scalars(&v, list);
    for (int i = 0; i < n; i++)
        list[i] = before ? expr_2(env->p, op, before, list[i]) : expr_1(env->p, op, list[i]);
    return value_with_scalars(env, &v, list);
}

/* ---- mathematical functions ------------------------------------------------------------------ */

static value call_math_1(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                         span at)
{
    (void)c, (void)n;
    value v = eval_value(s, a[0]);
    if (!value_is_numeric(&v)) return wrong(s, f->name, "a number", &v, at);
    if (f->op != EXPR_ABS && f->op != EXPR_SIGN) v = value_to_real(eval_env(s), v);
    if (f->op == EXPR_SIGN) { // never an event, unlike its class
        v = value_map_1(eval_env(s), EXPR_SIGN, v);
        return eval_env(s)->no_event || value_is_literal(eval_env(s), &v)
                   ? v
                   : map_scalars(s, EXPR_NOEVENT, v, 0);
    }
    return value_map_1(eval_env(s), (expr_op)f->op, v);
}

static value call_math_2(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                         span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    value x = eval_value(s, a[0]), y = eval_value(s, a[1]);
    if (!value_is_numeric(&x)) return wrong(s, f->name, "numbers", &x, at);
    if (!value_is_numeric(&y)) return wrong(s, f->name, "numbers", &y, at);
    if (x.type != y.type || f->op == EXPR_ATAN2) {
        x = value_to_real(env, x);
        y = value_to_real(env, y);
    }
    if (x.n_dims && y.n_dims && !value_same_dims(&x, &y)) {
        diag_error(s->b->diags, "M302", at, "%s() of %s and %s: their sizes do not fit", f->name,
                   value_type_name(env, &x), value_type_name(env, &y));
        return value_error();
    }
    return value_map_2(env, (expr_op)f->op, x, y);
}

/* ---- functions of values alone --------------------------------------------------------------- */

static value call_value(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                        span at)
{
    (void)c;
    const value_builtin *b = value_find_builtin(f->name);
    value few[4], *v = n <= 4 ? few : arena_array(eval_env(s)->a, value, n);
    for (int i = 0; i < n; i++) {
        bool structural = b->structural >> (i < 31 ? i : 31) & 1;
        v[i] = structural ? eval_literal(s, a[i]) : eval_value(s, a[i]);
        if (value_is_error(&v[i])) return value_error();
    }
    if (v[0].type == VALUE_RECORD && !strcmp(f->name, "sum")) return s->b->verbs->sum(s, &v[0], at);
    return b->call(eval_env(s), v, n, at);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static bool in_equation(const scope *s, const char *name, span at)
{
    if (!s->in_function) return true;
    diag_error(s->b->diags, "M350", at, "%s() cannot be used in a function", name);
    return false;
}

/* Expressions that are not variables are differentiated now. */
static value call_der(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                      span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    if (!in_equation(s, "der", at)) return value_error();
    value v = eval_value(s, a[0]);
    if (v.type == VALUE_INTEGER) v = value_to_real(env, v);
    if (v.type != VALUE_REAL && v.type != VALUE_RECORD)
        return wrong(s, f->name, "a Real expression", &v, at);
    int count = value_count(&v);
    expr one[2], *list = count == 1 ? one : arena_array(env->a, expr, 2 * count + 1);
    value_scalars(&v, list);
    const char *why = NULL;
    if (!expr_total_diff(env->p, list, count, env->a, list + count, &why)) {
        diag_error(s->b->diags, "M351", at, "this expression cannot be differentiated: %s",
                   why ? why : "no rule");
        return value_error();
    }
    return value_with_scalars(env, &v, list + count);
}

/* ---- discrete operators ---------------------------------------------------------------------- */

static value call_hybrid(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                         span at)
{
    (void)c, (void)n;
    if (!in_equation(s, f->name, at)) return value_error();
    value v = eval_value(s, a[0]);
    if (value_is_error(&v)) return v;
    if (v.type > VALUE_RECORD || (f->op == EXPR_EDGE && v.type != VALUE_BOOLEAN))
        return wrong(s, f->name, f->op == EXPR_EDGE ? "a Boolean" : "a variable", &v, at);
    if (f->op == EXPR_PRE) return map_scalars(s, EXPR_PRE, v, 0);
    if (v.type > VALUE_ENUM) return wrong(s, f->name, "a variable of a basic type", &v, at);
    return value_map_1(eval_env(s), (expr_op)f->op, v);
}

static value call_no_argument(const scope *s, const eval_builtin *f, const ast_call *c, args a,
                              int n, span at)
{
    (void)c, (void)a, (void)n;
    if (!in_equation(s, f->name, at)) return value_error();
    return value_scalar(eval_env(s), expr_make(s->b->pool, (expr_op)f->op, NULL, 0));
}

static value call_sample(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                         span at)
{
    (void)c;
    if (!in_equation(s, f->name, at)) return value_error();
    expr e[2];
    for (int i = 0; i < 2; i++) {
        value v = i < n ? eval_value(s, a[i]) : value_error();
        if (i >= n || !value_is_numeric(&v) || v.n_dims) {
            if (i < n && value_is_error(&v)) return v;
            diag_error(s->b->diags, "M352", at,
                       "sample(start, interval) needs two numbers; clocks are not supported yet");
            return value_error();
        }
        e[i] = value_to_real(eval_env(s), v).e;
    }
    return value_scalar(eval_env(s), expr_make(s->b->pool, EXPR_SAMPLE, e, 2));
}

static value call_delay(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                        span at)
{
    (void)c;
    const value_env *env = eval_env(s);
    if (!in_equation(s, f->name, at)) return value_error();
    value v = value_to_real(env, eval_value(s, a[0]));
    if (!value_is_numeric(&v)) return wrong(s, f->name, "a number", &v, at);
    expr e[3];
    for (int i = 1; i < n; i++) {
        value t = eval_value(s, a[i]);
        if (!value_is_numeric(&t) || t.n_dims) return wrong(s, f->name, "a time", &t, at);
        e[i] = value_to_real(env, t).e;
    }
    expr *list = arena_array(env->a, expr, v.n ? v.n : 1);
    for (int i = 0; i < v.n; i++) {
        e[0] = value_at(&v)[i];
        list[i] = expr_make(env->p, EXPR_DELAY, e, n);
    }
    return value_with_scalars(env, &v, list);
}

/* ---- hints for the solver -------------------------------------------------------------------- */

static value call_no_event(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                           span at)
{
    (void)f, (void)c, (void)n, (void)at;
    value v = eval_value(s, a[0]);
    return value_is_error(&v) || eval_env(s)->no_event ? v : map_scalars(s, EXPR_NOEVENT, v, 0);
}

static value call_smooth(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                         span at)
{
    (void)c, (void)n;
    value order = eval_literal(s, a[0]), v = eval_value(s, a[1]);
    if (value_is_error(&v)) return v;
    int64_t k;
    if (!value_literal_integer(eval_env(s), &order, &k))
        return wrong(s, f->name, "a constant Integer as order", &order, at);
    return s->in_function ? v : map_scalars(s, EXPR_SMOOTH, v, order.e);
}

/* Combine the scalars of two values of the same shape. */
static value call_homotopy(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                           span at)
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

static value call_semi_linear(const scope *s, const eval_builtin *f, const ast_call *c, args a,
                              int n, span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    value v[3];
    const value *dims = NULL;
    for (int i = 0; i < 3; i++) {
        v[i] = value_to_real(env, eval_value(s, a[i]));
        if (!value_is_numeric(&v[i])) return wrong(s, f->name, "numbers", &v[i], at);
        if (v[i].n_dims && dims && !value_same_dims(dims, &v[i]))
            return wrong(s, f->name, "arguments of one size", &v[i], at);
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

/* ---- the rest -------------------------------------------------------------------------------- */

static value call_connector(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                            span at)
{
    (void)a, (void)n;
    value v;
    if (!in_equation(s, f->name, at)) return value_error();
    return s->b->verbs->connector_call(s, c, at, &v) ? v : value_error();
}

static value call_instance_name(const scope *s, const eval_builtin *f, const ast_call *c, args a,
                                int n, span at)
{
    (void)f, (void)c, (void)a, (void)n, (void)at;
    const value_env *env = eval_env(s);
    sym path = s->b->verbs->instance(s), model = s->b->m->name;
    mem m = value_arena_mem(env->a);
    text t;
    text_init(&t, &m);
    text_printf(&t, "%s%s%s", model ? model : "", *path ? "." : "", path);
    return value_string(env, text_str(&t));
}

/* pure(f(x)) declares that a call of an impure function may be treated as pure. */
static value call_pure(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                       span at)
{
    (void)f, (void)c, (void)n, (void)at;
    return eval_value(s, a[0]);
}

static value call_string(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                         span at)
{
    (void)f, (void)a, (void)n;
    return eval_to_string(s, c, at);
}

static value call_integer(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                          span at)
{
    (void)f, (void)c, (void)n;
    value v = eval_value(s, a[0]);
    return value_is_error(&v) ? v : eval_to_integer(s, v, at);
}

static value call_refused(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                          span at)
{
    (void)c, (void)a, (void)n;
    diag_error(s->b->diags, "M353", at, "%s() is not supported yet", f->name);
    return value_error();
}

static value call_statement(const scope *s, const eval_builtin *f, const ast_call *c, args a, int n,
                            span at)
{
    (void)c, (void)a, (void)n;
    diag_error(s->b->diags, "M354", at,
               "%s() has no value: it stands alone, as an equation or a "
               "statement",
               f->name);
    return value_error();
}

#define MATH_1(name, op)                                                                           \
    {                                                                                              \
        name, 1, 1, NULL, call_math_1, EXPR_##op                                                   \
    }
#define MATH_2(name, op)                                                                           \
    {                                                                                              \
        name, 2, 2, NULL, call_math_2, EXPR_##op                                                   \
    }
#define VALUES(name, least, most)                                                                  \
    {                                                                                              \
        name, least, most, NULL, call_value, 0                                                     \
    }
#define SPECIAL(name, least, most, f)                                                              \
    {                                                                                              \
        name, least, most, NULL, f, 0                                                              \
    }
#define NAMED(name, least, most, names, f)                                                         \
    {                                                                                              \
        name, least, most, names, f, 0                                                             \
    }

static const eval_builtin builtins[] = {
    // sorted by name
    SPECIAL("Integer", 1, 1, call_integer),
    {"String", 0, INT_MAX, "", call_string, 0}, // binds its own arguments
    MATH_1("abs", ABS),
    MATH_1("acos", ACOS),
    SPECIAL("actualStream", 1, 1, call_connector),
    VALUES("array", 1, INT_MAX),
    MATH_1("asin", ASIN),
    {"assert", 0, INT_MAX, "", call_statement, 0},
    MATH_1("atan", ATAN),
    MATH_2("atan2", ATAN2),
    SPECIAL("cardinality", 1, 1, call_connector),
    VALUES("cat", 2, INT_MAX),
    MATH_1("ceil", CEIL),
    {"change", 1, 1, NULL, call_hybrid, EXPR_CHANGE},
    MATH_1("cos", COS),
    MATH_1("cosh", COSH),
    VALUES("cross", 2, 2),
    NAMED("delay", 2, 3, "expr delayTime delayMax", call_delay),
    SPECIAL("der", 1, 1, call_der),
    VALUES("diagonal", 1, 1),
    MATH_2("div", IDIV),
    {"edge", 1, 1, NULL, call_hybrid, EXPR_EDGE},
    MATH_1("exp", EXP),
    VALUES("fill", 2, INT_MAX),
    MATH_1("floor", FLOOR),
    SPECIAL("getInstanceName", 0, 0, call_instance_name),
    NAMED("homotopy", 2, 2, "actual simplified", call_homotopy),
    VALUES("identity", 1, 1),
    SPECIAL("inStream", 1, 1, call_connector),
    {"initial", 0, 0, NULL, call_no_argument, EXPR_INITIAL},
    MATH_1("integer", INT),
    VALUES("linspace", 3, 3),
    MATH_1("log", LOG),
    MATH_1("log10", LOG10),
    VALUES("matrix", 1, 1),
    VALUES("max", 1, 2),
    VALUES("min", 1, 2),
    MATH_2("mod", MOD),
    VALUES("ndims", 1, 1),
    SPECIAL("noEvent", 1, 1, call_no_event),
    VALUES("ones", 1, INT_MAX),
    VALUES("outerProduct", 2, 2),
    {"pre", 1, 1, NULL, call_hybrid, EXPR_PRE},
    VALUES("product", 1, 1),
    VALUES("promote", 2, 2),
    SPECIAL("pure", 1, 1, call_pure),
    {"reinit", 0, INT_MAX, "", call_statement, 0},
    MATH_2("rem", REM),
    NAMED("sample", 1, 2, "start interval", call_sample),
    VALUES("scalar", 1, 1),
    NAMED("semiLinear", 3, 3, "x k1 k2", call_semi_linear),
    MATH_1("sign", SIGN),
    MATH_1("sin", SIN),
    MATH_1("sinh", SINH),
    VALUES("size", 1, 2),
    VALUES("skew", 1, 1),
    NAMED("smooth", 2, 2, "p expr", call_smooth),
    {"spatialDistribution", 0, INT_MAX, "", call_refused, 0},
    MATH_1("sqrt", SQRT),
    VALUES("sum", 1, 1),
    VALUES("symmetric", 1, 1),
    MATH_1("tan", TAN),
    MATH_1("tanh", TANH),
    {"terminal", 0, 0, NULL, call_no_argument, EXPR_TERMINAL},
    {"terminate", 0, INT_MAX, "", call_statement, 0},
    VALUES("transpose", 1, 1),
    VALUES("vector", 1, 1),
    VALUES("zeros", 1, INT_MAX),
};

enum { N_BUILTINS = sizeof builtins / sizeof *builtins };

static int compare(const void *name, const void *entry)
{
    return strcmp(name, ((const eval_builtin *)entry)->name);
}

const eval_builtin *eval_find_builtin(const char *name)
{
    return bsearch(name, builtins, N_BUILTINS, sizeof *builtins, compare);
}

int eval_builtin_names(arena *a, const char *const **names)
{
    const char **list = arena_array(a, const char *, N_BUILTINS);
    for (int i = 0; i < N_BUILTINS; i++) list[i] = builtins[i].name;
    *names = list;
    return N_BUILTINS;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* The place of a name in a list separated by blanks, or -1. */
static int place_of(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (int k = 0; names && *names; k++) {
        size_t len = strcspn(names, " ");
        if (len == n && !memcmp(names, name, n)) return k;
        names += len + (names[len] == ' ');
    }
    return -1;
}

static value argument_count(const scope *s, const eval_builtin *f, int n, span at)
{
    if (f->least == f->most)
        diag_error(s->b->diags, "M355", at, "%s() takes %d argument%s, not %d", f->name, f->least,
                   f->least == 1 ? "" : "s", n);
    else
        diag_error(s->b->diags, "M355", at, "%s() takes %s%d argument%s, not %d", f->name,
                   n < f->least ? "at least " : "at most ", n < f->least ? f->least : f->most,
                   (n < f->least ? f->least : f->most) == 1 ? "" : "s", n);
    return value_error();
}

value eval_call_builtin(const scope *s, const eval_builtin *f, const ast_call *call, span at)
{
    if (f->names && !*f->names) return f->call(s, f, call, NULL, 0, at);
    int n = call->args.n + call->n_named;
    if (n < f->least || n > f->most) return argument_count(s, f, n, at);
    if (!call->n_named) return f->call(s, f, call, (const ast_expr *const *)call->args.at, n, at);
    const ast_expr *bound[8] = {0};
    for (int i = 0; i < call->args.n && i < 8; i++) bound[i] = call->args.at[i];
    for (int i = 0; i < call->n_named; i++) {
        int k = place_of(f->names, call->named[i].name);
        if (k < 0 || k >= n || bound[k]) {
            diag_error(s->b->diags, "M356", call->named[i].at,
                       k < 0 ? "%s() has no argument '%s'"
                             : "%s() is given its argument '%s' twice, or another is missing",
                       f->name, call->named[i].name);
            return value_error();
        }
        bound[k] = call->named[i].value;
    }
    return f->call(s, f, call, bound, n, at);
}
