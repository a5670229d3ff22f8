/* `vincolo linearize`: A, B, C, D, eigenvalues and mode shapes, in words, as JSON, as CSV files and
 * as a figure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/whole_file.h"
#include "study/linear_model.h"
#include "study/pencil_study.h"
#include "study/study.h"
#include "told/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PRINT_MOST = 12 };

typedef struct linear_job {
    vinc_sim *s;
    const vinc_linear_options *o;
    vinc_format format;
} linear_job;

/* ---- words ----------------------------------------------------------------------------------- */

static void names_text(text *o, const char *what, const char *const *names, const double *x,
                       const bool *shifted, int n)
{
    text_printf(o, "  %-10s", what);
    if (!n) text_add(o, " none");
    for (int i = 0; i < n; i++) {
        text_printf(o, "%s%s", i ? ", " : " ", names[i]);
        if (x) text_printf(o, " = %.6g", fabs(x[i]) < 1e-14 ? 0 : x[i]);
        if (shifted && shifted[i]) text_add(o, " (less its part by the inputs)");
    }
    text_char(o, '\n');
}

static void matrices_text(text *o, const linear_system *s)
{
    int most = s->n > s->n_o ? s->n : s->n_o, wide = s->n > s->n_u ? s->n : s->n_u;
    text_printf(o, "\nx' = A x + B u, y = C x + D u for the deviations from this point%s\n",
                most > PRINT_MOST || wide > PRINT_MOST ? ": the matrices by --json or --out" : "");
    if (most > PRINT_MOST || wide > PRINT_MOST) return;
    if (s->n) api_print_matrix(o, "A", s->n, s->n, s->a, s->n);
    if (s->n && s->n_u) api_print_matrix(o, "B", s->n, s->n_u, s->b, s->n);
    if (s->n_o && s->n) api_print_matrix(o, "C", s->n_o, s->n, s->c, s->n_o);
    if (s->n_o && s->n_u) api_print_matrix(o, "D", s->n_o, s->n_u, s->d, s->n_o);
    if (s->improper > 0)
        text_printf(
            o,
            "  the outputs also depend on the derivatives of the inputs (coefficients up to "
            "%.3g), which D does not hold\n",
            s->improper);
}

// The sign of a real part near 0 is rounding: relative to the largest eigenvalue.
static double negligible(const linear_modes *m)
{
    double most = 0;
    for (int i = 0; i < m->n; i++) most = fmax(most, hypot(m->re[i], m->im[i]));
    return 1e-10 * most;
}

static void mode_text(text *o, const linear_modes *m, int i, int number, double zero)
{
    double re = m->re[i], im = m->im[i], size = hypot(re, im);
    char value[80];
    if (im > 0) snprintf(value, sizeof value, "%.6g +- %.6g i", fabs(re) <= zero ? 0 : re, im);
    else snprintf(value, sizeof value, "%.6g", fabs(re) <= zero ? 0 : re);
    text_printf(o, "  %-3d %-28s", number, value);
    if (im > 0)
        text_printf(o, " %-10.6g %-10.6g %-10.4g", size, size / (2 * M_PI),
                    fabs(re) <= zero ? 0 : api_damping(re, im));
    else text_printf(o, " %-10s %-10s %-10s", "", "", "");
    if (fabs(re) <= zero) text_add(o, im > 0 ? " undamped\n" : " neutral\n");
    else text_printf(o, " %s in %.4g\n", re < 0 ? "decays by e" : "grows by e", 1 / fabs(re));
}

static void shape_text(text *o, const api_linear *l, int i, int number)
{
    const linear_modes *m = &l->modes;
    const double *re = m->vectors + (size_t)i * (size_t)m->n, *im = re + m->n;
    text_printf(o, "  %-3d", number);
    for (int k = 0, shown = 0; k < m->n; k++) {
        double size = m->im[i] > 0 ? hypot(re[k], im[k]) : fabs(re[k]);
        if (size < 1e-6) continue;
        text_printf(o, "%s%s %.4g", shown++ ? ",  " : " ", l->states[k],
                    m->im[i] > 0 ? size : re[k]);
        double angle = m->im[i] > 0 ? atan2(im[k], re[k]) * 180 / M_PI : 0;
        if (fabs(angle) > 0.05) text_printf(o, " at %.1f deg", angle);
    }
    text_char(o, '\n');
}

static void modes_text(text *o, const api_linear *l)
{
    const linear_modes *m = &l->modes;
    double zero = negligible(m), most = -INFINITY;
    if (!m->n) return;
    text_add(o, "\nModes\n  #   eigenvalue                   rad/s      Hz         damping\n");
    for (int i = 0, k = 1; i<m->n; i += m->im[i]> 0 ? 2 : 1, k++) mode_text(o, m, i, k, zero);
    for (int i = 0; i < m->n; i++) most = fmax(most, m->re[i]);
    text_printf(o, "  %s\n",
                most > zero    ? "unstable: a mode grows"
                : most < -zero ? "stable: every mode decays"
                               : "neither: a mode neither grows nor decays");
    if (m->condition > 1e7)
        text_printf(o, "  A has (nearly) no full set of eigenvectors: condition %.1g\n",
                    m->condition);
    if (m->n > 4 * PRINT_MOST) return;
    text_add(o, "\nMode shapes: sizes and phases, the largest component is 1\n");
    for (int i = 0, k = 1; i<m->n; i += m->im[i]> 0 ? 2 : 1, k++) shape_text(o, l, i, k);
}

static void linear_text(text *o, const char *name, const api_linear *l)
{
    text_printf(o, "%s at t = %g (%s): %d state%s\n", name, l->t, l->where, l->s.n,
                l->s.n == 1 ? "" : "s");
    names_text(o, "states", l->states, l->x, l->s.shifted, l->s.n);
    names_text(o, "inputs", l->inputs, NULL, NULL, l->s.n_u);
    names_text(o, "outputs", l->outputs, NULL, NULL, l->s.n_o);
    matrices_text(o, &l->s);
    modes_text(o, l);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void linear_json(text *o, const vinc_sim *s, const api_linear *l)
{
    const linear_modes *m = &l->modes;
    json j = {o, true};
    json_open(&j, NULL, '{');
    json_text(&j, "model", s->model->source);
    json_text(&j, "class", s->model->flat->name);
    json_real(&j, "t", l->t);
    json_text(&j, "point", l->where);
    json_names(&j, "states", l->states, l->s.n);
    json_names(&j, "inputs", l->inputs, l->s.n_u);
    json_names(&j, "outputs", l->outputs, l->s.n_o);
    json_vector(&j, "x", l->x, l->s.n, 1);
    json_matrix(&j, "A", l->s.a, l->s.n, l->s.n);
    json_matrix(&j, "B", l->s.b, l->s.n, l->s.n_u);
    json_matrix(&j, "C", l->s.c, l->s.n_o, l->s.n);
    json_matrix(&j, "D", l->s.d, l->s.n_o, l->s.n_u);
    json_real(&j, "improper", l->s.improper);
    json_open(&j, "modes", '[');
    for (int i = 0; i < m->n; i++) {
        // The second of a pair has the conjugate shape.
        int first = m->im[i] < 0 ? i - 1 : i;
        const double *re = m->vectors + (size_t)first * (size_t)m->n;
        json_open(&j, NULL, '{');
        json_vector(&j, "eigenvalue", (double[]){m->re[i], m->im[i]}, 2, 1);
        json_real(&j, "frequency", hypot(m->re[i], m->im[i]));
        json_real(&j, "damping", api_damping(m->re[i], m->im[i]));
        json_open(&j, "shape", '[');
        for (int k = 0; k < m->n; k++) {
            double im = m->im[i] == 0 ? 0 : re[m->n + k];
            json_vector(&j, NULL, (double[]){re[k], m->im[i] < 0 ? -im : im}, 2, 1);
        }
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    text_char(o, '\n');
}

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
static int write_csv(vinc_ctx *ctx, const char *path, const linear_system *s)
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
static plot_figure *draw(mem *m, const char *name, const api_linear *l)
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

static int report(void *job)
{
    static const char *const where[] = {"start", "stop", "equilibrium"};
    linear_job *j = job;
    vinc_sim *s = j->s;
    vinc_ctx *ctx = s->model->ctx;
    text *o = &s->model->out;
    const char *name = s->model->flat->name;
    double t = j->o->at == VINC_AT_STOP ? s->done.t_end : s->options.t_start;
    api_linear l;
    text_clear(o);
    int rc = api_linearize(s, t, j->o->vars, &s->a, &l);
    if (rc) return rc;
    l.where = where[j->o->at];
    if (j->format == VINC_JSON) linear_json(o, s, &l);
    else linear_text(o, name, &l);
    if (j->o->csv) rc = write_csv(ctx, j->o->csv, &l.s);
    bool chart = j->o->plot && (j->format == VINC_TEXT || strcmp(j->o->plot, "-") != 0);
    if (!rc && chart) rc = api_write_figure(ctx, j->o->plot, draw(&ctx->m, name, &l), o);
    return rc;
}

int vinc_model_linearize(vinc_model *model, const vinc_linear_options *options, vinc_format format,
                         const char **out)
{
    *out = "";
    if (!model) return VINC_E_MEMORY;
    vinc_linear_options o = options ? *options : (vinc_linear_options){0};
    vinc_sim_options run = o.run ? *o.run : (vinc_sim_options){0};
    run.formulation = "dummy"; // index 1: states and what follows from them
    vinc_sim *s = NULL;
    int rc = api_sim_new(model, &run, &s);
    if (!rc) rc = api_reach(s, o.at);
    if (!rc) rc = api_guarded(model->ctx, report, &(linear_job){s, &o, format});
    if (!rc) *out = text_str(&model->out);
    vinc_sim_free(s);
    return rc;
}
