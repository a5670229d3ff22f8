/* `vincolo run --baumgarte`: which zeta and omega, which tau, for this model, method and step?
 *
 * A violation z of a constraint obeys z'' + 2 zeta omega z' + omega^2 z = 0 (with one factor s + omega
 * more or less for other orders); a step of h multiplies each of its modes e^(s t) by R(h s). So for
 * each zeta there is an omega beyond which violations grow, and one for which they shrink most in a
 * step. That is not the best one yet: inside a step positions are off the constraint by more than at
 * its end (the stage order), and a large omega^2 makes forces of that. How much depends on the model,
 * so it is asked itself: runs with omega h from 0.01 to 2, stable ones only, and without. Where steps
 * vary, h is the mean of the run without.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/linear_model.h"
#include "study/method_subject.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double OMEGA_H_MAX = 2;   // the trapezoidal rule and those of order 1 need no more
static const double OMEGA_H_FAR = 1e4; // stable up to there: without limit
static const double STABLE_BY = 1e-9;
static const double PART_OF_LIMIT = 0.75; // at the limit itself nothing decays
static const double OMEGA_H_TRIED[] = {2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};
enum { PLACES = 2000, BISECTIONS = 60, TRIALS = 10, ZETAS = 5 };

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD(vinc_stabilising, __VA_ARGS__)
static const told_field stabilising_fields[] = {
    ROW(REAL, "zeta", zeta),
    ROW(REAL, "omega_limit", omega_limit),
    ROW(REAL, "omega", omega),
    ROW(REAL, "factor", factor),
    {0},
};

#define TRIAL(...) TOLD(vinc_stabilised, __VA_ARGS__)
static const told_field stabilised_fields[] = {
    TRIAL(WORD, "formulation", formulation),
    TRIAL(WORD, "status", status),
    TRIAL(REAL, "position_max", position_max),
    TRIAL(REAL, "velocity_max", velocity_max),
    {0},
};

#define FIELD(...) TOLD(vinc_stabilisation, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_stabilisation, __VA_ARGS__)
static const told_field stabilisation_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(WORD, "method", method),
    FIELD(BOOL, "fixed", fixed),
    FIELD(REAL, "step", step),
    FIELD(INT, "order", order),
    FIELD(REAL, "fastest", fastest),
    FIELD(REAL, "zeta", zeta),
    FIELD(REAL, "omega", omega),
    FIELD(REAL, "tau", tau),
    FIELD(REAL, "factor", factor),
    FIELD(REAL, "omega_limit", omega_limit),
    LIST(ROWS, "rows", rows, n_rows, .size = sizeof(vinc_stabilising),
         .inside = stabilising_fields),
    LIST(ROWS, "runs", runs, n_runs, .size = sizeof(vinc_stabilised), .inside = stabilised_fields),
    {0},
};

static void say_limit(text *o, double omega)
{
    if (isinf(omega)) text_printf(o, "%-14s", "any");
    else text_printf(o, "%-14.5g", omega);
}

static void say_stabilisation(const void *told, vinc_format format, text *o)
{
    const vinc_stabilisation *x = told;
    (void)format;
    text_printf(o, "%s by %s, steps of %.4g (%s)\n", x->class_name, x->method, x->step,
                x->fixed ? "fixed" : "the mean of a run without stabilisation");
    text_printf(o,
                "  constraints  differentiated %d time%s: a violation obeys an equation of that "
                "order\n",
                x->order, x->order == 1 ? "" : "s");
    if (x->fastest > 0)
        text_printf(o, "  model        fastest mode at the start %.4g rad/s, h times that %.3g\n",
                    x->fastest, x->step * x->fastest);
    text_printf(o, "  advice       --formulation baumgarte:zeta=%.4g,omega=%.4g", x->zeta,
                x->omega);
    if (x->zeta == 1) text_printf(o, "   (tau=%.4g)", x->tau);
    text_printf(o,
                "\n               least violations of the runs below; multiplies one by %.3g in a "
                "step; ",
                x->factor);
    if (isinf(x->omega_limit)) text_add(o, "stable with any omega\n");
    else text_printf(o, "it grows for omega > %.5g\n", x->omega_limit);
    text_add(o, "\n  zeta      grows beyond  best omega    factor in a step\n");
    for (int i = 0; i < x->n_rows; i++) {
        text_printf(o, "  %-9.4g ", x->rows[i].zeta);
        say_limit(o, x->rows[i].omega_limit);
        text_printf(o, "%-13.5g %.3g\n", x->rows[i].omega, x->rows[i].factor);
    }
    text_add(o, "\n  tried on the model                          violated by at most\n");
    for (int i = 0; i < x->n_runs; i++) {
        const vinc_stabilised *r = &x->runs[i];
        text_printf(o, "  %-42s  ", r->formulation);
        if (strcmp(r->status, "done") != 0) text_add(o, "the run failed\n");
        else if (isnan(r->velocity_max)) text_printf(o, "%.2g\n", r->position_max);
        else text_printf(o, "%.2g (position), %.2g (velocity)\n", r->position_max, r->velocity_max);
    }
}

static const told_line stabilisation_lines[] = {{.say = say_stabilisation}, {0}};

const told_kind study_stabilisation = {
    .name = "stabilisation",
    .command = "run --baumgarte",
    .summary = "zeta, omega and tau of Baumgarte's stabilisation for a model, a method and a step",
    .size = sizeof(vinc_stabilisation),
    .fields = stabilisation_fields,
    .lines = stabilisation_lines,
};

/* ---- the error equation ---------------------------------------------------------------------- */

typedef struct stabilise_job {
    vinc_model *model;
    vinc_sim_options run;
    vinc_stabilisation told, **out;
    vinc_stabilising rows[ZETAS];
    vinc_stabilised runs[TRIALS];
    char names[TRIALS][80];
    lab_report formula;
} stabilise_job;

/* Of all modes with this zeta and omega = 1, in a step of x. */
static double shrinking(const lab_report *r, int order, double zeta, double x)
{
    double most = 0, im = sqrt(fmax(1 - zeta * zeta, 0));
    for (int k = 0; k < order; k++) {
        bool pair = order >= 2 && k < 2;
        point z = {pair ? -zeta * x : -x, pair ? im * x : 0}, principal;
        point a = lab_amplification(r, z, &principal);
        most = fmax(most, hypot(a.re, a.im));
    }
    return most;
}

/* The least omega h beyond which violations grow; infinite: none. */
static double growing_beyond(const lab_report *r, int order, double zeta)
{
    double good = 0, bad = INFINITY;
    for (int i = 0; i <= PLACES && isinf(bad); i++) {
        double x = 1e-3 * pow(OMEGA_H_FAR / 1e-3, (double)i / PLACES);
        if (shrinking(r, order, zeta, x) > 1 + STABLE_BY) bad = x;
        else good = x;
    }
    for (int k = 0; k < BISECTIONS && isfinite(bad); k++) {
        double x = 0.5 * (good + bad);
        *(shrinking(r, order, zeta, x) > 1 + STABLE_BY ? &bad : &good) = x;
    }
    return isinf(bad) ? bad : good;
}

/* The omega h of least factor: the best of many, then between its neighbours. */
static double shrinking_most(const lab_report *r, int order, double zeta, double limit)
{
    double most = fmin(limit, OMEGA_H_MAX), best = most, least = INFINITY, d = most / PLACES;
    for (int i = 1; i <= PLACES; i++) {
        double f = shrinking(r, order, zeta, i * d);
        if (f < least) least = f, best = i * d;
    }
    double a = best - d, b = fmin(best + d, most);
    for (int k = 0; k < BISECTIONS; k++) {
        double p = a + (b - a) / 3, q = b - (b - a) / 3;
        *(shrinking(r, order, zeta, p) < shrinking(r, order, zeta, q) ? &b : &a) =
            shrinking(r, order, zeta, p) < shrinking(r, order, zeta, q) ? q : p;
    }
    return 0.5 * (a + b);
}

static int find_advice(void *job)
{
    static const double zetas[ZETAS] = {0.1, 0.3, 0.5, 0.7071, 1};
    stabilise_job *j = job;
    vinc_stabilisation *t = &j->told;
    vinc_ctx *ctx = j->model->ctx;
    method_subject *m = arena_new(&ctx->scratch, method_subject);
    if (!method_subject_find(ctx, t->method, m)) return VINC_E_OPTION;
    if (!m->known || m->r.second_order) {
        diag_error(&ctx->diags, "C170", (span){0},
                   "'%s' is no single formula for y' = f, so that nothing can be said of what it "
                   "makes of violations; name one of fixed order: rk4, dopri5, bdf2, radau5",
                   t->method);
        return VINC_E_OPTION;
    }
    j->formula = m->r;
    for (int i = 0; i < ZETAS; i++) {
        double limit = growing_beyond(&m->r, t->order, zetas[i]);
        double x = shrinking_most(&m->r, t->order, zetas[i], limit);
        j->rows[i] = (vinc_stabilising){.zeta = zetas[i],
                                        .omega_limit = limit / t->step,
                                        .omega = x / t->step,
                                        .factor = shrinking(&m->r, t->order, zetas[i], x)};
    }
    t->rows = j->rows;
    t->n_rows = ZETAS;
    return VINC_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

static int find_order(void *job)
{
    stabilise_job *j = job;
    const structure *s = j->model->structure;
    for (int i = 0; i < s->equations.n; i++)
        if (s->equations.at[i].c > j->told.order && !s->equations.at[i].definition)
            j->told.order = s->equations.at[i].c;
    if (j->told.order) return VINC_OK;
    diag_error(&j->model->ctx->diags, "C169", (span){0},
               "%s has no constraints that are differentiated: there is nothing to stabilise",
               j->model->flat->name);
    return VINC_E_OPTION;
}

typedef struct fastest_job {
    vinc_sim *s;
    double *out;
} fastest_job;

static int find_fastest(void *job)
{
    const fastest_job *j = job;
    linear_point l;
    diag_sink held = j->s->model->ctx->diags;
    int rc = study_linearize(j->s, j->s->options.t_start, NULL, &j->s->a, &l);
    diag_forget_since(&j->s->model->ctx->diags, held);
    *j->out = rc ? NAN : 0;
    for (int i = 0; !rc && i < l.modes.n; i++)
        *j->out = fmax(*j->out, hypot(l.modes.re[i], l.modes.im[i]));
    return VINC_OK;
}

static int see_model(stabilise_job *j)
{
    vinc_sim *s = NULL;
    vinc_sim_options o = j->run;
    o.formulation = "dummy";
    o.method = NULL;
    o.step = 0;
    int rc = api_sim_new(j->model, &o, &s);
    if (!rc) rc = api_guarded(j->model->ctx, find_order, j);
    if (!rc) rc = api_initialize(s);
    if (!rc) rc = api_guarded(j->model->ctx, find_fastest, &(fastest_job){s, &j->told.fastest});
    vinc_sim_free(s);
    return rc;
}

/* What a run with this formulation makes of the constraints; a run that fails is a finding. */
static int try_formulation(stabilise_job *j, const char *formulation, double *mean)
{
    int k = j->told.n_runs++;
    diag_sink *d = &j->model->ctx->diags, heard = *d;
    vinc_sim *s = NULL;
    vinc_sim_options o = j->run;
    snprintf(j->names[k], sizeof j->names[k], "%s", formulation);
    o.formulation = formulation;
    o.method = j->told.method;
    int rc = api_sim_new(j->model, &o, &s), stopped = 0;
    if (!rc) rc = vinc_sim_run(s), stopped = api_heed(j->model->ctx);
    bool done = s && (rc == VINC_OK || rc == VINC_TERMINATED);
    const sim_outcome *x = s ? &s->done : NULL;
    j->runs[k] = (vinc_stabilised){
        .formulation = j->names[k],
        .status = done ? "done" : "failed",
        .position_max = done && x->violation[0] >= 0 ? x->violation[0] : NAN,
        .velocity_max = done && x->violation[1] >= 0 ? x->violation[1] : NAN,
    };
    if (mean && done && x->stats.steps)
        *mean = (x->t_end - s->options.t_start) / (double)x->stats.steps;
    if (!stopped && rc != VINC_E_MEMORY) diag_forget_since(d, heard);
    vinc_sim_free(s);
    return stopped ? stopped : rc == VINC_E_MEMORY ? rc : VINC_OK;
}

static int keep_advice(void *job)
{
    stabilise_job *j = job;
    vinc_model *m = j->model;
    j->told.model = m->source;
    j->told.class_name = m->flat->name;
    j->told.runs = j->runs;
    return told_keep(&m->ctx->lasting, &study_stabilisation, &j->told, j->out);
}

static int no_step(void *job)
{
    const stabilise_job *j = job;
    diag_error(&j->model->ctx->diags, "C170", (span){0},
               "'%s' did not come through without stabilisation, so that no step is known: give "
               "one, --step H",
               j->told.method);
    return VINC_E_OPTION;
}

/* What a run left of the constraints, as a distance. */
static double left_of(const stabilise_job *j, const vinc_stabilised *r)
{
    if (strcmp(r->status, "done") != 0) return INFINITY;
    return r->position_max + (isnan(r->velocity_max) ? 0 : j->told.step * r->velocity_max);
}

/* Critical damping: the one with the widest limit that does not oscillate. */
static int try_omegas(stabilise_job *j)
{
    vinc_stabilisation *t = &j->told;
    double least = INFINITY, limit = j->rows[ZETAS - 1].omega_limit * t->step;
    int rc = try_formulation(j, "baumgarte", NULL);
    t->zeta = 1;
    t->omega_limit = limit / t->step;
    for (size_t i = 0; i < sizeof OMEGA_H_TRIED / sizeof *OMEGA_H_TRIED && !rc; i++) {
        double x = OMEGA_H_TRIED[i], omega = x / t->step;
        char name[80];
        if (x > PART_OF_LIMIT * limit) continue;
        snprintf(name, sizeof name, "baumgarte:zeta=1,omega=%.4g", omega);
        rc = try_formulation(j, name, NULL);
        double left = left_of(j, &j->runs[t->n_runs - 1]);
        if (!(left < least)) continue;
        least = left;
        t->omega = omega;
        t->factor = shrinking(&j->formula, t->order, 1, x);
    }
    t->tau = 1 / t->omega;
    return rc;
}

static int none_came_through(void *job)
{
    const stabilise_job *j = job;
    diag_error(&j->model->ctx->diags, "C170", (span){0},
               "no run of %s by '%s' with steps of %g came through, whatever omega: take shorter "
               "steps or another method",
               j->model->flat->name, j->told.method, j->told.step);
    return VINC_E_OPTION;
}

int vinc_stabilisation_of(vinc_model *model, const vinc_sim_options *options,
                          vinc_stabilisation **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    stabilise_job j = {.model = model, .out = out};
    if (options) j.run = *options;
    j.run.progress = NULL;
    j.run.log_line = NULL;
    j.told.method = j.run.method ? j.run.method : "dopri5";
    j.told.step = j.run.step;
    j.told.fixed = j.run.step > 0;
    int rc = see_model(&j);
    if (!rc) rc = try_formulation(&j, "index1", j.told.fixed ? NULL : &j.told.step);
    if (!rc && !(j.told.step > 0)) rc = api_guarded(model->ctx, no_step, &j);
    if (!rc) rc = api_guarded(model->ctx, find_advice, &j);
    if (!rc) rc = try_omegas(&j);
    if (!rc && !(j.told.omega > 0)) rc = api_guarded(model->ctx, none_came_through, &j);
    return rc ? rc : api_guarded(model->ctx, keep_advice, &j);
}
