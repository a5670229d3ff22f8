/* Events against closed forms: impacts of a ball dropped from 1 m with restitution 0.8 and g
 * = 9.81, t1 = sqrt(2/g), t_k = t1 (1 + 2 (e + ... + e^(k-1))); height and velocity at t = 3 from
 * the parabola after the sixth impact. SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

typedef struct bounce {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
} bounce;

static bounce run(const char *method, double t_stop)
{
    bounce b = {.ctx = vinc_ctx_new(NULL)};
    vinc_sim_options o = {
        .method = method, .rel_tol = 1e-10, .has_stop = 1, .t_stop = t_stop, .intervals = 30};
    int rc = vinc_model_load(b.ctx, VINCOLO_ROOT "/examples/hybrid/bouncing-ball/model.mo", NULL,
                             &b.model);
    if (!rc) rc = vinc_sim_new(b.model, &o, &b.sim);
    if (!rc) rc = vinc_sim_run(b.sim);
    if (rc) print_error("%s: %s", method, vinc_ctx_messages(b.ctx));
    assert_int_equal(rc, VINC_OK);
    return b;
}

static void done(bounce *b)
{
    vinc_sim_free(b->sim);
    vinc_model_free(b->model);
    vinc_ctx_free(b->ctx);
}

static void impacts(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "bdf", "dopri5"};
    const double g = 9.81, e = 0.8, t1 = sqrt(2 / g);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double t = t1, flight = 2 * t1;
        for (int k = 1; k <= 5; k++) {
            flight *= e;
            bounce b = run(methods[i], t + 0.5 * flight); // at the top of the next flight
            vinc_result *r = vinc_sim_result(b.sim);
            assert_near(vinc_result_at(r, "t_impact", t + 0.5 * flight), t, 1e-9);
            assert_near(vinc_result_at(r, "n", t + 0.5 * flight), k, 0);
            done(&b);
            t += flight;
        }
        bounce b = run(methods[i], 3);
        assert_near(vinc_result_at(vinc_sim_result(b.sim), "h", 3), 0.06870746096576572, 1e-9);
        assert_near(vinc_result_at(vinc_sim_result(b.sim), "v", 3), -0.01535413338474476, 1e-8);
        done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
