/* vincolo diff: are two results the same?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

static int diff_run(const options *o)
{
    if (o->n_words != 3) {
        tool_error("vincolo diff needs two results, .csv or .mat files\n");
        return EXIT_USAGE;
    }
    if (!tool_check_plot(o->plot, false)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_result *of[2] = {NULL, NULL};
    vinc_difference *told = NULL;
    vinc_difference_options d = {.tol = o->has_tol ? o->tol : 0,
                                 .vars = o->vars,
                                 .first = o->words[1],
                                 .second = o->words[2],
                                 .plot = o->plot};
    int rc = VINC_OK;
    for (int i = 0; i < 2 && !rc; i++) rc = vinc_result_read(ctx, o->words[i + 1], &of[i]);
    if (!rc) rc = vinc_difference_of(of[0], of[1], &d, &told);
    const char *text = tool_words(told, o, &rc);
    int status = tool_finish(ctx, NULL, o, rc, text);
    if (told && !told->equal && status == EXIT_DONE) status = EXIT_RUN;
    vinc_report_free(told);
    for (int i = 0; i < 2; i++) vinc_result_free(of[i]);
    return status;
}

const command command_diff = {
    .name = "diff",
    .arguments = "RESULT RESULT",
    .summary = "where two results differ by more than a tolerance; status 3: they do",
    .options = "--tol --vars --plot --json",
    .run = diff_run,
};
