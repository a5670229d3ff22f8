/* Events, compiled: relations, discrete equations, actions, samples, delays.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_EVENT_LOWER_H
#define CODE_EVENT_LOWER_H

#include "code/cell.h"
#include "code/system.h"
#include "image/image_events.h"
#include "image/text_pieces.h"

/* role: of the components of y, for those that a reinit sets. */
bool code_lower_events(lowering *l, const uint8_t *role, code_events *x);
void code_list_events(const structure *s, arena *a, image_events *x);  // event_tables.c
bool code_lower_families(lowering *l, code_events *x, expr *quantity); // which they are
/* After all that reads w has been lowered. */
bool code_lower_needs(lowering *l, code_events *x);
void code_find_masks(lowering *l, code_events *x); // after that
bool code_lower_messages(lowering *l, code_events *x);
size_t code_event_scratch(const code_events *x); // doubles that the cells need

#endif
