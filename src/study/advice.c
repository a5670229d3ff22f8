/* Before a run with fixed steps: do the steps suit the modes of the model? Warnings from the
 * eigenvalues at the start. A mode of frequency w is sampled too seldom when w h > pi, half a
 * period per step, and then looks like one of lower frequency (H. Nyquist, Trans. AIEE 47 (1928)
 * 617-644); a conditionally stable method lets a mode grow for which |R(h lambda)| > 1; and one that is
 * A-stable but not L-stable lets what should decay at once ring, where R(h lambda) is near -1.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/linear_model.h"
#include "study/method_subject.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { MOST_UNKNOWNS = 200 };
static const double NO_STEP = 1e-3; // a stable step that much shorter is no advice
static const double DAMPING_RATIO_MAX =
    0.5; // largest damping ratio of a mode that is seen to oscillate

typedef struct advice_job {
    vinc_sim *s, *at; // the run; one of the formulation `dummy` at its start
} advice_job;

/* What becomes of a mode that is faster than the steps: A-stable methods keep it, L-stable ones do not
 * (mode_steps.c). */
static void note_alias(vinc_sim *s, const method_subject *method, double h, double re, double im)
{
    double modulus, angle;
    if (!method || !method->known || method->r.second_order) return;
    study_mode_step(&method->r, h, re, im, &modulus, &angle);
    if (modulus > 1 + 1e-9) return; // said by itself
    if (modulus < STUDY_DAMPED)
        diag_note(&s->model->ctx->diags, (span){0}, "'%s' damps it: times %.3g in a step",
                  method->spec, modulus);
    else
        diag_note(
            &s->model->ctx->diags, (span){0},
            "'%s' goes on with it at %.4g rad/s, times %.4g in a step: an oscillation that is "
            "not there; L-stable methods damp it (radau5, bdf2)",
            method->spec, angle / h, modulus);
}

/* Modes that decay within a step but are left at -1 or so times what they were. */
static void warn_ringing(vinc_sim *s, const linear_modes *m, const method_subject *method, double h)
{
    int worst = -1;
    double most = STUDY_DAMPED;
    if (!method->known || method->r.second_order) return;
    for (int i = 0; i < m->n; i++) {
        double modulus, angle;
        if (m->im[i] < 0 || m->im[i] * h > M_PI) continue; // aliasing is another matter
        study_mode_step(&method->r, h, m->re[i], m->im[i], &modulus, &angle);
        bool rings = exp(h * m->re[i]) < STUDY_GONE && angle > 0.5 * M_PI;
        if (rings && modulus <= 1 + 1e-9 && modulus > most) most = modulus, worst = i;
    }
    if (worst < 0) return;
    diag_warning(
        &s->model->ctx->diags, "R152", (span){0},
        "the mode of the eigenvalue %.4g decays within a step of %g, but '%s' multiplies it "
        "by -%.4g: what excites it rings with the period 2 h = %g, for some %.0f steps. "
        "L-stable methods damp it (radau5, bdf2); so do steps below %.3g",
        m->re[worst], h, method->spec, most, 2 * h, ceil(log(100) / -log(most)),
        2 / fabs(m->re[worst]));
}

static void resolve_modes(vinc_sim *s, const linear_modes *m, const method_subject *method,
                          double h)
{
    int worst = -1;
    for (int i = 0; i < m->n; i++)
        if (m->im[i] * h > M_PI && study_damping(m->re[i], m->im[i]) < DAMPING_RATIO_MAX &&
            (worst < 0 || m->im[i] > m->im[worst]))
            worst = i;
    if (worst < 0) return;
    double w = m->im[worst], alias = fabs(w - 2 * M_PI / h * round(w * h / (2 * M_PI)));
    diag_warning(&s->model->ctx->diags, "R150", (span){0},
                 "steps of %g cannot resolve the mode of %.4g rad/s (period %.4g): sampled less "
                 "than twice a period it looks like one of %.4g rad/s (aliasing); take steps below "
                 "%.3g, better a tenth of that",
                 h, w, 2 * M_PI / w, alias, M_PI / w);
    note_alias(s, method, h, m->re[worst], w);
}

static double mode_growth(const lab_report *r, double h, double re, double im)
{
    point principal, most = lab_amplification(r, (point){h * re, h * im}, &principal);
    return hypot(most.re, most.im);
}

static void stay_stable(vinc_sim *s, const linear_modes *m, const method_subject *method, double h)
{
    int worst = -1;
    double most = 1 + 1e-3;
    if (!method->known) return;
    for (int i = 0; i < m->n; i++) {
        double zero = 1e-9 * hypot(m->re[i], m->im[i]);
        // The roots of a formula for x'' = f say nothing of forces that depend on speeds.
        if (method->r.second_order && fabs(m->re[i]) > zero) continue;
        if (m->re[i] > zero || (m->re[i] == 0 && m->im[i] == 0)) continue;
        double g = mode_growth(&method->r, h, m->re[i], m->im[i]);
        if (g > most) most = g, worst = i;
    }
    if (worst < 0) return;
    // Bisection for the largest stable step below h, for the advice only.
    double good = 0, bad = h;
    for (int k = 0; k < 60; k++) {
        double x = 0.5 * (good + bad);
        if (mode_growth(&method->r, x, m->re[worst], m->im[worst]) <= 1 + 1e-9) good = x;
        else bad = x;
    }
    diag_warning(
        &s->model->ctx->diags, "R151", (span){0},
        "steps of %g are outside the stability region of %s for the eigenvalue %.4g%+.4gi: "
        "that mode does not grow, but its numerical solution does, %.3g times in every step%s",
        h, method->spec, m->re[worst], m->im[worst], most,
        good < NO_STEP * h ? "; take another method" : "");
    if (good >= NO_STEP * h)
        diag_note(&s->model->ctx->diags, (span){0}, "stable up to steps of %.4g", good);
}

static int advise_steps(void *job)
{
    advice_job *j = job;
    vinc_sim *s = j->s;
    vinc_ctx *ctx = s->model->ctx;
    if (run_problem(j->at->state)->n > MOST_UNKNOWNS) return VINC_OK;
    diag_sink held = ctx->diags;
    linear_point l;
    method_subject *m = arena_new(&ctx->scratch, method_subject);
    bool modes = !study_linearize(j->at, s->options.t_start, NULL, &j->at->a, &l);
    bool method = modes && s->method && method_subject_find(ctx, s->method, m);
    diag_forget_since(&ctx->diags, held); // the run itself says what is wrong
    if (modes) resolve_modes(s, &l.modes, method ? m : NULL, s->options.step);
    if (method) warn_ringing(s, &l.modes, m, s->options.step);
    if (method) stay_stable(s, &l.modes, m, s->options.step);
    return VINC_OK;
}

int vinc_sim_advise(vinc_sim *s)
{
    if (!s) return VINC_E_MEMORY;
    if (!(s->options.step > 0)) return VINC_OK;
    vinc_sim_options o = s->callbacks;
    advice_job j = {.s = s};
    o.formulation = "dummy";
    o.method = NULL;
    api_lock(s->model->ctx); // whose messages are held
    diag_sink held = s->model->ctx->diags;
    int rc = api_sim_new(s->model, &o, &j.at);
    if (!rc) rc = api_initialize(j.at);
    diag_forget_since(&s->model->ctx->diags, held);
    if (rc == VINC_OK) rc = api_guarded(s->model->ctx, advise_steps, &j);
    api_unlock(s->model->ctx);
    vinc_sim_free(j.at);
    return rc == VINC_E_MEMORY ? rc : VINC_OK;
}
