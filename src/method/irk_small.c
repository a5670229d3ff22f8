/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk_small.h"

#include "la/simd.h"

bool small_fits(int stages, int n)
{
    return (stages == 3 || stages == 5 || stages == 7) && n > 0 && n <= SMALL_MAX;
}

SIMD_INLINE simd4 *small_at(double *x, int stage, int group, int groups)
{
    return (simd4 *)(x + SMALL_GROUP * (group + stage * groups));
}

SIMD_INLINE simd4 small_of(const double *x, int stage, int group, int groups)
{
    return *(const simd4 *)(x + SMALL_GROUP * (group + stage * groups));
}

SIMD_INLINE simd4 row_of(int s, const double *m, const simd4 *x)
{
    simd4 sum = x[0] * m[0];
    _Pragma("GCC unroll 8") for (int j = 1; j < s; j++) sum += x[j] * m[j];
    return sum;
}

SIMD_INLINE void points_of(const small_stages *q, int s, int groups)
{
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES], y = small_of(q->y, 0, g, groups);
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++)
        {
            x[j] = small_of(q->z, j, g, groups);
            *small_at(q->points, j, g, groups) = y + x[j];
        }
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->d, k, g, groups) =
            row_of(s, q->rate[k], x);
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

SIMD_INLINE double correct_of(const small_stages *q, int s, int groups, int n)
{
    simd4 squares = {0};
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES];
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++) x[j] = small_of(q->f, j, g, groups);
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->d, k, g, groups) =
            row_of(s, q->ti[k], x);
    }
    solve_real(q->real, q->d, n, groups);
    _Pragma("GCC unroll 3") for (int i = 0; i < s / 2; i++)
        solve_complex(q->re[i], q->im[i], q->d + SMALL_GROUP * groups * (1 + 2 * i), n, groups);
    for (int g = 0; g < groups; g++) {
        simd4 x[SCHEME_STAGES], weight = small_of(q->weight, 0, g, groups);
        _Pragma("GCC unroll 8") for (int j = 0; j < s; j++)
        {
            simd4 delta = small_of(q->d, j, g, groups), e = delta * weight;
            squares += e * e;
            x[j] = small_of(q->w, j, g, groups) - delta;
            *small_at(q->w, j, g, groups) = x[j];
        }
        _Pragma("GCC unroll 8") for (int k = 0; k < s; k++) * small_at(q->z, k, g, groups) =
            row_of(s, q->t[k], x);
    }
    return squares[0] + squares[1] + (squares[2] + squares[3]);
}

/* With numbers that the compiler knows: of stages, of groups and, in one group, of unknowns. */
#define SMALL_OF_GROUPS(call, s)                                                                   \
    switch (q->n) {                                                                                \
    case 1:                                                                                        \
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
#define POINTS(s, groups, unknowns)  return points_of(q, s, groups)
#define CORRECT(s, groups, unknowns) return correct_of(q, s, groups, unknowns)
#define SMALL_BODIES(s)                                                                            \
    SIMD_CLONES static void points_##s(const small_stages *q){                                     \
        SMALL_OF_GROUPS(POINTS, s)} SIMD_CLONES static double correct_##s(const small_stages *q)   \
    {                                                                                              \
        SMALL_OF_GROUPS(CORRECT, s)                                                                \
    }

SMALL_BODIES(3)
SMALL_BODIES(5)
SMALL_BODIES(7)

void small_points(const small_stages *q)
{
    if (q->stages == 3) points_3(q);
    else if (q->stages == 5) points_5(q);
    else points_7(q);
}

double small_correct(const small_stages *q)
{
    return q->stages == 3 ? correct_3(q) : q->stages == 5 ? correct_5(q) : correct_7(q);
}
