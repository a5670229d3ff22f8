/* Figures of sweeps: response curves, maps, histograms, scatter plots, families of curves.
 *
 * Of the rows as many are looked at as can be seen: a figure's memory does not grow with their number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_figure.h"

#include "result/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 6, POINTS_MOST = 4000, BINS_MOST = 60, CELLS_MOST = 100, SCATTER_MOST = 5 };

/* ---- rows in memory, thinned ----------------------------------------------------------------- */

typedef struct sample {
    mem *m;
    const sweep_heading *h;
    uint64_t stride; // every so many rows of a group are kept ...
    uint64_t group;  // ... or whole groups of this many
    size_t n, cap;
    int width;
    double *rows;
} sample;

static int see_sample(void *user, const sweep_rows *rows)
{
    sample *s = user;
    for (int i = 0; i < rows->n && s->n < s->cap; i++) {
        uint64_t run = rows->first + (uint64_t)i - s->h->first;
        if (run / s->group % s->stride) continue;
        memcpy(s->rows + s->n++ * (size_t)s->width, rows->values + (size_t)i * (size_t)s->width,
               (size_t)s->width * sizeof(double));
    }
    return RESULT_OK;
}

/* Rows that can be seen: whole groups, as many as fit into POINTS_MOST or at least one. */
static int take_sample(mem *m, const sweep_picture *p, uint64_t group, size_t most, sample *s,
                       result_fault *fault)
{
    uint64_t n = p->h->last - p->h->first, groups = n / group + (n % group != 0);
    uint64_t fit = most / group ? most / group : 1;
    *s = (sample){.m = m, .h = p->h, .group = group, .width = p->h->n_parameters + p->h->n_values};
    s->stride = groups / fit + (groups % fit != 0);
    if (!s->stride) s->stride = 1;
    s->cap = (size_t)((groups / s->stride + 1) * group);
    s->rows = mem_try(m, s->cap * (size_t)s->width * sizeof(double) + 1);
    if (!s->rows) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    return sweep_store_each(p->store, see_sample, s, fault);
}

static void sample_done(sample *s)
{
    mem_free(s->m, s->rows, s->cap * (size_t)s->width * sizeof(double) + 1);
}

static double at(const sample *s, size_t row, int column)
{
    return s->rows[row * (size_t)s->width + (size_t)column];
}

/* ---- quantiles of a few numbers -------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x; NaN are dropped. */
static double quantile_of(const double *x, size_t n, double share)
{
    double rank = ceil(share * (double)n) - 1;
    return n ? x[rank > 0 ? (size_t)rank : 0] : NAN;
}

static size_t sort_numbers(double *x, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) x[kept++] = x[i];
    qsort(x, kept, sizeof *x, by_size);
    return kept;
}

/* A band between two curves: there along one, and back along the other. */
static void add_band(plot_figure *f, plot_panel *panel, const double *x, const double *lo,
                     const double *hi, size_t n, const char *label)
{
    double *u = plot_alloc(f, 2 * n * sizeof *u), *v = plot_alloc(f, 2 * n * sizeof *v);
    if (!u || !v) return;
    for (size_t i = 0; i < n; i++) {
        u[i] = x[i], v[i] = lo[i];
        u[2 * n - 1 - i] = x[i], v[2 * n - 1 - i] = hi[i];
    }
    plot_add_curve(panel, &(plot_curve_spec){.x = u,
                                             .y = v,
                                             .n = 2 * n,
                                             .style = PLOT_AREA,
                                             .colour = 1,
                                             .label = label,
                                             .borrowed = true});
}

/* Bands and the median of values[i][k], k < n_each, over x[i]. room: n_each numbers. named: in the
 * legend, of the first panel only: it holds for all of them. */
static void add_quantiles(plot_figure *f, plot_panel *panel, bool named, const double *x, size_t n,
                          size_t n_each, double (*value)(const void *user, size_t i, size_t k),
                          const void *user, double *room)
{
    static const double shares[] = {0.05, 0.95, 0.25, 0.75, 0.5};
    double *q[5];
    for (int k = 0; k < 5; k++) {
        q[k] = plot_alloc(f, n * sizeof(double));
        if (!q[k]) return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_each; k++) room[k] = value(user, i, k);
        size_t kept = sort_numbers(room, n_each);
        for (int k = 0; k < 5; k++) q[k][i] = quantile_of(room, kept, shares[k]);
    }
    add_band(f, panel, x, q[0], q[1], n, named ? "5 to 95 %" : NULL);
    // The inner band is drawn by its edges, which tints on tints would hide.
    for (int k = 2; k < 4; k++)
        plot_add_curve(panel, &(plot_curve_spec){.x = x,
                                                 .y = q[k],
                                                 .n = n,
                                                 .colour = 1,
                                                 .width = 0.7,
                                                 .dash = PLOT_DASHED,
                                                 .label = k == 2 && named ? "25, 75 %" : NULL});
    plot_add_curve(panel,
                   &(plot_curve_spec){
                       .x = x, .y = q[4], .n = n, .colour = 1, .label = named ? "median" : NULL});
}

/* ---- response curves ------------------------------------------------------------------------- */

static plot_axis axis_of(const char *label, bool log, bool tight)
{
    return (plot_axis){.label = label, .log = log, .tight = tight};
}

typedef struct response {
    const sample *s;
    int column;
    uint64_t samples;
} response;

static double response_value(const void *user, size_t i, size_t k)
{
    const response *r = user;
    return at(r->s, i * r->samples + k, r->column);
}

static int shown_values(const sweep_heading *h)
{
    return h->n_values < VALUES_MOST ? h->n_values : VALUES_MOST;
}

static int draw_response(mem *m, const sweep_picture *p, plot_figure *f, result_fault *fault)
{
    enum { RANDOM_ROWS = 400000 };
    const sweep_heading *h = p->h;
    sample s;
    bool random = h->samples > 1;
    int rc = take_sample(m, p, h->samples, random ? RANDOM_ROWS : POINTS_MOST, &s, fault);
    size_t n = s.n / h->samples;
    double *room = mem_try(m, h->samples * sizeof *room);
    for (int k = 0; k < shown_values(h) && !rc && room; k++) {
        plot_panel *panel = plot_add_panel(
            f, &(plot_panel_spec){.x = axis_of(h->parameters[h->axis], p->o.log_x, true),
                                  .left = axis_of(h->values[k], p->o.log_y, false)});
        double *x = plot_alloc(f, n * sizeof *x), *y = plot_alloc(f, n * sizeof *y);
        for (size_t i = 0; i < n && x && y; i++) {
            x[i] = at(&s, i * h->samples, h->axis);
            y[i] = at(&s, i * h->samples, h->n_parameters + k);
        }
        if (!x || !y) break;
        response r = {&s, h->n_parameters + k, h->samples};
        if (random) add_quantiles(f, panel, !k, x, n, h->samples, response_value, &r, room);
        else
            plot_add_curve(panel,
                           &(plot_curve_spec){.x = x,
                                              .y = y,
                                              .n = n,
                                              .colour = 1,
                                              .borrowed = true,
                                              .style = n <= 40 ? PLOT_LINE_POINTS : PLOT_LINE});
    }
    if (!rc && !room) rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    mem_free(m, room, h->samples * sizeof *room);
    sample_done(&s);
    return rc;
}

/* ---- maps ------------------------------------------------------------------------------------ */

typedef struct map_pass { // means over the samples, in at most CELLS_MOST cells each way
    const sweep_heading *h;
    int nx, ny;
    double *x, *y; // the values of the grids, as far as they were met
    size_t n_x, n_y;
    double *sum, *count; // [value][iy][ix]
    double lo_x, hi_x, lo_y, hi_y;
} map_pass;

static int see_limits(void *user, const sweep_rows *rows)
{
    map_pass *q = user;
    for (int i = 0; i < rows->n; i++) {
        const double *row = rows->values + (size_t)i * (size_t)rows->width;
        double x = row[q->h->axis], y = row[q->h->second_axis];
        if (x < q->lo_x) q->lo_x = x;
        if (x > q->hi_x) q->hi_x = x;
        if (y < q->lo_y) q->lo_y = y;
        if (y > q->hi_y) q->hi_y = y;
    }
    return RESULT_OK;
}

static int cell_of(double x, double lo, double hi, int n)
{
    int i = (int)((x - lo) / (hi - lo) * (n - 1) + 0.5);
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int see_map(void *user, const sweep_rows *rows)
{
    map_pass *q = user;
    const sweep_heading *h = q->h;
    for (int i = 0; i < rows->n; i++) {
        const double *row = rows->values + (size_t)i * (size_t)rows->width;
        int ix = cell_of(row[h->axis], q->lo_x, q->hi_x, q->nx);
        int iy = cell_of(row[h->second_axis], q->lo_y, q->hi_y, q->ny);
        for (int k = 0; k < shown_values(h); k++) {
            size_t cell = ((size_t)k * (size_t)q->ny + (size_t)iy) * (size_t)q->nx + (size_t)ix;
            double v = row[h->n_parameters + k];
            if (!isfinite(v)) continue;
            q->sum[cell] += v;
            q->count[cell]++;
        }
    }
    return RESULT_OK;
}

/* The scale of a map: a narrow panel of boxes beside it, with an axis. */
static void draw_map(plot_figure *f, const map_pass *q, int k)
{
    const sweep_heading *h = q->h;
    size_t cells = (size_t)q->nx * (size_t)q->ny;
    const double *sum = q->sum + (size_t)k * cells, *count = q->count + (size_t)k * cells;
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < cells; i++) {
        if (count[i] == 0) continue;
        lo = fmin(lo, sum[i] / count[i]);
        hi = fmax(hi, sum[i] / count[i]);
    }
    double dx = (q->hi_x - q->lo_x) / (q->nx - 1), dy = (q->hi_y - q->lo_y) / (q->ny - 1);
    char title[200];
    snprintf(title, sizeof title, "%s, from %.4g (dark) to %.4g (light)", h->values[k], lo, hi);
    plot_panel *panel = plot_add_panel(
        f, &(plot_panel_spec){.title = title,
                              .x = {.label = h->parameters[h->axis], .tight = true},
                              .left = {.label = h->parameters[h->second_axis], .tight = true},
                              .no_grid = true});
    for (int iy = 0; iy < q->ny; iy++)
        for (int ix = 0; ix < q->nx; ix++) {
            size_t i = (size_t)iy * (size_t)q->nx + (size_t)ix;
            if (count[i] == 0) continue;
            double x = q->lo_x + ix * dx, y = q->lo_y + iy * dy, v = sum[i] / count[i];
            plot_add_box(panel, &(plot_box_spec){.x0 = x - 0.5 * dx,
                                                 .x1 = x + 0.5 * dx,
                                                 .y0 = y - 0.5 * dy,
                                                 .y1 = y + 0.5 * dy,
                                                 .graded = true,
                                                 .grade = hi > lo ? (v - lo) / (hi - lo) : 0.5});
        }
}

static int draw_maps(mem *m, const sweep_picture *p, plot_figure *f, result_fault *fault)
{
    const sweep_heading *h = p->h;
    map_pass q = {.h = h, .lo_x = INFINITY, .hi_x = -INFINITY, .lo_y = INFINITY, .hi_y = -INFINITY};
    int rc = sweep_store_each(p->store, see_limits, &q, fault);
    uint64_t nx = h->grid, ny = h->second_grid;
    q.nx = nx < CELLS_MOST ? (int)nx : CELLS_MOST;
    q.ny = ny < CELLS_MOST ? (int)ny : CELLS_MOST;
    if (rc || !(q.hi_x > q.lo_x) || !(q.hi_y > q.lo_y)) return rc;
    size_t bytes = (size_t)shown_values(h) * (size_t)q.nx * (size_t)q.ny * sizeof(double);
    q.sum = mem_try(m, bytes);
    q.count = mem_try(m, bytes);
    if (q.sum && q.count) {
        memset(q.sum, 0, bytes);
        memset(q.count, 0, bytes);
        rc = sweep_store_each(p->store, see_map, &q, fault);
        for (int k = 0; k < shown_values(h) && !rc; k++) draw_map(f, &q, k);
    } else {
        rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    }
    mem_free(m, q.sum, bytes);
    mem_free(m, q.count, bytes);
    return rc;
}

/* ---- histograms ------------------------------------------------------------------------------ */

typedef struct histogram {
    const sweep_picture *p;
    double lo[VALUES_MOST], width[VALUES_MOST];
    int bins[VALUES_MOST];
    double count[VALUES_MOST][BINS_MOST];
} histogram;

static int see_histogram(void *user, const sweep_rows *rows)
{
    histogram *q = user;
    const sweep_heading *h = q->p->h;
    for (int i = 0; i < rows->n; i++) {
        const double *values = rows->values + (size_t)i * (size_t)rows->width + h->n_parameters;
        for (int k = 0; k < shown_values(h); k++) {
            double place = (values[k] - q->lo[k]) / q->width[k];
            if (!(place >= 0) || !q->bins[k]) continue; // NaN, too
            int bin = place < q->bins[k] ? (int)place : q->bins[k] - 1;
            q->count[k][bin]++;
        }
    }
    return RESULT_OK;
}

/* Bins of the width 2 IQR n^(-1/3): D. Freedman, P. Diaconis, Z. Wahrsch. verw. Geb. 57 (1981) 453-476. */
static void choose_bins(const vinc_sweep_value *v, double *lo, double *width, int *bins)
{
    *bins = 0;
    if (v->n < 2 || !(v->max > v->min) || !isfinite(v->max - v->min)) return;
    double iqr = v->quantiles[3] - v->quantiles[1], w = 2 * iqr / cbrt((double)v->n);
    double n = w > 0 ? ceil((v->max - v->min) / w) : sqrt((double)v->n);
    *bins = n < 5 ? 5 : n > BINS_MOST ? BINS_MOST : (int)n;
    *lo = v->min;
    *width = (v->max - v->min) / *bins;
}

static int draw_histograms(mem *m, const sweep_picture *p, plot_figure *f, result_fault *fault)
{
    const sweep_heading *h = p->h;
    histogram *q = mem_try(m, sizeof *q);
    if (!q) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    memset(q, 0, sizeof *q);
    q->p = p;
    for (int k = 0; k < shown_values(h); k++)
        choose_bins(&p->told->values[k], &q->lo[k], &q->width[k], &q->bins[k]);
    int rc = sweep_store_each(p->store, see_histogram, q, fault);
    for (int k = 0; k < shown_values(h) && !rc; k++) {
        if (!q->bins[k]) continue;
        plot_panel *panel = plot_add_panel(
            f, &(plot_panel_spec){.x = {.label = h->values[k]}, .left = {.label = "runs"}});
        for (int i = 0; i < q->bins[k]; i++) {
            double x = q->lo[k] + i * q->width[k];
            plot_add_box(
                panel,
                &(plot_box_spec){
                    .x0 = x, .x1 = x + q->width[k], .y0 = 0, .y1 = q->count[k][i], .pale = true});
            plot_add_box(panel, &(plot_box_spec){.x0 = x,
                                                 .x1 = x + q->width[k],
                                                 .y0 = 0,
                                                 .y1 = q->count[k][i],
                                                 .outline = true});
        }
    }
    mem_free(m, q, sizeof *q);
    return rc;
}

/* ---- scatter plots --------------------------------------------------------------------------- */

static int draw_scatter(mem *m, const sweep_picture *p, plot_figure *f, result_fault *fault)
{
    const sweep_heading *h = p->h;
    sample s;
    int rc = take_sample(m, p, h->per_sample, POINTS_MOST, &s, fault);
    int rows = h->n_values < SCATTER_MOST ? h->n_values : SCATTER_MOST;
    int columns = h->n_parameters < SCATTER_MOST ? h->n_parameters : SCATTER_MOST;
    for (int k = 0; k < rows && !rc; k++)
        for (int i = 0; i < columns; i++) {
            plot_panel *panel = plot_add_panel(
                f, &(plot_panel_spec){.x = {.label = k + 1 == rows ? h->parameters[i] : NULL},
                                      .left = {.label = i ? NULL : h->values[k], .bare = i > 0}});
            double *x = plot_alloc(f, s.n * sizeof *x + 1), *y = plot_alloc(f, s.n * sizeof *y + 1);
            if (!x || !y) break;
            for (size_t r = 0; r < s.n; r++) {
                x[r] = at(&s, r, i);
                y[r] = at(&s, r, h->n_parameters + k);
            }
            plot_add_curve(panel, &(plot_curve_spec){.x = x,
                                                     .y = y,
                                                     .n = s.n,
                                                     .style = PLOT_POINTS,
                                                     .colour = 1,
                                                     .width = 0.6,
                                                     .borrowed = true});
        }
    sample_done(&s);
    return rc;
}

/* ---- families of curves ---------------------------------------------------------------------- */

typedef struct family {
    const sweep_curves *c;
    int var;
} family;

static double family_value(const void *user, size_t i, size_t k)
{
    const family *q = user;
    const sweep_curves *c = q->c;
    return (double)c->values[(k * (size_t)c->vars_room + (size_t)q->var) * (size_t)c->n_points + i];
}

static int draw_families(mem *m, const sweep_picture *p, plot_figure *f, result_fault *fault)
{
    const sweep_curves *c = p->curves;
    size_t bytes = (size_t)c->n_runs * sizeof(double) + 1;
    double *room = mem_try(m, bytes);
    if (!room) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    for (int v = 0; v < c->n_vars && v < VALUES_MOST; v++) {
        enum { LINES = 12 }; // of single runs, faint
        plot_panel *panel =
            plot_add_panel(f, &(plot_panel_spec){.x = {.label = "t", .unit = "s", .tight = true},
                                                 .left = {.label = c->names[v]}});
        family q = {c, v};
        int stride = c->n_runs > LINES ? c->n_runs / LINES : 1;
        for (int k = 0; k < c->n_runs; k += stride) {
            double *y = plot_alloc(f, (size_t)c->n_points * sizeof *y);
            for (int i = 0; i < c->n_points && y; i++)
                y[i] = family_value(&q, (size_t)i, (size_t)k);
            if (y)
                plot_add_curve(panel,
                               &(plot_curve_spec){.x = c->t,
                                                  .y = y,
                                                  .n = (size_t)c->n_points,
                                                  .width = 0.5,
                                                  .colour = c->n_runs > LINES ? PLOT_FAINT : 1});
        }
        if (c->n_runs > LINES)
            add_quantiles(f, panel, !v, c->t, (size_t)c->n_points, (size_t)c->n_runs, family_value,
                          &q, room);
    }
    mem_free(m, room, bytes);
    return RESULT_OK;
}

/* ---- choosing -------------------------------------------------------------------------------- */

enum { FIGURE_FAMILIES, FIGURE_RESPONSE, FIGURE_HISTOGRAMS, FIGURE_SCATTER };

static bool has_figure(const sweep_picture *p, int which)
{
    const sweep_heading *h = p->h;
    bool grid = h->axis >= 0 && h->per_sample == 1;
    switch (which) {
    case FIGURE_FAMILIES: return p->curves && p->curves->n_runs;
    case FIGURE_RESPONSE: return grid && h->n_values;
    case FIGURE_HISTOGRAMS: return !grid && h->n_values;
    default: return !grid && h->n_values && h->n_parameters;
    }
}

int sweep_figure(mem *m, const sweep_picture *p, int which, plot_figure **out, result_fault *fault)
{
    const sweep_heading *h = p->h;
    *out = NULL;
    if (!has_figure(p, which) || !p->told->done) return RESULT_OK;
    bool maps = which == FIGURE_RESPONSE && h->second_axis >= 0;
    int columns = h->n_parameters < SCATTER_MOST ? h->n_parameters : SCATTER_MOST;
    int rows = h->n_values < SCATTER_MOST ? h->n_values : SCATTER_MOST;
    int n = which == FIGURE_FAMILIES ? 1 : shown_values(h);
    int across = which == FIGURE_SCATTER ? columns : n < 2 ? 1 : n == 3 ? 3 : 2;
    int down = which == FIGURE_FAMILIES ? p->curves->n_vars : (n + across - 1) / across;
    double width = p->o.width > 0 ? p->o.width : across > 2 ? 220.0 * across : 480;
    double high = p->roomy ? 60 + 200.0 * down : 0; // as the panels want
    char title[200];
    snprintf(title, sizeof title, "%s: %ld runs", h->class_name, p->told->done);
    plot_figure_spec spec = {.title = p->o.title ? p->o.title : title,
                             .note = p->o.note,
                             .columns = across,
                             .width = width,
                             .height = which == FIGURE_SCATTER ? 60 + 150.0 * rows
                                       : maps                  ? 70 + 230.0 * down
                                                               : high,
                             .dark = p->o.dark != 0};
    int rc = plot_new(m, &spec, out);
    if (rc < 0) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    switch (which) {
    case FIGURE_FAMILIES: rc = draw_families(m, p, *out, fault); break;
    case FIGURE_RESPONSE:
        rc = maps ? draw_maps(m, p, *out, fault) : draw_response(m, p, *out, fault);
        break;
    case FIGURE_HISTOGRAMS: rc = draw_histograms(m, p, *out, fault); break;
    default: rc = draw_scatter(m, p, *out, fault); break;
    }
    if (!rc) return rc;
    plot_free(*out);
    *out = NULL;
    return rc;
}
