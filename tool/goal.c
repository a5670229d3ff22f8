/* vincolo gradient, vincolo optimize: a goal, its derivatives, and where it is least.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

static int goal_run(const options *o, const char *by, const char *named,
                    const char *(*tell)(vinc_model *model, const vinc_goal_options *g,
                                        const options *o, int *rc, void **told))
{
    if (!o->goal || !by) {
        tool_error("vincolo %s needs --goal EXPRESSION and %s PARAMETERS\n", o->words[0], named);
        return EXIT_USAGE;
    }
    if (!tool_check_plot(o->plot, false)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    void *told = NULL;
    vinc_sim_options so = tool_sim_options(o);
    vinc_goal_options g = {.goal = o->goal,
                           .by = by,
                           .maximize = o->maximize,
                           .max_iterations = (int)o->iterations,
                           .run = &so,
                           .adjoint = o->adjoint,
                           .adjoint_memory = o->adjoint_memory,
                           .subject = o->subject,
                           .pieces = (int)o->pieces,
                           .controls = o->controls,
                           .way = o->way,
                           .out = o->out,
                           .plot = o->plot,
                           .vars = o->vars,
                           .title = o->title};
    const char *text = "";
    int rc = tool_load(ctx, o, &model);
    if (!rc) text = tell(model, &g, o, &rc, &told);
    int status = tool_finish(ctx, model, o, rc, text);
    vinc_report_free(told);
    return status;
}

static const char *tell_gradient(vinc_model *model, const vinc_goal_options *g, const options *o,
                                 int *rc, void **told)
{
    vinc_gradient *x = NULL;
    *rc = vinc_gradient_of(model, g, &x);
    *told = x;
    return tool_words(x, o, rc);
}

static const char *tell_optimum(vinc_model *model, const vinc_goal_options *g, const options *o,
                                int *rc, void **told)
{
    vinc_optimum *x = NULL;
    *rc = vinc_optimum_of(model, g, &x);
    *told = x;
    return tool_words(x, o, rc);
}

static int gradient_run(const options *o)
{
    return goal_run(o, o->of, "--of", tell_gradient);
}

static int optimize_run(const options *o)
{
    return goal_run(o, o->over, "--over", tell_optimum);
}

const command command_gradient = {
    .name = "gradient",
    .arguments = "MODEL [CLASS]",
    .summary = "how a goal of a run changes with parameters",
    .options =
        "-L -p --goal --of --adjoint --adjoint-memory --start --stop --tol --abs-tol --method "
        "--formulation --json",
    .run = gradient_run,
};

const command command_optimize = {
    .name = "optimize",
    .arguments = "MODEL [CLASS]",
    .summary = "parameters and controls for which a goal of a run is least",
    .options = "-L -p --goal --over --subject --pieces --controls --way --iterations --maximize "
               "--start --stop --tol "
               "--abs-tol --method --formulation --out --plot --vars --title --json",
    .run = optimize_run,
};
