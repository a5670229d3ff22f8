/* What spatialDistribution() remembers: the profiles on their way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_PLUG_FLOW_H
#define RUN_PLUG_FLOW_H

#include "base/mem.h"
#include "run/pieces.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct run_profile run_profile; // one profile

typedef struct profile_now { // at the time that is asked for
    double in0, x, in1;
} profile_now;

/* All of a model, n of them; NULL: no memory. */
run_profile *profile_new(mem *m, int n);
void profile_drop(mem *m, run_profile *q, int n);
run_profile *profile_copy(mem *m, const run_profile *q, int n);
size_t profile_size(const run_profile *q, int n);
unsigned char *profile_write(const run_profile *q, int n, unsigned char *out); // its end
/* From bytes, into what profile_new gave; the bytes that were read, 0: they are none. */
size_t profile_read_bytes(mem *m, run_profile *q, int n, const unsigned char *from, size_t size);

/* Of profile k. Statuses: VINC_OK, VINC_E_MEMORY. */
int profile_begin(mem *m, run_profile *q, int k, double x, const double *points,
                  const double *values, int n);
/* What leaves at 0 and at 1. */
void profile_at(const run_profile *q, int k, const profile_now *now, double out[2]);
/* A piece of time was accepted: in0, x and in1 at its nodes. first: it begins the step. */
int profile_add(mem *m, run_profile *q, int k, const double *in0, const double *x,
                const double *in1, bool first);
/* Positive while no jump has reached an end, at 0 and at 1; then they are passed: true. */
void profile_margins(const run_profile *q, int k, double x, double g[2]);
bool profile_pass(run_profile *q, int k, double x);

#endif
