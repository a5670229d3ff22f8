/* Matching and differentiation on the signature of a system: rows are equations, columns unknowns,
 * and each entry carries the highest derivative of the unknown in the equation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_SIGMA_H
#define STRUCTURE_SIGMA_H

#include "base/array.h"

#include <stdbool.h>

/* Signature matrix by rows: entries start[i] ... start[i+1]-1. */
typedef struct signature {
    int n_rows, n_cols;
    int *start, *col, *order;
} signature;

typedef struct sigma {
    int *row_of, *col_of; // matched partner of a column, of a row; -1: none
    int *c, *d;           // offsets: equation i differentiated c_i times, unknown j reaches d_j
    int n_matched;
} sigma;

/* A largest matching with any derivative counting: the structural rank. c and d stay 0. */
void sigma_rank(const signature *m, arena *a, arena *scratch, sigma *out);

/* Canonical offsets c, d and a transversal on which d_j - c_i = order_ij (Pantelides). The system
 * must be square with full structural rank; false when `limit` differentiations are not enough. */
bool sigma_offsets(const signature *m, int limit, arena *a, arena *scratch, sigma *out);

/* 1 + the largest c where some d is 0, the largest c otherwise. */
int sigma_index(const signature *m, const sigma *s);
/* The same for a system whose transversal nobody asks for, -1 beyond the limit: all rows that
 * cannot be matched yet are differentiated at once, in as many rounds as the index, which gives the
 * same offsets in far less time where there are many. */
int sigma_index_of(const signature *m, int limit, arena *scratch);

/* Coarse Dulmage-Mendelsohn decomposition of a largest matching: rows and columns of the parts that
 * have too many equations (over) and too many unknowns (under). */
void sigma_over(const signature *m, const sigma *s, arena *a, int_array *rows, int_array *cols);
void sigma_under(const signature *m, const sigma *s, arena *a, int_array *rows, int_array *cols);

/* Strong components of the matched square system in order of solution: component k has the rows
 * rows[start[k]] ... rows[start[k+1]-1]. The dependence is through entries with order_ij + c_i ==
 * d_j, all entries where c is NULL. Returns the number of components. R. E. Tarjan, SIAM J. Comput.
 * 1 (1972) 146-160. */
int sigma_blocks(const signature *m, const int *row_of, const int *c, const int *d, arena *a,
                 arena *scratch, int **start, int **rows);

#endif
