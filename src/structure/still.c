/* Delayed values that are constant between events.
 *
 * The past of a signal is known up to the last step, so a step may not be longer than the shortest
 * delay. A signal that only events change needs no such bound: until the next event its future is
 * known as well. Digital circuits are made of gates with delays of nanoseconds and inputs that
 * change every second.
 *
 * All delays by a constant time are taken to be still at first; those whose value turns out to move
 * are struck out until nothing changes, since a value may come from another delay.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

typedef struct stillness {
    analysis *w;
    bool *moves; // by element of w, between events
    bool *turns; // by unknown: it moves
} stillness;

/* Of a VAR node: FREE if it moves between events. */
static dag_degree still_classify(void *user, expr var)
{
    const stillness *x = user;
    const structure *s = x->w->s;
    const expr_node *n = expr_at(x->w->p, var);
    int v = n->u.var.index;
    if (v >= s->n_flat) return x->moves[v - s->n_flat] ? DAG_FREE : DAG_CONSTANT;
    if (s->vars[v].role == STRUCTURE_PARAMETER) return DAG_CONSTANT;
    if (s->vars[v].role != STRUCTURE_UNKNOWN) return DAG_FREE;
    return x->turns[s->vars[v].place] ? DAG_FREE : DAG_CONSTANT;
}

static bool still_expression(stillness *x, expr e)
{
    return dag_degree_of(&x->w->d, e, still_classify, x) == DAG_CONSTANT;
}

/* The blocks are in order of solution: what one depends on is known when it is looked at. */
static void find_turning(stillness *x)
{
    const structure *s = x->w->s;
    for (int k = 0; k < s->blocks.n; k++) {
        const structure_block *b = &s->blocks.at[k];
        bool turns = b->derivative;
        for (int i = 0; i < b->n; i++) x->turns[structure_unknowns_of(b)[i]] = false;
        for (int i = 0; i < b->n && !turns; i++) {
            const structure_equation *e = &s->equations.at[b->equations[i]];
            turns = e->c > 0 || !still_expression(x, e->f[0]);
        }
        for (int i = 0; i < b->n; i++) x->turns[structure_unknowns_of(b)[i]] = turns;
    }
}

void structure_still(analysis *w)
{
    structure *s = w->s;
    if (!s->delays.n) return;
    structure_write_out(s);
    stillness x = {w, arena_array(w->scratch, bool, s->n_w + 1),
                   arena_array(w->scratch, bool, s->unknowns.n + 1)};
    for (int k = 0; k < s->inputs.n; k++)
        for (int d = 0; d < 2; d++) x.moves[s->vars[s->inputs.at[k]].place + d] = true;
    for (int k = 0; k < s->delays.n; k++) {
        structure_delay *d = &s->delays.at[k];
        d->still = d->constant;
        for (int i = 0; i < structure_delay_size(d); i++) x.moves[d->place + i] = !d->still;
    }
    for (bool again = true; again;) {
        again = false;
        find_turning(&x);
        for (int k = 0; k < s->delays.n; k++) {
            structure_delay *d = &s->delays.at[k];
            if (!d->still || still_expression(&x, d->value)) continue;
            d->still = false;
            x.moves[d->place] = x.moves[d->place + 1] = true;
            again = true;
        }
    }
}
