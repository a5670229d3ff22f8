/* The elementary functions as PTX: the assembler takes in what clang made of ptx_math.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/ptx.h"

// clang-format off
__asm__(".section .rodata\n"
        "ptx_math_begin:\n"
        ".incbin \"" VINCOLO_PTX_MATH "\"\n"
        ".byte 0\n"
        ".previous\n");
// clang-format on
extern const char ptx_math_begin[];

const char *ptx_math_text(void)
{
    return ptx_math_begin;
}
