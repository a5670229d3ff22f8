/* Cells of one run: which of them are due, and their values (code/cell.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_FRONT_H
#define RUN_FRONT_H

#include "base/bump.h"
#include "code/cell.h"

typedef struct cell_front { // of one run
    int *due, n_due;
    uint8_t *is_due;
    int *live, n_live;
    uint8_t *is_live;
    int *ran, n_ran; // in the last cell_run
    double **out;    // ... and their outputs; NULL: variables of when-clauses that do not fire
    double *values;
    uint8_t *called; // impure functions of the cell, in this round of the event
    bool holds;      // a call is due, but not yet made
    bool complete;   // outputs of all are asked for: none are NULL
} cell_front;

void cell_layout(cell_front *f, const code_cells *c, bump *b);
void cell_make_due(cell_front *f, int cell);
void cell_touch(const code_cells *c, cell_front *f, int place); // w[place] has changed
void cell_touch_all(const code_cells *c, cell_front *f);
void cell_touch_live(cell_front *f); // what moves has moved
/* Impure functions are called only with `call`, those of one cell, when everything else has come to
 * rest. */
void cell_run(const code_cells *c, cell_front *f, const tape_args *args, bool call);
void cell_new_round(const code_cells *c, cell_front *f); // impure functions may be called again

#endif
