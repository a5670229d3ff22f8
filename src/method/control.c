/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/control.h"

#include "base/larger.h"
#include "base/root.h"
#include "method/control_prompt.h"

#include <math.h>

static double control_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static const double GROWTH_MAX = 2; // multistep: largest growth of a step
enum { HOLD_STEPS_FIRST = 50 };     // multistep: steps at order 2 after suspicion, the first time

void control_start(control *c, int kind, double h, int order_max)
{
    *c = (control){.kind = kind,
                   .h = h,
                   .ramp = true,
                   .order_max = order_max,
                   .grow = GROWTH_MAX,
                   .hold_next = HOLD_STEPS_FIRST};
}

/* A first size is a guess that errs to the short side, from the rates alone: what the first error says
 * is better. Later, an error that is small by chance must not make a step too long. */
static double growth_most(const control *c, double later)
{
    return c->failures ? 1 : c->h_old > 0 ? later : PROMPT_GROWTH_OF_FIRST_MAX;
}

/* ---- proportional-integral ------------------------------------------------------------------- */

static const double LOG_ERROR_OLD_MIN = -9.210340371976182; // of 1e-4

/* The exponents are those of DOPRI5 for order 5, scaled with the order. */
static double pi_factor(control *c, const step_result *r)
{
    double k = r->order + 1, beta = 0.2 / k, alpha = 1 / k - 0.75 * beta;
    double e = log(larger_of(r->error, 1e-10)), before = c->h_old > 0 ? c->log_error_old : 0;
    double factor = 0.9 * exp(beta * before - alpha * e);
    c->log_error_old = larger_of(e, LOG_ERROR_OLD_MIN);
    return control_clamp(factor, 0.2, growth_most(c, 10));
}

/* ---- predictive ------------------------------------------------------------------------------ */

static double predictive_factor(const control *c, double h, const step_result *r)
{
    int k = r->order + 1;
    double e = larger_of(r->error, 1e-10);
    double safety = 0.9 * 2.14 / (2 + r->newton_cost); // 0.9 after one iteration of seven
    double growth = 1 / e;                             // to the power k
    if (c->h_old > 0) {
        // The error is expected to change again by the ratio by which it has just changed.
        double gustafsson = c->error_old / (e * e);
        for (int i = 0; i < k; i++) gustafsson *= h / c->h_old;
        growth = smaller_of(growth, gustafsson);
    }
    double factor = safety * root_of(growth, k);
    double most = growth_most(c, 8);
    factor = control_clamp(factor, 0.125, r->grow_most > 0 ? smaller_of(r->grow_most, most) : most);
    // A small gain does not pay for new factors.
    return factor >= 1 && factor <= 1.2 ? 1 : factor;
}

/* ---- multistep ------------------------------------------------------------------------------- */

enum { UP = 1, DOWN = -1 };

/* Biases as in the classical codes: staying is preferred to lowering, and lowering to raising. A
 * growth below GROWTH_MIN is not worth new factors. */
static const double ERROR_BIAS = 2, ERROR_BIAS_HIGHER = 3, GROWTH_MIN = 1.3,
                    GROWTH_AT_START_MAX = 4;
/* Growth that is punished at once is tried again in smaller portions, which then recover. In
 * index-1 problems whose algebraic unknowns follow a derivative, any change of size or order shows
 * as a jump of the derivative's error; without this, order 1 and rejections alternate for ever. */
static const double GROWTH_PUNISHED_MIN = 1.1, GROWTH_RECOVERY = 1.3;
/* BDF of order 3 to 5 is unstable beside the imaginary axis: oscillations too fast to matter grow
 * until the error test sees them, and the step settles at a small size that accuracy does not ask
 * for. Order 2 is A-stable: where it would allow nearly as long a step it is taken, and kept for a
 * while. An LC line of 500 cells then takes 160 steps instead of 4900. */
enum { IDLE_STEPS_SUSPICIOUS = 10, HOLD_STEPS_MAX = 3200 };
static const double ROOM_AT_ORDER_2_MIN = 0.65;
/* Stability settles the size; a solution that becomes faster, before a fold or after a kink, goes on
 * making it shorter. */
static const double PART_OF_SETTLED_MIN = 0.5;

bool control_suspects(const control *c, int order)
{
    return order > 2 && c->idle >= IDLE_STEPS_SUSPICIOUS;
}

/* How much longer a step could be at this order. */
static double control_room(double error, int order, double bias)
{
    return 1 / (root_of(bias * error, order + 1) + 1e-6);
}

/* The better of the neighbouring orders, and the room it has. */
static int best_order(const control *c, const step_result *r, double *factor)
{
    int k = r->order, change = 0;
    bool may_raise = k < c->order_max && (k < 2 || !c->hold);
    double here = *factor, down = 0, up = 0;
    if (r->error_lower >= 0 && k > 1) down = control_room(r->error_lower, k - 1, ERROR_BIAS);
    if (r->error_higher >= 0 && may_raise)
        up = control_room(r->error_higher, k + 1, ERROR_BIAS_HIGHER);
    // No lower order where this one allows all the growth there can be.
    if (down > here && down >= up && here < GROWTH_MAX) *factor = down, change = DOWN;
    if (up > *factor) *factor = up, change = UP;
    return change;
}

/* The size for that order; true when it or the order has changed. */
static bool control_resize(control *c, double h, double factor, bool may_grow, bool may_shrink,
                           int *change)
{
    if (factor >= GROWTH_MIN && may_grow) {
        if (c->grown) c->grow = smaller_of(GROWTH_MAX, c->grow * GROWTH_RECOVERY);
        // Where growth was punished, a higher order comes first and alone.
        bool alone = *change == UP && c->grow < GROWTH_MAX;
        c->h = alone ? h : h * smaller_of(factor, c->grow);
        c->grown = true;
    } else if (factor < 1 && may_shrink) {
        c->h = h * control_clamp(factor, 0.5, 0.9);
    } else {
        c->h = h;
        if (*change == UP) *change = 0;
    }
    return *change || c->h != h;
}

static int multistep_accept(control *c, double h, const step_result *r)
{
    int k = r->order, change = 0;
    double factor = control_room(r->error_here, k, ERROR_BIAS);
    c->since++;
    c->idle++;
    if (c->hold > 0) c->hold--;
    if (c->idle == 1 || h < PART_OF_SETTLED_MIN * c->h_idle) c->idle = 1, c->h_idle = h;

    // The start: order and size grow together until the error says stop.
    if (c->ramp && (r->lower || k >= c->order_max || factor < 1)) c->ramp = false;
    if (c->ramp && c->since > k) {
        c->h = h * control_clamp(factor, 1, GROWTH_AT_START_MAX);
        return UP;
    }
    // Stability, not accuracy, seems to limit the step.
    if (r->error_second >= 0 &&
        control_room(r->error_second, 2, ERROR_BIAS) >= ROOM_AT_ORDER_2_MIN * factor) {
        c->hold = c->hold_next;
        c->hold_next = c->hold_next * 2 < HOLD_STEPS_MAX ? c->hold_next * 2 : HOLD_STEPS_MAX;
        c->since = c->idle = 0;
        c->h = h;
        return 2 - k;
    }
    // Differences that span a change of size show the change, not the solution.
    bool settled = c->since > (c->grow < GROWTH_MAX ? k + 2 : k);
    if (r->lower && k > 1 && c->since > k + 1 && factor < GROWTH_MAX) {
        change = DOWN;
        if (r->error_lower >= 0) factor = control_room(r->error_lower, k - 1, ERROR_BIAS);
    } else if (settled) {
        change = best_order(c, r, &factor);
    }
    // A grid that is laid anew at every step is not stable: the step stays while it is accepted.
    if (control_resize(c, h, factor, settled, settled || !r->even, &change)) c->since = 0;
    if (c->h > h) c->idle = 0;
    return change;
}

static int multistep_reject(control *c, double h, const step_result *r)
{
    int k = r->order, change = 0;
    c->ramp = false;
    c->since = 0;
    double error = r->error_here;
    if (c->grown && c->failures == 1 && h > c->h_old) { // back to what was right a step ago
        c->grow = larger_of(sqrt(c->grow), GROWTH_PUNISHED_MIN);
        c->grown = false;
        c->h = c->h_old;
        return 0;
    }
    if (c->failures == 1) {
        if (r->lower && k > 1 && r->error_lower >= 0) change = DOWN, error = r->error_lower;
        c->h = h * control_clamp(0.9 * control_room(error, k + change, ERROR_BIAS), 0.25, 0.9);
        return change;
    }
    c->h = h * 0.25;
    return c->failures > 2 ? 1 - k : 0; // the history is of no use: begin again at order 1
}

/* ---- the three together ---------------------------------------------------------------------- */

int control_accept(control *c, double h, const step_result *r)
{
    int change = 0;
    if (c->kind == CONTROL_PREDICTIVE && r->new_factors) {
        control_accept_promptly(c, h, r);
        c->error_old = larger_of(r->error, PROMPT_ERROR_OLD_MIN);
        return 0;
    }
    if (c->kind == CONTROL_PI) c->h = h * pi_factor(c, r);
    else if (c->kind == CONTROL_PREDICTIVE) c->h = h * predictive_factor(c, h, r);
    else change = multistep_accept(c, h, r);
    if (c->kind == CONTROL_PREDICTIVE) c->error_old = larger_of(r->error, PROMPT_ERROR_OLD_MIN);
    c->h_old = h;
    c->failures = 0;
    return change;
}

int control_reject(control *c, double h, const step_result *r)
{
    c->failures++;
    if (c->kind == CONTROL_MULTISTEP) return multistep_reject(c, h, r);
    double factor = 0.9 / root_of(r->error, r->order + 1);
    // An error that does not obey its order, or a size that is a first guess, is cut more boldly.
    double most = c->failures > 2 ? 0.25 : c->failures > 1 || !(c->h_old > 0) ? 0.5 : 0.9;
    c->h = h * control_clamp(factor, 0.1, most);
    return 0;
}

void control_fail(control *c, double h, const step_result *r)
{
    c->failures++;
    c->ramp = false;
    c->since = 0;
    c->h = h * (r->h_factor > 0 ? control_clamp(r->h_factor, 0.05, 0.9) : 0.25);
}
