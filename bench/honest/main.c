/* bench_honest: see honest.h for the idea, docs/honest.md for the table.
 *
 *     bench_honest PROBLEMS-FOLDER VINCOLO WORK-FOLDER [--seed N] [--draws N] [--tol LIST]
 *                  [--methods LIST] [--only TEXT] [--points N] [--jobs N] [--all]
 *
 * --seed: other numbers for the same families; --draws: problems of a family; --methods: named
 * ones beside the automatic choice, "none" for none; --only: families or kinds whose name contains
 * the text; --all: one line for every run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "honest.h"

enum { MAX_PROBLEMS = 2000, MAX_LIST = 16, MAX_KINDS = 16 };
static const double LARGE = 100;

typedef struct options {
    const char *folder, *only;
    judge judge;
    uint64_t seed;
    int draws, jobs, n_tols, n_methods;
    double tols[MAX_LIST];
    char methods[MAX_LIST][32];
    bool all;
} options;

typedef struct set {
    int n_problems, n_kinds, n_results;
    problem *problems[MAX_PROBLEMS];
    char kinds[MAX_KINDS][NAME];
    judged *results;
} set;

/* ---- the set --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void set_read(set *s, const options *o)
{
    DIR *d = opendir(o->folder);
    if (!d) {
        fprintf(stderr, "%s: no such folder\n", o->folder);
        exit(2);
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".txt") && s->n_kinds < MAX_KINDS)
            snprintf(s->kinds[s->n_kinds++], NAME, "%.50s", e->d_name);
    closedir(d);
    qsort(s->kinds, (size_t)s->n_kinds, NAME, by_name);
    for (int k = 0; k < s->n_kinds; k++) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", o->folder, s->kinds[k]);
        *strstr(s->kinds[k], ".txt") = 0;
        bool more = true;
        for (int i = 0; more; i++)
            for (int n = 1; more && n <= o->draws; n++) {
                problem *p = family_draw(path, i, o->seed, n);
                more = p != NULL;
                bool wanted = p && (strstr(p->family, o->only) || strstr(p->kind, o->only));
                if (wanted && s->n_problems < MAX_PROBLEMS) s->problems[s->n_problems++] = p;
                else problem_free(p);
            }
    }
}

/* ---- the runs: processes that share the problems out ----------------------------------------- */

static bool suits(const problem *p, const char *method) // explicit methods: nothing stiff
{
    return strncmp(method, "dopri", 5) || (!p->stiff && strcmp(p->kind, "stiff"));
}

static void work(const set *s, const options *o, int worker, FILE *f)
{
    for (int i = worker; i < s->n_problems; i += o->jobs) {
        problem *p = s->problems[i];
        reference *r = reference_new(p, &o->judge);
        for (int m = -1; m < o->n_methods; m++)
            for (int k = 0; k < o->n_tols; k++) {
                judged d = {.problem = i, .tol = o->tols[k]};
                if (m >= 0) snprintf(d.method, sizeof d.method, "%s", o->methods[m]);
                if (m >= 0 && !suits(p, d.method)) continue;
                judge_run(&o->judge, p, r, &d);
                fwrite(&d, sizeof d, 1, f);
            }
        reference_free(p, r);
    }
}

static void set_run(set *s, const options *o)
{
    FILE *files[64];
    s->results = calloc((size_t)s->n_problems * (size_t)(o->n_methods + 1) * (size_t)o->n_tols + 1,
                        sizeof *s->results);
    for (int w = 0; w < o->jobs; w++) {
        files[w] = tmpfile();
        if (!files[w]) exit(2);
        if (!fork()) {
            work(s, o, w, files[w]);
            fclose(files[w]);
            _exit(0);
        }
    }
    for (int status; wait(&status) > 0;)
        if (status) fprintf(stderr, "a process of this program ended with status %d\n", status);
    for (int w = 0; w < o->jobs; w++) {
        rewind(files[w]);
        while (fread(&s->results[s->n_results], sizeof *s->results, 1, files[w]) == 1)
            s->n_results++;
        fclose(files[w]);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double worst_error(const judged *d)
{
    return fmax(d->error[STATE], fmax(d->error[VALUE], d->error[DERIVATIVE]));
}

static bool has_sort(const problem *p, column_sort sort)
{
    for (int i = 0; i < p->n_columns; i++)
        if (p->columns[i].sort == sort || (sort == DERIVATIVE && p->columns[i].sort == STATE))
            return true;
    return false;
}

// One line: number of runs, failures, and of each sort median, nine tenths and largest.
static void line(const set *s, const char *label, const char *method, const char *kind, double tol)
{
    double *e = calloc((size_t)s->n_results + 1, sizeof *e);
    int runs = 0, failed = 0;
    for (int i = 0; i < s->n_results; i++) {
        const judged *d = &s->results[i];
        if (strcmp(d->method, method) || (kind && strcmp(s->problems[d->problem]->kind, kind)) ||
            (tol > 0 && d->tol != tol))
            continue;
        runs++;
        failed += *d->failure != 0;
    }
    if (runs) printf("%-14s %5d %4d ", label, runs, failed);
    for (int sort = 0; runs && sort < N_SORTS; sort++) {
        int n = 0;
        for (int i = 0; i < s->n_results; i++) {
            const judged *d = &s->results[i];
            const problem *p = s->problems[d->problem];
            if (strcmp(d->method, method) || (kind && strcmp(p->kind, kind)) ||
                (tol > 0 && d->tol != tol))
                continue;
            if (!*d->failure && has_sort(p, sort)) e[n++] = d->error[sort];
        }
        qsort(e, (size_t)n, sizeof *e, by_size);
        if (n) printf("| %8.2g %8.2g %8.2g ", e[n / 2], e[(int)(0.9 * (n - 1))], e[n - 1]);
        else printf("| %8s %8s %8s ", "-", "-", "-");
    }
    if (runs) printf("\n");
    free(e);
}

static void table_print(const set *s, const options *o, const char *method)
{
    printf("\n%s, errors in tol\n%-14s %5s %4s | %-26s | %-26s | %-26s\n%-25s",
           *method ? method : "automatic choice", "", "runs", "fail", "states", "algebraic values",
           "derivatives", "");
    for (int i = 0; i < N_SORTS; i++) printf("| %8s %8s %8s ", "median", "p90", "max");
    printf("\n");
    for (int k = 0; k < s->n_kinds; k++) line(s, s->kinds[k], method, s->kinds[k], 0);
    for (int k = 0; k < o->n_tols && o->n_tols > 1; k++) {
        char label[32];
        snprintf(label, sizeof label, "all at %g", o->tols[k]);
        line(s, label, method, NULL, o->tols[k]);
    }
    line(s, "all", method, NULL, 0);
}

static int by_error(const void *a, const void *b)
{
    double x = worst_error(a), y = worst_error(b);
    return (x < y) - (x > y);
}

static void large_print(const set *s, const judged *d)
{
    const problem *p = s->problems[d->problem];
    printf("%-11s %-17s %-9s %7g %9.2g %9.2g %9.2g %9.2g %9.2g  %s: %.2g, t = %.6g, %s\n", p->kind,
           p->name, *d->method ? d->method : "auto", d->tol, d->error[STATE], d->error[VALUE],
           d->error[DERIVATIVE], d->end, d->condition, d->worst, d->worst_error, d->worst_time,
           d->wrong ? "WRONG" : "ill-conditioned");
}

static bool is_large(const judged *d, bool wrong)
{
    return !*d->failure && worst_error(d) > LARGE && d->wrong == wrong;
}

// Errors above LARGE without a reason, of all methods; those of the automatic choice that have one;
// failures.
static void lists_print(const set *s)
{
    int wrong = 0, ill = 0, failed = 0;
    double doubt = 0;
    qsort(s->results, (size_t)s->n_results, sizeof *s->results, by_error);
    printf("\nabove %g tol\n%-11s %-17s %-9s %7s %9s %9s %9s %9s %9s  %s\n", LARGE, "", "problem",
           "method", "tol", "states", "values", "deriv.", "end", "condition", "worst");
    for (int i = 0; i < s->n_results; i++)
        if (is_large(&s->results[i], true)) large_print(s, &s->results[i]), wrong++;
    for (int i = 0; i < s->n_results; i++)
        if (is_large(&s->results[i], false)) {
            ill++;
            if (!*s->results[i].method) large_print(s, &s->results[i]);
        }
    printf("\nfailures\n");
    for (int i = 0; i < s->n_results; i++) {
        const judged *d = &s->results[i];
        doubt = fmax(doubt, d->doubt);
        if (!*d->failure) continue;
        failed++;
        printf("%-11s %-17s %-9s %7g  %s\n", s->problems[d->problem]->kind,
               s->problems[d->problem]->name, *d->method ? d->method : "auto", d->tol, d->failure);
    }
    printf("\n%d runs: %d failed, %d above %g tol without a reason, %d ill-conditioned (listed: "
           "those of the automatic choice); "
           "two integrations of a reference differ by %.1g tol of 1e-10 at most\n",
           s->n_results, failed, wrong, LARGE, ill, doubt);
}

/* ---- the command line ------------------------------------------------------------------------ */

static void read_options(options *o, int argc, char **argv)
{
    for (int i = 4; i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--all")) {
            o->all = true;
            continue;
        }
        char *value = ++i < argc ? argv[i] : "";
        if (!strcmp(name, "--seed")) o->seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--draws")) o->draws = atoi(value);
        else if (!strcmp(name, "--points")) o->judge.points = atoi(value);
        else if (!strcmp(name, "--jobs")) o->jobs = atoi(value);
        else if (!strcmp(name, "--only")) o->only = value;
        else if (!strcmp(name, "--tol")) {
            o->n_tols = 0;
            for (char *x = strtok(value, ","); x && o->n_tols < MAX_LIST; x = strtok(NULL, ","))
                o->tols[o->n_tols++] = atof(x);
        } else if (!strcmp(name, "--methods")) {
            o->n_methods = 0;
            for (char *x = strtok(value, ","); x && o->n_methods < MAX_LIST; x = strtok(NULL, ","))
                if (strcmp(x, "none"))
                    snprintf(o->methods[o->n_methods++], sizeof *o->methods, "%s", x);
        } else {
            fprintf(stderr,
                    "%s: no such option; the first lines of bench/honest/main.c say which\n", name);
            exit(2);
        }
    }
    if (o->draws < 1 || o->judge.points < 1 || o->jobs < 1 || o->jobs > 64 || !o->n_tols) {
        fprintf(stderr, "draws, points, jobs and tolerances are positive\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    options o = {.judge = {.points = 200, .limit = 20},
                 .seed = 20260,
                 .draws = 2,
                 .jobs = 2,
                 .only = "",
                 .n_tols = 4,
                 .tols = {1e-4, 1e-6, 1e-8, 1e-10},
                 .n_methods = 4,
                 .methods = {"radau", "bdf", "rodas4", "dopri8"}};
    if (argc < 4) {
        fprintf(stderr, "usage: bench_honest PROBLEMS-FOLDER VINCOLO WORK-FOLDER [OPTIONS]\n");
        return 2;
    }
    o.folder = argv[1], o.judge.vincolo = argv[2], o.judge.folder = argv[3];
    read_options(&o, argc, argv);
    mkdir(o.judge.folder, 0755);
    set *s = calloc(1, sizeof *s);
    set_read(s, &o);
    printf("%d problems, seed %llu, %d output points; errors in units of tol (|reference| + "
           "nominal)\n",
           s->n_problems, (unsigned long long)o.seed, o.judge.points);
    fflush(stdout);
    set_run(s, &o);
    for (int i = 0; i < s->n_results && o.all; i++) {
        const judged *d = &s->results[i];
        printf("%-10s %-18s %-7s %7g %9.2g %9.2g %9.2g  %5.2f s %s\n",
               s->problems[d->problem]->kind, s->problems[d->problem]->name,
               *d->method ? d->method : "auto", d->tol, d->error[STATE], d->error[VALUE],
               d->error[DERIVATIVE], d->seconds, d->failure);
    }
    table_print(s, &o, "");
    for (int m = 0; m < o.n_methods; m++) table_print(s, &o, o.methods[m]);
    lists_print(s);
    for (int i = 0; i < s->n_problems; i++) problem_free(s->problems[i]);
    free(s->results);
    free(s);
    return 0;
}
