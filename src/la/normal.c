/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/normal.h"

#include "la/simd.h"

#include <math.h>
#include <stddef.h>

/* What elimination leaves of the square of a row, over that square: the square of the sine of its angle
 * to the rows before. A principle: half of the digits are left where it is the square root of eps. */
static const double SINE_SQUARED_MIN = 1.5e-8;

enum { WIDTH = 4, GROUPS_FEW = 3 }; // groups of four columns that the compiler knows the number of

SIMD_INLINE double row_product(const simd4 *a, const simd4 *b, int groups)
{
    simd4 sum = a[0] * b[0];
    for (int g = 1; g < groups; g++) sum += a[g] * b[g];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* l := the lower triangle of A A^T. */
SIMD_INLINE void normal_product(int m, int groups, const simd4 *a, double *l)
{
    for (int k = 0; k < m; k++)
        for (int i = k; i < m; i++)
            l[i + k * m] = row_product(a + i * groups, a + k * groups, groups);
}

/* The square of a row is what is on the diagonal before other rows are taken out of it. */
SIMD_INLINE bool normal_eliminate(int m, double least, double *l)
{
    for (int k = 1; k < m; k++) l[k * m] = l[k + k * m]; // above the diagonal
    for (int k = 0; k < m; k++) {
        double *col = l + k * m, square = col[0];
        if (!(col[k] > least * square && col[k] < INFINITY)) return false;
        double inv = 1 / col[k];
        for (int j = k + 1; j < m; j++) {
            double part = col[j] * inv;
            for (int i = j; i < m; i++) l[i + j * m] -= col[i] * part;
        }
        for (int i = k + 1; i < m; i++) col[i] *= inv;
        col[k] = inv;
    }
    return true;
}

SIMD_INLINE void row_subtract(simd4 *to, const simd4 *from, double x, int groups)
{
    simd4 xx = {x, x, x, x};
    for (int g = 0; g < groups; g++) to[g] -= from[g] * xx;
}

/* w := (A A^T)^-1 A */
SIMD_INLINE void normal_invert(int m, int groups, const simd4 *a, const double *l, simd4 *w)
{
    for (int k = 0; k < m * groups; k++) w[k] = a[k];
    for (int k = 0; k < m; k++)
        for (int i = k + 1; i < m; i++)
            row_subtract(w + i * groups, w + k * groups, l[i + k * m], groups);
    for (int k = m - 1; k >= 0; k--) {
        simd4 inv = {l[k + k * m], l[k + k * m], l[k + k * m], l[k + k * m]};
        for (int g = 0; g < groups; g++) w[k * groups + g] *= inv;
        for (int i = k + 1; i < m; i++)
            row_subtract(w + k * groups, w + i * groups, l[i + k * m], groups);
    }
}

SIMD_INLINE bool normal_factor(const la_normal *q, int groups)
{
    const simd4 *a = (const simd4 *)q->a;
    normal_product(q->m, groups, a, q->l);
    if (!normal_eliminate(q->m, q->least > 0 ? q->least : SINE_SQUARED_MIN, q->l)) return false;
    if (la_normal_inverse(q->m, q->n)) normal_invert(q->m, groups, a, q->l, (simd4 *)q->inverse);
    return true;
}

SIMD_CLONES static bool normal_factor_any(const la_normal *q, int groups)
{
    _Static_assert(GROUPS_FEW == 3, "as many cases");
    switch (groups) {
    case 1: return normal_factor(q, 1);
    case 2: return normal_factor(q, 2);
    case 3: return normal_factor(q, 3);
    default: return normal_factor(q, groups);
    }
}

bool la_normal_factor(const la_normal *q)
{
    return normal_factor_any(q, la_normal_width(q->n) / WIDTH);
}

/* x := the sum of b_i times row i */
SIMD_INLINE void rows_sum(const la_normal *q, int groups, const simd4 *rows, const double *b,
                          double *x)
{
    for (int g = 0; g < groups; g++) {
        simd4 sum = {0};
        for (int i = 0; i < q->m; i++) {
            simd4 part = {b[i], b[i], b[i], b[i]};
            sum += rows[i * groups + g] * part;
        }
        int left = q->n - WIDTH * g;
        if (left >= WIDTH) *(simd4 *)(x + WIDTH * g) = sum;
        else
            for (int j = 0; j < left; j++) x[WIDTH * g + j] = sum[j];
    }
}

SIMD_CLONES static void rows_sum_any(const la_normal *q, const double *rows, const double *b,
                                     double *x)
{
    rows_sum(q, la_normal_width(q->n) / WIDTH, (const simd4 *)rows, b, x);
}

void la_normal_solve(const la_normal *q, double *b, double *x)
{
    int m = q->m;
    const double *l = q->l;
    if (la_normal_inverse(m, q->n)) {
        rows_sum_any(q, q->inverse, b, x);
        return;
    }
    for (int k = 0; k < m; k++)
        for (int i = k + 1; i < m; i++) b[i] -= l[i + k * m] * b[k];
    for (int k = m - 1; k >= 0; k--) {
        b[k] *= l[k + k * m];
        for (int i = k + 1; i < m; i++) b[k] -= l[i + k * m] * b[i];
    }
    rows_sum_any(q, q->a, b, x);
}
