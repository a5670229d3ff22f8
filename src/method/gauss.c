/* Gauss and Lobatto: the other families of fully implicit tableaus.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk.h"
#include "method/method_list.h"
#include "method/scheme.h"

#include <math.h>

#define SQRT3  1.73205080756887729352744634150587L
#define SQRT15 3.87298334620741688517926539978240L

/* ---- Gauss: collocation at the zeros of P_s, order 2 s, symplectic --------------------------- */

#define GAUSS(p, s, text, ...)                                                                     \
    static void gauss##p(const double *opt, method_tableau *t)                                     \
    {                                                                                              \
        static const long double c[] = {__VA_ARGS__};                                              \
        (void)opt;                                                                                 \
        scheme_collocation(s, c, p, t);                                                            \
    }                                                                                              \
    const vinc_method vinc_method_gauss##p = {                                                     \
        .name = "gauss" #p,                                                                        \
        .summary = text,                                                                           \
        .cite = "Hairer & Wanner II, section IV.5",                                                \
        .order_min = p,                                                                            \
        .order_max = p,                                                                            \
        .traits = METHOD_IMPLICIT | METHOD_ADAPTIVE | METHOD_ONESTEP,                              \
        .ops = &irk_ops,                                                                           \
        .tableau = gauss##p,                                                                       \
    };

GAUSS(2, 1, "one-stage Gauss (implicit midpoint rule), symplectic", 0.5L)
GAUSS(4, 2, "two-stage Gauss, symplectic", 0.5L - SQRT3 / 6, 0.5L + SQRT3 / 6)
GAUSS(6, 3, "three-stage Gauss, symplectic", 0.5L - SQRT15 / 10, 0.5L, 0.5L + SQRT15 / 10)

/* ---- Lobatto IIIA: collocation at 0, c, 1 (a cubic Hermite polynomial) ----------------------- */

static void lobatto3a(double c, int order, method_tableau *t)
{
    const long double nodes[] = {0, c, 1};
    scheme_collocation(3, nodes, order, t);
}

static void lobatto3a_4(const double *opt, method_tableau *t)
{
    (void)opt;
    lobatto3a(0.5, 4, t);
}

const vinc_method vinc_method_lobatto3a_4 = {
    .name = "lobatto3a-4",
    .summary = "three-stage Lobatto IIIA (cubic Hermite collocation)",
    .cite = "Hairer & Wanner II, section IV.5",
    .order_min = 4,
    .order_max = 4,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ONESTEP | METHOD_INDEX2,
    .ops = &irk_ops,
    .tableau = lobatto3a_4,
};

/* The middle node moved to c: R(infinity) = (1 - c)/c, order 3. */
static void lobatto3a_d(const double *opt, method_tableau *t)
{
    lobatto3a(opt[0], opt[0] == 0.5 ? 4 : 3, t);
}

static const method_option lobatto3a_d_options[] = {
    {.name = "c",
     .standard = 0.625,
     .min = 0.5,
     .max = 0.99,
     .help = "the middle node, 1/(1 + rho) for the spectral radius rho at infinity"},
    {0},
};

const vinc_method vinc_method_lobatto3a_d = {
    .name = "lobatto3a-d",
    .summary = "Lobatto IIIA with its middle node moved: dissipation to choose",
    .cite = "the lecture notes on multibody integration; Hairer & Wanner II, section IV.5",
    .order_min = 3,
    .order_max = 3,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ONESTEP | METHOD_INDEX2 | METHOD_INDEX3,
    .options = lobatto3a_d_options,
    .ops = &irk_ops,
    .tableau = lobatto3a_d,
};

/* ---- Lobatto IIIC: a_i1 = b_1, stiffly accurate, L-stable ------------------------------------ */

static void lobatto3c_2(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){
        .stages = 2, .order = 2, .a = {{0.5, -0.5}, {0.5, 0.5}}, .b = {0.5, 0.5}, .c = {0, 1}};
}

static void lobatto3c_4(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 3,
                          .order = 4,
                          .a = {{1.0 / 6, -1.0 / 3, 1.0 / 6},
                                {1.0 / 6, 5.0 / 12, -1.0 / 12},
                                {1.0 / 6, 2.0 / 3, 1.0 / 6}},
                          .b = {1.0 / 6, 2.0 / 3, 1.0 / 6},
                          .c = {0, 0.5, 1}};
}

#define LOBATTO3C(p, text, more)                                                                   \
    const vinc_method vinc_method_lobatto3c_##p = {                                                \
        .name = "lobatto3c-" #p,                                                                   \
        .summary = text,                                                                           \
        .cite = "Hairer & Wanner II, section IV.5",                                                \
        .order_min = p,                                                                            \
        .order_max = p,                                                                            \
        .traits =                                                                                  \
            METHOD_IMPLICIT | METHOD_DAE | METHOD_ONESTEP | METHOD_INDEX2 | METHOD_STIFF | (more), \
        .ops = &irk_ops,                                                                           \
        .tableau = lobatto3c_##p,                                                                  \
    };

LOBATTO3C(2, "two-stage Lobatto IIIC", 0)
LOBATTO3C(4, "three-stage Lobatto IIIC", METHOD_INDEX3)
