/* Is a linear DAE given in semi-explicit form, and in Hessenberg form of some index?
 *
 * Semi-explicit: every row and column of F has at most one entry, so that x' = f(x, z), 0 = g(x, z)
 * by mere naming. Index 1 if dg/dz is regular; Hessenberg form of index mu if
 *
 *     x1' = f1(x1 ... x_{mu-1}, z),  xi' = fi(x_{i-1} ... x_{mu-1}),  0 = g(x_{mu-1})
 *
 * with a regular product g_x_{mu-1} f_{mu-1},x_{mu-2} ... f1_z. U. M. Ascher & L. R. Petzold,
 * Computer Methods for Ordinary Differential Equations and Differential-Algebraic Equations, ch. 9.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_HESSENBERG_H
#define PENCIL_HESSENBERG_H

#include "base/arena.h"

#include <stdbool.h>

enum { HESSENBERG_WHY = 200 };

typedef struct hessenberg {
    bool semi_explicit;
    int n_x, n_z;     // differential and algebraic unknowns
    int index;        // mu of the form; 0: no algebraic unknowns; -1: not of this form
    int *layer;       // by unknown: i of x_i, 0 for z; index >= 2 only
    double condition; // of dg/dz or of the product; 1 where there is none
    char why[HESSENBERG_WHY];
} hessenberg;

void hessenberg_test(arena *a, int n, const double *f, const double *g, hessenberg *out);

#endif
