/* vincolo passivity: can a system deliver more energy than it was given?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

static int of_model(vinc_ctx *ctx, const options *o, vinc_format format)
{
    vinc_model *model = NULL;
    const char *text = "";
    vinc_sim_options run = tool_sim_options(o);
    vinc_passivity_options po = {.run = &run, .vars = o->vars, .storage = o->storage};
    int rc = tool_load(ctx, o, &model);
    if (!rc) rc = vinc_model_passivity(model, &po, format, &text);
    if (o->json || !o->quiet) fputs(text, stdout);
    vinc_model_free(model);
    return rc;
}

int command_passivity(const options *o)
{
    bool fraction = o->num || o->den;
    if ((fraction && (o->n_words != 1 || !o->num || !o->den)) || (!fraction && o->n_words < 2)) {
        fprintf(stderr, "vincolo passivity needs a model, or a transfer function: --num 1,2 --den "
                        "1,1,1 for (s + 2)/(s^2 + s + 1)\n");
        return EXIT_USAGE;
    }
    if (!tool_check_init(o->init)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    const char *text = "";
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    int rc;
    if (fraction) {
        rc = vinc_passivity_report(ctx, o->num, o->den, format, &text);
        if (o->json || !o->quiet) fputs(text, stdout);
    } else {
        rc = of_model(ctx, o, format);
    }
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_ctx_free(ctx);
    return tool_exit(rc);
}
