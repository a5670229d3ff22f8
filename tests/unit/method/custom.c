/* Formulas that are not registered, run as methods; what the engines share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "method/formula.h"
#include "smooth.h"

#include <stdio.h>

static method_formula read(const char *source, int order, int embedded)
{
    method_formula f;
    char why[METHOD_WHY];
    if (method_formula_read(source, strlen(source), "test", &f, why)) fail_msg("%s", why);
    f.tableau.order = f.multistep.order = order;
    f.tableau.order_embedded = embedded;
    return f;
}

/* y at the end of a way along the orbit with fixed steps. */
static void orbit(const char *spec, const method_formula *f, double *y)
{
    const smooth *s = &smooth_problems[SMOOTH_ODE];
    mem m = mem_std();
    method_run *r;
    char why[METHOD_WHY];
    double yp[4];
    method_config config = {.fixed_step = 0.03, .formula = f}; // the last step is shorter
    if (method_new(&m, &s->p, spec, &config, why, &r)) fail_msg("%s", why);
    s->exact(0, y, yp);
    assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
    while (r->t < 1) assert_int_equal(method_step(r, 1), VINC_OK);
    memcpy(y, r->y, 4 * sizeof *y);
    method_free(r);
}

/* The text of a registered method gives its result. */
static void texts_run_as_the_methods_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int order;
    } same[] = {
        {"rk4", "A\n0 0 0 0\n1/2 0 0 0\n0 1/2 0 0\n0 0 1 0\nb 1/6 1/3 1/3 1/6\n", 4},
        {"radau3", "A\n5/12 -1/12\n3/4 1/4\nb 3/4 1/4\n", 3},
        {"lobatto3a-4", "A\n0 0 0\n5/24 1/3 -1/24\n1/6 2/3 1/6\nb 1/6 2/3 1/6\n", 4},
        {"dirk-exam", "A\n1/4 0\n1/2 1/4\nb 1/2 1/2\n", 2},
        {"am3", "kind multistep\nalpha 1 -1 0\nbeta 5/12 8/12 -1/12\n", 3},
        {"ab2", "kind multistep\nalpha 1 -1 0\nbeta 0 3/2 -1/2\n", 2},
        {"midpoint", "kind one-leg\nalpha 1 -1\nbeta 1/2 1/2\n", 2},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double a[4], b[4];
        method_formula f = read(same[i].text, same[i].order, 0);
        orbit(same[i].name, NULL, a);
        orbit("test", &f, b);
        for (int k = 0; k < 4; k++)
            if (!(fabs(a[k] - b[k]) < 1e-13))
                fail_msg("%s: %g apart from its text", same[i].name, a[k] - b[k]);
    }
}

/* On y' = -y with h = 0.1 Euler gives 0.9 and Heun 0.905: the estimate is 0.005, the step goes on
 * with 0.905 (lecture notes, embedded pairs). */
static int decay(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t;
    yp[0] = -y[0];
    return 0;
}

static void embedded_pair(void **state)
{
    (void)state;
    vinc_problem p = {.n = 1, .rhs = decay};
    method_formula f = read("A\n0 0\n1 0\nb 1/2 1/2\nembedded 1 0\n", 2, 1);
    for (int k = 0; k < 2; k++) {
        mem m = mem_std();
        method_run *r;
        double y = 1, yp = -1;
        // The tolerance of a step is 0.0025 |y| + 0.0025.
        method_config config = {
            .rel_tol = 0.0025, .abs_tol = 0.0025, .h_first = 0.1, .formula = k ? &f : NULL};
        assert_int_equal(method_new(&m, &p, "heun-euler", &config, NULL, &r), VINC_OK);
        assert_int_equal(method_start(r, 0, &y, &yp, 1), VINC_OK);
        assert_int_equal(method_step(r, 1), VINC_OK);
        assert_true(r->t == 0.1 && fabs(r->y[0] - 0.905) < 1e-15 && fabs(r->error - 1) < 1e-12);
        method_free(r);
    }
}

/* Equal diagonal entries: one factorisation for all stages of all steps of a linear problem. */
static int linear(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    r[0] = yp[0] + 100 * y[0] - y[1];
    r[1] = yp[1] + y[1];
    return 0;
}

static void sdirk_factors_once(void **state)
{
    (void)state;
    static const char *const methods[] = {"sdirk2", "sdirk3", "sdirk4", "trbdf2"};
    vinc_problem p = {.n = 2, .residual = linear};
    for (int k = 0; k < 4; k++) {
        mem m = mem_std();
        method_run *r;
        double y[2] = {1, 1}, yp[2] = {-99, -1};
        method_config config = {.fixed_step = 0.125}; // steps of the same bits
        assert_int_equal(method_new(&m, &p, methods[k], &config, NULL, &r), VINC_OK);
        assert_int_equal(method_start(r, 0, y, yp, 4), VINC_OK);
        while (r->t < 4) assert_int_equal(method_step(r, 4), VINC_OK);
        assert_int_equal(r->stats.steps, 32);
        assert_int_equal(r->stats.factorizations, 1);
        method_free(r);
    }
}

static void what_cannot_run_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        int problem, status;
    } wrong[] = {
        {"kind second-order\nalpha 1 -2 1\nbeta 0 1 0\n", "x'' = f", SMOOTH_ODE, VINC_E_OPTION},
        {"A\n2 1\n-1 0\nb 1/2 1/2\n", "multiple eigenvalue", SMOOTH_ODE, VINC_E_OPTION},
        {"A\n1/2 1/2\n1/2 1/2\nb 1/2 1/2\n", "singular", SMOOTH_ODE, VINC_E_OPTION},
        {"A\n0 0\n1 0\nb 1/2 1/2\n", "explicit", SMOOTH_3, VINC_E_PROBLEM},
        {"A\n1/4 0\n1 0\nb 1/2 1/2\n", "stage 2 of this method is explicit", SMOOTH_3,
         VINC_E_PROBLEM},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mem m = mem_std();
        method_run *r;
        char why[METHOD_WHY];
        method_formula f = read(wrong[i].text, 1, 0);
        method_config config = {.fixed_step = 0.1, .formula = &f};
        int rc = method_new(&m, &smooth_problems[wrong[i].problem].p, "test", &config, why, &r);
        if (rc != wrong[i].status || !strstr(why, wrong[i].words))
            fail_msg("%d, '%s' for\n%s", rc, why, wrong[i].text);
        assert_null(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_run_as_the_methods_they_are),
        cmocka_unit_test(embedded_pair),
        cmocka_unit_test(sdirk_factors_once),
        cmocka_unit_test(what_cannot_run_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
