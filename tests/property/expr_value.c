/* Building, substituting and solving keep the value.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr_tree.h"

enum { SAMPLES = 20000 };

// The rules keep every bit but the sign of zero, which == does not see.
static void simplification_keeps_the_value(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 1000);
    int good = 0;
    for (int k = 0; k < SAMPLES; k++) {
        tree *t = grow(&l, 1 + k % 7, true);
        choose_point(&l);
        double expected = value(&l, t);
        expr e = build(&l, t);
        if (!l.bad) {
            good++;
            double r = evaluated(&l, e);
            if (r != expected) fail_msg("sample %d: %.17g, not %.17g", k, r, expected);
        }
    }
    assert_true(good > SAMPLES / 2);
    lab_done(&l);
}

static void substitution_is_evaluation(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 2000);
    int good = 0;
    for (int k = 0; k < SAMPLES / 2; k++) {
        tree *t = grow(&l, 1 + k % 6, true), *by[N_VARS];
        expr_subst s;
        arena_mark mark = arena_here(&l.scratch);
        expr_subst_init(&s, &l.p, &l.scratch);
        for (int v = 0; v < N_VARS; v++) {
            by[v] = grow(&l, 2, false);
            expr_subst_set(&s, expr_var(&l.p, v, 0, TYPE_REAL, 0), build(&l, by[v]));
        }
        expr e = expr_subst_apply(&s, build(&l, t));
        arena_release(&l.scratch, mark);
        choose_point(&l);
        double x[N_VARS], old[N_VARS];
        for (int v = 0; v < N_VARS; v++) x[v] = value(&l, by[v]);
        memcpy(old, l.x, sizeof x);
        memcpy(l.x, x, sizeof x);
        double expected = value(&l, t);
        memcpy(l.x, old, sizeof x);
        if (l.bad) continue;
        good++;
        if (evaluated(&l, e) != expected) fail_msg("sample %d", k);
    }
    assert_true(good > SAMPLES / 8);
    lab_done(&l);
}

static bool contains(lab *l, expr e, expr var)
{
    arena_mark mark = arena_here(&l->scratch);
    int_array vars = expr_vars(&l->p, &e, 1, &l->scratch);
    bool yes = false;
    for (int i = 0; i < vars.n; i++) yes = yes || vars.at[i] == var;
    arena_release(&l->scratch, mark);
    return yes;
}

// A tree that is affine in variable 0 by construction.
static tree *affine_tree(lab *l, int depth)
{
    if (depth == 0) {
        tree *t = node(l, EXPR_VAR, 0);
        t->var = 0;
        return t;
    }
    static const expr_op ops[] = {EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_NEG, EXPR_IF};
    tree *t = node(l, ops[below(l, COUNT(ops))], 0);
    t->n = operator_arity(t->op);
    tree *without;
    do without = grow(l, 2, false);
    while (contains(l, build(l, without), expr_var(&l->p, 0, 0, TYPE_REAL, 0)));
    tree *with = affine_tree(l, depth - 1);
    bool swap = below(l, 2) && t->op != EXPR_DIV;
    t->arg[0] = swap ? without : with;
    t->arg[1] = swap ? with : without;
    if (t->op == EXPR_NEG) t->arg[0] = with;
    if (t->op == EXPR_IF) {
        t->arg[2] = affine_tree(l, depth - 1);
        do t->arg[0] = condition(l, 1);
        while (contains(l, build(l, t->arg[0]), expr_var(&l->p, 0, 0, TYPE_REAL, 0)));
    }
    return t;
}

static void affine_forms_have_the_value(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 3000);
    expr x = expr_var(&l.p, 0, 0, TYPE_REAL, 0), a, b;
    int good = 0, found = 0;
    for (int k = 0; k < SAMPLES; k++) {
        bool made = k % 2;
        tree *t = made ? affine_tree(&l, 1 + k % 5) : grow(&l, 1 + k % 4, true);
        expr e = build(&l, t);
        bool is = expr_affine(&l.p, e, x, &l.scratch, &a, &b);
        if (made) assert_true(is);
        if (!is) continue;
        found++;
        assert_false(contains(&l, a, x));
        assert_false(contains(&l, b, x));
        choose_point(&l);
        double expected = value(&l, t), av, bv;
        if (l.bad) continue;
        av = evaluated(&l, a), bv = evaluated(&l, b);
        if (!isfinite(av) || !isfinite(bv)) continue;
        good++;
        // a*x + b reorders the arithmetic: round-off of the largest term
        double size = fabs(av * l.x[0]) + fabs(bv) + fabs(expected) + 1;
        if (fabs(av * l.x[0] + bv - expected) > 1e-9 * size)
            fail_msg("sample %d: %g*x + %g is not %g", k, av, bv, expected);
    }
    assert_true(found > SAMPLES / 2 && good > SAMPLES / 4);
    lab_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplification_keeps_the_value),
        cmocka_unit_test(substitution_is_evaluation),
        cmocka_unit_test(affine_forms_have_the_value),
    };
    return cmocka_run_group_tests_name("expr values", tests, NULL, NULL);
}
