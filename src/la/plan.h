/* The order of elimination of a sparse matrix: which entry is the pivot of each step, and which
 * entries of its row and column are there then.
 *
 * Pivots by Markowitz's count among entries not much smaller than the largest of their column,
 * looked for in a few of the shortest rows (I. S. Duff, A. M. Erisman, J. K. Reid, Direct Methods
 * for Sparse Matrices, 2nd ed. 2017, sections 7.2 and 10.2). Where what is left is nearly full the
 * plan ends: the rest is a dense matrix. Time and memory are in proportion to the factors while
 * these stay sparse.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_PLAN_H
#define LA_PLAN_H

#include "la/la.h"

typedef struct la_plan {
    int n, steps;    // unknowns; of them eliminated one by one. The rest is dense
    int *row, *col;  // pivot of each step; after the steps the rows and columns of the rest
    int *at_row;     // their inverses: the step of a row, of a column
    int *at_col;     //
    double *weight;  // of each row: a power of two that brings its largest entry near 1
    int *start;      // entries of step k: U in start[2k] ..., L in start[2k + 1] ...
    int *line;       // column of an entry of U, row of an entry of L
    size_t capacity; // of line
    long updates;    // multiplications by which the steps change other entries
    long searched;   // rows looked at for pivots, all steps together
    mem *m;
    void *block;
    size_t bytes;
} la_plan;

/* Plan for A + (re + i im) M. LA_OK, LA_SINGULAR with the column in *defect, or LA_E_MEMORY. Ends
 * early, as dense, when there are more than so many updates. */
int la_plan_make(la_plan *p, mem *m, const la_config *config, const double *a, const double *b,
                 double re, double im, long most_updates, int *defect);
void la_plan_free(la_plan *p);

static inline int la_plan_entries(const la_plan *p)
{
    return p->start[2 * p->steps];
}

/* Where the factors keep each entry: first the pivots, then the entries of the steps as in line,
 * then the rest by columns. where (by entry of the pattern; NULL: full, by columns): its place;
 * target (updates): of each step, L by L and for each U by U, the place that is changed. LA_OK or
 * LA_E_MEMORY. */
int la_plan_places(const la_plan *p, const vinc_pattern *pattern, int *where, int *target);

#endif
