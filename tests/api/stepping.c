/* Runs that are stepped from outside: inputs, values, events, states saved and restored.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vincolo.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

/* The tolerance of the runs, and what may become of it: errors of steps add up. */
static const double TOL = 1e-8, NEAR = 1e-6;

typedef struct rig {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
} rig;

static rig make_with(const char *words, vinc_sim_options o)
{
    rig r = {.ctx = vinc_ctx_new(NULL)};
    int rc = vinc_model_load_text(r.ctx, "m.mo", words, strlen(words), NULL, &r.model);
    o.rel_tol = TOL;
    if (!rc) rc = vinc_sim_new(r.model, &o, &r.sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(r.ctx));
    return r;
}

static rig make(const char *words, double stop)
{
    return make_with(words, (vinc_sim_options){.has_stop = 1, .t_stop = stop});
}

static void done(rig *r)
{
    vinc_sim_free(r->sim);
    vinc_model_free(r->model);
    vinc_ctx_free(r->ctx);
}

static double value(rig *r, const char *name)
{
    double x = NAN;
    int i = vinc_sim_find(r->sim, name);
    assert_true(i >= 0);
    assert_int_equal(vinc_sim_values(r->sim, &i, 1, &x), VINC_OK);
    return x;
}

static int put(rig *r, const char *name, double x)
{
    return vinc_sim_set_input(r->sim, vinc_sim_find(r->sim, name), x);
}

/* x' = u - x with u = 1 until t = 1, then 0: x(2) = (1 - 1/e)/e. z solves z + z^3 = 2u + x + 2: an
 * algebraic unknown follows an input at once (u = 1, x = 0: z = 1.3787967001295553, by Cardano). */
static const char *const LAG =
    "model L input Real u(start=0); Real x(start=0,fixed=true); Real z(start=1); output Real y;"
    " equation der(x)=u-x; z+z^3=2*u+x+2; y=3*z; end L;";

static void inputs_hold_from_now_on(void **state)
{
    (void)state;
    rig r = make(LAG, 2);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(fabs(value(&r, "z") - 1) < 1e-12); // 1 + 1 = 2
    assert_int_equal(put(&r, "u", 1), VINC_OK);
    assert_true(fabs(value(&r, "z") - 1.3787967001295553) < 1e-10);
    assert_true(value(&r, "y") == 3 * value(&r, "z"));
    assert_true(vinc_sim_advance(r.sim, 1) >= 0);
    assert_true(vinc_sim_time(r.sim) == 1);
    assert_true(fabs(value(&r, "x") - (1 - exp(-1))) < NEAR);
    assert_int_equal(put(&r, "u", 0), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 2) >= 0);
    assert_true(fabs(value(&r, "x") - (1 - exp(-1)) * exp(-1)) < NEAR);
    assert_int_equal(vinc_result_n_rows(vinc_sim_result(r.sim)), 0); // nobody asked for rows
    done(&r);
}

/* A ball from 1 m: impacts at sqrt(2/g) and then after flights that shorten by e = 0.8. */
static const char *const BALL =
    "model B parameter Real g=9.81, e=0.8; Real h(start=1,fixed=true), v(start=0,fixed=true);"
    " Integer n(start=0,fixed=true); equation der(h)=v; der(v)=-g;"
    " when h<0 then reinit(v,-e*pre(v)); n=pre(n)+1; end when; end B;";

static void events_are_reported(void **state)
{
    (void)state;
    rig r = make(BALL, 2);
    double first = sqrt(2 / 9.81), second = first + 2 * 0.8 * first;
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    int rc = 0, steps = 0;
    while ((rc = vinc_sim_step(r.sim, 2)) == VINC_OK && steps < 1000) steps++;
    assert_int_equal(rc, VINC_EVENT);
    assert_true(fabs(vinc_sim_time(r.sim) - first) < NEAR);
    assert_true(value(&r, "n") == 1);
    assert_true(fabs(value(&r, "v") - 0.8 * sqrt(2 * 9.81)) < 10 * NEAR);
    assert_true(vinc_sim_advance(r.sim, 0.9) >= 0); // h < 0 becomes false again: no impact
    assert_true(value(&r, "n") == 1);
    assert_int_equal(vinc_sim_advance(r.sim, second + 0.01), VINC_EVENT);
    assert_true(value(&r, "n") == 2);
    done(&r);
}

/* pre() of an input, and of what is made of it, in a clause that the input lets fire: the value that
 * was held before. Two inputs set one after the other jump together. */
static void inputs_have_a_past(void **state)
{
    (void)state;
    rig r = make("model P input Real u(start=0), v(start=1); Real y=3*u+v+time;"
                 " Real a(start=0,fixed=true), b(start=0,fixed=true), c(start=0,fixed=true);"
                 " equation when u>0.5 then a=pre(u); b=pre(y); c=y; end when; end P;",
                 2);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_int_equal(put(&r, "u", 0.25), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 1) >= 0);
    assert_int_equal(put(&r, "v", 2), VINC_OK);
    assert_int_equal(put(&r, "u", 4), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 1.5) >= 0);
    assert_true(fabs(value(&r, "a") - 0.25) < 1e-12);
    assert_true(fabs(value(&r, "b") - 2.75) < 1e-12);
    assert_true(fabs(value(&r, "c") - 15) < 1e-12);
    done(&r);
}

/* To the end in a hundred stretches is the run in one go, within the tolerance. */
static void stretches_are_the_run(void **state)
{
    (void)state;
    rig r =
        make("model P Real x(start=1,fixed=true),y(start=0),vx(start=0,fixed=true),vy,F;"
             " equation der(x)=vx; der(y)=vy; der(vx)=-F*x; der(vy)=-F*y-9.81; x^2+y^2=1; end P;",
             2);
    assert_int_equal(vinc_sim_run(r.sim), VINC_OK);
    double x = vinc_result_at(vinc_sim_result(r.sim), "x", 2);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    for (int k = 1; k <= 100; k++) assert_true(vinc_sim_advance(r.sim, 2 * k / 100.) >= 0);
    assert_true(fabs(value(&r, "x") - x) < 10 * NEAR);
    assert_true(fabs(hypot(value(&r, "x"), value(&r, "y")) - 1) < 1e-12);
    done(&r);
}

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const DELAYED =
    "model D input Real u(start=1); Real x(start=1,fixed=true); Integer n(start=0,fixed=true);"
    " equation der(x)=-u*delay(x,0.3); when sample(0.1,0.1) then n=pre(n)+1; end when; end D;";

/* From a saved state the same future, however often, in the run itself and in another one. */
static void a_state_has_one_future(void **state)
{
    (void)state;
    const char *const models[] = {LAG, BALL, DELAYED};
    const char *const names[] = {"x", "h", "x"};
    for (int k = 0; k < 3; k++) {
        rig r = make(models[k], 1);
        vinc_sim *other = NULL;
        vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = TOL};
        vinc_state *at = NULL;
        double ends[4];
        assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
        if (k != 1) assert_int_equal(put(&r, "u", 1.5), VINC_OK);
        assert_true(vinc_sim_advance(r.sim, 0.4) >= 0);
        double before = value(&r, names[k]);
        assert_int_equal(vinc_sim_save(r.sim, &at), VINC_OK);
        assert_true(vinc_sim_advance(r.sim, 1) >= 0);
        ends[0] = value(&r, names[k]);
        for (int i = 1; i < 3; i++) {
            if (k != 1) assert_int_equal(put(&r, "u", 7), VINC_OK); // forgotten again
            assert_true(vinc_sim_restore(r.sim, at) >= 0);
            assert_true(vinc_sim_time(r.sim) == 0.4);
            assert_true(value(&r, names[k]) == before);
            assert_true(vinc_sim_advance(r.sim, 1) >= 0);
            ends[i] = value(&r, names[k]);
        }
        assert_int_equal(vinc_sim_new(r.model, &o, &other), VINC_OK);
        assert_int_equal(vinc_sim_start(other), VINC_OK);
        assert_true(vinc_sim_restore(other, at) >= 0);
        assert_true(vinc_sim_advance(other, 1) >= 0);
        int i = vinc_sim_find(other, names[k]);
        assert_int_equal(vinc_sim_values(other, &i, 1, &ends[3]), VINC_OK);
        assert_true(fabs(ends[1] - ends[0]) < 10 * NEAR);
        assert_true(ends[1] == ends[2]);
        assert_true(ends[1] == ends[3]);
        vinc_sim_free(other);
        vinc_state_free(at);
        done(&r);
    }
}

static void rows_of_a_future_that_was_left_are_dropped(void **state)
{
    (void)state;
    rig r = make_with(LAG, (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 10});
    vinc_state *at = NULL;
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 0.45) >= 0);
    assert_int_equal(vinc_sim_save(r.sim, &at), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 1) >= 0);
    assert_true(vinc_sim_restore(r.sim, at) >= 0);
    assert_int_equal(vinc_result_n_rows(vinc_sim_result(r.sim)), 5); // 0, 0.1 ... 0.4
    assert_true(vinc_sim_advance(r.sim, 1) >= 0);
    vinc_column t;
    assert_int_equal(vinc_result_column(vinc_sim_result(r.sim), 0, &t), VINC_OK);
    assert_int_equal(t.n, 11);
    for (size_t i = 0; i < t.n; i++) assert_true(fabs(t.values[i] - 0.1 * (double)i) < 1e-15);
    vinc_state_free(at);
    done(&r);
}

static void settings_survive_a_reset(void **state)
{
    (void)state;
    rig r = make(BALL, 0.3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(vinc_sim_set(r.sim, "g", 2 + k), VINC_OK);
        assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
        assert_true(vinc_sim_advance(r.sim, 0.3) >= 0);
        assert_true(fabs(value(&r, "h") - (1 - 0.5 * (2 + k) * 0.09)) < NEAR);
        assert_int_equal(vinc_sim_reset(r.sim), VINC_OK);
        assert_true(vinc_sim_time(r.sim) == 0);
    }
    done(&r);
}

/* x' = -k x for each element: exp(-k t) shows which k was used. Given when the model is loaded and for
 * a run; a wrong number of values is refused. */
static void arrays_are_set_at_once(void **state)
{
    (void)state;
    static const char *const words =
        "model A parameter Real k[2,2]={{1,1},{1,1}}; Real x[2,2](each start=1, each fixed=true);"
        " equation der(x)=-k.*x; end A;";
    vinc_setting setting = {"k", "{{2, 3}, {4, 5}}"};
    vinc_model_options mo = {.settings = &setting, .n_settings = 1};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    rig r = {.ctx = ctx};
    const char *path = "arrays-set-at-once.mo";
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(words, f);
    fclose(f);
    int rc = vinc_model_load_with(ctx, path, NULL, &mo, &r.model);
    remove(path);
    assert_int_equal(rc, VINC_OK);
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = TOL};
    assert_int_equal(vinc_sim_new(r.model, &o, &r.sim), VINC_OK);
    assert_int_equal(vinc_sim_run(r.sim), VINC_OK);
    static const char *const names[] = {"x[1,1]", "x[1,2]", "x[2,1]", "x[2,2]"};
    for (int i = 0; i < 4; i++)
        assert_true(fabs(vinc_result_at(vinc_sim_result(r.sim), names[i], 1) - exp(-2 - i)) < NEAR);
    const double k[] = {1, 0.5, 0.25, 2};
    assert_int_equal(vinc_sim_set_array(r.sim, "k", k, 3), VINC_E_OPTION);
    assert_int_equal(vinc_sim_set_array(r.sim, "k", k, 4), VINC_OK);
    assert_int_equal(vinc_sim_run(r.sim), VINC_OK);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(vinc_result_at(vinc_sim_result(r.sim), names[i], 1) - exp(-k[i])) < NEAR);
    done(&r);
}

/* ---- wrong calls ----------------------------------------------------------------------------- */

#define REFUSED(run, call, which)                                                                  \
    do {                                                                                           \
        assert_int_equal(call, VINC_E_OPTION);                                                     \
        int n_said = vinc_sim_n_diagnostics(run);                                                  \
        assert_true(n_said > 0);                                                                   \
        assert_string_equal(vinc_sim_diagnostic(run, n_said - 1).code, which);                     \
    } while (0)

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    rig r = make(LAG, 1), other = make(BALL, 1);
    vinc_state *at = NULL, *foreign = NULL;
    double x;
    int none = 99;
    REFUSED(r.sim, vinc_sim_advance(r.sim, 0.5), "C115");
    REFUSED(r.sim, vinc_sim_values(r.sim, &none, 1, &x), "C115");
    REFUSED(r.sim, vinc_sim_save(r.sim, &at), "C115");
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_int_equal(vinc_sim_start(other.sim), VINC_OK);
    assert_int_equal(vinc_sim_advance(r.sim, 0.5), VINC_OK);
    REFUSED(r.sim, vinc_sim_advance(r.sim, 2), "C116");
    REFUSED(r.sim, vinc_sim_advance(r.sim, 0.1), "C116");
    REFUSED(r.sim, vinc_sim_advance(r.sim, NAN), "C116");
    REFUSED(r.sim, vinc_sim_values(r.sim, &none, 1, &x), "C118");
    REFUSED(r.sim, vinc_sim_values(r.sim, &none, -1, &x), "C118");
    REFUSED(r.sim, vinc_sim_find(r.sim, "xx"), "C118");
    REFUSED(r.sim, vinc_sim_set_input(r.sim, vinc_sim_find(r.sim, "x"), 1), "C118");
    REFUSED(r.sim, put(&r, "u", INFINITY), "C118");
    assert_int_equal(vinc_sim_save(other.sim, &foreign), VINC_OK);
    REFUSED(r.sim, vinc_sim_restore(r.sim, foreign), "C117");
    REFUSED(r.sim, vinc_sim_restore(r.sim, NULL), "C117");
    assert_true(vinc_sim_advance(r.sim, 1) >= 0); // nothing of that has done harm
    vinc_state_free(foreign);
    done(&other);
    vinc_model_free(r.model); // before its run
    r.model = NULL;
    REFUSED(r.sim, vinc_sim_start(r.sim), "C114");
    vinc_ctx_free(r.ctx);
    r.ctx = NULL;
    REFUSED(r.sim, vinc_sim_run(r.sim), "C114");
    done(&r);
}

/* What is recorded does not limit what can be asked for. */
static void values_beside_the_recorded_ones(void **state)
{
    (void)state;
    rig r = make_with("model M Real a(start=1,fixed=true), b = 2*a, c = -a, d = b + 1; equation"
                      " der(a) = 0; end M;",
                      (vinc_sim_options){.vars = "b", .only_vars = 1, .intervals = 2});
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(value(&r, "a") == 1 && value(&r, "b") == 2 && value(&r, "c") == -1 &&
                value(&r, "d") == 3);
    assert_int_equal(vinc_sim_run(r.sim), VINC_OK); // and after a run those of its end
    assert_true(value(&r, "a") == 1 && value(&r, "c") == -1 && value(&r, "d") == 3);
    done(&r);
}

/* ---- followed -------------------------------------------------------------------------------- */

typedef struct follower {
    int x, n;
    double t, most; // where it is; the largest error seen inside of steps
} follower;

/* x = cos(t) in one piece, or from t = 1 on, where an event turns it round, -cos(t). */
static int look_inside(void *user, vinc_sim *sim, double t0, double t1)
{
    follower *f = user;
    assert_true(t0 == f->t && t1 > t0);
    for (int i = 0; i <= 8; i++) {
        double x, t = i == 8 ? t1 : t0 + (t1 - t0) * i / 8;
        assert_int_equal(vinc_sim_at(sim, t, &f->x, 1, &x), VINC_OK);
        f->most = fmax(f->most, fabs(x - (t0 < 1 ? cos(t) : -cos(t))));
    }
    f->t = t1;
    f->n++;
    return 0;
}

static void followed_from_end_to_end(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "dopri8", "radau5", "bdf", "rodas4"};
    for (int i = 0; i < 5; i++) {
        follower f = {0};
        static const double ends[] = {0.5, 2.25};
        rig r = make_with("model M Real x(start=1,fixed=true), v(start=0,fixed=true); equation"
                          " der(x) = v; der(v) = -x; when time >= 1 then reinit(x, -pre(x));"
                          " reinit(v, -pre(v)); end when; end M;",
                          (vinc_sim_options){.has_stop = 1,
                                             .t_stop = 3,
                                             .method = methods[i],
                                             .follow = look_inside,
                                             .follow_inside = 1,
                                             .user = &f,
                                             .ends = ends,
                                             .n_ends = 2});
        f.x = vinc_sim_find(r.sim, "x");
        for (int again = 0; again < 2; again++) {
            f = (follower){.x = f.x};
            assert_int_equal(vinc_sim_run(r.sim), VINC_OK);
            assert_true(f.t == 3 && f.n >= 4 && f.most < NEAR);
            assert_int_equal(vinc_result_n_rows(vinc_sim_result(r.sim)), 0);
        }
        done(&r);
    }
}

/* A run that is set again and again holds no more memory than after the first time. */
static size_t held;

static void *counting(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    held += new_bytes - old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static void set_any_number_of_times(void **state)
{
    (void)state;
    static const char words[] = "model M parameter Real k=1; Real x(start=1,fixed=true), y = -x;"
                                " equation der(x) = -k*x; end M;";
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = counting});
    rig r = {.ctx = ctx};
    assert_int_equal(vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &r.model), 0);
    assert_int_equal(vinc_sim_new(r.model, NULL, &r.sim), VINC_OK);
    size_t before = 0;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(vinc_sim_set(r.sim, "k", i), VINC_OK);
        assert_int_equal(vinc_sim_set(r.sim, "x", 5), VINC_OK);
        assert_int_equal(vinc_sim_set(r.sim, "y", i), VINC_OK); // the last one counts
        if (i == 10) before = held;
    }
    assert_true(before > 0 && held == before);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(value(&r, "x") == -999 && value(&r, "k") == 999);
    assert_int_equal(vinc_sim_set(r.sim, "x", 3), VINC_OK);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(value(&r, "x") == 3);
    done(&r);
}

/* v solves v + v^3/100 = 10 sin(w), a part of a step's unknowns whose iteration stops at a part of the tolerance:
 * what is read keeps the equation better than that, as rows do. Held against the equation itself. */
static void values_keep_the_equations(void **state)
{
    (void)state;
    rig r = make("model M Real w(start = 0, fixed = true), v;"
                 "equation der(w) = 7 + 0.1*v; v + v^3/100 = 10*sin(w); end M;",
                 1);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    for (int k = 1; k <= 37; k++) {
        assert_true(vinc_sim_advance(r.sim, k / 37.0) >= 0);
        double v = value(&r, "v"), w = value(&r, "w");
        assert_true(fabs(v + v * v * v / 100 - 10 * sin(w)) < 0.01 * TOL);
    }
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_beside_the_recorded_ones),
        cmocka_unit_test(followed_from_end_to_end),
        cmocka_unit_test(set_any_number_of_times),
        cmocka_unit_test(inputs_hold_from_now_on),
        cmocka_unit_test(events_are_reported),
        cmocka_unit_test(inputs_have_a_past),
        cmocka_unit_test(stretches_are_the_run),
        cmocka_unit_test(a_state_has_one_future),
        cmocka_unit_test(rows_of_a_future_that_was_left_are_dropped),
        cmocka_unit_test(settings_survive_a_reset),
        cmocka_unit_test(arrays_are_set_at_once),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(values_keep_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
