/* vincolo compare: formulations times methods on one model. The error is measured against a run of
 * the default formulation at a hundredth of the tolerance: the largest difference of a
 * differentiated variable at the end, relative to its largest size on the way plus its nominal, as
 * tolerances are.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, NAME = 100, SAMPLES = 100, MOST_VARS = 2000 };
static const double LOST = 100; // an error of that many times the size is no solution
enum { ERROR, POSITION, VELOCITY, ENERGY, TIME, MEASURES };

typedef struct list {
    char at[MOST][NAME];
    int n;
} list;

typedef struct state_size {
    const char *name;
    double end, size, nominal;
} state_size;

typedef struct comparison {
    const options *o;
    vinc_ctx *ctx;
    vinc_model *model;
    state_size states[MOST_VARS];
    int n_states;
    double stop;            // where the reference run ended
    char formulation[NAME]; // of the reference; "none" without constraints
    FILE *csv;
    int n_runs, n_done;
    double measures[MEASURES][MOST * MOST]; // of each run, for the figure
} comparison;

/* "a,b:x=1,y=2,c": a comma before "y=2" separates parameters, not names. */
static bool split(const char *text, list *out)
{
    while (*text) {
        size_t n = strcspn(text, ",");
        bool more = memchr(text, '=', n) && !memchr(text, ':', n) && out->n;
        if (more) {
            char *last = out->at[out->n - 1];
            size_t used = strlen(last);
            if (used + n + 2 > NAME) return false;
            snprintf(last + used, NAME - used, ",%.*s", (int)n, text);
        } else if (n) {
            if (out->n == MOST || n >= NAME) return false;
            snprintf(out->at[out->n++], NAME, "%.*s", (int)n, text);
        }
        text += n + (text[n] == ',');
    }
    return out->n > 0;
}

static vinc_sim_options options_of(const options *o, const char *formulation, const char *method,
                                   double factor)
{
    double tol = o->tol > 0 ? o->tol : 1e-6;
    bool fixed = factor >= 1 && o->has_step; // Newton's method to round-off unless told otherwise
    return (vinc_sim_options){.method = method,
                              .formulation =
                                  formulation && strcmp(formulation, "none") ? formulation : NULL,
                              .has_start = o->has_start,
                              .has_stop = o->has_stop,
                              .t_start = o->start,
                              .t_stop = o->stop,
                              .rel_tol = fixed ? o->tol : fmax(factor * tol, 1e-13),
                              .abs_tol = factor * o->abs_tol,
                              .intervals = (int)o->intervals,
                              .step = fixed ? o->step : 0,
                              .max_steps = (long)o->max_steps};
}

/* The number behind "key": in the report; NaN for null. */
static double number(const char *json, const char *key)
{
    char quoted[NAME + 8];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    if (!at || !strncmp(at + strlen(quoted), "null", 4)) return NAN;
    return strtod(at + strlen(quoted), NULL);
}

static void word(const char *json, const char *key, char *out, size_t room)
{
    char quoted[NAME + 8];
    snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
    const char *at = strstr(json, quoted);
    *out = 0;
    if (at)
        snprintf(out, room, "%.*s", (int)strcspn(at + strlen(quoted), "\""), at + strlen(quoted));
}

/* ---- the reference --------------------------------------------------------------------------- */

static int reference(comparison *c)
{
    vinc_sim_options so = options_of(c->o, NULL, NULL, 0.01);
    vinc_sim *sim = NULL;
    int rc = vinc_sim_new(c->model, &so, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc >= 0) {
        const char *json = vinc_sim_report(sim, VINC_JSON), *final = strstr(json, "\"final\"");
        vinc_result *r = vinc_sim_result(sim);
        double from = c->o->has_start ? c->o->start : 0;
        c->stop = number(json, "t_end");
        word(json, "formulation", c->formulation, sizeof c->formulation);
        for (int i = 0; i < vinc_model_n_variables(c->model) && c->n_states < MOST_VARS; i++) {
            vinc_variable v;
            char key[NAME + 20];
            vinc_model_variable(c->model, i, &v);
            if (v.variability != VINC_CONTINUOUS || v.type != VINC_REAL) continue;
            snprintf(key, sizeof key, "\"der(%.*s)\"", NAME, v.name);
            if (!final || !strstr(final, key)) continue;
            state_size *s = &c->states[c->n_states++];
            double end = vinc_result_at(r, v.name, c->stop);
            *s = (state_size){.name = v.name, .end = end, .nominal = fabs(v.nominal)};
            for (int k = 0; k <= SAMPLES; k++) {
                double t = from + (c->stop - from) * k / SAMPLES;
                s->size = fmax(s->size, fabs(vinc_result_at(r, v.name, t)));
            }
        }
    }
    vinc_sim_free(sim);
    return rc;
}

static double error_of(const comparison *c, vinc_result *r)
{
    double most = 0;
    for (int i = 0; i < c->n_states; i++) {
        const state_size *s = &c->states[i];
        double e = fabs(vinc_result_at(r, s->name, c->stop) - s->end);
        if (e > 0) most = fmax(most, e / (s->size + s->nominal));
        if (isnan(e)) return NAN;
    }
    return most;
}

/* ---- one run --------------------------------------------------------------------------------- */

static void cell(double x, int width)
{
    if (isnan(x)) printf("%*s", width, "-");
    else printf("%*.1e", width, x);
}

static void show_row(const char *formulation, const char *method, const char *json, double error,
                     const char *why)
{
    printf("%-24s %-14s", formulation, method);
    if (!json) {
        printf("  %s\n", why);
        return;
    }
    char status[40];
    word(json, "status", status, sizeof status);
    cell(error, 9);
    cell(number(json, "position_max"), 10);
    cell(number(json, "velocity_max"), 10);
    cell(number(json, "max_change"), 10);
    printf("%8.0f%10.0f%9.1f", number(json, "steps"), number(json, "residual_evals"),
           1e3 * number(json, "integrate"));
    if (strcmp(status, "done")) printf("  %s: %.60s%s", status, why, strlen(why) > 60 ? "..." : "");
    putchar('\n');
}

static void csv_row(FILE *f, const char *formulation, const char *method, const char *json,
                    double error)
{
    char status[40] = "refused";
    if (json) word(json, "status", status, sizeof status);
    fprintf(f, "\"%s\",\"%s\",%s,%.17g,%.17g,%.17g,%.17g,%.0f,%.0f,%.6g\n", formulation, method,
            status, error, json ? number(json, "position_max") : NAN,
            json ? number(json, "velocity_max") : NAN, json ? number(json, "max_change") : NAN,
            json ? number(json, "steps") : NAN, json ? number(json, "residual_evals") : NAN,
            json ? number(json, "integrate") : NAN);
}

static vinc_diagnostic first_error(vinc_ctx *ctx)
{
    for (int i = 0; i < vinc_ctx_n_diagnostics(ctx); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(ctx, i);
        if (d.severity == VINC_ERROR) return d;
    }
    return (vinc_diagnostic){.code = "", .text = "refused"};
}

/* A name or parameter that does not exist is a slip of the user, not a finding. */
static bool is_misnamed(const char *code)
{
    static const char *const codes[] = {"C140", "S200", "S201"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(code, codes[i])) return true;
    return false;
}

static void json_quoted(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putchar('\\');
        if ((unsigned char)*s >= 0x20) putchar(*s);
    }
    putchar('"');
}

/* Keep what the figure shows of the run: nothing where it failed or lost its way. */
static void keep(comparison *c, const char *json, double error)
{
    static const char *const keys[MEASURES] = {NULL, "position_max", "velocity_max", "max_change",
                                               "integrate"};
    for (int i = 0; i < MEASURES; i++) {
        double v = i == ERROR ? error : json ? number(json, keys[i]) : NAN;
        c->measures[i][c->n_runs] = error < LOST ? v * (i == TIME ? 1e3 : 1) : NAN;
    }
}

static int one_run(comparison *c, const char *formulation, const char *method)
{
    vinc_sim_options so = options_of(c->o, formulation, method, 1);
    vinc_sim *sim = NULL;
    int rc = vinc_sim_new(c->model, &so, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    vinc_diagnostic first = first_error(c->ctx);
    if (is_misnamed(first.code)) {
        vinc_sim_free(sim);
        return VINC_E_OPTION;
    }
    const char *json = sim ? vinc_sim_report(sim, VINC_JSON) : "", *why = first.text;
    if (!*json) json = NULL;
    double error = rc >= 0 && json ? error_of(c, vinc_sim_result(sim)) : NAN;
    if (c->o->json) {
        fputs(c->n_runs ? ",\n" : "[", stdout);
        if (json) {
            size_t n = strlen(json);
            while (n && json[n - 1] != '}') n--;
            printf("%.*s, \"error\": ", (int)(n - 1), json);
            if (isnan(error)) printf("null}");
            else printf("%.17g}", error);
        } else {
            printf("{\"formulation\": ");
            json_quoted(formulation);
            printf(", \"method\": ");
            json_quoted(method);
            printf(", \"status\": \"failed\", \"error\": null, \"message\": ");
            json_quoted(why);
            putchar('}');
        }
    } else if (!c->o->quiet) {
        show_row(formulation, method, json, error, why);
    }
    if (c->csv) csv_row(c->csv, formulation, method, json, error);
    keep(c, json, error);
    c->n_runs++;
    c->n_done += rc >= 0;
    vinc_sim_free(sim);
    vinc_ctx_clear(c->ctx);
    return VINC_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool choose(const options *o, list *formulations, list *methods)
{
    if (o->formulations) {
        if (!split(o->formulations, formulations)) return false;
    } else {
        for (int i = 0; vinc_formulation(i) && i < MOST; i++)
            snprintf(formulations->at[formulations->n++], NAME, "%s", vinc_formulation(i));
    }
    return split(o->methods ? o->methods : "radau5,bdf,dopri5", methods);
}

/* A measure is drawn where there is one, and energy where it tells runs apart: in a driven system
 * it changes as it should. */
static bool worth_drawing(const comparison *c, int measure)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < c->n_runs; i++) {
        double v = c->measures[measure][i];
        if (isnan(v)) continue;
        least = fmin(least, v);
        most = fmax(most, v);
    }
    return measure == ENERGY ? most > 3 * least : most >= least;
}

static int figure(const comparison *c, const list *formulations, const list *methods)
{
    static const struct {
        const char *label, *unit;
    } about[MEASURES] = {{"error at the end", ""},
                         {"violation of positions", ""},
                         {"violation of velocities", ""},
                         {"change of energy", ""},
                         {"time", "ms"}};
    const char *rows[MOST], *series[MOST];
    vinc_measure measures[MEASURES];
    vinc_dots dots = {.rows = rows, .series = series, .measures = measures};
    for (int i = 0; i < formulations->n; i++) rows[dots.n_rows++] = formulations->at[i];
    for (int i = 0; i < methods->n; i++) series[dots.n_series++] = methods->at[i];
    for (int i = 0; i < MEASURES; i++)
        if (worth_drawing(c, i))
            measures[dots.n_measures++] = (vinc_measure){
                about[i].label, about[i].unit, c->measures[i],
                i == ERROR && !c->o->has_step ? (c->o->tol > 0 ? c->o->tol : 1e-6) : 0};
    vinc_plot_options po = {.note = c->o->has_step
                                        ? "\u00d7: refused, failed, or lost"
                                        : "\u00d7: refused, failed, or lost; dotted: the tolerance",
                            .title = c->o->title ? c->o->title : vinc_model_name(c->model),
                            .dark = c->o->dark};
    return vinc_dots_plot(c->ctx, &dots, c->o->plot, &po);
}

/* Without constraints all formulations are one. */
static void leave_one(const comparison *c, list *formulations)
{
    if (c->o->formulations || strcmp(c->formulation, "none")) return;
    snprintf(formulations->at[0], NAME, "none");
    formulations->n = 1;
}

static int compare_all(comparison *c, const list *formulations, const list *methods)
{
    int rc = VINC_OK;
    if (!c->o->json && !c->o->quiet)
        printf("%-24s %-14s%9s%10s%10s%10s%8s%10s%9s\n", "formulation", "method", "error",
               "position", "velocity", "energy", "steps", "evals", "ms");
    for (int f = 0; f < formulations->n && !rc; f++)
        for (int m = 0; m < methods->n && !rc; m++)
            rc = one_run(c, formulations->at[f], methods->at[m]);
    if (c->o->json) puts(c->n_runs ? "]" : "[]");
    return rc ? rc : c->n_done ? VINC_OK : VINC_E_NEWTON;
}

static int compare_run(const options *o)
{
    static list formulations, methods; // large, and used once
    formulations.n = methods.n = 0;
    if (!choose(o, &formulations, &methods)) {
        fprintf(stderr,
                "vincolo compare: --formulations and --methods take names separated by "
                "commas, at most %d\n",
                MOST);
        return EXIT_USAGE;
    }
    if (o->out && !tool_ends_in(o->out, ".csv")) {
        fprintf(stderr, "vincolo compare: --out writes .csv, not '%s'\n", o->out);
        return EXIT_USAGE;
    }
    if (o->plot && (!strcmp(o->plot, "-") || !tool_check_plot(o->plot, false))) {
        if (!strcmp(o->plot, "-"))
            fprintf(stderr,
                    "vincolo compare: the table is what a terminal shows; --plot draws into "
                    "a %s file\n",
                    tool_figure_files((char[ENDINGS_BYTES]){""}));
        return EXIT_USAGE;
    }
    comparison *c = calloc(1, sizeof *c);
    if (!c) return EXIT_MODEL;
    c->o = o;
    c->ctx = tool_context(o);
    int rc = tool_load(c->ctx, o, &c->model);
    if (!rc) rc = reference(c);
    if (!rc && o->out && !(c->csv = fopen(o->out, "w"))) {
        fprintf(stderr, "vincolo compare: '%s' cannot be written\n", o->out);
        rc = VINC_E_OPTION;
    }
    if (c->csv)
        fprintf(c->csv, "formulation,method,status,error,position_max,velocity_max,energy_change,"
                        "steps,residual_evals,seconds\n");
    if (rc >= 0) {
        tool_messages(c->ctx);
        leave_one(c, &formulations);
        rc = compare_all(c, &formulations, &methods);
        if (!rc && o->plot) rc = figure(c, &formulations, &methods);
    } else if (o->json) {
        tool_json_failure(c->ctx, o);
    }
    tool_messages(c->ctx);
    if (c->csv && fclose(c->csv)) rc = VINC_E_WRITE;
    vinc_model_free(c->model);
    vinc_ctx_free(c->ctx);
    free(c);
    return tool_exit(rc);
}

const command command_compare = {
    .name = "compare",
    .arguments = "MODEL [CLASS]",
    .summary = "formulations times methods on one model: error, drift, energy, cost",
    .options = "-L -p --start --stop --tol --abs-tol --formulations --methods"
               " --intervals --step --max-steps --out --plot --title --dark --json",
    .run = compare_run,
};
