/* A goal of a run: its value, its derivatives by parameters, and the parameters for which it is least.
 *
 * The model is extended by the goal, and by a state for each integral in it; the derivatives of the goal at
 * the end of the run are those of a variable (run/vary.h). Its least value is searched within bounds
 * (goal_search.h); with controls or constraints the motion is optimized piece by piece (optimal_parts.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/fit_parts.h"
#include "study/goal_adjoint.h"
#include "study/goal_search.h"
#include "study/goal_words.h"
#include "study/optimal_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARAMETERS_FOR_ADJOINT = 10 };
static const double ADJOINT_BYTES = 256e6;
static const char EXTENDED[] = "VincoloGoal__", GOAL[] = "vincolo_goal";

typedef struct goal_job {
    vinc_model *model, *extended;
    const vinc_goal_options *o;
    vinc_sim *sim;
    fit_problem p;
    text words, states, equations, all; // of the extended model, freed after the guard
    optimal optimal;
    arena a;
    vinc_gradient gradient, **gradient_out;
    vinc_optimum optimum, **optimum_out;
} goal_job;

/* ---- the extended model ---------------------------------------------------------------------- */

static int extend_by_goal(goal_job *j)
{
    text *all = fit_words(&j->p);
    goal_words w = {.states = &j->states,
                    .equations = &j->equations,
                    .t_start = goal_words_start(j->o->run, &j->model->about)};
    int rc = goal_words_add(j->model->ctx, "--goal", j->o->goal, strlen(j->o->goal), &w, &j->words,
                            NULL);
    if (rc) return rc;
    text_printf(all, "model %s\n  extends %s;\n%s  Real %s = %s;\nequation\n%send %s;\n", EXTENDED,
                j->model->flat->name, text_str(&j->states), GOAL, text_str(&j->words),
                text_str(&j->equations), EXTENDED);
    return api_model_extend(j->model, "the goal", all, EXTENDED, &j->extended);
}

/* A search follows the derivatives of the steps that are made; those that are told have the tolerance. */
static int open_run(goal_job *j, const char *names, bool told)
{
    vinc_sim_options o = j->o->run ? *j->o->run : (vinc_sim_options){0};
    const image_about *e = &j->model->about;
    if (!o.has_stop && !isnan(e->stop)) o.has_stop = 1, o.t_stop = e->stop;
    o.has_start = 1;
    o.t_start = goal_words_start(j->o->run, e);
    if (!told) o.no_sens_control = 1;
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
    goal_adjoint_options back = {
        (size_t)(o->adjoint_memory > 0 ? o->adjoint_memory : ADJOINT_BYTES), o->adjoint > 0};
    if (o->adjoint < 0 || (!o->adjoint && api_sens_count(j->sim) < PARAMETERS_FOR_ADJOINT))
        return 1;
    int rc = goal_adjoint(j->sim, GOAL, &back, &j->gradient.value, slopes, &why);
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
    if (!rc) rc = open_run(j, j->o->by, true);
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
    return rc ? rc : told_keep(&j->model->ctx->lasting, &study_gradient, x, j->gradient_out);
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

static const told_field optimum_control_fields[] = {
    TOLD(vinc_optimum_control, WORD, "name", name),
    TOLD(vinc_optimum_control, REAL, "lower", lower),
    TOLD(vinc_optimum_control, REAL, "upper", upper),
    TOLD_LIST(vinc_optimum_control, REALS, "values", values, n_values),
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
    TOLD(vinc_optimum, WORD, "why", why),
    TOLD(vinc_optimum, INT, "iterations", iterations),
    TOLD(vinc_optimum, INT, "evaluations", evaluations),
    TOLD(vinc_optimum, WORD, "modification", modification),
    TOLD(vinc_optimum, WORD, "way", way),
    TOLD(vinc_optimum, INT, "constraints", n_constraints),
    TOLD_LIST(vinc_optimum, ROWS, "controls", controls, n_controls,
              .inside = optimum_control_fields, .size = sizeof(vinc_optimum_control)),
    TOLD_LIST(vinc_optimum, REALS, "times", times, n_times),
    TOLD(vinc_optimum, REAL, "gap", gap),
    TOLD(vinc_optimum, WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

static void say_control(const vinc_optimum_control *c, int pieces, text *o)
{
    double least = INFINITY, most = -INFINITY;
    int at_bounds = 0;
    for (int k = 0; k < c->n_values; k++) {
        double v = c->values[k], near = 1e-6 * fmax(1, fabs(v));
        least = fmin(least, v);
        most = fmax(most, v);
        at_bounds += v <= c->lower + near || v >= c->upper - near;
    }
    text_printf(o, "  %-22s %.6g ... %.6g in %d %spieces", c->name, least, most, pieces,
                c->n_values > pieces ? "linear " : "");
    if (at_bounds) text_printf(o, ", %d at a bound", at_bounds);
    text_add(o, "\n");
}

static void say_optimum(const void *told, vinc_format format, text *o)
{
    const vinc_optimum *x = told;
    (void)format;
    text_printf(o, "%s: %s = %.10g (at the start %.6g)\n  search  %s%s%s, %d iterations", x->model,
                x->goal, x->value, x->start, x->converged ? "converged" : "not converged",
                x->why ? ": " : "", x->why ? x->why : "", x->iterations);
    if (!x->way) text_printf(o, ", %d runs\n", x->evaluations);
    else if (strcmp(x->way, "single") != 0)
        text_printf(o, ", by %s\n  motion  pieces that are run fit together to %.1e\n", x->way,
                    x->gap);
    else text_printf(o, ", controls alone, %d runs of pieces\n", x->evaluations);
    for (int i = 0; i < x->n_controls; i++) say_control(&x->controls[i], x->n_times - 1, o);
    for (int i = 0; i < x->n_parameters; i++) {
        const vinc_optimum_parameter *q = &x->parameters[i];
        text_printf(o, "  %-22s %16.10g", q->name, q->value);
        if (!isnan(q->slope)) text_printf(o, "  slope %.3g", q->slope);
        text_printf(o, "%s%s\n", q->log ? "  log10" : "", q->at_bound ? "  at its bound" : "");
    }
    if (strchr(x->modification, '(')) text_printf(o, "  %s\n", x->modification);
    if (x->chart) text_printf(o, "%s", x->chart);
}

static const told_line optimum_lines[] = {{.say = say_optimum}, {0}};

const told_kind study_optimum = {
    .name = "optimum",
    .command = "optimize",
    .summary = "parameters and controls for which a goal of a run is least",
    .size = sizeof(vinc_optimum),
    .fields = optimum_fields,
    .lines = optimum_lines,
};

/* The goal and its gradient on the scales. VINC_OK; < 0: it has no value there. */
static int evaluate_goal(void *job, const double *x, double *f, double *g)
{
    goal_job *j = job;
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

static int tell_optimal(goal_job *j)
{
    optimal *q = &j->optimal;
    *q = (optimal){.model = j->model,
                   .o = j->o,
                   .parts = &j->p,
                   .a = &j->a,
                   .texts = {&j->states, &j->equations, &j->words, &j->all}};
    int rc = optimal_tell(q, &j->optimum);
    return rc ? rc
              : told_keep(&j->model->ctx->lasting, &study_optimum, &j->optimum, j->optimum_out);
}

static int tell_optimum(void *job)
{
    goal_job *j = job;
    vinc_optimum *o = &j->optimum;
    fit_problem *p = &j->p;
    const api_compiled *made;
    int rc = api_compile(j->model, NULL, API_STRUCTURE, NULL, &made);
    if (!rc) rc = fit_parameters_of_text(p, j->o->by);
    if (!rc && optimal_is_meant(j->model, j->o, p)) return tell_optimal(j);
    if (!rc) rc = extend_by_goal(j);
    if (rc) return rc;
    text *t = fit_words(p);
    for (int i = 0; i < p->n_parameters; i++)
        text_printf(t, "%s%s", i ? "," : "", p->parameters[i].name);
    rc = open_run(j, text_str(t), false);
    if (rc) return rc;
    size_t n = (size_t)p->n_parameters;
    double *x = arena_array(&j->a, double, 4 * n + 4), *g = x + n, *lower = g + n,
           *upper = lower + n;
    vinc_optimum_parameter *list = arena_array(&j->a, vinc_optimum_parameter, n + 1);
    for (int i = 0; i < p->n_parameters; i++) {
        x[i] = fit_scaled(&p->parameters[i], p->parameters[i].value);
        lower[i] = fit_scaled(&p->parameters[i], p->parameters[i].lower);
        upper[i] = fit_scaled(&p->parameters[i], p->parameters[i].upper);
    }
    goal_search search = {.n = p->n_parameters,
                          .x = x,
                          .g = g,
                          .lower = lower,
                          .upper = upper,
                          .evaluate = evaluate_goal,
                          .user = j,
                          .max_iterations = j->o->max_iterations};
    rc = goal_search_run(&search, &j->a);
    if (rc) return rc;
    o->value = search.value;
    o->start = search.start;
    o->iterations = search.iterations;
    o->converged = search.converged;
    if (!search.converged)
        o->why = search.stuck
                     ? "no step along the slope makes the goal better, as where it has a kink or "
                       "its runs are too inaccurate (--tol)"
                     : "the iterations ran out: begin once more with these values, or allow more "
                       "(--iterations)";
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
    return told_keep(&j->model->ctx->lasting, &study_optimum, o, j->optimum_out);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static int goal_call(goal_job *j, int (*tell)(void *job))
{
    vinc_model *model = j->model;
    if (!j->o || !j->o->goal || !j->o->by)
        return api_lacks(model->ctx, "a goal, and parameters that it is to change with");
    arena_init(&j->a, &model->ctx->m);
    text *texts[] = {&j->words, &j->states, &j->equations, &j->all, &j->p.words};
    j->p = (fit_problem){.ctx = model->ctx, .a = &j->a, .plain = model};
    for (int i = 0; i < 5; i++) text_init(texts[i], &model->ctx->m);
    int rc = api_guarded(model->ctx, tell, j);
    const vinc_sim *run = j->sim ? j->sim : j->optimal.sim;
    if (rc < 0 && run && run->sink->n_errors) api_keep_failure(model->ctx, run->sink);
    for (int i = 0; i < 5; i++) text_done(texts[i]);
    vinc_sim_free(j->sim);
    vinc_sim_free(j->optimal.sim);
    vinc_sim_free(j->optimal.table);
    vinc_model_free(j->optimal.extended);
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
