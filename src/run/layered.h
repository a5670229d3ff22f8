/* Dependent unknowns, layer by layer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_LAYERED_H
#define RUN_LAYERED_H

#include "base/bump.h"
#include "la/la.h"
#include "newton/iterate.h"
#include "run/state.h"

/* A linear layer in one piece of code, of one order of pivots (layer_code.c). */
enum { LAYER_UNKNOWNS_MAX = 32, LAYER_PIECES = 2 };
typedef struct layer_piece {
    int pivots[2 * LAYER_UNKNOWNS_MAX];
    double weight[LAYER_UNKNOWNS_MAX]; // of rows
    long asked, patience;              // so often; before the code is made
    bool tried;
    tape_code *code; // NULL: there is none
    double *scratch, *out;
    double *next; // in out: derivatives of what is chosen, of the last layer; NULL: not found here
    size_t bytes; // of scratch and out
} layer_piece;

typedef struct run_layer {
    la_solver *la; // made when first needed
    bool factored; // it holds factors
    bool near;     // ... of a point before, by the same equations
    newton_seen seen;
    double curvature;    // seen by factors of the point itself
    double pivots_fair;  // from which on rounding of a linear one was seen to be small
    int *place;          // by unknown: in y, or ~ of that in y'
    double *out;         // of the tape: rows, then derivatives
    double *matrix, *dx; // by entry; the correction
    bool by_pieces;      // there may be code for it
    int n_pieces;
    layer_piece piece[LAYER_PIECES];
    const layer_piece *now; // of the plan that there is; NULL: to be looked for
} run_layer;

typedef struct run_layers {
    void *block; // NULL: there are none
    size_t bytes;
    run_layer *at; // by layer of the model
    bool aside;    // somebody looks at the run and leaves it as it is
    double *y;     // as it was
    double *next;  // derivatives of what is chosen
    int *others;   // unknowns that are no states, n_others
    int n_others;
} run_layers;

int layers_new(run_state *s); // VINC_OK, VINC_E_MEMORY
void layers_free(run_state *s);
void layers_forget(run_state *s);                  // factors: the equations have changed
double layers_work(const code_model *m, bool all); // operations; not all: of layers_stage
/* vinc_problem.stage: at a point near the constraints, where chosen states keep the values they have. */
int layers_stage(void *user, double t, double *y, double *yp);
int layers_stage_serves(void *user);
/* Accelerations and reactions alone, where positions and velocities meet their constraints. 1: they cannot be had so. */
int layers_accelerate(run_state *s, double t, double *y, double *yp);

bool layer_may_be_code(const code_model *m, int layer);
/* The unknowns of such a layer, or what they are moved by, in `found`, with the bits of elimination and
 * solution by lists. False: it is to be solved in pieces. *next: derivatives of what is chosen, if they were found, too. */
bool layer_in_one_piece(run_state *s, int layer, double t, const double *y, const double *yp,
                        double *found, const double **next);
void layer_pieces_free(run_state *s, run_layer *z);

#endif
