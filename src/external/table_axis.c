/* Interpolation along one direction of a table.
 *
 * Slopes at the points: H. Akima, J. ACM 17 (1970) 589-602; its modification takes
 * |a - b| + |a + b|/2 for |a - b| in the weights, which keeps flat stretches flat; F. N. Fritsch
 * and J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304, with the weighted harmonic mean;
 * M. Steffen, Astron. Astrophys. 239 (1990) 443-450. Between the points the curve is the cubic with
 * these values and slopes. The monotone kinds begin and end with the slope of the chord.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/table.h"

#include <math.h>
#include <string.h>

/* ---- slopes ---------------------------------------------------------------------------------- */

typedef struct curve {
    const double *x, *y;
    int n, stride, smoothness;
} curve;

/* Slope of chord i; beyond the ends they go on as a parabola does. */
static double chord(const curve *c, int i)
{
    if (i < 0) return 2 * chord(c, i + 1) - chord(c, i + 2);
    if (i > c->n - 2) return 2 * chord(c, i - 1) - chord(c, i - 2);
    return (c->y[(i + 1) * c->stride] - c->y[i * c->stride]) / (c->x[i + 1] - c->x[i]);
}

/* How much the chords left and right of point i count. */
static void akima_weights(const curve *c, int i, double w[2])
{
    double d[4];
    for (int k = 0; k < 4; k++) d[k] = chord(c, i - 2 + k);
    w[0] = fabs(d[3] - d[2]);
    w[1] = fabs(d[1] - d[0]);
    if (c->smoothness == TABLE_MODIFIED_AKIMA) {
        w[0] += fabs(d[3] + d[2]) / 2;
        w[1] += fabs(d[1] + d[0]) / 2;
    }
    double sum = w[0] + w[1], alone = c->smoothness == TABLE_MODIFIED_AKIMA ? 0 : 0.5;
    w[0] = sum > 0 ? w[0] / sum : alone;
    w[1] = sum > 0 ? w[1] / sum : alone;
}

static double akima(const curve *c, int i)
{
    double w[2];
    akima_weights(c, i, w);
    return w[0] * chord(c, i - 1) + w[1] * chord(c, i);
}

static double monotone(const curve *c, int i)
{
    if (i == 0) return chord(c, 0);
    if (i == c->n - 1) return chord(c, c->n - 2);
    double a = chord(c, i - 1), b = chord(c, i);
    double ha = c->x[i] - c->x[i - 1], hb = c->x[i + 1] - c->x[i];
    if (!(a * b > 0)) return 0;
    if (c->smoothness == TABLE_FRITSCH_BUTLAND)
        return 3 * (ha + hb) / ((ha + 2 * hb) / a + (2 * ha + hb) / b);
    double p = (a * hb + b * ha) / (ha + hb);
    double least = fmin(fmin(fabs(a), fabs(b)), fabs(p) / 2);
    return a > 0 ? 2 * least : -2 * least;
}

void table_slopes(int smoothness, const double *x, const double *y, int n, int stride,
                  double *slope)
{
    curve c = {x, y, n, stride, smoothness};
    bool by_akima = smoothness == TABLE_AKIMA || smoothness == TABLE_MODIFIED_AKIMA;
    for (int i = 0; i < n; i++)
        slope[i * stride] = n == 2 ? chord(&c, 0) : by_akima ? akima(&c, i) : monotone(&c, i);
}

void table_chord_weights(int smoothness, const double *x, const double *y, int n, int stride, int i,
                         double w[2])
{
    curve c = {x, y, n, stride, smoothness};
    w[0] = w[1] = 0.5;
    if (n > 2) akima_weights(&c, i, w);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

int table_piece(const table_axis *a, double u)
{
    int low = 0, high = a->n - 1; // x[low] <= u < x[high], if u is inside
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (a->x[middle] <= u) low = middle;
        else high = middle;
    }
    return low;
}

static void weigh_linear(const table_axis *a, int i, double u, table_weights *out)
{
    double h = a->x[i + 1] - a->x[i];
    if (!(h > 0)) { // a jump: the value after it
        out->w[0][2] = 1;
        return;
    }
    double s = (u - a->x[i]) / h;
    out->w[0][0] = 1 - s;
    out->w[0][2] = s;
    out->w[1][0] = -1 / h;
    out->w[1][2] = 1 / h;
}

static void weigh_cubic(const table_axis *a, int i, double u, table_weights *out)
{
    double h = a->x[i + 1] - a->x[i], s = (u - a->x[i]) / h, r = 1 - s;
    const double w[3][4] = {
        {(1 + 2 * s) * r * r, s * r * r * h, s * s * (3 - 2 * s), -s * s * r * h},
        {-6 * s * r / h, r * (1 - 3 * s), 6 * s * r / h, s * (3 * s - 2)},
        {(12 * s - 6) / (h * h), (6 * s - 4) / h, (6 - 12 * s) / (h * h), (6 * s - 2) / h}};
    memcpy(out->w, w, sizeof w);
}

void table_weigh_piece(const table_axis *a, int i, double u, table_weights *out)
{
    *out = (table_weights){.i = i};
    if (a->n == 1) out->w[0][0] = 1;
    else if (a->smoothness == TABLE_LINEAR) weigh_linear(a, i, u, out);
    else if (a->smoothness != TABLE_CONSTANT) weigh_cubic(a, i, u, out);
    else out->w[0][u >= a->x[a->n - 1] && i == a->n - 2 ? 2 : 0] = 1;
}

bool table_begins_with_jump(const table_axis *a)
{
    return a->n > 1 && !table_is_smooth(a->smoothness) && !(a->x[1] > a->x[0]);
}

/* Beyond an end of the table: as there, or along the derivative. */
static void weigh_outside(const table_axis *a, double u, table_weights *out)
{
    int i = u < a->x[0] ? 0 : a->n - 2;
    double end = a->x[u < a->x[0] ? 0 : a->n - 1];
    if (a->extrapolation == TABLE_LAST_TWO && !table_is_smooth(a->smoothness)) {
        *out = (table_weights){.i = i};
        weigh_linear(a, i, u, out);
        if (!(a->x[i + 1] > a->x[i]))
            out->w[0][2 * (u < a->x[0])] = 0, out->w[0][2 * (u >= a->x[0])] = 1;
        return;
    }
    if (u < a->x[0] && table_begins_with_jump(a)) { // it has not happened yet
        *out = (table_weights){.i = 0};
        out->w[0][0] = 1;
        return;
    }
    table_weigh_piece(a, i, end, out);
    for (int k = 0; k < 4; k++) {
        if (a->extrapolation == TABLE_HOLD) out->w[1][k] = 0;
        else out->w[0][k] += (u - end) * out->w[1][k];
        out->w[2][k] = 0;
    }
}

/* A whole number of periods away; the end of the table is its last point, not its first. */
static double table_wrap(const table_axis *a, double u)
{
    double low = a->x[0], high = a->x[a->n - 1], period = high - low;
    if (u > high) u -= ceil((u - high) / period) * period;
    if (u < low) u += ceil((low - u) / period) * period;
    return u < low ? low : u > high ? high : u;
}

bool table_weigh(table_axis *a, double u, table_weights *out)
{
    bool outside = a->n > 1 && (u < a->x[0] || u > a->x[a->n - 1]);
    if (a->n == 1) {
        table_weigh_piece(a, 0, u, out);
        return true;
    }
    if (outside && a->extrapolation == TABLE_NONE) return false;
    if (outside && a->extrapolation != TABLE_PERIODIC) {
        weigh_outside(a, u, out);
        return true;
    }
    if (outside && a->x[a->n - 1] > a->x[0]) u = table_wrap(a, u);
    int i = a->last;
    if (!(a->x[i] <= u && u < a->x[i + 1])) i = table_piece(a, u);
    a->last = i;
    table_weigh_piece(a, i, u, out);
    return true;
}
