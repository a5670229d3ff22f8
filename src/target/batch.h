/* The interpreter of maps: a block of instances at a time, operation by operation.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_BATCH_H
#define TARGET_BATCH_H

#include "tape/tape.h"
#include "target/code_pool.h"

enum { BATCH_LANES = 64 }; // the most instances of a block

typedef struct batch batch;

const batch *batch_new(const tape_step *map, pool *keep, pool *temp); // NULL: no memory
size_t batch_scratch(const batch *p);
void batch_run(const batch *p, const tape_args *args);

#endif
