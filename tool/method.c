/* vincolo method: the list of methods, or the analysis of one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

int command_method(const options *o)
{
    if (o->n_words > 2) {
        fprintf(stderr, "vincolo method takes one NAME; '%s' is one word too many\n", o->words[2]);
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    const char *text = "";
    int rc = vinc_method_report(ctx, o->n_words > 1 ? o->words[1] : NULL,
                                o->json ? VINC_JSON : VINC_TEXT, &text);
    fputs(text, stdout);
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_ctx_free(ctx);
    return tool_exit(rc);
}
