/* Accelerations and multipliers of mechanical systems: what formulations share.
 *
 *     M a + B lambda + r_d = 0    n rows
 *     G a            + r_c = 0    m rows
 *
 * Dense, stored by columns: the formulas are those of the literature, for comparison on systems of
 * moderate size.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_MOTION_H
#define RUN_MOTION_H

#include "image/formulation.h"

#include <stddef.h>

/* The rows of the system with followers and laws (image_mechanical): the matrices as they are read. */
typedef struct motion_whole {
    int n, m, rows, constraints; // accelerations, multipliers, rows of motion and laws
    double *M, *B, *G, *rd, *rc; // rows*n, rows*m, constraints*n, rows, constraints
} motion_whole;

typedef struct run_motion {
    int n, m, followers, massless, laws;
    double *M, *B, *G, *rd, *rc; // n*n, n*m, m*n, n, m: overwritten by nobody
    double *a, *lambda;          // what is sought: n and the followers, m and those of the laws
    motion_whole whole;          // without followers and laws the same matrices
    double *T, *S;               // followers by accelerations, multipliers of laws by the others
    int *acceleration, *constraint,
        *multiplier; // order among all: those that stay, then the others
    const bool *kinematic;
    double *w1, *w2, *w3, *w4; // the square of accelerations and multipliers, each
    double *v1, *v2, *v3, *v4; // as many, each
    double *work;
    int *perm, *perm2, *perm3;
} run_motion;

/* The matrices, a, lambda and scratch; block NULL: measure. */
size_t motion_layout(run_motion *x, const image_mechanical *q, void *block);

static const double MOTION_RANK = 1e-11; // relative to the largest pivot, rows of equal size

/* c (m by k) := alpha op(a) b, a m by n (or its transpose, stored n by m), b n by k; added to c
 * when `add`. */
void motion_multiply(int m, int n, int k, double alpha, const double *a, bool transposed,
                     const double *b, bool add, double *c);
void motion_transpose(int m, int n, const double *a, double *t); // t: n by m
/* x := square^-1 columns (n by k, in place) by pivoted QR; uses v1, v4, perm2. False: singular. */
bool motion_solve_square(run_motion *s, int n, double *square, int k, double *columns);
/* Rows of [a | b] to equal size; a m by n, b may be NULL. */
void motion_equilibrate(int m, int n, double *a, double *b);
/* The multipliers from the rows of motion: B lambda = -r_d - M a, least norm. */
void motion_find_multipliers(run_motion *s);

/* a and lambda, by an image_motion. 0; 1: singular. */
int motion_solve(run_motion *s, uint8_t by);
int motion_by_null_space(run_motion *s, uint8_t by);
int motion_by_pseudo_inverse(run_motion *s);
int motion_by_elimination(run_motion *s);

/* M, B, G, r_d, r_c of the motion alone from the whole rows; 1: followers or laws are singular. */
int motion_reduce(run_motion *s);
/* The accelerations of followers and all multipliers from a. */
void motion_restore(run_motion *s);

#endif
