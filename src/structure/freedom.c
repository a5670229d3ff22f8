/* Degrees of freedom.
 *
 * A mechanism has as many as it has free velocities. At the level of velocities are the derivatives
 * x_j^(d_j - 1), held by the equations with c_i >= 1; at the level of positions are the x_j of d_j = 2,
 * held by those with c_i >= 2. Free velocities are what is left of the first when the second are
 * subtracted, and no more than free positions, or else something else has states, too. Some of them must
 * be derivatives of positions: variables that are velocities only (d_j = 1: an angular velocity)
 * follow from these where each has an equation of its own for that. Every other system has as many degrees of freedom as free initial
 * values, sum d_j - sum c_i.
 *
 * Redundant parameters of a rotation are positions, too, though they are differentiated but once: a block
 * of equations that is linear and homogeneous in their derivatives and in velocities, w = 2 G(Q) Q',
 * and that has a constraint on them alone, Q Q = 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

typedef struct freedom {
    analysis *w;
    const graph_pattern *sig;
    const graph_offsets *g;
    char *turns;   // by column: a parameter of a rotation
    char *relates; // by row: between such derivatives and velocities
    char *own;     // by column: in the block at hand
    int n_turns;   // of the parameters, less the constraints on them
} freedom;

/* The column of a variable; -1: a parameter; -2: something else. */
static int freedom_column(const freedom *f, expr var, int *order)
{
    const expr_node *x = expr_at(f->w->p, var);
    *order = x->u.var.order;
    if (x->u.var.index >= f->w->s->n_flat) return -2;
    if (f->w->s->vars[x->u.var.index].role == STRUCTURE_PARAMETER) return -1;
    int j = f->w->column[x->u.var.index];
    return j < 0 ? -2 : j;
}

static dag_degree freedom_classify(void *user, expr var)
{
    int order, j = freedom_column(user, var, &order);
    const freedom *f = user;
    return j == -1 ? DAG_CONSTANT : j >= 0 && f->own[j] && !order ? DAG_FREE : DAG_LINEAR_CONSTANT;
}

static bool is_kinematic(freedom *f, int row)
{
    analysis *w = f->w;
    const structure_equation *e = &w->eqs.at[row];
    if (!e->lhs || f->g->c[row] > 1) return false;
    int_array vars = {0};
    expr residual = expr_sub(w->p, e->lhs, e->rhs);
    dag_rewriter zero;
    dag_rewriter_init(&zero, &w->d, w);
    dag_vars(&w->d, residual, &vars);
    for (int k = 0; k < vars.n; k++) {
        int order, j = freedom_column(f, vars.at[k], &order);
        if (j == -1) continue;
        if (j < 0 || f->g->d[j] != 1) return false;
        if (f->g->c[row] && (!f->own[j] || order)) return false;
        if (!f->own[j] && order) return false;
        if (!f->own[j] || order) dag_rewriter_set(&zero, vars.at[k], expr_real(w->p, 0));
    }
    if (f->g->c[row]) return true;
    double rest;
    return dag_degree_of(&w->d, residual, freedom_classify, f) <= DAG_LINEAR &&
           expr_number(w->p, dag_rewrite(&zero, residual), &rest) && rest == 0;
}

static void find_rotations(freedom *f, arena *a)
{
    const graph_pattern *sig = f->sig;
    f->turns = arena_array(a, char, sig->n_cols + 1);
    f->own = arena_array(a, char, sig->n_cols + 1);
    f->relates = arena_array(a, char, sig->n_rows + 1);
    graph_blocks all = graph_blt(sig, f->g->match.row_of, f->g->c, f->g->d, a, a);
    for (int b = 0; b < all.n; b++) {
        const int *row = all.item + all.start[b];
        int n = all.start[b + 1] - all.start[b], held = 0;
        bool turns = n > 1;
        for (int i = 0; i < n && turns; i++) {
            turns = f->g->d[f->g->match.col_of[row[i]]] == 1;
            held += f->g->c[row[i]] > 0;
        }
        if (!turns || !held || held == n) continue;
        for (int i = 0; i < n; i++) f->own[f->g->match.col_of[row[i]]] = 1;
        for (int i = 0; i < n && turns; i++) turns = is_kinematic(f, row[i]);
        for (int i = 0; i < n; i++) {
            f->own[f->g->match.col_of[row[i]]] = 0;
            f->turns[f->g->match.col_of[row[i]]] = turns;
            f->relates[row[i]] = turns;
        }
        if (turns) f->n_turns += n - held;
    }
}

/* Velocities that are no derivatives of positions and do not follow from such: a spin without its angle. */
static int velocities_alone(const freedom *f, arena *a)
{
    const graph_pattern *sig = f->sig;
    int *column = arena_array(a, int, sig->n_cols), n = 0, m = 0;
    for (int j = 0; j < sig->n_cols; j++) column[j] = f->g->d[j] == 1 && !f->turns[j] ? n++ : -1;
    int_array col = {0}, start = {0};
    for (int i = 0; i < sig->n_rows; i++) {
        if (!f->g->c[i] && !f->relates[i]) continue;
        array_push(a, &start, col.n);
        m++;
        for (int e = sig->start[i]; e < sig->start[i + 1]; e++) {
            int j = sig->col[e];
            if (column[j] >= 0 && !sig->order[e] && (f->relates[i] || f->g->c[i] == 1))
                array_push(a, &col, column[j]);
        }
    }
    array_push(a, &start, col.n);
    graph_pattern p = {.n_rows = m, .n_cols = n, .start = start.at, .col = col.at};
    return n - graph_match(&p, NULL, a, a).n;
}

int structure_freedom_of(analysis *w, const graph_pattern *sig, const graph_offsets *g)
{
    int velocities = 0, positions = 0, values = -w->s->n_open, deepest = 0, constraints = 0;
    for (int j = 0; j < sig->n_cols; j++) {
        values += g->d[j];
        velocities += g->d[j] >= 1;
        positions += g->d[j] == 2;
        if (g->d[j] > deepest) deepest = g->d[j];
    }
    for (int i = 0; i < sig->n_rows; i++) {
        values -= g->c[i];
        velocities -= g->c[i] >= 1;
        positions -= g->c[i] >= 2;
        constraints += g->c[i] >= 1;
    }
    if (deepest > 2 || !(positions > 0 || constraints)) return values;
    arena_mark here = arena_here(w->scratch);
    freedom f = {.w = w, .sig = sig, .g = g};
    find_rotations(&f, w->scratch);
    velocities -= f.n_turns;
    positions += f.n_turns;
    bool mechanical = positions > 0 && velocities <= positions &&
                      (!velocities || velocities > velocities_alone(&f, w->scratch));
    arena_release(w->scratch, here);
    return mechanical ? velocities : values;
}

void structure_freedom_before(analysis *w)
{
    graph_pattern sig;
    graph_offsets g;
    structure_number_columns(w);
    w->d.needed = w->m->functions.n > 0; // of arguments of functions only what counts
    structure_signature(w, &w->eqs, w->column, w->columns.n, &sig);
    w->d.needed = false;
    if (sig.n_rows == sig.n_cols &&
        graph_match(&sig, NULL, w->scratch, w->scratch).n == sig.n_rows &&
        graph_differentiate(&sig, STRUCTURE_DIFFERENTIATIONS_MAX, w->scratch, w->scratch, &g))
        w->freedom = 1 + structure_freedom_of(w, &sig, &g);
}
