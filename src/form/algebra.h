/* Accelerations and multipliers of mechanical systems: what formulations share.
 *
 *     M a + B lambda + r_d = 0    n rows
 *     G a            + r_c = 0    m rows
 *
 * Dense, stored by columns: the formulas are those of the literature, for comparison on systems of
 * moderate size. Each stands in the file of its formulation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORM_ALGEBRA_H
#define FORM_ALGEBRA_H

#include "form/build.h"

/* The rows of the system with followers and laws (form.h): the matrices as they are read. */
typedef struct form_whole {
    int n, m, rows, constraints; // accelerations, multipliers, rows of motion and laws
    double *M, *B, *G, *rd, *rc; // rows*n, rows*m, constraints*n, rows, constraints
} form_whole;

struct form_motion {
    int n, m, followers, massless, laws;
    double *M, *B, *G, *rd, *rc; // n*n, n*m, m*n, n, m: overwritten by nobody
    double *a, *lambda;          // what is sought: n and the followers, m and those of the laws
    form_whole whole;            // without followers and laws the same matrices
    double *T, *S;               // followers by accelerations, multipliers of laws by the others
    int *acceleration, *constraint,
        *multiplier; // order among all: those that stay, then the others
    const bool *kinematic;
    double *w1, *w2, *w3, *w4; // the square of accelerations and multipliers, each
    double *v1, *v2, *v3, *v4; // as many, each
    double *work;
    int *perm, *perm2, *perm3;
};

static const double FORM_RANK = 1e-11; // relative to the largest pivot, rows of equal size

/* c (m by k) := alpha op(a) b, a m by n (or its transpose, stored n by m), b n by k; added to c
 * when `add`. */
void form_multiply(int m, int n, int k, double alpha, const double *a, bool transposed,
                   const double *b, bool add, double *c);
void form_transpose(int m, int n, const double *a, double *t); // t: n by m
/* x := square^-1 columns (n by k, in place) by pivoted QR; uses v1, v4, perm2. False: singular. */
bool form_solve_square(form_motion *s, int n, double *square, int k, double *columns);
/* Rows of [a | b] to equal size; a m by n, b may be NULL. */
void form_equilibrate(int m, int n, double *a, double *b);
/* The multipliers from the rows of motion: B lambda = -r_d - M a, least norm. */
void form_find_multipliers(form_motion *s);

/* z (n by n - rank): a basis of the null space of g (m by n; overwritten). Rank, or -1. */
typedef int form_null_basis(form_motion *s, int m, int n, double *g, double *z);
/* a = G^+ gamma + Z nu,  N^T M Z nu = N^T (-r_d - M G^+ gamma). 0; 1: singular. */
int form_by_null_space(form_motion *s, form_null_basis *basis);
/* By pseudo-inverses (udwadia.c). */
int form_by_pseudo_inverse(form_motion *s);

/* M, B, G, r_d, r_c of the motion alone from the whole rows; 1: followers or laws are singular. */
int form_reduce(form_motion *s);
/* The accelerations of followers and all multipliers from a. */
void form_restore(form_motion *s);

#endif
