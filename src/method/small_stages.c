/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/small_stages.h"

#include "la/simd.h"

bool small_fits(int stages, int n)
{
    return (stages == 3 || stages == 5 || stages == 7) && small_is(n);
}

SIMD_INLINE simd4 *small_at(double *x, int stage, int group, int groups)
{
    return (simd4 *)(x + SMALL_GROUP * (group + stage * groups));
}

SIMD_INLINE simd4 small_of(const double *x, int stage, int group, int groups)
{
    return *(const simd4 *)(x + SMALL_GROUP * (group + stage * groups));
}

/* By pairs, so that few sums wait for another: 3, 5 or 7 of them. */
SIMD_INLINE simd4 sum_of(int s, const simd4 *x)
{
    if (s == 3) return x[0] + x[1] + x[2];
    if (s == 5) return (x[0] + x[1]) + (x[2] + x[3]) + x[4];
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]);
}

SIMD_INLINE simd4 row_of(int s, const double (*m)[SMALL_GROUP], const simd4 *x)
{
    simd4 part[SCHEME_STAGES];
    _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) part[j] = x[j] * *(const simd4 *)m[j];
    return sum_of(s, part);
}

void small_widen(const small_row *m, const double *last, int stages, small_wide *out)
{
    for (int i = 0; i < stages + (last != NULL); i++)
        for (int j = 0; j < stages; j++)
            for (int k = 0; k < SMALL_GROUP; k++) out[i][j][k] = i < stages ? m[i][j] : last[j];
}

SIMD_INLINE void points_of(const small_stages *q, int s, int groups)
{
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES], y = small_of(q->y, 0, g, groups);
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++)
        {
            x[j] = small_of(q->w, j, g, groups) * q->inverse_h;
            *small_at(q->points, j, g, groups) = y + small_of(q->z, j, g, groups);
        }
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->d, k, g, groups) =
            row_of(s, (const double(*)[SMALL_GROUP])q->rate[k], x);
    }
}

/* b := inverse b */
SIMD_INLINE void solve_real(const double *inverse, double *b, int n, int groups)
{
    simd4 x[SMALL_MAX / SMALL_GROUP];
    for (int g = 0; g < groups; g++) x[g] = small_of(inverse, 0, g, groups) * b[0];
    for (int j = 1; j < n; j++)
        for (int g = 0; g < groups; g++) x[g] += small_of(inverse, j, g, groups) * b[j];
    for (int g = 0; g < groups; g++) *small_at(b, 0, g, groups) = x[g];
}

SIMD_INLINE void solve_complex(const double *re, const double *im, double *b, int n, int groups)
{
    simd4 x[SMALL_MAX / SMALL_GROUP], y[SMALL_MAX / SMALL_GROUP];
    double *c = b + SMALL_GROUP * groups; // imaginary parts
    for (int g = 0; g < groups; g++) {
        simd4 r = small_of(re, 0, g, groups), i = small_of(im, 0, g, groups);
        x[g] = r * b[0] - i * c[0];
        y[g] = r * c[0] + i * b[0];
    }
    for (int j = 1; j < n; j++)
        for (int g = 0; g < groups; g++) {
            simd4 r = small_of(re, j, g, groups), i = small_of(im, j, g, groups);
            x[g] += r * b[j] - i * c[j];
            y[g] += r * c[j] + i * b[j];
        }
    for (int g = 0; g < groups; g++) {
        *small_at(b, 0, g, groups) = x[g];
        *small_at(b, 1, g, groups) = y[g];
    }
}

SIMD_INLINE double total_of(simd4 x, int n)
{
    return n <= 2 ? x[0] + x[1] : x[0] + x[1] + (x[2] + x[3]);
}

/* w -= the corrections in x, and z with it; the sum of their weighed squares. */
SIMD_INLINE simd4 move_by(const small_stages *q, int s, int g, int groups, simd4 *x)
{
    simd4 e[SCHEME_STAGES], weight = small_of(q->weight, 0, g, groups);
    _Pragma("GCC unroll 8") for (int j = 0; j < s; j++)
    {
        e[j] = x[j] * weight;
        e[j] *= e[j];
        x[j] = small_of(q->w, j, g, groups) - x[j];
        *small_at(q->w, j, g, groups) = x[j];
    }
    _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->z, k, g, groups) =
        row_of(s, (const double(*)[SMALL_GROUP])q->t[k], x);
    return sum_of(s, e);
}

/* What has just been written number by number is read in the same way: a wide load, which the compiler would make of it,
 * would wait until all of them have left for the cache. */
SIMD_INLINE simd4 small_gather(const volatile double *x, int n)
{
    return (simd4){x[0], n > 1 ? x[1] : 0, n > 2 ? x[2] : 0, n > 3 ? x[3] : 0};
}

SIMD_INLINE simd4 lane_of(simd4 x, int j)
{
    return (simd4){x[j], x[j], x[j], x[j]};
}

/* Of one group, in registers. */
SIMD_INLINE double correct_few(const small_stages *q, int s, int n)
{
    simd4 f[SCHEME_STAGES], x[SCHEME_STAGES], delta[SCHEME_STAGES];
    _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) f[j] =
        small_gather(q->f + j * SMALL_GROUP, n);
    _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) x[k] =
        row_of(s, (const double(*)[SMALL_GROUP])q->ti[k], f);
    delta[0] = small_of(q->real, 0, 0, 1) * lane_of(x[0], 0);
    _Pragma("GCC unroll 4") for (int j = 1; j < n; j++) delta[0] +=
        small_of(q->real, j, 0, 1) * lane_of(x[0], j);
    _Pragma("GCC unroll 3") for (int i = 0; i < s / 2; i++)
    {
        simd4 *u = &delta[1 + 2 * i], *v = u + 1;
        _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
        {
            simd4 re = small_of(q->re[i], j, 0, 1), im = small_of(q->im[i], j, 0, 1);
            simd4 b = lane_of(x[1 + 2 * i], j), c = lane_of(x[2 + 2 * i], j);
            simd4 part = re * b - im * c, part_i = re * c + im * b;
            if (j) part += *u, part_i += *v;
            *u = part, *v = part_i;
        }
    }
    _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) * small_at(q->d, j, 0, 1) = delta[j];
    return total_of(move_by(q, s, 0, 1, delta), n);
}

SIMD_INLINE double correct_of(const small_stages *q, int s, int groups, int n)
{
    simd4 squares = {0};
    if (groups == 1) return correct_few(q, s, n);
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] = small_of(q->f, j, g, groups);
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->d, k, g, groups) =
            row_of(s, (const double(*)[SMALL_GROUP])q->ti[k], x);
    }
    solve_real(q->real, q->d, n, groups);
    _Pragma("GCC unroll 3") for (int i = 0; i < s / 2; i++)
        solve_complex(q->re[i], q->im[i], q->d + SMALL_GROUP * groups * (1 + 2 * i), n, groups);
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] = small_of(q->d, j, g, groups);
        squares += move_by(q, s, g, groups, x);
    }
    return total_of(squares, SMALL_GROUP);
}

SIMD_INLINE void end_of(const small_stages *q, int s, int groups, double *y_new, double *yp_new,
                        double *begin)
{
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] =
            small_of(q->w, j, g, groups) * q->inverse_h;
        *small_at(y_new, 0, g, groups) =
            small_of(q->y, 0, g, groups) + small_of(q->z, s - 1, g, groups);
        *small_at(yp_new, 0, g, groups) =
            row_of(s, (const double(*)[SMALL_GROUP])q->rate[s - 1], x);
        *small_at(begin, 0, g, groups) = row_of(s, (const double(*)[SMALL_GROUP])q->rate[s], x);
    }
}

SIMD_INLINE void divide_of(const small_polynomial *u, const double *z, int s, int groups)
{
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] = small_of(z, j, g, groups);
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)
        {
            _Pragma("GCC unroll 8") for (int i = s - 1; i > k; i--) x[i] =
                (x[i] - x[i - 1]) * u->gap[k][i];
            if (k) x[k] -= x[k - 1];
            x[k] = x[k] * u->gap[k][k]; // beside 0, at the start of the step
            *small_at(u->b, k, g, groups) = x[s - 1];
        }
    }
}

SIMD_INLINE void continue_of(const small_stages *q, const small_polynomial *u, double ratio, int s,
                             int groups)
{
    for (int g = 0; g < groups; g++) {
        simd4 b[SCHEME_STAGES], z[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) b[j] = small_of(u->b, j, g, groups);
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++)
        {
            double beyond = ratio * u->c[k], x = 1 + beyond;
            simd4 sum = b[s - 1];
            _Pragma("GCC unroll 8") for (int j = s - 2; j >= 0; j--) sum =
                b[j] + sum * (x - u->c[s - 2 - j]);
            z[k] = sum * beyond;
            *small_at(q->z, k, g, groups) = z[k];
        }
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->w, k, g, groups) =
            row_of(s, (const double(*)[SMALL_GROUP])q->ti[k], z);
    }
}

SIMD_INLINE double squares_of(const small_stages *q, const double *x, int groups)
{
    simd4 squares = {0};
    for (int g = 0; g < groups; g++) {
        simd4 e = small_of(x, 0, g, groups) * small_of(q->weight, 0, g, groups);
        squares += e * e;
    }
    return squares[0] + squares[1] + (squares[2] + squares[3]);
}

SIMD_INLINE double solve_of(const small_stages *q, double *b, int groups, int n)
{
    solve_real(q->real, b, n, groups);
    return squares_of(q, b, groups);
}

SIMD_INLINE double damp_of(const small_stages *q, double c, double *e, int groups, int n)
{
    double b[SMALL_MAX];
    for (int g = 0; g < groups; g++) *small_at(b, 0, g, groups) = (simd4){0};
    for (int j = 0; j < n; j++) {
        double x = c * e[j];
        for (int g = 0; g < groups; g++)
            *small_at(b, 0, g, groups) += small_of(q->mass, j, g, groups) * x;
    }
    solve_real(q->real, b, n, groups);
    for (int g = 0; g < groups; g++) *small_at(e, 0, g, groups) -= small_of(b, 0, g, groups);
    return squares_of(q, e, groups);
}

/* With numbers that the compiler knows: of stages, of groups and, in one group, of unknowns. */
#define SMALL_OF_GROUPS(call, s)                                                                   \
    switch (q->n) {                                                                                \
    case 1: call(s, 1, 1);                                                                         \
    case 2: call(s, 1, 2);                                                                         \
    case 3: call(s, 1, 3);                                                                         \
    case 4: call(s, 1, 4);                                                                         \
    case 5:                                                                                        \
    case 6:                                                                                        \
    case 7:                                                                                        \
    case 8: call(s, 2, q->n);                                                                      \
    case 9:                                                                                        \
    case 10:                                                                                       \
    case 11:                                                                                       \
    case 12: call(s, 3, q->n);                                                                     \
    default: call(s, 4, q->n);                                                                     \
    }
#define POINTS(s, groups, unknowns)   return points_of(q, s, groups)
#define CORRECT(s, groups, unknowns)  return correct_of(q, s, groups, unknowns)
#define END(s, groups, unknowns)      return end_of(q, s, groups, y_new, yp_new, begin)
#define DIVIDE(s, groups, unknowns)   return divide_of(q, z, s, groups)
#define CONTINUE(s, groups, unknowns) return continue_of(q, u, ratio, s, groups)
#define SOLVE(s, groups, unknowns)    return solve_of(q, b, groups, unknowns)
/* One function for every number of stages, and one that takes the right one. */
#define SMALL_BODY(s, type, name, arguments, call)                                                 \
    SIMD_CLONES static type name##_##s arguments                                                   \
    {                                                                                              \
        SMALL_OF_GROUPS(call, s)                                                                   \
    }
#define SMALL_BODIES(type, name, arguments, call, given)                                           \
    SMALL_BODY(3, type, name, arguments, call)                                                     \
    SMALL_BODY(5, type, name, arguments, call)                                                     \
    SMALL_BODY(7, type, name, arguments, call)                                                     \
    type small_##name arguments                                                                    \
    {                                                                                              \
        if (q->stages == 3) return name##_3 given;                                                 \
        if (q->stages == 5) return name##_5 given;                                                 \
        return name##_7 given;                                                                     \
    }

SMALL_BODIES(void, points, (const small_stages *q), POINTS, (q))
SMALL_BODIES(double, correct, (const small_stages *q), CORRECT, (q))
SMALL_BODIES(void, end, (const small_stages *q, double *y_new, double *yp_new, double *begin), END,
             (q, y_new, yp_new, begin))
SMALL_BODIES(void, divide, (const small_polynomial *q, const double *z), DIVIDE, (q, z))
SMALL_BODIES(void, continue, (const small_stages *q, const small_polynomial *u, double ratio),
             CONTINUE, (q, u, ratio))

#define DAMP(s, groups, unknowns) return damp_of(q, c, e, groups, unknowns)
SIMD_CLONES double small_damp(const small_stages *q, double c, double *e){SMALL_OF_GROUPS(DAMP, 1)}

SIMD_CLONES double small_solve(const small_stages *q, double *b){SMALL_OF_GROUPS(SOLVE, 1)}

SIMD_CLONES void small_value(const small_polynomial *u, double x, const double *y1, double factor,
                             double *y, double *yp)
{
    int groups = small_stride(u->n) / SMALL_GROUP, s = u->stages;
    for (int g = 0; g < groups; g++) {
        simd4 value = small_of(u->b, s - 1, g, groups), slope = {0};
        for (int j = s - 2; j >= -1; j--) {
            double beyond = x - u->c[s - 2 - j];
            slope = slope * beyond + value;
            value = value * beyond;
            if (j >= 0) value += small_of(u->b, j, g, groups);
        }
        if (y) *small_at(y, 0, g, groups) = small_of(y1, 0, g, groups) + value;
        if (yp) *small_at(yp, 0, g, groups) = slope * factor;
    }
}

SIMD_CLONES void small_row_at(const small_polynomial *u, double x, const double *y1,
                              const double *bent, const double *integral, double *y)
{
    int groups = small_stride(u->n) / SMALL_GROUP, s = u->stages;
    double bend = 0;
    for (int j = s; j >= 0 && bent; j--) bend = bend * x + integral[j];
    bend *= x;
    for (int g = 0; g < groups; g++) {
        simd4 sum = small_of(y1, 0, g, groups);
        double product = 1;
        for (int j = 0; j < s; j++) {
            product *= x - u->c[s - 1 - j];
            sum += small_of(u->b, j, g, groups) * product;
        }
        if (bent) sum += small_of(bent, 0, g, groups) * bend;
        int left = u->n - SMALL_GROUP * g;
        for (int i = 0; i < SMALL_GROUP && i < left; i++) y[SMALL_GROUP * g + i] = sum[i];
    }
}

SIMD_INLINE void sums_of(const small_sums *q, int groups)
{
    for (int g = 0; g < groups; g++) {
        simd4 y = small_of(q->base, 0, g, groups), d = {0};
        for (int j = 0; j < q->count; j++) {
            simd4 x = small_of(q->x, j, g, groups);
            y -= x * q->a[j];
            d += x * q->c[j];
        }
        *small_at(q->y, 0, g, groups) = y;
        *small_at(q->d, 0, g, groups) = d * q->factor;
    }
}

#define SUM(s, groups, unknowns) return sums_of(q, groups)
SIMD_CLONES void small_sum(const small_sums *q){SMALL_OF_GROUPS(SUM, 1)}

SIMD_INLINE void bend_by(const small_curve *q, int groups, int count)
{
    for (int g = 0; g < groups; g++)
        for (int k = 0; k < q->rows; k++) {
            const double *w = q->w + k * q->apart;
            simd4 sum = {0};
            _Pragma("GCC unroll 8") for (int j = 0; j < count; j++) sum -=
                small_of(q->x, j, g, groups) * w[j];
            *small_at(q->out[k], 0, g, groups) = sum;
        }
}

SIMD_INLINE void bend_of(const small_curve *q, int groups)
{
    if (q->count == 8) bend_by(q, groups, 8); // of rodas5p
    else if (q->count == 6) bend_by(q, groups, 6);
    else bend_by(q, groups, q->count);
}

SIMD_CLONES void small_bend(const small_curve *q)
{
    int groups = small_stride(q->n) / SMALL_GROUP;
    if (groups == 1) bend_of(q, 1);
    else if (groups == 2) bend_of(q, 2);
    else if (groups == 3) bend_of(q, 3);
    else bend_of(q, 4);
}

SIMD_CLONES void small_multiply(const double *inverse, int n, double *b)
{
    int groups = small_stride(n) / SMALL_GROUP;
    if (groups == 1) solve_real(inverse, b, n, 1);
    else if (groups == 2) solve_real(inverse, b, n, 2);
    else if (groups == 3) solve_real(inverse, b, n, 3);
    else solve_real(inverse, b, n, 4);
}
