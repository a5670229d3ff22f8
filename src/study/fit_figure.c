/* Data against curves of the model, residuals, and profiles.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/fit_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 120, OBSERVABLES_MAX = 6 };

static int by_time(const void *a, const void *b)
{
    const fit_datum *p = a, *q = b;
    return p->t < q->t ? -1 : p->t > q->t ? 1 : p->observable - q->observable;
}

static bool is_observed(const fit_case *c, int observable)
{
    for (int i = 0; i < c->n_data; i++)
        if (c->data[i].observable == observable) return true;
    return false;
}

/* The case with points of curves among its data: such without a value. */
static void add_points(fit_problem *p, fit_case *c)
{
    double last = c->n_data ? c->data[c->n_data - 1].t : p->t_start;
    int n = c->n_data;
    if (!n || !(last > p->t_start)) return;
    fit_datum *list = arena_array(p->a, fit_datum, n + p->n_observables * (CURVE_POINTS + 1));
    memcpy(list, c->data, (size_t)n * sizeof *list);
    for (int q = 0; q < p->n_observables; q++)
        for (int i = 0; i <= CURVE_POINTS && is_observed(c, q); i++)
            list[n++] = (fit_datum){.observable = q,
                                    .t = p->t_start + (last - p->t_start) * i / CURVE_POINTS,
                                    .value = NAN,
                                    .noise = 1,
                                    .formula = -1};
    qsort(list, (size_t)n, sizeof *list, by_time);
    c->data = list;
    c->n_data = n;
}

int fit_trace(fit_picture *f)
{
    fit_problem *p = f->p;
    fit_case *kept = p->cases;
    int n_kept = p->n_data, total = 0, number = 0;
    p->cases = arena_array(p->a, fit_case, p->n_cases + 1);
    for (int k = 0; k < p->n_cases; k++) {
        p->cases[k] = kept[k];
        add_points(p, &p->cases[k]);
        total += p->cases[k].n_data;
    }
    p->n_data = total;
    fit_value v = {.model = arena_array(p->a, double, total + 1),
                   .sd = arena_array(p->a, double, total + 1)};
    int rc = fit_evaluate(f->runs, f->x, &v);
    f->curves = arena_array(p->a, fit_trace_curve, p->n_cases * p->n_observables + 1);
    for (int k = 0; k < p->n_cases && !rc; number += p->cases[k].n_data, k++)
        for (int q = 0; q < p->n_observables; q++) {
            const fit_case *c = &p->cases[k];
            fit_trace_curve *to = &f->curves[k * p->n_observables + q];
            *to = (fit_trace_curve){.t = arena_array(p->a, double, c->n_data + 1),
                                    .y = arena_array(p->a, double, c->n_data + 1)};
            for (int i = 0; i < c->n_data; i++)
                if (c->data[i].observable == q)
                    to->t[to->n] = c->data[i].t, to->y[to->n++] = v.model[number + i];
        }
    p->cases = kept;
    p->n_data = n_kept;
    return rc ? fit_fail(p->ctx, "C198", "the curves have no values: %s", fit_failure(f->runs))
              : rc;
}

static double residual(const fit_observable *o, double value, double model, double sd)
{
    double e = o->scale == FIT_LIN ? value - model : log(value / model);
    return (o->scale == FIT_LOG10 ? e / log(10) : e) / sd;
}

static void draw_observable(const fit_picture *f, plot_figure *figure, int q)
{
    fit_problem *p = f->p;
    size_t room = (size_t)p->n_data + 1;
    plot_axis time = {.label = "time", .unit = "s", .tight = false};
    plot_panel *above = plot_add_panel(
        figure, &(plot_panel_spec){.x = time, .left = {.label = p->observables[q].name}});
    plot_panel *below = plot_add_panel(
        figure,
        &(plot_panel_spec){.x = time, .left = {.label = "residual over deviation"}, .weight = 0.5});
    int number = 0, colour = 0;
    for (int k = 0; k < p->n_cases; number += p->cases[k].n_data, k++) {
        const fit_case *c = &p->cases[k];
        const fit_trace_curve *curve = &f->curves[k * p->n_observables + q];
        double *t = arena_array(p->a, double, room), *m = arena_array(p->a, double, room),
               *e = arena_array(p->a, double, room);
        size_t n = 0;
        for (int i = 0; i < c->n_data; i++) {
            if (c->data[i].observable != q) continue;
            t[n] = c->data[i].t;
            m[n] = c->data[i].value;
            e[n] = residual(&p->observables[q], m[n], f->model[number + i], f->sd[number + i]);
            n++;
        }
        if (!n) continue;
        colour = colour % PLOT_COLOURS + 1;
        plot_add_curve(above, &(plot_curve_spec){.x = t,
                                                 .y = m,
                                                 .n = n,
                                                 .colour = colour,
                                                 .style = PLOT_POINTS,
                                                 .label = *c->name ? c->name : NULL});
        plot_add_curve(above, &(plot_curve_spec){
                                  .x = curve->t, .y = curve->y, .n = curve->n, .colour = colour});
        plot_add_curve(below, &(plot_curve_spec){
                                  .x = t, .y = e, .n = n, .colour = colour, .style = PLOT_POINTS});
    }
    plot_add_level(below, 0, NULL);
}

plot_figure *fit_draw(const fit_picture *f, fit_shown shown)
{
    fit_problem *p = f->p;
    bool profiles = f->profiles && shown != FIT_DATA, data = shown != FIT_PROFILES;
    int n = !data ? 0 : p->n_observables < OBSERVABLES_MAX ? p->n_observables : OBSERVABLES_MAX;
    plot_figure_spec spec = {.title = shown == FIT_ALL ? p->plain->flat->name : NULL,
                             .width = 520,
                             .height = 80 + 200.0 * (n + (profiles ? p->n_estimated : 0))};
    *f->figure = NULL;
    if (plot_new(&p->ctx->m, &spec, f->figure) < 0) return NULL;
    for (int q = 0; q < n; q++) draw_observable(f, *f->figure, q);
    for (int i = 0; profiles && i < f->told->n_parameters; i++) {
        if (!f->profiles[i].n) continue;
        plot_axis across = {.label = f->told->parameters[i].name};
        plot_panel *panel = plot_add_panel(
            *f->figure,
            &(plot_panel_spec){.x = across, .left = {.label = "loss of log-likelihood"}});
        plot_add_curve(panel, &(plot_curve_spec){.x = f->profiles[i].x,
                                                 .y = f->profiles[i].loss,
                                                 .n = f->profiles[i].n,
                                                 .colour = 1});
        plot_add_level(panel, FIT_LOSS_95, "95 percent");
    }
    return *f->figure;
}
