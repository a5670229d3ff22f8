/* A build without clang has no elementary functions for GPUs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/ptx.h"

const char *ptx_math_text(void)
{
    return NULL;
}
