/* From a command line to a model, a run and an exit status.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- context --------------------------------------------------------------------------------- */

/* A library beside the command, by the shortest name that messages can give its files: from the
 * current folder where it lies below it. */
static void add_beside(vinc_ctx *ctx, const char *path)
{
    char dir[4300], here[4096];
    char *real = tool_beside(path, dir, sizeof dir) ? realpath(dir, NULL) : NULL;
    if (!real) return;
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = n > 1 && !strncmp(real, here, n) && real[n] == '/';
    vinc_ctx_add_path(ctx, below ? real + n + 1 : real);
    free(real);
}

// The library that comes along lies beside the build folder or under the installation prefix.
static void add_own_library(vinc_ctx *ctx)
{
    add_beside(ctx, "../lib");
    add_beside(ctx, "../share/vincolo");
}

static void add_modelicapath(vinc_ctx *ctx)
{
    const char *path = getenv("MODELICAPATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *dir = strndup(path, n);
        if (dir && n) vinc_ctx_add_path(ctx, dir);
        free(dir);
        path += n + (path[n] == ':');
    }
}

vinc_ctx *tool_context(const options *o)
{
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.colour = tool_colour(2)});
    tool_watch(ctx, o);
    for (int i = 0; i < o->n_paths; i++) vinc_ctx_add_path(ctx, o->paths[i]);
    add_modelicapath(ctx);
    add_own_library(ctx);
    return ctx;
}

void tool_messages(vinc_ctx *ctx)
{
    tool_tell(vinc_ctx_messages(ctx));
    vinc_ctx_clear(ctx);
}

int tool_exit(int status)
{
    switch (status) {
    case VINC_OK:
    case VINC_TERMINATED: return EXIT_DONE;
    case VINC_STOPPED:
    case VINC_E_INTERRUPTED: return EXIT_INTERRUPTED;
    case VINC_E_MODEL:
    case VINC_E_MEMORY: return EXIT_MODEL;
    case VINC_E_OPTION: return EXIT_USAGE;
    default: return EXIT_RUN;
    }
}

int tool_load(vinc_ctx *ctx, const options *o, vinc_model **model)
{
    *model = NULL;
    if (o->n_words < 2) {
        tool_error(
            "vincolo %s needs a model: a file ending in .mo, a package directory or a class name\n",
            o->words[0]);
        return VINC_E_OPTION;
    }
    if (o->n_words > 3) {
        tool_error("vincolo %s takes MODEL [CLASS]; '%s' is one word too many\n", o->words[0],
                   o->words[3]);
        return VINC_E_OPTION;
    }
    if (o->n_words == 3 && tool_ends_in(o->words[2], ".mo")) {
        tool_error("vincolo %s takes one file and a class in it; '%s' is a second file\n",
                   o->words[0], o->words[2]);
        return VINC_E_OPTION;
    }
    vinc_model_options m = {.settings = o->settings,
                            .n_settings = o->n_settings,
                            .places = o->setting_places,
                            .exchange = o->exchange,
                            .allow_external = o->allow_external};
    return vinc_model_load_with(ctx, o->words[1], o->n_words > 2 ? o->words[2] : NULL, &m, model);
}

/* ---- what the options say about a run -------------------------------------------------------- */

vinc_sim_options tool_sim_options(const options *o)
{
    return (vinc_sim_options){
        .method = o->method,
        .formulation = o->formulation,
        .linear = o->linear,
        .has_start = o->has_start,
        .has_stop = o->has_stop,
        .t_start = o->start,
        .t_stop = o->stop,
        .rel_tol = o->tol,
        .abs_tol = o->abs_tol,
        .intervals = (int)o->intervals,
        .step = o->step,
        .max_steps = (long)o->max_steps,
        .verify = o->verify,
        .init_as_given = o->init && strcmp(o->init, "as-given") == 0,
        .equilibrium = o->equilibrium,
        .input_csv = o->input,
        .log = o->log,
        .vars = o->vars,
        .sens = o->sens,
        .no_sens_control = o->no_sens_control,
        .times = o->time_list,
        .n_times = o->n_times,
        .from = o->from,
        .distributed = o->distributed,
        .keep_end = o->out && tool_ends_in(o->out, ".mat"),
        .chart = o->plot && (o->drift || tool_is_page(o->plot)),
    };
}

vinc_plot_options tool_plot_options(const options *o)
{
    return (vinc_plot_options){.vars = o->vars,
                               .title = o->title,
                               .dark = o->dark,
                               .log_x = o->log_x,
                               .log_y = o->log_y,
                               .columns = tool_columns(),
                               .colour = tool_colour(1)};
}

/* ---- the end of a command -------------------------------------------------------------------- */

void tool_json_failure(vinc_ctx *ctx, const options *o)
{
    vinc_failure *failure = NULL;
    vinc_failure_of(ctx, o->n_words > 1 ? o->words[1] : "", &failure);
    fputs(vinc_report_text(failure, VINC_JSON), stdout);
    vinc_report_free(failure);
}

const char *tool_words(const void *told, const options *o, int *rc)
{
    const char *text = *rc ? "" : vinc_report_text(told, o->json ? VINC_JSON : VINC_TEXT);
    if (!*rc && !*text) {
        tool_error("vincolo: out of memory\n");
        *rc = VINC_E_MEMORY;
    }
    return text;
}

int tool_finish(vinc_ctx *ctx, vinc_model *model, const options *o, int rc, const char *text)
{
    if (o->json || !o->quiet) fputs(text, stdout);
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_model_free(model);
    tool_free(ctx);
    return tool_exit(rc);
}
