/* AArch64 (AAPCS64): scalar code, one instance of a map at a time.
 *
 * There are registers for everything: x19 to x28 hold the bases of arrays and loop counters, d0 to
 * d30 values. Values that live across a call prefer d8 to d15, which calls preserve. Data of a step
 * stand before its code: the addresses of library functions, then the constants. x16 and x17 are
 * free for addresses, d31 for moves. Encodings: Arm Architecture Reference Manual, section C6-C7.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/cpu.h"
#include "target/jit.h"

#include <stddef.h>

enum { A64_ROOM_BYTES = 512, TEMPORARY = 31, KEPT = 0xFF00 };
enum { X0, X1, X2, X3, X16 = 16, X17, FRAME = 29, LINK = 30, SP = 31 };
enum { SLOTS = 19, DATA, INDEX, TABLE, FIRST_ARRAY };    // the six arrays are x23 to x28
enum { FRAME_BYTES = 176, TIME_AT = 160, RUN_AT = 168 }; // 12 integer and 8 vector registers

enum { SINCOS = TAPE_N_OPS, N_FUNCTIONS }; // after the functions of the operations

typedef struct a64 {
    const tape_step *map; // NULL: a kernel on its own
    jit_table table;
} a64;

static const a64 *a64_of(const emitter *e)
{
    return e->target;
}

static void a64_word(emitter *e, uint32_t x)
{
    for (int k = 0; k < 4; k++) e->out->at[e->out->n++] = (uint8_t)(x >> 8 * k);
}

/* Three registers and an opcode: the form of most instructions. */
static void a64_rrr(emitter *e, uint32_t opcode, int d, int n, int m)
{
    a64_word(e, opcode | (uint32_t)m << 16 | (uint32_t)n << 5 | (uint32_t)d);
}

static void move_immediate(emitter *e, int x, uint64_t value)
{
    uint64_t flip = (int64_t)value < 0 ? UINT64_MAX : 0; // start from all ones if that is shorter
    bool first = true;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t part = (uint32_t)(value >> 16 * k & 0xFFFF), blank = (uint32_t)(flip & 0xFFFF);
        if (part == blank && !(k == 3 && first)) continue;
        uint32_t opcode = !first ? 0xF2800000u
                          : flip ? 0x92800000u
                                 : 0xD2800000u; // movk, movn, movz
        a64_word(e, opcode | k << 21 | (first ? part ^ blank : part) << 5 | (uint32_t)x);
        first = false;
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum { LOAD = 0, STORE = 1 };

/* d to or from [base + 8 index]. */
static void a64_transfer(emitter *e, int store, int d, int base, int64_t index)
{
    if (index >= 0 && index < 4096) {
        a64_word(e, (store ? 0xFD000000u : 0xFD400000u) | (uint32_t)index << 10 |
                        (uint32_t)base << 5 | (uint32_t)d);
        return;
    }
    move_immediate(e, X16, (uint64_t)index);
    a64_rrr(e, store ? 0xFC207800u : 0xFC607800u, d, base, X16); // [base, x16, lsl 3]
}

static int array_register(tape_kind kind)
{
    static const int8_t at[TAPE_N_KINDS] = {
        [TAPE_P] = 0, [TAPE_Y] = 1, [TAPE_YP] = 2, [TAPE_W] = 3, [TAPE_OUT] = 4, [TAPE_OUT2] = 5};
    return FIRST_ARRAY + at[kind];
}

/* x16 = the element of an access, for the instance at hand. */
static void a64_element(emitter *e, int k)
{
    const a64 *x = a64_of(e);
    const tape_access *a = &x->map->access[k];
    if (x->table.column[k] >= 0) {
        if (x->table.column[k] < 4096) {
            a64_word(e,
                     0xB9800000u | (uint32_t)x->table.column[k] << 10 | TABLE << 5 | X16); // ldrsw
        } else {
            move_immediate(e, X17, (uint64_t)x->table.column[k]);
            a64_rrr(e, 0xB8A07800u, X16, TABLE, X17); // ldrsw x16, [table, x17, lsl 2]
        }
        if (a->base) {
            move_immediate(e, X17, (uint64_t)(int64_t)a->base);
            a64_rrr(e, 0x8B000000u, X16, X16, X17); // add
        }
        return;
    }
    move_immediate(e, X16, (uint64_t)(int64_t)a->base);
    if (a->stride == 1) {
        a64_rrr(e, 0x8B000000u, X16, X16, INDEX); // add
    } else {
        move_immediate(e, X17, (uint64_t)(int64_t)a->stride);
        a64_rrr(e, 0x9B000000u | X16 << 10, X16, INDEX, X17); // madd x16, index, x17, x16
    }
}

static void a64_leaf(emitter *e, int store, int d, tape_ref r)
{
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_CONST: a64_transfer(e, store, d, DATA, N_FUNCTIONS + k); break;
    case TAPE_T: a64_transfer(e, store, d, SP, TIME_AT / 8); break;
    case TAPE_X: {
        const tape_access *a = &a64_of(e)->map->access[k];
        int base = array_register(a->array);
        if (a64_of(e)->table.column[k] < 0 && a->stride == 0) {
            a64_transfer(e, store, d, base, a->base);
        } else {
            a64_element(e, k);
            a64_rrr(e, store ? 0xFC207800u : 0xFC607800u, d, base, X16);
        }
        break;
    }
    default: a64_transfer(e, store, d, array_register(tape_kind_of(r)), k); break;
    }
}

/* ---- what the allocator asks for ------------------------------------------------------------- */

static bool a64_cheap(const emitter *e, tape_ref r)
{
    (void)e, (void)r;
    return true;
}

static void a64_load(emitter *e, int reg, operand from)
{
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    if (from.kind == OPERAND_SLOT) a64_transfer(e, LOAD, reg, SLOTS, from.reg);
    else a64_leaf(e, LOAD, reg, from.leaf);
}

static void a64_spill(emitter *e, int slot, int reg)
{
    if (code_reserve(e->out, A64_ROOM_BYTES)) a64_transfer(e, STORE, reg, SLOTS, slot);
}

static void a64_store(emitter *e, tape_ref target, int reg)
{
    if (code_reserve(e->out, A64_ROOM_BYTES)) a64_leaf(e, STORE, reg, target);
}

static void a64_move(emitter *e, int to, int from)
{
    if (to != from && code_reserve(e->out, A64_ROOM_BYTES))
        a64_rrr(e, 0x1E604000u, to, from, 0); // fmov
}

enum { EQ = 0, NE = 1, MI = 4, LS = 9, GT = 12 }; // conditions false for NaN, except NE

static void a64_select(emitter *e, int condition, int dst, int a, int b, int yes, int no)
{
    a64_rrr(e, 0x1E602000u, 0, a, b);                                  // fcmp
    a64_rrr(e, 0x1E600C00u | (uint32_t)condition << 12, dst, yes, no); // fcsel
}

static void a64_compute(emitter *e, tape_op op, int dst, const operand *src)
{
    static const uint32_t opcode[TAPE_N_OPS] = {
        [TAPE_ADD] = 0x1E602800,  [TAPE_SUB] = 0x1E603800,   [TAPE_MUL] = 0x1E600800,
        [TAPE_DIV] = 0x1E601800,  [TAPE_NEG] = 0x1E614000,   [TAPE_ABS] = 0x1E60C000,
        [TAPE_SQRT] = 0x1E61C000, [TAPE_FLOOR] = 0x1E654000, [TAPE_CEIL] = 0x1E64C000,
        [TAPE_TRUNC] = 0x1E65C000};
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    int a = src[0].reg, b = src[1].reg;
    switch (op) {
    case TAPE_COPY: a64_move(e, dst, a); break;
    case TAPE_MIN: a64_select(e, MI, dst, a, b, a, b); break;
    case TAPE_MAX: a64_select(e, GT, dst, a, b, a, b); break;
    case TAPE_SEL_LT: a64_select(e, MI, dst, a, b, src[2].reg, src[3].reg); break;
    case TAPE_SEL_LE: a64_select(e, LS, dst, a, b, src[2].reg, src[3].reg); break;
    case TAPE_SEL_EQ: a64_select(e, EQ, dst, a, b, src[2].reg, src[3].reg); break;
    case TAPE_SEL_NE: a64_select(e, NE, dst, a, b, src[2].reg, src[3].reg); break;
    default: a64_rrr(e, opcode[op], dst, a, tape_op_operands(op) == 2 ? b : 0); break;
    }
}

static bool a64_calls(const emitter *e, tape_op op)
{
    (void)e;
    return op < TAPE_N_OPS && tape_op_flags(op) & TAPE_CALLS;
}

static void a64_put(emitter *e, int reg, operand from)
{
    if (from.kind == OPERAND_REG) a64_move(e, reg, from.reg);
    else a64_load(e, reg, from);
}

static void a64_call_library(emitter *e, int op)
{
    a64_word(e, 0xF9400000u | (uint32_t)op << 10 | DATA << 5 | X16); // ldr x16, [data, 8 op]
    a64_word(e, 0xD63F0000u | X16 << 5);                             // blr x16
}

static void a64_call(emitter *e, tape_op op, const operand *src)
{
    operand second = src[1];
    bool two = tape_op_operands(op) == 2;
    if (two && second.kind == OPERAND_REG && second.reg == 0) {
        a64_move(e, TEMPORARY, 0);
        second.reg = TEMPORARY;
    }
    a64_put(e, 0, src[0]);
    if (two) a64_put(e, 1, second);
    if (code_reserve(e->out, A64_ROOM_BYTES)) a64_call_library(e, (int)op);
}

static void slot_address(emitter *e, int x, int slot)
{
    move_immediate(e, X16, 8 * (uint64_t)slot);
    a64_rrr(e, 0x8B000000u, x, SLOTS, X16); // add
}

static void a64_call_sincos(emitter *e, operand x, int sin_slot, int cos_slot)
{
    a64_put(e, 0, x);
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    slot_address(e, X0, sin_slot);
    slot_address(e, X1, cos_slot);
    a64_call_library(e, SINCOS);
}

static void a64_call_fn(emitter *e, const tape_function *fn, int out)
{
    union {
        void (*f)(void *, void *, const double *, double *);
        const void *p;
    } value = {.f = fn->value};
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    move_immediate(e, X0, (uint64_t)(uintptr_t)fn->user);
    a64_word(e, 0xF9400000u | (RUN_AT / 8) << 10 | SP << 5 | X1); // ldr x1, [sp, ...]
    slot_address(e, X2, 0);
    slot_address(e, X3, out);
    move_immediate(e, X16, (uint64_t)(uintptr_t)value.p);
    a64_word(e, 0xD63F0000u | X16 << 5);
}

static const machine a64_machine = {
    .n_regs = 31,
    .kept = KEPT,
    .temporary = TEMPORARY,
    .cheap = a64_cheap,
    .load = a64_load,
    .spill = a64_spill,
    .store = a64_store,
    .move = a64_move,
    .compute = a64_compute,
    .calls = a64_calls,
    .call = a64_call,
    .call_sincos = a64_call_sincos,
    .call_fn = a64_call_fn,
};

/* ---- functions ------------------------------------------------------------------------------- */

static void a64_begin(jit *j)
{
    static const uint8_t header[32] = {0}; // offset 0 is no function
    code_bytes(&j->out, header, sizeof header);
}

/* Functions, then constants: 8 bytes each. */
static size_t a64_write_data(emitter *e)
{
    code_align(e->out, 8);
    size_t at = e->out->n;
    for (int op = 0; op < N_FUNCTIONS; op++) {
        uint64_t f = op == SINCOS ? jit_sincos() : jit_library((tape_op)op);
        code_bytes(e->out, &f, sizeof f);
    }
    code_bytes(e->out, e->t->consts, (size_t)e->t->n_consts * sizeof(double));
    return at;
}

/* Pairs of registers to or from [sp + at]. */
static void a64_pair(emitter *e, uint32_t opcode, int first, int at)
{
    a64_word(e, opcode | (uint32_t)(at / 8 & 127) << 15 | (uint32_t)(first + 1) << 10 | SP << 5 |
                    (uint32_t)first);
}

static void save_registers(emitter *e, uint32_t integers, uint32_t vectors)
{
    for (int k = 0; k < 5; k++) a64_pair(e, integers, 19 + 2 * k, 16 + 16 * k);
    for (int k = 0; k < 4; k++) a64_pair(e, vectors, 8 + 2 * k, 96 + 16 * k);
}

static void load_argument(emitter *e, int x, size_t offset)
{
    a64_word(e, 0xF9400000u | (uint32_t)(offset / 8) << 10 | X0 << 5 | (uint32_t)x);
}

static void a64_prologue(emitter *e, size_t data)
{
    static const size_t argument[6] = {offsetof(tape_args, p),   offsetof(tape_args, y),
                                       offsetof(tape_args, yp),  offsetof(tape_args, w),
                                       offsetof(tape_args, out), offsetof(tape_args, out2)};
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    a64_pair(e, 0xA9800000u, FRAME, -FRAME_BYTES); // stp x29, x30, [sp, -...]!
    save_registers(e, 0xA9000000u, 0x6D000000u);
    load_argument(e, X16, offsetof(tape_args, t));
    a64_word(e, 0xF9000000u | (TIME_AT / 8) << 10 | SP << 5 | X16);
    load_argument(e, X16, offsetof(tape_args, run));
    a64_word(e, 0xF9000000u | (RUN_AT / 8) << 10 | SP << 5 | X16);
    load_argument(e, SLOTS, offsetof(tape_args, scratch));
    for (int k = 0; k < 6; k++) load_argument(e, FIRST_ARRAY + k, argument[k]);
    // The code will start on a page as the buffer does: adrp, then the offset in the page.
    int64_t pages = (int64_t)(data >> 12) - (int64_t)(e->out->n >> 12);
    a64_word(e, 0x90000000u | ((uint32_t)pages & 3) << 29 |
                    ((uint32_t)(pages >> 2) & 0x7FFFF) << 5 | DATA);
    a64_word(e, 0x91000000u | (uint32_t)(data & 0xFFF) << 10 | DATA << 5 | DATA);
}

static void a64_epilogue(emitter *e)
{
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    save_registers(e, 0xA9400000u, 0x6D400000u);
    a64_pair(e, 0xA8C00000u, FRAME, FRAME_BYTES); // ldp x29, x30, [sp], ...
    a64_word(e, 0xD65F03C0u);                     // ret
}

static void a64_loop(emitter *e)
{
    const a64 *x = a64_of(e);
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    move_immediate(e, INDEX, 0);
    move_immediate(e, TABLE, (uint64_t)(uintptr_t)x->table.rows);
    size_t head = e->out->n;
    emit_body(e, e->t->max_in);
    if (!code_reserve(e->out, A64_ROOM_BYTES)) return;
    a64_word(e, 0x91000000u | 1 << 10 | INDEX << 5 | INDEX); // add index, index, 1
    move_immediate(e, X16, 4 * (uint64_t)x->table.n_columns);
    a64_rrr(e, 0x8B000000u, TABLE, TABLE, X16);
    move_immediate(e, X16, (uint64_t)x->map->n);
    a64_rrr(e, 0xEB000000u, SP, INDEX, X16); // cmp
    a64_word(e, 0x54000000u | 2 << 5 | 10);  // b.ge over the next
    int64_t back = (int64_t)head - (int64_t)e->out->n;
    if (back < -(1 << 27)) e->out->failed = e->out->too_large = true;
    a64_word(e, 0x14000000u | ((uint32_t)(back / 4) & 0x3FFFFFF)); // b head
}

static bool a64_step(jit *j, const tape_step *s, size_t *entry)
{
    a64 x = {.map = s->kind == TAPE_STEP_MAP ? s : NULL};
    emitter e = {.mach = &a64_machine, .target = &x, .out = &j->out};
    if (x.map && !jit_make_table(s, j->keep, j->temp, &x.table)) return false;
    if (!emit_prepare(&e, s->kernel, false, j->temp)) return false;
    size_t data = a64_write_data(&e);
    code_align(e.out, 16);
    *entry = e.out->n;
    a64_prologue(&e, data);
    if (x.map) a64_loop(&e);
    else emit_body(&e, s->kernel->max_in);
    a64_epilogue(&e);
    if ((size_t)e.most_slots > j->scratch) j->scratch = (size_t)e.most_slots;
    return !e.out->failed;
}

static bool a64_emit(tape_code *code, const tape_program *p, bool vector_math)
{
    return jit_emit(&(jit_emitter){a64_begin, a64_step}, code, p, vector_math);
}

const tape_target target_a64 = {
    .name = "aarch64",
    .summary = "machine code for AArch64",
    .lanes = 1,
    .calls = true,
    .runs_here = cpu_is_a64,
    .emit = a64_emit,
};
