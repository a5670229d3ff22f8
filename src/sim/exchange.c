/* The method of a run: begun, and exchanged on the way where it was not the user who named it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"

#include "method/linear_choice.h"

#include <math.h>
#include <string.h>

/* Errors of steps add up, in some hundred steps of no common sign to ten of them or so: each step is
 * held to a part of what is asked of the whole. On the 108 problems of bench/honest, seed 1, nine
 * tenths of the runs keep their states within 14 tolerances with all of it, 7 with half. */
static const double PART_OF_STEP = 0.5;

static long exchange_rejected(const vinc_stats *s)
{
    return s->rejected_error + s->rejected_newton + s->rejected_undefined;
}

/* What is left of the run: where its end moves as much as has passed, at least. */
static double exchange_span(const driver *d, double t)
{
    double left = d->o->t_stop - t;
    return d->extended ? fmax(left, t - d->o->t_start) : left;
}

static sim_start exchange_now(const driver *d, double t, const double *y)
{
    const sim_options *o = d->o;
    return (sim_start){.tol = o->rel_tol,
                       .span = exchange_span(d, t),
                       .fixed = o->step > 0,
                       .by_products = d->by_products,
                       .by_stages = o->by_stages,
                       .t = t,
                       .y = y,
                       .work = d->work,
                       .steps = d->run ? d->run->stats.steps : 0,
                       .events = d->done->events,
                       .rejected = d->run ? exchange_rejected(&d->run->stats) : 0,
                       .work_done = d->run ? d->run->stats.work : 0,
                       .h_rate = d->run ? d->run->h_rate : 0};
}

static void exchange_note(driver *d, double t)
{
    sim_outcome *done = d->done;
    const char *name = d->choice.method->name;
    int n = done->n_uses < SIM_USES_MAX ? done->n_uses : SIM_USES_MAX;
    if (n && done->n_uses <= SIM_USES_MAX && !strcmp(done->uses[n - 1].method, name)) return;
    if (n < SIM_USES_MAX)
        done->uses[n] = (sim_use){name, d->choice.why, t, d->run ? d->run->stats.steps : 0};
    done->n_uses++;
}

static int exchange_create(driver *d, const char *method, double h_first, method_run **out)
{
    const sim_options *o = d->o;
    double part = PART_OF_STEP * (o->method ? 1 : sim_choose_part(d->p, &d->choice));
    method_config c = {.rel_tol = part * o->rel_tol,
                       .abs_tol = part * o->abs_tol,
                       .fixed_step = o->step,
                       .h_first = h_first,
                       .linear = d->stores_matrix ? "direct" : o->linear,
                       .formula = o->formula,
                       .crew = o->crew,
                       .schemes = o->schemes};
    if (o->step > 0 && !o->exact_newton) c.newton_tol = o->rel_tol;
    char why[METHOD_WHY];
    d->done->method = method;
    d->done->method_why = d->choice.why;
    int rc = method_new(d->m, d->p, method, &c, why, out);
    if (rc) {
        text_add(&d->done->message, why);
        return rc;
    }
    d->can_redo = !(o->step > 0) && (*out)->method->traits & METHOD_ONESTEP;
    return VINC_OK;
}

int driver_begin(driver *d, const double *y)
{
    const sim_options *o = d->o;
    method_linear linear;
    method_linear_find(o->linear, &linear, NULL); // creating the method says what is wrong
    d->by_products = linear.precond;
    if (!o->method) {
        sim_start at = exchange_now(d, o->t_start, y);
        sim_choose(d->p, &at, &d->choice);
        exchange_note(d, o->t_start);
    }
    return exchange_create(d, o->method ? o->method : d->choice.method->name, 0, &d->run);
}

int driver_begin_again(driver *d, const sim_mark *mark, const double *y, const double *yp)
{
    method_run *before = d->run, *run = NULL;
    const char *name = d->o->method ? d->o->method : mark->choice.method->name;
    int rc = exchange_create(d, name, mark->h, &run);
    if (rc) return rc;
    d->quiet = (sim_quiet){0};
    if (!d->o->method) exchange_note(d, mark->t);
    run->stats = mark->stats;
    rc = method_start(run, mark->t, y, yp, d->o->t_stop - mark->t);
    if (rc) text_add(&d->done->message, run->message);
    d->run = run;
    method_free(before); // only now: y may be its own
    return rc;
}

/* From the present point on with the method of the choice; counts go on. */
static int exchange_method(driver *d)
{
    sim_mark here = {d->run->t, d->run->h_next, d->choice, d->stretch, 0, d->run->stats};
    return driver_begin_again(d, &here, d->run->y, d->run->yp);
}

static bool exchange_rests(const driver *d)
{
    const sim_quiet *q = &d->quiet;
    return d->stretch < q->stretch && d->run->stats.steps < q->steps &&
           d->done->events == q->events && d->run->h_rate <= q->h_rate;
}

int driver_leave_stages(driver *d)
{
    const vinc_problem *p = d->p;
    if (!p->stage_serves || !(d->choice.method->traits & METHOD_EXPLICIT) ||
        p->stage_serves(p->user))
        return 0;
    sim_start at = exchange_now(d, d->run->t, d->run->y);
    sim_choose_implicit(p, &at, "constraints may lose rank here: L-stable", &d->choice);
    driver_keep_begin(d);
    sim_mark begin = {d->t_begin, d->run->t - d->t_begin, d->choice, d->stretch, 0, d->run->stats};
    begin.stats.steps--;
    int rc = driver_begin_again(d, &begin, d->y_begin, d->yp_begin);
    return rc ? rc : 1;
}

int driver_reconsider(driver *d)
{
    if ((d->done->singular || sim_bridge_near(&d->bridge)) && sim_choose_low(&d->choice))
        return exchange_method(d);
    if (exchange_rests(d)) return VINC_OK;
    sim_start at = exchange_now(d, d->run->t, d->run->y);
    if (sim_choose_again(d->p, &at, d->stretch, d->run->t - d->run->t_old, &d->choice))
        return exchange_method(d);
    d->quiet = sim_choose_quiet(d->p, &at, d->stretch, &d->choice);
    return VINC_OK;
}

bool driver_store_matrix(driver *d)
{
    if (d->o->linear || d->stores_matrix) return false;
    d->stores_matrix = true;
    return !exchange_method(d);
}

bool driver_iterate(driver *d)
{
    sim_start at = exchange_now(d, d->run->t, d->run->y);
    return d->choice.method && sim_choose_iterating(d->p, &at, &d->choice) && !exchange_method(d);
}
