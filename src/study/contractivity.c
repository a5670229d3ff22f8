/* `vincolo run --contractivity`: do neighbouring numerical solutions come nearer to each other, in a
 * norm that the user may choose (state_norm.h)?
 *
 * The problem is judged along its solution, found with error control whatever the method studied:
 * where the logarithmic norm of its Jacobian is positive at one point it is not contractive in this
 * norm. That no point was found proves nothing, unless the Jacobian is constant.
 *
 * The run is repeated from start values moved a little along each state in turn; the ratio of the
 * distances at successive points is the contraction factor of the method on this model. A
 * contractive problem (logarithmic norm of its Jacobian not positive) should be met by factors not
 * above 1: algebraically stable methods guarantee it (K. Burrage & J. C. Butcher, SIAM J. Numer.
 * Anal. 16 (1979) 46-57) in norms of an inner product. In others, as the max-norm, a method does so
 * for every step only if its order is 1 at most (M. N. Spijker, Numer. Math. 42 (1983) 271-290).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/verbs.h"
#include "study/state_norm.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIRECTIONS = 12 };
enum { FEW = 10, MANY = 200 };        // points where the problem is judged
static const double DENSE_WORK = 4e9; // operations spent on that
static const double NUDGE = 1e-6;     // in nominals
static const double APART = 1e-6;     // a factor above 1 by more than that moves solutions apart
static const double POSITIVE = 1e-12; // a logarithmic norm below, in units of the Jacobian, is not

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...) TOLD(vinc_contractivity, __VA_ARGS__)
static const told_field contractivity_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(WORD, "method", method),
    FIELD(WORD, "norm", norm),
    FIELD(BOOL, "contractive", contractive),
    FIELD(REAL, "largest_factor", largest_factor),
    FIELD(REAL, "t_largest", t_largest),
    FIELD(REAL, "total_factor", total_factor),
    FIELD(REAL, "logarithmic_norm", logarithmic_norm),
    FIELD(REAL, "t_norm", t_norm),
    FIELD(BOOL, "problem_contractive", problem_contractive),
    FIELD(WORD, "problem", problem),
    FIELD(INT, "points_tried", n_judged),
    TOLD_LIST(vinc_contractivity, REALS, "t", t, n_points),
    TOLD_LIST(vinc_contractivity, REALS, "distance", distance, n_points),
    FIELD(REAL, "t_start", t_start, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_end", t_end, .flags = TOLD_HIDDEN),
    FIELD(INT, "directions", n_directions, .flags = TOLD_HIDDEN),
    FIELD(WORD, "blame", blame, .flags = TOLD_HIDDEN),
    FIELD(WORD, "because", because, .flags = TOLD_HIDDEN),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

static const told_line contractivity_lines[] = {
    {.words = "{class} by {method}, t = {t_start} ... {t_end}, {directions} "
              "direction{directions?|s}\n  norm         {norm}\n  verdict      "},
    {.words = "contractive along this run: neighbouring solutions never moved apart\n",
     .when = "contractive"},
    {.words = "not contractive{blame}\n", .unless = "contractive"},
    {.words = "  distances    largest factor of one interval {largest_factor:%.9g}, at t = "
              "{t_largest:%.6g}\n"
              "               of the whole run {total_factor:%.6g}\n"
              "  problem      logarithmic norm of its Jacobian {because}\n"},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind study_contractivity = {
    .name = "contractivity",
    .command = "run --contractivity",
    .summary = "does a method bring neighbouring solutions of a model nearer to each other",
    .size = sizeof(vinc_contractivity),
    .fields = contractivity_fields,
    .lines = contractivity_lines,
};

/* ---- the study ------------------------------------------------------------------------------- */

typedef struct contractivity_job {
    vinc_sim *s;
    const vinc_contractivity_options *o;
    vinc_contractivity **out;
    int n, *states; // components of y that are moved
    int n_columns, *columns;
    int *component;       // of the columns: which of y
    double *apart, *work; // deviations by component of y; for the norm
    state_norm norm;
    result *base; // the run itself
    /* The problem itself. */
    double mu, t_mu; // largest logarithmic norm of the Jacobian, and when
    double size;     // of the Jacobian there
    bool constant;   // the Jacobian is the same everywhere
    int n_judged;    // points
    size_t rows;
    double *t, *most; // by row: largest distance over the directions, relative to the start
    double factor, t_factor, total; // largest ratio of one step, where; of the whole run
} contractivity_job;

static int prepare_directions(void *job)
{
    contractivity_job *j = job;
    vinc_sim *s = j->s;
    linear_point l;
    int rc = study_linearize(s, s->options.t_start, NULL, &s->a, &l);
    if (rc) return rc;
    j->n = l.s.n < MOST_DIRECTIONS ? l.s.n : MOST_DIRECTIONS;
    j->states = l.s.state;
    j->constant = l.constant;
    if (j->n > 0) return state_norm_read(s, &l, j->o->norm, &s->a, &j->norm);
    diag_error(&s->model->ctx->diags, "C163", (span){0}, "%s has no states to move apart",
               s->model->flat->name);
    return VINC_E_MODEL;
}

/* ---- the problem along its solution ---------------------------------------------------------- */

typedef struct walk {
    contractivity_job *j;
    vinc_sim *s;  // the run that finds the solution
    vinc_sim *at; // linearized at its points, so that the run is not disturbed
    double t;
    arena point; // what one point needs
} walk;

static int judge_point(void *job)
{
    walk *w = job;
    contractivity_job *j = w->j;
    const vinc_problem *p = run_problem(w->at->state);
    linear_point l;
    double size;
    const double *y, *yp;
    sim_point(w->s->session, &w->t, &y, &yp);
    memcpy(w->at->y, y, (size_t)p->n * sizeof *y);
    memcpy(w->at->yp, yp, (size_t)p->n * sizeof *yp);
    run_take_discrete(w->at->state, w->s->state);
    int rc = study_linearize(w->at, w->t, NULL, &w->point, &l);
    if (rc) return rc;
    double mu = state_norm_logarithmic(&j->norm, &l.s, &w->point, &size);
    if (isnan(mu)) {
        diag_error(
            &w->s->model->ctx->diags, "C168", (span){0},
            "--norm: at t = %.6g the states are others than those of the matrix at the start; "
            "take 1, 2 or inf, with weights",
            w->t);
        return VINC_E_OPTION;
    }
    if (!j->n_judged++ || mu > j->mu) j->mu = mu, j->t_mu = w->t, j->size = size;
    return VINC_OK;
}

static int judge_here(walk *w)
{
    vinc_ctx *ctx = w->s->model->ctx;
    arena_init(&w->point, &ctx->m);
    int rc = api_guarded(ctx, judge_point, w);
    arena_done(&w->point);
    return rc;
}

/* At points evenly spaced, and after every event. */
static int walk_along(walk *w)
{
    vinc_sim *s = w->s;
    double begin = s->options.t_start, length = s->options.t_stop - begin;
    double n = run_problem(s->state)->n, allowed = DENSE_WORK / fmax(1, n * n * n);
    int points = w->j->constant || !(length > 0) ? 0 : (int)fmin(fmax(allowed, FEW), MANY);
    int rc = vinc_sim_start(s);
    if (!rc) rc = judge_here(w);
    for (int i = 1; i <= points && !rc; i++) {
        double next = i == points ? s->options.t_stop : begin + length * i / points;
        while (!rc && vinc_sim_time(s) < next) {
            rc = vinc_sim_step(s, next);
            if (rc == VINC_EVENT || (!rc && vinc_sim_time(s) >= next)) rc = judge_here(w);
        }
    }
    return rc == VINC_TERMINATED ? VINC_OK : rc;
}

static int judge_problem(contractivity_job *j, vinc_sim_options run)
{
    walk w = {.j = j};
    run.method = NULL;
    run.step = 0;
    run.progress = NULL;
    int rc = api_sim_new(j->s->model, &run, &w.s);
    if (!rc) rc = api_sim_new(j->s->model, &run, &w.at);
    if (!rc) rc = api_initialize(w.at);
    if (!rc) rc = walk_along(&w);
    vinc_sim_free(w.at);
    vinc_sim_free(w.s);
    return rc;
}

/* ---- the runs -------------------------------------------------------------------------------- */

static int keep_base(void *job)
{
    contractivity_job *j = job;
    vinc_sim *s = j->s;
    const vinc_problem *p = run_problem(s->state);
    j->base = s->result.r;
    j->rows = j->base->n_rows;
    j->n_columns = study_columns(s, NULL, &s->a, &j->columns);
    j->component = arena_array(&s->a, int, j->n_columns + 1);
    j->apart = arena_array(&s->a, double, p->n + 1);
    j->work = arena_array(&s->a, double, p->n + 1);
    for (int i = 0, k = 0; i < p->n; i++)
        if (p->differential[i] && result_find(j->base, p->unknown_name(p->user, i)) > 0)
            j->component[k++] = i;
    j->t = arena_array(&s->a, double, j->rows + 1);
    j->most = arena_array(&s->a, double, j->rows + 1);
    for (size_t i = 0; i < j->rows; i++) j->t[i] = result_time(j->base, i);
    return VINC_OK;
}

// Distances of this run from the first, where both have rows at the same times.
static void measure_distances(contractivity_job *j, const result *r)
{
    double first = 0, last = 0;
    for (size_t row = 0; row < j->rows && row < r->n_rows; row++) {
        if (fabs(result_time(r, row) - j->t[row]) > 1e-9 * fmax(1, fabs(j->t[row]))) break;
        for (int k = 0; k < j->n_columns; k++)
            j->apart[j->component[k]] =
                result_value(r, j->columns[k], row) - result_value(j->base, j->columns[k], row);
        double d = state_norm_of(&j->norm, j->apart, run_problem(j->s->state)->n, j->work);
        if (row == 0) first = d;
        else if (last > 1e-4 * first) { // beyond, rounding
            double factor = d / last;
            if (factor > j->factor) j->factor = factor, j->t_factor = j->t[row];
        }
        j->most[row] = fmax(j->most[row], first > 0 ? d / first : 0);
        last = d;
    }
    j->total = fmax(j->total, first > 0 ? last / first : 0);
}

static int run_moved(contractivity_job *j, int direction)
{
    vinc_sim *s = j->s;
    const vinc_problem *p = run_problem(s->state);
    int c = j->states[direction];
    result *r = NULL;
    int rc = api_initialize(s);
    if (rc) return rc;
    s->y[c] += NUDGE * p->nominal[c];
    if (p->rhs && p->rhs(p->user, s->options.t_start, s->y, s->yp)) return VINC_E_EVALUATION;
    if (result_new(&s->m, &r) < 0) return VINC_E_MEMORY;
    rc = api_integrate(s, r);
    if (rc >= 0) measure_distances(j, r);
    result_free(r);
    return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

static plot_figure *draw_distances(const contractivity_job *j)
{
    plot_figure *f = NULL;
    char title[200];
    snprintf(title, sizeof title, "Distance of neighbouring solutions: %s on %s", j->s->method,
             j->s->model->flat->name);
    if (plot_new(&j->s->model->ctx->m,
                 &(plot_figure_spec){.title = title, .width = 480, .height = 320}, &f) < 0)
        return NULL;
    plot_panel_spec spec = {.x = {.label = "time", .unit = "s"},
                            .left = {.label = "distance / distance at the start", .log = true}};
    plot_panel *p = plot_add_panel(f, &spec);
    plot_add_level(p, 1, NULL);
    plot_add_curve(p, &(plot_curve_spec){.x = j->t, .y = j->most, .n = j->rows});
    return f;
}

static const char *problem_verdict(const contractivity_job *j, bool contractive)
{
    return j->constant ? "proved" : contractive ? "not refuted" : "refuted";
}

static void explain_problem(const contractivity_job *j, bool contractive, char *words, size_t size)
{
    if (j->constant)
        snprintf(words, size, "%.6g, the same everywhere: %s", j->mu,
                 contractive ? "contractive, proved" : "not contractive in this norm, proved");
    else if (contractive)
        snprintf(words, size,
                 "at most %.6g (at t = %.6g) at every one of %d points tried along the solution: "
                 "not refuted there, not proved",
                 j->mu, j->t_mu, j->n_judged);
    else
        snprintf(words, size, "%.6g at t = %.6g: not contractive in this norm, refuted there",
                 j->mu, j->t_mu);
}

static int tell_contractivity(void *job)
{
    contractivity_job *j = job;
    bool problem = j->mu <= POSITIVE * j->size;
    char because[200], blame[300] = "; nor is the problem in this norm";
    explain_problem(j, problem, because, sizeof because);
    if (problem)
        snprintf(blame, sizeof blame,
                 ", although the problem is%s: the method drives neighbouring solutions apart%s",
                 j->constant ? "" : " wherever it was tried",
                 j->norm.power == NORM_TWO
                     ? ""
                     : "; in this norm only methods of order 1 can avoid that "
                       "with every step");
    const vinc_sim *s = j->s;
    vinc_model *m = s->model;
    vinc_contractivity told = {.model = m->source,
                               .class_name = m->flat->name,
                               .method = s->method,
                               .norm = j->norm.words,
                               .t_start = s->options.t_start,
                               .t_end = s->done.t_end,
                               .n_directions = j->n,
                               .contractive = j->factor <= 1 + APART,
                               .largest_factor = j->factor,
                               .t_largest = j->t_factor,
                               .total_factor = j->total,
                               .logarithmic_norm = j->mu,
                               .t_norm = j->t_mu,
                               .problem_contractive = problem,
                               .problem = problem_verdict(j, problem),
                               .n_judged = j->n_judged,
                               .because = because,
                               .blame = blame,
                               .n_points = (int)j->rows,
                               .t = j->t,
                               .distance = j->most};
    int rc = VINC_OK;
    if (j->o->plot)
        rc = study_write_figure(m->ctx, j->o->plot, draw_distances(j), &m->out, &told.chart);
    return rc ? rc : told_keep(&m->ctx->lasting, &study_contractivity, &told, j->out);
}

int vinc_contractivity_of(vinc_model *model, const vinc_contractivity_options *options,
                          vinc_contractivity **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_contractivity_options none = {0};
    contractivity_job j = {.o = options ? options : &none, .out = out};
    vinc_sim_options run = j.o->run ? *j.o->run : (vinc_sim_options){0};
    run.formulation = "dummy";
    int rc = api_sim_new(model, &run, &j.s);
    if (!rc) rc = api_initialize(j.s);
    if (!rc) rc = api_guarded(model->ctx, prepare_directions, &j);
    if (!rc) rc = judge_problem(&j, run);
    if (!rc) rc = vinc_sim_run(j.s);
    if (rc == VINC_TERMINATED) rc = VINC_OK;
    if (!rc) rc = api_guarded(model->ctx, keep_base, &j);
    for (int i = 0; i < j.n && !rc; i++) rc = run_moved(&j, i);
    if (!rc) rc = api_guarded(model->ctx, tell_contractivity, &j);
    vinc_sim_free(j.s);
    return rc;
}

int vinc_model_contractivity(vinc_model *model, const vinc_contractivity_options *options,
                             vinc_format format, const char **out)
{
    vinc_contractivity *told = NULL;
    int rc = vinc_contractivity_of(model, options, &told);
    return study_say(model, rc, told, format, out);
}
