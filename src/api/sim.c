/* Runs: formulation, code, start values, integration, and what was done in words and as JSON.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "api/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

enum { DEFAULT_INTERVALS = 500 };
static const double DEFAULT_TOL = 1e-6, DEFAULT_STOP = 1;

// Command line, then annotations, then defaults.
static void settle_options(vinc_sim *s, const vinc_sim_options *o)
{
    const flat_experiment *e = &s->model->flat->experiment;
    sim_options *r = &s->options;
    r->t_start = o->has_start ? o->t_start : isnan(e->start) ? 0 : e->start;
    r->t_stop = o->has_stop ? o->t_stop : isnan(e->stop) ? DEFAULT_STOP : e->stop;
    r->rel_tol = o->rel_tol > 0                             ? o->rel_tol
                 : isnan(e->tolerance) || e->tolerance <= 0 ? DEFAULT_TOL
                                                            : e->tolerance;
    r->abs_tol = o->abs_tol;
    r->step = o->step;
    r->exact_newton = o->step > 0 && o->rel_tol == 0;
    r->max_steps = o->max_steps;
    r->intervals = o->intervals > 0 ? o->intervals : o->step > 0 ? 0 : DEFAULT_INTERVALS;
    if (!o->intervals && !(o->step > 0) && e->interval > 0) {
        double n = (r->t_stop - r->t_start) / e->interval;
        if (n >= 1 && n < 1e7) r->intervals = (long)(n + 0.5);
    }
    s->method = s->method_given = o->method ? o->method : e->method;
    s->formulation = o->formulation ? o->formulation : e->formulation;
    s->as_given = o->init_as_given != 0;
    s->equilibrium = o->equilibrium != 0;
    if (s->equilibrium) { // in a formulation that holds the constraints themselves
        r->t_stop = r->t_start;
        s->formulation = NULL;
    }
    s->verify = o->verify != 0;
    s->callbacks = *o;
    static const struct {
        const char *name;
        unsigned bit;
    } topics[] = {{"step", SIM_LOG_STEP},
                  {"newton", SIM_LOG_NEWTON},
                  {"init", SIM_LOG_INIT},
                  {"event", SIM_LOG_EVENT}};
    for (const char *p = o->log; p && *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
            if (strlen(topics[i].name) == n && strncmp(p, topics[i].name, n) == 0)
                r->log |= topics[i].bit;
        p += n;
    }
}

static int check_options(vinc_sim *s)
{
    diag_sink *d = &s->model->ctx->diags;
    const sim_options *o = &s->options;
    if (!(o->t_stop >= o->t_start) || !isfinite(o->t_start) || !isfinite(o->t_stop)) {
        diag_error(d, "C110", (span){0}, "the stop time %g lies before the start time %g",
                   o->t_stop, o->t_start);
        return VINC_E_OPTION;
    }
    if (o->rel_tol > 0 && o->rel_tol < 1e-14 && !(o->step > 0)) {
        diag_error(d, "C111", (span){0},
                   "tolerance %g asks for more digits than double precision has; the smallest that "
                   "means anything is 1e-14",
                   o->rel_tol);
        return VINC_E_OPTION;
    }
    return VINC_OK;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* Was it the formulation's name or a parameter of it, not the model, that was wrong? */
static bool wrong_name(const vinc_ctx *ctx, const char *formulation)
{
    if (!form_find(formulation)) return true;
    int n = vinc_ctx_n_diagnostics(ctx);
    const char *code = n ? vinc_ctx_diagnostic(ctx, n - 1).code : "";
    return !strcmp(code, "S201") || !strcmp(code, "S205");
}

static int compile(void *job)
{
    vinc_sim *s = job;
    vinc_model *model = s->model;
    vinc_ctx *ctx = model->ctx;
    int rc = api_analyze(model);
    if (rc) return rc;
    double begin = api_clock();
    s->form = form_apply(model->structure, s->formulation, &s->a, &ctx->scratch, &ctx->diags);
    if (s->form) rc = code_lower(s->form, &s->a, &ctx->scratch, &ctx->m, &ctx->diags, &s->code);
    s->wall.compile = api_clock() - begin;
    if (!s->form) return wrong_name(ctx, s->formulation) ? VINC_E_OPTION : VINC_E_MODEL;
    api_warn_decay(s);
    expr_settle(model->structure->pool);
    return rc;
}

static int apply_derivatives(vinc_sim *s)
{
    for (int i = 0; i < s->model->derivatives.n; i++) {
        const flat_override *o = &s->model->derivatives.at[i];
        char *end;
        double x = strtod(o->value, &end);
        if (end == o->value || *end) {
            diag_error(&s->model->ctx->diags, "C112", (span){0},
                       "-p %s=%s: the value must be a number", o->name, o->value);
            return VINC_E_OPTION;
        }
        int rc = vinc_sim_set(s, o->name, x);
        if (rc) return rc;
    }
    return VINC_OK;
}

static void free_point(vinc_sim *s)
{
    if (s->y) mem_free(&s->m, s->y, s->point_bytes);
    if (s->yp) mem_free(&s->m, s->yp, s->point_bytes);
    s->y = s->yp = NULL;
}

int api_make_point(vinc_sim *s, code_state *state)
{
    free_point(s);
    s->point_bytes = ((size_t)code_state_problem(state)->n + 1) * sizeof(double);
    s->y = mem_try(&s->m, s->point_bytes);
    s->yp = mem_try(&s->m, s->point_bytes);
    return s->y && s->yp ? VINC_OK : VINC_E_MEMORY;
}

const char *vinc_method_name(int i)
{
    for (int k = 0; vinc_methods[k]; k++)
        if (k == i) return vinc_methods[k]->name;
    return NULL;
}

static const form_kind *formulation_at(int i)
{
    for (int k = 0; form_kinds[k]; k++)
        if (k == i) return form_kinds[k];
    return NULL;
}

const char *vinc_formulation(int i)
{
    const form_kind *k = formulation_at(i);
    return k ? k->name : NULL;
}

const char *vinc_formulation_summary(int i)
{
    const form_kind *k = formulation_at(i);
    return k ? k->summary : NULL;
}

int vinc_sim_new(vinc_model *model, const vinc_sim_options *options, vinc_sim **out)
{
    *out = NULL;
    if (!model) return VINC_E_MEMORY;
    vinc_sim *s = mem_try(&model->ctx->m, sizeof *s);
    if (!s) return VINC_E_MEMORY;
    *s = (vinc_sim){.model = model, .m = model->ctx->m};
    s->m.guard = NULL; // a run asks for memory and checks
    arena_init(&s->a, &model->ctx->m);
    text_init(&s->out, &model->ctx->m);
    text_init(&s->why, &s->m);
    settle_options(s, options ? options : &(vinc_sim_options){0});
    s->wall = model->wall;
    int rc = check_options(s);
    if (!rc) rc = api_guarded(model->ctx, compile, s);
    s->wall.structure = model->wall.structure;
    if (!rc) rc = code_state_new(s->code, &s->m, &s->state);
    if (!rc) rc = api_make_point(s, s->state);
    if (!rc) rc = api_use_method(s);
    if (!rc) rc = apply_derivatives(s);
    if (!rc && s->callbacks.input_csv) rc = api_open_inputs(s, s->callbacks.input_csv);
    if (rc) vinc_sim_free(s);
    else *out = s;
    return rc;
}

void vinc_sim_free(vinc_sim *s)
{
    if (!s) return;
    mem *m = &s->model->ctx->m;
    result_free(s->result.r);
    result_free(s->steps);
    result_free(s->table);
    if (s->ran) text_done(&s->done.message);
    text_done(&s->why);
    text_done(&s->out);
    text_done(&s->result.out);
    mem_free(&s->m, s->input_columns, s->n_input_columns * sizeof *s->input_columns);
    free_point(s);
    code_state_free(s->state);
    code_model_free(s->code);
    arena_done(&s->a);
    mem_free(m, s, sizeof *s);
}

int api_report(vinc_sim *s, int status, const char *code)
{
    if (s->why.n) diag_error(&s->model->ctx->diags, code, (span){0}, "%s", text_str(&s->why));
    text_clear(&s->why);
    return status;
}

static int set(void *job)
{
    vinc_sim *s = job;
    int rc = code_state_set(s->state, s->set_name, s->set_value, &s->why);
    return rc ? api_report(s, rc, "C113") : VINC_OK;
}

int vinc_sim_set(vinc_sim *s, const char *name, double value)
{
    if (!s) return VINC_E_MEMORY;
    s->set_name = name;
    s->set_value = value;
    return api_guarded(s->model->ctx, set, s);
}

/* ---- dumping --------------------------------------------------------------------------------- */

static int print_tape(void *job)
{
    vinc_sim *s = job;
    text_clear(&s->model->out);
    code_model_print(s->code, &s->model->out);
    return VINC_OK;
}

int api_dump_tape(vinc_model *model)
{
    vinc_sim *s = NULL;
    int rc = vinc_sim_new(model, NULL, &s);
    if (!rc) rc = api_guarded(model->ctx, print_tape, s);
    vinc_sim_free(s);
    return rc;
}

int vinc_sim_statistics(const vinc_sim *s, vinc_sim_stats *out)
{
    if (!s) return VINC_E_MEMORY;
    const vinc_stats *t = &s->done.stats;
    *out =
        (vinc_sim_stats){.steps = t->steps,
                         .rejected = t->rejected_error + t->rejected_newton + t->rejected_undefined,
                         .residual_evals = t->residual_evals + t->rhs_evals,
                         .jacobian_evals = t->jacobian_evals,
                         .factorizations = t->factorizations,
                         .newton_iterations = t->newton_iterations,
                         .events = s->done.events,
                         .wall_parse = s->wall.parse,
                         .wall_flatten = s->wall.flatten,
                         .wall_structure = s->wall.structure,
                         .wall_compile = s->wall.compile,
                         .wall_init = s->wall.init,
                         .wall_integrate = s->wall.integrate};
    return VINC_OK;
}

vinc_result *vinc_sim_result(vinc_sim *s)
{
    return s && s->result.r ? &s->result : NULL;
}
