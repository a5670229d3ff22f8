/* What the processor of this machine has. One file per family of processors implements it:
 * cpu_x64.c, cpu_a64.c, and cpu_other.c for which there is no machine code.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_CPU_H
#define TARGET_CPU_H

#include <stdbool.h>

bool cpu_is_x64(void);
bool cpu_has_avx(void);
bool cpu_has_avx2(void);
bool cpu_is_a64(void);

#endif
