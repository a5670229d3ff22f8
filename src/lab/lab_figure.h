/* Figures of methods: stability region, spectral radius, damping and period error of the undamped
 * oscillator, convergence of these, order star.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_FIGURE_H
#define LAB_FIGURE_H

#include "lab/lab.h"
#include "plot/plot.h"

enum {
    LAB_REGION = 1,
    LAB_RADIUS = 2,
    LAB_DAMPING = 4,
    LAB_PERIOD = 8,
    LAB_CONVERGENCE = 16, // damping and period error, both axes logarithmic
    LAB_STAR = 32,        // order star, one panel per method
    LAB_ALL = LAB_REGION | LAB_RADIUS | LAB_DAMPING | LAB_PERIOD
};

/* The panels asked for, for one or several methods. */
int lab_figure(mem *m, const lab_report *const *reports, const char *const *names, int n,
               unsigned panels, plot_figure **out);

#endif
