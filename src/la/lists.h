/* A plan of elimination as lists, of which factorisations and solutions are sweeps (la/indexed.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_LISTS_H
#define LA_LISTS_H

#include "la/la.h"

/* Triangular factors: inverse pivots, then the entries step by step, those of U in start[2 k] ...,
 * of L in start[2 k + 1] ...; `line` gives the step of the column (U) or row (L) of an entry. */
typedef struct la_lists {
    int n, steps; // the factors of the last n - steps unknowns are dense, and not here
    const int *start, *line, *row, *col;
    const double *weight; // of the row of each step
    bool is_complex;
    int n_values, n_fill; // at the end of the values the dense ones, by columns
    const int *where;     // by entry of the pattern: its factor
    const double *scale;  // ... and the weight of its row
    const int *fill;      // factors that are no entries of the pattern
    const int *target;    // factors that the updates change, in their order
    double *v;            // the factors, of real ones
} la_lists;

/* Of a solver by lists (la_backend_indexed). False: it has no plan. Lists are the same where pivots are: rows of the steps,
 * and behind them columns, 2 n numbers in `row`. */
bool la_indexed_lists(const la_solver *s, la_lists *out);

/* Pivots serve while no multiplier |l_ik| is larger: partial pivoting would keep it at 1. */
static const double LA_MULTIPLIER_MAX = 1e6;

/* Updates and entries of factors by counts alone, whatever the values are, of LA_GUESSED_MAX unknowns at most. */
enum { LA_GUESSED_MAX = 640 };
void la_guess_lists(const vinc_pattern *pattern, double *updates, double *entries);

/* What they take: updates are operations, and rows and entries are looked up one by one. By instructions of a chain and of
 * a cascade of 200 unknowns, five of which are an addition by their time. */
void la_lists_work(int n, long nnz, double updates, double entries, double *factor, double *solve);
/* The other way round: of n unknowns and nnz entries, what was counted. */
void la_lists_of_work(int n, long nnz, double factor, double solve, double *updates,
                      double *entries);

#endif
