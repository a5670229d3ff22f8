/* Invariants that a model names: watched in every run, held by the method energy-momentum.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <math.h>
#include <stdbool.h>

typedef struct session {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    vinc_run *told;
} session;

static void run_text(session *s, const char *text, vinc_sim_options o, int status)
{
    *s = (session){.ctx = vinc_ctx_new(NULL)};
    assert_int_equal(vinc_model_load_text(s->ctx, "test.mo", text, strlen(text), NULL, &s->model),
                     VINC_OK);
    assert_int_equal(vinc_sim_new(s->model, &o, &s->sim), VINC_OK);
    assert_int_equal(vinc_sim_run(s->sim), status);
    assert_int_equal(vinc_run_of(s->sim, &s->told), VINC_OK);
}

static void done(session *s)
{
    vinc_report_free(s->told);
    vinc_sim_free(s->sim);
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

static bool says(const session *s, const char *words)
{
    return strstr(vinc_sim_messages(s->sim), words) != NULL;
}

// clang-format off
/* A free rigid body, turning about its middle axis at first, by a quaternion; L in space. */
static const char body[] =
    "model Body parameter Real J[3] = {0.7, 1.1, 1.6};"
    "Real w[3](start = {0.02, 1.5, -0.03}, each fixed = true), q[4](start = {0.5, 0.5, 0.5, 0.5}, each fixed = true);"
    "Real R[3,3], L[3] = R*(J.*w), E = (J*(w.*w))/2;"
    "equation J[1]*der(w[1]) = (J[2] - J[3])*w[2]*w[3]; J[2]*der(w[2]) = (J[3] - J[1])*w[3]*w[1];"
    "J[3]*der(w[3]) = (J[1] - J[2])*w[1]*w[2];"
    "der(q[1]) = -(q[2]*w[1] + q[3]*w[2] + q[4]*w[3])/2; der(q[2]) = (q[1]*w[1] + q[3]*w[3] - q[4]*w[2])/2;"
    "der(q[3]) = (q[1]*w[2] + q[4]*w[1] - q[2]*w[3])/2; der(q[4]) = (q[1]*w[3] + q[2]*w[2] - q[3]*w[1])/2;"
    "R = {{q[1]^2 + q[2]^2 - q[3]^2 - q[4]^2, 2*(q[2]*q[3] - q[1]*q[4]), 2*(q[2]*q[4] + q[1]*q[3])},"
    "{2*(q[2]*q[3] + q[1]*q[4]), q[1]^2 - q[2]^2 + q[3]^2 - q[4]^2, 2*(q[3]*q[4] - q[1]*q[2])},"
    "{2*(q[2]*q[4] - q[1]*q[3]), 2*(q[3]*q[4] + q[1]*q[2]), q[1]^2 - q[2]^2 - q[3]^2 + q[4]^2}};"
    "annotation(__Vincolo(invariant = {E, L})); end Body;";

/* Three masses on a line, free, with springs that stiffen and weaken. */
static const char chain[] =
    "model Chain parameter Real m[3] = {1, 3, 2}; Real x[3](start = {0, 1.3, 1.9}, each fixed = true),"
    "v[3](start = {0.4, 0, -0.1}, each fixed = true), f[2] = {20*d[1] + 60*d[1]^3, 35*sinh(d[2])},"
    "d[2] = {x[2] - x[1] - 1, x[3] - x[2] - 1}, p = m*v,"
    "E = (m*(v.*v))/2 + 10*d[1]^2 + 15*d[1]^4 + 35*cosh(d[2]);"
    "equation der(x) = v; m.*der(v) = {f[1], f[2] - f[1], -f[2]};"
    "annotation(__Vincolo(invariant = {E, p, m*x - p*time})); end Chain;";

/* A pendulum by Cartesian coordinates, index 3: its states are chosen anew while it swings. */
static const char pendulum[] =
    "model P Real x(start = 0.6, fixed = true), y(start = -0.8), u, v(start = 1.2, fixed = true), F;"
    "Real E = (u^2 + v^2)/2 + 9.81*y;"
    "equation der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81; x^2 + y^2 = 1;"
    "annotation(__Vincolo(invariant = E)); end P;";
// clang-format on

static void assert_kept(const session *s, int n, double share)
{
    assert_int_equal(s->told->n_invariants, n);
    for (int i = 0; i < n; i++) {
        assert_true(s->told->invariants[i].relative <= share);
        assert_string_equal(s->told->invariants[i].by, "round-off");
    }
}

/* 10^5 steps: what is named stays as it was to round-off, momenta and the motion of the mass centre
 * (m x - p t) with the energy. */
static void held_for_long(void **state)
{
    (void)state;
    session s;
    vinc_sim_options o = {
        .method = "energy-momentum", .step = 0.02, .has_stop = 1, .t_stop = 2000, .intervals = 10};
    run_text(&s, body, o, VINC_OK);
    assert_int_equal(s.told->steps, 100000);
    assert_kept(&s, 4, 1e-12);
    done(&s);
    run_text(&s, chain, o, VINC_OK);
    assert_kept(&s, 3, 1e-12);
    done(&s);
    o.t_stop = 50;
    run_text(&s, pendulum, o, VINC_OK);
    assert_kept(&s, 1, 1e-12);
    done(&s);
}

/* The midpoint rule alone leaves the energy of the chain, whose springs are not linear: the same run
 * without what holds it. */
static void not_held(void **state)
{
    (void)state;
    session s;
    vinc_sim_options o = {.method = "midpoint", .step = 0.02, .has_stop = 1, .t_stop = 20};
    run_text(&s, chain, o, VINC_OK);
    assert_true(s.told->invariants[0].relative > 1e-6);
    assert_string_equal(s.told->invariants[0].by, "method");
    assert_true(s.told->invariants[1].relative <= 1e-12); // linear
    done(&s);
}

/* A symmetric top: w1 and w2 turn about the axis at the rate (J3 - J1)/J1 w3 (L. D. Landau & E. M.
 * Lifshitz, Mechanics, section 36). Order 2 to it, in spite of what is held. */
static void follows_the_motion(void **state)
{
    (void)state;
    static const char top[] =
        "model Top Real w[3](start = {0.3, 0, 2}, each fixed = true), E = (w[1]^2 + w[2]^2)/2 + "
        "0.8*w[3]^2, L2 = w[1]^2 + w[2]^2 + (1.6*w[3])^2;"
        "equation der(w[1]) = -0.6*w[2]*w[3]; der(w[2]) = 0.6*w[3]*w[1]; der(w[3]) = 0;"
        "annotation(__Vincolo(invariant = {E, L2, exp(w[1]^2 + w[2]^2)})); end Top;";
    double error[2];
    for (int k = 0; k < 2; k++) {
        session s;
        vinc_sim_options o = {
            .method = "energy-momentum", .step = k ? 0.05 : 0.1, .has_stop = 1, .t_stop = 3};
        run_text(&s, top, o, VINC_OK);
        assert_kept(&s, 3, 1e-13); // three of two: one follows from the others
        error[k] = fabs(vinc_result_at(vinc_sim_result(s.sim), "w[1]", 3) - 0.3 * cos(3.6));
        done(&s);
    }
    assert_near(log2(error[0] / error[1]), 2, 0.05);
}

/* What does not hold is named: by the equations, from the start or later; by an event; by the method.
 * Rates by hand: d/dt (v^2/2 + x^2/2) = -c v^2 with c = 0.1, at the start v = 2; p' = 3. */
static void named(void **state)
{
    (void)state;
    session s;
    static const char damped[] =
        "model D Real x(start = 0, fixed = true), v(start = 2, fixed = true), E = (v^2 + x^2)/2;"
        "equation der(x) = v; der(v) = -x - 0.1*v;"
        "annotation(__Vincolo(invariant = {E})); end D;";
    run_text(&s, damped, (vinc_sim_options){0}, VINC_OK);
    assert_string_equal(s.told->invariants[0].by, "model");
    assert_true(says(&s, "R129") && says(&s, "'E' is no invariant of this model"));
    done(&s);
    run_text(&s, damped, (vinc_sim_options){.method = "energy-momentum", .step = 0.1},
             VINC_E_PROBLEM);
    assert_true(says(&s, "its rate is -0.4 at t = 0"));
    done(&s);

    static const char late[] = // a force that begins at t = 0.5
        "model F Real v(start = 1, fixed = true), p = 2*v;"
        "equation 2*der(v) = if time > 0.5 then 3 else 0;"
        "annotation(__Vincolo(invariant = {p})); end F;";
    run_text(&s, late, (vinc_sim_options){0}, VINC_OK);
    assert_string_equal(s.told->invariants[0].by, "model");
    assert_near(s.told->invariants[0].rate, 3, 1e-12);
    assert_true(s.told->invariants[0].t_rate > 0.5);
    assert_near(s.told->invariants[0].change, 1.5, 1e-9);
    done(&s);

    static const char impact[] =
        "model B Real h(start = 1, fixed = true), v(start = 0, fixed = true), E = v^2/2 + 9.81*h;"
        "equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.5*pre(v)); end when;"
        "annotation(__Vincolo(invariant = {E})); end B;";
    run_text(&s, impact, (vinc_sim_options){.has_stop = 1, .t_stop = 0.8}, VINC_OK);
    assert_string_equal(s.told->invariants[0].by, "event");
    assert_near(s.told->invariants[0].t_jump, sqrt(2 / 9.81), 1e-6); // of free fall
    assert_near(s.told->invariants[0].change, 0.75 * 9.81, 1e-5);    // of 1 - 0.5^2
    done(&s);

    run_text(&s, chain, (vinc_sim_options){.method = "euler", .step = 0.05}, VINC_OK);
    assert_string_equal(s.told->invariants[0].by, "method");
    assert_true(says(&s, "R130") && !says(&s, "R129"));
    done(&s);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"model A Real x(start = 1); Boolean b = x > 0; equation der(x) = 1;"
         "annotation(__Vincolo(invariant = b)); end A;",
         "M196"},
        {"model A Real x(start = 1); equation der(x) = 1;"
         "annotation(__Vincolo(invariant = {Ekin})); end A;",
         "Ekin"},
        {"model A Real x[40](each start = 1); equation der(x) = zeros(40);"
         "annotation(__Vincolo(invariant = x)); end A;",
         "M196"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *m = NULL;
        assert_int_equal(
            vinc_model_load_text(ctx, "wrong.mo", wrong[i].text, strlen(wrong[i].text), NULL, &m),
            VINC_E_MODEL);
        assert_non_null(strstr(vinc_ctx_messages(ctx), wrong[i].says));
        vinc_ctx_free(ctx);
    }
    session s;
    static const char of_rate[] =
        "model A Real x(start = 1, fixed = true), a; equation der(x) = -x;"
        "a^3 + a = x; annotation(__Vincolo(invariant = {a})); end A;";
    run_text(&s, of_rate, (vinc_sim_options){.method = "energy-momentum", .step = 0.1},
             VINC_E_PROBLEM);
    assert_true(says(&s, "no function of time and states"));
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(held_for_long), cmocka_unit_test(not_held),
                                       cmocka_unit_test(follows_the_motion),
                                       cmocka_unit_test(named), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
