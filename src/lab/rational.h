/* Numbers that stay exact rationals as long as they can.
 *
 * Coefficients of methods are given as doubles; one that is a fraction with a small denominator (to
 * the last place) is taken as that fraction. Arithmetic keeps fractions of 128-bit integers until
 * they overflow; then, or when a coefficient is irrational, the double goes on alone and
 * comparisons are made to a tolerance.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_RATIONAL_H
#define LAB_RATIONAL_H

#include "base/text.h"

#include <stdbool.h>

__extension__ typedef __int128 lab_int;

typedef struct number {
    double x;
    bool exact;
    lab_int p, q; // x = p/q in lowest terms, q > 0, where exact
} number;

number number_of(double x); // recognises fractions
number number_ratio(long p, long q);
number number_add(number a, number b);
number number_sub(number a, number b);
number number_mul(number a, number b);
number number_div(number a, number b);       // b is not zero
bool number_is_zero(number a, double scale); // exactly, or within 1e-12 of scale
int number_sign(number a, double scale);     // -1, 0, 1 by the same rule
void number_print(number a, text *out);      // 1/3, or 0.2928932188135

#endif
