/* Settling: relations, discrete equations and continuous unknowns until they agree.
 *
 * A fixed-point iteration; where it cycles (ideal diodes, clutches: conditions that depend on what
 * they switch) the relations that keep changing are tried in all combinations, and one that agrees
 * with the solution it leads to is taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event.h"

#include <string.h>

enum {
    SETTLE_MAX = 30,  // plain iterations before combinations are tried
    SEARCHED_MAX = 12 // relations in a combination
};

int event_follow(code_state *s, double t, double *y, double *yp)
{
    return s->problem.rhs ? s->problem.rhs(s, t, y, yp) : code_solve_dependent(s, t, y, yp);
}

/* Fresh values of relations; those of time as they are just after t. Returns how many differ from
 * w. */
static int relations_now(code_state *s, double t, const double *y, const double *yp, double *value)
{
    const code_model *m = s->model;
    int differ = 0;
    if (!m->n_roots) return 0;
    double after = s->w[STRUCTURE_W_INITIAL] != 0 ? t : t + event_ulp(t);
    code_eval(s, &m->relations, after, y, yp, s->small2, NULL);
    code_eval(s, &m->relations, t, y, yp, value, NULL);
    for (int k = 0; k < m->n_roots; k++) {
        if (m->s->relations.at[k].of_time) value[k] = s->small2[k];
        differ += value[k] != s->w[m->s->relations.at[k].place];
    }
    return differ;
}

static bool take_relations(code_state *s, const double *value)
{
    bool changed = false;
    for (int k = 0; k < s->model->n_roots; k++) {
        double *w = &s->w[s->model->s->relations.at[k].place];
        if (*w == value[k]) continue;
        changed = true;
        s->toggles[k]++;
        *w = value[k];
    }
    return changed;
}

/* At the start a clause whose condition does not mention initial() must not fire: it has no past.
 */
static void hold_conditions(code_state *s)
{
    const structure *x = s->model->s;
    if (s->w[STRUCTURE_W_INITIAL] == 0) return;
    for (int k = 0; k < x->conditions.n; k++) {
        double *w = &s->w[x->vars[x->conditions.at[k].var].place];
        if (!x->conditions.at[k].initial) w[1] = w[0];
    }
}

/* Values from which discrete variables start, where an initial equation gives them. */
static void first_values(code_state *s, double t, const double *y, const double *yp)
{
    const structure *x = s->model->s;
    if (s->w[STRUCTURE_W_INITIAL] == 0 || !x->first.n) return;
    code_eval(s, &s->model->first, t, y, yp, s->small, NULL);
    for (int k = 0; k < x->first.n; k++)
        s->w[x->vars[x->first.at[k].block].place + 1] = s->small[k];
}

static bool sweep_discrete(code_state *s, double t, const double *y, const double *yp)
{
    const structure *x = s->model->s;
    bool changed = false;
    // One sweep per equation is enough for any order of dependence between them.
    for (int pass = 0; pass <= x->discrete.n; pass++) {
        bool moved = false;
        first_values(s, t, y, yp);
        code_eval(s, &s->model->discrete, t, y, yp, s->small, NULL);
        for (int k = 0; k < x->discrete.n; k++) {
            double *w = &s->w[x->vars[x->discrete.at[k].block].place];
            moved = moved || *w != s->small[k];
            *w = s->small[k];
        }
        hold_conditions(s);
        if (!moved) break;
        changed = true;
    }
    return changed;
}

bool code_refresh_relations(code_state *s, double t, const double *y, const double *yp)
{
    if (!code_has_events(s->model)) return false;
    relations_now(s, t, y, yp, s->small);
    bool changed = take_relations(s, s->small);
    return sweep_discrete(s, t, y, yp) || changed;
}

/* All combinations of the relations that kept changing, or of all: the first that agrees with its
 * own solution. A trigger may have to jump over a region that it never rests in. */
static int search(code_state *s, double t, double *y, double *yp, bool all)
{
    const code_model *m = s->model;
    int list[SEARCHED_MAX], n = 0;
    for (int k = 0; k < m->n_roots; k++)
        if (s->toggles[k] > 3 || (all && !m->s->relations.at[k].of_time)) {
            if (n == SEARCHED_MAX) return 1;
            list[n++] = k;
        }
    size_t bytes = (size_t)m->n * sizeof *y;
    for (unsigned c = 0; c < 1u << n; c++) {
        memcpy(y, s->y_event, bytes);
        memcpy(yp, s->yp_event, bytes);
        for (int k = 0; k < n; k++) s->w[m->s->relations.at[list[k]].place] = (c >> k) & 1;
        sweep_discrete(s, t, y, yp);
        if (event_follow(s, t, y, yp)) continue;
        if (!relations_now(s, t, y, yp, s->small) && !sweep_discrete(s, t, y, yp)) return 0;
    }
    return 1;
}

int event_settle(code_state *s, double t, double *y, double *yp, bool *changed)
{
    const code_model *m = s->model;
    size_t bytes = (size_t)m->n * sizeof *y;
    memcpy(s->y_event, y, bytes);
    memcpy(s->yp_event, yp, bytes);
    memset(s->toggles, 0, (size_t)m->n_roots * sizeof *s->toggles);
    for (int k = 0; k < SETTLE_MAX; k++) {
        relations_now(s, t, y, yp, s->small);
        bool moved = take_relations(s, s->small);
        moved = sweep_discrete(s, t, y, yp) || moved;
        if (!moved) return 0;
        *changed = true;
        int rc = event_follow(s, t, y, yp);
        if (rc < 0) return rc;
        if (rc) break; // no solution in this configuration: look among the others
    }
    if (!search(s, t, y, yp, false) || !search(s, t, y, yp, true)) return 0;
    event_name_restless(s, t);
    return 1;
}
