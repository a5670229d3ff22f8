/* The first steps of multistep methods, and the last one when it is shorter than the others: a
 * one-step method at a tight tolerance.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_STARTER_H
#define METHOD_STARTER_H

#include "method/step.h"

typedef struct starter {
    method_run *run;
    bool going; // run stands at the present point
} starter;

int starter_open(method_core *c, starter *s); // VINC_ status
void starter_close(starter *s);
/* From the present point to t_new, into y_new and yp_new. STEP_ code. */
int starter_step(method_core *c, starter *s, double t_new);

#endif
