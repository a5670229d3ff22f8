/* A model as C: its clocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source_printer.h"

#include <stdio.h>

static int place_of(const structure *s, int var)
{
    return var < 0 ? -1 : s->vars[var].place;
}

/* A function of its own; its member: {name, results}. */
static void print_own(source_printer *x, const code_fn *f, const char *name)
{
    if (f->program) source_print_program(x, f->program, name);
}

static void print_member(text *out, const code_fn *f, const char *name)
{
    text_printf(out, f->program ? "{%s, %d}" : "{0, 0}", name, f->n_out);
}

static void print_places(source_printer *x, const char *what, int k, const int *vars, int n)
{
    char name[60];
    int *list = arena_array(x->a, int, n + 1);
    for (int i = 0; i < n; i++) list[i] = place_of(x->s, vars[i]);
    snprintf(name, sizeof name, "%s_%d", what, k);
    source_print_ints(x, name, list, n);
}

static void print_subs(source_printer *x)
{
    const structure *s = x->s;
    char name[60];
    text *out = x->out;
    for (int k = 0; k < s->subs.n; k++) {
        const structure_sub *u = &s->subs.at[k];
        int *var = arena_array(x->a, int, u->samples.n + 1);
        for (int i = 0; i < u->samples.n; i++) var[i] = s->sampled.at[u->samples.at[i]].var;
        print_places(x, "sub_sampled", k, var, u->samples.n);
        print_places(x, "sub_past", k, u->past.at, u->past.n);
        snprintf(name, sizeof name, "model_samples_%d", k);
        print_own(x, &x->m->clocks.samples[k], name);
    }
    text_add(out, "static const source_sub subs[] = {\n");
    for (int k = 0; k < s->subs.n; k++) {
        const structure_sub *u = &s->subs.at[k];
        text_printf(out, "    {%d, %lldLL, %lldLL, %lldLL, %lldLL, %d, %d, %d, ", u->base,
                    (long long)u->shift, (long long)u->every, (long long)u->interval.n,
                    (long long)u->interval.d, place_of(s, u->interval_var),
                    place_of(s, u->first_var), place_of(s, u->on_var));
        snprintf(name, sizeof name, "model_samples_%d", k);
        print_member(out, &x->m->clocks.samples[k], name);
        text_printf(out, ", sub_sampled_%d, sub_past_%d, %d},\n", k, k, u->past.n);
    }
    text_add(out, "    {0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0}};\n");
}

static void print_ticks(source_printer *x)
{
    const structure *s = x->s;
    char name[60];
    text *out = x->out;
    for (int k = 0; k < s->steps.n; k++) {
        const structure_step *q = &s->steps.at[k];
        print_places(x, "tick_places", k, q->vars, q->n);
        snprintf(name, sizeof name, "model_tick_%d", k);
        print_own(x, &x->m->clocks.steps[k], name);
    }
    text_add(out, "static const source_tick ticks[] = {\n");
    for (int k = 0; k < s->steps.n; k++) {
        const structure_step *q = &s->steps.at[k];
        text_printf(out, "    {%d, %d, %d, tick_places_%d, ", q->sub, q->n, q->d != NULL, k);
        snprintf(name, sizeof name, "model_tick_%d", k);
        print_member(out, &x->m->clocks.steps[k], name);
        text_add(out, "},\n");
    }
    text_add(out, "    {0, 0, 0, 0, {0, 0}}};\n");
}

void source_print_clocks(source_printer *x)
{
    const structure *s = x->s;
    text *out = x->out;
    print_subs(x);
    print_ticks(x);
    text_add(out, "static const source_base bases[] = {\n");
    for (int k = 0; k < s->bases.n; k++) {
        const structure_base *b = &s->bases.at[k];
        text_printf(out, "    {%d, %d, %lldLL, %lldLL, %lldLL, %lldLL, %d, %d, %d, %d},\n", b->kind,
                    place_of(s, b->var), (long long)b->grid.n, (long long)b->grid.d,
                    (long long)b->every, (long long)b->resolution, b->first, b->n, b->first_step,
                    b->n_steps);
    }
    text_add(out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};\n");
    int *held = arena_array(x->a, int, s->held.n + 1);
    for (int k = 0; k < s->held.n; k++) held[k] = place_of(s, s->held.at[k]);
    source_print_ints(x, "held", held, s->held.n);
}
