/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/pins.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

/* Smallest over largest pivot, of what it was when the pins were set: below, others suit better. */
static const double PINS_DEGRADED = 1e-4;
/* Of a pinned unknown in units of its own, where no pin is one too many: half the digits. */
static const double PINS_SILENT = 1e-8;
static const double GOLDEN = 0.6180339887498949; // part of x that differ from one another

struct la_pins {
    la_solver *solver;
    vinc_pattern pattern;
    int *start, *row, *from; // from[k]: the place in the pattern without pins; -1: there is none
    double *pin, *a, *m;     // by entry
    double *unit, *b;        // sizes of unknowns; a right-hand side that the equations can meet
    int open;
    double ratio; // of the pivots at first; 0: not yet
    size_t bytes;
};

static size_t pins_layout(la_pins *p, int n, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *p);
    p->pin = bump_double(&b, nnz);
    p->a = bump_double(&b, nnz);
    p->m = bump_double(&b, nnz);
    p->unit = bump_double(&b, (size_t)n);
    p->b = bump_double(&b, 2 * (size_t)n);
    p->start = bump_int(&b, (size_t)n + 1);
    p->row = bump_int(&b, nnz);
    p->from = bump_int(&b, nnz);
    return bump_end(&b);
}

/* Row `row` in the column that ends at *end; made, in order of rows, where it is not there. */
static int pins_entry(la_pins *p, int begin, int *end, int row)
{
    int k = begin;
    while (k < *end && p->row[k] < row) k++;
    if (k < *end && p->row[k] == row) return k;
    for (int i = (*end)++; i > k; i--) {
        p->row[i] = p->row[i - 1];
        p->from[i] = p->from[i - 1];
        p->pin[i] = p->pin[i - 1];
    }
    p->row[k] = row;
    p->from[k] = -1;
    p->pin[k] = 0;
    return k;
}

static void pins_set(la_pins *p, const vinc_pattern *plain, const la_deficient *d)
{
    int n = plain->n_cols, end = 0;
    for (int j = 0; j < n; j++) {
        p->start[j] = end;
        p->unit[j] = la_deficient_unit(d, j);
        for (int k = plain->start[j]; k < plain->start[j + 1]; k++, end++) {
            p->row[end] = plain->row[k];
            p->from[end] = k;
            p->pin[end] = 0;
        }
        la_deficient_place at;
        for (int i = 0; la_deficient_left(d, i, &at); i++)
            if (at.col == j) p->pin[pins_entry(p, p->start[j], &end, at.row)] = at.size;
    }
    p->start[n] = end;
    p->open = la_deficient_open(d);
    p->pattern = (vinc_pattern){n, n, end, p->start, p->row};
}

la_pins *la_pins_new(la_solver *s, const la_deficient *d)
{
    const vinc_pattern *plain = s->config.pattern;
    if (!plain || la_deficient_open(d) < 0) return NULL;
    la_pins probe, *p;
    size_t nnz = (size_t)plain->nnz + (size_t)plain->n_cols;
    size_t bytes = pins_layout(&probe, plain->n_cols, nnz, NULL);
    p = mem_try(s->m, bytes);
    if (!p) return NULL;
    *p = (la_pins){.bytes = bytes};
    pins_layout(p, plain->n_cols, nnz, p);
    pins_set(p, plain, d);
    la_config config = s->config;
    config.blocks = 1; // it is given one after another
    config.pattern = &p->pattern;
    config.backend = s->backend->name;
    config.forgiving = false;
    if (!la_new(s->m, &config, &p->solver)) return p;
    la_pins_free(s->m, p);
    return NULL;
}

void la_pins_free(mem *m, la_pins *p)
{
    if (!p) return;
    la_free(p->solver);
    mem_free(m, p, p->bytes);
}

/* Does none of the pins stand in place of an equation? */
static bool pins_all_needed(la_pins *p, double re, double im)
{
    int n = p->pattern.n_cols;
    memset(p->b, 0, 2 * (size_t)n * sizeof *p->b);
    for (int j = 0; j < n; j++) {
        double x = p->unit[j] * (1 + fmod(GOLDEN * (j + 1), 1));
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            p->b[p->row[k]] += (p->a[k] - p->pin[k] + re * p->m[k]) * x;
            p->b[n + p->row[k]] += im * p->m[k] * x;
        }
    }
    la_solve(p->solver, p->b);
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->pin[k] > 0 && !(fabs(p->b[j]) + fabs(p->b[n + j]) <= PINS_SILENT * p->unit[j]))
                return false;
    return true;
}

int la_pins_factor(la_pins *p, const double *a, const double *m, double re, double im)
{
    for (int k = 0; k < p->pattern.nnz; k++) {
        int from = p->from[k];
        p->a[k] = p->pin[k] + (from < 0 ? 0 : a[from]);
        p->m[k] = m && from >= 0 ? m[from] : 0;
    }
    if (la_factor(p->solver, p->a, m ? p->m : NULL, re, im) != LA_OK) return LA_SINGULAR;
    double ratio = p->solver->pivot_ratio;
    if (!(p->ratio > 0)) p->ratio = ratio;
    return ratio >= PINS_DEGRADED * p->ratio && pins_all_needed(p, re, im) ? LA_OK : LA_SINGULAR;
}

void la_pins_solve(la_pins *p, double *b)
{
    la_solve(p->solver, b);
}

int la_pins_open(const la_pins *p)
{
    return p->open;
}
