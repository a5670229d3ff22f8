/* The predictive controller where every step factors anew, and where such steps are short enough for its own latency to
 * count: the next step waits for its size. So it is written where it is used, goes by squares, without a quotient or a
 * root of what has just become known, and leaves the size in a register. The rest is ready before, and nothing branches
 * on it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_CONTROL_PROMPT_H
#define METHOD_CONTROL_PROMPT_H

#include "base/larger.h"
#include "base/root.h"
#include "method/control.h"

static const double PROMPT_SQUARE_MIN = 1e-20, PROMPT_SQUARE_MAX = 1e20,
                    PROMPT_SQUARE_OLD_MIN = 1e-4;
static const double PROMPT_ERROR_OLD_MIN = 1e-2;
static const double PROMPT_FACTOR_MIN = 0.125, PROMPT_SAFETY = 0.9;
/* Growth at most; of the first step, whose size is a guess that errs to the short side (control.c). */
static const double PROMPT_GROWTH_MAX = 8, PROMPT_GROWTH_OF_FIRST_MAX = 100;

/* x to the power k: the orders of our methods without a loop. */
static inline double prompt_power(double x, int k)
{
    double x2 = x * x, y = 1;
    if (k == 5) return x2 * x2 * x;
    if (k == 4) return x2 * x2;
    if (k == 3) return x2 * x;
    for (int i = 0; i < k; i++) y *= x;
    return y;
}

/* The next size after one of h, from the mean square of its error. The error is expected to change
 * again as it has just changed. What does not depend on the squares is ready before them. */
static inline double prompt_size(const control *c, double h, const step_result *r)
{
    int k = r->order + 1;
    double power = 0; // by which the square changes again, over the square
    if (c->h_old > 0) {
        double ratio = c->h_old / h;
        power = prompt_power(ratio * ratio, k) / c->square_old;
        power = power < PROMPT_SQUARE_MAX ? power : PROMPT_SQUARE_MAX;
    }
    double most = c->failures ? 1 : c->h_old > 0 ? PROMPT_GROWTH_MAX : PROMPT_GROWTH_OF_FIRST_MAX;
    if (r->grow_most > 0) most = smaller_of(r->grow_most, most);
    // Written so that they are no jumps, which would be foretold wrongly.
    double square = r->squares * r->per_n, again = square * (r->squares * (power * r->per_n));
    square = again > square ? again : square;
    square = square > PROMPT_SQUARE_MIN ? square : PROMPT_SQUARE_MIN;
    double size = root_inverse_scaled(PROMPT_SAFETY * h, square, 2 * k), least = PROMPT_FACTOR_MIN * h;
    size = size > least ? size : least;
    most *= h;
    return size < most ? size : most;
}

/* After an accepted step: the next size, which is that of the controller as well. error_old is for who knows the error. */
static inline double control_accept_promptly(control *c, double h, const step_result *r)
{
    double next = prompt_size(c, h, r), square = r->squares * r->per_n;
    c->h = next;
    c->square_old = square > PROMPT_SQUARE_OLD_MIN ? square : PROMPT_SQUARE_OLD_MIN;
    c->h_old = h;
    c->failures = 0;
    return next;
}

#endif
