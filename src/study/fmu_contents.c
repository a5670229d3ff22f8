/* What is in an FMU: `vincolo check model.fmu`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "import/import.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD(vinc_fmu_variable, __VA_ARGS__)
static const told_field variable_fields[] = {
    ROW(WORD, "name", name),
    ROW(WORD, "type", type),
    ROW(WORD, "causality", causality),
    ROW(WORD, "variability", variability),
    ROW(WORD, "initial", initial),
    ROW(WORD, "start", start),
    ROW(WORD, "unit", unit),
    ROW(WORD, "description", description),
    ROW(WORD, "derivative_of", derivative_of),
    ROW(INT, "size", size),
    {0},
};

#define FIELD(...) TOLD(vinc_fmu_contents, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_fmu_contents, __VA_ARGS__)
static const told_field experiment_fields[] = {
    FIELD(REAL, "start", start),
    FIELD(REAL, "stop", stop),
    FIELD(REAL, "tolerance", tolerance),
    FIELD(REAL, "step", step),
    {0},
};

static const told_field contents_fields[] = {
    FIELD(WORD, "file", file),
    FIELD(WORD, "name", name),
    FIELD(WORD, "description", description),
    FIELD(WORD, "fmi", fmi),
    FIELD(WORD, "tool", tool),
    FIELD(WORD, "made", made),
    FIELD(BOOL, "exchange", exchange),
    FIELD(BOOL, "steps", steps),
    FIELD(BOOL, "scheduled", scheduled),
    LIST(WORDS, "platforms", platforms, n_platforms),
    FIELD(BOOL, "sources", sources),
    LIST(WORDS, "offers", offers, n_offers),
    TOLD_IN("experiment", experiment_fields),
    FIELD(INT, "n_variables", n_variables),
    FIELD(INT, "n_states", n_states),
    FIELD(INT, "n_inputs", n_inputs),
    FIELD(INT, "n_outputs", n_outputs),
    FIELD(INT, "n_parameters", n_parameters),
    FIELD(INT, "n_indicators", n_indicators),
    FIELD(INT, "n_errors", n_errors),
    FIELD(INT, "n_warnings", n_warnings),
    LIST(ROWS, "variables", variables, n_variables, .size = sizeof(vinc_fmu_variable),
         .inside = variable_fields),
    {0},
};

/* Columns as wide as what is in them, within reason. */
typedef struct contents_widths {
    int name, causality, variability, start, unit;
} contents_widths;

static void widen(int *width, const char *words, int most)
{
    int n = words ? (int)strlen(words) : 0;
    if (n > most) n = most;
    if (n > *width) *width = n;
}

static void say_variable(const vinc_fmu_variable *v, const contents_widths *w, text *o)
{
    char what[200];
    const char *more = v->derivative_of ? what : v->description;
    snprintf(what, sizeof what, "derivative of %.150s", v->derivative_of ? v->derivative_of : "");
    text_printf(o, "  %-*s  %-*s  %-*s  %-*.*s  %-*s  %s", w->name, v->name, w->causality,
                v->causality, w->variability, v->variability, w->start, w->start,
                v->start ? v->start : "", w->unit, v->unit ? v->unit : "", more ? more : "");
    while (o->n && o->at[o->n - 1] == ' ') o->n--;
    text_char(o, '\n');
}

static void say_variables(const void *told, vinc_format format, text *o)
{
    enum { SHOWN = 40, WIDEST = 40 };
    const vinc_fmu_contents *c = told;
    int n = format == VINC_TEXT_ALL || c->n_variables < SHOWN ? c->n_variables : SHOWN;
    vinc_fmu_variable head = {.name = "variable",
                              .causality = "causality",
                              .variability = "variability",
                              .start = "start",
                              .unit = "unit"};
    contents_widths w = {8, 9, 11, 5, 4};
    for (int i = 0; i < n; i++) {
        widen(&w.name, c->variables[i].name, WIDEST);
        widen(&w.causality, c->variables[i].causality, WIDEST);
        widen(&w.start, c->variables[i].start, 12);
        widen(&w.unit, c->variables[i].unit, 12);
    }
    text_char(o, '\n');
    say_variable(&head, &w, o);
    for (int i = 0; i < n; i++) say_variable(&c->variables[i], &w, o);
    if (n < c->n_variables)
        text_printf(o, "  ... and %d more; --all shows them\n", c->n_variables - n);
}

static void say_kinds(const void *told, vinc_format format, text *o)
{
    const vinc_fmu_contents *c = told;
    const char *const names[] = {"model exchange", "co-simulation", "scheduled execution"};
    const int has[] = {c->exchange, c->steps, c->scheduled};
    (void)format;
    for (int i = 0; i < 3; i++)
        if (has[i]) text_printf(o, ", %s", names[i]);
    text_char(o, '\n');
}

static void say_experiment(const void *told, vinc_format format, text *o)
{
    const vinc_fmu_contents *c = told;
    (void)format;
    if (isnan(c->stop) && isnan(c->tolerance) && isnan(c->step)) return;
    text_add(o, "  experiment   ");
    if (isfinite(c->stop))
        text_printf(o, "t = %g ... %g", isfinite(c->start) ? c->start : 0, c->stop);
    else text_add(o, "no stop time");
    if (isfinite(c->tolerance)) text_printf(o, ", tolerance %g", c->tolerance);
    if (isfinite(c->step)) text_printf(o, ", step %g", c->step);
    text_char(o, '\n');
}

static void say_verdict(const void *told, vinc_format format, text *o)
{
    const vinc_fmu_contents *c = told;
    (void)format;
    text_add(o, "  standard     ");
    if (!c->n_errors && !c->n_warnings) text_add(o, "nothing was found against it\n");
    else
        text_printf(o, "%d error%s, %d warning%s\n", c->n_errors, c->n_errors == 1 ? "" : "s",
                    c->n_warnings, c->n_warnings == 1 ? "" : "s");
}

static const told_line contents_lines[] = {
    {.words = "{name|an FMU without a name}: FMI {fmi}"},
    {.say = say_kinds},
    {.words = "  description  {description}\n", .when = "description"},
    {.words = "  made by      {tool}", .when = "tool"},
    {.words = ", {made}", .when = "made"},
    {.words = "\n", .when = "tool"},
    {.words = "  libraries    {platforms|none}"},
    {.words = ", sources", .when = "sources"},
    {.words = "\n"},
    {.words = "  variables    {n_variables}: {n_states} state{n_states?|s}, {n_inputs} "
              "input{n_inputs?|s}, {n_outputs} output{n_outputs?|s}, {n_parameters} "
              "parameter{n_parameters?|s} that can be set, {n_indicators} event "
              "indicator{n_indicators?|s}\n"},
    {.words = "  offers       {offers}\n", .when = "offers"},
    {.say = say_experiment},
    {.say = say_verdict},
    {.say = say_variables, .when = "variables"},
    {0},
};

const told_kind study_fmu_contents = {
    .name = "fmu_contents",
    .command = "check model.fmu",
    .summary =
        "what is in an FMU: kinds, libraries, variables, and what it has against the standard",
    .size = sizeof(vinc_fmu_contents),
    .fields = contents_fields,
    .lines = contents_lines,
};

/* ---- the FMU --------------------------------------------------------------------------------- */

typedef struct contents_job {
    vinc_ctx *ctx;
    const char *path;
    vinc_fmu_contents **out;
    import_file x;
} contents_job;

static vinc_fmu_variable told_variable(const fmi_description *d, const fmi_variable *v)
{
    return (vinc_fmu_variable){.name = v->name,
                               .type = fmi_type_names[v->type],
                               .causality = fmi_causality_names[v->causality],
                               .variability = fmi_variability_names[v->variability],
                               .initial = fmi_initial_names[v->initial],
                               .start = v->n_starts ? v->starts[0] : NULL,
                               .unit = v->unit,
                               .description = v->description,
                               .derivative_of =
                                   v->integral < 0 ? NULL : d->variables.at[v->integral].name,
                               .size = (int)v->size};
}

static void take_variables(const fmi_description *d, arena *a, vinc_fmu_contents *told)
{
    vinc_fmu_variable *list = arena_array(a, vinc_fmu_variable, d->variables.n + 1);
    for (int i = 0; i < d->variables.n; i++) {
        const fmi_variable *v = &d->variables.at[i];
        list[i] = told_variable(d, v);
        if (v->is_alias) continue;
        told->n_inputs += v->causality == FMI_INPUT;
        told->n_outputs += v->causality == FMI_OUTPUT;
        told->n_parameters += v->causality == FMI_PARAMETER || v->causality == FMI_STRUCTURAL;
    }
    for (int i = 0; i < d->derivatives.n; i++) {
        int v = d->derivatives.at[i].variable;
        if (v >= 0 && d->variables.at[v].size > 0) told->n_states += (int)d->variables.at[v].size;
    }
    told->n_variables = d->variables.n;
    told->variables = list;
    told->n_indicators = d->n_indicators;
}

/* Folders of binaries/, each once: entries are sorted by name. */
static void take_platforms(const fmi_archive *z, arena *a, vinc_fmu_contents *told)
{
    static const char folder[] = "binaries/";
    const char **list = arena_array(a, const char *, z->n_entries + 1);
    for (int i = 0; i < z->n_entries; i++) {
        const char *name = z->entries[i].name, *rest = name + sizeof folder - 1;
        told->sources |= !strncmp(name, "sources/", 8) && name[8];
        if (strncmp(name, folder, sizeof folder - 1) || !strchr(rest, '/')) continue;
        const char *platform = arena_strndup(a, rest, strcspn(rest, "/"));
        if (!told->n_platforms || strcmp(list[told->n_platforms - 1], platform) != 0)
            list[told->n_platforms++] = platform;
    }
    told->platforms = list;
}

static void take_offers(const fmi_description *d, arena *a, vinc_fmu_contents *told)
{
    const fmi_interface *e = &d->exchange, *s = &d->steps;
    const struct {
        bool has;
        const char *words;
    } all[] = {
        {e->keeps_state || s->keeps_state, "states that can be saved"},
        {e->serializes_state || s->serializes_state, "states as bytes"},
        {e->directional || s->directional, "directional derivatives"},
        {e->adjoint || s->adjoint, "adjoint derivatives"},
        {s->variable_step, "steps of any size"},
        {s->event_mode, "event mode in co-simulation"},
        {s->early_return, "early return"},
        {s->intermediate, "intermediate update"},
    };
    enum { N = sizeof all / sizeof *all };
    const char **list = arena_array(a, const char *, N);
    for (int i = 0; i < N; i++)
        if (all[i].has) list[told->n_offers++] = all[i].words;
    told->offers = list;
}

static int tell_contents(void *job)
{
    contents_job *j = job;
    diag_sink *sink = &j->ctx->diags;
    j->x = (import_file){
        .m = &j->ctx->m, .diags = &j->ctx->diags, .sources = &j->ctx->library.sources};
    watch_doing(&j->ctx->watch, "reading", j->path);
    int rc = import_open(&j->x, j->path);
    if (rc) return rc;
    const fmi_description *d = &j->x.f.d;
    int errors = sink->n_errors, warnings = sink->n_warnings;
    fmi_rules_check(&j->x.f, j->x.base, sink);
    vinc_fmu_contents told = {.file = j->path,
                              .name = d->name,
                              .description = d->summary,
                              .fmi = d->version,
                              .tool = d->tool,
                              .made = d->made,
                              .exchange = d->exchange.node >= 0,
                              .steps = d->steps.node >= 0,
                              .scheduled = d->scheduled.node >= 0,
                              .start = d->start,
                              .stop = d->stop,
                              .tolerance = d->tolerance,
                              .step = d->step,
                              .n_errors = sink->n_errors - errors,
                              .n_warnings = sink->n_warnings - warnings};
    take_variables(d, &j->x.a, &told);
    take_platforms(&j->x.f.archive, &j->x.a, &told);
    take_offers(d, &j->x.a, &told);
    return told_keep(&j->ctx->lasting, &study_fmu_contents, &told, j->out);
}

int vinc_fmu_contents_of(vinc_ctx *ctx, const char *path, vinc_fmu_contents **out)
{
    if (out) *out = NULL;
    if (!ctx || !path || !out) return api_lacks(ctx, "a path and a place for the report");
    contents_job j = {.ctx = ctx, .path = path, .out = out};
    int rc = api_guarded(ctx, tell_contents, &j);
    import_close(&j.x);
    return rc;
}
