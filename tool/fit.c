/* vincolo fit: parameters by data.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

static int fit_run(const options *o)
{
    options model_only = *o;
    if (o->n_words < 3) {
        tool_error("vincolo fit needs a model and a table of data: vincolo fit MODEL DATA.csv\n");
        return EXIT_USAGE;
    }
    if (!tool_check_plot(o->plot, false)) return EXIT_USAGE;
    model_only.words = o->words;
    model_only.n_words = o->n_words > 3 ? 3 : 2;
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    vinc_fit *told = NULL;
    vinc_sim_options so = tool_sim_options(o);
    vinc_fit_options f = {.data = o->words[o->n_words - 1],
                          .params = o->params,
                          .conditions = o->conditions,
                          .observables = o->observables,
                          .noise = o->noise,
                          .distribution = o->distribution,
                          .starts = (int)o->starts,
                          .max_iterations = (int)o->iterations,
                          .threads = (int)o->jobs,
                          .evaluate = o->evaluate,
                          .profile = o->profile,
                          .plot = o->plot,
                          .report = o->report,
                          .run = &so};
    int rc = tool_load(ctx, &model_only, &model);
    if (!rc) rc = vinc_fit_of(model, &f, &told);
    const char *text = tool_words(told, o, &rc);
    int status = tool_finish(ctx, model, o, rc, text);
    vinc_report_free(told);
    return status;
}

const command command_fit = {
    .name = "fit",
    .arguments = "MODEL [CLASS] DATA.csv",
    .summary = "estimate parameters by the likelihood of data",
    .options = "-L --params --conditions --observables --noise --distribution --starts "
               "--iterations --jobs "
               "--evaluate --profile"
               " --tol --abs-tol --method --formulation --plot --report --json",
    .run = fit_run,
};
