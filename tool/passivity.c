/* vincolo passivity: can a system deliver more energy than it was given?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

int command_passivity(const options *o)
{
    if (o->n_words != 1 || !o->num || !o->den) {
        fprintf(stderr, "vincolo passivity needs a transfer function: --num 1,2 --den 1,1,1 for "
                        "(s + 2)/(s^2 + s + 1)\n");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    const char *text = "";
    int rc = vinc_passivity_report(ctx, o->num, o->den, o->json ? VINC_JSON : VINC_TEXT, &text);
    if (o->json || !o->quiet) fputs(text, stdout);
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_ctx_free(ctx);
    return tool_exit(rc);
}
