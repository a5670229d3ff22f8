/* What went wrong before an analysis had anything to tell: `--json` of every command.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/study.h"

#define FIELD(...) TOLD(vinc_failure, __VA_ARGS__)
static const told_field failure_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "status", status),
    FIELD(WORD, "message", message),
    {0},
};

static const told_line failure_lines[] = {{.words = "{model}: {status}: {message}\n"}, {0}};

const told_kind study_failure = {
    .name = "failure",
    .command = "any, with --json, where it fails",
    .summary = "what went wrong",
    .size = sizeof(vinc_failure),
    .fields = failure_fields,
    .lines = failure_lines,
};

int vinc_failure_of(vinc_ctx *ctx, const char *model, vinc_failure **out)
{
    if (out) *out = NULL;
    if (!ctx || !out) return api_lacks(ctx, "a place for the report");
    const char *message = NULL;
    for (int i = 0; !message && i < vinc_ctx_n_diagnostics(ctx); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(ctx, i);
        if (d.severity == VINC_ERROR) message = d.text;
    }
    vinc_failure told = {.model = model ? model : "",
                         .status = "failed",
                         .message = message ? message : "the command line is wrong"};
    return told_keep(&ctx->lasting, &study_failure, &told, out);
}
