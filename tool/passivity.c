/* vincolo passivity: can a system deliver more energy than it was given?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

static int passivity_run(const options *o)
{
    bool fraction = o->num || o->den;
    if ((fraction && (o->n_words != 1 || !o->num || !o->den)) || (!fraction && o->n_words < 2)) {
        tool_error("vincolo passivity needs a model, or a transfer function: --num 1,2 --den "
                   "1,1,1 for (s + 2)/(s^2 + s + 1)\n");
        return EXIT_USAGE;
    }
    if (!tool_check_init(o->init)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    const char *text = "";
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    vinc_sim_options run = tool_sim_options(o);
    vinc_passivity_options po = {.run = &run, .vars = o->vars, .storage = o->storage};
    int rc;
    if (fraction) {
        const char *num = o->exchange ? o->den : o->num, *den = o->exchange ? o->num : o->den;
        rc = vinc_passivity_report(ctx, num, den, format, &text);
    } else {
        rc = tool_load(ctx, o, &model);
        if (!rc) rc = vinc_model_passivity(model, &po, format, &text);
    }
    return tool_finish(ctx, model, o, rc, text);
}

const command command_passivity = {
    .name = "passivity",
    .arguments = "MODEL [CLASS]",
    .summary = "is it passive, and how is that known (also --num N --den D)",
    .options = "-L -p --params --start --stop --tol --abs-tol --method --init --input --vars"
               " --num --den --storage --exchange --json",
    .run = passivity_run,
};
