/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/normal.h"

#include "la/simd.h"

#include <math.h>
#include <stddef.h>

/* What elimination leaves of the square of a row, over that square: the square of the sine of its angle
 * to the rows before. A principle: half of the digits are left where it is the square root of eps. */
static const double SINE_SQUARED_MIN = 1.5e-8;

/* l := the lower triangle of A A^T; the squares of the rows once more in the row above it. */
SIMD_CLONES static void normal_product(int m, int n, const double *a, double *l)
{
    for (int k = 0; k < m * m; k++) l[k] = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
            simd_subtract(l + k + k * m, a + j * m + k, -a[j * m + k], m - k);
    for (int k = 1; k < m; k++) l[k * m] = l[k + k * m];
}

SIMD_CLONES static bool normal_eliminate(int m, double least, double *l)
{
    for (int k = 0; k < m; k++) {
        double *col = l + k * m, square = col[0];
        if (!(col[k] > least * square && col[k] < INFINITY)) return false;
        double inv = 1 / col[k];
        for (int j = k + 1; j < m; j++) simd_subtract(l + j + j * m, col + j, col[j] * inv, m - j);
        for (int i = k + 1; i < m; i++) col[i] *= inv;
        col[k] = inv;
    }
    return true;
}

bool la_normal_factor(const la_normal *q)
{
    normal_product(q->m, q->n, q->a, q->l);
    return normal_eliminate(q->m, q->least > 0 ? q->least : SINE_SQUARED_MIN, q->l);
}

void la_normal_solve(const la_normal *q, double *b, double *x)
{
    int m = q->m;
    const double *l = q->l;
    for (int k = 0; k < m; k++)
        for (int i = k + 1; i < m; i++) b[i] -= l[i + k * m] * b[k];
    for (int k = m - 1; k >= 0; k--) {
        b[k] *= l[k + k * m];
        for (int i = k + 1; i < m; i++) b[k] -= l[i + k * m] * b[i];
    }
    for (int j = 0; j < q->n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += q->a[i + (size_t)j * (size_t)m] * b[i];
        x[j] = sum;
    }
}
