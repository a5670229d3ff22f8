/* Newton's matrix without a matrix: systems with G = dF/dy + c dF/dy' by GMRES from products with
 * vectors, which the problem gives exactly, preconditioned (la/precond.h).
 *
 * Unknowns are scaled by the weights of the norm, so that the error of a solution is measured as
 * Newton's corrections are. The preconditioner is made of G at one point and one c, by products with
 * vectors that each serve all columns that share no row; it is kept while c is near, as factors are.
 * The products themselves are those of the present point and c: what is solved is always the matrix
 * of now.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_KRYLOV_H
#define METHOD_KRYLOV_H

#include "la/gmres.h"
#include "la/precond.h"
#include "method/method_matrix.h"

typedef struct method_krylov {
    la_gmres gmres;
    la_precond precond;
    vinc_pattern own; // the columns that are here, long rows thinned
    int *thin;        // ... its lists then; NULL: those of the problem
    size_t thin_bytes;
    int n_colors;     // 0: there is no pattern
    int *color_start, *color_column, *row_of, *unknown_of;
    double *size, *row_size; // by unknown, by row
    double *weight;          // of unknowns
    double *v, *vp, *out;
    int replaced; // pivots of the preconditioner
    /* Of the solve at hand. */
    struct method_core *c;
    matrix_point at;
    const double *factor;
    void *block;
    size_t bytes;
} method_krylov;

int krylov_open(struct method_core *c, method_krylov **out); // VINC_OK or why not
void krylov_close(struct method_core *c, method_krylov *k);  // NULL is fine

/* A preconditioner at this point. STEP_ code. */
int krylov_precondition(method_krylov *k, const method_matrix *g, const matrix_point *at);
/* b := solution, to an error of at->tol in the norm of an iteration. STEP_ code. */
int krylov_solve(method_krylov *k, const method_matrix *g, const matrix_point *at, double *b);
/* out := factor dF/dy' e */
int krylov_mass(method_krylov *k, const matrix_point *at, double factor, const double *e,
                double *out);

#endif
