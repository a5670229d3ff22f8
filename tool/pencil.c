/* vincolo pencil: linear DAEs with constant coefficients.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

int command_pencil(const options *o)
{
    if (o->n_words != 3) {
        fprintf(stderr,
                "vincolo pencil needs two files, F.csv and G.csv: the matrices of F x' + G x "
                "= h, one row per line\n");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    const char *text = "";
    vinc_pencil_options p = {.rhs = o->rhs, .x0 = o->x0, .stop = o->stop};
    p.intervals = (int)o->intervals;
    int rc = vinc_pencil_report(ctx, o->words[1], o->words[2], &p, o->json ? VINC_JSON : VINC_TEXT,
                                &text);
    if (o->json || !o->quiet) fputs(text, stdout);
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_ctx_free(ctx);
    return tool_exit(rc);
}
