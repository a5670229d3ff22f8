/* x86-64 (System V): scalar code in VEX three-operand form where the processor has AVX, in SSE2
 * otherwise; packed code of four instances at once for maps. Functions and loops around these
 * instructions are in frame_x64.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/emit_x64.h"

#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------- */

static int array_base(emitter *e, tape_kind kind, int spare)
{
    const x64 *x = x64_of(e);
    if (x->base[kind] != NO_REG) return x->base[kind];
    x64_int(e->out, 1, 0x8B, spare, x64_mem(RSP, x->frame[kind]), 0); // mov spare, [rsp+...]
    return spare;
}

x64_rm x64_slot(const emitter *e, int slot)
{
    return x64_mem(x64_of(e)->slots, slot * (x64_of(e)->packed ? 32 : 8));
}

/* The element of an access for the instance `lane` after the current one. Of three instances the last one stands in two
 * lanes. */
static x64_rm access_address(emitter *e, int k, int lane)
{
    const x64 *x = x64_of(e);
    if (lane >= x->map->n) lane = x->map->n - 1;
    const tape_access *a = &x->map->access[k];
    int base = array_base(e, a->array, R11);
    if (x->table.column[k] >= 0) {
        int32_t at = 4 * (lane * x->table.n_columns + x->table.column[k]);
        x64_int(e->out, 1, 0x63, RAX, x64_mem(x->row, at), 0); // movsxd rax, [table+...]
        return x64_indexed(base, RAX, 3, 8 * a->base);
    }
    int32_t disp = 8 * (a->base + lane * a->stride);
    switch (a->stride) {
    case 0: return x64_mem(base, disp);
    case 1: return x64_indexed(base, x->index, 0, disp);
    case 2: return x64_indexed(base, x->index, 1, disp);
    case 4: return x64_indexed(base, x->index, 2, disp);
    case 8: return x64_indexed(base, x->index, 3, disp);
    default:
        x64_int(e->out, 1, 0x69, RAX, x64_reg(x->index), 4); // imul rax, index, stride
        x64_u32(e->out, (uint32_t)a->stride);
        return x64_indexed(base, RAX, 0, disp);
    }
}

x64_rm x64_leaf(emitter *e, tape_ref leaf, int lane)
{
    const x64 *x = x64_of(e);
    int k = tape_index_of(leaf);
    switch (tape_kind_of(leaf)) {
    case TAPE_CONST: return x64_mem(RIP, (int32_t)(x->consts + (size_t)k * (x->packed ? 32u : 8u)));
    case TAPE_T: return x64_mem(RSP, 0);
    case TAPE_X: return access_address(e, k, lane);
    default: return x64_mem(array_base(e, tape_kind_of(leaf), R11), 8 * k);
    }
}

static x64_rm x64_address(emitter *e, operand o)
{
    if (o.kind == OPERAND_REG) return x64_reg(o.reg);
    if (o.kind == OPERAND_SLOT) return x64_slot(e, o.reg);
    return x64_leaf(e, o.leaf, 0);
}

static bool unit_stride(const x64 *x, tape_ref leaf)
{
    int k = tape_index_of(leaf);
    return x->table.column[k] < 0 && x->map->access[k].stride == 1 && x->map->n != X64_THREE;
}

/* In packed code, uniform operands are in pinned slots; gathered ones are dear. */
static bool x64_cheap(const emitter *e, tape_ref leaf)
{
    const x64 *x = x64_of(e);
    if (!x->packed || tape_kind_of(leaf) == TAPE_CONST) return true;
    return tape_kind_of(leaf) == TAPE_X && unit_stride(x, leaf);
}

/* ---- single instructions --------------------------------------------------------------------- */

static void x64_vex_op(emitter *e, x64_form f, int reg, int second, x64_rm m)
{
    if (f.map == 0) f.map = MAP_0F;
    x64_vex(e->out, f, reg, second, m);
}

static void x64_sse_op(emitter *e, int prefix, int opcode, int reg, x64_rm m, int n_imm)
{
    x64_form f = {.prefix = (uint8_t)prefix,
                  .map = MAP_0F,
                  .opcode = (uint8_t)opcode,
                  .n_imm = (uint8_t)n_imm};
    x64_legacy(e->out, f, reg, m);
}

static void x64_move(emitter *e, int to, int from)
{
    const x64 *x = x64_of(e);
    if (to == from || !code_reserve(e->out, X64_ROOM)) return;
    if (x->avx)
        x64_vex_op(e, (x64_form){.wide = x->packed, .prefix = PP_66, .opcode = 0x28}, to, 0,
                   x64_reg(from));
    else x64_sse_op(e, PP_66, 0x28, to, x64_reg(from), 0); // movapd
}

/* Scalar or vector between register and memory, as the mode is. */
static void x64_transfer(emitter *e, int opcode, int reg, x64_rm m)
{
    const x64 *x = x64_of(e);
    int prefix = x->packed ? PP_66 : PP_F2; // movupd, movsd
    x64_form f = {.wide = x->packed, .prefix = (uint8_t)prefix, .opcode = (uint8_t)opcode};
    if (x->avx) x64_vex_op(e, f, reg, 0, m);
    else x64_sse_op(e, prefix, opcode, reg, m, 0);
}

enum { LOAD = 0x10, STORE = 0x11, LOAD_HIGH = 0x16, STORE_HIGH = 0x17 };

static void scalar_transfer(emitter *e, int opcode, int reg, x64_rm m)
{
    x64_form f = {.prefix = PP_F2, .opcode = (uint8_t)opcode};
    if (opcode == LOAD_HIGH || opcode == STORE_HIGH) f.prefix = PP_66;
    x64_vex_op(e, f, reg, opcode == LOAD_HIGH ? reg : 0, m);
}

enum { TEMPORARY = 15, TEMPORARY2 = 14 };

/* Four elements, two by two, into the halves of a register. */
static void x64_gather(emitter *e, int reg, int k)
{
    scalar_transfer(e, LOAD, reg, access_address(e, k, 0));
    scalar_transfer(e, LOAD_HIGH, reg, access_address(e, k, 1));
    scalar_transfer(e, LOAD, TEMPORARY2, access_address(e, k, 2));
    scalar_transfer(e, LOAD_HIGH, TEMPORARY2, access_address(e, k, 3));
    x64_form insert = {1, PP_66, MAP_0F3A, 0, 0x18, 1}; // vinsertf128 reg, reg, temporary2, 1
    x64_vex_op(e, insert, reg, reg, x64_reg(TEMPORARY2));
    x64_u8(e->out, 1);
}

static void x64_scatter(emitter *e, int reg, int k)
{
    scalar_transfer(e, STORE, reg, access_address(e, k, 0));
    scalar_transfer(e, STORE_HIGH, reg, access_address(e, k, 1));
    x64_form extract = {1, PP_66, MAP_0F3A, 0, 0x19, 1}; // vextractf128 temporary2, reg, 1
    x64_vex_op(e, extract, reg, 0, x64_reg(TEMPORARY2));
    x64_u8(e->out, 1);
    scalar_transfer(e, STORE, TEMPORARY2, access_address(e, k, 2));
    scalar_transfer(e, STORE_HIGH, TEMPORARY2, access_address(e, k, 3));
}

static void x64_load(emitter *e, int reg, operand from)
{
    if (!code_reserve(e->out, X64_ROOM)) return;
    if (x64_of(e)->packed && from.kind == OPERAND_LEAF && !x64_cheap(e, from.leaf))
        x64_gather(e, reg, tape_index_of(from.leaf));
    else x64_transfer(e, LOAD, reg, x64_address(e, from));
}

static void x64_spill(emitter *e, int slot, int reg)
{
    if (code_reserve(e->out, X64_ROOM)) x64_transfer(e, STORE, reg, x64_slot(e, slot));
}

static void x64_store(emitter *e, tape_ref target, int reg)
{
    if (!code_reserve(e->out, X64_ROOM)) return;
    if (x64_of(e)->packed && !unit_stride(x64_of(e), target))
        x64_scatter(e, reg, tape_index_of(target));
    else x64_transfer(e, STORE, reg, x64_leaf(e, target, 0));
}

/* ---- operations ------------------------------------------------------------------------------ */

/* dst = a op b; b may be in memory. */
static void x64_binary(emitter *e, int prefix, int opcode, bool commutes, int dst, int a, x64_rm b)
{
    const x64 *x = x64_of(e);
    x64_form f = {.wide = x->packed, .prefix = (uint8_t)prefix, .opcode = (uint8_t)opcode};
    if (x->avx) {
        if (commutes && b.reg >= 8 && a < 8) { // a shorter prefix
            int t = a;
            a = b.reg;
            b = x64_reg(t);
        }
        x64_vex_op(e, f, dst, a, b);
        return;
    }
    if (b.reg == dst && a != dst) {
        if (commutes) {
            b = x64_reg(a);
            a = dst;
        } else {
            x64_move(e, TEMPORARY, b.reg);
            b = x64_reg(TEMPORARY);
        }
    }
    x64_move(e, dst, a);
    x64_sse_op(e, prefix, opcode, dst, b, 0);
}

/* One operand, from a register; imm < 0: none. */
static void x64_unary(emitter *e, x64_form f, int dst, int a, int imm)
{
    const x64 *x = x64_of(e);
    f.wide = x->packed;
    f.n_imm = imm >= 0;
    // Scalar VEX forms take the upper half from the second operand; packed ones have none.
    if (x->avx) x64_vex_op(e, f, dst, x->packed ? 0 : a, x64_reg(a));
    else x64_sse_op(e, f.prefix, f.opcode, dst, x64_reg(a), 0);
    if (imm >= 0) x64_u8(e->out, imm);
}

enum { AND = 0x54, ANDN = 0x55, OR = 0x56, XOR = 0x57, COMPARE = 0xC2 };

static const uint8_t predicate[TAPE_N_OPS] = {
    [TAPE_SEL_EQ] = 0, [TAPE_SEL_LT] = 1, [TAPE_SEL_LE] = 2, [TAPE_SEL_NE] = 4};

/* Lanes where the comparison holds get c, the others d. */
static void x64_select(emitter *e, tape_op op, int dst, const operand *src)
{
    const x64 *x = x64_of(e);
    x64_rm b = x64_address(e, src[1]);
    int c = src[2].reg, d = src[3].reg;
    if (x->avx) {
        x64_form compare = {x->packed, x->packed ? PP_66 : PP_F2, MAP_0F, 0, COMPARE, 1};
        x64_vex_op(e, compare, TEMPORARY, src[0].reg, b);
        x64_u8(e->out, predicate[op]);
        x64_form blend = {x->packed, PP_66, MAP_0F3A, 0, 0x4B, 1}; // vblendvpd dst, d, c, mask
        x64_vex_op(e, blend, dst, d, x64_reg(c));
        x64_u8(e->out, TEMPORARY << 4);
        return;
    }
    x64_move(e, TEMPORARY, src[0].reg);
    x64_sse_op(e, PP_F2, COMPARE, TEMPORARY, b, 1);
    x64_u8(e->out, predicate[op]);
    x64_move(e, TEMPORARY2, c);
    x64_sse_op(e, PP_66, AND, TEMPORARY2, x64_reg(TEMPORARY), 0);
    x64_sse_op(e, PP_66, ANDN, TEMPORARY, x64_reg(d), 0);
    x64_sse_op(e, PP_66, OR, TEMPORARY, x64_reg(TEMPORARY2), 0);
    x64_move(e, dst, TEMPORARY);
}

static void x64_compute(emitter *e, tape_op op, int dst, const operand *src)
{
    static const uint8_t opcode[TAPE_N_OPS] = {
        [TAPE_ADD] = 0x58, [TAPE_SUB] = 0x5C, [TAPE_MUL] = 0x59,  [TAPE_DIV] = 0x5E,
        [TAPE_MIN] = 0x5D, [TAPE_MAX] = 0x5F, [TAPE_SQRT] = 0x51,
    };
    const x64 *x = x64_of(e);
    if (!code_reserve(e->out, X64_ROOM)) return;
    int a = src[0].reg, prefix = x->packed ? PP_66 : PP_F2;
    bool commutes = tape_op_flags(op) & TAPE_COMMUTES;
    x64_form round = {.prefix = PP_66, .map = MAP_0F3A, .opcode = x->packed ? 0x09 : 0x0B};
    int32_t sign = (int32_t)(x->library + offsetof(x64_library, sign));
    int32_t magnitude = (int32_t)(x->library + offsetof(x64_library, magnitude));
    switch (op) {
    case TAPE_NEG: x64_binary(e, PP_66, XOR, false, dst, a, x64_mem(RIP, sign)); break;
    case TAPE_ABS: x64_binary(e, PP_66, AND, false, dst, a, x64_mem(RIP, magnitude)); break;
    case TAPE_SQRT:
        x64_unary(e, (x64_form){.prefix = (uint8_t)prefix, .opcode = 0x51}, dst, a, -1);
        break;
    case TAPE_FLOOR: x64_unary(e, round, dst, a, 8 | 1); break; // 8: no inexact exception
    case TAPE_CEIL: x64_unary(e, round, dst, a, 8 | 2); break;
    case TAPE_TRUNC: x64_unary(e, round, dst, a, 8 | 3); break;
    case TAPE_COPY: x64_move(e, dst, a); break;
    case TAPE_SEL_LT:
    case TAPE_SEL_LE:
    case TAPE_SEL_EQ:
    case TAPE_SEL_NE: x64_select(e, op, dst, src); break;
    default: x64_binary(e, prefix, opcode[op], commutes, dst, a, x64_address(e, src[1])); break;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool x64_calls(const emitter *e, tape_op op)
{
    if (op >= TAPE_N_OPS) return false;
    int flags = tape_op_flags(op);
    return flags & TAPE_CALLS || (flags & TAPE_ROUNDS && !x64_of(e)->avx);
}

enum { SINCOS = TAPE_N_OPS };

static void call_at(emitter *e, size_t at) // call [rip+...], `at` in the library
{
    x64_int(e->out, 0, 0xFF, 2, x64_mem(RIP, (int32_t)(x64_of(e)->library + at)), 0);
}

static void x64_call_library(emitter *e, int op)
{
    call_at(e, offsetof(x64_library, fn) + 8 * (size_t)op);
}

static void x64_put(emitter *e, int reg, operand from)
{
    if (from.kind == OPERAND_REG) x64_move(e, reg, from.reg);
    else x64_load(e, reg, from);
}

/* Operands to the first registers, whole vectors in packed code. */
static void put_arguments(emitter *e, tape_op op, const operand *src)
{
    operand second = src[1];
    bool two = tape_op_operands(op) == 2;
    if (two && second.kind == OPERAND_REG && second.reg == 0) {
        x64_move(e, TEMPORARY, 0);
        second.reg = TEMPORARY;
    }
    x64_put(e, 0, src[0]);
    if (two) x64_put(e, 1, second);
}

/* Lane by lane, so that every instance gets the very bits of the scalar function. */
static void packed_call(emitter *e, tape_op op, const operand *src)
{
    static const uint8_t vzeroupper[] = {0xC5, 0xF8, 0x77};
    int slot = x64_of(e)->lanes_slot;
    for (int k = 0; k < tape_op_operands(op); k++) {
        int reg = src[k].kind == OPERAND_REG ? src[k].reg : TEMPORARY;
        if (src[k].kind != OPERAND_REG) x64_load(e, reg, src[k]);
        x64_spill(e, slot + k, reg);
    }
    code_bytes(e->out, vzeroupper, sizeof vzeroupper);
    if (!code_reserve(e->out, X64_ROOM)) return;
    for (int lane = 0; lane < 4; lane++) {
        x64_rm first = x64_slot(e, slot), second = x64_slot(e, slot + 1);
        first.disp += 8 * lane;
        second.disp += 8 * lane;
        scalar_transfer(e, LOAD, 0, first);
        if (tape_op_operands(op) == 2) scalar_transfer(e, LOAD, 1, second);
        x64_call_library(e, op);
        scalar_transfer(e, STORE, 0, first);
    }
    x64_load(e, 0, (operand){OPERAND_SLOT, slot, 0});
}

static void x64_call(emitter *e, tape_op op, const operand *src)
{
    const x64 *x = x64_of(e);
    if (!code_reserve(e->out, X64_ROOM)) return;
    if (x->packed && !jit_lanes(op) && !(x->vector_math && jit_vector(op))) {
        packed_call(e, op, src);
        return;
    }
    put_arguments(e, op, src);
    if (!code_reserve(e->out, X64_ROOM)) return;
    if (x->packed) call_at(e, offsetof(x64_library, vector) + 8 * (size_t)op);
    else x64_call_library(e, op);
}

static void load_effective(emitter *e, int reg, x64_rm m) // lea
{
    x64_int(e->out, 1, 0x8D, reg, m, 0);
}

static void sincos_address(emitter *e, int sin_slot, int cos_slot, int lane)
{
    x64_rm s = x64_slot(e, sin_slot), c = x64_slot(e, cos_slot);
    s.disp += 8 * lane;
    c.disp += 8 * lane;
    load_effective(e, RDI, s);
    load_effective(e, RSI, c);
}

static void x64_call_sincos(emitter *e, operand x, int sin_slot, int cos_slot)
{
    static const uint8_t vzeroupper[] = {0xC5, 0xF8, 0x77};
    bool lanes = jit_sincos_lanes() != 0, one_by_one = x64_of(e)->packed && !lanes;
    int slot = x64_of(e)->lanes_slot;
    if (!code_reserve(e->out, X64_ROOM)) return;
    if (!one_by_one) {
        x64_put(e, 0, x);
        if (!code_reserve(e->out, X64_ROOM)) return;
        sincos_address(e, sin_slot, cos_slot, 0);
        if (x64_of(e)->packed) call_at(e, offsetof(x64_library, vector) + 8 * SINCOS);
        else x64_call_library(e, SINCOS);
        return;
    }
    int reg = x.kind == OPERAND_REG ? x.reg : TEMPORARY;
    if (x.kind != OPERAND_REG) x64_load(e, reg, x);
    x64_spill(e, slot, reg);
    code_bytes(e->out, vzeroupper, sizeof vzeroupper);
    if (!code_reserve(e->out, X64_ROOM)) return;
    for (int lane = 0; lane < 4; lane++) {
        x64_rm from = x64_slot(e, slot);
        from.disp += 8 * lane;
        scalar_transfer(e, LOAD, 0, from);
        sincos_address(e, sin_slot, cos_slot, lane);
        x64_call_library(e, SINCOS);
    }
}

/* The two operands side by side in register `to`, which may be where one of them is; `spare` may be lost. */
static void put_pair(emitter *e, int to, int spare, operand low, operand high)
{
    static const x64_form unpack = {.prefix = PP_66, .opcode = 0x14},
                          upper = {.prefix = PP_66, .opcode = LOAD_HIGH};
    int first = low.kind == OPERAND_REG                      ? low.reg
                : high.kind == OPERAND_REG && high.reg == to ? spare
                                                             : to;
    if (!code_reserve(e->out, X64_ROOM)) return;
    if (low.kind != OPERAND_REG) x64_load(e, first, low);
    if (!code_reserve(e->out, X64_ROOM)) return;
    x64_vex_op(e, high.kind == OPERAND_REG ? unpack : upper, to, first, x64_address(e, high));
}

/* Places that are left over take the first operand once more. */
static void x64_call_group(emitter *e, const call_group *g, const operand *x, int slot,
                           int cos_slot)
{
    static const uint8_t vzeroupper[] = {0xC5, 0xF8, 0x77};
    static const x64_form insert = {1, PP_66, MAP_0F3A, 0, 0x18, 1};
    put_pair(e, TEMPORARY, TEMPORARY, x[g->n > 2 ? 2 : 0], x[g->n > 3 ? 3 : 0]);
    put_pair(e, 0, 1, x[0], x[1]);
    if (!code_reserve(e->out, X64_ROOM)) return;
    x64_vex_op(e, insert, 0, 0, x64_reg(TEMPORARY));
    x64_u8(e->out, 1);
    if (g->second != TAPE_NONE) { // vbroadcastsd ymm1
        x64_form broadcast = {1, PP_66, MAP_0F38, 0, 0x19, 0};
        x64_vex_op(e, broadcast, 1, 0, x64_leaf(e, g->second, 0));
    }
    if (g->both) {
        sincos_address(e, slot, cos_slot, 0);
        call_at(e, offsetof(x64_library, vector) + 8 * SINCOS);
        return; // which leaves no upper halves
    }
    call_at(e, offsetof(x64_library, vector) + 8 * (size_t)g->op);
    x64_vex_op(e, (x64_form){.wide = true, .prefix = PP_66, .opcode = STORE}, 0, 0,
               x64_slot(e, slot));
    code_bytes(e->out, vzeroupper, sizeof vzeroupper);
}

void x64_load_address(emitter *e, int reg, const void *p) // mov reg, imm64
{
    x64_u8(e->out, 0x48 | (reg >= 8));
    x64_u8(e->out, 0xB8 | (reg & 7));
    x64_u64(e->out, (uint64_t)(uintptr_t)p);
}

static void x64_call_fn(emitter *e, const tape_function *fn, int out)
{
    if (!code_reserve(e->out, X64_ROOM)) return;
    union {
        void (*f)(void *, void *, const double *, double *);
        const void *p;
    } value = {.f = fn->value};
    x64_load_address(e, RDI, fn->user);
    x64_int(e->out, 1, 0x8B, RSI, x64_mem(RSP, X64_RUN_AT), 0);
    load_effective(e, RDX, x64_slot(e, 0));
    load_effective(e, RCX, x64_slot(e, out));
    x64_load_address(e, RAX, value.p);
    x64_int(e->out, 0, 0xFF, 2, x64_reg(RAX), 0);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

/* The mask of the comparison, as a select makes it, is zero or not. */
static size_t x64_jump(emitter *e, tape_op op, bool yes, const operand *src)
{
    const x64 *x = x64_of(e);
    if (!code_reserve(e->out, X64_ROOM)) return 0;
    int first = src[0].kind == OPERAND_REG ? src[0].reg : TEMPORARY;
    if (src[0].kind != OPERAND_REG) x64_load(e, TEMPORARY, src[0]);
    if (!code_reserve(e->out, X64_ROOM)) return 0;
    if (x->avx) {
        x64_form compare = {0, PP_F2, MAP_0F, 0, COMPARE, 1};
        x64_vex_op(e, compare, TEMPORARY, first, x64_address(e, src[1]));
    } else {
        x64_move(e, TEMPORARY, first);
        x64_sse_op(e, PP_F2, COMPARE, TEMPORARY, x64_address(e, src[1]), 1);
    }
    x64_u8(e->out, predicate[op]);
    x64_form move = {.prefix = PP_66, .opcode = 0x7E}; // movd eax, temporary
    if (x->avx) x64_vex_op(e, move, TEMPORARY, 0, x64_reg(RAX));
    else x64_sse_op(e, PP_66, 0x7E, TEMPORARY, x64_reg(RAX), 0);
    x64_int(e->out, 0, 0x85, RAX, x64_reg(RAX), 0); // test eax, eax
    x64_u8(e->out, 0x0F);
    x64_u8(e->out, yes ? 0x84 : 0x85); // jz, jnz
    x64_u32(e->out, 0);
    return e->out->n;
}

static void x64_land(emitter *e, size_t jump)
{
    if (e->out->failed) return;
    uint32_t ahead = (uint32_t)(e->out->n - jump);
    for (int k = 0; k < 4; k++) e->out->at[jump - 4 + (size_t)k] = (uint8_t)(ahead >> 8 * k);
}

#define X64_HOOKS                                                                                  \
    .temporary = TEMPORARY, .memory = true, .cheap = x64_cheap, .load = x64_load,                  \
    .spill = x64_spill, .store = x64_store, .move = x64_move, .compute = x64_compute,              \
    .calls = x64_calls, .call = x64_call, .call_sincos = x64_call_sincos, .call_fn = x64_call_fn
const machine x64_avx = {.n_regs = 15, X64_HOOKS, .jump = x64_jump, .land = x64_land};
const machine x64_avx2 = {
    .n_regs = 15, X64_HOOKS, .jump = x64_jump, .land = x64_land, .call_group = x64_call_group};
const machine x64_packed = {.n_regs = 14, X64_HOOKS};
const machine x64_sse2 = {
    .n_regs = 14, .two_address = true, X64_HOOKS, .jump = x64_jump, .land = x64_land};
