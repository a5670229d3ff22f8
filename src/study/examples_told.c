/* `vincolo examples`: which models of a library run, how long that takes, and whether they agree with
 * their references.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is told ---------------------------------------------------------------------------- */

#define ROW(...) TOLD(vinc_example, __VA_ARGS__)
static const told_field example_fields[] = {
    ROW(WORD, "name", name),       ROW(WORD, "status", status),
    ROW(REAL, "seconds", seconds), ROW(INT, "n_signals", n_signals),
    ROW(INT, "inside", inside),    ROW(WORD, "code", code),
    ROW(WORD, "reason", reason),   {0},
};

#define FIELD(...) TOLD(vinc_examples, __VA_ARGS__)
static const told_field examples_fields[] = {
    FIELD(WORD, "library", library),
    FIELD(INT, "n_examples", n_examples),
    FIELD(INT, "simulated", simulated),
    FIELD(INT, "compared", compared),
    FIELD(INT, "inside", inside),
    FIELD(REAL, "median", median),
    FIELD(REAL, "p90", p90),
    TOLD_LIST(vinc_examples, ROWS, "examples", examples, n_examples, .size = sizeof(vinc_example),
              .inside = example_fields),
    {0},
};

/* The column of names is as wide as they need, within reason. */
static int name_width(const vinc_examples *e)
{
    enum { WIDEST = 80 };
    size_t width = strlen("example");
    for (int i = 0; i < e->n_examples; i++) {
        size_t n = strlen(e->examples[i].name);
        if (n > width) width = n;
    }
    return width > WIDEST ? WIDEST : (int)width;
}

static void say_examples(const void *told, vinc_format format, text *o)
{
    const vinc_examples *e = told;
    int width = name_width(e);
    (void)format;
    text_printf(o, "%-*s  %-9s  %8s  %s\n", width, "example", "run", "seconds", "reference");
    for (int i = 0; i < e->n_examples; i++) {
        const vinc_example *r = &e->examples[i];
        text_printf(o, "%-*s  %-9s  ", width, r->name, r->status);
        if (isfinite(r->seconds)) text_printf(o, "%8.3f", r->seconds);
        else text_printf(o, "%8s", "-");
        if (r->n_signals) text_printf(o, "  %d of %d inside", r->inside, r->n_signals);
        else if (!r->reason) text_add(o, "  -");
        if (r->reason) text_printf(o, "  %s", r->reason);
        if (r->code) text_printf(o, " [%s]", r->code);
        text_add(o, "\n");
    }
    text_printf(o, "\n%s: %d of %d simulate", e->library, e->simulated, e->n_examples);
    if (e->compared)
        text_printf(o, ", %d of %d with a reference stay in its tube", e->inside, e->compared);
    if (e->simulated)
        text_printf(o, "; median %.3g s, nine in ten within %.3g s", e->median, e->p90);
    text_add(o, "\n");
}

static const told_line examples_lines[] = {{.say = say_examples}, {0}};

const told_kind study_examples = {
    .name = "examples",
    .command = "examples",
    .summary = "which models of a library run, how long that takes, and whether they agree with "
               "their references",
    .size = sizeof(vinc_examples),
    .fields = examples_fields,
    .lines = examples_lines,
};

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct examples_job {
    vinc_ctx *ctx;
    vinc_examples told;
    vinc_examples **out;
} examples_job;

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void count(vinc_examples *e, double *seconds)
{
    for (int i = 0; i < e->n_examples; i++) {
        const vinc_example *r = &e->examples[i];
        if (!r->status || strcmp(r->status, "simulated") != 0) continue;
        seconds[e->simulated++] = r->seconds;
        e->compared += r->n_signals > 0;
        e->inside += r->n_signals > 0 && r->inside == r->n_signals;
    }
    int n = e->simulated;
    if (!n) return;
    qsort(seconds, (size_t)n, sizeof *seconds, ascending);
    e->median = 0.5 * (seconds[(n - 1) / 2] + seconds[n / 2]);
    e->p90 = seconds[(9 * n - 1) / 10];
}

static int tell_examples(void *job)
{
    examples_job *j = job;
    vinc_examples *e = &j->told;
    arena_mark mark = arena_here(&j->ctx->front);
    count(e, arena_array(&j->ctx->front, double, e->n_examples + 1));
    arena_release(&j->ctx->front, mark);
    return told_keep(&j->ctx->lasting, &study_examples, e, j->out);
}

int vinc_examples_of(vinc_ctx *ctx, const char *library, const vinc_example *examples, int n,
                     vinc_examples **out)
{
    if (out) *out = NULL;
    if (!ctx || !out || n < 0 || (n && !examples))
        return api_lacks(ctx, "rows and a place for the report");
    for (int i = 0; i < n; i++)
        if (!examples[i].name || !examples[i].status)
            return api_lacks(ctx, "names and statuses of its rows");
    examples_job j = {.ctx = ctx,
                      .told = {.library = library ? library : "",
                               .n_examples = n,
                               .median = NAN,
                               .p90 = NAN,
                               .examples = examples},
                      .out = out};
    return api_guarded(ctx, tell_examples, &j);
}
