/* The diagonally implicit tableaus.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/dirk.h"
#include "method/method_list.h"

#include <math.h>

#define SQRT2 1.4142135623730950488

#define SDIRK_TRAITS                                                                               \
    (METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_STIFF)

/* Alexander 1977; implicit Euler through the first stage is embedded. */
static void sdirk2(const double *opt, method_tableau *t)
{
    const double g = 1 - SQRT2 / 2;
    (void)opt;
    *t = (method_tableau){.stages = 2,
                          .order = 2,
                          .order_embedded = 1,
                          .a = {{g}, {1 - g, g}},
                          .b = {1 - g, g},
                          .c = {g, 1},
                          .b_embedded = {1, 0}};
}

const vinc_method vinc_method_sdirk2 = {
    .name = "sdirk2",
    .summary = "two-stage SDIRK, L-stable, stiffly accurate",
    .cite = "Alexander, SIAM J. Numer. Anal. 14 (1977) 1006-1021",
    .order_min = 2,
    .order_max = 2,
    .traits = SDIRK_TRAITS,
    .ops = &dirk_ops,
    .tableau = sdirk2,
};

/* gamma is the root of x^3 - 3 x^2 + 3/2 x - 1/6 in (1/6, 1/2). The embedded weights use the first
 * two stages. */
static void sdirk3(const double *opt, method_tableau *t)
{
    const double g = 0.43586652150845899942;
    const double b1 = -1.5 * g * g + 4 * g - 0.25, b2 = 1.5 * g * g - 5 * g + 1.25;
    (void)opt;
    *t = (method_tableau){.stages = 3,
                          .order = 3,
                          .order_embedded = 2,
                          .a = {{g}, {(1 - g) / 2, g}, {b1, b2, g}},
                          .b = {b1, b2, g},
                          .c = {g, (1 + g) / 2, 1},
                          .b_embedded = {g / (1 - g), (1 - 2 * g) / (1 - g), 0}};
}

const vinc_method vinc_method_sdirk3 = {
    .name = "sdirk3",
    .summary = "three-stage SDIRK, L-stable, stiffly accurate",
    .cite = "Alexander, SIAM J. Numer. Anal. 14 (1977) 1006-1021",
    .order_min = 3,
    .order_max = 3,
    .traits = SDIRK_TRAITS,
    .ops = &dirk_ops,
    .tableau = sdirk3,
};

/* Hairer & Wanner II, section IV.6, table 6.5. */
static void sdirk4(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){
        .stages = 5,
        .order = 4,
        .order_embedded = 3,
        .a = {{1.0 / 4},
              {1.0 / 2, 1.0 / 4},
              {17.0 / 50, -1.0 / 25, 1.0 / 4},
              {371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4},
              {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4}},
        .b = {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4},
        .c = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1},
        .b_embedded = {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0},
    };
}

const vinc_method vinc_method_sdirk4 = {
    .name = "sdirk4",
    .summary = "five-stage SDIRK, L-stable, stiffly accurate",
    .cite = "Hairer & Wanner II, section IV.6",
    .order_min = 4,
    .order_max = 4,
    .traits = SDIRK_TRAITS,
    .ops = &dirk_ops,
    .tableau = sdirk4,
};

/* Trapezoid to 2 - sqrt(2), then BDF2, as one step with an explicit first stage. */
static void trbdf2(const double *opt, method_tableau *t)
{
    const double d = 1 - SQRT2 / 2, w = SQRT2 / 4;
    (void)opt;
    *t = (method_tableau){.stages = 3,
                          .order = 2,
                          .order_embedded = 3,
                          .a = {{0}, {d, d}, {w, w, d}},
                          .b = {w, w, d},
                          .c = {0, 2 - SQRT2, 1},
                          .b_embedded = {(1 - w) / 3, (3 * w + 1) / 3, d / 3}};
}

const vinc_method vinc_method_trbdf2 = {
    .name = "trbdf2",
    .summary = "TR-BDF2 as an ESDIRK method, L-stable, stage order 2",
    .cite = "Bank et al. 1985; Hosea & Shampine, Appl. Numer. Math. 20 (1996) 21-37",
    .order_min = 2,
    .order_max = 2,
    .traits = SDIRK_TRAITS | METHOD_INDEX2,
    .ops = &dirk_ops,
    .tableau = trbdf2,
};

/* A = [g 0; 1 - 2 g, g], b = (1/2, 1/2): of order 2 for every g and 3 for (3 +- sqrt 3)/6. */
static const method_option dirk_exam_options[] = {
    {.name = "gamma", .standard = 0.25, .min = 0.01, .max = 2, .help = "the diagonal of A"},
    {0},
};

static void dirk_exam(const double *opt, method_tableau *t)
{
    double g = opt[0], third = 1 - 6 * g + 6 * g * g; // vanishes where the order is 3
    *t = (method_tableau){.stages = 2,
                          .order = fabs(third) < 1e-12 ? 3 : 2,
                          .a = {{g}, {1 - 2 * g, g}},
                          .b = {0.5, 0.5},
                          .c = {g, 1 - g}};
}

const vinc_method vinc_method_dirk_exam = {
    .name = "dirk-exam",
    .summary = "two-stage SDIRK of the 2019 exam",
    .cite = "examination of the course in multibody dynamics, 2019",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_IMPLICIT | METHOD_ONESTEP,
    .options = dirk_exam_options,
    .ops = &dirk_ops,
    .tableau = dirk_exam,
};

static void irk_exam(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 3,
                          .order = 4,
                          .a = {{0}, {0.25, 0.25}, {0, 1, 0}},
                          .b = {1.0 / 6, 2.0 / 3, 1.0 / 6},
                          .c = {0, 0.5, 1}};
}

const vinc_method vinc_method_irk_exam = {
    .name = "irk-exam",
    .summary = "three-stage method of the 2016 exam, its last stage explicit",
    .cite = "examination of the course in multibody dynamics, 2016",
    .order_min = 4,
    .order_max = 4,
    .traits = METHOD_IMPLICIT | METHOD_ONESTEP,
    .ops = &dirk_ops,
    .tableau = irk_exam,
};
