/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab_figure.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

enum {
    GRID_POINTS = 260,  // points of a region along the imaginary axis
    CURVE_POINTS = 400, // points of a curve
    FIGURE_RAYS = 90
};

#define MODULUS_TOL       1e-7 // roots of modulus 1 by construction count as stable
#define MODULUS_SHOWN_MAX 1e4

typedef struct window {
    double x0, x1, y;
} window;

static double figure_modulus(const lab_report *r, double re, double im)
{
    point p, a = lab_amplification(r, (point){re, im}, &p);
    double size = hypot(a.re, a.im);
    return isfinite(size) ? fmin(size, MODULUS_SHOWN_MAX) : MODULUS_SHOWN_MAX;
}

/* ---- stability region ------------------------------------------------------------------------ */

/* Where the region has its shape: beyond the box every ray from the origin is stable or unstable
 * for good. */
static window figure_shape(const lab_report *r)
{
    window w = {0, 0, 0};
    for (int k = 0; k <= FIGURE_RAYS; k++) {
        double angle = M_PI * k / FIGURE_RAYS;
        if (fabs(angle - M_PI / 2) < 0.03) continue; // the axis itself is often the boundary
        double c = cos(angle), s = sin(angle), last = 0;
        bool before = figure_modulus(r, 1e3 * c, 1e3 * s) <= 1 + MODULUS_TOL;
        for (double d = 40; d > 0.05; d /= 1.06) {
            bool stable = figure_modulus(r, d * c, d * s) <= 1 + MODULUS_TOL;
            if (stable != before) {
                last = d;
                break;
            }
        }
        w.x0 = fmin(w.x0, last * c);
        w.x1 = fmax(w.x1, last * c);
        w.y = fmax(w.y, last * s);
    }
    return w;
}

static window figure_frame(const lab_report *const *reports, int n)
{
    window w = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        window s = figure_shape(reports[i]);
        w.x0 = fmin(w.x0, s.x0), w.x1 = fmax(w.x1, s.x1), w.y = fmax(w.y, s.y);
    }
    double size = fmax(fmax(w.x1 - w.x0, 2 * w.y), 0.01);
    if (size < 1) size = 6; // nothing but half planes
    double middle = 0.5 * (w.x0 + w.x1), half = 0.62 * size;
    w.x0 = fmin(middle - half, -0.15 * size);
    w.x1 = fmax(middle + half, 0.15 * size);
    w.y = fmax(1.15 * w.y, half);
    return w;
}

static double *figure_sample(plot_figure *f, const lab_report *r, window w, int nx, int ny,
                             double (*field)(const lab_report *, double, double))
{
    double *v = plot_alloc(f, (size_t)nx * (size_t)ny * sizeof *v);
    for (int iy = 0; v && iy < ny; iy++)
        for (int ix = 0; ix < nx; ix++) {
            double re = w.x0 + (w.x1 - w.x0) * ix / (nx - 1), im = w.y * (2.0 * iy / (ny - 1) - 1);
            v[(size_t)iy * (size_t)nx + (size_t)ix] = field(r, re, im);
        }
    return v;
}

static plot_panel *figure_plane(plot_figure *f, const char *title, window w)
{
    plot_panel_spec spec = {.title = title, .equal = true};
    spec.x = (plot_axis){.label = "Re hλ", .fixed = true, .lo = w.x0, .hi = w.x1};
    spec.left = (plot_axis){.label = "Im hλ", .fixed = true, .lo = -w.y, .hi = w.y};
    return plot_add_panel(f, &spec);
}

static void add_field(plot_figure *f, plot_panel *p, const lab_report *r, window w,
                      const char *label, bool line_only, int colour,
                      double (*field)(const lab_report *, double, double), double level)
{
    // Equal scales stretch the panel's limits, mostly those of x: sample beyond them. An even
    // number of points keeps them off the axes, where a modulus is exactly 1.
    double stretch = 0.6 * (w.x1 - w.x0), unit = 2 * w.y / GRID_POINTS;
    w.x0 -= stretch, w.x1 += stretch, w.y *= 1.3;
    double wide = w.x1 - w.x0, high = 2 * w.y;
    int nx = 2 * (int)(wide / unit / 2) + 2, ny = 2 * (int)(high / unit / 2) + 2;
    double *v = figure_sample(f, r, w, nx, ny, field);
    if (!v) return;
    plot_add_region(p, &(plot_region_spec){.label = label,
                                           .values = v,
                                           .nx = nx,
                                           .ny = ny,
                                           .x0 = w.x0,
                                           .x1 = w.x1,
                                           .y0 = -w.y,
                                           .y1 = w.y,
                                           .level = level,
                                           .colour = colour,
                                           .line_only = line_only,
                                           .borrowed = true});
}

static void add_axes(plot_panel *p)
{
    plot_add_event(p, 0);
    plot_add_level(p, 0, NULL);
}

static void add_regions(plot_figure *f, const lab_report *const *reports, const char *const *names,
                        int n)
{
    window w = figure_frame(reports, n);
    plot_panel *p = figure_plane(
        f, n == 1 ? "Stability region (shaded)" : "Boundaries of the stability regions", w);
    for (int i = 0; i < n; i++) {
        char label[120];
        bool right = figure_modulus(reports[i], 1e3, 0) < 1,
             left = figure_modulus(reports[i], -1e3, 0) <= 1;
        snprintf(label, sizeof label, "%s (%s)", names[i],
                 right  ? "outside"
                 : left ? "left half"
                        : "inside");
        add_field(f, p, reports[i], w, n == 1 ? NULL : label, n > 1, i % PLOT_COLOURS + 1,
                  figure_modulus, 1 + MODULUS_TOL);
    }
    add_axes(p);
}

/* ---- order star ------------------------------------------------------------------------------ */

// |e^z / R(z)|: the star is where it is below 1 (G. Wanner, E. Hairer & S. P. Norsett, BIT 18
// (1978) 475-489).
static double star_field(const lab_report *r, double re, double im)
{
    point principal, most = lab_amplification(r, (point){re, im}, &principal);
    (void)principal;
    double size = hypot(most.re, most.im);
    return size > 0 ? fmin(exp(re) / size, MODULUS_SHOWN_MAX) : MODULUS_SHOWN_MAX;
}

static void add_points(plot_panel *p, const poly *q, window w, const char *label, int colour)
{
    point z[POLY_MAX];
    double x[POLY_MAX], y[POLY_MAX];
    size_t n = 0;
    if (q->n < 1) return;
    poly_roots(q, z);
    for (int k = 0; k < q->n; k++)
        if (z[k].re > w.x0 && z[k].re < w.x1 && fabs(z[k].im) < w.y)
            x[n] = z[k].re, y[n++] = z[k].im;
    if (n)
        plot_add_curve(p, &(plot_curve_spec){.label = label,
                                             .x = x,
                                             .y = y,
                                             .n = n,
                                             .style = PLOT_POINTS,
                                             .colour = colour,
                                             .width = 3});
}

static void add_star(plot_figure *f, const lab_report *r, const char *name)
{
    char title[120];
    snprintf(title, sizeof title, "Order star of %s: |R(z)| > |e^z|", name);
    double size = 5 + 0.8 * r->order;
    window w = {-size, size, size};
    plot_panel *p = figure_plane(f, title, w);
    add_field(f, p, r, w, NULL, false, 1, star_field, 1);
    add_axes(p);
    if (r->multistep) return;
    add_points(p, &r->denominator, w, "poles", 2);
    add_points(p, &r->numerator, w, "zeros", 3);
}

/* ---- oscillator ------------------------------------------------------------------------------ */

typedef enum quantity { RADIUS, DAMPING, PERIOD } quantity;

static double figure_pick(const lab_oscillator *o, quantity q)
{
    return q == RADIUS ? o->radius : q == DAMPING ? o->damping : o->period;
}

static void add_oscillator(plot_figure *f, plot_panel *p, const lab_report *const *reports,
                           const char *const *names, int n, quantity q, double lo, double hi,
                           bool log_x, bool size_only, double ceiling)
{
    lab_oscillator *o = plot_alloc(f, CURVE_POINTS * sizeof *o);
    double *x = plot_alloc(f, CURVE_POINTS * sizeof *x),
           *y = plot_alloc(f, CURVE_POINTS * sizeof *y);
    if (!o || !x || !y) return;
    for (int k = 0; k < CURVE_POINTS; k++) {
        double s = (double)k / (CURVE_POINTS - 1);
        x[k] = log_x ? lo * pow(hi / lo, s) : lo + (hi - lo) * s;
    }
    for (int i = 0; i < n; i++) {
        lab_oscillate(reports[i], CURVE_POINTS, x, o);
        bool gone = false;
        for (int k = 0; k < CURVE_POINTS; k++) {
            double v = figure_pick(&o[k], q);
            bool noise = q != RADIUS && fabs(v) < 4e-16 / x[k];
            if (size_only) v = noise ? NAN : fabs(v);
            else if (noise) v = 0;
            // Angles lose their meaning beyond the panel; a spectral radius comes back into it.
            gone = fabs(v) > ceiling || (gone && q != RADIUS);
            y[k] = gone ? NAN : v;
        }
        plot_add_curve(p, &(plot_curve_spec){.label = n == 1 ? NULL : names[i],
                                             .x = x,
                                             .y = y,
                                             .n = CURVE_POINTS,
                                             .colour = i % PLOT_COLOURS + 1,
                                             .dash = (plot_dash)(i / PLOT_COLOURS % 4)});
    }
}

static void add_radius(plot_figure *f, const lab_report *const *reports, const char *const *names,
                       int n)
{
    plot_panel_spec spec = {.title = "Spectral radius, undamped oscillator"};
    spec.x = (plot_axis){.label = "h/T", .log = true, .fixed = true, .lo = 1e-3, .hi = 1e2};
    spec.left = (plot_axis){.label = "|ρ|", .fixed = true, .lo = 0, .hi = 1.4};
    plot_panel *p = plot_add_panel(f, &spec);
    plot_add_level(p, 1, NULL);
    add_oscillator(f, p, reports, names, n, RADIUS, 1e-3, 1e2, true, false, 1.4);
}

static void add_error(plot_figure *f, const lab_report *const *reports, const char *const *names,
                      int n, quantity q)
{
    double ceiling = q == DAMPING ? 0.6 : 1.0;
    plot_panel_spec spec = {.title = q == DAMPING ? "Numerical damping" : "Period error"};
    spec.x = (plot_axis){.label = "h/T", .fixed = true, .lo = 0, .hi = 0.4};
    spec.left = (plot_axis){.label = q == DAMPING ? "damping ratio" : "ΔT/T"};
    plot_panel *p = plot_add_panel(f, &spec);
    plot_add_level(p, 0, NULL);
    add_oscillator(f, p, reports, names, n, q, 1e-3, 0.4, false, false, ceiling);
}

static void add_convergence(plot_figure *f, const lab_report *const *reports,
                            const char *const *names, int n, quantity q)
{
    plot_panel_spec spec = {.title = q == DAMPING ? "Convergence of the damping ratio"
                                                  : "Convergence of the period"};
    spec.x = (plot_axis){.label = "h/T", .log = true, .fixed = true, .lo = 1e-3, .hi = 0.3};
    spec.left = (plot_axis){.label = q == DAMPING ? "|damping ratio|" : "|ΔT/T|",
                            .log = true,
                            .fixed = true,
                            .lo = 1e-14,
                            .hi = 1};
    plot_panel *p = plot_add_panel(f, &spec);
    add_oscillator(f, p, reports, names, n, q, 1e-3, 0.3, true, true, 1e3);
}

/* ---- all ------------------------------------------------------------------------------------- */

// What the method is, in a line under the figure of it alone.
static void figure_describe(const lab_report *r, char *note, size_t size)
{
    char limit[60] = "", decay[60] = "";
    if (!r->a_stable && isfinite(r->imag_limit) && r->imag_limit > 0)
        snprintf(limit, sizeof limit, ", stable on the imaginary axis up to %.4g", r->imag_limit);
    if (isfinite(r->rho_inf) && !r->second_order)
        snprintf(decay, sizeof decay, ", spectral radius %.4g at infinity", r->rho_inf);
    if (r->a_stable || r->alpha_deg <= 0)
        snprintf(note, size, "order %d, %s%s%s", r->order,
                 r->l_stable   ? "L-stable"
                 : r->a_stable ? "A-stable"
                               : "conditionally stable",
                 decay, limit);
    else
        snprintf(note, size, "order %d, A(%.2f°)-stable%s%s", r->order, r->alpha_deg, decay, limit);
}

int lab_figure(mem *m, const lab_report *const *reports, const char *const *names, int n,
               unsigned panels, plot_figure **out)
{
    char title[200] = "";
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof title - 1; i++) {
        int k = snprintf(title + used, sizeof title - used, "%s%s", i ? ", " : "", names[i]);
        used += k > 0 ? (size_t)k : 0;
    }
    int count = 0;
    for (unsigned b = 1; b <= LAB_STAR; b <<= 1)
        if (panels & b) count += b == LAB_CONVERGENCE ? 2 : b == LAB_STAR ? n : 1;
    char note[300] = "";
    if (n == 1) figure_describe(reports[0], note, sizeof note);
    int rc = plot_new(m,
                      &(plot_figure_spec){.title = title,
                                          .note = n == 1 ? note : NULL,
                                          .columns = count > 1 ? 2 : 1,
                                          .width = count > 1 ? 720 : 420,
                                          .height = (count > 1 ? (count + 1) / 2 : 1) * 270 + 40},
                      out);
    if (rc) return rc;
    plot_figure *f = *out;
    if (panels & LAB_REGION) add_regions(f, reports, names, n);
    if (panels & LAB_RADIUS) add_radius(f, reports, names, n);
    if (panels & LAB_DAMPING) add_error(f, reports, names, n, DAMPING);
    if (panels & LAB_PERIOD) add_error(f, reports, names, n, PERIOD);
    if (panels & LAB_CONVERGENCE) {
        add_convergence(f, reports, names, n, DAMPING);
        add_convergence(f, reports, names, n, PERIOD);
    }
    for (int i = 0; i < n && (panels & LAB_STAR); i++) add_star(f, reports[i], names[i]);
    return 0;
}
