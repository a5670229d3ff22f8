/* Clocks, compiled: what is read and computed at ticks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_CLOCK_LOWER_H
#define CODE_CLOCK_LOWER_H

#include "code/functions.h"
#include "image/image_clocks.h"

void code_list_clocks(const structure *s, arena *a, image_clocks *x); // event_tables.c
bool code_lower_clocks(lowering *l, code_clocks *x);

#endif
