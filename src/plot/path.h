/* Curves on paper: from data to the points that are drawn (inside plot only).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_PATH_H
#define PLOT_PATH_H

#include "plot/plot.h"

/* Data to paper along one axis. */
typedef struct plot_map {
    double lo, hi;   // data limits
    double from, to; // where they lie on paper
    bool log;
} plot_map;

/* NaN where there is no place: not finite, or not positive on a log axis. */
double plot_map_at(const plot_map *m, double v);

typedef struct plot_point {
    double x, y; // paper
    bool start;  // a new stroke begins here
} plot_point;

typedef struct plot_path {
    mem *m;
    plot_point *at;
    size_t n, cap;
    bool failed; // no memory: points are missing
} plot_path;

void plot_path_push(plot_path *p, double x, double y, bool start);
void plot_path_done(plot_path *p);

/* The polyline of a curve. Runs of points that fall into one column of the given width are reduced
 * to the first, the lowest, the highest and the last, so that a million points cost as much as
 * there is paper and no peak is lost. NaN begins a new stroke. */
void plot_path_trace(plot_path *p, const plot_curve_spec *c, const plot_map *x, const plot_map *y,
                     double column);

typedef struct plot_rect {
    double x0, y0, x1, y1; // x0 <= x1, y0 <= y1
} plot_rect;

/* The part of a segment inside a rectangle (Liang & Barsky, ACM Trans. Graph. 3 (1984)); false:
 * none. */
bool plot_clip_segment(const plot_rect *r, double *x0, double *y0, double *x1, double *y1);

/* How much of a path lies inside a rectangle: length. */
double plot_path_covers(const plot_path *p, const plot_rect *r);

/* The boundary of {v <= level} on a grid as closed loops, in data coordinates; the border of the
 * grid closes loops that reach it, and `start` is set also where the boundary would run along it
 * when open_border. Marching squares with linear interpolation (Lorensen & Cline, SIGGRAPH 1987, in
 * two dimensions); saddles are decided by the mean of the four corners. */
void plot_path_contour(plot_path *p, const plot_region_spec *r, bool open_border);

#endif
