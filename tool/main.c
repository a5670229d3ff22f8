/* The command `vincolo`: finds the subcommand, reads its options, runs it.
 *
 * It uses only the public headers, like any other program.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const command command_table[] = {
    {"check", "MODEL [CLASS]", "what the system is: index, constraints, freedom, states", CMD_CHECK,
     command_check},
    {"run", "MODEL [CLASS]", "simulate", CMD_RUN, command_run},
    {"compare", "MODEL [CLASS]",
     "formulations times methods on one model: error, drift, energy, cost", CMD_COMPARE,
     command_compare},
    {"flatten", "MODEL [CLASS]", "the flat model as Modelica", CMD_FLATTEN, command_flatten},
    {"parse", "FILE|DIR...", "check the syntax only", CMD_PARSE, command_parse},
    {"method", "[NAME|FILE ...]", "list methods, or analyse some from their coefficients",
     CMD_METHOD, command_method},
    {"pencil", "F.csv G.csv|MODEL", "linear DAE F x' + G x = h: index, Kronecker form, solution",
     CMD_PENCIL, command_pencil},
    {"linearize", "MODEL [CLASS]", "A, B, C, D at a point; eigenvalues and mode shapes",
     CMD_LINEARIZE, command_linearize},
    {"passivity", "MODEL [CLASS]", "is it passive, and how is that known (also --num N --den D)",
     CMD_PASSIVITY, command_passivity},
    {"plot", "RESULT...", "a figure from saved results", CMD_PLOT, command_plot},
    {"new", "NAME", "write a commented model to start from", CMD_NEW, command_new},
    {"tour", "", "six examples in the terminal", CMD_TOUR, command_tour},
    {"help", "[COMMAND]", "this list, or the options of a command", CMD_HELP, command_help},
    {NULL, NULL, NULL, 0, NULL},
};

/* ---- context --------------------------------------------------------------------------------- */

bool tool_colour(int stream)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(stream) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

bool tool_beside(const char *path, char *out, size_t room)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0) return false;
    exe[n] = 0;
    char *slash = strrchr(exe, '/');
    if (!slash) return false;
    *slash = 0;
    return snprintf(out, room, "%s/%s", exe, path) < (int)room;
}

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
    for (int i = 0; i < o->n_paths; i++) vinc_ctx_add_path(ctx, o->paths[i]);
    add_modelicapath(ctx);
    add_own_library(ctx);
    return ctx;
}

void tool_messages(vinc_ctx *ctx)
{
    fputs(vinc_ctx_messages(ctx), stderr);
    vinc_ctx_clear(ctx);
}

int tool_exit(int status)
{
    switch (status) {
    case VINC_OK:
    case VINC_TERMINATED: return EXIT_DONE;
    case VINC_STOPPED: return EXIT_INTERRUPTED;
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
        fprintf(
            stderr,
            "vincolo %s needs a model: a file ending in .mo, a package directory or a class name\n",
            o->words[0]);
        return VINC_E_OPTION;
    }
    if (o->n_words > 3) {
        fprintf(stderr, "vincolo %s takes MODEL [CLASS]; '%s' is one word too many\n", o->words[0],
                o->words[3]);
        return VINC_E_OPTION;
    }
    if (o->n_words == 3 && tool_ends_in(o->words[2], ".mo")) {
        fprintf(stderr, "vincolo %s takes one file and a class in it; '%s' is a second file\n",
                o->words[0], o->words[2]);
        return VINC_E_OPTION;
    }
    vinc_model_options m = {.settings = o->settings, .n_settings = o->n_settings};
    return vinc_model_load_with(ctx, o->words[1], o->n_words > 2 ? o->words[2] : NULL, &m, model);
}

void tool_json_failure(vinc_ctx *ctx, const options *o)
{
    vinc_failure *failure = NULL;
    vinc_failure_of(ctx, o->n_words > 1 ? o->words[1] : "", &failure);
    fputs(vinc_report_text(failure, VINC_JSON), stdout);
    vinc_report_free(failure);
}

int tool_finish(vinc_ctx *ctx, vinc_model *model, const options *o, int rc, const char *text)
{
    if (o->json || !o->quiet) fputs(text, stdout);
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return tool_exit(rc);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static const command *find_command(const char *name)
{
    for (const command *c = command_table; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[32];
    int n = 0;
    for (const command *c = command_table; c->name; c++) names[n++] = c->name;
    const char *near = vinc_nearest(name, names, n);
    fprintf(stderr, "vincolo: there is no command '%s'", name);
    if (near) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\n'vincolo help' lists the commands.\n");
    return EXIT_USAGE;
}

int tool_run(int argc, char **argv)
{
    const command *c = NULL;
    for (int i = 1; i < argc && !c;
         i++) { // the command is the first word; options may come before it
        if (argv[i][0] == '-') continue;
        c = find_command(argv[i]);
        if (!c) return unknown_command(argv[i]);
    }
    options o;
    if (!options_read(argc, argv, c ? c->bit : CMD_ALL, &o)) return EXIT_USAGE;
    if (o.version) return printf("vincolo %s\n", vinc_version()), EXIT_DONE;
    if (!c || o.help) return command_help(&o);
    return c->run(&o);
}

int main(int argc, char **argv)
{
    int status = tool_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "vincolo: cannot write to standard output\n");
        return status ? status : EXIT_USAGE;
    }
    return status;
}
