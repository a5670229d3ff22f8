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

/* Directions side by side go through the matrix together: each of its values is read once for four, or for
 * twice four. Ends of columns are read once, for a store may change them as far as the compiler knows. */
SIMD_CLONES static void add_wide(const int *start, const int *row, const double *values, int first,
                                 int n, const double *in, double *out)
{
    for (int j = 0; j < n; j++) {
        simd4 v = *(const simd4 *)(in + VARY_WIDE * j);
        for (int e = start[first + j], end = start[first + j + 1]; e < end; e++)
            *(simd4 *)(out + VARY_WIDE * row[e]) += v * values[e];
    }
}

SIMD_CLONES static void add_wide_twice(const int *start, const int *row, const double *values,
                                       int first, int n, const double *in, double *out, int rows)
{
    const double *in_too = in + VARY_WIDE * n;
    double *out_too = out + VARY_WIDE * rows;
    for (int j = 0; j < n; j++) {
        simd4 v = *(const simd4 *)(in + VARY_WIDE * j),
              w = *(const simd4 *)(in_too + VARY_WIDE * j);
        for (int e = start[first + j], end = start[first + j + 1]; e < end; e++) {
            long at = VARY_WIDE * (long)row[e];
            double a = values[e];
            *(simd4 *)(out + at) += v * a;
            *(simd4 *)(out_too + at) += w * a;
        }
    }
}

/* Four by four, the rows of one become the columns of the other. */
SIMD_INLINE void turn(simd4 a, simd4 b, simd4 c, simd4 d, simd4 out[4])
{
    simd4 ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6),
          ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7),
          cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6),
          cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

SIMD_CLONES static void lay_side_by_side(const double *v, int n, int count, double *out)
{
    int i = 0;
    simd4 none = {0, 0, 0, 0};
    for (; i + 3 < n; i += 4)
        turn(*(const simd4 *)(v + i), count > 1 ? *(const simd4 *)(v + n + i) : none,
             count > 2 ? *(const simd4 *)(v + 2 * n + i) : none,
             count > 3 ? *(const simd4 *)(v + 3 * n + i) : none, (simd4 *)(out + VARY_WIDE * i));
    for (int k = 0; k < VARY_WIDE; k++)
        for (int j = i; j < n; j++) out[VARY_WIDE * j + k] = k < count ? v[k * n + j] : 0;
}

SIMD_CLONES static void lay_apart(const double *wide, int n, int count, double *out)
{
    int i = 0;
    for (; i + 3 < n; i += 4) {
        const simd4 *x = (const simd4 *)(wide + VARY_WIDE * i);
        simd4 y[4];
        turn(x[0], x[1], x[2], x[3], y);
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
    memset(out, 0, (size_t)(VARY_WIDE * rows) * sizeof *out);
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

/* How many of these are in the first or the second group of four. */
static int group_of(int count, int g)
{
    int n = count - g * VARY_WIDE;
    return n < VARY_WIDE ? n : VARY_WIDE;
}

void vary_times_all(const run_variation *x, const code_varied *f, const double *values,
                    const double *given, int m, const double *dY, const double *dYp, int rows,
                    double *out)
{
    int n = x->n;
    const vinc_pattern *p = &f->pattern;
    double *wide = x->wide_out;
    if (!f->code) {
        if (rows) memset(out, 0, (size_t)(m * rows) * sizeof *out);
        return;
    }
    for (int k = 0, groups; k < m; k += groups * VARY_WIDE) {
        int count = m - k < 2 * VARY_WIDE ? m - k : 2 * VARY_WIDE;
        groups = count > VARY_WIDE ? 2 : 1;
        size_t bytes = (size_t)(groups * VARY_WIDE * rows) * sizeof *wide;
        if (given) memcpy(wide, given + k * rows, bytes);
        for (int g = 0; g < groups && !given; g++)
            lay_given(x, f, values, k + g * VARY_WIDE, group_of(count, g), rows,
                      wide + g * VARY_WIDE * rows);
        for (int rates = 0; rates < (dYp ? 2 : 1); rates++) {
            const double *d = (rates ? dYp : dY) + k * n;
            for (int g = 0; g < groups; g++)
                lay_side_by_side(d + g * VARY_WIDE * n, n, group_of(count, g),
                                 x->wide_in + g * VARY_WIDE * n);
            if (groups == 2)
                add_wide_twice(p->start, p->row, values, 1 + rates * n, n, x->wide_in, wide, rows);
            else add_wide(p->start, p->row, values, 1 + rates * n, n, x->wide_in, wide);
        }
        for (int g = 0; g < groups; g++)
            lay_apart(wide + g * VARY_WIDE * rows, rows, group_of(count, g),
                      out + (k + g * VARY_WIDE) * rows);
    }
}
