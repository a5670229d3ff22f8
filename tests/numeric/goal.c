/* Goals of runs: their derivatives by parameters, and where they are least, against closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"
#include "vincolo_report.h"

#include <math.h>
#include <string.h>

/* x'' + 2 d x' + x = 0 from x = a, x' = 0: the integral of x^2 is a^2 (1 + 4 d^2)/(4 d), least at d = 1/2. After
 * 60 what is left of it is below 1e-9. */
static const char damped[] = "model M parameter Real d = 0.2, a = 1.5;\n"
                             "Real x(start = a, fixed = true), v(start = 0, fixed = true);\n"
                             "equation der(x) = v; der(v) = -2*d*v - x;\n"
                             "annotation(experiment(StopTime = 60, Tolerance = 1e-9)); end M;";

typedef struct loaded {
    vinc_ctx *ctx;
    vinc_model *model;
} loaded;

static loaded load(void)
{
    loaded r = {.ctx = vinc_ctx_new(NULL)};
    assert_int_equal(vinc_model_load_text(r.ctx, "m.mo", damped, strlen(damped), NULL, &r.model),
                     VINC_OK);
    return r;
}

static void end(loaded *r)
{
    vinc_model_free(r->model);
    vinc_ctx_free(r->ctx);
}

static void gradient_of_integral(void **state)
{
    (void)state;
    loaded r = load();
    vinc_gradient *g = NULL;
    vinc_goal_options o = {.goal = "2*integral(x^2) + integral(v*x) + a", .by = "d, a"};
    assert_int_equal(vinc_gradient_of(r.model, &o, &g), VINC_OK);
    double d = 0.2, a = 1.5, i = a * a * (1 + 4 * d * d) / (4 * d);
    // The integral of v x is half the change of x^2.
    assert_true(fabs(g->value - (2 * i - a * a / 2 + a)) < 1e-7 * i);
    assert_int_equal(g->n_slopes, 2);
    assert_true(fabs(g->slopes[0].slope - 2 * a * a * (1 - 1 / (4 * d * d))) < 1e-6);
    assert_true(fabs(g->slopes[1].slope - (4 * i / a - a + 1)) < 1e-6);
    assert_true(g->slopes[1].value == 1.5);
    vinc_report_free(g);
    end(&r);
}

/* The same from the end to the start, in one stretch and, with room for 64 steps, in many; by y' at the end and
 * by start values as well. */
static void gradient_by_the_adjoint(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        loaded r = load();
        vinc_gradient *g = NULL;
        vinc_goal_options o = {.goal = "2*integral(x^2) + integral(v*x) + a + v*der(v)",
                               .by = "d, a, x",
                               .adjoint = 1,
                               .adjoint_memory = k ? 1 : 0};
        assert_int_equal(vinc_gradient_of(r.model, &o, &g), VINC_OK);
        double d = 0.2, a = 1.5, i = a * a * (1 + 4 * d * d) / (4 * d);
        assert_string_equal(g->way, "adjoint");
        assert_true(fabs(g->value - (2 * i - a * a / 2 + a)) < 1e-7 * i);
        assert_true(fabs(g->slopes[0].slope - 2 * a * a * (1 - 1 / (4 * d * d))) < 1e-6);
        assert_true(fabs(g->slopes[1].slope - (4 * i / a - a + 1)) < 1e-6);
        assert_true(fabs(g->slopes[2].slope - (4 * i / a - a)) < 1e-6);
        vinc_report_free(g);
        end(&r);
    }
}

/* An algebraic unknown z = x^2 that no equation gives explicitly, a goal that is a rate, and what the adjoint
 * is not for: x = e^-kt, z^3 + z = x. */
static void adjoint_of_algebraic_equations(void **state)
{
    (void)state;
    static const char text[] =
        "model M parameter Real k = 0.5; Real x(start = 1, fixed = true), z(start = 0.6);\n"
        "equation der(x) = -k*x; z^3 + z = x; annotation(experiment(StopTime = 2, Tolerance = "
        "1e-9)); end M;";
    loaded r = {.ctx = vinc_ctx_new(NULL)};
    assert_int_equal(vinc_model_load_text(r.ctx, "m.mo", text, strlen(text), NULL, &r.model),
                     VINC_OK);
    vinc_gradient *g = NULL;
    vinc_goal_options o = {.goal = "z + 3*der(x)", .by = "k", .adjoint = 1};
    assert_int_equal(vinc_gradient_of(r.model, &o, &g), VINC_OK);
    double x = exp(-1), z = 0.3;
    for (int i = 0; i < 60; i++) z -= (z * z * z + z - x) / (3 * z * z + 1);
    double slope = -2 * x / (3 * z * z + 1) + 3 * (-x + 0.5 * 2 * x);
    assert_string_equal(g->way, "adjoint");
    assert_true(fabs(g->value - (z - 1.5 * x)) < 1e-8);
    assert_true(fabs(g->slopes[0].slope - slope) < 1e-7);
    vinc_report_free(g);
    end(&r);

    static const char ball[] =
        "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
        "equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); end when;\n"
        "annotation(experiment(StopTime = 1)); end M;";
    r = (loaded){.ctx = vinc_ctx_new(NULL)};
    assert_int_equal(vinc_model_load_text(r.ctx, "m.mo", ball, strlen(ball), NULL, &r.model),
                     VINC_OK);
    o = (vinc_goal_options){.goal = "h", .by = "h", .adjoint = 1};
    assert_int_equal(vinc_gradient_of(r.model, &o, &g), VINC_OK);
    assert_string_equal(g->way, "forward");
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "no adjoint: the model has events"));
    // It falls for T = sqrt(2h/g), then flies up with 0.8 g T: dT/dh = T/(2h).
    double T = sqrt(2 / 9.81), s = 1 - T, by = T / 2;
    double dh = 0.8 * 9.81 * (by * s - T * by) + 9.81 * s * by;
    assert_true(fabs(g->slopes[0].slope - dh) < 1e-4);
    vinc_report_free(g);
    end(&r);
}

static void least_within_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *over;
        double best;
        int at_bound, maximize;
    } cases[] = {{"d = 0.2 [0.05, 5] log", 0.5, 0, 0},
                 {"d = 0.2 [0.05, 0.4]", 0.4, 1, 0},
                 {"d [0.15, 5]", 0.5, 0, 0},
                 {"d = 0.45 [0.4, 0.5]", 0.4, 1, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        loaded r = load();
        vinc_optimum *x = NULL;
        vinc_goal_options o = {
            .goal = "integral(x^2)", .by = cases[k].over, .maximize = cases[k].maximize};
        assert_int_equal(vinc_optimum_of(r.model, &o, &x), VINC_OK);
        assert_true(x->converged);
        assert_int_equal(x->parameters[0].at_bound, cases[k].at_bound);
        assert_true(fabs(x->parameters[0].value - cases[k].best) < 1e-5);
        vinc_report_free(x);
        end(&r);
    }
}

static void bad_goals(void **state)
{
    (void)state;
    static const struct {
        const char *goal, *by, *why;
    } cases[] = {{"integral(x^2", "d", "a parenthesis is not closed"},
                 {"integral(y)", "d", "'y' is not declared"},
                 {"x", "nobody", "there is no variable or parameter 'nobody'"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        loaded r = load();
        vinc_gradient *g = NULL;
        vinc_goal_options o = {.goal = cases[k].goal, .by = cases[k].by};
        assert_true(vinc_gradient_of(r.model, &o, &g) < 0);
        if (!strstr(vinc_ctx_messages(r.ctx), cases[k].why))
            print_error("'%s' is not in: %s\n", cases[k].why, vinc_ctx_messages(r.ctx));
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), cases[k].why));
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_of_integral),
        cmocka_unit_test(gradient_by_the_adjoint),
        cmocka_unit_test(adjoint_of_algebraic_equations),
        cmocka_unit_test(least_within_bounds),
        cmocka_unit_test(bad_goals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
