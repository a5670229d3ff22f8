/* SPDX-License-Identifier: BSD-3-Clause */
#include "routine/machine_code.h"

#include "base/watch.h"
#include "derive/partials.h"
#include "external/external_run.h"
#include "vincolo_problem.h"

#include <math.h>
#include <string.h>

enum {
    INSTRUCTIONS_MAX = 60000, // with the programs it calls written out
    REGISTERS_MAX = 12000,    // they lie on the stack
    LIVE_MAX = 4 << 20,       // words of sets of registers
    INLINED_DEPTH = 24
};

/* ---- one list of instructions ---------------------------------------------------------------- */

typedef struct frame {
    const routine_program *p;
    const struct frame *below;
} frame;

typedef struct maker {
    const routine_set *set;
    arena *scratch;
    ARRAY(routine_ins) ins; // jumps lead to instructions
    ARRAY(double) consts;
    ARRAY(double) tables;
    int_array lists;
    int n_registers;
    bool failed, foreign;
} maker;

/* Registers of a program among those of the routine. */
typedef struct placing {
    const routine_program *p;
    const int *args; // what stands for its arguments
    int slots, temps, consts;
} placing;

static int placed(const placing *q, int r)
{
    const routine_program *p = q->p;
    if (r < p->n_args) return q->args[r];
    r -= p->n_args;
    if (r < p->n_slots) return q->slots + r;
    r -= p->n_slots;
    if (r < p->n_consts) return ~(q->consts + r);
    return q->temps + r - p->n_consts;
}

static int push_ins(maker *m, int op, int dst, int a, int b, int c)
{
    routine_ins t = {(uint16_t)op, dst, a, b, c};
    array_push(m->scratch, &m->ins, t);
    if (m->ins.n > INSTRUCTIONS_MAX) m->failed = true;
    return m->ins.n - 1;
}

static int push_const(maker *m, double x)
{
    array_push(m->scratch, &m->consts, x);
    return ~(m->consts.n - 1);
}

static const int *write_out(maker *m, const routine_program *p, const int *args, const frame *below,
                            int depth);

static void write_call(maker *m, const placing *q, const routine_ins *t, const frame *here,
                       int depth)
{
    const int *list = q->p->lists + t->dst;
    int n_in = list[0], n_out = list[n_in + 1], at = m->lists.n;
    const tape_function *f = routine_at(m->set, t->a);
    const routine_program *called = routine_program_of(f);
    int *in = arena_array(m->scratch, int, n_in + 1);
    for (int k = 0; k < n_in; k++) in[k] = placed(q, list[1 + k]);
    if (called && !called->integral) {
        const int *out = write_out(m, called, in, here, depth + 1);
        for (int k = 0; k < n_out && !m->failed; k++)
            push_ins(m, PROGRAM_COPY, placed(q, list[n_in + 2 + k]), out[k], 0, 0);
        return;
    }
    m->foreign = true;
    if (!f || n_in > PROGRAM_SCALARS || n_out > PROGRAM_SCALARS) m->failed = true;
    array_push(m->scratch, &m->lists, n_in);
    for (int k = 0; k < n_in; k++) array_push(m->scratch, &m->lists, in[k]);
    array_push(m->scratch, &m->lists, n_out);
    for (int k = 0; k < n_out; k++)
        array_push(m->scratch, &m->lists, placed(q, list[n_in + 2 + k]));
    push_ins(m, PROGRAM_CALL, at, t->a, 0, 0);
}

static void write_pick(maker *m, const placing *q, const routine_ins *t)
{
    const int *list = q->p->lists + t->b;
    int at = m->lists.n;
    array_push(m->scratch, &m->lists, list[0]);
    for (int k = 0; k < list[0]; k++) array_push(m->scratch, &m->lists, placed(q, list[1 + k]));
    push_ins(m, PROGRAM_PICK, placed(q, t->dst), placed(q, t->a), at, 0);
}

static void write_table(maker *m, const placing *q, const routine_ins *t)
{
    int at = m->tables.n;
    for (int k = 0; k <= t->c; k++) array_push(m->scratch, &m->tables, q->p->tables[t->b + k]);
    push_ins(m, PROGRAM_TABLE, placed(q, t->dst), placed(q, t->a), at, t->c);
}

static bool is_jump(int op)
{
    return op == PROGRAM_JUMP || op == PROGRAM_UNLESS;
}

/* Arguments are read where they are; a program that assigns to them has its own. */
static const int *own_arguments(maker *m, const routine_program *p, const int *args)
{
    bool assigned = false;
    for (int i = 0; i < p->n_ins; i++) {
        const routine_ins *t = &p->ins[i];
        bool stores = t->op < EXPR_N_OPS || t->op == PROGRAM_COPY || t->op == PROGRAM_PICK ||
                      t->op == PROGRAM_TABLE;
        if (stores && t->dst < p->n_args) assigned = true;
    }
    if (!assigned) return args;
    int *own = arena_array(m->scratch, int, p->n_args + 1);
    for (int k = 0; k < p->n_args; k++) {
        own[k] = m->n_registers++;
        push_ins(m, PROGRAM_COPY, own[k], args[k], 0, 0);
    }
    return own;
}

/* Its results; the instructions stand at the end of the list. */
static const int *write_out(maker *m, const routine_program *p, const int *args, const frame *below,
                            int depth)
{
    const frame here = {p, below};
    for (const frame *f = below; f; f = f->below)
        if (f->p == p) m->failed = true; // recursive
    int n_temps = p->n_registers - p->n_args - p->n_slots - p->n_consts;
    if (depth > INLINED_DEPTH || m->n_registers + p->n_slots + n_temps > REGISTERS_MAX)
        m->failed = true;
    if (m->failed) return NULL;
    placing q = {p, own_arguments(m, p, args), m->n_registers, m->n_registers + p->n_slots,
                 m->consts.n};
    m->n_registers += p->n_slots + n_temps;
    for (int k = 0; k < p->n_consts; k++) array_push(m->scratch, &m->consts, p->consts[k]);
    int zero = push_const(m, 0), *at = arena_array(m->scratch, int, p->n_ins + 1);
    for (int k = 0; k < p->n_slots; k++) push_ins(m, PROGRAM_COPY, q.slots + k, zero, 0, 0);
    int_array jumps = {0};
    for (int i = 0; i < p->n_ins && !m->failed; i++) {
        const routine_ins *t = &p->ins[i];
        at[i] = m->ins.n;
        if (is_jump(t->op)) {
            int a = t->op == PROGRAM_UNLESS ? placed(&q, t->a) : 0;
            array_push(m->scratch, &jumps, push_ins(m, t->op, t->dst, a, 0, 0));
        } else if (t->op == PROGRAM_CALL) write_call(m, &q, t, &here, depth);
        else if (t->op == PROGRAM_PICK) write_pick(m, &q, t);
        else if (t->op == PROGRAM_TABLE) write_table(m, &q, t);
        else if (t->op == PROGRAM_FAIL) push_ins(m, PROGRAM_FAIL, 0, 0, 0, 0);
        else if (t->op == PROGRAM_CHECK)
            push_ins(m, t->op, p->checks[t->dst].size, placed(&q, t->a), placed(&q, t->b), 0);
        else {
            int n = t->op == PROGRAM_COPY ? 1 : operator_arity((expr_op)t->op);
            push_ins(m, t->op, placed(&q, t->dst), placed(&q, t->a), n > 1 ? placed(&q, t->b) : 0,
                     n > 2 ? placed(&q, t->c) : 0);
        }
    }
    if (m->failed) return NULL;
    at[p->n_ins] = m->ins.n;
    for (int k = 0; k < jumps.n; k++) m->ins.at[jumps.at[k]].dst = at[m->ins.at[jumps.at[k]].dst];
    int *results = arena_array(m->scratch, int, p->n_results + 1);
    for (int k = 0; k < p->n_results; k++) results[k] = placed(&q, p->results[k]);
    return results;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Instructions first ... end - 1 go to the kernel; what ends the block follows. */
typedef struct span_of_block {
    int first, end;
    bool ended; // by an instruction that is no part of the kernel
} span_of_block;

typedef struct plan {
    maker *m;
    const int *results;
    int n_results, n_blocks, words;
    span_of_block *of;
    int *block_at;                  // by instruction that begins a block
    uint64_t *use, *def, *in, *out; // sets of registers, by block
    uint8_t *active;                // by register: its derivative may differ from 0
    tape_ref *now, *slope;          // of the kernel being written
    int_array touched;
} plan;

static bool ends_block(int op)
{
    return is_jump(op) || op == PROGRAM_FAIL || op == PROGRAM_CALL || op == PROGRAM_PICK ||
           op == PROGRAM_TABLE;
}

static void find_blocks(plan *x)
{
    const maker *m = x->m;
    arena *s = m->scratch;
    int n = m->ins.n;
    uint8_t *leads = arena_array(s, uint8_t, n + 2);
    leads[0] = leads[n] = 1;
    for (int i = 0; i < n; i++) {
        if (is_jump(m->ins.at[i].op)) leads[m->ins.at[i].dst] = 1;
        if (ends_block(m->ins.at[i].op)) leads[i + 1] = 1;
    }
    x->of = arena_array(s, span_of_block, n + 2);
    x->block_at = arena_array(s, int, n + 2);
    for (int i = 0; i < n;) {
        int end = i;
        do {
            if (ends_block(m->ins.at[end].op)) break;
        } while (!leads[++end]);
        bool ended = !leads[end] || end == i;
        x->block_at[i] = x->n_blocks;
        x->of[x->n_blocks++] = (span_of_block){i, end, ended};
        i = end + ended;
    }
    x->block_at[n] = x->n_blocks; // where all is done
}

static void set_add(uint64_t *set, int r)
{
    if (r >= 0) set[r >> 6] |= (uint64_t)1 << (r & 63);
}

static bool set_has(const uint64_t *set, int r)
{
    return r >= 0 && (set[r >> 6] >> (r & 63) & 1);
}

static void set_drop(uint64_t *set, int r)
{
    if (r >= 0) set[r >> 6] &= ~((uint64_t)1 << (r & 63));
}

/* What the instruction that ends a block reads and stores: backwards from what is live after it. */
static void before_end(const plan *x, const routine_ins *t, uint64_t *live)
{
    const int *list;
    switch (t->op) {
    case PROGRAM_UNLESS: set_add(live, t->a); break;
    case PROGRAM_TABLE:
        set_drop(live, t->dst);
        set_add(live, t->a);
        break;
    case PROGRAM_PICK:
        set_drop(live, t->dst);
        set_add(live, t->a);
        list = x->m->lists.at + t->b;
        for (int k = 0; k < list[0]; k++) set_add(live, list[1 + k]);
        break;
    case PROGRAM_CALL:
        list = x->m->lists.at + t->dst;
        for (int k = 0; k < list[list[0] + 1]; k++) set_drop(live, list[list[0] + 2 + k]);
        for (int k = 0; k < list[0]; k++) set_add(live, list[1 + k]);
        break;
    default: break;
    }
}

static int operands_of(int op)
{
    return op == PROGRAM_COPY ? 1 : op == PROGRAM_CHECK ? 2 : operator_arity((expr_op)op);
}

/* Live before the block, from `live` after its kernel. */
static void before_kernel(const plan *x, int b, uint64_t *live)
{
    for (int i = x->of[b].end - 1; i >= x->of[b].first; i--) {
        const routine_ins *t = &x->m->ins.at[i];
        const int from[3] = {t->a, t->b, t->c};
        bool check = t->op == PROGRAM_CHECK;
        if (!check && !set_has(live, t->dst)) continue;
        if (!check) set_drop(live, t->dst);
        for (int k = 0; k < operands_of(t->op); k++) set_add(live, from[k]);
    }
}

static void live_after(const plan *x, int b, uint64_t *live)
{
    const maker *m = x->m;
    size_t bytes = (size_t)x->words * sizeof *live;
    const routine_ins *t = x->of[b].ended ? &m->ins.at[x->of[b].end] : NULL;
    int next = b + 1, other = -1;
    memset(live, 0, bytes);
    if (t && t->op == PROGRAM_FAIL) return;
    if (t && is_jump(t->op)) other = x->block_at[t->dst];
    if (t && t->op == PROGRAM_JUMP) next = other;
    for (int k = 0; k < x->words; k++) {
        live[k] = x->in[(size_t)next * (size_t)x->words + (size_t)k];
        if (other >= 0) live[k] |= x->in[(size_t)other * (size_t)x->words + (size_t)k];
    }
    if (t) before_end(x, t, live);
}

/* x->out: live between the kernel of a block and what ends it. */
static bool find_live(plan *x)
{
    arena *s = x->m->scratch;
    x->words = x->m->n_registers / 64 + 1;
    size_t all = (size_t)x->words * (size_t)(x->n_blocks + 1);
    if (all > LIVE_MAX) return false;
    x->in = arena_array(s, uint64_t, all);
    x->out = arena_array(s, uint64_t, all);
    uint64_t *live = arena_array(s, uint64_t, x->words);
    for (int k = 0; k < x->n_results; k++)
        set_add(x->in + (size_t)x->n_blocks * (size_t)x->words, x->results[k]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = x->n_blocks - 1; b >= 0; b--) {
            uint64_t *in = x->in + (size_t)b * (size_t)x->words;
            live_after(x, b, live);
            memcpy(x->out + (size_t)b * (size_t)x->words, live, (size_t)x->words * sizeof *live);
            before_kernel(x, b, live);
            if (!memcmp(in, live, (size_t)x->words * sizeof *live)) continue;
            memcpy(in, live, (size_t)x->words * sizeof *live);
            changed = true;
        }
    }
    return true;
}

/* Registers that depend on arguments in a way that has derivatives. */
static void find_active(plan *x, int n_args)
{
    const maker *m = x->m;
    x->active = arena_array(m->scratch, uint8_t, m->n_registers + 1);
    for (int k = 0; k < n_args; k++) x->active[k] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < m->ins.n; i++) {
            const routine_ins *t = &m->ins.at[i];
            bool any = false;
            if (t->op == PROGRAM_PICK) {
                const int *list = m->lists.at + t->b;
                for (int k = 0; k < list[0]; k++) any |= list[1 + k] >= 0 && x->active[list[1 + k]];
            } else if (t->op < EXPR_N_OPS || t->op == PROGRAM_COPY) {
                const int from[3] = {t->a, t->b, t->c};
                bool flat = t->op < EXPR_N_OPS && (operator_class((expr_op)t->op) == CLASS_REL ||
                                                   operator_class((expr_op)t->op) == CLASS_LOGIC);
                for (int k = t->op == EXPR_IF; k < operands_of(t->op) && !flat; k++)
                    any |= from[k] >= 0 && x->active[from[k]];
            } else continue;
            if (any && !x->active[t->dst]) x->active[t->dst] = changed = true;
        }
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

enum { NO_SLOPE = UINT32_MAX };

typedef struct kernel {
    plan *x;
    tape_builder *b;
    bool tangent;
    tape_ref fault; // of subscripts; TAPE_NONE: none is checked
    bool failed;
} kernel;

static tape_ref value_of(kernel *k, int r)
{
    if (r < 0) return tape_const(k->b, k->x->m->consts.at[~r]);
    return k->x->now[r] != TAPE_NONE ? k->x->now[r] : tape_w(r);
}

static int tangent_at(const kernel *k, int r)
{
    return k->x->m->n_registers + 1 + r;
}

static tape_ref slope_of(kernel *k, int r)
{
    if (r < 0 || !k->x->active[r]) return NO_SLOPE;
    return k->x->now[r] != TAPE_NONE ? k->x->slope[r] : tape_w(tangent_at(k, r));
}

static void assign(kernel *k, int r, tape_ref value, tape_ref slope)
{
    plan *x = k->x;
    if (x->now[r] == TAPE_NONE) array_push(x->m->scratch, &x->touched, r);
    x->now[r] = value;
    x->slope[r] = slope;
}

static tape_ref add_slopes(tape_builder *b, tape_ref x, tape_ref y)
{
    return x == NO_SLOPE ? y : y == NO_SLOPE ? x : tape_op2(b, TAPE_ADD, x, y);
}

static tape_ref or_zero(tape_builder *b, tape_ref x)
{
    return x == NO_SLOPE ? tape_const(b, 0) : x;
}

static tape_ref kernel_power(tape_builder *b, const double *exponent, tape_ref x, tape_ref y)
{
    if (exponent && fabs(*exponent) <= 64 && *exponent == floor(*exponent))
        return tape_powi(b, x, (int)*exponent);
    return tape_op2(b, TAPE_POW, x, y);
}

static const uint8_t plain[EXPR_N_OPS] = {
    [EXPR_NEG] = 1 + TAPE_NEG,     [EXPR_ADD] = 1 + TAPE_ADD,   [EXPR_SUB] = 1 + TAPE_SUB,
    [EXPR_MUL] = 1 + TAPE_MUL,     [EXPR_DIV] = 1 + TAPE_DIV,   [EXPR_SIN] = 1 + TAPE_SIN,
    [EXPR_COS] = 1 + TAPE_COS,     [EXPR_TAN] = 1 + TAPE_TAN,   [EXPR_ASIN] = 1 + TAPE_ASIN,
    [EXPR_ACOS] = 1 + TAPE_ACOS,   [EXPR_ATAN] = 1 + TAPE_ATAN, [EXPR_ATAN2] = 1 + TAPE_ATAN2,
    [EXPR_SINH] = 1 + TAPE_SINH,   [EXPR_COSH] = 1 + TAPE_COSH, [EXPR_TANH] = 1 + TAPE_TANH,
    [EXPR_EXP] = 1 + TAPE_EXP,     [EXPR_LOG] = 1 + TAPE_LOG,   [EXPR_LOG10] = 1 + TAPE_LOG10,
    [EXPR_SQRT] = 1 + TAPE_SQRT,   [EXPR_ABS] = 1 + TAPE_ABS,   [EXPR_CEIL] = 1 + TAPE_CEIL,
    [EXPR_FLOOR] = 1 + TAPE_FLOOR, [EXPR_INT] = 1 + TAPE_FLOOR, [EXPR_POW] = 1 + TAPE_POW,
};

static tape_ref kernel_value(kernel *k, const routine_ins *t, const tape_ref *v)
{
    tape_builder *b = k->b;
    switch (t->op) {
    case PROGRAM_COPY: return v[0];
    case EXPR_POW: return kernel_power(b, t->b < 0 ? &k->x->m->consts.at[~t->b] : NULL, v[0], v[1]);
    case EXPR_LT: return tape_lt(b, v[0], v[1]);
    case EXPR_LE: return tape_le(b, v[0], v[1]);
    case EXPR_GT: return tape_lt(b, v[1], v[0]);
    case EXPR_GE: return tape_le(b, v[1], v[0]);
    case EXPR_EQ: return tape_eq(b, v[0], v[1]);
    case EXPR_NE: return tape_ne(b, v[0], v[1]);
    case EXPR_NOT: return tape_not(b, v[0]);
    case EXPR_AND: return tape_and(b, v[0], v[1]);
    case EXPR_OR: return tape_or(b, v[0], v[1]);
    case EXPR_IF: return tape_if(b, v[0], v[1], v[2]);
    case EXPR_MIN: return tape_select(b, TAPE_SEL_LT, v[1], v[0], v[1], v[0]);
    case EXPR_MAX: return tape_select(b, TAPE_SEL_LT, v[0], v[1], v[1], v[0]);
    case EXPR_SIGN: return tape_sign(b, v[0]);
    case EXPR_IDIV: return tape_div(b, v[0], v[1]);
    case EXPR_MOD: return tape_mod(b, v[0], v[1]);
    case EXPR_REM: return tape_rem(b, v[0], v[1]);
    default: break;
    }
    if (!plain[t->op]) {
        k->failed = true;
        return v[0];
    }
    tape_op op = (tape_op)(plain[t->op] - 1);
    return operands_of(t->op) == 1 ? tape_op1(b, op, v[0]) : tape_op2(b, op, v[0], v[1]);
}

static tape_ref kernel_slope(kernel *k, const routine_ins *t, const tape_ref *v, tape_ref f)
{
    tape_builder *b = k->b;
    const int from[3] = {t->a, t->b, t->c};
    tape_ref d[3] = {NO_SLOPE, NO_SLOPE, NO_SLOPE};
    int n = operands_of(t->op);
    for (int i = 0; i < n; i++) d[i] = slope_of(k, from[i]);
    switch (t->op) {
    case PROGRAM_COPY: return d[0];
    case EXPR_IF:
        if (d[1] == NO_SLOPE && d[2] == NO_SLOPE) return NO_SLOPE;
        return tape_if(b, v[0], or_zero(b, d[1]), or_zero(b, d[2]));
    case EXPR_MIN:
    case EXPR_MAX: {
        int first = t->op == EXPR_MIN;
        if (d[0] == NO_SLOPE && d[1] == NO_SLOPE) return NO_SLOPE;
        return tape_select(b, TAPE_SEL_LT, v[first], v[!first], or_zero(b, d[1]), or_zero(b, d[0]));
    }
    case EXPR_SIGN:
    case EXPR_IDIV:
    case EXPR_FLOOR:
    case EXPR_CEIL:
    case EXPR_INT: return NO_SLOPE;
    case EXPR_MOD:
    case EXPR_REM: k->failed = d[1] != NO_SLOPE || k->failed; return d[0];
    case EXPR_NEG: return d[0] == NO_SLOPE ? NO_SLOPE : tape_op1(b, TAPE_NEG, d[0]);
    default: break;
    }
    if (t->op >= EXPR_N_OPS || !plain[t->op]) return NO_SLOPE;
    partial_site s = {(tape_op)(plain[t->op] - 1), v[0], n > 1 ? v[1] : v[0], f, 0};
    tape_ref x = NO_SLOPE, y = NO_SLOPE;
    s.adjoint = d[0];
    if (d[0] != NO_SLOPE) x = partial_x(b, &s);
    s.adjoint = d[1];
    if (n > 1 && d[1] != NO_SLOPE) y = partial_y(b, &s);
    return add_slopes(b, x, y);
}

static void kernel_check(kernel *k, const routine_ins *t)
{
    tape_builder *b = k->b;
    tape_ref sub = value_of(k, t->b), one = tape_const(b, 1), size = tape_const(b, t->dst);
    tape_ref inside = tape_and(b, tape_le(b, one, sub), tape_le(b, sub, size));
    tape_ref bad =
        tape_and(b, tape_ne(b, value_of(k, t->a), tape_const(b, 0)), tape_not(b, inside));
    k->fault = k->fault == TAPE_NONE ? bad : tape_or(b, k->fault, bad);
}

/* NULL: nothing is to be computed. */
static const tape *kernel_of(plan *x, int b, bool tangent, bool *checks, bool *failed, arena *a)
{
    arena *s = x->m->scratch;
    kernel k = {x, tape_builder_new(s), tangent, TAPE_NONE, false};
    const uint64_t *live = x->out + (size_t)b * (size_t)x->words;
    int stores = 0;
    x->touched.n = 0;
    for (int i = x->of[b].first; i < x->of[b].end; i++) {
        const routine_ins *t = &x->m->ins.at[i];
        const int from[3] = {t->a, t->b, t->c};
        if (t->op == PROGRAM_CHECK) {
            kernel_check(&k, t);
            continue;
        }
        tape_ref v[3] = {0};
        for (int j = 0; j < operands_of(t->op); j++) v[j] = value_of(&k, from[j]);
        tape_ref f = kernel_value(&k, t, v), d = NO_SLOPE;
        if (tangent && x->active[t->dst]) d = or_zero(k.b, kernel_slope(&k, t, v, f));
        assign(&k, t->dst, f, d);
    }
    for (int i = 0; i < x->touched.n; i++) {
        int r = x->touched.at[i];
        if (set_has(live, r)) {
            stores++;
            tape_store(k.b, tape_w(r), x->now[r]);
            if (tangent && x->active[r]) tape_store(k.b, tape_w(tangent_at(&k, r)), x->slope[r]);
        }
        x->now[r] = TAPE_NONE;
    }
    *checks = k.fault != TAPE_NONE;
    if (*checks) tape_store(k.b, tape_w(x->m->n_registers), k.fault);
    *failed = *failed || k.failed;
    return stores || *checks ? tape_finish(k.b, a) : NULL;
}

static bool make_kernels(plan *x, bool tangent, routine_code *out, arena *a)
{
    tape_program_builder *b = tape_program_new(a);
    routine_block *blocks = arena_array(a, routine_block, x->n_blocks + 1);
    bool failed = false;
    for (int k = 0, n = 0; k < x->n_blocks && !failed; k++) {
        const span_of_block *of = &x->of[k];
        routine_block *to = &blocks[k];
        const tape *t = kernel_of(x, k, tangent, &to->checks, &failed, a);
        to->kernel = t ? n++ : -1;
        if (t) tape_program_kernel(b, t);
        to->n = of->end - of->first + 1;
        to->op = PROGRAM_COPY;
        if (!of->ended) continue;
        const routine_ins *end = &x->m->ins.at[of->end];
        *to = (routine_block){to->kernel, to->n,  to->checks, end->op,
                              end->dst,   end->a, end->b,     end->c};
        if (is_jump(end->op)) to->dst = x->block_at[end->dst];
    }
    *out = (routine_code){.program = tape_program_finish(b), .blocks = blocks};
    return !failed;
}

/* ---- running --------------------------------------------------------------------------------- */

static double operand_of(const routine_compiled *x, const double *w, int r)
{
    return r < 0 ? x->consts[~r] : w[r];
}

static void call_routine(const routine_compiled *x, void *run, double *w, const routine_block *b)
{
    const int *list = x->lists + b->dst;
    int n_in = list[0], n_out = list[n_in + 1];
    const tape_function *f = routine_at(x->g->set, b->a);
    double in[PROGRAM_SCALARS], out[PROGRAM_SCALARS];
    for (int k = 0; k < n_in; k++) in[k] = operand_of(x, w, list[1 + k]);
    f->value(f->user, run, in, out);
    for (int k = 0; k < n_out; k++) w[list[n_in + 2 + k]] = out[k];
}

/* Register r, and its derivative, from a register or a constant. */
static void move_to(const routine_compiled *x, double *w, bool tangent, int to, int from)
{
    int n = x->n_registers + 1;
    w[to] = operand_of(x, w, from);
    if (tangent) w[n + to] = from < 0 ? 0 : w[n + from];
}

/* False: it has no value. */
static bool run_blocks(const routine_compiled *x, const routine_code *c, bool tangent, void *run,
                       double *w, double *scratch)
{
    // About a millisecond; sooner at first, for thousands of calls may follow one that was stopped.
    enum { STEPS_BETWEEN_LOOKS = 1 << 16, STEPS_TO_FIRST_LOOK = 1 << 11 };
    const tape_args args = {.w = w, .scratch = scratch, .run = run};
    int64_t steps = 0, look = STEPS_TO_FIRST_LOOK, most = external_patience(run, PROGRAM_STEPS);
    for (int at = 0; at < x->n_blocks;) {
        const routine_block *b = &c->blocks[at++];
        if (b->kernel >= 0) tape_eval_step(c->code, b->kernel, &args);
        if (b->checks && w[x->n_registers] != 0) return false;
        steps += b->n;
        if (steps > look) {
            look = steps + STEPS_BETWEEN_LOOKS;
            if (watch_passed(x->g->set->limits)) return false;
            if (steps > most) return external_endless(run), false;
        }
        switch (b->op) {
        case PROGRAM_JUMP: at = b->dst; break;
        case PROGRAM_UNLESS:
            if (operand_of(x, w, b->a) == 0) at = b->dst;
            break;
        case PROGRAM_FAIL: return false;
        case PROGRAM_CALL: call_routine(x, run, w, b); break;
        case PROGRAM_PICK: {
            const int *list = x->lists + b->b;
            int from = list[1 + routine_choice(operand_of(x, w, b->a), list[0] - 1)];
            move_to(x, w, tangent, b->dst, from);
            break;
        }
        case PROGRAM_TABLE:
            w[b->dst] = x->tables[b->b + routine_choice(operand_of(x, w, b->a), b->c)];
            if (tangent) w[x->n_registers + 1 + b->dst] = 0;
            break;
        default: break;
        }
    }
    return true;
}

bool routine_code_value(const routine_compiled *x, void *run, const double *in, double *out)
{
    double w[x->n_registers + 1], scratch[x->value.scratch + 1];
    memcpy(w, in, (size_t)x->g->call.n_in * sizeof *w);
    if (!run_blocks(x, &x->value, false, run, w, scratch)) return false;
    for (int k = 0; k < x->g->call.n_out; k++) out[k] = operand_of(x, w, x->results[k]);
    return true;
}

bool routine_code_tangent(const routine_compiled *x, void *run, const double *in,
                          const double *along, double *d)
{
    int n = x->n_registers + 1;
    double w[2 * n], scratch[x->tangent.scratch + 1];
    memcpy(w, in, (size_t)x->g->call.n_in * sizeof *w);
    memset(w + n, 0, (size_t)n * sizeof *w);
    memcpy(w + n, along, (size_t)x->g->call.n_in * sizeof *w);
    if (!run_blocks(x, &x->tangent, true, run, w, scratch)) return false;
    for (int k = 0; k < x->g->call.n_out; k++) d[k] = x->results[k] < 0 ? 0 : w[n + x->results[k]];
    return true;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void *kept_copy(arena *a, const void *from, int n, size_t size)
{
    void *to = arena_alloc_array(a, (size_t)n + 1, size);
    if (n) memcpy(to, from, (size_t)n * size);
    return to;
}

routine_compiled *routine_compile(const routine_bound *g, arena *a, arena *scratch)
{
    if (g->program->integral || g->call.impure) return NULL;
    maker m = {.set = g->set, .scratch = scratch, .n_registers = g->call.n_in};
    int *args = arena_array(scratch, int, g->call.n_in + 1);
    for (int k = 0; k < g->call.n_in; k++) args[k] = k;
    const int *results = write_out(&m, g->program, args, NULL, 0);
    if (m.failed) return NULL;
    plan x = {.m = &m, .results = results, .n_results = g->call.n_out};
    find_blocks(&x);
    if (!find_live(&x)) return NULL;
    find_active(&x, g->call.n_in);
    x.now = arena_array(scratch, tape_ref, m.n_registers + 1);
    x.slope = arena_array(scratch, tape_ref, m.n_registers + 1);
    memset(x.now, 0xFF, ((size_t)m.n_registers + 1) * sizeof *x.now); // TAPE_NONE
    routine_compiled *r = arena_new(a, routine_compiled);
    *r = (routine_compiled){.g = g,
                            .n_blocks = x.n_blocks,
                            .n_registers = m.n_registers,
                            .results = kept_copy(a, results, g->call.n_out, sizeof *results),
                            .lists = kept_copy(a, m.lists.at, m.lists.n, sizeof(int)),
                            .consts = kept_copy(a, m.consts.at, m.consts.n, sizeof(double)),
                            .tables = kept_copy(a, m.tables.at, m.tables.n, sizeof(double))};
    if (!make_kernels(&x, false, &r->value, a)) return NULL;
    if (m.foreign || !make_kernels(&x, true, &r->tangent, a)) r->tangent.program = NULL;
    return r;
}

void routine_codes_add(routine_codes *list, const tape_function *f, arena *a, arena *scratch)
{
    if (f->kind == TAPE_FN_ANNOTATED)
        routine_codes_add(list, ((const routine_annotation *)f->user)->derivative, a, scratch);
    if (f->kind != TAPE_FN_PROGRAM) return;
    const routine_bound *g = f->user;
    while (list->all.n <= g->number) array_push(a, &list->all, NULL);
    routine_compiled **x = &list->all.at[g->number];
    if (*x) return;
    *x = routine_compile(g, a, scratch);
    if (*x) return;
    *x = arena_new(a, routine_compiled);
    (*x)->failed = true;
}

static bool compile_one(routine_code *c, mem *m, bool *machine)
{
    if (!c->program) return true;
    if (tape_compile_program(c->program, NULL, m, &c->code)) return false;
    c->scratch = tape_code_scratch(c->code);
    *machine = *machine && tape_code_target(c->code) != &target_interpreter;
    return true;
}

/* Where there is no machine code the program itself is as good. */
int routine_codes_compile(const routine_codes *list, mem *m)
{
    for (int k = 0; k < list->all.n; k++) {
        routine_compiled *r = list->all.at[k];
        bool machine = true;
        if (!r || r->failed || r->value.code) continue;
        if (!compile_one(&r->value, m, &machine) || !compile_one(&r->tangent, m, &machine))
            return VINC_E_MEMORY;
        r->ready = machine;
    }
    return VINC_OK;
}

void routine_codes_free(const routine_codes *list)
{
    for (int k = 0; k < list->all.n; k++) {
        routine_compiled *r = list->all.at[k];
        if (!r) continue;
        tape_code_free(r->value.code);
        tape_code_free(r->tangent.code);
        r->value.code = r->tangent.code = NULL;
        r->ready = false;
    }
}
