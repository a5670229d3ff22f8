/* Branches that change what the model is.
 *
 * Structural analysis counts an unknown that occurs in any branch of an if-equation. Where one
 * branch is a constraint on states and the other gives a force, the model is reduced as if the
 * force were always there; while the constraint is in force the reduced system is singular. Looked
 * at with the branches that hold, the highest derivatives can then no longer be matched.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "structure/structure.h"

/* e with the Boolean elements of w as they are. */
static expr in_force(const structure *s, const double *w, expr e, arena *scratch)
{
    expr_subst q;
    expr_subst_init(&q, s->pool, scratch);
    int_array vars = expr_vars(s->pool, &e, 1, scratch);
    int n = 0;
    for (int k = 0; k < vars.n; k++) {
        const expr_node *x = expr_at(s->pool, vars.at[k]);
        if (x->u.var.index < s->n_flat || x->type != TYPE_BOOLEAN) continue;
        bool holds = w[x->u.var.index - s->n_flat] != 0;
        expr_subst_set(&q, vars.at[k], expr_boolean(s->pool, holds));
        n++;
    }
    return n ? expr_subst_apply(&q, e) : e;
}

int structure_lost_branch(const structure *of, const double *w, arena *scratch)
{
    // Nodes are made in a copy: runs in other threads read the pool.
    expr_pool pool = expr_copy(of->pool, scratch);
    structure own = *of, *s = &own;
    own.pool = &pool;
    int n = s->equations.n, *start = arena_array(scratch, int, n + 1);
    char *switched = arena_array(scratch, char, n);
    int_array col = {0};
    for (int i = 0; i < n; i++) {
        const structure_equation *e = &s->equations.at[i];
        start[i] = col.n;
        expr f = in_force(s, w, e->f[e->c], scratch);
        switched[i] = f != e->f[e->c];
        int_array vars = expr_vars(s->pool, &f, 1, scratch);
        for (int k = 0; k < vars.n; k++) {
            int entry = structure_entry_of(s, vars.at[k]);
            if (entry < 0) continue;
            const structure_entry *x = &s->entries.at[entry];
            if (structure_order_of(s, entry) == s->unknowns.at[x->unknown].d)
                array_push(scratch, &col, x->unknown);
        }
    }
    start[n] = col.n;
    graph_pattern m = {.n_rows = n, .n_cols = s->unknowns.n, .start = start, .col = col.at};
    graph_matching found = graph_match(&m, NULL, scratch, scratch);
    for (int i = 0; i < n; i++) { // of the equations that miss their unknown, one that switches
        if (found.col_of[i] >= 0) continue;
        int_array rows = {0}, cols = {0};
        graph_over(&m, &found, scratch, &rows, &cols);
        for (int k = 0; k < rows.n; k++)
            if (switched[rows.at[k]]) return rows.at[k];
        return -1;
    }
    return -1;
}
