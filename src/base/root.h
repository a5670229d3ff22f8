/* The k-th root. The orders that occur most need no logarithm.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

#include <math.h>

static inline double root_of(double x, int k)
{
    switch (k) {
    case 2: return sqrt(x);
    case 4: return sqrt(sqrt(x));
    case 8: return sqrt(sqrt(sqrt(x)));
    default: return pow(x, 1.0 / k);
    }
}

#endif
