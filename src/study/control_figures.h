/* Figures of channels: Bode, Nyquist, root locus, step response.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_CONTROL_FIGURES_H
#define STUDY_CONTROL_FIGURES_H

#include "pencil/channel.h"
#include "plot/plot.h"
#include "vincolo.h"

typedef struct control_view {
    const char *model;
    const control_channel *channels;
    const vinc_channel *told;
    int n;
    const double *omega; // frequencies, ascending
    int n_omega;
    arena *a;
    plot_figure **figure; // kept here while it is drawn: lack of memory leaves by a jump
} control_view;

/* Frequencies at which these channels are looked at: two decades beyond their poles and zeros,
 * evenly on a logarithmic scale, and closely where a pole or zero is near the axis. How many. */
int control_frequencies(arena *a, const control_channel *list, int n, double **omega);

/* NULL where there is no memory. */
plot_figure *control_figure(mem *m, vinc_view view, const control_view *v);

#endif
