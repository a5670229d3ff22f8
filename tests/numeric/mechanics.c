/* Constrained mechanics by every formulation, through the public interface.
 *
 * End values at tolerance 1e-9 agree with the references to 1e-6, those of formulations that drift
 * and of `direct` to 1e-4. References were computed for this project: extrapolation in 113-bit
 * arithmetic and DOP853 at 3e-14, two forms of the equations each; the pendulum by elliptic
 * functions, the knife edge in closed form.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "vincolo.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each formulation promises. */
typedef struct way {
    const char *name;
    double error;            // of end values, relative to their size where that is above 1
    bool position, velocity; // violation below 1e-8 throughout
    bool explicit;           // has a right-hand side
} way;

static const way ways[] = {
    {"dummy", 1e-6, true, true, true},          {"project", 1e-6, true, true, true},
    {"ggl", 1e-6, true, true, false},           {"partition", 1e-6, true, true, true},
    {"maggi", 1e-6, true, true, true},          {"direct", 1e-4, true, false, false},
    {"index1", 1e-4, false, false, true},       {"baumgarte", 1e-4, false, false, true},
    {"kkt", 1e-4, false, false, true},          {"udwadia", 1e-4, false, false, true},
    {"nullspace-qr", 1e-4, false, false, true}, {"nullspace-svd", 1e-4, false, false, true},
    {"finzi", 1e-4, false, false, true},
};
enum { WAYS = sizeof ways / sizeof *ways };
static const double VIOLATION_MAX = 1e-8;

typedef struct end_value {
    const char *name;
    double value;
} end_value;

typedef struct problem {
    const char *file;
    double stop;
    end_value end[4];
} problem;

static const problem problems[] = {
    {"lectures/pendulum",
     10,
     {{"x", 0.2750874625761169},
      {"y", -0.9614192050991251},
      {"u", -4.175598100951729},
      {"v", -1.194749054560475}}},
    {"double-pendulum",
     5,
     {{"q[3]", -1.5507784694704428},
      {"q[4]", -1.0759127348126525},
      {"der(q[3])", 2.7543836794925753},
      {"der(q[4])", -4.989125398113304}}},
    {"slider-crank",
     0.2,
     {{"a", 26.835667959394}, {"b", -0.5185735537561}, {"x", 0.2407961796818}}},
    {"knife-edge", 5, {{"q[1]", 2.25516146253}, {"q[2]", 12.92960588722809}}},
    {"andrews",
     0.03,
     {{"q[1]", 15.8107711951537071},
      {"q[2]", -15.7563710584118395},
      {"q[3]", 0.0408222401196458049},
      {"q[4]", -0.534730116342079594}}},
    {"heavy-top", // the mass matrix of the quaternion alone is singular
     0.5,
     {{"r[1]", -0.702468297057}, {"r[2]", -0.021165184702}, {"r[3]", -0.711400257652}}},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

typedef struct outcome {
    int rc;
    double end[4], position, velocity;
} outcome;

static outcome run(const char *file, const vinc_sim_options *options, const end_value *want, int n,
                   const char *const *set, const double *to, int n_set)
{
    outcome o = {.rc = -1};
    char path[400];
    snprintf(path, sizeof path, "%s/examples/%s/model.mo", VINCOLO_ROOT, file);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    // The number of loops decides the structure: it is set when the model is loaded.
    bool structural = n_set && !strcmp(set[0], "N");
    char value[40];
    snprintf(value, sizeof value, "%g", n_set ? to[0] : 0.0);
    vinc_setting n_loops = {"N", value};
    vinc_model_options at_load = {.settings = &n_loops, .n_settings = structural};
    o.rc = vinc_model_load_with(ctx, path, NULL, &at_load, &model);
    if (!o.rc) o.rc = vinc_sim_new(model, options, &sim);
    for (int i = structural; i < n_set && !o.rc; i++) o.rc = vinc_sim_set(sim, set[i], to[i]);
    if (!o.rc) o.rc = vinc_sim_run(sim);
    if (o.rc < 0) printf("%s %s: %s\n", file, options->formulation, vinc_ctx_messages(ctx));
    if (o.rc >= 0) {
        vinc_run *r = NULL;
        assert_int_equal(vinc_run_of(sim, &r), VINC_OK);
        o.position = r->position_max;
        o.velocity = r->velocity_max;
        vinc_report_free(r);
        for (int i = 0; i < n; i++)
            o.end[i] = vinc_result_at(vinc_sim_result(sim), want[i].name, options->t_stop);
    }
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return o;
}

static int count(const end_value *e)
{
    int n = 0;
    while (n < 4 && e[n].name) n++;
    return n;
}

static void check(const problem *p, const way *w, const char *method)
{
    vinc_sim_options options = {.formulation = w->name,
                                .method = method,
                                .has_stop = 1,
                                .t_stop = p->stop,
                                .rel_tol = 1e-9,
                                .intervals = 20};
    int n = count(p->end);
    outcome o = run(p->file, &options, p->end, n, NULL, NULL, 0);
    assert_int_equal(o.rc, VINC_OK);
    for (int i = 0; i < n; i++) {
        double tol = w->error * fmax(1, fabs(p->end[i].value));
        if (!(fabs(o.end[i] - p->end[i].value) <= tol))
            fail_msg("%s by %s: %s = %.15g, not %.15g", p->file, w->name, p->end[i].name, o.end[i],
                     p->end[i].value);
    }
    // Without holonomic constraints there is no violation of positions: not a number.
    if (w->position && o.position > VIOLATION_MAX)
        fail_msg("%s by %s: positions violated by %g", p->file, w->name, o.position);
    if (w->velocity && !(o.velocity <= VIOLATION_MAX))
        fail_msg("%s by %s: velocities violated by %g", p->file, w->name, o.velocity);
}

/* Every problem by every formulation with the default method, and with an explicit one, which uses
 * the algebra that the formulation names. */
static void formulations_agree(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++)
        for (int i = 0; i < WAYS; i++) {
            check(&problems[k], &ways[i], NULL);
            if (ways[i].explicit) check(&problems[k], &ways[i], "dopri5");
        }
}

/* Drift, which tests/data/lectures.txt has in numbers, is taken away by :project=1. */
static void drift_is_projected(void **state)
{
    (void)state;
    vinc_sim_options options = {.formulation = "index1:project=1",
                                .method = "taylor2",
                                .has_stop = 1,
                                .t_stop = 5,
                                .step = 0.01};
    outcome o = run("lectures/pendulum", &options, NULL, 0, NULL, NULL, 0);
    assert_true(o.position < 1e-12 && o.velocity < 1e-12);
}

/* The links lie in one line several times in 10 s, where the constraints lose rank, and stay a
 * parallelogram. Elliptic functions of the reduced equation. Formulations that hold the constraints
 * cross; the others do so or stop there, never on another branch. */
static void singular_positions(void **state)
{
    (void)state;
    static const struct {
        double loops, x, y;
    } cases[] = {{1, 0.47838505776097, 0.87815017879121}, {2, 0.32845811154082, 0.9445185381786}};
    static const char *const set[] = {"N"};
    for (int k = 0; k < 2; k++)
        for (int i = -1; i < WAYS; i++) { // -1: nothing named
            vinc_sim_options options = {.formulation = i < 0 ? NULL : ways[i].name,
                                        .has_stop = 1,
                                        .t_stop = 10,
                                        .rel_tol = 1e-8,
                                        .intervals = 20};
            const end_value want[] = {{"x", cases[k].x}, {"y", cases[k].y}};
            outcome o = run("four-bar", &options, want, 2, set, &cases[k].loops, 1);
            bool holds = i < 0 || ways[i].velocity;
            if (holds) assert_int_equal(o.rc, VINC_OK);
            double tol = holds ? 1e-5 : 1e-4;
            for (int v = 0; v < 2 && o.rc >= 0; v++)
                if (!(fabs(o.end[v] - want[v].value) < tol))
                    fail_msg("%g loops by %s: %s = %.12g, not %.12g", cases[k].loops,
                             i < 0 ? "default" : ways[i].name, want[v].name, o.end[v],
                             want[v].value);
        }
}

/* One constraint written twice: the motion is the pendulum's (elliptic functions), the multipliers
 * are those of least norm, in the ratio of the gradients. */
static void redundant_constraints(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "project", "udwadia", "nullspace-svd", "maggi"};
    static const end_value want[] = {{"q[1]", -0.9862917511318753},
                                     {"q[2]", -0.1650108531255412},
                                     {"lambda[1]", 4.856269407484677 / 10},
                                     {"lambda[2]", 4.856269407484677 / 5}};
    for (int k = 0; k < 10; k++) {
        vinc_sim_options options = {.formulation = names[k / 2],
                                    .method = k % 2 ? "dopri5" : "radau5"};
        options.has_stop = 1;
        options.t_stop = 1;
        options.rel_tol = 1e-8;
        outcome o = run("redundant", &options, want, 4, NULL, NULL, 0);
        assert_int_equal(o.rc, VINC_OK);
        for (int i = 0; i < 4; i++) assert_true(fabs(o.end[i] - want[i].value) < 1e-5);
    }
}

/* A pendulum at rest hangs straight down, and its multiplier is m g / (2 r); a formulation that
 * does not hold the constraints is not taken for it. With redundant constraints nothing is claimed. */
static void equilibrium(void **state)
{
    (void)state;
    static const end_value want[] = {{"x", 0}, {"y", -1}, {"lambda", 9.81 / 2}};
    vinc_sim_options options = {.equilibrium = 1, .formulation = "kkt"};
    outcome o = run("lectures/pendulum", &options, want, 3, NULL, NULL, 0);
    assert_int_equal(o.rc, VINC_OK);
    assert_true(o.position < 1e-12);
    for (int i = 0; i < 3; i++) assert_true(fabs(o.end[i] - want[i].value) < 1e-9);
    o = run("redundant", &options, NULL, 0, NULL, NULL, 0);
    assert_int_equal(o.rc, VINC_E_NEWTON);
}

/* A four-bar of library parts, whatever the length of its crank, is assembled from guesses that are
 * all zero, and on the same branch. The loop closes: crank, coupler and rocker from (0, 0) to (2, 0);
 * and the coupler's end lies where circles of radii 2 and 1.5 about its joint and (2, 0) meet. */
static void assembly_from_nothing(void **state)
{
    (void)state;
    static const char words[] =
        "model FourBar import Vincolo.Mechanics.Planar.*; inner World world;"
        "Fixed A(r = {0, 0}), D(r = {2, 0}); Revolute jA, jB, jC, jD;"
        "Bar crank(L = 0.5, m = 1), coupler(L = 2, m = 1), rocker(L = 1.5, m = 1);"
        "equation connect(A.frame, jA.a); connect(jA.b, crank.a); connect(crank.b, jB.a);"
        "connect(jB.b, coupler.a); connect(coupler.b, jC.a); connect(jC.b, rocker.b);"
        "connect(rocker.a, jD.b); connect(jD.a, D.frame); end FourBar;";
    double last = 2;
    for (int i = 4; i <= 20; i++) {
        double l = 0.05 * i, phi[3];
        static const char *const angles[] = {"crank.phi", "coupler.phi", "rocker.phi"};
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *model = NULL;
        vinc_sim *sim = NULL;
        vinc_sim_options o = {.has_stop = 1, .t_stop = 0};
        vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
        int rc = vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &model);
        if (!rc) rc = vinc_sim_new(model, &o, &sim);
        if (!rc) rc = vinc_sim_set(sim, "crank.L", l);
        if (!rc) rc = vinc_sim_run(sim);
        if (rc) fail_msg("L = %g: %s", l, vinc_ctx_messages(ctx));
        for (int k = 0; k < 3; k++) phi[k] = vinc_result_at(vinc_sim_result(sim), angles[k], 0);
        assert_near(l * cos(phi[0]) + 2 * cos(phi[1]), 2 + 1.5 * cos(phi[2]), 1e-9);
        assert_near(l * sin(phi[0]) + 2 * sin(phi[1]), 1.5 * sin(phi[2]), 1e-9);
        assert_true(phi[2] < last && phi[2] > last - 0.2); // without a jump
        last = phi[2];
        vinc_sim_free(sim);
        vinc_model_free(model);
        vinc_ctx_free(ctx);
    }
}

/* A fixed choice of x fails where the rod is horizontal: said, not survived by luck. */
static void fixed_partition_is_singular(void **state)
{
    (void)state;
    static const char *const set[] = {"x", "y"};
    const double to[] = {0, -1};
    vinc_sim_options options = {
        .formulation = "partition:independent=y", .has_stop = 1, .t_stop = 1, .rel_tol = 1e-6};
    outcome o = run("lectures/pendulum", &options, NULL, 0, set, to, 2);
    assert_true(o.rc < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_agree), cmocka_unit_test(redundant_constraints),
        cmocka_unit_test(equilibrium),        cmocka_unit_test(assembly_from_nothing),
        cmocka_unit_test(singular_positions), cmocka_unit_test(fixed_partition_is_singular),
        cmocka_unit_test(drift_is_projected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
