/* Wishes that cannot be met: stateSelect = never and always.
 *
 * A variable that is differentiated and that no constraint restrains is a state whatever is chosen
 * elsewhere; a variable that jumps is none. Where constraints leave a choice it is made by the
 * wishes (form/select.c), and nothing is to be said here. If another equation has the variable
 * together with others, one of those could be integrated in its place: the trajectory is the same,
 * and it is a state all the same, with a warning.
 * Modelica Language Specification, section 4.9.8.1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

/* The entry that a flat variable is equal to, or -1. */
static int entry_of_var(const structure *s, int v)
{
    const structure_var *x = &s->vars[v];
    if (x->role == STRUCTURE_UNKNOWN) return s->unknowns.at[x->place].first;
    if (x->role != STRUCTURE_ALIAS || s->vars[x->of].role != STRUCTURE_UNKNOWN) return -1;
    const structure_unknown *u = &s->unknowns.at[s->vars[x->of].place];
    return x->order <= u->d ? u->first + x->order : -1;
}

/* By unknown: it occurs in an equation that is differentiated. */
static char *restrained_unknowns(analysis *w)
{
    const structure *s = w->s;
    char *restrained = arena_array(w->scratch, char, s->unknowns.n + 1);
    int_array vars = {0};
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        if (!e->c) continue;
        vars.n = 0;
        dag_vars(&w->d, e->lhs, &vars);
        dag_vars(&w->d, e->rhs, &vars);
        for (int k = 0; k < vars.n; k++) {
            int entry = structure_entry_of(s, vars.at[k]);
            if (entry >= 0) restrained[s->entries.at[entry].unknown] = 1;
        }
    }
    return restrained;
}

/* By entry: it occurs in an equation with another unknown. */
static char *related_entries(analysis *w)
{
    const structure *s = w->s;
    char *related = arena_array(w->scratch, char, s->entries.n + 1);
    int_array vars = {0};
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        vars.n = 0;
        dag_vars(&w->d, e->lhs, &vars);
        dag_vars(&w->d, e->rhs, &vars);
        int first = -1;
        bool several = false;
        for (int k = 0; k < vars.n; k++) {
            int entry = structure_entry_of(s, vars.at[k]);
            int unknown = entry < 0 ? -1 : s->entries.at[entry].unknown;
            several |= first >= 0 && unknown >= 0 && unknown != first;
            if (unknown >= 0) first = unknown;
        }
        for (int k = 0; k < vars.n && several; k++) {
            int entry = structure_entry_of(s, vars.at[k]);
            if (entry >= 0) related[entry] = 1;
        }
    }
    return related;
}

/* All variables that are equal to a certain state refuse to be one. */
static bool check_never(analysis *w)
{
    const structure *s = w->s;
    bool any = false;
    for (int i = 0; i < s->entries.n && !any; i++)
        any = structure_attributes_of(s, i)->select == FLAT_SELECT_NEVER;
    if (!any) return true;
    structure_write_out(w->s);
    const char *restrained = restrained_unknowns(w), *related = related_entries(w);
    char *willing = arena_array(w->scratch, char, s->entries.n + 1);
    for (int v = 0; v < s->n_flat; v++) {
        const flat_var *x = flat_at(w->m, v);
        int entry = entry_of_var(s, v);
        if (entry >= 0 && (!x->attr || x->attr->state_select != FLAT_SELECT_NEVER))
            willing[entry] = 1;
    }
    bool ok = true;
    for (int i = 0; i < s->entries.n; i++) {
        const structure_entry *e = &s->entries.at[i];
        const structure_unknown *u = &s->unknowns.at[e->unknown];
        const structure_attributes *wish = structure_attributes_of(s, i);
        if (willing[i] || wish->select != FLAT_SELECT_NEVER) continue;
        if (structure_order_of(s, i) >= u->d || restrained[e->unknown]) continue;
        const char *name = structure_name_of(s, i, w->scratch);
        if (related[i]) {
            diag_warning(w->sink, "S165", wish->at,
                         "'%s' is never to be a state, but it is integrated: no equation that is "
                         "differentiated gives it",
                         name);
            continue;
        }
        diag_error(w->sink, "S162", wish->at,
                   "'%s' is never to be a state, but its derivative is integrated and nothing "
                   "else determines it; remove stateSelect = StateSelect.never",
                   name);
        ok = false;
    }
    return ok;
}

/* Values that change only at events stand in w, behind the flat variables. */
static bool equation_jumps(analysis *w, const structure_equation *e)
{
    int_array vars = {0};
    dag_vars(&w->d, e->lhs, &vars);
    dag_vars(&w->d, e->rhs, &vars);
    for (int k = 0; k < vars.n; k++)
        if (expr_at(w->p, vars.at[k])->u.var.index >= w->s->n_flat) return true;
    return false;
}

static bool check_always(analysis *w)
{
    const structure *s = w->s;
    bool ok = true;
    for (int v = 0; v < s->n_flat; v++) {
        const flat_var *x = flat_at(w->m, v);
        const structure_var *r = &s->vars[v];
        if (!x->attr || x->attr->state_select != FLAT_SELECT_ALWAYS) continue;
        if (r->role != STRUCTURE_UNKNOWN || s->unknowns.at[r->place].d) continue;
        int equation = s->unknowns.at[r->place].equation;
        if (equation < 0 || !equation_jumps(w, &s->equations.at[equation])) continue;
        diag_error(w->sink, "S163", x->decl->at,
                   "'%s' is always to be a state, but it jumps at events and has no derivative; "
                   "remove stateSelect = StateSelect.always",
                   FLAT_NAME(w->m, v));
        ok = false;
    }
    return ok;
}

/* What reinit() gives a new value is implicitly always to be a state (section 8.3.6). */
static void wish_reinit(analysis *w)
{
    structure *s = w->s;
    for (int k = 0; k < s->actions.n; k++) {
        if (s->actions.at[k].kind != FLAT_REINIT) continue;
        expr var = s->actions.at[k].var;
        const expr_node *n = expr_at(w->p, var);
        int entry = structure_entry_of(s, n->op == EXPR_NEG ? n->u.arg[0] : var);
        if (entry < 0) continue;
        structure_attributes wish = *structure_attributes_of(s, entry);
        wish.select = FLAT_SELECT_ALWAYS;
        s->entries.at[entry].attributes = structure_share_attributes(w, &wish);
    }
}

bool structure_wishes(analysis *w)
{
    wish_reinit(w);
    bool never = check_never(w);
    return check_always(w) && never;
}
