/* Models linearized: against closed forms, and the eigenvalues against the model as written where
 * it is linear.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

typedef struct session {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_linear *l;
} session;

static const vinc_linear *linearize(session *s, const char *text, const vinc_linear_options *o)
{
    s->l = NULL;
    s->ctx = vinc_ctx_new(NULL);
    int rc = vinc_model_load_text(s->ctx, "test.mo", text, strlen(text), NULL, &s->model);
    if (!rc) rc = vinc_linear_of(s->model, o, &s->l);
    if (rc) print_error("%s", vinc_ctx_messages(s->ctx));
    assert_int_equal(rc, VINC_OK);
    return s->l;
}

static void done(session *s)
{
    vinc_report_free(s->l);
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

static const char pendulum[] =
    "model P Real x(start = 1, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy, F;"
    "equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;"
    "end P;";

static void states_are(const vinc_linear *l, const char *a, const char *b)
{
    assert_int_equal(l->n_states, 2);
    assert_string_equal(l->states[0], a);
    assert_string_equal(l->states[1], b);
}

/* Two by two, given by rows. */
static void matrix_is(const double *by_columns, const double *by_rows, double within)
{
    for (int i = 0; i < 4; i++) assert_near(by_columns[i / 2 + 2 * (i % 2)], by_rows[i], within);
}

/* At rest x'' = -9.81 x. */
static void equilibrium_of_pendulum(void **state)
{
    (void)state;
    session s;
    const vinc_linear *l =
        linearize(&s, pendulum, &(vinc_linear_options){.at = VINC_AT_EQUILIBRIUM});
    states_are(l, "x", "vx");
    const double a[] = {0, 1, -9.81, 0};
    matrix_is(l->a, a, 1e-9);
    assert_near(fabs(l->modes[0].im), sqrt(9.81), 1e-9);
    done(&s);
}

/* x'' = -k x - x': -1/2 +- i sqrt(k - 1/4), however stiff; written as it stands, and with the force as
 * a variable, in units that have nothing to do with those of x. */
static void stiff_spring(void **state)
{
    (void)state;
    static const char *const models[] = {
        "model M parameter Real k = %g; Real x(start = 1, fixed = true), v(start = 0, fixed = "
        "true);"
        "equation der(x) = v; der(v) = -k*x - v; end M;",
        "model M parameter Real k = %g; Real x(start = 1, fixed = true), v(start = 0, fixed = "
        "true),"
        "F, G; equation der(x) = v; der(v) = -F - v; F + 1e-3*G = k*x; G - 1e-3*F = 0; end M;"};
    static const double stiffness[] = {1, 1e6, 1e12, 1e15};
    for (int i = 0; i < 8; i++) {
        char words[400];
        session s;
        double k = stiffness[i / 2];
        snprintf(words, sizeof words, models[i % 2], k);
        const vinc_linear *l = linearize(&s, words, &(vinc_linear_options){.at = VINC_AT_START});
        states_are(l, "x", "v");
        if (i % 2) k /= 1 + 1e-6;
        assert_near(l->a[2], 1, 1e-12);
        assert_near(l->a[1] / -k, 1, 1e-12);
        if (k < 1e13) assert_near(l->a[3], -1, 1e-3);
        assert_near(fabs(l->modes[0].im) / sqrt(k - 0.25), 1, 1e-9);
        done(&s);
    }
}

/* In motion, with the state y: y'' = -g (1 - y^2) - y v^2 / (1 - y^2), so
 * dy''/dy = 2 g y - v^2 (1 + y^2) / (1 - y^2)^2 and dy''/dv = -2 y v / (1 - y^2). */
static void pendulum_in_motion(void **state)
{
    (void)state;
    session s;
    vinc_sim_options run = {.has_stop = 1, .t_stop = 1.3, .rel_tol = 1e-10};
    const vinc_linear *l =
        linearize(&s, pendulum, &(vinc_linear_options){.run = &run, .at = VINC_AT_STOP});
    states_are(l, "y", "vy");
    double y = l->x[0], v = l->x[1], c = 1 - y * y;
    assert_near(l->a[0], 0, 1e-10);
    assert_near(l->a[2], 1, 1e-10);
    assert_near(l->a[1], 2 * 9.81 * y - v * v * (1 + y * y) / (c * c), 1e-8);
    assert_near(l->a[3], -2 * y * v / c, 1e-8);
    done(&s);
}

/* m a + c v + k x = F; m = 2, c = 0.4, k = 8; outputs v and a. */
static void inputs_and_outputs(void **state)
{
    (void)state;
    session s;
    const vinc_linear *l =
        linearize(&s,
                  "model M input Real F; output Real v, a; Real x(start = 1);"
                  "equation v = der(x); a = der(v); 2*a + 0.4*v + 8*x = F; end M;",
                  NULL);
    const double a[] = {0, 1, -4, -0.2};
    matrix_is(l->a, a, 1e-12);
    assert_near(l->b[1], 0.5, 1e-12);
    assert_near(l->c[2], 1, 1e-12);  // v
    assert_near(l->c[1], -4, 1e-12); // a
    assert_near(l->d[1], 0.5, 1e-12);
    assert_near(l->modes[0].damping, 0.05, 1e-12);
    assert_near(l->modes[0].frequency, 2, 1e-12);
    done(&s);
}

/* Two masses on springs, fixed to each other by a rigid rod: one degree of freedom remains,
 * (1 + 2) x'' = -(3 + 6) x. */
static void constrained_masses(void **state)
{
    (void)state;
    session s;
    const vinc_linear *l =
        linearize(&s,
                  "model C Real a(start = 0), b(start = 1), f; equation "
                  "1*der(der(a)) = -3*a + f; 2*der(der(b)) = -6*(b - 1) - f; b = a + 1; end C;",
                  NULL);
    assert_near(l->modes[0].re, 0, 1e-12);
    assert_near(fabs(l->modes[0].im), sqrt(3), 1e-12);
    done(&s);
}

static void no_equilibrium(void **state)
{
    (void)state;
    const char *text = "model N Real x; equation der(x) = 1 + x^2; end N;";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    assert_int_equal(vinc_model_load_text(ctx, "test.mo", text, strlen(text), NULL, &model), 0);
    vinc_linear_options o = {.at = VINC_AT_EQUILIBRIUM};
    vinc_linear *l = NULL;
    assert_int_equal(vinc_linear_of(model, &o, &l), VINC_E_NEWTON);
    assert_null(l);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "no equilibrium was found"));
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* examples/passivity/ports.mo: verdict, kind, and where it is exact the energy supplied. */
static void passivity_of_models(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int passive;
        const char *kind, *how;
    } cases[] = {
        {"Resistor", 1, "memoryless", "Hamiltonian"},
        {"RC", 1, "storage-limited", "Hamiltonian"},
        {"LC", 1, "lossless", "Hamiltonian"},
        {"Parallel", 1, "storage-limited", "Hamiltonian"},
        {"Late", 0, "active", "Hamiltonian"},
        {"Pendulum", 1, "storage-limited", "storage function"},
        {"VanDerPol", 0, "active", "linearization"},
        {"Cubic", 1, "memoryless", "power along the run"},
    };
    char path[500];
    snprintf(path, sizeof path, "%s/examples/passivity/ports.mo", VINCOLO_ROOT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vinc_passivity *p = NULL;
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *model = NULL;
        assert_int_equal(vinc_model_load(ctx, path, cases[i].name, &model), VINC_OK);
        int rc = vinc_passivity_of(model, NULL, &p);
        if (rc) print_error("%s", vinc_ctx_messages(ctx));
        assert_int_equal(rc, VINC_OK);
        assert_int_equal(p->passive, cases[i].passive);
        assert_string_equal(p->kind, cases[i].kind);
        assert_non_null(strstr(p->how, cases[i].how));
        // What is supplied to a lossless circuit is stored: nothing is dissipated.
        if (!strcmp(cases[i].kind, "lossless")) assert_near(p->dissipated, 0, 1e-6 * p->supplied);
        vinc_report_free(p);
        vinc_model_free(model);
        vinc_ctx_free(ctx);
    }
}

/* Verdicts and what they rest on. In closed form:
 *
 *   u - 0.1 u^3, u - 1e-4 u^3   u y < 0 for u^2 > 10, 1e4
 *   x - 0.05 x^3                u y = (x' + x) y: W' + x^2 - x^4/20 with W = x^2/2 - x^4/80, negative
 *                               for long where |x| > sqrt(20)
 *   x + 0.05 x^3                the same with plus signs
 *   pendulum, standing          V = w^2/2 + g (1 + cos phi), V' = u w - 0.1 w^2: what comes out was stored */
static void what_passivity_rests_on(void **state)
{
    (void)state;
    static const struct {
        const char *words, *basis;
        int passive;
    } cases[] = {
        {"equation y = 2*u;", "proved", 1},
        {"equation y = -2*u;", "proved", 0},
        {"Real x(start = 0, fixed = true), E = x^2; equation der(x) = u - x; y = x/3;", "proved",
         1},
        {"Real x(start = 0, fixed = true); equation der(x) = u + 0.2*x; y = x;", "proved", 0},
        {"equation y = u + u^3;", "not refuted", 1},
        {"equation y = u - 0.1*u^3;", "refuted", 0},
        {"equation y = u - 1e-4*u^3;", "refuted", 0},
        {"Real x(start = 0, fixed = true); equation der(x) = u - x; y = x + 0.05*x^3;",
         "not refuted", 1},
        {"Real x(start = 0, fixed = true); equation der(x) = u - x; y = x - 0.05*x^3;", "refuted",
         0},
        {"Real phi(start = 0, fixed = true), V = y^2/2 + 9.81*(1 + cos(phi));"
         "equation der(phi) = y; der(y) = u + 9.81*sin(phi) - 0.1*y;"
         "annotation(__Vincolo(storage = V));",
         "not refuted", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[400];
        vinc_passivity *p = NULL;
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *model = NULL;
        snprintf(words, sizeof words, "model M input Real u; output Real y; %s end M;",
                 cases[i].words);
        assert_int_equal(vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &model),
                         VINC_OK);
        assert_int_equal(vinc_passivity_of(model, NULL, &p), VINC_OK);
        if (p->passive != cases[i].passive || strcmp(p->basis, cases[i].basis))
            fail_msg("%s\n%s", cases[i].words, vinc_report_text(p, VINC_TEXT));
        assert_true(strcmp(p->basis, "not refuted") ? p->n_runs > 0 : p->n_runs > 5);
        assert_string_equal(vinc_ctx_messages(ctx), "");
        vinc_report_free(p);
        vinc_model_free(model);
        vinc_ctx_free(ctx);
    }
}

/* A rod of n cells between ends at 0: A = n^2 tridiag(1, -2, 1), eigenvalues
 * -4 n^2 sin^2(k pi/(2 (n + 1))) (Iserles, A First Course in the Numerical Analysis of Differential
 * Equations, lemma 12.5). With n^4 operations in choosing the states this would take half a minute. */
static void many_states(void **state)
{
    (void)state;
    enum { N = 250 };
    session s;
    const vinc_linear *l = linearize(
        &s,
        "model R constant Integer n = 250; Real T[n](each start = 1, each fixed = true), q[n + "
        "1];\n"
        "equation q[1] = -n*T[1]; for i in 2:n loop q[i] = n*(T[i - 1] - T[i]); end for;\n"
        "q[n + 1] = n*T[n]; for i in 1:n loop der(T[i]) = n*(q[i] - q[i + 1]); end for; end R;",
        NULL);
    assert_int_equal(l->n_states, N);
    double slow = -INFINITY, fast = 0, pi = acos(-1);
    for (int i = 0; i < l->n_modes; i++) {
        slow = fmax(slow, l->modes[i].re);
        fast = fmin(fast, l->modes[i].re);
    }
    double first = sin(pi / (2 * (N + 1))), last = sin(N * pi / (2 * (N + 1)));
    assert_near(slow, -4.0 * N * N * first * first, 1e-6);
    assert_near(fast, -4.0 * N * N * last * last, 1e-6);
    done(&s);
}

/* A hanging chain of n equal links: omega^2 l/g are the zeros of Laguerre's polynomial of degree n, here the
 * smallest for n = 32 by bisection with 40 digits. So many coordinates have multipliers in place of a choice. */
static void hanging_chain(void **state)
{
    (void)state;
    session s;
    const vinc_linear *l = linearize(
        &s,
        "model C constant Integer n = 32; constant Real l = 1/n; Real x[n], y[n](start = {-i*l for "
        "i "
        "in 1:n}), u[n], v[n], f[n];\n"
        "equation for i in 1:n loop der(x[i]) = u[i]; der(y[i]) = v[i];\n"
        "der(u[i]) = -(x[i] - (if i > 1 then x[i - 1] else 0))*f[i] + (if i < n then (x[i + 1] - "
        "x[i])*f[i + 1] else 0);\n"
        "der(v[i]) = -9.81 - (y[i] - (if i > 1 then y[i - 1] else 0))*f[i] + (if i < n then (y[i + "
        "1] "
        "- y[i])*f[i + 1] else 0);\n"
        "(x[i] - (if i > 1 then x[i - 1] else 0))^2 + (y[i] - (if i > 1 then y[i - 1] else 0))^2 = "
        "l^2;\n"
        "end for; end C;",
        NULL);
    assert_int_equal(l->n_states, 64);
    double slow = INFINITY;
    for (int i = 0; i < l->n_modes; i++) slow = fmin(slow, fabs(l->modes[i].im));
    assert_near(slow, 3.7371247935249878, 1e-7);
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibrium_of_pendulum),
        cmocka_unit_test(stiff_spring),
        cmocka_unit_test(pendulum_in_motion),
        cmocka_unit_test(inputs_and_outputs),
        cmocka_unit_test(constrained_masses),
        cmocka_unit_test(no_equilibrium),
        cmocka_unit_test(passivity_of_models),
        cmocka_unit_test(what_passivity_rests_on),
        cmocka_unit_test(many_states),
        cmocka_unit_test(hanging_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
