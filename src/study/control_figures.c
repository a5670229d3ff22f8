/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/control_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_DECADE = 60,
    AROUND = 60, // frequencies on each side of one near the axis
    LOCUS_GAINS = 400,
    RESPONSE_POINTS = 500
};

/* ---- frequencies ----------------------------------------------------------------------------- */

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

// The k-th pole or zero of a channel.
static double complex special_at(const control_channel *c, int k)
{
    if (k < c->n_poles) return c->pole_re[k] + I * c->pole_im[k];
    k -= c->n_poles;
    return c->zero_re[k] + I * c->zero_im[k];
}

int control_frequencies(arena *a, const control_channel *list, int n, double **omega)
{
    double lo = INFINITY, hi = 0;
    int special = 0, count = 0;
    for (int i = 0; i < n; i++) {
        special += list[i].n_poles + list[i].n_zeros;
        for (int k = 0; k < list[i].n_poles + list[i].n_zeros; k++) {
            double size = cabs(special_at(&list[i], k));
            hi = fmax(hi, size);
        }
    }
    for (int i = 0; i < n; i++) // what is 0 but for rounding does not stretch the scale
        for (int k = 0; k < list[i].n_poles + list[i].n_zeros; k++) {
            double size = cabs(special_at(&list[i], k));
            if (size > 1e-9 * hi) lo = fmin(lo, size);
        }
    if (!(hi > 0)) lo = hi = 1;
    lo = floor(log10(lo)) - 1, hi = ceil(log10(hi)) + 1;
    int even = (int)((hi - lo) * PER_DECADE) + 1;
    *omega = arena_array(a, double, even + special * (2 * AROUND + 1) + 1);
    for (int i = 0; i < even; i++) (*omega)[count++] = pow(10, lo + (double)i / PER_DECADE);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < list[i].n_poles + list[i].n_zeros; k++) {
            double complex z = special_at(&list[i], k);
            double w = cimag(z), width = fabs(creal(z));
            if (!(w > 0) || width > 0.3 * w || w < pow(10, lo)) continue;
            for (int e = -AROUND; e <= AROUND; e++) {
                double off = fmax(width, 1e-6 * w) * (exp2(abs(e) * 0.2) - 1) * (e < 0 ? -1 : 1);
                double at = w + off * 0.5;
                if (at > pow(10, lo) && at < pow(10, hi)) (*omega)[count++] = at;
            }
        }
    qsort(*omega, (size_t)count, sizeof **omega, by_size);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!kept || (*omega)[i] > (*omega)[kept - 1]) (*omega)[kept++] = (*omega)[i];
    return kept;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static const char *channel_label(const control_view *v, int i)
{
    const vinc_channel *c = &v->told[i];
    size_t room = strlen(c->input) + strlen(c->output) + 4;
    char *out = arena_alloc(v->a, room);
    snprintf(out, room, "%s/%s", c->output, c->input);
    return v->n > 1 ? out : NULL;
}

static plot_figure *figure_named(mem *m, const control_view *v, const char *what, double height)
{
    plot_figure *f = NULL;
    char title[300];
    if (v->n == 1)
        snprintf(title, sizeof title, "%s of %s: from %s to %s", what, v->model, v->told->input,
                 v->told->output);
    else snprintf(title, sizeof title, "%s of %s", what, v->model);
    plot_figure_spec spec = {.title = title, .width = 480, .height = height};
    return *v->figure = plot_new(m, &spec, &f) < 0 ? NULL : f;
}

static plot_figure *draw_bode(mem *m, const control_view *v)
{
    plot_figure *f = figure_named(m, v, "Bode diagram", 420);
    if (!f) return NULL;
    plot_axis x = {.label = "\u03c9", .unit = "rad/s", .log = true, .tight = true};
    plot_panel *size =
        plot_add_panel(f, &(plot_panel_spec){.x = x, .left = {.label = "|G| in dB"}});
    plot_panel *phase = plot_add_panel(
        f, &(plot_panel_spec){.x = x, .left = {.label = "phase in degrees"}, .weight = 0.8});
    plot_add_level(size, 0, NULL);
    plot_add_level(phase, -180, NULL);
    double *db = arena_array(v->a, double, v->n_omega + 1);
    double *deg = arena_array(v->a, double, v->n_omega + 1);
    for (int i = 0; i < v->n; i++) {
        double turn = 0, last = 0;
        if (v->channels[i].nothing) continue;
        for (int k = 0; k < v->n_omega; k++) { // continuous, from its value at the left end
            double complex g = control_at(&v->channels[i], I * v->omega[k]);
            double angle = carg(g) * 180 / M_PI;
            db[k] = isfinite(cabs(g)) ? 20 * log10(cabs(g)) : NAN;
            if (k && isfinite(angle)) turn += 360 * rint((last - angle - turn) / 360);
            if (isfinite(angle)) last = angle + turn;
            deg[k] = isfinite(angle) ? last : NAN;
            turn = last - angle;
        }
        plot_curve_spec curve = {.label = channel_label(v, i),
                                 .x = v->omega,
                                 .y = db,
                                 .n = (size_t)v->n_omega,
                                 .colour = i % PLOT_COLOURS + 1};
        plot_add_curve(size, &curve);
        curve.y = deg;
        curve.label = NULL;
        plot_add_curve(phase, &curve);
    }
    return f;
}

static plot_figure *draw_nyquist(mem *m, const control_view *v)
{
    plot_figure *f = figure_named(m, v, "Nyquist diagram", 440);
    if (!f) return NULL;
    enum { CIRCLE = 121 };
    double x[CIRCLE], y[CIRCLE], most = 1.5;
    double *re = arena_array(v->a, double, v->n_omega + 1);
    double *im = arena_array(v->a, double, v->n_omega + 1);
    for (int i = 0; i < v->n; i++) { // poles on the axis lead away: what is near -1 is to be seen
        double middle = cabs(control_at(&v->channels[i], I * v->omega[v->n_omega / 2]));
        double start = cabs(control_at(&v->channels[i], I * v->omega[0]));
        for (int k = 0; k < v->n_omega && start < 30; k++) {
            double s = cabs(control_at(&v->channels[i], I * v->omega[k]));
            if (isfinite(s) && s < 30) most = fmax(most, 1.1 * s);
        }
        if (isfinite(middle)) most = fmax(most, fmin(1.1 * middle, 5));
    }
    plot_axis left = {.label = "Im G", .fixed = true, .lo = -most, .hi = most};
    plot_axis across = {.label = "Re G", .fixed = true, .lo = -most, .hi = most};
    plot_panel *p = plot_add_panel(f, &(plot_panel_spec){.x = across, .left = left, .equal = true});
    for (int k = 0; k < CIRCLE; k++) {
        x[k] = cos(2 * M_PI * k / (CIRCLE - 1));
        y[k] = sin(2 * M_PI * k / (CIRCLE - 1));
    }
    plot_add_curve(
        p, &(plot_curve_spec){.x = x, .y = y, .n = CIRCLE, .colour = PLOT_FAINT, .width = 0.8});
    for (int i = 0; i < v->n; i++) {
        int colour = i % PLOT_COLOURS + 1;
        if (v->channels[i].nothing) continue;
        for (int k = 0; k < v->n_omega; k++) {
            double complex g = control_at(&v->channels[i], I * v->omega[k]);
            bool there = isfinite(cabs(g)) && cabs(g) < 100 * most;
            re[k] = there ? creal(g) : NAN;
            im[k] = there ? cimag(g) : NAN;
        }
        plot_curve_spec curve = {.label = channel_label(v, i),
                                 .x = re,
                                 .y = im,
                                 .n = (size_t)v->n_omega,
                                 .colour = colour};
        plot_add_curve(p, &curve);
        for (int k = 0; k < v->n_omega; k++) im[k] = -im[k];
        curve.label = NULL;
        curve.dash = PLOT_DASHED;
        plot_add_curve(p, &curve);
    }
    plot_add_curve(p, &(plot_curve_spec){.x = (double[]){-1},
                                         .y = (double[]){0},
                                         .n = 1,
                                         .style = PLOT_CROSSES,
                                         .colour = PLOT_INK,
                                         .width = 4});
    return f;
}

/* Closed by u = -k y: from the poles (k = 0, crosses) to the zeros (dots). */
static plot_figure *draw_root_locus(mem *m, const control_view *v)
{
    plot_figure *f = figure_named(m, v, "Root locus", 420);
    if (!f) return NULL;
    double size = 0;
    for (int i = 0; i < v->n; i++)
        for (int k = 0; k < v->channels[i].n_poles + v->channels[i].n_zeros; k++)
            size = fmax(size, cabs(special_at(&v->channels[i], k)));
    if (!(size > 0)) size = 1;
    plot_axis re_axis = {.label = "Re s", .fixed = true, .lo = -2.2 * size, .hi = 1.2 * size};
    plot_axis im_axis = {.label = "Im s", .fixed = true, .lo = -1.7 * size, .hi = 1.7 * size};
    plot_panel *p =
        plot_add_panel(f, &(plot_panel_spec){.x = re_axis, .left = im_axis, .equal = true});
    plot_add_event(p, 0);
    plot_add_level(p, 0, NULL);
    for (int i = 0; i < v->n; i++) {
        const control_channel *c = &v->channels[i];
        int n = c->n_poles, points = 0, colour = i % PLOT_COLOURS + 1;
        double *re = arena_array(v->a, double, (size_t)n *LOCUS_GAINS + 1);
        double *im = arena_array(v->a, double, (size_t)n *LOCUS_GAINS + 1);
        double unit = c->nothing ? 0 : pow(size, n - c->n_zeros) / fabs(c->gain);
        for (int k = 0; k < LOCUS_GAINS && isfinite(unit) && unit > 0; k++) {
            double gain = unit * pow(10, -4 + 8.0 * k / (LOCUS_GAINS - 1));
            if (control_closed(v->a, c, gain, re + points, im + points) == 0) points += n;
        }
        plot_add_curve(p, &(plot_curve_spec){.label = channel_label(v, i),
                                             .x = re,
                                             .y = im,
                                             .n = (size_t)points,
                                             .style = PLOT_POINTS,
                                             .colour = colour,
                                             .width = 0.9});
        plot_add_curve(p, &(plot_curve_spec){.x = c->pole_re,
                                             .y = c->pole_im,
                                             .n = (size_t)n,
                                             .style = PLOT_CROSSES,
                                             .colour = colour,
                                             .width = 4});
        plot_add_curve(p, &(plot_curve_spec){.x = c->zero_re,
                                             .y = c->zero_im,
                                             .n = (size_t)c->n_zeros,
                                             .style = PLOT_POINTS,
                                             .colour = colour,
                                             .width = 3.5});
    }
    return f;
}

/* Until the slowest mode that decays has done so, or those that grow have grown; an undamped one is
 * seen for ten periods. */
static double response_time(const control_view *v)
{
    double end = 0, grow = INFINITY, most = 0;
    for (int i = 0; i < v->n; i++)
        for (int k = 0; k < v->channels[i].n_poles; k++) {
            double re = v->channels[i].pole_re[k], im = v->channels[i].pole_im[k];
            double size = hypot(re, im);
            most = fmax(most, size);
            if (re > 1e-9 * size && re > 0) grow = fmin(grow, 4 / re);
            else if (fabs(re) <= 1e-6 * size && im != 0) end = fmax(end, 20 * M_PI / size);
            else if (re < 0) end = fmax(end, fmin(-6 / re, 100 * M_PI / size));
        }
    if (isfinite(grow)) return grow;
    return end > 0 ? end : most > 0 ? 10 / most : 10;
}

static plot_figure *draw_response(mem *m, const control_view *v)
{
    plot_figure *f = figure_named(m, v, "Step response", 300);
    if (!f) return NULL;
    double h = response_time(v) / (RESPONSE_POINTS - 1), t[RESPONSE_POINTS];
    plot_panel *p =
        plot_add_panel(f, &(plot_panel_spec){.x = {.label = "t", .unit = "s", .tight = true},
                                             .left = {.label = "y, after a unit step"}});
    for (int k = 0; k < RESPONSE_POINTS; k++) t[k] = k * h;
    for (int i = 0; i < v->n; i++) {
        double *y = control_step(v->a, &v->channels[i], h, RESPONSE_POINTS);
        if (!y) continue;
        plot_add_curve(p, &(plot_curve_spec){.label = channel_label(v, i),
                                             .x = t,
                                             .y = y,
                                             .n = RESPONSE_POINTS,
                                             .colour = i % PLOT_COLOURS + 1});
        if (isfinite(v->channels[i].steady) && v->n == 1)
            plot_add_level(p, v->channels[i].steady, NULL);
    }
    return f;
}

plot_figure *control_figure(mem *m, vinc_view view, const control_view *v)
{
    switch (view) {
    case VINC_VIEW_NYQUIST: return draw_nyquist(m, v);
    case VINC_VIEW_ROOT_LOCUS: return draw_root_locus(m, v);
    case VINC_VIEW_RESPONSE: return draw_response(m, v);
    default: return draw_bode(m, v);
    }
}
