/* Functions of numbers: one node per element; scalars are spread over arrays.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include <string.h>

static value math_1(const scope *s, const eval_builtin *f, const ast_call *c,
                    const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    value v = eval_value(s, a[0]);
    if (!value_is_numeric(&v)) return builtin_wrong(s, f->name, "a number", &v, at);
    if (f->result != RESULT_AS_ARGUMENTS) v = value_to_real(eval_env(s), v);
    return value_map_1(eval_env(s), f->op, v);
}

static value math_2(const scope *s, const eval_builtin *f, const ast_call *c,
                    const ast_expr *const *a, int n, span at)
{
    (void)c, (void)n;
    const value_env *env = eval_env(s);
    value x = eval_value(s, a[0]), y = eval_value(s, a[1]);
    if (!value_is_numeric(&x)) return builtin_wrong(s, f->name, "numbers", &x, at);
    if (!value_is_numeric(&y)) return builtin_wrong(s, f->name, "numbers", &y, at);
    if (x.type != y.type || f->result != RESULT_AS_ARGUMENTS) {
        x = value_to_real(env, x);
        y = value_to_real(env, y);
    }
    if (x.n_dims && y.n_dims && !value_same_dims(&x, &y)) {
        diag_error(s->b->diags, "M302", at, "%s() of %s and %s: their sizes do not fit", f->name,
                   value_type_name(env, &x), value_type_name(env, &y));
        return value_error();
    }
    return value_map_2(env, f->op, x, y);
}

static const eval_builtin math_functions[] = {
    // sorted by name
    {"abs", "v", RESULT_AS_ARGUMENTS, 0, "3.7.1.1", "abs(-3) == 3", EXPR_ABS, .call = math_1},
    {"acos", "u", RESULT_REAL, 0, "3.7.3", "abs(acos(1)) < 1e-15", EXPR_ACOS, .call = math_1},
    {"asin", "u", RESULT_REAL, 0, "3.7.3", "abs(asin(0)) < 1e-15", EXPR_ASIN, .call = math_1},
    {"atan", "u", RESULT_REAL, 0, "3.7.3", "abs(4*atan(1) - 3.14159265358979) < 1e-14", EXPR_ATAN,
     .call = math_1},
    {"atan2", "u1 u2", RESULT_REAL, 0, "3.7.3", "abs(atan2(1, 0) - asin(1)) < 1e-15", EXPR_ATAN2,
     .call = math_2},
    {"ceil", "x", RESULT_REAL, 0, "3.7.2", "abs(ceil(-1.5) + 1) < 1e-15", EXPR_CEIL,
     .call = math_1},
    {"cos", "u", RESULT_REAL, 0, "3.7.3", "abs(cos(0) - 1) < 1e-15", EXPR_COS, .call = math_1},
    {"cosh", "u", RESULT_REAL, 0, "3.7.3", "abs(cosh(0) - 1) < 1e-15", EXPR_COSH, .call = math_1},
    {"div", "x y", RESULT_AS_ARGUMENTS, 0, "3.7.2", "div(-7, 2) == -3", EXPR_IDIV, .call = math_2},
    {"exp", "u", RESULT_REAL, 0, "3.7.3", "abs(exp(0) - 1) < 1e-15", EXPR_EXP, .call = math_1},
    {"floor", "x", RESULT_REAL, 0, "3.7.2", "abs(floor(-1.5) + 2) < 1e-15", EXPR_FLOOR,
     .call = math_1},
    {"integer", "x", RESULT_INTEGER, 0, "3.7.2", "integer(-1.5) == -2", EXPR_INT, .call = math_1},
    {"log", "u", RESULT_REAL, 0, "3.7.3", "abs(log(exp(2)) - 2) < 1e-15", EXPR_LOG, .call = math_1},
    {"log10", "u", RESULT_REAL, 0, "3.7.3", "abs(log10(1000) - 3) < 1e-15", EXPR_LOG10,
     .call = math_1},
    {"mod", "x y", RESULT_AS_ARGUMENTS, 0, "3.7.2", "mod(-7, 3) == 2", EXPR_MOD, .call = math_2},
    {"rem", "x y", RESULT_AS_ARGUMENTS, 0, "3.7.2", "rem(-7, 3) == -1", EXPR_REM, .call = math_2},
    {"sign", "v", RESULT_INTEGER, 0, "3.7.1.1", "sign(-3.5) == -1", EXPR_SIGN, .call = math_1},
    {"sin", "u", RESULT_REAL, 0, "3.7.3", "abs(sin(asin(1)) - 1) < 1e-15", EXPR_SIN,
     .call = math_1},
    {"sinh", "u", RESULT_REAL, 0, "3.7.3", "abs(sinh(0)) < 1e-15", EXPR_SINH, .call = math_1},
    {"sqrt", "x", RESULT_REAL, 0, "3.7.1.1", "abs(sqrt(9) - 3) < 1e-15", EXPR_SQRT, .call = math_1},
    {"tan", "u", RESULT_REAL, 0, "3.7.3", "abs(tan(atan(2)) - 2) < 1e-15", EXPR_TAN,
     .call = math_1},
    {"tanh", "u", RESULT_REAL, 0, "3.7.3", "abs(tanh(0)) < 1e-15", EXPR_TANH, .call = math_1},
};

const eval_family eval_math_functions = {math_functions,
                                         sizeof math_functions / sizeof *math_functions};

bool eval_is_plain(const eval_builtin *f, int n)
{
    const eval_family *math = &eval_math_functions;
    if (f >= math->at && f < math->at + math->n) return n == 1 + (strchr(f->args, ' ') != NULL);
    return n == 2 && (!strcmp(f->name, "min") || !strcmp(f->name, "max"));
}

value eval_plain_call(const value_env *env, const eval_builtin *f, value *v, int n, span at)
{
    if (!f->call) return f->values(env, v, n, at);
    bool real = f->result != RESULT_AS_ARGUMENTS || (n == 2 && v[0].type != v[1].type);
    for (int k = 0; k < n && real; k++) v[k] = value_to_real(env, v[k]);
    return n == 1 ? value_map_1(env, f->op, v[0]) : value_map_2(env, f->op, v[0], v[1]);
}
