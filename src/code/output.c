/* Recorded values.
 *
 * Most outputs are elements of y, y' or w as they are; the others are computed. Where a run records
 * a few of them only, the rest costs nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/internal.h"

#include <string.h>

static bool is_computed(tape_ref from)
{
    return tape_kind_of(from) == TAPE_OUT;
}

bool code_lower_outputs(code_model *m, lowering *l, const expr *roots, int n)
{
    expr *computed = arena_array(l->scratch, expr, n);
    int n_computed = 0;
    m->n_outputs = n;
    m->output_from = arena_array(l->a, tape_ref, n);
    for (int i = 0; i < n; i++) {
        expr e = lower_resolve(l, roots[i]);
        tape_ref from = tape_out(n_computed);
        if (expr_at(l->p, e)->op == EXPR_VAR) from = lower_leaf(l, e);
        else computed[n_computed++] = e;
        m->output_from[i] = from;
    }
    return code_function(l, computed, NULL, n_computed, "this variable", true, &m->computed);
}

int code_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    code_state *s = user;
    const code_model *m = s->model;
    int n = s->recorded ? s->n_recorded : m->n_outputs;
    tape_args args = code_args(s, t, y, yp);
    if (!s->recorded || s->records_computed)
        code_eval(s, &m->computed, t, y, yp, s->output_work, NULL);
    for (int i = 0; i < n; i++) {
        tape_ref from = m->output_from[s->recorded ? s->recorded[i] : i];
        int k = tape_index_of(from);
        switch (tape_kind_of(from)) {
        case TAPE_P: out[i] = args.p[k]; break;
        case TAPE_Y: out[i] = y[k]; break;
        case TAPE_YP: out[i] = yp[k]; break;
        case TAPE_W: out[i] = args.w[k]; break;
        default: out[i] = s->output_work[k]; break;
        }
    }
    return 0;
}

int code_state_record(code_state *s, const int *outputs, int n)
{
    mem_free(s->m, s->recorded, (size_t)s->n_recorded * sizeof *s->recorded);
    s->recorded = NULL;
    s->n_recorded = 0;
    s->problem.n_outputs = s->model->n_outputs;
    if (!outputs) return VINC_OK;
    s->recorded = mem_try(s->m, (size_t)n * sizeof *s->recorded);
    if (!s->recorded) return VINC_E_MEMORY;
    memcpy(s->recorded, outputs, (size_t)n * sizeof *outputs);
    s->problem.n_outputs = s->n_recorded = n;
    s->records_computed = false;
    for (int i = 0; i < n; i++)
        if (is_computed(s->model->output_from[outputs[i]])) s->records_computed = true;
    return VINC_OK;
}
