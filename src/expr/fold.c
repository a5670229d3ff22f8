/* Operators on literals.
 *
 * Reals are C doubles, so that a folded expression has the bits of the one computed at run time
 * (operator_apply); Integers are exact in 64 bits. What is not finite or overflows is not folded: the
 * message then comes from the run, with time and place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <math.h>
#include <string.h>

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
    if (operator_class(op) != CLASS_REL || !operator_apply(op, x, 2, &r)) return 0;
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
    if (!operator_apply(op, x, n, &r) || !isfinite(r)) return 0;
    if (type == TYPE_INTEGER && fabs(r) > exact) return 0;
    return expr_literal(p, type, enum_id, r);
}
