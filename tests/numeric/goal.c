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

/* A goal without a value at the start says so, whichever way the derivatives go. */
static void goal_without_a_value(void **state)
{
    (void)state;
    for (int adjoint = -1; adjoint < 2; adjoint += 2) {
        loaded r = load();
        vinc_gradient *g = NULL;
        vinc_goal_options o = {.goal = "integral(x)/time", .by = "d", .adjoint = adjoint};
        assert_true(vinc_gradient_of(r.model, &o, &g) < 0);
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), "a division of 0 by zero"));
        end(&r);
    }
}

/* Over the 60 s; final() and functions of several numbers are what they are at the end. */
static void gradient_of_mean(void **state)
{
    (void)state;
    loaded r = load();
    double d = 0.2, a = 1.5, i = a * a * (1 + 4 * d * d) / (4 * d);
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        vinc_gradient *g = NULL;
        vinc_goal_options o = {.goal = "mean(x^2) + max(final(x), 3) + final(min({a, 9}))",
                               .by = "d, a",
                               .adjoint = adjoint};
        assert_int_equal(vinc_gradient_of(r.model, &o, &g), VINC_OK);
        assert_true(fabs(g->value - (i / 60 + 3 + a)) < 1e-7);
        assert_true(fabs(g->slopes[0].slope - a * a * (1 - 1 / (4 * d * d)) / 60) < 1e-7);
        assert_true(fabs(g->slopes[1].slope - (2 * i / a / 60 + 1)) < 1e-7);
        vinc_report_free(g);
    }
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

/* An algebraic unknown z that no equation gives explicitly, and a goal that is a rate: x = e^-kt, z^3 + z = x. */
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
}

static vinc_gradient *gradient_of(const char *text, const vinc_goal_options *o, vinc_ctx **ctx)
{
    vinc_model *model = NULL;
    vinc_gradient *g = NULL;
    *ctx = vinc_ctx_new(NULL);
    assert_int_equal(vinc_model_load_text(*ctx, "m.mo", text, strlen(text), NULL, &model), VINC_OK);
    assert_int_equal(vinc_gradient_of(model, o, &g), VINC_OK);
    vinc_model_free(model);
    return g;
}

/* x = a e^-kt, z = k x and the rate of x at the end T = 2, by hand; an algebraic z is an unknown of its own
 * where the equations are left as they are. Steps of each method, and in place of those of bdf radau's. */
static void adjoint_of_each_method(void **state)
{
    (void)state;
    static const char text[] =
        "model M parameter Real k = 0.5, a = 3; Real x(start = a, fixed = true), z;\n"
        "equation der(x) = -z; z = k*x; annotation(experiment(StopTime = 2, Tolerance = 1e-9));\n"
        "end M;";
    static const char *const methods[] = {NULL,    "dopri5", "dopri8",        "rk4",
                                          "radau", "radau5", "radau:order=9", "bdf"};
    double k = 0.5, a = 3, x = a * exp(-2 * k), i = (1 - exp(-4 * k)) / (2 * k);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        vinc_ctx *ctx;
        vinc_sim_options run = {.method = methods[m], .step = m == 3 ? 1e-3 : 0};
        vinc_goal_options o = {
            .goal = "integral(x^2) + z + 2*der(x)", .by = "k, a, x", .adjoint = 1, .run = &run};
        vinc_gradient *g = gradient_of(text, &o, &ctx);
        assert_string_equal(g->way, "adjoint");
        assert_true(fabs(g->value - (a * a * i - k * x)) < 1e-7);
        double by_k = a * a * (exp(-4 * k) * 2 / k - i / k) - x + 2 * k * x;
        double by_x = 2 * a * i - k * x / a;
        assert_true(fabs(g->slopes[0].slope - by_k) < 1e-6);
        assert_true(fabs(g->slopes[1].slope - by_x) < 1e-6);
        assert_true(fabs(g->slopes[2].slope - by_x) < 1e-6);
        int other = methods[m] && !strcmp(methods[m], "bdf");
        assert_true(other == !!strstr(vinc_ctx_messages(ctx), "of a run by radau"));
        vinc_report_free(g);
        vinc_ctx_free(ctx);
    }
}

/* A pendulum in Cartesian coordinates, whose states are selected anew as it swings: against derivatives that
 * are carried along; in one stretch and in many. A formulation that keeps the constraints is done forward, and
 * that is said. */
static void adjoint_on_constraints(void **state)
{
    (void)state;
    static const char rod[] =
        "model M parameter Real g = 9.81, L = 1, m = 2, d = 0.1;\n"
        "Real x(start = L, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy(start = "
        "0), F;\n"
        "equation der(x) = vx; der(y) = vy; m*der(vx) = -F*x - d*vx; m*der(vy) = -F*y - m*g - "
        "d*vy;\n"
        "x^2 + y^2 = L^2; annotation(experiment(StopTime = 5, Tolerance = 1e-9)); end M;";
    vinc_ctx *ctx;
    double slopes[3][4];
    for (int k = 0; k < 3; k++) {
        vinc_goal_options o = {.goal = "integral(x^2) + y + F",
                               .by = "g, L, m, d",
                               .adjoint = k ? 1 : -1,
                               .adjoint_memory = k > 1};
        vinc_gradient *g = gradient_of(rod, &o, &ctx);
        assert_string_equal(g->way, k ? "adjoint" : "forward");
        for (int i = 0; i < 4; i++) slopes[k][i] = g->slopes[i].slope;
        vinc_report_free(g);
        vinc_ctx_free(ctx);
    }
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < 4; i++)
            assert_true(fabs(slopes[k][i] - slopes[0][i]) < 1e-6 * fabs(slopes[0][i]));
    vinc_sim_options run = {.formulation = "ggl"};
    vinc_goal_options o = {.goal = "y", .by = "g", .adjoint = 1, .run = &run};
    vinc_gradient *g = gradient_of(rod, &o, &ctx);
    assert_string_equal(g->way, "forward");
    assert_non_null(strstr(vinc_ctx_messages(ctx), "no adjoint: this formulation keeps"));
    vinc_report_free(g);
    vinc_ctx_free(ctx);
}

/* Relaxation oscillations: at the jumps the matrices of the stages of one step differ so much that no
 * iteration with one of them converges. Held against derivatives carried along at
 * a tolerance a thousand times smaller. */
static void adjoint_at_jumps(void **state)
{
    (void)state;
    static const char text[] = "model M parameter Real mu = 100, x0 = 2; Real x(start = x0, fixed "
                               "= true), v(start = 0, fixed = true);\n"
                               "equation der(x) = v; der(v) = mu*(1 - x^2)*v - x;\n"
                               "annotation(experiment(StopTime = 180, Tolerance = 1e-8)); end M;";
    double slopes[2][2];
    for (int way = 0; way < 2; way++) {
        vinc_ctx *ctx;
        vinc_sim_options run = {
            .method = "radau", .rel_tol = way ? 1e-8 : 1e-11, .no_sens_control = way};
        vinc_goal_options o = {.goal = "x", .by = "mu, x0", .adjoint = way ? 1 : -1, .run = &run};
        vinc_gradient *g = gradient_of(text, &o, &ctx);
        for (int i = 0; i < 2; i++) slopes[way][i] = g->slopes[i].slope;
        vinc_report_free(g);
        vinc_ctx_free(ctx);
    }
    for (int i = 0; i < 2; i++)
        assert_true(fabs(slopes[0][i] - slopes[1][i]) < 1e-5 * fabs(slopes[0][i]));
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

/* A slider-crank mechanism as an example of SUNDIALS' IDAS has it (idasSlCrank_dns, idasSlCrank_FSA_dns): its
 * published positions of crank, slider and rod at a tolerance of 1e-6 in the stabilised form of index 2, in at most
 * its 251 steps; and the derivatives of the integral of the kinetic energy by spring and damper, of which its
 * differences give the last digit. Five digits are shown, with an error of one and a half in the last. */
static void slider_crank_as_idas(void **state)
{
    (void)state;
    static const char text[] =
        "model M parameter Real a = 0.5, J1 = 1, J2 = 2, m2 = 1, k = 1, c = 1, l0 = 1, F = 1;\n"
        "Real q(start = asin(1), fixed = true), x(start = cos(asin(-a))), p(start = asin(-a));\n"
        "Real qd(start = 0, fixed = true), xd(start = 0), pd(start = 0), l1, l2, l, ld, f;\n"
        "equation der(q) = qd; der(x) = xd; der(p) = pd;\n"
        "l^2 = x^2 - x*(cos(p) + a*cos(q)) + (1 + a^2)/4 + a*cos(p - q)/2;\n"
        "2*l*ld = 2*x*xd - xd*(cos(p) + a*cos(q)) + x*(sin(p)*pd + a*sin(q)*qd)\n"
        "  - a*sin(p - q)*(pd - qd)/2;\n"
        "f = k*(l - l0) + c*ld;\n"
        "J1*der(qd) = -f/l*a*(sin(p - q)/2 + x*sin(q))/2 - a*sin(q)*l1 + a*cos(q)*l2;\n"
        "m2*der(xd) = f/l*(cos(p)/2 - x + a*cos(q)/2) + F - l1;\n"
        "J2*der(pd) = -f/l*(x*sin(p) - a*sin(p - q)/2)/2 - F*sin(p) - sin(p)*l1 + cos(p)*l2;\n"
        "x = cos(p) + a*cos(q); 0 = sin(p) + a*sin(q);\n"
        "annotation(experiment(StopTime = 10, Tolerance = 1e-8)); end M;";
    static const double rows[][4] = {
        {0.4, 1.5299e+00, 8.8672e-01, -5.2312e-01},  {1.6, 9.2524e-01, 1.2176e+00, -4.1084e-01},
        {2.8, -2.4460e-01, 1.4778e+00, 1.2138e-01},  {4.0, -1.2064e+00, 1.0623e+00, 4.8609e-01},
        {5.2, -1.4081e+00, 9.5081e-01, 5.1599e-01},  {6.4, -8.4049e-01, 1.2616e+00, 3.8168e-01},
        {7.6, 2.7894e-01, 1.4712e+00, -1.3811e-01},  {8.8, 1.1604e+00, 1.0882e+00, -4.7630e-01},
        {10.0, 1.2757e+00, 1.0236e+00, -4.9881e-01},
    };
    static const char *const names[] = {"q", "x", "p"};
    trial run = trial_of(text, (vinc_sim_options){.has_stop = 1,
                                                  .t_stop = 10,
                                                  .rel_tol = 1e-6,
                                                  .abs_tol = 1e-7,
                                                  .intervals = 25,
                                                  .formulation = "ggl",
                                                  .method = "bdf"});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 3; k++) {
            double x = vinc_result_at(run.result, names[k], rows[i][0]), shown = rows[i][1 + k],
                   digit = pow(10, floor(log10(fabs(shown))) - 4);
            if (!(fabs(x - shown) <= 1.5 * digit))
                fail_msg("%s(%g) = %.8g, not %.5g", names[k], rows[i][0], x, shown);
        }
    vinc_sim_stats cost;
    vinc_sim_statistics(run.sim, &cost);
    assert_true(cost.steps <= 251);
    vinc_gradient *g = NULL;
    vinc_goal_options o = {.goal = "integral((J1*qd^2 + m2*xd^2 + J2*pd^2)/2)", .by = "k, c"};
    assert_int_equal(vinc_gradient_of(run.model, &o, &g), VINC_OK);
    assert_true(fabs(g->value - 3.33661) < 1e-5);
    assert_true(fabs(g->slopes[0].slope - 3.3345e-01) < 1.5e-5);
    assert_true(fabs(g->slopes[1].slope + 3.6375e-01) < 1.5e-5);
    vinc_report_free(g);
    trial_end(&run);
}

static loaded load_words(const char *words)
{
    loaded r = {.ctx = vinc_ctx_new(NULL)};
    assert_int_equal(vinc_model_load_text(r.ctx, "m.mo", words, strlen(words), NULL, &r.model),
                     VINC_OK);
    return r;
}

/* x' = a u from 0 with u = 3 and a = 2: x(1) = 6, and its derivatives by a and by a shift of u. final(E) is E. */
static void gradient_by_an_input(void **state)
{
    (void)state;
    loaded r = load_words("model M parameter Real a = 2; input Real u(start = 3);\n"
                          "Real x(start = 0, fixed = true); equation der(x) = a*u; end M;");
    vinc_gradient *g = NULL;
    vinc_goal_options o = {.goal = "final(x)^2 + final (u)", .by = "a, u"};
    assert_int_equal(vinc_gradient_of(r.model, &o, &g), VINC_OK);
    assert_true(fabs(g->value - 39) < 1e-8);
    assert_true(fabs(g->slopes[0].slope - 2 * 6 * 3) < 1e-8);
    assert_true(fabs(g->slopes[1].slope - (2 * 6 * 2 + 1)) < 1e-8);
    assert_true(g->slopes[1].value == 3);
    vinc_report_free(g);
    end(&r);
}

/* x' = u from 0, over a time T: with c = u the goal (c T - 1)^2 + c^2 T is least for c = 1/(1 + T), where it is
 * 1/(1 + T). No varying u is better. With T varied up to 3, it is longest that is best. */
static void least_by_a_control(void **state)
{
    (void)state;
    static const char *const over[] = {"u = 0.2 [-1, 1]", "u [-1, 1], time = 2 [0.5, 3]"};
    for (int k = 0; k < 2; k++) {
        loaded r =
            load_words("model M input Real u; Real x(start = 0, fixed = true);\n"
                       "equation der(x) = u; annotation(experiment(Tolerance = 1e-9)); end M;");
        vinc_optimum *x = NULL;
        vinc_goal_options o = {.goal = "final((x - 1)^2) + integral(u^2)",
                               .by = over[k],
                               .pieces = 7,
                               .way = "single"};
        double best = k ? 0.25 : 0.5;
        assert_int_equal(vinc_optimum_of(r.model, &o, &x), VINC_OK);
        assert_true(x->converged);
        assert_true(fabs(x->value - best) < 1e-8);
        assert_int_equal(x->n_controls, 1);
        assert_int_equal(x->controls[0].n_values, 7);
        for (int i = 0; i < 7; i++) assert_true(fabs(x->controls[0].values[i] - best) < 1e-4);
        assert_true(fabs(x->times[7] - (k ? 3 : 1)) < 1e-9);
        vinc_report_free(x);
        end(&r);
    }
}

/* x' = u + 1/u is least for u = 1, and has no value at 0, where a control that nobody gives is. */
static void control_that_is_never_zero(void **state)
{
    (void)state;
    loaded r =
        load_words("model M input Real u; Real x(start = 0, fixed = true);\n"
                   "equation der(x) = u + 1/u; annotation(experiment(Tolerance = 1e-9)); end M;");
    vinc_optimum *x = NULL;
    vinc_goal_options o = {.goal = "x", .by = "u = 3 [0.2, 5]", .pieces = 4, .way = "single"};
    assert_int_equal(vinc_optimum_of(r.model, &o, &x), VINC_OK);
    assert_true(x->converged);
    assert_null(x->why);
    assert_true(fabs(x->value - 2) < 1e-8);
    vinc_report_free(x);
    o.max_iterations = 1;
    assert_int_equal(vinc_optimum_of(r.model, &o, &x), VINC_OK);
    assert_false(x->converged);
    assert_non_null(strstr(x->why, "iterations ran out"));
    vinc_report_free(x);
    end(&r);
}

/* A control that is linear on pieces is a state of what is run, and drawn once all the same. */
static void a_linear_control_is_drawn_once(void **state)
{
    (void)state;
    loaded r = load_words("model M input Real u; Real x(start = 0, fixed = true);\n"
                          "equation der(x) = u; end M;");
    vinc_optimum *x = NULL;
    vinc_goal_options o = {.goal = "integral(u^2) + (x - 1)^2",
                           .by = "u = 0",
                           .pieces = 4,
                           .way = "single",
                           .controls = "linear",
                           .plot = "-"};
    assert_int_equal(vinc_optimum_of(r.model, &o, &x), VINC_OK);
    assert_non_null(strstr(x->chart, "\nx\n"));
    assert_null(strstr(x->chart, "x, u"));
    vinc_report_free(x);
    end(&r);
}

/* The same from x = a, with a price 4 (a - 1/2)^2: (a + c - 1)^2 + c^2 + 4 (a - 1/2)^2 is least for a = 5/9 and
 * c = 2/9, where it is 1/9. */
static void least_by_a_control_and_the_start(void **state)
{
    (void)state;
    loaded r = load_words("model M parameter Real a = 0.3; input Real u;\n"
                          "Real x(start = a, fixed = true); equation der(x) = u;\n"
                          "annotation(experiment(Tolerance = 1e-9)); end M;");
    vinc_optimum *x = NULL;
    vinc_goal_options o = {.goal = "final((x - 1)^2) + integral(u^2) + 4*(a - 0.5)^2",
                           .by = "u [-1, 1], a [0, 1]",
                           .pieces = 3,
                           .way = "single"};
    assert_int_equal(vinc_optimum_of(r.model, &o, &x), VINC_OK);
    assert_true(x->converged && fabs(x->value - 1.0 / 9) < 1e-8);
    assert_true(fabs(x->parameters[0].value - 5.0 / 9) < 1e-4);
    vinc_report_free(x);
    end(&r);
}

/* A ball that bounces: with T = sqrt(2 h0/g) it hits at T and T (1 + 2 e), where it starts upwards with e^2 g T. Height
 * at t behind the second impact is e^2 g T s - g s^2/2, s = t - T (1 + 2 e); its derivatives by hand. The integral and
 * the discrete time of the last impact, against derivatives that go along with the run. */
static void adjoint_through_impacts(void **state)
{
    (void)state;
    static const char ball[] =
        "model M parameter Real e = 0.8, g = 9.81, h0 = 1, p[10] = ones(10);\n"
        "Real h(start = h0, fixed = true), v(start = 0, fixed = true);\n"
        "discrete Real last(start = 0, fixed = true);\n"
        "equation der(h) = v; der(v) = -g*product(p);\n"
        "when h < 0 then reinit(v, -e*pre(v)); last = time; end when;\n"
        "annotation(experiment(StopTime = 1.4, Tolerance = 1e-9)); end M;";
    static const char *const goals[] = {"h", "integral(h*last) + v*last", "last"};
    double e = 0.8, g = 9.81, T = sqrt(2 / g), s = 1.4 - T * (1 + 2 * e);
    double ds = e * e * g * T - g * s, dT_h0 = T / 2, dT_g = -T / (2 * g);
    double by_T = e * e * g * s - ds * (1 + 2 * e);
    double exact[] = {2 * e * g * T * s - 2 * T * ds, by_T * dT_g + e * e * T * s - s * s / 2,
                      by_T * dT_h0};
    for (int k = 0; k < 3; k++) {
        double slopes[2][4];
        for (int way = 0; way < 2; way++) {
            loaded r = load_words(ball);
            vinc_gradient *x = NULL;
            vinc_goal_options o = {
                .goal = goals[k], .by = "e, g, h0, p[3]", .adjoint = way ? 1 : -1};
            assert_int_equal(vinc_gradient_of(r.model, &o, &x), VINC_OK);
            assert_string_equal(x->way, way ? "adjoint" : "forward");
            for (int i = 0; i < 4; i++) slopes[way][i] = x->slopes[i].slope;
            vinc_report_free(x);
            end(&r);
        }
        for (int i = 0; i < 4; i++)
            assert_true(fabs(slopes[0][i] - slopes[1][i]) < 1e-7 * (1 + fabs(slopes[0][i])));
        for (int i = 0; i < 3 && !k; i++) assert_true(fabs(slopes[1][i] - exact[i]) < 1e-7);
    }
}

/* Discrete values of a switch with hysteresis: the branch of each stretch is the one that it was run with. */
static void adjoint_through_switches(void **state)
{
    (void)state;
    static const char text[] =
        "model M parameter Real k = 1, low = 0.4, high = 0.6; Boolean on(start = true, fixed = "
        "true);\n"
        "Real T(start = 0.5, fixed = true); discrete Real n(start = 0, fixed = true);\n"
        "equation der(T) = -k*T + (if on then 1.2 else 0);\n"
        "on = if pre(on) then T < high else T < low;\n"
        "when change(on) then n = pre(n) + T; end when;\n"
        "annotation(experiment(StopTime = 3, Tolerance = 1e-9)); end M;";
    double slopes[2][3];
    for (int way = 0; way < 2; way++) {
        loaded r = load_words(text);
        vinc_gradient *x = NULL;
        vinc_goal_options o = {
            .goal = "integral(T^2) + n*T", .by = "k, low, high", .adjoint = way ? 1 : -1};
        assert_int_equal(vinc_gradient_of(r.model, &o, &x), VINC_OK);
        assert_string_equal(x->way, way ? "adjoint" : "forward");
        for (int i = 0; i < 3; i++) slopes[way][i] = x->slopes[i].slope;
        vinc_report_free(x);
        end(&r);
    }
    for (int i = 0; i < 3; i++)
        assert_true(fabs(slopes[0][i] - slopes[1][i]) < 1e-6 * (1 + fabs(slopes[0][i])));
}

static void bad_motions(void **state)
{
    (void)state;
    static const char plain[] = "model M input Real u; parameter Real k = 1;\n"
                                "Real x(start = 0, fixed = true); equation der(x) = k*u; end M;";
    static const char events[] = "model M input Real u; Real x(start = 0, fixed = true);\n"
                                 "equation der(x) = if x > 1 then u else 2*u; end M;";
    static const struct {
        const char *model, *goal, *over, *subject, *way, *why;
    } cases[] = {
        {plain, "x", "w = 1", "x <= 1", NULL, "no parameter, input or variable of that name"},
        {plain, "x", "u", "final(x)", NULL, "'final(x)' is no constraint"},
        {plain, "x", "u", "1 <= x >= 2", NULL, "is no constraint"},
        {plain, "x", "u", "3 <= x <= 2", NULL, "'3 <= x <= 2' cannot hold: 3 is more than 2"},
        {plain, "x", "u", "1 <= 2", NULL, "no variable occurs"},
        {plain, "x", "u", "k <= 2", NULL, "bounds of parameters stand in --over"},
        {plain, "x", "u", "x <= y", NULL, "'y' is not declared"},
        {plain, "3", "u", NULL, "single", "it is the same whatever the run does"},
        {plain, "x", "u", NULL, "guess", "there are collocation, shooting, and single"},
        {plain, "x", "u", "x <= 1", "single", "'x <= 1' is one"},
        {plain, "x", "time = 2 [1, 3]", NULL, NULL, "names the end time alone"},
        {plain, "x", "u, time = 2 [-1, 3]", NULL, NULL, "must lie after its start"},
        {events, "x", "u", NULL, NULL, "the model has events"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        loaded r = load_words(cases[k].model);
        vinc_optimum *x = NULL;
        vinc_goal_options o = {.goal = cases[k].goal,
                               .by = cases[k].over,
                               .subject = cases[k].subject,
                               .way = cases[k].way};
        assert_true(vinc_optimum_of(r.model, &o, &x) < 0);
        if (!strstr(vinc_ctx_messages(r.ctx), cases[k].why))
            print_error("'%s' is not in: %s\n", cases[k].why, vinc_ctx_messages(r.ctx));
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), cases[k].why));
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
                 {"2 + max(x)", "d", "max(x) over the run has no derivative"},
                 {"min(x)", "d", "--subject 'x >= ...'"},
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
        cmocka_unit_test(gradient_of_mean),
        cmocka_unit_test(goal_without_a_value),
        cmocka_unit_test(gradient_by_the_adjoint),
        cmocka_unit_test(slider_crank_as_idas),
        cmocka_unit_test(control_that_is_never_zero),
        cmocka_unit_test(a_linear_control_is_drawn_once),
        cmocka_unit_test(adjoint_of_algebraic_equations),
        cmocka_unit_test(adjoint_of_each_method),
        cmocka_unit_test(adjoint_at_jumps),
        cmocka_unit_test(adjoint_on_constraints),
        cmocka_unit_test(least_within_bounds),
        cmocka_unit_test(bad_goals),
        cmocka_unit_test(gradient_by_an_input),
        cmocka_unit_test(least_by_a_control),
        cmocka_unit_test(bad_motions),
        cmocka_unit_test(least_by_a_control_and_the_start),
        cmocka_unit_test(adjoint_through_impacts),
        cmocka_unit_test(adjoint_through_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
