/* A work-precision figure: digits across, time up, the best of the table as crosses; the digits
 * that were asked for beside them, to see that they track. A colour for each method, the automatic
 * choice in black, other formulations dashed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"
#include "plot/plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The first line of a method has its colour. */
static int colour_of(const ivp_line *lines, int i)
{
    int colour = 0;
    if (!lines[i].method) return PLOT_INK;
    for (int k = 0; k <= i; k++) {
        bool seen = !lines[k].method;
        for (int j = 0; j < k && !seen; j++)
            seen = lines[j].method && !strcmp(lines[j].method, lines[k].method);
        colour += !seen;
        if (lines[k].method && !strcmp(lines[k].method, lines[i].method)) break;
    }
    return colour;
}

int ivp_draw(const ivp_problem *p, const ivp_line *lines, int n, double factor, const char *path)
{
    mem m = mem_std();
    plot_figure *f = NULL;
    result_fault fault = {0};
    char title[100];
    snprintf(title, sizeof title, "%s: work and precision", p->name);
    if (plot_new(&m, &(plot_figure_spec){.title = title, .width = 640, .columns = 2}, &f) < 0)
        return -1;
    plot_panel *work =
        plot_add_panel(f, &(plot_panel_spec){.x = {.label = "correct digits"},
                                             .left = {.label = "time", .unit = "us", .log = true}});
    plot_panel *track = plot_add_panel(f, &(plot_panel_spec){.x = {.label = "digits asked for"},
                                                             .left = {.label = "correct digits"}});
    for (int i = 0; i < n; i++) {
        double asked[IVP_TOLERANCES], digits[IVP_TOLERANCES], us[IVP_TOLERANCES];
        size_t k = 0;
        for (int j = 0; j < lines[i].n; j++) {
            const ivp_point *q = &lines[i].at[j];
            if (q->status || !isfinite(q->digits)) continue;
            asked[k] = -log10(q->tol), digits[k] = q->digits, us[k++] = q->us;
        }
        char name[64];
        bool other = lines[i].formulation && !p->formulation;
        snprintf(name, sizeof name, "%s%s%s", lines[i].method ? lines[i].method : "auto",
                 other ? " " : "", other ? lines[i].formulation : "");
        plot_curve_spec curve = {.label = name,
                                 .x = digits,
                                 .y = us,
                                 .n = k,
                                 .style = PLOT_LINE_POINTS,
                                 .dash = other ? PLOT_DASHED : PLOT_SOLID,
                                 .colour = colour_of(lines, i)};
        plot_add_curve(work, &curve);
        curve.x = asked;
        curve.y = digits;
        plot_add_curve(track, &curve);
    }
    double d[2] = {6, 9}, best[2] = {p->best6 * factor, p->best9 * factor};
    plot_add_curve(work, &(plot_curve_spec){.label = "best of 14",
                                            .x = d,
                                            .y = best,
                                            .n = p->best9 > 0 ? 2 : 1,
                                            .style = PLOT_CROSSES,
                                            .colour = PLOT_INK});
    int rc = plot_write(f, path, NULL, &fault);
    if (rc < 0) fprintf(stderr, "%s: %s\n", path, fault.text);
    plot_free(f);
    return rc;
}
