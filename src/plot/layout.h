/* Where everything goes on the page (inside plot only).
 *
 * First downwards (heights do not depend on text widths), then the ticks of the vertical axes,
 * whose labels give the margins, then across. Panels of one column share their left and right
 * edges, and panels over the same abscissa its limits, so that the eye can compare them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_LAYOUT_H
#define PLOT_LAYOUT_H

#include "plot/canvas.h"
#include "plot/path.h"
#include "plot/plot_figure.h"
#include "plot/ticks.h"

#define TEXT_SIZE   8.5 // tick labels, legends, axis labels
#define TITLE_SIZE  11.0
#define SMALL_SIZE  7.5
#define LINE_HEIGHT 11.5 // height of a line of text
#define PAGE_EDGE   10.0 // around everything
#define TICK_ROOM   6.0  // tick and gap, between an area and its labels

enum { KEYS_MAX = 60, KEY_COLUMNS_MAX = 3, DIRECT_MAX = 8, LABEL_BYTES = 200 };

/* One line of a legend. */
typedef struct layout_key {
    char label[LABEL_BYTES]; // fitted to its width
    int colour;
    plot_dash dash;
    plot_style style;
    bool region;
    double end; // where the curve ends, on paper (direct labels)
    double at;  // base line of the direct label
} layout_key;

typedef enum layout_legend {
    LEGEND_NONE,
    LEGEND_DIRECT,
    LEGEND_INSIDE,
    LEGEND_OUTSIDE
} layout_legend;

typedef struct layout_panel {
    const plot_panel *p;
    plot_rect area; // of the data
    plot_map x, left, right;
    plot_ticks x_ticks, left_ticks, right_ticks;
    char x_label[LABEL_BYTES], left_label[LABEL_BYTES], right_label[LABEL_BYTES];
    bool empty;    // nothing to show
    bool joined;   // has the limits of others
    bool x_labels; // this panel shows the labels of the abscissa
    layout_legend legend;
    int n_keys, n_hidden; // keys shown, and how many are not
    layout_key keys[KEYS_MAX];
    int key_rows; // in a column of the legend
    double key_width;
    plot_rect legend_box;
    double edge; // left end of the panel with its labels
    double margin_left, margin_right;
} layout_panel;

typedef struct layout {
    double width, height;
    double title_y, note_y;
    int n, columns, rows;
    layout_panel *panels;
    size_t bytes; // of panels
} layout;

/* The size of the page, known without measuring text. */
void layout_size(const plot_figure *f, double *width, double *height);
int layout_make(layout *l, const plot_figure *f, plot_canvas *c);
void layout_done(layout *l, mem *m);

/* Parts of layout_make in legend.c: where legends go and what room they need at the right, once it
 * is known how high the panels are; and their places once it is known how wide. */
int layout_legends(layout *l, plot_canvas *c, mem *m);
void layout_finish_legend(layout_panel *q, plot_canvas *c, mem *m);
/* What is said of keys that are not shown. */
void layout_hidden_text(const layout_panel *q, char *out, size_t size);
double layout_widest(plot_canvas *c, const plot_ticks *t); // of the labels

#endif
