/* SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/hessenberg.h"

#include "la/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SINGULAR_TOL 1e-12 // relative

typedef struct form {
    arena *a;
    int n;
    const double *f, *g;
    int *row;       // by unknown: the row that holds its derivative; -1: algebraic
    int *algebraic; // rows without derivatives, n_z of them
    int *z, n_z;    // algebraic unknowns
    int *layer;     // as in hessenberg; counted from the constraints while building
} form;

static double hessenberg_entry(const double *m, int n, int i, int j)
{
    return m[i + (size_t)j * (size_t)n];
}

// Rows and columns of F with at most one entry each.
static bool hessenberg_semi_explicit(form *s)
{
    int n = s->n, n_rows = 0;
    s->row = arena_array(s->a, int, n + 1);
    s->algebraic = arena_array(s->a, int, n + 1);
    s->z = arena_array(s->a, int, n + 1);
    for (int j = 0; j < n; j++) s->row[j] = -1;
    for (int i = 0; i < n; i++) {
        int found = 0;
        for (int j = 0; j < n; j++) {
            if (hessenberg_entry(s->f, n, i, j) == 0) continue;
            if (found++ || s->row[j] >= 0) return false;
            s->row[j] = i;
        }
        if (!found) s->algebraic[n_rows++] = i;
    }
    for (int j = 0; j < n; j++)
        if (s->row[j] < 0) s->z[s->n_z++] = j;
    return true;
}

// The entry of F in a row; 1 in algebraic rows.
static double hessenberg_pivot(const form *s, int i)
{
    for (int j = 0; j < s->n; j++)
        if (s->row[j] == i) return hessenberg_entry(s->f, s->n, i, j);
    return 1;
}

/* Derivatives of f and g (up to their signs, which do not matter here) in these rows by these
 * columns. */
static double *hessenberg_block(const form *s, const int *rows, int m, const int *cols, int k)
{
    double *b = arena_array(s->a, double, (size_t)m *(size_t)k + 1);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            b[i + (size_t)j * (size_t)m] =
                hessenberg_entry(s->g, s->n, rows[i], cols[j]) / hessenberg_pivot(s, rows[i]);
    return b;
}

// Infinite where singular.
static double hessenberg_condition(arena *a, const double *x, int n)
{
    double *copy = arena_array(a, double, (size_t)n *(size_t)n + 1);
    double *sigma = arena_array(a, double, n + 1);
    memcpy(copy, x, (size_t)n * (size_t)n * sizeof *copy);
    if (!n) return 1;
    if (la_svd(n, n, copy, sigma, NULL, NULL, arena_array(a, double, la_svd_work(n, n))))
        return INFINITY;
    return sigma[n - 1] > SINGULAR_TOL * sigma[0] ? sigma[0] / sigma[n - 1] : INFINITY;
}

/* Unknowns x that occur in the constraints are layer 1; those that occur in the equations of a
 * layer and are in none yet are the next; up to the first whose equations hold z, which takes all
 * that are left. How many layers; 0: z is never met. */
static int build_layers(form *s)
{
    int n = s->n, layers = 1, *rows = s->algebraic, m = s->n_z;
    s->layer = arena_array(s->a, int, n + 1);
    for (;; layers++) {
        int *members = arena_array(s->a, int, n + 1), k = 0;
        bool meets_z = false;
        for (int j = 0; j < n; j++) {
            bool occurs = false;
            for (int i = 0; i < m; i++)
                occurs = occurs || hessenberg_entry(s->g, n, rows[i], j) != 0;
            if (occurs && s->row[j] >= 0 && !s->layer[j]) s->layer[j] = layers, members[k++] = j;
        }
        if (!k) return 0;
        for (int i = 0; i < k; i++) {
            members[i] = s->row[members[i]]; // now their rows
            for (int j = 0; j < s->n_z; j++)
                meets_z = meets_z || hessenberg_entry(s->g, n, members[i], s->z[j]) != 0;
        }
        rows = members;
        m = k;
        if (meets_z) break;
    }
    for (int j = 0; j < n; j++)
        if (s->row[j] >= 0 && !s->layer[j]) s->layer[j] = layers;
    return layers;
}

/* g_x ... f_z: from the constraints layer by layer, an n_z by size(layer) matrix at a time. */
static double *hessenberg_product(const form *s, int layers)
{
    int n = s->n, m = s->n_z;
    int *rows = s->algebraic, n_rows = m;
    double *p = NULL;
    for (int l = 1; l <= layers + 1; l++) {
        int *cols = arena_array(s->a, int, n + 1), k = 0;
        for (int j = 0; j < n; j++)
            if (l <= layers ? s->row[j] >= 0 && s->layer[j] == l : s->row[j] < 0) cols[k++] = j;
        double *b = hessenberg_block(s, rows, n_rows, cols, k), *next = b;
        if (p) {
            next = arena_array(s->a, double, (size_t)m *(size_t)k + 1);
            for (int j = 0; j < k; j++)
                for (int q = 0; q < n_rows; q++)
                    for (int i = 0; i < m; i++)
                        next[i + (size_t)j * (size_t)m] +=
                            p[i + (size_t)q * (size_t)m] * b[q + (size_t)j * (size_t)n_rows];
        }
        p = next;
        rows = arena_array(s->a, int, n + 1);
        n_rows = k;
        for (int j = 0; j < k; j++) rows[j] = l <= layers ? s->row[cols[j]] : -1;
    }
    return p;
}

void hessenberg_test(arena *a, int n, const double *f, const double *g, hessenberg *out)
{
    form s = {.a = a, .n = n, .f = f, .g = g};
    *out = (hessenberg){.index = -1, .condition = INFINITY};
    out->semi_explicit = hessenberg_semi_explicit(&s);
    if (!out->semi_explicit) {
        snprintf(out->why, HESSENBERG_WHY, "not semi-explicit: derivatives are mixed in F");
        return;
    }
    out->n_z = s.n_z;
    out->n_x = n - s.n_z;
    if (!s.n_z) {
        out->index = 0;
        out->condition = 1;
        snprintf(out->why, HESSENBERG_WHY, "an explicit differential equation");
        return;
    }
    double *gz = hessenberg_block(&s, s.algebraic, s.n_z, s.z, s.n_z);
    bool any = false;
    for (int i = 0; i < s.n_z * s.n_z; i++) any = any || gz[i] != 0;
    if (any) {
        out->condition = hessenberg_condition(a, gz, s.n_z);
        if (isfinite(out->condition)) out->index = 1;
        snprintf(out->why, HESSENBERG_WHY, "semi-explicit: dg/dz is %s",
                 out->index == 1 ? "regular" : "singular but not zero, so of no Hessenberg form");
        return;
    }
    int layers = build_layers(&s);
    if (layers) out->condition = hessenberg_condition(a, hessenberg_product(&s, layers), s.n_z);
    if (!layers || !isfinite(out->condition)) {
        snprintf(out->why, HESSENBERG_WHY, "semi-explicit, dg/dz = 0, but the product %s",
                 layers ? "g_x ... f_z is singular" : "cannot be formed: z acts on no constraint");
        return;
    }
    out->index = layers + 1;
    out->layer = arena_array(a, int, n + 1);
    for (int j = 0; j < n; j++) out->layer[j] = s.row[j] >= 0 ? layers + 1 - s.layer[j] : 0;
    snprintf(out->why, HESSENBERG_WHY,
             "Hessenberg form of index %d: the product g_x ... f_z is regular", out->index);
}
