/* Operators on numbers. Reals are C doubles; x^2 is x*x, here and on tapes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/operators.h"

#include "base/elementary.h"

#include <math.h>

static const struct {
    uint8_t class;
    const char *name;
} ops[] = {
#define X(op, arity, text, class) [EXPR_##op] = {CLASS_##class, text},
    EXPR_OPS(X)
#undef X
};

const char *operator_name(expr_op op)
{
    return ops[op].name;
}

expr_class operator_class(expr_op op)
{
    return (expr_class)ops[op].class;
}

int operator_arity(expr_op op)
{
    return operator_arities[op];
}

const int8_t operator_arities[] = {
#define X(op, arity, text, class) [EXPR_##op] = arity,
    EXPR_OPS(X)
#undef X
};

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

bool operator_apply(expr_op op, const double *x, int n, double *result)
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

double operator_tangent(expr_op op, const double *x, const double *dx, double f)
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
