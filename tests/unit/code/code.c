/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/code.h"
#include "method/method.h"
#include "problem/problem.h"
#include "support/mini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model from text to a point where it can be integrated. */
typedef struct bench {
    mini k;
    structure *s;
    form_system *f;
    code_model *model;
    code_state *state;
    vinc_problem *p;
    double y[50], yp[50];
    code_init_report init;
} bench;

static void open_bench(bench *b, const char *lines, const char *form)
{
    mini_init(&b->k, lines);
    b->s = structure_analyze(&b->k.flat, &b->k.a, &b->k.scratch, &b->k.sink);
    if (!b->s) puts(mini_messages(&b->k));
    assert_non_null(b->s);
    b->f = form_apply(b->s, form, &b->k.a, &b->k.scratch, &b->k.sink);
    assert_non_null(b->f);
    int rc = code_lower(b->f, &b->k.a, &b->k.scratch, &b->k.m, &b->k.sink, &b->model);
    if (rc) puts(mini_messages(&b->k));
    assert_int_equal(rc, 0);
    if (getenv("SHOW")) {
        text t;
        text_init(&t, &b->k.m);
        code_model_print(b->model, &t);
        puts(text_str(&t));
        text_done(&t);
    }
    assert_int_equal(code_state_new(b->model, &b->k.m, &b->state), 0);
    b->p = code_state_problem(b->state);
    assert_true(b->p->n <= 50);
}

static void begin(bench *b)
{
    text why;
    text_init(&why, &b->k.m);
    code_init_options o = {0};
    assert_int_equal(code_state_begin(b->state, 0, &why), 0);
    int rc = code_initialize(b->state, 0, &o, b->y, b->yp, &b->init, &b->k.sink);
    if (rc) puts(mini_messages(&b->k));
    assert_int_equal(rc, 0);
    problem_check(b->p, &b->k.m, 0, b->y, b->yp, &why);
    if (why.n) puts(text_str(&why));
    assert_int_equal(why.n, 0);
    text_done(&why);
}

static void close_bench(bench *b)
{
    code_state_free(b->state);
    code_model_free(b->model);
    mini_done(&b->k);
}

static void integrate(bench *b, const char *method, double tol, double t_stop)
{
    char why[METHOD_WHY] = "";
    method_config c = {.rel_tol = tol};
    method_run *run;
    int rc = method_new(&b->k.m, b->p, method, &c, why, &run);
    if (rc) puts(why);
    assert_int_equal(rc, 0);
    rc = method_start(run, 0, b->y, b->yp, t_stop);
    while (!rc && run->t < t_stop) rc = method_step(run, t_stop);
    if (rc) printf("t = %g: %s\n", run->t, run->message);
    assert_int_equal(rc, 0);
    memcpy(b->y, run->y, (size_t)b->p->n * sizeof(double));
    memcpy(b->yp, run->yp, (size_t)b->p->n * sizeof(double));
    if (getenv("SHOW"))
        printf("%s tol %g: %ld steps, %ld residuals, %ld jacobians, %ld reselections\n", method,
               tol, run->stats.steps, run->stats.residual_evals, run->stats.jacobian_evals,
               run->stats.reselections);
    method_free(run);
}

static double value(bench *b, double t, const char *name)
{
    double *out = malloc((size_t)b->p->n_outputs * sizeof *out + 8), x = NAN;
    b->p->outputs(b->p->user, t, b->y, b->yp, out);
    const code_column *c = code_columns(b->model);
    for (int i = 0; i < code_n_columns(b->model); i++) {
        if (strcmp(c[i].name, name)) continue;
        int q = c[i].alias_of >= 0 ? c[i].alias_of : i;
        x = c[q].constant ? code_state_constant(b->state, q) : out[c[q].output];
        if (c[i].negated) x = -x;
    }
    free(out);
    return x;
}

/* ---- ODE ------------------------------------------------------------------------------------- */

static void decay(void **state)
{
    (void)state;
    bench b;
    open_bench(
        &b,
        "parameter k = 2\nparameter k2 = 2*k\nReal x start 1\nReal z\nder(x) = -k2*x/2\nz = 3*x\n",
        NULL);
    begin(&b);
    integrate(&b, "bdf", 1e-8, 1);
    assert_float_equal(value(&b, 1, "x"), exp(-2), 1e-6);
    assert_float_equal(value(&b, 1, "z"), 3 * exp(-2), 3e-6);
    assert_float_equal(value(&b, 1, "der(x)"), -2 * exp(-2), 1e-5);
    close_bench(&b);
}

/* ---- the pendulum in Cartesian coordinates ----------------------------------------------------
 */

static const char pendulum_text[] =
    "parameter g = 9.81\nparameter L = 1\nReal x start 1\nReal y\nReal vx\nReal vy\nReal lambda\n"
    "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\nx^2 + y^2 = L^2\n";

/* Point mass 1 kg on a rod of 1 m released from the horizontal; at t = 10 s by elliptic functions.
 */
static void check_pendulum(bench *b, double tol)
{
    assert_float_equal(value(b, 10, "x"), 0.2750874625761169, tol);
    assert_float_equal(value(b, 10, "y"), -0.9614192050991251, tol);
    assert_float_equal(value(b, 10, "lambda"), 28.29456720606725, 30 * tol);
}

static void pendulum(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, pendulum_text, NULL);
    begin(&b);
    integrate(&b, "bdf", 1e-10, 10);
    if (getenv("SHOW"))
        printf("errors %g %g %g\n", value(&b, 10, "x") - 0.2750874625761169,
               value(&b, 10, "y") + 0.9614192050991251,
               value(&b, 10, "lambda") - 28.29456720606725);
    double v[3];
    b.p->violation(b.p->user, 10, b.y, b.yp, v);
    if (getenv("SHOW")) printf("violation %g %g %g\n", v[0], v[1], v[2]);
    check_pendulum(&b, 2e-7);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay),
        cmocka_unit_test(pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
