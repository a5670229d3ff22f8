/* vincolo linearize: what a model does near a point.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

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
    vinc_format format = o->json ? VINC_JSON : VINC_TEXT;
    vinc_mode_steps *steps = NULL;
    vinc_locus *locus = NULL;
    int rc = tool_load(ctx, o, &model);
    if (!rc && o->methods) {
        rc = vinc_mode_steps_of(model, &lo, &steps);
        text = tool_words(steps, o, &rc);
    } else if (!rc && o->sweep) {
        rc = vinc_locus_of(model, &lo, &locus);
        text = tool_words(locus, o, &rc);
    } else if (!rc) {
        rc = vinc_model_linearize(model, &lo, format, &text);
    }
    int status = tool_finish(ctx, model, o, rc, text);
    vinc_report_free(steps);
    vinc_report_free(locus);
    return status;
}

const command command_linearize = {
    .name = "linearize",
    .arguments = "MODEL [CLASS]",
    .summary = "A, B, C, D at a point; eigenvalues and mode shapes",
    .options = "-L -p --start --stop --tol --abs-tol --method --init --input --out"
               " --plot --vars --equilibrium --exchange --methods --step --sweep --json",
    .run = linearize_run,
};
