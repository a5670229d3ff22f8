/* Values between rows.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/result.h"

#include <math.h>

/* How a time lies among the rows: value = row[a] + w (row[b] - row[a]). */
typedef struct bracket {
    size_t a, b;
    double w;
    int status;
} bracket;

/* The first row whose time is above t (side right) or not below it (left); n_rows when there is
 * none. */
static size_t sample_first_after(const result *r, double t, result_side side)
{
    size_t lo = 0, hi = r->n_rows; // the answer is in [lo, hi]
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        double at = result_time(r, mid);
        if (side == RESULT_RIGHT ? at > t : at >= t) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

static bracket sample_bracket(const result *r, double t, result_side side)
{
    size_t last = r->n_rows - 1, i = sample_first_after(r, t, side);
    if (side == RESULT_RIGHT) {
        if (i == 0) return (bracket){0, 0, 0, RESULT_OUTSIDE};
        if (i > last)
            return (bracket){last, last, 0, t > result_time(r, last) ? RESULT_OUTSIDE : RESULT_OK};
    } else {
        if (i > last) return (bracket){last, last, 0, RESULT_OUTSIDE};
        if (result_time(r, i) == t) return (bracket){i, i, 0, RESULT_OK};
        if (i == 0) return (bracket){0, 0, 0, RESULT_OUTSIDE};
    }
    double t0 = result_time(r, i - 1), t1 = result_time(r, i);
    return (bracket){i - 1, i, (t - t0) / (t1 - t0), RESULT_OK};
}

static double sample_blend(double a, double b, double w)
{
    if (w == 0) return a;
    double d = b - a;
    return isinf(d) && isfinite(a) && isfinite(b) ? (1 - w) * a + w * b : a + w * d;
}

int result_at(const result *r, int column, double t, result_side side, double *value)
{
    const result_column *c = &r->columns[column];
    if (r->n_rows == 0) {
        *value = c->constant ? result_value(r, column, 0) : NAN;
        return RESULT_E_EMPTY;
    }
    bracket k = sample_bracket(r, t, side);
    *value = result_value(r, column, k.a);
    if (c->kind == RESULT_REAL && !c->constant)
        *value = sample_blend(*value, result_value(r, column, k.b), k.w);
    return k.status;
}

/* Does a column that holds its values get another one in row i? */
static bool held_changes(const result *r, size_t i)
{
    for (int c = 0; i && c < r->n_columns; c++)
        if (r->columns[c].kind != RESULT_REAL && !r->columns[c].constant &&
            result_value(r, c, i) != result_value(r, c, i - 1))
            return true;
    return false;
}

bool result_next_break(const result *r, double t, double *when)
{
    for (size_t i = sample_first_after(r, t, RESULT_RIGHT); i < r->n_rows; i++) {
        bool twice = i + 1 < r->n_rows && result_time(r, i) == result_time(r, i + 1);
        if (twice || held_changes(r, i)) {
            *when = result_time(r, i);
            return true;
        }
    }
    return false;
}

static bool has_corner(const result *r, int column, size_t i, double share)
{
    size_t before = i ? i - 1 : i, after = i + 1 < r->n_rows ? i + 1 : i;
    double a = result_value(r, column, before), b = result_value(r, column, i);
    double c = result_value(r, column, after);
    double t0 = result_time(r, before), t1 = result_time(r, i), t2 = result_time(r, after);
    if (before == i || after == i) return a != c; // constant on the other side
    if (t0 == t1 || t1 == t2) return false;       // a jump
    double off = fabs(sample_blend(a, c, (t1 - t0) / (t2 - t0)) - b);
    return off > share * fmax(fabs(b), fmax(fabs(a), fabs(c)));
}

bool result_next_corner(const result *r, const int *columns, size_t n, double share, double t,
                        double to, double *when)
{
    if (r->n_rows == 0) return false;
    for (size_t i = sample_first_after(r, t, RESULT_RIGHT);
         i < r->n_rows && result_time(r, i) <= to; i++)
        for (size_t k = 0; k < n; k++)
            if (columns[k] >= 0 && r->columns[columns[k]].kind == RESULT_REAL &&
                has_corner(r, columns[k], i, share)) {
                *when = result_time(r, i);
                return true;
            }
    return false;
}
