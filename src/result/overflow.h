/* Rows for which there is no memory: in a file without a name, which is mapped.
 *
 * The system writes its pages out when memory is short and reads them back when they are asked for,
 * so that a result may take half of what is free on the disk. The room is reserved before it is used: a full disk
 * refuses the next piece, and does not end the process later.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_OVERFLOW_H
#define RESULT_OVERFLOW_H

#include "base/mem.h"

#include <stddef.h>

typedef struct overflow overflow;

/* `bytes` more of them; *o is made at the first call. NULL: there is no room, or no such file. */
double *overflow_take(overflow **o, mem *m, size_t bytes);
void overflow_free(overflow *o, mem *m); // and all that was taken; NULL is fine

#endif
