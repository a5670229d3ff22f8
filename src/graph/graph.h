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

#include "base/array.h"

#include <stdbool.h>

/* Row i holds the entries e = start[i] ... start[i+1] - 1: the columns col[e], each once, in any
 * order. In a signature matrix order[e] is the highest derivative of the unknown in the equation;
 * where derivatives do not matter, order is NULL. */
typedef struct graph_pattern {
    int n_rows, n_cols;
    int *start, *col, *order;
} graph_pattern;

/* Columns as rows; in each, ascending. Orders are not taken along. */
graph_pattern graph_transpose(const graph_pattern *g, arena *a);

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct graph_matching {
    int n;       // pairs
    int *row_of; // of each column; -1: none
    int *col_of; // of each row; -1: none
} graph_matching;

/* A matching with as many pairs as possible, whatever the orders. rank, if not NULL, says for each
 * row when it is let in: those of rank 0 first, then those of rank 1 ... A row that is matched stays
 * so; a row of negative rank is left out. */
graph_matching graph_match(const graph_pattern *g, const int *rank, arena *a, arena *scratch);

/* ---- offsets of differentiation -------------------------------------------------------------- */

typedef struct graph_offsets {
    graph_matching match;
    int *c, *d; // equation i is differentiated c_i times, unknown j reaches d_j
} graph_offsets;

/* The smallest offsets with d_j - c_i >= order_ij, and a transversal on which equality holds: one of
 * the largest sum of orders. The pattern must be square with a complete matching; false when `limit`
 * differentiations are not enough. */
bool graph_differentiate(const graph_pattern *g, int limit, arena *a, arena *scratch,
                         graph_offsets *out);
/* Where no equation needs to be differentiated: these offsets, the same as above. False: some does, or the
 * pattern is not square, or has no complete matching. */
bool graph_differentiate_none(const graph_pattern *g, arena *a, arena *scratch, graph_offsets *out);
/* Unknown j is to reach at least d_j = to: the offsets grow along the transversal, as little as the
 * inequalities allow. False when `limit` differentiations are not enough. */
bool graph_raise(const graph_pattern *g, int j, int to, int limit, arena *scratch,
                 graph_offsets *s);

/* 1 + the largest c where some d is 0, the largest c otherwise. */
int graph_index(const graph_pattern *g, const graph_offsets *s);
/* The same for a system whose transversal nobody asks for, -1 beyond the limit: all rows that
 * cannot be matched yet are differentiated at once, in as many rounds as the index, which gives the
 * same offsets in far less time where there are many. */
int graph_index_of(const graph_pattern *g, int limit, arena *scratch);

/* ---- decomposition --------------------------------------------------------------------------- */

/* What alternating paths reach from the rows that are in the list, any entry forth, the matching
 * back: rows are added to them, columns to the other list. */
void graph_reach(const graph_pattern *g, const graph_matching *m, arena *a, int_array *rows,
                 int_array *cols);

/* Coarse decomposition by a largest matching (Dulmage & Mendelsohn): rows and columns of the parts
 * that have too many equations (over) and too many unknowns (under). Every largest matching pairs
 * rows and columns within one part. */
void graph_over(const graph_pattern *g, const graph_matching *m, arena *a, int_array *rows,
                int_array *cols);
void graph_under(const graph_pattern *g, const graph_matching *m, arena *a, int_array *rows,
                 int_array *cols);

/* Items in pieces: piece k is item[start[k]] ... item[start[k+1] - 1]. */
typedef struct graph_blocks {
    int n;
    int *start, *item;
} graph_blocks;

/* Strong components of a directed graph with an arc from each row to each of its columns (n_rows =
 * n_cols). A component comes after all that it points to. */
graph_blocks graph_components(const graph_pattern *g, arena *a, arena *scratch);

/* Block lower triangular order of the rows of a square system with a complete matching: each block
 * needs only the columns matched to it and to earlier blocks. Rows depend through the entries with
 * order_ij + c_i == d_j, through all of them where c is NULL. */
graph_blocks graph_blt(const graph_pattern *g, const int *row_of, const int *c, const int *d,
                       arena *a, arena *scratch);

/* Disjoint sets, each a tree of parents: the root of the set of i; paths are halved on the way. */
static inline int graph_root(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

#endif
