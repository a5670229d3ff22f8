/* What a formula does to algebraic unknowns and multipliers.
 *
 * One-step methods of stage order q that end in a stage: E. Hairer, C. Lubich & M. Roche, Lecture
 * Notes in Mathematics 1409 (1989); E. Hairer & G. Wanner II, sections VII.4 and VII.5. Formulas
 * with spectral radius 1 at infinity never forget an error of a multiplier. Orders of multistep
 * formulas are for constant steps. All were measured on the pendulum (tests/numeric/order.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab.h"

static const double RADIUS_TOL = 1e-6;

static int dae_least(int a, int b)
{
    return a < b ? a : b;
}

lab_dae_orders lab_dae(const lab_report *r)
{
    int p = r->order, q = r->stage_order;
    lab_dae_orders o = {p, {p, p}, {p, p, p}};
    bool undamped = r->rho_inf > 1 - RADIUS_TOL; // double roots are found to half the digits
    if (r->explicit_ || !r->zero_stable || r->rho_inf > 1 + RADIUS_TOL) return (lab_dae_orders){0};
    if (r->second_order) { // Newmark's family; its radius at infinity is not that of sigma
        if (undamped) o.index3[2] = 0;
    } else if (r->multistep) {
        if (undamped) o.index2[1] = r->one_leg ? 0 : 1, o.index3[2] = 0;
        if (undamped) o.index3[1] = r->one_leg ? 0 : 1;
    } else if (undamped && r->algebraically_stable) { // Gauss: no stage at the end of a step
        o = (lab_dae_orders){p, {dae_least(p, 2), 0}, {dae_least(p, 2), 0, 0}};
    } else if (undamped) { // Lobatto IIIA
        o = (lab_dae_orders){p, {p, dae_least(p, 2)}, {dae_least(p, 2), dae_least(p, 2), 0}};
    } else {
        if (!r->stiffly_accurate && q + 1 < p) o.index1 = q + 1;
        o.index2[0] = dae_least(p, q + 1);
        o.index2[1] = dae_least(p, q);
        o.index3[0] = o.index3[1] = dae_least(p, q);
        o.index3[2] = dae_least(p, q - 1);
        // One implicit stage at the end of the step: implicit Euler, that is the first BDF.
        bool bdf1 = p == 1 && r->stiffly_accurate && !r->numerator.n && r->denominator.n == 1;
        if (bdf1) o.index3[2] = 1;
    }
    return o;
}
