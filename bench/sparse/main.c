/* bench_sparse [--folder DIR] [--only NAME] [--size 0|1] [--method NAME] [--tol R] [--as-is]
 *              [--store TOL]
 *
 * IDA runs at the tolerance (1e-4); Vincolo at the same one, and again at tighter ones while its
 * error is larger than IDA's, so that the ratio of times is at equal accuracy; --as-is: only the
 * first. Errors are the root mean square over 24 components at four times, against reference.csv or
 * the exact solution. Each run is a process of its own, so that the peak of its memory is its own:
 * MB of the process while it integrates, and what integrating added to it.
 *
 * IDA on the line: with its standard orders it steps at the limit of stability, and is stopped
 * after LIMIT_S; it runs a second time with orders up to 2, and is judged by the better of the two.
 *
 * The last two lines are the largest ratios over all rows at equal accuracy: of times, and of the
 * memory that integrating added.
 *
 * --store: prints the rows of reference.csv, made by IDA at that tolerance (line: order 2 is of no
 * use there) or, where --method is given, by Vincolo.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sparse.h"

#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const double LIMIT_S = 10, SHORT_S = 2, TIGHTER = 0.7;
enum { TRIES = 16, REPEAT = 3 };

typedef struct options {
    const char *folder, *only, *method;
    int size; // -1: both
    double tol, store;
    bool as_is;
} options;

static double reference[PROBES];

static bool read_reference(const options *o, const problem *p, int N)
{
    char path[500], line[200], name[32];
    int n = p->n(N), size, i, found = 0;
    double value;
    if (p->exact) {
        double *y = malloc((size_t)n * sizeof *y);
        if (!y) return false;
        for (i = 0; i < PROBES; i++) {
            if (i % PLACES == 0) p->exact(N, probe_time(p, i), y);
            reference[i] = y[probe_place(p, N, i)];
        }
        free(y);
        return true;
    }
    snprintf(path, sizeof path, "%s/reference.csv", o->folder);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%31[^,],%d,%d,%lf", name, &size, &i, &value) == 4 &&
            !strcmp(name, p->name) && size == N && i >= 0 && i < PROBES)
            reference[i] = value, found++;
    fclose(f);
    return found == PROBES;
}

static double error_of(const measured *m)
{
    double sum = 0;
    for (int i = 0; i < PROBES; i++) {
        double e = (m->at[i] - reference[i]) / (1 + fabs(reference[i]));
        sum += e * e;
    }
    return sqrt(sum / PROBES);
}

/* In a process of its own. */
static measured apart(const options *o, const problem *p, int N, double tol, bool ours, int order)
{
    measured *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    shared->status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (ours) run_ours(p, N, tol, o->method, o->folder, shared);
        else
            run_peer(p, N, tol, order, o->store > 0 || strcmp(p->name, "line") ? 0 : LIMIT_S,
                     shared);
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
    measured m = *shared;
    munmap(shared, sizeof *shared);
    return m;
}

/* Short runs are repeated, and the fastest one counts: other programs take time from them. */
static measured best(const options *o, const problem *p, int N, double tol, bool ours, int order)
{
    measured m = apart(o, p, N, tol, ours, order);
    for (int k = 1; k < REPEAT && !m.status && m.run_s < SHORT_S; k++) {
        measured again = apart(o, p, N, tol, ours, order);
        if (!again.status && again.run_s < m.run_s) m = again;
    }
    return m;
}

static void print(const problem *p, int n, const char *who, double tol, const measured *m)
{
    char error[16] = "-", run[24], ready[16] = "-";
    if (!m->status) snprintf(error, sizeof error, "%.1e", error_of(m));
    snprintf(run, sizeof run, "%s%.3f", m->status ? ">" : "", m->run_s);
    if (m->ready_s > 0) snprintf(ready, sizeof ready, "%.2f", m->ready_s);
    printf("%-14s %6d  %-10s %7.1e %8s %9s %9s %6ld %5ld %5ld %6.0f %6.0f", p->name, n, who, tol,
           ready, run, error, m->steps, m->jacobians, m->factorizations, m->memory_mb,
           m->memory_mb - m->before_mb);
}

typedef struct worst {
    double time, added;
} worst;

static int row(const options *o, const problem *p, int N, worst *most)
{
    int n = p->n(N);
    if (!read_reference(o, p, N)) return fprintf(stderr, "no reference: %s %d\n", p->name, N), 1;
    measured ida = best(o, p, N, o->tol, false, 0);
    print(p, n, "IDA", o->tol, &ida);
    printf("\n");
    if (!strcmp(p->name, "line")) {
        measured second = best(o, p, N, o->tol, false, 2);
        print(p, n, "IDA, 2", o->tol, &second);
        printf("\n");
        if (ida.status || (!second.status && second.run_s < ida.run_s)) ida = second;
    }
    double tol = o->tol;
    for (int k = 0; k < TRIES; k++, tol *= TIGHTER) {
        measured us = best(o, p, N, tol, true, 0);
        print(p, n, us.method, tol, &us);
        bool enough = us.status || ida.status || error_of(&us) <= error_of(&ida);
        double time = us.run_s / ida.run_s;
        double added = (us.memory_mb - us.before_mb) / (ida.memory_mb - ida.before_mb);
        printf("  time %.2f memory %.2f added %.2f%s\n", time, us.memory_mb / ida.memory_mb, added,
               enough ? "" : " (error is larger)");
        if (us.status) return 1;
        if (!enough && !o->as_is) continue;
        most->time = fmax(most->time, time);
        most->added = fmax(most->added, added);
        break;
    }
    return 0;
}

static void store(const options *o, const problem *p, int N)
{
    if (p->exact) return;
    measured m = apart(o, p, N, o->store, o->method != NULL, 0);
    if (m.status) fprintf(stderr, "%s %d failed\n", p->name, N);
    for (int i = 0; i < PROBES && !m.status; i++)
        printf("%s,%d,%d,%.12g\n", p->name, N, i, m.at[i]);
}

int main(int argc, char **argv)
{
    options o = {.folder = "bench/sparse", .size = -1, .tol = 1e-4};
    mallopt(M_MMAP_THRESHOLD, 1 << 20); // as the command does
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--as-is")) {
            o.as_is = true;
            continue;
        }
        if (!strcmp(argv[i], "--folder")) o.folder = value;
        else if (!strcmp(argv[i], "--only")) o.only = value;
        else if (!strcmp(argv[i], "--method")) o.method = value;
        else if (!strcmp(argv[i], "--size")) o.size = atoi(value);
        else if (!strcmp(argv[i], "--tol")) o.tol = atof(value);
        else if (!strcmp(argv[i], "--store")) o.store = atof(value);
        else return fprintf(stderr, "bench_sparse: what is %s?\n", argv[i]), 2;
        i++;
    }
    if (!(o.store > 0))
        printf("%-14s %6s  %-10s %7s %8s %9s %9s %6s %5s %5s %6s %6s\n", "problem", "n", "solver",
               "tol", "ready_s", "run_s", "error", "steps", "jac", "lu", "MB", "added");
    int failed = 0;
    worst most = {0};
    for (int size = 0; size < 2; size++)
        for (const problem *p = problems; p->name; p++) {
            if ((o.only && strcmp(o.only, p->name)) || (o.size >= 0 && o.size != size)) continue;
            if (o.store > 0) store(&o, p, p->size[size]);
            else failed += row(&o, p, p->size[size], &most);
        }
    if (!(o.store > 0)) printf("time %.2f\nadded %.2f\n", most.time, most.added);
    return failed != 0;
}
