/* A work-precision figure: digits across, time up, the best of the table as crosses; the digits
 * that were asked for beside them, to see that they track.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>

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
        snprintf(name, sizeof name, "%s%s%s", lines[i].method ? lines[i].method : "auto",
                 lines[i].formulation && !p->formulation ? " " : "",
                 lines[i].formulation && !p->formulation ? lines[i].formulation : "");
        plot_add_curve(work,
                       &(plot_curve_spec){
                           .label = name, .x = digits, .y = us, .n = k, .style = PLOT_LINE_POINTS});
        plot_add_curve(
            track, &(plot_curve_spec){
                       .label = name, .x = asked, .y = digits, .n = k, .style = PLOT_LINE_POINTS});
    }
    double d[2] = {6, 9}, best[2] = {p->best6 * factor, p->best9 * factor};
    plot_add_curve(work, &(plot_curve_spec){.label = "best of 14",
                                            .x = d,
                                            .y = best,
                                            .n = p->best9 > 0 ? 2 : 1,
                                            .style = PLOT_POINTS,
                                            .colour = PLOT_INK});
    int rc = plot_write(f, path, &fault);
    if (rc < 0) fprintf(stderr, "%s: %s\n", path, fault.text);
    plot_free(f);
    return rc;
}
