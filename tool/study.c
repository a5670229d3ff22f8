/* vincolo run --convergence, --contractivity and --baumgarte: a method studied on a model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

int tool_study(const options *o)
{
    if (o->convergence + o->contractivity + o->baumgarte > 1 || o->out || o->verify) {
        tool_error("vincolo run: --convergence, --contractivity and --baumgarte are studies of "
                   "their own, without --out and --verify; ask for one at a time\n");
        return EXIT_USAGE;
    }
    if (o->baumgarte && (o->plot || o->formulation)) {
        tool_error("vincolo run: --baumgarte tries formulations by itself and draws nothing\n");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    const char *text = "";
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    vinc_sim_options run = tool_sim_options(o);
    vinc_convergence_options c = {.run = &run, .vars = o->vars, .plot = o->plot};
    vinc_contractivity_options k = {.run = &run, .plot = o->plot, .norm = o->norm};
    vinc_stabilisation *advice = NULL;
    int rc = tool_load(ctx, o, &model);
    if (!rc && o->baumgarte) {
        rc = vinc_stabilisation_of(model, &run, &advice);
        text = tool_words(advice, o, &rc);
    } else if (!rc && o->convergence) rc = vinc_model_convergence(model, &c, format, &text);
    else if (!rc) rc = vinc_model_contractivity(model, &k, format, &text);
    int status = tool_finish(ctx, model, o, rc, text);
    vinc_report_free(advice);
    return status;
}
