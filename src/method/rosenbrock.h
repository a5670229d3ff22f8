/* Rosenbrock methods are data: a table each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_ROSENBROCK_H
#define METHOD_ROSENBROCK_H

#include "vincolo_problem.h"

enum { ROSENBROCK_STAGES_MAX = 8, ROSENBROCK_DENSE_MAX = 3 };

/* In the variables U_i (rosenbrock.c). */
typedef struct rosenbrock_table {
    int stages, order, embedded;
    double gamma;
    double alpha[ROSENBROCK_STAGES_MAX],
        gamma_i[ROSENBROCK_STAGES_MAX]; // t_i = t + alpha_i h; weight of f_t
    double a[ROSENBROCK_STAGES_MAX][ROSENBROCK_STAGES_MAX],
        c[ROSENBROCK_STAGES_MAX][ROSENBROCK_STAGES_MAX];
    int n_dense; // rows of the interpolant beyond the line; 0: Hermite's
    double dense[ROSENBROCK_DENSE_MAX][ROSENBROCK_STAGES_MAX];
} rosenbrock_table;

/* `in` of a step in one piece (method_whole.h): h, t + h, h of dF/dt, weights of the norm by unknown, y', and of lists the
 * weights of rows. Vectors are padded as inverses are (la/la.h); out2 is the inverse of the matrix, by columns, or the
 * factors of the lists. Of so many unknowns at most. */
enum { ROSENBROCK_WHOLE_MAX = 32 };
enum { ROSENBROCK_IN_H, ROSENBROCK_IN_END, ROSENBROCK_IN_H_TIME, ROSENBROCK_IN_WEIGHT };

/* Where in `out` what is: -U_i one after the other, the new point, dF/dt, dF/dy, the sum of weighed squares
 * of the error, more than 0 where the pivots do not serve, and what is finite where the new point is. */
typedef struct rosenbrock_places {
    int y, yp, f_t, dy, squares, fails, finite, end;
} rosenbrock_places;

/* Operations of a step in one piece, whether or not its code is there. */
double rosenbrock_whole_work(const vinc_problem *p, const rosenbrock_table *k);

static inline rosenbrock_places rosenbrock_place(const rosenbrock_table *t, int stride, int nnz)
{
    int y = t->stages * stride, dy = y + 3 * stride, rest = dy + nnz;
    return (rosenbrock_places){y,    y + stride, y + 2 * stride, dy,
                               rest, rest + 1,   rest + 2,       rest + 3};
}

#endif
