/* Rounding that the equations magnify.
 *
 * A closed and an open switch in one circuit, a current found as a small difference of large ones:
 * residuals are evaluated to a few eps of their terms, and the inverse of the matrix makes of that a
 * part of the unknowns that may exceed the tolerance. No step is short enough to make it less; an
 * error test that asks for it would cut steps for ever.
 *
 * Where steps are rejected again and again that rounding is looked at: what is seen of it in the
 * residual, solved with the matrix of the step, is that of the unknowns. It is added to the tolerance
 * until the next restart. A look takes some thirty evaluations: one step that is rejected four times has
 * one, rejections that are spread over many steps have fewer and fewer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/step.h"

#include <math.h>
#include <string.h>

enum { REJECTIONS_BETWEEN_LOOKS = 4, REJECTIONS_BETWEEN_LOOKS_MAX = 64, LOOKS = 4 };
static const double ROOM = 30;           // roundings that pass the test unseen by the controller
static const double WORTH = 1e-3;        // of the tolerance: less changes nothing
static const double ROUNDING_MAX = 1e-4; // of an unknown: more, and it is not determined

void core_forget_rounding(method_core *c)
{
    c->rejections = 0;
    if (!c->rounding.widened) return;
    c->rounding.widened = false;
    memcpy(c->norm.abs, c->rounding.asked, (size_t)c->n * sizeof *c->norm.abs);
}

/* For a warning, where it is more than the tolerance again. */
static void tell_widened(vinc_stats *s, int i, double to, double size)
{
    s->widened++;
    if (to / size <= s->widened_to) return;
    s->widened_unknown = i;
    s->widened_to = to / size;
}

static void widen(method_core *c, const double *rounding)
{
    const double *asked = c->rounding.asked;
    double *abs = c->norm.abs;
    for (int i = 0; i < c->n; i++) {
        double size = fabs(c->y[i]) + problem_nominal(c->p, i), e = fabs(rounding[i]);
        double tolerance = c->norm.rel_tol * fabs(c->y[i]) + asked[i];
        if (!(e > WORTH * tolerance && e <= ROUNDING_MAX * size)) continue;
        abs[i] = fmax(abs[i], asked[i] + ROOM * e);
        c->rounding.widened = true;
        if (ROOM * e > tolerance) tell_widened(&c->run->stats, i, tolerance + ROOM * e, size);
    }
}

static bool is_look_due(int in_a_row, int rejections)
{
    bool doubled = rejections >= REJECTIONS_BETWEEN_LOOKS && !(rejections & (rejections - 1));
    return (in_a_row > 0 && in_a_row % REJECTIONS_BETWEEN_LOOKS == 0) || doubled ||
           rejections % REJECTIONS_BETWEEN_LOOKS_MAX == 0;
}

void core_look_at_rounding(method_core *c)
{
    double *r = c->rounding.r;
    if (!is_look_due(c->control.failures, ++c->rejections) || !c->method->ops->matrix) return;
    method_matrix g = c->method->ops->matrix(c);
    if (!g.lu || !c->have_jac) return;
    matrix_point at = {c->t, c->y, c->yp, g.c, c->control.h, 0};
    problem_near here = {c->p, &c->run->stats, c->t, c->y, c->yp, r + c->n};
    if (!c->rounding.widened)
        memcpy(c->rounding.asked, c->norm.abs, (size_t)c->n * sizeof *c->norm.abs);
    for (unsigned k = 1; k <= LOOKS; k++) {
        if (problem_rounding(&here, k, r) || matrix_solve(c, &g, &at, r)) break;
        widen(c, r);
    }
    problem_weigh(&c->norm, c->y);
}
