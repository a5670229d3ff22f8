/* vincolo linearize: what a model does near a point.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

static int linearize_views(const options *o)
{
    return o->bode + o->nyquist + o->root_locus + o->response;
}

static bool linearize_control(const options *o)
{
    return linearize_views(o) || o->transfer || o->lqr || o->observer;
}

static vinc_view linearize_view(const options *o)
{
    return o->bode         ? VINC_VIEW_BODE
           : o->nyquist    ? VINC_VIEW_NYQUIST
           : o->root_locus ? VINC_VIEW_ROOT_LOCUS
           : o->response   ? VINC_VIEW_RESPONSE
                           : VINC_VIEW_NONE;
}

static bool linearize_check(const options *o)
{
    if (o->has_stop && o->equilibrium) {
        tool_error("vincolo linearize: --stop T (the end of a run) and --equilibrium are two "
                   "different points; give one of them\n");
        return false;
    }
    if (o->out && !tool_ends_in(o->out, ".csv")) {
        tool_error("vincolo linearize: --out m.csv writes m.A.csv, m.B.csv, m.C.csv and "
                   "m.D.csv; '%s' does not end in .csv\n",
                   o->out);
        return false;
    }
    if (!o->methods != !o->has_step || (o->methods && (o->out || o->plot || o->vars))) {
        tool_error("vincolo linearize --methods A,B --step H says what these methods make of the "
                   "modes, without --out, --plot and --vars\n");
        return false;
    }
    if (o->sweep && (o->methods || o->out || o->vars || o->has_stop)) {
        tool_error(
            "vincolo linearize --sweep k=1,10,100 follows the eigenvalues, without --methods, "
            "--out, --vars and --stop (times of a run: --sweep time=0,1,2)\n");
        return false;
    }
    if (linearize_views(o) > 1) {
        tool_error("vincolo linearize: --bode, --nyquist, --root-locus and --response are one "
                   "figure each; give one of them\n");
        return false;
    }
    if (linearize_control(o) && (o->sweep || o->methods || o->out)) {
        tool_error(
            "vincolo linearize: transfer functions and gains come without --sweep, --methods "
            "and --out\n");
        return false;
    }
    return tool_check_init(o->init) && tool_check_plot(o->plot, false);
}

static int linearize_run(const options *o)
{
    if (!linearize_check(o)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    const char *text = "";
    vinc_sim_options run = tool_sim_options(o);
    vinc_linear_options lo = {.run = &run, .vars = o->vars, .csv = o->out, .plot = o->plot};
    lo.at = o->equilibrium ? VINC_AT_EQUILIBRIUM : o->has_stop ? VINC_AT_STOP : VINC_AT_START;
    lo.methods = o->methods, lo.sweep = o->sweep;
    lo.view = linearize_view(o), lo.lqr = o->lqr, lo.observer = o->observer;
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    vinc_mode_steps *steps = NULL;
    vinc_locus *locus = NULL;
    vinc_control *control = NULL;
    int rc = tool_load(ctx, o, &model);
    if (!rc && o->methods) {
        rc = vinc_mode_steps_of(model, &lo, &steps);
        text = tool_words(steps, o, &rc);
    } else if (!rc && o->sweep) {
        rc = vinc_locus_of(model, &lo, &locus);
        text = tool_words(locus, o, &rc);
    } else if (!rc && linearize_control(o)) {
        rc = vinc_control_of(model, &lo, &control);
        text = tool_words(control, o, &rc);
    } else if (!rc) {
        rc = vinc_model_linearize(model, &lo, format, &text);
    }
    int status = tool_finish(ctx, model, o, rc, text);
    vinc_report_free(steps);
    vinc_report_free(locus);
    vinc_report_free(control);
    return status;
}

const command command_linearize = {
    .name = "linearize",
    .arguments = "MODEL [CLASS]",
    .summary = "A, B, C, D at a point; eigenvalues and mode shapes",
    .options = "-L -p --params --start --stop --tol --abs-tol --method --init --input --out"
               " --plot --vars --equilibrium --exchange --methods --step --sweep --transfer --bode"
               " --nyquist --root-locus --response --lqr --observer --json",
    .run = linearize_run,
};
