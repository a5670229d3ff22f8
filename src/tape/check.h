/* Are these bytes a tape? For tapes that were read from a file: whatever runs or compiles one relies on all that is
 * looked at here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_CHECK_H
#define TAPE_CHECK_H

#include "tape/tape.h"

typedef struct tape_extents { // elements that there are of each array
    int of[TAPE_N_KINDS];
} tape_extents;

/* Operations and operands exist, values are used after they are made, extents are those of the operands and at most
 * these; in_map: it has operands of kind x. */
bool tape_stands(const tape *t, const tape_extents *most, bool in_map);
/* The same holds for all steps, and elements of maps and sums are in range. */
bool tape_program_stands(const tape_program *p, const tape_extents *most);

#endif
