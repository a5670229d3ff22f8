/* What a run of an FMU did: `vincolo run model.fmu`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ride/ride.h"
#include "study/study.h"

#define FIELD(...) TOLD(vinc_fmu_run, __VA_ARGS__)
static const told_field wall_fields[] = {
    FIELD(REAL, "open", wall_open),
    FIELD(REAL, "init", wall_init),
    FIELD(REAL, "integrate", wall_integrate),
    {0},
};

static const told_field fmu_run_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "name", name),
    FIELD(WORD, "fmi", fmi),
    FIELD(WORD, "kind", kind),
    FIELD(WORD, "process", process),
    FIELD(WORD, "method", method),
    FIELD(WORD, "method_why", method_why, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_start", t_start),
    FIELD(REAL, "t_end", t_end),
    FIELD(REAL, "tolerance", tolerance),
    FIELD(WORD, "status", status),
    FIELD(LONG, "steps", steps),
    FIELD(LONG, "rejected", rejected),
    FIELD(LONG, "rhs_evals", rhs_evals),
    FIELD(LONG, "jacobian_evals", jacobian_evals),
    FIELD(LONG, "events", events),
    FIELD(LONG, "calls", calls),
    FIELD(INT, "n_states", n_states),
    FIELD(INT, "n_indicators", n_indicators),
    FIELD(INT, "n_recorded", n_recorded),
    TOLD_IN("wall_s", wall_fields),
    TOLD_LIST(vinc_fmu_run, VALUES, "final", final_names, n_final,
              .also = offsetof(vinc_fmu_run, final_values), .flags = TOLD_BULKY),
    FIELD(WORD, "message", message),
    {0},
};

static void say_wall(const void *told, vinc_format format, text *o)
{
    const vinc_fmu_run *r = told;
    (void)format;
    text_printf(o, "  time         %.1f ms to open and initialize, %.1f ms to run\n",
                1e3 * (r->wall_open + r->wall_init), 1e3 * r->wall_integrate);
}

static const told_line exchange_lines[] = {
    {.words = "  system       {n_states} state{n_states?|s}, {n_indicators} event "
              "indicator{n_indicators?|s}, {n_recorded} variable{n_recorded?|s} recorded\n"},
    {.words = "  method       {method}"},
    {.words = " (chosen: {method_why})", .when = "method_why"},
    {.words = ", tolerance {tolerance}\n"},
    {.words = "  cost         {steps} steps, {rejected} rejected, {rhs_evals} evaluations, "
              "{jacobian_evals} Jacobians\n"},
    {0},
};

static const told_line steps_lines[] = {
    {.words = "  cost         {steps} steps of its own method; {n_recorded} "
              "variable{n_recorded?|s} recorded\n"},
    {0},
};

static const told_line fmu_run_lines[] = {
    {.words = "{name}: t = {t_start} ... {t_end}, {status}\n"},
    {.words = "  FMU          FMI {fmi}, {kind}, in {process} process\n"},
    {.inside = exchange_lines, .when = "method"},
    {.inside = steps_lines, .unless = "method"},
    {.words = "  events       {events}\n", .when = "events"},
    {.say = say_wall},
    {0},
};

const told_kind study_fmu_run = {
    .name = "fmu_run",
    .command = "run model.fmu",
    .summary = "what a run of an FMU did: steps, evaluations, events, time, final values",
    .size = sizeof(vinc_fmu_run),
    .fields = fmu_run_fields,
    .lines = fmu_run_lines,
};

typedef struct fmu_run_job {
    vinc_fmu *f;
    vinc_fmu_run **out;
} fmu_run_job;

static const char *status_of(const vinc_fmu *f)
{
    if (!f->ran) return "failed";
    switch (f->done.status) {
    case VINC_OK: return "done";
    case VINC_TERMINATED: return "terminated";
    case VINC_STOPPED:
    case VINC_E_INTERRUPTED: return "interrupted";
    default: return "failed";
    }
}

static void take_final(const result *r, arena *a, vinc_fmu_run *told)
{
    if (!r) return;
    const char **names = arena_array(a, const char *, r->n_columns + 1);
    double *values = arena_array(a, double, r->n_columns + 1);
    for (int c = 1; c < r->n_columns; c++) {
        if (!r->n_rows && !r->columns[c].constant) continue;
        names[told->n_final] = r->columns[c].name;
        values[told->n_final++] = result_value(r, c, r->n_rows ? r->n_rows - 1 : 0);
    }
    told->final_names = names;
    told->final_values = values;
}

static int tell_fmu_run(void *job)
{
    fmu_run_job *j = job;
    vinc_fmu *f = j->f;
    const vinc_stats *n = &f->done.stats;
    vinc_fmu_run told = {.model = f->file.path,
                         .name = f->name,
                         .fmi = f->file.f.d.version,
                         .kind = f->plan.steps ? "co-simulation" : "model exchange",
                         .process = f->in_process ? "this" : "its own",
                         .method = f->done.method,
                         .method_why = f->done.method_why,
                         .t_start = f->options.t_start,
                         .t_end = f->ran ? f->done.t_end : f->options.t_start,
                         .tolerance = f->options.rel_tol,
                         .status = status_of(f),
                         .steps = n->steps,
                         .rejected = n->rejected_error + n->rejected_newton + n->rejected_undefined,
                         .rhs_evals = n->rhs_evals + n->residual_evals,
                         .jacobian_evals = n->jacobian_evals,
                         .events = f->done.events,
                         .calls = f->calls,
                         .n_states = f->plan.n_states,
                         .n_indicators = f->plan.n_indicators,
                         .n_recorded = f->plan.n_values,
                         .wall_open = f->wall_open,
                         .wall_init = f->wall_init,
                         .wall_integrate = f->wall_integrate,
                         .message =
                             f->ran && f->done.message.n ? text_str(&f->done.message) : NULL};
    take_final(f->result.r, &f->ctx->scratch, &told);
    return told_keep(&f->ctx->lasting, &study_fmu_run, &told, j->out);
}

int vinc_fmu_run_of(vinc_fmu *f, vinc_fmu_run **out)
{
    if (out) *out = NULL;
    if (!f || !out) return api_lacks(f ? f->ctx : NULL, "a place for the report");
    return api_delivered(f->ctx, tell_fmu_run, &(fmu_run_job){f, out});
}

const char *vinc_fmu_report(vinc_fmu *f, vinc_format format)
{
    vinc_fmu_run *told = NULL;
    const char *out = "";
    if (!f || f->ctx->gone) return "";
    int rc = vinc_fmu_run_of(f, &told);
    study_say_ctx(f->ctx, rc, told, format, &out);
    return out;
}
