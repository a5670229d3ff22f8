/* vincolo method: the list of methods, or the analysis and pictures of some.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All words after the command, with commas between them; NULL: there are none.
static char *join_names(const options *o)
{
    size_t n = 0;
    for (int i = 1; i < o->n_words; i++) n += strlen(o->words[i]) + 1;
    if (o->design) n += strlen(o->design) + sizeof "design:" + 1;
    char *names = n ? malloc(n) : NULL;
    if (!names) return NULL;
    names[0] = 0;
    for (int i = 1; i < o->n_words; i++) {
        if (i > 1) strcat(names, ",");
        strcat(names, o->words[i]);
    }
    if (o->design) {
        strcat(names, o->n_words > 1 ? ",design:" : "design:");
        strcat(names, o->design);
    }
    return names;
}

static int method_run(const options *o)
{
    if (!tool_check_plot(o->plot, false)) return EXIT_USAGE;
    if ((o->plot || o->at) && o->n_words < 2 && !o->design) {
        const char *with = o->plot ? "--plot" : "--at";
        tool_error("vincolo method %s needs the methods: vincolo method radau5,bdf2 %s %s\n", with,
                   with, o->plot ? "f.svg" : "0.1");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    const char *text = "";
    char *names = join_names(o);
    int rc = VINC_OK;
    if (!o->quiet || o->json || !o->plot)
        rc = vinc_method_report(ctx, names, &(vinc_method_options){.at = o->at},
                                o->json ? VINC_JSON : VINC_TEXT, &text);
    if (o->json || !o->quiet) fputs(text, stdout);
    if (rc && o->json) tool_json_failure(ctx, o);
    if (!rc && o->plot) {
        rc = vinc_method_plot(ctx, names, o->plot, o->show, &text);
        if (!rc) fputs(text, stdout);
    }
    tool_messages(ctx);
    free(names);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_method = {
    .name = "method",
    .arguments = "[NAME|FILE ...]",
    .summary = "list methods, or analyse some from their coefficients",
    .options = "--plot --show --at --design --json",
    .run = method_run,
};
