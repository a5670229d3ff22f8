/* Checks that need the whole model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/units.h"

/* ---- division by zero ------------------------------------------------------------------------ */

static bool reaches(const flat_model *m, expr e, const uint8_t *bad, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    int_array nodes = expr_reach(m->pool, &e, 1, scratch);
    bool yes = false;
    for (int i = 0; i < nodes.n; i++) yes = yes || bad[nodes.at[i]];
    arena_release(scratch, mark);
    return yes;
}

/* Literals are folded, so a divisor that is zero for good is a literal by now. */
static bool check_divisions(const flat_model *m, diag_sink *diags, arena *scratch)
{
    const expr_pool *p = m->pool;
    uint8_t *bad = NULL;
    bool ok = true;
    for (expr e = 1; e < p->n; e++) {
        double x;
        if (expr_at(p, e)->op != EXPR_DIV || !expr_number(p, expr_at(p, e)->u.arg[1], &x) || x != 0)
            continue;
        if (!bad) bad = arena_array(scratch, uint8_t, p->n);
        bad[e] = 1;
    }
    if (!bad) return true;
    for (int i = 0; i < m->vars.n; i++) {
        const flat_var *v = &m->vars.at[i];
        if (!v->binding || !reaches(m, v->binding, bad, scratch)) continue;
        diag_error(diags, "M117", v->at, "the value of '%s' divides by zero", v->name);
        ok = false;
    }
    for (int i = 0; i < m->equations.n && ok; i++) {
        const flat_equation *q = &m->equations.at[i];
        if (!reaches(m, q->lhs, bad, scratch) && !reaches(m, q->rhs, bad, scratch)) continue;
        diag_error(diags, "M117", q->at, "this equation divides by zero");
        ok = false;
    }
    return ok;
}

/* ---- parameters without values --------------------------------------------------------------- */

static void check_parameters(const flat_model *m, diag_sink *diags)
{
    uint32_t last = 0;
    for (int i = 0; i < m->vars.n; i++) {
        const flat_var *v = &m->vars.at[i];
        if (v->variability != FLAT_PARAMETER || v->binding || v->attr->fixed == 0) continue;
        if (v->at.begin == last) continue; // once for an array
        last = v->at.begin;
        diag_warning(diags, "M118", v->at, "the parameter '%s' has no value; %s", v->name,
                     v->attr->start ? "its start value is used" : "zero is used");
    }
}

bool flat_check(const flat_model *m, diag_sink *diags, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    check_parameters(m, diags);
    bool ok = check_divisions(m, diags, scratch);
    if (ok) unit_check(m, diags, scratch);
    arena_release(scratch, mark);
    return ok;
}
