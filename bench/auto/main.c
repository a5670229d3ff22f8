/* The automatic choice over the best of our methods.
 *
 *     bench_auto [--sets FILE] [--honest DIR] [--scalable DIR [--library MSL]] [--only TEXT,TEXT]
 *                [--half tune|report] [--methods A,B] [--points]
 *
 * Per problem and at 6 and 9 digits: the automatic choice over the best of our methods that gets there,
 * in counted work and in microseconds, and which method that is. Last: geometric means of the sets, of
 * each half of those that are held out, and the worst rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vincolo.h>

enum { TOLERANCES = 10, LEVELS = 2, LINES = 24, SETS = 16, WORST = 20 };
static const double levels[LEVELS] = {6, 9};

typedef struct line {
    const char *method, *formulation; // method NULL: the automatic choice
    auto_point at[TOLERANCES];
    int n;
} line;

/* What a line needs for so many digits: on its monotone envelope, where a tolerance counts with the fewest
 * digits that it or any tighter one reached (no lucky tolerance) and with the least that it or any tighter one
 * took, straight between two in the logarithm. */
typedef struct price {
    double work, us;
} price;

static price price_at(const line *l, double digits)
{
    const price never = {INFINITY, INFINITY};
    double d[TOLERANCES], fewest = INFINITY;
    price at[TOLERANCES], least = never;
    for (int k = l->n - 1; k >= 0; k--) {
        const auto_point *q = &l->at[k];
        d[k] = NAN;
        if (q->status) continue;
        d[k] = fewest = fmin(fewest, q->digits);
        at[k] = least = (price){fmin(least.work, q->work), fmin(least.us, q->us)};
    }
    for (int k = 0, before = -1; k < l->n; k++) {
        if (isnan(d[k])) continue;
        price q = at[k], o = before < 0 ? q : at[before];
        if (d[k] >= digits) {
            double s = before < 0 ? 1 : (digits - d[before]) / (d[k] - d[before]);
            return (price){pow(q.work, s) * pow(o.work, 1 - s), pow(q.us, s) * pow(o.us, 1 - s)};
        }
        before = k;
    }
    return never;
}

/* ---- a problem ------------------------------------------------------------------------------- */

typedef struct options {
    const char *sets, *honest, *scalable, *library, *only, *methods;
    int half; // 0: all, 1: tuned on, 2: reported
    bool points;
} options;

static const char *const methods[] = {"radau5", "radau",  "rodas4", "rodas5p", "rodas3",
                                      "bdf",    "dopri5", "dopri8", "mebdf"};

static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        if (!strncmp(p, name, n) && (!p[n] || p[n] == ',')) return true;
    return !list;
}

static void print_point(const auto_bench *b, const line *l, const auto_point *q)
{
    printf("  %-20s %-7s %-7s %6.0e %6.2f %9.0f us %9.0f k %7ld %5ld %8ld %6ld %6ld %s%s\n",
           b->p->name, l->method ? l->method : "auto", l->formulation, q->tol, q->digits, q->us,
           q->work / 1e3, q->steps, q->rejected, q->evals, q->jacobians, q->factorizations,
           l->method ? "" : q->method, q->status ? " failed" : "");
    fflush(stdout);
}

/* Tolerances by decades, until the digits are there, or it has become hopeless. */
static void sweep(auto_bench *b, const options *o, line *l, const line *automatic, double *fastest)
{
    double most = fmin(levels[LEVELS - 1], b->known - 0.5);
    int failures = 0;
    for (int k = 0; k < TOLERANCES; k++) {
        long steps = automatic && k < automatic->n ? 10 * automatic->at[k].steps + 1000 : 0;
        auto_point q = auto_measure(b, l->method, l->formulation, pow(10, -3 - k), steps, 3);
        l->at[l->n++] = q;
        if (o->points) print_point(b, l, &q);
        vinc_ctx_clear(b->ctx);
        failures = q.status ? failures + 1 : 0;
        if (failures > 1 || q.digits > most + 0.5 || q.us > 4 * *fastest) break;
    }
    *fastest = fmin(*fastest, price_at(l, most).us);
}

typedef struct row {
    const auto_problem *p;
    double work[LEVELS], us[LEVELS]; // the automatic choice over the best; NaN: not known
    char best[LEVELS][40], last[40];
} row;

static void read_off(row *r, const auto_bench *b, const line *lines, int n)
{
    for (int k = 0; k < LEVELS; k++) {
        price least = {INFINITY, INFINITY}, here = price_at(&lines[0], levels[k]);
        r->work[k] = r->us[k] = NAN;
        strcpy(r->best[k], "-");
        if (levels[k] > b->known - 0.5) continue;
        for (int i = 1; i < n; i++) {
            price q = price_at(&lines[i], levels[k]);
            if (q.us < least.us) least.us = q.us;
            if (!(q.work < least.work)) continue;
            least.work = q.work;
            snprintf(r->best[k], sizeof r->best[k], "%s%s%s", lines[i].method,
                     *lines[i].formulation ? "/" : "", lines[i].formulation);
        }
        if (isfinite(least.work)) r->work[k] = here.work / least.work;
        if (isfinite(least.us)) r->us[k] = here.us / least.us;
    }
    snprintf(r->last, sizeof r->last, "%s", lines[0].n ? lines[0].at[lines[0].n - 1].method : "");
}

static bool one(const auto_problem *p, const options *o, row *r)
{
    auto_bench b;
    static line lines[LINES];
    memset(lines, 0, sizeof lines);
    *r = (row){.p = p};
    bool open = auto_open(&b, p, o->library);
    if (open) {
        int n = 0;
        double fastest = INFINITY;
        lines[n++] = (line){.formulation = p->formulation};
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            if (!listed(o->methods, methods[i])) continue;
            lines[n++] = (line){.method = methods[i], .formulation = p->formulation};
            if (*p->also) lines[n++] = (line){.method = methods[i], .formulation = p->also};
        }
        for (int i = 0; i < n; i++) sweep(&b, o, &lines[i], i ? &lines[0] : NULL, &fastest);
        read_off(r, &b, lines, n);
        printf("%-9s %-22s", p->set, p->name);
        for (int k = 0; k < LEVELS; k++)
            printf(" | %6.2f %6.2f %-14s", r->work[k], r->us[k], r->best[k]);
        printf(" | %4.1f %s %s\n", b.known, p->reported ? "report" : "tune  ", r->last);
        fflush(stdout);
    }
    auto_close(&b);
    return open;
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct mean {
    double sum_work, sum_us, worst;
    int n, above, missed;
} mean;

static void add(mean *m, const row *r, int k)
{
    if (isinf(r->work[k])) m->missed++;
    if (!isfinite(r->work[k]) || !isfinite(r->us[k])) return;
    m->sum_work += log(r->work[k]);
    m->sum_us += log(r->us[k]);
    m->n++;
    m->above += r->work[k] > 2;
    m->worst = fmax(m->worst, r->work[k]);
}

static void say_mean(const char *name, const row *rows, int n, const char *set, int half)
{
    printf("%-28s", name);
    for (int k = 0; k < LEVELS; k++) {
        mean m = {0};
        for (int i = 0; i < n; i++) {
            bool tuned = !strcmp(rows[i].p->set, "tuned");
            if (set ? strcmp(rows[i].p->set, set) : tuned) continue;
            if (half && rows[i].p->reported != (half == 2)) continue;
            add(&m, &rows[i], k);
        }
        printf(" | %4d  work %5.2f  time %5.2f  worst %6.2f  above 2: %3d  missed %2d", m.n,
               m.n ? exp(m.sum_work / m.n) : NAN, m.n ? exp(m.sum_us / m.n) : NAN, m.worst, m.above,
               m.missed);
    }
    printf("\n");
}

static double badness(const row *r)
{
    double a = isnan(r->work[0]) ? 0 : r->work[0], b = isnan(r->work[1]) ? 0 : r->work[1];
    return fmax(a, b);
}

static int worse(const void *a, const void *b)
{
    double x = badness(a), y = badness(b);
    return (x < y) - (x > y);
}

static int usage(void)
{
    fputs("bench_auto [--sets FILE] [--honest DIR] [--scalable DIR [--library MSL]] [--only "
          "TEXT,TEXT] "
          "[--half tune|report] [--methods A,B] [--points]\n",
          stderr);
    return 2;
}

static bool wanted(const options *o, const auto_problem *p)
{
    if (o->half && p->reported != (o->half == 2)) return false;
    if (!o->only) return true;
    return listed(o->only, p->set) || listed(o->only, p->name);
}

int main(int argc, char **argv)
{
    options o = {.sets = "bench/auto/sets.txt", .honest = "bench/honest/problems"};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(a, "--points")) {
            o.points = true;
            continue;
        }
        if (!v) return usage();
        if (!strcmp(a, "--sets")) o.sets = v;
        else if (!strcmp(a, "--honest")) o.honest = v;
        else if (!strcmp(a, "--scalable")) o.scalable = *v ? v : NULL;
        else if (!strcmp(a, "--library")) o.library = *v ? v : NULL;
        else if (!strcmp(a, "--only")) o.only = v;
        else if (!strcmp(a, "--methods")) o.methods = v;
        else if (!strcmp(a, "--half")) o.half = !strcmp(v, "report") ? 2 : 1;
        else return usage();
        i++;
    }
    auto_list l = {0};
    if (!auto_read(&l, o.sets, o.honest, o.scalable)) return 2;
    row *rows = calloc((size_t)l.n + 1, sizeof *rows);
    int n = 0;
    printf("%-32s | %-28s | %-28s | reference, half, last method\n", "automatic over best",
           "6 digits: work, time, best", "9 digits: work, time, best");
    for (int i = 0; i < l.n; i++)
        if (wanted(&o, &l.at[i]) && one(&l.at[i], &o, &rows[n])) n++;
    printf("\n");
    for (int i = 0; i < n; i++)
        if (!i || strcmp(rows[i].p->set, rows[i - 1].p->set))
            say_mean(rows[i].p->set, rows, n, rows[i].p->set, 0);
    say_mean("held out", rows, n, NULL, 0);
    say_mean("held out, tuned on", rows, n, NULL, 1);
    say_mean("held out, reported", rows, n, NULL, 2);
    qsort(rows, (size_t)n, sizeof *rows, worse);
    printf("\nworst, by work:\n");
    for (int i = 0; i < n && i < WORST; i++)
        printf("%-9s %-22s %7.2f %7.2f  %s, %s\n", rows[i].p->set, rows[i].p->name, rows[i].work[0],
               rows[i].work[1], rows[i].best[0], rows[i].best[1]);
    free(rows);
    for (int i = 0; i < l.n; i++) free(l.at[i].text);
    free(l.at);
    return 0;
}
