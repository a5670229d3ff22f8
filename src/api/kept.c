/* Invariants that the model names and the run did not keep.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/verbs.h"

#include <math.h>

/* A drift that is worth a word: as of the energy (R124), a thousandth or 100 tolerances. */
static const double DRIFT_MIN = 1e-3, TOLERANCES_OF_DRIFT = 100;

static bool holds_invariants(const vinc_sim *s)
{
    double opt[METHOD_OPTIONS_MAX];
    const char *name = s->done.method;
    const vinc_method *m = s->formula || !name ? NULL : method_find(name, opt, NULL);
    return m && m->traits & METHOD_CONSERVES;
}

static int warn_kept(void *job)
{
    vinc_sim *s = job;
    bool holds = holds_invariants(s);
    const code_invariants *q = &run_model(s->state)->invariants;
    double least = fmax(DRIFT_MIN, TOLERANCES_OF_DRIFT * s->options.rel_tol);
    for (int i = 0; i < s->done.n_invariants; i++) {
        const sim_invariant *x = &s->done.invariants[i];
        sim_keeper by = sim_invariant_by(x, &s->options);
        if (by == SIM_BY_MODEL)
            diag_warning(s->sink, "R129", q->list[i].at,
                         "'%s' is no invariant of this model: its equations give it the rate %.4g "
                         "at t = %.6g; during the run it changed by at most %.4g, at t = %.6g",
                         q->list[i].name, x->rate, x->t_rate, x->change, x->t_change);
        else if (by == SIM_BY_EVENT)
            diag_warning(s->sink, "R129", q->list[i].at,
                         "'%s' is no invariant of this model: the event at t = %.6g changes it by "
                         "%.4g",
                         q->list[i].name, x->t_jump, x->jump);
        else if (by == SIM_BY_METHOD && sim_invariant_relative(x) > least)
            diag_warning(s->sink, "R130", q->list[i].at,
                         "the method '%s' changed '%s' by %.3g of its size, until t = %.6g; the "
                         "equations keep it. %s",
                         s->done.method, q->list[i].name, sim_invariant_relative(x), x->t_change,
                         holds ? "It is held where the formulation leaves steps as they are: dummy"
                               : "Take a smaller tolerance or shorter steps, or hold it: --method "
                                 "energy-momentum --step H");
    }
    return VINC_OK;
}

static int warn_nothing_named(void *job)
{
    vinc_sim *s = job;
    diag_warning(s->sink, "R131", (span){0},
                 "'%s' holds the invariants that a model names, and %s names none: this is the "
                 "midpoint rule, which keeps linear and quadratic ones. Name them: "
                 "annotation(__Vincolo(invariant = {E, L}))",
                 s->done.method, s->model->about.name);
    return VINC_OK;
}

void api_warn_kept(vinc_sim *s)
{
    if (s->done.n_invariants) api_run_guarded(s, warn_kept, s);
    else if (holds_invariants(s)) api_run_guarded(s, warn_nothing_named, s);
}
