/* `vincolo run --convergence`: the error of a method at the end of a run for steps h, h/2, h/4 ...
 * against a reference of high accuracy, and the observed order log2(E(2h)/E(h)).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/method_subject.h"
#include "study/study.h"
#include "told/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 16, LEVELS = 6, MOST_SHOWN = 6 };
#define REFERENCE_TOL 1e-13
#define NOISE         (1000 * DBL_EPSILON) // relative; below it errors are rounding

typedef struct convergence_job {
    vinc_sim *s;
    const vinc_convergence_options *o;
    vinc_format format;
    int n, *columns, levels; // variables; steps tried
    const char **names;
    int n_errors; // one per variable, or one for all
    double *reference, *size;
    double h[MOST_LEVELS];
    long steps[MOST_LEVELS];
    double *error; // levels by n_errors
    int expected;  // -1: not known
    double *found; // by error: order of the last pair above the noise; NaN: none
    bool separate; // each variable has its own column
} convergence_job;

static double observed(const convergence_job *j, int level, int k)
{
    if (level == 0) return NAN;
    double coarse = j->error[(level - 1) * j->n_errors + k],
           fine = j->error[level * j->n_errors + k];
    return coarse > NOISE && fine > NOISE ? log2(coarse / fine) : NAN;
}

/* ---- the runs -------------------------------------------------------------------------------- */

// After the reference run: which variables, and their values.
static int take_reference(void *job)
{
    convergence_job *j = job;
    vinc_sim *s = j->s;
    const result *r = s->result.r;
    arena *a = &s->a;
    j->n = api_study_columns(s, j->o->vars, a, &j->columns);
    if (j->n < 0) return j->n;
    j->reference = arena_array(a, double, j->n + 1);
    j->size = arena_array(a, double, j->n + 1);
    j->names = arena_array(a, const char *, j->n + 1);
    for (int i = 0; i < j->n; i++) {
        int c = j->columns[i];
        j->reference[i] = result_value(r, c, r->n_rows - 1);
        j->names[i] = arena_strndup(a, r->columns[c].name, strlen(r->columns[c].name));
        for (size_t row = 0; row < r->n_rows; row++)
            j->size[i] = fmax(j->size[i], fabs(result_value(r, c, row)));
        if (j->size[i] == 0) j->size[i] = 1;
    }
    j->separate = j->o->vars && j->n <= MOST_SHOWN;
    j->n_errors = j->separate ? j->n : 1;
    j->error = arena_array(a, double, MOST_LEVELS * j->n_errors + 1);
    j->found = arena_array(a, double, j->n_errors + 1);
    method_subject *m = arena_new(a, method_subject);
    j->expected = -1;
    if (j->n == 0) {
        diag_error(&s->model->ctx->diags, "C163", (span){0},
                   "%s has no differential unknowns to compare; name variables by --vars",
                   s->model->flat->name);
        return VINC_E_OPTION;
    }
    if (!method_subject_find(s->model->ctx, j->o->run->method, m)) return VINC_E_OPTION;
    if (m->known) j->expected = m->r.order;
    else if (m->m && m->m->order_min == m->m->order_max) j->expected = m->m->order_max;
    return VINC_OK;
}

static void take_errors(convergence_job *j, int level, const result *r)
{
    double sum = 0;
    for (int i = 0; i < j->n; i++) {
        double x = result_value(r, result_find(r, j->names[i]), r->n_rows - 1);
        double e = fabs(x - j->reference[i]) / j->size[i];
        if (j->separate) j->error[level * j->n_errors + i] = e;
        sum += e * e;
    }
    if (!j->separate) j->error[level] = sqrt(sum / j->n);
}

static int run_level(convergence_job *j, int level, const vinc_sim_options *o)
{
    vinc_sim *s = NULL;
    int rc = api_sim_new(j->s->model, o, &s);
    if (!rc) rc = vinc_sim_run(s);
    if (!rc) take_errors(j, level, s->result.r);
    vinc_sim_free(s);
    return rc;
}

static int run_all(convergence_job *j)
{
    vinc_sim *s = j->s;
    vinc_sim_options o = *j->o->run;
    double length = s->options.t_stop - s->options.t_start;
    long first = lround(length / o.step);
    if (first < 1) first = 1;
    j->levels = j->o->levels > 0 ? j->o->levels : LEVELS;
    if (j->levels > MOST_LEVELS) j->levels = MOST_LEVELS;
    int rc = VINC_OK;
    for (int k = 0; k < j->levels && !rc; k++) {
        j->steps[k] = first << k;
        j->h[k] = length / (double)j->steps[k];
        o.step = j->h[k];
        o.intervals = 1;
        rc = run_level(j, k, &o);
    }
    for (int i = 0; i < j->n_errors; i++) {
        j->found[i] = NAN;
        for (int k = 1; k < j->levels; k++)
            if (isfinite(observed(j, k, i))) j->found[i] = observed(j, k, i);
    }
    return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *name_of(const convergence_job *j, int k)
{
    return j->separate ? j->names[k] : "all states";
}

static void table(const convergence_job *j, text *o)
{
    text_printf(o, "%s by %s, errors at t = %g relative to the largest values\n",
                j->s->model->flat->name, j->o->run->method, j->s->options.t_stop);
    text_printf(o, "  %-12s %-8s", "h", "steps");
    for (int k = 0; k < j->n_errors; k++) text_printf(o, " %-11.11s order ", name_of(j, k));
    text_char(o, '\n');
    for (int i = 0; i < j->levels; i++) {
        text_printf(o, "  %-12.6g %-8ld", j->h[i], j->steps[i]);
        for (int k = 0; k < j->n_errors; k++) {
            double p = observed(j, i, k);
            text_printf(o, " %-11.4e", j->error[i * j->n_errors + k]);
            if (isfinite(p)) text_printf(o, " %5.2f ", p);
            else text_add(o, "       ");
        }
        text_char(o, '\n');
    }
    text_add(o, "  order = log2(E(2h)/E(h))");
    if (j->expected >= 0) text_printf(o, "; %d by the coefficients of the method", j->expected);
    text_char(o, '\n');
}

static void as_json(const convergence_job *j, text *o)
{
    json js = {o, true};
    json_open(&js, NULL, '{');
    json_text(&js, "model", j->s->model->source);
    json_text(&js, "class", j->s->model->flat->name);
    json_text(&js, "method", j->o->run->method);
    json_real(&js, "t_end", j->s->options.t_stop);
    if (j->expected >= 0) json_int(&js, "expected_order", j->expected);
    else json_null(&js, "expected_order");
    json_open(&js, "variables", '[');
    for (int k = 0; k < j->n_errors; k++) json_text(&js, NULL, name_of(j, k));
    json_close(&js, ']');
    json_vector(&js, "observed_order", j->found, j->n_errors, 1);
    json_open(&js, "rows", '[');
    for (int i = 0; i < j->levels; i++) {
        json_open(&js, NULL, '{');
        json_real(&js, "h", j->h[i]);
        json_int(&js, "steps", j->steps[i]);
        json_vector(&js, "error", j->error + i * j->n_errors, j->n_errors, 1);
        json_open(&js, "order", '[');
        for (int k = 0; k < j->n_errors; k++) json_real(&js, NULL, observed(j, i, k));
        json_close(&js, ']');
        json_close(&js, '}');
    }
    json_close(&js, ']');
    json_close(&js, '}');
    text_char(o, '\n');
}

/* Errors over steps, with a line of the expected slope. */
static plot_figure *draw(const convergence_job *j)
{
    plot_figure *f = NULL;
    char title[200];
    snprintf(title, sizeof title, "Convergence of %s on %s", j->o->run->method,
             j->s->model->flat->name);
    if (plot_new(&j->s->model->ctx->m,
                 &(plot_figure_spec){.title = title, .width = 460, .height = 360}, &f) < 0)
        return NULL;
    plot_panel_spec spec = {.x = {.label = "h", .log = true},
                            .left = {.label = "relative error", .log = true}};
    plot_panel *p = plot_add_panel(f, &spec);
    double most = 0;
    for (int k = 0; k < j->n_errors; k++) {
        double y[MOST_LEVELS];
        for (int i = 0; i < j->levels; i++) {
            y[i] = j->error[i * j->n_errors + k];
            most = fmax(most, i == 0 ? y[i] : 0);
            if (y[i] <= 0) y[i] = NAN;
        }
        plot_add_curve(p, &(plot_curve_spec){.label = name_of(j, k),
                                             .x = j->h,
                                             .y = y,
                                             .n = (size_t)j->levels,
                                             .style = PLOT_LINE_POINTS});
    }
    if (j->expected > 0 && most > 0) {
        char label[40];
        double end = j->h[j->levels - 1], ratio = pow(end / j->h[0], j->expected);
        if (most * ratio < DBL_EPSILON) { // no further down than rounding
            ratio = DBL_EPSILON / most;
            end = j->h[0] * pow(ratio, 1.0 / j->expected);
        }
        snprintf(label, sizeof label, "slope %d", j->expected);
        plot_add_curve(p, &(plot_curve_spec){.label = label,
                                             .x = (double[]){j->h[0], end},
                                             .y = (double[]){2 * most, 2 * most * ratio},
                                             .n = 2,
                                             .colour = PLOT_INK,
                                             .dash = PLOT_DASHED});
    }
    return f;
}

static int report(void *job)
{
    convergence_job *j = job;
    text *o = &j->s->model->out;
    text_clear(o);
    if (j->format == VINC_JSON) as_json(j, o);
    else table(j, o);
    bool wanted = j->o->plot && (j->format == VINC_TEXT || strcmp(j->o->plot, "-") != 0);
    return wanted ? api_write_figure(j->s->model->ctx, j->o->plot, draw(j), o) : VINC_OK;
}

static int no_step(void *job)
{
    vinc_model *model = job;
    diag_error(&model->ctx->diags, "C164", (span){0},
               "a study of convergence needs a method and a first step: --method rk4 --step 0.1");
    return VINC_OK;
}

int vinc_model_convergence(vinc_model *model, const vinc_convergence_options *options,
                           vinc_format format, const char **out)
{
    *out = "";
    if (!model) return VINC_E_MEMORY;
    if (!options->run || !options->run->method || !(options->run->step > 0)) {
        api_guarded(model->ctx, no_step, model);
        return VINC_E_OPTION;
    }
    convergence_job j = {.o = options, .format = format};
    vinc_sim_options exact = *options->run;
    exact.method = "radau5";
    exact.formulation = NULL;
    exact.step = 0;
    exact.rel_tol = exact.abs_tol = REFERENCE_TOL;
    int rc = api_sim_new(model, &exact, &j.s);
    if (!rc) rc = vinc_sim_run(j.s);
    if (!rc) rc = api_guarded(model->ctx, take_reference, &j);
    if (!rc) rc = run_all(&j);
    if (!rc) rc = api_guarded(model->ctx, report, &j);
    if (!rc) *out = text_str(&model->out);
    vinc_sim_free(j.s);
    return rc;
}
