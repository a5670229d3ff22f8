/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/control.h"

#include <math.h>

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

enum { UP = 1, DOWN = -1 };

/* Biases as in the classical codes: staying is preferred to lowering, and lowering to raising. */
static const double BIAS = 2, BIAS_HIGHER = 3, GROW = 1.3, GROW_MAX = 2, GROW_RAMP = 4;
/* Growth that is punished at once is tried again in smaller portions, which then recover. In
 * index-1 problems whose algebraic unknowns follow a derivative, any change of size or order shows
 * as a jump of the derivative's error; without this, order 1 and rejections alternate for ever. */
static const double GROW_LEAST = 1.1, GROW_RECOVERS = 1.3;

void control_start(control *c, int kind, double h, int order_max)
{
    *c = (control){.kind = kind, .h = h, .ramp = true, .order_max = order_max, .grow = GROW_MAX};
}

/* ---- proportional-integral ------------------------------------------------------------------- */

/* The exponents are those of DOPRI5 for order 5, scaled with the order. */
static double pi_factor(const control *c, const step_result *r)
{
    double k = r->order + 1, beta = 0.2 / k, alpha = 1 / k - 0.75 * beta;
    double e = fmax(r->error, 1e-10);
    double factor = 0.9 * pow(e, -alpha) * (c->h_old > 0 ? pow(c->error_old, beta) : 1);
    return clamp(factor, 0.2, c->failures ? 1 : 10);
}

/* ---- predictive ------------------------------------------------------------------------------ */

static double predictive_factor(const control *c, double h, const step_result *r)
{
    double k = r->order + 1, e = fmax(r->error, 1e-10);
    double safety = 0.9 * 2.14 / (2 + r->newton_cost);
    double factor = safety * pow(e, -1 / k);
    if (c->h_old > 0) {
        // The error is expected to change again by the ratio by which it has just changed.
        double gustafsson = safety * h / c->h_old * pow(c->error_old / (e * e), 1 / k);
        factor = fmin(factor, gustafsson);
    }
    factor = clamp(factor, 0.125, c->failures ? 1 : 8);
    // A small gain does not pay for new factors.
    return factor >= 1 && factor <= 1.2 ? 1 : factor;
}

/* ---- multistep ------------------------------------------------------------------------------- */

static double size_factor(double error, int order, double bias)
{
    return 1 / (pow(bias * error, 1.0 / (order + 1)) + 1e-6);
}

static int multistep_accept(control *c, double h, const step_result *r)
{
    int k = r->order, change = 0;
    double factor = size_factor(r->error_here, k, BIAS);
    c->since++;
    // Differences that span a change of size show the change, not the solution.
    int wait = c->grow < GROW_MAX ? k + 2 : k;
    if (c->ramp) {
        if (r->lower || k >= c->order_max || factor < 1) {
            c->ramp = false;
        } else if (c->since > k) {
            c->h = h * clamp(factor, 1, GROW_RAMP);
            return k < c->order_max ? UP : 0;
        }
    }
    if (r->lower && k > 1 && c->since > k) {
        change = DOWN;
        if (r->error_lower >= 0) factor = size_factor(r->error_lower, k - 1, BIAS);
    } else if (c->since > wait) {
        double down = r->error_lower >= 0 && k > 1 ? size_factor(r->error_lower, k - 1, BIAS) : 0;
        double up = r->error_higher >= 0 && k < c->order_max
                        ? size_factor(r->error_higher, k + 1, BIAS_HIGHER)
                        : 0;
        if (down > factor && down >= up) factor = down, change = DOWN;
        if (up > factor) factor = up, change = UP;
    }
    if (factor >= GROW && c->since > wait) {
        if (c->grown) c->grow = fmin(GROW_MAX, c->grow * GROW_RECOVERS);
        // Where growth was punished, a higher order comes first and alone.
        bool alone = change == UP && c->grow < GROW_MAX;
        c->h = alone ? h : h * fmin(factor, c->grow);
        c->grown = true;
    } else if (factor < 1) c->h = h * clamp(factor, 0.5, 0.9);
    else c->h = h, change = change == UP ? 0 : change;
    if (change || c->h != h) c->since = 0;
    return change;
}

static int multistep_reject(control *c, double h, const step_result *r)
{
    int k = r->order, change = 0;
    c->ramp = false;
    c->since = 0;
    double error = r->error_here;
    if (c->grown && c->failures == 1) {
        c->grow = fmax(sqrt(c->grow), GROW_LEAST);
        c->grown = false;
    }
    if (c->failures == 1) {
        if (r->lower && k > 1 && r->error_lower >= 0) change = DOWN, error = r->error_lower;
        c->h = h * clamp(0.9 * size_factor(error, k + change, BIAS), 0.25, 0.9);
        return change;
    }
    c->h = h * 0.25;
    return c->failures > 2 ? 1 - k : 0; // the history is of no use: begin again at order 1
}

/* ---- the three together ---------------------------------------------------------------------- */

int control_accept(control *c, double h, const step_result *r)
{
    int change = 0;
    if (c->kind == CONTROL_PI) c->h = h * pi_factor(c, r);
    else if (c->kind == CONTROL_PREDICTIVE) c->h = h * predictive_factor(c, h, r);
    else change = multistep_accept(c, h, r);
    c->error_old = fmax(r->error, c->kind == CONTROL_PREDICTIVE ? 1e-2 : 1e-4);
    c->h_old = h;
    c->failures = 0;
    return change;
}

int control_reject(control *c, double h, const step_result *r)
{
    c->failures++;
    if (c->kind == CONTROL_MULTISTEP) return multistep_reject(c, h, r);
    double factor = 0.9 * pow(r->error, -1.0 / (r->order + 1));
    // Before the first accepted step the size is a guess, perhaps far off.
    c->h = h * clamp(factor, 0.1, c->h_old > 0 ? 0.9 : 0.5);
    return 0;
}

void control_fail(control *c, double h, const step_result *r)
{
    c->failures++;
    c->ramp = false;
    c->since = 0;
    c->h = h * (r->h_factor > 0 ? clamp(r->h_factor, 0.05, 0.9) : 0.25);
}
