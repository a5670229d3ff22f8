/* Stabilised index 2: the constraint, its derivative, and one more set of multipliers.
 *
 *     q' = v - Phi_q^T w,   M v' + Phi_q^T lambda = f,   Phi = 0,   Phi_q v + Phi_t = 0
 *
 * w vanishes on the exact solution and absorbs what the discretisation would violate (C. W. Gear,
 * B. Leimkuhler and G. K. Gupta, J. Comput. Appl. Math. 12-13 (1985) 77-90). Here for every
 * equation that must be differentiated twice and is more than a name for an expression of
 * positions; an equation differentiated once stays as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <string.h>

static bool applies(const form_builder *b)
{
    const structure *s = b->s;
    for (int i = 0; i < s->equations.n; i++) {
        if (s->equations.at[i].c <= 2) continue;
        diag_error(
            b->sink, "S203", s->equations.at[i].at,
            "'ggl' is for mechanical systems: this equation must be differentiated %d times; "
            "use 'dummy' or 'project'",
            s->equations.at[i].c);
        return false;
    }
    return true;
}

/* The term of w in the link of entry e: the sum of d f_i / d x times w_i over equations of c = 2. */
static bool add_terms(form_builder *b, int equation, expr w, expr *term)
{
    structure *s = b->s;
    const structure_equation *q = &s->equations.at[equation];
    int_array vars = {0};
    expr f = dag_rewrite(&b->subst, q->f[0]); // in the coordinates that are left
    dag_vars(&b->d, f, &vars);
    for (int k = 0; k < vars.n; k++) {
        int e = structure_entry_of(s, vars.at[k]);
        if (e < 0 || structure_order_of(s, e) != s->unknowns.at[s->entries.at[e].unknown].d - 2)
            continue;
        const char *why = NULL;
        expr d = expr_diff(s->pool, f, vars.at[k], b->scratch, &why);
        if (!d) {
            diag_error(b->sink, "S203", q->at, "the constraint cannot be differentiated: %s",
                       why ? why : "");
            return false;
        }
        d = expr_mul(s->pool, d, w);
        term[e] = term[e] ? expr_add(s->pool, term[e], d) : d;
    }
    return true;
}

static void put_unknowns(form_builder *b, const int *by)
{
    structure *s = b->s;
    form_system *f = b->f;
    const int *level = b->level;
    int deepest = 0;
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].d > deepest) deepest = s->unknowns.at[u].d;
    for (int k = 0; k <= deepest; k++)
        for (int u = 0; u < s->unknowns.n; u++) {
            const structure_unknown *x = &s->unknowns.at[u];
            if (by[u] >= 0) continue;
            if (k < x->d) form_put(b, x->first + k, true, 0);
            else if (k == 0 && x->d == 0) form_put(b, x->first, false, level[x->first] > 0);
        }
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        if (x->d && by[u] < 0)
            form_put_derivative(b, x->first + x->d, f->places[x->first + x->d - 1].at);
    }
}

static int ggl_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_builder b;
    form_begin(&b, f, scratch, sink);
    if (!form_options(&b, options, NULL, 0) || !applies(&b)) return -1;
    structure *s = f->s;
    b.level = form_levels(&b);
    // Whatever names a position must go, or stay with its own equation and multiplier.
    const int *by = form_definitions(&b, 2, 1);
    if (!b.dense) by = form_definitions(&b, 1, 1);
    put_unknowns(&b, by);
    const char *spent = form_define(&b, by, 2);
    expr *term = arena_array(scratch, expr, s->entries.n); // of the link of an entry
    int n_w = 0;
    for (int i = 0; i < s->equations.n; i++) {
        if (s->equations.at[i].c != 2 || spent[i]) continue;
        int at = form_put_multiplier(&b, "ggl", n_w++, 1);
        if (!add_terms(&b, i, form_y(&b, at), term)) return -1;
    }
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        if (spent[i]) continue;
        form_row_add(&b, e->f[0], e->c ? IMAGE_ROW_CONSTRAINT : IMAGE_ROW_EQUATION, i, 0, e->c > 0);
        if (e->c == 2) form_row_add(&b, e->f[1], IMAGE_ROW_CONSTRAINT, i, 1, 1);
    }
    for (int i = 0; i < f->unknowns.n; i++) {
        int e = f->unknowns.at[i].entry;
        if (e < 0 || !f->unknowns.at[i].differential || f->places[e + 1].where == IMAGE_IN_YP)
            continue;
        expr link = expr_sub(s->pool, form_yp(&b, i), s->entries.at[e + 1].var);
        if (term[e]) link = expr_add(s->pool, link, term[e]);
        form_row_add(&b, link, IMAGE_ROW_LINK, -1, 0, 0);
    }
    // Both levels are rows of F: this closes what the iteration of a step has left open.
    f->project = IMAGE_PROJECT_LEAST;
    return 0;
}

const form_kind form_ggl = {
    .name = "ggl",
    .summary = "stabilised index 2: constraint, its derivative, one more set of multipliers",
    .applies = "mechanical",
    .cite = "Gear, Leimkuhler & Gupta 1985",
    .build = ggl_build,
};
