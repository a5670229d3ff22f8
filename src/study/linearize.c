/* `vincolo linearize`: A, B, C, D, eigenvalues and mode shapes, in words, as JSON, as CSV files and
 * as a figure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/whole_file.h"
#include "study/linear_model.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PRINT_MOST = 12 };
static const double CONDITION_DEFECTIVE = 1e7; // condition of the mode shapes

/* ---- what is told ---------------------------------------------------------------------------- */

static const told_field mode_fields[] = {
    TOLD(vinc_mode, PAIR, "eigenvalue", re, .also = offsetof(vinc_mode, im)),
    TOLD(vinc_mode, REAL, "frequency", frequency),
    TOLD(vinc_mode, REAL, "damping", damping),
    TOLD(vinc_mode, INT, "fold", fold),
    TOLD_LIST(vinc_mode, PAIRS, "shape", shape_re, n, .also = offsetof(vinc_mode, shape_im)),
    {0},
};

#define FIELD(...) TOLD(vinc_linear, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_linear, __VA_ARGS__)
#define COLUMNS(m) .columns = offsetof(vinc_linear, m)
static const told_field linear_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(REAL, "t", t),
    FIELD(WORD, "point", point),
    FIELD(WORD, "rate_of", rate_of),
    FIELD(REAL, "rate", rate),
    FIELD(WORD, "held", held),
    FIELD(BOOL, "constant", constant, .flags = TOLD_HIDDEN),
    LIST(WORDS, "states", states, n_states),
    LIST(WORDS, "inputs", inputs, n_inputs),
    LIST(WORDS, "outputs", outputs, n_outputs),
    LIST(REALS, "x", x, n_states),
    LIST(MATRIX, "A", a, n_states, COLUMNS(n_states)),
    LIST(MATRIX, "B", b, n_states, COLUMNS(n_inputs)),
    LIST(MATRIX, "C", c, n_outputs, COLUMNS(n_states)),
    LIST(MATRIX, "D", d, n_outputs, COLUMNS(n_inputs)),
    FIELD(REAL, "improper", improper),
    LIST(ROWS, "modes", modes, n_modes, .size = sizeof(vinc_mode), .inside = mode_fields),
    LIST(INTS, "shifted", shifted, n_states, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_states", n_states, .flags = TOLD_HIDDEN),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void say_states(const void *told, vinc_format format, text *o)
{
    const vinc_linear *l = told;
    (void)format;
    text_add(o, "  states    ");
    if (!l->n_states) text_add(o, " none");
    for (int i = 0; i < l->n_states; i++)
        text_printf(o, "%s%s = %.6g%s", i ? ", " : " ", l->states[i],
                    fabs(l->x[i]) < 1e-14 ? 0 : l->x[i],
                    l->shifted[i] ? " (less its part by the inputs)" : "");
    text_char(o, '\n');
}

static void say_linear_matrices(const void *told, vinc_format format, text *o)
{
    const vinc_linear *l = told;
    int n = l->n_states, n_u = l->n_inputs, n_o = l->n_outputs;
    bool large = n > PRINT_MOST || n_u > PRINT_MOST || n_o > PRINT_MOST;
    (void)format;
    text_printf(o, "\nx' = A x + B u, y = C x + D u for the deviations from this point%s\n",
                large ? ": the matrices by --json or --out" : "");
    if (large) return;
    if (n) study_print_matrix(o, "A", n, n, l->a);
    if (n && n_u) study_print_matrix(o, "B", n, n_u, l->b);
    if (n_o && n) study_print_matrix(o, "C", n_o, n, l->c);
    if (n_o && n_u) study_print_matrix(o, "D", n_o, n_u, l->d);
    if (l->improper > 0)
        text_printf(
            o,
            "  the outputs also depend on the derivatives of the inputs (coefficients up to "
            "%.3g), which D does not hold\n",
            l->improper);
}

// The sign of a real part near 0 is rounding: relative to the largest eigenvalue.
static double negligible(const vinc_linear *l)
{
    double most = 0;
    for (int i = 0; i < l->n_modes; i++) most = fmax(most, l->modes[i].frequency);
    return 1e-10 * most;
}

static void mode_text(text *o, const vinc_mode *m, int number, double zero)
{
    double re = fabs(m->re) <= zero ? 0 : m->re;
    char value[80];
    if (m->im > 0) snprintf(value, sizeof value, "%.6g +- %.6g i", re, m->im);
    else snprintf(value, sizeof value, "%.6g", re);
    text_printf(o, "  %-3d %-28s", number, value);
    if (m->im > 0)
        text_printf(o, " %-10.6g %-10.6g %-10.4g", m->frequency, m->frequency / (2 * M_PI),
                    re == 0 ? 0 : m->damping);
    else text_printf(o, " %-10s %-10s %-10s", "", "", "");
    if (re == 0) text_add(o, m->im > 0 ? " undamped" : " neutral");
    else text_printf(o, " %s in %.4g", re < 0 ? "decays by e" : "grows by e", 1 / fabs(re));
    if (m->fold > 1) text_printf(o, ", one of a chain of %d", m->fold);
    text_char(o, '\n');
}

static void shape_text(text *o, const vinc_linear *l, const vinc_mode *m, int number)
{
    text_printf(o, "  %-3d", number);
    for (int k = 0, shown = 0; k < m->n; k++) {
        double re = m->shape_re[k], im = m->shape_im[k];
        double size = m->im > 0 ? hypot(re, im) : fabs(re);
        if (size < 1e-6) continue;
        text_printf(o, "%s%s %.4g", shown++ ? ",  " : " ", l->states[k], m->im > 0 ? size : re);
        double angle = m->im > 0 ? atan2(im, re) * 180 / M_PI : 0;
        if (fabs(angle) > 0.05) text_printf(o, " at %.1f deg", angle);
    }
    text_char(o, '\n');
}

static void say_modes(const void *told, vinc_format format, text *o)
{
    const vinc_linear *l = told;
    double zero = negligible(l), most = -INFINITY;
    bool drifts = false; // a chain on the imaginary axis grows as a power of t
    (void)format;
    text_add(o, "\nModes\n  #   eigenvalue                   rad/s      Hz         damping\n");
    for (int i = 0, k = 0; i < l->n_modes; i++)
        if (l->modes[i].im >= 0) mode_text(o, &l->modes[i], ++k, zero);
    for (int i = 0; i < l->n_modes; i++) {
        most = fmax(most, l->modes[i].re);
        drifts |= l->modes[i].fold > 1 && fabs(l->modes[i].re) <= zero;
    }
    const char *where = l->held                      ? ", with discrete variables held"
                        : l->rate_of && !l->constant ? ", at this moment of a motion"
                                                     : "";
    text_printf(o, "  %s%s\n",
                most > zero    ? "unstable: a mode grows"
                : drifts       ? "unstable: a chain of modes that do not decay grows with time"
                : most < -zero ? "stable: every mode decays"
                               : "neither: a mode neither grows nor decays",
                where);
    if (l->modes_condition > CONDITION_DEFECTIVE)
        text_printf(o, "  A has (nearly) no full set of eigenvectors: condition %.1g\n",
                    l->modes_condition);
    if (l->n_modes > 4 * PRINT_MOST) return;
    text_add(o, "\nMode shapes: sizes and phases, the largest component is 1\n");
    for (int i = 0, k = 0; i < l->n_modes; i++)
        if (l->modes[i].im >= 0) shape_text(o, l, &l->modes[i], ++k);
}

static const told_line linear_lines[] = {
    {.words = "{class} at t = {t} ({point}): {n_states} state{n_states?|s}\n"},
    {.say = say_states},
    {.words =
         "  not at rest der({rate_of}) = {rate:%.6g}: deviations are those from the motion through "
         "this point\n",
     .when = "rate_of"},
    {.words = "  held       {held}: constant between events; what samplers feed back is not in A\n",
     .when = "held"},
    {.words = "  inputs     {inputs|none}\n  outputs    {outputs|none}\n"},
    {.say = say_linear_matrices},
    {.say = say_modes, .when = "modes"},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind study_linear = {
    .name = "linear",
    .command = "linearize",
    .summary = "A, B, C, D of a model at a point, its eigenvalues and mode shapes",
    .size = sizeof(vinc_linear),
    .fields = linear_fields,
    .lines = linear_lines,
};

/* ---- files ----------------------------------------------------------------------------------- */

static int write_matrix(vinc_ctx *ctx, const char *path, const double *x, int rows, int cols)
{
    result_file f;
    result_fault fault = {0};
    int rc = result_file_open(&f, &ctx->m, path, &fault);
    for (int i = 0; rc >= 0 && i < rows; i++) {
        char number[40];
        for (int j = 0; j < cols; j++) {
            int n = snprintf(number, sizeof number, "%.17g%s", x[i + (size_t)j * (size_t)rows],
                             j + 1 < cols ? "," : "");
            result_file_write(&f, number, (size_t)n);
        }
        result_file_write(&f, "\n", 1);
    }
    if (rc >= 0) rc = result_file_commit(&f, &fault);
    if (rc >= 0) return VINC_OK;
    diag_error(&ctx->diags, fault.code, (span){0}, "%s", fault.text);
    return rc == RESULT_E_MEMORY ? VINC_E_MEMORY
           : rc == RESULT_E_OPEN ? VINC_E_OPTION
                                 : VINC_E_WRITE;
}

// m.csv: m.A.csv, m.B.csv, m.C.csv, m.D.csv.
static int write_matrices(vinc_ctx *ctx, const char *path, const linear_system *s)
{
    const struct {
        char name;
        const double *x;
        int rows, cols;
    } parts[] = {{'A', s->a, s->n, s->n},
                 {'B', s->b, s->n, s->n_u},
                 {'C', s->c, s->n_o, s->n},
                 {'D', s->d, s->n_o, s->n_u}};
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".csv") == 0) n -= 4;
    int rc = VINC_OK;
    for (int i = 0; i < 4 && !rc; i++) {
        char file[4200];
        if (n + 7 > sizeof file) return VINC_E_OPTION;
        snprintf(file, sizeof file, "%.*s.%c.csv", (int)n, path, parts[i].name);
        rc = write_matrix(ctx, file, parts[i].x, parts[i].rows, parts[i].cols);
    }
    return rc;
}

/* Eigenvalues in the plane, with lines of constant damping ratio. */
static plot_figure *draw_eigenvalues(mem *m, const char *name, const linear_point *l)
{
    plot_figure *f = NULL;
    const linear_modes *e = &l->modes;
    char title[200];
    double size = 0;
    snprintf(title, sizeof title, "Eigenvalues of %s at t = %g", name, l->t);
    if (plot_new(m, &(plot_figure_spec){.title = title, .width = 460, .height = 400}, &f) < 0)
        return NULL;
    for (int i = 0; i < e->n; i++) size = fmax(size, hypot(e->re[i], e->im[i]));
    if (size == 0) size = 1;
    double lo = 0, hi = 0;
    for (int i = 0; i < e->n; i++) lo = fmin(lo, e->re[i]), hi = fmax(hi, e->re[i]);
    plot_panel_spec spec = {.equal = true};
    spec.x = (plot_axis){.label = "Re λ", .fixed = true, .lo = fmin(1.15 * lo, -0.5 * size)};
    spec.x.hi = fmax(1.15 * hi, 0.25 * size);
    spec.left = (plot_axis){.label = "Im λ", .fixed = true, .lo = -1.15 * size, .hi = 1.15 * size};
    plot_panel *p = plot_add_panel(f, &spec);
    static const double ratios[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
        double z = ratios[k], far = 4 * size, c = -z * far, s = sqrt(1 - z * z) * far;
        char label[16];
        plot_add_curve(p, &(plot_curve_spec){.x = (double[]){c, 0, c},
                                             .y = (double[]){s, 0, -s},
                                             .n = 3,
                                             .colour = PLOT_FAINT,
                                             .width = 0.8});
        snprintf(label, sizeof label, "ζ %.1f", z);
        plot_add_text(p, 1.05 * size / far * c, 1.05 * size / far * s, label);
    }
    plot_add_event(p, 0);
    plot_add_level(p, 0, NULL);
    plot_add_curve(p, &(plot_curve_spec){.x = e->re,
                                         .y = e->im,
                                         .n = (size_t)e->n,
                                         .style = PLOT_POINTS,
                                         .colour = 1,
                                         .width = 3.5});
    return f;
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct linear_job {
    vinc_sim *s;
    const vinc_linear_options *o;
    vinc_linear **out;
} linear_job;

// The second of a pair has the conjugate shape.
static vinc_mode *list_modes(arena *a, const linear_modes *m)
{
    size_t n = (size_t)m->n;
    vinc_mode *list = arena_array(a, vinc_mode, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t first = m->im[i] < 0 ? i - 1 : i;
        double *im = arena_array(a, double, n);
        for (size_t k = 0; k < n && m->im[i] != 0; k++)
            im[k] = (m->im[i] < 0 ? -1 : 1) * m->vectors[(first + 1) * n + k];
        list[i] = (vinc_mode){.re = m->re[i],
                              .im = m->im[i],
                              .frequency = hypot(m->re[i], m->im[i]),
                              .damping = study_damping(m->re[i], m->im[i]),
                              .fold = m->fold[i],
                              .n = m->n,
                              .shape_re = m->vectors + first * n,
                              .shape_im = im};
    }
    return list;
}

static int tell_linear(void *job)
{
    static const char *const where[] = {"start", "stop", "equilibrium"};
    linear_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    double t = j->o->at == VINC_AT_STOP ? s->done.t_end : s->options.t_start;
    linear_point l;
    watch_doing(&m->ctx->watch, "linearizing", m->flat->name);
    int rc = study_linearize(s, t, j->o->vars, &s->a, &l);
    if (rc) return rc;
    int *shifted = arena_array(&s->a, int, l.s.n + 1);
    for (int i = 0; i < l.s.n; i++) shifted[i] = l.s.shifted[i];
    vinc_linear told = {.model = m->source,
                        .class_name = m->flat->name,
                        .t = t,
                        .point =
                            where[j->o->at < VINC_AT_EQUILIBRIUM ? j->o->at : VINC_AT_EQUILIBRIUM],
                        .rate_of = l.rate_of,
                        .rate = l.rate_of ? l.rate_value : NAN,
                        .held = l.held,
                        .constant = l.constant,
                        .n_states = l.s.n,
                        .n_inputs = l.s.n_u,
                        .n_outputs = l.s.n_o,
                        .states = l.states,
                        .inputs = l.inputs,
                        .outputs = l.outputs,
                        .x = l.x,
                        .shifted = shifted,
                        .a = l.s.a,
                        .b = l.s.b,
                        .c = l.s.c,
                        .d = l.s.d,
                        .improper = l.s.improper,
                        .n_modes = l.modes.n,
                        .modes = list_modes(&s->a, &l.modes),
                        .modes_condition = l.modes.condition};
    if (j->o->csv) rc = write_matrices(m->ctx, j->o->csv, &l.s);
    if (!rc && j->o->plot)
        rc = study_write_figure(m->ctx, j->o->plot, draw_eigenvalues(&m->ctx->m, m->flat->name, &l),
                                &m->out, &told.chart);
    return rc ? rc : told_keep(&m->ctx->lasting, &study_linear, &told, j->out);
}

int vinc_linear_of(vinc_model *model, const vinc_linear_options *options, vinc_linear **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_linear_options o = options ? *options : (vinc_linear_options){0};
    vinc_sim_options run = o.run ? *o.run : (vinc_sim_options){0};
    run.formulation = "dummy"; // index 1: states and what follows from them
    vinc_sim *s = NULL;
    int rc = api_sim_new(model, &run, &s);
    if (!rc) rc = study_reach(s, o.at);
    if (!rc) rc = api_guarded(model->ctx, tell_linear, &(linear_job){s, &o, out});
    vinc_sim_free(s);
    return rc;
}

int vinc_model_linearize(vinc_model *model, const vinc_linear_options *options, vinc_format format,
                         const char **out)
{
    vinc_linear *told = NULL;
    int rc = vinc_linear_of(model, options, &told);
    return study_say(model, rc, told, format, out);
}
