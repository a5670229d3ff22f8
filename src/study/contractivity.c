/* `vincolo run --contractivity`: do neighbouring numerical solutions come nearer to each other?
 *
 * The run is repeated from start values moved a little along each state in turn; the ratio of the
 * distances at successive points is the contraction factor of the method on this model. A
 * contractive problem (logarithmic norm of its Jacobian not positive) should be met by factors not
 * above 1: algebraically stable methods guarantee it (K. Burrage & J. C. Butcher, SIAM J. Numer.
 * Anal. 16 (1979) 46-57). Distances in units of the nominals.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "study/linear_model.h"
#include "study/study.h"
#include "told/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIRECTIONS = 12 };
static const double NUDGE = 1e-6; // in nominals

typedef struct contractivity_job {
    vinc_sim *s;
    const vinc_contractivity_options *o;
    vinc_format format;
    int n, *states; // components of y that are moved
    int n_columns, *columns;
    double *nominal; // of the columns
    result *base;    // the run itself
    double mu;       // logarithmic norm of the Jacobian at the start
    size_t rows;
    double *t, *most; // by row: largest distance over the directions, relative to the start
    double factor, t_factor, total; // largest ratio of one step, where; of the whole run
} contractivity_job;

/* The largest eigenvalue of (A + A^T)/2, states in units of their nominals. */
static double logarithmic_norm(arena *a, const linear_system *s, const double *nominal)
{
    int n = s->n;
    double *m = arena_array(a, double, (size_t)n *(size_t)n + 1), most = -INFINITY;
    double *re = arena_array(a, double, n + 1), *im = arena_array(a, double, n + 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double f = nominal[s->state[k]] / nominal[s->state[i]];
            m[i + (size_t)k * (size_t)n] =
                0.5 * (s->a[i + (size_t)k * (size_t)n] * f + s->a[k + (size_t)i * (size_t)n] / f);
        }
    if (la_eigen(n, m, re, im, NULL, arena_array(a, double, la_eigen_work(n)))) return NAN;
    for (int i = 0; i < n; i++) most = fmax(most, re[i]);
    return n ? most : 0;
}

static int prepare(void *job)
{
    contractivity_job *j = job;
    vinc_sim *s = j->s;
    const vinc_problem *p = run_problem(s->state);
    api_linear l;
    int rc = api_linearize(s, s->options.t_start, NULL, &s->a, &l);
    if (rc) return rc;
    j->n = l.s.n < MOST_DIRECTIONS ? l.s.n : MOST_DIRECTIONS;
    j->states = l.s.state;
    j->mu = logarithmic_norm(&s->a, &l.s, p->nominal);
    if (j->n > 0) return VINC_OK;
    diag_error(&s->model->ctx->diags, "C163", (span){0}, "%s has no states to move apart",
               s->model->flat->name);
    return VINC_E_MODEL;
}

static int keep_base(void *job)
{
    contractivity_job *j = job;
    vinc_sim *s = j->s;
    const vinc_problem *p = run_problem(s->state);
    j->base = s->result.r;
    j->rows = j->base->n_rows;
    j->n_columns = api_study_columns(s, NULL, &s->a, &j->columns);
    j->nominal = arena_array(&s->a, double, j->n_columns + 1);
    for (int i = 0, k = 0; i < p->n; i++)
        if (p->differential[i] && result_find(j->base, p->unknown_name(p->user, i)) > 0)
            j->nominal[k++] = p->nominal[i];
    j->t = arena_array(&s->a, double, j->rows + 1);
    j->most = arena_array(&s->a, double, j->rows + 1);
    for (size_t i = 0; i < j->rows; i++) j->t[i] = result_time(j->base, i);
    return VINC_OK;
}

// Distances of this run from the first, where both have rows at the same times.
static void measure(contractivity_job *j, const result *r)
{
    double first = 0, last = 0;
    for (size_t row = 0; row < j->rows && row < r->n_rows; row++) {
        double d = 0;
        if (fabs(result_time(r, row) - j->t[row]) > 1e-9 * fmax(1, fabs(j->t[row]))) break;
        for (int k = 0; k < j->n_columns; k++)
            d = hypot(d, (result_value(r, j->columns[k], row) -
                          result_value(j->base, j->columns[k], row)) /
                             j->nominal[k]);
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
    if (rc >= 0) measure(j, r);
    result_free(r);
    return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *words(const contractivity_job *j)
{
    bool near = j->factor <= 1 + 1e-6;
    if (near) return "contractive along this run: neighbouring solutions never moved apart";
    return j->mu <= 1e-9 ? "not contractive, although the problem is: the method drives "
                           "neighbouring solutions apart"
                         : "not contractive; nor is the problem in this norm";
}

static void as_text(const contractivity_job *j, text *o)
{
    const vinc_sim *s = j->s;
    text_printf(o, "%s by %s, t = %g ... %g, %d direction%s\n", s->model->flat->name, s->method,
                s->options.t_start, s->done.t_end, j->n, j->n == 1 ? "" : "s");
    text_printf(o, "  %-12s %s\n", "verdict", words(j));
    text_printf(o, "  %-12s largest factor of one interval %.9g, at t = %.6g\n", "distances",
                j->factor, j->t_factor);
    text_printf(o, "  %-12s of the whole run %.6g\n", "", j->total);
    text_printf(o, "  %-12s logarithmic norm of its Jacobian at the start %.6g: %s\n", "problem",
                j->mu, j->mu <= 1e-9 ? "contractive there" : "not contractive in this norm");
}

static void as_json(const contractivity_job *j, text *o)
{
    json js = {o, true};
    json_open(&js, NULL, '{');
    json_text(&js, "model", j->s->model->source);
    json_text(&js, "class", j->s->model->flat->name);
    json_text(&js, "method", j->s->method);
    json_bool(&js, "contractive", j->factor <= 1 + 1e-6);
    json_real(&js, "largest_factor", j->factor);
    json_real(&js, "t_largest", j->t_factor);
    json_real(&js, "total_factor", j->total);
    json_real(&js, "logarithmic_norm", j->mu);
    json_vector(&js, "t", j->t, (int)j->rows, 1);
    json_vector(&js, "distance", j->most, (int)j->rows, 1);
    json_close(&js, '}');
    text_char(o, '\n');
}

static plot_figure *draw(const contractivity_job *j)
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

static int report(void *job)
{
    contractivity_job *j = job;
    text *o = &j->s->model->out;
    text_clear(o);
    if (j->format == VINC_JSON) as_json(j, o);
    else as_text(j, o);
    bool wanted = j->o->plot && (j->format == VINC_TEXT || strcmp(j->o->plot, "-") != 0);
    return wanted ? api_write_figure(j->s->model->ctx, j->o->plot, draw(j), o) : VINC_OK;
}

int vinc_model_contractivity(vinc_model *model, const vinc_contractivity_options *options,
                             vinc_format format, const char **out)
{
    *out = "";
    if (!model) return VINC_E_MEMORY;
    vinc_sim_options run = options->run ? *options->run : (vinc_sim_options){0};
    run.formulation = "dummy";
    contractivity_job j = {.o = options, .format = format};
    int rc = api_sim_new(model, &run, &j.s);
    if (!rc) rc = api_initialize(j.s);
    if (!rc) rc = api_guarded(model->ctx, prepare, &j);
    if (!rc) rc = vinc_sim_run(j.s);
    if (!rc) rc = api_guarded(model->ctx, keep_base, &j);
    for (int i = 0; i < j.n && !rc; i++) rc = run_moved(&j, i);
    if (!rc) rc = api_guarded(model->ctx, report, &j);
    if (!rc) *out = text_str(&model->out);
    vinc_sim_free(j.s);
    return rc;
}
