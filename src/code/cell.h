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
 * A cell of many equations, all of them of when-clauses, has a tape `fires`: while it is 0 each of its
 * variables is its own past, which need not be computed one by one (a buffer of a thousand samples is
 * one such cell).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_CELL_H
#define CODE_CELL_H

#include "code/functions.h"
#include "image/image_cells.h"

typedef struct cell_items {
    int n;
    const expr *fire; // NULL; otherwise an item is live also while it fires
    const expr *value;
    const expr *past; // NULL; otherwise what value is where no when-clause gives it another one
    const span *at;
    bool follow;      // what moves; otherwise no cell is live
    const char *what; // "this relation", for messages
} cell_items;
bool cell_lower(lowering *l, const cell_items *items, code_cells *c); // false after a diagnostic
size_t cell_scratch(const code_cells *c);                             // doubles

#endif
