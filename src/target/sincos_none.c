/* Libraries without sincos: two calls.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/jit.h"

uint64_t jit_sincos(void)
{
    return 0;
}
