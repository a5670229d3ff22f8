/* Recorded values.
 *
 * Most outputs are elements of y, y' or w as they are; the others are computed. Where a run records
 * a few of them only, the rest costs nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"

#include <string.h>

static bool is_computed(tape_ref from)
{
    return tape_kind_of(from) == TAPE_OUT;
}

int run_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    run_state *s = user;
    const code_model *m = s->model;
    int n = s->recorded ? s->n_recorded : m->outputs.n;
    tape_args args = run_args(s, t, y, yp);
    if (!s->recorded || s->records_computed)
        run_eval(s, &m->outputs.computed, t, y, yp, s->output_work, NULL);
    for (int i = 0; i < n; i++) {
        tape_ref from = m->outputs.from[s->recorded ? s->recorded[i] : i];
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

int run_record(run_state *s, const int *outputs, int n)
{
    mem_free(s->m, s->recorded, (size_t)s->n_recorded * sizeof *s->recorded);
    s->recorded = NULL;
    s->n_recorded = 0;
    s->problem.n_outputs = s->model->outputs.n;
    if (!outputs) return VINC_OK;
    s->recorded = mem_try(s->m, (size_t)n * sizeof *s->recorded);
    if (!s->recorded) return VINC_E_MEMORY;
    memcpy(s->recorded, outputs, (size_t)n * sizeof *outputs);
    s->problem.n_outputs = s->n_recorded = n;
    s->records_computed = false;
    for (int i = 0; i < n; i++)
        if (is_computed(s->model->outputs.from[outputs[i]])) s->records_computed = true;
    return VINC_OK;
}
