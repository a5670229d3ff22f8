/* A tube around a reference.
 *
 * With T the time that the reference spans and Y the larger of the range of a signal, the size of its
 * least value and 0.001, the tube at t reaches from the least to the largest value of the signal
 * between t - e T and t + e T, and e Y beyond, with e = 0.002. All points of the result must lie in the
 * tube of the reference, and all points of the reference in the tube of the same width around the
 * result. Steps that come a little early or late are no errors then; a peak that is missing is one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tube.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 0.002, LEAST_SIZE = 1e-3, LEAST_SPAN = 1e-12;

/* ---- the reference --------------------------------------------------------------------------- */

bool tube_file(const char *dir, const char *class_name, char *path, size_t room)
{
    const char *dot = strrchr(class_name, '.'), *last = dot ? dot + 1 : class_name;
    int used = snprintf(path, room, "%s/", dir), folder = used;
    if (used < 0 || (size_t)used >= room) return false;
    used += snprintf(path + used, room - (size_t)used, "%s/%s.csv", class_name, last);
    if ((size_t)used >= room) return false;
    for (size_t i = (size_t)folder; i < (size_t)folder + strlen(class_name); i++)
        if (path[i] == '.') path[i] = '/';
    FILE *f = fopen(path, "r");
    if (f) fclose(f);
    return f != NULL;
}

static bool same_name(const char *x, const char *y) // blanks do not count
{
    for (;; x++, y++) {
        while (isspace((unsigned char)*x)) x++;
        while (isspace((unsigned char)*y)) y++;
        if (*x != *y || !*x) return *x == *y;
    }
}

static int find_column(vinc_result *table, const char *name)
{
    int found = vinc_result_find(table, name), n = vinc_result_n_columns(table);
    vinc_column c;
    for (int i = 1; found < 0 && i < n; i++)
        if (!vinc_result_column(table, i, &c) && same_name(c.name, name)) found = i;
    return found;
}

/* The list beside the table; false where there is none, or it names nothing of the table. */
static bool listed_signals(const char *path, tube_reference *r)
{
    char list[4200], line[4096];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    if (snprintf(list, sizeof list, "%.*scomparisonSignals.txt", folder, path) >= (int)sizeof list)
        return false;
    FILE *f = fopen(list, "r");
    int most = vinc_result_n_columns(r->table);
    while (f && r->n < most && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        int k = strncmp(line, "//", 2) ? find_column(r->table, line) : -1;
        if (k > 0) r->columns[r->n++] = k;
    }
    if (f) fclose(f);
    return r->n > 0;
}

static char *joined_names(const tube_reference *r)
{
    size_t room = 1, used = 0;
    vinc_column c;
    for (int i = 0; i < r->n; i++)
        if (!vinc_result_column(r->table, r->columns[i], &c)) room += strlen(c.name) + 1;
    char *out = malloc(room);
    for (int i = 0; out && i < r->n; i++)
        if (!vinc_result_column(r->table, r->columns[i], &c))
            used += (size_t)sprintf(out + used, "%s%s", used ? "," : "", c.name);
    if (out) out[used] = 0;
    return out;
}

int tube_read(vinc_ctx *ctx, const char *path, tube_reference *out)
{
    *out = (tube_reference){0};
    int rc = vinc_result_read(ctx, path, &out->table);
    vinc_column t;
    if (rc || vinc_result_column(out->table, 0, &t) || !t.n) return rc ? rc : VINC_E_OPTION;
    int n = vinc_result_n_columns(out->table);
    out->columns = malloc((size_t)n * sizeof *out->columns);
    if (!out->columns) return VINC_E_MEMORY;
    if (!listed_signals(path, out))
        for (int i = 1; i < n; i++) out->columns[out->n++] = i;
    out->start = t.values[0], out->stop = t.values[t.n - 1];
    for (size_t i = 1; i < t.n; i++) out->intervals += t.values[i] > t.values[i - 1];
    out->vars = joined_names(out);
    return out->vars ? VINC_OK : VINC_E_MEMORY;
}

void tube_free(tube_reference *r)
{
    vinc_result_free(r->table);
    free(r->columns);
    free(r->vars);
    *r = (tube_reference){0};
}

/* ---- the tube -------------------------------------------------------------------------------- */

typedef struct curve {
    const double *t, *y;
    size_t n, stride; // stride 0: a constant
} curve;

static double y_of(const curve *c, size_t i)
{
    return c->y[i * c->stride];
}

/* Between the points; `at` is the first point after s, or n. */
static double value_before(const curve *c, size_t at, double s)
{
    if (at == 0) return y_of(c, 0);
    if (at == c->n) return y_of(c, c->n - 1);
    double a = c->t[at - 1], b = c->t[at], ya = y_of(c, at - 1);
    return b > a ? ya + (y_of(c, at) - ya) * (s - a) / (b - a) : ya;
}

/* The first point of x up to time `end` outside of the tube of width dx, dy around c: its number, or
 * x->n. lo and hi are its limits there. Both curves go forward in time, and so does the window: the
 * least and the largest value in it are looked for anew only when they have left it. */
static size_t first_outside(const curve *c, const curve *x, double end, double dx, double dy,
                            double *lo, double *hi)
{
    size_t from = 0, to = 0, least = 0, most = 0; // the window is from ... to - 1
    for (size_t i = 0; i < x->n; i++) {
        double s = x->t[i], y = y_of(x, i);
        if (s > end) break;
        for (; to < c->n && c->t[to] <= s + dx; to++) {
            if (to == from || y_of(c, to) <= y_of(c, least)) least = to;
            if (to == from || y_of(c, to) >= y_of(c, most)) most = to;
        }
        while (from < to && c->t[from] < s - dx) from++;
        if (least < from || most < from) {
            least = most = from;
            for (size_t k = from; k < to; k++) {
                if (y_of(c, k) <= y_of(c, least)) least = k;
                if (y_of(c, k) >= y_of(c, most)) most = k;
            }
        }
        double left = value_before(c, from, s - dx), right = value_before(c, to, s + dx);
        *lo = fmin(left, right), *hi = fmax(left, right);
        if (from < to) *lo = fmin(*lo, y_of(c, least)), *hi = fmax(*hi, y_of(c, most));
        *lo -= dy, *hi += dy;
        if (!(y >= *lo && y <= *hi)) return i;
    }
    return x->n;
}

static double size_of(const curve *c)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->n; i++)
        least = fmin(least, y_of(c, i)), most = fmax(most, y_of(c, i));
    return fmax(fmax(most - least, fabs(least)), LEAST_SIZE);
}

static curve curve_of(const vinc_column *t, const vinc_column *y)
{
    return (curve){t->values, y->values, t->n, y->n == t->n};
}

static void note_first(tube_verdict *v, const char *format, const char *name, double t, double y,
                       double lo, double hi)
{
    if (!v->first[0]) snprintf(v->first, sizeof v->first, format, name, t, y, lo, hi);
}

/* Is the signal of the reference in column k inside? */
static bool signal_inside(const tube_reference *r, int k, vinc_result *result, tube_verdict *v)
{
    vinc_column tr, yr, t, y;
    if (vinc_result_column(r->table, 0, &tr) || vinc_result_column(r->table, k, &yr)) return false;
    int found = find_column(result, yr.name);
    if (found < 0 || vinc_result_column(result, 0, &t) || vinc_result_column(result, found, &y)) {
        if (!v->first[0])
            snprintf(v->first, sizeof v->first, "the result has no '%.200s'", yr.name);
        return false;
    }
    curve given = curve_of(&tr, &yr), found_curve = curve_of(&t, &y);
    double span = r->stop - r->start, lo = 0, hi = 0;
    double dx = WIDTH * fmax(fmax(span, fabs(r->start)), LEAST_SPAN), dy = WIDTH * size_of(&given);
    double rounding = LEAST_SPAN * fmax(1, fabs(r->stop));
    size_t i = first_outside(&given, &found_curve, r->stop + rounding, dx, dy, &lo, &hi);
    if (i < t.n) {
        note_first(v, "%.200s(%.6g) = %.9g is not in [%.9g, %.9g]", yr.name, t.values[i],
                   y_of(&found_curve, i), lo, hi);
        return false;
    }
    i = first_outside(&found_curve, &given, t.values[t.n - 1] + rounding, dx, dy, &lo, &hi);
    if (i < tr.n)
        note_first(v, "%.200s: the reference at %.6g, %.9g, is not in [%.9g, %.9g]", yr.name,
                   tr.values[i], y_of(&given, i), lo, hi);
    return i == tr.n;
}

tube_verdict tube_compare(const tube_reference *r, vinc_result *result)
{
    tube_verdict v = {.n_signals = r->n};
    vinc_column t;
    if (vinc_result_column(result, 0, &t) || !t.n) return v;
    if (t.values[t.n - 1] < r->stop - 1e-6 * fmax(1, fabs(r->stop))) {
        snprintf(v.first, sizeof v.first, "the result ends at %.9g, the reference at %.9g",
                 t.values[t.n - 1], r->stop);
        return v;
    }
    for (int i = 0; i < r->n; i++) v.inside += signal_inside(r, r->columns[i], result, &v);
    return v;
}
