/* The models of examples/ivp against the reference values of the test set: each earns its digits
 * with the automatic choice, those with constraints with the second formulation too.
 *
 * The tolerances are those at which a run takes a moment under sanitizers. A run may lose two
 * digits on the way from the local to the global error, as the published solvers do.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "../../bench/ivp/ivp.h"
#include <math.h>
#include <string.h>
#include <vincolo.h>
#include <vincolo_report.h>

static const struct {
    const char *name;
    double tol, digits;
} cases[] = {
    {"chemakzo", 1e-6, 4}, {"transamp", 1e-5, 3},    {"nand", 1e-5, 3},    {"pump", 1e-5, 3},
    {"fekete", 1e-3, 1},   {"tube", 1e-6, 4},        {"caraxis", 1e-6, 4}, {"caraxis-ggl", 1e-6, 4},
    {"andrews", 1e-5, 3},  {"andrews-ggl", 1e-5, 3}, {"hires", 1e-6, 4},   {"pollution", 1e-6, 4},
    {"rober", 1e-6, 4},    {"orego", 1e-6, 4},       {"vdpol", 1e-6, 4},   {"vdpolm", 1e-6, 4},
    {"e5", 1e-6, 4},       {"medakzo", 1e-4, 2},     {"emep", 1e-4, 2},    {"beam", 1e-4, 2},
    {"pleiades", 1e-7, 4}, {"crank", 1e-7, 5},
};

static const ivp_problem *find(const char *name)
{
    for (const ivp_problem *p = ivp_problems; p->name; p++)
        if (!strcmp(p->name, name)) return p;
    return NULL;
}

static void digits_are_earned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ivp_problem *p = find(cases[i].name);
        assert_non_null(p);
        ivp_bench b;
        assert_int_equal(ivp_open(&b, VINCOLO_ROOT "/examples/ivp", p), 0);
        b.runs = 1;
        ivp_point q = ivp_measure(&b, NULL, p->formulation, cases[i].tol);
        if (q.status || !(q.digits >= cases[i].digits))
            fail_msg("%s: status %d, %.2f digits at tolerance %g", p->name, q.status, q.digits,
                     cases[i].tol);
        ivp_close(&b);
    }
}

/* The equations as written, index 2 and 3, to the end: loose tolerances, too, where what an
 * iteration leaves of a constraint could be taken for an error that no step is short enough for. */
static void as_written(void **state)
{
    (void)state;
    static const char *const names[] = {"caraxis", "andrews", "crank"};
    static const char *const methods[] = {"radau5", "radau"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ivp_bench b;
        assert_int_equal(ivp_open(&b, VINCOLO_ROOT "/examples/ivp", find(names[i])), 0);
        b.runs = 1;
        for (int k = 0; k < 2; k++)
            for (double tol = 1e-2; tol > 1e-7; tol /= 10) {
                ivp_point q = ivp_measure(&b, methods[k], "direct", tol);
                if (q.status) fail_msg("%s, %s, %g", names[i], methods[k], tol);
            }
        ivp_close(&b);
    }
}

/* The places where wheels and rails touch are found step by step; joined, they take fewer unknowns: 33 when each
 * block of equations was torn by itself. */
static void places_of_contact_are_joined(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_run *run = NULL;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 0.001};
    assert_int_equal(vinc_model_load(ctx, VINCOLO_ROOT "/examples/ivp/wheelset.mo", NULL, &model),
                     0);
    assert_int_equal(vinc_sim_new(model, &o, &sim), 0);
    assert_int_equal(vinc_sim_run(sim), 0);
    assert_int_equal(vinc_run_of(sim, &run), 0);
    assert_int_equal(run->n_integrated, 25);
    vinc_report_free(run);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* A third of the attempts on the wheelset is rejected. Where each of them iterated until it had converged, an attempt
 * took 4.7 iterations, and where two tell that it is too long, 3.4. */
static void steps_that_are_too_long_do_not_converge_first(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_stats done;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2, .rel_tol = 1e-7, .method = "radau"};
    assert_int_equal(vinc_model_load(ctx, VINCOLO_ROOT "/examples/ivp/wheelset.mo", NULL, &model),
                     0);
    assert_int_equal(vinc_sim_new(model, &o, &sim), 0);
    assert_int_equal(vinc_sim_run(sim), 0);
    vinc_sim_statistics(sim, &done);
    assert_true((double)done.newton_iterations < 4.0 * (double)(done.steps + done.rejected));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* Lucky digits at one tolerance do not count, and a line is read between its points. */
static void envelopes(void **state)
{
    (void)state;
    ivp_line l = {.n = 4};
    const double digits[] = {3, 6.5, 5, 8}, us[] = {10, 20, 40, 80};
    for (int k = 0; k < 4; k++) l.at[k] = (ivp_point){.digits = digits[k], .us = us[k]};
    assert_true(fabs(ivp_time_at(&l, 5) - 20) < 1e-12);                // the second counts as 5
    assert_true(fabs(ivp_time_at(&l, 6.5) - sqrt(40.0 * 80)) < 1e-12); // between 5 and 8
    assert_true(ivp_time_at(&l, 2) == 10 && isinf(ivp_time_at(&l, 9)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_earned), cmocka_unit_test(as_written),
        cmocka_unit_test(envelopes), cmocka_unit_test(places_of_contact_are_joined),
        cmocka_unit_test(steps_that_are_too_long_do_not_converge_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
