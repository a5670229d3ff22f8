/* Combinatorics of sparse patterns: who can be solved for what, in which order, in which pieces.
 *
 * A pattern says which columns (unknowns) occur in which rows (equations), by rows. Every function
 * is a loop with its own stack, is deterministic, and costs close to linear time on the patterns of
 * models. Results are allocated in `a`, temporary memory is taken from `scratch` and given back;
 * both may be the same arena.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Row i holds the columns col[start[i]] ... col[start[i+1] - 1], each once, in any order. */
typedef struct graph_pattern {
    int n_rows, n_cols;
    const int *start, *col;
} graph_pattern;

/* Columns as rows; in each, ascending. */
graph_pattern graph_transpose(const graph_pattern *g, arena *a);
/* The given rows and columns, renumbered by their place in the lists; NULL: all. Columns of a row
 * keep their order. `entry`, if not NULL: the number in g of each entry of the result. */
graph_pattern graph_select(const graph_pattern *g, const int *rows, int n_rows, const int *cols,
                           int n_cols, const int **entry, arena *a, arena *scratch);

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct graph_matching {
    int n;    // pairs
    int *col; // of each row; -1: none
    int *row; // of each column; -1: none
} graph_matching;

/* A matching with as many pairs as possible. rank, if not NULL, gives every column a small number
 * from 0: among the largest matchings, one with the most columns of rank 0, then of rank 1, ... */
graph_matching graph_match(const graph_pattern *g, const int *rank, arena *a, arena *scratch);
/* The same starting from a matching: rows and columns that are matched stay so (not to each
 * other). */
void graph_extend(const graph_pattern *g, const int *rank, graph_matching *m, arena *scratch);

/* ---- decomposition --------------------------------------------------------------------------- */

/* Parts of a pattern by a maximum matching (Dulmage & Mendelsohn): in the over-determined part
 * there are more rows than columns, in the under-determined part more columns than rows, and every
 * maximum matching pairs rows and columns within one part. */
typedef enum graph_part { GRAPH_WELL, GRAPH_OVER, GRAPH_UNDER } graph_part;
void graph_parts(const graph_pattern *g, const graph_matching *m, uint8_t *row_part,
                 uint8_t *col_part, arena *scratch);

/* Items in pieces: piece k is item[start[k]] ... item[start[k+1] - 1]. */
typedef struct graph_blocks {
    int n;
    int *start, *item;
} graph_blocks;

/* Strong components of a directed graph with an arc from each row to each of its columns (n_rows =
 * n_cols). A component comes after all that it points to; ascending inside. */
graph_blocks graph_components(const graph_pattern *g, arena *a, arena *scratch);

/* Block lower triangular order of the matched rows: each block needs only the columns matched to it
 * and to earlier blocks. Columns that are not matched count as known. */
graph_blocks graph_blt(const graph_pattern *g, const graph_matching *m, arena *a, arena *scratch);

/* ---- tearing --------------------------------------------------------------------------------- */

/* A block made explicit: with the torn columns known, row[0], row[1], ... give col[0], col[1], ...
 * one after the other; the residual rows remain, as many as torn columns if the block is square. */
typedef struct graph_tearing {
    int n_steps, n_torn, n_residual;
    int *row, *col;       // the steps
    int *torn, *residual; // ascending
} graph_tearing;

/* solvable[p]: the row of entry p can be solved explicitly for its column. bonus, if not NULL:
 * extra points for tearing a column; one point is one row that becomes explicit at once. */
graph_tearing graph_tear(const graph_pattern *g, const uint8_t *solvable, const int *bonus,
                         arena *a, arena *scratch);

/* ---- offsets of differentiation -------------------------------------------------------------- */

/* Highest-value transversal of a signature matrix and the smallest offsets (J. D. Pryce 2001).
 *
 * sigma[p] >= 0 is the highest order of derivative of the column's variable in the row's equation.
 * Returns the size of the transversal m; if it has every row and column, c[i] >= 0 and d[j] are the
 * smallest numbers with d[j] - c[i] >= sigma_ij, with equality on the transversal: equation i is
 * differentiated c[i] times. Otherwise the system is structurally singular and c, d mean nothing. */
int graph_offsets(const graph_pattern *g, const int *sigma, graph_matching *m, int *c, int *d,
                  arena *a, arena *scratch);

/* ---- colouring ------------------------------------------------------------------------------- */

/* Colours from 0 such that columns of one colour share no row (for compressed differences); returns
 * their number. Costs the sum of the squares of the row lengths. */
int graph_colour(const graph_pattern *g, int *colour, arena *scratch);

#endif
