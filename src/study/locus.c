/* `vincolo linearize --sweep k=1,10,100`: the eigenvalues of a model as a parameter changes, or (time)
 * along a run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/linear_model.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 1000 };

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD(vinc_locus_point, __VA_ARGS__)
static const told_field locus_point_fields[] = {
    ROW(REAL, "value", value),
    TOLD_LIST(vinc_locus_point, PAIRS, "eigenvalues", re, n,
              .also = offsetof(vinc_locus_point, im)),
    {0},
};

#define FIELD(...) TOLD(vinc_locus, __VA_ARGS__)
static const told_field locus_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(WORD, "parameter", parameter),
    FIELD(WORD, "point", point),
    TOLD_LIST(vinc_locus, ROWS, "rows", rows, n_rows, .size = sizeof(vinc_locus_point),
              .inside = locus_point_fields),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

static void say_locus(const void *told, vinc_format format, text *o)
{
    const vinc_locus *x = told;
    (void)format;
    text_printf(o, "%s: eigenvalues at %s\n\n  %-14s rad/s\n", x->class_name, x->point,
                x->parameter);
    for (int i = 0; i < x->n_rows; i++) {
        const vinc_locus_point *r = &x->rows[i];
        double zero = 0;
        for (int k = 0; k < r->n; k++) zero = fmax(zero, 1e-10 * hypot(r->re[k], r->im[k]));
        text_printf(o, "  %-14.8g", r->value);
        if (!r->n) text_add(o, " none");
        for (int k = 0, shown = 0; k < r->n; k++) {
            if (r->im[k] < 0) continue;
            text_printf(o, "%s%.9g", shown++ ? ",  " : " ", fabs(r->re[k]) <= zero ? 0 : r->re[k]);
            if (r->im[k] > 0) text_printf(o, " +- %.9g i", r->im[k]);
        }
        text_char(o, '\n');
    }
}

static const told_line locus_lines[] = {
    {.say = say_locus},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind study_locus = {
    .name = "locus",
    .command = "linearize --sweep",
    .summary = "eigenvalues of a model as a parameter changes, or along a run",
    .size = sizeof(vinc_locus),
    .fields = locus_fields,
    .lines = locus_lines,
};

/* ---- the sweep ------------------------------------------------------------------------------- */

typedef struct locus_job {
    vinc_model *model;
    vinc_linear_options o;
    vinc_locus **out;
    vinc_sim *s;
    arena a;
    char *name;
    bool of_time;
    double *values;
    vinc_locus_point *rows;
    int n, done;
} locus_job;

static int read_sweep(void *job)
{
    locus_job *j = job;
    const char *equal = strchr(j->o.sweep, '=');
    j->values = arena_array(&j->a, double, VALUES_MOST);
    for (const char *at = equal ? equal + 1 : NULL; at && j->n < VALUES_MOST; j->n++) {
        char *end = NULL;
        j->values[j->n] = strtod(at, &end);
        if (end == at || !isfinite(j->values[j->n]) || (*end && *end != ',')) {
            j->n = 0;
            break;
        }
        at = *end ? end + 1 : NULL;
    }
    j->rows = arena_array(&j->a, vinc_locus_point, j->n + 1);
    if (j->n && equal > j->o.sweep) {
        j->name = arena_strndup(&j->a, j->o.sweep, (size_t)(equal - j->o.sweep));
        j->of_time = strcmp(j->name, "time") == 0;
        return VINC_OK;
    }
    diag_error(&j->model->ctx->diags, "C172", (span){0},
               "--sweep '%s': a parameter, or time, and its values: k=1,10,100", j->o.sweep);
    return VINC_E_OPTION;
}

static int keep_point(void *job)
{
    locus_job *j = job;
    vinc_sim *s = j->s;
    vinc_locus_point *r = &j->rows[j->done];
    linear_point l;
    double t = j->o.at == VINC_AT_STOP ? s->done.t_end : s->options.t_start;
    int rc = study_linearize(s, t, NULL, &s->a, &l);
    if (rc) return rc;
    double *re = arena_array(&j->a, double, l.modes.n + 1);
    double *im = arena_array(&j->a, double, l.modes.n + 1);
    memcpy(re, l.modes.re, (size_t)l.modes.n * sizeof *re);
    memcpy(im, l.modes.im, (size_t)l.modes.n * sizeof *im);
    *r = (vinc_locus_point){.value = j->values[j->done], .n = l.modes.n, .re = re, .im = im};
    return VINC_OK;
}

static int look_at_value(locus_job *j, const vinc_sim_options *options)
{
    vinc_sim_options run = *options;
    double value = j->values[j->done];
    if (j->of_time) {
        run.has_stop = 1;
        run.t_stop = value;
        j->o.at = VINC_AT_STOP;
    }
    int rc = api_sim_new(j->model, &run, &j->s);
    if (!rc && j->of_time && value <= j->s->options.t_start) j->o.at = VINC_AT_START;
    if (!rc && !j->of_time) rc = vinc_sim_set(j->s, j->name, value);
    if (!rc) rc = study_reach(j->s, j->o.at);
    if (!rc) rc = api_guarded(j->model->ctx, keep_point, j);
    vinc_sim_free(j->s);
    j->s = NULL;
    return rc;
}

/* ---- the figure ------------------------------------------------------------------------------ */

/* Distances from the origin, mode by mode in their order, over the values. */
static plot_figure *draw_locus(const locus_job *j)
{
    plot_figure *f = NULL;
    char title[200];
    bool positive = true;
    int most = 0;
    snprintf(title, sizeof title, "Eigenvalues of %s", j->model->flat->name);
    if (plot_new(&j->model->ctx->m,
                 &(plot_figure_spec){.title = title, .width = 480, .height = 420}, &f) < 0)
        return NULL;
    for (int i = 0; i < j->n; i++) {
        positive = positive && j->values[i] > 0;
        if (j->rows[i].n > most) most = j->rows[i].n;
    }
    bool log = positive && !j->of_time;
    plot_panel *size = plot_add_panel(
        f, &(plot_panel_spec){.x = {.label = j->name, .log = log},
                              .left = {.label = "|λ|", .unit = "rad/s", .log = true}});
    plot_panel *damping = plot_add_panel(
        f,
        &(plot_panel_spec){.x = {.label = j->name, .log = log},
                           .left = {.label = "damping ratio", .fixed = true, .lo = -1.1, .hi = 1.1},
                           .weight = 0.5});
    size_t bytes = (size_t)j->n * sizeof(double);
    for (int k = 0; k < most; k++) {
        double *x = plot_alloc(f, bytes), *y = plot_alloc(f, bytes), *z = plot_alloc(f, bytes);
        for (int i = 0; x && y && z && i < j->n; i++) {
            const vinc_locus_point *r = &j->rows[i];
            bool there = k < r->n && r->im[k] >= 0;
            x[i] = r->value;
            y[i] = there ? hypot(r->re[k], r->im[k]) : NAN;
            z[i] = there ? study_damping(r->re[k], r->im[k]) : NAN;
        }
        if (!x || !y || !z) continue;
        plot_curve_spec curve = {.x = x,
                                 .y = y,
                                 .n = (size_t)j->n,
                                 .style = PLOT_LINE_POINTS,
                                 .colour = 1,
                                 .borrowed = true};
        plot_add_curve(size, &curve);
        curve.y = z;
        plot_add_curve(damping, &curve);
    }
    return f;
}

/* ---- the call -------------------------------------------------------------------------------- */

static int tell_locus(void *job)
{
    static const char *const where[] = {"the start", "the end of the run", "the equilibrium"};
    locus_job *j = job;
    vinc_model *m = j->model;
    vinc_locus told = {.model = m->source,
                       .class_name = m->flat->name,
                       .parameter = j->name,
                       .point = j->of_time ? "times of a run" : where[j->o.at],
                       .n_rows = j->n,
                       .rows = j->rows};
    int rc = VINC_OK;
    if (j->o.plot) rc = study_write_figure(m->ctx, j->o.plot, draw_locus(j), &m->out, &told.chart);
    return rc ? rc : told_keep(&m->ctx->lasting, &study_locus, &told, j->out);
}

int vinc_locus_of(vinc_model *model, const vinc_linear_options *options, vinc_locus **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    if (!options || !options->sweep) return api_lacks(model->ctx, "a parameter and its values");
    locus_job j = {.model = model, .o = *options, .out = out};
    vinc_sim_options run = options->run ? *options->run : (vinc_sim_options){0};
    run.formulation = "dummy";
    arena_init(&j.a, &model->ctx->m);
    int rc = api_guarded(model->ctx, read_sweep, &j);
    for (; j.done < j.n && !rc; j.done++) rc = look_at_value(&j, &run);
    if (!rc) rc = api_guarded(model->ctx, tell_locus, &j);
    arena_done(&j.a);
    return rc;
}
