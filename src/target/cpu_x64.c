/* x86-64: some extensions are asked for when the program runs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/cpu.h"

bool cpu_is_x64(void)
{
    return true;
}

bool cpu_has_avx(void)
{
    return __builtin_cpu_supports("avx");
}

bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

bool cpu_is_a64(void)
{
    return false;
}
