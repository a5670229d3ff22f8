/* vincolo compare: formulations times methods on one model, as a table, JSON, CSV or a figure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double LOST = 100; // an error of that many times the size is no solution

/* What the figure shows of a run; NaN: there is none. */
typedef struct measure {
    const char *label, *unit;
    double (*value)(const vinc_compared *c);
    bool tells_apart; // drawn only where it differs: in a driven system energy changes as it should
} measure;

static double error_value(const vinc_compared *c)
{
    return c->error;
}

static double position_value(const vinc_compared *c)
{
    return c->ran && c->run.constrained ? c->run.position_max : NAN;
}

static double velocity_value(const vinc_compared *c)
{
    return c->ran && c->run.constrained ? c->run.velocity_max : NAN;
}

static double energy_value(const vinc_compared *c)
{
    return c->ran && c->run.has_energy ? c->run.energy_change : NAN;
}

static double time_value(const vinc_compared *c)
{
    return c->ran ? 1e3 * c->run.wall_integrate : NAN;
}

static const measure measures[] = {
    {"error at the end", "", error_value, false},
    {"violation of positions", "", position_value, false},
    {"violation of velocities", "", velocity_value, false},
    {"change of energy", "", energy_value, true},
    {"time", "ms", time_value, false},
};
enum { MEASURES = sizeof measures / sizeof *measures };

/* Values of a measure for every run; is it worth drawing? */
static bool take(const measure *m, const vinc_comparison *c, double *values)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < c->n_runs; i++) {
        double v = values[i] = c->runs[i].error < LOST ? m->value(&c->runs[i]) : NAN;
        if (isnan(v)) continue;
        least = fmin(least, v);
        most = fmax(most, v);
    }
    return m->tells_apart ? most > 3 * least : most >= least;
}

static int compare_draw(vinc_ctx *ctx, const vinc_comparison *c, const options *o)
{
    size_t n = (size_t)c->n_runs;
    double *values = calloc(MEASURES * n + 1, sizeof *values);
    if (!values) return VINC_E_MEMORY;
    vinc_measure shown[MEASURES];
    const char *const unconstrained[] = {"no constraints"}; // what `none` means to who did not ask
    bool none = c->n_formulations == 1 && !strcmp(c->formulations[0], "none");
    vinc_dots dots = {.rows = none ? unconstrained : c->formulations,
                      .series = c->methods,
                      .measures = shown,
                      .n_rows = c->n_formulations,
                      .n_series = c->n_methods};
    for (int i = 0; i < MEASURES; i++)
        if (take(&measures[i], c, values + (size_t)i * n))
            shown[dots.n_measures++] =
                (vinc_measure){measures[i].label, measures[i].unit, values + (size_t)i * n,
                               i == 0 && !o->has_step ? (o->tol > 0 ? o->tol : 1e-6) : 0};
    vinc_plot_options po = {.note = o->has_step
                                        ? "\u00d7: refused, failed, or lost"
                                        : "\u00d7: refused, failed, or lost; dotted: the tolerance",
                            .title = o->title ? o->title : c->class_name,
                            .dark = o->dark};
    int rc = vinc_dots_plot(ctx, &dots, o->plot, &po);
    free(values);
    return rc;
}

/* Whole or not at all: beside the file, and then in its place. */
static int write_csv(const char *path, const vinc_comparison *c)
{
    char beside[4300];
    int fits = snprintf(beside, sizeof beside, "%s.%ld.tmp", path, (long)getpid());
    struct stat there;
    bool direct = stat(path, &there) == 0 && !S_ISREG(there.st_mode); // a device, a pipe
    FILE *f = fits < (int)sizeof beside ? fopen(direct ? path : beside, "w") : NULL;
    if (!f) return VINC_E_WRITE;
    fprintf(f, "formulation,method,status,error,position_max,velocity_max,energy_change,"
               "steps,residual_evals,seconds\n");
    for (int i = 0; i < c->n_runs; i++) {
        const vinc_compared *r = &c->runs[i];
        fprintf(f, "\"%s\",\"%s\",%s,%.17g,%.17g,%.17g,%.17g,%.0f,%.0f,%.6g\n", r->formulation,
                r->method, r->ran ? r->status : "refused", r->error, position_value(r),
                velocity_value(r), energy_value(r), r->ran ? (double)r->run.steps : NAN,
                r->ran ? (double)r->run.residual_evals : NAN, r->ran ? r->run.wall_integrate : NAN);
    }
    bool failed = ferror(f) != 0;
    if (fclose(f)) failed = true;
    if (direct) return failed ? VINC_E_WRITE : VINC_OK;
    if (!failed && rename(beside, path) == 0) return VINC_OK;
    unlink(beside);
    return VINC_E_WRITE;
}

static void compare_print_line(void *user, const char *line)
{
    (void)user;
    tool_print(line);
}

static bool compare_check(const options *o)
{
    if (o->out && !tool_ends_in(o->out, ".csv")) {
        tool_error("vincolo compare: --out writes .csv, not '%s'\n", o->out);
        return false;
    }
    if (o->plot && !strcmp(o->plot, "-")) {
        tool_error("vincolo compare: the table is what a terminal shows; --plot draws into "
                   "a .svg, .png or .pdf file\n");
        return false;
    }
    return tool_check_plot(o->plot, false) && tool_check_place(o->out) && tool_check_place(o->plot);
}

static int compare_run(const options *o)
{
    if (!compare_check(o)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    vinc_comparison *c = NULL;
    vinc_sim_options run = tool_sim_options(o);
    vinc_compare_options co = {.run = &run, .formulations = o->formulations, .methods = o->methods};
    if (!o->json && !o->quiet) co.line = compare_print_line;
    int rc = tool_load(ctx, o, &model);
    if (!rc) rc = vinc_comparison_of(model, &co, &c);
    if (o->json && c) fputs(vinc_report_text(c, VINC_JSON), stdout);
    else if (o->json) tool_json_failure(ctx, o);
    if (o->out && c && (rc = write_csv(o->out, c)) != 0)
        tool_error("vincolo compare: '%s' cannot be written: %s\n", o->out, strerror(errno));
    if (!rc && o->plot) rc = compare_draw(ctx, c, o);
    if (!rc && !c->n_done) rc = VINC_E_NEWTON;
    tool_messages(ctx);
    vinc_report_free(c);
    vinc_model_free(model);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_compare = {
    .name = "compare",
    .arguments = "MODEL [CLASS]",
    .summary = "formulations times methods on one model: error, drift, energy, cost",
    .options = "-L -p --params --start --stop --tol --abs-tol --formulations --methods"
               " --intervals --step --max-steps --out --plot --title --dark --json",
    .run = compare_run,
};
