/* vincolo flatten: the flat model, or another stage of the compiler, as text.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

static int flatten_run(const options *o)
{
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    int rc = tool_load(ctx, o, &model);
    const char *text = "";
    if (rc == VINC_OK && (o->dump || !o->quiet))
        rc = vinc_model_dump(model, o->dump ? o->dump : "flat", &text);
    tool_print(text);
    tool_messages(ctx);
    vinc_model_free(model);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_flatten = {
    .name = "flatten",
    .arguments = "MODEL [CLASS]",
    .summary = "the flat model as Modelica",
    .options = "-L -p --params --dump",
    .run = flatten_run,
};
