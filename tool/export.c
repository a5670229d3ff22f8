/* vincolo export: the model as an FMU, for other tools.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Where the build puts the libraries, and where the installation does. */
static const char *const places[] = {"fmu", "../lib/vincolo/fmu"};

static bool find_libraries(char *out, size_t room)
{
    struct stat st;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (tool_beside(places[i], out, room) && stat(out, &st) == 0) return true;
    return false;
}

static bool read_kinds(const char *words, int *kinds)
{
    static const struct {
        const char *name;
        int kinds;
    } table[] = {{"me", VINC_FMU_EXCHANGE}, {"cs", VINC_FMU_STEPS}, {"both", 0}};
    for (size_t i = 0; words && i < sizeof table / sizeof *table; i++)
        if (!strcmp(words, table[i].name)) return *kinds = table[i].kinds, true;
    if (!words) return true;
    tool_error(
        "vincolo export: --type is me (model exchange), cs (co-simulation) or both, not '%s'\n",
        words);
    return false;
}

static bool read_target(const options *o)
{
    if (o->has_fmi && o->fmi != 2 && o->fmi != 3) {
        tool_error("vincolo export: --fmi is 2 or 3\n");
        return false;
    }
    if (o->target && tool_ends_in(o->target, ".fmu")) return tool_check_place(o->target);
    tool_error("vincolo export: name the file to write, ending in .fmu: -o model.fmu\n");
    return false;
}

static int export_run(const options *o)
{
    char libraries[4200];
    vinc_export_options x = {.fmi = (int)o->fmi, .libraries = libraries, .source = o->source};
    if (!read_kinds(o->kinds, &x.kinds) || !read_target(o)) return EXIT_USAGE;
    if (!find_libraries(libraries, sizeof libraries)) snprintf(libraries, sizeof libraries, "fmu");
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    int rc = tool_load(ctx, o, &model);
    if (!rc) rc = vinc_model_export(model, o->target, &x);
    if (!rc && !o->quiet) {
        char line[4300];
        snprintf(line, sizeof line, "%s: %s as an FMU, FMI %d\n", o->target, vinc_model_name(model),
                 x.fmi ? x.fmi : 3);
        tool_print(line);
    }
    tool_messages(ctx);
    vinc_model_free(model);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_export = {
    .name = "export",
    .arguments = "MODEL [CLASS] -o FILE.fmu",
    .summary = "the model as an FMU, for other tools",
    .options = "-o -L -p --params --fmi --type --source",
    .run = export_run,
};
