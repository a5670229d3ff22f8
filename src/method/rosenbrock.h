/* Rosenbrock methods are data: a table each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_ROSENBROCK_H
#define METHOD_ROSENBROCK_H

enum { ROSENBROCK_STAGES_MAX = 6 };

/* In the variables U_i (rosenbrock.c). */
typedef struct rosenbrock_table {
    int stages, order, embedded;
    double gamma;
    double alpha[ROSENBROCK_STAGES_MAX],
        gamma_i[ROSENBROCK_STAGES_MAX]; // t_i = t + alpha_i h; weight of f_t
    double a[ROSENBROCK_STAGES_MAX][ROSENBROCK_STAGES_MAX],
        c[ROSENBROCK_STAGES_MAX][ROSENBROCK_STAGES_MAX];
    double dense[2][ROSENBROCK_STAGES_MAX]; // interpolant beyond the line; all 0: Hermite
} rosenbrock_table;

#endif
