/* Profiles of the likelihood: a parameter is held at values to both sides of its estimate, and the others are
 * fitted anew. Where this loses more than half a quantile of chi^2 lies the end of an interval of 95 percent,
 * which need not be symmetric; where it never does, the data do not bound the parameter (A. Raue and others,
 * Bioinformatics 25 (2009) 1923-1929).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/fit_parts.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 40, ITERATIONS_AGAIN = 50, CUTS_MAX = 12 };
/* A step is to lose so much, between a part of the whole loss and another. */
static const double LOSS_LEAST = 0.03, LOSS_MOST = 0.2;
static const double LOSS_BEYOND =
    1.5; // of the whole loss: the end lies too far back to be seen from there
static const double BETTER = 1e-3; // by which another optimum is better: said

typedef struct profile_walk {
    fit_search *s;
    const fit_parameter *q;
    const double *best;
    double *good; // where the last step that counts has ended
    double f, lower, upper;
    double x[STEPS_MAX], loss[STEPS_MAX];
    int n;
} profile_walk;

static int walk(profile_walk *w, fit_end *end, int side, double step, double *limit)
{
    fit_search *s = w->s;
    int i = w->q->number;
    double at = w->best[i], last = 0, edge = side < 0 ? w->lower : w->upper;
    double *from = end->x;
    size_t bytes = (size_t)s->n * sizeof *from;
    int cuts = 0;
    memcpy(w->good, w->best, bytes);
    *limit = side < 0 ? -INFINITY : INFINITY;
    for (w->n = 0; w->n < STEPS_MAX;) {
        double next = at + side * step;
        bool stops = side * (next - edge) >= 0;
        if (stops) next = edge;
        if (next == at) break;
        memcpy(from, w->good, bytes);
        from[i] = s->lower[i] = s->upper[i] = next;
        *end = (fit_end){.x = from};
        int rc = fit_search_from(s, from, ITERATIONS_AGAIN, end);
        if (rc) return rc;
        if (end->status < 0) break; // there is no likelihood there
        double loss = end->f - w->f;
        if (loss > LOSS_BEYOND * FIT_LOSS_95 && cuts++ < CUTS_MAX) {
            step = 0.25 * fabs(next - at);
            continue;
        }
        memcpy(w->good, from, bytes);
        w->x[w->n] = next;
        w->loss[w->n++] = loss;
        if (loss >= FIT_LOSS_95) { // its root is nearly straight
            double a = sqrt(fmax(last, 0)), b = sqrt(loss);
            *limit = at + (next - at) * (sqrt(FIT_LOSS_95) - a) / (b - a);
            break;
        }
        if (stops) break;
        if (loss - last < LOSS_LEAST * FIT_LOSS_95) step *= 2;
        else if (loss - last > LOSS_MOST * FIT_LOSS_95) step /= 2;
        last = loss;
        at = next;
    }
    s->lower[i] = w->lower;
    s->upper[i] = w->upper;
    return VINC_OK;
}

static void keep_curve(const fit_problem *p, const profile_walk *low, const profile_walk *high,
                       fit_curve *out)
{
    const fit_parameter *q = low->q;
    out->x = arena_array(p->a, double, 2 * STEPS_MAX + 1);
    out->loss = arena_array(p->a, double, 2 * STEPS_MAX + 1);
    for (int k = low->n; k-- > 0; out->n++) {
        out->x[out->n] = fit_unscaled(q, low->x[k]);
        out->loss[out->n] = low->loss[k];
    }
    out->x[out->n] = fit_unscaled(q, low->best[q->number]);
    out->loss[out->n++] = 0;
    for (int k = 0; k < high->n; k++, out->n++) {
        out->x[out->n] = fit_unscaled(q, high->x[k]);
        out->loss[out->n] = high->loss[k];
    }
}

int fit_profiles(fit_search *s, double f, vinc_fit_parameter *list, fit_curve **curves)
{
    fit_problem *p = s->p;
    size_t n = (size_t)s->n;
    double *best = arena_array(p->a, double, n + 1), *x = arena_array(p->a, double, n + 1),
           *good = arena_array(p->a, double, n + 1);
    profile_walk *w = arena_array(p->a, profile_walk, 2);
    *curves = arena_array(p->a, fit_curve, n + 1);
    memset(*curves, 0, (n + 1) * sizeof **curves);
    memcpy(best, s->x, n * sizeof *best);
    for (int k = 0; k < p->n_parameters; k++) {
        const fit_parameter *q = &p->parameters[k];
        if (q->number < 0) continue;
        vinc_fit_parameter *told = &list[q->number];
        fit_end end = {.x = x};
        double limit[2], better = 0;
        double step = isfinite(told->error) && told->error > 0
                          ? 0.5 * told->error
                          : 0.1 * (q->log ? 1 : fmax(fabs(told->value), 0.1));
        for (int side = 0; side < 2; side++) {
            w[side] = (profile_walk){.s = s,
                                     .q = q,
                                     .best = best,
                                     .good = good,
                                     .f = f,
                                     .lower = s->lower[q->number],
                                     .upper = s->upper[q->number]};
            int rc = walk(&w[side], &end, side ? 1 : -1, step, &limit[side]);
            if (rc) return rc;
            for (int i = 0; i < w[side].n; i++) better = fmin(better, w[side].loss[i]);
        }
        told->profile_low = isinf(limit[0]) ? limit[0] : fit_unscaled(q, limit[0]);
        told->profile_high = isinf(limit[1]) ? limit[1] : fit_unscaled(q, limit[1]);
        keep_curve(p, &w[0], &w[1], &(*curves)[q->number]);
        if (better < -BETTER)
            diag_warning(&p->ctx->diags, "C205", (span){0},
                         "the profile of '%s' has found values that are more likely by %.3g: the "
                         "search ended at another optimum (--starts)",
                         q->name, -better);
    }
    memcpy(s->x, best, n * sizeof *best);
    return VINC_OK;
}
