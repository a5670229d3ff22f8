/* Equations that are not written out: what they say, and writing them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

const flat_run *flat_member(const flat_model *m, const flat_equation *e, flat_slot *slots)
{
    if (flat_is_written(e)) return NULL;
    const flat_run *run = &m->runs.at[e->rhs];
    int n = run->sides->n_slots;
    const int *own = run->vars.n ? run->vars.at + (ptrdiff_t)e->set * n : NULL;
    for (int k = 0; k < n; k++) {
        slots[k] = run->slots[k];
        slots[k].var = own ? own[k] : slots[k].var + e->set * slots[k].slope;
    }
    return run;
}

void flat_sides(const flat_model *m, const flat_equation *e, expr sides[2])
{
    flat_slot slots[SHAPE_SLOTS];
    expr vars[SHAPE_SLOTS];
    const flat_run *run = flat_member(m, e, slots);
    sides[0] = e->lhs;
    sides[1] = e->rhs;
    if (!run) return;
    for (int k = 0; k < run->sides->n_slots; k++)
        vars[k] = expr_var(m->pool, slots[k].var, slots[k].order, TYPE_REAL, 0);
    shape_make(m->pool, run->sides, vars, sides);
}

static bool has_members(const flat_model *m)
{
    bool any = false;
    for (int i = 0; i < m->equations.n && m->runs.n && !any; i++)
        any = !flat_is_written(&m->equations.at[i]);
    return any;
}

void flat_write_out(flat_model *m, arena *a)
{
    if (!has_members(m)) return;
    flat_own(m, a);
    for (int i = 0; i < m->equations.n; i++) {
        flat_equation *e = &m->equations.at[i];
        expr sides[2];
        if (flat_is_written(e)) continue;
        flat_sides(m, e, sides);
        e->lhs = sides[0];
        e->rhs = sides[1];
        e->set = 0;
    }
}

const flat_model *flat_in_full(const flat_model *m, arena *a)
{
    if (!has_members(m)) return m;
    flat_model *full = flat_borrow(m, a);
    flat_write_out(full, a);
    return full;
}
