/* Libraries without sincos: two calls.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/jit.h"

uint64_t jit_sincos(void)
{
    return 0;
}
