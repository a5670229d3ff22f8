/* SPDX-License-Identifier: BSD-3-Clause */
#include "pipeline.h"

#include "vincolo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMIT_BYTES = 300 << 20,
    STEPS = 10,
    LIMIT_SECONDS =
        20, // a mutant may ask for more than anyone waits for: then it must stop when told
};

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct purse {
    size_t used;
} purse;

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    purse *w = user;
    if (new_bytes > old_bytes && w->used + (new_bytes - old_bytes) > LIMIT_BYTES) return NULL;
    if (!new_bytes) {
        w->used -= old_bytes;
        free(p);
        return NULL;
    }
    void *q = realloc(p, new_bytes);
    if (q) w->used += new_bytes - old_bytes;
    return q;
}

/* ---- what is said ---------------------------------------------------------------------------- */

typedef struct journey {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    pipeline_report report;
    int seen; // messages of the run
    long steps;
} journey;

bool pipeline_is_fault(pipeline_outcome outcome)
{
    return outcome >= PIPELINE_SILENT;
}

const char *pipeline_words(pipeline_outcome outcome)
{
    static const char *const list[] = {
#define X(name, words) words,
        PIPELINE_OUTCOMES(X)
#undef X
    };
    return list[outcome];
}

static void fault(journey *j, pipeline_outcome outcome, const char *stage)
{
    if (!pipeline_is_fault(j->report.outcome)) j->report = (pipeline_report){outcome, stage};
}

static bool is_printable(const char *s)
{
    for (; *s; s++)
        if (((unsigned char)*s < ' ' && *s != '\n' && *s != '\t') || *s == 127) return false;
    return true;
}

/* Status and messages belong together. The messages are forgotten. */
static bool fits(journey *j, const char *stage, int status)
{
    int errors = 0;
    for (int i = 0; i < vinc_ctx_n_diagnostics(j->ctx); i++)
        errors += vinc_ctx_diagnostic(j->ctx, i).severity == VINC_ERROR;
    for (; j->seen < vinc_sim_n_diagnostics(j->sim); j->seen++) // a run keeps what it said
        errors += vinc_sim_diagnostic(j->sim, j->seen).severity == VINC_ERROR;
    if (status < 0 && !errors) fault(j, PIPELINE_SILENT, stage);
    if (status == 0 && errors) fault(j, PIPELINE_CONTRADICTS, stage);
    if (!is_printable(vinc_ctx_messages(j->ctx)) || !is_printable(vinc_sim_messages(j->sim)))
        fault(j, PIPELINE_ESCAPES, stage);
    vinc_ctx_clear(j->ctx);
    return status >= 0;
}

static bool goes_on(journey *j, pipeline_outcome otherwise, const char *stage, int status)
{
    bool ok = fits(j, stage, status);
    if (!ok && !pipeline_is_fault(j->report.outcome))
        j->report = (pipeline_report){otherwise, stage};
    return ok;
}

/* ---- the way --------------------------------------------------------------------------------- */

static void look_at_values(journey *j, const char *stage)
{
    int n = vinc_sim_n_values(j->sim);
    int *all = malloc(((size_t)n + 1) * sizeof *all);
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    for (int i = 0; i < n; i++) all[i] = i;
    if (fits(j, "values", vinc_sim_values(j->sim, all, n, x)))
        for (int i = 0; i < n; i++)
            if (!isfinite(x[i])) fault(j, PIPELINE_NOT_FINITE, stage);
    free(all);
    free(x);
}

static void look_at_result(journey *j)
{
    vinc_result *r = vinc_sim_result(j->sim);
    for (int i = 0; i < vinc_result_n_columns(r); i++) {
        vinc_column c;
        if (vinc_result_column(r, i, &c)) return;
        for (size_t k = 0; k < c.n; k++)
            if (!isfinite(c.values[k])) fault(j, PIPELINE_NOT_FINITE, "run");
    }
}

static int count_steps(void *user, const vinc_progress *p)
{
    (void)p;
    journey *j = user;
    return ++j->steps >= STEPS;
}

static void step(journey *j)
{
    if (!goes_on(j, PIPELINE_NO_START, "start", vinc_sim_start(j->sim))) return;
    look_at_values(j, "start");
    for (int k = 0; k < STEPS; k++) {
        int status = vinc_sim_step(j->sim, 1);
        if (!goes_on(j, PIPELINE_STOPPED, "step", status)) return;
        look_at_values(j, "step");
        if (status == VINC_TERMINATED || vinc_sim_time(j->sim) >= 1) return;
    }
}

static void record(journey *j)
{
    int status = vinc_sim_run(j->sim);
    if (goes_on(j, PIPELINE_STOPPED, "run", status)) look_at_result(j);
    vinc_sim_report(j->sim, VINC_JSON);
}

static void travel(journey *j, const char *text, size_t n, uint32_t variant)
{
    static const char *const formulations[] = {NULL,     NULL,        NULL,  NULL,
                                               "direct", "project",   "ggl", "index1",
                                               "dummy",  "baumgarte", "kkt", "partition"};
    static const char *const methods[] = {NULL, NULL, NULL, "radau5", "bdf", "rk4"};
    const char *report = NULL;
    j->report = (pipeline_report){PIPELINE_NO_MODEL, "load"};
    int status = vinc_model_load_text(j->ctx, "mutant.mo", text, n, NULL, &j->model);
    if (!goes_on(j, PIPELINE_NO_MODEL, "load", status)) return;
    status = vinc_model_check(j->model, VINC_TEXT, &report);
    if (!goes_on(j, PIPELINE_NO_STRUCTURE, "check", status)) return;

    vinc_sim_options o = {.has_start = 1, .has_stop = 1, .t_stop = 1, .intervals = 20};
    o.formulation = formulations[variant % 12];
    o.method = methods[variant / 12 % 6];
    o.progress = count_steps;
    o.user = j;
    status = vinc_sim_new(j->model, &o, &j->sim);
    if (!goes_on(j, PIPELINE_NO_RUN, "sim", status)) return;
    j->report = (pipeline_report){PIPELINE_RAN, "end"};
    if (variant / 72 % 2) record(j);
    else step(j);
    vinc_sim_free(j->sim);
    j->sim = NULL;
    j->seen = 0;
    vinc_ctx_clear(j->ctx);

    vinc_sim_options plain = {.has_start = 1, .has_stop = 1, .t_stop = 1};
    vinc_linear_options l = {.run = &plain};
    fits(j, "linearize", vinc_model_linearize(j->model, &l, VINC_TEXT, &report));
}

pipeline_report pipeline(const char *text, size_t n, uint32_t variant)
{
    purse w = {0};
    journey j = {.ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = resize, .user = &w})};
    vinc_ctx_add_path(j.ctx, VINCOLO_ROOT "/lib");
    vinc_ctx_limit(j.ctx, &(vinc_limits){.seconds = LIMIT_SECONDS});
    travel(&j, text, n, variant);
    vinc_sim_free(j.sim);
    vinc_model_free(j.model);
    vinc_ctx_free(j.ctx);
    if (w.used) fault(&j, PIPELINE_LEAK, "end");
    return j.report;
}
