/* Dense LU in place, with row pivoting: what sparse elimination leaves over, and small matrices. By columns; complex
 * matrices in two planes. A = P^T L U with the diagonal of U inverted.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_DENSE_REST_H
#define LA_DENSE_REST_H

#include <stdbool.h>

typedef struct la_rest {
    int n;
    double *a, *ai; // ai: NULL for real matrices
    int *swaps;     // row k was exchanged with row swaps[k]
} la_rest;

/* false: a pivot is zero or not finite. least and most are widened by the sizes of the pivots. */
bool la_rest_factor(const la_rest *r, double *least, double *most);
void la_rest_solve(const la_rest *r, double *b);
void la_rest_solve_complex(const la_rest *r, double *b, double *bi);

#endif
