/* An ensemble on a GPU: one trajectory per thread, through the driver alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_GPU_H
#define ENSEMBLE_GPU_H

#include "base/text.h"
#include "ensemble/ens_kernel.h"

typedef struct ens_gpu ens_gpu;

typedef struct ens_gpu_options {
    bool contract; // a*b + c may be rounded once
    bool refill;   // a thread whose run is done takes the next one: slower in all that was measured
    int block;     // threads of a block; 0: 128
    int registers; // the most that a thread may have; 0: as many as it likes
} ens_gpu_options;

/* Is there one? 0, or -1 with a sentence in why. */
int ens_gpu_find(mem *m, text *why);
/* The kernel compiled for the first GPU; it may be dropped afterwards. 0, or -1 with a sentence in why:
 * no driver, no GPU, what the driver said. */
int ens_gpu_new(mem *m, const ens_kernel *k, const ens_gpu_options *options, ens_gpu **out,
                text *why);
void ens_gpu_free(ens_gpu *x); // NULL is fine

/* n runs: input k of run i at in[k*n + i], output k at out[k*n + i]. As many at a time as its memory
 * holds. 0, or -1 with a sentence. */
int ens_gpu_run(ens_gpu *x, const double *in, double *out, size_t n, text *why);

/* Is there memory for as many runs at a time as are worth while? 0, or -1 with a sentence. */
int ens_gpu_room(ens_gpu *x, text *why);

typedef struct ens_gpu_told {
    const char *name;
    double kernel_s; // of the last ens_gpu_run, by the clock of the device
    int registers, blocks_most, block;
} ens_gpu_told;
ens_gpu_told ens_gpu_tell(const ens_gpu *x);

#endif
