/* Examples as FMUs and back: exported, run by the importer in model exchange and in co-simulation, and held
 * against a run of the model itself at the same output points.
 *
 *     import_examples                  a few, in the suite
 *     import_examples FILE.mo ...      these, with a line for each, and sums
 *
 * A deviation is |a - b| over the largest value of the variable and 1; what runs at a tolerance by two
 * methods, or by one whose steps begin at other places, agrees to ten times the tolerance.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <unistd.h>

static const double TOLERANCE = 1e-8, TOLERANCES_OF_DEVIATION = 10;
enum { POINTS = 53 }; // a prime: no event of a model is likely to lie at one of them

typedef struct back {
    int runs, agree, near; // near: within a thousand tolerances
    int tells;
} back;

static double deviation(vinc_result *own, vinc_result *other, double start, double stop,
                        char name[200])
{
    double worst = 0;
    for (int c = 1; c < vinc_result_n_columns(own); c++) {
        vinc_column x;
        double size = 0, apart = 0;
        if (vinc_result_column(own, c, &x) || vinc_result_find(other, x.name) < 0) continue;
        for (int k = 0; k <= POINTS; k++) {
            double t = k < POINTS ? start + (stop - start) * k / POINTS : stop;
            double a = vinc_result_at(own, x.name, t), b = vinc_result_at(other, x.name, t);
            size = fmax(size, fabs(a));
            apart = fmax(apart, fabs(a - b));
        }
        if (!(apart / (size + 1) <= worst))
            worst = apart / (size + 1), snprintf(name, 200, "%s", x.name);
    }
    return worst;
}

static void run_back(back *b, vinc_ctx *ctx, vinc_sim *sim, const char *model, const char *path,
                     int fmi, int kind)
{
    vinc_sim_options run = {.rel_tol = TOLERANCE, .intervals = POINTS};
    vinc_fmu_options o = {.run = &run, .kind = kind, .in_process = 1};
    vinc_fmu *fmu = NULL;
    char name[200] = "";
    vinc_ctx_clear(ctx);
    vinc_ctx_limit(ctx, &(vinc_limits){.seconds = 60});
    int rc = vinc_fmu_open(ctx, path, &o, &fmu);
    if (rc == VINC_E_OPTION) return; // not of this kind
    if (!rc) rc = vinc_fmu_simulate(fmu);
    double apart = INFINITY;
    vinc_result *own = vinc_sim_result(sim);
    if (rc >= 0) {
        vinc_column t;
        vinc_result_column(own, 0, &t);
        apart = deviation(own, vinc_fmu_result(fmu), t.values[0], t.values[t.n - 1], name);
    }
    b->runs++;
    b->agree += apart <= TOLERANCES_OF_DEVIATION * TOLERANCE;
    b->near += apart <= 1000 * TOLERANCE;
    if (b->tells || !(apart <= TOLERANCES_OF_DEVIATION * TOLERANCE))
        printf("%s, FMI %d, %s: %.2g %s%s\n", model, fmi,
               kind == VINC_FMU_EXCHANGE ? "exchange" : "steps", apart, name,
               rc < 0 ? vinc_ctx_messages(ctx) : "");
    fflush(stdout);
    vinc_fmu_free(fmu);
}

static void there_and_back(back *b, const char *model, const char *folder)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.rel_tol = TOLERANCE, .intervals = POINTS, .max_time = 60};
    char path[2][300];
    int has[2] = {0};
    vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
    int rc = vinc_model_load(ctx, model, NULL, &m);
    for (int k = 0; k < 2 && rc >= 0; k++) {
        vinc_export_options x = {.fmi = k + 2, .libraries = VINCOLO_FMU_FOLDER};
        snprintf(path[k], sizeof path[k], "%s/m%d.fmu", folder, k + 2);
        has[k] = !vinc_model_export(m, path[k], &x);
        if (!has[k] && b->tells)
            printf("%s, FMI %d: not exported: %s", model, k + 2, vinc_ctx_messages(ctx));
        vinc_ctx_clear(ctx);
    }
    if (rc >= 0) rc = vinc_sim_new(m, &o, &sim);
    if (rc >= 0) rc = vinc_sim_run(sim);
    for (int k = 0; k < 2; k++) {
        if (has[k] && rc >= 0) run_back(b, ctx, sim, model, path[k], k + 2, VINC_FMU_EXCHANGE);
        if (has[k] && rc >= 0) run_back(b, ctx, sim, model, path[k], k + 2, VINC_FMU_STEPS);
        if (has[k]) unlink(path[k]);
    }
    vinc_sim_free(sim);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

static void examples_come_back(void **state)
{
    (void)state;
    static const char *const few[] = {"hybrid/bouncing-ball", "hybrid/thermostat",
                                      "hybrid/two-tank"};
    char folder[] = "/tmp/vincolo-back-XXXXXX", path[300];
    back b = {0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        snprintf(path, sizeof path, VINCOLO_ROOT "/examples/%s/model.mo", few[i]);
        there_and_back(&b, path, folder);
    }
    rmdir(folder);
    assert_int_equal(b.runs, 4 * (int)(sizeof few / sizeof *few));
    assert_int_equal(b.agree, b.runs);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_come_back)};
    if (argc < 2) return cmocka_run_group_tests(tests, NULL, NULL);
    char folder[] = "/tmp/vincolo-back-XXXXXX";
    back b = {.tells = 1};
    if (!mkdtemp(folder)) return 1;
    for (int i = 1; i < argc; i++) there_and_back(&b, argv[i], folder);
    rmdir(folder);
    printf("%d runs, %d agree within ten tolerances, %d within a thousand\n", b.runs, b.agree,
           b.near);
    return 0;
}
