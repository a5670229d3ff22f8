/* Vincolo on the Modelica model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <vincolo.h>

/* Linux: the highest resident size is kept until it is reset. */
double peak_mb(void)
{
    char line[200];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kb) == 1) break;
    if (f) fclose(f);
    return (double)kb / 1024;
}

double forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return peak_mb();
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

// The method that ran.
static void method_name(vinc_sim *sim, char *name, size_t size)
{
    vinc_run *run = NULL;
    snprintf(name, size, "%s", !vinc_run_of(sim, &run) && run->method ? run->method : "?");
    vinc_report_free(run);
}

/* What is compared: IDA's program keeps no more. */
static void probe_names(const problem *p, int N, char *list, size_t size)
{
    char name[40];
    size_t n = 0;
    for (int i = 0; i < PLACES; i++) {
        p->component(N, probe_place(p, N, i), name, sizeof name);
        n += (size_t)snprintf(list + n, size - n, "%s%s", i ? "," : "", name);
    }
}

void run_ours(const problem *p, int N, double tol, const char *method, const char *folder,
              measured *m)
{
    char path[500], value[20], name[40];
    snprintf(path, sizeof path, "%s/%s", folder, p->file);
    snprintf(value, sizeof value, "%d", N);
    vinc_setting setting = {p->parameter, value};
    vinc_model_options mo = {.settings = &setting, .n_settings = 1};
    char kept[PLACES * sizeof name];
    probe_names(p, N, kept, sizeof kept);
    vinc_sim_options o = {.method = method,
                          .rel_tol = tol,
                          .abs_tol = tol,
                          .intervals = TIMES,
                          .vars = kept,
                          .only_vars = 1};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_stats s = {0};
    double begin = cpu();
    m->status = vinc_model_load_with(ctx, path, NULL, &mo, &model);
    if (!m->status) m->status = vinc_sim_new(model, &o, &sim);
    m->before_mb = forget_peak();
    double ready = cpu(), wall = seconds(CLOCK_MONOTONIC);
    if (!m->status) m->status = vinc_sim_run(sim);
    double end = cpu();
    wall = seconds(CLOCK_MONOTONIC) - wall;
    m->memory_mb = peak_mb();
    vinc_sim_statistics(sim, &s);
    m->run_s = s.wall_integrate * fmin(1, (end - ready) / wall); // not what other programs take
    m->ready_s = end - begin - m->run_s;
    m->steps = s.steps;
    m->rejected = s.rejected;
    m->jacobians = s.jacobian_evals;
    m->factorizations = s.factorizations;
    m->solves = s.newton_iterations;
    method_name(sim, m->method, sizeof m->method);
    for (int i = 0; i < PROBES && !m->status; i++) {
        p->component(N, probe_place(p, N, i), name, sizeof name);
        m->at[i] = vinc_result_at(vinc_sim_result(sim), name, probe_time(p, i));
    }
    if (m->status) fprintf(stderr, "%s: %s\n", p->name, vinc_ctx_messages(ctx));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}
