/* y' by the equations, for what is recorded.
 *
 * A method that is given a higher index has, between its steps, y' from the slope of a polynomial and
 * multipliers from its values: together they satisfy no equation of motion. The multipliers are the
 * method's own and stay as they are; y' follows from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "newton/iterate.h"
#include "run/run_parts.h"

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

typedef struct rating {
    run_state *s;
    double t;
    const double *y;
} rating;

/* The correction of y' with the factors that are there; its size, relative, or a negative number. */
static double rates_correction(void *user)
{
    const rating *c = user;
    run_state *s = c->s;
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    run_eval(s, &s->model->system.residual, c->t, c->y, x->yp, x->r, NULL);
    for (int i = 0; i < q->n; i++) x->delta[i] = x->r[q->rows[i]];
    la_solve(x->la, x->delta);
    double size = 0;
    for (int j = 0; j < q->n; j++) {
        int col = q->columns[j];
        if (!isfinite(x->delta[j])) return -1;
        size = fmax(size, fabs(x->delta[j]) / (fabs(x->yp[col]) + s->nominal[col]));
    }
    return size;
}

static bool rates_take(void *user, bool last)
{
    const rating *c = user;
    run_rates *x = &c->s->rates;
    const code_rates *q = &c->s->model->system.rates;
    (void)last;
    for (int j = 0; j < q->n; j++) x->yp[q->columns[j]] -= x->delta[j];
    return true;
}

static bool rates_factor(const rating *c)
{
    run_state *s = c->s;
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    run_eval(s, &s->model->system.jacobian, c->t, c->y, x->yp, x->dy, x->dyp);
    for (int k = 0; k < q->pattern.nnz; k++) x->matrix[k] = x->dyp[q->value[k]];
    x->seen = 0;
    return x->factored = la_factor(x->la, x->matrix, NULL, 0, 0) == LA_OK;
}

const double *rates_at(run_state *s, double t, const double *y, const double *yp)
{
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    la_config config = {.n = q->n, .pattern = &q->pattern};
    rating c = {s, t, y};
    if (!q->n || (!x->la && la_new(s->m, &config, &x->la))) return yp;
    memcpy(x->yp, yp, (size_t)s->model->n * sizeof *yp);
    for (int k = 0; k < ROUNDS; k++) { // first with the factors of the last row
        if ((k || !x->factored) && !rates_factor(&c)) return yp;
        if (newton_follow(&c, rates_correction, rates_take, &newton_old_for_rates, &x->seen)) break;
    }
    return x->yp;
}
