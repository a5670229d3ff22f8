/* How far a run is, on a terminal.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include "options.h"
#include "vincolo.h"

#include <stdbool.h>
#include <time.h>

typedef struct progress_view {
    const options *o;
    vinc_sim *sim; // whose curves are shown; NULL: none
    bool line, chart;
    struct timespec begin, last_line, last_chart;
    double pause; // seconds until the next chart, at least
    bool shown;   // the line
    int lines;    // of the chart above it
    struct timespec last_kept;
    double t;    // how far it is
    bool silent; // another process speaks
    bool unkept; // the last checkpoint was not written, which has been said
} progress_view;

void progress_begin(progress_view *w, const options *o);
void progress_clear(progress_view *w); // nothing of it stays
/* For vinc_sim_options; user is the view. */
int progress_show(void *user, const vinc_progress *p);
int progress_checkpoint(void *user, int kept);
void progress_silence(progress_view *w); // another process speaks
void progress_log(void *user, const char *topic, const char *line);

#endif
