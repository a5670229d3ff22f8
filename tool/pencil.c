/* vincolo pencil: linear DAEs with constant coefficients, from two matrices or a model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

static bool two_matrices(const options *o)
{
    return o->n_words == 3 && tool_ends_in(o->words[1], ".csv") &&
           tool_ends_in(o->words[2], ".csv");
}

static int pencil_run(const options *o)
{
    if (o->n_words < 2 || (o->n_words == 2 && tool_ends_in(o->words[1], ".csv"))) {
        tool_error("vincolo pencil needs two files, F.csv and G.csv: the matrices of F x' + G "
                   "x = h, one row per line; or a linear model\n");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    const char *text = "";
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    vinc_pencil_options p = {.rhs = o->rhs, .x0 = o->x0, .stop = o->stop, .tol = o->tol};
    p.intervals = (int)o->intervals;
    int rc = VINC_OK;
    if (two_matrices(o)) {
        rc = vinc_pencil_report(ctx, o->words[1], o->words[2], &p, format, &text);
    } else {
        rc = tool_load(ctx, o, &model);
        if (!rc) rc = vinc_model_pencil(model, &p, format, &text);
    }
    return tool_finish(ctx, model, o, rc, text);
}

const command command_pencil = {
    .name = "pencil",
    .arguments = "F.csv G.csv|MODEL",
    .summary = "linear DAE F x' + G x = h: index, Kronecker form, solution",
    .options = "-L -p --params --tol --stop --intervals --rhs --x0 --json",
    .run = pencil_run,
};
