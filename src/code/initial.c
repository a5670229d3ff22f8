/* Lowering of the system of start values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/initial.h"

enum { SETTABLE = 500 }; // up to so many eliminated variables can be given start values at run time

static bool has_homotopy(const expr_pool *p)
{
    for (int i = 1; i < p->n; i++)
        if (p->node[i].op == EXPR_HOMOTOPY) return true;
    return false;
}

bool code_lower_initial(code_model *m, lowering *l)
{
    structure *s = m->s;
    code_initial *x = arena_new(l->a, code_initial);
    m->init = x;

    // Rows beyond those of the formulation.
    int n_assigned = m->form->assignments.n;
    int cap = s->initial.n + s->surplus.n + n_assigned;
    x->rows = arena_array(l->a, code_extra, cap);
    expr *roots = arena_array(l->scratch, expr, cap);
    span *at = arena_array(l->scratch, span, cap);
    for (int k = 0; k < s->initial.n + s->surplus.n; k++) {
        bool surplus = k >= s->initial.n;
        const structure_equation *e =
            surplus ? &s->surplus.at[k - s->initial.n] : &s->initial.at[k];
        at[x->n_extra] = e->at;
        roots[x->n_extra] = expr_sub(l->p, e->lhs, e->rhs);
        x->rows[x->n_extra++] = (code_extra){-1, surplus ? -1 - (k - s->initial.n) : k, e->at};
    }
    for (int k = 0; k < n_assigned; k++) {
        int entry = m->form->assignments.at[k].entry;
        const structure_entry *e = &s->entries.at[entry];
        if (e->fixed != 1 && n_assigned > SETTABLE) continue;
        at[x->n_extra] = e->at;
        roots[x->n_extra] = e->var;
        x->rows[x->n_extra++] = (code_extra){entry, 0, e->at};
    }
    l->continuation = true;
    bool ok = code_function(l, roots, at, x->n_extra, "this initial equation", true, &x->extra);
    if (ok && x->n_extra) {
        tape_program_derivative d = code_derive(x->extra.program, x->n_extra, m->n, l);
        x->extra_jac = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
        x->extra_pattern = d.pattern;
    }
    x->jac = m->jac;
    x->continuation = has_homotopy(l->p);
    if (ok && x->continuation && m->n) {
        // The memo holds nodes without blending: a lowering of its own.
        lowering h;
        lower_init(&h, m->form, l->a, l->scratch, l->sink);
        h.continuation = true;
        expr *f = arena_array(l->scratch, expr, m->n);
        for (int i = 0; i < m->n; i++) f[i] = m->form->rows.at[i].f;
        ok = code_function(&h, f, NULL, m->n, "this equation", true, &x->residual);
        if (ok) {
            tape_program_derivative d = code_derive(x->residual.program, m->n, m->n, &h);
            x->jacobian = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
            x->jac = d.pattern;
        }
    }
    l->continuation = false;
    return ok && code_lower_mass(m, l);
}

bool code_lower_map(code_model *initial, const code_model *to, lowering *l)
{
    code_initial *x = initial->init;
    const structure *s = to->s;
    expr *roots = arena_array(l->scratch, expr, 2 * to->n);
    x->map_y = arena_array(l->a, int, to->n);
    x->map_yp = arena_array(l->a, int, to->n);
    int n = 0;
    for (int i = 0; i < to->n; i++) {
        int entry = to->form->unknowns.at[i].entry;
        x->map_y[i] = x->map_yp[i] = -1;
        if (entry < 0) continue;
        x->map_y[i] = n;
        roots[n++] = s->entries.at[entry].var;
        const structure_entry *e = &s->entries.at[entry];
        if (e->order == s->unknowns.at[e->unknown].d) continue;
        x->map_yp[i] = n;
        roots[n++] = s->entries.at[entry + 1].var;
    }
    return code_function(l, roots, NULL, n, "this variable", true, &x->map);
}

enum { N_FUNCTIONS = 6 };
#define FUNCTIONS(x)                                                                               \
    {                                                                                              \
        &(x)->residual, &(x)->jacobian, &(x)->extra, &(x)->extra_jac, &(x)->map,                   \
            (x)->mass ? &(x)->mass->values : NULL                                                  \
    }

int code_compile_initial(code_model *m)
{
    code_fn *list[] = FUNCTIONS(m->init);
    for (int k = 0; k < N_FUNCTIONS; k++) {
        if (!list[k]) continue;
        int rc = code_compile(m, list[k], &target_interpreter);
        if (rc) return rc;
    }
    return VINC_OK;
}

void code_free_initial(code_model *m)
{
    if (!m->init) return;
    code_fn *list[] = FUNCTIONS(m->init);
    for (int k = 0; k < N_FUNCTIONS; k++) {
        if (!list[k]) continue;
        tape_code_free(list[k]->code);
        list[k]->code = NULL;
    }
}

int code_n_extra(const code_model *m)
{
    return m->init->n_extra;
}

int code_n_mapped(const code_model *m)
{
    return m->init->map.n_out;
}
