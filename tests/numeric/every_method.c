/* Every method on every small model of every_method.mo: a run ends in a few seconds, with a status, and one that did not
 * reach its end says why; the sanitizers of `make test` see to the rest.
 *
 *     numeric_every_method           the ends of steps alone
 *     numeric_every_method long      (make test-methods) also rows inside of steps, loose and tight tolerances, all formulations
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <stdbool.h>

#define MODELS VINCOLO_ROOT "/tests/numeric/every_method.mo"

enum { SECONDS_MOST = 60, NAME_BYTES = 64, MODELS_MOST = 100 };
static const double STEP = 0.01; // of methods without an estimate of their error
static bool all_ways;
static long runs, refused;

/* One run; VINC_E_OPTION: the method cannot be used in this way. */
static int run_once(vinc_ctx *ctx, vinc_model *m, const vinc_sim_options *o, const char *what)
{
    vinc_sim *s = NULL;
    vinc_limits limits = {.seconds = SECONDS_MOST};
    vinc_ctx_clear(ctx);
    vinc_ctx_limit(ctx, &limits);
    int rc = vinc_sim_new(m, o, &s);
    if (!rc) rc = vinc_sim_run(s);
    runs++;
    refused += rc < 0;
    if (rc == VINC_E_LIMIT || rc == VINC_E_INTERRUPTED || rc == VINC_E_MEMORY)
        fail_msg("%s, %s: %s", vinc_model_name(m), what, vinc_ctx_messages(ctx));
    if (rc < 0 && !*vinc_ctx_messages(ctx))
        fail_msg("%s, %s: status %d without a message", vinc_model_name(m), what, rc);
    vinc_column t = {0};
    if (s && !rc &&
        (vinc_result_column(vinc_sim_result(s), 0, &t) || !t.n || t.values[t.n - 1] != 1))
        fail_msg("%s, %s: done, but not at the end", vinc_model_name(m), what);
    vinc_sim_free(s);
    return rc;
}

static void run_by(vinc_ctx *ctx, vinc_model *m, const char *method, const char *formulation)
{
    static const double tolerances[] = {1e-4, 1e-5};
    static const int intervals[] = {4, 100};
    char what[200];
    snprintf(what, sizeof what, "%s%s%s", method, formulation ? " of " : "",
             formulation ? formulation : "");
    vinc_sim_options o = {.method = method, .formulation = formulation, .has_stop = 1, .t_stop = 1};
    for (int k = 0; k < (all_ways ? 2 : 1); k++) {
        o.rel_tol = tolerances[k];
        o.intervals = intervals[k];
        o.step = 0;
        if (run_once(ctx, m, &o, what) >= 0) continue;
        o.step = STEP;
        run_once(ctx, m, &o, what);
    }
}

static int read_names(char names[][NAME_BYTES])
{
    char line[300];
    int n = 0;
    FILE *f = fopen(MODELS, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) && n < MODELS_MOST)
        n += sscanf(line, "model %63[A-Za-z0-9]", names[n]) == 1;
    fclose(f);
    return n;
}

static void every_run_ends_with_a_status_and_a_reason(void **state)
{
    static char names[MODELS_MOST][NAME_BYTES];
    (void)state;
    int n = read_names(names);
    assert_true(n >= 40);
    for (int i = 0; i < n; i++) {
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *m;
        if (vinc_model_load(ctx, MODELS, names[i], &m)) fail_msg("%s", vinc_ctx_messages(ctx));
        const char *method, *formulation;
        for (int k = 0; (method = vinc_method_name(k)); k++) {
            run_by(ctx, m, method, NULL);
            for (int q = 0; all_ways && (formulation = vinc_formulation(q)); q++)
                run_by(ctx, m, method, formulation);
        }
        vinc_model_free(m);
        vinc_ctx_free(ctx);
    }
    print_message("%ld runs, %ld refused or failed\n", runs, refused);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_ends_with_a_status_and_a_reason),
    };
    all_ways = argc > 1 && !strcmp(argv[1], "long");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
