/* Where constraints depend on each other: redundant ones, singular positions.
 *
 * G has a row for every constraint f_i and a column for every unknown: df_i^(k) / dx_j^(d_j - c_i +
 * k) is the same for every k, so that the derivative of f_i that the formulation can evaluate is
 * taken. Columns are in units of the nominals, rows of equal size. The left singular vectors of
 * vanishing singular values name the equations that say the same; the null space of the
 * multipliers' columns names the multipliers that are not unique.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/rank_matrix.h"

enum {
    DENSE_MAX = 300
}; // constraints: beyond, singular values cost more than the run and are not asked

typedef struct rank_rows {
    expr *f;
    int *equation, *level; // the columns of a row are the x_j^(d_j - level)
    int n;
} rank_rows;

/* With states chosen while running: the constraints on velocities, dependent variables inserted.
 * Otherwise the constraints as they are written. */
static rank_rows list_rows(lowering *l)
{
    const form_system *f = l->f;
    const structure *s = l->s;
    rank_rows r = {.f = arena_sparse(l->scratch, expr, s->equations.n),
                   .equation = arena_sparse(l->a, int, s->equations.n),
                   .level = arena_sparse(l->scratch, int, s->equations.n)};
    for (int g = 0; g < f->groups.n; g++) {
        const image_group *q = &f->groups.at[g];
        for (int k = 0; k < q->n_constraints && q->level == 1; k++) {
            int row = q->constraints[k];
            r.f[r.n] = f->functions.at[row];
            r.equation[r.n] = f->rows.at[row].equation;
            r.level[r.n++] = 1;
        }
    }
    if (f->groups.n || f->kind->initial) return r;
    const bool *assigned = form_assigned(f, l->scratch);
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        if (!e->c || e->definition || assigned[i]) continue;
        r.f[r.n] = e->f[0];
        r.equation[r.n] = i;
        r.level[r.n++] = e->c;
    }
    return r;
}

typedef struct rank_entry {
    int row, col, value, component;
} rank_entry;

/* The derivatives that are in G, by columns in the order in which the unknowns occur. */
static void lower_matrix(lowering *l, const rank_rows *r, const vinc_pattern *p, code_rank *x)
{
    const structure *s = l->s;
    int *column = arena_array(l->scratch, int, s->unknowns.n); // by unknown, + 1
    ARRAY(rank_entry) list = {0};
    for (int c = 0; c < l->f->unknowns.n; c++)
        for (int k = p->start[c]; k < p->start[c + 1]; k++) {
            int e = l->f->unknowns.at[c].entry, i = p->row[k];
            if (e < 0) continue;
            const structure_entry *q = &s->entries.at[e];
            if (structure_order_of(s, e) != s->unknowns.at[q->unknown].d - r->level[i]) continue;
            if (!column[q->unknown]) {
                x->unknown[x->n] = q->unknown;
                column[q->unknown] = ++x->n;
            }
            rank_entry y = {i, column[q->unknown] - 1, k, c};
            array_push(l->scratch, &list, y);
        }
    int *start = arena_array(l->a, int, x->n + 1), *row = arena_array(l->a, int, list.n),
        *next = arena_array(l->scratch, int, x->n);
    for (int e = 0; e < list.n; e++) start[list.at[e].col + 1]++;
    for (int j = 0; j < x->n; j++) {
        next[j] = start[j];
        start[j + 1] += start[j];
    }
    x->g = (vinc_pattern){x->m, x->n, list.n, start, row};
    x->value = arena_array(l->a, int, list.n);
    x->component = arena_array(l->a, int, list.n);
    for (int e = 0; e < list.n; e++) {
        int at = next[list.at[e].col]++;
        row[at] = list.at[e].row;
        x->value[at] = list.at[e].value;
        x->component[at] = list.at[e].component;
    }
}

bool code_lower_rank(lowering *l, const code_rank **out)
{
    rank_rows r = list_rows(l);
    if (!r.n || r.n > DENSE_MAX) return true;
    l->what = "this constraint";
    const tape_program *f = lower_program(l, r.f, NULL, NULL, r.n);
    if (l->failed) return false;
    code_rank *x = arena_new(l->a, code_rank);
    *x = (code_rank){
        .m = r.n, .equation = r.equation, .unknown = arena_array(l->a, int, l->s->unknowns.n)};
    code_listed jac = {"Jacobian of the constraints", l->what, CODE_OFTEN, &x->jac};
    vinc_pattern pattern;
    code_derivative(l, &jac, f, r.n, l->f->unknowns.n, &pattern);
    lower_matrix(l, &r, &pattern, x);
    if (x->n) *out = x;
    return true;
}
