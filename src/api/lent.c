/* A run in the hands of another integrator (model exchange): time and states come from outside, and
 * what follows from them is found here.
 *
 * States are independent. Where constraints leave a choice, a state is a combination sum P_ij y_j of
 * the variables of a group; P is kept while time passes and chosen anew in an event, after
 * vinc_sim_accept has asked for one, or an indicator of its own has changed its sign where steps are
 * long: the states then have other values, and the motion is the same.
 * Constraints of all levels are solved for, so they hold at every point whatever the integrator does.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "base/bump.h"
#include "newton/iterate.h"
#include "run/verbs.h"

#include <math.h>
#include <string.h>

/* A time event counts as reached when it is nearer than this part of the time: sums of steps differ in
 * their last digits from products. A hundred roundings. */
static const double TIME_SLACK = 100 * 2.220446049250313e-16;

/* A point of the trajectory: the start, an event, a step that was kept. */
typedef struct lent_point {
    double t, *x, *y, *yp;
} lent_point;

struct api_lent {
    int n;                   // states
    int n_y;                 // components of y
    double t;                // of the caller
    double *x, *next;        // states as given; as an event leaves them
    double *y, *yp;          // the last point that could be evaluated
    double t_kept;           // ... its time
    lent_point last, before; // the last one of the trajectory, and the last one before its time
    double *wanted;          // states, while points on the way to them are tried
    double *y_way, *yp_way;  // ... the last of these
    double *y_slope;         // ... what it is more than the one before
    double *w;               // the choice of states before a trial
    int n_w;
    bool stale; // y and y' do not follow from t, x and the inputs yet
    size_t bytes;
};

static size_t lent_layout(api_lent *l, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *l);
    l->x = bump_double(&b, (size_t)l->n);
    l->next = bump_double(&b, (size_t)l->n);
    l->y = bump_double(&b, (size_t)l->n_y);
    l->yp = bump_double(&b, (size_t)l->n_y);
    l->w = bump_double(&b, (size_t)l->n_w);
    lent_point *points[] = {&l->last, &l->before};
    for (int k = 0; k < 2; k++) {
        points[k]->x = bump_double(&b, (size_t)l->n);
        points[k]->y = bump_double(&b, (size_t)l->n_y);
        points[k]->yp = bump_double(&b, (size_t)l->n_y);
    }
    l->wanted = bump_double(&b, (size_t)l->n);
    l->y_way = bump_double(&b, (size_t)l->n_y);
    l->yp_way = bump_double(&b, (size_t)l->n_y);
    l->y_slope = bump_double(&b, (size_t)l->n_y);
    return bump_end(&b);
}

void api_lent_free(vinc_sim *s)
{
    if (s->lent) mem_free(&s->m, s->lent, s->lent->bytes);
    s->lent = NULL;
}

/* The problem that holds at present: another one while the motion slides along a surface. */
static const vinc_problem *lent_problem(const vinc_sim *s)
{
    const vinc_problem *p = run_problem(s->state);
    return p->follows ? p->follows(p->user) : p;
}

/* ---- which they are -------------------------------------------------------------------------- */

bool api_is_plain_state(const code_model *m, int i)
{
    return m->system.role[i] == CODE_STATE && m->system.differential[i];
}

static int n_combinations(const image_group *q)
{
    return q->n_columns - q->n_constraints;
}

int vinc_sim_n_states(const vinc_sim *s)
{
    if (!s) return 0;
    const code_model *m = run_model(s->state);
    int n = 0;
    for (int i = 0; i < m->n; i++) n += api_is_plain_state(m, i);
    for (int g = 0; g < m->formulation.n_groups; g++)
        n += n_combinations(&m->formulation.groups[g]);
    return n;
}

int vinc_sim_state_value(const vinc_sim *s, int i)
{
    if (!s || i < 0) return -1;
    const code_model *m = run_model(s->state);
    int at = 0;
    for (; at < m->n && (!api_is_plain_state(m, at) || i-- > 0); at++) continue;
    if (at == m->n) return -1;
    const vinc_problem *p = run_problem(s->state);
    return code_find_column(s->code, p->unknown_name(p->user, at));
}

static api_lent *lent_new(vinc_sim *s)
{
    const code_model *m = run_model(s->state);
    api_lent probe = {.n = vinc_sim_n_states(s), .n_y = m->n, .n_w = m->n_w};
    probe.bytes = lent_layout(&probe, NULL);
    api_lent *l = mem_try(&s->m, probe.bytes);
    if (!l) return NULL;
    memset(l, 0, probe.bytes);
    *l = probe;
    lent_layout(l, l);
    return l;
}

/* ---- states and y ---------------------------------------------------------------------------- */

static double lent_combination(const vinc_sim *s, const image_group *q, int row, const double *y)
{
    const double *P = run_discrete_values(s->state) + q->w + (size_t)row * (size_t)q->n_columns;
    double sum = 0;
    for (int j = 0; j < q->n_columns; j++) sum += P[j] * y[q->columns[j]];
    return sum;
}

double api_state_of(const vinc_sim *s, int i, const double *y)
{
    const code_model *m = run_model(s->state);
    for (int k = 0; k < m->n; k++)
        if (api_is_plain_state(m, k) && i-- == 0) return y[k];
    for (int g = 0; g < m->formulation.n_groups; g++) {
        const image_group *q = &m->formulation.groups[g];
        if (i < n_combinations(q)) return lent_combination(s, q, i, y);
        i -= n_combinations(q);
    }
    return NAN;
}

static void lent_gather(const vinc_sim *s, const double *y, double *x)
{
    const code_model *m = run_model(s->state);
    int k = 0;
    for (int i = 0; i < m->n; i++)
        if (api_is_plain_state(m, i)) x[k++] = y[i];
    for (int g = 0; g < m->formulation.n_groups; g++) {
        const image_group *q = &m->formulation.groups[g];
        for (int i = 0; i < n_combinations(q); i++) x[k++] = lent_combination(s, q, i, y);
    }
}

/* y is moved, in units of the nominals as little as possible, to where its combinations are x. Rows of
 * P are orthogonal in these units. */
static void lent_scatter(vinc_sim *s)
{
    const api_lent *l = s->lent;
    const code_model *m = run_model(s->state);
    const double *nominal = run_nominal(s->state), *w = run_discrete_values(s->state);
    int k = 0;
    for (int i = 0; i < m->n; i++)
        if (api_is_plain_state(m, i)) s->y[i] = l->x[k++];
    for (int g = 0; g < m->formulation.n_groups; g++) {
        const image_group *q = &m->formulation.groups[g];
        for (int i = 0; i < n_combinations(q); i++, k++) {
            const double *P = w + q->w + (size_t)i * (size_t)q->n_columns;
            double far = l->x[k] - lent_combination(s, q, i, s->y), norm = 0;
            for (int j = 0; j < q->n_columns; j++) {
                double size = P[j] * nominal[q->columns[j]];
                norm += size * size;
            }
            for (int j = 0; j < q->n_columns && norm > 0; j++) {
                double size = nominal[q->columns[j]];
                s->y[q->columns[j]] += P[j] * size * size * far / norm;
            }
        }
    }
}

static void lent_keep(vinc_sim *s)
{
    size_t bytes = (size_t)s->lent->n_y * sizeof *s->y;
    memcpy(s->lent->y, s->y, bytes);
    memcpy(s->lent->yp, s->yp, bytes);
    s->lent->t_kept = s->lent->t;
}

static void lent_keep_point(vinc_sim *s)
{
    api_lent *l = s->lent;
    size_t bytes = (size_t)l->n_y * sizeof *s->y;
    if (l->t > l->last.t) {
        lent_point free = l->before;
        l->before = l->last;
        l->last = free;
    }
    l->last.t = l->t;
    if (l->n) memcpy(l->last.x, l->x, (size_t)l->n * sizeof *l->x);
    memcpy(l->last.y, s->y, bytes);
    memcpy(l->last.yp, s->yp, bytes);
}

/* A run begins here, or comes back: nothing lies before. */
static void lent_keep_first(vinc_sim *s)
{
    s->lent->before.t = INFINITY;
    s->lent->last.t = s->lent->t;
    lent_keep_point(s);
}

/* The point of the trajectory at or before the present time. */
static const lent_point *lent_behind(const api_lent *l)
{
    return l->t < l->last.t && l->t >= l->before.t ? &l->before : &l->last;
}

static void lent_go_to(vinc_sim *s, const lent_point *q)
{
    size_t bytes = (size_t)s->lent->n_y * sizeof *s->y;
    memcpy(s->y, q->y, bytes);
    memcpy(s->yp, q->yp, bytes);
}

/* What failed, as a message of the run. */
static int lent_failed(vinc_sim *s, int rc)
{
    size_t bytes = (size_t)s->lent->n_y * sizeof *s->y;
    s->done.status = rc > 0 ? VINC_E_EVALUATION : rc == VINC_E_MEMORY ? rc : VINC_E_STOPPED;
    s->done.t_end = s->lent->t;
    text_clear(&s->done.message);
    if (rc > 0)
        text_printf(&s->done.message,
                    "no rates and algebraic variables were found for the states at t = %.10g: a "
                    "shorter step may help; where the equations do not determine them, as where a "
                    "capacitance vanishes, only an implicit method finds a way: use co-simulation",
                    s->lent->t);
    api_conclude(s, s->done.status, &s->done);
    memcpy(s->y, s->lent->y, bytes);
    memcpy(s->yp, s->lent->yp, bytes);
    return api_told(s, s->done.status);
}

static int lent_solve(vinc_sim *s)
{
    const vinc_problem *p = lent_problem(s);
    lent_scatter(s);
    return p->rhs ? p->rhs(p->user, s->lent->t, s->y, s->yp)
                  : run_solve_dependent(s->state, s->lent->t, s->y, s->yp);
}

/* A way from the trajectory to the point that is wanted, for integrators that try points far ahead. Equations
 * with kinks (an amplifier that saturates) are solved from one side of a kink to the other where the
 * step across is short enough, and by no search from afar. Between kinks the way goes on straight: with an
 * amplification of 1e5, the point before is no guess for the next. */
typedef struct lent_way {
    vinc_sim *s;
    const lent_point *from;
    double t;                // of its end
    double part, slope_part; // of the last point; from the one before it to that, 0: not known
} lent_way;

static void way_keep(void *user)
{
    const lent_way *x = user;
    api_lent *l = x->s->lent;
    memcpy(l->y_way, x->s->y, (size_t)l->n_y * sizeof *l->y_way);
    memcpy(l->yp_way, x->s->yp, (size_t)l->n_y * sizeof *l->yp_way);
}

static void way_back(void *user)
{
    lent_way *x = user;
    api_lent *l = x->s->lent;
    memcpy(x->s->y, l->y_way, (size_t)l->n_y * sizeof *l->y_way);
    memcpy(x->s->yp, l->yp_way, (size_t)l->n_y * sizeof *l->yp_way);
    x->slope_part = 0; // there may be a kink ahead
}

static int way_solve(void *user, double part)
{
    lent_way *x = user;
    api_lent *l = x->s->lent;
    double *y = x->s->y, step = part - x->part;
    l->t = part < 1 ? x->from->t + part * (x->t - x->from->t) : x->t;
    for (int i = 0; i < l->n; i++)
        l->x[i] = part < 1 ? x->from->x[i] + part * (l->wanted[i] - x->from->x[i]) : l->wanted[i];
    if (x->slope_part > 0)
        for (int i = 0; i < l->n_y; i++) y[i] += step / x->slope_part * l->y_slope[i];
    int rc = lent_solve(x->s);
    if (rc) return rc;
    for (int i = 0; i < l->n_y; i++) l->y_slope[i] = y[i] - l->y_way[i];
    x->slope_part = step;
    x->part = part;
    return 0;
}

static int lent_approach(vinc_sim *s)
{
    static const newton_path_verbs verbs = {way_solve, way_keep, way_back};
    api_lent *l = s->lent;
    lent_way x = {.s = s, .from = lent_behind(l), .t = l->t};
    double reached;
    int attempts = 0;
    lent_go_to(s, x.from);
    if (l->n) memcpy(l->wanted, l->x, (size_t)l->n * sizeof *l->x);
    int rc = newton_continue(&verbs, &x, &newton_path_of_lent, &reached, &attempts);
    l->t = x.t;
    if (l->n) memcpy(l->x, l->wanted, (size_t)l->n * sizeof *l->x);
    return rc ? rc : reached < 1;
}

/* Near the point before; on a way from the trajectory; and then, because a branch may have ended, anywhere. */
static int lent_find(vinc_sim *s)
{
    api_lent *l = s->lent;
    // Back in time: where equations have several solutions, that of later is not the one to begin with.
    if (l->t < l->t_kept) lent_go_to(s, lent_behind(l));
    run_search_near(s->state, true);
    int rc = lent_solve(s);
    if (rc > 0) rc = lent_approach(s);
    run_search_near(s->state, false);
    if (rc <= 0) return rc;
    lent_go_to(s, lent_behind(l));
    return lent_solve(s);
}

int api_lent_follow(vinc_sim *s)
{
    api_lent *l = s->lent;
    if (!l->stale) return VINC_OK;
    int rc = lent_find(s);
    if (rc) return lent_failed(s, rc);
    lent_keep(s);
    l->stale = false;
    return VINC_OK;
}

double api_lent_time(const vinc_sim *s)
{
    return s->lent->t;
}

void api_lent_touch(vinc_sim *s)
{
    s->lent->stale = true;
}

void api_lent_return(vinc_sim *s, double t, const double *x, const double *y, const double *yp)
{
    size_t bytes = (size_t)s->lent->n_y * sizeof *s->y;
    memcpy(s->y, y, bytes);
    memcpy(s->yp, yp, bytes);
    s->lent->t = t;
    s->lent->stale = false;
    lent_keep(s);
    if (s->lent->n) memcpy(s->lent->x, x, (size_t)s->lent->n * sizeof *x);
    lent_keep_first(s);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int needs_lent(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc || s->lent) return rc;
    return api_refuse_call(s, "C115", "the run has not been lent: call vinc_sim_lend first");
}

static int lent_begin(vinc_sim *s)
{
    const vinc_problem *p = run_problem(s->state);
    int changed = 0;
    s->lent = lent_new(s);
    if (!s->lent) return api_told(s, VINC_E_MEMORY);
    s->lent->t = s->options.t_start;
    lent_keep(s);
    int rc = p->event ? p->event(p->user, s->lent->t, s->y, s->yp, &changed) : 0;
    if (rc == VINC_TERMINATED) rc = 0; // told by the next event
    if (!rc && p->check) rc = p->check(p->user, s->lent->t, s->y, s->yp);
    if (rc) return lent_failed(s, rc);
    lent_keep(s);
    lent_gather(s, s->y, s->lent->x);
    lent_keep_first(s);
    return VINC_OK;
}

int vinc_sim_lend(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (run_model(s->state)->events.delays.n_out)
        return api_refuse_call(
            s, "C125",
            "a model with delay() or spatialDistribution() needs the points between the steps "
            "of its integrator, which another one does not give: use it in co-simulation, or "
            "step it by vinc_sim_advance");
    s->input_changed = false;
    watch_begin(&s->watch, s->callbacks.max_time);
    rc = api_clear(s);
    if (!rc) rc = api_prepare(s, s->result.r);
    if (rc) return api_told(s, rc);
    api_driver_options(s); // warnings of the model are heard from here on
    s->done = (sim_outcome){.t_end = s->options.t_start, .violation = {-1, -1, -1}, .worst = -1};
    text_init(&s->done.message, &s->m);
    s->ran = true;
    rc = lent_begin(s);
    if (rc) api_lent_free(s);
    return rc;
}

/* ---- points ---------------------------------------------------------------------------------- */

int vinc_sim_place(vinc_sim *s, double t, const double *x)
{
    int rc = needs_lent(s);
    if (rc) return rc;
    api_lent *l = s->lent;
    if (!isfinite(t)) return api_refuse_call(s, "C116", "a time is needed that is a number");
    for (int i = 0; x && i < l->n; i++)
        if (!isfinite(x[i])) return api_refuse_call(s, "C118", "a state is not a number");
    if (t != l->t) api_lent_touch(s);
    l->t = t;
    if (x && l->n && memcmp(x, l->x, (size_t)l->n * sizeof *x)) {
        memcpy(l->x, x, (size_t)l->n * sizeof *x);
        api_lent_touch(s);
    }
    return VINC_OK;
}

int vinc_sim_states(vinc_sim *s, double *x, double *nominal)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (!s->lent && !s->session) return needs_lent(s);
    const code_model *m = run_model(s->state);
    if (x && s->lent && s->lent->n) memcpy(x, s->lent->x, (size_t)s->lent->n * sizeof *x);
    else if (x) lent_gather(s, s->session ? api_session_y(s) : s->y, x);
    int k = 0, n = vinc_sim_n_states(s);
    for (int i = 0; nominal && i < m->n; i++)
        if (api_is_plain_state(m, i)) nominal[k++] = run_nominal(s->state)[i];
    for (; nominal && k < n; k++) nominal[k] = 1; // P is in units of the nominals
    return VINC_OK;
}

/* Lent or stepped: the point is in s->y and s->yp, and up to date. */
int api_point(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (s->session) return api_session_y(s) ? VINC_OK : VINC_E_MEMORY;
    rc = needs_lent(s);
    return rc ? rc : api_lent_follow(s);
}

int vinc_sim_rates(vinc_sim *s, double *rates)
{
    int rc = api_point(s);
    if (!rc && vinc_sim_n_states(s) && !rates)
        rc = api_refuse_call(s, "C118", "room for the rates is needed");
    if (!rc) lent_gather(s, s->yp, rates);
    return rc;
}

int vinc_sim_n_indicators(const vinc_sim *s)
{
    return s ? run_problem(s->state)->n_roots + run_model(s->state)->formulation.n_groups : 0;
}

int vinc_sim_indicators(vinc_sim *s, double *g)
{
    int rc = api_point(s);
    if (rc || !vinc_sim_n_indicators(s)) return rc;
    if (!g) return api_refuse_call(s, "C118", "room for the indicators is needed");
    const vinc_problem *p = lent_problem(s);
    rc = p->roots ? p->roots(p->user, vinc_sim_time(s), s->y, s->yp, g) : 0;
    if (!rc) rc = run_choice_margins(s->state, vinc_sim_time(s), s->y, s->yp, g + p->n_roots);
    if (!rc) return VINC_OK;
    return s->lent ? lent_failed(s, rc)
                   : api_refuse_call(s, "C119", "the indicators cannot be evaluated here");
}

/* ---- events ---------------------------------------------------------------------------------- */

int vinc_sim_before_event(vinc_sim *s)
{
    int rc = needs_lent(s);
    if (!rc) rc = api_lent_follow(s);
    if (!rc) run_note_before(s->state, s->lent->t, s->y, s->yp);
    return rc;
}

static double lent_next(const vinc_sim *s, double t)
{
    const vinc_problem *p = run_problem(s->state);
    return p->next_time_event ? p->next_time_event(p->user, t) : INFINITY;
}

/* Constraints that the formulation leaves to drift are met again. */
static int lent_project(vinc_sim *s, double t)
{
    const vinc_problem *p = run_problem(s->state);
    bool own = run_model(s->state)->formulation.n_groups > 0; // they hold already
    if (own || !p->project || p != lent_problem(s)) return 0;
    int rc = p->project(p->user, t, s->y, s->yp);
    return rc || !p->rhs ? rc : p->rhs(p->user, t, s->y, s->yp);
}

static int lent_update(vinc_sim *s, double t, vinc_event_report *out)
{
    const vinc_problem *p = run_problem(s->state);
    int changed = 0, rc = p->event ? p->event(p->user, t, s->y, s->yp, &changed) : 0;
    if (!p->event) rc = p->rhs ? p->rhs(p->user, t, s->y, s->yp) : 0;
    out->changed = changed > 0;
    out->terminated = rc == VINC_TERMINATED;
    if (out->terminated) rc = 0;
    if (!rc && p->check) rc = p->check(p->user, t, s->y, s->yp);
    if (!rc) rc = lent_project(s, t);
    if (!rc && p->reselect && p->reselect(p->user, t, s->y, s->yp) < 0) rc = -1;
    return rc;
}

int vinc_sim_event(vinc_sim *s, vinc_event_report *out)
{
    int rc = needs_lent(s);
    if (!rc && !out) rc = api_refuse_call(s, "C104", "room for what an event did is needed");
    if (!rc) rc = api_lent_follow(s);
    if (rc) return rc;
    api_lent *l = s->lent;
    *out = (vinc_event_report){0};
    double t = l->t, next = lent_next(s, t);
    if (isfinite(next) && next - t <= TIME_SLACK * fabs(next)) t = next;
    rc = lent_update(s, t, out);
    if (rc) return lent_failed(s, rc);
    lent_keep(s);
    lent_gather(s, s->y, l->next);
    out->states_changed = l->n && memcmp(l->x, l->next, (size_t)l->n * sizeof *l->x) != 0;
    out->changed = out->changed || out->states_changed;
    if (l->n) memcpy(l->x, l->next, (size_t)l->n * sizeof *l->x);
    out->next_time = lent_next(s, t);
    lent_keep_point(s);
    return api_heed(s->model->ctx);
}

/* Would other states be chosen here? The choice itself stays: it belongs to an event. */
static int lent_choice_tires(vinc_sim *s, bool *tired)
{
    const vinc_problem *p = lent_problem(s);
    double *w = run_discrete_values(s->state);
    *tired = false;
    if (!p->reselect) return 0;
    memcpy(s->lent->w, w, (size_t)s->lent->n_w * sizeof *w);
    int rc = p->reselect(p->user, s->lent->t, s->y, s->yp);
    if (rc <= 0) return rc;
    *tired = true;
    memcpy(w, s->lent->w, (size_t)s->lent->n_w * sizeof *w);
    return 0;
}

/* Have constraints drifted by more than the tolerance of the run? */
static bool lent_drifts(vinc_sim *s)
{
    const vinc_problem *p = lent_problem(s);
    double v[3];
    if (run_model(s->state)->formulation.n_groups || !p->project || !p->violation) return false;
    if (p->violation(p->user, s->lent->t, s->y, s->yp, v)) return false;
    return fmax(v[0], v[1]) > s->options.rel_tol;
}

int vinc_sim_accept(vinc_sim *s, int *event)
{
    bool tired;
    int rc = needs_lent(s);
    if (!rc && !event) rc = api_refuse_call(s, "C104", "room for the answer is needed");
    if (!rc) rc = api_lent_follow(s);
    if (rc) return rc;
    const vinc_problem *p = lent_problem(s);
    *event = 0;
    if (p->check && p->check(p->user, s->lent->t, s->y, s->yp) < 0) return lent_failed(s, -1);
    rc = lent_choice_tires(s, &tired);
    if (rc) return lent_failed(s, rc);
    *event = tired || lent_drifts(s);
    lent_keep_point(s);
    return api_heed(s->model->ctx);
}
