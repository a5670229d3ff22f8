/* Linear systems of which only products with vectors are known: GMRES with restarts (Y. Saad and M. H.
 * Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869), modified Gram-Schmidt.
 *
 * What is asked for is the error of the solution, not its residual: |x - x*| <= |r| / s with s the
 * smallest singular value of the matrix. Seen from the space that was searched, that of the Hessenberg
 * matrix, it is estimated along the way, and kept from solve to solve. The norm is the root mean
 * square; the caller scales unknowns so that it means something.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_GMRES_H
#define LA_GMRES_H

#include "base/bump.h"

typedef struct la_gmres {
    const struct la_shared *shared; // n are those here of more; NULL: all
    int n, restart;                 // vectors searched before it begins anew
    int iterations_max;             // of one solve
    double *basis;                  // restart + 1 vectors of n
    double *b, *x;                  // n each
    double *hessenberg; // restart + 1 by restart, by columns; its upper triangle is R of QR
    double *cosine, *sine, *g, *z, *u;
    double smallest; // singular value seen so far; 0: nothing was seen
    double error;    // of the last solution, as it is estimated
    int iterations;  // of the last solve
    int status;      // of the last product
} la_gmres;

void la_gmres_layout(la_gmres *s, bump *b); // n and restart are set before

/* out = A v: 0, or a status that ends the solve. */
typedef int la_product(void *user, const double *v, double *out);

enum {
    GMRES_DONE,
    GMRES_STAGNANT, // the error is not small enough, and more iterations are no use or not allowed
    GMRES_STOPPED,  // by a product: s->status
};

/* b := solution of A x = b, to an error of tol; or, relative > 0, until the residual has shrunk to this
 * part. Nothing is allocated. */
int la_gmres_solve(la_gmres *s, la_product *product, void *user, double *b, double tol,
                   double relative);
/* The matrix has changed: what was seen of it counts half. */
void la_gmres_forget(la_gmres *s);

#endif
