/* Are there as many equations as unknowns, and can each be matched to one of its own?
 *
 * The answer for a person: a smallest set of equations that has fewer unknowns than equations, or
 * of unknowns that occur in fewer equations than they are (a violation of Hall's condition: what an
 * alternating path reaches from one unmatched row or column; A. L. Dulmage and N. S. Mendelsohn,
 * Can. J. Math. 10 (1958) 517-534).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <string.h>

enum { SHOWN = 8 };

void structure_signature(analysis *w, const structure_equations *eqs, const int *column, int n_cols,
                         graph_pattern *out)
{
    arena *a = w->scratch;
    *out = (graph_pattern){.n_rows = eqs->n, .n_cols = n_cols};
    out->start = arena_array(a, int, eqs->n + 1);
    int *last = arena_array(a, int, n_cols + 1), *at = arena_array(a, int, n_cols + 1);
    int_array vars = {0}, col = {0}, order = {0};
    const families *of = eqs == &w->eqs ? w->families : NULL;
    array_reserve(a, &col, 4 * eqs->n);
    array_reserve(a, &order, 4 * eqs->n);
    for (int i = 0; i < eqs->n; i++) {
        out->start[i] = col.n;
        const expr *slots;
        const family *q = family_of(of, i, &slots);
        int n = q ? q->sides->n_slots : 0;
        if (!q) {
            vars.n = 0;
            if (eqs == &w->eqs) structure_write(w, i);
            dag_vars(&w->d, eqs->at[i].lhs, &vars);
            dag_vars(&w->d, eqs->at[i].rhs, &vars);
            slots = vars.at;
            n = vars.n;
        }
        for (int k = 0; k < n; k++) {
            const expr_node *x = expr_at(w->p, slots[k]);
            if (x->u.var.index >= w->s->n_flat) continue; // an element of w
            int j = column[x->u.var.index];
            if (j < 0) continue;
            if (last[j] != i + 1) { // first time in this row
                last[j] = i + 1;
                at[j] = col.n;
                array_push(a, &col, j);
                array_push(a, &order, x->u.var.order);
            } else if (order.at[at[j]] < x->u.var.order) {
                order.at[at[j]] = x->u.var.order;
            }
        }
    }
    out->start[eqs->n] = col.n;
    arena_resize(a, last, (size_t)(n_cols + 1) * sizeof *last, 0);
    arena_resize(a, at, (size_t)(n_cols + 1) * sizeof *at, 0);
    size_t used = (size_t)(col.n + 1) * sizeof(int);
    out->col = arena_resize(a, col.at, (size_t)col.cap * sizeof(int), used);
    out->order = arena_resize(a, order.at, (size_t)order.cap * sizeof(int), used);
}

void structure_forget_signature(analysis *w, graph_pattern *sig)
{
    if (!sig->start) return;
    size_t used = (size_t)(sig->start[sig->n_rows] + 1) * sizeof(int);
    arena_resize(w->scratch, sig->col, used, 0);
    arena_resize(w->scratch, sig->order, used, 0);
    arena_resize(w->scratch, sig->start, (size_t)(sig->n_rows + 1) * sizeof(int), 0);
    *sig = (graph_pattern){0};
}

void structure_list_vars(const analysis *w, const int *vars, int n, int max, text *out)
{
    for (int k = 0; k < n && k < max; k++)
        text_printf(out, "%s'%s'",
                    k == 0       ? ""
                    : k + 1 == n ? " and "
                                 : ", ",
                    FLAT_NAME(w->m, vars[k]));
    if (n > max) text_printf(out, " and %d more", n - max);
}

/* ---- the over- and underdetermined parts ----------------------------------------------------- */

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void note_equations(analysis *w, const int_array *rows)
{
    text t = structure_text(w);
    for (int k = 0; k < rows->n && k < SHOWN; k++) {
        const structure_equation *e = structure_write(w, rows->at[k]);
        text_clear(&t);
        expr_print_equation(w->p, e->lhs, e->rhs, 60, &t);
        diag_note(w->sink, e->at, "equation %s", text_str(&t));
    }
    if (rows->n > SHOWN)
        diag_note(w->sink, (span){0, 0}, "... and %d more equations", rows->n - SHOWN);
}

/* The headline says what is wrong in terms of components where the model is made of them; the
 * equations follow. True: it names several components. */
static bool say_over(analysis *w, int row, const int_array *rows, const int_array *vars)
{
    structure_parts p = structure_parts_of(w, rows);
    text t = structure_text(w);
    structure_list_vars(w, vars->at, vars->n, 5, &t);
    span at = structure_place_of(w, row, rows);
    if (vars->n == 0)
        diag_error(w->sink, "S102", at,
                   "this equation contains no unknown: it can only hold by chance; remove it, or "
                   "make one of its parameters a variable");
    else if (p.n_open && p.n_components == 0)
        diag_error(
            w->sink, "S102", at,
            "nothing is connected to %s from outside, so that what flows there is 0, and the "
            "model itself says it once more; put what it says into a component and connect "
            "that (%d equations for the %d unknown%s %s)",
            text_str(&p.open), rows->n, vars->n, plural(vars->n), text_str(&t));
    else if (p.n_open)
        diag_error(w->sink, "S102", at,
                   "nothing is connected to %s, so that what flows there is 0: too much for "
                   "%s; connect %s (%d equations for the %d unknown%s %s)",
                   text_str(&p.open), text_str(&p.components), p.n_open > 1 ? "them" : "it",
                   rows->n, vars->n, plural(vars->n), text_str(&t));
    else if (p.n_components > 1)
        diag_error(w->sink, "S102", at,
                   "the components %s contradict each other, or one of them says what another has "
                   "said: too many equations, %d for the %d unknown%s %s; remove one, or put "
                   "something between them",
                   text_str(&p.components), rows->n, vars->n, plural(vars->n), text_str(&t));
    else
        diag_error(w->sink, "S102", at,
                   "too many equations%s%s: %d equations for the %d unknown%s %s; remove one of "
                   "them",
                   p.n_components ? " in " : "", text_str(&p.components), rows->n, vars->n,
                   plural(vars->n), text_str(&t));
    return p.n_components > 1;
}

static void report_over(analysis *w, const graph_matching *s)
{
    int shown = 0;
    for (int i = 0; i < w->eqs.n && shown < 3; i++) {
        if (s->col_of[i] >= 0) continue;
        int_array rows = {0}, cols = {0};
        array_push(w->scratch, &rows, i);
        graph_reach(&w->sig, s, w->scratch, &rows, &cols); // one row more than columns
        for (int k = 0; k < cols.n; k++) cols.at[k] = w->columns.at[cols.at[k]];
        bool components = say_over(w, i, &rows, &cols);
        if (cols.n) note_equations(w, &rows);
        shown += components ? 3 : 1; // more would be said of the same ones
    }
}

/* Inputs that nothing is connected to, when they are all that is missing. */
static bool report_inputs(analysis *w, const int_array *vars, int missing)
{
    int_array open = {0};
    char *given = arena_array(w->scratch, char, w->m->vars.n);
    for (int i = 0; i < w->m->equations.n; i++) {
        const flat_equation *e = &w->m->equations.at[i];
        if (e->origin != FLAT_FROM_POTENTIAL) continue;
        const expr side[] = {e->lhs, e->rhs}; // of connections: written out
        for (int k = 0; k < 2; k++) {
            const expr_node *x = expr_at(w->m->pool, side[k]);
            if (x->op == EXPR_VAR) given[x->u.var.index] = 1;
        }
    }
    for (int k = 0; k < vars->n; k++) {
        int v = vars->at[k];
        if (flat_at(w->m, v)->flags & FLAT_SIGNAL_IN && !given[v]) array_push(w->scratch, &open, v);
    }
    if (open.n != missing) return false;
    text t = structure_text(w);
    structure_list_vars(w, open.at, open.n, SHOWN, &t);
    diag_error(w->sink, "S101", flat_at(w->m, open.at[0])->decl->at,
               "nothing is connected to the input%s %s: connect a signal or give a value, as in "
               "'%s = 0'",
               plural(open.n), text_str(&t), FLAT_NAME(w->m, open.at[0]));
    return true;
}

static void report_under(analysis *w, const graph_matching *s)
{
    int_array rows = {0}, cols = {0};
    graph_under(&w->sig, s, w->scratch, &rows, &cols);
    // Unknowns that occur nowhere are the clearest; otherwise all that one more equation could fix.
    int *count = arena_array(w->scratch, int, w->sig.n_cols);
    for (int e = 0; e < w->sig.start[w->sig.n_rows]; e++) count[w->sig.col[e]]++;
    int_array nowhere = {0}, some = {0};
    for (int k = 0; k < cols.n; k++) {
        int v = w->columns.at[cols.at[k]];
        if (count[cols.at[k]] == 0) array_push(w->scratch, &nowhere, v);
        else array_push(w->scratch, &some, v);
    }
    for (int k = 0; k < nowhere.n && k < SHOWN; k++) {
        const flat_var *x = flat_at(w->m, nowhere.at[k]);
        diag_error(w->sink, "S101", x->decl->at,
                   "no equation determines '%s': it is declared but does not occur in any equation",
                   FLAT_NAME(w->m, nowhere.at[k]));
    }
    if (!some.n) return;
    structure_parts p = structure_parts_of(w, &rows);
    text t = structure_text(w);
    structure_list_vars(w, some.at, some.n, 6, &t);
    int missing = some.n - rows.n;
    if (s->n < w->sig.n_rows && strchr(FLAT_NAME(w->m, some.at[0]), '.')) {
        // What is too much in one part of a system of components is missing in another one.
        diag_note(w->sink, (span){0, 0}, "the other side of it: nothing determines %s",
                  text_str(&t));
        return;
    }
    if (report_inputs(w, &some, missing)) return;
    diag_error(w->sink, "S101", flat_at(w->m, some.at[0])->decl->at,
               "too few equations%s%s: the %d unknown%s %s occur in only %d equation%s; %d more "
               "equation%s needed%s",
               p.n_components ? " for " : "", text_str(&p.components), some.n, plural(some.n),
               text_str(&t), rows.n, plural(rows.n), missing, missing == 1 ? " is" : "s are",
               p.n_components ? ", from a component that is missing or not connected" : "");
    if (p.n_open)
        diag_note(w->sink, (span){0, 0}, "nothing is connected to %s: what flows there is 0",
                  text_str(&p.open));
    note_equations(w, &rows);
}

static void report_counts(analysis *w)
{
    int eqs = w->s->n_equations_written, unknowns = w->s->n_unknowns_written;
    if (eqs == unknowns) return;
    diag_error(w->sink, "S100", (span){0, 0},
               "model '%s' has %d equation%s and %d unknown%s: %d %s", w->m->name, eqs, plural(eqs),
               unknowns, plural(unknowns), eqs > unknowns ? eqs - unknowns : unknowns - eqs,
               eqs > unknowns ? "too many" : "too few");
}

bool structure_check_rank(analysis *w)
{
    graph_matching s = graph_match(&w->sig, NULL, w->scratch, w->scratch);
    if (s.n == w->sig.n_rows && s.n == w->sig.n_cols) return true;
    report_counts(w);
    if (s.n < w->sig.n_rows) report_over(w, &s);
    if (s.n < w->sig.n_cols) report_under(w, &s);
    return false;
}

void structure_uncount(analysis *w)
{
    if (w->counted) arena_done(w->counted);
    w->counted = NULL;
}

/* Members of runs are no aliases and give nothing known: where there is little else the system may stay as it is. */
static bool mostly_members(const analysis *w)
{
    int n = 0;
    for (int i = 0; i < w->eqs.n; i++) n += !w->eqs.at[i].lhs;
    return n > w->eqs.n / 4 * 3;
}

bool structure_count(analysis *w)
{
    // structure_redundant has it, unless it took equations out and put others in.
    if (w->sig.n_rows != w->eqs.n || w->sig.n_cols != w->columns.n)
        structure_signature(w, &w->eqs, w->column, w->columns.n, &w->sig);
    w->counted = arena_inner(w->scratch);
    bool as_written = graph_differentiate_none(&w->sig, w->counted, w->scratch, &w->as_counted);
    if (as_written) w->s->index = graph_index(&w->sig, &w->as_counted);
    if (!as_written || !mostly_members(w)) structure_uncount(w);
    if (as_written) return true;
    if (!structure_check_rank(w)) return false;
    w->s->index = graph_index_of(&w->sig, STRUCTURE_DIFFERENTIATIONS_MAX, w->scratch);
    if (w->s->index < 0) {
        diag_error(w->sink, "S130", (span){0, 0},
                   "the index of model '%s' is above %d: some equation would have to be "
                   "differentiated more often",
                   w->m->name, STRUCTURE_DIFFERENTIATIONS_MAX);
        return false;
    }
    return true;
}
