/* Sweeps over the lists of a plan for several matrices side by side (la/abreast.c).
 *
 * A number of each matrix lies beside those of the others. Of two matrices real and imaginary parts follow each other in
 * one register. Of up to four one register has the real parts and one the imaginary ones: products then need no turning.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_ABREAST_SWEEPS_H
#define LA_ABREAST_SWEEPS_H

#include "la/abreast.h"
#include "la/dense_rest.h"
#include "la/lists.h"

#include <stddef.h>

enum {
    ABREAST_WIDTH = 4, // lanes of a register
    ABREAST_MAX = 4,   // numbers in them
};

struct la_abreast {
    int n, n_values;
    int registers;             // in use: what a factor takes
    double *v;                 // factors, as in the lists
    double *x;                 // right-hand sides, by step
    double *zero, *unused;     // imaginary parts of real vectors
    int *row_step, *col_step;  // by row, by unknown: the step it is the pivot of
    double *weight;            // by row
    la_rest rest[ABREAST_MAX]; // what is dense at the end, each by itself
    double *part, *part_i;     // of a vector, for it
    long factored, missed;
    void *block;
    size_t bytes;
};

/* Where the real part of a number is among those side by side, and how far behind it the imaginary one. */
static inline int abreast_place(const la_abreast *z, int number)
{
    return z->registers > 1 ? number : 2 * number;
}
static inline int abreast_beside(const la_abreast *z)
{
    return z->registers > 1 ? ABREAST_WIDTH : 1;
}

/* The factors of A + c M, but for what is dense at the end; as many numbers c as there is room for. False: a multiplier is
 * large. */
bool abreast_eliminate(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                       const double *m, const la_number *c);
/* The smallest and the largest of its inverse pivots, of each number; of none infinite and 0. False: one is not finite. */
bool abreast_pivots(const la_abreast *z, const la_lists *f, double *least, double *most);
/* Right-hand sides into z->x and down; up, and the solutions into b. */
void abreast_down(const la_abreast *z, const la_lists *f, const la_vector *b);
void abreast_up(const la_abreast *z, const la_lists *f, const la_vector *b);

#endif
