/* vincolo run --convergence and --contractivity: a method studied on a model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

int tool_study(const options *o)
{
    if ((o->convergence && o->contractivity) || o->out || o->verify) {
        tool_error("vincolo run: --convergence and --contractivity are studies of their own, "
                   "without --out and --verify; ask for one at a time\n");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    const char *text = "";
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    vinc_sim_options run = tool_sim_options(o);
    vinc_convergence_options c = {.run = &run, .vars = o->vars, .plot = o->plot};
    vinc_contractivity_options k = {.run = &run, .plot = o->plot, .norm = o->norm};
    int rc = tool_load(ctx, o, &model);
    if (!rc && o->convergence) rc = vinc_model_convergence(model, &c, format, &text);
    else if (!rc) rc = vinc_model_contractivity(model, &k, format, &text);
    return tool_finish(ctx, model, o, rc, text);
}
