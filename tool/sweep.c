/* vincolo sweep: many runs of one model, or parts of a sweep joined.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"
#include "vincolo_sweep.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress -------------------------------------------------------------------------------- */

typedef struct sweep_line {
    bool show, shown;
} sweep_line;

static void print_duration(double seconds)
{
    if (seconds < 100) fprintf(stderr, "%.0f s", seconds);
    else if (seconds < 6000) fprintf(stderr, "%.0f min", seconds / 60);
    else fprintf(stderr, "%.1f h", seconds / 3600);
}

static int show_progress(void *user, const vinc_sweep_progress *p)
{
    sweep_line *l = user;
    if (!l->show) return 0;
    fprintf(stderr, "\r%lld of %lld runs, %.0f %%", p->done, p->total,
            100 * (double)p->done / (double)p->total);
    if (p->failed) fprintf(stderr, ", %lld failed", p->failed);
    if (p->rate > 0) {
        fprintf(stderr, ", %.4g per second, ", p->rate);
        print_duration(p->left);
        fprintf(stderr, " left");
    }
    fprintf(stderr, "    ");
    fflush(stderr);
    l->shown = true;
    return 0;
}

static void clear_progress(sweep_line *l)
{
    if (l->shown) fprintf(stderr, "\r%78s\r", "");
    l->shown = false;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool read_part(const char *words, int *part, int *parts)
{
    char rest;
    *part = *parts = 0;
    if (!words ||
        (sscanf(words, "%d/%d%c", part, parts, &rest) == 2 && *part >= 1 && *parts >= *part))
        return true;
    tool_error("vincolo sweep: --part needs k/n, with k from 1 to n, not '%s'\n", words);
    return false;
}

static bool sweep_check(const options *o)
{
    if (o->merge && o->n_words < 2) {
        tool_error(
            "vincolo sweep --merge needs the files of the parts: --merge a.csv.runs b.csv.runs "
            "--out whole.csv\n");
        return false;
    }
    return tool_check_init(o->init) && tool_check_plot(o->plot, true) && tool_check_place(o->out) &&
           tool_check_place(o->plot);
}

/* ---- mpirun ---------------------------------------------------------------------------------- */

/* The number of this process among those of mpirun; -1: it is alone. */
static int process_number(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *number = getenv(names[i]);
        if (number && *number) return atoi(number);
    }
    return -1;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int sweep_models(const options *o)
{
    int part, parts;
    if (!sweep_check(o) || !read_part(o->part, &part, &parts)) return EXIT_USAGE;
    sweep_line line = {.show = !o->quiet && !o->json && isatty(2)};
    int rank = o->merge ? -1 : process_number();
    if (rank > 0) line.show = false; // process 0 speaks for all
    vinc_ctx *ctx = tool_context(o);
    vinc_model *model = NULL;
    vinc_sweep *sweep = NULL;
    vinc_sim_options run = tool_sim_options(o);
    vinc_plot_options figure = tool_plot_options(o);
    vinc_sweep_options so = {.run = &run,
                             .vary = o->varied,
                             .n_vary = o->n_varied,
                             .collect = o->collect,
                             .samples = (long long)o->samples,
                             .design = o->design,
                             .seed = (unsigned long long)o->seed,
                             .indices = o->indices,
                             .jobs = (int)o->jobs,
                             .device = o->device,
                             .ranks = rank >= 0,
                             .part = part,
                             .parts = parts,
                             .out = o->out,
                             .resume = o->resume,
                             .trajectories = o->trajectories,
                             .plot = o->plot,
                             .show = o->show,
                             .figure = &figure,
                             .progress = show_progress,
                             .user = &line};
    run.chart = 0;
    signal(SIGPIPE, SIG_IGN);
    int rc;
    if (o->merge) {
        rc =
            vinc_sweep_merge(ctx, (const char *const *)(o->words + 1), o->n_words - 1, &so, &sweep);
    } else {
        rc = tool_load(ctx, o, &model);
        if (!rc) rc = vinc_sweep_of(model, &so, &sweep);
    }
    clear_progress(&line);
    int said = sweep ? VINC_OK : rc;
    const char *words = rank > 0 ? "" : tool_words(sweep, o, &said);
    if (rank > 0) vinc_ctx_clear(ctx);
    bool failed = sweep && sweep->failed == sweep->done && sweep->done > 0;
    int status = tool_finish(ctx, model, o, rc ? rc : said, words);
    vinc_report_free(sweep);
    return status == EXIT_DONE && failed ? EXIT_RUN : status;
}

const command command_sweep = {
    .name = "sweep",
    .arguments = "MODEL [CLASS]",
    .summary = "many runs: grids, samples, what is collected of them, statistics",
    .options =
        "-L -p --params --vary --collect --samples --design --seed --indices --jobs --device "
        "--part --merge --resume"
        " --trajectories --start --stop --tol --abs-tol --method --formulation --linear --init"
        " --input --intervals --step --max-steps --out --plot --show --vars --title"
        " --dark --log-x --log-y --json",
    .run = sweep_models,
};
