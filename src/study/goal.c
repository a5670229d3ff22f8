/* A goal of a run: its value, its derivatives by parameters, and the parameters for which it is least.
 *
 * The model is extended by the goal, and by a state for each integral in it; the derivatives of the goal at
 * the end of the run are those of a variable (run/vary.h). Its least value is searched by steps of
 * Levenberg and Marquardt with a matrix of second derivatives that is learnt from the gradients (BFGS, kept
 * positive definite as by M. J. D. Powell, Lecture Notes in Mathematics 630 (1978) 144-157), within bounds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/fit_parts.h"
#include "study/goal_adjoint.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS_USUAL = 200, PARAMETERS_FOR_ADJOINT = 10 };
static const double ADJOINT_BYTES = 256e6;
static const char EXTENDED[] = "VincoloGoal__", GOAL[] = "vincolo_goal";
static const double SLOPE_SMALL =
    1e-7; // of |goal| + its first change, for a step of 1 on the scale
static const double LAMBDA_MOST = 1e12;

typedef struct goal_job {
    vinc_model *model, *extended;
    const vinc_goal_options *o;
    vinc_sim *sim;
    fit_problem p;
    text words, states, equations; // of the extended model, freed after the guard
    arena a;
    vinc_gradient gradient, **gradient_out;
    vinc_optimum optimum, **optimum_out;
} goal_job;

/* ---- the extended model ---------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

/* The goal, to `words`, with its integrals replaced by states and their equations. */
static int split_goal(goal_job *j)
{
    text *goal = &j->words, *states = &j->states, *equations = &j->equations;
    int n = 0;
    const char *p = j->o->goal;
    while (*p) {
        bool begins = !strncmp(p, "integral", 8) && (p == j->o->goal || !is_word(p[-1]));
        const char *open = p + 8;
        while (begins && isspace((unsigned char)*open)) open++;
        if (!begins || *open != '(') {
            text_char(goal, *p++);
            continue;
        }
        int depth = 0;
        const char *end = open;
        do depth += (*end == '(') - (*end == ')');
        while (depth && *end++);
        if (depth)
            return fit_fail(j->model->ctx, "C199", "--goal '%s': a parenthesis is not closed",
                            j->o->goal);
        text_printf(states, "  Real vincolo_integral%d(start = 0, fixed = true);\n", n);
        text_printf(equations, "  der(vincolo_integral%d) = %.*s;\n", n, (int)(end - open - 1),
                    open + 1);
        text_printf(goal, "vincolo_integral%d", n++);
        p = end + 1;
    }
    return VINC_OK;
}

static int extend_by_goal(goal_job *j)
{
    text *all = fit_words(&j->p);
    int rc = split_goal(j);
    if (rc) return rc;
    text_printf(all, "model %s\n  extends %s;\n%s  Real %s = %s;\nequation\n%send %s;\n", EXTENDED,
                j->model->flat->name, text_str(&j->states), GOAL, text_str(&j->words),
                text_str(&j->equations), EXTENDED);
    return vinc_model_load_text(j->model->ctx, "the goal", text_str(all), all->n, EXTENDED,
                                &j->extended);
}

static int open_run(goal_job *j, const char *names)
{
    vinc_sim_options o = j->o->run ? *j->o->run : (vinc_sim_options){0};
    const flat_experiment *e = &j->model->flat->experiment;
    if (!o.has_stop && !isnan(e->stop)) o.has_stop = 1, o.t_stop = e->stop;
    if (!o.has_start && !isnan(e->start)) o.has_start = 1, o.t_start = e->start;
    if (!(o.rel_tol > 0) && e->tolerance > 0) o.rel_tol = e->tolerance;
    o.sens = names;
    o.vars = GOAL;
    o.intervals = 1;
    return vinc_sim_new(j->extended, &o, &j->sim);
}

/* The last value of the goal, or of its derivative by a parameter. */
static int last_value(goal_job *j, const char *by, double *value)
{
    char name[400];
    const result *r = j->sim->result.r;
    if (by) snprintf(name, sizeof name, "d(%s)/d(%s)", GOAL, by);
    else snprintf(name, sizeof name, "%s", GOAL);
    int at = r && r->n_rows ? result_find(r, name) : -1;
    if (at < 0) {
        *value = 0;
        return by ? fit_fail(j->model->ctx, "C199",
                             "--goal '%s': it is the same whatever the run does", j->o->goal)
                  : fit_fail(j->model->ctx, "C199", "--goal '%s': the run gives no value of it",
                             j->o->goal);
    }
    *value = result_value(r, at, r->n_rows - 1);
    return VINC_OK;
}

/* ---- the gradient ---------------------------------------------------------------------------- */

static const told_field slope_fields[] = {
    TOLD(vinc_slope, WORD, "name", name),
    TOLD(vinc_slope, REAL, "value", value),
    TOLD(vinc_slope, REAL, "slope", slope),
    TOLD(vinc_slope, REAL, "share", share),
    {0},
};

static const told_field gradient_fields[] = {
    TOLD(vinc_gradient, WORD, "model", model),
    TOLD(vinc_gradient, WORD, "goal", goal),
    TOLD(vinc_gradient, REAL, "value", value),
    TOLD_LIST(vinc_gradient, ROWS, "slopes", slopes, n_slopes, .inside = slope_fields,
              .size = sizeof(vinc_slope)),
    TOLD(vinc_gradient, WORD, "way", way),
    {0},
};

static void say_gradient(const void *told, vinc_format format, text *o)
{
    const vinc_gradient *x = told;
    (void)format;
    text_printf(o, "%s: %s = %.10g%s\n  %-22s %14s %16s %14s\n", x->model, x->goal, x->value,
                !strcmp(x->way, "adjoint") ? " (by the adjoint)" : "", "by", "value", "slope",
                "per percent");
    for (int i = 0; i < x->n_slopes; i++)
        text_printf(o, "  %-22s %14.8g %16.10g %12.4g %%\n", x->slopes[i].name, x->slopes[i].value,
                    x->slopes[i].slope, x->slopes[i].share);
}

static const told_line gradient_lines[] = {{.say = say_gradient}, {0}};

const told_kind study_gradient = {
    .name = "gradient",
    .command = "gradient",
    .summary = "how a goal of a run changes with parameters",
    .size = sizeof(vinc_gradient),
    .fields = gradient_fields,
    .lines = gradient_lines,
};

static int gradient_forward(goal_job *j, int n, double *slopes)
{
    int rc = vinc_sim_run(j->sim);
    if (rc < 0) return rc;
    j->gradient.way = "forward";
    rc = last_value(j, NULL, &j->gradient.value);
    for (int i = 0; i < n && !rc; i++) rc = last_value(j, api_sens_name(j->sim, i), &slopes[i]);
    return rc;
}

/* VINC_OK; 1: it is not wanted, or not possible. */
static int gradient_backward(goal_job *j, double *slopes)
{
    const vinc_goal_options *o = j->o;
    const char *why;
    size_t bytes = (size_t)(o->adjoint_memory > 0 ? o->adjoint_memory : ADJOINT_BYTES);
    if (o->adjoint < 0 || (!o->adjoint && api_sens_count(j->sim) < PARAMETERS_FOR_ADJOINT))
        return 1;
    int rc = goal_adjoint(j->sim, GOAL, bytes, &j->gradient.value, slopes, &why);
    if (!rc) j->gradient.way = "adjoint";
    if (rc > 0 && o->adjoint)
        diag_warning(&j->model->ctx->diags, "C204", (span){0},
                     "no adjoint: %s. Derivatives are carried along with the run instead", why);
    return rc;
}

static int tell_gradient(void *job)
{
    goal_job *j = job;
    vinc_gradient *x = &j->gradient;
    int rc = extend_by_goal(j);
    if (!rc) rc = open_run(j, j->o->by);
    if (rc < 0) return rc;
    int n = api_sens_count(j->sim);
    vinc_slope *list = arena_array(&j->a, vinc_slope, n + 1);
    double *slopes = arena_array(&j->a, double, n + 1);
    x->model = j->model->flat->name;
    x->goal = j->o->goal;
    rc = gradient_backward(j, slopes);
    if (rc > 0) rc = gradient_forward(j, n, slopes);
    for (int i = 0; i < n && !rc; i++) {
        list[i].name = api_sens_name(j->sim, i);
        list[i].value = api_sens_value(j->sim, i);
        list[i].slope = slopes[i];
        list[i].share = x->value != 0 ? list[i].slope * list[i].value / fabs(x->value) : NAN;
    }
    x->slopes = list;
    x->n_slopes = n;
    return rc ? rc : told_keep(&j->model->ctx->limits.below, &study_gradient, x, j->gradient_out);
}

/* ---- the optimum ----------------------------------------------------------------------------- */

static const told_field optimum_parameter_fields[] = {
    TOLD(vinc_optimum_parameter, WORD, "name", name),
    TOLD(vinc_optimum_parameter, REAL, "value", value),
    TOLD(vinc_optimum_parameter, REAL, "start", start),
    TOLD(vinc_optimum_parameter, REAL, "lower", lower),
    TOLD(vinc_optimum_parameter, REAL, "upper", upper),
    TOLD(vinc_optimum_parameter, REAL, "slope", slope),
    TOLD(vinc_optimum_parameter, BOOL, "log", log),
    TOLD(vinc_optimum_parameter, BOOL, "at_bound", at_bound),
    {0},
};

static const told_field optimum_fields[] = {
    TOLD(vinc_optimum, WORD, "model", model),
    TOLD(vinc_optimum, WORD, "goal", goal),
    TOLD(vinc_optimum, REAL, "value", value),
    TOLD(vinc_optimum, REAL, "start", start),
    TOLD_LIST(vinc_optimum, ROWS, "parameters", parameters, n_parameters,
              .inside = optimum_parameter_fields, .size = sizeof(vinc_optimum_parameter)),
    TOLD(vinc_optimum, BOOL, "converged", converged),
    TOLD(vinc_optimum, INT, "iterations", iterations),
    TOLD(vinc_optimum, INT, "evaluations", evaluations),
    TOLD(vinc_optimum, WORD, "modification", modification),
    {0},
};

static void say_optimum(const void *told, vinc_format format, text *o)
{
    const vinc_optimum *x = told;
    (void)format;
    text_printf(o, "%s: %s = %.10g (at the start %.6g)\n  search  %s, %d iterations, %d runs\n",
                x->model, x->goal, x->value, x->start, x->converged ? "converged" : "not converged",
                x->iterations, x->evaluations);
    for (int i = 0; i < x->n_parameters; i++) {
        const vinc_optimum_parameter *q = &x->parameters[i];
        text_printf(o, "  %-22s %16.10g  slope %.3g%s%s\n", q->name, q->value, q->slope,
                    q->log ? "  log10" : "", q->at_bound ? "  at its bound" : "");
    }
    text_printf(o, "  %s\n", x->modification);
}

static const told_line optimum_lines[] = {{.say = say_optimum}, {0}};

const told_kind study_optimum = {
    .name = "optimum",
    .command = "optimize",
    .summary = "parameters within bounds for which a goal of a run is least",
    .size = sizeof(vinc_optimum),
    .fields = optimum_fields,
    .lines = optimum_lines,
};

/* The goal and its gradient on the scales. VINC_OK; < 0: it has no value there. */
static int evaluate_goal(goal_job *j, const double *x, double *f, double *g)
{
    fit_problem *p = &j->p;
    double sign = j->o->maximize ? -1 : 1;
    int rc = VINC_OK;
    for (int i = 0; i < p->n_parameters && !rc; i++)
        rc = vinc_sim_set(j->sim, p->parameters[i].name, fit_unscaled(&p->parameters[i], x[i]));
    if (!rc) rc = vinc_sim_run(j->sim);
    j->optimum.evaluations++;
    if (rc >= 0) rc = last_value(j, NULL, f);
    *f *= sign;
    for (int i = 0; i < p->n_parameters && !rc; i++) {
        rc = last_value(j, p->parameters[i].name, &g[i]);
        g[i] *= sign;
        if (p->parameters[i].log) g[i] *= fit_unscaled(&p->parameters[i], x[i]) * log(10);
    }
    if (rc == VINC_STOPPED) return VINC_E_INTERRUPTED;
    return rc ? rc : isfinite(*f) ? VINC_OK : VINC_E_EVALUATION;
}

/* h := with the curvature along s that a change y of the gradient shows. */
static void learn(int n, double *h, const double *s, double *y, double *hs)
{
    const double DAMPED = 0.2; // Powell's
    double sy = 0, shs = 0;
    for (int i = 0; i < n; i++) {
        hs[i] = 0;
        for (int k = 0; k < n; k++) hs[i] += h[i + k * n] * s[k];
        sy += s[i] * y[i];
        shs += s[i] * hs[i];
    }
    if (!(shs > 0)) return;
    if (sy < DAMPED * shs) {
        double theta = (1 - DAMPED) * shs / (shs - sy);
        for (int i = 0; i < n; i++) y[i] = theta * y[i] + (1 - theta) * hs[i];
        sy = DAMPED * shs;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) h[i + k * n] += y[i] * y[k] / sy - hs[i] * hs[k] / shs;
}

static int search_goal(goal_job *j, double *x, double *g)
{
    fit_problem *p = &j->p;
    int n = p->n_parameters,
        most = j->o->max_iterations > 0 ? j->o->max_iterations : ITERATIONS_USUAL;
    size_t nn = (size_t)n;
    double *lower = arena_array(&j->a, double, 8 * nn + 8), *upper = lower + n, *trial = upper + n,
           *g_new = trial + n, *d = g_new + n, *y = d + n, *work = y + n;
    double *h = arena_array(&j->a, double, 2 * nn * nn + 2), *a = h + nn * nn;
    uint8_t *held = arena_array(&j->a, uint8_t, n + 1);
    double f, f_new, lambda = 1e-3, change = 0;
    int rc = evaluate_goal(j, x, &f, g);
    if (rc) return rc;
    j->optimum.start = f;
    memset(h, 0, nn * nn * sizeof *h);
    double size = 0;
    for (int i = 0; i < n; i++) {
        lower[i] = fit_scaled(&p->parameters[i], p->parameters[i].lower);
        upper[i] = fit_scaled(&p->parameters[i], p->parameters[i].upper);
        size = fmax(size, fabs(g[i]) / fmax(fabs(x[i]), 0.1));
    }
    for (int i = 0; i < n; i++) h[i + i * n] = size > 0 ? 10 * size : 1; // a first step of a tenth
    while (j->optimum.iterations < most) {
        double left = 0;
        for (int i = 0; i < n; i++) {
            held[i] = (x[i] <= lower[i] && g[i] > 0) || (x[i] >= upper[i] && g[i] < 0);
            if (!held[i]) left = fmax(left, fabs(g[i]) * fmax(fabs(x[i]), 0.1));
        }
        j->optimum.converged = left <= SLOPE_SMALL * (fabs(f) + change + DBL_MIN);
        if (j->optimum.converged) break;
        j->optimum.iterations++;
        bool better = false;
        for (; !better && lambda <= LAMBDA_MOST; lambda *= better ? 1 : 8) {
            double slope = 0, moved = 0;
            if (!fit_step(n, h, g, held, lambda, a, d)) continue;
            for (int i = 0; i < n; i++) {
                trial[i] = fmin(fmax(x[i] + d[i], lower[i]), upper[i]);
                d[i] = trial[i] - x[i];
                slope += g[i] * d[i];
                moved = fmax(moved, fabs(d[i]) / fmax(fabs(x[i]), 0.1));
            }
            if (moved < 1e-13) break;
            rc = evaluate_goal(j, trial, &f_new, g_new);
            if (rc == VINC_E_INTERRUPTED || rc == VINC_E_MEMORY || rc == VINC_E_LIMIT) return rc;
            better = !rc && f_new <= f + 1e-4 * slope;
        }
        if (!better) { // no step helps: what is left of the slope is error of the run
            j->optimum.converged = left <= 1e3 * SLOPE_SMALL * (fabs(f) + change + DBL_MIN);
            break;
        }
        for (int i = 0; i < n; i++) y[i] = g_new[i] - g[i];
        learn(n, h, d, y, work);
        change = fmax(change, fabs(f - f_new));
        f = f_new;
        lambda = fmax(lambda / 8, 1e-12);
        memcpy(x, trial, nn * sizeof *x);
        memcpy(g, g_new, nn * sizeof *g);
    }
    j->optimum.value = f;
    return VINC_OK;
}

static int tell_optimum(void *job)
{
    goal_job *j = job;
    vinc_optimum *o = &j->optimum;
    fit_problem *p = &j->p;
    const api_compiled *made;
    int rc = api_compile(j->model, NULL, API_STRUCTURE, NULL, &made);
    if (!rc) rc = fit_parameters_of_text(p, j->o->by);
    if (!rc) rc = extend_by_goal(j);
    if (rc) return rc;
    text *t = fit_words(p);
    for (int i = 0; i < p->n_parameters; i++)
        text_printf(t, "%s%s", i ? "," : "", p->parameters[i].name);
    rc = open_run(j, text_str(t));
    if (rc) return rc;
    size_t n = (size_t)p->n_parameters;
    double *x = arena_array(&j->a, double, 2 * n + 2), *g = x + n;
    vinc_optimum_parameter *list = arena_array(&j->a, vinc_optimum_parameter, n + 1);
    for (int i = 0; i < p->n_parameters; i++)
        x[i] = fit_scaled(&p->parameters[i], p->parameters[i].value);
    rc = search_goal(j, x, g);
    if (rc) return rc;
    double sign = j->o->maximize ? -1 : 1;
    t = fit_words(p);
    text_printf(t, "%s(", j->model->flat->name);
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        double value = fit_unscaled(q, x[i]);
        list[i] = (vinc_optimum_parameter){.name = q->name,
                                           .value = value,
                                           .start = q->value,
                                           .lower = q->lower,
                                           .upper = q->upper,
                                           .slope = sign * g[i],
                                           .log = q->log,
                                           .at_bound = value <= q->lower || value >= q->upper};
        text_add(t, i ? ", " : "");
        fit_setting_text(p, q->name, value, t);
    }
    text_add(t, ")");
    o->modification = arena_strndup(&j->a, text_str(t), t->n);
    o->model = j->model->flat->name;
    o->goal = j->o->goal;
    o->value *= sign;
    o->start *= sign;
    o->parameters = list;
    o->n_parameters = p->n_parameters;
    return told_keep(&j->model->ctx->limits.below, &study_optimum, o, j->optimum_out);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static int goal_call(goal_job *j, int (*tell)(void *job))
{
    vinc_model *model = j->model;
    if (!j->o || !j->o->goal || !j->o->by)
        return api_lacks(model->ctx, "a goal, and parameters that it is to change with");
    arena_init(&j->a, &model->ctx->m);
    text *texts[] = {&j->words, &j->states, &j->equations, &j->p.words};
    j->p = (fit_problem){.ctx = model->ctx, .a = &j->a, .plain = model};
    for (int i = 0; i < 4; i++) text_init(texts[i], &model->ctx->m);
    int rc = api_guarded(model->ctx, tell, j);
    for (int i = 0; i < 4; i++) text_done(texts[i]);
    vinc_sim_free(j->sim);
    vinc_model_free(j->extended);
    arena_done(&j->a);
    return rc;
}

int vinc_gradient_of(vinc_model *model, const vinc_goal_options *options, vinc_gradient **out)
{
    if (out) *out = NULL;
    if (!model) return VINC_E_OPTION;
    if (!out) return api_lacks(model->ctx, "a place for the report");
    goal_job j = {.model = model, .o = options, .gradient_out = out};
    return goal_call(&j, tell_gradient);
}

int vinc_optimum_of(vinc_model *model, const vinc_goal_options *options, vinc_optimum **out)
{
    if (out) *out = NULL;
    if (!model) return VINC_E_OPTION;
    if (!out) return api_lacks(model->ctx, "a place for the report");
    goal_job j = {.model = model, .o = options, .optimum_out = out};
    return goal_call(&j, tell_optimum);
}
