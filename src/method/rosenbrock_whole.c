/* Rosenbrock steps in one piece of code (method_whole.h), one of them or several one after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"
#include "method/control_prompt.h"
#include "method/rosenbrock_step.h"

#include "base/larger.h"

#include <math.h>
#include <string.h>

/* What steps in pieces count; work is counted by who attempts them. again: with the Jacobian that there is. */
static void rosenbrock_count(method_core *c, rosenbrock *s, long attempts, bool again)
{
    vinc_stats *stats = &c->run->stats;
    long stages = s->t->stages, jacobians = attempts - again;
    stats->jacobian_evals += jacobians;
    if (!c->p->autonomous) stats->residual_evals += 2 * (attempts - (again && s->have_time));
    stats->residual_evals += attempts * stages;
    stats->factorizations += attempts;
    stats->solves += attempts * stages;
    s->lu->n_factor += attempts;
    s->lu->n_solve += attempts * stages;
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
    if (!s->offered || !s->constant || !begun) return false;
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

static inline void rosenbrock_aim(rosenbrock *s, double t_new, double h, double h_time)
{
    s->in[ROSENBROCK_IN_H] = h;
    s->in[ROSENBROCK_IN_END] = t_new;
    s->in[ROSENBROCK_IN_H_TIME] = h_time;
}

static bool rosenbrock_again(const method_core *c)
{
    return c->jac_current && c->have_jac;
}

static double rosenbrock_time(const method_core *c, const rosenbrock *s, double h)
{
    return rosenbrock_again(c) && s->have_time ? s->h_time : h;
}

/* A step that is aimed, with weights that are there. Nothing but what the code leaves behind is changed. */
static int rosenbrock_call(method_core *c, rosenbrock *s, rosenbrock_one *x)
{
    x->step.t = c->t;
    x->step.y = c->y;
    if (!c->p->autonomous)
        memcpy(s->in + ROSENBROCK_IN_WEIGHT + c->n, c->yp, (size_t)c->n * sizeof *c->yp);
    s->h_lu = 0;
    return c->p->whole_step(c->p->user, &x->step);
}

/* The last attempt counts. */
static void rosenbrock_take(method_core *c, rosenbrock *s, double h)
{
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

static size_t rosenbrock_bytes(const method_core *c)
{
    return (size_t)c->n * sizeof(double);
}

int rosenbrock_in_one(method_core *c, rosenbrock *s, rosenbrock_one *x, double t_new, double h)
{
    rosenbrock_aim(s, t_new, h, rosenbrock_time(c, s, h));
    memmove(s->in + ROSENBROCK_IN_WEIGHT, c->norm.inv, rosenbrock_bytes(c)); // or there already
    int status = rosenbrock_call(c, s, x);
    if (status) return status;
    rosenbrock_count(c, s, 1, rosenbrock_again(c));
    rosenbrock_take(c, s, h);
    rosenbrock_take_slopes(c, s);
    rosenbrock_take_point(c, s);
    return 0;
}

/* ---- several ---------------------------------------------------------------------------------- */

typedef struct rosenbrock_gliding {
    method_plain *plain;
    rosenbrock_one one;
    step_result result; // of the attempt at hand
    long steps, told;   // accepted; that the run has been told of
    double h, squares;  // of the last accepted one
    bool again;         // the first of those to tell was made with the Jacobian that there was
} rosenbrock_gliding;

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
    rosenbrock_aim(s, t_new, t_new - c->t, t_new - c->t);
    return h <= 0.5 * (plain->t_limit - c->t) && h >= method_h_min(c->t, h) && t_new > c->t;
}

/* Nothing that only others ask for: rosenbrock_tell says it when they may. */
static inline void rosenbrock_advance(method_core *c, double t_new)
{
    method_run *r = c->run;
    double *y = c->y, *yp = c->yp;
    c->y = c->y_new, c->y_new = y;
    c->yp = c->yp_new, c->yp_new = yp;
    r->t_old = c->t;
    r->t = c->t = t_new;
    problem_weigh(&c->norm, c->y);
}

/* What accepted steps leave behind, for others to see. */
static void rosenbrock_tell(method_core *c, rosenbrock *s, rosenbrock_gliding *g)
{
    method_run *r = c->run;
    long more = g->steps - g->told;
    if (!more) return;
    rosenbrock_count(c, s, more, g->again);
    rosenbrock_take(c, s, g->h);
    g->told = g->steps;
    g->again = c->jac_current = false;
    c->h_last = g->h;
    c->rejected = 0;
    r->stats.steps += more;
    r->order = g->result.order;
    r->error = problem_of_squares_error(&c->norm, g->squares);
    c->control.error_old = larger_of(r->error, PROMPT_ERROR_OLD_MIN);
    r->y = c->y;
    r->yp = c->yp;
}

static void rosenbrock_glide_end(method_core *c, rosenbrock *s, bool accepted)
{
    size_t bytes = rosenbrock_bytes(c);
    c->run->y = c->y;
    c->run->yp = c->yp;
    c->run->h_next = c->control.h;
    c->before.known = c->projected = false;
    c->error_vector = s->u + (s->t->stages - 1) * s->stride;
    memcpy(s->y0, c->y_new, bytes); // where the last step began
    memcpy(s->yp0, c->yp_new, bytes);
    s->ready = accepted && s->t->n_dense ? KEPT : NO_STAGES;
}
/* Of an attempt, to the bits that a comparison with 1 needs: a root and a quotient are for those that are not clear. */
static inline double rosenbrock_error(const problem_norm *w, const step_result *r)
{
    const double CLEARLY_BELOW = 0.99;
    double square = r->squares * r->per_n;
    return square < CLEARLY_BELOW ? square : problem_of_squares_error(w, r->squares);
}

static inline bool rosenbrock_is_steep(const method_core *c, const rosenbrock *s, double most)
{
    const double *dy = s->u + s->at.dy;
    double largest = 0; // number by number, as they were just written
    for (int e = 0; e < c->jac.nnz; e++) largest = fabs(dy[e]) > largest ? fabs(dy[e]) : largest;
    return !(largest <= most);
}

enum { GLIDE_ACCEPTED, GLIDE_REFUSED, GLIDE_OF_NO_USE };

static inline int rosenbrock_glide_attempt(method_core *c, rosenbrock *s, rosenbrock_gliding *g)
{
    vinc_stats *stats = &c->run->stats;
    if (s->ready == KEPT) s->ready = NO_STAGES;
    s->in_pieces = rosenbrock_call(c, s, &g->one);
    if (s->in_pieces) return GLIDE_OF_NO_USE;
    g->result.squares = s->u[s->at.squares];
    double error = rosenbrock_error(&c->norm, &g->result);
    if (!(error < INFINITY) || rosenbrock_is_steep(c, s, g->plain->slope_most))
        return GLIDE_OF_NO_USE;
    stats->work = stats->work + (WORK_OF_ATTEMPT + WORK_OF_UNKNOWN * c->n) + s->work_whole;
    g->result.error = error;
    return error > 1 ? GLIDE_REFUSED : GLIDE_ACCEPTED;
}

static void rosenbrock_glide_refused(method_core *c, rosenbrock *s, rosenbrock_gliding *g)
{
    double h = s->in[ROSENBROCK_IN_H];
    rosenbrock_count(c, s, 1, rosenbrock_again(c));
    rosenbrock_take(c, s, h);
    rosenbrock_take_slopes(c, s);
    c->run->stats.rejected_error++;
    c->rejected++;
    control_reject(&c->control, h, &g->result);
    core_look_at_rounding(c);
}

/* A step that is rejected is the last of them: the next attempt is for who makes them one by one, and counts them. The
 * next size stays in a register from the error to the step that it is aimed with. */
static long rosenbrock_glides(method_core *c, rosenbrock *s, rosenbrock_gliding *g)
{
    method_plain *plain = g->plain;
    double wish = c->control.h;
    int outcome = GLIDE_REFUSED;
    bool brief = true, goes_on = plain->steps > 0 && rosenbrock_plain(c, s, plain, wish);
    if (!goes_on) return 0;
    s->in[ROSENBROCK_IN_H_TIME] = rosenbrock_time(c, s, s->in[ROSENBROCK_IN_H]);
    while (goes_on && !(outcome = rosenbrock_glide_attempt(c, s, g))) {
        double t_new = s->in[ROSENBROCK_IN_END], h = s->in[ROSENBROCK_IN_H];
        rosenbrock_take_point(c, s);
        rosenbrock_advance(c, t_new);
        c->run->first = !(c->control.h_old > 0);
        g->steps++;
        g->h = h, g->squares = g->result.squares;
        double next = control_accept_promptly(&c->control, h, &g->result);
        bool cut = h < wish && next < wish && next >= h; // by a row, and not by the error
        if (!cut) wish = next;
        c->control.h = wish;
        bool watched = brief; // what grows: at steps that are short, and at the one after them
        brief = method_is_short(h, t_new);
        if (t_new < plain->before) {
            plain->unseen++;
            if (plain->passes && (brief || watched)) rosenbrock_tell(c, s, g), plain->passes(plain);
        } else {
            rosenbrock_tell(c, s, g);
            rosenbrock_take_slopes(c, s);
            rosenbrock_glide_end(c, s, true);
            if (!plain->inside(plain)) return g->steps;
            wish = c->control.h;
        }
        goes_on = g->steps < plain->steps && rosenbrock_plain(c, s, plain, wish);
    }
    rosenbrock_tell(c, s, g);
    if (outcome == GLIDE_ACCEPTED) rosenbrock_take_slopes(c, s);
    else s->h_lu = 0;
    if (outcome == GLIDE_REFUSED) rosenbrock_glide_refused(c, s, g);
    if (g->steps) rosenbrock_glide_end(c, s, outcome == GLIDE_ACCEPTED);
    return g->steps;
}

/* Meanwhile weights are where the code reads them. */
long rosenbrock_glide(method_core *c, method_plain *plain)
{
    rosenbrock *s = c->state;
    rosenbrock_gliding g = {.plain = plain, .again = rosenbrock_again(c)};
    double *own = c->norm.inv, *weight = s->in + ROSENBROCK_IN_WEIGHT;
    if (s->first || !c->all_differential || !problem_norm_is_plain(&c->norm) ||
        !rosenbrock_one_offered(c, s, &g.one))
        return 0;
    g.result = (step_result){
        .order = s->t->embedded, .new_factors = true, .per_n = problem_per_n(&c->norm)};
    memcpy(weight, own, rosenbrock_bytes(c));
    c->norm.inv = weight;
    long steps = rosenbrock_glides(c, s, &g);
    c->norm.inv = own;
    memcpy(own, weight, rosenbrock_bytes(c));
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
        if (p->work_factor > 0 && p->work_solve > 0)
            la_lists_of_work(p->n, p->jac->nnz, p->work_factor, p->work_solve, &updates, &entries);
        else la_guess_lists(p->jac, &updates, &entries);
        factor = updates + entries;
        solve = entries + n;
    }
    return (by_lists ? PART_BY_LISTS : WHOLE_PART_OF_WORK) *
           (evaluations * residual + p->work_jacobian - p->work_call + factor + k->stages * solve +
            (double)k->stages * (k->stages - 1) * p->n);
}
