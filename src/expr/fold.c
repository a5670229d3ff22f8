/* Operators on numbers, for folding literals and for expr_eval.
 *
 * Reals are C doubles, so that a folded expression has the bits of the one computed at run time
 * (x^2 is x*x there and here); Integers are exact in 64 bits. What is not finite or overflows is
 * not folded: the message then comes from the run, with time and place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/elementary.h"
#include "expr/expr_pool.h"

#include <math.h>
#include <string.h>

static double fold_sign(double x)
{
    return (x > 0) - (x < 0);
}

// Modelica 3.6, section 3.7.2: div rounds to zero, mod goes with floor, rem with div.
static double apply_event(expr_op op, const double *x)
{
    switch (op) {
    case EXPR_SIGN: return fold_sign(x[0]);
    case EXPR_IDIV: return trunc(x[0] / x[1]);
    case EXPR_MOD: return x[0] - floor(x[0] / x[1]) * x[1];
    case EXPR_REM: return x[0] - trunc(x[0] / x[1]) * x[1];
    case EXPR_CEIL: return ceil(x[0]);
    default: return floor(x[0]); // FLOOR, INT
    }
}

bool expr_apply(expr_op op, const double *x, int n, double *result)
{
    (void)n;
    double r;
    switch (op) {
    case EXPR_NEG: r = -x[0]; break;
    case EXPR_ADD: r = x[0] + x[1]; break;
    case EXPR_SUB: r = x[0] - x[1]; break;
    case EXPR_MUL: r = x[0] * x[1]; break;
    case EXPR_DIV: r = x[0] / x[1]; break;
    case EXPR_POW: r = x[1] == 2 ? x[0] * x[0] : elementary_pow(x[0], x[1]); break;
    case EXPR_LT: r = x[0] < x[1]; break;
    case EXPR_LE: r = x[0] <= x[1]; break;
    case EXPR_GT: r = x[0] > x[1]; break;
    case EXPR_GE: r = x[0] >= x[1]; break;
    case EXPR_EQ: r = x[0] == x[1]; break;
    case EXPR_NE: r = x[0] != x[1]; break;
    case EXPR_NOT: r = x[0] == 0; break;
    case EXPR_AND: r = x[0] != 0 && x[1] != 0; break;
    case EXPR_OR: r = x[0] != 0 || x[1] != 0; break;
    case EXPR_IF: r = x[0] != 0 ? x[1] : x[2]; break;
    case EXPR_SIN: r = elementary_sin(x[0]); break;
    case EXPR_COS: r = elementary_cos(x[0]); break;
    case EXPR_TAN: r = tan(x[0]); break;
    case EXPR_ASIN: r = asin(x[0]); break;
    case EXPR_ACOS: r = acos(x[0]); break;
    case EXPR_ATAN: r = atan(x[0]); break;
    case EXPR_ATAN2: r = atan2(x[0], x[1]); break;
    case EXPR_SINH: r = sinh(x[0]); break;
    case EXPR_COSH: r = cosh(x[0]); break;
    case EXPR_TANH: r = elementary_tanh(x[0]); break;
    case EXPR_EXP: r = elementary_exp(x[0]); break;
    case EXPR_LOG: r = elementary_log(x[0]); break;
    case EXPR_LOG10: r = elementary_log10(x[0]); break;
    case EXPR_SQRT: r = sqrt(x[0]); break;
    case EXPR_ABS: r = fabs(x[0]); break;
    case EXPR_MIN: r = x[1] < x[0] ? x[1] : x[0]; break;
    case EXPR_MAX: r = x[1] > x[0] ? x[1] : x[0]; break;
    case EXPR_SIGN:
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM:
    case EXPR_CEIL:
    case EXPR_FLOOR:
    case EXPR_INT: r = apply_event(op, x); break;
    case EXPR_NOEVENT:
    case EXPR_HOMOTOPY: r = x[0]; break;
    case EXPR_SMOOTH: r = x[1]; break;
    case EXPR_SEMILINEAR: r = x[0] >= 0 ? x[1] * x[0] : x[2] * x[0]; break;
    default: return false;
    }
    *result = r;
    return true;
}

static double tangent_power(const double *x, const double *dx, double f)
{
    double d = 0;
    if (dx[0] != 0) d = x[1] == 2 ? 2 * x[0] * dx[0] : x[1] * pow(x[0], x[1] - 1) * dx[0];
    if (dx[1] != 0 && f != 0) d += f * log(x[0]) * dx[1];
    return d;
}

double expr_apply_tangent(expr_op op, const double *x, const double *dx, double f)
{
    switch (op) {
    case EXPR_NEG: return -dx[0];
    case EXPR_ADD: return dx[0] + dx[1];
    case EXPR_SUB: return dx[0] - dx[1];
    case EXPR_MUL: return dx[0] * x[1] + x[0] * dx[1];
    case EXPR_DIV: return (dx[0] - f * dx[1]) / x[1];
    case EXPR_POW: return tangent_power(x, dx, f);
    case EXPR_IF: return x[0] != 0 ? dx[1] : dx[2];
    case EXPR_SIN: return dx[0] == 0 ? 0 : cos(x[0]) * dx[0];
    case EXPR_COS: return dx[0] == 0 ? 0 : -sin(x[0]) * dx[0];
    case EXPR_TAN: return (1 + f * f) * dx[0];
    case EXPR_ASIN: return dx[0] == 0 ? 0 : dx[0] / sqrt((1 - x[0]) * (1 + x[0]));
    case EXPR_ACOS: return dx[0] == 0 ? 0 : -dx[0] / sqrt((1 - x[0]) * (1 + x[0]));
    case EXPR_ATAN: return dx[0] / (1 + x[0] * x[0]);
    case EXPR_ATAN2: return (x[1] * dx[0] - x[0] * dx[1]) / (x[0] * x[0] + x[1] * x[1]);
    case EXPR_SINH: return dx[0] == 0 ? 0 : cosh(x[0]) * dx[0];
    case EXPR_COSH: return dx[0] == 0 ? 0 : sinh(x[0]) * dx[0];
    case EXPR_TANH: return (1 - f * f) * dx[0];
    case EXPR_EXP: return f * dx[0];
    case EXPR_LOG: return dx[0] == 0 ? 0 : dx[0] / x[0];
    case EXPR_LOG10: return dx[0] == 0 ? 0 : dx[0] / (x[0] * log(10));
    case EXPR_SQRT: return dx[0] == 0 ? 0 : dx[0] / (2 * f);
    case EXPR_ABS: return x[0] < 0 ? -dx[0] : dx[0];
    case EXPR_MIN: return x[1] < x[0] ? dx[1] : dx[0];
    case EXPR_MAX: return x[1] > x[0] ? dx[1] : dx[0];
    case EXPR_MOD: return dx[0] - floor(x[0] / x[1]) * dx[1];
    case EXPR_REM: return dx[0] - trunc(x[0] / x[1]) * dx[1];
    case EXPR_NOEVENT:
    case EXPR_HOMOTOPY: return dx[0];
    case EXPR_SMOOTH: return dx[1];
    case EXPR_SEMILINEAR:
        return x[0] >= 0 ? x[1] * dx[0] + x[0] * dx[1] : x[2] * dx[0] + x[0] * dx[2];
    default: return 0;
    }
}

// Exact Integer arithmetic; false on overflow, division by zero and for other operators.
static bool apply_integer(expr_op op, int64_t a, int64_t b, int64_t *r)
{
    switch (op) {
    case EXPR_NEG: return !__builtin_sub_overflow((int64_t)0, a, r);
    case EXPR_ADD: return !__builtin_add_overflow(a, b, r);
    case EXPR_SUB: return !__builtin_sub_overflow(a, b, r);
    case EXPR_MUL: return !__builtin_mul_overflow(a, b, r);
    case EXPR_ABS: return a < 0 ? !__builtin_sub_overflow((int64_t)0, a, r) : (*r = a, true);
    case EXPR_MIN: *r = a < b ? a : b; return true;
    case EXPR_MAX: *r = a > b ? a : b; return true;
    case EXPR_SIGN: *r = (a > 0) - (a < 0); return true;
    case EXPR_INT: *r = a; return true;
    case EXPR_LT: *r = a < b; return true;
    case EXPR_LE: *r = a <= b; return true;
    case EXPR_GT: *r = a > b; return true;
    case EXPR_GE: *r = a >= b; return true;
    case EXPR_EQ: *r = a == b; return true;
    case EXPR_NE: *r = a != b; return true;
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM:
        if (b == 0 || b == -1) return false; // INT64_MIN / -1 overflows; doubles do the rest
        *r = op == EXPR_IDIV ? a / b : a % b;
        if (op == EXPR_MOD && *r && (*r < 0) != (b < 0)) *r += b;
        return true;
    default: return false;
    }
}

static expr fold_strings(expr_pool *p, expr_op op, const char *a, const char *b)
{
    if (op == EXPR_ADD) {
        if (!p->syms) return 0;
        size_t na = strlen(a), nb = strlen(b);
        char *s = arena_alloc(p->a, na + nb + 1);
        memcpy(s, a, na);
        memcpy(s + na, b, nb);
        return expr_string(p, sym_of_n(p->syms, s, na + nb));
    }
    double x[2] = {strcmp(a, b), 0}, r;
    if (expr_op_class(op) != CLASS_REL || !expr_apply(op, x, 2, &r)) return 0;
    return expr_boolean(p, r != 0);
}

expr expr_fold(expr_pool *p, expr_op op, expr_type type, int enum_id, const expr *args, int n)
{
    static const double exact = 9007199254740992.0; // 2^53: Integers beyond are not all doubles
    double x[3], r;
    bool integers = true, strings = true;
    if (n < 1 || n > 3) return 0;
    for (int i = 0; i < n; i++) {
        if (!expr_is_literal(p, args[i])) return 0;
        expr_op o = expr_op_of(p, args[i]);
        integers = integers && (o == EXPR_INTEGER || o == EXPR_BOOLEAN || o == EXPR_ENUM);
        strings = strings && o == EXPR_STRING;
    }
    if (strings && n == 2)
        return fold_strings(p, op, expr_at(p, args[0])->u.string, expr_at(p, args[1])->u.string);
    if (integers && n <= 2) {
        int64_t a = expr_at(p, args[0])->u.integer, b = expr_at(p, args[n - 1])->u.integer, c;
        if (apply_integer(op, a, b, &c)) switch (type) {
            case TYPE_INTEGER: return expr_integer(p, c);
            case TYPE_BOOLEAN: return expr_boolean(p, c != 0);
            case TYPE_ENUM: return expr_enum(p, enum_id, c);
            default: break;
            }
    }
    for (int i = 0; i < n; i++)
        if (!expr_number(p, args[i], &x[i])) return 0;
    if (!expr_apply(op, x, n, &r) || !isfinite(r)) return 0;
    if (type == TYPE_INTEGER && fabs(r) > exact) return 0;
    return expr_literal(p, type, enum_id, r);
}
