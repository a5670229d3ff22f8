/* What is seen of a long run on a terminal: a line that says how far it is, and after a while its curves.
 *
 * Both are written to standard error where that is a terminal, each over the one before, and are gone
 * when the run is done: what is written by then is the result.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double SECONDS_BETWEEN_LINES = 0.2, SECONDS_BETWEEN_CHARTS = 1,
                    SECONDS_WITHOUT_CHART = 2, CHART_SHARE = 0.05; // of the time that a run takes
enum { LINES_AROUND = 3 };                                         // the prompt, the line, one more

static double seconds_since(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) + 1e-9 * (double)(now.tv_nsec - t->tv_nsec);
}

void progress_begin(progress_view *w, const options *o)
{
    *w = (progress_view){.o = o, .line = !o->quiet && !o->json && isatty(2)};
    w->chart = w->line && !o->no_chart && tool_rows() > 0;
    clock_gettime(CLOCK_MONOTONIC, &w->begin);
    w->last_line = w->last_chart = w->last_kept = w->begin;
}

void progress_silence(progress_view *w)
{
    w->line = w->chart = false;
    w->silent = true;
}

void progress_clear(progress_view *w)
{
    if (w->lines) fprintf(stderr, "\r\033[%dA\033[J", w->lines);
    else if (w->shown) fprintf(stderr, "\r%70s\r", "");
    w->shown = false;
    w->lines = 0;
}

/* The panels of a chart, which empty lines separate, that fit: bytes and lines of them. */
static size_t fitting_panels(const char *chart, int rows, int *lines)
{
    size_t fits = 0;
    int n = 0;
    *lines = 0;
    for (const char *at = chart; *at;) {
        const char *end = strchr(at, '\n');
        if (!end) break;
        n++;
        if ((end[1] == '\n' || !end[1]) && n <= rows) {
            fits = (size_t)(end + 1 - chart);
            *lines = n;
        }
        at = end + 1;
    }
    return fits;
}

static void draw_chart(progress_view *w)
{
    vinc_result *r = vinc_sim_result(w->sim);
    vinc_plot_options p = tool_plot_options(w->o);
    struct timespec begin;
    const char *chart = "";
    int lines = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    p.title = NULL;
    p.colour = tool_colour(2);
    if (vinc_result_n_rows(r) < 2 || vinc_result_first_row(r) ||
        vinc_result_plot(r, "-", &p, &chart) < 0)
        return;
    size_t n = fitting_panels(chart, tool_rows() - LINES_AROUND, &lines);
    progress_clear(w);
    fwrite(chart, 1, n, stderr);
    w->lines = lines;
    clock_gettime(CLOCK_MONOTONIC, &w->last_chart);
    w->pause = seconds_since(&begin) / CHART_SHARE;
}

int progress_show(void *user, const vinc_progress *p)
{
    progress_view *w = user;
    w->t = p->t;
    if (!w->line || seconds_since(&w->last_line) < SECONDS_BETWEEN_LINES) return 0;
    clock_gettime(CLOCK_MONOTONIC, &w->last_line);
    double part = (p->t - p->t_start) / (p->t_stop - p->t_start), gone = seconds_since(&w->begin);
    double pause = w->pause > SECONDS_BETWEEN_CHARTS ? w->pause : SECONDS_BETWEEN_CHARTS;
    if (w->chart && w->sim && gone > SECONDS_WITHOUT_CHART && seconds_since(&w->last_chart) > pause)
        draw_chart(w);
    fprintf(stderr, "\rt = %-10.4g %3.0f %%  %ld steps", p->t, 100 * part, p->steps);
    if (part > 0.01) fprintf(stderr, "  %.0f s left ", gone / part * (1 - part));
    fflush(stderr);
    w->shown = true;
    return 0;
}

/* Written beside the last one and put in its place when it is whole. */
int progress_checkpoint(void *user, int kept)
{
    progress_view *w = user;
    if (!kept) return seconds_since(&w->last_kept) >= w->o->checkpoint;
    const char *vars = w->o->sens ? vinc_sim_selection(w->sim) : w->o->vars;
    int rc = vinc_result_write(vinc_sim_result(w->sim), w->o->out, vars);
    if (rc < 0 && !w->unkept) {
        progress_clear(w);
        tool_error("vincolo run: the checkpoint could not be written to '%s'; the run goes on\n",
                   w->o->out);
    }
    w->unkept = rc < 0;
    if (rc >= 0 && w->o->distributed)
        tool_last_words("vincolo run: the job is ended; '%s' holds the run up to t = %.10g, and "
                        "'--from %s' goes on there\n",
                        w->o->out, w->t, w->o->out);
    clock_gettime(CLOCK_MONOTONIC, &w->last_kept);
    return 0;
}

void progress_log(void *user, const char *topic, const char *line)
{
    const progress_view *w = user;
    if (w->silent) return;
    progress_clear(user);
    tool_error("%s: %s\n", topic, line);
}
