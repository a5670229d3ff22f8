/* Multistep formulas with constant steps: Adams, Milne-Simpson, the tunable two-step family; and
 * the midpoint rule as the one-leg twin of the trapezoid.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/lmm.h"
#include "method/method_list.h"

#define CITE_ADAMS "Hairer, Norsett & Wanner I, section III.1"

#define FORMULA(id, label, text, source, p, flags, ...)                                            \
    static void id(const double *opt, method_multistep *out)                                       \
    {                                                                                              \
        (void)opt;                                                                                 \
        *out = (method_multistep)__VA_ARGS__;                                                      \
    }                                                                                              \
    const vinc_method vinc_method_##id = {                                                         \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .order_min = p,                                                                            \
        .order_max = p,                                                                            \
        .traits = (flags) | METHOD_MULTISTEP,                                                      \
        .ops = &lmm_ops,                                                                           \
        .multistep = id,                                                                           \
        .kind = FORMULA_MULTISTEP,                                                                 \
    };

// clang-format off
FORMULA(ab2, "ab2", "Adams-Bashforth of order 2", CITE_ADAMS, 2, METHOD_EXPLICIT,
        {.steps = 2, .order = 2, .alpha = {1, -1}, .beta = {0, 3.0 / 2, -1.0 / 2}})
FORMULA(ab3, "ab3", "Adams-Bashforth of order 3", CITE_ADAMS, 3, METHOD_EXPLICIT,
        {.steps = 3, .order = 3, .alpha = {1, -1}, .beta = {0, 23.0 / 12, -16.0 / 12, 5.0 / 12}})
FORMULA(ab4, "ab4", "Adams-Bashforth of order 4", CITE_ADAMS, 4, METHOD_EXPLICIT,
        {.steps = 4, .order = 4, .alpha = {1, -1},
         .beta = {0, 55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}})
FORMULA(am2, "am2", "Adams-Moulton of order 2 (trapezoidal rule)", CITE_ADAMS, 2,
        METHOD_IMPLICIT | METHOD_DAE,
        {.steps = 1, .order = 2, .alpha = {1, -1}, .beta = {1.0 / 2, 1.0 / 2}})
FORMULA(am3, "am3", "Adams-Moulton of order 3", CITE_ADAMS, 3, METHOD_IMPLICIT | METHOD_DAE,
        {.steps = 2, .order = 3, .alpha = {1, -1}, .beta = {5.0 / 12, 8.0 / 12, -1.0 / 12}})
FORMULA(am4, "am4", "Adams-Moulton of order 4", CITE_ADAMS, 4, METHOD_IMPLICIT | METHOD_DAE,
        {.steps = 3, .order = 4, .alpha = {1, -1},
         .beta = {9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24}})
FORMULA(milne_simpson, "milne-simpson", "Milne-Simpson: order 4 in two steps, weakly unstable",
        "Hairer, Norsett & Wanner I, section III.1", 4, METHOD_IMPLICIT | METHOD_DAE,
        {.steps = 2, .order = 4, .alpha = {1, 0, -1}, .beta = {1.0 / 3, 4.0 / 3, 1.0 / 3}})
// clang-format on

/* ---- y_k = (1 - beta) y_{k-1} + beta y_{k-2} + h (b0 f_k + b1 f_{k-1} + b2 f_{k-2}) ---------- */

enum { RHO, BETA, DELTA };

static const double FROM_RHO = -2; // beta and delta follow from rho

static const method_option ms2_options[] = {
    {.name = "rho", .standard = 0.6, .min = 0, .max = 1, .help = "spectral radius at infinity"},
    {.name = "beta", .standard = -2, .min = -0.999, .max = 1, .help = "in place of rho"},
    {.name = "delta", .standard = -2, .min = 0, .max = 10, .help = "in place of rho"},
    {0},
};

static void ms2(const double *opt, method_multistep *out)
{
    double r = opt[RHO], beta = (3 * r - 1) / (3 - r);
    double delta = (1 - r) * (1 - r) / (2 * (3 - r) * (1 + r));
    if (opt[BETA] != FROM_RHO || opt[DELTA] != FROM_RHO) {
        beta = opt[BETA] != FROM_RHO ? opt[BETA] : 0;
        delta = opt[DELTA] != FROM_RHO ? opt[DELTA] : 0;
    }
    *out = (method_multistep){
        .steps = 2,
        .order = 2,
        .alpha = {1, beta - 1, -beta},
        .beta = {0.5 + delta, 0.5 + beta / 2 - 2 * delta, beta / 2 + delta},
    };
}

const vinc_method vinc_method_ms2 = {
    .name = "ms2",
    .summary = "two-step family with the spectral radius at infinity to choose",
    .cite = "Masarati, Lanz & Mantegazza, Proc. AIMETA 2001",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_MULTISTEP | METHOD_INDEX2 | METHOD_INDEX3,
    .options = ms2_options,
    .ops = &lmm_ops,
    .multistep = ms2,
    .kind = FORMULA_MULTISTEP,
};

/* ---- one-leg --------------------------------------------------------------------------------- */

static void midpoint(const double *opt, method_multistep *out)
{
    (void)opt;
    *out = (method_multistep){.steps = 1, .order = 2, .alpha = {1, -1}, .beta = {0.5, 0.5}};
}

const vinc_method vinc_method_midpoint = {
    .name = "midpoint",
    .summary = "implicit midpoint rule, the one-leg twin of the trapezoid",
    .cite = "Dahlquist, BIT 18 (1978) 384-401",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_IMPLICIT | METHOD_ONESTEP,
    .ops = &lmm_ops,
    .multistep = midpoint,
    .kind = FORMULA_ONE_LEG,
};
