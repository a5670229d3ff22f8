/* The driver of NVIDIA's GPUs, loaded when it is first asked for: no toolkit, nothing linked.
 *
 * Names, numbers and signatures are those of the driver's documented interface.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_CUDA_H
#define ENSEMBLE_CUDA_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cuda cuda;

/* The first GPU. 0, or -1 with a sentence in why: no driver, no GPU. */
int cuda_open(mem *m, cuda **out, text *why);
void cuda_close(cuda *c); // NULL is fine
const char *cuda_name(const cuda *c);
int cuda_use(cuda *c, text *why); // by this thread, before anything else; 0, or -1
size_t cuda_memory_free(cuda *c); // bytes

/* A module from PTX and its entry; 0, or -1 with the driver's own words. */
typedef struct cuda_kernel {
    void *module, *function;
    int block;       // threads
    int blocks_most; // that run at once on the whole device
    int registers;
} cuda_kernel;
int cuda_compile(cuda *c, const char *ptx, const char *entry, int block, cuda_kernel *k, text *why);
void cuda_unload(cuda *c, cuda_kernel *k);

/* Memory of the device; 0, or -1: there is none. */
int cuda_alloc(cuda *c, size_t bytes, uint64_t *at);
void cuda_free(cuda *c, uint64_t at);
int cuda_send(cuda *c, uint64_t to, const void *from, size_t bytes, text *why);
int cuda_fetch(cuda *c, void *to, uint64_t from, size_t bytes, text *why);

/* Run with these arguments to its end; *seconds: by the clock of the device. */
int cuda_launch(cuda *c, const cuda_kernel *k, unsigned blocks, void **arguments, double *seconds,
                text *why);

#endif
