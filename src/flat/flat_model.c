/* The flat model itself: making an empty one, finding, counting.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_function.h"

#include <string.h>

/* ---- what the pool asks about variables ------------------------------------------------------- */

static const char *model_var_name(void *user, int var)
{
    const flat_model *m = user;
    if (var >= FLAT_NO_VAR) return m->offender ? m->offender : "a variable";
    return var >= 0 && var < m->vars.n ? m->vars.at[var].name : "?";
}

static bool model_var_is_constant(void *user, int var)
{
    const flat_model *m = user;
    return var >= 0 && var < m->vars.n && m->vars.at[var].variability <= FLAT_PARAMETER;
}

static const char *model_enum_literal(void *user, int id, int64_t literal)
{
    const flat_model *m = user;
    if (id < 0 || id >= m->enums.n || literal < 1 || literal > m->enums.at[id].n) return NULL;
    return m->enums.at[id].literals[literal - 1];
}

flat_model *flat_new(arena *a, sym_table *syms)
{
    flat_model *m = arena_new(a, flat_model);
    m->pool = arena_new(a, expr_pool);
    expr_init(m->pool, a);
    m->pool->syms = syms;
    m->pool->context = (expr_context){.user = m,
                                      .var_name = model_var_name,
                                      .var_is_constant = model_var_is_constant,
                                      .enum_literal = model_enum_literal};
    flat_attach_functions(m);
    map_init(&m->by_name, a);
    return m;
}

/* ---- asking ---------------------------------------------------------------------------------- */

int flat_find(const flat_model *m, sym name)
{
    const uint64_t *slot = map_find(&m->by_name, map_key(name));
    return slot ? (int)*slot - 1 : -1;
}

static void mark_assigned(const flat_statements *l, bool *assigned)
{
    for (int i = 0; i < l->n; i++) {
        if (l->at[i].kind == FLAT_ASSIGN) assigned[l->at[i].var] = true;
        for (int k = 0; k < l->at[i].branches.n; k++)
            mark_assigned(&l->at[i].branches.at[k].body, assigned);
    }
}

int flat_count_equations(const flat_model *m, arena *scratch)
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

int flat_count_unknowns(const flat_model *m)
{
    int n = 0;
    for (int i = 0; i < m->vars.n; i++)
        n += m->vars.at[i].variability > FLAT_PARAMETER && m->vars.at[i].causality != FLAT_INPUT;
    return n;
}
