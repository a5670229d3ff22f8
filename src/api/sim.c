/* Runs: formulation, code, start values, integration, and what was done in words and as JSON.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "api/run.h"
#include "la/precond.h"
#include "method/linear_choice.h"
#include "method/scheme.h"
#include "run/respond.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

enum { DEFAULT_INTERVALS = 500 };
static const double DEFAULT_TOL = 1e-6, DEFAULT_STOP = 1;

// Command line, then annotations, then defaults.
static void settle_options(vinc_sim *s, const vinc_sim_options *o)
{
    const image_about *e = &s->model->about;
    sim_options *r = &s->options;
    r->t_start = o->has_start ? o->t_start : isnan(e->start) ? 0 : e->start;
    r->t_stop = o->has_stop      ? o->t_stop
                : o->n_times > 0 ? o->times[o->n_times - 1]
                : isnan(e->stop) ? DEFAULT_STOP
                                 : e->stop;
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
    if (o->n_times > 0) r->intervals = o->n_times;
    s->method = s->method_given = o->method ? o->method : e->method;
    s->formulation = o->formulation ? o->formulation : e->formulation;
    if (o->lend) s->formulation = o->formulation; // its integrator is another one
    s->linear = o->linear ? o->linear : e->linear;
    s->as_given = o->init_as_given != 0;
    s->equilibrium = o->equilibrium != 0;
    if (s->equilibrium) { // in a formulation that holds the constraints themselves
        r->t_stop = r->t_start;
        s->formulation = NULL;
    }
    s->verify = o->verify != 0;
    s->callbacks = *o;
    if (o->distributed) s->callbacks.detail = 0; // rows are those of process 0
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

static int refuse_times(diag_sink *d, const char *of, const char *words, double t)
{
    diag_error(d, "C107", (span){0}, "of the times at which %s, t = %.10g %s", of, t, words);
    return VINC_E_OPTION;
}

static int check_ascending(vinc_sim *s, const char *of, const double *t, long n, bool once)
{
    for (long i = 0; t && i < n; i++) {
        if (!isfinite(t[i])) return refuse_times(s->sink, of, "is no time", t[i]);
        if (i && !(once ? t[i] > t[i - 1] : t[i] >= t[i - 1]))
            return refuse_times(s->sink, of, "is not later than the one before it", t[i]);
    }
    return VINC_OK;
}

static int check_times(vinc_sim *s)
{
    static const char of[] = "output is asked for";
    const sim_options *o = &s->options;
    const vinc_sim_options *given = &s->callbacks;
    const double *t = o->times;
    int rc = check_ascending(s, "steps are to end", given->ends, given->n_ends, false);
    if (!rc) rc = check_ascending(s, of, t, o->intervals, true);
    if (rc) return rc;
    for (long i = 0; t && i < o->intervals; i++) {
        if (t[i] < o->t_start) return refuse_times(s->sink, of, "lies before the start time", t[i]);
        if (t[i] > o->t_stop) return refuse_times(s->sink, of, "lies after the stop time", t[i]);
    }
    return VINC_OK;
}

/* Zero is the default; anything else must be a size. */
static int check_options(vinc_sim *s)
{
    diag_sink *d = s->sink;
    const sim_options *o = &s->options;
    const vinc_sim_options *given = &s->callbacks;
    const struct {
        const char *name;
        double value;
    } sizes[] = {{"rel_tol", given->rel_tol},
                 {"abs_tol", given->abs_tol},
                 {"step", given->step},
                 {"intervals", given->intervals},
                 {"max_steps", (double)given->max_steps},
                 {"jobs", given->jobs},
                 {"max_time", given->max_time}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sim_is_size(sizes[i].value)) continue;
        diag_error(d, "C105", (span){0}, "%s = %g: it must be positive, or 0 for the default",
                   sizes[i].name, sizes[i].value);
        return VINC_E_OPTION;
    }
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

/* ---- making a run ---------------------------------------------------------------------------- */

static const char *keep(vinc_sim *s, const char *words)
{
    return words ? arena_strndup(&s->a, words, strlen(words)) : NULL;
}

/* Strings that were passed in are copied. */
static void keep_texts(vinc_sim *s)
{
    vinc_sim_options *o = &s->callbacks;
    o->method = keep(s, o->method);
    o->formulation = keep(s, o->formulation);
    o->input_csv = keep(s, o->input_csv);
    o->vars = keep(s, o->vars);
    o->out = keep(s, o->out);
    o->sens = keep(s, o->sens);
    o->from = keep(s, o->from);
    if (o->n_ends > 0) {
        double *ends = arena_array(&s->a, double, o->n_ends);
        memcpy(ends, o->ends, (size_t)o->n_ends * sizeof *ends);
        o->ends = ends;
    }
    if (o->n_times > 0) {
        double *times = arena_array(&s->a, double, o->n_times);
        memcpy(times, o->times, (size_t)o->n_times * sizeof *times);
        s->options.times = o->times = times;
    }
    s->method = s->method_given = keep(s, s->method);
    s->formulation = keep(s, s->formulation);
    o->linear = keep(s, o->linear);
    s->linear = keep(s, s->linear);
}

/* Without a stored matrix: as asked, or where factoring a large system may turn out far dearer. */
static bool wants_products(const code_model *code, const method_linear *linear)
{
    enum { UNKNOWNS_FACTORED = 10000 }; // even full factors of fewer are made in seconds
    return linear->precond ||
           (linear->open && code->system.all_differential && code->n > UNKNOWNS_FACTORED);
}

/* Who is lent a run is given its states, combinations of coordinates where these compete; without them
 * there are multipliers in their place. */
static bool lacks_states(const vinc_sim *s, const image_formulation *f)
{
    bool tied = false;
    for (int g = 0; g < f->n_groups; g++) tied = tied || f->groups[g].tied;
    return tied && s->callbacks.lend;
}

/* What is made once, and where nothing has to be made is found. */
static int take_compiled(void *job)
{
    vinc_sim *s = job;
    const api_compiled *made;
    keep_texts(s);
    method_linear linear;
    int rc = api_find_method(s);
    if (!rc) rc = api_find_linear(s, &linear);
    if (!rc) rc = api_compile(s->model, NULL, API_TAPES, s->formulation, &made);
    if (!rc && lacks_states(s, &made->code->formulation))
        rc = api_compile(s->model, NULL, API_TAPES, "dummy:tied=1e9", &made);
    bool alone = !s->callbacks.distributed; // a shared run makes products of its own rows
    if (!rc && alone && wants_products(made->code, &linear))
        rc = api_compile_tangent(s->model, made, &s->tangent);
    if (rc) return rc;
    s->code = made->code;
    s->formulation_why = s->formulation ? NULL : s->model->standard_why;
    s->wall = s->model->wall;
    s->wall.compile = made->wall;
    return VINC_OK;
}

static int apply_derivatives(vinc_sim *s)
{
    for (int i = 0; i < s->model->derivatives.n; i++) {
        const flat_override *o = &s->model->derivatives.at[i];
        char *end;
        double x = strtod(o->value, &end);
        if (end == o->value || *end) {
            diag_error(s->sink, "C112", (span){0}, "%s %s=%s: the value must be a number", o->place,
                       o->name, o->value);
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

static int sim_make_point(vinc_sim *s, run_state *state)
{
    free_point(s);
    s->point_bytes = ((size_t)run_problem(state)->n + 1) * sizeof(double);
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

static const la_precond_kind *precond_at(int i)
{
    for (int k = 0; la_preconds[k]; k++)
        if (k == i) return la_preconds[k];
    return NULL;
}

const char *vinc_preconditioner(int i)
{
    const la_precond_kind *k = precond_at(i);
    return k ? k->name : NULL;
}

const char *vinc_preconditioner_summary(int i)
{
    const la_precond_kind *k = precond_at(i);
    return k ? k->summary : NULL;
}

const char *vinc_preconditioner_stores(int i)
{
    const la_precond_kind *k = precond_at(i);
    return k ? k->stores : NULL;
}

static int sim_prepare(void *job) // what can be wrong with the options is said
{
    vinc_sim *s = job;
    int rc = s->callbacks.from ? api_open_from(s, s->callbacks.from) : VINC_OK;
    if (!rc) rc = check_options(s);
    if (!rc) rc = check_times(s);
    if (rc) return rc;
    api_warn_method(s);
    api_warn_decay(s);
    rc = apply_derivatives(s);
    if (!rc && s->callbacks.input_csv) rc = api_open_inputs(s, s->callbacks.input_csv);
    return rc;
}

/* Threads where the system is so large that they gain something: below it a step takes less than a
 * millisecond, of which some forty jobs of a crew would be a good part. Small systems start none. */
enum { UNKNOWNS_TO_SHARE_MIN = 10000 };

static void sim_hire(vinc_sim *s)
{
    if (run_problem(s->state)->n < UNKNOWNS_TO_SHARE_MIN || s->callbacks.jobs < 2) return;
    s->crew = crew_new(&s->m, s->callbacks.jobs);
    run_by_crew(s->state, s->crew);
}

/* Is what the model was compiled from asked for when such a run is over? */
static bool asks_model(const vinc_sim *s)
{
    const vinc_sim_options *o = &s->callbacks;
    return o->verify || o->keep_end || o->lend || o->sens || o->equilibrium;
}

void api_let_origin_go(vinc_sim *s)
{
    if (!s->inner && !asks_model(s)) api_give_back_origin(s->model);
}

static int make_run(vinc_model *model, const vinc_sim_options *options, bool inner, vinc_sim **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the run");
    vinc_ctx *ctx = model->ctx;
    if (ctx->gone) return VINC_E_OPTION; // freed, and with it whoever could be told
    if (options && !(api_is_list(options->times, options->n_times) &&
                     api_is_list(options->ends, options->n_ends)))
        return api_lacks(ctx, "as many times as n_times and n_ends say");
    mem plain = {.resize = ctx->m.resize,
                 .user = ctx->m.user,
                 .zeroed = ctx->m.zeroed}; // a run asks and checks
    static const char doing[] = "preparing a run of";
    vinc_sim *s = mem_try(&plain, sizeof *s);
    if (!s) {
        watch_doing(&ctx->watch, doing, model->about.name);
        return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    }
    *s = (vinc_sim){
        .model = model, .inner = inner, .m = plain, .guarded = plain, .t_jump = INFINITY};
    s->watch.limits = &ctx->limits;
    s->m.watch = &s->watch;
    api_model_hold(model);
    arena_init(&s->a, &ctx->m);
    arena_init(&s->said, &s->guarded);
    arena_init(&s->scratch, &s->guarded);
    diag_init(&s->diags, &s->said);
    s->sink = inner ? &ctx->diags : &s->diags;
    text_init(&s->out, &ctx->m);
    text_init(&s->why, &s->m);
    text_init(&s->word, &s->guarded);
    settle_options(s, options ? options : &(vinc_sim_options){0});
    int rc = api_part_take(s);
    if (!rc) rc = inner ? api_guarded(ctx, take_compiled, s) : api_aside(ctx, take_compiled, s);
    rc = api_part_settle(s, rc, take_compiled);
    if (!rc) api_share_prepare(s);
    watch_doing(&s->watch, doing, model->about.name);
    if (!rc) rc = run_new(s->code, &s->m, &s->state);
    if (!rc && s->tangent) rc = run_products(s->state, s->tangent);
    if (!rc) sim_hire(s);
    if (!rc) rc = sim_make_point(s, s->state);
    if (!rc && s->callbacks.sens) rc = api_sens_new(s);
    if (!rc) rc = api_run_guarded(s, sim_prepare, s);
    if (rc) {
        rc = api_told(s, rc);
        vinc_sim_free(s);
    } else {
        watch_doing(&s->watch, NULL, NULL);
        if (!atomic_load(&model->origin.gone) && code_starts_as_given(s->code))
            api_let_origin_go(s);
        *out = s;
    }
    return rc;
}

int vinc_sim_new(vinc_model *model, const vinc_sim_options *options, vinc_sim **out)
{
    return make_run(model, options, false, out);
}

int api_sim_new(vinc_model *model, const vinc_sim_options *options, vinc_sim **out)
{
    return make_run(model, options, true, out);
}

void vinc_sim_free(vinc_sim *s)
{
    if (!s) return;
    mem plain = s->m;
    vinc_model *model = s->model;
    vinc_state_free(s->onward);
    result_free(s->before);
    sim_close(s->session, s->y, s->yp);
    api_lent_free(s);
    api_clear_result(&s->result);
    result_free(s->result.r);
    result_free(s->columns);
    result_free(s->steps);
    api_detail_free(s);
    result_free(s->table);
    if (s->ran) text_done(&s->done.message);
    text_done(&s->why);
    text_done(&s->out);
    text_done(&s->word);
    text_done(&s->result.out);
    mem_free(&s->m, s->input_columns, s->n_input_columns * sizeof *s->input_columns);
    free_point(s);
    api_free_declared(s);
    api_free_end_values(s);
    api_sens_free(s);
    api_free_held(s);
    api_free_names(&s->m, s->named);
    respond_free(s->response);
    api_share_free(s);
    run_free(s->state);
    crew_free(s->crew);
    mem_free(&s->m, s->schemes, sizeof *s->schemes);
    arena_done(&s->a);
    arena_done(&s->said);
    arena_done(&s->scratch);
    mem_free(&plain, s, sizeof *s);
    api_model_release(model);
}

/* ---- messages -------------------------------------------------------------------------------- */

int api_run_guarded(vinc_sim *s, int (*body)(void *job), void *job)
{
    if (s->inner) return api_said(s->model->ctx, body, job);
    bool outermost = !s->guarded.guard;
    int rc = mem_guarded(&s->guarded, body, job, VINC_E_MEMORY);
    if (outermost) arena_done(&s->scratch);
    return rc;
}

int api_report(vinc_sim *s, int status, const char *code)
{
    if (s->why.n) diag_error(s->sink, code, (span){0}, "%s", text_str(&s->why));
    text_clear(&s->why);
    return status;
}

static int say_gone(void *job)
{
    vinc_sim *s = job;
    diag_error(s->sink, "C114", (span){0},
               "the %s of this run has been freed; free runs before what they were made from",
               s->model->gone ? "model" : "context");
    return VINC_E_OPTION;
}

int api_usable(vinc_sim *s)
{
    if (!s) return VINC_E_MEMORY;
    return s->model->gone || s->model->ctx->gone ? api_run_guarded(s, say_gone, s) : VINC_OK;
}

int api_told(vinc_sim *s, int status)
{
    if (status == VINC_E_MEMORY && !s->sink->n_errors) // nobody has said why
        status = api_end_work(s->model->ctx, &s->watch, status);
    if (status < 0 && !s->inner) api_keep_failure(s->model->ctx, &s->diags);
    return status;
}

static int sim_print_messages(void *job)
{
    vinc_sim *s = job;
    text_clear(&s->out);
    diag_print_all(&s->diags, &s->model->ctx->library.sources, s->model->ctx->colour, &s->out);
    return VINC_OK;
}

const char *vinc_sim_messages(vinc_sim *s)
{
    if (!s) return "";
    return api_said(s->model->ctx, sim_print_messages, s) ? s->model->ctx->end.line
                                                          : text_str(&s->out);
}

int vinc_sim_n_diagnostics(const vinc_sim *s)
{
    return s ? diag_count(&s->diags) : 0;
}

vinc_diagnostic vinc_sim_diagnostic(const vinc_sim *s, int i)
{
    if (!s) return api_diagnostic(NULL, NULL);
    api_lock(s->model->ctx);
    vinc_diagnostic d = api_diagnostic(s->model->ctx, diag_at(&s->diags, i));
    api_unlock(s->model->ctx);
    return d;
}

/* ---- settings -------------------------------------------------------------------------------- */

typedef struct set_job {
    vinc_sim *s;
    const char *name;
    double value;
} set_job;

static int set(void *job)
{
    set_job *j = job;
    if (!j->name || !isfinite(j->value)) {
        diag_error(j->s->sink, "C113", (span){0}, "%s cannot be set to %g",
                   j->name ? j->name : "what has no name", j->value);
        return VINC_E_OPTION;
    }
    int rc = run_set(j->s->state, j->name, j->value, &j->s->why);
    return rc ? api_report(j->s, rc, "C113") : VINC_OK;
}

/* Is this an element of the array: "k[1]", "k[2,3]"? */
static bool is_element_of(const char *element, const char *array)
{
    size_t n = strlen(array);
    if (strncmp(element, array, n) || element[n] != '[') return false;
    const char *end = strchr(element + n, ']');
    return end && !end[1];
}

typedef struct array_job {
    vinc_sim *s;
    const char *name;
    const double *values;
    int n;
} array_job;

static int set_elements(void *job)
{
    const array_job *j = job;
    const name_table *names = &j->s->code->names;
    int count = 0, rc = VINC_OK;
    for (int v = 0; v < names->n; v++) count += is_element_of(NAME_AT(names, v), j->name);
    if (count != j->n || !j->values) {
        diag_error(j->s->sink, "C113", (span){0}, "'%s' has %d elements, but %d values are given",
                   j->name, count, j->values ? j->n : 0);
        return VINC_E_OPTION;
    }
    for (int v = 0, k = 0; v < names->n && !rc; v++)
        if (is_element_of(NAME_AT(names, v), j->name))
            rc = set(&(set_job){j->s, NAME_AT(names, v), j->values[k++]});
    return rc;
}

int vinc_sim_set_array(vinc_sim *s, const char *name, const double *values, int n)
{
    int rc = api_usable(s);
    if (rc || !name) return rc ? rc : api_lacks(s->model->ctx, "a name");
    return api_told(s, api_run_guarded(s, set_elements, &(array_job){s, name, values, n}));
}

int vinc_sim_set(vinc_sim *s, const char *name, double value)
{
    int rc = api_usable(s);
    return rc ? rc : api_told(s, api_run_guarded(s, set, &(set_job){s, name, value}));
}

int vinc_sim_statistics(const vinc_sim *s, vinc_sim_stats *out)
{
    if (!s || !out) return api_lacks(s ? s->model->ctx : NULL, "a place for the statistics");
    const vinc_stats *t = &s->done.stats;
    *out =
        (vinc_sim_stats){.steps = t->steps,
                         .rejected = t->rejected_error + t->rejected_newton + t->rejected_undefined,
                         .residual_evals = t->residual_evals + t->rhs_evals,
                         .jacobian_evals = t->jacobian_evals,
                         .factorizations = t->factorizations,
                         .newton_iterations = t->newton_iterations,
                         .events = s->done.events,
                         .linear_iterations = t->linear_iterations,
                         .products = t->products,
                         .preconditioners = t->preconditioners,
                         .wall_parse = s->wall.parse,
                         .wall_flatten = s->wall.flatten,
                         .wall_structure = s->wall.structure,
                         .wall_compile = s->wall.compile,
                         .wall_init = s->wall.init,
                         .wall_integrate = s->wall.integrate,
                         .work = t->work,
                         .dissected = t->dissected};
    return VINC_OK;
}

vinc_result *vinc_sim_result(vinc_sim *s)
{
    if (!s || !s->result.r) return NULL;
    s->result_shown = true;
    return api_bring_columns(s) ? NULL : &s->result;
}
