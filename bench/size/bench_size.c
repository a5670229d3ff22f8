/* What a model costs against its size: seconds and memory until it is ready, seconds of a step.
 *
 *     bench_size FAMILIES.mo [--most N] [--only NAME] [--figure FILE]
 *     bench_size TABLES --figure FILE     nothing is measured: what was printed before is drawn
 *
 * Each run is a process of its own. `ready` is the processor time from the text to consistent start
 * values, `MB` the most that the process held until it was compiled, `all` until the end of the run. The
 * growth is the exponent between the last two sizes. The next size is left out where it would need more
 * memory than the machine has free, which is said.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vincolo.h>

enum { SIZES = 5, FAMILIES = 4 };

typedef struct family {
    const char *name, *class_;
    double each; // unknowns of one cell
    int power;   // n^power cells
} family;

static const family families[FAMILIES] = {
    {"heat rod", "Families.Rod", 1, 1},
    {"tanks", "Families.Tanks", 2, 1},
    {"RC line", "Families.Line", 12, 1},
    {"heat in a cube", "Families.Cube", 1, 3},
};

typedef struct cost {
    int status;
    double n, ready_s, ready_mb, all_mb, step_s;
    long steps;
} cost;

/* ---- measuring ------------------------------------------------------------------------------- */

static double line_mb(const char *path, const char *format)
{
    char line[200];
    long kb = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, format, &kb) == 1) break;
    if (f) fclose(f);
    return (double)kb / 1024;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cost run_family(const family *f, const char *path, int cells)
{
    char value[20];
    cost c = {.n = f->each * pow(cells, f->power)};
    snprintf(value, sizeof value, "%d", cells);
    vinc_setting setting = {"n", value};
    vinc_model_options mo = {.settings = &setting, .n_settings = 1};
    vinc_sim_options o = {.intervals = 1, .vars = "time", .only_vars = 1, .max_steps = 20};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_stats s = {0};
    c.status = vinc_model_load_with(ctx, path, f->class_, &mo, &model);
    if (!c.status) c.status = vinc_sim_new(model, &o, &sim);
    c.ready_mb = line_mb("/proc/self/status", "VmHWM: %ld");
    struct timespec a, b;
    double begin = cpu();
    clock_gettime(CLOCK_MONOTONIC, &a);
    if (!c.status) vinc_sim_run(sim); // it stops after some steps
    clock_gettime(CLOCK_MONOTONIC, &b);
    double wall = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    if (!c.status) vinc_sim_statistics(sim, &s);
    double run = wall > 0 ? s.wall_integrate * fmin(1, (cpu() - begin) / wall) : 0;
    c.ready_s = cpu() - run;
    c.steps = s.steps;
    c.step_s = s.steps ? run / (double)s.steps : 0;
    c.all_mb = line_mb("/proc/self/status", "VmHWM: %ld");
    if (c.status) fprintf(stderr, "%s: %s\n", f->name, vinc_ctx_messages(ctx));
    return c; // the process ends: nothing is given back
}

static cost run_apart(const family *f, const char *path, int cells)
{
    cost c = {.status = VINC_E_MEMORY};
    int ends[2];
    if (pipe(ends)) return c;
    pid_t child = fork();
    if (!child) {
        mallopt(M_MMAP_THRESHOLD, 1 << 20); // as the command does
        c = run_family(f, path, cells);
        _exit(write(ends[1], &c, sizeof c) != (ssize_t)sizeof c);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &c, sizeof c) != (ssize_t)sizeof c) c.status = VINC_E_MEMORY;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return c;
}

/* ---- table and figure ------------------------------------------------------------------------ */

static double growth(double before, double now, double n_before, double n)
{
    return before > 0 && now > 0 ? log(now / before) / log(n / n_before) : NAN;
}

static int measure(const family *f, const char *path, double most, cost *out)
{
    int k = 0;
    for (double n = 1e3; n <= most && k < SIZES; n *= 10) {
        double share = line_mb("/proc/meminfo", "MemAvailable: %ld");
        if (k && 10.5 * out[k - 1].all_mb > share) {
            printf("%-16s %9.0f  left out: about %.0f MB of %.0f\n", f->name, n,
                   10 * out[k - 1].all_mb, share);
            break;
        }
        cost c = run_apart(f, path, (int)lround(pow(n / f->each, 1.0 / f->power)));
        if (c.status) {
            printf("%-16s %9.0f  failed\n", f->name, n);
            break;
        }
        printf("%-16s %9.0f %8.3f %8.1f %8.1f %7.0f %7.0f %9.4f", f->name, c.n, c.ready_s,
               c.ready_mb, c.all_mb, 1048576 * c.ready_mb / c.n, 1048576 * c.all_mb / c.n,
               1e3 * c.step_s);
        if (k && n >= 1e5)
            printf("   time n^%.2f, memory n^%.2f",
                   growth(out[k - 1].ready_s, c.ready_s, out[k - 1].n, c.n),
                   growth(out[k - 1].ready_mb, c.ready_mb, out[k - 1].n, c.n));
        printf("\n");
        fflush(stdout);
        out[k++] = c;
    }
    return k;
}

static int draw(const cost (*all)[SIZES], const int *counts, const char *path)
{
    static const char *const labels[] = {"ready", "memory until compiled", "a step"};
    static const char *const units[] = {"s", "MB", "ms"};
    mem m = mem_std();
    plot_figure *f = NULL;
    result_fault fault = {0};
    if (plot_new(&m, &(plot_figure_spec){.width = 900, .height = 300, .columns = 3}, &f) < 0)
        return -1;
    for (int p = 0; p < 3; p++) {
        plot_panel *panel =
            plot_add_panel(f, &(plot_panel_spec){.x = {.label = "unknowns", .log = true},
                                                 .left = {labels[p], units[p], .log = true}});
        for (int i = 0; i < FAMILIES; i++) {
            double x[SIZES], y[SIZES];
            for (int k = 0; k < counts[i]; k++) {
                const cost *c = &all[i][k];
                x[k] = c->n;
                y[k] = p == 0 ? c->ready_s : p == 1 ? c->ready_mb : 1e3 * c->step_s;
            }
            plot_add_curve(panel, &(plot_curve_spec){.label = p ? NULL : families[i].name,
                                                     .x = x,
                                                     .y = y,
                                                     .n = (size_t)counts[i],
                                                     .colour = i + 1,
                                                     .style = PLOT_LINE_POINTS});
        }
    }
    int rc = plot_write(f, path, NULL, &fault);
    if (rc < 0) fprintf(stderr, "%s\n", fault.text);
    plot_free(f);
    return rc;
}

/* Rows of tables as they are printed above. */
static void read_tables(const char *path, cost (*all)[SIZES], int *counts)
{
    char line[300];
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        for (int i = 0; i < FAMILIES; i++) {
            size_t n = strlen(families[i].name);
            cost c = {0};
            if (counts[i] == SIZES || strncmp(line, families[i].name, n) || line[n] != ' ' ||
                sscanf(line + n, "%lf %lf %lf %lf %*f %*f %lf", &c.n, &c.ready_s, &c.ready_mb,
                       &c.all_mb, &c.step_s) != 5)
                continue;
            c.step_s /= 1e3;
            all[i][counts[i]++] = c;
        }
    if (f) fclose(f);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "", *only = NULL, *figure = NULL;
    double most = 1e6;
    for (int i = 2; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--most")) most = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--only")) only = argv[i + 1];
        else if (!strcmp(argv[i], "--figure")) figure = argv[i + 1];
        else
            return fprintf(stderr,
                           "bench_size FAMILIES.mo [--most N] [--only NAME] [--figure FILE]\n"),
                   2;
    }
    static cost all[FAMILIES][SIZES];
    int counts[FAMILIES] = {0};
    size_t n = strlen(path);
    if (n < 3 || strcmp(path + n - 3, ".mo") != 0) {
        read_tables(path, all, counts);
        return !figure || draw((const cost(*)[SIZES])all, counts, figure) < 0;
    }
    printf("%-16s %9s %8s %8s %8s %7s %7s %9s\n", "family", "n", "ready_s", "MB", "all_MB", "B/n",
           "all_B/n", "step_ms");
    fflush(stdout);
    for (int i = 0; i < FAMILIES; i++)
        if (!only || strstr(families[i].name, only))
            counts[i] = measure(&families[i], path, most, all[i]);
    return figure && draw((const cost(*)[SIZES])all, counts, figure) < 0;
}
