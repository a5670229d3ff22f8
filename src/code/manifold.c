/* The constraints of each level, for projection.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/manifold.h"

enum { SPARSE_LEAST = 40 }; // constraints from which on sparse factors are cheaper

static int deepest_level(const structure *s)
{
    int most = 0;
    for (int i = 0; i < s->equations.n; i++)
        if (s->equations.at[i].c > most) most = s->equations.at[i].c;
    return most;
}

/* The components of y that level l may change. */
static int list_columns(const form_system *f, int level, int *out)
{
    const structure *s = f->s;
    int n = 0;
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        if (x->d < level || !s->blocks.at[x->block].levels) continue;
        image_place at = f->places[x->first + x->d - level];
        if (at.where == IMAGE_IN_Y) out[n++] = at.at;
    }
    return n;
}

/* The columns of the Jacobian that may change, as a matrix of their own. */
static void manifold_list_entries(code_level *q, arena *a)
{
    const vinc_pattern *p = &q->pattern;
    int *start = arena_array(a, int, q->n + 1), n = 0;
    for (int j = 0; j < q->n; j++) {
        n += p->start[q->columns[j] + 1] - p->start[q->columns[j]];
        start[j + 1] = n;
    }
    int *row = arena_array(a, int, n);
    q->value = arena_array(a, int, n);
    for (int j = 0, e = 0; j < q->n; j++)
        for (int k = p->start[q->columns[j]]; k < p->start[q->columns[j] + 1]; k++, e++) {
            row[e] = p->row[k];
            q->value[e] = k;
        }
    q->g = (vinc_pattern){q->m, q->n, n, start, row};
}

bool code_lower_manifold(lowering *l, const code_manifold **out)
{
    const form_system *f = l->f;
    const structure *s = l->s;
    if (f->project == IMAGE_PROJECT_NONE || !s->constraints.n) return true;
    int levels = deepest_level(s);
    bool *held = arena_array(l->scratch, bool, (size_t)s->equations.n *(size_t)(levels + 1));
    for (int i = 0; i < f->rows.n; i++) {
        const image_row *r = &f->rows.at[i];
        if (r->kind == IMAGE_ROW_CONSTRAINT)
            held[r->equation * (levels + 1) + r->derivative] = true;
    }
    const bool *assigned = form_assigned(f, l->scratch); // met by themselves
    code_manifold *x = arena_new(l->a, code_manifold);
    x->n = levels;
    x->levels = arena_array(l->a, code_level, levels);
    for (int k = 0; k < levels; k++) {
        code_level *q = &x->levels[k];
        int level = levels - k;
        expr *roots = arena_array(l->scratch, expr, s->equations.n);
        q->rows = arena_array(l->a, int, s->equations.n);
        for (int i = 0; i < s->equations.n; i++) {
            const structure_equation *e = &s->equations.at[i];
            if (e->c < level || assigned[i]) continue;
            // What is no row of F must not be met by force.
            if (f->project == IMAGE_PROJECT_OUTPUT && !held[i * (levels + 1) + e->c - level])
                continue;
            q->rows[q->m] = i;
            roots[q->m++] = e->f[e->c - level];
        }
        q->columns = arena_array(l->a, int, s->unknowns.n);
        q->n = list_columns(f, level, q->columns);
        if (!q->m) continue;
        code_listed constraints = {"projection", "this constraint", CODE_OFTEN, &q->f},
                    jac = {"Jacobian of the projection", "this constraint", CODE_OFTEN, &q->jac};
        if (!code_function(l, &constraints, roots, NULL, q->m)) return false;
        code_derivative(l, &jac, q->f.program, q->m, f->unknowns.n, &q->pattern);
        q->sparse = q->m >= SPARSE_LEAST && f->project != IMAGE_PROJECT_DEPENDENT;
        manifold_list_entries(q, l->a);
    }
    *out = x;
    return true;
}
