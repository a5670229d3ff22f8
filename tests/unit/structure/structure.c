/* SPDX-License-Identifier: BSD-3-Clause */
#include "structure/structure.h"
#include "support/mini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *dump(mini *k, structure **out)
{
    structure *s = structure_analyze(&k->flat, &k->a, &k->scratch, &k->sink);
    if (out) *out = s;
    if (!s) return mini_messages(k);
    text t;
    text_init(&t, &k->m);
    structure_print(s, &t);
    const char *r = arena_strndup(&k->a, text_str(&t), t.n);
    text_done(&t);
    return r;
}

static void pendulum(void **state)
{
    (void)state;
    mini k;
    mini_init(&k, "parameter g = 9.81\nparameter L = 1\nReal x start 1\nReal y\nReal vx\nReal vy\n"
                  "Real lambda\n"
                  "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\n"
                  "x^2 + y^2 = L^2\n");
    structure *s;
    const char *t = dump(&k, &s);
    if (getenv("SHOW")) puts(t);
    assert_non_null(s);
    assert_int_equal(s->index, 3);
    assert_int_equal(s->n_free, 2);
    mini_done(&k);
}

/* x1 = sin(t), x2 = der(x1), ..., xn = der(x(n-1)) has index n: each xk needs k - 1 derivatives of
 * the first equation, and one more gives an ODE. */
static void chain_of_derivatives(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n++) {
        char lines[2000] = "";
        for (int k = 1; k <= n; k++) sprintf(lines + strlen(lines), "Real x%d\n", k);
        strcat(lines, "x1 = sin(time)\n");
        for (int k = 2; k <= n; k++) sprintf(lines + strlen(lines), "x%d = der(x%d)\n", k, k - 1);
        mini k;
        mini_init(&k, lines);
        structure *s;
        dump(&k, &s);
        assert_non_null(s);
        assert_int_equal(s->index, n);
        assert_int_equal(s->n_free, 0);
        mini_done(&k);
    }
}

/* A force that moves two masses on springs so that the first follows a given path. */
static void prescribed_path(void **state)
{
    (void)state;
    mini k;
    // x1 is prescribed; x1'' = x2 - x1, x2'' = u + x1 - x2: u needs the fourth derivative of x1.
    mini_init(&k, "Real x1\nReal v1\nReal x2\nReal v2\nReal u\nder(x1) = v1\nder(x2) = v2\n"
                  "der(v1) = x2 - x1\nder(v2) = u + x1 - x2\nx1 = sin(time)\n");
    structure *s;
    dump(&k, &s);
    assert_non_null(s);
    assert_int_equal(s->index, 5);
    assert_int_equal(s->n_free, 0);
    mini_done(&k);
}

/* The order in which equations are written changes nothing that matters. */
static void order_of_equations(void **state)
{
    (void)state;
    const char *declarations =
        "parameter g = 9.81\nReal x\nReal y\nReal vx\nReal vy\nReal a\nReal b\n"
        "Real lambda\n";
    const char *equations[] = {
        "der(x) = vx\n",   "der(y) = vy\n", "der(vx) = -lambda*x\n", "der(vy) = -lambda*y - g\n",
        "x^2 + y^2 = 1\n", "a = -x\n",      "a + b = 3*y\n"};
    int order[7] = {0, 1, 2, 3, 4, 5, 6};
    uint32_t seed = 3;
    for (int round = 0; round < 30; round++) {
        char lines[1000];
        strcpy(lines, declarations);
        for (int k = 0; k < 7; k++) strcat(lines, equations[order[k]]);
        mini k;
        mini_init(&k, lines);
        structure *s;
        dump(&k, &s);
        assert_non_null(s);
        assert_int_equal(s->index, 3);
        assert_int_equal(s->n_free, 2);
        assert_int_equal(s->unknowns.n, 4); // x, y, b, lambda
        assert_int_equal(s->constraints.n, 2);
        assert_int_equal(s->blocks.n, 2);
        mini_done(&k);
        for (int q = 6; q > 0; q--) {
            seed = seed * 1664525u + 1013904223u;
            int w = (int)((seed >> 8) % (uint32_t)(q + 1)), t = order[q];
            order[q] = order[w];
            order[w] = t;
        }
    }
}

static void alias_attributes(void **state)
{
    (void)state;
    mini k;
    // The fixed start value of an alias with the opposite sign, the wish of another, the speed's
    // start.
    mini_init(&k, "Real x start 1\nReal y start 2 fixed\nReal z prefer\nReal v start 5\n"
                  "der(x) = v\nder(v) = -x\ny = -x\nz = x\n");
    structure *s;
    dump(&k, &s);
    assert_non_null(s);
    assert_int_equal(s->unknowns.n, 1);
    double start;
    const structure_attributes *x = structure_attributes_of(s, s->unknowns.at[0].first);
    const structure_attributes *v = structure_attributes_of(s, s->unknowns.at[0].first + 1);
    assert_int_equal(x->fixed, 1);
    assert_true(expr_number(s->pool, x->start, &start));
    assert_float_equal(start, -2, 0);
    assert_int_equal(x->select, FLAT_SELECT_PREFER);
    assert_true(expr_number(s->pool, v->start, &start));
    assert_float_equal(start, 5, 0);
    assert_string_equal(structure_name_of(s, s->unknowns.at[0].first + 1, s->a), "v");
    assert_string_equal(structure_name_of(s, s->unknowns.at[0].first + 2, s->a), "der(v)");
    mini_done(&k);
}

static void dependent_equations(void **state)
{
    (void)state;
    static const char *const sick[] = {
        "Real x\nReal y\nx = y\ny = x\n",
        "Real x\nReal y\nReal z\nx + y + z = 1\nx - y = 2\n2*x + z = time\n",
        "Real x\nReal y\nReal z\nder(x) = y + z\nx = 2*y - 3*z\n3*z - 2*y = -x\n",
    };
    for (size_t q = 0; q < sizeof sick / sizeof *sick; q++) {
        mini k;
        mini_init(&k, sick[q]);
        structure *s;
        const char *t = dump(&k, &s);
        assert_null(s);
        if (!strstr(t, "S104")) puts(t);
        assert_non_null(strstr(t, "S104"));
        mini_done(&k);
    }
    static const char *const sound[] = {
        "Real x\nReal y\nReal z\nx + y + z = 1\nx - y = 2\n2*x - z = time\n",
        "Real x\nReal y\nx + y = 1\nx - y = 1\n",
    };
    for (size_t q = 0; q < sizeof sound / sizeof *sound; q++) {
        mini k;
        mini_init(&k, sound[q]);
        structure *s;
        dump(&k, &s);
        assert_non_null(s);
        mini_done(&k);
    }
}

/* The equations of x2 ... become a run: 2*der(x) = y*x, where y is an alias of z. */
static void make_run(mini *k, int first, int n)
{
    flat_model *m = &k->flat;
    flat_equation *e = &m->equations.at[first];
    const expr sides[] = {e->lhs, e->rhs};
    expr vars[SHAPE_SLOTS];
    const expr_shape *s = shape_of(m->pool, sides, 2, &k->a, vars);
    flat_slot *slots = arena_array(&k->a, flat_slot, s->n_slots);
    for (int j = 0; j < s->n_slots; j++) {
        const expr_node *v = expr_at(m->pool, vars[j]);
        slots[j] = (flat_slot){v->u.var.index, 3, v->u.var.order};
    }
    array_push(&k->a, &m->runs, ((flat_run){.sides = s, .slots = slots}));
    for (int i = 1; i < n; i++) {
        e[i].lhs = 0;
        e[i].rhs = 0; // the first run
        e[i].set = i;
    }
}

/* What is said of equations that are not written out is what is said of those that are. */
static void members_of_a_run(void **state)
{
    (void)state;
    enum { N = 9 };
    char lines[3000] = "";
    for (int i = 1; i <= N; i++)
        sprintf(lines + strlen(lines), "Real x%d start 1\nReal y%d\nReal z%d\n", i, i, i);
    for (int i = 1; i <= N; i++) sprintf(lines + strlen(lines), "2*der(x%d) = y%d*x%d\n", i, i, i);
    for (int i = 1; i <= N; i++) sprintf(lines + strlen(lines), "y%d = z%d\n", i, i);
    for (int i = 1; i <= N; i++) sprintf(lines + strlen(lines), "z%d + z%d^3 = time\n", i, i);
    mini a, b;
    structure *s, *t;
    mini_init(&a, lines);
    mini_init(&b, lines);
    make_run(&b, 0, N);
    char *as_written = strdup(dump(&a, &s));
    assert_string_equal(dump(&b, &t), as_written);
    int unwritten = 0;
    for (int i = 0; i < t->equations.n; i++) unwritten += !t->equations.at[i].lhs;
    assert_true(unwritten >= N - 2); // one is asked for all
    structure_write_out(t);
    for (int i = 0; i < t->equations.n; i++) {
        text q, r;
        text_init(&q, &b.m);
        text_init(&r, &b.m);
        expr_print(t->pool, t->equations.at[i].f[0], EXPR_MODELICA, 0, &q);
        expr_print(s->pool, s->equations.at[i].f[0], EXPR_MODELICA, 0, &r);
        assert_string_equal(text_str(&q), text_str(&r));
        text_done(&q);
        text_done(&r);
    }
    free(as_written);
    mini_done(&a);
    mini_done(&b);
}

/* Equations with whole coefficients that are not written out, each with variables of its own, as lists of neighbours
 * give them: what is read of one tells the others. Here n equations of a ring add up to 0 = 0. */
static void members_by_lists(void **state)
{
    (void)state;
    enum { N = 12 };
    for (int sick = 0; sick < 2; sick++) {
        char lines[3000] = "";
        for (int i = 1; i <= N; i++) sprintf(lines + strlen(lines), "Real x%d\n", i);
        for (int i = 1; i <= N; i++)
            sprintf(lines + strlen(lines), "2*x%d - x%d = x%d\n", i, i % N + 1,
                    (i + N - 2) % N + 1);
        if (!sick) { // one of them gives way
            char *first = strstr(lines, "2*x1 "), *end = strchr(first, '\n');
            memmove(first, end + 1, strlen(end));
            strcat(lines, "x1 = time\n");
        }
        mini a, b;
        structure *s, *t;
        mini_init(&a, lines);
        mini_init(&b, lines);
        flat_model *m = &b.flat;
        int n_members = sick ? N : N - 1;
        flat_run run = {0};
        for (int i = 0; i < n_members; i++) {
            flat_equation *e = &m->equations.at[i];
            const expr sides[] = {e->lhs, e->rhs};
            expr vars[SHAPE_SLOTS];
            const expr_shape *shape = shape_of(m->pool, sides, 2, &b.a, vars);
            if (!run.sides) {
                run.sides = shape;
                run.slots = arena_array(&b.a, flat_slot, shape->n_slots);
            }
            for (int k = 0; k < shape->n_slots; k++)
                array_push(&b.a, &run.vars, expr_at(m->pool, vars[k])->u.var.index);
            *e = (flat_equation){.rhs = 0, .set = i, .instance = e->instance, .at = e->at};
        }
        array_push(&b.a, &m->runs, run);
        char *as_written = strdup(dump(&a, &s));
        assert_string_equal(dump(&b, &t), as_written);
        assert_int_equal(strstr(as_written, "S104") != NULL, sick);
        free(as_written);
        mini_done(&a);
        mini_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),         cmocka_unit_test(chain_of_derivatives),
        cmocka_unit_test(prescribed_path),  cmocka_unit_test(order_of_equations),
        cmocka_unit_test(alias_attributes), cmocka_unit_test(dependent_equations),
        cmocka_unit_test(members_of_a_run), cmocka_unit_test(members_by_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
