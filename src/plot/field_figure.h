/* Panels that show an array as a field.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_FIELD_FIGURE_H
#define PLOT_FIELD_FIGURE_H

#include "plot/plot.h"
#include "plot/ticks.h"

bool field_panel(const result_selection *s, int panel); // does it have such curves?
/* Add it; a fault where it has others besides. */
int field_add(plot_figure *f, const result *r, const result_selection *s, int panel,
              result_fault *fault);

#endif
