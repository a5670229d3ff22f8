/* Checks that need the whole model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/units.h"

#include <string.h>

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
        const flat_var *v = flat_at(m, i);
        if (!v->binding || !reaches(m, v->binding, bad, scratch)) continue;
        diag_error(diags, "M117", v->decl->at, "the value of '%s' divides by zero",
                   FLAT_NAME(m, i));
        ok = false;
    }
    for (int i = 0; i < m->equations.n && ok; i++) {
        const flat_equation *q = &m->equations.at[i];
        if (!flat_is_written(q)) continue; // one that is comes before it, and divides, too
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
        const flat_var *v = flat_at(m, i);
        if (v->variability != FLAT_PARAMETER || v->binding || v->attr->fixed == 0) continue;
        if (v->decl->at.begin == last) continue; // once for an array
        last = v->decl->at.begin;
        diag_warning(diags, "M118", v->decl->at, "the parameter '%s' has no value; %s",
                     FLAT_NAME(m, i), v->attr->start ? "its start value is used" : "zero is used");
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Units that stand for themselves: with an offset, logarithmic, or felt. They are not checked. */
static bool is_other_unit(const char *words)
{
    static const char *const known[] = {"degC", "degF", "degRk", "dB", "phon", "sone", "debye"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(words, known[i])) return true;
    return false;
}

/* Units that are none say nothing, and a size that is not positive weighs nothing; bounds are those
 * of a parameter's value. Attributes are shared: each is looked at once. */
static void check_attributes(const flat_model *m, diag_sink *diags)
{
    const expr_pool *p = m->pool;
    const flat_attributes *last = NULL;
    for (int i = 0; i < m->vars.n; i++) {
        const flat_var *v = flat_at(m, i);
        const flat_attributes *a = v->attr;
        double x, bound;
        unit u;
        if (!a) continue;
        if (v->variability <= FLAT_PARAMETER && v->binding && expr_number(p, v->binding, &x)) {
            bool low = a->min && expr_number(p, a->min, &bound) && x < bound;
            if (low || (a->max && expr_number(p, a->max, &bound) && x > bound))
                diag_warning(diags, "M119", v->decl->at, "'%s' is %g, %s its %s, %g",
                             FLAT_NAME(m, i), x, low ? "below" : "above", low ? "min" : "max",
                             bound);
        }
        if (a == last) continue;
        last = a;
        if (a->nominal && expr_number(p, a->nominal, &x) && !(x > 0))
            diag_warning(diags, "M119", v->decl->at,
                         "the nominal value of '%s' is %g, and a size must be positive; %s",
                         FLAT_NAME(m, i), x, x < 0 ? "its absolute value is used" : "1 is used");
        if (a->unit && *a->unit && !unit_parse(a->unit, &u) && !is_other_unit(a->unit))
            diag_warning(diags, "M119", v->decl->at,
                         "'%s' has the unit \"%s\", which is none that is known; its unit is not "
                         "checked",
                         FLAT_NAME(m, i), a->unit);
    }
}

bool flat_check(const flat_model *m, diag_sink *diags, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    check_parameters(m, diags);
    check_attributes(m, diags);
    bool ok = check_divisions(m, diags, scratch);
    if (ok) unit_check(m, diags, scratch);
    arena_release(scratch, mark);
    return ok;
}
