/* A method given as text: a Runge-Kutta tableau, a linear multistep or one-leg formula, or a
 * two-step formula for x'' = f. docs/methods.md describes the format.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_FORMULA_H
#define METHOD_FORMULA_H

#include "method/method.h"

typedef struct method_formula {
    char name[64];
    formula_kind kind;
    method_tableau tableau;     // Runge-Kutta
    method_general general;     // several steps and stages
    method_multistep multistep; // the others
} method_formula;

/* Read a formula. -1 and a sentence in why (METHOD_WHY bytes) that names the line when the text is
 * not one; file is what the sentence calls it. */
int method_formula_read(const char *text, size_t n, const char *file, method_formula *out,
                        char *why);

/* The formula as a method that can be run; the orders in it are taken as they are. It refers to f.
 * False for formulas of x'' = f and for those of several steps and stages, which are for analysis only. */
bool method_custom(const method_formula *f, vinc_method *out);

/* One number as in such a text: 0.25, 1/4, 1-sqrt(2)/2. False if the word is not one. */
bool method_formula_number(const char *word, double *x);

#endif
