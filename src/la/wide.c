/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/wide.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

static const double DAMPING_SQUARED = 1e-10; // d^2
static const double SIGMA_CHANGE_MAX =
    1e-3; // change of a singular value from one iteration to the next
enum { SIGMA_ITERATIONS_MAX = 20 };

struct la_wide {
    mem *m;
    la_solver *la;
    int rows, cols;
    vinc_pattern g, k; // the matrix; the one that is factored
    int *g_start, *g_row, *k_start, *k_row;
    int *lower, *upper; // by entry of g: its places in k
    int *next;          // by row, while k is laid out
    double *g_values, *k_values;
    double *b; // of k
    double *u; // by row: the left singular vector found last
    double *x; // by column
    size_t bytes;
};

static size_t wide_layout(la_wide *w, const vinc_pattern *g, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)g->n_rows, n = (size_t)g->n_cols, nnz = (size_t)g->nnz,
           all = 2 * nnz + m + n;
    bump_bytes(&b, sizeof *w);
    w->g_start = bump_int(&b, n + 1);
    w->g_row = bump_int(&b, nnz);
    w->k_start = bump_int(&b, n + m + 1);
    w->k_row = bump_int(&b, all);
    w->lower = bump_int(&b, nnz);
    w->upper = bump_int(&b, nnz);
    w->next = bump_int(&b, m);
    w->g_values = bump_double(&b, nnz);
    w->k_values = bump_double(&b, all);
    w->b = bump_double(&b, n + m);
    w->u = bump_double(&b, m);
    w->x = bump_double(&b, n);
    return bump_end(&b);
}

/* Column j: 1, then the column of G; column n + i: the row of G, then -d^2. */
static void wide_augment(la_wide *w)
{
    int n = w->cols, m = w->rows, *start = w->k_start;
    for (int j = 0; j < n; j++) start[j + 1] = 1 + w->g_start[j + 1] - w->g_start[j];
    for (int i = 0; i < m; i++) start[n + i + 1] = 1;
    for (int e = 0; e < w->g.nnz; e++) start[n + w->g_row[e] + 1]++;
    for (int c = 0; c < n + m; c++) start[c + 1] += start[c];
    for (int i = 0; i < m; i++) w->next[i] = start[n + i];
    for (int j = 0; j < n; j++) {
        int at = start[j];
        w->k_row[at] = j;
        w->k_values[at++] = 1;
        for (int e = w->g_start[j]; e < w->g_start[j + 1]; e++) {
            int i = w->g_row[e];
            w->lower[e] = at;
            w->k_row[at++] = n + i;
            w->upper[e] = w->next[i];
            w->k_row[w->next[i]++] = j;
        }
    }
    for (int i = 0; i < m; i++) {
        w->k_row[w->next[i]] = n + i;
        w->k_values[w->next[i]] = -DAMPING_SQUARED;
    }
}

int la_wide_new(mem *m, const vinc_pattern *pattern, la_wide **out)
{
    la_wide probe;
    size_t bytes = wide_layout(&probe, pattern, NULL);
    la_wide *w = mem_try(m, bytes);
    *out = NULL;
    if (!w) return LA_E_MEMORY;
    memset(w, 0, bytes);
    wide_layout(w, pattern, w);
    w->m = m;
    w->bytes = bytes;
    w->rows = pattern->n_rows;
    w->cols = pattern->n_cols;
    memcpy(w->g_start, pattern->start, ((size_t)w->cols + 1) * sizeof(int));
    memcpy(w->g_row, pattern->row, (size_t)pattern->nnz * sizeof(int));
    w->g = (vinc_pattern){w->rows, w->cols, pattern->nnz, w->g_start, w->g_row};
    wide_augment(w);
    int n = w->cols + w->rows;
    w->k = (vinc_pattern){n, n, w->k_start[n], w->k_start, w->k_row};
    int rc = la_new(m, &(la_config){.n = n, .pattern = &w->k}, &w->la);
    if (rc) return la_wide_free(w), rc;
    *out = w;
    return LA_OK;
}

void la_wide_free(la_wide *w)
{
    if (!w) return;
    la_free(w->la);
    mem_free(w->m, w, w->bytes);
}

int la_wide_factor(la_wide *w, const double *values)
{
    memcpy(w->g_values, values, (size_t)w->g.nnz * sizeof *values);
    for (int e = 0; e < w->g.nnz; e++) {
        w->k_values[w->lower[e]] = values[e];
        w->k_values[w->upper[e]] = values[e];
    }
    return la_factor(w->la, w->k_values, NULL, 0, 0);
}

void la_wide_solve(la_wide *w, const double *r, double *x)
{
    memset(w->b, 0, (size_t)w->cols * sizeof *w->b);
    memcpy(w->b + w->cols, r, (size_t)w->rows * sizeof *r);
    la_solve(w->la, w->b);
    memcpy(x, w->b, (size_t)w->cols * sizeof *x);
}

/* ---- singular values ------------------------------------------------------------------------- */

static double wide_normalise(double *u, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += u[i] * u[i];
    double norm = sqrt(sum);
    for (int i = 0; i < n && norm > 0; i++) u[i] /= norm;
    return norm;
}

/* The vector found last, and something of everything: what was smallest need not stay it. */
static void wide_begin(la_wide *w)
{
    uint32_t seed = 1;
    double part = 0.1 / sqrt((double)w->rows);
    for (int i = 0; i < w->rows; i++) {
        seed = seed * 1664525u + 1013904223u; // Knuth, The Art of Computer Programming 2, 3.3.4
        w->u[i] += part * ((double)(seed >> 16) / 32768 - 1);
    }
    wide_normalise(w->u, w->rows);
}

/* x = G^T u; its norm. */
static double wide_transposed(la_wide *w)
{
    double sum = 0;
    for (int j = 0; j < w->cols; j++) {
        double dot = 0;
        for (int e = w->g_start[j]; e < w->g_start[j + 1]; e++)
            dot += w->g_values[e] * w->u[w->g_row[e]];
        w->x[j] = dot;
        sum += dot * dot;
    }
    return sqrt(sum);
}

double la_wide_least(la_wide *w)
{
    double sigma = INFINITY;
    wide_begin(w);
    for (int k = 0; k < SIGMA_ITERATIONS_MAX; k++) {
        la_wide_solve(w, w->u, w->x);
        memcpy(w->u, w->b + w->cols, (size_t)w->rows * sizeof *w->u);
        wide_normalise(w->u, w->rows);
        double last = sigma;
        sigma = wide_transposed(w);
        if (!(fabs(last - sigma) > SIGMA_CHANGE_MAX * sigma)) break;
    }
    return sigma;
}

double la_wide_most(la_wide *w)
{
    double sigma = 0;
    wide_begin(w);
    for (int k = 0; k < SIGMA_ITERATIONS_MAX; k++) {
        double last = sigma;
        sigma = wide_transposed(w);
        if (!(fabs(last - sigma) > SIGMA_CHANGE_MAX * sigma)) break;
        memset(w->u, 0, (size_t)w->rows * sizeof *w->u);
        for (int j = 0; j < w->cols; j++)
            for (int e = w->g_start[j]; e < w->g_start[j + 1]; e++)
                w->u[w->g_row[e]] += w->g_values[e] * w->x[j];
        wide_normalise(w->u, w->rows);
    }
    return sigma;
}
