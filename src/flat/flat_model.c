/* The flat model itself: making an empty one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_function.h"

static const char *model_var_name(void *user, int var, expr_label *label)
{
    const flat_model *m = user;
    if (var >= FLAT_NO_VAR) return m->offender ? m->offender : "a variable";
    return var >= 0 && var < m->vars.n ? flat_name(m, var, label) : "?";
}

static bool model_var_is_constant(void *user, int var)
{
    const flat_model *m = user;
    return var >= 0 && var < m->vars.n && flat_at(m, var)->variability <= FLAT_PARAMETER;
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
    return m;
}
