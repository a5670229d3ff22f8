/* Load a model, list its variables, print what is wrong with it.
 *
 *     cc list.c $(pkg-config --cflags --libs vincolo) -o list && ./list ../pendulum/model.mo
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <vincolo.h>

int main(int argc, char **argv)
{
    static const char *const kind[] = {"constant", "parameter", "discrete", "continuous"};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    int rc =
        vinc_model_load(ctx, argc > 1 ? argv[1] : "model.mo", argc > 2 ? argv[2] : NULL, &model);
    for (int i = 0; i < vinc_model_n_variables(model); i++) {
        vinc_variable v;
        vinc_model_variable(model, i, &v);
        printf("%-10s %-12s %-6s line %-3d %s\n", kind[v.variability], v.name, v.unit, v.line,
               v.comment);
    }
    for (int i = 0; i < vinc_ctx_n_diagnostics(ctx); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(ctx, i);
        fprintf(stderr, "%s line %d: %s [%s]\n", d.file ? d.file : "", d.line, d.text, d.code);
    }
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return rc != VINC_OK;
}
