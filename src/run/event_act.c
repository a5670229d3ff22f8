/* What when-clauses do beside giving values to discrete variables (reinit, assert, terminate), and
 * assertions that are checked all the time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"
#include "run/vary.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void action_layout(run_actions *x, const code_model *m, bump *b)
{
    x->conditions = bump_double(b, (size_t)m->events.assertions.n_out);
    x->again = bump_double(b, (size_t)m->events.assertions.n_out);
    x->near = bump_double(b, m->events.assertions.n_out ? (size_t)m->n : 0);
    x->warned = bump_bytes(b, (size_t)m->events.list.n_actions);
    cell_layout(&x->front, &m->events.acts, b);
}

void event_complain(run_state *s, span at, const char *words)
{
    if (s->events.actions.why[0]) return;
    snprintf(s->events.actions.why, sizeof s->events.actions.why, "%s", words);
    s->events.actions.at = at;
}

/* A failed assertion: an error stops the run, a warning is given once. True: stop. */
static bool assertion_failed(run_state *s, int k, double t, const double *y, const double *yp)
{
    const image_action *a = &s->model->events.list.actions[k];
    if (!a->error && (s->events.actions.warned[k] || !s->events.actions.warn)) return false;
    text words;
    text_init(&words, s->m);
    text_printf(&words, "assertion failed at t = %.10g: ", t);
    event_action_text(s, k, t, y, yp, &words);
    if (a->error) event_complain(s, a->at, text_str(&words));
    else s->events.actions.warn(s->events.actions.warn_user, a->at, text_str(&words));
    text_done(&words);
    s->events.actions.warned[k] = 1;
    return a->error;
}

/* What the model prints. */
static void said(run_state *s, int k, double t, const double *y, const double *yp)
{
    if (!s->events.actions.warn) return;
    text words;
    text_init(&words, s->m);
    text_printf(&words, "printed at t = %.10g: ", t);
    event_action_text(s, k, t, y, yp, &words);
    s->events.actions.warn(s->events.actions.warn_user, s->model->events.list.actions[k].at,
                           text_str(&words));
    text_done(&words);
}

static void terminated(run_state *s, int k, double t, const double *y, const double *yp)
{
    text words;
    text_init(&words, s->m);
    text_printf(&words, "terminated at t = %.10g: ", t);
    event_action_text(s, k, t, y, yp, &words);
    event_complain(s, s->model->events.list.actions[k].at, text_str(&words));
    text_done(&words);
}

/* Does the action: 1 when it gave a state a new value, 0, < 0 to stop, VINC_TERMINATED,
 * EVENT_UNDEFINED. */
static int act(run_state *s, int k, double value, double t, double *y, const double *yp)
{
    const code_model *m = s->model;
    switch ((image_action_kind)m->events.list.actions[k].kind) {
    case IMAGE_REINIT:
        if (!isfinite(value)) {
            run_note_fault(s, t, y, yp);
            return EVENT_UNDEFINED;
        }
        y[m->events.action_y[k]] = m->events.action_sign[k] * value;
        if (vary_at_event(s)) vary_reinit(s, k);
        return 1;
    case IMAGE_ASSERT: return value == 0 && assertion_failed(s, k, t, y, yp) ? -1 : 0;
    case IMAGE_TERMINATE: terminated(s, k, t, y, yp); return VINC_TERMINATED;
    case IMAGE_PRINT: said(s, k, t, y, yp); return 0;
    }
    return 0;
}

int event_act(run_state *s, double t, double *y, const double *yp)
{
    const code_model *m = s->model;
    int moved = 0;
    cell_touch_live(&s->events.actions.front);
    if (!s->events.actions.front.n_due) return 0;
    tape_args args = run_args(s, t, y, yp);
    cell_run(&m->events.acts, &s->events.actions.front, &args, true);
    if (vary_at_event(s)) vary_acts_ran(s, t, y, yp);
    for (int c = 0; c < s->events.actions.front.n_ran; c++) {
        int cell = s->events.actions.front.ran[c], first = m->events.acts.first[cell];
        for (int i = first; i < m->events.acts.first[cell + 1]; i++) {
            const double *out = &s->events.actions.front.out[c][2 * (i - first)]; // fires, value
            if (out[0] == 0) continue;
            int rc = act(s, m->events.acting[m->events.acts.item[i]], out[1], t, y, yp);
            if (rc < 0 || rc == VINC_TERMINATED) return rc;
            moved |= rc;
        }
    }
    return moved;
}

/* Does assertion k hold at a point that rounding does not tell from this one? A tank that is just empty
 * holds -2e-43 kg: m >= 0 is met as far as anybody can say (but m > 0 is not). */
static bool holds_nearby(run_state *s, int k, double t, const double *y, const double *yp)
{
    enum { LOOKS = 4, ROUNDINGS = 16 };
    run_actions *x = &s->events.actions;
    const code_model *m = s->model;
    for (unsigned look = 0; look < LOOKS; look++) {
        for (int i = 0; i < m->n; i++) { // all up, all down, every second, every third
            bool up = look < 2 ? !look : (unsigned)i % look;
            double d = ROUNDINGS * DBL_EPSILON * (fabs(y[i]) + run_nominal(s)[i]);
            x->near[i] = y[i] + (up ? d : -d);
        }
        run_eval(s, &m->events.assertions, t, x->near, yp, x->again, NULL);
        if (x->again[k] != 0) return true;
    }
    return false;
}

bool event_holds(run_state *s, double t, const double *y, const double *yp)
{
    const code_model *m = s->model;
    if (!m->events.assertions.code) return true;
    run_eval(s, &m->events.assertions, t, y, yp, s->events.actions.conditions, NULL);
    for (int k = 0; k < m->events.assertions.n_out; k++) {
        const image_action *a = &m->events.list.actions[m->events.always[k]];
        if (s->events.actions.conditions[k] != 0 || !a->error || a->initial) continue;
        if (!m->events.closed[k] || !holds_nearby(s, k, t, y, yp)) return false;
    }
    return true;
}

int event_check(void *user, double t, const double *y, const double *yp)
{
    run_state *s = user;
    const code_model *m = s->model;
    run_eval(s, &m->events.assertions, t, y, yp, s->events.actions.conditions, NULL);
    for (int k = 0; k < m->events.assertions.n_out; k++) {
        if (s->events.actions.conditions[k] != 0) continue;
        if (m->events.list.actions[m->events.always[k]].initial && s->events.actions.start_checked)
            continue;
        int action = m->events.always[k];
        if (!m->events.list.actions[action].error && s->events.actions.warned[action]) continue;
        if (m->events.closed[k] && holds_nearby(s, k, t, y, yp)) continue;
        s->events.actions.why[0] = 0; // of a later time in the same step
        if (assertion_failed(s, action, t, y, yp)) return -1;
    }
    s->events.actions.start_checked = true;
    return 0;
}
