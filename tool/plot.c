/* vincolo plot: figures from saved results.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>

enum { MAX_RESULTS = 16, NAME_BYTES = 200 };

/* "runs/bdf.csv" is "bdf". */
static int stem_of(const char *path, const char **out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    *out = slash ? slash + 1 : path;
    return (int)(dot > *out ? (size_t)(dot - *out) : strlen(*out));
}

// Legends show files by their stems; where two agree, with folder and ending.
static void legend_name(char *const *paths, int n, int i, char out[NAME_BYTES])
{
    const char *name, *other;
    int size = stem_of(paths[i], &name);
    snprintf(out, NAME_BYTES, "%.*s", size, name);
    for (int k = 0; k < n; k++)
        if (k != i && stem_of(paths[k], &other) == size && !strncmp(name, other, (size_t)size))
            snprintf(out, NAME_BYTES, "%s", paths[i]);
}

static int plot_run(const options *o)
{
    int n = o->n_words - 1;
    if (n < 1 || n > MAX_RESULTS) {
        tool_error("vincolo plot needs results, .csv or .mat files: one to %d\n", MAX_RESULTS);
        return EXIT_USAGE;
    }
    if (!tool_check_plot(o->plot, true)) return EXIT_USAGE;
    vinc_ctx *ctx = tool_context(o);
    vinc_result *results[MAX_RESULTS] = {NULL};
    char legend[MAX_RESULTS][NAME_BYTES];
    const char *names[MAX_RESULTS], *chart = "";
    int rc = VINC_OK;
    for (int i = 0; i < n && !rc; i++) {
        legend_name(o->words + 1, n, i, legend[i]);
        names[i] = legend[i];
        rc = vinc_result_read(ctx, o->words[i + 1], &results[i]);
    }
    vinc_plot_options p = tool_plot_options(o);
    if (!rc) rc = vinc_results_plot(results, names, n, o->plot ? o->plot : "-", &p, &chart);
    if (!rc) fputs(chart, stdout);
    tool_messages(ctx);
    for (int i = 0; i < n; i++) vinc_result_free(results[i]);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_plot = {
    .name = "plot",
    .arguments = "RESULT...",
    .summary = "a figure from saved results",
    .options = "--plot --vars --title --dark --log-x --log-y",
    .run = plot_run,
};
