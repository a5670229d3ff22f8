/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/result_band.h"

#include "plot/plot_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double BAND_SHARE = 0.01; // of each parameter

/* The size of p where this column is d(x)/d(p); 0: it is not, or nothing is known of p. */
static double size_of_other(const result *r, const char *x, int column)
{
    char name[400];
    const char *whole = r->columns[column].name;
    size_t n = strlen(x), all = strlen(whole);
    if (all < n + 8 || strncmp(whole, "d(", 2) || strncmp(whole + 2, x, n) ||
        strncmp(whole + 2 + n, ")/d(", 4) || whole[all - 1] != ')')
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(all - n - 7), whole + n + 6);
    int at = result_find(r, name);
    // Of what is not recorded the end is known, not the start.
    if (at <= 0 || !r->n_rows || r->columns[at].output) return 0;
    double size = fabs(result_value(r, at, 0));
    return isfinite(size) ? size : 0;
}

bool band_is_known(const result *r, int column)
{
    for (int c = 1; c < r->n_columns; c++)
        if (size_of_other(r, r->columns[column].name, c) > 0) return true;
    return false;
}

void band_add(plot_figure *f, plot_panel *panel, const result *r, int column, const double *time,
              const plot_curve_spec *curve)
{
    const result_column *x = &r->columns[column];
    size_t n = r->n_rows;
    if (x->kind != RESULT_REAL || !curve->y || !band_is_known(r, column)) return;
    double *u = plot_alloc(f, 2 * n * sizeof *u), *v = plot_alloc(f, 2 * n * sizeof *v);
    double share = BAND_SHARE * (x->look->scale == 0 ? 1 : fabs(x->look->scale));
    if (!u || !v) return;
    for (size_t i = 0; i < n; i++) { // there along the lower edge, and back along the upper one
        u[i] = u[2 * n - 1 - i] = time[i];
        v[i] = v[2 * n - 1 - i] = curve->y[i];
    }
    for (int c = 1; c < r->n_columns; c++) {
        double size = share * size_of_other(r, x->name, c);
        for (size_t i = 0; i < n && size > 0; i++) {
            double moved = size * fabs(result_value(r, c, i));
            v[i] -= moved;
            v[2 * n - 1 - i] += moved;
        }
    }
    plot_add_curve(panel, &(plot_curve_spec){.x = u,
                                             .y = v,
                                             .n = 2 * n,
                                             .style = PLOT_AREA,
                                             .colour = curve->colour,
                                             .right = curve->right,
                                             .borrowed = true});
}
