/* vincolo plot: figures from saved results.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>

bool tool_ends_in(const char *s, const char *tail)
{
    size_t n = strlen(s), k = strlen(tail);
    return n >= k && strcmp(s + n - k, tail) == 0;
}

bool tool_check_plot(const char *path)
{
    if (!path || strcmp(path, "-") == 0 || tool_ends_in(path, ".svg") ||
        tool_ends_in(path, ".png") || tool_ends_in(path, ".pdf"))
        return true;
    fprintf(stderr, "vincolo: --plot draws .svg, .png, .pdf or - (the terminal), not '%s'\n", path);
    return false;
}

int command_plot(const options *o)
{
    if (o->n_words != 2) {
        fprintf(stderr, "vincolo plot needs one result, a .csv or .mat file\n");
        return EXIT_USAGE;
    }
    if (!tool_check_plot(o->plot)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_result *result = NULL;
    const char *chart = "";
    int rc = vinc_result_read(ctx, o->words[1], &result);
    if (!rc) rc = vinc_result_plot(result, o->plot ? o->plot : "-", o->vars, &chart);
    if (!rc) fputs(chart, stdout);
    tool_messages(ctx);
    vinc_result_free(result);
    vinc_ctx_free(ctx);
    return tool_exit(rc);
}
