/* Drawing a figure that is laid out.
 *
 * The look is that of a good textbook: thin axes left and below, a faint grid, names at the curves
 * where there is room, labels of vertical axes written across above them. Colours are those of
 * M. Okabe & K. Ito, "Color Universal Design" (2008), in an order that keeps neighbours apart on
 * the given background.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/layout.h"

#include "result/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- colours --------------------------------------------------------------------------------- */

typedef struct theme {
    unsigned paper, ink, soft, axis, grid, zero;
    unsigned palette[PLOT_COLOURS];
} theme;

static const theme light = {
    .paper = 0xFFFFFF,
    .ink = 0x222222,
    .soft = 0x666666,
    .axis = 0x555555,
    .grid = 0xECECEC,
    .zero = 0xCFCFCF,
    .palette = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x999933}};
static const theme dark = {
    .paper = 0x16181D,
    .ink = 0xE4E6EA,
    .soft = 0x9A9FA8,
    .axis = 0x8A8F98,
    .grid = 0x2A2D34,
    .zero = 0x4A4E57,
    .palette = {0x56B4E9, 0xE69F00, 0x2BC59A, 0xE39CC4, 0xF0E442, 0xFF7F3F, 0xFFFFFF, 0x5A9BD8}};

typedef struct pen {
    plot_canvas *c;
    const theme *t;
    mem *m;
    int status;
} pen;

static canvas_colour theme_colour(unsigned v, double alpha)
{
    return (canvas_colour){(v >> 16 & 255) / 255.0, (v >> 8 & 255) / 255.0, (v & 255) / 255.0,
                           alpha};
}

static unsigned colour_of(const pen *p, int colour)
{
    if (colour == PLOT_INK) return p->t->ink;
    if (colour == PLOT_FAINT) return p->t->zero;
    return p->t->palette[(colour - 1) % PLOT_COLOURS];
}

static void draw_segment(pen *p, double x0, double y0, double x1, double y1)
{
    canvas_move(p->c, x0, y0);
    canvas_line(p->c, x1, y1);
}

/* ---- axes ------------------------------------------------------------------------------------ */

static bool axis_shows(const plot_map *m, double v)
{
    double at = plot_map_at(m, v), a = fmin(m->from, m->to), b = fmax(m->from, m->to);
    return at >= a - 0.01 && at <= b + 0.01;
}

static void draw_grid(pen *p, const layout_panel *q)
{
    const plot_rect *a = &q->area;
    if (q->p->s.no_grid) return;
    canvas_set_pen(p->c, 0.5, PLOT_SOLID);
    canvas_set_colour(p->c, theme_colour(p->t->grid, 1));
    for (int i = 0; i < q->left_ticks.n; i++) {
        double y = plot_map_at(&q->left, q->left_ticks.at[i]);
        if (axis_shows(&q->left, q->left_ticks.at[i])) draw_segment(p, a->x0, y, a->x1, y);
    }
    for (int i = 0; i < q->x_ticks.n; i++) {
        double x = plot_map_at(&q->x, q->x_ticks.at[i]);
        if (axis_shows(&q->x, q->x_ticks.at[i])) draw_segment(p, x, a->y0, x, a->y1);
    }
    canvas_stroke(p->c);
    canvas_set_pen(p->c, 0.6, PLOT_SOLID);
    canvas_set_colour(p->c, theme_colour(p->t->zero, 1));
    if (!q->left.log && q->left.lo < 0 && q->left.hi > 0) {
        double y = plot_map_at(&q->left, 0);
        draw_segment(p, a->x0, y, a->x1, y);
    }
    if (q->p->s.equal && !q->x.log && q->x.lo < 0 && q->x.hi > 0) {
        double x = plot_map_at(&q->x, 0);
        draw_segment(p, x, a->y0, x, a->y1);
    }
    canvas_stroke(p->c);
}

/* Ticks of a vertical axis at x, outwards in the direction of `side`. */
static void draw_vertical(pen *p, const plot_map *m, const plot_ticks *t, double x, int side)
{
    canvas_set_colour(p->c, theme_colour(p->t->axis, 1));
    canvas_set_pen(p->c, 0.6, PLOT_SOLID);
    for (int i = 0; i < t->n + t->n_minor; i++) {
        double v = i < t->n ? t->at[i] : t->minor[i - t->n], y = plot_map_at(m, v);
        if (axis_shows(m, v)) draw_segment(p, x, y, x + side * (i < t->n ? 3 : 1.8), y);
    }
    canvas_stroke(p->c);
    canvas_set_colour(p->c, theme_colour(p->t->ink, 1));
    for (int i = 0; i < t->n; i++)
        if (axis_shows(m, t->at[i]))
            canvas_text(p->c, x + side * 5, plot_map_at(m, t->at[i]) + 0.36 * TEXT_SIZE, TEXT_SIZE,
                        side < 0 ? ANCHOR_RIGHT : ANCHOR_LEFT, t->label[i]);
}

/* Long names of a horizontal axis are written smaller, so as not to run into each other. */
static double axis_name_size(pen *p, const layout_panel *q, int i)
{
    enum { NAME_GAP = 4 };
    const plot_ticks *t = &q->x_ticks;
    if (!q->p->s.x.n_names || t->n < 2) return TEXT_SIZE;
    double slot = fabs(plot_map_at(&q->x, t->at[1]) - plot_map_at(&q->x, t->at[0]));
    double fits = (slot - NAME_GAP) / fmax(canvas_text_width(p->c, TEXT_SIZE, t->label[i]), 1);
    return TEXT_SIZE * fmax(0.6, fmin(1, fits));
}

static void draw_horizontal(pen *p, const layout_panel *q)
{
    const plot_ticks *t = &q->x_ticks;
    double y = q->area.y1;
    canvas_set_colour(p->c, theme_colour(p->t->axis, 1));
    canvas_set_pen(p->c, 0.6, PLOT_SOLID);
    for (int i = 0; i < t->n + t->n_minor; i++) {
        double v = i < t->n ? t->at[i] : t->minor[i - t->n], x = plot_map_at(&q->x, v);
        if (axis_shows(&q->x, v)) draw_segment(p, x, y, x, y + (i < t->n ? 3 : 1.8));
    }
    canvas_stroke(p->c);
    if (!q->x_labels) return;
    canvas_set_colour(p->c, theme_colour(p->t->ink, 1));
    for (int i = 0; i < t->n; i++)
        if (axis_shows(&q->x, t->at[i]))
            canvas_text(p->c, plot_map_at(&q->x, t->at[i]), y + 4 + TEXT_SIZE,
                        axis_name_size(p, q, i), ANCHOR_CENTRE, t->label[i]);
    canvas_text(p->c, 0.5 * (q->area.x0 + q->area.x1), y + 2 * LINE_HEIGHT + 3, TEXT_SIZE,
                ANCHOR_CENTRE, q->x_label);
}

static void draw_axes(pen *p, const layout_panel *q)
{
    const plot_rect *a = &q->area;
    canvas_set_colour(p->c, theme_colour(p->t->axis, 1));
    canvas_set_pen(p->c, 0.7, PLOT_SOLID);
    canvas_move(p->c, a->x0, a->y0);
    canvas_line(p->c, a->x0, a->y1);
    canvas_line(p->c, a->x1, a->y1);
    if (q->p->has_right) canvas_line(p->c, a->x1, a->y0);
    canvas_stroke(p->c);
    draw_vertical(p, &q->left, &q->left_ticks, a->x0, -1);
    if (q->p->has_right) draw_vertical(p, &q->right, &q->right_ticks, a->x1, 1);
    draw_horizontal(p, q);
    canvas_set_colour(p->c, theme_colour(p->t->ink, 1));
    double y = a->y0 - 8;
    canvas_text(p->c, q->edge, y, TEXT_SIZE, ANCHOR_LEFT, q->left_label);
    if (q->p->has_right)
        canvas_text(p->c, a->x1 + 5 + 14, y, TEXT_SIZE, ANCHOR_RIGHT, q->right_label);
    if (q->p->s.title)
        canvas_text(p->c, 0.5 * (a->x0 + a->x1), y - LINE_HEIGHT - 1, TEXT_SIZE + 1, ANCHOR_CENTRE,
                    q->p->s.title);
}

/* ---- contents -------------------------------------------------------------------------------- */

static void stroke_path(pen *p, const plot_path *path, const plot_rect *clip)
{
    bool up = true;
    double px = 0, py = 0;
    for (size_t i = 0; i < path->n; i++) {
        const plot_point *b = &path->at[i];
        if (b->start) {
            up = true;
            continue;
        }
        double x0 = b[-1].x, y0 = b[-1].y, x1 = b->x, y1 = b->y;
        if (!plot_clip_segment(clip, &x0, &y0, &x1, &y1)) {
            up = true;
            continue;
        }
        if (up || x0 != px || y0 != py) canvas_move(p->c, x0, y0);
        canvas_line(p->c, x1, y1);
        px = x1;
        py = y1;
        up = false;
    }
    canvas_stroke(p->c);
}

/* Points between two gaps, which have no line. */
static void draw_lonely(pen *p, const plot_path *path, const plot_rect *clip, double radius)
{
    for (size_t i = 0; i < path->n; i++) {
        const plot_point *a = &path->at[i];
        bool lonely = a->start && (i + 1 == path->n || a[1].start);
        if (lonely && a->x >= clip->x0 && a->x <= clip->x1 && a->y >= clip->y0 && a->y <= clip->y1)
            canvas_disc(p->c, a->x, a->y, radius);
    }
}

static void draw_points(pen *p, const layout_panel *q, const plot_curve_spec *s, const plot_map *y)
{
    double radius = fmax(1.1, 1.15 * s->width), last_x = -INFINITY, last_y = -INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        double u = plot_map_at(&q->x, s->x[i]), v = plot_map_at(y, s->y[i]);
        if (isnan(u) || isnan(v) || u < q->area.x0 - 5 || u > q->area.x1 + 5 ||
            v < q->area.y0 - 5 || v > q->area.y1 + 5)
            continue;
        if (hypot(u - last_x, v - last_y) < 0.15) continue; // covered by the one before
        if (s->style == PLOT_CROSSES) {
            draw_segment(p, u - 2, v - 2, u + 2, v + 2);
            draw_segment(p, u - 2, v + 2, u + 2, v - 2);
            canvas_stroke(p->c);
        } else canvas_disc(p->c, u, v, radius);
        last_x = u;
        last_y = v;
    }
}

static bool turns_back(const plot_curve_spec *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (s->x[i] < s->x[i - 1]) return true;
    return false;
}

static unsigned lightened(unsigned colour, unsigned paper)
{
    unsigned v = 0;
    for (int shift = 0; shift <= 16; shift += 8)
        v |= ((colour >> shift & 255) * 22 + (paper >> shift & 255) * 78) / 100 << shift;
    return v;
}

static void draw_area(pen *p, const layout_panel *q, const plot_curve_spec *s, const plot_map *y)
{
    bool begun = false;
    canvas_set_colour(p->c, theme_colour(lightened(colour_of(p, s->colour), p->t->paper), 1));
    for (size_t i = 0; i < s->n; i++) {
        double u = plot_map_at(&q->x, s->x[i]), v = plot_map_at(y, s->y[i]);
        if (isnan(u) || isnan(v)) continue;
        if (begun) canvas_line(p->c, u, v);
        else canvas_move(p->c, u, v);
        begun = true;
    }
    if (begun) canvas_fill(p->c, false);
}

static void draw_curve(pen *p, const layout_panel *q, const plot_curve_spec *s)
{
    const plot_map *y = s->right ? &q->right : &q->left;
    if (s->style == PLOT_AREA) {
        draw_area(p, q, s, y);
        return;
    }
    canvas_set_colour(p->c, theme_colour(colour_of(p, s->colour), 1));
    canvas_set_pen(p->c, s->width, s->dash);
    if (s->style != PLOT_POINTS && s->style != PLOT_CROSSES) {
        plot_path path = {.m = p->m};
        plot_rect clip = {q->area.x0 - 20, q->area.y0 - 20, q->area.x1 + 20, q->area.y1 + 20};
        // less than half a line; much less where a curve may turn back within a column
        plot_path_trace(&path, s, &q->x, y, turns_back(s) ? 0.05 : 0.5);
        if (path.failed) p->status = RESULT_E_MEMORY;
        stroke_path(p, &path, &clip);
        draw_lonely(p, &path, &clip, s->width);
        plot_path_done(&path);
    }
    if (s->style >= PLOT_POINTS) draw_points(p, q, s, y);
}

/* Fill a region with a tint (the last one lies on top), or draw its boundary. */
static void draw_region(pen *p, const layout_panel *q, const plot_region_spec *s, bool boundary)
{
    if (!boundary && s->line_only) return;
    plot_path path = {.m = p->m};
    plot_path_contour(&path, s, boundary);
    for (size_t i = 0; i < path.n; i++) {
        path.at[i].x = plot_map_at(&q->x, path.at[i].x);
        path.at[i].y = plot_map_at(&q->left, path.at[i].y);
    }
    unsigned colour = colour_of(p, s->colour);
    if (boundary) {
        plot_rect clip = {q->area.x0 - 20, q->area.y0 - 20, q->area.x1 + 20, q->area.y1 + 20};
        canvas_set_colour(p->c, theme_colour(colour, 1));
        canvas_set_pen(p->c, 1.1, PLOT_SOLID);
        stroke_path(p, &path, &clip);
    } else {
        canvas_set_colour(p->c, theme_colour(lightened(colour, p->t->paper), 1));
        for (size_t i = 0; i < path.n; i++) {
            if (path.at[i].start) canvas_move(p->c, path.at[i].x, path.at[i].y);
            else canvas_line(p->c, path.at[i].x, path.at[i].y);
        }
        canvas_fill(p->c, false);
    }
    if (path.failed) p->status = RESULT_E_MEMORY;
    plot_path_done(&path);
}

/* A scale of colours that grow lighter evenly, for any eye and in print: five of the colours of viridis
 * (S. van der Walt, N. Smith, 2015), straight lines between them. */
static unsigned graded_colour(double grade)
{
    static const unsigned scale[] = {0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725};
    double at = 4 * fmin(fmax(grade, 0), 1);
    int i = at < 4 ? (int)at : 3;
    unsigned v = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double a = scale[i] >> shift & 255, b = scale[i + 1] >> shift & 255;
        v |= (unsigned)(a + (b - a) * (at - i) + 0.5) << shift;
    }
    return v;
}

static void draw_boxes(pen *p, const layout_panel *q)
{
    const double OVERLAP = 0.6; // of boxes of a scale: no seams
    for (const plot_box *b = q->p->boxes; b; b = b->next) {
        double x0 = plot_map_at(&q->x, b->s.x0), x1 = plot_map_at(&q->x, b->s.x1),
               y0 = plot_map_at(&q->left, b->s.y0), y1 = plot_map_at(&q->left, b->s.y1);
        if (isnan(x0 + x1 + y0 + y1)) continue;
        unsigned colour = b->s.graded ? graded_colour(b->s.grade) : colour_of(p, b->s.colour);
        canvas_set_colour(p->c,
                          theme_colour(b->s.pale ? lightened(colour, p->t->paper) : colour, 1));
        double more = b->s.graded ? OVERLAP : 0;
        canvas_rectangle(p->c, fmin(x0, x1), fmin(y0, y1), fabs(x1 - x0) + more,
                         fabs(y1 - y0) + more);
        if (b->s.outline) {
            canvas_set_pen(p->c, 0.8, PLOT_SOLID);
            canvas_stroke(p->c);
        } else canvas_fill(p->c, false);
    }
}

static void draw_marks(pen *p, const layout_panel *q)
{
    const plot_rect *a = &q->area;
    for (const plot_mark *k = q->p->marks; k; k = k->next) {
        double x = plot_map_at(&q->x, k->x), y = plot_map_at(&q->left, k->y);
        canvas_set_colour(p->c, theme_colour(p->t->soft, k->kind == MARK_EVENT ? 0.7 : 1));
        canvas_set_pen(p->c, 0.7, k->kind == MARK_EVENT ? PLOT_DOTTED : PLOT_DASHED);
        if (k->kind == MARK_EVENT && !isnan(x)) draw_segment(p, x, a->y0, x, a->y1);
        if (k->kind == MARK_LEVEL && !isnan(y)) draw_segment(p, a->x0, y, a->x1, y);
        canvas_stroke(p->c);
        if (!k->text || isnan(y)) continue;
        canvas_set_colour(p->c, theme_colour(p->t->ink, 1));
        if (k->kind == MARK_LEVEL)
            canvas_text(p->c, a->x1 - 3, y - 3, SMALL_SIZE, ANCHOR_RIGHT, k->text);
        else if (!isnan(x)) canvas_text(p->c, x + 3, y - 3, SMALL_SIZE, ANCHOR_LEFT, k->text);
    }
}

/* ---- legends --------------------------------------------------------------------------------- */

static void draw_direct(pen *p, const layout_panel *q)
{
    for (int i = 0; i < q->n_keys; i++) {
        const layout_key *k = &q->keys[i];
        canvas_set_colour(p->c, theme_colour(colour_of(p, k->colour), 1));
        canvas_text(p->c, q->area.x1 + 5, k->at + 0.34 * TEXT_SIZE, TEXT_SIZE, ANCHOR_LEFT,
                    k->label);
    }
}

static void draw_sample(pen *p, const layout_key *k, double x, double y)
{
    unsigned colour = colour_of(p, k->colour);
    if (k->region) {
        canvas_set_colour(p->c, theme_colour(lightened(colour, p->t->paper), 1));
        canvas_rectangle(p->c, x, y - 3.5, 16, 7);
        canvas_fill(p->c, true);
    }
    canvas_set_colour(p->c, theme_colour(colour, 1));
    if (k->region) {
        canvas_set_pen(p->c, 0.8, PLOT_SOLID);
        canvas_stroke(p->c);
        return;
    }
    canvas_set_pen(p->c, 1.5, k->dash);
    if (k->style != PLOT_POINTS) draw_segment(p, x, y, x + 16, y);
    canvas_stroke(p->c);
    if (k->style == PLOT_POINTS || k->style == PLOT_LINE_POINTS) canvas_disc(p->c, x + 8, y, 1.7);
}

static void draw_legend(pen *p, const layout_panel *q)
{
    const plot_rect *b = &q->legend_box;
    if (q->legend == LEGEND_INSIDE) {
        canvas_set_colour(p->c, theme_colour(p->t->paper, 0.86));
        canvas_rectangle(p->c, b->x0, b->y0, b->x1 - b->x0, b->y1 - b->y0);
        canvas_fill(p->c, false);
    }
    for (int i = 0; i < q->n_keys + (q->n_hidden > 0); i++) {
        char more[40];
        bool hidden = i == q->n_keys;
        double x = b->x0 + i / q->key_rows * q->key_width,
               y = b->y0 + 2 + (i % q->key_rows + 0.5) * LINE_HEIGHT;
        layout_hidden_text(q, more, sizeof more);
        if (!hidden) draw_sample(p, &q->keys[i], x + 4, y);
        canvas_set_colour(p->c, theme_colour(hidden ? p->t->soft : p->t->ink, 1));
        canvas_text(p->c, x + 25, y + 0.35 * TEXT_SIZE, TEXT_SIZE, ANCHOR_LEFT,
                    hidden ? more : q->keys[i].label);
    }
}

/* ---- the page -------------------------------------------------------------------------------- */

static void draw_panel(pen *p, const layout_panel *q)
{
    const plot_rect *a = &q->area;
    canvas_clip(p->c, a->x0 - 1, a->y0 - 1, a->x1 - a->x0 + 2, a->y1 - a->y0 + 2);
    for (const plot_region *r = q->p->regions; r; r = r->next) draw_region(p, q, &r->s, false);
    draw_grid(p, q);
    for (const plot_region *r = q->p->regions; r; r = r->next) draw_region(p, q, &r->s, true);
    draw_boxes(p, q);
    draw_marks(p, q);
    for (const plot_curve *s = q->p->curves; s; s = s->next) draw_curve(p, q, &s->s);
    canvas_unclip(p->c);
    draw_axes(p, q);
    if (q->legend == LEGEND_DIRECT) draw_direct(p, q);
    else if (q->legend != LEGEND_NONE) draw_legend(p, q);
    if (q->empty) {
        canvas_set_colour(p->c, theme_colour(p->t->soft, 1));
        canvas_text(p->c, 0.5 * (a->x0 + a->x1), 0.5 * (a->y0 + a->y1), TEXT_SIZE, ANCHOR_CENTRE,
                    "no data");
    }
}

static void draw_page(pen *p, const plot_figure *f, const layout *l)
{
    canvas_set_colour(p->c, theme_colour(p->t->paper, 1));
    canvas_rectangle(p->c, 0, 0, l->width + 1, l->height + 1);
    canvas_fill(p->c, false);
    canvas_set_colour(p->c, theme_colour(p->t->ink, 1));
    if (f->s.title) canvas_text(p->c, 10, l->title_y, TITLE_SIZE, ANCHOR_LEFT, f->s.title);
    canvas_set_colour(p->c, theme_colour(p->t->soft, 1));
    if (f->s.note) canvas_text(p->c, 10, l->note_y, SMALL_SIZE, ANCHOR_LEFT, f->s.note);
    for (int i = 0; i < l->n; i++) draw_panel(p, &l->panels[i]);
}

int plot_render(plot_figure *f, const plot_format *format,
                int (*write)(void *user, const void *bytes, size_t n), void *user,
                result_fault *fault)
{
    if (f->status) return result_fail(fault, f->status, "C609", "out of memory");
    pen p = {.t = f->s.dark ? &dark : &light, .m = f->m};
    canvas_target to = {.kind = format->canvas,
                        .scale = f->s.scale,
                        .font = f->s.font,
                        .title = f->s.title,
                        .write = write,
                        .user = user};
    layout_size(f, &to.width, &to.height);
    int rc = canvas_open(f->m, &to, &p.c, fault);
    if (rc) return rc;
    layout l;
    p.status = layout_make(&l, f, p.c);
    if (p.status == RESULT_OK) draw_page(&p, f, &l);
    layout_done(&l, f->m);
    rc = canvas_close(p.c, fault);
    if (p.status) return result_fail(fault, p.status, "C609", "out of memory");
    return rc;
}
