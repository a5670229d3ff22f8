/* What is collected, against closed forms, at the tolerance of the run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo_sweep.h"

/* x = cos(w t), v = -w sin(w t); y and u have no derivative among the variables. */
static const char oscillator[] =
    "model O parameter Real w = 1; Real x(start=1,fixed=true), v(start=0,fixed=true); Real y = x^2;"
    " Real u = 3*x - 1; equation der(x) = v; der(v) = -w^2*x; end O;";
/* h = 1 - g t^2/2 until it hits the ground; then v is halved. */
static const char ball[] =
    "model B parameter Real w = 8; Real h(start=1,fixed=true), v(start=0,fixed=true);"
    " Boolean up = v > 0; discrete Integer n(start=0,fixed=true); equation der(h) = v; der(v) = -w;"
    " when h < 0 then reinit(v, -0.5*pre(v)); n = pre(n) + 1; end when; end B;";
static const char rest[] = "model R parameter Real w = 2; Real x; equation x = w + time; end R;";

typedef struct kept {
    double values[40];
    int status, n;
} kept;

static int keep_row(void *user, const vinc_sweep_row *row)
{
    kept *k = user;
    memcpy(k->values, row->values, (size_t)k->n * sizeof(double));
    k->status = row->status;
    return 0;
}

static void collect(const char *model, double w, double stop, double tol, const char *method,
                    const char *words, int n, kept *k)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = NULL;
    assert_int_equal(vinc_model_load_text(ctx, "m.mo", model, strlen(model), NULL, &m), VINC_OK);
    char vary[40];
    snprintf(vary, sizeof vary, "w=%.17g", w);
    const char *list[] = {vary};
    vinc_sim_options run = {.has_stop = 1, .t_stop = stop, .rel_tol = tol, .method = method};
    *k = (kept){.n = n};
    vinc_sweep_options o = {.run = &run,
                            .vary = list,
                            .n_vary = 1,
                            .collect = words,
                            .jobs = 1,
                            .row = keep_row,
                            .user = k};
    vinc_sweep *sweep = NULL;
    int rc = vinc_sweep_of(m, &o, &sweep);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    assert_int_equal(sweep->n_values, n);
    assert_int_equal(k->status, VINC_OK);
    vinc_report_free(sweep);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

/* Methods with one step and several, whose steps are long or short beside the period. */
static void oscillations(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri8", "dopri5", "radau5", "bdf"};
    const double w = 3, T = 4; // 1.9 periods
    for (int i = 0; i < 4; i++) {
        kept k;
        double tol = 1e-8, e = 2000 * tol; // errors of the steps add up over the run
        collect(
            oscillator, w, T, tol, methods[i],
            "max(v); min(x); argmin(x + 0.01*time); first(x < 0); first(x < -0.999); count(x < 0);"
            " mean(x); rms(x); integral(v^2); at(x, 1.25); final(v); initial(x);"
            " max(y); min(u); range(v); duration(x > 0.5); count(abs(x) > 0.9999);"
            " argmax(u - 0.01*time); first(x > 2); max(x)*2 - 1; first(u < -3.999)",
            21, &k);
        const double *x = k.values;
        assert_near(x[0], w, w * e);
        assert_near(x[1], -1, e);
        // sin(w t) = 0.01/w; flat there: an error of e is one of sqrt(e)
        assert_near(x[2], (M_PI - asin(0.01 / w)) / w, 1e-4);
        assert_near(x[3], M_PI / 2 / w, e);
        assert_near(x[4], acos(-0.999) / w, 50 * e);
        assert_near(x[5], 2, 0); // cos 3t < 0 from pi/6 and from 5 pi/6
        assert_near(x[6], sin(w * T) / (w * T), e);
        assert_near(x[7], sqrt(0.5 + sin(2 * w * T) / (4 * w * T)), e);
        assert_near(x[8], w * w * (T / 2 - sin(2 * w * T) / (4 * w)), w * w * T * e);
        assert_near(x[9], cos(w * 1.25), e);
        assert_near(x[10], -w * sin(w * T), w * e);
        assert_near(x[11], 1, 0);
        assert_near(x[12], 1, e);
        assert_near(x[13], -4, 3 * e);
        assert_near(x[14], 2 * w, 2 * w * e);
        // from 0 to pi/9, 5 pi/9 to 7 pi/9, 11 pi/9 to 4
        assert_near(x[15], M_PI / 9 + 2 * M_PI / 9 + (4 - 11 * M_PI / 9), 10 * e);
        assert_near(x[16], 4, 0); // at the start, pi/3, 2 pi/3, pi, and not yet 4 pi/3
        assert_near(x[17], 0, 0);
        assert_true(isnan(x[18])); // never
        assert_near(x[19], 1, 2 * e);
        assert_near(x[20], acos(-0.999666666666666666) / w, 100 * e);
    }
}

/* Events: one-sided values, extremes of what jumps, Booleans and integers, the count. With g = 8 it
 * hits the ground at t = 1/2 with v = -4, flies up with 2 to 1/4 and is back at t = 1, then up with 1 to
 * 1/16 and back at 5/4. */
static void bounces_of_a_ball(void **state)
{
    (void)state;
    kept k;
    const double e = 1e-6;
    collect(ball, 8, 1.2, 1e-9, NULL,
            "min(v); max(v); first(v > 1); count(up); duration(up); first(n > 0); integral(h); "
            "argmax(v);"
            " final(n); first(up and h > 0.2); first(not (h > 0.75 or up)); count(h < 0.05)",
            12, &k);
    const double *x = k.values;
    assert_near(x[0], -4, e);
    assert_near(x[1], 2, e);
    assert_near(x[2], 0.5, e);
    assert_near(x[3], 2, 0);
    assert_near(x[4], 0.25 + 0.125, e); // to the top of each flight
    assert_near(x[5], 0.5, e);
    // 1/3 of the first fall; the arc of 1/4 high and 1/2 long: 2/3 of its box; the last one to t = 1.2
    double part = 1 * 0.2 * 0.2 / 2 - 8 * 0.2 * 0.2 * 0.2 / 6;
    assert_near(x[6], 1.0 / 3 + 2.0 / 3 * 0.25 * 0.5 + part, e);
    assert_near(x[7], 0.5, e);
    assert_near(x[8], 2, 0);
    // h = 2 s - 4 s^2 = 0.2: s = (1 - sqrt(0.2))/4
    assert_near(x[9], 0.5 + (1 - sqrt(0.2)) / 4, e);
    assert_near(x[10], 0.25, e); // 1 - 4 t^2 = 0.75
    assert_near(x[11], 3, 0);    // falling, three times; at a bounce it stays
}

static void no_time_passes(void **state)
{
    (void)state;
    kept k;
    collect(rest, 2, 0, 1e-6, NULL,
            "max(x); mean(x); at(x, 0); integral(x); initial(x); first(x > 1); rms(x)", 7, &k);
    const double expected[] = {2, 2, 2, 0, 2, 0, 2};
    for (int i = 0; i < 7; i++) assert_near(k.values[i], expected[i], 0);
    collect(rest, 2, 3, 1e-6, NULL,
            "max(x); mean(x); at(x, 1); integral(x); initial(x); first(x > 3); max(time)", 7, &k);
    const double later[] = {5, 3.5, 3, 10.5, 2, 1, 3};
    for (int i = 0; i < 7; i++) assert_near(k.values[i], later[i], 1e-9);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"max(x", "')'"},
        {"max x", "';'"},
        {"", "missing"},
        {"max(x); max(x)", "twice"},
        {"largest(x)", "no function"},
        {"max(min(x))", "inside"},
        {"max(x < 1)", "condition"},
        {"at(x)", "','"},
        {"at(x, t)", "number"},
        {"at(x, 2)", "outside"},
        {"at(x, -1)", "outside"},
        {"max(xx)", "did you mean 'x'"},
        {"final(x) + ", "missing"},
        {"final(x))", "';'"},
        {"max(2 ^ )", "expected"},
        {"first(x <)", "expected"},
        {"a.b[1", "';'"},
        {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", "deeply"},
        {"max(----------------------------------------------------------1)", "deeply"},
    };
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = NULL;
    assert_int_equal(vinc_model_load_text(ctx, "m.mo", oscillator, strlen(oscillator), NULL, &m),
                     VINC_OK);
    const char *vary[] = {"w=1,2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vinc_sweep_options o = {.vary = vary, .n_vary = 1, .collect = wrong[i][0]};
        vinc_sweep *sweep = NULL;
        vinc_ctx_clear(ctx);
        int rc = vinc_sweep_of(m, &o, &sweep);
        if (rc != VINC_E_OPTION || !strstr(vinc_ctx_messages(ctx), wrong[i][1]))
            fail_msg("'%s': %d %s", wrong[i][0], rc, vinc_ctx_messages(ctx));
        assert_null(sweep);
    }
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillations),
        cmocka_unit_test(bounces_of_a_ball),
        cmocka_unit_test(no_time_passes),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
