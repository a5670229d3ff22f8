/* Sums over the stages of a step: vectors of length n behind one another.
 *
 * A constant number of stages lets the compiler unroll; 3, 5 and 7 are those of radau.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_STAGES_H
#define METHOD_STAGES_H

#include "method/scheme.h"

typedef double stage_row[SCHEME_STAGES];

#define STAGES_INLINE static inline __attribute__((always_inline))

/* out_k := sum_j m_kj in_j; in and out do not overlap. */
STAGES_INLINE void stages_mix_n(int s, const stage_row *m, const double *restrict in,
                                double *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        double x[SCHEME_STAGES];
#pragma GCC unroll 8
        for (int j = 0; j < s; j++) x[j] = in[j * n + i];
#pragma GCC unroll 8
        for (int k = 0; k < s; k++) {
            double sum = m[k][0] * x[0];
#pragma GCC unroll 8
            for (int j = 1; j < s; j++) sum += m[k][j] * x[j];
            out[k * n + i] = sum;
        }
    }
}

static inline void stages_mix(int s, const stage_row *m, const double *in, double *out, int n)
{
    if (s == 3) stages_mix_n(3, m, in, out, n);
    else if (s == 5) stages_mix_n(5, m, in, out, n);
    else if (s == 7) stages_mix_n(7, m, in, out, n);
    else stages_mix_n(s, m, in, out, n);
}

/* out := base + sum_j w_j z_j; base NULL: 0. */
STAGES_INLINE void stages_sum_n(int s, const double *w, const double *restrict z,
                                const double *base, double *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = base ? base[i] : 0;
#pragma GCC unroll 8
        for (int j = 0; j < s; j++) sum += w[j] * z[j * n + i];
        out[i] = sum;
    }
}

static inline void stages_sum(int s, const double *w, const double *z, const double *base,
                              double *out, int n)
{
    if (s == 3) stages_sum_n(3, w, z, base, out, n);
    else if (s == 5) stages_sum_n(5, w, z, base, out, n);
    else if (s == 7) stages_sum_n(7, w, z, base, out, n);
    else stages_sum_n(s, w, z, base, out, n);
}

#endif
