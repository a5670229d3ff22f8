/* What when-clauses do beside giving values to discrete variables (reinit, assert, terminate), and
 * assertions that are checked all the time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event.h"

#include <stdio.h>
#include <string.h>

void event_complain(code_state *s, span at, const char *words)
{
    if (s->event_why[0]) return;
    snprintf(s->event_why, sizeof s->event_why, "%s", words);
    s->event_at = at;
}

/* A failed assertion: an error stops the run, a warning is given once. True: stop. */
static bool assertion_failed(code_state *s, int k, double t, const double *y, const double *yp)
{
    const structure_action *a = &s->model->s->actions.at[k];
    if (!a->level && (s->warned[k] || !s->warn)) return false;
    text words;
    text_init(&words, s->m);
    text_printf(&words, "assertion failed at t = %.10g: ", t);
    event_action_text(s, k, t, y, yp, &words);
    if (a->level) event_complain(s, a->at, text_str(&words));
    else s->warn(s->warn_user, a->at, text_str(&words));
    text_done(&words);
    s->warned[k] = 1;
    return a->level;
}

static void terminated(code_state *s, int k, double t, const double *y, const double *yp)
{
    text words;
    text_init(&words, s->m);
    text_printf(&words, "terminated at t = %.10g: ", t);
    event_action_text(s, k, t, y, yp, &words);
    event_complain(s, s->model->s->actions.at[k].at, text_str(&words));
    text_done(&words);
}

int event_act(code_state *s, double t, double *y, const double *yp)
{
    const code_model *m = s->model;
    const structure *x = m->s;
    int moved = 0;
    if (!m->actions.n_out) return 0;
    code_eval(s, &m->actions, t, y, yp, s->small, NULL);
    for (int k = 0; k < x->actions.n; k++) {
        const structure_action *a = &x->actions.at[k];
        if (s->small[2 * k] == 0) continue;
        double value = s->small[2 * k + 1];
        if (a->kind == FLAT_REINIT) {
            y[m->action_y[k]] = m->action_sign[k] * value;
            moved = 1;
        } else if (a->kind == FLAT_ASSERT && value == 0) {
            if (assertion_failed(s, k, t, y, yp)) return -1;
        } else if (a->kind == FLAT_TERMINATE) {
            terminated(s, k, t, y, yp);
            return VINC_TERMINATED;
        }
    }
    return moved;
}

int code_check_assertions(void *user, double t, const double *y, const double *yp)
{
    code_state *s = user;
    const structure *x = s->model->s;
    code_eval(s, &s->model->actions, t, y, yp, s->small, NULL);
    for (int k = 0; k < x->actions.n; k++) {
        const structure_action *a = &x->actions.at[k];
        if (a->kind != FLAT_ASSERT || a->fire || s->small[2 * k + 1] != 0) continue;
        s->event_why[0] = 0; // of a later time in the same step
        if (assertion_failed(s, k, t, y, yp)) return -1;
    }
    return 0;
}
