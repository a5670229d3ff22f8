/* The rules of differentiation, one node at a time.
 *
 * Functions that switch without an event (abs, min, max) get conditions inside noEvent. Functions
 * with steps have derivative 0 between events and are kept out by the caller, with everything
 * Boolean.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <math.h>

static expr expr_square(expr_pool *p, expr a)
{
    return expr_2(p, EXPR_POW, a, p->two);
}

static expr diff_mul(expr_pool *p, expr a, expr b, expr da, expr db)
{
    return expr_add(p, expr_mul(p, da, b), expr_mul(p, a, db));
}

static expr diff_div(expr_pool *p, expr e, expr b, expr da, expr db)
{
    return expr_div(p, expr_sub(p, da, expr_mul(p, e, db)), b);
}

// d(a^b) = b a^(b-1) da + a^b log(a) db; the second term only where the exponent moves.
static expr diff_pow(expr_pool *p, expr e, expr a, expr b, expr da, expr db)
{
    expr d = p->zero;
    if (da != p->zero) {
        expr slope = expr_mul(p, b, expr_2(p, EXPR_POW, a, expr_sub(p, b, p->one)));
        d = expr_mul(p, slope, da);
    }
    if (db != p->zero) d = expr_add(p, d, expr_mul(p, expr_mul(p, e, expr_1(p, EXPR_LOG, a)), db));
    return d;
}

static expr diff_atan2(expr_pool *p, expr y, expr x, expr dy, expr dx)
{
    expr up = expr_sub(p, expr_mul(p, x, dy), expr_mul(p, y, dx));
    return expr_div(p, up, expr_add(p, expr_square(p, x), expr_square(p, y)));
}

static expr quiet_if(expr_pool *p, expr_op rel, expr a, expr b, expr then, expr otherwise)
{
    expr c = expr_1(p, EXPR_NOEVENT, expr_2(p, rel, a, b));
    return expr_3(p, EXPR_IF, c, then, otherwise);
}

// x - quotient*y, whose quotient is constant between events.
static expr diff_remainder(expr_pool *p, expr_op op, expr x, expr y, expr dx, expr dy)
{
    if (dy == p->zero) return dx;
    expr q = op == EXPR_MOD ? expr_1(p, EXPR_FLOOR, expr_div(p, x, y)) : expr_2(p, EXPR_IDIV, x, y);
    return expr_sub(p, dx, expr_mul(p, expr_1(p, EXPR_NOEVENT, q), dy));
}

static expr diff_semilinear(expr_pool *p, const expr *x, const expr *d)
{
    return expr_3(p, EXPR_IF, expr_2(p, EXPR_GE, x[0], p->zero),
                  diff_mul(p, x[1], x[0], d[1], d[0]), diff_mul(p, x[2], x[0], d[2], d[0]));
}

// smooth(k, e) has k continuous derivatives: one less for its derivative, none left at 0.
static expr diff_smooth(expr_pool *p, expr order, expr d)
{
    const expr_node *n = expr_at(p, order);
    if (n->op != EXPR_INTEGER || n->u.integer < 1) return d;
    return expr_2(p, EXPR_SMOOTH, expr_integer(p, n->u.integer - 1), d);
}

// Derivative of an elementary function e = f(a), times da.
static expr diff_math(expr_pool *p, expr_op op, expr e, expr a, expr da)
{
    expr one = p->one;
    switch (op) {
    case EXPR_SIN: return expr_mul(p, expr_1(p, EXPR_COS, a), da);
    case EXPR_COS: return expr_mul(p, expr_neg(p, expr_1(p, EXPR_SIN, a)), da);
    case EXPR_TAN: return expr_mul(p, expr_add(p, one, expr_square(p, e)), da);
    case EXPR_ASIN:
        return expr_div(p, da, expr_1(p, EXPR_SQRT, expr_sub(p, one, expr_square(p, a))));
    case EXPR_ACOS:
        return expr_neg(p,
                        expr_div(p, da, expr_1(p, EXPR_SQRT, expr_sub(p, one, expr_square(p, a)))));
    case EXPR_ATAN: return expr_div(p, da, expr_add(p, one, expr_square(p, a)));
    case EXPR_SINH: return expr_mul(p, expr_1(p, EXPR_COSH, a), da);
    case EXPR_COSH: return expr_mul(p, expr_1(p, EXPR_SINH, a), da);
    case EXPR_TANH: return expr_mul(p, expr_sub(p, one, expr_square(p, e)), da);
    case EXPR_EXP: return expr_mul(p, e, da);
    case EXPR_LOG: return expr_div(p, da, a);
    case EXPR_LOG10: return expr_div(p, da, expr_mul(p, expr_real(p, log(10.0)), a));
    case EXPR_SQRT: return expr_div(p, da, expr_mul(p, p->two, e));
    default: return quiet_if(p, EXPR_GE, a, p->zero, da, expr_neg(p, da)); // ABS
    }
}

expr expr_diff_rule(expr_pool *p, expr e, const expr *d)
{
    expr_node n = *expr_at(p, e);
    const expr *x = n.u.arg;
    switch (n.op) {
    case EXPR_NEG: return expr_neg(p, d[0]);
    case EXPR_ADD: return expr_add(p, d[0], d[1]);
    case EXPR_SUB: return expr_sub(p, d[0], d[1]);
    case EXPR_MUL: return diff_mul(p, x[0], x[1], d[0], d[1]);
    case EXPR_DIV: return diff_div(p, e, x[1], d[0], d[1]);
    case EXPR_POW: return diff_pow(p, e, x[0], x[1], d[0], d[1]);
    case EXPR_IF: return expr_3(p, EXPR_IF, x[0], d[1], d[2]);
    case EXPR_ATAN2: return diff_atan2(p, x[0], x[1], d[0], d[1]);
    case EXPR_MIN: return quiet_if(p, EXPR_LE, x[0], x[1], d[0], d[1]);
    case EXPR_MAX: return quiet_if(p, EXPR_GE, x[0], x[1], d[0], d[1]);
    case EXPR_MOD:
    case EXPR_REM: return diff_remainder(p, (expr_op)n.op, x[0], x[1], d[0], d[1]);
    case EXPR_NOEVENT: return expr_1(p, EXPR_NOEVENT, d[0]);
    case EXPR_SMOOTH: return diff_smooth(p, x[0], d[1]);
    case EXPR_HOMOTOPY: return expr_2(p, EXPR_HOMOTOPY, d[0], d[1]);
    case EXPR_SEMILINEAR: return diff_semilinear(p, x, d);
    default: return diff_math(p, (expr_op)n.op, e, x[0], d[0]);
    }
}
