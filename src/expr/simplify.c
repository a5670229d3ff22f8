/* Making a node: its type, literals folded, and local rules.
 *
 * Every rule looks at the node and its arguments only and keeps the value for finite arguments, to
 * the last bit but for the sign of zero: nothing is reassociated, and a sign is moved only where
 * rounding is symmetric. Signs move out of products and into differences, so that terms that cancel
 * meet as equal nodes. A rule answers 0 when it has nothing to say.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <assert.h>
#include <math.h>

// ---- types -------------------------------------------------------------------------------------

static expr_type simplify_common(const expr_pool *p, const expr *args, int from, int n,
                                 int *enum_id)
{
    expr_type t = expr_type_of(p, args[from]);
    *enum_id = expr_at(p, args[from])->enum_id;
    for (int i = from + 1; i < n; i++)
        if (expr_type_of(p, args[i]) == TYPE_REAL) t = TYPE_REAL;
    if (t < TYPE_ENUM) *enum_id = 0;
    return t;
}

static expr_type type_of(const expr_pool *p, expr_op op, const expr *args, int n, int *enum_id)
{
    *enum_id = 0;
    switch (op) {
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_ABS:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM:
    case EXPR_PRE:
    case EXPR_NOEVENT:
    case EXPR_HOMOTOPY: return simplify_common(p, args, 0, n, enum_id);
    case EXPR_IF: return simplify_common(p, args, 1, 3, enum_id);
    case EXPR_SMOOTH: return simplify_common(p, args, 1, 2, enum_id);
    case EXPR_SAMPLED:
    case EXPR_HOLD:
    case EXPR_PREVIOUS:
    case EXPR_SUBSAMPLE:
    case EXPR_SUPERSAMPLE:
    case EXPR_SHIFTSAMPLE:
    case EXPR_BACKSAMPLE:
    case EXPR_NOCLOCK:
    case EXPR_DELAY: return simplify_common(p, args, 0, 1, enum_id);
    case EXPR_TRANSPORT: return TYPE_REAL;
    case EXPR_CLOCK: return TYPE_CLOCK;
    case EXPR_TICKSINSTATE:
    case EXPR_SIGN:
    case EXPR_INT: return TYPE_INTEGER;
    case EXPR_EDGE:
    case EXPR_CHANGE:
    case EXPR_INITIAL:
    case EXPR_TERMINAL:
    case EXPR_FIRSTTICK:
    case EXPR_ACTIVESTATE:
    case EXPR_SAMPLE: return TYPE_BOOLEAN;
    case EXPR_TOSTRING: return TYPE_STRING;
    default:
        return operator_class(op) == CLASS_REL || operator_class(op) == CLASS_LOGIC ? TYPE_BOOLEAN
                                                                                    : TYPE_REAL;
    }
}

// Which arguments must be Real when the operator works on Reals: bit i for argument i.
static unsigned real_args(const expr_pool *p, expr_op op, expr_type type, const expr *args)
{
    switch (op) {
    case EXPR_IF: return type == TYPE_REAL ? 6 : 0;
    case EXPR_SMOOTH: return type == TYPE_REAL ? 2 : 0;
    case EXPR_DER:
    case EXPR_PRE:
    case EXPR_INT:
    case EXPR_SIGN: return 0;
    case EXPR_CLOCK:
    case EXPR_SAMPLED:
    case EXPR_HOLD:
    case EXPR_PREVIOUS:
    case EXPR_INTERVAL:
    case EXPR_SUBSAMPLE:
    case EXPR_SUPERSAMPLE:
    case EXPR_SHIFTSAMPLE:
    case EXPR_BACKSAMPLE:
    case EXPR_TRANSPORT:
    case EXPR_NOCLOCK: return 0;
    case EXPR_SAMPLE:
    case EXPR_DELAY: return 7;
    default: break;
    }
    if (operator_class(op) == CLASS_REL)
        return expr_type_of(p, args[0]) == TYPE_REAL || expr_type_of(p, args[1]) == TYPE_REAL ? 3
                                                                                              : 0;
    return type == TYPE_REAL ? 7 : 0;
}

// ---- signs -------------------------------------------------------------------------------------

static bool negative_literal(const expr_pool *p, expr e)
{
    const expr_node *n = expr_at(p, e);
    return (n->op == EXPR_REAL && n->u.real < 0) ||
           (n->op == EXPR_INTEGER && n->u.integer < 0 && n->u.integer != INT64_MIN);
}

// Is -e as simple as e? -x, -2, -2*x, -2/x.
static bool simplify_negative(const expr_pool *p, expr e)
{
    const expr_node *n = expr_at(p, e);
    switch (n->op) {
    case EXPR_NEG: return true;
    case EXPR_MUL: // literals that overflow together stay as they are
        return negative_literal(p, n->u.arg[0])
                   ? !expr_is_literal(p, n->u.arg[1])
                   : negative_literal(p, n->u.arg[1]) && !expr_is_literal(p, n->u.arg[0]);
    case EXPR_DIV: return negative_literal(p, n->u.arg[0]);
    default: return negative_literal(p, e);
    }
}

/* A literal whose negative is one: of what is no number, or infinite, that is an operation, and would be taken for
 * a sign to be moved again. */
static bool signed_literal(const expr_pool *p, expr e)
{
    double x;
    if (expr_at(p, e)->op == EXPR_REAL) return expr_number(p, e, &x) && isfinite(x);
    return negative_literal(p, e) ||
           (expr_at(p, e)->op == EXPR_INTEGER && expr_at(p, e)->u.integer >= 0);
}

static expr simplify_neg(expr_pool *p, expr a)
{
    expr_node n = *expr_at(p, a);
    switch (n.op) {
    case EXPR_NEG: return n.u.arg[0];
    case EXPR_SUB: return expr_sub(p, n.u.arg[1], n.u.arg[0]);
    case EXPR_MUL:
        if (signed_literal(p, n.u.arg[0])) return expr_mul(p, expr_neg(p, n.u.arg[0]), n.u.arg[1]);
        if (signed_literal(p, n.u.arg[1])) return expr_mul(p, n.u.arg[0], expr_neg(p, n.u.arg[1]));
        return 0;
    case EXPR_DIV:
        if (signed_literal(p, n.u.arg[0])) return expr_div(p, expr_neg(p, n.u.arg[0]), n.u.arg[1]);
        return 0;
    default: return 0;
    }
}

// ---- arithmetic --------------------------------------------------------------------------------

// a, where the result has the type `type`: an Integer variable is not a Real expression.
static expr simplify_keep(const expr_pool *p, expr a, expr_type type)
{
    return expr_type_of(p, a) == type ? a : 0;
}

static expr zero_of(expr_pool *p, expr_type type)
{
    return type == TYPE_INTEGER ? expr_integer(p, 0) : p->zero;
}

static expr simplify_add(expr_pool *p, expr a, expr b, expr_type type)
{
    if (type == TYPE_STRING) return 0;
    if (expr_is_number(p, b, 0)) return simplify_keep(p, a, type);
    if (expr_is_number(p, a, 0)) return simplify_keep(p, b, type);
    if (simplify_negative(p, b)) return expr_sub(p, a, expr_neg(p, b));
    if (simplify_negative(p, a)) return expr_sub(p, b, expr_neg(p, a));
    if (a == b) return expr_mul(p, type == TYPE_INTEGER ? expr_integer(p, 2) : p->two, a);
    return 0;
}

static expr simplify_sub(expr_pool *p, expr a, expr b, expr_type type)
{
    if (expr_is_number(p, b, 0)) return simplify_keep(p, a, type);
    if (a == b) return zero_of(p, type);
    if (expr_is_number(p, a, 0)) return simplify_keep(p, expr_neg(p, b), type);
    if (simplify_negative(p, b)) return expr_add(p, a, expr_neg(p, b));
    return 0;
}

static expr simplify_mul(expr_pool *p, expr a, expr b, expr_type type)
{
    if (expr_is_number(p, a, 0) || expr_is_number(p, b, 0)) return zero_of(p, type);
    if (expr_is_number(p, a, 1)) return simplify_keep(p, b, type);
    if (expr_is_number(p, b, 1)) return simplify_keep(p, a, type);
    if (expr_is_number(p, a, -1)) return simplify_keep(p, expr_neg(p, b), type);
    if (expr_is_number(p, b, -1)) return simplify_keep(p, expr_neg(p, a), type);
    expr_node na = *expr_at(p, a), nb = *expr_at(p, b);
    if (na.op == EXPR_NEG) return expr_neg(p, expr_mul(p, na.u.arg[0], b));
    if (nb.op == EXPR_NEG) return expr_neg(p, expr_mul(p, a, nb.u.arg[0]));
    if (a == b && type == TYPE_REAL) return expr_2(p, EXPR_POW, a, p->two);
    return 0;
}

static expr simplify_div(expr_pool *p, expr a, expr b)
{
    if (expr_is_number(p, b, 0)) return 0;
    if (expr_is_number(p, a, 0)) return p->zero;
    if (expr_is_number(p, b, 1)) return simplify_keep(p, a, TYPE_REAL);
    if (expr_is_number(p, b, -1)) return simplify_keep(p, expr_neg(p, a), TYPE_REAL);
    expr_node na = *expr_at(p, a), nb = *expr_at(p, b);
    if (na.op == EXPR_NEG) return expr_neg(p, expr_div(p, na.u.arg[0], b));
    if (nb.op == EXPR_NEG) return expr_neg(p, expr_div(p, a, nb.u.arg[0]));
    return 0;
}

static expr simplify_pow(expr_pool *p, expr a, expr b)
{
    if (expr_is_number(p, b, 0) || expr_is_number(p, a, 1)) return p->one;
    if (expr_is_number(p, b, 1)) return simplify_keep(p, a, TYPE_REAL);
    expr_node na = *expr_at(p, a);
    if (expr_is_number(p, b, 2) && (na.op == EXPR_NEG || na.op == EXPR_ABS))
        return expr_2(p, EXPR_POW, na.u.arg[0], b);
    return 0;
}

static expr simplify_arith(expr_pool *p, expr_op op, expr_type type, const expr *x)
{
    switch (op) {
    case EXPR_NEG: return simplify_neg(p, x[0]);
    case EXPR_ADD: return simplify_add(p, x[0], x[1], type);
    case EXPR_SUB: return simplify_sub(p, x[0], x[1], type);
    case EXPR_MUL: return simplify_mul(p, x[0], x[1], type);
    case EXPR_DIV: return simplify_div(p, x[0], x[1]);
    default: return simplify_pow(p, x[0], x[1]);
    }
}

// ---- the rest ----------------------------------------------------------------------------------

static expr simplify_logic(expr_pool *p, expr_op op, expr a, expr b)
{
    if (op == EXPR_NOT) return expr_op_of(p, a) == EXPR_NOT ? expr_at(p, a)->u.arg[0] : 0;
    expr neutral = op == EXPR_AND ? p->yes : p->no, absorbing = op == EXPR_AND ? p->no : p->yes;
    if (a == absorbing || b == absorbing) return absorbing;
    if (a == neutral || a == b) return b;
    if (b == neutral) return a;
    return 0;
}

static expr simplify_if(expr_pool *p, expr c, expr a, expr b)
{
    if (c == p->yes || a == b) return a;
    if (c == p->no) return b;
    if (a == p->yes && b == p->no) return c;
    return 0;
}

static expr simplify_der(expr_pool *p, expr a)
{
    expr_node n = *expr_at(p, a);
    if (expr_is_literal(p, a) && n.op != EXPR_STRING) return p->zero;
    if (n.op == EXPR_TIME) return p->one;
    if (n.op != EXPR_VAR || n.u.var.order >= EXPR_MAX_ORDER) return 0;
    if (expr_var_is_constant(p, a)) return p->zero;
    return expr_var(p, n.u.var.index, n.u.var.order + 1, TYPE_REAL, 0);
}

static bool simplify_is_leaf(const expr_pool *p, expr e)
{
    return operator_class(expr_op_of(p, e)) == CLASS_LEAF;
}

/* Of -x, so that x = -y stays an alias in pre(x), and of a[i] with an i of run time, where the choice
 * is of now and what is chosen of before. */
static expr simplify_pre(expr_pool *p, expr a)
{
    expr_node n = *expr_at(p, a);
    if (expr_is_literal(p, a) || expr_var_is_constant(p, a)) return a;
    if (n.op == EXPR_NEG || n.op == EXPR_NOT)
        return expr_1(p, (expr_op)n.op, expr_1(p, EXPR_PRE, n.u.arg[0]));
    if (n.op != EXPR_IF) return 0;
    return expr_3(p, EXPR_IF, n.u.arg[0], expr_1(p, EXPR_PRE, n.u.arg[1]),
                  expr_1(p, EXPR_PRE, n.u.arg[2]));
}

static expr simplify_other(expr_pool *p, expr_op op, const expr *x, int n)
{
    expr a = x[0];
    expr_op inner = expr_op_of(p, a);
    switch (op) {
    case EXPR_IF: return simplify_if(p, a, x[1], x[2]);
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_HOMOTOPY: return a == x[1] ? a : 0;
    case EXPR_ABS:
        if (inner == EXPR_ABS) return a;
        return inner == EXPR_NEG ? expr_1(p, EXPR_ABS, expr_at(p, a)->u.arg[0]) : 0;
    case EXPR_DER: return simplify_der(p, a);
    case EXPR_PRE: return simplify_pre(p, a);
    case EXPR_EDGE:
    case EXPR_CHANGE: return expr_is_literal(p, a) || expr_var_is_constant(p, a) ? p->no : 0;
    case EXPR_NOEVENT: return simplify_is_leaf(p, a) || inner == EXPR_NOEVENT ? a : 0;
    case EXPR_SMOOTH: return simplify_is_leaf(p, x[1]) ? x[1] : 0;
    case EXPR_SEMILINEAR:
        if (expr_is_number(p, a, 0)) return p->zero;
        return x[1] == x[2] ? expr_mul(p, x[1], a) : 0;
    case EXPR_DELAY: return expr_is_literal(p, a) || (n > 1 && x[1] == p->zero) ? a : 0;
    case EXPR_INT: return expr_type_of(p, a) == TYPE_INTEGER ? a : 0;
    default: return 0;
    }
}

// x < x and the like: known for finite x.
static expr simplify_rel(expr_pool *p, expr_op op, expr a, expr b)
{
    if (a != b) return 0;
    return op == EXPR_LE || op == EXPR_GE || op == EXPR_EQ ? p->yes : p->no;
}

static expr simplify_node(expr_pool *p, expr_op op, expr_type type, const expr *x, int n)
{
    switch (operator_class(op)) {
    case CLASS_ARITH: return simplify_arith(p, op, type, x);
    case CLASS_LOGIC: return simplify_logic(p, op, x[0], n > 1 ? x[1] : 0);
    case CLASS_REL: return simplify_rel(p, op, x[0], x[1]);
    default: return n ? simplify_other(p, op, x, n) : 0;
    }
}

static expr make_fixed(expr_pool *p, expr_op op, const expr *args, int n)
{
    int enum_id;
    expr_type type = type_of(p, op, args, n, &enum_id);
    expr x[3] = {0};
    unsigned real = n ? real_args(p, op, type, args) : 0;
    bool literals = n > 0;
    for (int i = 0; i < n; i++) {
        x[i] = args[i];
        if ((real >> i & 1) && expr_op_of(p, x[i]) == EXPR_INTEGER)
            x[i] = expr_real(p, (double)expr_at(p, x[i])->u.integer);
        literals = literals && expr_is_literal(p, x[i]);
    }
    expr e = literals ? expr_fold(p, op, type, enum_id, x, n) : 0;
    if (!e) e = simplify_node(p, op, type, x, n);
    if (e) return e;
    expr_node key = {.op = (uint8_t)op, .type = (uint8_t)type, .enum_id = (uint16_t)enum_id};
    for (int i = 0; i < 3; i++) key.u.arg[i] = x[i];
    p->has_der = p->has_der || op == EXPR_DER;
    return expr_intern(p, &key, NULL);
}

expr expr_make(expr_pool *p, expr_op op, const expr *args, int n)
{
    int arity = operator_arity(op);
    assert(op > EXPR_VAR && op < EXPR_CALL && (arity < 0 || arity == n));
    if (arity >= 0) return make_fixed(p, op, args, n);

    int enum_id;
    expr_type type = type_of(p, op, args, n, &enum_id);
    expr e = n ? simplify_other(p, op, args, n) : 0;
    if (e) return e;
    expr_node key = {.op = (uint8_t)op, .type = (uint8_t)type, .enum_id = (uint16_t)enum_id};
    key.u.call.first = 0;
    key.u.call.n = n;
    key.u.call.function = key.u.call.output = 0;
    return expr_intern(p, &key, args);
}

expr expr_1(expr_pool *p, expr_op op, expr a)
{
    return expr_make(p, op, &a, 1);
}

expr expr_2(expr_pool *p, expr_op op, expr a, expr b)
{
    return expr_make(p, op, (const expr[]){a, b}, 2);
}

expr expr_3(expr_pool *p, expr_op op, expr a, expr b, expr c)
{
    return expr_make(p, op, (const expr[]){a, b, c}, 3);
}

expr expr_rebuild(expr_pool *p, expr e, const expr *args)
{
    expr_node n = *expr_at(p, e);
    if (n.op == EXPR_CALL)
        return expr_call(p, n.u.call.function, n.u.call.output, (expr_type)n.type, n.enum_id, args,
                         n.u.call.n);
    return expr_make(p, (expr_op)n.op, args, expr_arity(p, e));
}
