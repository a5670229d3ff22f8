/* Arrays as fields: T[:] over time as a map of colours, T[:]@2.5 as a profile over its subscript.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/field_figure.h"

#include "result/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS_OF_TIME = 120, CELLS_OF_ARRAY = 80, POINTS_MARKED = 40 };

bool field_panel(const result_selection *s, int panel)
{
    for (int i = 0; i < s->n_curves; i++)
        if (s->curves[i].panel == panel && s->curves[i].field != RESULT_NO_FIELD) return true;
    return false;
}

/* The elements of one array in a panel: a run of curves, all of one kind and time. */
static int field_length(const result_selection *s, int first)
{
    const result_curve *c = &s->curves[first];
    int n = 1;
    while (first + n < s->n_curves && s->curves[first + n].panel == c->panel &&
           s->curves[first + n].field == c->field && s->curves[first + n].array == c->array)
        n++;
    return n;
}

static int field_first(const result_selection *s, int panel)
{
    int i = 0;
    while (i < s->n_curves && s->curves[i].panel != panel) i++;
    return i;
}

/* "T[i,3]" of "T[7,3]" */
static void array_name(const result *r, const result_curve *c, char *out, size_t size)
{
    const char *name = r->columns[c->y].name, *rest = name + c->open;
    snprintf(out, size, "%.*si%s", c->open, name, rest + strspn(rest, "0123456789"));
}

static double shown_at(const result *r, int column, double t)
{
    const result_column *c = &r->columns[column];
    double v = NAN;
    result_at(r, column, t, RESULT_RIGHT, &v);
    const result_look *k = c->look;
    return k->scale == 0 ? v : v * k->scale + k->offset;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static void field_map(plot_figure *f, const result *r, const result_selection *s, int first, int n)
{
    const result_curve *c = &s->curves[first];
    double t0 = result_time(r, 0), t1 = result_time(r, r->n_rows - 1), lo = INFINITY,
           hi = -INFINITY;
    int nx = r->n_rows < CELLS_OF_TIME ? (int)r->n_rows : CELLS_OF_TIME;
    int ny = n < CELLS_OF_ARRAY ? n : CELLS_OF_ARRAY;
    double *v = plot_alloc(f, (size_t)nx * (size_t)ny * sizeof *v), dt = (t1 - t0) / nx;
    for (int i = 0; v && i < nx * ny; i++) {
        int element = first + (int)((long)(i / nx) * n / ny);
        v[i] = shown_at(r, s->curves[element].y, t0 + (i % nx + 0.5) * dt);
        if (isfinite(v[i])) lo = fmin(lo, v[i]), hi = fmax(hi, v[i]);
    }
    char name[120], label[300], unit[60];
    array_name(r, c, name, sizeof name);
    plot_unit(result_shown_unit(r, c->y), unit, sizeof unit);
    snprintf(label, sizeof label, "i of %s, from %.4g (dark) to %.4g (light)%s%s", name, lo, hi,
             *unit ? " " : "", unit);
    plot_panel *p = plot_add_panel(
        f, &(plot_panel_spec){.x = {.label = "time", .unit = "s", .tight = true},
                              .left = {.label = label, .integers = true, .tight = true},
                              .no_grid = true,
                              .weight = 1.5});
    double dy = (double)n / ny;
    for (int i = 0; v && i < nx * ny; i++)
        if (isfinite(v[i]))
            plot_add_box(p, &(plot_box_spec){.x0 = t0 + i % nx * dt,
                                             .x1 = t0 + (i % nx + 1) * dt,
                                             .y0 = 0.5 + i / nx * dy,
                                             .y1 = 0.5 + (i / nx + 1) * dy,
                                             .graded = true,
                                             .grade = hi > lo ? (v[i] - lo) / (hi - lo) : 0.5});
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void field_profile(plot_figure *f, plot_panel *p, const result *r, const result_selection *s,
                          int first, int n, bool named)
{
    const result_curve *c = &s->curves[first];
    double *x = plot_alloc(f, (size_t)n * sizeof *x), *y = plot_alloc(f, (size_t)n * sizeof *y);
    char label[200], name[120];
    if (!x || !y) return;
    for (int i = 0; i < n; i++) {
        x[i] = i + 1;
        y[i] = shown_at(r, s->curves[first + i].y, c->at);
    }
    array_name(r, c, name, sizeof name);
    snprintf(label, sizeof label, "%s%st = %.6g", named ? name : "", named ? ", " : "", c->at);
    plot_add_curve(p, &(plot_curve_spec){.label = label,
                                         .x = x,
                                         .y = y,
                                         .n = (size_t)n,
                                         .style = n <= POINTS_MARKED ? PLOT_LINE_POINTS : PLOT_LINE,
                                         .borrowed = true});
}

static void field_profiles(plot_figure *f, const result *r, const result_selection *s, int panel)
{
    int first = field_first(s, panel);
    char name[120], other[120];
    array_name(r, &s->curves[first], name, sizeof name);
    bool one = true;
    for (int i = first; i < s->n_curves && s->curves[i].panel == panel; i++) {
        array_name(r, &s->curves[i], other, sizeof other);
        one = one && !strcmp(name, other);
    }
    plot_panel *p = plot_add_panel(
        f, &(plot_panel_spec){.x = {.label = "i", .integers = true},
                              .left = {.label = one ? name : "",
                                       .unit = result_shown_unit(r, s->curves[first].y)}});
    for (int i = first; i < s->n_curves && s->curves[i].panel == panel;) {
        int n = field_length(s, i);
        field_profile(f, p, r, s, i, n, !one);
        i += n;
    }
}

int field_add(plot_figure *f, const result *r, const result_selection *s, int panel,
              result_fault *fault)
{
    int first = field_first(s, panel), n = field_length(s, first);
    const result_curve *c = &s->curves[first];
    for (int i = first; i < s->n_curves && s->curves[i].panel == panel; i++) {
        bool same = s->curves[i].field == c->field && (c->field == RESULT_PROFILE || i < first + n);
        if (!same)
            return result_fail(fault, RESULT_E_SYNTAX, "C608",
                               "a panel with '%.120s' and others shows one array over time, or "
                               "profiles, T[:]@0, T[:]@1; separate panels by semicolons",
                               r->columns[c->y].name);
    }
    if (c->field == RESULT_PROFILE) field_profiles(f, r, s, panel);
    else field_map(f, r, s, first, n);
    return RESULT_OK;
}
