/* Settling: relations, discrete equations and continuous unknowns until they agree.
 *
 * A fixed-point iteration. Where it cycles (ideal diodes, clutches: conditions that depend on what
 * they switch) only the first of the relations that disagree is changed at a time: K. G. Murty, Linear
 * Complementarity, Linear and Nonlinear Programming, 1988, section 4.2; it ends for circuits of diodes
 * with resistances, whose matrices have positive principal minors. Where that does not end either, the
 * relations that keep changing are tried in all combinations, and one that agrees with the solution it
 * leads to is taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"
#include "run/vary.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SETTLE_MAX = 30,  // plain iterations before
    EXACT_MAX = 8,    // ... after which sides that count as equal keep their order
    SINGLE_MAX = 100, // changes of one relation at a time before combinations are tried
    SEARCHED_MAX = 12 // relations in a combination
};
/* Unknowns that are solved for again move by their rounding times a condition number; where they
 * still move by so little after a few passes, they have not moved. */
enum { PASSES_BEFORE_ROUNDING = 3 };
static const double ROUNDING = 1000 * DBL_EPSILON;
static const double CLAIM_DISTANCE = 1e-6; // of Real sides: what the search for start values leaves
static const double TIE_DISTANCE = 1e-9; // of sides that count as equal where nothing else settles

int run_follow(run_state *s, double t, double *y, double *yp)
{
    run_forget_factors(s);
    int rc = s->problem.rhs ? s->problem.rhs(s, t, y, yp) : run_solve_dependent(s, t, y, yp);
    run_forget_factors(s);
    return rc;
}

/* At the start a clause of which initial() is no condition must not fire: it has no past. */
static void hold_conditions(run_state *s)
{
    const image_events *x = &s->model->events.list;
    if (s->w[IMAGE_W_INITIAL] == 0) return;
    for (int k = 0; k < x->n_conditions; k++) {
        double *w = &s->w[x->conditions[k].place];
        if (!x->conditions[k].initial) w[1] = w[0];
    }
}

/* Values from which discrete variables start, where an initial equation gives them. One may be that
 * of another: pre(a) = pre(b). */
static void first_values(run_state *s, double t, const double *y, const double *yp)
{
    const image_events *x = &s->model->events.list;
    if (s->w[IMAGE_W_INITIAL] == 0) return;
    bool moved = x->n_first > 0;
    for (int pass = 0; pass < x->n_first && moved; pass++) {
        moved = false;
        run_eval(s, &s->model->events.first, t, y, yp, s->events.discrete.first, NULL);
        for (int k = 0; k < x->n_first; k++) {
            double value = s->events.discrete.first[k], *past = &s->w[x->first[k].place + 1];
            // An equation that asks for half an integer has no solution: it is found broken then.
            if (x->first[k].whole) value = rint(value);
            moved = moved || *past != value;
            *past = value;
        }
    }
}

int run_broken_claim(run_state *s, double t, const double *y, const double *yp, double side[2])
{
    double *v = s->events.discrete.claims;
    int n = s->model->events.claims.n_out / 2;
    if (!n) return -1;
    run_eval(s, &s->model->events.claims, t, y, yp, v, NULL);
    for (int k = 0; k < n; k++, v += 2) {
        double room =
            s->model->events.claims_real[k] ? CLAIM_DISTANCE * (fabs(v[0]) + fabs(v[1]) + 1) : 0;
        if (fabs(v[0] - v[1]) <= room) continue;
        side[0] = v[0];
        side[1] = v[1];
        return k;
    }
    return -1;
}

/* Variables of a cell whose clauses do not fire are what they were. */
static bool back_to_past(run_state *s, int cell)
{
    const image_events *x = &s->model->events.list;
    bool moved = false;
    for (int i = 0; i < s->events.discrete.n_moved; i++) {
        int k = s->events.discrete.moved[i];
        double past = s->w[x->discrete[k].place + 1];
        if (s->model->events.discrete.cell[k] == cell) moved = event_set(s, k, past) || moved;
    }
    return moved;
}

/* What is due of the discrete equations, all from the values of before; then what that has made due
 * ... */
static bool sweep_discrete(run_state *s, double t, const double *y, const double *yp, bool call)
{
    const code_cells *c = &s->model->events.discrete;
    cell_front *f = &s->events.discrete.front;
    bool changed = false, initial = s->w[IMAGE_W_INITIAL] != 0;
    if (s->events.w_given) {
        cell_touch_all(c, f);
        cell_touch_all(&s->model->events.acts, &s->events.actions.front);
    }
    cell_touch_live(f);
    f->complete = initial || s->events.w_given || vary_at_event(s);
    // One sweep per equation is enough for any order of dependence between them.
    for (int pass = 0; pass <= c->n_items; pass++) {
        bool moved = false;
        if (initial) cell_touch_all(c, f);
        first_values(s, t, y, yp);
        if (initial) event_note_present(s, t, y, yp); // there is no past yet
        tape_args args = run_args(s, t, y, yp);
        cell_run(c, f, &args, call && pass == 0);
        if (vary_at_event(s)) moved = vary_cells_ran(s, t, y, yp);
        for (int k = 0; k < f->n_ran; k++) {
            int cell = f->ran[k], first = c->first[cell];
            if (!f->out[k]) {
                moved = back_to_past(s, cell) || moved;
                continue;
            }
            for (int i = first; i < c->first[cell + 1]; i++) {
                double value = f->out[k][i - first];
                if (!isfinite(value)) run_note_fault(s, t, y, yp);
                moved = event_set(s, c->item[i], value) || moved;
            }
        }
        hold_conditions(s);
        if (!moved) break;
        changed = true;
    }
    return changed;
}

bool run_refresh_relations(run_state *s, double t, const double *y, const double *yp)
{
    if (!code_has_events(&s->model->events)) return false;
    event_forget_flips(s);
    bool changed = event_relations(s, t, y, yp, 0, true) > 0;
    return sweep_discrete(s, t, y, yp, false) || changed;
}

/* The same, but of the conditions that disagree the first alone changes. */
bool run_refresh_first(run_state *s, double t, const double *y, const double *yp)
{
    const code_model *m = s->model;
    double *kept = s->events.relations.kept;
    double tie = s->events.relations.ties ? TIE_DISTANCE : 0;
    bool found = false, changed = event_relations(s, t, y, yp, tie, false) > 0;
    if (!changed) return sweep_discrete(s, t, y, yp, false);
    for (int k = 0; k < m->events.n_relations; k++)
        kept[k] = s->w[m->events.list.relations[k].place];
    event_relations(s, t, y, yp, 0, true);
    for (int k = 0; k < m->events.n_relations; k++) {
        double *w = &s->w[m->events.list.relations[k].place];
        if (*w == kept[k] || !event_is_condition(s, k)) continue;
        if (found) *w = kept[k];
        found = true;
    }
    family_find_places(s);
    s->events.w_given = true;
    sweep_discrete(s, t, y, yp, false);
    return true;
}

/* One condition after the other, each time from the point at which the event began. */
static int settle_singly(run_state *s, double t, double *y, double *yp)
{
    size_t bytes = (size_t)s->model->n * sizeof *y;
    for (int k = 0; k < SINGLE_MAX; k++) {
        memcpy(y, s->events.y, bytes);
        memcpy(yp, s->events.yp, bytes);
        if (run_follow(s, t, y, yp)) return 1;
        if (!run_refresh_first(s, t, y, yp)) return 0;
    }
    return 1;
}

/* Does the configuration agree with its own solution? Sides that differ by no more than `tie` may
 * be ordered either way. */
static bool agrees(run_state *s, double t, double *y, double *yp, double tie)
{
    size_t bytes = (size_t)s->model->n * sizeof *y;
    memcpy(y, s->events.y, bytes);
    memcpy(yp, s->events.yp, bytes);
    sweep_discrete(s, t, y, yp, false);
    return !run_follow(s, t, y, yp) && !event_relations(s, t, y, yp, tie, false) &&
           !sweep_discrete(s, t, y, yp, false);
}

static int count_ones(unsigned c)
{
    int n = 0;
    for (; c; c &= c - 1) n++;
    return n;
}

/* All combinations of the relations that kept changing, or of all, with the fewest changes first:
 * the first that agrees with its own solution. A trigger may have to jump over a region that it
 * never rests in. */
static int settle_search(run_state *s, double t, double *y, double *yp, bool all, double tie)
{
    const code_model *m = s->model;
    int list[SEARCHED_MAX], n = 0;
    for (int k = 0; k < m->events.n_relations; k++)
        if (event_is_condition(s, k) && (all || s->events.relations.toggles[k] > 3)) {
            if (n == SEARCHED_MAX) return 1;
            list[n++] = k;
        }
    unsigned now = 0;
    for (int k = 0; k < n; k++)
        if (s->w[m->events.list.relations[list[k]].place] != 0) now |= 1u << k;
    for (int flips = 0; flips <= n; flips++)
        for (unsigned c = 0; c < 1u << n; c++) {
            if (count_ones(c) != flips) continue;
            for (int k = 0; k < n; k++)
                s->w[m->events.list.relations[list[k]].place] = ((c ^ now) >> k) & 1;
            if (agrees(s, t, y, yp, tie)) return 0;
        }
    return 1;
}

/* The unknowns of this configuration. Those that differ from the last ones by rounding alone are the
 * last ones: a discrete variable that holds a function of them would never come to rest. */
static int follow_again(run_state *s, double t, double *y, double *yp, int pass)
{
    size_t n = (size_t)s->model->n, bytes = n * sizeof *y;
    double *last = s->events.last;
    if (pass < PASSES_BEFORE_ROUNDING) return run_follow(s, t, y, yp);
    memcpy(last, y, bytes);
    memcpy(last + n, yp, bytes);
    int rc = run_follow(s, t, y, yp);
    if (rc) return rc;
    for (size_t i = 0; i < n; i++) {
        double size = s->nominal[i];
        if (!(fabs(y[i] - last[i]) <= ROUNDING * (fabs(y[i]) + size)) ||
            !(fabs(yp[i] - last[n + i]) <= ROUNDING * (fabs(yp[i]) + size)))
            return 0;
    }
    memcpy(y, last, bytes);
    memcpy(yp, last + n, bytes);
    return 0;
}

/* Takes the relations as they read now. Where rounding decides and every solution decides otherwise, as for a
 * thousand limiters at rest on their limit, they are left as they are. */
static bool read_relations(run_state *s, double t, const double *y, const double *yp, int pass)
{
    bool ties = s->events.relations.ties || pass >= EXACT_MAX;
    if (ties && !event_relations(s, t, y, yp, TIE_DISTANCE, false)) return false;
    return event_relations(s, t, y, yp, 0, true) > 0;
}

void run_hold_ties(run_state *s, bool hold)
{
    s->events.relations.ties = hold;
}

int event_settle(run_state *s, double t, double *y, double *yp, bool *changed)
{
    const code_model *m = s->model;
    size_t bytes = (size_t)m->n * sizeof *y;
    memcpy(s->events.y, y, bytes);
    memcpy(s->events.yp, yp, bytes);
    event_forget_toggles(s);
    for (int k = 0; k < SETTLE_MAX; k++) {
        bool moved = read_relations(s, t, y, yp, k);
        moved = sweep_discrete(s, t, y, yp, false) || moved;
        s->events.w_given = false;
        if (!moved) return 0;
        *changed = true;
        int rc = follow_again(s, t, y, yp, k);
        if (rc < 0) return rc;
        if (rc && s->w[IMAGE_W_INITIAL] != 0) return 0; // the search for start values goes on
        if (rc) break; // no solution in this configuration: look among the others
    }
    s->events.w_given = true;
    if (!settle_singly(s, t, y, yp)) return 0;
    for (int k = 0; k < 4; k++)
        if (!settle_search(s, t, y, yp, k & 1, k < 2 ? 0 : TIE_DISTANCE)) {
            s->events.w_given = false;
            family_find_places(s);
            return 0;
        }
    return 1;
}

bool event_call(run_state *s, double t, const double *y, const double *yp, bool *changed)
{
    if (!s->model->events.discrete.asks || !s->events.discrete.front.holds) return false;
    *changed = sweep_discrete(s, t, y, yp, true);
    return true;
}

int event_pass(run_state *s, double t, double *y, double *yp)
{
    size_t bytes = (size_t)s->model->n * sizeof *y;
    memcpy(y, s->events.y, bytes);
    memcpy(yp, s->events.yp, bytes);
    event_forget_flips(s);
    s->events.w_given = true;
    event_relations(s, t, y, yp, 0, true);
    sweep_discrete(s, t, y, yp, false);
    return run_follow(s, t, y, yp);
}
