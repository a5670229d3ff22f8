/* A problem of nonlinear optimization with sparse constraints, and who solves it: a plug-in.
 *
 *     least f(x)   with  x_lower <= x <= x_upper,  g_lower <= g(x) <= g_upper
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_NLP_H
#define STUDY_NLP_H

#include <stdbool.h>

enum { NLP_VERSION = 1 };

/* Matrices are lists of places and values; places that occur twice are summed. The second derivative of
 * sigma f + lambda g has its places on and below the diagonal; n_second 0: it is learnt from gradients.
 * Callbacks return 0, 1: there is no value at x (take another), -1: stop. They may not jump. */
typedef struct nlp_problem {
    int n, m;
    const double *x_lower, *x_upper, *g_lower, *g_upper; // without a bound: +-1e20 and beyond
    int n_first, n_second;
    const int *first_row, *first_column, *second_row, *second_column;
    int (*goal)(void *user, const double *x, double *f);
    int (*gradient)(void *user, const double *x, double *slope);
    int (*rows)(void *user, const double *x, double *g);
    int (*first)(void *user, const double *x, double *values);
    int (*second)(void *user, const double *x, double sigma, const double *lambda, double *values);
    bool (*stops)(void *user); // asked in every iteration
    void *user;
    double tolerance;
    int max_iterations;
} nlp_problem;

typedef enum nlp_end {
    NLP_SOLVED,
    NLP_NEARLY,     // to a coarser tolerance
    NLP_INFEASIBLE, // a point where constraints cannot be met better nearby
    NLP_ITERATIONS, // they ran out
    NLP_STOPPED,
    NLP_NO_VALUE, // callbacks failed where it began
    NLP_FAILED,
    NLP_NO_MEMORY,
    NLP_TINY_STEPS, // steps became too small to change anything
    NLP_DIVERGED,   // values grow without end
} nlp_end;

typedef struct nlp_answer {
    nlp_end end;
    int iterations;
} nlp_answer;

/* The table of a plug-in (base/plugin.h). x: from where, then the answer. */
typedef struct nlp_solver {
    int version;
    void (*solve)(const nlp_problem *p, double *x, nlp_answer *answer);
} nlp_solver;

#endif
