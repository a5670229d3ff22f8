/* SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/inspect.h"
#include "method/method.h"
#include "problem/problem.h"
#include "start/start.h"
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
    run_state *state;
    vinc_problem *p;
    double y[50], yp[50];
    start_report init;
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
    assert_int_equal(run_new(b->model, &b->k.m, &b->state), 0);
    b->p = run_problem(b->state);
    assert_true(b->p->n <= 50);
}

static void begin(bench *b)
{
    text why;
    text_init(&why, &b->k.m);
    start_options o = {0};
    assert_int_equal(run_begin(b->state, 0, &why), 0);
    int rc = start_values(b->state, 0, &o, b->y, b->yp, &b->init, &b->k.sink);
    if (rc) puts(mini_messages(&b->k));
    assert_int_equal(rc, 0);
    problem_check(b->p, &b->k.m, 0, b->y, b->yp, &why);
    if (why.n) puts(text_str(&why));
    assert_int_equal(why.n, 0);
    text_done(&why);
}

static void close_bench(bench *b)
{
    run_free(b->state);
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
        x = c[q].constant ? run_constant(b->state, q) : out[c[q].output];
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

/* Halves as exponents are roots, where the derivative allows: begin compares it with differences.
 * Powers of 4 are exact. The power 3/2 is smooth at 0. */
static void half_powers(void **state)
{
    (void)state;
    bench b;
    open_bench(&b,
               "Real x start 4\nReal z start 1\n"
               "der(x) = x^(-1.5) + x^(-2.5) - x^0.5 + x^(-0.5)\nder(z) = z^1.5\n",
               NULL);
    begin(&b);
    assert_float_equal(value(&b, 0, "der(x)"), 1 / 8.0 + 1 / 32.0 - 2 + 1 / 2.0, 0);
    double dy[4], dyp[4];
    assert_int_equal(b.p->n, 2);
    for (int i = 0; i < 2; i++) b.y[i] = b.y[i] == 1 ? 0 : b.y[i];
    assert_int_equal(b.p->jacobian(b.p->user, 0, b.y, b.yp, dy, dyp), 0);
    assert_true(problem_finite(dy, b.p->jac->nnz));
    close_bench(&b);
}

/* ---- the pendulum in Cartesian coordinates --------------------------------------------------- */

static const char pendulum_text[] =
    "parameter g = 9.81\nparameter L = 1\nReal x start 1\nReal y\nReal vx\nReal vy\nReal lambda\n"
    "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\nx^2 + y^2 = L^2\n";

/* Point mass 1 kg on a rod of 1 m released from the horizontal; at t = 10 s by elliptic functions. */
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

static void pendulum_direct(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, pendulum_text, "direct");
    begin(&b);
    assert_float_equal(value(&b, 0, "lambda"), 0, 1e-12);
    assert_float_equal(value(&b, 0, "der(vy)"), -9.81, 1e-12);
    integrate(&b, "bdf", 1e-8, 2);
    assert_float_equal(value(&b, 2, "x"), 0.7935661953433217, 1e-4); // elliptic functions
    close_bench(&b);
}

/* With 7 m/s at the bottom the pendulum goes over the top (2 sqrt(g L) = 6.26 m/s would just do).
 * In 20 s it passes every quadrant many times; energy and constraints stay. */
static void over_the_top(void **state)
{
    (void)state;
    bench b;
    open_bench(&b,
               "parameter g = 9.81\nReal x start 0\nReal y start -1\nReal vx start 7\nReal vy\n"
               "Real lambda\nReal E\nReal turn start -1.5707963267948966 fixed\n"
               "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\n"
               "x^2 + y^2 = 1\nE = (vx^2 + vy^2)/2 + g*y\nder(turn) = x*vy - y*vx\n",
               NULL);
    begin(&b);
    double before = value(&b, 0, "E"), v[3];
    integrate(&b, "bdf", 1e-8, 20);
    assert_true(value(&b, 20, "turn") > 40); // many times around
    assert_float_equal(value(&b, 20, "E"), before, 1e-4);
    // The angle that was integrated on its own says where the mass must be.
    assert_float_equal(value(&b, 20, "x"), cos(value(&b, 20, "turn")), 1e-5);
    assert_float_equal(value(&b, 20, "y"), sin(value(&b, 20, "turn")), 1e-5);
    b.p->violation(b.p->user, 20, b.y, b.yp, v);
    assert_true(v[0] < 1e-12 && v[1] < 1e-12 && v[2] < 1e-9);
    close_bench(&b);
}

/* ---- equal equations ------------------------------------------------------------------------- */

typedef struct point {
    const bench *b;
    const double *y, *yp;
} point;

static double value_at(void *user, int var, int order)
{
    const point *q = user;
    const structure *s = q->b->s;
    if (var >= FORM_YP) return q->yp[var - FORM_YP];
    if (s->vars[var].role == STRUCTURE_PARAMETER) return s->p_default[s->vars[var].place];
    form_place at = q->b->f->places[s->unknowns.at[s->vars[var].place].first + order];
    return at.where == FORM_IN_Y ? q->y[at.at] : q->yp[at.at];
}

/* A chain of 20 equal cells becomes maps, and they give what the expressions give. */
static void rolled(void **state)
{
    (void)state;
    char lines[6000] = "parameter R = 2\nparameter C = 0.5\n";
    for (int k = 1; k <= 20; k++)
        sprintf(lines + strlen(lines), "Real v%d start %d\nReal i%d\n", k, k, k);
    for (int k = 1; k <= 20; k++) {
        if (k == 1) strcat(lines, "R*i1 = sin(time) - v1\n");
        else sprintf(lines + strlen(lines), "R*i%d = v%d - v%d\n", k, k - 1, k);
        if (k < 20)
            sprintf(lines + strlen(lines), "C*der(v%d) = i%d - i%d + exp(-v%d)\n", k, k, k + 1, k);
        else strcat(lines, "C*der(v20) = i20\n");
    }
    bench b;
    open_bench(&b, lines, NULL);
    begin(&b);
    assert_int_equal(b.p->n, 20);
    text t;
    text_init(&t, &b.k.m);
    code_model_print(b.model, &t);
    assert_non_null(strstr(text_str(&t), "map"));
    text_done(&t);
    double y[20], yp[20], r[20];
    for (int i = 0; i < 20; i++) {
        y[i] = sin(i + 1.0);
        yp[i] = cos(3.0 * i);
    }
    assert_int_equal(b.p->residual(b.p->user, 0.3, y, yp, r), 0);
    point q = {&b, y, yp};
    for (int i = 0; i < 20; i++) {
        double x;
        const char *why;
        assert_int_equal(
            expr_eval(b.s->pool, b.f->rows.at[i].f, 0.3, value_at, &q, &b.k.scratch, &x, &why), 0);
        assert_float_equal(r[i], x, 0);
    }
    close_bench(&b);
}

/* ---- start values ---------------------------------------------------------------------------- */

static void nearest_point(void **state)
{
    (void)state;
    bench b;
    // Start off the circle, with a velocity along the rod: both are projected.
    open_bench(&b,
               "parameter g = 9.81\nReal x start 1.2\nReal y start 1.6\nReal vx start 1\nReal vy\n"
               "Real lambda\nder(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\n"
               "der(vy) = -lambda*y - g\nx^2 + y^2 = 1\n",
               NULL);
    begin(&b);
    assert_float_equal(value(&b, 0, "x"), 0.6, 1e-12); // nearest point of the circle
    assert_float_equal(value(&b, 0, "y"), 0.8, 1e-12);
    assert_float_equal(value(&b, 0, "vx"), 0.64, 1e-12); // (1,0) - ((1,0).n) n with n = (0.6, 0.8)
    assert_float_equal(value(&b, 0, "vy"), -0.48, 1e-12);
    // x vx' + y vy' + v^2 = 0: lambda = v^2 - g y
    assert_float_equal(value(&b, 0, "lambda"), 0.64 - 9.81 * 0.8, 1e-12);
    assert_false(b.init.given_consistent);
    assert_int_equal(b.init.n_moved, 4);
    close_bench(&b);
}

static void fixed_value(void **state)
{
    (void)state;
    bench b;
    open_bench(&b,
               "parameter g = 9.81\nReal x start 0.6 fixed\nReal y start -1\nReal vx\nReal vy\n"
               "Real lambda\nder(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\n"
               "der(vy) = -lambda*y - g\nx^2 + y^2 = 1\n",
               NULL);
    begin(&b);
    assert_float_equal(value(&b, 0, "x"), 0.6, 0);
    assert_float_equal(value(&b, 0, "y"), -0.8, 1e-12);
    close_bench(&b);
}

static int initialize_only(bench *b)
{
    text why;
    text_init(&why, &b->k.m);
    start_options o = {0};
    assert_int_equal(run_begin(b->state, 0, &why), 0);
    text_done(&why);
    return start_values(b->state, 0, &o, b->y, b->yp, &b->init, &b->k.sink);
}

static void conflict(void **state)
{
    (void)state;
    bench b;
    open_bench(
        &b,
        "parameter g = 9.81\nReal x start 0.6 fixed\nReal y start -1 fixed\nReal vx\nReal vy\n"
        "Real lambda\nder(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\n"
        "der(vy) = -lambda*y - g\nx^2 + y^2 = 1\n",
        NULL);
    assert_true(initialize_only(&b) < 0);
    const char *m = mini_messages(&b.k);
    if (getenv("SHOW")) puts(m);
    assert_non_null(strstr(m, "R211"));
    assert_non_null(strstr(m, "'x' = 0.6"));
    assert_non_null(strstr(m, "x^2 + y^2 = 1"));
    close_bench(&b);
}

/* At y = 0 the constraint has no slope in y, the only unknown that may move: there are two
 * solutions, y = +-sqrt(3), and no contradiction. */
static void start_between_two_solutions(void **state)
{
    (void)state;
    bench b;
    open_bench(&b,
               "parameter g = 9.81\nReal x start 1 fixed\nReal y start 0\nReal vx\nReal vy\n"
               "Real lambda\nder(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\n"
               "der(vy) = -lambda*y - g\nx^2 + y^2 = 4\n",
               NULL);
    assert_int_equal(initialize_only(&b), 0);
    assert_int_equal(b.init.n_moved, 1);
    assert_float_equal(fabs(b.init.to[0]), sqrt(3), 1e-9);
    close_bench(&b);
}

static void steady_state(void **state)
{
    (void)state;
    bench b;
    // der(x) = 0 at the start: x = 4 from 2*sqrt-like nonlinear balance x*|x| = 16
    open_bench(&b, "Real x start 1\nReal z\nder(x) = 16 - x*x\nz = 2*x\ninitial der(x) = 0\n",
               NULL);
    begin(&b);
    assert_float_equal(value(&b, 0, "x"), 4, 1e-10);
    assert_float_equal(value(&b, 0, "z"), 8, 1e-10);
    close_bench(&b);
}

static void fixed_eliminated(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, "Real x start 1\nReal z start 10 fixed\nder(x) = -x\nz = 2*x + 1\n", NULL);
    begin(&b);
    assert_float_equal(value(&b, 0, "x"), 4.5, 1e-12);
    close_bench(&b);
}

static void homotopy(void **state)
{
    (void)state;
    bench b;
    // atan from 20 diverges with plain Newton; the simplified model is linear
    open_bench(&b,
               "Real x start 1\nReal z start 400\nder(x) = -x\n"
               "homotopy(atan(z - 1) , (z - 1)/10) = 0.1*x - 0.1\n",
               NULL);
    begin(&b);
    assert_float_equal(value(&b, 0, "z"), 1, 1e-9);
    close_bench(&b);
}

/* No equation but the last has a value at zero. q^3 + q = 1 by Cardano's formula; g from it. */
static void start_in_sequence(void **state)
{
    (void)state;
    bench b;
    open_bench(&b,
               "Real x start 1\nReal q\nReal g\nReal h\nder(x) = -x/g\n"
               "20*q = 1/h\n2*g - q/g = 3*q\nq^3 + q = x\n",
               NULL);
    begin(&b);
    double q = cbrt(0.5 + sqrt(31.0 / 108)) + cbrt(0.5 - sqrt(31.0 / 108));
    assert_float_equal(value(&b, 0, "q"), q, 1e-12);
    assert_float_equal(value(&b, 0, "h"), 0.05 / q, 1e-12);
    double g = value(&b, 0, "g");
    assert_float_equal(2 * g * g - 3 * q * g - q, 0, 1e-9);
    close_bench(&b);
}

static void settings(void **state)
{
    (void)state;
    bench b;
    open_bench(
        &b,
        "parameter k = 2\nparameter k2 = 2*k\nparameter k3 = k2 + 1\nReal x start k3\nReal v\n"
        "der(x) = v\nv = -k*x\n",
        NULL);
    text why;
    text_init(&why, &b.k.m);
    assert_int_equal(run_set(b.state, "k2", 10, &why), 0);
    begin(&b);
    assert_float_equal(value(&b, 0, "x"), 11, 0);
    assert_float_equal(value(&b, 0, "k3"), 11, 0);
    assert_int_equal(run_set(b.state, "x", 3, &why), 0);
    begin(&b);
    assert_float_equal(value(&b, 0, "x"), 3, 0);
    assert_float_equal(value(&b, 0, "v"), -6, 0);
    assert_true(run_set(b.state, "kk", 3, &why) < 0);
    assert_non_null(strstr(text_str(&why), "did you mean"));
    text_done(&why);
    close_bench(&b);
}

/* ---- the report ------------------------------------------------------------------------------ */

static inspect_report report_of(bench *b, const char *lines)
{
    text why;
    text_init(&why, &b->k.m);
    inspect_report c;
    open_bench(b, lines, NULL);
    assert_int_equal(run_begin(b->state, 0, &why), 0);
    assert_int_equal(inspect_model(b->state, 0, &b->k.a, &c, &b->k.sink), 0);
    text_done(&why);
    return c;
}

static void report_pendulum(void **state)
{
    (void)state;
    bench b;
    inspect_report c = report_of(&b, pendulum_text);
    assert_int_equal(c.index_structural, 3);
    assert_int_equal(c.index_numerical, 3);
    assert_string_equal(c.form, "hessenberg-3");
    assert_int_equal(c.dof, 1);
    assert_int_equal(c.n_states, 2);
    assert_int_equal(c.n_constraints, 3); // position, velocity, acceleration
    assert_int_equal(c.constraints[1].level, 1);
    assert_true(c.consistent);
    close_bench(&b);
}

static void report_forms(void **state)
{
    (void)state;
    static const struct {
        const char *form, *lines;
        int index;
    } list[] = {
        {"ode", "Real x\nReal z\nder(x) + der(z) = x\nder(x) - 2*der(z) = z\n", 0},
        {"semi-explicit", "Real x start 1\nReal z start 1\nder(x) = -z\n0 = z + z^3 - x\n", 1},
        {"hessenberg-2",
         "Real x\nReal z\nReal u\nder(x) = z + u\nder(z) = u - x\n0 = x + z - sin(time)\n", 2},
        {"quasi-linear", "Real x\nReal z start 1\nx*der(x) + der(z) = z\n0 = x + sin(z*x) \n", 1},
        {"general", "Real x start 1\nReal z\nder(x)^3 + der(x) = z\n0 = x + z\n", 1},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bench b;
        inspect_report c = report_of(&b, list[k].lines);
        if (getenv("SHOW"))
            printf("%s: index %d, %d (%s) cond %g\n", c.form, c.index_structural, c.index_numerical,
                   c.form_reason, c.form_condition);
        assert_string_equal(c.form, list[k].form);
        assert_int_equal(c.index_numerical, list[k].index);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay),         cmocka_unit_test(half_powers),
        cmocka_unit_test(pendulum),      cmocka_unit_test(pendulum_direct),
        cmocka_unit_test(over_the_top),  cmocka_unit_test(rolled),
        cmocka_unit_test(nearest_point), cmocka_unit_test(fixed_value),
        cmocka_unit_test(conflict),      cmocka_unit_test(start_between_two_solutions),
        cmocka_unit_test(steady_state),  cmocka_unit_test(fixed_eliminated),
        cmocka_unit_test(homotopy),      cmocka_unit_test(start_in_sequence),
        cmocka_unit_test(settings),      cmocka_unit_test(report_pendulum),
        cmocka_unit_test(report_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
