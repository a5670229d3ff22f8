/* `vincolo compare`: formulations times methods on one model. The error is measured against a run of
 * the default formulation at a hundredth of the tolerance: the largest difference of a
 * differentiated variable at the end, relative to its largest size on the way plus its nominal, as
 * tolerances are.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 100 };
static const double REFERENCE_FACTOR = 0.01,
                    REFERENCE_TOL_MIN = 1e-13; // of the tolerance; the smallest
static const double COMPARE_TOL = 1e-6;        // where none is given

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD(vinc_compared, __VA_ARGS__)
static const told_field compared_fields[] = {
    ROW(INLINE, "run", run, .inside = study_run_fields, .when = "ran"),
    ROW(WORD, "formulation", formulation, .unless = "ran"),
    ROW(WORD, "method", method, .unless = "ran"),
    ROW(WORD, "status", status, .unless = "ran"),
    ROW(REAL, "error", error),
    ROW(WORD, "message", why, .unless = "ran"),
    ROW(BOOL, "ran", ran, .flags = TOLD_HIDDEN),
    {0},
};

#define FIELD(...) TOLD_LIST(vinc_comparison, __VA_ARGS__)
static const told_field comparison_fields[] = {
    FIELD(ROWS, "runs", runs, n_runs, .size = sizeof(vinc_compared), .inside = compared_fields),
    FIELD(WORDS, "formulations", formulations, n_formulations, .flags = TOLD_HIDDEN),
    FIELD(WORDS, "methods", methods, n_methods, .flags = TOLD_HIDDEN),
    TOLD(vinc_comparison, WORD, "model", model, .flags = TOLD_HIDDEN),
    TOLD(vinc_comparison, WORD, "class", class_name, .flags = TOLD_HIDDEN),
    {0},
};

static void add_cell(text *o, double x, int width)
{
    if (isnan(x)) text_printf(o, "%*s", width, "-");
    else text_printf(o, "%*.1e", width, x);
}

static void say_compared(const void *told, vinc_format format, text *o)
{
    const vinc_compared *c = told;
    const vinc_run *r = &c->run;
    (void)format;
    text_printf(o, "%-24s %-14s", c->formulation, c->method);
    if (!c->ran) {
        text_printf(o, "  %s\n", c->why);
        return;
    }
    add_cell(o, c->error, 9);
    add_cell(o, r->constrained ? r->position_max : NAN, 10);
    add_cell(o, r->constrained ? r->velocity_max : NAN, 10);
    add_cell(o, r->has_energy ? r->energy_change : NAN, 10);
    text_printf(o, "%8ld%10ld%9.1f", r->steps, r->residual_evals, 1e3 * r->wall_integrate);
    if (!r->done)
        text_printf(o, "  %s: %.60s%s", r->status, c->why, strlen(c->why) > 60 ? "..." : "");
    text_char(o, '\n');
}

static const told_line head_lines[] = {
    {.words = "formulation              method            error  position  velocity    energy   "
              "steps     evals       ms\n"},
    {0},
};

static const told_line compared_lines[] = {{.say = say_compared}, {0}};

static const told_line comparison_lines[] = {
    {.inside = head_lines},
    {.of = "runs", .inside = compared_lines},
    {0},
};

const told_kind study_comparison = {
    .name = "comparison",
    .command = "compare",
    .summary = "formulations times methods on one model: error, drift, energy, cost",
    .size = sizeof(vinc_comparison),
    .fields = comparison_fields,
    .lines = comparison_lines,
    .document = "runs",
};

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct name_list {
    ARRAY(const char *) at;
} name_list;

typedef struct state_size {
    const char *name;
    double end, size, nominal;
} state_size;

typedef struct compare_job {
    vinc_model *model;
    const vinc_compare_options *o;
    vinc_comparison **out;
    vinc_sim *reference; // its arena holds everything here
    name_list formulations, methods;
    ARRAY(state_size) states;
    double stop; // where the reference ended
    int n_runs, n_done;
    vinc_compared *runs;
    vinc_run **told; // of each run; NULL: refused
    /* One run on its way through the guard. */
    vinc_sim *s;
    int rc;
    diag_sink held;
} compare_job;

/* "a,b:x=1,y=2,c": a comma before "y=2" separates parameters, not names. */
static void split_names(arena *a, const char *names, name_list *out)
{
    const char *begin = names;
    for (const char *at = names;; at++) {
        size_t n = strcspn(at, ","), next = at[n] ? strcspn(at + n + 1, ",") : 0;
        const char *after = at + n + 1;
        at += n;
        if (next && memchr(after, '=', next) && !memchr(after, ':', next)) continue;
        if (at > begin)
            array_push(a, &out->at, (const char *)arena_strndup(a, begin, (size_t)(at - begin)));
        if (!*at) return;
        begin = at + 1;
    }
}

static vinc_sim_options compare_options_of(const compare_job *j, const char *formulation,
                                           const char *method, double factor)
{
    vinc_sim_options o = j->o->run ? *j->o->run : (vinc_sim_options){0};
    double tol = o.rel_tol > 0 ? o.rel_tol : COMPARE_TOL;
    bool fixed = factor >= 1 && o.step > 0; // Newton's method to round-off unless told otherwise
    o.method = method;
    o.formulation = formulation && strcmp(formulation, "none") ? formulation : NULL;
    if (!fixed) o.rel_tol = fmax(factor * tol, REFERENCE_TOL_MIN);
    if (!fixed) o.step = 0;
    o.abs_tol *= factor;
    o.verify = o.equilibrium = o.chart = 0;
    return o;
}

/* Differentiated variables: their values at the end and their sizes on the way. */
static void take_states(compare_job *j)
{
    vinc_result *r = vinc_sim_result(j->reference);
    double from = j->reference->options.t_start;
    char name[600];
    for (int i = 0; i < vinc_model_n_variables(j->model); i++) {
        vinc_variable v;
        vinc_model_variable(j->model, i, &v);
        if (v.variability != VINC_CONTINUOUS || v.type != VINC_REAL) continue;
        if (snprintf(name, sizeof name, "der(%s)", v.name) >= (int)sizeof name ||
            result_find(r->r, name) < 0)
            continue;
        state_size s = {.name = v.name, .nominal = fabs(v.nominal)};
        s.end = vinc_result_at(r, v.name, j->stop);
        for (int k = 0; k <= SAMPLES; k++)
            s.size = fmax(s.size,
                          fabs(vinc_result_at(r, v.name, from + (j->stop - from) * k / SAMPLES)));
        array_push(&j->reference->a, &j->states, s);
    }
}

static int prepare_comparison(void *job)
{
    compare_job *j = job;
    arena *a = &j->reference->a;
    bool constrained = j->model->structure->constraints.n > 0;
    j->stop = j->reference->done.t_end;
    if (j->o->formulations) split_names(a, j->o->formulations, &j->formulations);
    else if (!constrained) array_push(a, &j->formulations.at, "none"); // all are one
    else
        for (int i = 0; vinc_formulation(i); i++)
            array_push(a, &j->formulations.at, vinc_formulation(i));
    split_names(a, j->o->methods ? j->o->methods : "radau5,bdf,dopri5", &j->methods);
    if (!j->formulations.at.n || !j->methods.at.n) {
        diag_error(&j->model->ctx->diags, "C165", (span){0},
                   "--formulations and --methods take names separated by commas");
        return VINC_E_OPTION;
    }
    int n = j->formulations.at.n * j->methods.at.n;
    j->runs = arena_array(a, vinc_compared, n);
    j->told = arena_array(a, vinc_run *, n);
    take_states(j);
    return VINC_OK;
}

/* ---- the runs -------------------------------------------------------------------------------- */

static double error_at_end(const compare_job *j, vinc_result *r)
{
    double most = 0;
    for (int i = 0; i < j->states.n; i++) {
        const state_size *s = &j->states.at[i];
        double e = fabs(vinc_result_at(r, s->name, j->stop) - s->end);
        if (e > 0) most = fmax(most, e / (s->size + s->nominal));
        if (isnan(e)) return NAN;
    }
    return most;
}

/* A name or parameter that does not exist is a slip of the user, not a finding. */
static bool is_misnamed(const char *code)
{
    static const char *const codes[] = {"C140", "S200", "S201"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(code, codes[i])) return true;
    return false;
}

/* What one run was, and its messages forgotten. */
static int keep_run(void *job)
{
    compare_job *j = job;
    diag_sink *d = &j->model->ctx->diags;
    int n_methods = j->methods.at.n;
    vinc_compared *c = &j->runs[j->n_runs];
    const diag *e = j->held.last ? j->held.last->next : d->first;
    while (e && e->severity != DIAG_ERROR) e = e->next;
    if (e && is_misnamed(e->code)) return VINC_E_OPTION;
    const vinc_run *told = j->told[j->n_runs];
    *c = (vinc_compared){.formulation = j->formulations.at.at[j->n_runs / n_methods],
                         .method = j->methods.at.at[j->n_runs % n_methods],
                         .ran = told != NULL,
                         .status = told ? told->status : "failed",
                         .why = e      ? e->text
                                : told ? ""
                                       : "refused",
                         .error = NAN};
    if (told) c->run = *told;
    c->run.report = NULL;
    if (told && j->rc >= 0) c->error = error_at_end(j, vinc_sim_result(j->s));
    diag_forget_since(d, j->held);
    j->n_done += j->rc >= 0;
    j->n_runs++;
    if (!j->o->line) return VINC_OK;
    text *room = &j->model->out;
    text_clear(room);
    told_lines(compared_fields, compared_lines, c, VINC_TEXT, room);
    j->o->line(j->o->user, text_str(room));
    return VINC_OK;
}

static int run_pair(compare_job *j, const char *formulation, const char *method)
{
    vinc_sim_options o = compare_options_of(j, formulation, method, 1);
    j->held = j->model->ctx->diags;
    j->s = NULL;
    j->rc = api_sim_new(j->model, &o, &j->s);
    if (!j->rc) j->rc = vinc_sim_run(j->s);
    int stopped = api_heed(j->model->ctx);
    int rc = j->s && !stopped ? vinc_run_of(j->s, &j->told[j->n_runs]) : VINC_OK;
    if (stopped) rc = stopped;
    else if (rc == VINC_E_MEMORY || j->rc == VINC_E_MEMORY) rc = VINC_E_MEMORY;
    else rc = api_guarded(j->model->ctx, keep_run, j);
    vinc_sim_free(j->s);
    return rc;
}

static int begin_table(void *job)
{
    compare_job *j = job;
    text *room = &j->model->out;
    text_clear(room);
    told_lines(comparison_fields, head_lines, NULL, VINC_TEXT, room);
    j->o->line(j->o->user, text_str(room));
    return VINC_OK;
}

static int tell_comparison(void *job)
{
    compare_job *j = job;
    vinc_model *m = j->model;
    vinc_comparison told = {.model = m->source,
                            .class_name = m->flat->name,
                            .n_formulations = j->formulations.at.n,
                            .n_methods = j->methods.at.n,
                            .n_runs = j->n_runs,
                            .formulations = j->formulations.at.at,
                            .methods = j->methods.at.at,
                            .runs = j->runs,
                            .n_done = j->n_done};
    return told_keep(&m->ctx->lasting, &study_comparison, &told, j->out);
}

int vinc_comparison_of(vinc_model *model, const vinc_compare_options *options,
                       vinc_comparison **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_compare_options none = {0};
    compare_job j = {.model = model, .o = options ? options : &none, .out = out};
    vinc_sim_options o = compare_options_of(&j, NULL, NULL, REFERENCE_FACTOR);
    api_lock(model->ctx); // whose messages are told apart by run
    int rc = api_sim_new(model, &o, &j.reference);
    if (!rc) rc = vinc_sim_run(j.reference);
    if (rc >= 0) rc = api_guarded(model->ctx, prepare_comparison, &j);
    if (!rc && j.o->line) rc = api_guarded(model->ctx, begin_table, &j);
    for (int f = 0; f < j.formulations.at.n && !rc; f++)
        for (int m = 0; m < j.methods.at.n && !rc; m++)
            rc = run_pair(&j, j.formulations.at.at[f], j.methods.at.at[m]);
    if (!rc) rc = api_guarded(model->ctx, tell_comparison, &j);
    for (int i = 0; j.told && i < j.formulations.at.n * j.methods.at.n; i++)
        vinc_report_free(j.told[i]);
    vinc_sim_free(j.reference);
    if (rc == VINC_E_MEMORY) rc = api_end_work(model->ctx, &model->ctx->watch, rc);
    api_unlock(model->ctx);
    return rc;
}
