/* Below 0.75 by the continued fraction y/(1 + y^2/(3 + y^2/(5 + ...))), up to 17: J. H. Lambert, Mem. Acad. Berlin 17 (1761)
 * 265-322. Its ninth convergent is y - y^3 N(y^2)/Q(y^2) with whole numbers as coefficients, and 1.5e-19 away at 0.75.
 * Above, 1 - 2/(exp(2 y) + 1) with exp(k ln 2/32 + r) = 2^(k/32) exp(r), k ln 2/32 being subtracted in two parts, the first
 * without rounding: P. T. P. Tang, ACM Trans. Math. Softw. 15 (1989) 144-157. From 22 on it is 1. NaN stays what it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/hyperbolic.h"

#include <math.h>

/* Code, and the same as text. */
#define HYPERBOLIC_BOTH(linkage, ...)                                                              \
    linkage __VA_ARGS__ const char hyperbolic_tanh_text[] = "static " #__VA_ARGS__ "\n";

// clang-format off
HYPERBOLIC_BOTH(, double hyperbolic_tanh(double x)
{
    static const double power[32] = { // 2^(j/32)
          0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
          0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
          0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
          0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
          0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
          0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
          0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
          0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0};
    double y = fabs(x), t = 1;
    if (y >= 0.75 && y < 22) {
        union { double x; unsigned long long bits; } k = {y * 0x1.71547652b82fep+6 + 0x1.8p+52}, s;
        double n = k.x - 0x1.8p+52; // the whole number next to 64 y/ln 2, which is in the last bits of k
        double r = (2 * y - n * 0x1.62e42fefa2p-6) - n * 0x1.9ef35793c7673p-46, r2 = r * r;
        double p = r + r2 * ((0.5 + r * (1.0 / 6)) + r2 * ((1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720)));
        s.x = power[k.bits & 31];
        s.bits += k.bits >> 5 << 52;
        t = 1 - 2 / (s.x + s.x * p + 1);
    } else if (!(y >= 0.75)) {
        double z = y * y, z2 = z * z;
        double N = (11486475 + 810810 * z) + z2 * (12870 + 44 * z);
        double Q = (34459425 + 16216200 * z) + z2 * ((945945 + 13860 * z) + 45 * z2);
        t = y - y * z * N / Q;
    }
    return copysign(t, x);
})
// clang-format on
