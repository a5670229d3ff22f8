/* Steps of parts of the unknowns, where a few of them make the steps of all short (method/multirate.c).
 *
 * Whether that is so shows in the errors of implicit steps: where most of them are made by an eighth of the unknowns or
 * fewer, multirate is tried, and the work per time of both is compared: L. Petzold, SIAM J. Sci. Stat. Comput. 4 (1983)
 * 136-148. Solutions that burst now and then have quiet times: the trial lasts as long as was watched before, in time of
 * the model, and ends as soon as it has taken more than its part of the work of that, or finds no parts that pay.
 * Code of parts is made once: that is spread over the rest of the run.
 * A change costs, to parts as well as back: they are taken for a gain, and left when there is none, judged over four times as long again
 * and again. What was left is then watched anew.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "method/method_list.h"
#include "problem/problem.h"
#include "sim/choose.h"

// clang-format off
/*  bound                         quantity                                               source */
enum {
    UNKNOWNS_OF_PARTS_MIN = 10,  // unknowns: fewer are no cheaper in parts                 choice
    UNKNOWNS_OF_PARTS_MAX = 600, // unknowns: beyond, matrices are not made for every step  as for radau, choose.c
    STEPS_WATCHED         = 240, // steps of all until parts may be tried, at first         choice: some jumps, or none
    LONGER_AGAIN          = 4,   // times the trial until it is judged again                 halves what chance does
    FEW                   = 8,   // one unknown of so many                                  choice
};
static const double GAIN_OF_PARTS = 0.7; // work over that of what was left                 as in choose.c
// clang-format on

enum { WATCHED, TRIED, BETTER }; // sim_seen.parts

static bool parts_fit(const vinc_problem *p, const sim_start *at, const sim_choice *now)
{
    if (!p->part_new) return false;
    for (int i = 0; i < p->n && p->differential; i++)
        if (!p->differential[i]) return false;
    return p->jacobian && p->blocks <= 1 && !p->project && !p->reselect && !p->regularity &&
           at->y && !at->fixed && !at->by_products && !at->by_stages &&
           p->n >= UNKNOWNS_OF_PARTS_MIN && p->n <= UNKNOWNS_OF_PARTS_MAX &&
           now->method->traits & METHOD_IMPLICIT;
}

static double parts_made(const vinc_problem *p)
{
    return p->part_made ? *p->part_made : 0;
}

static void parts_count(const vinc_problem *p, const sim_start *at, sim_seen *x)
{
    x->made_parts = parts_made(p);
    x->t_parts = at->t;
    x->work_parts = at->work_done;
    x->step_parts = at->steps;
    x->few_parts = 0;
}

static double parts_work(const sim_start *at, const sim_seen *x)
{
    return at->work_done - x->work_parts;
}

/* They are in use. */
static bool parts_judged(const vinc_problem *p, const sim_start *at, sim_choice *now)
{
    sim_seen *x = &now->seen;
    bool tried = x->parts == TRIED;
    double span = (tried ? 1 : LONGER_AGAIN) * x->span_parts, passed = at->t - x->t_parts;
    double length = larger_of(span, passed), made = parts_made(p) - x->made_parts;
    made *= length / (length + at->span); // for the rest of the run
    double most = (tried ? GAIN_OF_PARTS : 1) * x->rate_parts * length;
    bool worse = parts_work(at, x) + made > most;
    worse = worse || at->parts_rest;
    if (!worse && passed < span) return false;
    parts_count(p, at, x);
    x->parts = worse ? WATCHED : BETTER;
    if (!worse) return false;
    if (tried) x->wait_parts *= 4;
    sim_choose_implicit(p, at, "steps of all unknowns were cheaper: L-stable", now);
    return true;
}

bool sim_parts_watched(const vinc_problem *p, const sim_start *at, const sim_choice *now)
{
    return now->method == &vinc_method_multirate || parts_fit(p, at, now);
}

bool sim_choose_parts(const vinc_problem *p, const sim_start *at, sim_choice *now)
{
    sim_seen *x = &now->seen;
    if (now->method == &vinc_method_multirate) return parts_judged(p, at, now);
    if (!parts_fit(p, at, now)) return false;
    if (!x->wait_parts) {
        x->wait_parts = STEPS_WATCHED;
        parts_count(p, at, x);
    }
    x->few_parts += at->limiting > 0 && FEW * at->limiting <= p->n;
    long steps = at->steps - x->step_parts;
    if (steps < x->wait_parts) return false;
    bool few = 2 * x->few_parts >= steps && at->t > x->t_parts;
    x->span_parts = at->t - x->t_parts;
    x->rate_parts = few ? parts_work(at, x) / x->span_parts : 0;
    parts_count(p, at, x);
    if (!few) return false;
    x->parts = TRIED;
    now->method = &vinc_method_multirate;
    now->why = "few unknowns make the steps short: steps of these alone inside steps of all";
    return true;
}
