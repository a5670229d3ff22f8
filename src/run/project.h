/* Projection on the constraints.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_PROJECT_H
#define RUN_PROJECT_H

#include "base/bump.h"
#include "newton/iterate.h"
#include "run/state.h"

/* Factors of a level, at a point that was met. */
typedef struct run_nearest {
    struct project_work *work; // private to project.c
    struct la_wide *factors;   // sparse ones; NULL: dense ones, in the workspace of the level
    double *unit;              // of the rows, of sparse ones
    int rank;                  // of dense ones
    bool normal;               // ... which are those of normal equations
    bool known;                // there are factors
    newton_seen seen;          // by them
    double curvature;          // seen by factors of the point itself, at rows
} run_nearest;

typedef struct run_projection {
    void **work;          // by level
    double *y;            // as it was
    double *met, t_met;   // the last point that was moved onto the constraints
    bool any_met;         // there is one
    run_nearest *nearest; // by level of the manifold
} run_projection;

void project_layout(run_projection *x, const code_model *m, bump *b);
void project_free(run_state *s);
void project_forget(
    run_state *s); // factors, and the point that was met: the equations have changed
int run_project(void *user, double t, double *y, double *yp);
/* Is this the point that was moved onto the constraints last? */
bool project_has_met(const run_state *s, double t, const double *y);
/* m directions dy, n numbers each, are moved the least distance onto the constraints of level k,
 * linearised at a point: residual gives those of direction i. Status as of a callback. */
int project_directions(run_state *s, int k, double t, const double *y, const double *yp, int m,
                       void (*residual)(void *user, int k, int i, double *r), void *user,
                       double *dy);

#endif
