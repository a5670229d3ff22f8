/* A chain of n spatial bodies for one second: microseconds per body and step.
 *
 *     bench_chain MODEL LIBRARY [n ...]
 *
 * Time is that of the thread, from the end of the first step to the end of the last; `ready` is
 * what comes before: parsing to the first step. Formulation direct, tolerance 1e-6; genalpha, which
 * has no error estimate, takes 100 steps. The last lines are what a user gets who says nothing: the
 * default formulation, whose steps hold positions, velocities and accelerations to round-off.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 199309L
#include "vincolo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int note_first(void *user, const vinc_progress *p)
{
    double *first = user;
    if (p->steps >= 1 && *first == 0) *first = seconds();
    return 0;
}

typedef struct run {
    const char *method, *formulation;
    double step;
} run;

static int measure(const char *model, const char *library, int n, const run *r)
{
    double begin = seconds(), first = 0;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.method = r->method,
                          .formulation = r->formulation,
                          .rel_tol = 1e-6,
                          .step = r->step,
                          .intervals = 1,
                          .progress = note_first,
                          .user = &first};
    vinc_ctx_add_path(ctx, library);
    char size[20];
    vinc_setting set = {"n", size};
    snprintf(size, sizeof size, "%d", n);
    int rc = vinc_model_load_with(ctx, model, NULL,
                                  &(vinc_model_options){.settings = &set, .n_settings = 1}, &m);
    if (!rc) rc = vinc_sim_new(m, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    double end = seconds();
    vinc_sim_stats s = {0};
    if (sim) vinc_sim_statistics(sim, &s);
    const char *formulation = r->formulation ? r->formulation : "default";
    if (rc) printf("%5d  %-9s %-8s %s", n, r->method, formulation, vinc_ctx_messages(ctx));
    else
        printf("%5d  %-9s %-8s %8.2f s ready %6ld steps %5ld rejected %6ld factorizations %8.2f "
               "us\n",
               n, r->method, formulation, first - begin, s.steps, s.rejected, s.factorizations,
               1e6 * (end - first) / (double)(s.steps - 1) / n);
    fflush(stdout);
    vinc_sim_free(sim);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
    return rc;
}

int main(int argc, char **argv)
{
    static const run runs[] = {{"bdf", "direct", 0},
                               {"genalpha", "direct", 0.01},
                               {"radau5", "direct", 0},
                               {"bdf", NULL, 0}};
    static char *sizes[] = {"10", "100", "1000"};
    if (argc < 3) return 2;
    int rc = 0, given = argc > 3;
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < (given ? argc - 3 : 3); k++) {
            int n = atoi(given ? argv[3 + k] : sizes[k]);
            rc |= measure(argv[1], argv[2], n, &runs[r]);
        }
    return rc ? 1 : 0;
}
