/* Encoding of x86-64 instructions: operands in registers and memory, VEX and legacy prefixes.
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2.
 *
 * Every function writes at most X64_LONGEST bytes, for which the caller has reserved room.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_X64_H
#define TARGET_X64_H

#include "target/machine.h"

enum { X64_LONGEST = 16 };

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
enum { NO_REG = -1, RIP = -2 };

/* Operand prefixes and opcode maps, as VEX encodes them. */
enum { PP_NONE, PP_66, PP_F3, PP_F2 };
enum { MAP_0F = 1, MAP_0F38, MAP_0F3A };

/* A register, or the memory at base + index * 2^shift + disp; with base RIP, disp is an offset in
 * the buffer. */
typedef struct x64_rm {
    int reg; // NO_REG: memory
    int base, index, shift;
    int32_t disp;
} x64_rm;

static inline x64_rm x64_reg(int r)
{
    return (x64_rm){.reg = r, .index = NO_REG};
}

static inline x64_rm x64_mem(int base, int32_t disp)
{
    return (x64_rm){.reg = NO_REG, .base = base, .index = NO_REG, .disp = disp};
}

static inline x64_rm x64_indexed(int base, int index, int shift, int32_t disp)
{
    return (x64_rm){NO_REG, base, index, shift, disp};
}

typedef struct x64_form {
    uint8_t wide; // 256 bits
    uint8_t prefix, map, w, opcode;
    uint8_t n_imm; // bytes that follow the operands
} x64_form;

void x64_vex(code_buffer *b, x64_form f, int reg, int second, x64_rm rm);
void x64_legacy(code_buffer *b, x64_form f, int reg, x64_rm rm);
/* Integer instructions with one-byte opcodes; w: 64 bits. */
void x64_int(code_buffer *b, int w, int opcode, int reg, x64_rm rm, int n_imm);

static inline void x64_u8(code_buffer *b, int x)
{
    b->at[b->n++] = (uint8_t)x;
}

static inline void x64_u32(code_buffer *b, uint32_t x)
{
    for (int k = 0; k < 4; k++) x64_u8(b, (int)(x >> 8 * k & 255));
}

static inline void x64_u64(code_buffer *b, uint64_t x)
{
    x64_u32(b, (uint32_t)x);
    x64_u32(b, (uint32_t)(x >> 32));
}

#endif
