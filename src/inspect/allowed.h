/* Values of expressions, and how far off the tolerance lets them be.
 *
 * A row of a result gives every variable a value z that may be off by w = rel_tol |z| + abs_tol nominal.
 * An expression of them may then be off by the sum of |df/dz_j| w_j, which is carried along beside its
 * value: a residual is small where such changes of the values make it vanish. This is the backward error
 * by components (W. Oettli and W. Prager, Numer. Math. 6 (1964) 405-409).
 *
 * A relation whose sides are nearer to each other than that may be true or false, and a function that
 * jumps may have either value at the jump. Such nodes have alternatives, which the caller tries.
 *
 * Expressions are those of the flat model as it was written: nothing of the tapes that made the row is
 * used.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSPECT_ALLOWED_H
#define INSPECT_ALLOWED_H

#include "base/map.h"
#include "flat/flat.h"
#include "result/result.h"

typedef struct allowed_node {
    uint8_t op, type;
    int first, n;  // arguments: arg[first ...], numbers of nodes
    int column;    // VAR: of the result
    expr var;      // ... and itself
    uint8_t kind;  // VAR: how far it may be off
    double number; // of a literal; VAR: its nominal
    const struct tape_function *function;
    int output; // CALL
    int delay;  // DELAY: its series
} allowed_node;

typedef struct allowed {
    const flat_model *m;
    const result *r;
    arena *a;
    double rel_tol, abs_tol;
    ARRAY(allowed_node) nodes; // arguments before users
    int_array args;
    map of; // expression to node + 1
    double *value, *off;
    bool *unknown;   // it cannot be told from the row
    uint8_t *choice; // the alternative to be taken
    double *series;  // by delay and row: value, then how far off; NaN: unknown
    double *results; // of one call
    int n_delays, n_results;
    size_t row;
    int jumping; // a variable that jumped at this row, the second of an event; -1: nothing is asked of it
} allowed;

/* A program for the values of the roots; expressions are made in the model's pool, so that it is called
 * where a formulation might be compiled. */
void allowed_begin(allowed *x, const flat_model *m, const result *r, double rel_tol, double abs_tol,
                   expr *roots, int n, arena *a);
int allowed_node_of(const allowed *x, expr e);

/* All nodes at a row, no alternatives taken; rows in ascending order, none left out. */
void allowed_at(allowed *x, size_t row);
/* Those listed (ascending) again, by the choices made. */
void allowed_again(allowed *x, const int *list, int n);
/* The alternatives of a node at the values it has now; 1: none but its own. */
int allowed_alternatives(const allowed *x, int node);

/* The nodes that two of them need, ascending. */
int_array allowed_needs(const allowed *x, int root, int other, arena *a);

/* Why these nodes have no value at any row; NULL: they have. */
const char *allowed_missing(const allowed *x, const int *list, int n);

/* A variable that says whether a when-clause fires; between events none does. */
bool allowed_is_hidden(const allowed *x, int node);

#endif
