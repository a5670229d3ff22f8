/* Radau IIA: collocation at the zeros of P_s - P_{s-1}, of order 2 s - 1.
 *
 * Stiffly accurate and L-stable, for stiff and differential-algebraic problems up to index 3.
 * Orders 5, 9 and 13 have an odd number of stages, hence one real matrix, which serves the error
 * estimate; `radau` goes through them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk.h"
#include "method/methods.h"
#include "method/scheme.h"

#define SQRT6 2.44948974278317809819728407470589L

/* E. Hairer & G. Wanner II, section IV.5; to 20 digits. */
void radau_iia(int s, method_tableau *out)
{
    static const long double c2[] = {1 / 3.0L, 1};
    static const long double c3[] = {(4 - SQRT6) / 10, (4 + SQRT6) / 10, 1};
    static const long double c5[] = {0.0571041961145176821931L, 0.276843013638123827680L,
                                     0.583590432368916820057L, 0.860240135656219447848L, 1};
    static const long double c7[] = {0.0293164271597848919721L,
                                     0.148078599668484291850L,
                                     0.336984690281154299097L,
                                     0.558671518771550132081L,
                                     0.769233862030054500917L,
                                     0.926945671319741114852L,
                                     1};
    scheme_collocation(s, s == 2 ? c2 : s == 3 ? c3 : s == 5 ? c5 : c7, 2 * s - 1, out);
}

#define RADAU_TRAITS                                                                               \
    (METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_INDEX2 |             \
     METHOD_INDEX3 | METHOD_STIFF)

#define RADAU(p, s, text)                                                                          \
    static void radau##p(const double *opt, method_tableau *t)                                     \
    {                                                                                              \
        (void)opt;                                                                                 \
        radau_iia(s, t);                                                                           \
    }                                                                                              \
    const vinc_method vinc_method_radau##p = {                                                     \
        .name = "radau" #p,                                                                        \
        .summary = text,                                                                           \
        .cite = "Hairer & Wanner II, section IV.8",                                                \
        .order_min = p,                                                                            \
        .order_max = p,                                                                            \
        .traits = RADAU_TRAITS,                                                                    \
        .ops = &irk_ops,                                                                           \
        .tableau = radau##p,                                                                       \
    };

RADAU(3, 2, "two-stage Radau IIA")
RADAU(5, 3, "three-stage Radau IIA, adaptive, for stiff and differential-algebraic problems")
RADAU(9, 5, "five-stage Radau IIA, for tight tolerances")
RADAU(13, 7, "seven-stage Radau IIA, for very tight tolerances")

static const method_option radau_options[] = {
    {.name = "order",
     .min = 5,
     .max = 13,
     .integer = true,
     .every = 4,
     .help = "this order and no other (with fixed steps 5 unless given)"},
    {0},
};

static void radau_any(const double *opt, method_tableau *t)
{
    int order = opt[0] > 0 ? (int)opt[0] : 5;
    radau_iia((order + 1) / 2, t);
}

const vinc_method vinc_method_radau = {
    .name = "radau",
    .summary = "Radau IIA of order 5, 9 and 13, chosen while running",
    .cite = "Hairer & Wanner, J. Comput. Appl. Math. 111 (1999) 93-111",
    .order_min = 5,
    .order_max = 13,
    .traits = RADAU_TRAITS | METHOD_VARIABLE_ORDER,
    .options = radau_options,
    .ops = &irk_ops,
    .tableau = radau_any,
};
