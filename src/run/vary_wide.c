/* Products of a matrix with many directions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/simd.h"
#include "run/vary_parts.h"

#include <string.h>

void vary_add_columns(const double *values, const vinc_pattern *p, int first, int n,
                      const double *v, double *out)
{
    const int *start = p->start + first, *row = p->row;
    for (int j = 0; v && j < n; j++) {
        double a = v[j];
        if (a == 0) continue;
        for (int e = start[j]; e < start[j + 1]; e++) out[row[e]] += values[e] * a;
    }
}

/* Directions side by side go through the rows of the matrix together: each of its values is read once for as
 * many as there are, and each sum stays in a register. Groups of four lie one after another; of a
 * constant number of them the compiler makes a loop without branches. */
SIMD_INLINE void add_groups(int groups, const vary_rows *m, const double *values, int rows,
                            const double *given, const double *in, int columns, double *out)
{
    const int *start = m->start, *column = m->column, *where = m->place;
    for (int r = 0, e = start[0]; r < rows; r++) {
        simd4 sum[VARY_GROUPS];
        for (int g = 0; g < groups; g++)
            sum[g] = *(const simd4 *)(given + VARY_WIDE * (g * rows + r));
        for (int end = start[2 * r + 2]; e < end; e++) {
            const double *x = in + VARY_WIDE * column[e];
            double a = values[where[e]];
            for (int g = 0; g < groups; g++)
                sum[g] += *(const simd4 *)(x + VARY_WIDE * g * columns) * a;
        }
        for (int g = 0; g < groups; g++) *(simd4 *)(out + VARY_WIDE * (g * rows + r)) = sum[g];
    }
}

SIMD_CLONES static void add_wide(int groups, const vary_rows *m, const double *values, int rows,
                                 const double *given, const double *in, int columns, double *out)
{
    switch (groups) {
    case 1: add_groups(1, m, values, rows, given, in, columns, out); break;
    case 2: add_groups(2, m, values, rows, given, in, columns, out); break;
    case 3: add_groups(3, m, values, rows, given, in, columns, out); break;
    default: add_groups(VARY_GROUPS, m, values, rows, given, in, columns, out);
    }
}

/* One direction, as it lies. */
static void add_single(const vary_rows *m, const double *values, int rows, const double *given,
                       const double *dY, const double *dYp, double *out)
{
    const int *restrict start = m->start, *restrict column = m->column, *restrict where = m->place;
    for (int r = 0; r < rows; r++) {
        double sum = given[VARY_WIDE * r];
        for (int e = start[2 * r]; e < start[2 * r + 1]; e++)
            sum += values[where[e]] * dY[column[e]];
        for (int e = start[2 * r + 1]; dYp && e < start[2 * r + 2]; e++)
            sum += values[where[e]] * dYp[column[e] - m->n];
        out[r] = sum;
    }
}

void vary_rows_layout(vary_rows *m, const vinc_pattern *p, int n, int rows, bump *b)
{
    size_t entries = p->start ? (size_t)(p->start[1 + 2 * n] - p->start[1]) : 0;
    m->n = n;
    m->start = bump_int(b, entries ? 2 * (size_t)rows + 1 : 0);
    m->column = bump_int(b, entries);
    m->place = bump_int(b, entries);
}

void vary_rows_fill(vary_rows *m, const vinc_pattern *p, int rows)
{
    int n = m->n, parts = 2 * rows;
    if (!p->start || p->start[1 + 2 * n] == p->start[1]) return;
    memset(m->start, 0, (size_t)(parts + 1) * sizeof *m->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < 2 * n; j++)
            for (int e = p->start[1 + j]; e < p->start[2 + j]; e++) {
                int part = 2 * p->row[e] + (j >= n);
                if (!pass) {
                    m->start[part + 1]++;
                } else {
                    m->column[m->start[part]] = j;
                    m->place[m->start[part]++] = e;
                }
            }
        for (int k = 0; k < parts && !pass; k++) m->start[k + 1] += m->start[k];
    }
    for (int k = parts; k > 0; k--) m->start[k] = m->start[k - 1];
    m->start[0] = 0;
}

SIMD_CLONES static void lay_side_by_side(const double *v, int n, int count, double *out)
{
    int i = 0;
    simd4 none = {0, 0, 0, 0};
    for (; i + 3 < n; i += 4)
        simd4_turn(*(const simd4 *)(v + i), count > 1 ? *(const simd4 *)(v + n + i) : none,
                   count > 2 ? *(const simd4 *)(v + 2 * n + i) : none,
                   count > 3 ? *(const simd4 *)(v + 3 * n + i) : none,
                   (simd4 *)(out + VARY_WIDE * i));
    for (int k = 0; k < VARY_WIDE; k++)
        for (int j = i; j < n; j++) out[VARY_WIDE * j + k] = k < count ? v[k * n + j] : 0;
}

SIMD_CLONES static void lay_apart(const double *wide, int n, int count, double *out)
{
    int i = 0;
    for (; i + 3 < n; i += 4) {
        const simd4 *x = (const simd4 *)(wide + VARY_WIDE * i);
        simd4 y[4];
        simd4_turn(x[0], x[1], x[2], x[3], y);
        for (int k = 0; k < count; k++) *(simd4 *)(out + k * n + i) = y[k];
    }
    for (int k = 0; k < count; k++)
        for (int j = i; j < n; j++) out[k * n + j] = wide[VARY_WIDE * j + k];
}

/* What discrete values and parameters do in the directions from k on, side by side. */
static void lay_given(const run_variation *x, const code_varied *f, const double *values, int k,
                      int count, int rows, double *out)
{
    int n_w = x->code->n_w, n_p = x->code->n_p, first = 1 + 2 * x->n;
    const int *start = f->pattern.start + first, *row = f->pattern.row;
    for (int r = 0; r < rows; r++) *(simd4 *)(out + VARY_WIDE * r) = (simd4){0};
    for (int i = 0; i < count; i++) {
        const double *dw = vary_discrete(x, k + i), *dp = vary_parameters(x, k + i);
        const int *list = x->moved_list + (size_t)(k + i) * (size_t)(n_p + 1);
        for (int j = 0; j < n_w; j++)
            for (int e = start[j]; dw[j] != 0 && e < start[j + 1]; e++)
                out[VARY_WIDE * row[e] + i] += values[e] * dw[j];
        for (; *list >= 0; list++)
            for (int e = start[n_w + *list]; e < start[n_w + *list + 1]; e++)
                out[VARY_WIDE * row[e] + i] += values[e] * dp[*list];
    }
}

void vary_list_moved(run_variation *x)
{
    int n_p = x->code->n_p;
    for (int k = 0; k < x->m; k++) {
        int *list = x->moved_list + (size_t)k * (size_t)(n_p + 1);
        for (int j = 0; j < n_p; j++)
            if (vary_parameters(x, k)[j] != 0) *list++ = j;
        *list = -1;
    }
}

void vary_give(const run_variation *x, const code_varied *f, const double *values, int m, int rows,
               double *given)
{
    for (int k = 0; k < m && f->code; k += VARY_WIDE, given += VARY_WIDE * rows)
        lay_given(x, f, values, k, m - k < VARY_WIDE ? m - k : VARY_WIDE, rows, given);
}

/* How many of these are in a group of four. */
static int group_of(int count, int g)
{
    int n = count - g * VARY_WIDE;
    return n < VARY_WIDE ? n : VARY_WIDE;
}

void vary_times_all(const run_variation *x, code_variant of, const double *values,
                    const double *given, int m, const double *dY, const double *dYp, int rows,
                    double *out)
{
    const code_varied *f = &x->code->of[of];
    const vary_rows *list = &x->rows[of];
    int n = x->n, columns = dYp ? 2 * n : n, most = VARY_GROUPS * VARY_WIDE;
    double *wide = x->wide_out;
    if (!f->code) {
        if (rows) memset(out, 0, (size_t)(m * rows) * sizeof *out);
        return;
    }
    for (int k = 0; k < m; k += most) {
        int count = m - k < most ? m - k : most, groups = (count + VARY_WIDE - 1) / VARY_WIDE;
        const double *begin = given ? given + k * rows : wide;
        for (int g = 0; g < groups && !given; g++)
            lay_given(x, f, values, k + g * VARY_WIDE, group_of(count, g), rows,
                      wide + g * VARY_WIDE * rows);
        if (count == 1 && list->start) {
            add_single(list, values, rows, begin, dY + k * n, dYp ? dYp + k * n : NULL,
                       out + k * rows);
            continue;
        }
        for (int g = 0; g < groups && list->start; g++)
            for (int rates = 0; rates < (dYp ? 2 : 1); rates++)
                lay_side_by_side((rates ? dYp : dY) + (k + g * VARY_WIDE) * n, n,
                                 group_of(count, g),
                                 x->wide_in + VARY_WIDE * (g * columns + rates * n));
        if (list->start) add_wide(groups, list, values, rows, begin, x->wide_in, columns, wide);
        else memcpy(wide, begin, (size_t)(groups * VARY_WIDE * rows) * sizeof *wide);
        for (int g = 0; g < groups; g++)
            lay_apart(wide + g * VARY_WIDE * rows, rows, group_of(count, g),
                      out + (k + g * VARY_WIDE) * rows);
    }
}
