/* Corners: where the equations bend or jump, and no event tells.
 *
 * An `if` in a function, or abs, min and max, divide the space of the unknowns by surfaces on which F is not
 * smooth. No formula crosses one with its order. A step whose error is not small and whose end lies beyond such a
 * surface is made again up to it: its end is moved by false position (Illinois: M. Dowell, P. Jarratt, BIT 11
 * (1971) 168-174) until the step across is so short that what y' changes there no longer matters; behind the
 * surface the method starts anew. C. W. Gear, O. Osterby, ACM Trans. Math. Softw. 10 (1984) 23-44.
 *
 * Algebraic unknowns may jump at a corner that they cross themselves, where their solution folds back (a trigger that
 * flips). What is beyond is then another branch, found by a search of its own (sim/rescue.c), and no step may end there:
 * only surfaces of the time and of differential unknowns, which cannot turn back by a jump, are corners.
 *
 * A surface that comes back after some steps is slid along: nothing is located then for a while, and twice as
 * long each time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/step.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
/*  bound                              quantity                                            source */
static const double
    ACROSS_MAX            = 0.1,    // h |change of y'| / 2 in tolerances, of a step across     a tenth of what a step may leave
    ERROR_OF_JUMP         = 0.01,   // estimate of a step of high order that crosses a jump     its tolerance is looser: Hairer & Wanner, J. Comput. Appl. Math. 111 (1999)
    AIM_MARGIN            = 0.02,   // nearest that an aim comes to an end, in parts            choice
    SIZE_BEHIND           = 0.3;    // first step behind, of the size before                    choice: orders begin low
// clang-format on
enum {
    ORDER_STRICT = 5,
    STEPS_APART_MIN = 3,
    STEPS_BACK_MIN = 20,
    STEPS_OF_REST = 50,
    RESOLUTIONS = 8
};

static bool corner_looks(const method_core *c)
{
    return c->p->n_corners && c->p->corners && c->method->ops->control != CONTROL_MULTISTEP &&
           !c->fixed && !c->corner.rest;
}

size_t corner_layout(core_corner *x, int n, void *block)
{
    bump b = bump_begin(block);
    x->old = bump_double(&b, (size_t)n);
    x->now = bump_double(&b, (size_t)n);
    x->beyond = bump_double(&b, (size_t)n);
    return bump_end(&b);
}

void corner_begin(method_core *c)
{
    c->corner.known = c->corner.across = false;
    c->corner.t_beyond = c->corner.aim = INFINITY;
}

static bool corner_between(double a, double b)
{
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

/* One that the attempt crosses; -1: none. */
static int corner_crossed(const method_core *c)
{
    for (int i = 0; i < c->p->n_corners; i++)
        if (corner_between(c->corner.old[i], c->corner.now[i])) return i;
    return -1;
}

/* The first zero of the straight lines between both ends, where the end that stays counts half the second time. A step
 * that went astray may have left a value far out beyond, which no half makes up for: the third time what lies between is
 * halved, or the far end tried again from where the near one is now. */
static void corner_aim(method_core *c, int moved)
{
    core_corner *x = &c->corner;
    int times = x->moved * moved > 0 ? abs(x->moved) + 1 : 1;
    double near = moved > 0 && times > 1 ? 0.5 : 1, far = moved < 0 && times > 1 ? 0.5 : 1;
    double first = 1;
    bool between = false, anew = moved < 0 && times > 2;
    for (int i = 0; i < c->p->n_corners; i++) {
        double a = near * x->old[i], b = far * x->beyond[i];
        if (!corner_between(a, b)) continue;
        between = true;
        first = fmin(first, a / (a - b)); // 1 where b is nothing beside a
    }
    if (times > 2) first = fmin(first, 0.5);
    x->moved = anew ? 0 : moved * times;
    if (!between) { // an error led across
        x->t_beyond = x->aim = INFINITY;
        return;
    }
    if (anew) {
        x->aim = x->t_beyond;
        return;
    }
    double part = fmin(fmax(first, AIM_MARGIN), 1 - AIM_MARGIN) * (x->t_beyond - c->t);
    x->aim = c->t + fmax(part, 0.5 * RESOLUTIONS * method_h_min(c->t, part));
}

/* What the change of y' across makes of a step that does not see where it is. */
static double corner_left(method_core *c, double h)
{
    double *change = c->corner_change;
    for (int i = 0; i < c->n; i++) {
        bool moves = c->all_differential || c->p->differential[i];
        change[i] = moves ? 0.5 * h * (c->yp_new[i] - c->yp[i]) : 0;
    }
    return problem_norm_error(&c->norm, change, h);
}

bool corner_refuses(method_core *c, double t_new, double h, const step_result *result)
{
    core_corner *x = &c->corner;
    const vinc_problem *p = c->p;
    bool locating = isfinite(x->t_beyond);
    double good = result->order > ORDER_STRICT ? ERROR_OF_JUMP : 1; // whatever it crosses
    x->now_known = x->across = false;
    if (!corner_looks(c) || (!locating && result->error <= good)) return false;
    if (!x->known) x->known = !p->corners(p->user, c->t, c->y, x->old);
    if (x->known) x->now_known = !p->corners(p->user, t_new, c->y_new, x->now);
    int which = x->now_known ? corner_crossed(c) : -1;
    if (which < 0) return false;
    if (!locating) x->size = c->control.h, x->moved = 0;
    x->across = (result->error <= 1 && corner_left(c, h) <= ACROSS_MAX) ||
                h <= RESOLUTIONS * method_h_min(c->t, h);
    x->same = x->across && which == x->last;
    if (x->across) x->last = which;
    if (x->across) return false;
    memcpy(x->beyond, x->now, (size_t)p->n_corners * sizeof *x->now);
    x->t_beyond = t_new;
    corner_aim(c, 1);
    return true;
}

void corner_accept(method_core *c)
{
    core_corner *x = &c->corner;
    double *old = x->old;
    if (x->rest) x->rest--;
    x->since++;
    if (x->now_known) x->old = x->now, x->now = old;
    x->known = x->now_known;
    x->now_known = false;
    if (x->across) {
        bool slides = x->since < (x->same ? STEPS_BACK_MIN : STEPS_APART_MIN);
        x->pause = !slides || !x->pause     ? STEPS_OF_REST
                   : x->pause < INT_MAX / 2 ? 2 * x->pause
                                            : x->pause;
        x->rest = slides ? x->pause : 0;
        x->since = 0;
        x->t_beyond = x->aim = INFINITY;
    } else if (c->t >= x->t_beyond) {
        x->t_beyond = x->aim = INFINITY; // it was an error that led across
    } else if (isfinite(x->t_beyond)) {
        x->since--; // on the way there
        corner_aim(c, -1);
    }
}

int corner_leave(method_core *c)
{
    core_corner *x = &c->corner;
    double size = SIZE_BEHIND * x->size;
    if (!x->across) return VINC_OK;
    x->across = false;
    return method_restart(c->run, c->t, c->y, c->yp, false, size);
}
