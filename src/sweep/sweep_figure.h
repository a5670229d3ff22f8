/* What a sweep looks like.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_FIGURE_H
#define SWEEP_SWEEP_FIGURE_H

#include "plot/plot.h"
#include "sweep/sweep_store.h"
#include "vincolo_sweep.h"

/* Curves of runs over time, at most so many of them, evenly spread over the sweep. */
enum { SWEEP_CURVES_MOST = 300 };
typedef struct sweep_curves {
    int n_runs, n_points, n_vars, vars_room;
    const char *const *names;
    const double *t;     // n_points
    const float *values; // [run][var of vars_room][point]; NaN: none
} sweep_curves;

typedef struct sweep_picture {
    sweep_store *store;
    const sweep_heading *h;
    const vinc_sweep *told;
    const sweep_curves *curves; // NULL: none
    vinc_plot_options o;
    bool roomy; // panels are higher: on a page
} sweep_picture;

/* Figures of a sweep, in this order; NULL where there is none, or no more.
 *
 * One grid: each value over it, with bands of quantiles where other parameters are random. Two grids: a
 * map of each value. Random parameters: histograms of the values, and a matrix of scatter plots of values
 * over parameters. Curves over time: their median and bands of quantiles. */
enum { SWEEP_FIGURES = 4 };
int sweep_figure(mem *m, const sweep_picture *p, int which, plot_figure **out, result_fault *fault);

/* The report: statistics and all figures in one page. */
int sweep_page(mem *m, const sweep_picture *p, const char *path, result_fault *fault);

#endif
