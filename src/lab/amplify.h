/* What analyses of formulas with several roots share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_AMPLIFY_H
#define LAB_AMPLIFY_H

#include "lab/lab.h"

#include <complex.h>

/* The n roots of sum c_i x^i, by Aberth's simultaneous iteration. */
void complex_roots(int n, const double complex *c, double complex *x);
double complex poly_complex(const poly *p, double complex z);

/* No root outside the unit circle, none double on it. */
bool amplify_root_condition(const poly *rho);
bool amplify_inside(const poly *p);    // all roots inside the unit circle
double amplify_largest(const poly *p); // modulus of the largest root

/* How far from 0 along a direction the formula is stable, by a fine search and bisection. */
double amplify_limit(const lab_report *r, double complex direction);

#endif
