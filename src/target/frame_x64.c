/* x86-64: functions around the instructions of a tape. Registers for array bases, prologue, loops
 * over the instances of a map.
 *
 * A map runs four instances at a time as far as they go, the rest one by one, and three instances together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/cpu.h"
#include "target/emit_x64.h"

#include <stddef.h>

enum { LANES = 4 };

/* ---- the library ----------------------------------------------------------------------------- */

static void x64_begin(jit *j)
{
    x64_library l;
    for (int k = 0; k < LANES; k++) {
        l.sign[k] = (uint64_t)1 << 63;
        l.magnitude[k] = ~l.sign[k];
    }
    for (int op = 0; op < TAPE_N_OPS; op++) {
        l.fn[op] = jit_library((tape_op)op);
        l.vector[op] = jit_lanes((tape_op)op);
        if (!l.vector[op]) l.vector[op] = jit_vector((tape_op)op);
    }
    l.fn[TAPE_N_OPS] = jit_sincos();
    l.vector[TAPE_N_OPS] = jit_sincos_lanes();
    j->library = j->out.n;
    code_bytes(&j->out, &l, sizeof l);
}

/* ---- registers ------------------------------------------------------------------------------- */

static const size_t argument[TAPE_N_KINDS] = {
    [TAPE_P] = offsetof(tape_args, p),     [TAPE_Y] = offsetof(tape_args, y),
    [TAPE_YP] = offsetof(tape_args, yp),   [TAPE_W] = offsetof(tape_args, w),
    [TAPE_OUT] = offsetof(tape_args, out), [TAPE_OUT2] = offsetof(tape_args, out2),
};

typedef struct frame_plan {
    int free[16], n_free; // registers to give out, best first
    int next;
    bool pushed[16];
    int bytes;
    bool calls; // of routines: what belongs to the run is wanted
} frame_plan;

static bool is_preserved(int r) // by the functions we call, and therefore by us
{
    return r == RBX || r == RBP || r >= R12;
}

/* Those that calls preserve if there are calls; the others first if there are none. */
static frame_plan plan_registers(bool with_calls)
{
    static const int order[] = {RSI, RDX, RCX, R8, R9, R10, RBX, RBP, R14, R15, R13, R12};
    frame_plan f = {.n_free = 0};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (!with_calls || is_preserved(order[k])) f.free[f.n_free++] = order[k];
    return f;
}

static int give_register(frame_plan *f)
{
    if (f->next == f->n_free) return NO_REG;
    int r = f->free[f->next++];
    f->pushed[r] = is_preserved(r);
    return r;
}

static tape_kind array_of(const x64 *x, tape_ref r)
{
    return tape_kind_of(r) == TAPE_X ? x->map->access[tape_index_of(r)].array : tape_kind_of(r);
}

static frame_plan assign_registers(emitter *e)
{
    x64 *x = x64_of(e);
    bool with_calls = false, of_routines = false;
    int count[TAPE_N_KINDS] = {0}, words = X64_FRAME_WORDS, pushes = 0;
    for (int k = 0; k < e->nodes.n_leaves; k++) count[array_of(x, e->nodes.leaf[k])]++;
    for (int i = 0; i < e->t->n_ins; i++) {
        const tape_ins *in = &e->t->ins[i];
        if (in->op == TAPE_STORE) count[array_of(x, in->a)]++;
        if (in->op == TAPE_CALL) of_routines = true;
        if (in->op == TAPE_CALL || x64_calls(e, (tape_op)in->op)) with_calls = true;
    }
    frame_plan f = plan_registers(with_calls);
    f.calls = of_routines;
    x->slots = give_register(&f);
    x->index = x->map ? give_register(&f) : NO_REG;
    x->row = x->table.n_columns ? give_register(&f) : NO_REG;
    for (int k = 0; k < TAPE_N_KINDS; k++) x->base[k] = NO_REG, x->frame[k] = 0;
    // The arrays used most get what is left.
    for (;;) {
        int best = TAPE_P;
        for (int k = TAPE_P; k < TAPE_N_KINDS; k++)
            if (count[k] > count[best]) best = k;
        if (!count[best]) break;
        count[best] = 0;
        x->base[best] = give_register(&f);
        if (x->base[best] == NO_REG) x->frame[best] = 8 * words++;
    }
    for (int r = 0; r < 16; r++) pushes += f.pushed[r];
    f.bytes = 8 * (words + (words + pushes + 1) % 2); // calls find the stack aligned to 16
    return f;
}

/* ---- prologue and epilogue ------------------------------------------------------------------- */

static void push_pop(emitter *e, int opcode, int r)
{
    if (r >= 8) x64_u8(e->out, 0x41);
    x64_u8(e->out, opcode | (r & 7));
}

enum { ADD = 0, AND = 4, CMP = 7 }; // extensions of opcode 0x81
enum { LOAD = 0x8B, STORE = 0x89 }; // mov

static void x64_immediate(emitter *e, int operation, int reg, int32_t x)
{
    x64_int(e->out, 1, 0x81, operation, x64_reg(reg), 4);
    x64_u32(e->out, (uint32_t)x);
}

static void x64_prologue(emitter *e, const frame_plan *f)
{
    const x64 *x = x64_of(e);
    if (!code_reserve(e->out, X64_ROOM)) return;
    for (int r = 0; r < 16; r++)
        if (f->pushed[r]) push_pop(e, 0x50, r);
    x64_immediate(e, ADD, RSP, -f->bytes);
    x64_int(e->out, 1, LOAD, RAX, x64_mem(RDI, offsetof(tape_args, t)), 0);
    x64_int(e->out, 1, STORE, RAX, x64_mem(RSP, 0), 0);
    if (f->calls) {
        x64_int(e->out, 1, LOAD, RAX, x64_mem(RDI, offsetof(tape_args, run)), 0);
        x64_int(e->out, 1, STORE, RAX, x64_mem(RSP, X64_RUN_AT), 0);
    }
    x64_int(e->out, 1, LOAD, x->slots, x64_mem(RDI, offsetof(tape_args, scratch)), 0);
    if (x->map) { // whole vectors in whole cache lines
        x64_immediate(e, ADD, x->slots, 31);
        x64_immediate(e, AND, x->slots, -32);
    }
    for (int k = TAPE_P; k < TAPE_N_KINDS; k++) {
        x64_rm from = x64_mem(RDI, (int32_t)argument[k]);
        if (x->base[k] != NO_REG) {
            x64_int(e->out, 1, LOAD, x->base[k], from, 0);
        } else if (x->frame[k]) {
            x64_int(e->out, 1, LOAD, RAX, from, 0);
            x64_int(e->out, 1, STORE, RAX, x64_mem(RSP, x->frame[k]), 0);
        }
    }
}

static void x64_epilogue(emitter *e, const frame_plan *f)
{
    if (!code_reserve(e->out, X64_ROOM)) return;
    x64_immediate(e, ADD, RSP, f->bytes);
    for (int r = 15; r >= 0; r--)
        if (f->pushed[r]) push_pop(e, 0x58, r);
    x64_u8(e->out, 0xC3);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static bool is_uniform(const x64 *x, tape_ref leaf)
{
    if (tape_kind_of(leaf) == TAPE_CONST) return false;
    if (tape_kind_of(leaf) != TAPE_X) return true;
    const tape_access *a = &x->map->access[tape_index_of(leaf)];
    return !a->list && a->stride == 0;
}

/* What is the same for all instances is spread over a slot before the loop. */
static void spread_uniform(emitter *e)
{
    static const x64_form broadcast = {1, PP_66, MAP_0F38, 0, 0x19, 0};
    static const x64_form put = {1, PP_66, MAP_0F, 0, 0x11, 0};
    int n = 0;
    for (int k = 0; k < e->nodes.n_leaves; k++) {
        tape_ref leaf = e->nodes.leaf[k];
        if (!is_uniform(x64_of(e), leaf) || !code_reserve(e->out, X64_ROOM)) continue;
        e->pinned[e->nodes.n_values + k] = n + 1;
        x64_vex(e->out, broadcast, 0, 0, x64_leaf(e, leaf, 0));
        x64_vex(e->out, put, 0, 0, x64_slot(e, n++));
    }
    x64_of(e)->lanes_slot = n;
}

/* The instances up to `end`, `lanes` at a time. */
static void x64_loop(emitter *e, int end, int lanes, int first_slot)
{
    const x64 *x = x64_of(e);
    size_t head = e->out->n;
    emit_body(e, first_slot);
    if (!code_reserve(e->out, X64_ROOM)) return;
    x64_immediate(e, ADD, x->index, 8 * lanes);
    if (x->table.n_columns) x64_immediate(e, ADD, x->row, 4 * x->table.n_columns * lanes);
    x64_immediate(e, CMP, x->index, 8 * end);
    x64_u8(e->out, 0x0F); // jl head
    x64_u8(e->out, 0x8C);
    x64_u32(e->out, (uint32_t)head - (uint32_t)(e->out->n + 4));
}

static bool can_pack(const x64 *x)
{
    return x->avx && x->map->n >= X64_THREE && x->map->kernel->n_calls == 0;
}

static void emit_map(emitter *e, jit *j, const size_t consts[2], size_t *entry)
{
    static const uint8_t vzeroupper[] = {0xC5, 0xF8, 0x77};
    x64 *x = x64_of(e);
    int n = x->map->n, whole = !can_pack(x) ? 0 : n == X64_THREE ? n : n / LANES * LANES;
    size_t most = 0;
    frame_plan f = assign_registers(e);
    *entry = e->out->n;
    x64_prologue(e, &f);
    if (!code_reserve(e->out, X64_ROOM)) return;
    x64_int(e->out, 0, 0x31, x->index, x64_reg(x->index), 0); // xor
    if (x->table.n_columns) x64_load_address(e, x->row, x->table.rows);
    if (whole) {
        x->packed = true;
        e->mach = &x64_packed;
        x->consts = consts[1];
        spread_uniform(e);
        x64_loop(e, whole, LANES, x->lanes_slot + 2);
        code_bytes(e->out, vzeroupper, sizeof vzeroupper);
        most = LANES * (size_t)e->most_slots;
        x->packed = false;
        e->mach = &x64_avx;
        e->pinned = NULL;
        e->most_slots = 0;
    }
    x->consts = consts[0];
    if (n > whole) x64_loop(e, n, 1, e->t->max_in);
    x64_epilogue(e, &f);
    if ((size_t)e->most_slots > most) most = (size_t)e->most_slots;
    if (most + LANES > j->scratch) j->scratch = most + LANES; // and room to align
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Constants stand before the code that uses them, once per lane. */
static size_t write_consts(emitter *e, int lanes)
{
    code_align(e->out, 32);
    size_t at = e->out->n;
    for (int k = 0; k < e->t->n_consts; k++)
        for (int l = 0; l < lanes; l++) code_bytes(e->out, &e->t->consts[k], sizeof(double));
    return at;
}

static bool x64_step(bool avx, jit *j, const tape_step *s, size_t *entry)
{
    x64 x = {.avx = avx, .vector_math = j->vector_math, .library = j->library};
    const machine *wide = jit_sincos_lanes() ? &x64_avx2 : &x64_avx;
    emitter e = {.mach = x.avx ? wide : &x64_sse2, .target = &x, .out = &j->out};
    if (s->kind == TAPE_STEP_MAP) {
        x.map = s;
        if (!jit_make_table(s, j->keep, j->temp, &x.table)) return false;
    }
    if (!x.map || !can_pack(&x)) e.n_regions = s->kernel->n_regions;
    if (!emit_prepare(&e, s->kernel, !x.map, j->temp)) return false;
    size_t consts[2] = {write_consts(&e, 1), 0};
    if (x.map) {
        if (can_pack(&x)) {
            consts[1] = write_consts(&e, LANES);
            e.pinned = pool_array(j->temp, int, e.nodes.n_values + e.nodes.n_leaves);
            if (!e.pinned) return false;
        }
        code_align(e.out, 32);
        emit_map(&e, j, consts, entry);
    } else {
        code_align(e.out, 32);
        x.consts = consts[0];
        frame_plan f = assign_registers(&e);
        *entry = e.out->n;
        x64_prologue(&e, &f);
        emit_body(&e, s->kernel->max_in);
        x64_epilogue(&e, &f);
        if ((size_t)e.most_slots > j->scratch) j->scratch = (size_t)e.most_slots;
    }
    return !e.out->failed;
}

/* ---- the targets ----------------------------------------------------------------------------- */

static bool avx_step(jit *j, const tape_step *s, size_t *entry)
{
    return x64_step(true, j, s, entry);
}

static bool avx_emit(tape_code *code, const tape_program *p, bool vector_math)
{
    return jit_emit(&(jit_emitter){x64_begin, avx_step}, code, p, vector_math);
}

static bool sse2_step(jit *j, const tape_step *s, size_t *entry)
{
    return x64_step(false, j, s, entry);
}

static bool sse2_emit(tape_code *code, const tape_program *p, bool vector_math)
{
    return jit_emit(&(jit_emitter){x64_begin, sse2_step}, code, p, vector_math);
}

const tape_target target_avx = {
    .name = "x86-64-avx",
    .summary = "machine code for x86-64 with AVX, maps four instances at a time",
    .lanes = LANES,
    .calls = true,
    .runs_here = cpu_has_avx,
    .emit = avx_emit,
};

const tape_target target_sse2 = {
    .name = "x86-64-sse2",
    .summary = "machine code for every x86-64",
    .lanes = 1,
    .calls = true,
    .runs_here = cpu_is_x64,
    .emit = sse2_emit,
};
