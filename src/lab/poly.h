/* Polynomials of small degree: real coefficients as numbers, lowest power first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_POLY_H
#define LAB_POLY_H

#include "lab/rational.h"

enum { POLY_MAX = 30 }; // degree

typedef struct poly {
    int n; // degree; 0 for constants (also for zero)
    number c[POLY_MAX + 1];
} poly;

typedef struct point { // of the complex plane
    double re, im;
} point;

poly poly_zero(void);
void poly_trim(poly *p); // drop leading coefficients that are zero
poly poly_add(const poly *a, const poly *b);
poly poly_sub(const poly *a, const poly *b);
poly poly_mul(const poly *a, const poly *b);
poly poly_derivative(const poly *p);
/* The greatest common divisor; false where coefficients are not exact or become too large to stay so. */
bool poly_gcd(const poly *a, const poly *b, poly *out);
/* Divide a and b by it, if it is known exactly; b is 1 at 0 then, unless it vanishes there. */
void poly_reduce(poly *a, poly *b);
double poly_size(const poly *p); // largest |coefficient|
double poly_at(const poly *p, double x);
point poly_at_point(const poly *p, point z);

/* All roots (p->n of them), by simultaneous iteration. */
void poly_roots(const poly *p, point *roots);

/* |p(iy)|^2 as a polynomial in w = y^2. */
poly poly_modulus_on_axis(const poly *p);
/* |p(-r e^{i phi})|^2 as a polynomial in r. */
poly poly_modulus_on_ray(const poly *p, double phi);
/* Is p >= 0 for all x in [lo, hi]? hi may be infinite. By Sturm's theorem where the coefficients are exact. */
bool poly_not_negative(const poly *p, double lo, double hi);

#endif
