/* Preconditioners: what is stored of a matrix of which only products with vectors are known, so that
 * GMRES needs fewer of them.
 *
 * Equations are matched to unknowns first: row_of[j] is the equation of unknown j, and its entry in
 * column j the diagonal. Columns are given one at a time, in any order. A pivot that is zero, or lost
 * beside the rest of its row, is replaced by the size of the row: that costs iterations, nothing else.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_PRECOND_H
#define LA_PRECOND_H

#include "base/bump.h"
#include "vincolo_problem.h"

#include <stdbool.h>

typedef struct la_precond la_precond;

/* A preconditioner is one constant at the end of its file; la_preconds lists them. */
typedef struct la_precond_kind {
    const char *name, *summary;
    const char *stores; // in words, for n unknowns and a matrix of nnz entries
    bool structured;    // needs the pattern
    /* Arrays, from pattern and row_of; run twice as every layout. NULL: none. */
    void (*layout)(la_precond *p, bump *b);
    /* Once, when the arrays are there. NULL: nothing to do. */
    void (*prepare)(la_precond *p);
    /* Column j of the matrix: the entries at the rows of the pattern. NULL: not wanted. */
    void (*column)(la_precond *p, int j, const double *a);
    /* All columns are there; how many pivots were replaced. NULL: nothing to do. */
    int (*finish)(la_precond *p);
    void (*apply)(const la_precond *p,
                  double *x); // x := P^-1 x, equations in the order of unknowns
} la_precond_kind;

extern const la_precond_kind *const la_preconds[]; // ends with NULL
extern const la_precond_kind la_precond_ilu;       // la/ilu.c

struct la_precond {
    const la_precond_kind *kind;
    int n;
    const vinc_pattern *pattern;
    const int *row_of, *unknown_of; // the matching, both ways
    const double
        *size;    // by unknown: the size of its row with the sign of the diagonal, in its units
    int block;    // of block-jacobi
    double relax; // of ilu: the part of what is dropped that goes to the diagonal
    double *values;
    int *start, *col, *diagonal, *pivot;
    int *order, *place; // of ilu: unknowns in the order of elimination, and where each one is
    double *work;
};

/* An equation for each unknown, its own where the diagonal has an entry. -1, or an unknown for which none
 * is left. work: 3 n. */
int la_precond_match(const vinc_pattern *a, int *row_of, int *unknown_of, int *work);

/* A pivot that is used as it is: not lost beside the size of its row. */
bool la_precond_is_pivot(const la_precond *p, int j, double x);

#endif
