/* `vincolo diff A B`: are two results the same within a tolerance?
 *
 * With T the time that the first spans and Y the size of a variable in it (its range, the size of its
 * least value, or 0.001), a variable agrees where its points lie in the tube of half-width tol T and tol
 * Y around the first, and those of the first in the same tube around the second.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"
#include "study/study.h"
#include "study/tube.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double USUAL_TOL = 0.002, ROUNDING = 1e-12, LEAST_SPAN = 1e-12;
enum { SAID = 10, DRAWN = 3 };

/* ---- what is told ---------------------------------------------------------------------------- */

#define SIGNAL(...) TOLD(vinc_signal_difference, __VA_ARGS__)
static const told_field signal_fields[] = {
    SIGNAL(WORD, "name", name),
    SIGNAL(WORD, "unit", unit),
    SIGNAL(WORD, "what", what),
    SIGNAL(REAL, "largest", largest),
    SIGNAL(REAL, "at", at),
    SIGNAL(REAL, "size", size),
    SIGNAL(REAL, "t", t),
    SIGNAL(REAL, "value", value),
    SIGNAL(REAL, "lowest", lowest),
    SIGNAL(REAL, "highest", highest),
    {0},
};

#define FIELD(...) TOLD(vinc_difference, __VA_ARGS__)
static const told_field difference_fields[] = {
    FIELD(WORD, "first", first),
    FIELD(WORD, "second", second),
    FIELD(BOOL, "equal", equal),
    FIELD(REAL, "tolerance", tol),
    FIELD(REAL, "first_ends", first_ends),
    FIELD(REAL, "second_ends", second_ends),
    FIELD(BOOL, "same_times", same_times),
    FIELD(INT, "compared", n_compared),
    FIELD(INT, "agree", n_agree),
    TOLD_LIST(vinc_difference, ROWS, "signals", signals, n_signals,
              .size = sizeof(vinc_signal_difference), .inside = signal_fields),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

static bool agrees(const vinc_signal_difference *s)
{
    return !strcmp(s->what, "agrees");
}

static void say_signal(text *o, const vinc_difference *x, const vinc_signal_difference *s)
{
    text_printf(o, "  %s: ", s->name);
    if (!strcmp(s->what, "only in the first")) text_printf(o, "only in %s\n", x->first);
    else if (!strcmp(s->what, "only in the second")) text_printf(o, "only in %s\n", x->second);
    else if (isnan(s->value)) text_printf(o, "no number at t = %.9g\n", s->t);
    else
        text_printf(o,
                    "%s %.9g at t = %.9g is not in [%.9g, %.9g]; largest difference %.3g at %.9g\n",
                    !strcmp(s->what, "first") ? x->first : x->second, s->value, s->t, s->lowest,
                    s->highest, s->largest, s->at);
}

static void say_difference(const void *told, vinc_format format, text *o)
{
    const vinc_difference *x = told;
    int shown = 0, left = 0;
    double most = 0;
    const char *where = NULL;
    (void)format;
    text_printf(o, "%s and %s %s: %d of %d variables agree within %.3g\n", x->first, x->second,
                x->equal ? "agree" : "differ", x->n_agree, x->n_compared, x->tol);
    if (x->first_ends != x->second_ends)
        text_printf(o, "  they end at t = %.9g and %.9g\n", x->first_ends, x->second_ends);
    if (!x->same_times)
        text_add(o,
                 "  their times differ: values between rows are interpolated, and what that leaves "
                 "open counts as agreement\n");
    for (int i = 0; i < x->n_signals; i++) {
        const vinc_signal_difference *s = &x->signals[i];
        if (agrees(s)) {
            if (s->largest / s->size > most) most = s->largest / s->size, where = s->name;
        } else if (shown++ < SAID) say_signal(o, x, s);
        else left++;
    }
    if (left) text_printf(o, "  and %d more\n", left);
    if (where)
        text_printf(o, "  largest difference of those that agree: %.3g of its size, %s\n", most,
                    where);
}

static const told_line difference_lines[] = {
    {.say = say_difference},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind study_difference = {
    .name = "difference",
    .command = "diff",
    .summary = "where two results differ by more than a tolerance",
    .size = sizeof(vinc_difference),
    .fields = difference_fields,
    .lines = difference_lines,
};

/* ---- columns --------------------------------------------------------------------------------- */

static bool same_name(const char *x, const char *y) // blanks do not count
{
    for (;; x++, y++) {
        while (isspace((unsigned char)*x)) x++;
        while (isspace((unsigned char)*y)) y++;
        if (*x != *y || !*x) return *x == *y;
    }
}

static uint64_t hash_of_name(const char *name)
{
    uint64_t h = 0;
    for (; *name; name++)
        if (!isspace((unsigned char)*name)) h = hash_u64(h ^ (unsigned char)*name);
    return h;
}

typedef struct difference_job {
    vinc_result *of[2];
    const vinc_difference_options *o;
    vinc_difference **out;
    vinc_difference told;
    vinc_signal_difference *list;
    vinc_column t[2];
    arena a;
    double dx;
    plot_figure *figure; // being drawn: lack of memory leaves by a jump
    map names[2];        // names without blanks, to columns; made when one is not found as it is
} difference_job;

static int column_of(difference_job *j, int k, const char *name)
{
    const result *r = j->of[k]->r;
    int found = vinc_result_find(j->of[k], name);
    if (found >= 0) return found;
    if (!j->names[k].a) {
        map_init(&j->names[k], &j->a);
        for (int i = r->n_columns - 1; i > 0; i--)
            *map_put(&j->names[k], hash_of_name(r->columns[i].name)) = (uint64_t)i;
    }
    const uint64_t *at = map_find(&j->names[k], hash_of_name(name));
    return at && same_name(r->columns[*at].name, name) ? (int)*at : -1;
}

static tube_curve curve_of(const difference_job *j, int k, const vinc_column *y)
{
    bool smooth = !j->o->reference && y->type == VINC_REAL;
    return (tube_curve){j->t[k].values, y->values, j->t[k].n, y->n == j->t[k].n, smooth};
}

/* ---- one variable ---------------------------------------------------------------------------- */

static bool leaves_tube(difference_job *j, const tube_curve *c, const tube_curve *x, double end,
                        double dy, const char *whose, vinc_signal_difference *s)
{
    double lo = 0, hi = 0, rounding = ROUNDING * fmax(1, fabs(end));
    size_t i = tube_first_outside(c, x, end + rounding, j->dx, dy, &lo, &hi);
    if (i == x->n) return false;
    s->what = whose;
    s->t = x->t[i], s->value = tube_y(x, i);
    s->lowest = lo, s->highest = hi;
    return true;
}

/* How far y is from a curve at t: where that jumps, it has all values between its rows. */
static double distance_at(const tube_curve *c, double t, double y)
{
    size_t i = 0, end = c->n;
    while (i < end) { // the first row that is not before t
        size_t middle = i + (end - i) / 2;
        if (c->t[middle] < t) i = middle + 1;
        else end = middle;
    }
    if (i == c->n || c->t[i] > t) return fabs(y - tube_at(c, t));
    double lo = INFINITY, hi = -INFINITY;
    for (; i < c->n && c->t[i] <= t; i++) {
        lo = fmin(lo, tube_y(c, i));
        hi = fmax(hi, tube_y(c, i));
    }
    return y < lo ? lo - y : y > hi ? y - hi : 0;
}

static void compare_signal(difference_job *j, int first, int second, vinc_signal_difference *s)
{
    vinc_column y[2];
    if (vinc_result_column(j->of[0], first, &y[0]) || vinc_result_column(j->of[1], second, &y[1]))
        mem_fail(j->a.m); // there was no memory for the values
    tube_curve c[2] = {curve_of(j, 0, &y[0]), curve_of(j, 1, &y[1])};
    double ends[2] = {j->told.first_ends, j->told.second_ends}, end = fmin(ends[0], ends[1]);
    double dy = j->told.tol * tube_size(&c[0]);
    s->name = y[0].name, s->unit = y[0].unit, s->size = tube_size(&c[0]), s->what = "agrees";
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < c[k].n && c[k].t[i] <= end; i++) {
            double d = distance_at(&c[1 - k], c[k].t[i], tube_y(&c[k], i));
            if (d > s->largest) s->largest = d, s->at = c[k].t[i];
        }
    if (!leaves_tube(j, &c[0], &c[1], end, dy, "second", s))
        leaves_tube(j, &c[1], &c[0], end, dy, "first", s);
}

static void add_signal(difference_job *j, int first, int second)
{
    vinc_signal_difference *s = &j->list[j->told.n_signals++];
    vinc_column c = {0};
    *s = (vinc_signal_difference){
        .t = NAN, .value = NAN, .lowest = NAN, .highest = NAN, .size = NAN};
    if (first > 0 && second > 0) {
        compare_signal(j, first, second, s);
        j->told.n_agree += agrees(s);
        return;
    }
    vinc_result_column(j->of[first > 0 ? 0 : 1], first > 0 ? first : second, &c);
    s->name = c.name, s->unit = c.unit, s->largest = NAN, s->at = NAN;
    s->what = first > 0 ? "only in the first" : "only in the second";
}

/* Which columns of the first count: 1 by column. A status. */
static int choose_columns(difference_job *j, uint8_t *counts, int n)
{
    const vinc_difference_options *o = j->o;
    for (int i = 1; i < n; i++) counts[i] = !o->vars && !o->n_names;
    for (int k = 0; k < o->n_names; k++) {
        int i = column_of(j, 0, o->names[k]);
        if (i > 0) counts[i] = 1;
    }
    if (!o->vars) return VINC_OK;
    result_selection selection = {0};
    result_fault fault = {0};
    int rc = result_select(j->of[0]->r, o->vars, &selection, &fault);
    if (rc < 0) return api_finish(j->of[0]->ctx, rc, &fault);
    int *list = arena_array(&j->a, int, 2 * n + 1);
    int count = result_selected(j->of[0]->r, &selection, true, list);
    for (int i = 0; i < count; i++) {
        int at = column_of(j, 0, j->of[0]->r->columns[list[i]].name);
        if (at > 0) counts[at] = 1;
    }
    result_selection_done(&selection);
    return VINC_OK;
}

/* ---- the figure ------------------------------------------------------------------------------ */

static int by_share(const void *x, const void *y)
{
    const vinc_signal_difference *a = *(vinc_signal_difference *const *)x,
                                 *b = *(vinc_signal_difference *const *)y;
    bool out_a = !agrees(a), out_b = !agrees(b);
    if (out_a != out_b) return out_b - out_a;
    double p = a->largest / a->size, q = b->largest / b->size;
    return (p < q) - (p > q);
}

/* The worst variables: both curves, and under them what is between them with the tolerance. */
static plot_figure *draw_difference(difference_job *j)
{
    plot_figure *f = NULL;
    char title[400], label[300];
    int n = 0;
    vinc_signal_difference **worst =
        arena_array(&j->a, vinc_signal_difference *, j->told.n_signals + 1);
    for (int i = 0; i < j->told.n_signals; i++)
        if (isfinite(j->list[i].largest)) worst[n++] = &j->list[i];
    qsort(worst, (size_t)n, sizeof *worst, by_share);
    if (n > DRAWN) n = DRAWN;
    snprintf(title, sizeof title, "%.150s and %.150s %s", j->told.first, j->told.second,
             j->told.equal ? "agree" : "differ");
    plot_figure_spec spec = {.title = title, .width = 520, .height = 130 + 190.0 * (n ? n : 1)};
    if (plot_new(&j->of[0]->ctx->m, &spec, &f) < 0) return NULL;
    j->figure = f;
    for (int i = 0; i < n; i++) {
        vinc_column y[2];
        tube_curve c[2];
        plot_axis time = {.label = "time", .unit = "s", .tight = true};
        plot_panel *both = plot_add_panel(
            f, &(plot_panel_spec){.x = time,
                                  .left = {.label = worst[i]->name, .unit = worst[i]->unit}});
        for (int k = 0; k < 2; k++) {
            if (vinc_result_column(j->of[k], column_of(j, k, worst[i]->name), &y[k])) return f;
            c[k] = curve_of(j, k, &y[k]);
        }
        for (int k = 0; k < 2; k++) {
            double *v = arena_array(&j->a, double, c[k].n + 1);
            for (size_t m = 0; m < c[k].n; m++) v[m] = tube_y(&c[k], m);
            plot_add_curve(both, &(plot_curve_spec){.label = k ? j->told.second : j->told.first,
                                                    .x = c[k].t,
                                                    .y = v,
                                                    .n = c[k].n,
                                                    .colour = k + 1,
                                                    .dash = k ? PLOT_DASHED : PLOT_SOLID});
        }
        snprintf(label, sizeof label, "difference of %.200s", worst[i]->name);
        plot_panel *apart = plot_add_panel(
            f, &(plot_panel_spec){
                   .x = time, .left = {.label = label, .unit = worst[i]->unit}, .weight = 0.6});
        double *d = arena_array(&j->a, double, c[1].n + 1), end = j->told.first_ends;
        size_t m = 0;
        for (; m < c[1].n && c[1].t[m] <= end; m++)
            d[m] = tube_y(&c[1], m) - tube_at(&c[0], c[1].t[m]);
        plot_add_curve(apart, &(plot_curve_spec){.x = c[1].t, .y = d, .n = m, .colour = 2});
        plot_add_level(apart, j->told.tol * worst[i]->size, NULL);
        plot_add_level(apart, -j->told.tol * worst[i]->size, NULL);
    }
    return f;
}

/* ---- the call -------------------------------------------------------------------------------- */

static bool times_agree(const difference_job *j)
{
    if (j->t[0].n != j->t[1].n) return false;
    for (size_t i = 0; i < j->t[0].n; i++)
        if (fabs(j->t[0].values[i] - j->t[1].values[i]) >
            ROUNDING * fmax(1, fabs(j->t[0].values[i])))
            return false;
    return true;
}

static int compare_all(difference_job *j)
{
    for (int i = 0; i < 2; i++) { // what is computed is compared, too
        result_fault fault = {0};
        int wrong = result_add_formulas(j->of[i]->r, j->o->vars, &fault);
        if (wrong < 0) return api_finish(j->of[i]->ctx, wrong, &fault);
    }
    int n = vinc_result_n_columns(j->of[0]), more = vinc_result_n_columns(j->of[1]);
    uint8_t *counts = arena_array(&j->a, uint8_t, n + 1);
    uint8_t *met = arena_array(&j->a, uint8_t, more + 1);
    int rc = choose_columns(j, counts, n);
    if (rc) return rc;
    j->list = arena_array(&j->a, vinc_signal_difference, n + more + 1);
    for (int i = 1; i < n; i++) {
        vinc_column c;
        if (!counts[i] || vinc_result_column(j->of[0], i, &c)) continue;
        int k = column_of(j, 1, c.name);
        if (k > 0) met[k] = 1;
        add_signal(j, i, k);
    }
    bool all = !j->o->vars && !j->o->n_names && !j->o->reference;
    for (int k = 1; k < more && all; k++)
        if (!met[k]) add_signal(j, -1, k);
    return VINC_OK;
}

static int tell_difference(void *job)
{
    difference_job *j = job;
    vinc_ctx *ctx = j->of[0]->ctx;
    vinc_difference *d = &j->told;
    for (int k = 0; k < 2; k++)
        if (vinc_result_column(j->of[k], 0, &j->t[k]) || !j->t[k].n)
            return api_lacks(ctx, "results with rows");
    double from = j->t[0].values[0];
    d->first_ends = j->t[0].values[j->t[0].n - 1];
    d->second_ends = j->t[1].values[j->t[1].n - 1];
    d->same_times = times_agree(j);
    j->dx = d->tol * fmax(fmax(d->first_ends - from, fabs(from)), LEAST_SPAN);
    int rc = compare_all(j);
    if (rc) return rc;
    double apart = d->first_ends - d->second_ends, near = 1e-6 * fmax(1, fabs(d->first_ends));
    bool ends = apart <= near && (j->o->reference || apart >= -near);
    d->n_compared = d->n_signals;
    d->equal = ends && d->n_agree == d->n_signals;
    d->signals = j->list;
    if (j->o->plot) {
        plot_figure *f = draw_difference(j);
        j->figure = NULL;
        rc = study_write_figure(ctx, j->o->plot, f, &j->of[0]->out, &d->chart);
    }
    return rc ? rc : told_keep(&ctx->lasting, &study_difference, d, j->out);
}

int vinc_difference_of(vinc_result *first, vinc_result *second,
                       const vinc_difference_options *options, vinc_difference **out)
{
    if (out) *out = NULL;
    if (!first || !first->r) return VINC_E_OPTION;
    if (!second || !second->r || !out)
        return api_lacks(first->ctx, second ? "a place for the report" : "a second result");
    vinc_difference_options o = options ? *options : (vinc_difference_options){0};
    if (!(o.tol >= 0) || !isfinite(o.tol)) return api_lacks(first->ctx, "a tolerance above 0");
    if (!api_is_list(o.names, o.n_names))
        return api_lacks(first->ctx, "as many names as n_names says");
    difference_job j = {.of = {first, second}, .o = &o, .out = out};
    j.told.tol = o.tol > 0 ? o.tol : USUAL_TOL;
    j.told.first = o.first ? o.first : "the first";
    j.told.second = o.second ? o.second : "the second";
    arena_init(&j.a, &first->ctx->m);
    text_clear(&first->out);
    int rc = api_guarded(first->ctx, tell_difference, &j);
    plot_free(j.figure);
    arena_done(&j.a);
    return rc;
}
