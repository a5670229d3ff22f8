/* Transfer functions, margins, modes reached and seen, gains of least cost: against closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "pencil/channel.h"
#include "vincolo.h"

typedef struct session {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_control *told;
} session;

static int ask(session *s, const char *text, const vinc_linear_options *o)
{
    *s = (session){.ctx = vinc_ctx_new(NULL)};
    assert_int_equal(vinc_model_load_text(s->ctx, "test.mo", text, strlen(text), NULL, &s->model),
                     VINC_OK);
    return vinc_control_of(s->model, o, &s->told);
}

static void done(session *s)
{
    vinc_report_free(s->told);
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

/* k / (s (s + a) (s + b)): G = -1 for the factor a b (a + b)/k, at sqrt(a b). The phase margin by the
 * sum of angles where the size is 1. */
static void margins_of_a_servo(void **state)
{
    (void)state;
    session s;
    const double a = 2, b = 30, k = 70;
    assert_int_equal(ask(&s,
                         "model M input Real u; output Real y; Real v, w; equation der(y) = v; "
                         "der(v) = w - 2*v; der(w) = 70*u - 30*w; end M;",
                         NULL),
                     VINC_OK);
    const vinc_channel *c = s.told->channels;
    assert_int_equal(s.told->n_channels, 1);
    assert_int_equal(c->n_zeros, 0);
    assert_int_equal(c->n_poles, 3);
    assert_near(c->gain, k, 1e-10);
    const double poles[] = {0, -a, -b}, den[] = {1, a + b, a * b, 0};
    for (int i = 0; i < 3; i++) assert_near(c->pole_re[i], poles[i], 1e-12);
    for (int i = 0; i < 4; i++) assert_near(c->den[i], den[i], 1e-10);
    assert_true(isinf(c->steady));
    assert_near(c->gain_margin, a * b * (a + b) / k, 1e-9);
    assert_near(c->gain_margin_at, sqrt(a * b), 1e-9);
    double w = c->phase_margin_at;
    assert_near(k / (w * hypot(w, a) * hypot(w, b)), 1, 1e-10);
    assert_near(c->phase_margin, 90 - (atan(w / a) + atan(w / b)) * 180 / M_PI, 1e-9);
    assert_int_equal(c->closed_stable, 1); // k < a b (a + b)
    assert_string_equal(c->formula, "70 / [s (s + 2) (s + 30)]");
    done(&s);
}

/* Two masses and a spring, pushed at the first: seen there zeros at +- i sqrt(k/m2), at the other
 * mass none; poles 0, 0, +- i sqrt(k (1/m1 + 1/m2)). */
static void zeros_of_two_masses(void **state)
{
    (void)state;
    session s;
    vinc_linear_options o = {.vars = "x1, x2"};
    assert_int_equal(ask(&s,
                         "model M input Real F; Real x1, v1, x2, v2; equation der(x1) = v1; "
                         "der(x2) = v2; 2*der(v1) = F - 8*(x1 - x2); 3*der(v2) = 8*(x1 - x2); "
                         "end M;",
                         &o),
                     VINC_OK);
    assert_int_equal(s.told->n_channels, 2);
    const vinc_channel *here = &s.told->channels[0], *there = &s.told->channels[1];
    assert_int_equal(here->n_zeros, 2);
    assert_near(fabs(here->zero_im[0]), sqrt(8.0 / 3), 1e-9);
    assert_near(here->zero_re[0], 0, 1e-9);
    assert_near(here->gain, 0.5, 1e-12);
    assert_int_equal(there->n_zeros, 0);
    assert_near(there->gain, 8.0 / 6, 1e-12);
    double fast = 0;
    for (int i = 0; i < there->n_poles; i++) fast = fmax(fast, there->pole_im[i]);
    assert_near(fast, sqrt(8 * (1.0 / 2 + 1.0 / 3)), 1e-12);
    for (int i = 0; i < s.told->n_modes; i++)
        assert_true(s.told->modes[i].reached && s.told->modes[i].seen);
    done(&s);
}

/* Multiple roots, which eigenvalues find to a root of round-off only: 1/s^3, 1/(s + 1)^4, and three
 * carts in a row with k/d = 92.5 between them, pushed at one end and seen at the other: zeros -k/d
 * twice, two poles at the origin. */
static void multiple_roots(void **state)
{
    (void)state;
    session s;
    assert_int_equal(ask(&s,
                         "model M input Real u; output Real y = a[4]; output Real z = q[3]; Real "
                         "a[4], q[3]; equation der(a) = cat(1, {u}, a[1:3]) - a; der(q) = cat(1, "
                         "{u}, q[1:2]); end M;",
                         NULL),
                     VINC_OK);
    const vinc_channel *lags = &s.told->channels[0], *integrators = &s.told->channels[1];
    assert_string_equal(integrators->formula, "1 / s^3");
    assert_int_equal(lags->n_poles, 4);
    for (int i = 0; i < 4; i++) assert_near(lags->pole_re[i], -1, 1e-12);
    assert_near(lags->gain_margin, 4, 1e-9); // |1 + i|^4 where the phase is -180
    done(&s);
    assert_int_equal(
        ask(&s,
            "model M parameter Real m[3] = {1.3, 2.1, 0.7}; input Real F; output Real "
            "y = x[3]; Real x[3], v[3]; Real g[2] = 37*(x[1:2] - x[2:3]) + 0.4*(v[1:2] "
            "- v[2:3]); equation der(x) = v; m.*der(v) = {F - g[1], g[1] - g[2], "
            "g[2]}; end M;",
            NULL),
        VINC_OK);
    const vinc_channel *c = s.told->channels;
    assert_int_equal(c->n_zeros, 2);
    for (int i = 0; i < 2; i++) assert_near(c->zero_re[i], -92.5, 1e-8);
    for (int i = 0; i < 2; i++) assert_true(c->pole_re[i] == 0 && c->pole_im[i] == 0);
    assert_int_equal(c->closed_stable, 0);
    done(&s);
}

/* The part -3 is driven by nothing, the part -5 is not looked at: both cancel from G = 2/(s + 1), and
 * the gain of the derivative of the input is kept, G = (s^2 + s + 2)/(s + 1). */
static void what_cancels(void **state)
{
    (void)state;
    session s;
    assert_int_equal(ask(&s,
                         "model M input Real u; output Real y; Real a, b, c; equation der(a) = -a "
                         "+ 2*u; der(b) = -3*b; der(c) = -5*c + a + u; y = a + b; end M;",
                         NULL),
                     VINC_OK);
    const vinc_channel *c = s.told->channels;
    assert_int_equal(c->n_poles, 1);
    assert_int_equal(c->n_zeros, 0);
    assert_near(c->steady, 2, 1e-12);
    assert_true(isnan(c->gain_margin));
    for (int i = 0; i < s.told->n_modes; i++) {
        const vinc_mode_reach *m = &s.told->modes[i];
        assert_int_equal(m->reached, fabs(m->re + 3) > 1e-6);
        assert_int_equal(m->seen, fabs(m->re + 5) > 1e-6);
    }
    done(&s);
    assert_int_equal(ask(&s,
                         "model M input Real u; output Real y; Real a; equation der(a) = -a + 2*u; "
                         "y = a + der(u); end M;",
                         NULL),
                     VINC_OK);
    c = s.told->channels;
    assert_int_equal(c->n_zeros, 2);
    assert_near(c->num[0], 1, 1e-12);
    assert_near(c->num[1], 1, 1e-12);
    assert_near(c->num[2], 2, 1e-12);
    assert_int_equal(c->closed_stable, -1);
    done(&s);
}

/* x'' = u with the cost x^2 + u^2: K = (1, sqrt 2), poles at -(1 +- i)/sqrt 2; the observer from noise
 * on the acceleration, seen through noise of the same size, is its mirror image. Weights 4 and 1/4:
 * K = (4, sqrt 8). */
static void gains_of_a_double_integrator(void **state)
{
    (void)state;
    session s;
    const char *text = "model M input Real u; output Real x; Real v; equation der(x) = v; der(v) "
                       "= u; end M;";
    vinc_linear_options o = {.lqr = "x=1", .observer = "v = 1; x = 1"};
    assert_int_equal(ask(&s, text, &o), VINC_OK);
    int x = strcmp(s.told->states[0], "x") ? 1 : 0;
    assert_near(s.told->k[x], 1, 1e-12);
    assert_near(s.told->k[1 - x], sqrt(2), 1e-12);
    assert_near(s.told->regulated_re[0], -sqrt(0.5), 1e-12);
    assert_near(fabs(s.told->regulated_im[0]), sqrt(0.5), 1e-12);
    assert_near(s.told->l[x], sqrt(2), 1e-12);
    assert_near(s.told->l[1 - x], 1, 1e-12);
    assert_near(s.told->observed_re[1], -sqrt(0.5), 1e-12);
    done(&s);
    o = (vinc_linear_options){.lqr = "x=4;u=0.25"};
    assert_int_equal(ask(&s, text, &o), VINC_OK);
    assert_near(s.told->k[x], 4, 1e-12);
    assert_near(s.told->k[1 - x], sqrt(8), 1e-12);
    assert_int_equal(s.told->n_observed, 0);
    done(&s);
}

/* Each is refused with its code, and with a name where there is one. */
static void what_is_refused(void **state)
{
    (void)state;
    static const char *const plain =
        "model M input Real u; output Real x; Real v; equation der(x) = v; der(v) = u; end M;";
    static const struct {
        const char *text, *lqr, *observer, *code, *word;
    } wrong[] = {
        {"model M Real x; equation der(x) = -x; end M;", NULL, NULL, "C173", "no inputs"},
        {"model M input Real u; Real x; equation der(x) = -x + u; end M;", NULL, NULL, "C173",
         "no outputs"},
        {"", "q=1", NULL, "C174", "'q'"},
        {"", "x=1;u=0", NULL, "C174", "'u'"},
        {"", "x=-1", NULL, "C174", "'x'"},
        {"", "x=one", NULL, "C174", "'x'"},
        {"", "x=1 2", NULL, "C174", "'x'"},
        {"", NULL, "v=1;u=1", "C174", "'u'"},
        {"model M input Real u; output Real x; Real z(start = 1); equation der(x) = u - x; der(z) "
         "= z; end M;",
         "", NULL, "C176", "--lqr"},
        {"", "v=1", NULL, "C176", "--lqr"}, // x keeps what it is: a mode at 0 without weight
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        session s;
        vinc_linear_options o = {.lqr = wrong[i].lqr, .observer = wrong[i].observer};
        assert_int_not_equal(ask(&s, *wrong[i].text ? wrong[i].text : plain, &o), VINC_OK);
        assert_null(s.told);
        int k = 0;
        while (vinc_ctx_diagnostic(s.ctx, k).severity != VINC_ERROR) k++;
        vinc_diagnostic d = vinc_ctx_diagnostic(s.ctx, k);
        assert_string_equal(d.code, wrong[i].code);
        assert_non_null(strstr(d.text, wrong[i].word));
        done(&s);
    }
}

/* Random systems with time constants over six decades: G(s) by the factors against elimination in
 * complex arithmetic; the response of 1/(s + 1) is 1 - e^-t. */
static void factors_and_matrices(void **state)
{
    (void)state;
    enum { N = 6 };
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    unsigned seed = 12345;
    for (int trial = 0; trial < 50; trial++) {
        double x[N * N + 3 * N];
        for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
            seed = seed * 1664525u + 1013904223u;
            x[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
        }
        double d = trial % 2, d1 = 0;
        for (int j = 0; j < N; j++) // states in units far apart, modes from 1e-3 to 1e3
            for (int i = 0; i < N; i++) {
                x[i + j * N] *= pow(10, i - 2) * pow(10, 2 * (i % 2) - 2 * (j % 2));
                if (i == j) x[i + j * N] -= pow(10, i - 2);
            }
        linear_system s = {.n = N, .n_u = 1, .n_o = 1, .a = x, .b = x + N * N, .c = x + N * N + N};
        s.d = &d, s.d1 = &d1;
        control_channel c;
        assert_int_equal(control_channel_of(&a, &s, 0, 0, &c), 0);
        for (int k = -4; k <= 5; k++) {
            double complex z = I * pow(10, k), e[N][N + 1], g = d;
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) e[i][j] = (i == j) * z - x[i + j * N];
                e[i][N] = s.b[i];
            }
            for (int p = 0; p < N; p++) {
                int best = p;
                for (int i = p; i < N; i++)
                    if (cabs(e[i][p]) > cabs(e[best][p])) best = i;
                for (int j = 0; j <= N; j++) {
                    double complex t = e[p][j];
                    e[p][j] = e[best][j], e[best][j] = t;
                }
                for (int i = 0; i < N; i++) {
                    double complex f = e[i][p] / e[p][p];
                    for (int j = p; j <= N && i != p; j++) e[i][j] -= f * e[p][j];
                }
            }
            double size = cabs(g);
            for (int i = 0; i < N; i++) {
                g += s.c[i] * e[i][N] / e[i][i];
                size += cabs(s.c[i] * e[i][N] / e[i][i]);
            }
            assert_near(cabs(control_at(&c, z) - g) / size, 0, 1e-9);
        }
    }
    double minus = -1, one = 1, none = 0;
    linear_system s = {.n = 1, .n_u = 1, .n_o = 1, .a = &minus, .b = &one, .c = &one, .d = &none};
    control_channel c;
    assert_int_equal(control_channel_of(&a, &s, 0, 0, &c), 0);
    double *y = control_step(&a, &c, 0.1, 100);
    for (int k = 0; k < 100; k++) assert_near(y[k], 1 - exp(-0.1 * k), 1e-14);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_of_a_servo),   cmocka_unit_test(zeros_of_two_masses),
        cmocka_unit_test(multiple_roots),       cmocka_unit_test(what_cancels),
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(gains_of_a_double_integrator),
        cmocka_unit_test(factors_and_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
