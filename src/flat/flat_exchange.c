/* Inputs and outputs of the top exchanged: what was given becomes what is asked for.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

/* A start value of an input means nothing, and would contradict its first value. */
static void make_input(flat_model *m, flat_var *v)
{
    v->causality = FLAT_INPUT;
    v->flags |= FLAT_SIGNAL_IN;
    if (!v->attr) return;
    flat_attributes *attr = arena_new(m->pool->a, flat_attributes);
    *attr = *v->attr;
    attr->start = 0;
    attr->fixed = -1;
    attr->state_select = FLAT_SELECT_DEFAULT;
    v->attr = attr;
}

void flat_exchange(flat_model *m)
{
    for (int i = 0; i < m->vars.n; i++) {
        flat_var v = *flat_at(m, i);
        if (v.type != TYPE_REAL || v.variability != FLAT_CONTINUOUS) continue;
        if (v.causality == FLAT_OUTPUT) {
            make_input(m, &v);
        } else if (v.causality == FLAT_INPUT) {
            v.causality = FLAT_OUTPUT;
            v.flags &= (uint8_t)~FLAT_SIGNAL_IN;
        }
        flat_vars_put(&m->vars, m->pool->a, i, v);
    }
    // What an output was declared with is an equation for the others now.
    for (int i = 0; i < m->equations.n; i++)
        if (m->equations.at[i].origin == FLAT_FROM_BINDING)
            m->equations.at[i].origin = FLAT_FROM_EQUATION;
}
