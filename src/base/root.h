/* The k-th root. The orders that occur most need no logarithm.
 *
 * Where four figures do, as of a step size: x^(-1/k) by the bits of x, which are a logarithm, and one correction. The
 * same bits on every machine, which pow does not promise, and a third of its time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double root_of(double x, int k)
{
    switch (k) {
    case 2: return sqrt(x);
    case 4: return sqrt(sqrt(x));
    case 8: return sqrt(sqrt(sqrt(x)));
    default: return pow(x, 1.0 / k);
    }
}

/* The first words of x and of y = x^(-1/k), as numbers, are 2^20 (log2 + 1023 - s), with an s of 0 to 0.086: y is good to
 * 4 %. Of w = 1 - x y^k a series makes (1 - w)^(-1/k). */
static inline double root_inverse_even(double x, unsigned k)
{
    const double MIDDLE = 0.043, per_k = 1.0 / k;
    const uint64_t ONE = (uint64_t)((1023 - MIDDLE) * 0x1p20 * (1 + per_k)),
                   PER_K = (1ull << 32) / k;
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    word = (ONE - ((word >> 32) * PER_K >> 32)) << 32;
    double y;
    memcpy(&y, &word, sizeof y);
    double y2 = y * y, y4 = y2 * y2, power = k == 6 ? y4 * y2 : k == 8 ? y4 * y4 : y4 * (y4 * y2);
    double c1 = per_k, c2 = c1 * (1 + per_k) / 2, c3 = c2 * (2 + per_k) / 3,
           c4 = c3 * (3 + per_k) / 4, c5 = c4 * (4 + per_k) / 5;
    double w = 1 - x * power, w2 = w * w;
    return y * ((1 + c1 * w) + w2 * ((c2 + c3 * w) + w2 * (c4 + c5 * w)));
}

/* x^(-1/k) of a positive number that is not subnormal, to 6e-5. */
static inline double root_inverse(double x, int k)
{
    switch (k) {
    case 6: return root_inverse_even(x, 6);
    case 8: return root_inverse_even(x, 8);
    case 10: return root_inverse_even(x, 10);
    default: return pow(x, -1.0 / k);
    }
}

#endif
