/* A sweep in words and as JSON.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

static const told_field value_fields[] = {
    TOLD(vinc_sweep_value, WORD, "name", name),
    TOLD(vinc_sweep_value, LONG, "n", n),
    TOLD(vinc_sweep_value, REAL, "mean", mean),
    TOLD(vinc_sweep_value, REAL, "sd", sd),
    TOLD(vinc_sweep_value, REAL, "min", min),
    TOLD(vinc_sweep_value, REAL, "max", max),
    TOLD_LIST(vinc_sweep_value, REALS, "quantiles", quantiles, n_quantiles),
    TOLD_LIST(vinc_sweep_value, VALUES, "first_order", axes, n_indices,
              .also = offsetof(vinc_sweep_value, first)),
    TOLD_LIST(vinc_sweep_value, VALUES, "total", axes, n_indices,
              .also = offsetof(vinc_sweep_value, total)),
    {0},
};

static const told_field failure_fields[] = {
    TOLD(vinc_sweep_failure, WORD, "reason", reason),
    TOLD(vinc_sweep_failure, LONG, "n", n),
    TOLD(vinc_sweep_failure, LONG, "first", first),
    {0},
};

#define FIELD(...) TOLD(vinc_sweep, __VA_ARGS__)
static const told_field sweep_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(WORD, "status", status),
    FIELD(LONG, "runs", runs),
    FIELD(LONG, "done", done),
    FIELD(LONG, "failed", failed),
    FIELD(WORD, "out", out),
    TOLD_LIST(vinc_sweep, WORDS, "parameters", parameters, n_parameters),
    TOLD_LIST(vinc_sweep, ROWS, "values", values, n_values, .size = sizeof(vinc_sweep_value),
              .inside = value_fields),
    TOLD_LIST(vinc_sweep, ROWS, "failures", failures, n_failures,
              .size = sizeof(vinc_sweep_failure), .inside = failure_fields),
    FIELD(INT, "rank", rank),
    FIELD(INT, "ranks", ranks),
    FIELD(INT, "jobs", jobs),
    FIELD(WORD, "device", device),
    FIELD(WORD, "method", method),
    FIELD(REAL, "seconds", seconds),
    FIELD(REAL, "rate", rate),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

static int widest_name(const vinc_sweep *x)
{
    int most = 5;
    for (int i = 0; i < x->n_values; i++) {
        int n = (int)strlen(x->values[i].name);
        if (n > most) most = n;
    }
    return most < 40 ? most : 40;
}

static void say_number(text *o, double x)
{
    if (isnan(x)) text_printf(o, " %11s", "-");
    else text_printf(o, " %11.5g", x);
}

static void say_values(const void *told, vinc_format format, text *o)
{
    const vinc_sweep *x = told;
    (void)format;
    int width = widest_name(x);
    text_printf(o, "\n  %-*s %11s %11s %11s %11s %11s %11s %11s\n", width, "", "mean", "sd", "min",
                "5 %", "median", "95 %", "max");
    for (int i = 0; i < x->n_values; i++) {
        const vinc_sweep_value *v = &x->values[i];
        text_printf(o, "  %-*s", width, v->name);
        const double *q = v->n_quantiles ? v->quantiles : NULL;
        double row[] = {v->mean,        v->sd,          v->min, q ? q[0] : NAN,
                        q ? q[2] : NAN, q ? q[4] : NAN, v->max};
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) say_number(o, row[k]);
        if (v->n < x->done - x->failed)
            text_printf(o, "  (has a value in %ld of %ld runs)", v->n, x->done - x->failed);
        text_char(o, '\n');
    }
}

static void say_indices(const void *told, vinc_format format, text *o)
{
    const vinc_sweep *x = told;
    (void)format;
    bool any = false;
    for (int i = 0; i < x->n_values; i++) {
        const vinc_sweep_value *v = &x->values[i];
        if (!v->n_indices) continue;
        if (!any)
            text_printf(o, "\n  Sobol' indices: share of the variance by a parameter alone, and "
                           "with others\n");
        any = true;
        text_printf(o, "  %s\n", v->name);
        for (int k = 0; k < v->n_indices; k++)
            text_printf(o, "    %-20s first order %8.4f   total %8.4f\n", v->axes[k], v->first[k],
                        v->total[k]);
    }
}

static void say_failures(const void *told, vinc_format format, text *o)
{
    const vinc_sweep *x = told;
    (void)format;
    for (int i = 0; i < x->n_failures; i++) {
        const vinc_sweep_failure *f = &x->failures[i];
        text_printf(o, "%s  %ld failed, the first is run %ld: %s\n", i ? "" : "\n", f->n, f->first,
                    f->reason);
    }
}

static const told_line sweep_lines[] = {
    {.words = "{class}: {done} of {runs} runs, {status}\n"},
    {.words = "  time         {seconds:%.3g} s, {rate:%.4g} runs per second, {jobs} threads\n",
     .when = "rate"},
    {.words = "  device       {device}, kernels by {method}\n", .when = "method"},
    {.words = "  processes    {ranks}\n", .when = "ranks"},
    {.words = "  rows         {out}\n", .when = "out"},
    {.say = say_values, .when = "values"},
    {.say = say_indices, .when = "values"},
    {.say = say_failures, .when = "failures"},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind sweep_told = {
    .name = "sweep",
    .command = "sweep",
    .summary = "many runs: what was collected, its statistics, and what failed",
    .size = sizeof(vinc_sweep),
    .fields = sweep_fields,
    .lines = sweep_lines,
};
