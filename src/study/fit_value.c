/* The likelihood of the data, its gradient, and the information about the parameters.
 *
 * With model value y, datum m and standard deviation s a row contributes to the negative logarithm
 *
 *     normal     log(2 pi s^2)/2 + ((m - y)/s)^2/2
 *     Laplace    log(2 s) + |m - y|/s
 *
 * y and m being logarithms where the observable is compared by them, with the density of m itself. The
 * information is the expected second derivative (Fisher): dy dy^T/s^2 + 2 ds ds^T/s^2, and dy dy^T/s^2 +
 * ds ds^T/s^2 for Laplace; it is never indefinite, and near an optimum it is the curvature.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/crew.h"
#include "run/verbs.h"
#include "study/fit_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846, LN10 = 2.302585092994045684;

typedef struct fit_run {
    vinc_sim *sim;
    vary_by *by;
    int n_by;
    double *Y, *Yp; // of the end, where others begin from it; (1 + m) n
    size_t bytes;
    bool rest_is_open; // equations alone do not decide where it rests
} fit_run;

/* Cases that one thread runs after one another, and what they add to the likelihood. Sums of shares are added in
 * their order, and shares are the same for any number of threads. */
typedef struct fit_share {
    int from, to; // cases
    double f;
    double *g, *h;          // gradient and information, n and n n
    double swing;           // the largest |dy/d log p| / |y| of a datum
    double *values, *moved; // of the outputs, and by parameter
    double *dy, *ds;        // by estimated parameter
    int rc;
    char why[300];
} fit_share;

enum { SHARES_MAX = 64 };

struct fit_runs {
    fit_problem *p;
    fit_run *runs; // by case
    fit_share shares[SHARES_MAX];
    int n_shares;
    crew *crew;
    double *x;      // parameters as they are, by parameter
    double swing;   // the largest of all shares
    double sharper; // what tolerances are multiplied by
    const char *why;
};

double fit_scaled(const fit_parameter *q, double value)
{
    return q->log ? log10(value) : value;
}

double fit_unscaled(const fit_parameter *q, double x)
{
    return q->log ? pow(10, x) : x;
}

const char *fit_failure(const fit_runs *r)
{
    return r->why;
}

/* ---- which parameters of the model move with which of the estimated ones ---------------------- */

static int add_target(fit_problem *p, fit_run *run, int number, const char *name)
{
    vary_by by = {.param = -1, .entry = -1, .sign = 1};
    text *why = fit_words(p);
    int rc = run_place_of(run->sim->state, name, &by.param, &by.entry, &by.sign, why);
    if (rc) return fit_fail(p->ctx, "C187", "'%s': %s", name, text_str(why));
    if (by.param < 0 && by.entry < 0)
        return fit_fail(p->ctx, "C187", "'%s' is no parameter and no start value of a state", name);
    const char *cannot = by.param >= 0 ? run_cannot_vary(run->sim->state, by.param) : NULL;
    if (cannot) return fit_fail(p->ctx, "C187", "'%s': %s", name, cannot);
    vary_by *first = &run->by[number];
    if (first->param < 0 && first->entry < 0) {
        *first = by;
    } else {
        by.next = first->next;
        run->by[run->n_by++] = by;
        first->next = run->n_by;
    }
    bool known = by.param < 0;
    for (int i = 0; i < p->n_asked && !known; i++) known = p->asked[i] == by.param;
    if (!known) p->asked[p->n_asked++] = by.param;
    return VINC_OK;
}

static int column_in_case(const fit_problem *p, const fit_case *c, const char *name)
{
    int column = p->conditions ? fit_table_column(p->conditions, name) : -1;
    return column >= 0 && c->row >= 0 && *fit_cell(p->conditions, c->row, column) ? column : -1;
}

static bool is_setting(const fit_table *t, int column)
{
    return strcmp(fit_cell(t, 0, column), "condition") != 0 &&
           strcmp(fit_cell(t, 0, column), "preequilibration") != 0;
}

static int find_targets(fit_problem *p, const fit_case *c, fit_run *run)
{
    const fit_table *t = p->conditions;
    int rc = VINC_OK, room = 2 * p->n_estimated + (t ? t->n_columns : 0) + 1;
    run->by = arena_array(p->a, vary_by, room);
    run->n_by = p->n_estimated;
    for (int i = 0; i < run->n_by; i++) run->by[i] = (vary_by){-1, -1, 1, 0, 0};
    for (int i = 0; i < p->n_parameters && !rc; i++) {
        const fit_parameter *q = &p->parameters[i];
        if (q->number < 0) continue;
        int at = p->order[q->number];
        if (column_in_case(p, c, q->name) < 0) rc = add_target(p, run, at, q->name);
        for (int k = 0; t && k < t->n_columns && !rc; k++)
            if (c->row >= 0 && is_setting(t, k) && !strcmp(fit_cell(t, c->row, k), q->name))
                rc = add_target(p, run, at, fit_cell(t, 0, k));
    }
    return rc;
}

static int set_values(fit_runs *r, int k)
{
    fit_problem *p = r->p;
    const fit_case *c = &p->cases[k];
    const fit_table *t = p->conditions;
    vinc_sim *s = r->runs[k].sim;
    int rc = VINC_OK;
    for (int i = 0; i < p->n_parameters && !rc; i++)
        if (column_in_case(p, c, p->parameters[i].name) < 0)
            rc = vinc_sim_set(s, p->parameters[i].name, r->x[i]);
    for (int j = 0; t && j < t->n_columns && !rc; j++) {
        double value;
        if (c->row < 0 || !is_setting(t, j) || !*fit_cell(t, c->row, j)) continue;
        if (!fit_number(fit_cell(t, c->row, j), &value))
            for (int i = 0; i < p->n_parameters; i++)
                if (!strcmp(p->parameters[i].name, fit_cell(t, c->row, j))) value = r->x[i];
        rc = vinc_sim_set(s, fit_cell(t, 0, j), value);
    }
    return rc;
}

static int begin_case(void *job)
{
    return api_begin(job);
}

/* Is an observable or a deviation this parameter itself, or made of such alone? */
static bool moves_constant(const fit_problem *p, const run_variation *x, int k)
{
    for (int i = 0; i < 2 * p->n_observables + p->n_formulas; i++) {
        const fit_quantity *q = i < 2 * p->n_observables
                                    ? (i % 2 ? &p->observables[i / 2].sd : &p->observables[i / 2].y)
                                    : &p->formulas[i - 2 * p->n_observables].sd;
        if (q->output < 0 ? vary_constant(x, k, q->column) != 0
                          : vary_is_output(x, k, p->outputs[q->output]))
            return true;
    }
    return false;
}

/* Derivatives that move nothing but observables come last: they are no unknowns. */
static int order_parameters(fit_runs *r, const code_variation *code, int *n_moving)
{
    fit_problem *p = r->p;
    bool *moves = arena_array(p->a, bool, p->n_estimated + 1),
         *acts = arena_array(p->a, bool, p->n_estimated + 1);
    memset(moves, 0, (size_t)p->n_estimated + 1);
    memset(acts, 0, (size_t)p->n_estimated + 1);
    for (int i = 0; i < p->n_parameters; i++) r->x[i] = p->parameters[i].value;
    for (int k = 0; k < p->n_cases; k++) {
        if (!p->cases[k].needed) continue;
        run_state *s = r->runs[k].sim->state;
        int rc = vary_new(s, code, r->runs[k].by, p->n_estimated, r->runs[k].n_by);
        if (!rc) rc = set_values(r, k);
        if (!rc) rc = api_run_guarded(r->runs[k].sim, begin_case, r->runs[k].sim);
        if (rc) return rc;
        for (int i = 0; i < p->n_estimated; i++) {
            int at = p->order[i]; // of the searches before this one
            const vary_by *by = &r->runs[k].by[at];
            bool is_there = by->param >= 0 || by->entry >= 0;
            moves[i] = moves[i] || vary_moves(vary_of(s), at);
            acts[i] = acts[i] || (is_there && !vary_does_nothing(vary_of(s), at)) ||
                      moves_constant(p, vary_of(s), at);
        }
    }
    for (int i = 0; i < p->n_parameters; i++)
        if (p->parameters[i].number >= 0 && !acts[p->parameters[i].number])
            return fit_fail(p->ctx, "C187",
                            "'%s' does nothing: no equation, start value, observable or noise of a "
                            "condition that has data depends on it",
                            p->parameters[i].name);
    int n = 0;
    for (int pass = 1; pass >= 0; pass--)
        for (int i = 0; i < p->n_estimated; i++)
            if (moves[i] == (pass == 1)) p->order[i] = n++;
    *n_moving = 0;
    for (int i = 0; i < p->n_estimated; i++) *n_moving += moves[i];
    return VINC_OK;
}

static void make_shares(fit_runs *r)
{
    fit_problem *p = r->p;
    size_t m = (size_t)p->n_estimated, n = (size_t)p->n_outputs;
    r->n_shares = p->n_cases < SHARES_MAX ? p->n_cases : SHARES_MAX;
    for (int i = 0; i < r->n_shares; i++) {
        fit_share *w = &r->shares[i];
        *w = (fit_share){.from = (int)((int64_t)p->n_cases * i / r->n_shares),
                         .to = (int)((int64_t)p->n_cases * (i + 1) / r->n_shares)};
        w->g = arena_array(p->a, double, m + 1);
        w->h = arena_array(p->a, double, m *m + 1);
        w->values = arena_array(p->a, double, n + 1);
        w->moved = arena_array(p->a, double, m *n + 1);
        w->dy = arena_array(p->a, double, m + 1);
        w->ds = arena_array(p->a, double, m + 1);
    }
}

int fit_runs_new(fit_problem *p, int threads, fit_runs **out)
{
    vinc_sim_options o = p->o->run ? *p->o->run : (vinc_sim_options){0};
    const double REL_TOL = 1e-9, ABS_TOL = 1e-14; // choices: likelihoods to 1e-6 and better
    fit_runs *r = *out = arena_new(p->a, fit_runs);
    size_t m = (size_t)p->n_estimated;
    *r = (fit_runs){.p = p, .sharper = 1, .why = ""};
    r->runs = arena_array(p->a, fit_run, p->n_cases);
    memset(r->runs, 0, (size_t)p->n_cases * sizeof *r->runs);
    make_shares(r);
    r->crew = crew_new(&p->ctx->m, threads < r->n_shares ? threads : r->n_shares);
    r->x = arena_array(p->a, double, p->n_parameters + 1);
    if (!(o.rel_tol > 0)) o.rel_tol = REL_TOL;
    if (!(o.abs_tol > 0)) o.abs_tol = ABS_TOL;
    o.vars = o.sens = NULL;
    int rc = VINC_OK, n_moving = 0;
    const code_variation *code = NULL;
    if (!p->asked) {
        p->asked = arena_array(
            p->a, int, p->n_parameters + (p->conditions ? p->conditions->n_columns : 0) + 1);
        p->order = arena_array(p->a, int, p->n_estimated + 1);
        for (int i = 0; i < p->n_estimated; i++) p->order[i] = i;
    }
    for (int k = 0; k < p->n_cases && !rc; k++) {
        if (!p->cases[k].needed) continue;
        rc = vinc_sim_new(p->model, &o, &r->runs[k].sim);
        if (!rc) rc = find_targets(p, &p->cases[k], &r->runs[k]);
    }
    const api_compiled *made = p->model->compiled;
    for (int k = 0; k < p->n_cases && !rc; k++)
        if (p->cases[k].needed)
            for (made = p->model->compiled; made->code != r->runs[k].sim->code;) made = made->next;
    if (!rc) rc = api_compile_variation(p->model, made, p->asked, p->n_asked, &code);
    if (!rc) rc = order_parameters(r, code, &n_moving);
    for (int k = 0; k < p->n_cases && !rc; k++) {
        fit_run *run = &r->runs[k];
        if (!p->cases[k].needed) continue;
        rc = find_targets(p, &p->cases[k], run); // in the new order
        if (!rc) rc = vary_new(run->sim->state, code, run->by, p->n_estimated, run->n_by);
        if (rc) break;
        vary_keep_moving(vary_of(run->sim->state), n_moving);
        rc = vary_record(vary_of(run->sim->state), p->outputs, p->n_outputs);
        run->bytes = (1 + m) * ((size_t)run_problem(run->sim->state)->n + 1) * sizeof(double);
        run->Y = mem_try(&run->sim->m, run->bytes);
        run->Yp = mem_try(&run->sim->m, run->bytes);
        if (!run->Y || !run->Yp) rc = VINC_E_MEMORY;
    }
    return rc;
}

void fit_runs_free(fit_runs *r)
{
    if (!r) return;
    crew_free(r->crew);
    for (int k = 0; r->runs && k < r->p->n_cases; k++) {
        fit_run *run = &r->runs[k];
        if (!run->sim) continue;
        mem_free(&run->sim->m, run->Y, run->Y ? run->bytes : 0);
        mem_free(&run->sim->m, run->Yp, run->Yp ? run->bytes : 0);
        vinc_sim_free(run->sim);
        run->sim = NULL;
    }
}

/* ---- one run --------------------------------------------------------------------------------- */

static int fail_run(fit_share *w, const fit_case *c, const char *why)
{
    snprintf(w->why, sizeof w->why, "%s%s%s", c->name, *c->name ? ": " : "", why);
    return VINC_E_EVALUATION;
}

/* The start, or the state of rest of another case under the settings of this one. */
static int begin_run(fit_runs *r, fit_share *w, int k)
{
    fit_problem *p = r->p;
    fit_run *run = &r->runs[k], *from = p->cases[k].rest >= 0 ? &r->runs[p->cases[k].rest] : NULL;
    vinc_sim *s = run->sim;
    run_variation *x = vary_of(s->state);
    int n = run_problem(s->state)->n, rc = set_values(r, k);
    const double *dy, *dyp;
    diag_sink said = *s->sink;
    if (!rc) rc = api_initialize(s);
    if (rc < 0 && rc != VINC_E_MEMORY && rc != VINC_E_INTERRUPTED) {
        const char *words = s->sink->last ? s->sink->last->text : "no start values are found";
        rc = fail_run(w, &p->cases[k], words);
    }
    diag_forget_since(s->sink, said);
    if (rc < 0) return rc;
    vary_started(x, &dy, &dyp);
    int m = vary_moving(x);
    memcpy(run->Y, s->y, (size_t)n * sizeof(double));
    memcpy(run->Yp, s->yp, (size_t)n * sizeof(double));
    memcpy(run->Y + n, dy, (size_t)m * (size_t)n * sizeof(double));
    memcpy(run->Yp + n, dyp, (size_t)m * (size_t)n * sizeof(double));
    if (!from) return VINC_OK;
    const uint8_t *differential = run_model(s->state)->system.differential;
    for (int i = 0; i < (1 + m) * n; i++)
        if (differential[i % n]) run->Y[i] = from->Y[i];
    rc = run_follow(s->state, s->options.t_start, run->Y, run->Yp);
    if (!rc)
        rc = vary_follow(x, s->options.t_start, run->Y, run->Yp, m, NULL, true, run->Y + n,
                         run->Yp + n);
    return rc ? fail_run(w, &p->cases[k], "no values follow from the state of rest") : VINC_OK;
}

static int add_datum_value(const fit_runs *r, fit_share *w, const fit_run *run, const fit_datum *d,
                           fit_value *out, int number)
{
    fit_problem *p = r->p;
    const fit_observable *o = &p->observables[d->observable];
    run_variation *x = vary_of(run->sim->state);
    int n = p->n_estimated;
    bool own_noise = !isnan(d->noise);
    double y = o->y.sign * (o->y.output < 0 ? run_constant(run->sim->state, o->y.column)
                                            : w->values[o->y.output]);
    const fit_quantity *sd = d->formula >= 0 ? &p->formulas[d->formula].sd : &o->sd;
    double s = own_noise ? d->noise
                         : sd->sign * (sd->output < 0 ? run_constant(run->sim->state, sd->column)
                                                      : w->values[sd->output]);
    double m = d->value, slope = 1, density = 0;
    if (out->model) out->model[number] = y, out->sd[number] = s;
    if (isnan(d->value)) return VINC_OK; // for a curve: nothing was observed
    if (o->scale != FIT_LIN) {
        double unit = o->scale == FIT_LOG10 ? LN10 : 1;
        slope = 1 / (y * unit);
        density = log(m * unit);
        y = y > 0 ? log(y) / unit : NAN;
        m = log(m) / unit;
    }
    if (!isfinite(y) || !(s > 0)) {
        snprintf(w->why, sizeof w->why, "'%s' at t = %g: %s", o->name, d->t,
                 s > 0 ? "the model value has no logarithm or is no number"
                       : "the standard deviation is not positive");
        return VINC_E_EVALUATION;
    }
    double e = (m - y) / s, by_y, by_s, of_s;
    if (o->kind == FIT_LAPLACE) {
        w->f += log(2 * s) + fabs(e) + density;
        by_y = -(e > 0 ? 1 : e < 0 ? -1 : 0) / s;
        by_s = (1 - fabs(e)) / s;
        of_s = 1;
    } else {
        w->f += log(2 * PI * s * s) / 2 + e * e / 2 + density;
        by_y = -e / s;
        by_s = (1 - e * e) / s;
        of_s = 2;
    }
    if (!out->g) return VINC_OK;
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        if (q->number < 0) continue;
        int at = p->order[q->number], row = at * p->n_outputs;
        double unit = q->log ? r->x[i] * LN10 : 1;
        double dy =
            o->y.output < 0 ? vary_constant(x, at, o->y.column) : w->moved[row + o->y.output];
        double ds = own_noise        ? 0
                    : sd->output < 0 ? vary_constant(x, at, sd->column)
                                     : w->moved[row + sd->output];
        w->dy[q->number] = o->y.sign * dy * slope * unit;
        w->ds[q->number] = sd->sign * ds * unit;
        double size = o->scale == FIT_LIN ? fmax(fabs(y), s) : 1;
        double part = q->log ? fabs(w->dy[q->number]) / LN10 : fabs(w->dy[q->number] * r->x[i]);
        w->swing = fmax(w->swing, part / size);
    }
    for (int i = 0; i < n; i++) {
        w->g[i] += by_y * w->dy[i] + by_s * w->ds[i];
        for (int j = 0; j < n && (w->dy[i] != 0 || w->ds[i] != 0); j++)
            w->h[i + j * n] += (w->dy[i] * w->dy[j] + of_s * w->ds[i] * w->ds[j]) / (s * s);
    }
    return VINC_OK;
}

/* The data of one time, at a point. */
static int add_data_at(fit_runs *r, fit_share *w, int k, double t, const double *Y,
                       const double *Yp, int *next, int number, fit_value *out)
{
    const fit_case *c = &r->p->cases[k];
    fit_run *run = &r->runs[k];
    int rc = run_values(run->sim->state, t, Y, Yp, r->p->outputs, r->p->n_outputs, w->values);
    if (rc) return fail_run(w, c, "an observable has no value");
    if (out->g) vary_outputs(vary_of(run->sim->state), t, Y, Yp, w->moved);
    for (; *next < c->n_data && c->data[*next].t == t && !rc; ++*next)
        rc = add_datum_value(r, w, run, &c->data[*next], out, number + *next);
    return rc;
}

/* What follows from a state of rest has its error in every condition: it is found this much better. */
static const double REST_PART = 1e-3, REST_TOL_MIN = 1e-12, REL_TOL_MIN = 1e-13;
enum { DECADES_AT_REST = 2, STEPS_TO_REST_MAX = 50000 };

/* Has nothing moved since `before`, by more than a part of itself and of what is large beside it? Rates are
 * no measure: where large ones cancel, their rounding times a long time is anything. Derivatives are large
 * where they would change y by its size as their parameter changes by its own. */
static bool is_quiet(const vinc_problem *p, double part, const double *before, const double *Y)
{
    int n = p->n / (p->blocks > 1 ? p->blocks : 1);
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(Y[i]));
    for (int i = 0; i < p->n; i++) {
        double large = size * p->nominal[i] / p->nominal[i % n];
        if (p->differential[i] && fabs(Y[i] - before[i]) > part * (fabs(Y[i]) + 1e-3 * large))
            return false;
    }
    return true;
}

/* On to t: VINC_OK, or why not. */
static int advance(sim_session *session, vinc_sim *s, double t)
{
    int rc = sim_advance(session, t, false);
    if (rc == VINC_STOPPED || (rc && watch_look(&s->watch))) return VINC_E_INTERRUPTED;
    return rc == VINC_EVENT ? VINC_OK : rc == VINC_TERMINATED ? VINC_E_STOPPED : rc;
}

static sim_options options_of(const fit_runs *r, vinc_sim *s, double stop)
{
    sim_options o = api_driver_options(s);
    o.no_rows = true;
    o.intervals = 0;
    o.t_stop = stop;
    o.rel_tol = fmax(r->sharper * o.rel_tol, fmin(REL_TOL_MIN, o.rel_tol));
    o.abs_tol *= r->sharper;
    return o;
}

/* Runs from Y of a case on: VINC_OK and a session, which close_session ends in any case. */
typedef struct fit_session {
    result *none;
    sim_outcome done;
    sim_session *session;
} fit_session;

static int open_session(fit_session *q, fit_run *run, const vinc_problem *problem,
                        const sim_options *o)
{
    vinc_sim *s = run->sim;
    *q = (fit_session){0};
    if (result_new(&s->m, &q->none) < 0) return VINC_E_MEMORY;
    watch_begin(&s->watch, 0);
    int rc = sim_open(&s->m, problem, run->Y, run->Yp, o, q->none, &q->done, &q->session);
    return rc == VINC_EVENT ? VINC_OK : rc;
}

static int close_session(fit_session *q, fit_share *w, const fit_case *c, fit_run *run, int rc)
{
    if (rc && rc != VINC_E_INTERRUPTED && rc != VINC_E_MEMORY && !*w->why)
        rc = fail_run(
            w, c, q->done.message.n ? text_str(&q->done.message) : "the run ends before the data");
    if (!q->none) return rc;
    sim_close(q->session, run->Y, run->Yp);
    text_done(&q->done.message);
    result_free(q->none);
    return rc;
}

/* On until nothing moves any more: then that is where Y is, and *t the time. */
static int integrate_to_rest(fit_runs *r, fit_share *w, int k, const vinc_problem *problem,
                             double *t)
{
    const double REST_MOST = 1e12; // units of time: what has not come to rest by then does not
    const fit_case *c = &r->p->cases[k];
    fit_run *run = &r->runs[k];
    vinc_sim *s = run->sim;
    sim_options o = options_of(r, s, REST_MOST);
    if (!o.max_steps) o.max_steps = STEPS_TO_REST_MAX;
    o.rel_tol = fmax(REST_PART * o.rel_tol, fmin(REST_TOL_MIN, o.rel_tol));
    fit_session q;
    int quiet = 0, rc = open_session(&q, run, problem, &o);
    for (double reach = 1; !rc && quiet < DECADES_AT_REST; reach *= 10) {
        const double *Y, *Yp;
        if (reach > REST_MOST) rc = fail_run(w, c, "it does not come to rest");
        else rc = advance(q.session, s, s->options.t_start + reach);
        sim_point(q.session, t, &Y, &Yp);
        if (rc == VINC_E_LIMIT) rc = fail_run(w, c, "it does not come to rest");
        if (rc || !Y) break;
        quiet = is_quiet(problem, s->options.rel_tol, run->Y, Y) ? quiet + 1 : 0;
        memcpy(run->Y, Y, (size_t)problem->n * sizeof *Y);
    }
    return close_session(&q, w, c, run, rc);
}

/* What no event interrupts may go to rest alone: its derivatives there are those of the equations. */
static bool may_rest_alone(const fit_run *run, const vinc_problem *p)
{
    double t = run->sim->options.t_start;
    return !run->rest_is_open && !p->n_roots && !p->reselect &&
           !(p->next_time_event && p->next_time_event(p->user, t) < INFINITY);
}

/* Derivatives are carried along only where the equations of rest do not determine them. */
static int come_to_rest(fit_runs *r, fit_share *w, int k)
{
    fit_run *run = &r->runs[k];
    run_state *s = run->sim->state;
    run_variation *x = vary_of(s);
    const vinc_problem *plain = run_problem(s);
    double t = run->sim->options.t_start;
    if (may_rest_alone(run, plain)) {
        int n = plain->n, rc = integrate_to_rest(r, w, k, plain, &t);
        if (!rc) rc = vary_rest(x, t, vary_moving(x), run->Y, run->Yp, run->Y + n, run->Yp + n);
        if (rc <= 0) return rc;
        run->rest_is_open = true;
        rc = begin_run(r, w, k);
        if (rc) return rc;
    }
    return integrate_to_rest(r, w, k, vary_problem(x), &t);
}

static int integrate_case(fit_runs *r, fit_share *w, int k, int number, fit_value *out)
{
    const fit_case *c = &r->p->cases[k];
    fit_run *run = &r->runs[k];
    vinc_sim *s = run->sim;
    double t = s->options.t_start;
    int next = 0, rc = VINC_OK;
    if (!c->n_data) return come_to_rest(r, w, k);
    const vinc_problem *problem = vary_problem(vary_of(s->state)); // decides what moves
    if (c->data[0].t <= t) rc = add_data_at(r, w, k, t, run->Y, run->Yp, &next, number, out);
    if (rc || next == c->n_data) return rc;
    sim_options o = options_of(r, s, c->data[c->n_data - 1].t);
    fit_session q;
    rc = open_session(&q, run, problem, &o);
    while (!rc && next < c->n_data) {
        const double *Y, *Yp;
        rc = advance(q.session, s, c->data[next].t);
        sim_point(q.session, &t, &Y, &Yp);
        if (!rc && Y) rc = add_data_at(r, w, k, c->data[next].t, Y, Yp, &next, number, out);
        else if (!rc) rc = VINC_E_STOPPED;
    }
    return close_session(&q, w, c, run, rc);
}

typedef struct fit_evaluation {
    fit_runs *r;
    fit_value *out;
    bool rests; // of the cases that others begin from; else those that have data
} fit_evaluation;

static void evaluate_share(void *job, int part, int worker)
{
    fit_evaluation *e = job;
    fit_share *w = &e->r->shares[part];
    const fit_case *cases = e->r->p->cases;
    int number = 0;
    (void)worker;
    for (int k = 0; k < w->from; k++) number += cases[k].n_data;
    for (int k = w->from; k < w->to && !w->rc; number += cases[k++].n_data) {
        if (!cases[k].needed || (cases[k].n_data == 0) != e->rests) continue;
        w->rc = begin_run(e->r, w, k);
        if (!w->rc) w->rc = integrate_case(e->r, w, k, number, e->out);
    }
}

/* The first failure in the order of the cases, but what ends the whole search before all others. */
static int failure_of_shares(fit_runs *r)
{
    const fit_share *first = NULL;
    for (int i = 0; i < r->n_shares; i++) {
        const fit_share *w = &r->shares[i];
        if (w->rc == VINC_E_INTERRUPTED || w->rc == VINC_E_MEMORY) return w->rc;
        if (w->rc && !first) first = w;
    }
    if (!first) return VINC_OK;
    r->why = first->why;
    return first->rc < 0 ? first->rc : VINC_E_EVALUATION;
}

static int evaluate_once(fit_runs *r, const double *x, fit_value *out)
{
    fit_problem *p = r->p;
    size_t n = (size_t)p->n_estimated;
    int rc = VINC_OK;
    r->why = "";
    r->swing = 0;
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        r->x[i] = q->number < 0 ? q->value : fit_unscaled(q, x[q->number]);
    }
    for (int i = 0; i < r->n_shares; i++) {
        fit_share *w = &r->shares[i];
        w->f = w->swing = 0;
        w->rc = w->why[0] = 0;
        memset(w->g, 0, n * sizeof *w->g);
        if (out->g) memset(w->h, 0, n * n * sizeof *w->h);
    }
    for (int pass = 0; pass < 2 && !rc; pass++) {
        fit_evaluation e = {r, out, pass == 0};
        crew_run(r->crew, evaluate_share, &e, r->n_shares);
        rc = failure_of_shares(r);
    }
    if (rc) return rc;
    out->f = 0;
    if (out->g) memset(out->g, 0, n * sizeof *out->g);
    if (out->g) memset(out->h, 0, n * n * sizeof *out->h);
    for (int i = 0; i < r->n_shares; i++) {
        const fit_share *w = &r->shares[i];
        out->f += w->f;
        r->swing = fmax(r->swing, w->swing);
        for (size_t j = 0; out->g && j < n; j++) out->g[j] += w->g[j];
        for (size_t j = 0; out->g && j < n * n; j++) out->h[j] += w->h[j];
    }
    return isfinite(out->f) ? VINC_OK : VINC_E_EVALUATION;
}

/* An error of a run is like a change of parameters: where these move data by many times their own change,
 * errors are magnified as much, and runs are made as much more accurate. */
int fit_evaluate(fit_runs *r, const double *x, fit_value *out)
{
    const double SWING_LARGE = 100; // choice: published problems have 3 and less, or 1e5
    r->sharper = 1;
    int rc = evaluate_once(r, x, out);
    if (rc || !(r->swing > SWING_LARGE)) return rc;
    r->sharper = 1 / r->swing;
    return evaluate_once(r, x, out);
}
