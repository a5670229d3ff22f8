/* Are there as many equations as unknowns, and can each be matched to one of its own?
 *
 * The answer for a person: a smallest set of equations that has fewer unknowns than equations, or
 * of unknowns that occur in fewer equations than they are (a violation of Hall's condition: what an
 * alternating path reaches from one unmatched row or column; A. L. Dulmage and N. S. Mendelsohn,
 * Can. J. Math. 10 (1958) 517-534).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

enum { SHOWN = 8, DIFFERENTIATIONS = 50 };

void structure_signature(analysis *w, const structure_equations *eqs, const int *column, int n_cols,
                         signature *out)
{
    arena *a = w->scratch;
    *out = (signature){.n_rows = eqs->n, .n_cols = n_cols};
    out->start = arena_array(a, int, eqs->n + 1);
    int *last = arena_array(a, int, n_cols + 1), *at = arena_array(a, int, n_cols + 1);
    int_array vars = {0}, col = {0}, order = {0};
    array_reserve(a, &col, 4 * eqs->n);
    array_reserve(a, &order, 4 * eqs->n);
    for (int i = 0; i < eqs->n; i++) {
        out->start[i] = col.n;
        vars.n = 0;
        dag_vars(&w->d, eqs->at[i].lhs, &vars);
        dag_vars(&w->d, eqs->at[i].rhs, &vars);
        for (int k = 0; k < vars.n; k++) {
            const expr_node *x = expr_at(w->p, vars.at[k]);
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
    out->col = col.at;
    out->order = order.at;
}

void structure_list_vars(const analysis *w, const int *vars, int n, int max, text *out)
{
    for (int k = 0; k < n && k < max; k++)
        text_printf(out, "%s'%s'",
                    k == 0       ? ""
                    : k + 1 == n ? " and "
                                 : ", ",
                    w->m->vars.at[vars[k]].name);
    if (n > max) text_printf(out, " and %d more", n - max);
}

/* ---- the over- and underdetermined parts ----------------------------------------------------- */

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

/* What alternating paths reach from one free row; |rows| = |cols| + 1. */
static void reach_over(const analysis *w, const sigma *s, int row, int_array *rows, int_array *cols)
{
    const signature *m = &w->sig;
    char *seen = arena_array(w->scratch, char, m->n_cols);
    array_push(w->scratch, rows, row);
    for (int q = 0; q < rows->n; q++)
        for (int e = m->start[rows->at[q]]; e < m->start[rows->at[q] + 1]; e++) {
            int j = m->col[e];
            if (seen[j]) continue;
            seen[j] = 1;
            array_push(w->scratch, cols, j);
            array_push(w->scratch, rows, s->row_of[j]);
        }
}

static void note_equations(analysis *w, const int_array *rows)
{
    text t = structure_text(w);
    for (int k = 0; k < rows->n && k < SHOWN; k++) {
        const structure_equation *e = &w->eqs.at[rows->at[k]];
        text_clear(&t);
        expr_print(w->p, e->lhs, EXPR_MODELICA, 60, &t);
        text_add(&t, " = ");
        expr_print(w->p, e->rhs, EXPR_MODELICA, 60, &t);
        diag_note(w->sink, e->at, "equation %s", text_str(&t));
    }
    if (rows->n > SHOWN)
        diag_note(w->sink, (span){0, 0}, "... and %d more equations", rows->n - SHOWN);
}

static void report_over(analysis *w, const sigma *s)
{
    int shown = 0;
    for (int i = 0; i < w->eqs.n && shown < 3; i++) {
        if (s->col_of[i] >= 0) continue;
        int_array rows = {0}, cols = {0};
        reach_over(w, s, i, &rows, &cols);
        text t = structure_text(w);
        for (int k = 0; k < cols.n; k++) cols.at[k] = w->columns.at[cols.at[k]];
        structure_list_vars(w, cols.at, cols.n, 5, &t);
        if (cols.n == 0)
            diag_error(w->sink, "S102", w->eqs.at[i].at,
                       "this equation contains no unknown: it can only hold by chance; remove it, "
                       "or make one of its parameters a variable");
        else
            diag_error(w->sink, "S102", w->eqs.at[i].at,
                       "too many equations: %d equations for the %d unknown%s %s; remove one of "
                       "them",
                       rows.n, cols.n, plural(cols.n), text_str(&t));
        if (cols.n) {
            note_equations(w, &rows);
            structure_note_parts(w, &rows);
        }
        shown++;
    }
}

static void report_under(analysis *w, const sigma *s)
{
    int_array rows = {0}, cols = {0};
    sigma_under(&w->sig, s, w->scratch, &rows, &cols);
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
        const flat_var *x = &w->m->vars.at[nowhere.at[k]];
        diag_error(w->sink, "S101", x->at,
                   "no equation determines '%s': it is declared but does not occur in any equation",
                   x->name);
    }
    if (some.n) {
        text t = structure_text(w);
        structure_list_vars(w, some.at, some.n, 6, &t);
        int missing = some.n - rows.n;
        diag_error(w->sink, "S101", w->m->vars.at[some.at[0]].at,
                   "too few equations: the %d unknown%s %s occur in only %d equation%s; %d more "
                   "equation%s needed",
                   some.n, plural(some.n), text_str(&t), rows.n, plural(rows.n), missing,
                   missing == 1 ? " is" : "s are");
        note_equations(w, &rows);
        structure_note_parts(w, &rows);
    }
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
    sigma s;
    sigma_rank(&w->sig, w->scratch, w->scratch, &s);
    if (s.n_matched == w->sig.n_rows && s.n_matched == w->sig.n_cols) return true;
    report_counts(w);
    if (s.n_matched < w->sig.n_rows) report_over(w, &s);
    if (s.n_matched < w->sig.n_cols) report_under(w, &s);
    return false;
}

bool structure_count(analysis *w)
{
    structure_signature(w, &w->eqs, w->column, w->columns.n, &w->sig);
    if (!structure_check_rank(w)) return false;
    sigma s;
    if (!sigma_offsets(&w->sig, DIFFERENTIATIONS, w->scratch, w->scratch, &s)) {
        diag_error(w->sink, "S130", (span){0, 0},
                   "the index of model '%s' is above %d: some equation would have to be "
                   "differentiated more often",
                   w->m->name, DIFFERENTIATIONS);
        return false;
    }
    w->s->index = sigma_index(&w->sig, &s);
    return true;
}
