/* The k-th root. The orders that occur most need no logarithm.
 *
 * Where three figures do, as of a step size: x^(-1/k) by the bits of x, which are a logarithm, and one correction. The
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
 * 4 %. Of w = 1 - x y^k a parabola makes (1 - w)^(-1/k): that through its values at the zeros of Chebyshev's T_3 on the
 * range of w. Who waits for the root waits for few of these operations. */
typedef struct root_parabola {
    double c0, c1, c2;
} root_parabola;

static inline double root_inverse_even(double scale, double x, unsigned k, root_parabola of)
{
    const double MIDDLE = 0.043;
    const uint64_t ONE = (uint64_t)((1023 - MIDDLE) * 0x1p20 * (1 + 1.0 / k)),
                   PER_K = (1ull << 32) / k;
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    word = (ONE - ((word >> 32) * PER_K >> 32)) << 32;
    double y;
    memcpy(&y, &word, sizeof y);
    double y2 = y * y, y4 = y2 * y2;
    double power = k == 6 ? x * y2 * y4 : k == 8 ? x * y4 * y4 : x * y2 * (y4 * y4);
    double w = 1 - power;
    return scale * y * ((of.c0 + of.c1 * w) + of.c2 * (w * w));
}

/* scale x^(-1/k) of a positive number that is not subnormal, to 3.1e-4. */
static inline double root_inverse_scaled(double scale, double x, int k)
{
    switch (k) { // w from -0.2255 to 0.1505, -0.3034 to 0.1935, -0.3851 to 0.2365
    case 6: return root_inverse_even(scale, x, 6, (root_parabola){1.0000616, 0.1681729, 0.0910547});
    case 8: return root_inverse_even(scale, x, 8, (root_parabola){1.0001073, 0.1267647, 0.0642478});
    case 10:
        return root_inverse_even(scale, x, 10, (root_parabola){1.0001689, 0.1020273, 0.0489975});
    default: return scale * pow(x, -1.0 / k);
    }
}

static inline double root_inverse(double x, int k)
{
    return root_inverse_scaled(1, x, k);
}

#endif
