/* Dots in rows: a table of measures as a figure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"

#include <math.h>

#define ROW_HEIGHT        19.0 // height of a row, points
#define ENTRY_HEIGHT      15.0 // of a series in the legend, which must not be cut
#define PANEL_WIDTH       132.0
#define NAMES_WIDTH       90.0 // room for the names of the rows and series
#define LEAST_DRAWN       1e-17
#define DOT_RADIUS        1.9
#define SERIES_APART_MOST 0.24 // of a row, between neighbouring series

/* Where a series lies within row i, counted from 1. */
static double dot_rows_height(const plot_dots_spec *s, int row, int series)
{
    double apart = fmin(SERIES_APART_MOST, 0.7 / s->n_series);
    return row + 1 + (series - 0.5 * (s->n_series - 1)) * apart;
}

static void dot_rows_add_series(plot_figure *f, plot_panel *p, const plot_dots_spec *s,
                                const plot_measure *m, int k, bool named)
{
    size_t n = (size_t)s->n_rows;
    double *x = plot_alloc(f, n * sizeof *x), *y = plot_alloc(f, n * sizeof *y);
    if (!x || !y) return;
    for (int i = 0; i < s->n_rows; i++) {
        double v = m->values[i * s->n_series + k];
        x[i] = isnan(v) ? v : fmax(fabs(v), LEAST_DRAWN);
        y[i] = dot_rows_height(s, i, k);
    }
    plot_add_curve(p, &(plot_curve_spec){.label = named ? s->series[k] : NULL,
                                         .x = x,
                                         .y = y,
                                         .n = n,
                                         .style = PLOT_POINTS,
                                         .colour = k % PLOT_COLOURS + 1,
                                         .width = DOT_RADIUS,
                                         .borrowed = true});
}

/* Crosses for what is missing, left of all dots. */
static void dot_rows_add_missing(plot_panel *p, const plot_dots_spec *s, const plot_measure *m)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < s->n_rows * s->n_series; i++) {
        if (isnan(m->values[i])) continue;
        least = fmin(least, fmax(fabs(m->values[i]), LEAST_DRAWN));
        most = fmax(most, fabs(m->values[i]));
    }
    if (!(least < most)) return;
    double x = least * pow(most / least, -0.08);
    for (int i = 0; i < s->n_rows; i++)
        for (int k = 0; k < s->n_series; k++) {
            double y = dot_rows_height(s, i, k);
            plot_curve_spec cross = {.x = &x, .y = &y, .n = 1, .style = PLOT_CROSSES};
            cross.colour = k % PLOT_COLOURS + 1;
            if (isnan(m->values[i * s->n_series + k])) plot_add_curve(p, &cross);
        }
}

int plot_dots(mem *m, const plot_dots_spec *s, plot_figure **out)
{
    plot_figure_spec page = {
        .title = s->title,
        .note = s->note,
        .width = 2 * NAMES_WIDTH + PANEL_WIDTH * s->n_measures,
        .height = 75 + fmax(ROW_HEIGHT * s->n_rows, ENTRY_HEIGHT * (s->n_series + 1)),
        .columns = s->n_measures,
        .dark = s->dark,
        .font = s->font};
    int rc = plot_new(m, &page, out);
    if (rc) return rc;
    for (int j = 0; j < s->n_measures; j++) {
        const plot_measure *measure = &s->measures[j];
        plot_panel_spec spec = {
            .x = {.label = measure->label, .unit = measure->unit, .log = true},
            .left = {.fixed = true,
                     .lo = 0.4,
                     .hi = s->n_rows + 0.6,
                     .reversed = true,
                     .names = s->rows,
                     .n_names = s->n_rows,
                     .bare = j > 0},
        };
        plot_panel *p = plot_add_panel(*out, &spec);
        if (measure->mark > 0) plot_add_event(p, measure->mark);
        for (int k = 0; k < s->n_series; k++)
            dot_rows_add_series(*out, p, s, measure, k, j == s->n_measures - 1);
        if (j == 0) dot_rows_add_missing(p, s, measure);
    }
    return RESULT_OK;
}
