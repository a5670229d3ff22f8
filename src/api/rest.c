/* From the start of a run to a point of rest.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "sim/equilibrium.h"

typedef struct rest_job {
    vinc_sim *s;
    const char *why;
} rest_job;

static int no_rest(void *job)
{
    rest_job *j = job;
    diag_error(j->s->sink, "R160", (span){0},
               "%s; give start values nearer to one, or go on without --equilibrium", j->why);
    return VINC_OK;
}

int api_rest(vinc_sim *s)
{
    char why[200] = "";
    int rc = sim_equilibrium(&s->m, run_problem(s->state), s->options.t_start, s->y, s->yp, why,
                             sizeof why);
    if (rc == VINC_E_NEWTON) api_run_guarded(s, no_rest, &(rest_job){s, why});
    return rc;
}
