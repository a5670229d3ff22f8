/* What a figure holds (inside plot only).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_PLOT_FIGURE_H
#define PLOT_PLOT_FIGURE_H

#include "plot/plot.h"

typedef struct plot_curve {
    plot_curve_spec s;
    struct plot_curve *next;
} plot_curve;

typedef struct plot_region {
    plot_region_spec s;
    struct plot_region *next;
} plot_region;

typedef struct plot_box {
    plot_box_spec s;
    struct plot_box *next;
} plot_box;

/* Events, levels and texts. */
typedef enum plot_mark_kind { MARK_EVENT, MARK_LEVEL, MARK_TEXT } plot_mark_kind;
typedef struct plot_mark {
    plot_mark_kind kind;
    double x, y;
    const char *text;
    struct plot_mark *next;
} plot_mark;

struct plot_panel {
    plot_figure *f;
    plot_panel_spec s;
    plot_curve *curves, **last_curve;
    plot_region *regions, **last_region;
    plot_box *boxes, **last_box;
    plot_mark *marks, **last_mark;
    bool has_right;
    int next_colour;
    plot_panel *next;
};

struct plot_figure {
    mem *m;
    int status; // of the first failure while building
    plot_figure_spec s;
    plot_panel *panels, **last_panel;
    int n_panels;
    struct plot_block *blocks;
};

/* Data limits of an axis, before any margin: false when there is no finite value. For log axes only
 * positive values count. */
typedef enum plot_side { SIDE_X, SIDE_LEFT, SIDE_RIGHT } plot_side;
bool plot_extent(const plot_panel *p, plot_side side, double *lo, double *hi);

/* Height over width of the data of a panel with equal scales, within reason. */
double plot_natural_shape(const plot_panel *p);

#endif
