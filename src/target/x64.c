/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/x64.h"

static void mod_rm(code_buffer *b, int reg, x64_rm m, int n_imm)
{
    reg = (reg & 7) << 3;
    if (m.reg != NO_REG) {
        x64_u8(b, 0xC0 | reg | (m.reg & 7));
    } else if (m.base == RIP) {
        x64_u8(b, reg | 5);
        x64_u32(b, (uint32_t)m.disp - (uint32_t)(b->n + 4 + (size_t)n_imm));
    } else {
        int base = m.base & 7;
        bool sib = m.index != NO_REG || base == RSP;
        int mod = m.disp == 0 && base != RBP ? 0 : m.disp >= -128 && m.disp <= 127 ? 1 : 2;
        x64_u8(b, mod << 6 | reg | (sib ? 4 : base));
        if (sib) x64_u8(b, m.shift << 6 | (m.index == NO_REG ? RSP : m.index & 7) << 3 | base);
        if (mod == 1) x64_u8(b, m.disp & 255);
        if (mod == 2) x64_u32(b, (uint32_t)m.disp);
    }
}

static int high_bit(int reg) // bit 3 of a register number
{
    return reg < 0 ? 0 : reg >> 3 & 1;
}

static int base_of(x64_rm m)
{
    return m.reg != NO_REG ? m.reg : m.base;
}

void x64_vex(code_buffer *b, x64_form f, int reg, int second, x64_rm m)
{
    int x = high_bit(m.reg == NO_REG ? m.index : NO_REG), low = high_bit(base_of(m));
    int tail = (~second & 15) << 3 | f.wide << 2 | f.prefix;
    if (!x && !low && !f.w && f.map == MAP_0F) {
        x64_u8(b, 0xC5);
        x64_u8(b, (high_bit(reg) ^ 1) << 7 | tail);
    } else {
        x64_u8(b, 0xC4);
        x64_u8(b, (high_bit(reg) ^ 1) << 7 | (x ^ 1) << 6 | (low ^ 1) << 5 | f.map);
        x64_u8(b, f.w << 7 | tail);
    }
    x64_u8(b, f.opcode);
    mod_rm(b, reg, m, f.n_imm);
}

static void rex(code_buffer *b, int w, int reg, x64_rm m)
{
    int bits = w << 3 | high_bit(reg) << 2 | high_bit(m.reg == NO_REG ? m.index : NO_REG) << 1 |
               high_bit(base_of(m));
    if (bits) x64_u8(b, 0x40 | bits);
}

void x64_legacy(code_buffer *b, x64_form f, int reg, x64_rm m)
{
    static const uint8_t prefix[] = {[PP_66] = 0x66, [PP_F3] = 0xF3, [PP_F2] = 0xF2};
    if (f.prefix != PP_NONE) x64_u8(b, prefix[f.prefix]);
    rex(b, f.w, reg, m);
    x64_u8(b, 0x0F);
    if (f.map == MAP_0F38) x64_u8(b, 0x38);
    if (f.map == MAP_0F3A) x64_u8(b, 0x3A);
    x64_u8(b, f.opcode);
    mod_rm(b, reg, m, f.n_imm);
}

void x64_int(code_buffer *b, int w, int opcode, int reg, x64_rm m, int n_imm)
{
    rex(b, w, reg, m);
    x64_u8(b, opcode);
    mod_rm(b, reg, m, n_imm);
}
