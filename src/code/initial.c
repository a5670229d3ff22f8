/* Consistent start values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/internal.h"

#include <math.h>
#include <string.h>

bool code_lower_initial(code_model *m, lowering *l)
{
    (void)m;
    (void)l;
    return true;
}

int code_compile_initial(code_model *m)
{
    (void)m;
    return VINC_OK;
}

void code_free_initial(code_model *m)
{
    (void)m;
}

int code_initialize(code_state *s, double t0, const code_init_options *options, double *y,
                    double *yp, code_init_report *report, diag_sink *sink)
{
    const code_model *m = s->model;
    (void)options;
    (void)sink;
    *report = (code_init_report){0};
    for (int i = 0; i < m->n; i++) {
        int e = m->form->unknowns.at[i].entry;
        y[i] = e < 0 ? 0 : s->start[e];
        yp[i] = 0;
    }
    int rc = code_select(s, t0, y, yp);
    if (rc < 0) return VINC_E_SINGULAR;
    rc = s->problem.rhs ? s->problem.rhs(s, t0, y, yp) : 0;
    return rc ? VINC_E_NEWTON : VINC_OK;
}
