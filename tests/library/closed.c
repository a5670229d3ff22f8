/* Components of lib/Vincolo against closed forms.
 *
 * Every model of tests/library/closed states its answer itself: 'error', a scalar or a vector, is
 * the difference between what is simulated and a formula, and must stay within 1e-5 at tolerance
 * 1e-8, all along.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "walk.h"

#include "vincolo.h"

enum { INTERVALS = 100 };
static const double ALLOWED = 1e-5;

/* The largest |error| along the run; -1 when there is no variable of that name. */
static double largest(vinc_result *r, const char *name, double stop)
{
    double most = 0;
    if (isnan(vinc_result_at(r, name, 0))) return -1;
    for (int k = 0; k <= INTERVALS; k++) {
        double x = vinc_result_at(r, name, stop * k / INTERVALS);
        most = fmax(most, isnan(x) ? INFINITY : fabs(x));
    }
    return most;
}

/* Of 'error', or of all its elements. */
static double worst(vinc_result *r, double stop)
{
    char name[30];
    double most = largest(r, "error", stop);
    for (int k = 1;; k++) {
        snprintf(name, sizeof name, "error[%d]", k);
        double x = largest(r, name, stop);
        if (x < 0) return most;
        most = fmax(most, x);
    }
}

static bool fits(const char *path, const char *class, double stop)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.rel_tol = 1e-8, .has_stop = 1, .t_stop = stop, .intervals = INTERVALS};
    vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
    int rc = vinc_model_load(ctx, path, class, &model);
    if (!rc) rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    double most = rc ? NAN : worst(vinc_sim_result(sim), stop);
    bool fine = most >= 0 && most <= ALLOWED;
    if (!fine) print_error("%s: error %g\n%s", class, most, vinc_ctx_messages(ctx));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return fine;
}

/* experiment(StopTime = ...) of the model whose text begins here; 1 when there is none. */
static double stop_time(char *model, const char *name)
{
    char end[120];
    double stop = 1;
    snprintf(end, sizeof end, "\n  end %s;", name);
    char *last = strstr(model, end), *given = strstr(model, "StopTime = ");
    assert_non_null(last);
    if (given && given < last) sscanf(given, "StopTime = %lf", &stop);
    return stop;
}

static void answers(void **state)
{
    (void)state;
    static const char *const files[] = {"blocks",     "electrical", "hydraulic",    "integrals",
                                        "mechanisms", "planar",     "rotational",   "rotations",
                                        "spatial",    "thermal",    "translational"};
    int wrong = 0, count = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[600], name[100];
        snprintf(path, sizeof path, VINCOLO_ROOT "/tests/library/closed/%s.mo", files[k]);
        char *words = walk_file(path);
        for (char *at = words; (at = strstr(at, "\n  model ")); at++, count++) {
            assert_int_equal(sscanf(at, " model %99s", name), 1);
            wrong += !fits(path, name, stop_time(at, name));
        }
        test_free(words);
    }
    assert_int_equal(wrong, 0);
    assert_true(count > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
