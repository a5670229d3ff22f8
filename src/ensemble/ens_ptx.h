/* A kernel as PTX: one trajectory per thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENS_PTX_H
#define ENSEMBLE_ENS_PTX_H

#include "base/text.h"
#include "ensemble/ens_kernel.h"

typedef struct ens_ptx_options {
    bool contract; // a*b + c may be rounded once: faster, and not the bits of the processor
    bool refill;   // a thread whose run is done takes the next one while its neighbours go on
    int registers; // the most that a thread may have; 0: as many as it likes
} ens_ptx_options;

/* A module with the entry vinc_ensemble(in, out, n): input k of run i at in[k*n + i], output k at
 * out[k*n + i]. False: it needs elementary functions, and this build has none (target/ptx.h). */
bool ens_ptx_print(const ens_kernel *k, const ens_ptx_options *options, text *out);

#endif
