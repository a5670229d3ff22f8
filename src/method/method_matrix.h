/* The matrix G = dF/dy + c dF/dy' of an implicit formula: how it is made, and how systems with it are
 * solved. Methods see nothing else of linear algebra.
 *
 * Derivatives are taken, then G is factored for one c; the factors serve for several steps, and for
 * other c that are near.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_METHOD_MATRIX_H
#define METHOD_METHOD_MATRIX_H

#include "la/la.h"

struct method_core;

typedef struct method_matrix {
    la_solver *lu;
    struct method_krylov *krylov; // in place of lu: nothing is stored but a preconditioner
    double c;                     // what G was factored for, or preconditioned; 0: for nothing
    double c_scale;               // dF/dy + c c_scale dF/dy' is the matrix
    /* For formulas in which y'_i = factor_i c y_i + const: the columns of dF/dy' are scaled. NULL:
     * all 1. */
    double *factor;
    bool dear; // a factorisation takes the time of many solves
} method_matrix;

/* Where, and for which c: stored matrices and factors have theirs already. tol: the error of the
 * solution in the norm of an iteration, where it is not exact. */
typedef struct matrix_point {
    double t;
    const double *y, *yp;
    double c, h, tol;
} matrix_point;

int matrix_open(struct method_core *c, method_matrix *g); // VINC_OK or why not
void matrix_close(struct method_core *c, method_matrix *g);

/* New derivatives at (t, y_new, yp_new); what was factored is forgotten. STEP_ code. */
int matrix_differentiate(struct method_core *c, method_matrix *g, double t, double h);
/* ... at the point whose matrices the problem keeps under this number, which is that of y_new. */
int matrix_take_kept(struct method_core *c, method_matrix *g, int kept, double t, double h);
/* For the c of the point, of the derivatives that there are. STEP_ code. */
int matrix_factor(struct method_core *c, method_matrix *g, const matrix_point *at);
/* Is c so far from that of the factors that they are no use? */
bool matrix_is_far(const method_matrix *g, double coefficient);

/* b := inverse of G times b. STEP_ code. With factors of another c the best single scale for a spectrum
 * from 0 to infinity, which the caller multiplies by, is matrix_scale. */
int matrix_solve(struct method_core *c, method_matrix *g, const matrix_point *at, double *b);
/* ... of some of the blocks of a problem that has several. */
int matrix_solve_blocks(struct method_core *c, method_matrix *g, const matrix_point *at, double *b,
                        int first, int count);
static inline double matrix_scale(const method_matrix *g, double coefficient)
{
    return g->krylov ? 1 : 2 / (1 + coefficient / g->c);
}
/* out := c dF/dy' e with the c of the point. STEP_ code. */
int matrix_mass(struct method_core *c, const method_matrix *g, const matrix_point *at,
                const double *e, double *out);
/* A bound of the error of the last solution where it was so small that nothing was solved; 0: it was. */
double matrix_unsolved(const method_matrix *g);

#endif
