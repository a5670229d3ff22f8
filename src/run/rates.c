/* y' by the equations, for what is recorded.
 *
 * A method that is given a higher index has, between its steps, y' from the slope of a polynomial and
 * multipliers from its values: together they satisfy no equation of motion. The multipliers are the
 * method's own and stay as they are; y' follows from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "run/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 5 }; // of Newton's method; y' nearly always enters linearly

void rates_layout(run_rates *x, const code_model *m, bump *b)
{
    const code_rates *q = &m->system.rates;
    size_t n = q->n ? (size_t)m->n : 0, nnz = q->n ? (size_t)m->system.jac.nnz : 0;
    x->yp = bump_double(b, n);
    x->r = bump_double(b, n);
    x->delta = bump_double(b, (size_t)q->n);
    x->matrix = bump_double(b, q->n ? (size_t)q->pattern.nnz : 0);
    x->dy = bump_double(b, nnz);
    x->dyp = bump_double(b, nnz);
}

void rates_free(run_rates *x)
{
    la_free(x->la);
}

/* One round; the size of the correction, relative, or a negative number. */
static double correct_rates(run_state *s, double t, const double *y)
{
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    run_eval(s, &s->model->system.residual, t, y, x->yp, x->r, NULL);
    run_eval(s, &s->model->system.jacobian, t, y, x->yp, x->dy, x->dyp);
    for (int k = 0; k < q->pattern.nnz; k++) x->matrix[k] = x->dyp[q->value[k]];
    if (la_factor(x->la, x->matrix, NULL, 0, 0) != LA_OK) return -1;
    for (int i = 0; i < q->n; i++) x->delta[i] = x->r[q->rows[i]];
    la_solve(x->la, x->delta);
    double size = 0;
    for (int j = 0; j < q->n; j++) {
        double *rate = &x->yp[q->columns[j]];
        if (!isfinite(x->delta[j])) return -1;
        size = fmax(size, fabs(x->delta[j]) / (fabs(*rate) + s->nominal[q->columns[j]]));
        *rate -= x->delta[j];
    }
    return size;
}

const double *rates_at(run_state *s, double t, const double *y, const double *yp)
{
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    la_config config = {.n = q->n, .pattern = &q->pattern};
    if (!q->n || (!x->la && la_new(s->m, &config, &x->la))) return yp;
    memcpy(x->yp, yp, (size_t)s->model->n * sizeof *yp);
    for (int k = 0; k < ROUNDS; k++) {
        double size = correct_rates(s, t, y);
        if (size < 0) return yp;
        if (size < 100 * DBL_EPSILON) break;
    }
    return x->yp;
}
