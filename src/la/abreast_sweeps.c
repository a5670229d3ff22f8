/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/abreast_sweeps.h"

#include "la/simd.h"

#include <math.h>

static const double GROWTH_MAX = 1e6; // as of one matrix (la/indexed.c)

SIMD_INLINE simd4 larger(simd4 most, simd4 x) // not a number counts as large
{
    simd4_mask small = x <= most;
    return (simd4)(((simd4_mask)most & small) | ((simd4_mask)x & ~small));
}

SIMD_INLINE bool grows_little(simd4 most)
{
    return most[0] <= GROWTH_MAX && most[1] <= GROWTH_MAX && most[2] <= GROWTH_MAX &&
           most[3] <= GROWTH_MAX;
}

/* Four numbers of each unknown, into and out of register r of `stride`: four unknowns of four vectors are turned at once. */
SIMD_INLINE void gather(const la_abreast *z, const double *const b[ABREAST_WIDTH], int r,
                        int stride)
{
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3], *weight = z->weight;
    const int *step = z->row_step;
    int i = 0, n = z->n;
    for (; i + 3 < n; i += 4) {
        simd4 x[4];
        simd4_turn(*(const simd4 *)(b0 + i), *(const simd4 *)(b1 + i), *(const simd4 *)(b2 + i),
                   *(const simd4 *)(b3 + i), x);
        for (int k = 0; k < 4; k++)
            ((simd4 *)z->x)[step[i + k] * stride + r] = x[k] * weight[i + k];
    }
    for (; i < n; i++)
        ((simd4 *)z->x)[step[i] * stride + r] = (simd4){b0[i], b1[i], b2[i], b3[i]} * weight[i];
}

SIMD_INLINE void scatter(const la_abreast *z, double *const b[ABREAST_WIDTH], int r, int stride)
{
    double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    const int *step = z->col_step;
    const simd4 *from = (const simd4 *)z->x + r;
    int i = 0, n = z->n;
    for (; i + 3 < n; i += 4) {
        simd4 x[4];
        simd4_turn(from[step[i] * stride], from[step[i + 1] * stride], from[step[i + 2] * stride],
                   from[step[i + 3] * stride], x);
        *(simd4 *)(b0 + i) = x[0];
        *(simd4 *)(b1 + i) = x[1];
        *(simd4 *)(b2 + i) = x[2];
        *(simd4 *)(b3 + i) = x[3];
    }
    for (; i < n; i++) {
        simd4 x = from[step[i] * stride];
        b0[i] = x[0];
        b1[i] = x[1];
        b2[i] = x[2];
        b3[i] = x[3];
    }
}

/* ---- two, in one register --------------------------------------------------------------------- */

SIMD_INLINE simd4 swapped(simd4 x)
{
    return (simd4){x[1], x[0], x[3], x[2]};
}

SIMD_INLINE simd4 real_parts(simd4 x)
{
    return (simd4){x[0], x[0], x[2], x[2]};
}

SIMD_INLINE simd4 imaginary_parts(simd4 x)
{
    return (simd4){x[1], x[1], x[3], x[3]};
}

SIMD_INLINE simd4 times_i(simd4 x)
{
    const simd4_mask minus = {(long long)0x8000000000000000ull, 0, (long long)0x8000000000000000ull,
                              0};
    return (simd4)((simd4_mask)swapped(x) ^ minus);
}

SIMD_INLINE simd4 times(simd4 x, simd4 y)
{
    return real_parts(x) * y + imaginary_parts(x) * times_i(y);
}

/* 1/x; the second lane of a real one is 0 and stays so. */
SIMD_INLINE simd4 inverse_of(simd4 x)
{
    const simd4_mask minus = {0, (long long)0x8000000000000000ull, 0,
                              (long long)0x8000000000000000ull};
    simd4 square = x * x;
    return (simd4)((simd4_mask)x ^ minus) / (square + swapped(square));
}

SIMD_INLINE void load_two(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                          const double *m, const la_number *c)
{
    simd4 *v = (simd4 *)z->v, by = {c[0].re, c[0].im, c[1].re, c[1].im};
    for (int k = 0; k < f->n_fill; k++) v[f->fill[k]] = (simd4){0};
    for (int k = 0; k < nnz; k++) {
        simd4 own = {a[k], 0, a[k], 0};
        v[f->where[k]] = (own + by * m[k]) * f->scale[k];
    }
}

/* True: no multiplier is large. */
SIMD_CLONES static bool factor_two(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                                   const double *m, const la_number *c)
{
    load_two(z, f, nnz, a, m, c);
    simd4 *v = (simd4 *)z->v, *entry = v + f->steps, most = {0};
    const int *target = f->target, *start = f->start;
    for (int k = 0, steps = f->steps; k < steps; k++) {
        int from = start[2 * k], l = start[2 * k + 1], end = start[2 * k + 2];
        simd4 pivot = v[k] = inverse_of(v[k]);
        for (int e = l; e < end; e++) {
            simd4 q = entry[e] = times(entry[e], pivot);
            most = larger(most, simd4_abs(q));
            simd4 re = real_parts(q), im = times_i(swapped(imaginary_parts(q))); // -im, im
            for (int j = from; j < l; j++) {
                simd4 u = entry[j];
                v[*target++] -= re * u + im * swapped(u);
            }
        }
    }
    return grows_little(most);
}

SIMD_CLONES static void down_two(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    gather(z, (const double *const[]){b[0].re, b[0].im, b[1].re, b[1].im}, 0, 1);
    simd4 *x = (simd4 *)z->x, *entry = (simd4 *)z->v + f->steps;
    const int *line = f->line, *start = f->start;
    for (int k = 0, n = f->steps; k < n; k++) {
        simd4 y = x[k], turned = times_i(y);
        for (int e = start[2 * k + 1], end = start[2 * k + 2]; e < end; e++) {
            simd4 l = entry[e];
            x[line[e]] -= real_parts(l) * y + imaginary_parts(l) * turned;
        }
    }
}

SIMD_CLONES static void up_two(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    simd4 *v = (simd4 *)z->v, *x = (simd4 *)z->x, *entry = v + f->steps;
    const int *line = f->line, *start = f->start;
    for (int k = f->steps - 1; k >= 0; k--) {
        simd4 by_real = x[k], by_imaginary = {0};
        for (int e = start[2 * k], end = start[2 * k + 1]; e < end; e++) {
            simd4 y = x[line[e]], u = entry[e];
            by_real -= real_parts(u) * y;
            by_imaginary -= imaginary_parts(u) * y;
        }
        x[k] = times(v[k], by_real + times_i(by_imaginary));
    }
    scatter(z, (double *const[]){b[0].re, b[0].im, b[1].re, b[1].im}, 0, 1);
}

/* ---- four, in two ----------------------------------------------------------------------------- */

typedef struct __attribute__((may_alias)) four {
    simd4 re, im;
} four;

SIMD_INLINE four four_times(four x, four y)
{
    return (four){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

SIMD_INLINE void four_subtract(four *to, four x)
{
    to->re -= x.re;
    to->im -= x.im;
}

SIMD_INLINE four four_inverse(four x)
{
    simd4 square = x.re * x.re + x.im * x.im;
    return (four){x.re / square, -x.im / square};
}

SIMD_INLINE void load_four(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                           const double *m, const la_number *c)
{
    four *v = (four *)z->v,
         by = {{c[0].re, c[1].re, c[2].re, c[3].re}, {c[0].im, c[1].im, c[2].im, c[3].im}};
    for (int k = 0; k < f->n_fill; k++) v[f->fill[k]] = (four){{0}, {0}};
    for (int k = 0; k < nnz; k++) {
        double scale = f->scale[k];
        v[f->where[k]] = (four){(a[k] + by.re * m[k]) * scale, by.im * m[k] * scale};
    }
}

SIMD_CLONES static bool factor_four(const la_abreast *z, const la_lists *f, int nnz,
                                    const double *a, const double *m, const la_number *c)
{
    load_four(z, f, nnz, a, m, c);
    four *v = (four *)z->v, *entry = v + f->steps;
    simd4 most = {0};
    const int *target = f->target, *start = f->start;
    for (int k = 0, steps = f->steps; k < steps; k++) {
        int from = start[2 * k], l = start[2 * k + 1], end = start[2 * k + 2];
        four pivot = v[k] = four_inverse(v[k]);
        for (int e = l; e < end; e++) {
            four q = entry[e] = four_times(entry[e], pivot);
            most = larger(larger(most, simd4_abs(q.re)), simd4_abs(q.im));
            for (int j = from; j < l; j++) four_subtract(&v[*target++], four_times(q, entry[j]));
        }
    }
    return grows_little(most);
}

SIMD_CLONES static void down_four(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    gather(z, (const double *const[]){b[0].re, b[1].re, b[2].re, b[3].re}, 0, 2);
    gather(z, (const double *const[]){b[0].im, b[1].im, b[2].im, b[3].im}, 1, 2);
    four *x = (four *)z->x, *entry = (four *)z->v + f->steps;
    const int *line = f->line, *start = f->start;
    for (int k = 0, n = f->steps; k < n; k++) {
        four y = x[k];
        for (int e = start[2 * k + 1], end = start[2 * k + 2]; e < end; e++)
            four_subtract(&x[line[e]], four_times(entry[e], y));
    }
}

SIMD_CLONES static void up_four(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    four *v = (four *)z->v, *x = (four *)z->x, *entry = v + f->steps;
    const int *line = f->line, *start = f->start;
    for (int k = f->steps - 1; k >= 0; k--) {
        four by_real = x[k], by_imaginary = {{0}, {0}};
        for (int e = start[2 * k], end = start[2 * k + 1]; e < end; e++) {
            four y = x[line[e]], u = entry[e];
            four_subtract(&by_real, (four){u.re * y.re, u.re * y.im});
            four_subtract(&by_imaginary, (four){u.im * y.re, u.im * y.im});
        }
        x[k] = four_times(v[k], (four){by_real.re - by_imaginary.im, by_real.im + by_imaginary.re});
    }
    scatter(z, (double *const[]){b[0].re, b[1].re, b[2].re, b[3].re}, 0, 2);
    scatter(z, (double *const[]){b[0].im, b[1].im, b[2].im, b[3].im}, 1, 2);
}

/* ----------------------------------------------------------------------------------------------- */

/* |re| + |im| of pivot k, in the lanes of the numbers; of two in the first of their two. */
SIMD_INLINE simd4 pivot_size(const la_abreast *z, int k, int registers)
{
    const simd4 *v = (const simd4 *)z->v + k * registers;
    if (registers > 1) return simd4_abs(v[0]) + simd4_abs(v[1]);
    simd4 size = simd4_abs(*v);
    return size + swapped(size);
}

SIMD_INLINE bool sizes_by(const la_abreast *z, int steps, int registers, simd4 *least, simd4 *most)
{
    simd4 strange = {0}, low = {INFINITY, INFINITY, INFINITY, INFINITY}, high = {0};
    for (int k = 0; k < steps; k++) {
        simd4 size = pivot_size(z, k, registers);
        simd4_mask less = size < low;
        strange += size - size;
        low = (simd4)(((simd4_mask)size & less) | ((simd4_mask)low & ~less));
        high = simd4_max(size, high);
    }
    *least = low, *most = high;
    return strange[0] + strange[1] + (strange[2] + strange[3]) == 0;
}

SIMD_CLONES static bool sizes_of_pivots(const la_abreast *z, int steps, simd4 *least, simd4 *most)
{
    return z->registers > 1 ? sizes_by(z, steps, 2, least, most)
                            : sizes_by(z, steps, 1, least, most);
}

bool abreast_pivots(const la_abreast *z, const la_lists *f, double *least, double *most)
{
    simd4 low, high;
    bool finite = sizes_of_pivots(z, f->steps, &low, &high);
    for (int i = 0; i < 2 * z->registers; i++) {
        least[i] = low[abreast_place(z, i)];
        most[i] = high[abreast_place(z, i)];
    }
    return finite;
}

bool abreast_eliminate(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                       const double *m, const la_number *c)
{
    return (z->registers > 1 ? factor_four : factor_two)(z, f, nnz, a, m, c);
}

void abreast_down(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    (z->registers > 1 ? down_four : down_two)(z, f, b);
}

void abreast_up(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    (z->registers > 1 ? up_four : up_two)(z, f, b);
}
