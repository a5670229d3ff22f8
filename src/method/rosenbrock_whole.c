/* Rosenbrock steps in one piece of code (method_whole.h), one of them or several one after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"
#include "method/control_prompt.h"
#include "method/rosenbrock_step.h"

#include "base/larger.h"

#include <math.h>
#include <string.h>

/* What the step in pieces counts; work is counted by who attempts it. */
static void rosenbrock_count(method_core *c, rosenbrock *s)
{
    vinc_stats *stats = &c->run->stats;
    int stages = s->t->stages;
    bool again = c->jac_current && c->have_jac;
    if (!again) stats->jacobian_evals++;
    if (!c->p->autonomous && !(again && s->have_time)) stats->residual_evals += 2;
    stats->residual_evals += stages;
    stats->factorizations++;
    stats->solves += stages;
    s->lu->n_factor++;
    s->lu->n_solve += stages;
}

/* The matrix is inverted, or eliminated by lists; false: neither. */
static bool rosenbrock_plan(const rosenbrock *s, rosenbrock_one *x)
{
    method_whole *step = &x->step;
    step->lists = NULL;
    if (s->inverse) {
        step->pivots = la_inverse_pivots(s->lu);
        step->n_pivots = s->lu->config.n;
        step->out2 = la_inverse_room(s->lu);
        return true;
    }
    if (!s->by_lists || s->lu->is_deficient || !la_indexed_lists(s->lu, &x->lists)) return false;
    step->lists = &x->lists;
    step->pivots = x->lists.row;
    step->n_pivots = 2 * x->lists.n;
    step->out2 = x->lists.v;
    return x->lists.steps == x->lists.n; // nothing is dense
}

bool rosenbrock_one_offered(const method_core *c, const rosenbrock *s, rosenbrock_one *x)
{
    bool begun = c->have_jac || (s->numbers && s->factored); // before a restart, at least
    if (!s->offered || !s->constant || !begun || s->held) return false;
    if (!rosenbrock_plan(s, x)) return false;
    x->step.of = WHOLE_ROSENBROCK;
    x->step.formula = x->step.table = s->t;
    x->step.in = s->in;
    x->step.out = s->u;
    x->step.found = &x->found;
    x->found = NULL;
    if (x->step.lists)
        memcpy(s->in + ROSENBROCK_IN_WEIGHT + 2 * c->n, x->lists.weight,
               (size_t)c->n * sizeof *s->in);
    return true;
}

static inline void rosenbrock_aim(const method_core *c, rosenbrock *s, double t_new, double h)
{
    s->in[ROSENBROCK_IN_H] = h;
    s->in[ROSENBROCK_IN_END] = t_new;
    s->in[ROSENBROCK_IN_H_TIME] = c->jac_current && c->have_jac && s->have_time ? s->h_time : h;
}

/* A step that is aimed. Nothing but what the code leaves behind is changed. */
static int rosenbrock_call(method_core *c, rosenbrock *s, rosenbrock_one *x)
{
    double *weight = s->in + ROSENBROCK_IN_WEIGHT;
    x->step.t = c->t;
    x->step.y = c->y;
    for (int i = 0; i < c->n; i++) weight[i] = c->norm.inv[i];
    if (!c->p->autonomous) memcpy(weight + c->n, c->yp, (size_t)c->n * sizeof *weight);
    s->h_lu = 0;
    return c->p->whole_step(c->p->user, &x->step);
}

/* The attempt counts. */
static void rosenbrock_take(method_core *c, rosenbrock *s, double h)
{
    rosenbrock_count(c, s);
    s->h_lu = h;
    c->have_jac = c->jac_current = s->have_time = true;
    s->h_time = s->in[ROSENBROCK_IN_H_TIME];
}

static void rosenbrock_take_point(method_core *c, const rosenbrock *s)
{
    const double *restrict y = s->u + s->at.y, *restrict yp = s->u + s->at.yp;
    for (int i = 0; i < c->n; i++) {
        c->y_new[i] = y[i];
        c->yp_new[i] = yp[i];
    }
}

static void rosenbrock_take_slopes(method_core *c, const rosenbrock *s)
{
    memcpy(c->jac.dy, s->u + s->at.dy, (size_t)c->jac.nnz * sizeof(double));
    c->defect = -1;
}

int rosenbrock_in_one(method_core *c, rosenbrock *s, rosenbrock_one *x, double t_new, double h)
{
    rosenbrock_aim(c, s, t_new, h);
    int status = rosenbrock_call(c, s, x);
    if (status) return status;
    rosenbrock_take(c, s, h);
    rosenbrock_take_slopes(c, s);
    rosenbrock_take_point(c, s);
    return 0;
}

/* ---- several ---------------------------------------------------------------------------------- */

/* Aim at the next step; false: it is not plain. It is as long as the controller wants it, or as what lies inside the last
 * one that reached a row allows. Before the next row nothing holds it that is shorter than the way there. */
static inline bool rosenbrock_plain(const method_core *c, rosenbrock *s, method_plain *plain,
                                    double h)
{
    bool reaches = !(c->t + h < plain->before && h <= plain->before - c->t);
    if (reaches && !plain->bound) return false;
    if (reaches && plain->unseen) plain->bound(plain);
    if ((reaches || !plain->unseen) && c->run->h_most > 0) h = smaller_of(h, c->run->h_most);
    double t_new = c->t + h;
    rosenbrock_aim(c, s, t_new, t_new - c->t);
    return h <= 0.5 * (plain->t_limit - c->t) && h >= method_h_min(c->t, h) && t_new > c->t;
}

static void rosenbrock_advance(method_core *c, double t_new, double h)
{
    method_run *r = c->run;
    double *y = c->y, *yp = c->yp;
    c->y = c->y_new, c->y_new = y;
    c->yp = c->yp_new, c->yp_new = yp;
    r->t_old = c->t;
    r->t = c->t = t_new;
    c->h_last = h;
    c->jac_current = false;
    c->rejected = 0;
    r->stats.steps++;
    problem_weigh(&c->norm, c->y);
}

static void rosenbrock_glide_end(method_core *c, rosenbrock *s, bool accepted)
{
    size_t bytes = (size_t)c->n * sizeof(double);
    c->run->y = c->y;
    c->run->yp = c->yp;
    c->run->h_next = c->control.h;
    c->before.known = c->projected = false;
    c->error_vector = s->u + (s->t->stages - 1) * s->stride;
    memcpy(s->y0, c->y_new, bytes); // where the last step began
    memcpy(s->yp0, c->yp_new, bytes);
    s->ready = accepted && s->t->n_dense ? KEPT : NO_STAGES;
}

static void rosenbrock_glide_passes(const method_core *c, method_plain *plain)
{
    c->run->y = c->y;
    c->run->yp = c->yp;
    plain->passes(plain);
}

/* A step that is rejected is the last of them: the next attempt is for who makes them one by one, and counts them. The
 * next size stays in a register from the error to the step that it is aimed with. */
long rosenbrock_glide(method_core *c, method_plain *plain)
{
    rosenbrock *s = c->state;
    method_run *r = c->run;
    rosenbrock_one one;
    long steps = 0;
    double wish = c->control.h, work = WORK_OF_ATTEMPT + WORK_OF_UNKNOWN * c->n;
    bool accepted = false, brief = true;
    step_result result = {
        .order = s->t->embedded, .new_factors = true, .per_n = problem_per_n(&c->norm)};
    if (s->first || !c->all_differential || !problem_norm_is_plain(&c->norm) ||
        !rosenbrock_one_offered(c, s, &one))
        return 0;
    bool goes_on = plain->steps > 0 && rosenbrock_plain(c, s, plain, wish);
    while (goes_on) {
        double h = s->in[ROSENBROCK_IN_H], t_new = s->in[ROSENBROCK_IN_END];
        accepted = false;
        if (s->ready == KEPT) s->ready = NO_STAGES;
        s->in_pieces = rosenbrock_call(c, s, &one);
        if (s->in_pieces) break;
        double error = problem_of_squares_error(&c->norm, result.squares = s->u[s->at.squares]);
        result.error = error;
        if (!(error < INFINITY) ||
            !(problem_largest(s->u + s->at.dy, (int)c->jac.nnz) <= plain->slope_most))
            break;
        rosenbrock_take(c, s, h);
        r->stats.work = r->stats.work + work + s->work_whole;
        if (error > 1) {
            rosenbrock_take_slopes(c, s);
            r->stats.rejected_error++;
            c->rejected++;
            control_reject(&c->control, h, &result);
            core_look_at_rounding(c);
            break;
        }
        accepted = true;
        rosenbrock_take_point(c, s);
        rosenbrock_advance(c, t_new, h);
        r->order = result.order;
        r->error = error;
        r->first = !(c->control.h_old > 0);
        steps++;
        double next = control_accept_promptly(&c->control, h, &result);
        bool cut = h < wish && next < wish && next >= h; // by a row, and not by the error
        if (!cut) wish = next;
        c->control.h = wish;
        bool watched = brief; // what grows: at steps that are short, and at the one after them
        brief = method_is_short(h, t_new);
        if (t_new < plain->before) {
            plain->unseen++;
            if (brief || watched) rosenbrock_glide_passes(c, plain);
        } else {
            rosenbrock_take_slopes(c, s);
            rosenbrock_glide_end(c, s, accepted);
            if (!plain->inside(plain)) return steps;
            wish = c->control.h;
        }
        goes_on = steps < plain->steps && rosenbrock_plain(c, s, plain, wish);
    }
    if (accepted) rosenbrock_take_slopes(c, s);
    if (steps) rosenbrock_glide_end(c, s, accepted);
    return steps;
}

/* As WHOLE_PART_OF_WORK: entries are loaded and stored one by one, half as much again by times of 20 unknowns. */
static const double PART_BY_LISTS = 0.75;

double rosenbrock_whole_work(const vinc_problem *p, const rosenbrock_table *k)
{
    double residual = p->work_residual - p->work_call, n = p->n;
    double evaluations = k->stages + (p->autonomous ? 0 : 2);
    bool by_lists = p->whole_kinds & VINC_WHOLE_BY_LISTS;
    double factor = n * n * n, solve = n * n, updates, entries; // of an inverse
    if (by_lists) {                                             // nothing is looked up
        la_guess_lists(p->jac, &updates, &entries);
        factor = updates + entries;
        solve = entries + n;
    }
    return (by_lists ? PART_BY_LISTS : WHOLE_PART_OF_WORK) *
           (evaluations * residual + p->work_jacobian - p->work_call + factor + k->stages * solve +
            (double)k->stages * (k->stages - 1) * p->n);
}
