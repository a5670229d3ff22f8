/* Quantities that the motion is said to keep: how far they drift, and whose doing it is.
 *
 * At the end of every step the values; now and then their derivative along the solution, dI/dt =
 * I_t + I_y f, in units of the sum of the sizes of its terms. Where that is no round-off the
 * equations themselves change the quantity: it is no invariant of the model. Where it is, what
 * changed it is the method.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATES_PER_RUN = 100 };
static const double JUMP_MIN = 1e-9; // of the size: less is the rounding of an event

static void begin_invariants(driver *d, const double *value)
{
    sim_outcome *o = d->done;
    o->n_invariants =
        d->p->n_invariants < SIM_INVARIANTS_MAX ? d->p->n_invariants : SIM_INVARIANTS_MAX;
    d->t_rates = d->o->t_start;
    for (int k = 0; k < o->n_invariants; k++)
        o->invariants[k] = (sim_invariant){.start = value[k],
                                           .size = fabs(value[k]),
                                           .t_change = d->o->t_start,
                                           .rate = NAN,
                                           .drifts = d->p->violation && !d->p->project};
}

static void look_at_rate(driver *d, sim_invariant *x, const double *slope, double slope_t, double t,
                         bool exact)
{
    const double *y = d->work, *yp = y + d->p->n;
    double rate = slope_t, terms = fabs(slope_t), size = 0;
    for (int i = 0; i < d->p->n; i++) {
        if (slope[i] == 0) continue;
        rate += slope[i] * yp[i];
        terms += fabs(slope[i] * yp[i]);
        size += fabs(slope[i] * y[i]);
    }
    if (isfinite(size)) x->size = fmax(x->size, size);
    double share = terms > 0 ? fabs(rate) / terms : 0;
    if (!exact || isnan(rate) || !isfinite(share)) return;
    if (t <= d->o->t_start) x->share_start = share;
    if (!isnan(x->rate) && share <= x->share) return;
    x->rate = rate;
    x->share = share;
    x->t_rate = t;
}

/* By the equations at this point: unknowns that are not independent, and y', follow them. y' of a
 * formulation that is not solved for it is exact at the start only. */
static void look_at_rates(driver *d, double t, const double *y, const double *yp)
{
    const vinc_problem *p = d->p;
    size_t n = (size_t)p->n;
    double *at = d->work, *rate = at + n;
    bool exact = p->rhs || t <= d->o->t_start;
    memcpy(at, y, n * sizeof *y);
    memcpy(rate, yp, n * sizeof *yp);
    if (p->rhs && p->rhs(p->user, t, at, rate)) return;
    if (!p->invariant_slopes || p->invariant_slopes(p->user, t, at, rate, d->slopes, d->slopes_t))
        return;
    for (int k = 0; k < d->done->n_invariants; k++)
        look_at_rate(d, &d->done->invariants[k], d->slopes + (size_t)k * n, d->slopes_t[k], t,
                     exact);
}

/* At the start the point is exact, and a share that is no rounding is the model's. Later the point
 * has the errors of the run: a quantity that is kept only on constraints, or only with other
 * invariants, is kept as well as they are. */
static bool equations_change(const sim_invariant *x, const sim_options *o)
{
    static const double SHARE_OF_ROUNDING = 1e-8, TOLERANCES = 100, SHARE_OF_FIXED_STEPS = 1e-3,
                        SHARE_OFF_CONSTRAINTS = 0.1;
    double share = x->drifts     ? SHARE_OFF_CONSTRAINTS
                   : o->step > 0 ? SHARE_OF_FIXED_STEPS
                                 : TOLERANCES * o->rel_tol;
    return x->share_start > SHARE_OF_ROUNDING || x->share > fmax(share, SHARE_OF_ROUNDING);
}

/* A method that holds what the equations change would show another motion. */
static int refuse_held(driver *d)
{
    const vinc_problem *p = d->p;
    if (!(d->run->method->traits & METHOD_CONSERVES)) return VINC_OK;
    for (int k = 0; k < d->done->n_invariants; k++) {
        const sim_invariant *x = &d->done->invariants[k];
        bool known = !isnan(x->rate);
        if (known && !equations_change(x, d->o)) continue;
        const char *name = p->invariant_name ? p->invariant_name(p->user, k) : "an invariant";
        if (known)
            text_printf(&d->done->message,
                        "'%s' is named as an invariant, but the equations change it: its rate is "
                        "%.4g at t = %.6g. '%s' would hold it by force: name only what the motion "
                        "keeps, or take another method",
                        name, x->rate, x->t_rate, d->run->method->name);
        else
            text_printf(&d->done->message,
                        "'%s' is named as an invariant, but it is no function of time and states "
                        "alone, as '%s' needs it: write it by positions and velocities",
                        name, d->run->method->name);
        return VINC_E_PROBLEM;
    }
    return VINC_OK;
}

int driver_watch_invariants(driver *d, double t, const double *y, const double *yp)
{
    const vinc_problem *p = d->p;
    if (!p->invariants || p->invariants(p->user, t, y, yp, d->values)) return VINC_OK;
    if (!d->done->n_invariants) begin_invariants(d, d->values);
    for (int k = 0; k < d->done->n_invariants; k++) {
        sim_invariant *x = &d->done->invariants[k];
        double change = fabs(d->values[k] - x->start);
        x->last = d->values[k];
        if (change > x->change) x->change = change, x->t_change = t;
    }
    if (t < d->t_rates) return VINC_OK;
    d->t_rates = t + (d->o->t_stop - d->o->t_start) / RATES_PER_RUN;
    look_at_rates(d, t, y, yp);
    return refuse_held(d);
}

void driver_watch_jump(driver *d, double t)
{
    const vinc_problem *p = d->p;
    double *before = d->values, *after = before + p->n_invariants;
    if (!p->invariants || p->invariants(p->user, t, d->y_kept, d->yp_kept, before) ||
        p->invariants(p->user, t, d->y, d->yp, after))
        return;
    for (int k = 0; k < d->done->n_invariants; k++) {
        sim_invariant *x = &d->done->invariants[k];
        double jump = after[k] - before[k];
        if (x->jump == 0 && fabs(jump) > JUMP_MIN * x->size) x->jump = jump, x->t_jump = t;
    }
}

double sim_invariant_relative(const sim_invariant *x)
{
    return x->change > 0 ? x->change / fmax(x->size, x->change) : 0;
}

sim_keeper sim_invariant_by(const sim_invariant *x, const sim_options *o)
{
    static const double KEPT = 1e-11; // round-off of some 10^5 steps; jumps: most of the change
    static const double PART_OF_JUMP = 0.1;
    if (!isnan(x->rate) && equations_change(x, o)) return SIM_BY_MODEL;
    if (sim_invariant_relative(x) <= KEPT) return SIM_KEPT;
    if (fabs(x->jump) > PART_OF_JUMP * x->change) return SIM_BY_EVENT;
    return isnan(x->rate) ? SIM_BY_UNKNOWN : SIM_BY_METHOD;
}
