/* How far a curve moves with the parameters whose derivatives are in its result.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_RESULT_BAND_H
#define PLOT_RESULT_BAND_H

#include "plot/plot.h"

/* Does the result hold derivatives d(x)/d(p) of this column, by parameters or start values that are not 0? */
bool band_is_known(const result *r, int column);
/* The band that one percent of each of these, all in the worst direction, makes around the curve in a
 * panel over the time; in the unit that is shown. Nothing where there are no such derivatives. */
void band_add(plot_figure *f, plot_panel *panel, const result *r, int column, const double *time,
              const plot_curve_spec *curve);

#endif
