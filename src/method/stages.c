/* Sums over stages, in registers: every element is read once and written once. Blocks of four
 * unknowns, then two, then one: systems of two and three unknowns matter as much as long ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/stages.h"

#include "la/simd.h"

/* One block of a mix and of a sum, for a vector type or double. */
#define BLOCK(type)                                                                                \
    SIMD_INLINE void mix_##type(int s, const stage_row *m, const double *in, double *out, int to)  \
    {                                                                                              \
        type x[SCHEME_STAGES];                                                                     \
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] = *(const type *)(in + j * to);   \
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)                                        \
        {                                                                                          \
            type sum = x[0] * m[k][0];                                                             \
            _Pragma("GCC unroll 8") for (int j = 1; j < s; j++) sum += x[j] * m[k][j];             \
            *(type *)(out + k * to) = sum;                                                         \
        }                                                                                          \
    }                                                                                              \
    SIMD_INLINE void sum_##type(int count, const double *w, const double *const *x,                \
                                const double *base, double *out, int i)                            \
    {                                                                                              \
        type sum = {0};                                                                            \
        if (base) sum = *(const type *)(base + i);                                                 \
        for (int j = 0; j < count; j++) sum += *(const type *)(x[j] + i) * w[j];                   \
        *(type *)(out + i) = sum;                                                                  \
    }

BLOCK(simd4)
BLOCK(simd2)
BLOCK(double)

enum {
    LONG = 32
}; // unknowns from which on weights are laid out four times first: then they need no more loads

SIMD_INLINE simd4 all_four(double x)
{
    return (simd4){x, x, x, x};
}

SIMD_INLINE int mix_long(int s, const stage_row *m, const double *in, double *out, int n,
                         int stride)
{
    simd4 w[SCHEME_STAGES][SCHEME_STAGES];
    int i = 0;
    for (int k = 0; k < s; k++)
        for (int j = 0; j < s; j++) w[k][j] = all_four(m[k][j]);
    for (; i + 3 < n; i += 4) {
        simd4 x[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] =
            *(const simd4 *)(in + i + j * stride);
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)
        {
            simd4 sum = x[0] * w[k][0];
            _Pragma("GCC unroll 8") for (int j = 1; j < s; j++) sum += x[j] * w[k][j];
            *(simd4 *)(out + i + k * stride) = sum;
        }
    }
    return i;
}

SIMD_INLINE void mix(int s, const stage_row *m, const double *in, double *out, int n, int stride)
{
    int i = n >= LONG ? mix_long(s, m, in, out, n, stride) : 0;
    for (; i + 3 < n; i += 4) mix_simd4(s, m, in + i, out + i, stride);
    if (n & 2) mix_simd2(s, m, in + i, out + i, stride), i += 2;
    if (n & 1) mix_double(s, m, in + i, out + i, stride);
}

/* A constant number of stages lets the compiler unroll; 3, 5 and 7 are those of radau. */
SIMD_CLONES void stages_mix_part(int s, const stage_row *m, const double *in, double *out, int n,
                                 int stride)
{
    if (s == 3) mix(3, m, in, out, n, stride);
    else if (s == 5) mix(5, m, in, out, n, stride);
    else if (s == 7) mix(7, m, in, out, n, stride);
    else mix(s, m, in, out, n, stride);
}

void stages_mix(int s, const stage_row *m, const double *in, double *out, int n)
{
    stages_mix_part(s, m, in, out, n, n);
}

SIMD_CLONES void stages_add(const double *a, const double *b, double *out, int n)
{
    int i = 0;
    for (; i + 3 < n; i += 4)
        *(simd4 *)(out + i) = *(const simd4 *)(a + i) + *(const simd4 *)(b + i);
    for (; i < n; i++) out[i] = a[i] + b[i];
}

SIMD_CLONES void stages_subtract(int s, const double *e, double *x, int n, int stride)
{
    for (int j = 0; j < s; j++, e += stride, x += stride) {
        int i = 0;
        for (; i + 3 < n; i += 4) *(simd4 *)(x + i) -= *(const simd4 *)(e + i);
        for (; i < n; i++) x[i] -= e[i];
    }
}

SIMD_INLINE int sum_long(int count, const double *w, const double *const *x, const double *base,
                         double *out, int n)
{
    simd4 v[STAGES_MAX];
    const double *from[STAGES_MAX];
    int i = 0;
    for (int j = 0; j < count; j++) v[j] = all_four(w[j]), from[j] = x[j];
    for (; i + 3 < n; i += 4) {
        simd4 sum = {0};
        if (base) sum = *(const simd4 *)(base + i);
        _Pragma("GCC unroll 8") for (int j = 0; j < count; j++) sum +=
            *(const simd4 *)(from[j] + i) * v[j];
        *(simd4 *)(out + i) = sum;
    }
    return i;
}

SIMD_INLINE void sum(int count, const double *w, const double *const *x, const double *base,
                     double *out, int n)
{
    int i = n >= LONG ? sum_long(count, w, x, base, out, n) : 0;
    for (; i + 3 < n; i += 4) sum_simd4(count, w, x, base, out, i);
    if (n & 2) sum_simd2(count, w, x, base, out, i), i += 2;
    if (n & 1) sum_double(count, w, x, base, out, i);
}

/* Constant numbers let the compiler keep weights and places in registers. */
SIMD_INLINE void sum_of(int count, const double *w, const double *const *x, const double *base,
                        double *out, int n)
{
    int k = 0;
    for (; count - k > 6; k += 6, base = out) sum(6, w + k, x + k, base, out, n);
    switch (count - k) {
    case 1: sum(1, w + k, x + k, base, out, n); break;
    case 2: sum(2, w + k, x + k, base, out, n); break;
    case 3: sum(3, w + k, x + k, base, out, n); break;
    case 4: sum(4, w + k, x + k, base, out, n); break;
    case 5: sum(5, w + k, x + k, base, out, n); break;
    case 6: sum(6, w + k, x + k, base, out, n); break;
    default: sum(0, w, x, base, out, n);
    }
}

SIMD_CLONES void stages_blend(int count, const double *w, const double *const *x, double *out,
                              int n)
{
    if (count == 4) sum(4, w, x, NULL, out, n);
    else sum(count, w, x, NULL, out, n);
}

SIMD_CLONES void stages_blend_both(int count, const double *w, const double *v,
                                   const double *const *x, double *y, double *yp, int n)
{
    if (count == 4) sum(4, w, x, NULL, y, n), sum(4, v, x, NULL, yp, n);
    else if (count == 5) sum(5, w, x, NULL, y, n), sum(5, v, x, NULL, yp, n);
    else sum(count, w, x, NULL, y, n), sum(count, v, x, NULL, yp, n);
}

SIMD_INLINE void blend_lanes(int count, const double (*w)[4], const double *const *x, double *out,
                             int n)
{
    for (int i = 0; i < n; i++) {
        simd4 sum = {0};
        _Pragma("GCC unroll 8") for (int j = 0; j < count; j++) sum +=
            *(const simd4 *)w[j] * x[j][i];
        *(simd4 *)(out + 4 * i) = sum;
    }
}

SIMD_CLONES void stages_blend_lanes(int count, const double (*w)[4], const double *const *x,
                                    double *out, int n)
{
    switch (count) { // those of rodas, and of radau with the value at its end and what bends
    case 4: blend_lanes(4, w, x, out, n); break;
    case 5: blend_lanes(5, w, x, out, n); break;
    case 6: blend_lanes(6, w, x, out, n); break;
    case 7: blend_lanes(7, w, x, out, n); break;
    case 8: blend_lanes(8, w, x, out, n); break;
    default: blend_lanes(count, w, x, out, n);
    }
}

SIMD_CLONES void stages_sum_part(int count, const double *w, double factor, const double *x,
                                 int stride, const double *base, double *out, int n)
{
    double weight[STAGES_MAX];
    const double *vector[STAGES_MAX];
    int m = 0;
    for (int j = 0; j < count; j++) {
        weight[m] = factor * w[j];
        vector[m] = x + (size_t)j * (size_t)stride;
        m += w[j] != 0;
    }
    sum_of(m, weight, vector, base, out, n);
}

SIMD_CLONES void stages_sum_listed(int count, const double *w, const unsigned char *which,
                                   const double *x, const double *base, double *out, int n)
{
    const double *vector[STAGES_MAX];
    for (int k = 0; k < count; k++) vector[k] = x + (size_t)which[k] * (size_t)n;
    sum_of(count, w, vector, base, out, n);
}

void stages_sum(int count, const double *w, double factor, const double *x, const double *base,
                double *out, int n)
{
    stages_sum_part(count, w, factor, x, n, base, out, n);
}
