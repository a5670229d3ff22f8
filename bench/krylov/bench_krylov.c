/* Large systems with and without a stored matrix: time and memory of both, in one run.
 *
 *     bench_krylov [UNKNOWNS]      about so many each; 100000 without
 *
 * Heat in a square and in a cube, and two reacting fields in a square, each by the direct sparse solver
 * and by GMRES with every preconditioner; each run in a process of its own. `run` is the time of the
 * processor while it integrates, `peak` the most that the process held then, `added` what integrating
 * added to it; both in MB. `apart` is the largest difference of 64 values at the end from those of the
 * direct solver, in tolerances. Ratios are to the direct solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vincolo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROBES = 64 };

typedef struct system {
    const char *name, *file, *variable;
    int dimension, fields; // of the grid, unknowns at each of its points
    const char *stop;
} system_of;

typedef struct figures {
    int status, n;
    double ready_s, run_s, peak_mb, added_mb, at[PROBES];
    vinc_sim_stats s;
} figures;

/* ---- one run --------------------------------------------------------------------------------- */

/* The peak of the process in MB; forgotten from now on, it is what is held now. */
static double peak_mb(int forget)
{
    double kb = 0;
    char line[200];
    if (forget) {
        FILE *clear = fopen("/proc/self/clear_refs", "w");
        if (clear) fputs("5", clear), fclose(clear);
    }
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) sscanf(line, "VmHWM: %lf", &kb);
    if (f) fclose(f);
    return kb / 1024;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void probe_name(const system_of *p, int side, int i, char *name, size_t size)
{
    int at[3] = {1 + i * 7919 % side, 1 + i * 104729 % side, 1 + i * 1299709 % side};
    if (p->dimension == 2) snprintf(name, size, "%s[%d,%d]", p->variable, at[0], at[1]);
    else snprintf(name, size, "%s[%d,%d,%d]", p->variable, at[0], at[1], at[2]);
}

static figures run_system(const system_of *p, const char *folder, int side, const char *linear)
{
    figures f = {.n = p->fields};
    char path[500], value[20], name[60];
    for (int d = 0; d < p->dimension; d++) f.n *= side;
    snprintf(path, sizeof path, "%s/%s", folder, p->file);
    snprintf(value, sizeof value, "%d", side);
    vinc_setting setting = {"N", value};
    vinc_model_options mo = {.settings = &setting, .n_settings = 1};
    vinc_sim_options o = {.method = "bdf", .rel_tol = 1e-4, .intervals = 1, .linear = linear};
    if (p->stop) o.has_stop = 1, o.t_stop = strtod(p->stop, NULL);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    double begin = cpu();
    f.status = vinc_model_load_with(ctx, path, NULL, &mo, &model);
    if (!f.status) f.status = vinc_sim_new(model, &o, &sim);
    double held = peak_mb(1), ready = cpu();
    if (!f.status) f.status = vinc_sim_run(sim);
    f.run_s = cpu() - ready;
    f.ready_s = ready - begin;
    f.peak_mb = peak_mb(0);
    f.added_mb = f.peak_mb - held;
    vinc_sim_statistics(sim, &f.s);
    for (int i = 0; i < PROBES && !f.status; i++) {
        probe_name(p, side, i, name, sizeof name);
        f.at[i] = vinc_result_at(vinc_sim_result(sim), name, INFINITY);
    }
    if (f.status) fprintf(stderr, "%s, %s: %s", p->name, linear, vinc_ctx_messages(ctx));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return f;
}

/* In a process of its own: what one run held is not there for the next. */
static figures run_alone(const system_of *p, const char *folder, int side, const char *linear)
{
    figures f = {.status = VINC_E_MEMORY};
    int ends[2];
    if (pipe(ends)) return f;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        f = run_system(p, folder, side, linear);
        _exit(write(ends[1], &f, sizeof f) != (ssize_t)sizeof f);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &f, sizeof f) != (ssize_t)sizeof f) f.status = VINC_E_MEMORY;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return f;
}

/* ---- the table ------------------------------------------------------------------------------- */

static double apart(const figures *x, const figures *y)
{
    double most = 0;
    for (int i = 0; i < PROBES; i++) {
        double size = 1e-4 * (1 + fabs(y->at[i]));
        most = fmax(most, fabs(x->at[i] - y->at[i]) / size);
    }
    return most;
}

int main(int argc, char **argv)
{
    static const system_of systems[] = {
        {"heat2d", "sparse/heat.mo", "u", 2, 1, NULL},
        {"heat3d", "krylov/heat3d.mo", "u", 3, 1, NULL},
        {"brusselator2d", "sparse/brusselator.mo", "u", 2, 2, "2"},
    };
    double wanted = argc > 1 ? strtod(argv[1], NULL) : 1e5;
    printf("%-14s %7s  %-22s %7s %8s %6s %7s %6s %6s %8s %8s\n", "problem", "n", "linear",
           "ready_s", "run_s", "peak", "added", "apart", "steps", "products", "ratios");
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        const system_of *p = &systems[k];
        int side = (int)(pow(wanted / p->fields, 1.0 / p->dimension) + 0.5);
        figures direct = {0};
        for (int i = -1; i < 0 || vinc_preconditioner(i); i++) {
            char linear[60] = "direct";
            if (i >= 0) snprintf(linear, sizeof linear, "krylov:%s", vinc_preconditioner(i));
            char spec[80] = "direct";
            if (i >= 0) snprintf(spec, sizeof spec, "krylov:precond=%s", vinc_preconditioner(i));
            figures f = run_alone(p, BENCH_FOLDER, side, spec);
            if (f.status) {
                printf("%-14s %7d  %-22s failed with status %d\n", p->name, f.n, linear, f.status);
                continue;
            }
            if (i < 0) direct = f;
            printf("%-14s %7d  %-22s %7.2f %8.2f %6.0f %7.1f %6.2f %6ld %8ld", p->name, f.n, linear,
                   f.ready_s, f.run_s, f.peak_mb, f.added_mb, apart(&f, &direct), f.s.steps,
                   f.s.products);
            if (i >= 0 && direct.run_s > 0)
                printf("  time %.3f added %.3f peak %.2f", f.run_s / direct.run_s,
                       f.added_mb / direct.added_mb, f.peak_mb / direct.peak_mb);
            puts("");
        }
    }
    return 0;
}
