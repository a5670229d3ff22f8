/* The bench on the test set: calibrate, run, print.
 *
 *     bench_ivp [--folder DIR] [--problems A,B] [--methods A,B] [--tol 1e-6] [--points] [--json
 * FILE]
 *               [--figures DIR] [--factor F] [--rows N]
 *
 * Every run records N output points (default 100; 0: the end only), each held to the tolerance. Per
 * problem: our microseconds at 6 and 9 digits with the best of our methods, the best of fourteen
 * established solvers on this machine, the ratio, the method; the automatic choice over the best of
 * ours; what the output points make of its time and of its evaluations, the geometric mean over the
 * tolerances; the time from text to ready. Last: mean6 and mean9, the geometric means of the ratios,
 * with the best of our methods and with the automatic choice. Exit status 1 where a problem that
 * somebody solves to 6 digits is not.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"
#include "told/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vincolo.h>

enum { MOST_LINES = 20 };

typedef struct options {
    const char *folder, *problems, *methods, *json, *figures;
    double tol, factor;
    int runs, rows;
    bool points;
} options;

typedef struct table {
    double sum[2], automatic[2]; // of log ratio: best, automatic over best
    double sum_automatic[2];     // ... automatic over the best of others
    int n[2], n_automatic[2], n_sum_automatic[2];
    int above;                  // problems at 6 or 9 digits above 0.9 with the automatic choice
    double rows_us, rows_evals; // of log ratio: with output points over without
    int n_rows;
    int missed; // problems
    json out;
} table;

static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    if (!list) return true;
    for (const char *p = list; p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        if (strncmp(p, name, n) == 0 && (p[n] == 0 || p[n] == ',')) return true;
    return false;
}

static const char *const all_methods[] = {"radau5", "radau", "rodas4", "rodas5p", "rodas3",
                                          "mebdf",  "bdf",   "dopri5", "dopri8"};

static bool explicit_method(const char *name)
{
    return strncmp(name, "dopri", 5) == 0;
}

static void print_point(const ivp_bench *b, const ivp_line *l, const ivp_point *q)
{
    printf("%-12s %-7s %-9s %6.0e %7.2f %10.0f %8ld %6ld %9ld %7ld %7ld %s", b->p->name,
           l->method ? l->method : "auto", l->formulation ? l->formulation : "-", q->tol, q->digits,
           q->us, q->steps, q->rejected, q->evals, q->jacobians, q->factorizations,
           q->status ? vinc_ctx_messages(b->ctx) : "\n");
    fflush(stdout);
}

/* What output points cost the automatic choice. */
static void measure_rows(ivp_bench *b, const options *o, ivp_line *l, const ivp_point *q)
{
    if (!o->rows || l->method || q->status) return;
    b->rows = 0;
    ivp_point plain = ivp_measure(b, l->method, l->formulation, q->tol);
    b->rows = o->rows;
    if (plain.status || !(q->evals > 0 && plain.evals > 0)) return;
    l->rows_us += log(q->us / plain.us);
    l->rows_evals += log((double)q->evals / (double)plain.evals);
    l->n_rows++;
}

/* One line: tolerances by decades, until a run takes far longer than what it is compared with, or
 * two of them are well beyond the digits that are asked for. */
static void sweep(ivp_bench *b, const options *o, ivp_line *l, double factor, double *fastest)
{
    const ivp_problem *p = b->p;
    const double want = p->best9 > 0 ? 9 : 6;
    double limit = fmin(5 * factor * fmax(p->best6, p->best9), 3 * *fastest);
    int beyond = 0;
    for (int k = 0; k < IVP_TOLERANCES; k++) {
        double tol = o->tol > 0 ? o->tol : pow(10, -3 - k);
        ivp_point q = ivp_measure(b, l->method, l->formulation, tol);
        l->at[l->n++] = q;
        if (o->points) print_point(b, l, &q);
        measure_rows(b, o, l, &q);
        vinc_ctx_clear(b->ctx);
        beyond += q.digits > want + 1;
        if (o->tol > 0 || q.us > limit || beyond > 1 || q.status == VINC_E_OPTION ||
            q.status == VINC_E_PROBLEM)
            break;
    }
    *fastest = fmin(*fastest, ivp_time_at(l, want));
}

static int run_lines(ivp_bench *b, const options *o, double factor, ivp_line *lines)
{
    const ivp_problem *p = b->p;
    int n = 0;
    if (listed(o->methods, "auto")) lines[n++] = (ivp_line){.formulation = p->formulation};
    for (size_t i = 0; i < sizeof all_methods / sizeof *all_methods; i++) {
        const char *m = all_methods[i];
        if (!listed(o->methods, m)) continue;
        bool stages = explicit_method(m);
        if (stages && !((p->nonstiff || p->constrained) && !p->formulation)) continue;
        lines[n++] = (ivp_line){.method = m, .formulation = p->formulation};
        if (p->constrained && !stages)
            lines[n++] = (ivp_line){.method = m, .formulation = "direct"};
    }
    int kept = 0;
    double fastest = INFINITY; // to the digits that are asked for, so far
    for (int i = 0; i < n; i++) {
        sweep(b, o, &lines[i], factor, &fastest);
        bool known = lines[i].n && lines[i].at[0].status != VINC_E_OPTION &&
                     lines[i].at[0].status != VINC_E_PROBLEM;
        if (known) lines[kept++] = lines[i];
    }
    return kept;
}

static void say_point(json *j, const ivp_point *q)
{
    json_open(j, NULL, '{');
    json_real(j, "tol", q->tol);
    json_real(j, "digits", q->digits);
    json_real(j, "us", q->us);
    json_int(j, "steps", q->steps);
    json_int(j, "rejected", q->rejected);
    json_int(j, "residual_evals", q->evals);
    json_int(j, "jacobians", q->jacobians);
    json_int(j, "factorizations", q->factorizations);
    json_close(j, '}');
}

static void say_json(json *j, const ivp_bench *b, const ivp_line *lines, int n)
{
    json_open(j, NULL, '{');
    json_text(j, "problem", b->p->name);
    json_real(j, "ready_ms", b->ready_ms);
    json_open(j, "lines", '[');
    for (int i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_text(j, "method", lines[i].method ? lines[i].method : "auto");
        json_text(j, "formulation", lines[i].formulation ? lines[i].formulation : "default");
        json_open(j, "points", '[');
        for (int k = 0; k < lines[i].n; k++)
            if (!lines[i].at[k].status && isfinite(lines[i].at[k].digits))
                say_point(j, &lines[i].at[k]);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* The best line at so many digits, and the automatic one. */
static void read_off(table *t, int which, double best, const ivp_line *lines, int n, char *cells)
{
    const double want[] = {6, 9};
    double us = INFINITY, automatic = INFINITY;
    const ivp_line *by = NULL;
    for (int i = 0; i < n; i++) {
        double at = ivp_time_at(&lines[i], want[which]);
        if (!lines[i].method) automatic = at;
        else if (at < us) us = at, by = &lines[i];
    }
    if (!by && isfinite(automatic)) us = automatic;
    char name[40] = "-";
    if (by)
        snprintf(name, sizeof name, "%s%s%s", by->method, by->formulation ? "/" : "",
                 by->formulation ? by->formulation : "");
    if (!isfinite(us)) {
        sprintf(cells, "%9s %9.0f %6s %5s %-13s", "-", best, "-", "-", "");
        t->missed += best > 0;
        return;
    }
    if (best > 0) {
        sprintf(cells, "%9.0f %9.0f %6.2f ", us, best, us / best);
        t->sum[which] += log(us / best);
        t->n[which]++;
    } else sprintf(cells, "%9.0f %9s %6s ", us, "-", "-");
    sprintf(cells + strlen(cells), isfinite(automatic) ? "%5.2f" : "    -", automatic / us);
    sprintf(cells + strlen(cells), " %-13s", name);
    if (isfinite(automatic)) {
        t->automatic[which] += log(automatic / us);
        t->n_automatic[which]++;
    }
    if (isfinite(automatic) && best > 0) {
        t->sum_automatic[which] += log(automatic / best);
        t->n_sum_automatic[which]++;
        t->above += automatic > 0.9 * best;
    }
}

static void read_rows(table *t, const ivp_line *lines, int n, char *cells)
{
    sprintf(cells, "%5s %5s", "-", "-");
    for (int i = 0; i < n; i++) {
        if (!lines[i].n_rows) continue;
        double us = lines[i].rows_us / lines[i].n_rows;
        double evals = lines[i].rows_evals / lines[i].n_rows;
        sprintf(cells, "%5.2f %5.2f", exp(us), exp(evals));
        t->rows_us += us;
        t->rows_evals += evals;
        t->n_rows++;
    }
}

static void one(const ivp_problem *p, const options *o, double factor, table *t)
{
    ivp_bench b;
    static ivp_line lines[MOST_LINES];
    memset(lines, 0, sizeof lines);
    char six[120] = "", nine[120] = "";
    if (ivp_open(&b, o->folder, p)) {
        t->missed++;
        ivp_close(&b);
        return;
    }
    b.runs = o->runs;
    b.rows = o->rows;
    int n = run_lines(&b, o, factor, lines);
    read_off(t, 0, p->best6 * factor, lines, n, six);
    read_off(t, 1, p->best9 * factor, lines, n, nine);
    char rows[40] = "";
    read_rows(t, lines, n, rows);
    if (o->tol == 0) printf("%-12s %s | %s | %s | %6.1f\n", p->name, six, nine, rows, b.ready_ms);
    fflush(stdout);
    say_json(&t->out, &b, lines, n);
    if (o->figures) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s.svg", o->figures, p->name);
        ivp_draw(p, lines, n, factor, path);
    }
    ivp_close(&b);
}

static int usage(void)
{
    fputs("bench_ivp [--folder DIR] [--problems A,B] [--methods A,B] [--tol T] [--runs N] "
          "[--points] [--json FILE] [--figures DIR] [--factor F] [--rows N]\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    options o = {.folder = "examples/ivp", .rows = 100};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(a, "--points")) {
            o.points = true;
            continue;
        }
        if (!v) return usage();
        if (!strcmp(a, "--folder")) o.folder = v;
        else if (!strcmp(a, "--problems")) o.problems = v;
        else if (!strcmp(a, "--methods")) o.methods = v;
        else if (!strcmp(a, "--tol")) o.tol = atof(v);
        else if (!strcmp(a, "--runs")) o.runs = atoi(v);
        else if (!strcmp(a, "--rows")) o.rows = atoi(v);
        else if (!strcmp(a, "--factor")) o.factor = atof(v);
        else if (!strcmp(a, "--json")) o.json = v;
        else if (!strcmp(a, "--figures")) o.figures = v;
        else return usage();
        i++;
    }
    double factor = o.factor > 0 ? o.factor : ivp_calibrate(true);
    printf("machine factor %.3f\n", factor);
    FILE *file = o.json ? fopen(o.json, "w") : NULL;
    if (o.json && !file) return fprintf(stderr, "cannot write %s\n", o.json), 2;
    mem m = mem_std();
    text words;
    text_init(&words, &m);
    table t = {.out = {&words, true}};
    json_open(&t.out, NULL, '{');
    json_real(&t.out, "machine_factor", factor);
    json_open(&t.out, "problems", '[');
    if (o.tol == 0 && !o.points)
        printf("%-12s %9s %9s %6s %5s %-13s | %9s %9s %6s %5s %-13s | %5s %5s | %6s\n", "",
               "us at 6", "best", "ratio", "auto", "method", "us at 9", "best", "ratio", "auto",
               "method", "rows", "evals", "ready ms");
    for (const ivp_problem *p = ivp_problems; p->name; p++)
        if (listed(o.problems, p->name)) one(p, &o, factor, &t);
    double mean[2], automatic[2];
    for (int k = 0; k < 2; k++) {
        mean[k] = exp(t.sum[k] / t.n[k]);
        automatic[k] = exp(t.automatic[k] / t.n_automatic[k]);
    }
    json_close(&t.out, ']');
    json_real(&t.out, "mean6", mean[0]);
    json_real(&t.out, "mean9", mean[1]);
    if (t.n_rows) json_real(&t.out, "rows_time", exp(t.rows_us / t.n_rows));
    if (t.n_rows) json_real(&t.out, "rows_evals", exp(t.rows_evals / t.n_rows));
    json_close(&t.out, '}');
    if (file) {
        fprintf(file, "%s\n", text_str(&words));
        fclose(file);
    }
    text_done(&words);
    if (t.n_rows)
        printf("%d output points: %.3f times the time, %.3f times the evaluations\n", o.rows,
               exp(t.rows_us / t.n_rows), exp(t.rows_evals / t.n_rows));
    if (o.tol > 0) return 0;
    printf("automatic choice over our best: %.2f at 6 digits, %.2f at 9; %d not reached\n",
           automatic[0], automatic[1], t.missed);
    printf("mean6 %.3f\nmean9 %.3f\n", mean[0], mean[1]);
    printf("automatic: mean6 %.3f of %d, mean9 %.3f of %d; %d above 0.9\n",
           exp(t.sum_automatic[0] / t.n_sum_automatic[0]), t.n_sum_automatic[0],
           exp(t.sum_automatic[1] / t.n_sum_automatic[1]), t.n_sum_automatic[1], t.above);
    return t.missed > 0;
}
