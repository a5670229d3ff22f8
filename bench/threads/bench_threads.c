/* Sweeps on a processor: runs per second by threads, and what a run costs beside its integration.
 *
 *     bench_threads MODEL.mo [RUNS]
 *
 * The same runs are made by a plain loop, in which one run is set and made again and again, and by
 * vinc_sweep_of with one thread and with one for each processor. Overhead is what a sweep by one thread
 * takes more than the loop: axes, collecting, rows, the journal, the file, statistics. It is told in
 * seconds of the processor, which others on the machine do not change; the speed-up is one of the clock
 * on the wall, and wants an idle machine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vincolo_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long kilobytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static int nothing(void *user, vinc_sim *sim, double t0, double t1)
{
    (void)user, (void)sim, (void)t0, (void)t1;
    return 0;
}

/* Seconds of the processor for each run. */
static double plain_loop(vinc_model *model, int runs)
{
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.follow = nothing};
    double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID), value;
    if (vinc_sim_new(model, &o, &sim)) exit(1);
    int x = vinc_sim_find(sim, "x");
    for (int k = 0; k < runs; k++)
        if (vinc_sim_set(sim, "L", 0.5 + 1.5 * k / (runs - 1)) || vinc_sim_run(sim) ||
            vinc_sim_values(sim, &x, 1, &value))
            exit(1);
    vinc_sim_free(sim);
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / runs;
}

/* The same, and by the clock on the wall. */
static double by_sweep(vinc_model *model, int runs, int jobs, const char *collect, const char *out,
                       double *wall)
{
    char vary[100];
    snprintf(vary, sizeof vary, "L=0.5:2:%.17g", 1.5 / (runs - 1));
    const char *list[] = {vary};
    vinc_sweep_options o = {
        .vary = list, .n_vary = 1, .collect = collect, .jobs = jobs, .out = out};
    vinc_sweep *sweep = NULL;
    double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (vinc_sweep_of(model, &o, &sweep)) exit(1);
    *wall = sweep->seconds / (double)sweep->done;
    vinc_report_free(sweep);
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / runs;
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    int runs = argc > 2 ? atoi(argv[2]) : 100000, jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    if (runs < 2 || vinc_model_load(ctx, argv[1], NULL, &model)) {
        fputs(vinc_ctx_messages(ctx), stderr);
        return 1;
    }
    char out[60]; // a name of this process
    snprintf(out, sizeof out, "/tmp/bench-threads-%06d.csv", (int)getpid() % 1000000);
    double wall, wall_all, loop = plain_loop(model, runs);
    by_sweep(model, runs / 10, 1, "final(x)", out, &wall);
    long before = kilobytes();
    double one = by_sweep(model, runs, 1, "final(x)", out, &wall);
    long more = kilobytes() - before;
    by_sweep(model, runs, jobs, "final(x)", out, &wall_all);
    double max = by_sweep(model, runs, 1, "max(phi)", out, &(double){0});
    printf("{\"runs\": %d, \"jobs\": %d, \"us_per_run\": {\"loop\": %.3f, \"sweep\": %.3f, "
           "\"sweep_max\": %.3f}, \"overhead_us\": %.3f, \"speedup\": %.3f, "
           "\"runs_per_second\": %.0f, \"kilobytes_more_for_10_times_the_runs\": %ld}\n",
           runs, jobs, 1e6 * loop, 1e6 * one, 1e6 * max, 1e6 * (one - loop), wall / wall_all,
           1 / wall_all, more);
    unlink(out);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return 0;
}
