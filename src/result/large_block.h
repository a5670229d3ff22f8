/* Large blocks that are filled from their beginning to their end.
 *
 * A page that is written for the first time takes the system a microsecond or two, for 4096 bytes: several times
 * what it takes to fill it. Where the system has pages of two megabytes it is asked for those.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_LARGE_BLOCK_H
#define RESULT_LARGE_BLOCK_H

#include <stddef.h>

void large_block_expect(void *at, size_t bytes); // nothing of it was written yet

#endif
