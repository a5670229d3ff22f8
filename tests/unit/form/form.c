/* SPDX-License-Identifier: BSD-3-Clause */
#include "form/form.h"
#include "support/mini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static form_system *make(mini *k, const char *lines, const char *spec)
{
    mini_init(k, lines);
    structure *s = structure_analyze(&k->flat, &k->a, &k->scratch, &k->sink);
    if (!s) puts(mini_messages(k));
    assert_non_null(s);
    form_system *f = form_apply(s, spec, &k->a, &k->scratch, &k->sink);
    assert_non_null(f);
    if (getenv("SHOW")) {
        text t;
        text_init(&t, &k->m);
        structure_print(s, &t);
        form_print(f, &t);
        puts(text_str(&t));
        text_done(&t);
    }
    assert_int_equal(f->unknowns.n, f->rows.n);
    return f;
}

static const char pendulum_text[] =
    "parameter g = 9.81\nparameter L = 1\nReal x start 1\nReal y\nReal vx\nReal vy\nReal lambda\n"
    "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\nx^2 + y^2 = L^2\n";

static void pendulum_dynamic(void **state)
{
    (void)state;
    mini k;
    form_system *f = make(&k, pendulum_text, NULL);
    assert_int_equal(f->unknowns.n, 5); // x, y, vx, vy and one of lambda and the accelerations
    assert_int_equal(f->groups.n, 2);
    mini_done(&k);
}

static void pendulum_direct(void **state)
{
    (void)state;
    mini k;
    form_system *f = make(&k, pendulum_text, "direct");
    assert_int_equal(f->unknowns.n, 5);
    mini_done(&k);
}

/* The end of a rod by its angle, the force along it, and a name for a name: none is an unknown. */
static const char named_text[] =
    "parameter g = 9.81\nReal x start 1\nReal y\nReal vx\nReal vy\nReal lambda\nReal r\nReal "
    "fx\nReal fy\nReal f\n"
    "f = fx*vx + fy*vy\nder(x) = vx\nder(y) = vy\nder(vx) = fx\nder(vy) = fy\nfx = -lambda*x\n"
    "fy = -lambda*y - g\nr = x^2 + y^2\nr = 1\n";

static void names_leave_direct(void **state)
{
    (void)state;
    mini k;
    form_system *f = make(&k, named_text, "direct");
    assert_int_equal(f->unknowns.n, 5); // as of the pendulum without names
    mini_done(&k);
}

static void names_leave_ggl(void **state)
{
    (void)state;
    mini k;
    form_system *f = make(&k, named_text, "ggl");
    assert_int_equal(f->unknowns.n, 6); // those and one multiplier of the position
    mini_done(&k);
}

/* a and b are given by each other: one stays, whichever equation comes first. */
static void names_in_a_circle(void **state)
{
    (void)state;
    mini k;
    form_system *f = make(&k,
                          "Real x start 1\nReal a\nReal b\nReal c\nder(x) = a\na = b + x\n"
                          "b = -2*a + c\nc = 3*x\n",
                          "direct");
    assert_int_equal(f->unknowns.n, 2);
    mini_done(&k);
}

/* What an equation with a derivative gives stays: it would bring y' into other rows. */
static void no_name_for_a_derivative(void **state)
{
    (void)state;
    mini k;
    form_system *f = make(&k, "Real x start 1\nReal a\na = der(x) + x\na = -2*x + x^3\n", "direct");
    assert_int_equal(f->unknowns.n, 1); // but by the other one
    mini_done(&k);
}

/* Beside inertia as many constraints as coordinates may repeat each other, and are left to the run. */
static void repeated_constraints_are_left_to_the_run(void **state)
{
    (void)state;
    mini k;
    form_system *f =
        make(&k,
             "Real x start 1\nReal y\nReal vx\nReal vy\nReal l\nReal m\n"
             "der(x) = vx\nder(y) = vy\nder(vx) = -l*x - 2*m*x\nder(vy) = -l*y - 2*m*y - 9.81\n"
             "x^2 + y^2 = 1\n2*x^2 + 2*y^2 = 2\n",
             NULL);
    assert_int_equal(f->groups.n, 2);
    mini_done(&k);
}

static void gear_static(void **state)
{
    (void)state;
    mini k;
    form_system *f =
        make(&k,
             "parameter r = 3\nparameter J1 = 1\nparameter J2 = 2\nReal phi1\nReal phi2\n"
             "Real w1\nReal w2\nReal t1\nReal t2\n"
             "der(phi1) = w1\nder(phi2) = w2\nJ1*der(w1) = 1 - t1\nJ2*der(w2) = t2\n"
             "phi1 = r*phi2\nr*t1 = t2\n",
             NULL);
    assert_int_equal(f->groups.n, 0);
    mini_done(&k);
}

static void loop(void **state)
{
    (void)state;
    mini k;
    make(&k,
         "parameter R = 2\nReal x\nReal a\nReal b\nReal c\n"
         "der(x) = a - x\na = R*b + c\nb + sin(c) = x\nc = 2*a - b\n",
         NULL);
    mini_done(&k);
}

/* n currents of one voltage that add up: rows of more than 32 unknowns are looked at as sums. */
static int torn_by_sum(int n, const char *more)
{
    char lines[4000];
    int at = snprintf(lines, sizeof lines, "Real v start 1\n");
    for (int k = 1; k <= n; k++)
        at += snprintf(lines + at, sizeof lines - (size_t)at, "Real i%d\ni%d = %d*v^3 + v\n", k, k,
                       k);
    for (int k = 1; k <= n; k++)
        at += snprintf(lines + at, sizeof lines - (size_t)at, "%si%d", k > 1 ? " - " : "", k);
    snprintf(lines + at, sizeof lines - (size_t)at, "%s = 1\n", more);
    mini m;
    int torn = make(&m, lines, NULL)->unknowns.n;
    mini_done(&m);
    return torn;
}

static void long_sums_are_torn_as_short_ones(void **state)
{
    (void)state;
    for (int n = 5; n <= 50; n += 45) {
        assert_int_equal(torn_by_sum(n, ""), 1);
        assert_int_equal(torn_by_sum(n, " + i1^2"), 1);
        assert_int_equal(torn_by_sum(n, " + v"), 1);
    }
}

static void output_derivative(void **state)
{
    (void)state;
    mini k;
    make(&k, "Real x\nReal v\nReal a\nder(x) = -2*x*x\nv = der(x)\na = der(v)\n", NULL);
    mini_done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_dynamic),
        cmocka_unit_test(pendulum_direct),
        cmocka_unit_test(names_leave_direct),
        cmocka_unit_test(names_leave_ggl),
        cmocka_unit_test(names_in_a_circle),
        cmocka_unit_test(no_name_for_a_derivative),
        cmocka_unit_test(repeated_constraints_are_left_to_the_run),
        cmocka_unit_test(gear_static),
        cmocka_unit_test(loop),
        cmocka_unit_test(long_sums_are_torn_as_short_ones),
        cmocka_unit_test(output_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
