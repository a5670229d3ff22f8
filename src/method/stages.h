/* Sums over the stages of a step: vectors of length n, one after another.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_STAGES_H
#define METHOD_STAGES_H

#include "method/scheme.h"

typedef double stage_row[SCHEME_STAGES];

/* out_k := sum_j m_kj in_j for s stages; in and out do not overlap. */
void stages_mix(int s, const stage_row *m, const double *in, double *out, int n);
/* ... of n unknowns of vectors that are `stride` long. */
void stages_mix_part(int s, const stage_row *m, const double *in, double *out, int n, int stride);

void stages_add(const double *a, const double *b, double *out, int n); // out := a + b
/* The two halves of an iteration, in one pass each, over n unknowns of vectors that are `stride` long: points := y + z and
 * d := rate z; */
typedef struct stage_points {
    int n, stride;
    const double *y, *z;
    double *points, *d;
} stage_points;
void stages_points(int s, const stage_row *rate, const stage_points *q);
/* and w -= delta, z := t w, with the squares of delta, weighed. */
typedef struct stage_move {
    int n, stride;
    const double *delta, *weight;
    double *w, *z;
} stage_move;
double stages_move(int s, const stage_row *t, const stage_move *q);

/* x_j -= e_j of such vectors. */
void stages_subtract(int s, const double *e, double *x, int n, int stride);

enum { STAGES_MAX = 24 };

/* out := base + factor sum_j w_j x_j over count <= STAGES_MAX vectors; base NULL: 0. Vectors whose
 * weight is 0 are not looked at. out may be base, but no x_j. */
void stages_sum(int count, const double *w, double factor, const double *x, const double *base,
                double *out, int n);
/* ... of n unknowns of vectors that are `stride` long. */
void stages_sum_part(int count, const double *w, double factor, const double *x, int stride,
                     const double *base, double *out, int n);
/* out := base + sum_k w_k x_which[k] over count <= STAGES_MAX of the vectors in x, one after another. */
void stages_sum_listed(int count, const double *w, const unsigned char *which, const double *x,
                       const double *base, double *out, int n);
/* out := sum_j w_j x_j of vectors that lie anywhere. */
void stages_blend(int count, const double *w, const double *const *x, double *out, int n);
/* Four such sums at once: sum k of unknown i at out[4*i + k], with the weights w[j][k]. */
void stages_blend_lanes(int count, const double (*w)[4], const double *const *x, double *out,
                        int n);

#endif
