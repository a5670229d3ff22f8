/* The explicit Runge-Kutta tableaus.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/erk.h"
#include "method/method_list.h"

#define FIXED_RK    (METHOD_EXPLICIT | METHOD_ONESTEP)
#define ADAPTIVE_RK (FIXED_RK | METHOD_ADAPTIVE)

static void euler(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 1, .order = 1, .b = {1}};
}

const vinc_method vinc_method_euler = {
    .name = "euler",
    .summary = "explicit Euler",
    .cite = "Euler 1768",
    .order_min = 1,
    .order_max = 1,
    .traits = FIXED_RK,
    .ops = &erk_ops,
    .tableau = euler,
};

static void collatz(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 2, .order = 2, .a = {{0}, {0.5}}, .b = {0, 1}, .c = {0, 0.5}};
}

const vinc_method vinc_method_collatz = {
    .name = "collatz",
    .summary = "explicit midpoint rule (improved polygon method)",
    .cite = "Collatz, The Numerical Treatment of Differential Equations, 1960",
    .order_min = 2,
    .order_max = 2,
    .traits = FIXED_RK,
    .ops = &erk_ops,
    .tableau = collatz,
};

static void heun(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 2, .order = 2, .a = {{0}, {1}}, .b = {0.5, 0.5}, .c = {0, 1}};
}

const vinc_method vinc_method_heun = {
    .name = "heun",
    .summary = "explicit trapezoidal rule",
    .cite = "Heun 1900",
    .order_min = 2,
    .order_max = 2,
    .traits = FIXED_RK,
    .ops = &erk_ops,
    .tableau = heun,
};

static void heun_euler(const double *opt, method_tableau *t)
{
    heun(opt, t);
    t->order_embedded = 1;
    t->b_embedded[0] = 1;
}

const vinc_method vinc_method_heun_euler = {
    .name = "heun-euler",
    .summary = "Heun with explicit Euler embedded",
    .cite = "Hairer, Norsett & Wanner I, section II.4",
    .order_min = 2,
    .order_max = 2,
    .traits = ADAPTIVE_RK,
    .ops = &erk_ops,
    .tableau = heun_euler,
};

static void rk4(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 4,
                          .order = 4,
                          .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                          .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                          .c = {0, 0.5, 0.5, 1}};
}

const vinc_method vinc_method_rk4 = {
    .name = "rk4",
    .summary = "the classical Runge-Kutta method",
    .cite = "Kutta 1901",
    .order_min = 4,
    .order_max = 4,
    .traits = FIXED_RK,
    .ops = &erk_ops,
    .tableau = rk4,
};

/* Dormand & Prince, J. Comput. Appl. Math. 6 (1980) 19-26, table 2. */
static void dopri5(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){
        .stages = 7,
        .order = 5,
        .order_embedded = 4,
        .a = {{0},
              {1.0 / 5},
              {3.0 / 40, 9.0 / 40},
              {44.0 / 45, -56.0 / 15, 32.0 / 9},
              {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
              {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
              {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
        .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0},
        .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
        .b_embedded = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200,
                       187.0 / 2100, 1.0 / 40},
    };
}

/* Hairer, Norsett & Wanner I, section II.6, after Shampine. */
static const double dopri5_dense[1][ERK_STAGES] = {
    {-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0,
     -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
     69997945.0 / 29380423.0}};

static const erk_detail dopri5_detail = {.n_dense = 1, .dense = dopri5_dense};

const vinc_method vinc_method_dopri5 = {
    .name = "dopri5",
    .summary = "Dormand-Prince 5(4), adaptive, for non-stiff problems",
    .cite = "Dormand & Prince 1980; Hairer, Norsett & Wanner I, section II.5",
    .order_min = 5,
    .order_max = 5,
    .traits = ADAPTIVE_RK,
    .ops = &erk_ops,
    .tableau = dopri5,
    .detail = &dopri5_detail,
};
