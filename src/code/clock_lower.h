/* Clocks, compiled: what is read and computed at ticks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_CLOCK_LOWER_H
#define CODE_CLOCK_LOWER_H

#include "code/functions.h"
#include "image/image_clocks.h"

typedef struct code_clocks {
    image_clocks list; // what they are
    code_fn *samples;  // by sub-partition: the values that sample() reads
    code_fn *steps;    // by step: its values, or residuals and their derivatives by rows
    code_fn intervals; // by base-partition: of Clock(T), first one of an event clock
    int most;          // outputs of any of them
    int most_unknowns; // of a step that is solved
    int n_event;       // event clocks
} code_clocks;

void code_list_clocks(const structure *s, arena *a, image_clocks *x); // event_tables.c
bool code_lower_clocks(lowering *l, code_clocks *x);

#endif
