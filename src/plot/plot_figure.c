/* Building figures.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_figure.h"

#include "plot/ticks.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK_BYTES = 4096 };

typedef struct plot_block {
    struct plot_block *next;
    size_t cap, used; // of at
    _Alignas(16) char at[];
} plot_block;

/* ---- memory ---------------------------------------------------------------------------------- */

void *plot_alloc(plot_figure *f, size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    plot_block *b = f->blocks;
    if (!b || b->cap - b->used < bytes) {
        size_t cap = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b = cap < SIZE_MAX / 2 ? mem_try(f->m, sizeof *b + cap) : NULL;
        if (!b) {
            f->status = RESULT_E_MEMORY;
            return NULL;
        }
        *b = (plot_block){.next = f->blocks, .cap = cap};
        f->blocks = b;
    }
    void *p = b->at + b->used;
    b->used += bytes;
    return p;
}

static void *figure_copy(plot_figure *f, const void *p, size_t bytes)
{
    void *q = plot_alloc(f, bytes);
    return q ? memcpy(q, p, bytes) : NULL;
}

static const char *copy_string(plot_figure *f, const char *s)
{
    return s ? figure_copy(f, s, strlen(s) + 1) : NULL;
}

int plot_new(mem *m, const plot_figure_spec *spec, plot_figure **out)
{
    plot_figure *f = mem_try(m, sizeof *f);
    *out = f;
    if (!f) return RESULT_E_MEMORY;
    *f = (plot_figure){.m = m, .last_panel = &f->panels};
    if (spec) f->s = *spec;
    if (f->s.columns < 1) f->s.columns = 1;
    if (!(f->s.scale > 0.1 && f->s.scale < 20)) f->s.scale = 2;
    f->s.title = copy_string(f, f->s.title);
    f->s.note = copy_string(f, f->s.note);
    f->s.font = copy_string(f, f->s.font ? f->s.font : "sans-serif");
    return RESULT_OK;
}

void plot_free(plot_figure *f)
{
    if (!f) return;
    for (plot_block *b = f->blocks, *next; b; b = next) {
        next = b->next;
        mem_free(f->m, b, sizeof *b + b->cap);
    }
    mem_free(f->m, f, sizeof *f);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void copy_axis(plot_figure *f, plot_axis *a)
{
    a->label = copy_string(f, a->label);
    a->unit = copy_string(f, a->unit);
    if (a->n_names > 0) {
        const char **names = plot_alloc(f, (size_t)a->n_names * sizeof *names);
        for (int i = 0; names && i < a->n_names; i++) names[i] = copy_string(f, a->names[i]);
        a->names = names;
        if (!names) a->n_names = 0;
    }
    a->fixed &= isfinite(a->lo) && isfinite(a->hi) && a->lo != a->hi;
    if (a->log) a->fixed &= a->lo > 0 && a->hi > 0;
}

plot_panel *plot_add_panel(plot_figure *f, const plot_panel_spec *spec)
{
    plot_panel *p = f ? plot_alloc(f, sizeof *p) : NULL;
    if (!p) return NULL;
    *p = (plot_panel){.f = f};
    if (spec) p->s = *spec;
    p->last_curve = &p->curves;
    p->last_region = &p->regions;
    p->last_box = &p->boxes;
    p->last_mark = &p->marks;
    p->s.title = copy_string(f, p->s.title);
    copy_axis(f, &p->s.x);
    copy_axis(f, &p->s.left);
    copy_axis(f, &p->s.right);
    if (!(p->s.weight > 0)) p->s.weight = 1;
    *f->last_panel = p;
    f->last_panel = &p->next;
    f->n_panels++;
    return p;
}

/* Allocate a part of type T with spec `s` and append it to the list of that name. */
#define APPEND(p, T, part, spec)                                                                   \
    T *part = plot_alloc((p)->f, sizeof *part);                                                    \
    if (!part) return;                                                                             \
    *part = (T){.s = *(spec)};                                                                     \
    *(p)->last_##part = part;                                                                      \
    (p)->last_##part = &part->next

void plot_add_curve(plot_panel *p, const plot_curve_spec *spec)
{
    if (!p) return;
    APPEND(p, plot_curve, curve, spec);
    curve->s.label = copy_string(p->f, spec->label);
    if (spec->colour <= 0) curve->s.colour = p->next_colour++ % PLOT_COLOURS + 1;
    if (!(spec->width > 0)) curve->s.width = 1.3;
    if (!spec->borrowed && spec->n > 0) {
        curve->s.x = figure_copy(p->f, spec->x, spec->n * sizeof *spec->x);
        curve->s.y = figure_copy(p->f, spec->y, spec->n * sizeof *spec->y);
    }
    if (!curve->s.x || !curve->s.y) curve->s.n = 0;
    p->has_right |= spec->right;
}

void plot_add_region(plot_panel *p, const plot_region_spec *spec)
{
    if (!p || spec->nx < 2 || spec->ny < 2) return;
    APPEND(p, plot_region, region, spec);
    region->s.label = copy_string(p->f, spec->label);
    if (spec->colour <= 0) region->s.colour = p->next_colour++ % PLOT_COLOURS + 1;
    if (!spec->borrowed)
        region->s.values = figure_copy(p->f, spec->values,
                                       (size_t)spec->nx * (size_t)spec->ny * sizeof *spec->values);
    if (!region->s.values) region->s.nx = 0;
}

void plot_add_box(plot_panel *p, const plot_box_spec *spec)
{
    if (!p) return;
    APPEND(p, plot_box, box, spec);
    if (spec->colour <= 0) box->s.colour = 1;
}

static void add_mark(plot_panel *p, plot_mark_kind kind, double x, double y, const char *s)
{
    plot_mark *k = p ? plot_alloc(p->f, sizeof *k) : NULL;
    if (!k) return;
    *k = (plot_mark){.kind = kind, .x = x, .y = y, .text = copy_string(p->f, s)};
    *p->last_mark = k;
    p->last_mark = &k->next;
}

void plot_add_event(plot_panel *p, double x)
{
    add_mark(p, MARK_EVENT, x, 0, NULL);
}

void plot_add_level(plot_panel *p, double y, const char *label)
{
    add_mark(p, MARK_LEVEL, 0, y, label);
}

void plot_add_text(plot_panel *p, double x, double y, const char *s)
{
    add_mark(p, MARK_TEXT, x, y, s);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void extend_limits(double v, bool log, double *lo, double *hi)
{
    if (!isfinite(v) || (log && v <= 0)) return;
    if (v < *lo) *lo = v;
    if (v > *hi) *hi = v;
}

bool plot_extent(const plot_panel *p, plot_side side, double *lo, double *hi)
{
    bool x_log = p->s.x.log;
    const plot_axis *axis = side == SIDE_X ? &p->s.x : side == SIDE_LEFT ? &p->s.left : &p->s.right;
    *lo = INFINITY;
    *hi = -INFINITY;
    for (const plot_curve *c = p->curves; c; c = c->next) {
        if (side != SIDE_X && c->s.right != (side == SIDE_RIGHT)) continue;
        const double *v = side == SIDE_X ? c->s.x : c->s.y;
        const plot_axis *other = c->s.right ? &p->s.right : &p->s.left;
        const double *u = side == SIDE_X ? c->s.y : c->s.x;
        bool u_log = side == SIDE_X ? other->log : x_log;
        // a point counts when it can be seen
        for (size_t i = 0; i < c->s.n; i++)
            if (isfinite(u[i]) && (!u_log || u[i] > 0)) extend_limits(v[i], axis->log, lo, hi);
    }
    if (side != SIDE_RIGHT) {
        for (const plot_region *r = p->regions; r; r = r->next) {
            extend_limits(side == SIDE_X ? r->s.x0 : r->s.y0, axis->log, lo, hi);
            extend_limits(side == SIDE_X ? r->s.x1 : r->s.y1, axis->log, lo, hi);
        }
        for (const plot_box *b = p->boxes; b; b = b->next) {
            extend_limits(side == SIDE_X ? b->s.x0 : b->s.y0, axis->log, lo, hi);
            extend_limits(side == SIDE_X ? b->s.x1 : b->s.y1, axis->log, lo, hi);
        }
        for (const plot_mark *k = p->marks; k; k = k->next) {
            if (k->kind == MARK_TEXT)
                extend_limits(side == SIDE_X ? k->x : k->y, axis->log, lo, hi);
            if (k->kind == MARK_LEVEL && side == SIDE_LEFT) extend_limits(k->y, axis->log, lo, hi);
        }
    }
    return *lo <= *hi;
}

double plot_natural_shape(const plot_panel *p)
{
    double range[2];
    for (int i = 0; i < 2; i++) {
        const plot_axis *axis = i ? &p->s.left : &p->s.x;
        double lo = fmin(axis->lo, axis->hi), hi = fmax(axis->lo, axis->hi);
        if (!axis->fixed && !plot_extent(p, i ? SIDE_LEFT : SIDE_X, &lo, &hi)) return 1;
        plot_limits(&lo, &hi, axis->fixed ? 0 : 0.05, false);
        range[i] = hi - lo;
    }
    return fmin(fmax(range[1] / range[0], 0.45), 1.2);
}
