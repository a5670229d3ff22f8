/* A page to draw on: lines, fills, text (inside plot only).
 *
 * Units are points, y grows downwards. The one implementation uses libcairo, loaded when a canvas
 * is opened. Errors are kept and reported by canvas_close.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include "plot/plot.h"

typedef struct canvas_colour {
    double r, g, b, a;
} canvas_colour;

typedef enum canvas_anchor { ANCHOR_LEFT, ANCHOR_CENTRE, ANCHOR_RIGHT } canvas_anchor;

typedef struct plot_canvas plot_canvas;

typedef struct canvas_target {
    const struct canvas_kind *kind; // of plot_format
    double width, height, scale;    // points; pixels per point
    const char *font;
    const char *title; // of the document; may be NULL
    int (*write)(void *user, const void *bytes, size_t n);
    void *user;
} canvas_target;

int canvas_open(mem *m, const canvas_target *target, plot_canvas **out, result_fault *fault);
/* Finish the page and hand out its last bytes; the canvas is gone, also on failure. */
int canvas_close(plot_canvas *c, result_fault *fault);

void canvas_set_colour(plot_canvas *c, canvas_colour colour);
void canvas_set_pen(plot_canvas *c, double width, plot_dash dash);
void canvas_move(plot_canvas *c, double x, double y);
void canvas_line(plot_canvas *c, double x, double y);
void canvas_rectangle(plot_canvas *c, double x, double y, double w, double h);
void canvas_disc(plot_canvas *c, double x, double y, double radius);
void canvas_stroke(plot_canvas *c);
void canvas_fill(plot_canvas *c, bool keep_path); // even-odd
void canvas_clip(plot_canvas *c, double x, double y, double w, double h);
void canvas_unclip(plot_canvas *c);

/* Text in UTF-8 (any bytes are survived). Superscript digits are set from ordinary ones, and signs
 * the font does not have are replaced. y is the base line. */
double canvas_text_width(plot_canvas *c, double size, const char *s);
void canvas_text(plot_canvas *c, double x, double y, double size, canvas_anchor anchor,
                 const char *s);

#endif
