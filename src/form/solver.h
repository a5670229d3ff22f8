/* Sorting, assignment (solve.c) and tearing (tear.c): what they share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORM_SOLVER_H
#define FORM_SOLVER_H

#include "base/heap.h"
#include "form/build.h"
#include "graph/graph.h"
#include "structure/families.h"

enum { DEPS_MAX = 24 }; // components of y a substituted value may depend on

typedef struct deps {
    int n; // DEPS_MAX + 1: too many to count
    int one;
    const int *at; // ascending; NULL: `one` alone
} deps;

typedef struct solve_coefficients {
    expr f; // whose; 0: none
    int of; // instance whose entry has the largest
    double largest, second;
} solve_coefficients;

typedef struct solver {
    form_builder *b;
    const form_instance *list;
    int n;
    graph_pattern sig; // instances by entries (columns are instance numbers of the matched entries)
    int *instance;     // by entry: instance whose entry it is, or -1
    int *uses;         // by instance: number of equations its entry occurs in
    deps *deps;        // by entry: of assigned ones
    bool *done;        // by instance: its entry is placed
    int *next_in;      // sig by columns, NULL until something is torn: start of a column
    int *rows_of;      // ... rows
    int *entry_of;     // ... entries of sig
    uint8_t *ways;     // by entry of sig, in blocks that are torn: can the row be solved for it?
    double *share;     // ... the size of its coefficient beside others, at most 1; NaN: not known
    uint8_t *curved;   // ... it depends on unknowns of the block, and is that of a typical point
    double *growth; // by instance, in blocks that are torn: what an error may become in its entry
    uint8_t *bent;  // ... it follows from torn unknowns by a curve
    int_array vars; // scratch
    solve_coefficients coefficients; // of the row that was asked for last
    heap candidates;                 // entries, while a block is torn
    bool *inertial;   // by instance: its entry occurs in an equation that is not differentiated
    bool loop;        // the equations are simultaneous
    bool counting;    // ... and torn for the count: nothing is substituted yet
    bool lean;        // ... and nothing that adds entries is substituted
    int n_torn;       // counting: so many
    int *seen, stamp; // by instance: marks of a walk
    // Of all blocks that are torn, one after the other, so that many small ones cost no more than a large one:
    int *slot; // by instance: scratch of a row, 0 between rows
    double *of_row, *of_col;
    int *definitions;        // by instance of the block
    int *counted, n_counted; // by unknown: the row that was counted last, + 1
} solver;

typedef struct solve_marks {
    int *open;    // by instance: undetermined unknowns in its equation
    char *inside; // by instance: in this block
    char *used;   // by instance: its equation is spent on an assignment
} solve_marks;

expr solver_function(const solver *v, int i); // of instance i
expr solver_variable(const solver *v, int i);
/* Equation i for the entry of instance j; 0 when it is not safe. */
expr solver_solve(solver *v, int i, int j, expr *guard);
/* ... can it be, where the entry occurs in one term of a sum only? */
bool solver_solves_term(solver *v, int i, int j, expr term);
/* The component of y whose derivative the entry of instance j is, or -1. */
int solver_lower(const solver *v, int j);
/* The entry of instance j is assigned by equation i; false when it has to stay in y. */
bool solver_assign(solver *v, int i, int j);
void solver_put(solver *v, int j); // into y, algebraic
void solver_row(solver *v, int i); // equation i stays

/* Place the unknowns of a block. */
void solver_tear(solver *v, const int *block, int n, solve_marks *m);
/* The blocks, some of them joined. */
graph_blocks solver_join(solver *v, graph_blocks sorted, solve_marks *m);

#endif
