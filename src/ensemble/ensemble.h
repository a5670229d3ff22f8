/* Ensembles: N trajectories of one compiled model that differ in parameters and start values.
 *
 * An ensemble is made once from a run that has found its start values, and the names of what varies.
 * Then any number of runs are computed at once, on this processor (lanes.h) or on a GPU (gpu.h): an
 * array of inputs in, an array of outputs and a status per run out. A model that cannot be run so is
 * refused with the reason, and runs one by one as any other (sim/sim.h).
 *
 * Arrays are laid out by quantity: element k of run i of n at [k*n + i].
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENSEMBLE_H
#define ENSEMBLE_ENSEMBLE_H

#include "base/text.h"
#include "ensemble/ens_kernel.h"
#include "run/state.h"

typedef struct ensemble_options {
    const char *method; // euler, heun, rk4, dopri5, rodas3, rodas4, rodas5p
    double t0, t1;
    double step;             // > 0: fixed steps
    double rel_tol, abs_tol; // abs_tol: times the nominal of each unknown
    long max_steps;
    const char *const *vary; // parameters and variables with start values
    int n_vary;
    const int *columns; // whose values at the end are wanted (code_columns); no constant ones
    int n_columns;
} ensemble_options;

typedef struct ensemble {
    mem *m;
    arena a;
    int n_in;   // inputs of a run: those that vary, then, where `given`, y and w at the start
    int n_out;  // outputs of a run: its status (ens_status), the values of the columns, its time
    bool given; // the start of each run is found by the caller, with the run's own parameters
    ens_kernel lanes; // for vector registers: runs that are done stay as they are
    ens_kernel alone; // for one run per thread
    double *sign;     // by value: -1 for an alias of opposite sign
} ensemble;

/* run: begun, with a consistent start y, yp at t0. VINC_OK; VINC_E_OPTION: a name that cannot be
 * varied, VINC_E_MODEL: the model cannot be run so, both with a sentence in why; VINC_E_MEMORY. */
int ensemble_new(run_state *run, const double *y, const double *yp, const ensemble_options *options,
                 mem *m, ensemble **out, text *why);
void ensemble_free(ensemble *e); // NULL is fine

#endif
