/* Machines and libraries without vector functions.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/jit.h"

uint64_t jit_vector(tape_op op)
{
    (void)op;
    return 0;
}
