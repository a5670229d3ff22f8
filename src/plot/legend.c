/* Legends: names at the ends of curves, a box inside the panel where it covers least, or one beside
 * it. SPDX-License-Identifier: BSD-3-Clause */
#include "plot/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEY_SAMPLE 16.0 // length of a sample line in a legend
#define KEY_GAP    5.0

/* Cut a name in the middle until it fits; both its ends tell things apart. */
static void fit_name(plot_canvas *c, char *out, const char *s, double width)
{
    size_t n = strlen(s), keep = n < LABEL_BYTES - 8 ? n : LABEL_BYTES - 8;
    snprintf(out, LABEL_BYTES, "%.*s", (int)keep, s);
    while (keep > 4 && (keep < n || canvas_text_width(c, TEXT_SIZE, out) > width)) {
        size_t head = (keep - 1) / 2, tail = keep - 1 - head;
        while (head > 0 && ((unsigned char)s[head] & 0xC0) == 0x80) head--;
        while (tail > 0 && ((unsigned char)s[n - tail] & 0xC0) == 0x80) tail--;
        snprintf(out, LABEL_BYTES, "%.*s\u2026%s", (int)head, s, s + n - tail);
        if (canvas_text_width(c, TEXT_SIZE, out) <= width) break;
        keep--;
    }
}

/* The last point of a curve that can be seen. */
static bool curve_end(const plot_curve_spec *s, const plot_map *x, const plot_map *y, double *u,
                      double *v)
{
    for (size_t i = s->n; i-- > 0;) {
        *u = (s->x[i] - x->lo) / (x->hi - x->lo);
        *v = plot_map_at(y, s->y[i]);
        if (isfinite(*u) && isfinite(*v)) return true;
    }
    return false;
}

/* The next key, if there is room for it. */
static layout_key *next_key(layout_panel *q)
{
    if (q->n_keys < KEYS_MAX) return &q->keys[q->n_keys++];
    q->n_hidden++;
    return NULL;
}

static void collect_keys(layout_panel *q, plot_canvas *c, double width)
{
    const plot_panel *p = q->p;
    q->n_keys = q->n_hidden = 0;
    for (const plot_region *r = p->regions; r; r = r->next) {
        layout_key *k = r->s.label ? next_key(q) : NULL;
        if (!k) continue;
        *k = (layout_key){.colour = r->s.colour, .region = !r->s.line_only, .end = NAN};
        fit_name(c, k->label, r->s.label, width);
    }
    for (const plot_curve *s = p->curves; s; s = s->next) {
        layout_key *k = s->s.label ? next_key(q) : NULL;
        if (!k) continue;
        double u, v;
        *k =
            (layout_key){.colour = s->s.colour, .dash = s->s.dash, .style = s->s.style, .end = NAN};
        k->region = s->s.style == PLOT_AREA;
        fit_name(c, k->label, s->s.label, width);
        if (!p->has_right && s->s.n > 0 && curve_end(&s->s, &q->x, &q->left, &u, &v) && u > 0.97 &&
            u < 1.03 && v >= q->area.y0 - 1 && v <= q->area.y1 + 1)
            k->end = v;
    }
}

/* Names at the ends of the curves: possible when all end at the right edge and, pushed apart by a
 * line each, none has to move far. */
static bool place_direct(layout_panel *q)
{
    int n = q->n_keys, order[DIRECT_MAX];
    if (n < 2 || n > DIRECT_MAX || q->n_hidden || q->p->regions || q->p->s.x.reversed) return false;
    for (int i = 0; i < n; i++) {
        // a label cannot show how a line is dashed
        if (isnan(q->keys[i].end) || q->keys[i].dash != q->keys[0].dash) return false;
        int j = i;
        for (; j > 0 && q->keys[order[j - 1]].end > q->keys[i].end; j--) order[j] = order[j - 1];
        order[j] = i;
    }
    const double line = LINE_HEIGHT - 1;
    for (int i = 0; i < n; i++) q->keys[i].at = q->keys[i].end;
    for (int pass = 0; pass < 50; pass++)
        for (int i = 1; i < n; i++) {
            layout_key *a = &q->keys[order[i - 1]], *b = &q->keys[order[i]];
            double miss = line - (b->at - a->at);
            if (miss > 0) a->at -= miss / 2, b->at += miss / 2;
        }
    for (int i = 0; i < n; i++)
        if (fabs(q->keys[i].at - q->keys[i].end) > 1.6 * line) return false;
    return true;
}

void layout_hidden_text(const layout_panel *q, char *out, size_t size)
{
    snprintf(out, size, "and %d more", q->n_hidden);
}

/* Beside the panel in as many columns as its height asks for; inside it in one. */
static void legend_size(layout_panel *q, plot_canvas *c, double *w, double *h)
{
    double widest_label = 0, height = q->area.y1 - q->area.y0 + LINE_HEIGHT - 4;
    char more[40];
    for (int i = 0; i < q->n_keys; i++)
        widest_label = fmax(widest_label, canvas_text_width(c, TEXT_SIZE, q->keys[i].label));
    layout_hidden_text(q, more, sizeof more);
    if (q->n_hidden) widest_label = fmax(widest_label, canvas_text_width(c, TEXT_SIZE, more));
    int lines = q->n_keys + (q->n_hidden > 0), fit = (int)fmax(1, floor(height / LINE_HEIGHT));
    int columns = q->legend == LEGEND_OUTSIDE ? (lines + fit - 1) / fit : 1;
    if (columns > KEY_COLUMNS_MAX) columns = KEY_COLUMNS_MAX;
    if (columns < 1) columns = 1;
    q->key_rows = (lines + columns - 1) / columns;
    q->key_width = KEY_SAMPLE + KEY_GAP + widest_label + 8;
    *w = columns * q->key_width;
    *h = q->key_rows * LINE_HEIGHT + 4;
}

static double overlap(double a0, double a1, double b0, double b1)
{
    return fmax(0, fmin(a1, b1) - fmax(a0, b0));
}

/* What has no length and would be hidden all the same: points, and boxes. */
static double covered_marks(const layout_panel *q, const plot_rect *r)
{
    const double HIDDEN = 1e3; // no crossing of curves is as bad
    double covered = 0;
    for (const plot_curve *s = q->p->curves; s; s = s->next) {
        bool points = s->s.style == PLOT_POINTS || s->s.style == PLOT_CROSSES;
        for (size_t i = 0; points && i < s->s.n; i++) {
            double x = plot_map_at(&q->x, s->s.x[i]),
                   y = plot_map_at(s->s.right ? &q->right : &q->left, s->s.y[i]);
            if (x >= r->x0 && x <= r->x1 && y >= r->y0 && y <= r->y1) covered += HIDDEN;
        }
    }
    for (const plot_box *b = q->p->boxes; b; b = b->next) {
        double x0 = plot_map_at(&q->x, b->s.x0), x1 = plot_map_at(&q->x, b->s.x1),
               y0 = plot_map_at(&q->left, b->s.y0), y1 = plot_map_at(&q->left, b->s.y1);
        bool wide = overlap(fmin(x0, x1), fmax(x0, x1), r->x0, r->x1) > 0,
             high = overlap(fmin(y0, y1), fmax(y0, y1), r->y0, r->y1) > 0;
        if (wide && high) covered += HIDDEN;
    }
    return covered;
}

/* Put the legend where it covers least of the curves; how much of them it covers there. */
static double place_inside(layout_panel *q, const plot_path *paths, int n_paths, double w, double h)
{
    static const double spots[][2] = {{1, 0},   {0, 0},   {1, 1},   {0, 1},
                                      {1, 0.5}, {0.5, 0}, {0.5, 1}, {0, 0.5}};
    double best = INFINITY, free_w = q->area.x1 - q->area.x0 - w - 8,
           free_h = q->area.y1 - q->area.y0 - h - 6;
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++) {
        double x = q->area.x0 + 4 + spots[i][0] * free_w, y = q->area.y0 + 3 + spots[i][1] * free_h;
        plot_rect r = {x - 3, y - 2, x + w + 3, y + h + 2};
        double covered = covered_marks(q, &r);
        for (int k = 0; k < n_paths; k++) covered += plot_path_covers(&paths[k], &r);
        if (covered < best) {
            best = covered;
            q->legend_box = (plot_rect){x, y, x + w, y + h};
        }
    }
    return best;
}

static int inside_or_outside(layout_panel *q, plot_canvas *c, mem *m)
{
    enum { PATHS_MAX = 64 };
    plot_path paths[PATHS_MAX];
    int n = 0;
    bool failed = false;
    double w, h;
    q->legend = LEGEND_INSIDE;
    legend_size(q, c, &w, &h);
    q->legend = LEGEND_OUTSIDE;
    if (w > 0.5 * (q->area.x1 - q->area.x0) || h > 0.6 * (q->area.y1 - q->area.y0))
        return RESULT_OK;
    for (const plot_curve *s = q->p->curves; s && n < PATHS_MAX; s = s->next) {
        paths[n] = (plot_path){.m = m};
        plot_path_trace(&paths[n], &s->s, &q->x, s->s.right ? &q->right : &q->left, 2);
        failed |= paths[n++].failed;
    }
    for (const plot_region *r = q->p->regions; r && n < PATHS_MAX; r = r->next) {
        paths[n] = (plot_path){.m = m};
        plot_path_contour(&paths[n], &r->s, true);
        for (size_t i = 0; i < paths[n].n; i++) {
            paths[n].at[i].x = plot_map_at(&q->x, paths[n].at[i].x);
            paths[n].at[i].y = plot_map_at(&q->left, paths[n].at[i].y);
        }
        failed |= paths[n++].failed;
    }
    // a crossing or two is better than less room for the curves
    if (place_inside(q, paths, n, w, h) <= 0.4 * h) q->legend = LEGEND_INSIDE;
    while (n > 0) plot_path_done(&paths[--n]);
    return failed ? RESULT_E_MEMORY : RESULT_OK;
}

/* A single curve is named by the axis, if that has no name of its own; a band around it has none. */
static bool named_by_axis(const plot_panel *p)
{
    const plot_curve *c = p->curves;
    while (c && c->next && !c->s.label && c->s.style == PLOT_AREA) c = c->next;
    return !p->regions && c && !c->next && p->s.left.label && c->s.label &&
           strcmp(c->s.label, p->s.left.label) == 0;
}

int layout_legends(layout *l, plot_canvas *c, mem *m)
{
    for (int i = 0; i < l->n; i++) {
        layout_panel *q = &l->panels[i];
        double panel_width = (l->width - 2 * PAGE_EDGE) / l->columns;
        collect_keys(q, c, fmax(0.32 * panel_width, 70));
        if (q->n_keys == 0 || named_by_axis(q->p)) {
            q->legend = LEGEND_NONE;
        } else if (place_direct(q)) {
            q->legend = LEGEND_DIRECT;
            double w = 0;
            for (int k = 0; k < q->n_keys; k++)
                w = fmax(w, canvas_text_width(c, TEXT_SIZE, q->keys[k].label));
            q->margin_right = w + 7;
        } else {
            int rc = inside_or_outside(q, c, m);
            double w, h;
            legend_size(q, c, &w, &h);
            if (rc) return rc;
            if (q->legend == LEGEND_OUTSIDE) q->margin_right += w + 6;
        }
    }
    return RESULT_OK;
}

void layout_finish_legend(layout_panel *q, plot_canvas *c, mem *m)
{
    double w, h;
    legend_size(q, c, &w, &h);
    if (q->legend == LEGEND_OUTSIDE) {
        double x =
            q->area.x1 + 6 + (q->p->has_right ? layout_widest(c, &q->right_ticks) + TICK_ROOM : 0);
        // what does not fit is counted
        while (q->n_keys > 1 && h > q->area.y1 - q->area.y0 + LINE_HEIGHT) {
            q->n_keys--;
            q->n_hidden++;
            legend_size(q, c, &w, &h);
        }
        q->legend_box = (plot_rect){x, q->area.y0, x + w, q->area.y0 + h};
    } else if (q->legend == LEGEND_INSIDE) {
        (void)inside_or_outside(q, c, m); // other panels may have moved the edges
        q->legend = LEGEND_INSIDE;
    }
}
