/* Dependent unknowns in layers: what is linear is solved once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_LAYERS_H
#define CODE_LAYERS_H

#include "code/system.h"

/* Unknowns that are found together when all layers before are known. */
typedef struct code_layer {
    int n;      // unknowns and equations
    int n_rows; // of these, rows of F; those behind them keep the independent combinations of groups
    int *unknown;   // components: y' of states, y of others
    int *row;       // of F
    int *kept;      // by equation behind n_rows: its group
    int *kept_row;  // ... and which row of P
    bool linear;    // in these unknowns: its equations are those of a matrix, exactly
    bool tied;      // they are chosen states, which constraints tie
    bool corrected; // there are such among them: unknowns are moved from where they are
    code_fn f;      // the rows; of layers that are not linear
    /* The rows, then their derivatives. Rows of what is linear and not corrected are those of unknowns that vanish. */
    code_fn matrix;
    vinc_pattern pattern; // n by n
    int *value;           // by entry: its place among the results of `matrix`; -1 - k: w[k]
    double work;          // operations of `matrix`, elimination and a solution
} code_layer;

typedef struct code_layers {
    int n; // 0: they are searched for all at once
    code_layer *at;
    bool linear; // all but those of chosen states are
    bool loose;  // none has chosen states among other unknowns: stages may leave these as they are
} code_layers;

void code_lower_layers(lowering *l, const code_system *x, code_layers *out);

#endif
