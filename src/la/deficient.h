/* Matrices of deficient rank: the unknowns that the equations leave open keep their values.
 *
 * Two locked clutches in series, or a brake beside a locked gear, hold one shaft twice: the
 * accelerations are determined, the share of each in the torque is not. The factors of A + c M by
 * complete pivoting (Golub & Van Loan, Matrix Computations, 4th ed., section 3.4.8), rows and
 * columns equilibrated, show the rank. The correction of an unknown without a pivot is what is left
 * of the right-hand side in its row: zero when the equations agree with each other; otherwise it
 * does not go away, and an iteration with these factors does not converge.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_DEFICIENT_H
#define LA_DEFICIENT_H

#include "la/la.h"

enum { LA_DEFICIENT_MAX = 500 }; // unknowns: the factors are dense, the search for pivots cubic

typedef struct la_deficient la_deficient;

la_deficient *la_deficient_new(mem *m, int n); // NULL: no memory
void la_deficient_free(mem *m, la_deficient *d);

/* Returns the rank, or -1 when an entry is not finite. */
int la_deficient_factor(la_deficient *d, const la_solver *s, const double *a, const double *m,
                        double re, double im);
int la_deficient_open(const la_deficient *d); // a column that was left open; -1: none was

/* The i-th row and column that are without a pivot, and the size of an entry there that weighs as much as
 * the largest ones. False: there are no more. */
typedef struct la_deficient_place {
    int row, col;
    double size;
} la_deficient_place;
bool la_deficient_left(const la_deficient *d, int i, la_deficient_place *at);
double la_deficient_unit(const la_deficient *d, int col); // the size of an unknown, by the entries
void la_deficient_solve(la_deficient *d, const la_solver *s, double *b);

#endif
