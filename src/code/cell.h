/* Cells: small programs that are run again only where something they read has changed.
 *
 * An event changes little. Discrete equations, and the actions of when-clauses, are therefore cut
 * into cells, each with its own tape, and for every element of w it is known which cells read it.
 * Those of a changed element are due. What a cell reads beside w moves all the time; a cell whose
 * value depends on it at present is `live`, and due whenever it is asked for:
 *
 *     v = if f then x + time else pre(v)      is live while f is true
 *
 * Equations share a cell where they share work. After the outputs of a cell comes its liveness.
 *
 * A cell that calls an impure function, or another one under conditions, has two further tapes:
 * `asks` says whether a call is due, and `quiet` is the cell without its calls, for the while that
 * none is. An impure function is called once in each round of an event.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_CELL_H
#define CODE_CELL_H

#include "code/lower.h"

typedef struct code_cells {
    int n, n_items;
    const tape **program;
    const tape **quiet, **asks; // by cell, NULL: it has no such call; NULL altogether: none has
    bool *impure;               // by cell with such calls: they are of impure functions
    int *first, *item;          // items of cell c: item[first[c]] ... item[first[c + 1] - 1]
    int *user_start, *user;     // by element of w: the cells that read it
    int n_w;
} code_cells;

/* value[i], or fire[i] and value[i]: then an item is live also while it fires. Where they do not
 * `follow` what moves, no cell is live. False after a diagnostic. */
bool cell_lower(lowering *l, const expr *fire, const expr *value, const span *at, int n,
                bool follow, const char *what, code_cells *c);
size_t cell_scratch(const code_cells *c); // doubles

#endif
