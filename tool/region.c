/* vincolo region: integrals over a region, its surface, and balances.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <math.h>

static int region_run(const options *o)
{
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    vinc_region *region = NULL;
    int rc = tool_load(ctx, o, &model);
    if (!rc) rc = vinc_region_of(model, o->has_start ? o->start : NAN, o->tol, &region);
    const char *text = tool_words(region, o, &rc);
    int status = tool_finish(ctx, model, o, rc, text);
    vinc_report_free(region);
    return status;
}

const command command_region = {
    .name = "region",
    .arguments = "MODEL [CLASS]",
    .summary = "mass, centre, inertia of a region; balances of its fields",
    .options = "-L -p --params --start --tol --json",
    .run = region_run,
};
