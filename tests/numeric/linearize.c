/* Models linearized: against closed forms, and the eigenvalues against the model as written where
 * it is linear.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

/* The entry-th number behind '"key": '. */
static double number(const char *report, const char *key, int entry)
{
    char pattern[60];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(report, pattern);
    assert_non_null(at);
    at += strlen(pattern);
    for (;; at++) {
        while (*at == '[' || *at == ' ' || *at == ',' || *at == ']') at++;
        char *end = NULL;
        double x = strtod(at, &end);
        assert_true(end > at);
        if (!entry--) return x;
        at = end;
    }
}

typedef struct session {
    vinc_ctx *ctx;
    vinc_model *model;
} session;

static const char *linearize(session *s, const char *text, const vinc_linear_options *o)
{
    const char *report = "";
    s->ctx = vinc_ctx_new(NULL);
    int rc = vinc_model_load_text(s->ctx, "test.mo", text, strlen(text), NULL, &s->model);
    if (!rc) rc = vinc_model_linearize(s->model, o, VINC_JSON, &report);
    if (rc) print_error("%s", vinc_ctx_messages(s->ctx));
    assert_int_equal(rc, VINC_OK);
    return report;
}

static void done(session *s)
{
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

static const char pendulum[] =
    "model P Real x(start = 1, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy, F;"
    "equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;"
    "end P;";

/* At rest x'' = -9.81 x. */
static void equilibrium_of_pendulum(void **state)
{
    (void)state;
    session s;
    const char *r = linearize(&s, pendulum, &(vinc_linear_options){.at = VINC_AT_EQUILIBRIUM});
    assert_non_null(strstr(r, "\"states\": [\"x\", \"vx\"]"));
    const double a[] = {0, 1, -9.81, 0};
    for (int i = 0; i < 4; i++) assert_near(number(r, "A", i), a[i], 1e-9);
    assert_near(fabs(number(r, "eigenvalue", 1)), sqrt(9.81), 1e-9);
    done(&s);
}

/* In motion, with the state y: y'' = -g (1 - y^2) - y v^2 / (1 - y^2), so
 * dy''/dy = 2 g y - v^2 (1 + y^2) / (1 - y^2)^2 and dy''/dv = -2 y v / (1 - y^2). */
static void pendulum_in_motion(void **state)
{
    (void)state;
    session s;
    vinc_sim_options run = {.has_stop = 1, .t_stop = 1.3, .rel_tol = 1e-10};
    const char *r =
        linearize(&s, pendulum, &(vinc_linear_options){.run = &run, .at = VINC_AT_STOP});
    assert_non_null(strstr(r, "\"states\": [\"y\", \"vy\"]"));
    double y = number(r, "x", 0), v = number(r, "x", 1), c = 1 - y * y;
    assert_near(number(r, "A", 0), 0, 1e-10);
    assert_near(number(r, "A", 1), 1, 1e-10);
    assert_near(number(r, "A", 2), 2 * 9.81 * y - v * v * (1 + y * y) / (c * c), 1e-8);
    assert_near(number(r, "A", 3), -2 * y * v / c, 1e-8);
    done(&s);
}

/* m a + c v + k x = F; m = 2, c = 0.4, k = 8; outputs v and a. */
static void inputs_and_outputs(void **state)
{
    (void)state;
    session s;
    const char *r = linearize(&s,
                              "model M input Real F; output Real v, a; Real x(start = 1);"
                              "equation v = der(x); a = der(v); 2*a + 0.4*v + 8*x = F; end M;",
                              NULL);
    const double a[] = {0, 1, -4, -0.2};
    for (int i = 0; i < 4; i++) assert_near(number(r, "A", i), a[i], 1e-12);
    assert_near(number(r, "B", 1), 0.5, 1e-12);
    assert_near(number(r, "C", 1), 1, 1e-12);  // v
    assert_near(number(r, "C", 2), -4, 1e-12); // a
    assert_near(number(r, "D", 1), 0.5, 1e-12);
    assert_near(number(r, "damping", 0), 0.05, 1e-12);
    assert_near(number(r, "frequency", 0), 2, 1e-12);
    done(&s);
}

/* Two masses on springs, fixed to each other by a rigid rod: one degree of freedom remains,
 * (1 + 2) x'' = -(3 + 6) x. */
static void constrained_masses(void **state)
{
    (void)state;
    session s;
    const char *r =
        linearize(&s,
                  "model C Real a(start = 0), b(start = 1), f; equation "
                  "1*der(der(a)) = -3*a + f; 2*der(der(b)) = -6*(b - 1) - f; b = a + 1; end C;",
                  NULL);
    assert_near(number(r, "eigenvalue", 0), 0, 1e-12);
    assert_near(fabs(number(r, "eigenvalue", 1)), sqrt(3), 1e-12);
    done(&s);
}

static void no_equilibrium(void **state)
{
    (void)state;
    const char *report = "", *text = "model N Real x; equation der(x) = 1 + x^2; end N;";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    assert_int_equal(vinc_model_load_text(ctx, "test.mo", text, strlen(text), NULL, &model), 0);
    vinc_linear_options o = {.at = VINC_AT_EQUILIBRIUM};
    assert_int_equal(vinc_model_linearize(model, &o, VINC_JSON, &report), VINC_E_NEWTON);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "no equilibrium was found"));
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* examples/passivity/ports.mo: verdict, kind, and where it is exact the energy supplied. */
static void passivity_of_models(void **state)
{
    (void)state;
    static const struct {
        const char *name, *passive, *kind, *how;
    } cases[] = {
        {"Resistor", "true", "memoryless", "Hamiltonian"},
        {"RC", "true", "storage-limited", "Hamiltonian"},
        {"LC", "true", "lossless", "Hamiltonian"},
        {"Parallel", "true", "storage-limited", "Hamiltonian"},
        {"Late", "false", "active", "Hamiltonian"},
        {"Pendulum", "true", "storage-limited", "storage function"},
        {"VanDerPol", "false", "active", "linearization"},
        {"Cubic", "true", "memoryless", "power along the run"},
    };
    char path[500];
    snprintf(path, sizeof path, "%s/examples/passivity/ports.mo", VINCOLO_ROOT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[100];
        const char *r = "";
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *model = NULL;
        assert_int_equal(vinc_model_load(ctx, path, cases[i].name, &model), VINC_OK);
        int rc = vinc_model_passivity(model, NULL, VINC_JSON, &r);
        if (rc) print_error("%s", vinc_ctx_messages(ctx));
        assert_int_equal(rc, VINC_OK);
        snprintf(words, sizeof words, "\"passive\": %s, \"kind\": \"%s\"", cases[i].passive,
                 cases[i].kind);
        if (!strstr(r, words) || !strstr(r, cases[i].how)) fail_msg("%s: %s", cases[i].name, r);
        // What is supplied to a lossless circuit is stored: nothing is dissipated.
        if (!strcmp(cases[i].kind, "lossless"))
            assert_near(number(r, "dissipated", 0), 0, 1e-6 * number(r, "supplied", 0));
        vinc_model_free(model);
        vinc_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibrium_of_pendulum), cmocka_unit_test(pendulum_in_motion),
        cmocka_unit_test(inputs_and_outputs),      cmocka_unit_test(constrained_masses),
        cmocka_unit_test(no_equilibrium),          cmocka_unit_test(passivity_of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
