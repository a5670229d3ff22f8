/* Figures: curves, regions and boxes in panels with axes, drawn as SVG, PNG or PDF, or as a chart
 * of characters for a terminal.
 *
 * A figure is built by adding panels and then curves to them, and is drawn once. Every spec is an
 * open struct in which zero means the default. Building never needs checks: a failure (no memory)
 * is kept in the figure and reported when it is drawn; adding to a panel that is NULL does nothing.
 * Strings are copied; arrays are copied unless `borrowed`.
 *
 * The same figure gives the same bytes: no clock, no hash order; text is measured by the fonts of
 * the machine, except with the font "@cairo:", which is built in and meant for tests.
 *
 * Drawing uses libcairo, which is loaded when the first figure is drawn: linking it would cost
 * every start of the command a millisecond (21 shared libraries).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/text.h"
#include "result/result.h"

typedef struct plot_figure plot_figure;
typedef struct plot_panel plot_panel;

/* ---- building -------------------------------------------------------------------------------- */

typedef struct plot_figure_spec {
    const char *title;
    const char *note;     // a small line under the figure
    double width, height; // points (1/72 inch); 0: 480, and as high as the panels want
    int columns;          // panels side by side; 0: 1
    bool dark;
    double scale;     // PNG pixels per point; 0: 2
    const char *font; // family; NULL: "sans-serif"
} plot_figure_spec;

/* Limits come from the data unless fixed. Labels are text with Unicode; a unit is written as in
 * Modelica ("kg.m2/s") and typeset. */
typedef struct plot_axis {
    const char *label, *unit;
    bool log;   // values that are not positive are gaps
    bool fixed; // lo, hi are given
    double lo, hi;
    bool reversed;            // grows downwards or leftwards
    bool tight;               // limits exactly at the data
    bool integers;            // ticks at integers only (rows of a matrix)
    const char *const *names; // of the values 1, 2, ... n_names, instead of numbers
    int n_names;
    bool bare; // ticks without labels: those of the panel to the left serve
} plot_axis;

typedef struct plot_panel_spec {
    const char *title;
    plot_axis x, left, right; // the right axis exists when a curve uses it
    bool equal;               // the same length per unit on x and left (circles are round)
    bool no_grid;
    double weight; // share of the height; 0: 1
} plot_panel_spec;

typedef enum plot_style {
    PLOT_LINE,
    PLOT_STAIRS,
    PLOT_POINTS,
    PLOT_LINE_POINTS,
    PLOT_CROSSES,
    PLOT_AREA // the polygon of its points, filled with a tint
} plot_style;
typedef enum plot_dash { PLOT_SOLID, PLOT_DASHED, PLOT_DOTTED, PLOT_DASHDOT } plot_dash;

enum { PLOT_COLOURS = 8, PLOT_INK = 100, PLOT_FAINT = 101 }; // colours 1 ... 8; text; grid

typedef struct plot_curve_spec {
    const char *label; // NULL: none, and not in the legend
    const double *x, *y;
    size_t n; // points; NaN is a gap
    plot_style style;
    plot_dash dash;
    int colour;    // 0: the next of the palette that the panel has not used
    double width;  // points; 0: 1.3
    bool right;    // on the right axis
    bool borrowed; // x and y outlive the figure: keep the pointers
} plot_curve_spec;

/* Where a scalar field on a grid is at or below a level: filled, with its boundary. Values by rows
 * of constant y, from y0 up: values[iy * nx + ix]. NaN is outside. */
typedef struct plot_region_spec {
    const char *label;
    const double *values;
    int nx, ny;
    double x0, x1, y0, y1;
    double level;
    int colour;
    bool line_only; // the boundary without filling
    bool borrowed;
} plot_region_spec;

typedef struct plot_box_spec {
    double x0, y0, x1, y1;
    int colour;
    bool outline; // not filled
    bool pale;    // filled with a light shade of the colour
    bool graded;  // filled with a colour of the scale instead: `grade` from 0 to 1
    double grade;
} plot_box_spec;

int plot_new(mem *m, const plot_figure_spec *spec, plot_figure **out);
void plot_free(plot_figure *f); // NULL is fine

plot_panel *plot_add_panel(plot_figure *f, const plot_panel_spec *spec);
void plot_add_curve(plot_panel *p, const plot_curve_spec *spec);
void plot_add_region(plot_panel *p, const plot_region_spec *spec);
void plot_add_box(plot_panel *p, const plot_box_spec *spec);
/* A thin line across the panel at a value of x (an event) or of the left axis (a reference). */
void plot_add_event(plot_panel *p, double x);
void plot_add_level(plot_panel *p, double y, const char *label);
/* A short text at a point of the panel. */
void plot_add_text(plot_panel *p, double x, double y, const char *s);

/* Memory that lives as long as the figure, for borrowed arrays; NULL (and a failed figure) when
 * there is none. */
void *plot_alloc(plot_figure *f, size_t bytes);

/* ---- figures of tables ----------------------------------------------------------------------- */

/* A measure: a column of numbers, [row * n_series + series]. NaN: there is none, and the first
 * measure has a cross at its left edge; below 1e-17 (zero too) is drawn as 1e-17. */
typedef struct plot_measure {
    const char *label, *unit;
    const double *values;
    double mark; // a value to compare with, drawn across; 0: none
} plot_measure;

typedef struct plot_dots_spec {
    const char *title, *note;
    const char *const *rows, *const *series;
    const plot_measure *measures; // a panel each, side by side, on logarithmic axes
    int n_rows, n_series, n_measures;
    bool dark;
    const char *font;
} plot_dots_spec;

/* Dots in rows: what is compared is read downwards, and the eye needs no table (W. S. Cleveland,
 * The Elements of Graphing Data, 1985). A colour per series; the series of a row lie a little
 * apart, so that equal numbers are seen. */
int plot_dots(mem *m, const plot_dots_spec *spec, plot_figure **out);

/* ---- figures of results ---------------------------------------------------------------------- */

typedef struct plot_result_spec {
    const char *vars; // a selection (result_select); NULL: the variables that seem to matter
    const char *title;
    bool dark, log_x, log_y;
    bool no_events; // do not mark events
    double width, height;
    const char *font;
} plot_result_spec;

/* What is drawn: the selection, or without one what is differentiated and the variables of the model
 * itself first, no constants, of long arrays some, those of one unit in one panel. Returns how many were left out, or a status < 0. */
int plot_select(const result *r, const char *vars, result_selection *out, result_fault *fault);
/* Does a curve of the selection go to the right axis? So it is said, or its unit is the second. */
bool plot_goes_right(const result *r, const result_selection *select, const result_curve *c);

/* Is a column not finite somewhere? Gaps could be taken for the model's own: the fault says where. */
bool plot_has_gaps(const result *r, int column, result_fault *fault);

/* A figure of one or several results; names (as in a legend) may be NULL for one result. Panels
 * over the time share their limits; curves in one panel whose units differ go to two axes; phase
 * plots of equal units have equal scales; integers and Booleans are stairs. RESULT_GAPS, with the
 * first variable named in the fault, when a value is not finite. */
int plot_results(mem *m, const result *const *results, const char *const *names, int n,
                 const plot_result_spec *spec, plot_figure **out, result_fault *fault);

/* ---- drawing --------------------------------------------------------------------------------- */

/* A format of figures is one entry. To add one, end its file with the entry and list it in
 * plot_formats.c; drawing, messages and the checks of the command walk the list. */
typedef struct plot_format {
    const char *name, *summary;
    const char *ending;               // of paths: ".svg"; of a chart: the whole path
    const struct canvas_kind *canvas; // drawn on a page of that kind; NULL: not drawn
    /* Written as text into out; NULL: no text. */
    int (*chart)(plot_figure *f, int columns, bool colour, text *out, result_fault *fault);
} plot_format;

extern const plot_format plot_format_svg, plot_format_png, plot_format_pdf, plot_format_terminal;
extern const plot_format *const plot_formats[]; // ends with NULL; the first serves devices

bool plot_is_page(const char *path); // the HTML report, which is made of a result, not of a figure

/* How a chart is to look and where it goes. */
typedef struct plot_chart {
    int columns;
    bool colour;
    text *out;
} plot_chart;

/* Draw in the format of the path, into a file that appears whole or not at all or, for "-", into
 * chart->out. chart == NULL: files only. */
int plot_write(plot_figure *f, const char *path, const plot_chart *chart, result_fault *fault);
/* Draw on a page that goes to a stream; write returns 0, or anything else to stop. */
int plot_render(plot_figure *f, const plot_format *format,
                int (*write)(void *user, const void *bytes, size_t n), void *user,
                result_fault *fault);

/* A chart in braille characters, at most `columns` wide; lines end in '\n'. 0 columns: 72. Colours
 * are terminal escapes, used only when asked for; without them names stand where curves end. On
 * failure (no memory) the text is cut. */
int plot_terminal(plot_figure *f, int columns, bool colour, text *out, result_fault *fault);

#endif
