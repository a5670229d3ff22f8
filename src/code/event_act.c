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

// The literal parts of a message; what is computed appears as it is written.
static void print_message(const code_state *s, expr e, char *out, size_t size)
{
    const expr_pool *p = s->model->s->pool;
    size_t n = strlen(out);
    if (!e || n + 1 >= size) return;
    const expr_node *x = expr_at(p, e);
    if (x->op == EXPR_STRING) {
        snprintf(out + n, size - n, "%s", x->u.string);
    } else if (x->op == EXPR_ADD) {
        print_message(s, x->u.arg[0], out, size);
        print_message(s, x->u.arg[1], out, size);
    } else {
        snprintf(out + n, size - n, "...");
    }
}

static void assertion_failed(code_state *s, const structure_action *a, double t)
{
    char words[400];
    snprintf(words, sizeof words, "assertion failed at t = %.10g: ", t);
    print_message(s, a->message, words, sizeof words);
    event_complain(s, a->at, words);
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
        } else if (a->kind == FLAT_ASSERT && value == 0 && a->level) {
            assertion_failed(s, a, t);
            return -1;
        } else if (a->kind == FLAT_TERMINATE) {
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
        if (a->kind != FLAT_ASSERT || a->fire || !a->level || s->small[2 * k + 1] != 0) continue;
        assertion_failed(s, a, t);
        return -1;
    }
    return 0;
}
