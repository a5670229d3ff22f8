/* `vincolo linearize --methods A,B --step H`: what methods with a step make of the modes of a model.
 *
 * A mode e^(lambda t) that is faster than the step can follow is not lost: a method multiplies it by
 * R(h lambda). Where an A-stable method is not L-stable, |R| stays near 1: what decays within the step
 * rings with the period 2 h, and what oscillates faster than the Nyquist frequency pi/h goes on as a
 * slow oscillation that is not there. L-stable methods damp both.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/linear_model.h"
#include "study/method_subject.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ANGLE_OF_ROUNDING = 1e-9;

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD(vinc_mode_step, __VA_ARGS__)
static const told_field mode_step_fields[] = {
    ROW(PAIR, "eigenvalue", re, .also = offsetof(vinc_mode_step, im)),
    ROW(WORD, "method", method),
    ROW(REAL, "exact", exact),
    ROW(REAL, "modulus", modulus),
    ROW(REAL, "frequency", frequency),
    ROW(WORD, "what", what),
    {0},
};

#define FIELD(...) TOLD(vinc_mode_steps, __VA_ARGS__)
static const told_field mode_steps_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(REAL, "t", t),
    FIELD(REAL, "step", step),
    TOLD_LIST(vinc_mode_steps, ROWS, "rows", rows, n_rows, .size = sizeof(vinc_mode_step),
              .inside = mode_step_fields),
    {0},
};

static void say_mode_steps(const void *told, vinc_format format, text *o)
{
    const vinc_mode_steps *m = told;
    (void)format;
    text_printf(o, "%s at t = %g in steps of %g; nothing faster than pi/h = %.4g rad/s is seen\n",
                m->class_name, m->t, m->step, M_PI / m->step);
    for (int i = 0; i < m->n_rows; i++) {
        const vinc_mode_step *r = &m->rows[i];
        if (!i || r->re != r[-1].re || r->im != r[-1].im) {
            text_printf(o, "\n  %.6g", r->re);
            if (r->im > 0) text_printf(o, " +- %.6g i", r->im);
            text_printf(o, ": times %.4g in a step", r->exact);
            if (r->im > 0) text_printf(o, ", at %.4g rad/s", r->im);
            text_add(o, "\n");
        }
        text_printf(o, "    %-16s times %-10.4g", r->method, r->modulus);
        if (r->frequency > 0) text_printf(o, " at %-10.4g rad/s", r->frequency);
        else text_printf(o, " %-18s", "");
        text_printf(o, "  %s\n", r->what);
    }
}

static const told_line mode_steps_lines[] = {{.say = say_mode_steps}, {0}};

const told_kind study_mode_steps = {
    .name = "mode_steps",
    .command = "linearize --methods --step",
    .summary = "what methods with a fixed step make of the modes of a model",
    .size = sizeof(vinc_mode_steps),
    .fields = mode_steps_fields,
    .lines = mode_steps_lines,
};

/* ---- one mode, one method -------------------------------------------------------------------- */

static const char *mode_word(double h, double re, double im, double modulus, double angle)
{
    bool fast = im * h > M_PI, gone = exp(h * re) < STUDY_GONE;
    if (modulus > 1 + 1e-9 && re <= 0) return "grows";
    if (!fast && !gone) return "followed";
    if (modulus < STUDY_DAMPED) return "damped";
    if (gone && fabs(angle) > 0.5 * M_PI) return "rings with the period 2 h";
    return fast ? "aliased: goes on as a slower oscillation" : "lingers";
}

void study_mode_step(const lab_report *r, double h, double re, double im, double *modulus,
                     double *angle)
{
    point principal, most = lab_amplification(r, (point){h * re, h * im}, &principal);
    *modulus = hypot(most.re, most.im);
    *angle = fabs(atan2(most.im, most.re));
    if (*angle < ANGLE_OF_ROUNDING) *angle = 0;
}

static vinc_mode_step mode_by(const method_subject *m, double h, double re, double im)
{
    double modulus, angle;
    study_mode_step(&m->r, h, re, im, &modulus, &angle);
    return (vinc_mode_step){.re = re,
                            .im = im,
                            .method = m->spec,
                            .exact = exp(h * re),
                            .modulus = modulus,
                            .frequency = angle / h,
                            .what = mode_word(h, re, im, modulus, angle)};
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct mode_steps_job {
    vinc_sim *s;
    const vinc_linear_options *o;
    double step;
    vinc_mode_steps **out;
} mode_steps_job;

/* The methods of the list, each analysed. */
static int read_methods(vinc_ctx *ctx, arena *a, const char *list, method_subject **out)
{
    enum { METHODS_MOST = 16 };
    method_subject *all = arena_array(a, method_subject, METHODS_MOST);
    int n = 0;
    for (const char *at = list; *at;) {
        // A comma may also separate parameters: name:a=1,b=2.
        size_t length = strcspn(at, ",");
        while (at[length] && memchr(at, ':', length) &&
               at[length + 1 + strcspn(at + length + 1, ",=")] == '=')
            length += 1 + strcspn(at + length + 1, ",");
        if (n == METHODS_MOST) break;
        if (!method_subject_find(ctx, arena_strndup(a, at, length), &all[n])) return -1;
        if (!all[n].known || all[n].r.second_order) {
            diag_error(&ctx->diags, "C171", (span){0},
                       "'%s' is no single formula for y' = f: what it makes of a mode is not known "
                       "beforehand",
                       all[n].spec);
            return -1;
        }
        n++;
        at += length + (at[length] == ',');
    }
    *out = all;
    return n;
}

static int tell_mode_steps(void *job)
{
    const mode_steps_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    double t = j->o->at == VINC_AT_STOP ? s->done.t_end : s->options.t_start;
    linear_point l;
    method_subject *methods;
    int rc = study_linearize(s, t, NULL, &s->a, &l), n = 0;
    if (rc) return rc;
    int n_methods = read_methods(m->ctx, &s->a, j->o->methods, &methods);
    if (n_methods < 0) return VINC_E_OPTION;
    vinc_mode_step *rows = arena_array(&s->a, vinc_mode_step, l.modes.n * n_methods + 1);
    for (int i = 0; i < l.modes.n; i++)
        for (int k = 0; k < n_methods && l.modes.im[i] >= 0; k++)
            rows[n++] = mode_by(&methods[k], j->step, l.modes.re[i], l.modes.im[i]);
    vinc_mode_steps told = {.model = m->source,
                            .class_name = m->flat->name,
                            .t = t,
                            .step = j->step,
                            .n_rows = n,
                            .rows = rows};
    return told_keep(&m->ctx->lasting, &study_mode_steps, &told, j->out);
}

int vinc_mode_steps_of(vinc_model *model, const vinc_linear_options *options, vinc_mode_steps **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    if (!options || !options->methods || !options->run || !(options->run->step > 0))
        return api_lacks(model->ctx, "methods and a step");
    vinc_sim_options run = *options->run;
    mode_steps_job j = {.o = options, .step = run.step, .out = out};
    run.formulation = "dummy";
    run.step = 0; // of the run to the point
    int rc = api_sim_new(model, &run, &j.s);
    if (!rc) rc = study_reach(j.s, options->at);
    if (!rc) rc = api_guarded(model->ctx, tell_mode_steps, &j);
    vinc_sim_free(j.s);
    return rc;
}
