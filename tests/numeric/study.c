/* Studies of methods on models: observed orders, contractivity, advice on fixed steps.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct session {
    vinc_ctx *ctx;
    vinc_model *model;
} session;

static void begin(session *s, const char *text)
{
    s->ctx = vinc_ctx_new(NULL);
    assert_int_equal(vinc_model_load_text(s->ctx, "test.mo", text, strlen(text), NULL, &s->model),
                     VINC_OK);
}

static void done(session *s)
{
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

/* A damped oscillator; the order of the last pair of steps is that of the coefficients to 0.2. */
static void observed_orders(void **state)
{
    (void)state;
    static const char *const methods[] = {"euler", "rk4", "trapezoid", "radau5", "bdf2"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        session s;
        vinc_convergence *c = NULL;
        begin(&s, "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);"
                  "equation der(x) = v; der(v) = -4*x - 0.2*v; end M;");
        vinc_sim_options run = {.method = methods[i], .step = 0.1};
        vinc_convergence_options o = {.run = &run};
        assert_int_equal(vinc_convergence_of(s.model, &o, &c), VINC_OK);
        assert_near(c->observed_order[0], c->expected_order, 0.2);
        vinc_report_free(c);
        done(&s);
    }
}

/* Radau IIA of three stages on the pendulum given with index 3: velocities of order 3, multipliers
 * of order 2 (E. Hairer, C. Lubich & M. Roche, Lecture Notes in Mathematics 1409, 1989). */
static void orders_of_unknowns(void **state)
{
    (void)state;
    session s;
    vinc_convergence *c = NULL;
    begin(&s, "model P Real x(start = 1, fixed = true), y, vx(start = 0, fixed = true), vy, F;"
              "equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81;"
              "x^2 + y^2 = 1; end P;");
    vinc_sim_options run = {.method = "radau5", .formulation = "direct", .step = 0.05};
    vinc_convergence_options o = {.run = &run, .vars = "F", .levels = 5};
    assert_int_equal(vinc_convergence_of(s.model, &o, &c), VINC_OK);
    assert_near(c->observed_order[0], 2, 0.2);
    vinc_report_free(c);
    o.vars = "vx";
    assert_int_equal(vinc_convergence_of(s.model, &o, &c), VINC_OK);
    assert_near(c->observed_order[0], 3, 0.2);
    vinc_report_free(c);
    done(&s);
}

/* x' = -100 x: factors |1 - 100 h| of explicit Euler and |1 - 50 h| / (1 + 50 h) of the trapezoid;
 * the logarithmic norm is -100. */
static void contraction_factors(void **state)
{
    (void)state;
    session s;
    vinc_contractivity *c = NULL;
    begin(&s, "model S Real x(start = 1, fixed = true); equation der(x) = -100*x; end S;");
    vinc_sim_options run = {.method = "euler", .step = 0.03, .has_stop = 1, .t_stop = 0.3};
    vinc_contractivity_options o = {.run = &run};
    assert_int_equal(vinc_contractivity_of(s.model, &o, &c), VINC_OK);
    assert_near(c->largest_factor, 2, 1e-6);
    assert_near(c->logarithmic_norm, -100, 1e-9);
    assert_false(c->contractive);
    vinc_report_free(c);
    run.method = "trapezoid";
    assert_int_equal(vinc_contractivity_of(s.model, &o, &c), VINC_OK);
    assert_near(c->largest_factor, 0.5 / 2.5, 1e-6);
    assert_true(c->contractive);
    vinc_report_free(c);
    done(&s);
}

/* Is the problem contractive, and how is it known? In closed form, with symmetric parts of Jacobians:
 *
 *   decay        -1 everywhere
 *   oscillator   ((0, 1), (-1, 0)): 0 everywhere
 *   nonnormal    ((-1, 4), (0, -1)): -1 + 2, although both eigenvalues are -1
 *   cubic        -3 x^2 <= 0 along x = 1/sqrt(1 + 2 t); the largest of 0 ... 4 at the end, -1/3
 *   van der Pol  ((0, 1), (-1, -3)) at (2, 0): 0; with x = 0, which the limit cycle passes, at least 1
 *   late         -1, from t = 1 on -1 + 4 x with x(1) = 1/e
 *   switch       -0.5, from t = 1 on 2.5
 *   driven       -1, from t = 1 on -2, with events: linear in pieces, so not proved */
static void contractive_problems(void **state)
{
    (void)state;
    const struct {
        const char *words, *known;
        int contractive;
        double norm, within, t;
    } cases[] = {
        {"der(x) = -x; v = 0", "proved", 1, -1, 1e-9, 0},
        {"der(x) = v; der(v) = -x", "proved", 1, 0, 1e-12, 0},
        {"der(x) = -x + 4*v; der(v) = -v", "proved", 0, 1, 1e-9, 0},
        {"der(x) = -x^3; v = x^2", "not refuted", 1, -1.0 / 3, 1e-4, 4},
        {"der(x) = v; der(v) = (1 - x^2)*v - x", "refuted", 0, NAN, 0, NAN},
        {"der(x) = -x + 2*x^2*(if time > 1 then 1 else 0); v = x", "refuted", 0, 4 * exp(-1) - 1,
         1e-4, 1},
        {"der(x) = -0.5*x + (if time > 1 then 3*x else 0); v = x", "refuted", 0, 2.5, 1e-9, NAN},
        {"der(x) = if time > 1 then -2*x else -x; v = x", "not refuted", 1, -1, 1e-9, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[300];
        session s;
        vinc_contractivity *c = NULL;
        snprintf(words, sizeof words,
                 "model M Real x(start = %s), v(start = 0); equation %s; end M;",
                 i == 4 ? "2" : "1", cases[i].words);
        begin(&s, words);
        vinc_sim_options run = {.has_stop = 1, .t_stop = 4};
        vinc_contractivity_options o = {.run = &run};
        assert_int_equal(vinc_contractivity_of(s.model, &o, &c), VINC_OK);
        if (strcmp(c->problem, cases[i].known) || c->problem_contractive != cases[i].contractive)
            fail_msg("%s: %s", cases[i].words, vinc_report_text(c, VINC_TEXT));
        if (isnan(cases[i].norm)) assert_true(c->logarithmic_norm >= 1);
        else assert_near(c->logarithmic_norm, cases[i].norm, cases[i].within);
        if (!isnan(cases[i].t)) assert_near(c->t_norm, cases[i].t, 1e-6);
        vinc_report_free(c);
        done(&s);
    }
}

/* A = ((-3, 1), (4, -5)): logarithmic norms by the formulas of the columns, of the rows, and of the
 * symmetric part, -4 + sqrt(1 + 2.5^2); with x counted twice its sides are equal, -4 + sqrt 5, which is
 * also the larger eigenvalue. P = ((4, 0), (0, 1)) is the same. */
static void chosen_norms(void **state)
{
    (void)state;
    char folder[] = "/tmp/vincolo-norm-XXXXXX", path[60];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/P.csv", folder);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "4,0\n0,1\n", 8), 8);
    close(file);
    const struct {
        const char *norm;
        double value;
    } cases[] = {
        {"1", 1},
        {"2", -4 + sqrt(7.25)},
        {"inf", -1},
        {"x=2", -4 + sqrt(5)},
        {"1:x=2", -1},
        {"inf:x=2,v=1", -1},
        {"modes", -4 + sqrt(5)},
        {path, -4 + sqrt(5)},
        {NULL, -4 + sqrt(7.25)},
    };
    session s;
    begin(&s, "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);"
              "equation der(x) = -3*x + v; der(v) = 4*x - 5*v; end M;");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vinc_contractivity *c = NULL;
        vinc_contractivity_options o = {.norm = cases[i].norm};
        assert_int_equal(vinc_contractivity_of(s.model, &o, &c), VINC_OK);
        assert_near(c->logarithmic_norm, cases[i].value, 1e-12);
        assert_int_equal(c->problem_contractive, cases[i].value < 0);
        vinc_report_free(c);
    }
    unlink(path);
    rmdir(folder);
    static const char *const wrong[] = {"3", "y=1", "x=-1", "x", "nosuch.csv", "inf:", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vinc_contractivity *c = NULL;
        vinc_contractivity_options o = {.norm = wrong[i]};
        int rc = vinc_contractivity_of(s.model, &o, &c);
        assert_int_equal(rc, i < 5 ? VINC_E_OPTION : VINC_OK); // the last two name no weights
        vinc_report_free(c);
    }
    done(&s);
}

/* Heat in five cells by steps of ten times their time constant: in the 2-norm the trapezoidal rule
 * contracts, in the 1-norm it does not, by 317/253 in the first step (R(hA) in fractions, largest sum of
 * a column); implicit Euler does in both. */
static void heat_in_norms(void **state)
{
    (void)state;
    const struct {
        const char *method, *norm;
        int contractive;
    } cases[] = {{"trapezoid", "2", 1}, {"trapezoid", "1", 0}, {"implicit-euler", "1", 1}};
    session s;
    begin(&s,
          "model H Real x[5](start = {1, 0, 0, 0, 0}, each fixed = true);"
          "equation for i in 1:5 loop der(x[i]) = 10*((if i > 1 then x[max(i - 1, 1)] else 0) - "
          "2*x[i] + (if i < 5 then x[min(i + 1, 5)] else 0)); end for;"
          "annotation(experiment(StopTime = 4)); end H;");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vinc_contractivity *c = NULL;
        vinc_sim_options run = {.method = cases[i].method, .step = 1};
        vinc_contractivity_options o = {.run = &run, .norm = cases[i].norm};
        assert_int_equal(vinc_contractivity_of(s.model, &o, &c), VINC_OK);
        assert_int_equal(c->contractive, cases[i].contractive);
        assert_true(c->problem_contractive);
        if (!cases[i].contractive) assert_near(c->largest_factor, 317.0 / 253, 1e-8);
        vinc_report_free(c);
    }
    done(&s);
}

/* A bead on a parabola. Limits of omega for explicit Euler, h < 2 zeta/omega for zeta < 1 (lecture notes)
 * and h < 2/omega for critical damping, where omega = 1/h leaves nothing; for the classical method of
 * order 4 the root 2.785293563405282 of its R(x) = 1. The advice leaves less than no stabilisation. */
static void stabilised(void **state)
{
    (void)state;
    const struct {
        const char *method;
        double limit[2], factor; // zeta 0.1 and 1, times h; least factor of zeta = 1
    } cases[] = {{"euler", {0.2, 2}, 0}, {"rk4", {0, 2.785293563405282}, 0.27}};
    const double h = 0.005;
    session s;
    begin(&s,
          "model B Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, F; equation "
          "der(x) = u; der(y) = v; der(u) = 2*x*F; der(v) = -F - 9.81; y = x^2; end B;");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vinc_stabilisation *a = NULL;
        vinc_sim_options run = {.method = cases[i].method, .step = h};
        assert_int_equal(vinc_stabilisation_of(s.model, &run, &a), VINC_OK);
        const vinc_stabilising *small = &a->rows[0], *critical = &a->rows[a->n_rows - 1];
        assert_int_equal(a->order, 2);
        assert_near(critical->zeta, 1, 0);
        assert_near(critical->omega_limit * h, cases[i].limit[1], 1e-7);
        if (cases[i].limit[0] > 0) assert_near(small->omega_limit * h, cases[i].limit[0], 1e-7);
        assert_near(critical->factor, cases[i].factor, 1e-3);
        assert_near(a->tau * a->omega, 1, 1e-12);
        assert_true(a->omega < a->omega_limit && a->factor < 1);
        double least = INFINITY;
        for (int k = 0; k < a->n_runs; k++)
            if (!strcmp(a->runs[k].status, "done"))
                least = fmin(least, a->runs[k].position_max + h * a->runs[k].velocity_max);
        assert_true(least < 0.5 * a->runs[0].position_max);
        vinc_report_free(a);
    }
    vinc_stabilisation *a = NULL;
    vinc_sim_options run = {.method = "bdf"};
    assert_int_equal(vinc_stabilisation_of(s.model, &run, &a), VINC_E_OPTION);
    done(&s);
    begin(&s, "model O Real x(start = 1); equation der(x) = -x; end O;");
    assert_int_equal(vinc_stabilisation_of(s.model, NULL, &a), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(s.ctx), "no constraints"));
    done(&s);
}

/* With u and y exchanged u^T y is the same, and so must be the verdict. By hand: of 1/(s + 1) + 1/s the
 * inverse is s (s + 1)/(2 s + 1), passive; of two coils with mutual inductance M and L1 L2 > M^2 as of
 * their inverse; with M^2 > L1 L2 neither; (1 - s)/(s + 1) and (s + 1)/(1 - s) are not, the latter as
 * it is unstable; a spring that hardens stores v = F(x), whichever of force and speed is given. */
static void exchanged_ports(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int passive;
    } cases[] = {
        {"input Real u; output Real y = a + b; Real a(start = 0, fixed = true), b(start = 0, fixed "
         "= "
         "true); equation der(a) = u - a; der(b) = u;",
         1},
        {"parameter Real M = 1; input Real u[2]; output Real y[2](each start = 0); equation "
         "2*der(y[1]) + M*der(y[2]) = u[1] - 0.1*y[1]; M*der(y[1]) + der(y[2]) = u[2] - 0.1*y[2];",
         1},
        {"parameter Real M = 2; input Real u[2]; output Real y[2](each start = 0); equation "
         "2*der(y[1]) + M*der(y[2]) = u[1] - 0.1*y[1]; M*der(y[1]) + der(y[2]) = u[2] - 0.1*y[2];",
         0},
        {"input Real u; output Real y; Real x(start = 0, fixed = true); equation der(x) = u - x; "
         "y = 2*x - u;",
         0},
        {"input Real u; output Real y(start = 0); Real x(start = 0, fixed = true), V = y^2/2 + "
         "x^2/2 "
         "+ x^4/4; equation der(x) = y; der(y) = u - x - x^3; annotation(__Vincolo(storage = V));",
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int exchange = 0; exchange < 2; exchange++) {
            char text[600];
            vinc_ctx *ctx = vinc_ctx_new(NULL);
            vinc_model *any = NULL, *m = NULL;
            vinc_model_options o = {.exchange = exchange};
            vinc_passivity *told = NULL;
            snprintf(text, sizeof text, "model Port %s end Port;", cases[i].text);
            assert_int_equal(vinc_model_load_text(ctx, "p.mo", text, strlen(text), NULL, &any),
                             VINC_OK);
            assert_int_equal(vinc_model_load_with(ctx, "Port", NULL, &o, &m), VINC_OK);
            assert_int_equal(vinc_passivity_of(m, NULL, &told), VINC_OK);
            assert_int_equal(told->inputs[0][0], exchange ? 'y' : 'u');
            if (told->passive != cases[i].passive)
                fail_msg("%s%s: %s", cases[i].text, exchange ? " exchanged" : "",
                         vinc_report_text(told, VINC_TEXT));
            vinc_report_free(told);
            vinc_model_free(m);
            vinc_model_free(any);
            vinc_ctx_free(ctx);
        }
}

static const char *advice(session *s, const char *method, double h)
{
    vinc_sim *sim = NULL;
    vinc_sim_options run = {.method = method, .step = h};
    vinc_ctx_clear(s->ctx);
    assert_int_equal(vinc_sim_new(s->model, &run, &sim), VINC_OK);
    assert_int_equal(vinc_sim_advise(sim), VINC_OK);
    vinc_sim_free(sim);
    return vinc_ctx_messages(s->ctx);
}

/* x'' = -100 x: half a period is pi/10; seen every 0.5 it looks like |10 - 4 pi| = 2.566 rad/s. rk4
 * is stable on the imaginary axis up to h w = sqrt 8. */
static void warnings_of_steps(void **state)
{
    (void)state;
    session s;
    begin(&s, "model O Real x(start = 1, fixed = true), v(start = 0, fixed = true);"
              "equation der(x) = v; der(v) = -100*x; end O;");
    assert_non_null(strstr(advice(&s, "trapezoid", 0.5), "looks like one of 2.566 rad/s"));
    assert_null(strstr(advice(&s, "trapezoid", 0.5), "stability"));
    assert_string_equal(advice(&s, "trapezoid", 0.3), "");
    assert_non_null(strstr(advice(&s, "rk4", 0.29), "stable up to steps of 0.2828"));
    assert_string_equal(advice(&s, "rk4", 0.28), "");
    assert_non_null(strstr(advice(&s, "euler", 0.1), "take another method"));
    done(&s);
}

/* R(z) = (1 + z/2)/(1 - z/2) of the trapezoidal rule: at z = -50 it is -24/26, at z = 10 i its angle is
 * 2 atan 5. Radau IIA of two stages: R(z) = (1 + z/3)/(1 - 2 z/3 + z^2/6). */
static void modes_by_methods(void **state)
{
    (void)state;
    session s;
    begin(&s,
          "model M Real x(start = 0, fixed = true), p(start = 1, fixed = true), q(start = 0, "
          "fixed = true); equation der(x) = 500*(sin(time) - x); der(p) = 100*q; der(q) = -100*p; "
          "end M;");
    vinc_sim_options run = {.step = 0.1};
    vinc_linear_options o = {.run = &run, .methods = "trapezoid,radau3"};
    vinc_mode_steps *m = NULL;
    assert_int_equal(vinc_mode_steps_of(s.model, &o, &m), VINC_OK);
    assert_int_equal(m->n_rows, 4); // by distance from the origin: 100 i, then -500
    assert_near(m->rows[0].modulus, 1, 1e-12);
    assert_near(m->rows[0].frequency, 10 * 2 * atan(5), 1e-9);
    assert_non_null(strstr(m->rows[0].what, "aliased"));
    assert_near(m->rows[1].modulus, hypot(1, 10.0 / 3) / hypot(1 - 100.0 / 6, 20.0 / 3),
                1e-12); // |1 + 10i/3| / ...
    assert_string_equal(m->rows[1].what, "damped");
    assert_near(m->rows[2].modulus, 24.0 / 26, 1e-12);
    assert_string_equal(m->rows[2].what, "rings with the period 2 h");
    assert_near(m->rows[3].modulus, (50.0 / 3 - 1) / (1 + 100.0 / 3 + 2500.0 / 6), 1e-12);
    assert_string_equal(m->rows[3].what, "damped");
    vinc_report_free(m);
    assert_non_null(strstr(advice(&s, "trapezoid", 0.1), "multiplies it by -0.9231"));
    assert_non_null(strstr(advice(&s, "trapezoid", 0.1), "goes on with it at 27.47 rad/s"));
    assert_null(strstr(advice(&s, "radau3", 0.1), "R152"));
    assert_null(strstr(advice(&s, "trapezoid", 0.003), "R152"));
    o.methods = "bdf";
    assert_int_equal(vinc_mode_steps_of(s.model, &o, &m), VINC_E_OPTION);
    done(&s);

    // And so it is in a run: x - sin t changes its sign in every step and shrinks by 24/26.
    vinc_sim *sim = NULL;
    vinc_sim_options ring = {.method = "trapezoid", .step = 0.1, .has_stop = 1, .t_stop = 2};
    begin(&s, "model M Real x(start = 1, fixed = true); equation der(x) = -500*x; end M;");
    assert_int_equal(vinc_sim_new(s.model, &ring, &sim), VINC_OK);
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    assert_near(vinc_result_at(vinc_sim_result(sim), "x", 1.9), -pow(24.0 / 26, 19), 1e-12);
    vinc_sim_free(sim);
    done(&s);
}

/* Two masses of which the first is held by k1: s^4 + (k2/m2 + (k1 + k2)/m1) s^2 + k1 k2/(m1 m2) = 0, the
 * smaller root without cancellation; for k1 = infinity it is -k2/m2. Along a run: x' = -(1 + t) x has
 * the eigenvalue -(1 + t). */
static void eigenvalues_of_a_sweep(void **state)
{
    (void)state;
    session s;
    vinc_locus *x = NULL;
    begin(&s,
          "model T parameter Real k1 = 1; Real x1(start = 0, fixed = true), x2(start = 1, fixed = "
          "true), v1(start = 0, fixed = true), v2(start = 0, fixed = true), f; equation der(x1) = "
          "v1; der(x2) = v2; f = 5*(x2 - x1); 2*der(v1) = f - k1*x1; 3*der(v2) = -f; end T;");
    vinc_linear_options o = {.sweep = "k1=1,30,1e4,1e8,1e12"};
    assert_int_equal(vinc_locus_of(s.model, &o, &x), VINC_OK);
    assert_int_equal(x->n_rows, 5);
    for (int i = 0; i < x->n_rows; i++) {
        double k = x->rows[i].value, p = (5.0 / 3 + (k + 5) / 2) / 2, q = k * 5 / 6;
        double fast = p + sqrt(p * p - q), slow = q / fast;
        assert_int_equal(x->rows[i].n, 4);
        assert_near(x->rows[i].im[0] / sqrt(slow), 1, 1e-10);
        assert_near(x->rows[i].im[2] / sqrt(fast), 1, 1e-10);
    }
    vinc_report_free(x);
    static const char *const wrong[] = {"k1", "k1=", "k1=1,b", "=1", "k9=1", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.sweep = wrong[i];
        assert_int_equal(vinc_locus_of(s.model, &o, &x), VINC_E_OPTION);
    }
    done(&s);
    begin(&s, "model V Real x(start = 1, fixed = true); equation der(x) = -(1 + time)*x; end V;");
    o.sweep = "time=0,0.5,2";
    assert_int_equal(vinc_locus_of(s.model, &o, &x), VINC_OK);
    for (int i = 0; i < 3; i++) assert_near(x->rows[i].re[0], -1 - x->rows[i].value, 1e-12);
    vinc_report_free(x);
    done(&s);
}

static void what_is_missing(void **state)
{
    (void)state;
    session s;
    const char *r = "";
    begin(&s, "model S Real x(start = 1, fixed = true); equation der(x) = -x; end S;");
    vinc_sim_options run = {.step = 0.1};
    vinc_convergence_options o = {.run = &run};
    assert_int_equal(vinc_model_convergence(s.model, &o, VINC_JSON, &r), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(s.ctx), "--method rk4 --step 0.1"));
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observed_orders),     cmocka_unit_test(orders_of_unknowns),
        cmocka_unit_test(contraction_factors), cmocka_unit_test(contractive_problems),
        cmocka_unit_test(chosen_norms),        cmocka_unit_test(heat_in_norms),
        cmocka_unit_test(stabilised),          cmocka_unit_test(exchanged_ports),
        cmocka_unit_test(modes_by_methods),    cmocka_unit_test(eigenvalues_of_a_sweep),
        cmocka_unit_test(warnings_of_steps),   cmocka_unit_test(what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
