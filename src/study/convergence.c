/* `vincolo run --convergence`: the error of a method at the end of a run for steps h, h/2, h/4 ...
 * against a reference of high accuracy, and the observed order log2(E(2h)/E(h)).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/method_subject.h"
#include "study/study.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 16, LEVELS = 6, MOST_SHOWN = 6 };
#define REFERENCE_TOL 1e-13
#define NOISE         (1000 * DBL_EPSILON) // relative; below it errors are rounding

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD_LIST(vinc_halving, __VA_ARGS__)
static const told_field row_fields[] = {
    TOLD(vinc_halving, REAL, "h", h),
    TOLD(vinc_halving, LONG, "steps", steps),
    ROW(REALS, "error", error, n),
    ROW(REALS, "order", order, n),
    {0},
};

#define FIELD(...) TOLD(vinc_convergence, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_convergence, __VA_ARGS__)
static const told_field convergence_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(WORD, "method", method),
    FIELD(REAL, "t_end", t_end),
    FIELD(INDEX, "expected_order", expected_order),
    LIST(WORDS, "variables", variables, n_variables),
    LIST(REALS, "observed_order", observed_order, n_variables),
    LIST(ROWS, "rows", rows, n_rows, .size = sizeof(vinc_halving), .inside = row_fields),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

static void say_row(const void *told, vinc_format format, text *o)
{
    const vinc_halving *r = told;
    (void)format;
    for (int k = 0; k < r->n; k++) {
        text_printf(o, " %-11.4e", r->error[k]);
        if (isfinite(r->order[k])) text_printf(o, " %5.2f ", r->order[k]);
        else text_add(o, "       ");
    }
    text_char(o, '\n');
}

static const told_line row_lines[] = {
    {.words = "  {h:%-12.6g} {steps:%-8ld}"},
    {.say = say_row},
    {0},
};

static const told_line convergence_lines[] = {
    {.words = "{class} by {method}, errors at t = {t_end} relative to the largest values\n"
              "  h            steps   {variables: %-11.11s order ;}\n"},
    {.of = "rows", .inside = row_lines},
    {.words = "  order = log2(E(2h)/E(h))"},
    {.words = "; {expected_order} by the coefficients of the method", .when = "expected_order"},
    {.words = "\n{chart|}"},
    {0},
};

const told_kind study_convergence = {
    .name = "convergence",
    .command = "run --convergence",
    .summary = "errors of a method on a model for halved steps, and the observed order",
    .size = sizeof(vinc_convergence),
    .fields = convergence_fields,
    .lines = convergence_lines,
};

/* ---- the study ------------------------------------------------------------------------------- */

typedef struct convergence_job {
    vinc_sim *s;
    const vinc_convergence_options *o;
    vinc_convergence **out;
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

static double observed_order_at(const convergence_job *j, int level, int k)
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
    j->n = study_columns(s, j->o->vars, a, &j->columns);
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
            if (isfinite(observed_order_at(j, k, i))) j->found[i] = observed_order_at(j, k, i);
    }
    return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *variable_name(const convergence_job *j, int k)
{
    return j->separate ? j->names[k] : "all states";
}

/* Errors over steps, with a line of the expected slope. */
static plot_figure *draw_errors(const convergence_job *j)
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
        plot_add_curve(p, &(plot_curve_spec){.label = variable_name(j, k),
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

static int tell_convergence(void *job)
{
    convergence_job *j = job;
    vinc_model *m = j->s->model;
    arena *a = &j->s->a;
    vinc_halving *rows = arena_array(a, vinc_halving, j->levels);
    const char **names = arena_array(a, const char *, j->n_errors + 1);
    for (int k = 0; k < j->n_errors; k++) names[k] = variable_name(j, k);
    for (int i = 0; i < j->levels; i++) {
        double *order = arena_array(a, double, j->n_errors + 1);
        for (int k = 0; k < j->n_errors; k++) order[k] = observed_order_at(j, i, k);
        rows[i] = (vinc_halving){.h = j->h[i],
                                 .steps = j->steps[i],
                                 .n = j->n_errors,
                                 .error = j->error + i * j->n_errors,
                                 .order = order};
    }
    vinc_convergence told = {.model = m->source,
                             .class_name = m->flat->name,
                             .method = j->o->run->method,
                             .t_end = j->s->options.t_stop,
                             .expected_order = j->expected,
                             .n_variables = j->n_errors,
                             .variables = names,
                             .observed_order = j->found,
                             .n_rows = j->levels,
                             .rows = rows};
    int rc = VINC_OK;
    if (j->o->plot)
        rc = study_write_figure(m->ctx, j->o->plot, draw_errors(j), &m->out, &told.chart);
    return rc ? rc : told_keep(&m->ctx->lasting, &study_convergence, &told, j->out);
}

static int no_step(void *job)
{
    vinc_model *model = job;
    diag_error(&model->ctx->diags, "C164", (span){0},
               "a study of convergence needs a method and a first step: --method rk4 --step 0.1");
    return VINC_OK;
}

int vinc_convergence_of(vinc_model *model, const vinc_convergence_options *options,
                        vinc_convergence **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    if (!options || !options->run || !options->run->method || !(options->run->step > 0)) {
        api_guarded(model->ctx, no_step, model);
        return VINC_E_OPTION;
    }
    convergence_job j = {.o = options, .out = out};
    vinc_sim_options exact = *options->run;
    exact.method = "radau5";
    exact.formulation = NULL;
    exact.step = 0;
    exact.rel_tol = exact.abs_tol = REFERENCE_TOL;
    int rc = api_sim_new(model, &exact, &j.s);
    if (!rc) rc = vinc_sim_run(j.s);
    if (!rc) rc = api_guarded(model->ctx, take_reference, &j);
    if (!rc) rc = run_all(&j);
    if (!rc) rc = api_guarded(model->ctx, tell_convergence, &j);
    vinc_sim_free(j.s);
    return rc;
}

int vinc_model_convergence(vinc_model *model, const vinc_convergence_options *options,
                           vinc_format format, const char **out)
{
    vinc_convergence *told = NULL;
    int rc = vinc_convergence_of(model, options, &told);
    return study_say(model, rc, told, format, out);
}
