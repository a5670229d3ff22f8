/* The models of examples/index against their solutions: closed forms, or values of the lecture
 * notes' reference calculations (two independent codes agreeing to 2e-14; t = 2 and t = 10).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

typedef struct expected {
    const char *file, *name;
    double t, value;
} expected;

static const expected table[] = {
    {"sine", "y", 1, -0.54030230586813977}, // -cos 1
    {"index1", "x", 2, 0.918018536358},     // 3 ln y - 1/(2 y^2) = -t - 1/2
    {"index1", "y", 2, 0.647079128942},        {"spring", "u", 10, 0.33198944304},
    {"spring", "v", 10, 0.25325083048},        {"spring", "r", 10, 0.36858032027},
    {"index2", "x1", 1, 0.84147098480789651},  // sin 1
    {"index2", "y", 1, 0.36787944117144232},   // exp(-1)
    {"index4", "x4", 1, -0.54030230586813977}, // -cos 1
    {"index4", "x2", 1, 0.54030230586813977},
};

static void solutions(const char *method, const char *formulation, double rtol, double allowed)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const expected *e = &table[i];
        char path[500];
        snprintf(path, sizeof path, "%s/examples/index/%s.mo", VINCOLO_ROOT, e->file);
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *model = NULL;
        vinc_sim *sim = NULL;
        vinc_sim_options o = {.method = method,
                              .formulation = formulation,
                              .rel_tol = rtol,
                              .has_stop = 1,
                              .t_stop = e->t};
        int rc = vinc_model_load(ctx, path, NULL, &model);
        if (!rc) rc = vinc_sim_new(model, &o, &sim);
        if (!rc) rc = vinc_sim_run(sim);
        if (rc) print_error("%s: %s", path, vinc_ctx_messages(ctx));
        assert_int_equal(rc, VINC_OK);
        assert_near(vinc_result_at(vinc_sim_result(sim), e->name, e->t), e->value, allowed);
        vinc_sim_free(sim);
        vinc_model_free(model);
        vinc_ctx_free(ctx);
    }
}

static void by_radau(void **state)
{
    (void)state;
    solutions("radau5", NULL, 1e-10, 1e-8);
}

static void by_bdf(void **state)
{
    (void)state;
    solutions("bdf", NULL, 1e-10,
              2e-7); // global error of a multistep run: some hundred times the tolerance
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_radau), cmocka_unit_test(by_bdf)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
