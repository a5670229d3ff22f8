/* Moments, quantiles, Sobol' indices, and what failed.
 *
 * Rows are read from the store as often as needed and in their order: the numbers are the same for any
 * number of threads, and memory does not grow with the number of runs. Moments are those of B. P.
 * Welford, Technometrics 4 (1962) 419-420. A quantile is narrowed down by histograms until few values
 * are left, which are sorted: it is one of the values, the ceil(p n)-th. First-order indices are
 * estimated by A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, table 2 (b), total ones by
 * M. J. W. Jansen, Comput. Phys. Commun. 117 (1999) 35-43.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/statistics.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double shares[VINC_SWEEP_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

/* ---- moments and failures -------------------------------------------------------------------- */

enum { FAILURES_MOST = 20, REASON_BYTES = 400 };

typedef struct moment {
    long n;
    double mean, m2, min, max;
} moment;

typedef struct first_pass {
    const sweep_heading *h;
    moment *moments;
    vinc_sweep_failure *failures;
    int n_failures;
    long done, failed;
    char (*reasons)[REASON_BYTES]; // room for theirs
} first_pass;

static void add_to_moment(moment *q, double x)
{
    if (isnan(x)) return;
    double d = x - q->mean;
    q->n++;
    q->mean += d / (double)q->n;
    q->m2 += d * (x - q->mean);
    if (!(x >= q->min)) q->min = x;
    if (!(x <= q->max)) q->max = x;
}

/* Two reasons that differ in their numbers only are one. */
static bool same_reason(const char *a, const char *b)
{
    while (*a && *b) {
        bool numbers =
            (isdigit((unsigned char)*a) || *a == '-') && (isdigit((unsigned char)*b) || *b == '-');
        if (numbers) {
            a += strspn(a, "0123456789.e+-");
            b += strspn(b, "0123456789.e+-");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

static void add_failure(first_pass *p, long run, const char *reason)
{
    int i = 0;
    while (i < p->n_failures && !same_reason(p->failures[i].reason, reason)) i++;
    if (i == FAILURES_MOST) i--; // the last stands for all others
    if (i == p->n_failures) {
        snprintf(p->reasons[i], REASON_BYTES, "%s", reason);
        p->failures[i] = (vinc_sweep_failure){p->reasons[i], 0, run};
        p->n_failures++;
    }
    p->failures[i].n++;
}

static int see_first(void *user, const sweep_rows *rows)
{
    first_pass *p = user;
    for (int i = 0; i < rows->n; i++) {
        const double *values = rows->values + (size_t)i * (size_t)rows->width + p->h->n_parameters;
        p->done++;
        if (rows->status[i] < 0 || *rows->reason[i]) {
            p->failed++;
            add_failure(p, (long)(rows->first + (uint64_t)i), rows->reason[i]);
        }
        for (int k = 0; k < p->h->n_values; k++) add_to_moment(&p->moments[k], values[k]);
    }
    return RESULT_OK;
}

static int most_first(const void *a, const void *b)
{
    const vinc_sweep_failure *x = a, *y = b;
    if (x->n != y->n) return x->n < y->n ? 1 : -1;
    return x->first < y->first ? -1 : 1;
}

/* ---- quantiles ------------------------------------------------------------------------------- */

enum { BINS = 256, SORTED_MOST = 1024 };

typedef struct quantile { // the one that is looked for lies in [lo, hi]
    double lo, hi, value;
    long rank, below; // from 0, among all; how many lie below lo
    long inside;
    bool found, gathers;
    long bins[BINS];
    double gathered[SORTED_MOST];
    int n_gathered;
} quantile;

typedef struct quantile_pass {
    const sweep_heading *h;
    quantile *q; // by value and share
} quantile_pass;

static int bin_of(const quantile *q, double x)
{
    double part = (x - q->lo) / (q->hi - q->lo);
    int bin = (int)(part * BINS);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

static int see_quantiles(void *user, const sweep_rows *rows)
{
    quantile_pass *p = user;
    int width = p->h->n_values;
    for (int i = 0; i < rows->n; i++) {
        const double *values = rows->values + (size_t)i * (size_t)rows->width + p->h->n_parameters;
        for (int k = 0; k < width * VINC_SWEEP_QUANTILES; k++) {
            quantile *q = &p->q[k];
            double x = values[k / VINC_SWEEP_QUANTILES];
            if (q->found || !(x >= q->lo && x <= q->hi)) continue;
            if (q->gathers) q->gathered[q->n_gathered++] = x;
            else q->bins[bin_of(q, x)]++;
        }
    }
    return RESULT_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least and the largest number of a bin: what bin_of puts there, by halving. */
static void narrow(quantile *q, int bin)
{
    double lo = q->lo, hi = q->hi, a = lo, b = hi;
    if (bin > 0) { // the first x in the bin or above
        while (nextafter(a, b) < b) {
            double x = 0.5 * a + 0.5 * b;
            if (!(x > a && x < b)) break;
            if (bin_of(q, x) >= bin) b = x;
            else a = x;
        }
        lo = b;
    }
    a = lo, b = q->hi;
    if (bin < BINS - 1) { // the last x in it
        while (nextafter(a, b) < b) {
            double x = 0.5 * a + 0.5 * b;
            if (!(x > a && x < b)) break;
            if (bin_of(q, x) <= bin) a = x;
            else b = x;
        }
        hi = bin_of(q, b) <= bin ? b : a;
    }
    q->lo = lo;
    q->hi = hi;
}

/* After a pass: found, or narrowed. */
static void settle_quantile(quantile *q)
{
    if (q->found) return;
    if (q->gathers) {
        qsort(q->gathered, (size_t)q->n_gathered, sizeof *q->gathered, by_size);
        q->value = q->gathered[q->rank - q->below];
        q->found = true;
        return;
    }
    int bin = 0;
    while (bin < BINS - 1 && q->below + q->bins[bin] <= q->rank) q->below += q->bins[bin++];
    q->inside = q->bins[bin];
    narrow(q, bin);
    memset(q->bins, 0, sizeof q->bins);
    q->gathers = q->inside <= SORTED_MOST;
    if (!(q->lo < q->hi)) { // equal numbers
        q->value = q->lo;
        q->found = true;
    }
}

static int find_quantiles(arena *a, sweep_store *s, const sweep_heading *h, const moment *moments,
                          vinc_sweep_value *values, result_fault *fault)
{
    enum { PASSES_MOST = 40 };
    int n = h->n_values * VINC_SWEEP_QUANTILES, rc = RESULT_OK;
    quantile_pass p = {h, arena_array(a, quantile, n + 1)};
    bool all = true;
    for (int k = 0; k < n; k++) {
        const moment *m = &moments[k / VINC_SWEEP_QUANTILES];
        quantile *q = &p.q[k];
        q->lo = m->min, q->hi = m->max, q->value = m->n ? m->min : NAN, q->inside = m->n;
        q->rank = (long)ceil(shares[k % VINC_SWEEP_QUANTILES] * (double)m->n) - 1;
        if (q->rank < 0) q->rank = 0;
        q->gathers = m->n <= SORTED_MOST;
        q->found = !m->n || !(m->min < m->max) || !isfinite(m->min) || !isfinite(m->max);
        all = all && q->found;
    }
    for (int pass = 0; !all && pass < PASSES_MOST && !rc; pass++) {
        rc = sweep_store_each(s, see_quantiles, &p, fault);
        all = true;
        for (int k = 0; k < n && !rc; k++) {
            settle_quantile(&p.q[k]);
            all = all && p.q[k].found;
        }
    }
    for (int k = 0; k < h->n_values; k++) {
        double *found = arena_array(a, double, VINC_SWEEP_QUANTILES);
        for (int i = 0; i < VINC_SWEEP_QUANTILES; i++)
            found[i] = p.q[k * VINC_SWEEP_QUANTILES + i].value;
        values[k].quantiles = found;
        values[k].n_quantiles = moments[k].n ? VINC_SWEEP_QUANTILES : 0;
    }
    return rc;
}

/* ---- Sobol' indices -------------------------------------------------------------------------- */

typedef struct index_sums {
    double n, squares, sum;
    double *first, *total; // by axis
} index_sums;

typedef struct index_pass {
    const sweep_heading *h;
    const moment *moments;
    index_sums *sums;
    double *group; // values of the runs of a sample
    uint64_t have; // how many of them
} index_pass;

static void add_group(index_pass *p)
{
    const sweep_heading *h = p->h;
    int d = h->n_random, width = h->n_values;
    for (int k = 0; k < width; k++) {
        index_sums *s = &p->sums[k];
        double middle = p->moments[k].mean, a = p->group[k] - middle,
               b = p->group[width + k] - middle;
        bool all = !isnan(a) && !isnan(b);
        for (int i = 0; i < d; i++) all = all && !isnan(p->group[(i + 2) * width + k]);
        if (!all) continue; // a run of this sample failed
        s->n++;
        s->sum += a + b;
        s->squares += a * a + b * b;
        for (int i = 0; i < d; i++) {
            double ab = p->group[(i + 2) * width + k] - middle;
            s->first[i] += b * (ab - a);
            s->total[i] += (a - ab) * (a - ab);
        }
    }
}

static int see_groups(void *user, const sweep_rows *rows)
{
    index_pass *p = user;
    const sweep_heading *h = p->h;
    for (int i = 0; i < rows->n; i++) {
        uint64_t place = (rows->first + (uint64_t)i) % h->per_sample;
        const double *values = rows->values + (size_t)i * (size_t)rows->width + h->n_parameters;
        memcpy(p->group + place * (size_t)h->n_values, values,
               (size_t)h->n_values * sizeof *values);
        p->have = place ? p->have + 1 : 1;
        if (place + 1 == h->per_sample && p->have == h->per_sample) add_group(p);
    }
    return RESULT_OK;
}

static int find_indices(arena *a, sweep_store *s, const sweep_heading *h, const moment *moments,
                        vinc_sweep_value *values, result_fault *fault)
{
    int d = h->n_random;
    index_pass p = {h, moments, arena_array(a, index_sums, h->n_values + 1),
                    arena_array(a, double, h->per_sample *(uint64_t)h->n_values + 1), 0};
    for (int k = 0; k < h->n_values; k++) {
        p.sums[k].first = arena_array(a, double, d);
        p.sums[k].total = arena_array(a, double, d);
    }
    int rc = sweep_store_each(s, see_groups, &p, fault);
    for (int k = 0; k < h->n_values; k++) {
        index_sums *q = &p.sums[k];
        double mean = q->sum / (2 * q->n), variance = q->squares / (2 * q->n) - mean * mean;
        for (int i = 0; i < d; i++) {
            q->first[i] /= q->n * variance;
            q->total[i] /= 2 * q->n * variance;
        }
        values[k].first = q->first;
        values[k].total = q->total;
        values[k].axes = h->parameters;
        values[k].n_indices = q->n > 0 && variance > 0 ? d : 0;
    }
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int sweep_statistics(arena *a, sweep_store *s, const sweep_heading *h, vinc_sweep *out,
                     result_fault *fault)
{
    first_pass p = {.h = h}; // nothing is asked of the arena while rows are read
    p.reasons = arena_alloc(a, FAILURES_MOST * sizeof *p.reasons);
    p.moments = arena_array(a, moment, h->n_values + 1);
    p.failures = arena_array(a, vinc_sweep_failure, FAILURES_MOST);
    for (int k = 0; k < h->n_values; k++) p.moments[k].min = p.moments[k].max = NAN;
    vinc_sweep_value *values = arena_array(a, vinc_sweep_value, h->n_values + 1);
    int rc = sweep_store_each(s, see_first, &p, fault);
    for (int k = 0; k < h->n_values; k++) {
        const moment *m = &p.moments[k];
        values[k] = (vinc_sweep_value){.name = h->values[k],
                                       .n = m->n,
                                       .mean = m->n ? m->mean : NAN,
                                       .sd = m->n > 1 ? sqrt(m->m2 / (double)(m->n - 1)) : NAN,
                                       .min = m->min,
                                       .max = m->max};
    }
    if (!rc) rc = find_quantiles(a, s, h, p.moments, values, fault);
    if (!rc && h->per_sample > 1) rc = find_indices(a, s, h, p.moments, values, fault);
    if (p.n_failures) qsort(p.failures, (size_t)p.n_failures, sizeof *p.failures, most_first);
    out->done = p.done;
    out->failed = p.failed;
    out->values = values;
    out->n_values = h->n_values;
    out->failures = p.failures;
    out->n_failures = p.n_failures;
    return rc;
}
