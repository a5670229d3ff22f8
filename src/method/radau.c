/* Radau IIA: collocation at the zeros of P_s - P_{s-1}, of order 2 s - 1.
 *
 * Stiffly accurate and L-stable, for stiff and differential-algebraic problems up to index 3.
 * Orders 5, 9 and 13 have an odd number of stages, hence one real matrix, which serves the error
 * estimate; `radau` goes through them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk.h"
#include "method/method_list.h"
#include "method/scheme.h"

#define SQRT6 2.44948974278317809819728407470589L

/* E. Hairer & G. Wanner II, section IV.5; to 20 digits. The nodes, and in *roots the eigenvalues of A^-1. */
static const long double *radau_nodes_of(int s, const long double **roots)
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
    // Eigenvalues of A^-1: with M the monic polynomial of the nodes, u' - l u = M for a polynomial
    // u with u(0) = 0, hence the sum over k of k! m_k l^(s-k) is 0. Found in 50 digits.
    static const long double e2[] = {2, 1.414213562373095048802L};
    static const long double e3[] = {3.637834252744495732208L, 2.681082873627752133896L,
                                     3.050430199247410569426L};
    static const long double e5[] = {6.286704751729276645173L, 5.70095329867178941917L,
                                     3.210265600308549888425L, 3.655694325463572258243L,
                                     6.543736899360077294021L};
    static const long double e7[] = {8.936832788405216337302L, 8.511834825102945723051L,
                                     3.281013624325058830036L, 7.141055219187640105775L,
                                     6.623045922639275970621L, 4.378693561506806002523L,
                                     10.16969328379501162732L};
    *roots = s == 2 ? e2 : s == 3 ? e3 : s == 5 ? e5 : e7;
    return s == 2 ? c2 : s == 3 ? c3 : s == 5 ? c5 : c7;
}

void radau_iia(int s, method_tableau *out)
{
    const long double *roots, *c = radau_nodes_of(s, &roots);
    scheme_collocation(s, c, 2 * s - 1, out);
    out->roots = roots;
}

void radau_iia_nodes(int s, method_tableau *out)
{
    const long double *c = radau_nodes_of(s, &out->roots);
    out->stages = s;
    out->order = 2 * s - 1;
    for (int i = 0; i < s; i++) out->c[i] = (double)c[i];
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
    static const irk_detail radau##p##_detail = {s};                                               \
    const vinc_method vinc_method_radau##p = {                                                     \
        .name = "radau" #p,                                                                        \
        .summary = text,                                                                           \
        .cite = "Hairer & Wanner II, section IV.8",                                                \
        .order_min = p,                                                                            \
        .order_max = p,                                                                            \
        .traits = RADAU_TRAITS,                                                                    \
        .ops = &irk_ops,                                                                           \
        .tableau = radau##p,                                                                       \
        .detail = &radau##p##_detail,                                                              \
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
