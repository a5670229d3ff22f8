/* Machines without an emitter: everything is interpreted.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/cpu.h"

bool cpu_is_x64(void)
{
    return false;
}

bool cpu_has_avx(void)
{
    return false;
}

bool cpu_has_avx2(void)
{
    return false;
}

bool cpu_is_a64(void)
{
    return false;
}
