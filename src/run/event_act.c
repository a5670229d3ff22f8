/* What when-clauses do beside giving values to discrete variables (reinit, assert, terminate), and
 * assertions that are checked all the time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"

#include <stdio.h>
#include <string.h>

void event_complain(run_state *s, span at, const char *words)
{
    if (s->event_why[0]) return;
    snprintf(s->event_why, sizeof s->event_why, "%s", words);
    s->event_at = at;
}

/* A failed assertion: an error stops the run, a warning is given once. True: stop. */
static bool assertion_failed(run_state *s, int k, double t, const double *y, const double *yp)
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

static void terminated(run_state *s, int k, double t, const double *y, const double *yp)
{
    text words;
    text_init(&words, s->m);
    text_printf(&words, "terminated at t = %.10g: ", t);
    event_action_text(s, k, t, y, yp, &words);
    event_complain(s, s->model->s->actions.at[k].at, text_str(&words));
    text_done(&words);
}

/* Does the action: 1 when it gave a state a new value, 0, < 0 to stop, VINC_TERMINATED. */
static int act(run_state *s, int k, double value, double t, double *y, const double *yp)
{
    const code_model *m = s->model;
    switch (m->s->actions.at[k].kind) {
    case FLAT_REINIT: y[m->events.action_y[k]] = m->events.action_sign[k] * value; return 1;
    case FLAT_ASSERT: return value == 0 && assertion_failed(s, k, t, y, yp) ? -1 : 0;
    case FLAT_TERMINATE: terminated(s, k, t, y, yp); return VINC_TERMINATED;
    default: return 0;
    }
}

int event_act(run_state *s, double t, double *y, const double *yp)
{
    const code_model *m = s->model;
    int moved = 0;
    cell_touch_live(&s->acts);
    if (!s->acts.n_due) return 0;
    tape_args args = run_args(s, t, y, yp);
    cell_run(&m->events.acts, &s->acts, &args);
    for (int c = 0; c < s->acts.n_ran; c++) {
        int cell = s->acts.ran[c], first = m->events.acts.first[cell];
        for (int i = first; i < m->events.acts.first[cell + 1]; i++) {
            const double *out = &s->acts.out[c][2 * (i - first)]; // fires, value
            if (out[0] == 0) continue;
            int rc = act(s, m->events.acting[m->events.acts.item[i]], out[1], t, y, yp);
            if (rc < 0 || rc == VINC_TERMINATED) return rc;
            moved |= rc;
        }
    }
    return moved;
}

int event_check(void *user, double t, const double *y, const double *yp)
{
    run_state *s = user;
    const code_model *m = s->model;
    run_eval(s, &m->events.assertions, t, y, yp, s->small, NULL);
    for (int k = 0; k < m->events.assertions.n_out; k++) {
        if (s->small[k] != 0) continue;
        s->event_why[0] = 0; // of a later time in the same step
        if (assertion_failed(s, m->events.always[k], t, y, yp)) return -1;
    }
    return 0;
}
