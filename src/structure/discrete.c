/* The discrete part: equations of discrete variables in order of evaluation.
 *
 * Each is matched to the discrete variable it defines and sorted; when-clauses and algorithms are
 * equations by now (hybrid.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

/* A state that is given a value in a when-clause became discrete: its derivative tells. -1: none. */
static int state_set_by_when(analysis *w, int flat)
{
    int_array vars = {0};
    if (flat < 0) return -1;
    expr sides[2];
    flat_sides(w->m, &w->m->equations.at[flat], sides);
    dag_vars(&w->d, sides[0], &vars);
    dag_vars(&w->d, sides[1], &vars);
    for (int k = 0; k < vars.n; k++) {
        const expr_node *x = expr_at(w->p, vars.at[k]);
        if (x->u.var.order > 0 && w->s->vars[x->u.var.index].role == STRUCTURE_DISCRETE)
            return x->u.var.index;
    }
    return -1;
}

static void report_row(analysis *w, const structure_equation *e)
{
    int x = state_set_by_when(w, e->flat);
    const char *name = x < 0 ? NULL : FLAT_NAME(w->m, x);
    if (name)
        diag_error(w->sink, "S151", e->at,
                   "'%s' is differentiated here, but a when-clause gives it a value, so that it "
                   "changes only at events; to give a state a new value write reinit(%s, ...) in "
                   "the when-clause",
                   name, name);
    else
        diag_error(w->sink, "S151", e->at,
                   "this equation determines no discrete variable: all it contains are "
                   "determined by others; remove it or one of them");
}

static void report_discrete(analysis *w, const graph_matching *g, const graph_pattern *m,
                            const int_array *columns)
{
    for (int i = 0; i < m->n_rows; i++)
        if (g->col_of[i] < 0) report_row(w, &w->discrete.at[i]);
    for (int j = 0; j < m->n_cols; j++)
        if (g->row_of[j] < 0) {
            const flat_var *x = flat_at(w->m, columns->at[j]);
            diag_error(w->sink, "S150", x->decl->at,
                       "no equation or when-clause determines the discrete variable '%s'",
                       FLAT_NAME(w->m, columns->at[j]));
        }
}

/* An Integer cannot be given a Real value: n = x with x Real. */
bool structure_check_type(analysis *w, const structure_equation *e, int var)
{
    const flat_var *x = flat_at(w->m, var);
    if (e->flat < 0 || e->flat >= w->n_as_written) return true;
    const flat_equation *f = &w->m->equations.at[e->flat]; // as it was written
    expr_type left = (expr_type)expr_at(w->p, f->lhs)->type,
              right = (expr_type)expr_at(w->p, f->rhs)->type;
    if (x->type != TYPE_INTEGER || (left != TYPE_REAL && right != TYPE_REAL)) return true;
    diag_error(w->sink, "S153", e->at,
               "'%s' is Integer, but this equation gives it a Real value; write integer(...) for "
               "the largest Integer that is not larger, or declare '%s' Real",
               FLAT_NAME(w->m, var), FLAT_NAME(w->m, var));
    return false;
}

bool structure_sort_discrete(analysis *w)
{
    structure *s = w->s;
    // Columns by place in w: the equations are rewritten already.
    int_array columns = {0};
    int *column = arena_array(w->scratch, int, s->n_flat);
    int *by_place = arena_array(w->scratch, int, s->n_w);
    for (int v = 0; v < s->n_flat; v++) {
        column[v] = -1;
        if (s->vars[v].role != STRUCTURE_DISCRETE || s->vars[v].clock) continue;
        by_place[s->vars[v].place] = columns.n + 1;
        array_push(w->scratch, &columns, v);
    }
    graph_pattern m = {.n_rows = w->discrete.n, .n_cols = columns.n};
    m.start = arena_array(w->scratch, int, m.n_rows + 1);
    int_array col = {0}, vars = {0};
    int *seen = arena_array(w->scratch, int, columns.n); // 1 + the last row it is in
    for (int i = 0; i < m.n_rows; i++) {
        m.start[i] = col.n;
        vars.n = 0;
        dag_vars(&w->d, w->discrete.at[i].lhs, &vars);
        dag_vars(&w->d, w->discrete.at[i].rhs, &vars);
        for (int k = 0; k < vars.n; k++) {
            int v = expr_at(w->p, vars.at[k])->u.var.index - s->n_flat;
            if (v < 0 || v >= s->n_w || !by_place[v]) continue;
            int j = by_place[v] - 1;
            if (seen[j] != i + 1) array_push(w->scratch, &col, j);
            seen[j] = i + 1;
        }
    }
    m.start[m.n_rows] = col.n;
    m.col = col.at;

    graph_matching g = graph_match(&m, NULL, w->scratch, w->scratch);
    if (g.n < m.n_rows || g.n < m.n_cols) {
        report_discrete(w, &g, &m, &columns);
        return false;
    }
    graph_blocks sorted = graph_blt(&m, g.row_of, NULL, NULL, w->scratch, w->scratch);
    for (int k = 0; k < m.n_rows; k++) {
        structure_equation e = w->discrete.at[sorted.item[k]];
        e.block = columns.at[g.col_of[sorted.item[k]]]; // the flat variable it defines
        if (!structure_check_type(w, &e, e.block)) return false;
        array_push(s->a, &s->discrete, e);
    }
    return true;
}
