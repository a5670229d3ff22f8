/* vincolo check.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>

/* check model.fmu: what is in it, and what the standard has against it. */
static int check_fmu(const options *o)
{
    if (o->n_words > 2 || o->plot || o->form || o->matrices || o->dump || o->n_settings) {
        tool_error("vincolo check: of an FMU there are --all and --json; it has no class, and no "
                   "structure that could be shown\n");
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    vinc_fmu_contents *contents = NULL;
    int rc = vinc_fmu_contents_of(ctx, o->words[1], &contents);
    bool wrong = contents && contents->n_errors;
    vinc_format format = o->json ? VINC_JSON : o->all ? VINC_TEXT_ALL : VINC_TEXT;
    if (contents && (o->json || !o->quiet)) tool_print(vinc_report_text(contents, format));
    if (rc && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_report_free(contents);
    tool_free(ctx);
    return rc ? tool_exit(rc) : wrong ? EXIT_MODEL : EXIT_DONE;
}

static int check_run(const options *o)
{
    if (o->n_words > 1 && tool_ends_in(o->words[1], ".fmu")) return check_fmu(o);
    if (o->plot && (strcmp(o->plot, "-") == 0 || !tool_check_plot(o->plot, false))) {
        char room[ENDINGS_BYTES];
        tool_error("vincolo check --plot draws the structure as %s\n", tool_figure_files(room));
        return EXIT_USAGE;
    }
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    const char *report = "";
    vinc_mechanics *matrices = NULL;
    int rc = tool_load(ctx, o, &model);
    if (rc == VINC_OK && o->dump) rc = vinc_model_dump(model, o->dump, &report);
    else if (rc == VINC_OK && o->form && !strcmp(o->form, "ode"))
        rc = vinc_model_ode(model, &report);
    else if (rc == VINC_OK && o->form && strcmp(o->form, "semi-explicit") != 0) {
        tool_error("vincolo: --form knows semi-explicit and ode, not '%s'\n", o->form);
        rc = VINC_E_OPTION;
    } else if (rc == VINC_OK && o->matrices) {
        rc = vinc_mechanics_of(model, &matrices);
        report = tool_words(matrices, o, &rc);
    } else if (rc == VINC_OK && o->form) rc = vinc_model_semi_explicit(model, &report);
    else if (rc == VINC_OK)
        rc = vinc_model_check(model,
                              o->json  ? VINC_JSON
                              : o->all ? VINC_TEXT_ALL
                                       : VINC_TEXT,
                              &report);
    if (rc == VINC_OK && (o->json || !o->quiet)) tool_print(report);
    if (rc == VINC_OK && o->plot) {
        vinc_plot_options p = tool_plot_options(o);
        rc = vinc_model_plot(model, o->plot, &p);
    }
    if (rc != VINC_OK && o->json) tool_json_failure(ctx, o);
    tool_messages(ctx);
    vinc_report_free(matrices);
    vinc_model_free(model);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_check = {
    .name = "check",
    .arguments = "MODEL [CLASS] | FILE.fmu",
    .summary =
        "what the system is: index, constraints, freedom, states; of an FMU: what is in it, and "
        "whether it is right",
    .options = "-L -p --params --plot --title --dark --form --all --matrices --dump --json",
    .run = check_run,
};
