/* An ensemble on one processor core: several trajectories per vector register.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_LANES_H
#define ENSEMBLE_LANES_H

#include "base/mem.h"
#include "ensemble/ens_kernel.h"

typedef struct ens_lanes ens_lanes;

/* The kernel compiled for this processor; it may be dropped afterwards. VINC_OK, VINC_E_MEMORY. */
int ens_lanes_new(mem *m, const ens_kernel *k, ens_lanes **out);
void ens_lanes_free(ens_lanes *x); // NULL is fine

/* Runs `first` ... first + n - 1 of an ensemble of n_all: input k of run i at in[k*n_all + i], output k
 * at out[k*n_all + i]. One thread at a time for each ens_lanes. */
void ens_lanes_run(ens_lanes *x, const double *in, double *out, size_t n_all, size_t first,
                   size_t n);

#endif
