/* Questions that tests ask of a flat model.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FLAT_ASK_H
#define TESTS_FLAT_ASK_H

#include "flat/flat.h"

#include <string.h>

/* How many scalar equations the model has, and unknowns to be found from them: equations (those of
 * initialization aside), variables assigned in when-clauses and algorithms; variables that are
 * neither constants nor parameters nor top-level inputs. */
static inline void mark_assigned(const flat_statements *l, bool *assigned)
{
    for (int i = 0; i < l->n; i++) {
        if (l->at[i].kind == FLAT_ASSIGN) assigned[l->at[i].var] = true;
        for (int k = 0; k < l->at[i].branches.n; k++)
            mark_assigned(&l->at[i].branches.at[k].body, assigned);
    }
}

static inline int flat_count_equations(const flat_model *m, arena *scratch)
{
    arena_mark at = arena_here(scratch);
    int n = m->equations.n;
    bool *assigned = arena_array(scratch, bool, m->vars.n + 1);
    // A variable counts once per section that assigns it.
    mark_assigned(&m->whens, assigned);
    for (int i = 0; i < m->vars.n; i++) n += assigned[i];
    for (int k = 0; k < m->algorithms.n; k++) {
        if (m->algorithms.at[k].initial) continue;
        memset(assigned, 0, (size_t)m->vars.n * sizeof *assigned);
        mark_assigned(&m->algorithms.at[k].body, assigned);
        for (int i = 0; i < m->vars.n; i++) n += assigned[i];
    }
    arena_release(scratch, at);
    return n;
}

static inline int flat_count_unknowns(const flat_model *m)
{
    int n = 0;
    for (int i = 0; i < m->vars.n; i++)
        n += flat_at(m, i)->variability > FLAT_PARAMETER && flat_at(m, i)->causality != FLAT_INPUT;
    return n;
}

#endif
