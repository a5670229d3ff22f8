/* What spatialDistribution() remembers: the profiles on their way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_TRANSPORT_H
#define RUN_TRANSPORT_H

#include "base/mem.h"
#include "run/nodes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct run_transport run_transport; // one profile

typedef struct transport_now { // at the time that is asked for
    double in0, x, in1;
} transport_now;

/* All of a model, n of them; NULL: no memory. */
run_transport *transport_new(mem *m, int n);
void transport_drop(mem *m, run_transport *q, int n);
run_transport *transport_copy(mem *m, const run_transport *q, int n);
size_t transport_size(const run_transport *q, int n);
unsigned char *transport_write(const run_transport *q, int n, unsigned char *out); // its end
/* From bytes, into what transport_new gave; the bytes that were read, 0: they are none. */
size_t transport_read_bytes(mem *m, run_transport *q, int n, const unsigned char *from,
                            size_t size);

/* Of profile k. Statuses: VINC_OK, VINC_E_MEMORY. */
int transport_begin(mem *m, run_transport *q, int k, double x, const double *points,
                    const double *values, int n);
/* What leaves at 0 and at 1. */
void transport_at(const run_transport *q, int k, const transport_now *now, double out[2]);
/* A piece of time was accepted: in0, x and in1 at its nodes. first: it begins the step. */
int transport_add(mem *m, run_transport *q, int k, const double *in0, const double *x,
                  const double *in1, bool first);
/* Positive while no jump has reached an end, at 0 and at 1; then they are passed: true. */
void transport_margins(const run_transport *q, int k, double x, double g[2]);
bool transport_pass(run_transport *q, int k, double x);

#endif
