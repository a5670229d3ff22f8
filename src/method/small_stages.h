/* Stages of a handful of unknowns, in registers.
 *
 * For two to sixteen unknowns the arithmetic of an iteration is a few dozen vector operations, and what
 * costs is everything around them: calls, loops of two rounds, stores that the next piece loads again.
 * Here the two halves of an iteration, before and behind the evaluation of F, are one body each for
 * every number of stages of Radau IIA and every number of groups of four unknowns. Vectors of stages are
 * padded to whole groups; what is between them is 0 and stays so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_SMALL_STAGES_H
#define METHOD_SMALL_STAGES_H

#include "method/scheme.h"

#include <stdbool.h>

enum { SMALL_GROUP = 4, SMALL_MAX = 16, SMALL_PAIRS_MAX = SCHEME_STAGES / 2 };

typedef double small_row[SCHEME_STAGES];
/* Every number four times, side by side: a factor of four unknowns as it is multiplied with. */
typedef double small_wide[SCHEME_STAGES][SMALL_GROUP];

typedef struct small_stages {
    int stages, n; // 3, 5 or 7; SMALL_MAX at most
    small_wide
        *rate; // of w: A^-1 T, and behind it the slope at the start of the polynomial; over h
    small_wide *t, *ti;
    double inverse_h;
    const double *y;      // at the start of the step
    const double *weight; // of the norm of a correction
    /* Columns of inverses, padded: of the real matrix, and of the complex ones with imaginary parts. */
    const double *real, *re[SMALL_PAIRS_MAX], *im[SMALL_PAIRS_MAX];
    const double *mass; // M = dF/dy', likewise
    double *z, *w;      // stages, and as they fall apart
    double *points, *d, *f;
} small_stages;

/* The polynomial of a step that ends with a stage, by Newton's divided differences from there on back:
 * u(x) = u(1) + (x - 1) (b_0 + (x - c_{s-2}) (b_1 + ... (x - c_0) b_{s-1})). */
typedef struct small_polynomial {
    int stages, n;
    const double *c;      // nodes
    const small_row *gap; // scheme.gap
    double *b;            // stages
} small_polynomial;

static inline int small_stride(int n) // between stages
{
    return (n + SMALL_GROUP - 1) / SMALL_GROUP * SMALL_GROUP;
}
static inline bool small_is(int n) // there is something to compute, and it fits into registers
{
    return n > 0 && n <= SMALL_MAX;
}
bool small_fits(int stages, int n);

/* out := m, of so many stages; and behind it `last`, unless NULL. */
void small_widen(const small_row *m, const double *last, int stages, small_wide *out);

/* Of the first `count` of vectors x, padded: y := base - sum a_j x_j, d := factor sum c_j x_j. */
typedef struct small_sums {
    int n, count;
    const double *x, *a, *c, *base;
    double factor, *y, *d;
} small_sums;
void small_sum(const small_sums *q);
/* Of all of them, by rows of weights at a distance of `apart`: out_k := -sum_j w_kj x_j. */
typedef struct small_curve {
    int n, count, rows, apart;
    const double *x, *w;
    double *const *out; // padded
} small_curve;
void small_bend(const small_curve *q);
/* b := inverse b, whose columns are padded. */
void small_multiply(const double *inverse, int n, double *b);

void small_divide(const small_polynomial *u, const double *z);
/* z, w := as u continues, of steps `ratio` times as long. */
void small_continue(const small_stages *q, const small_polynomial *u, double ratio);
/* y := y1 + u(x) - u(1), yp := factor times the slope; NULL: not asked for. Padded. */
void small_value(const small_polynomial *u, double x, const double *y1, double factor, double *y,
                 double *yp);

/* y := y1 + u(x) - u(1) by weights of y1 and of the differences, as rows of results are summed up: n numbers. bent, unless
 * NULL, comes with the integral of these coefficients up to x. */
void small_row_at(const small_polynomial *u, double x, const double *y1, const double *bent,
                  const double *integral, double *y);

/* points := y + z, d := their slopes. */
void small_points(const small_stages *q);
/* The correction for F in f, which is left in d: w and z are corrected. Its sum of weighed squares. */
double small_correct(const small_stages *q);
/* The new point, and the slope at the start of the polynomial. */
void small_end(const small_stages *q, double *y_new, double *yp_new, double *begin);
/* b := the solution with the real matrix; its sum of weighed squares. */
double small_solve(const small_stages *q, double *b);
/* e -= the solution for c M e; the squares of e. */
double small_damp(const small_stages *q, double c, double *e);

#endif
