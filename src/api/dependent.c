/* Constraints that depend on each other: another formulation where the default cannot live with
 * redundant ones, and what is said about redundant constraints and singular positions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "api/run.h"

/* Relative singular value of the constraints below which a failure is blamed on them. */
static const double NEARLY_SINGULAR = 0.02;

static int warn_redundant(void *job)
{
    vinc_sim *s = job;
    diag_sink *d = s->sink;
    bool fine = run_allow_redundant(s->state, s->options.t_start, s->y, s->yp);
    diag_warning(d, "R120", (span){0},
                 "%d of the constraints %s nothing that the others do not say%s", s->redundant,
                 s->redundant == 1 ? "says" : "say",
                 fine && !s->formulation ? "; 'project' takes the place of 'dummy'"
                 : fine                  ? ""
                        : ": this formulation needs independent ones; use 'project', 'udwadia', "
                          "'maggi' or 'nullspace-svd', or remove the redundant ones");
    inspect_note_dependent(s->state, s->options.t_start, s->y, s->yp, d);
    return VINC_OK;
}

static int warn_working(void *job)
{
    vinc_sim *s = job;
    inspect_warn_working(s->state, s->options.t_start, s->y, s->sink);
    return VINC_OK;
}

int api_warn_working(vinc_sim *s)
{
    bool said = s->ran; // by the run before, when verifying
    return said ? VINC_OK : api_run_guarded(s, warn_working, s);
}

int api_settle_redundant(vinc_sim *s)
{
    int redundant = inspect_redundant(s->state, s->options.t_start, s->y, s->yp);
    if (!redundant) return VINC_OK;
    bool said = s->redundant > 0; // by the run before, when verifying
    s->redundant = redundant;
    if (!said) return api_run_guarded(s, warn_redundant, s);
    run_allow_redundant(s->state, s->options.t_start, s->y, s->yp);
    return VINC_OK;
}

/* ---- an index that structure does not see ---------------------------------------------------- */

typedef struct hidden {
    vinc_sim *s;
    const inspect_report *found;
} hidden;

static int say_hidden(void *job)
{
    const hidden *x = job;
    vinc_sim *s = x->s;
    if (x->found->index_numerical <= 1) { // implicit methods take it as it comes
        diag_warning(s->sink, "R126", (span){0},
                     "the index of the model is 1 by its numbers, but 0 by its structure: terms "
                     "cancel, and the equations leave derivatives open at the start. Those of the "
                     "first row are one choice of many; from the first step on they follow from "
                     "the motion. Write the difference of the equations that say nearly the same "
                     "in place of one of them");
        start_explain_undetermined(s->state, s->options.t_start, s->y, s->yp, false, s->sink);
        return VINC_OK;
    }
    diag_warning(
        s->sink, "R126", (span){0},
        "the index of the model is %d by its numbers, but %d by its structure: terms cancel, and "
        "a constraint is hidden that no formulation here holds. What it decides may be wrong "
        "(--verify tells). Write the difference of the equations that say nearly the same in "
        "place of one of them, or change the parameter that makes terms cancel",
        x->found->index_numerical, x->found->index_structural);
    inspect_note_labile(s->state, s->options.t_start, s->y, s->yp, s->sink);
    start_explain_undetermined(s->state, s->options.t_start, s->y, s->yp, false, s->sink);
    return VINC_OK;
}

static int warn_hidden(void *job)
{
    vinc_sim *s = job;
    arena *a = &s->model->ctx->scratch;
    inspect_report found;
    arena words;
    diag_sink unheard;
    arena_init(&words, &s->model->ctx->m);
    diag_init(&unheard, &words);
    int rc = inspect_model(s->state, s->options.t_start, a, &found, &unheard);
    arena_done(&words);
    if (rc || found.index_numerical <= found.index_structural) return VINC_OK;
    return api_run_guarded(s, say_hidden, &(hidden){s, &found});
}

int api_warn_hidden(vinc_sim *s)
{
    int rc = api_guarded(s->model->ctx, warn_hidden, s);
    return rc ? rc : api_initialize(s);
}

static int refuse_redundant(void *job)
{
    vinc_sim *s = job;
    diag_sink *d = s->sink;
    diag_error(
        d, "R163", (span){0},
        "the constraints depend on each other, so that reactions at rest are not determined; "
        "remove the redundant ones");
    inspect_note_dependent(s->state, s->options.t_start, s->y, s->yp, d);
    return VINC_E_NEWTON;
}

int api_rest_of_independent(vinc_sim *s)
{
    if (inspect_redundant(s->state, s->options.t_start, s->y, s->yp))
        return api_run_guarded(s, refuse_redundant, s);
    return api_rest(s);
}

typedef struct position {
    vinc_sim *s;
    double t;
    const double *y, *yp;
} position;

static int warn_singular(void *job)
{
    position *x = job;
    diag_sink *d = x->s->sink;
    diag_warning(d, "R121", (span){0},
                 "the constraints lose rank at t = %.9g: a singular position, crossed by following "
                 "the motion smoothly",
                 x->t);
    inspect_note_dependent(x->s->state, x->t, x->y, x->yp, d);
    return VINC_OK;
}

void api_pass_singular(void *user, double t, const double *y, const double *yp)
{
    vinc_sim *s = user;
    if (s->n_singular++) return;
    s->t_singular = t;
    api_run_guarded(s, warn_singular, &(position){s, t, y, yp});
}

bool api_note_singular(vinc_sim *s, int status, double t)
{
    bool found = false;
    const vinc_problem *p = run_problem(s->state);
    double sigma;
    if (status == VINC_E_NEWTON || status == VINC_E_SINGULAR || status == VINC_E_EVALUATION) {
        inspect_note_labile(s->state, t, s->y, s->yp, s->sink);
        found = start_explain_undetermined(s->state, t, s->y, s->yp, false, s->sink);
    }
    if (p->regularity && !p->regularity(p->user, t, s->y, s->yp, &sigma) && sigma < NEARLY_SINGULAR)
        inspect_note_dependent(s->state, t, s->y, s->yp, s->sink);
    return found;
}
