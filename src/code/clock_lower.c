/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/clock_lower.h"

static bool lower_sampled(lowering *l, int sub, code_clocks *x)
{
    const structure *s = l->s;
    const int_array *list = &s->subs.at[sub].samples;
    expr *value = arena_array(l->scratch, expr, list->n);
    span *at = arena_array(l->scratch, span, list->n);
    for (int k = 0; k < list->n; k++) {
        value[k] = s->sampled.at[list->at[k]].value;
        at[k] = s->sampled.at[list->at[k]].at;
    }
    if (list->n > x->most) x->most = list->n;
    code_listed of = {"samples of a clock", "this sample()", CODE_OFTEN, &x->samples[sub]};
    return code_function(l, &of, value, at, list->n);
}

static bool lower_step(lowering *l, int step, code_clocks *x)
{
    const structure_step *q = &l->s->steps.at[step];
    int n = q->n, total = q->d ? n + n * n : n;
    expr *value = arena_array(l->scratch, expr, total);
    span *at = arena_array(l->scratch, span, total);
    for (int i = 0; i < total; i++) {
        value[i] = i < n ? q->f[i] : q->d[i - n];
        at[i] = q->at[i < n ? i : (i - n) / n];
    }
    if (total > x->most) x->most = total;
    if (q->d && n > x->most_unknowns) x->most_unknowns = n;
    code_listed of = {"step of a clock", "this clocked equation", CODE_OFTEN, &x->steps[step]};
    return code_function(l, &of, value, at, total);
}

static bool lower_intervals(lowering *l, code_clocks *x)
{
    const structure *s = l->s;
    int n = s->bases.n;
    expr *value = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int b = 0; b < n; b++) {
        value[b] = s->bases.at[b].interval ? s->bases.at[b].interval : l->p->zero;
        at[b] = s->bases.at[b].at;
        x->n_event += s->bases.at[b].kind == IMAGE_CLOCK_EVENT;
    }
    if (n > x->most) x->most = n;
    code_listed of = {"intervals of clocks", "this clock", CODE_SELDOM, &x->intervals};
    return code_function(l, &of, value, at, n);
}

bool code_lower_clocks(lowering *l, code_clocks *x)
{
    const structure *s = l->s;
    code_list_clocks(s, l->a, &x->list);
    if (!s->bases.n) return true;
    x->samples = arena_array(l->a, code_fn, s->subs.n);
    x->steps = arena_array(l->a, code_fn, s->steps.n + 1);
    for (int k = 0; k < s->subs.n; k++)
        if (!lower_sampled(l, k, x)) return false;
    for (int k = 0; k < s->steps.n; k++)
        if (!lower_step(l, k, x)) return false;
    return lower_intervals(l, x);
}
