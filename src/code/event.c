/* Events: what happens where a relation changes, a time is reached or a sample is due.
 *
 *     repeat
 *         relations, discrete equations and continuous unknowns until they agree   (settle)
 *         actions whose clause fires: reinit, assert, terminate
 *         pre(v) := v
 *     until nothing changes
 *
 * Modelica Language Specification 3.6, section 8.6. Settling is a fixed-point iteration; where it
 * cycles (ideal diodes, clutches: conditions that depend on what they switch) the relations that
 * keep changing are tried in all combinations, and one that agrees with the solution it leads to is
 * taken.
 *
 * Relations of time alone are foretold, not searched for: at their time they take the value they
 * have just after it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SETTLE_MAX = 30,   // plain iterations before combinations are tried
    SEARCHED_MAX = 12, // relations in a combination
    ROUNDS_MAX = 100   // of the event iteration
};

/* ---- lowering ----------------------------------------------------------------------------------
 */

/* New values of discrete variables, in order of evaluation. */
static bool lower_discrete(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = s->discrete.n;
    expr *value = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int k = 0; k < n; k++) {
        const structure_equation *e = &s->discrete.at[k];
        const structure_var *v = &s->vars[e->block]; // the variable it defines
        const flat_var *f = &s->flat->vars.at[e->block];
        expr var = expr_var(l->p, s->n_flat + v->place, 0, (expr_type)f->type, f->enum_id);
        at[k] = e->at;
        value[k] = e->lhs == var ? e->rhs : e->lhs;
        if (e->lhs == var || e->rhs == var) continue;
        diag_error(l->sink, "S152", e->at,
                   "the discrete variable '%s' must stand alone on one side of its equation",
                   f->name);
        return false;
    }
    return code_function(l, value, at, n, "this discrete equation", true, &m->discrete);
}

static bool lower_relations(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = m->n_roots = s->relations.n;
    expr *roots = arena_array(l->scratch, expr, n), *values = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int k = 0; k < n; k++) {
        roots[k] = s->relations.at[k].root;
        values[k] = s->relations.at[k].relation;
        at[k] = s->relations.at[k].at;
    }
    return code_function(l, roots, at, n, "this relation", true, &m->roots) &&
           code_function(l, values, at, n, "this relation", true, &m->relations);
}

/* A reinit needs a component of y that is integrated. */
static bool find_state(code_model *m, lowering *l, int k)
{
    structure *s = m->s;
    const structure_action *a = &s->actions.at[k];
    expr var = a->var;
    m->action_sign[k] = 1;
    if (expr_at(l->p, var)->op == EXPR_NEG) {
        var = expr_at(l->p, var)->u.arg[0];
        m->action_sign[k] = -1;
    }
    int entry = structure_entry_of(s, var);
    form_place at = entry < 0 ? (form_place){0} : m->form->places[entry];
    if (at.where == FORM_IN_Y && m->role[at.at] != CODE_ALGEBRAIC) {
        m->action_y[k] = at.at;
        return true;
    }
    text name;
    text_init(&name, l->scratch->m);
    expr_print(l->p, a->var, EXPR_MODELICA, 60, &name);
    diag_error(l->sink, "S160", a->at,
               "reinit: '%s' is not a state, so it cannot be given a new value; reinit the "
               "variable whose derivative "
               "the model integrates",
               text_str(&name));
    text_done(&name);
    return false;
}

static bool lower_actions(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = s->actions.n;
    expr *roots = arena_array(l->scratch, expr, 2 * n);
    span *at = arena_array(l->scratch, span, 2 * n);
    m->action_y = arena_array(l->a, int, n);
    m->action_sign = arena_array(l->a, double, n);
    for (int k = 0; k < n; k++) {
        const structure_action *a = &s->actions.at[k];
        m->action_y[k] = -1;
        if (a->kind == FLAT_REINIT && !find_state(m, l, k)) return false;
        m->n_always += a->kind == FLAT_ASSERT && !a->fire;
        roots[2 * k] = a->fire ? a->fire : l->p->no;
        roots[2 * k + 1] = a->value ? a->value : l->p->yes;
        at[2 * k] = at[2 * k + 1] = a->at;
    }
    return code_function(l, roots, at, 2 * n, "this statement", true, &m->actions);
}

static bool lower_samples(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = s->samples.n;
    expr *roots = arena_array(l->scratch, expr, 2 * n);
    span *at = arena_array(l->scratch, span, 2 * n);
    for (int k = 0; k < n; k++) {
        roots[2 * k] = s->samples.at[k].start;
        roots[2 * k + 1] = s->samples.at[k].interval;
        at[2 * k] = at[2 * k + 1] = s->samples.at[k].at;
    }
    return code_function(l, roots, at, 2 * n, "this sample()", true, &m->samples);
}

static bool lower_first(code_model *m, lowering *l)
{
    structure *s = m->s;
    expr *value = arena_array(l->scratch, expr, s->first.n);
    span *at = arena_array(l->scratch, span, s->first.n);
    for (int k = 0; k < s->first.n; k++) {
        value[k] = s->first.at[k].rhs;
        at[k] = s->first.at[k].at;
    }
    return code_function(l, value, at, s->first.n, "this initial equation", true, &m->first);
}

bool code_lower_events(code_model *m, lowering *l)
{
    return lower_relations(m, l) && lower_discrete(m, l) && lower_first(m, l) &&
           lower_actions(m, l) && lower_samples(m, l);
}

bool code_has_events(const code_model *m)
{
    return m->n_roots || m->discrete.n_out || m->samples.n_out;
}

/* ---- state -------------------------------------------------------------------------------------
 */

void code_event_layout(code_state *s, const code_model *m, bump *b)
{
    size_t samples = (size_t)m->s->samples.n, relations = (size_t)m->n_roots, n = (size_t)m->n;
    s->sample_start = bump_double(b, 2 * samples);
    s->sample_interval = bump_double(b, samples);
    s->sample_next = bump_double(b, samples);
    s->foretold = bump_double(b, relations);
    s->y_event = bump_double(b, n);
    s->yp_event = bump_double(b, n);
    s->toggles = bump_int(b, relations);
}

static double ulp(double t)
{
    return 4 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

/* Start and interval may depend on parameters that the start decides: they are read at the first
 * event. */
static void schedule_samples(code_state *s, double t0, const double *y, const double *yp)
{
    const structure *x = s->model->s;
    if (s->scheduled || !x->samples.n) return;
    s->scheduled = true;
    code_eval(s, &s->model->samples, t0, y, yp, s->sample_start,
              NULL); // start, interval, start ...
    for (int k = x->samples.n - 1; k >= 0; k--) s->sample_interval[k] = s->sample_start[2 * k + 1];
    for (int k = 0; k < x->samples.n; k++) {
        double start = s->sample_start[k] = s->sample_start[2 * k],
               interval = s->sample_interval[k];
        double missed = interval > 0 && start < t0 ? ceil((t0 - start) / interval - 1e-9) : 0;
        s->sample_next[k] = start + missed * interval;
    }
}

static void complain(code_state *s, span at, const char *words)
{
    if (s->event_why[0]) return;
    snprintf(s->event_why, sizeof s->event_why, "%s", words);
    s->event_at = at;
}

/* ---- settling ----------------------------------------------------------------------------------
 */

static int follow(code_state *s, double t, double *y, double *yp)
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
    double after = s->w[STRUCTURE_W_INITIAL] != 0 ? t : t + ulp(t);
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
        if (follow(s, t, y, yp)) continue;
        if (!relations_now(s, t, y, yp, s->small) && !sweep_discrete(s, t, y, yp)) return 0;
    }
    return 1;
}

static void name_relations(code_state *s, double t)
{
    const structure *x = s->model->s;
    for (int k = 0; k < s->model->n_roots; k++)
        if (s->toggles[k] > 3) {
            char words[200];
            snprintf(words, sizeof words,
                     "the event at t = %.10g does not settle: this condition and what depends on "
                     "it change back and "
                     "forth without end",
                     t);
            complain(s, x->relations.at[k].at, words);
            return;
        }
    complain(s, (span){0, 0}, "the event does not settle");
}

static int settle(code_state *s, double t, double *y, double *yp, bool *changed)
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
        int rc = follow(s, t, y, yp);
        if (rc < 0) return rc;
        if (rc) break; // no solution in this configuration: look among the others
    }
    if (!search(s, t, y, yp, false) || !search(s, t, y, yp, true)) return 0;
    name_relations(s, t);
    return 1;
}

/* ---- actions -----------------------------------------------------------------------------------
 */

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
    complain(s, a->at, words);
}

/* Returns 1 when a state was given a new value, 0 when nothing happened, < 0 to stop,
 * VINC_TERMINATED. */
static int act(code_state *s, double t, double *y, const double *yp)
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

/* ---- the iteration -----------------------------------------------------------------------------
 */

static bool past_is_present(code_state *s) // pre(v) := v; true when all were equal
{
    const structure *x = s->model->s;
    bool equal = true;
    for (int k = 0; k < x->discrete.n; k++) {
        double *w = &s->w[x->vars[x->discrete.at[k].block].place];
        equal = equal && w[0] == w[1];
        w[1] = w[0];
    }
    return equal;
}

int code_update_discrete(code_state *s, double t, double *y, double *yp, int *changed)
{
    bool any = false;
    *changed = 0;
    if (s->w[STRUCTURE_W_INITIAL] !=
        0) { // the past is given: by start values and initial equations
        int rc = settle(s, t, y, yp, &any);
        *changed = any;
        return rc;
    }
    for (int k = 0; k < ROUNDS_MAX; k++) {
        int rc = settle(s, t, y, yp, &any);
        *changed = any;
        if (rc) return rc;
        int acted = act(s, t, y, yp);
        if (acted < 0 || acted == VINC_TERMINATED) return acted;
        bool same = past_is_present(s);
        if (acted) {
            any = true;
            rc = follow(s, t, y, yp);
            if (rc) return rc;
        }
        *changed = any = any || !same;
        if (same && !acted) return 0;
    }
    name_relations(s, t);
    return 1;
}

/* When each relation of time alone changes next, from two values of its root. */
static void foretell(code_state *s, const double *y, const double *yp)
{
    const code_model *m = s->model;
    if (!m->n_roots) return;
    code_eval(s, &m->roots, 0, y, yp, s->small, NULL);
    code_eval(s, &m->roots, 1, y, yp, s->small2, NULL);
    for (int k = 0; k < m->n_roots; k++) {
        double slope = s->small2[k] - s->small[k];
        s->foretold[k] =
            m->s->relations.at[k].of_time && slope != 0 ? -s->small[k] / slope : INFINITY;
    }
}

static void mark_samples(code_state *s, double t, bool on)
{
    const structure *x = s->model->s;
    for (int k = 0; k < x->samples.n; k++) {
        bool due = s->sample_next[k] <= t + ulp(t);
        s->w[x->samples.at[k].place] = on && due;
        if (!on && due && s->sample_interval[k] > 0) {
            // Counted from the start, so that a thousand intervals do not add up their round-off.
            double n =
                floor((s->sample_next[k] - s->sample_start[k]) / s->sample_interval[k] + 1.5);
            s->sample_next[k] = s->sample_start[k] + n * s->sample_interval[k];
        } else if (!on && due) {
            s->sample_next[k] = INFINITY;
        }
    }
}

int code_event(void *user, double t, double *y, double *yp, int *changed)
{
    code_state *s = user;
    int after = 0;
    if (!s->started) past_is_present(s); // the initial values are the first past
    s->started = true;
    schedule_samples(s, t, y, yp);
    mark_samples(s, t, true);
    int rc = code_update_discrete(s, t, y, yp, changed);
    mark_samples(s, t, false);
    if (!rc && s->model->s->samples.n) rc = code_update_discrete(s, t, y, yp, &after);
    foretell(s, y, yp);
    return rc;
}

double code_next_event(void *user, double t)
{
    code_state *s = user;
    const code_model *m = s->model;
    double next = INFINITY, least = t + ulp(t);
    for (int k = 0; k < m->s->samples.n; k++)
        if (s->sample_next[k] > least) next = fmin(next, s->sample_next[k]);
    for (int k = 0; k < m->n_roots; k++)
        if (m->s->relations.at[k].of_time && s->foretold[k] > least)
            next = fmin(next, s->foretold[k]);
    return next;
}
