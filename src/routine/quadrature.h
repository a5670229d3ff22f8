/* Integrals of several functions over the unit interval, square or cube.
 *
 * One dimension inside the other, each by the pair of Gauss and Kronrod with 10 and 21 nodes on
 * intervals that are halved until the two agree (R. Piessens et al., QUADPACK, Springer 1983). The
 * variable is s = theta^2 (3 - 2 theta): square roots and their inverses at the ends, which curved
 * boundaries make, become smooth, and polynomials up to degree 9 are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_QUADRATURE_H
#define ROUTINE_QUADRATURE_H

#include <stdbool.h>
#include <stdint.h>

enum { QUADRATURE_DIMS = 3, QUADRATURE_MOST = 128 }; // functions at once: values lie on the stack

typedef enum quadrature_end {
    QUADRATURE_DONE,
    QUADRATURE_STOPPED,      // the callback said so
    QUADRATURE_NOT_A_NUMBER, // a function is not a number, or not finite
    QUADRATURE_DIVERGES      // the halves do not agree, however short
} quadrature_end;

typedef struct quadrature {
    int dims, n;
    bool (*f)(void *user, const double *s, double *out); // false: stop
    void *user;
    double tol;    // over the integral of |f|, for each function
    int watched;   // the first ones, which decide where intervals are halved; 0: all
    int64_t limit; // of evaluations; 0: none
    /* Found: */
    int64_t evaluations;
    double where[QUADRATURE_DIMS]; // it ended without a value
    int what;                      // of this function
} quadrature;

/* The integrals, and (size may be NULL) those of the absolute values. */
quadrature_end quadrature_run(quadrature *q, double *value, double *size);

#endif
