/* What the rows of a sweep come to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_STATISTICS_H
#define SWEEP_STATISTICS_H

#include "base/arena.h"
#include "sweep/sweep_store.h"
#include "vincolo_sweep.h"

/* All numbers of a told sweep that rows give: values, failures, done, failed. Arrays are in a; the memory
 * of a has a guard. A status of result.h. */
int sweep_statistics(arena *a, sweep_store *s, const sweep_heading *h, vinc_sweep *out,
                     result_fault *fault);

#endif
