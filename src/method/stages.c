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

/* Four weights of each kind side by side. */
typedef simd4 wide_row[SCHEME_STAGES];

SIMD_INLINE void lay_out(int s, const stage_row *m, wide_row *w)
{
    _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) w[k][j] = all_four(m[k][j]);
}

SIMD_INLINE int mix_long(int s, const stage_row *m, const double *in, double *out, int n,
                         int stride)
{
    wide_row w[SCHEME_STAGES];
    int i = 0;
    lay_out(s, m, w);
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
    if (i < n && n > 3) { // the last four, some of them once more
        mix_simd4(s, m, in + n - 4, out + n - 4, stride);
        return;
    }
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

/* Stages of radau, and enough unknowns that the last four may be done once more where some are left. */
static bool in_fours(int s, int n)
{
    return n > 3 && (s == 3 || s == 5 || s == 7);
}

/* From unknown i on: four of them. */
SIMD_INLINE void points_of(int s, const wide_row *w, const stage_points *q, int i)
{
    simd4 x[SCHEME_STAGES], y = *(const simd4 *)(q->y + i);
    _Pragma("GCC unroll 8") for (int j = 0; j < s; j++)
    {
        x[j] = *(const simd4 *)(q->z + i + j * q->stride);
        *(simd4 *)(q->points + i + j * q->stride) = y + x[j];
    }
    _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)
    {
        simd4 sum = x[0] * w[k][0];
        _Pragma("GCC unroll 8") for (int j = 1; j < s; j++) sum += x[j] * w[k][j];
        *(simd4 *)(q->d + i + k * q->stride) = sum;
    }
}

SIMD_INLINE void points_by(int s, const stage_row *rate, const stage_points *q)
{
    wide_row w[SCHEME_STAGES];
    int i = 0, n = q->n;
    lay_out(s, rate, w);
    for (; i + 3 < n; i += 4) points_of(s, (const wide_row *)w, q, i);
    if (i < n) points_of(s, (const wide_row *)w, q, n - 4);
}

SIMD_CLONES static void points_any(int s, const stage_row *rate, const stage_points *q)
{
    if (s == 3) points_by(3, rate, q);
    else if (s == 5) points_by(5, rate, q);
    else points_by(7, rate, q);
}

void stages_points(int s, const stage_row *rate, const stage_points *q)
{
    if (in_fours(s, q->n)) {
        points_any(s, rate, q);
        return;
    }
    stages_mix_part(s, rate, q->z, q->d, q->n, q->stride);
    for (int j = 0; j < s; j++)
        for (int i = 0; i < q->n; i++)
            q->points[i + j * q->stride] = q->y[i] + q->z[i + j * q->stride];
}

/* From unknown i on, of four those in the mask; the others have been moved before. */
SIMD_INLINE simd4 move_four(int s, const wide_row *t, const stage_move *q, int i, simd4_mask mask)
{
    simd4 x[SCHEME_STAGES], sum = {0}, other = {0}, weight = *(const simd4 *)(q->weight + i);
    _Pragma("GCC unroll 8") for (int j = 0; j < s; j++)
    {
        int at = i + j * q->stride;
        simd4 delta = simd4_where(mask, *(const simd4 *)(q->delta + at)), e = delta * weight;
        x[j] = *(const simd4 *)(q->w + at) - delta;
        *(simd4 *)(q->w + at) = x[j];
        if (j % 2) other += e * e;
        else sum += e * e;
    }
    _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)
    {
        simd4 z = x[0] * t[k][0];
        _Pragma("GCC unroll 8") for (int j = 1; j < s; j++) z += x[j] * t[k][j];
        *(simd4 *)(q->z + i + k * q->stride) = z;
    }
    return sum + other;
}

SIMD_INLINE double move_by(int s, const stage_row *t, const stage_move *q)
{
    const simd4_mask lane = {0, 1, 2, 3}, all = {-1, -1, -1, -1};
    wide_row w[SCHEME_STAGES];
    simd4 sum = {0};
    int i = 0, n = q->n;
    lay_out(s, t, w);
    for (; i + 3 < n; i += 4) sum += move_four(s, (const wide_row *)w, q, i, all);
    if (i < n) sum += move_four(s, (const wide_row *)w, q, n - 4, lane >= (long long)(i + 4 - n));
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

SIMD_CLONES static double move_any(int s, const stage_row *t, const stage_move *q)
{
    if (s == 3) return move_by(3, t, q);
    if (s == 5) return move_by(5, t, q);
    return move_by(7, t, q);
}

double stages_move(int s, const stage_row *t, const stage_move *q)
{
    double sum = 0;
    if (in_fours(s, q->n)) return move_any(s, t, q);
    for (int j = 0; j < s; j++)
        for (int i = 0; i < q->n; i++) {
            double delta = q->delta[i + j * q->stride], e = delta * q->weight[i];
            q->w[i + j * q->stride] -= delta;
            sum += e * e;
        }
    stages_mix_part(s, t, q->w, q->z, q->n, q->stride);
    return sum;
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
