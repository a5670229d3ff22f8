/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PANEL_GAP 14.0 // between panels

enum { COLUMNS_MAX = 16 };

/* ---- downwards ------------------------------------------------------------------------------- */

static double title_height(const plot_figure *f)
{
    return f->s.title && f->s.title[0] ? TITLE_SIZE + 9 : 0;
}

static double note_height(const plot_figure *f)
{
    return f->s.note && f->s.note[0] ? SMALL_SIZE + 5 : 0;
}

void layout_size(const plot_figure *f, double *width, double *height)
{
    *width = f->s.width > 0 ? fmin(fmax(f->s.width, 100), 10000) : 480;
    *height = f->s.height > 0 ? fmin(fmax(f->s.height, 80), 10000) : 0;
    if (*height > 0) {
        *width = floor(*width);
        *height = floor(*height);
        return;
    }
    int columns = f->s.columns < f->n_panels ? f->s.columns : f->n_panels;
    if (columns < 1) columns = 1;
    int rows = (f->n_panels + columns - 1) / columns;
    double column = *width / columns;
    // one panel has the shape of a page; stacked ones are flatter; equal scales follow the data
    static const double shapes[4] = {0.58, 0.37, 0.31, 0.27};
    double each = shapes[rows < 1 ? 0 : rows > 4 ? 3 : rows - 1] * column;
    double tallest = 0;
    bool all_equal = f->n_panels > 0;
    for (const plot_panel *p = f->panels; p; p = p->next) {
        all_equal &= p->s.equal;
        tallest = fmax(tallest, plot_natural_shape(p));
    }
    if (all_equal) each = 1.6 * LINE_HEIGHT + tallest * (column - 50);
    *height = floor(fmin(title_height(f) + note_height(f) + 2 * PAGE_EDGE + 1.6 * LINE_HEIGHT +
                             fmax(rows, 1) * each,
                         4000));
    *width = floor(*width);
}

/* Which panels of one column share the abscissa: same label, unit and kind of scale. */
static bool same_label(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool shares_x(const plot_panel *a, const plot_panel *b)
{
    const plot_axis *x = &a->s.x, *y = &b->s.x;
    return x->label && same_label(x->label, y->label) && same_label(x->unit, y->unit) &&
           x->log == y->log && x->reversed == y->reversed && !a->s.equal && !b->s.equal;
}

/* For the title of a panel and the labels of its vertical axes. */
static double room_above(const plot_panel *p)
{
    bool labels = p->s.left.label || (p->has_right && p->s.right.label);
    return (p->s.title ? LINE_HEIGHT + 2 : 0) + (labels ? LINE_HEIGHT + 6 : 2);
}

static void place_downwards(layout *l, const plot_figure *f)
{
    double top = PAGE_EDGE + title_height(f), bottom = l->height - PAGE_EDGE - note_height(f);
    l->title_y = PAGE_EDGE + TITLE_SIZE;
    l->note_y = l->height - PAGE_EDGE;
    for (int col = 0; col < l->columns; col++) {
        double fixed = 0, weights = 0;
        for (int i = col; i < l->n; i += l->columns) {
            layout_panel *q = &l->panels[i];
            int below = i + l->columns;
            q->x_labels = below >= l->n || !shares_x(q->p, l->panels[below].p);
            fixed += room_above(q->p) + (i + l->columns < l->n ? PANEL_GAP - 4 : 0);
            fixed += q->x_labels ? 2 * LINE_HEIGHT + 4 : 0;
            weights += q->p->s.weight;
        }
        double share = fmax(bottom - top - fixed, 20.0 * l->rows) / (weights > 0 ? weights : 1);
        double y = top;
        for (int i = col; i < l->n; i += l->columns) {
            layout_panel *q = &l->panels[i];
            y += room_above(q->p);
            q->area.y0 = y;
            q->area.y1 = y + share * q->p->s.weight;
            y = q->area.y1 + (q->x_labels ? 2 * LINE_HEIGHT + 4 : 0) + PANEL_GAP - 4;
        }
    }
}

/* ---- limits and ticks ------------------------------------------------------------------------ */

static void set_limits(plot_map *m, const plot_panel *p, plot_side side, const plot_axis *axis,
                       double margin)
{
    double lo, hi;
    m->log = axis->log;
    if (axis->fixed) {
        m->lo = fmin(axis->lo, axis->hi);
        m->hi = fmax(axis->lo, axis->hi);
        return;
    }
    if (!plot_extent(p, side, &lo, &hi)) {
        lo = axis->log ? 1 : 0;
        hi = axis->log ? 10 : 1;
    }
    plot_limits(&lo, &hi, axis->tight || lo == hi ? 0 : margin, axis->log);
    m->lo = lo;
    m->hi = hi;
}

static void make_ticks(plot_ticks *t, const plot_map *m, int most, const plot_axis *axis)
{
    if (most < 3) most = 3;
    if (most > 9) most = 9;
    if (axis->n_names > 0) plot_ticks_names(t, axis->bare ? NULL : axis->names, axis->n_names);
    else if (m->log) plot_ticks_log(t, m->lo, m->hi, most);
    else plot_ticks_linear(t, m->lo, m->hi, most, axis->integers);
}

/* "x - 9.81 (10^-6 m)" from a label, a unit and what the ticks leave to say. */
static void axis_label(char *out, const char *label, const char *unit, const plot_ticks *t)
{
    char sign[60], power[40] = "";
    plot_unit(unit ? unit : "", sign, sizeof sign);
    int n = 0;
    if (t->exponent) {
        memcpy(power, "10", 2);
        power[2 + plot_superscript(t->exponent, power + 2)] = 0;
    }
    const char *offset = t->offset, *operator= "";
    if (offset[0]) {
        bool negative = strncmp(offset, "\u2212", 3) == 0;
        operator= negative ? " + " : " \u2212 ";
        if (negative) offset += 3;
    }
    n = snprintf(out, LABEL_BYTES, "%.120s%s%s", label ? label : "", operator, offset);
    if (n < 0 || n > 190) return;
    const char *space = n ? " " : "";
    if (power[0] && sign[0])
        snprintf(out + n, LABEL_BYTES - (size_t)n, "%s(%s %s)", space, power, sign);
    else if (power[0]) snprintf(out + n, LABEL_BYTES - (size_t)n, "%s(\u00d7%s)", space, power);
    else if (sign[0]) snprintf(out + n, LABEL_BYTES - (size_t)n, "%s(%s)", space, sign);
}

double layout_widest(plot_canvas *c, const plot_ticks *t)
{
    double w = 0;
    for (int i = 0; i < t->n; i++) w = fmax(w, canvas_text_width(c, TEXT_SIZE, t->label[i]));
    return w;
}

/* Lines over an abscissa that only grows may touch both ends of it; anything else keeps clear. */
static bool runs_across(const plot_panel *p)
{
    for (const plot_curve *c = p->curves; c; c = c->next) {
        if (c->s.style >= PLOT_POINTS) return false;
        for (size_t i = 1; i < c->s.n; i++)
            if (c->s.x[i] < c->s.x[i - 1]) return false;
    }
    return true;
}

static void vertical_axes(layout_panel *q, plot_canvas *c)
{
    const plot_panel *p = q->p;
    double height = q->area.y1 - q->area.y0;
    double lo, hi;
    q->empty = !plot_extent(p, SIDE_X, &lo, &hi);
    double margin = p->regions ? 0 : 0.05;
    set_limits(&q->left, p, SIDE_LEFT, &p->s.left, margin);
    set_limits(&q->right, p, SIDE_RIGHT, &p->s.right, margin);
    set_limits(&q->x, p, SIDE_X, &p->s.x, runs_across(p) ? 0 : 0.7 * margin);
    plot_map *maps[2] = {&q->left, &q->right};
    const plot_axis *axes[2] = {&p->s.left, &p->s.right};
    for (int i = 0; i < 2; i++) {
        maps[i]->from = axes[i]->reversed ? q->area.y0 : q->area.y1;
        maps[i]->to = axes[i]->reversed ? q->area.y1 : q->area.y0;
    }
    make_ticks(&q->left_ticks, &q->left, (int)(height / 20), &p->s.left);
    make_ticks(&q->right_ticks, &q->right, (int)(height / 20), &p->s.right);
    q->margin_left = layout_widest(c, &q->left_ticks) + TICK_ROOM;
    q->margin_right = p->has_right ? layout_widest(c, &q->right_ticks) + TICK_ROOM : 6;
}

static void share_limits(layout *l)
{
    for (int i = 0; i < l->n; i++)
        for (int j = i % l->columns; j < l->n; j += l->columns) {
            layout_panel *a = &l->panels[i], *b = &l->panels[j];
            if (i == j || b->empty || a->p->s.x.fixed || !shares_x(a->p, b->p)) continue;
            bool none = a->empty && !a->joined;
            if (none || b->x.lo < a->x.lo) a->x.lo = b->x.lo;
            if (none || b->x.hi > a->x.hi) a->x.hi = b->x.hi;
            a->joined = true;
        }
}

/* ---- across ---------------------------------------------------------------------------------- */

static void set_across(layout_panel *q)
{
    q->x.from = q->p->s.x.reversed ? q->area.x1 : q->area.x0;
    q->x.to = q->p->s.x.reversed ? q->area.x0 : q->area.x1;
}

/* Columns have equal areas, whatever stands beside these. */
static void place_across(layout *l)
{
    double left[COLUMNS_MAX] = {0}, right[COLUMNS_MAX] = {0};
    double area = l->width - 2 * PAGE_EDGE - (l->columns - 1) * PANEL_GAP;
    for (int i = 0; i < l->n; i++) {
        int col = i % l->columns;
        left[col] = fmax(left[col], l->panels[i].margin_left);
        right[col] = fmax(right[col], l->panels[i].margin_right);
    }
    double margins = 0;
    for (int col = 0; col < l->columns; col++) margins += left[col] + right[col];
    bool hopeless = area - margins < 40 * l->columns; // overlap rather than vanish
    if (!hopeless) area -= margins;
    double x = PAGE_EDGE;
    for (int col = 0; col < l->columns; col++) {
        if (hopeless) left[col] = right[col] = 0;
        for (int i = col; i < l->n; i += l->columns) {
            layout_panel *q = &l->panels[i];
            q->edge = x;
            q->area.x0 = x + left[col];
            q->area.x1 = q->area.x0 + area / l->columns;
            set_across(q);
        }
        x += left[col] + area / l->columns + right[col] + PANEL_GAP;
    }
}

/* Equal lengths per unit: the axis with room to spare gets wider limits. */
static void make_equal(layout_panel *q)
{
    if (!q->p->s.equal || q->x.log || q->left.log) return;
    double w = q->area.x1 - q->area.x0, h = q->area.y1 - q->area.y0;
    double sx = (q->x.hi - q->x.lo) / w, sy = (q->left.hi - q->left.lo) / h;
    plot_map *wider = sx < sy ? &q->x : &q->left;
    double middle = 0.5 * (wider->lo + wider->hi), half = 0.5 * (sx < sy ? sy * w : sx * h);
    wider->lo = middle - half;
    wider->hi = middle + half;
}

static void horizontal_axis(layout_panel *q, plot_canvas *c)
{
    // fewer ticks until their labels keep apart
    double w = q->area.x1 - q->area.x0;
    for (int most = w > 450 ? 9 : 8; most >= 3; most--) {
        make_ticks(&q->x_ticks, &q->x, most, &q->p->s.x);
        if (q->x_ticks.n * (layout_widest(c, &q->x_ticks) + 10) < w) break;
    }
}

static void label_axes(layout_panel *q)
{
    const plot_panel *p = q->p;
    axis_label(q->x_label, p->s.x.label, p->s.x.unit, &q->x_ticks);
    axis_label(q->left_label, p->s.left.label, p->s.left.unit, &q->left_ticks);
    axis_label(q->right_label, p->s.right.label, p->s.right.unit, &q->right_ticks);
}

int layout_make(layout *l, const plot_figure *f, plot_canvas *c)
{
    *l = (layout){.n = f->n_panels, .columns = f->s.columns};
    if (l->columns > l->n) l->columns = l->n > 0 ? l->n : 1;
    if (l->columns > COLUMNS_MAX) l->columns = COLUMNS_MAX;
    l->rows = (l->n + l->columns - 1) / l->columns;
    layout_size(f, &l->width, &l->height);
    l->bytes = (size_t)l->n * sizeof *l->panels;
    if (l->n > 0) {
        l->panels = mem_try(f->m, l->bytes);
        if (!l->panels) return RESULT_E_MEMORY;
        memset(l->panels, 0, l->bytes);
    }
    int i = 0;
    for (const plot_panel *p = f->panels; p; p = p->next) l->panels[i++].p = p;

    place_downwards(l, f);
    for (i = 0; i < l->n; i++) vertical_axes(&l->panels[i], c);
    share_limits(l);
    place_across(l); // for the legends: they need to know where curves run
    int rc = layout_legends(l, c, f->m);
    if (rc) return rc;
    place_across(l);
    for (i = 0; i < l->n; i++) {
        layout_panel *q = &l->panels[i];
        make_equal(q);
        if (q->p->s.equal)
            make_ticks(&q->left_ticks, &q->left, (int)((q->area.y1 - q->area.y0) / 20),
                       &q->p->s.left);
        horizontal_axis(q, c);
        label_axes(q);
        layout_finish_legend(q, c, f->m);
    }
    return RESULT_OK;
}

void layout_done(layout *l, mem *m)
{
    if (l->panels) mem_free(m, l->panels, l->bytes);
    l->panels = NULL;
}
