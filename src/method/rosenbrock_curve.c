/* Between the ends of a Rosenbrock step.
 *
 * The stages give a polynomial of the line between both ends and up to three rows beyond it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/rosenbrock_step.h"

#include "method/row_weights.h"
#include "method/small_stages.h"
#include "method/stages.h"

#include <math.h>
#include <string.h>

/* The rows of the interpolant beyond the line, of the stages that there are, into dense. */
static void rosenbrock_curve(rosenbrock *s, int n)
{
    s->ready = PREPARED;
    if (small_is(n)) {
        small_bend(&(small_curve){n, s->t->stages, s->t->n_dense, ROSENBROCK_STAGES_MAX, s->u,
                                  s->t->dense[0], s->dense});
        return;
    }
    for (int m = 0; m < s->t->n_dense; m++)
        stages_sum_part(s->t->stages, s->t->dense[m], -1, s->u, s->stride, NULL, s->dense[m], n);
}

/* y = (1 - x) y_0 + x (y_1 + (1 - x) (d_0 + x (d_1 + x d_2))). */
int rosenbrock_blend(method_core *c, double t, method_blend *out)
{
    rosenbrock *s = c->state;
    double h = c->h_last, rate = 1 / h, x = 1 + (t - c->t) / h, z = 1 - x, power = 1, slope = 0;
    if (s->ready == NO_STAGES) return core_blend_hermite(c, t, h, s->y0, s->yp0, out), 0;
    if (s->ready == KEPT) rosenbrock_curve(s, c->n);
    blend_add(out, z, -rate, s->y0);
    blend_add(out, x, rate, c->y);
    for (int m = 0; m < s->t->n_dense; m++) { // slope: of the power
        blend_add(out, x * z * power, ((1 - 2 * x) * power + x * z * slope) * rate, s->dense[m]);
        slope = power + x * slope;
        power *= x;
    }
    return 0;
}

int rosenbrock_lanes(method_core *c, const double *t, method_lanes *out)
{
    const rosenbrock *s = c->state;
    if (s->ready != PREPARED) return core_lanes(c, t, out);
    out->rows = 2 + s->t->n_dense;
    row_weights_rosenbrock(out->rows, t, c->t, c->h_last, out->weight);
    out->row[0] = s->y0;
    out->row[1] = c->y;
    memcpy(out->row + 2, s->dense, sizeof s->dense);
    return 0;
}

/* The error of the interpolant goes with one power more than its degree. */
int rosenbrock_inner_order(const method_core *c)
{
    const rosenbrock_table *k = c->method->detail;
    return k->n_dense ? k->n_dense + 2 : INNER_ORDER_HERMITE;
}

int rosenbrock_interpolate(method_core *c, double t, double *y, double *yp)
{
    const rosenbrock *s = c->state;
    method_blend b;
    if (s->ready == NO_STAGES) return core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp), 0;
    b.rows = 0;
    rosenbrock_blend(c, t, &b);
    if (y) stages_blend(b.rows, b.weight, b.row, y, c->n);
    if (yp) stages_blend(b.rows, b.slope, b.row, yp, c->n);
    return 0;
}

int rosenbrock_looks(const method_core *c, double from, double to, double *at)
{
    const rosenbrock *s = c->state;
    return s->ready == NO_STAGES ? core_look_at_hermite(c, from, to, at) : 1;
}
