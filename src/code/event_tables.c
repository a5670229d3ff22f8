/* The tables of events and clocks (image/image_events.h, image/image_clocks.h), copied from the structure.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/clock_lower.h"
#include "code/event_lower.h"

static int place_of(const structure *s, int var) // var -1: there is none
{
    return var < 0 ? -1 : s->vars[var].place;
}

static image_action action_of(const structure_action *a)
{
    static const uint8_t kind[] = {[FLAT_REINIT] = IMAGE_REINIT,
                                   [FLAT_ASSERT] = IMAGE_ASSERT,
                                   [FLAT_TERMINATE] = IMAGE_TERMINATE,
                                   [FLAT_CALL] = IMAGE_PRINT};
    return (image_action){
        .kind = kind[a->kind], .error = a->level, .initial = a->initial, .at = a->at};
}

static image_delay delay_of(const structure_delay *d)
{
    return (image_delay){.place = d->place,
                         .n_profile = d->n_profile,
                         .carried = d->profile != NULL,
                         .constant = d->constant,
                         .still = d->still,
                         .may_vanish = d->may_vanish,
                         .at = d->at};
}

void code_list_events(const structure *s, arena *a, image_events *x)
{
    *x = (image_events){.n_relations = s->relations.n,
                        .n_actions = s->actions.n,
                        .n_discrete = s->discrete.n,
                        .n_conditions = s->conditions.n,
                        .n_first = s->first.n,
                        .n_samples = s->samples.n,
                        .n_delays = s->delays.n,
                        .n_before = s->before.n};
    x->relations = arena_array(a, image_relation, x->n_relations);
    for (int k = 0; k < x->n_relations; k++) {
        const structure_relation *r = &s->relations.at[k];
        x->relations[k] = (image_relation){r->place, r->of_time, r->at};
    }
    x->actions = arena_array(a, image_action, x->n_actions);
    for (int k = 0; k < x->n_actions; k++) x->actions[k] = action_of(&s->actions.at[k]);
    x->discrete = arena_array(a, image_discrete, x->n_discrete);
    for (int k = 0; k < x->n_discrete; k++) {
        const structure_equation *e = &s->discrete.at[k];
        x->discrete[k] = (image_discrete){place_of(s, e->block), e->at};
    }
    x->conditions = arena_array(a, image_condition, x->n_conditions);
    for (int k = 0; k < x->n_conditions; k++) {
        const structure_condition *c = &s->conditions.at[k];
        x->conditions[k] = (image_condition){place_of(s, c->var), c->initial};
    }
    x->first = arena_array(a, image_first, x->n_first);
    for (int k = 0; k < x->n_first; k++) {
        int v = s->first.at[k].block;
        x->first[k] = (image_first){place_of(s, v), flat_at(s->flat, v)->type == TYPE_INTEGER};
    }
    x->samples = arena_array(a, image_sample, x->n_samples);
    for (int k = 0; k < x->n_samples; k++)
        x->samples[k] = (image_sample){s->samples.at[k].place, s->samples.at[k].at};
    x->delays = arena_array(a, image_delay, x->n_delays);
    for (int k = 0; k < x->n_delays; k++) x->delays[k] = delay_of(&s->delays.at[k]);
    x->before = arena_array(a, int, x->n_before);
    for (int k = 0; k < x->n_before; k++) x->before[k] = s->before.at[k].place;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void list_subs(const structure *s, arena *a, image_clocks *x)
{
    x->n_subs = s->subs.n;
    for (int k = 0; k < s->subs.n; k++) {
        x->n_samples += s->subs.at[k].samples.n;
        x->n_past += s->subs.at[k].past.n;
    }
    x->subs = arena_array(a, image_sub, x->n_subs);
    x->samples = arena_array(a, int, x->n_samples);
    x->past = arena_array(a, int, x->n_past);
    int sample = 0, past = 0;
    for (int k = 0; k < x->n_subs; k++) {
        const structure_sub *u = &s->subs.at[k];
        x->subs[k] = (image_sub){.shift = u->shift,
                                 .every = u->every,
                                 .interval = u->interval,
                                 .base = u->base,
                                 .interval_at = place_of(s, u->interval_var),
                                 .first_at = place_of(s, u->first_var),
                                 .on_at = place_of(s, u->on_var),
                                 .first_sample = sample,
                                 .n_samples = u->samples.n,
                                 .first_past = past,
                                 .n_past = u->past.n};
        for (int i = 0; i < u->samples.n; i++)
            x->samples[sample++] = place_of(s, s->sampled.at[u->samples.at[i]].var);
        for (int i = 0; i < u->past.n; i++) x->past[past++] = place_of(s, u->past.at[i]);
    }
}

static void list_steps(const structure *s, arena *a, image_clocks *x)
{
    x->n_steps = s->steps.n;
    for (int k = 0; k < s->steps.n; k++) x->n_variables += s->steps.at[k].n;
    x->steps = arena_array(a, image_step, x->n_steps);
    x->variables = arena_array(a, int, x->n_variables);
    int first = 0;
    for (int k = 0; k < x->n_steps; k++) {
        const structure_step *q = &s->steps.at[k];
        const char *name = flat_name_in(s->flat, q->vars[0], a);
        x->steps[k] = (image_step){.sub = q->sub,
                                   .first = first,
                                   .n = q->n,
                                   .solved = q->d != NULL,
                                   .name = name,
                                   .at = q->at[0]};
        for (int i = 0; i < q->n; i++) x->variables[first++] = place_of(s, q->vars[i]);
    }
}

void code_list_clocks(const structure *s, arena *a, image_clocks *x)
{
    *x = (image_clocks){.n_bases = s->bases.n, .n_held = s->held.n};
    x->bases = arena_array(a, image_base, x->n_bases);
    for (int k = 0; k < x->n_bases; k++) {
        const structure_base *b = &s->bases.at[k];
        bool has_var = b->kind >= IMAGE_CLOCK_COUNTER;
        x->bases[k] = (image_base){.grid = b->grid,
                                   .every = b->every,
                                   .resolution = b->resolution,
                                   .place = has_var ? place_of(s, b->var) : -1,
                                   .first = b->first,
                                   .n = b->n,
                                   .first_step = b->first_step,
                                   .n_steps = b->n_steps,
                                   .kind = b->kind,
                                   .at = b->at};
    }
    list_subs(s, a, x);
    list_steps(s, a, x);
    x->held = arena_array(a, int, x->n_held);
    for (int k = 0; k < x->n_held; k++) x->held[k] = place_of(s, s->held.at[k]);
}
