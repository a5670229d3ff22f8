/* Random expression trees, outside the library: what expressions are checked against.
 *
 * A tree is made from a seed, evaluated by plain recursion in doubles, and also built as an
 * expression. Nothing is shared or simplified here. Values that are not finite or too large mark
 * the sample as bad: the library promises equal values for finite arguments only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROPERTY_EXPR_TREE_H
#define TESTS_PROPERTY_EXPR_TREE_H

#include "cmocka_all.h"

#include "base/elementary.h"
#include "expr/expr.h"

#include <math.h>

enum { N_VARS = 4, MAX_ARGS = 3 };

typedef struct tree {
    expr_op op;
    int n, var;
    double number;
    struct tree *arg[MAX_ARGS];
} tree;

typedef struct lab {
    mem m;
    arena a, scratch, trees;
    sym_table syms;
    expr_pool p;
    uint64_t seed;
    double x[N_VARS], t; // values of variables
    bool bad;
    uint64_t choices; // which branches and steps the values went through, hashed
} lab;

static inline void lab_init(lab *l, uint64_t seed)
{
    *l = (lab){.m = mem_std(), .seed = seed};
    arena_init(&l->a, &l->m);
    arena_init(&l->scratch, &l->m);
    arena_init(&l->trees, &l->m);
    sym_init(&l->syms, &l->a);
    expr_init(&l->p, &l->a);
}

static inline void lab_done(lab *l)
{
    arena_done(&l->trees);
    arena_done(&l->scratch);
    arena_done(&l->a);
}

static inline int below(lab *l, int n)
{
    return (int)(hash_u64(l->seed++) % (uint64_t)n);
}

static inline double uniform(lab *l, double from, double to)
{
    return from + (to - from) * (double)(hash_u64(l->seed++) >> 11) / 9007199254740992.0;
}

// ---- making ------------------------------------------------------------------------------------

static const expr_op smooth_ops[] = {
    EXPR_ADD,  EXPR_SUB,  EXPR_MUL,  EXPR_DIV,  EXPR_ADD,   EXPR_SUB,  EXPR_MUL,  EXPR_NEG,
    EXPR_POW,  EXPR_POW,  EXPR_SIN,  EXPR_COS,  EXPR_TAN,   EXPR_EXP,  EXPR_LOG,  EXPR_LOG10,
    EXPR_SQRT, EXPR_ASIN, EXPR_ACOS, EXPR_ATAN, EXPR_ATAN2, EXPR_SINH, EXPR_COSH, EXPR_TANH,
};
static const expr_op kinked_ops[] = {
    EXPR_ABS,      EXPR_MIN,  EXPR_MAX,   EXPR_IF,   EXPR_IF,         EXPR_NOEVENT, EXPR_SMOOTH,
    EXPR_HOMOTOPY, EXPR_SIGN, EXPR_FLOOR, EXPR_CEIL, EXPR_SEMILINEAR, EXPR_MOD,     EXPR_REM,
};
#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

static inline tree *grow(lab *l, int depth, bool kinks);

static inline tree *node(lab *l, expr_op op, int n)
{
    tree *t = arena_new(&l->trees, tree);
    t->op = op;
    t->n = n;
    return t;
}

static inline tree *leaf(lab *l)
{
    static const double special[] = {0, 1, -1, 2, -2, 0.5, 3, 10};
    int k = below(l, 10);
    if (k < 6) {
        tree *t = node(l, EXPR_VAR, 0);
        t->var = below(l, N_VARS);
        return t;
    }
    if (k == 6) return node(l, EXPR_TIME, 0);
    tree *t = node(l, k == 7 ? EXPR_INTEGER : EXPR_REAL, 0);
    t->number = special[below(l, COUNT(special))];
    if (k == 7) t->number = trunc(t->number);
    if (k == 9) t->number = uniform(l, -2, 2);
    return t;
}

static inline tree *condition(lab *l, int depth)
{
    int k = below(l, 9);
    if (depth > 0 && k >= 6) {
        tree *t = node(l, k == 6 ? EXPR_NOT : k == 7 ? EXPR_AND : EXPR_OR, k == 6 ? 1 : 2);
        for (int i = 0; i < t->n; i++) t->arg[i] = condition(l, depth - 1);
        return t;
    }
    tree *t = node(l, (expr_op)(EXPR_LT + k % 4), 2);
    t->arg[0] = grow(l, depth - 1, false);
    t->arg[1] = grow(l, depth - 1, false);
    return t;
}

static inline tree *grow(lab *l, int depth, bool kinks)
{
    if (depth <= 0 || below(l, 8) == 0) return leaf(l);
    bool kink = kinks && below(l, 4) == 0;
    expr_op op =
        kink ? kinked_ops[below(l, COUNT(kinked_ops))] : smooth_ops[below(l, COUNT(smooth_ops))];
    tree *t = node(l, op, operator_arity(op));
    for (int i = 0; i < t->n; i++) t->arg[i] = grow(l, depth - 1, kinks);
    if (op == EXPR_IF) t->arg[0] = condition(l, depth - 1);
    if (op == EXPR_SMOOTH || (op == EXPR_POW && below(l, 3))) { // orders; mostly whole exponents
        tree *k = node(l, EXPR_INTEGER, 0);
        k->number = op == EXPR_POW ? below(l, 6) - 1 : below(l, 3);
        t->arg[op == EXPR_POW] = k;
    }
    return t;
}

static inline expr build(lab *l, const tree *t)
{
    expr args[MAX_ARGS];
    for (int i = 0; i < t->n; i++) args[i] = build(l, t->arg[i]);
    switch (t->op) {
    case EXPR_VAR: return expr_var(&l->p, t->var, 0, TYPE_REAL, 0);
    case EXPR_REAL: return expr_real(&l->p, t->number);
    case EXPR_INTEGER: return expr_integer(&l->p, (int64_t)t->number);
    default: return expr_make(&l->p, t->op, args, t->n);
    }
}

// ---- values ------------------------------------------------------------------------------------

static inline double checked(lab *l, double r)
{
    if (!isfinite(r) || fabs(r) > 1e6) l->bad = true;
    return r;
}

// A choice or a step that the value went through.
static inline double chosen(lab *l, double step)
{
    uint64_t bits;
    memcpy(&bits, &step, sizeof bits);
    l->choices = hash_u64(l->choices ^ bits);
    return step;
}

static inline double value(lab *l, const tree *t)
{
    double a = 0, b = 0, c = 0;
    if (t->op == EXPR_IF)
        return value(l, chosen(l, value(l, t->arg[0])) != 0 ? t->arg[1] : t->arg[2]);
    if (t->n > 0) a = value(l, t->arg[0]);
    if (t->n > 1) b = value(l, t->arg[1]);
    if (t->n > 2) c = value(l, t->arg[2]);
    switch (t->op) {
    case EXPR_VAR: return l->x[t->var];
    case EXPR_TIME: return l->t;
    case EXPR_REAL:
    case EXPR_INTEGER: return t->number;
    case EXPR_NEG: return -a;
    case EXPR_ADD: return checked(l, a + b);
    case EXPR_SUB: return checked(l, a - b);
    case EXPR_MUL: return checked(l, a * b);
    case EXPR_DIV: return checked(l, a / b);
    case EXPR_POW: return checked(l, b == 2 ? a * a : elementary_pow(a, b));
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    case EXPR_GE: return a >= b;
    case EXPR_NOT: return !a;
    case EXPR_AND: return a && b;
    case EXPR_OR: return a || b;
    case EXPR_SIN: return elementary_sin(a);
    case EXPR_COS: return elementary_cos(a);
    case EXPR_TAN: return checked(l, tan(a));
    case EXPR_ASIN: return checked(l, asin(a));
    case EXPR_ACOS: return checked(l, acos(a));
    case EXPR_ATAN: return atan(a);
    case EXPR_ATAN2: l->bad = l->bad || a == 0; return atan2(a, b); // the sign of zero decides
    case EXPR_SINH: return checked(l, sinh(a));
    case EXPR_COSH: return checked(l, cosh(a));
    case EXPR_TANH: return elementary_tanh(a);
    case EXPR_EXP: return checked(l, elementary_exp(a));
    case EXPR_LOG: return checked(l, elementary_log(a));
    case EXPR_LOG10: return checked(l, elementary_log10(a));
    case EXPR_SQRT: return checked(l, sqrt(a));
    case EXPR_ABS: return chosen(l, a >= 0) ? a : -a;
    case EXPR_MIN: return chosen(l, b < a) ? b : a;
    case EXPR_MAX: return chosen(l, b > a) ? b : a;
    case EXPR_SIGN: return chosen(l, a > 0 ? 1 : a < 0 ? -1 : 0);
    case EXPR_FLOOR: return chosen(l, floor(a));
    case EXPR_CEIL: return chosen(l, ceil(a));
    case EXPR_MOD: return checked(l, a - chosen(l, floor(a / b)) * b);
    case EXPR_REM: return checked(l, a - chosen(l, trunc(a / b)) * b);
    case EXPR_NOEVENT:
    case EXPR_HOMOTOPY: return a;
    case EXPR_SMOOTH: return b;
    case EXPR_SEMILINEAR: return checked(l, chosen(l, a >= 0) ? b * a : c * a);
    default: fail_msg("no value for %s", operator_name(t->op)); return 0;
    }
}

static inline double lab_value(void *user, int var, int order)
{
    const lab *l = user;
    return order ? 0 : l->x[var];
}

// Value of an expression with the lab's variables.
static inline double evaluated(lab *l, expr e)
{
    double r = NAN;
    const char *why = "";
    if (expr_eval(&l->p, e, l->t, lab_value, l, &l->scratch, &r, &why) != 0)
        fail_msg("no value: %s", why);
    return r;
}

static inline void choose_point(lab *l)
{
    for (int k = 0; k < N_VARS; k++) l->x[k] = uniform(l, -2, 2);
    l->t = uniform(l, 0, 3);
    l->bad = false;
}

static inline const char *lab_name(void *user, int var, expr_label *label)
{
    static const char *const names[N_VARS] = {"x", "y", "body.r[1]", "'a b'"};
    (void)user, (void)label;
    return names[var];
}

#endif
