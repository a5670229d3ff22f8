/* Inverses of up to four small matrices at once: one real, others complex, those of one iteration.
 *
 * A number of each is in a lane, so that their chains of quotients are one. Gauss-Jordan elimination as in la/inverse.c,
 * with given pivots: rows are in their order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_INVERSE_LANES_H
#define LA_INVERSE_LANES_H

#include "la/la.h"
#include "la/simd.h"

#include <math.h>

SIMD_INLINE simd4 simd4_all(double x)
{
    return (simd4){x, x, x, x};
}

SIMD_INLINE simd4 simd4_choose(simd4_mask m, simd4 x, simd4 y) // x or y
{
    return (simd4)(((simd4_mask)x & m) | ((simd4_mask)y & ~m));
}

enum { LANES = 4 };
typedef struct lanes {
    simd4 x[LANES][LANES], y[LANES][LANES]; // by row, by column; imaginary parts
    simd4 weight[LANES], smallest, largest;
    simd4_mask is_real;
} lanes;

SIMD_INLINE simd4 simd4_min(simd4 a, simd4 b)
{
    return simd4_choose(a < b, a, b);
}

SIMD_INLINE bool all_lanes(simd4_mask m)
{
    return (m[0] & m[1] & m[2] & m[3]) != 0;
}

/* A + c M of columns of A and M, rows in the order of pivots. */
SIMD_INLINE void lanes_load(lanes *q, const simd4 *a, const simd4 *m, simd4 re, simd4 im, int n)
{
    const double *own = (const double *)a, *mass = (const double *)m;
    _Pragma("GCC unroll 4") for (int i = 0; i < n; i++)
    {
        simd4 top = {0};
        _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
        {
            simd4 part = simd4_all(mass[LANES * j + i]);
            q->x[i][j] = simd4_all(own[LANES * j + i]) + part * re;
            q->y[i][j] = part * im;
            top = simd4_max(simd4_abs(q->y[i][j]), simd4_max(simd4_abs(q->x[i][j]), top));
        }
        q->weight[i] = simd4_choose(top > 0, 1 / top, simd4_all(1));
    }
    q->smallest = simd4_all(INFINITY);
    q->largest = simd4_all(0);
}

/* Is the entry of row k one, in all lanes? */
SIMD_INLINE bool lanes_serve(lanes *q, int k, int n)
{
    simd4 size[LANES], top = {0};
    _Pragma("GCC unroll 4") for (int i = k; i < n; i++)
    {
        size[i] = (simd4_abs(q->x[i][k]) + simd4_abs(q->y[i][k])) * q->weight[i];
        top = simd4_max(size[i], top);
    }
    q->smallest = simd4_min(top, q->smallest);
    q->largest = simd4_max(top, q->largest);
    return all_lanes((top > 0) & (top < INFINITY) & (size[k] >= LA_INVERSE_KEPT_MIN * top));
}

SIMD_INLINE bool lanes_invert(lanes *q, int n)
{
    _Pragma("GCC unroll 4") for (int k = 0; k < n; k++)
    {
        if (!lanes_serve(q, k, n)) return false;
        simd4 b = q->x[k][k], c = q->y[k][k];
        simd4 d = 1 / simd4_choose(q->is_real, b, b * b + c * c);
        simd4 r = simd4_choose(q->is_real, simd4_all(1), b) * d, s = -c * d;
        simd4 row[LANES], row_i[LANES];
        _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
        {
            simd4 u = q->x[k][j], v = q->y[k][j];
            row[j] = u * r - v * s, row_i[j] = u * s + v * r;
            if (j == k) row[j] = r, row_i[j] = s;
        }
        _Pragma("GCC unroll 4") for (int i = 0; i < n; i++)
        {
            simd4 f = q->x[i][k], h = q->y[i][k];
            _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
            {
                simd4 e = q->x[i][j], w = q->y[i][j];
                if (j == k) e = w = simd4_all(0);
                q->x[i][j] = e - (f * row[j] - h * row_i[j]);
                q->y[i][j] = w - (h * row[j] + f * row_i[j]);
                if (i == k) q->x[i][j] = row[j], q->y[i][j] = row_i[j];
            }
        }
    }
    return true;
}

#endif
