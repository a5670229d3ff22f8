/* Where equations are written and what they say, for messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_EQUATIONS_H
#define IMAGE_EQUATIONS_H

#include "base/source.h"
#include "image/column.h"

#include <stdbool.h>

typedef struct image_zero { // a Real parameter in an equation: that it is 0 may be the reason
    int place;              // in p
    const char *name;
} image_zero;

typedef struct image_equation {
    const char *text;   // as Modelica, shortened
    const char *medium; // what a component in it is of, "pipe is of Water"; NULL: of none
    image_zero *zeros;  // n_zeros
    int n_zeros;
} image_equation;

typedef struct image_derived { // of the structure: a derivative of one of its equations
    int equation, level;
    const char *text;
} image_derived;

/* Of thousands nothing is kept but the places: their lists are NULL. */
typedef struct image_equations {
    int n, n_conditions, n_derived;
    image_column begin, end;    // by equation of the structure (n): where it is written, a span
    image_equation *at;         // n
    image_equation *conditions; // n_conditions: initial equations, then further fixed start values
    image_derived *derived;     // n_derived: constraints and those that are hidden
} image_equations;

static inline span image_written_at(const image_equations *x, int equation)
{
    return (span){(uint32_t)image_at(&x->begin, equation), (uint32_t)image_at(&x->end, equation)};
}

#endif
