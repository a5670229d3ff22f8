/* vincolo parse: the syntax of files, and how long it took.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <time.h>

static int parse_run(const options *o)
{
    if (o->n_words < 2) {
        tool_error("vincolo parse needs files or directories\n");
        return EXIT_USAGE;
    }
    clock_t begin = clock();
    vinc_ctx *ctx = tool_context(o);
    vinc_parse_stats sum = {0};
    int rc = VINC_OK;
    for (int i = 1; i < o->n_words; i++) {
        vinc_parse_stats s = {0};
        int status = vinc_parse(ctx, o->words[i], &s);
        sum.files += s.files;
        sum.failed += s.failed;
        sum.bytes += s.bytes;
        if (status != VINC_OK && rc != VINC_E_OPTION) rc = status;
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    tool_messages(ctx);
    if (!o->quiet)
        printf("%d files, %zu bytes, %.3f s, %d with errors\n", sum.files, sum.bytes, seconds,
               sum.failed);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_parse = {
    .name = "parse",
    .arguments = "FILE|DIR...",
    .summary = "check the syntax only",
    .options = "-L",
    .run = parse_run,
};
