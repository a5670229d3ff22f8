/* Many runs at a time: kernels that hold a whole run (ensemble/ensemble.h), several trajectories per
 * vector register or one per thread of a GPU.
 *
 * A kernel gives values at the end. Whether the model, its method and what is collected fit is found out
 * before any run is made. A run that a kernel does not bring to its end is made again by the processor,
 * and so is one that finds no start: the row is that of an ordinary run then.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_DEVICE_H
#define SWEEP_DEVICE_H

#include "base/text.h"
#include "ensemble/ensemble.h"
#include "ensemble/gpu.h"
#include "sweep/execute.h"

typedef struct sweep_device {
    mem *m;
    const sweep_executor *executor;
    const char *method; // of the kernels
    ensemble *e;
    ens_gpu *gpu; // NULL: vector registers
    /* The GPU serves one thread at a time; what it said when it failed. */
    pthread_mutex_t lock;
    text fault;
} sweep_device;

/* Is it the name of a device? "cpu" is one, and needs none of this. */
bool sweep_device_known(const char *name);
/* w: runs as they will be made, its collect bound. VINC_OK; VINC_E_MODEL: the sentence in why says what
 * cannot be done so, and the processor can; VINC_E_OPTION: there is no such device here, with the
 * reason; VINC_E_MEMORY. */
int sweep_device_new(const sweep_work *w, const char *name, sweep_device **out, text *why);
void sweep_device_free(sweep_device *d); // NULL is fine

extern const sweep_executor sweep_by_vector, sweep_by_gpu;

#endif
