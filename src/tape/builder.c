/* Building tapes: constant folding, exact identities and hash-consing as instructions arrive.
 *
 * Only identities that hold for every double (infinities, NaN up to its payload, both zeros) are
 * applied: x + 0 stays, since -0 + 0 is +0; x + (-y) becomes x - y. Signs move outwards through
 * products so that sums can absorb them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/builder.h"

#include "base/map.h"

#include <assert.h>
#include <math.h>
#include <string.h>

tape_builder *tape_builder_new(arena *scratch)
{
    tape_builder *b = arena_new(scratch, tape_builder);
    b->a = scratch;
    return b;
}

/* ---- constants ------------------------------------------------------------------------------- */

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static void grow_consts(tape_builder *b)
{
    b->const_cap = b->const_cap ? 2 * b->const_cap : 64;
    b->const_slots = arena_array(b->a, uint32_t, b->const_cap);
    for (int k = 0; k < b->consts.n; k++) {
        uint32_t s = (uint32_t)hash_u64(bits_of(b->consts.at[k])) & (b->const_cap - 1);
        while (b->const_slots[s]) s = (s + 1) & (b->const_cap - 1);
        b->const_slots[s] = (uint32_t)k + 1;
    }
}

tape_ref tape_const(tape_builder *b, double x)
{
    if (2 * (uint32_t)b->consts.n >= b->const_cap) grow_consts(b);
    uint64_t u = bits_of(x);
    uint32_t s = (uint32_t)hash_u64(u) & (b->const_cap - 1);
    for (; b->const_slots[s]; s = (s + 1) & (b->const_cap - 1)) {
        int k = (int)b->const_slots[s] - 1;
        if (bits_of(b->consts.at[k]) == u) return tape_ref_of(TAPE_CONST, k);
    }
    if (b->consts.n > TAPE_INDEX_MAX) mem_fail(b->a->m);
    array_push(b->a, &b->consts, x);
    b->const_slots[s] = (uint32_t)b->consts.n;
    return tape_ref_of(TAPE_CONST, b->consts.n - 1);
}

bool tape_is_const(const tape_builder *b, tape_ref r, double *value)
{
    if (tape_kind_of(r) != TAPE_CONST) return false;
    *value = b->consts.at[tape_index_of(r)];
    return true;
}

/* Is r this constant, bit for bit? */
static bool ref_is(const tape_builder *b, tape_ref r, double x)
{
    return tape_kind_of(r) == TAPE_CONST && bits_of(b->consts.at[tape_index_of(r)]) == bits_of(x);
}

/* ---- instructions, shared when they compute the same ----------------------------------------- */

static uint32_t hash_words(uint64_t h, const tape_ref *w, int n)
{
    for (int i = 0; i < n; i++) h = (h ^ w[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t hash_ins(const tape_builder *b, const tape_ins *in)
{
    if (in->op != TAPE_CALL) return hash_words(in->op, &in->a, 4);
    const tape_call *c = &b->calls.at[in->a];
    const tape_ref *args = c->fn->n_in ? b->args.at + c->args : NULL; // no call may have any yet
    return hash_words(map_key(c->fn), args, c->fn->n_in);
}

static bool same_ins(const tape_builder *b, const tape_ins *u, const tape_ins *v)
{
    if (u->op != v->op) return false;
    if (u->op != TAPE_CALL) return u->a == v->a && u->b == v->b && u->c == v->c && u->d == v->d;
    const tape_call *c = &b->calls.at[u->a], *d = &b->calls.at[v->a];
    return c->fn == d->fn && (!c->fn->n_in || !memcmp(b->args.at + c->args, b->args.at + d->args,
                                                      (size_t)c->fn->n_in * sizeof(tape_ref)));
}

static void builder_push(tape_builder *b, tape_ins in)
{
    if (b->ins.n >= TAPE_INDEX_MAX) mem_fail(b->a->m);
    array_push(b->a, &b->ins, in);
}

enum {
    LINE_SLOTS = 8,
    NEAR_LINES = 16
}; // slots in a cache line; lines among which an instruction may be

/* The line to look in first: near the place of the newest operand, since what is computed now
 * mostly uses what was computed just before. Neighbours in time are then neighbours in memory. */
static uint32_t home_line(const tape_builder *b, const tape_ins *in, uint32_t h)
{
    uint32_t newest = 0;
    const tape_ref refs[4] = {in->a, in->b, in->c, in->d};
    if (in->op < TAPE_N_OPS)
        for (int k = 0; k < 4; k++)
            if (tape_kind_of(refs[k]) == TAPE_VALUE && refs[k] > newest) newest = refs[k];
    uint32_t line = newest ? newest / (LINE_SLOTS / 2) + h % NEAR_LINES : h / LINE_SLOTS;
    return line & (b->cap / LINE_SLOTS - 1);
}

/* The slot of an equal instruction, or the free one where this one belongs: the home line first,
 * then, when that is full, linear probing from a place that the hash alone decides. */
static uint64_t *find_slot(const tape_builder *b, const tape_ins *in, uint32_t h)
{
    uint64_t *line = b->slots + (size_t)LINE_SLOTS * home_line(b, in, h);
    uint32_t s = h * 0x9E3779B1u;
    for (int k = 0;; k++) {
        uint64_t *slot = k < LINE_SLOTS ? line + k : b->slots + (s++ & (b->cap - 1));
        if (!*slot) return slot;
        if (*slot >> 32 == h && same_ins(b, &b->ins.at[(uint32_t)*slot - 1], in)) return slot;
    }
}

static void resize_slots(tape_builder *b, uint32_t cap)
{
    b->cap = cap;
    b->slots = arena_array(b->a, uint64_t, b->cap);
    for (int k = 0; k < b->ins.n; k++) {
        const tape_ins *in = &b->ins.at[k];
        if (in->op == TAPE_RESULT || in->op == TAPE_STORE) continue;
        if (in->op == TAPE_CALL && b->calls.at[in->a].fn->impure) continue;
        uint32_t h = hash_ins(b, in);
        *find_slot(b, in, h) = (uint64_t)h << 32 | ((uint32_t)k + 1);
    }
}

tape_builder *tape_builder_sized(arena *scratch, int n_ins)
{
    enum { CAP_MIN = 256, CAP_MAX = 1 << 20 };
    tape_builder *b = tape_builder_new(scratch);
    uint32_t cap = CAP_MIN;
    while (cap < 2 * (uint32_t)n_ins && cap < CAP_MAX) cap *= 2;
    resize_slots(b, cap);
    return b;
}

/* The instruction's value: an earlier equal one, or this one appended. *fresh tells which. */
static tape_ref builder_shared(tape_builder *b, tape_ins in, bool *fresh)
{
    if (2 * b->n_hashed >= b->cap) resize_slots(b, b->cap ? 2 * b->cap : 256);
    uint32_t h = hash_ins(b, &in);
    uint64_t *slot = find_slot(b, &in, h);
    *fresh = *slot == 0;
    if (*fresh) {
        builder_push(b, in);
        b->n_hashed++;
        *slot = (uint64_t)h << 32 | (uint32_t)b->ins.n;
    }
    return tape_ref_of(TAPE_VALUE, (int)((uint32_t)*slot - 1));
}

static tape_ref builder_emit(tape_builder *b, tape_op op, tape_ref x, tape_ref y, tape_ref yes,
                             tape_ref no)
{
    bool fresh;
    // Values before leaves: what is not yet in a register is better second.
    if ((tape_op_flags(op) & TAPE_COMMUTES) && x > y) {
        tape_ref z = x;
        x = y, y = z;
    }
    return builder_shared(b, (tape_ins){op, x, y, yes, no}, &fresh);
}

/* The instruction that computes a value if it is of this operation, else NULL. */
static const tape_ins *value_of_op(const tape_builder *b, tape_ref r, tape_op op)
{
    if (tape_kind_of(r) != TAPE_VALUE) return NULL;
    const tape_ins *in = &b->ins.at[tape_index_of(r)];
    return in->op == (uint32_t)op ? in : NULL;
}

/* ---- operations with their identities -------------------------------------------------------- */

/* Of b - a and a - b, which differ in their signs alone, that which is older: for what does not see the sign, as the squares
 * and roots of distances. */
static tape_ref builder_unsigned(const tape_builder *b, tape_ref x)
{
    const tape_ins *in = value_of_op(b, x, TAPE_SUB);
    if (!in) return x;
    tape_ins turned = {TAPE_SUB, in->b, in->a, 0, 0};
    uint64_t slot = *find_slot(b, &turned, hash_ins(b, &turned));
    tape_ref other = slot ? tape_ref_of(TAPE_VALUE, (int)((uint32_t)slot - 1)) : x;
    return other < x ? other : x;
}

tape_ref tape_op1(tape_builder *b, tape_op op, tape_ref x)
{
    assert(tape_op_operands(op) == 1 && tape_kind_of(x) < TAPE_OUT);
    double u;
    const tape_ins *in;
    if (tape_is_const(b, x, &u)) return tape_const(b, tape_op_value(op, u, 0, 0, 0));
    if (op == TAPE_COPY && tape_kind_of(x) == TAPE_VALUE) return x;
    if (op == TAPE_NEG && (in = value_of_op(b, x, TAPE_NEG))) return in->a;
    if (op == TAPE_ABS && (in = value_of_op(b, x, TAPE_NEG))) x = in->a;
    if (op == TAPE_ABS && value_of_op(b, x, TAPE_ABS)) return x;
    if (op == TAPE_ABS) x = builder_unsigned(b, x);
    return builder_emit(b, op, x, 0, 0, 0);
}

static tape_ref build_neg(tape_builder *b, tape_ref x)
{
    return tape_op1(b, TAPE_NEG, x);
}

static tape_ref build_add(tape_builder *b, tape_ref x, tape_ref y)
{
    const tape_ins *in;
    if (ref_is(b, x, -0.0)) return y;
    if (ref_is(b, y, -0.0)) return x;
    if ((in = value_of_op(b, y, TAPE_NEG))) return tape_op2(b, TAPE_SUB, x, in->a);
    if ((in = value_of_op(b, x, TAPE_NEG))) return tape_op2(b, TAPE_SUB, y, in->a);
    return builder_emit(b, TAPE_ADD, x, y, 0, 0);
}

static tape_ref build_sub(tape_builder *b, tape_ref x, tape_ref y)
{
    const tape_ins *in;
    if (ref_is(b, y, 0.0)) return x;
    if (ref_is(b, x, -0.0)) return build_neg(b, y);
    if ((in = value_of_op(b, y, TAPE_NEG))) return tape_op2(b, TAPE_ADD, x, in->a);
    return builder_emit(b, TAPE_SUB, x, y, 0, 0);
}

static tape_ref build_mul(tape_builder *b, tape_ref x, tape_ref y)
{
    const tape_ins *in;
    double u;
    if (tape_kind_of(x) == TAPE_CONST) {
        tape_ref z = x;
        x = y, y = z;
    }
    if (ref_is(b, y, 1.0)) return x;
    if (ref_is(b, y, -1.0)) return build_neg(b, x);
    if ((in = value_of_op(b, x, TAPE_NEG))) {
        if (tape_is_const(b, y, &u)) return tape_op2(b, TAPE_MUL, in->a, tape_const(b, -u));
        return build_neg(b, tape_op2(b, TAPE_MUL, in->a, y));
    }
    if ((in = value_of_op(b, y, TAPE_NEG))) return build_neg(b, tape_op2(b, TAPE_MUL, x, in->a));
    if (x == y) x = y = builder_unsigned(b, x);
    return builder_emit(b, TAPE_MUL, x, y, 0, 0);
}

static tape_ref build_div(tape_builder *b, tape_ref x, tape_ref y)
{
    const tape_ins *in;
    double u;
    int e;
    // Dividing by a power of two is multiplying by its inverse: both round the same real number.
    if (tape_is_const(b, y, &u) && fabs(frexp(u, &e)) == 0.5 && isnormal(u) && isnormal(1 / u))
        return tape_op2(b, TAPE_MUL, x, tape_const(b, 1 / u));
    if ((in = value_of_op(b, x, TAPE_NEG))) return build_neg(b, tape_op2(b, TAPE_DIV, in->a, y));
    if ((in = value_of_op(b, y, TAPE_NEG))) return build_neg(b, tape_op2(b, TAPE_DIV, x, in->a));
    return builder_emit(b, TAPE_DIV, x, y, 0, 0);
}

/* Exponents that C compilers expand are expanded here, for the same bits everywhere. */
static tape_ref build_pow(tape_builder *b, tape_ref x, tape_ref y)
{
    double u;
    if (tape_is_const(b, y, &u)) {
        if (u == 0) return tape_const(b, 1.0);
        if (u == 1) return x;
        if (u == 2) return tape_op2(b, TAPE_MUL, x, x);
        if (u == -1) return tape_op2(b, TAPE_DIV, tape_const(b, 1.0), x);
    }
    return builder_emit(b, TAPE_POW, x, y, 0, 0);
}

tape_ref tape_op2(tape_builder *b, tape_op op, tape_ref x, tape_ref y)
{
    assert(tape_op_operands(op) == 2 && tape_kind_of(x) < TAPE_OUT && tape_kind_of(y) < TAPE_OUT);
    double u, v;
    if (tape_is_const(b, x, &u) && tape_is_const(b, y, &v)) {
        if (op == TAPE_POW && (v == 2 || v == -1))
            return v == 2 ? tape_const(b, u * u) : tape_const(b, 1 / u);
        return tape_const(b, tape_op_value(op, u, v, 0, 0));
    }
    switch (op) {
    case TAPE_ADD: return build_add(b, x, y);
    case TAPE_SUB: return build_sub(b, x, y);
    case TAPE_MUL: return build_mul(b, x, y);
    case TAPE_DIV: return build_div(b, x, y);
    case TAPE_POW: return build_pow(b, x, y);
    case TAPE_MIN:
    case TAPE_MAX:
        if (x == y) return x;
        break;
    default: break;
    }
    return builder_emit(b, op, x, y, 0, 0);
}

/* x is the 0/1 value of a relation: the relation, and whether its values are exchanged. */
static const tape_ins *value_of_relation(const tape_builder *b, tape_ref x, bool *inverted)
{
    if (tape_kind_of(x) != TAPE_VALUE) return NULL;
    const tape_ins *in = &b->ins.at[tape_index_of(x)];
    if (tape_op_operands(in->op) != 4) return NULL;
    *inverted = ref_is(b, in->c, 0.0) && ref_is(b, in->d, 1.0);
    return *inverted || (ref_is(b, in->c, 1.0) && ref_is(b, in->d, 0.0)) ? in : NULL;
}

tape_ref tape_select(tape_builder *b, tape_op op, tape_ref x, tape_ref y, tape_ref yes, tape_ref no)
{
    assert(tape_op_operands(op) == 4);
    double u, v;
    bool inverted;
    const tape_ins *in;
    if (yes == no) return yes;
    if (tape_is_const(b, x, &u) && tape_is_const(b, y, &v))
        return tape_op_value(op, u, v, 1, 0) != 0 ? yes : no;
    if (x == y && op == TAPE_SEL_LT) return no;
    // A condition that is a relation: select on the relation itself.
    if ((op == TAPE_SEL_NE || op == TAPE_SEL_EQ) && tape_is_const(b, y, &v) && v == 0 &&
        (in = value_of_relation(b, x, &inverted))) {
        if (inverted != (op == TAPE_SEL_EQ)) {
            tape_ref z = yes;
            yes = no, no = z;
        }
        return tape_select(b, in->op, in->a, in->b, yes, no);
    }
    return builder_emit(b, op, x, y, yes, no);
}

void tape_call_fn(tape_builder *b, const tape_function *fn, const tape_ref *in, tape_ref *out)
{
    tape_call c = {.fn = fn, .args = b->args.n};
    for (int i = 0; i < fn->n_in; i++) array_push(b->a, &b->args, in[i]);
    array_push(b->a, &b->calls, c);
    tape_ins call = {TAPE_CALL, (uint32_t)b->calls.n - 1, 0, 0, 0};
    tape_ref r = TAPE_NONE;
    bool fresh = true;
    if (fn->impure) builder_push(b, call), r = tape_ref_of(TAPE_VALUE, b->ins.n - 1);
    else r = builder_shared(b, call, &fresh);
    if (fresh) {
        for (int k = 0; k < fn->n_out; k++)
            builder_push(b, (tape_ins){TAPE_RESULT, (uint32_t)k, 0, 0, 0});
    } else {
        b->calls.n--;
        b->args.n = c.args;
    }
    for (int k = 0; k < fn->n_out; k++) out[k] = r + 1 + (tape_ref)k;
}

void tape_store(tape_builder *b, tape_ref target, tape_ref x)
{
    assert(tape_kind_of(target) >= TAPE_W && tape_kind_of(target) < TAPE_N_KINDS);
    assert(tape_kind_of(x) < TAPE_OUT);
    builder_push(b, (tape_ins){TAPE_STORE, target, x, 0, 0});
}

/* ---- compositions ---------------------------------------------------------------------------- */

tape_ref tape_powi(tape_builder *b, tape_ref x, int n)
{
    unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n;
    tape_ref r = TAPE_NONE;
    for (tape_ref s = x; k; k >>= 1) {
        if (k & 1) r = r == TAPE_NONE ? s : tape_op2(b, TAPE_MUL, r, s);
        if (k > 1) s = tape_op2(b, TAPE_MUL, s, s);
    }
    if (r == TAPE_NONE) return tape_const(b, 1.0);
    return n < 0 ? tape_op2(b, TAPE_DIV, tape_const(b, 1.0), r) : r;
}

tape_ref tape_sign(tape_builder *b, tape_ref x)
{
    tape_ref zero = tape_const(b, 0.0);
    tape_ref low = tape_select(b, TAPE_SEL_LT, x, zero, tape_const(b, -1.0), zero);
    return tape_select(b, TAPE_SEL_LT, zero, x, tape_const(b, 1.0), low);
}

tape_ref tape_div(tape_builder *b, tape_ref x, tape_ref y)
{
    return tape_op1(b, TAPE_TRUNC, tape_op2(b, TAPE_DIV, x, y));
}

tape_ref tape_mod(tape_builder *b, tape_ref x, tape_ref y)
{
    tape_ref q = tape_op1(b, TAPE_FLOOR, tape_op2(b, TAPE_DIV, x, y));
    return tape_op2(b, TAPE_SUB, x, tape_op2(b, TAPE_MUL, q, y));
}

tape_ref tape_rem(tape_builder *b, tape_ref x, tape_ref y)
{
    return tape_op2(b, TAPE_SUB, x, tape_op2(b, TAPE_MUL, tape_div(b, x, y), y));
}

static tape_ref build_relation(tape_builder *b, tape_op op, tape_ref x, tape_ref y)
{
    return tape_select(b, op, x, y, tape_const(b, 1.0), tape_const(b, 0.0));
}

tape_ref tape_lt(tape_builder *b, tape_ref x, tape_ref y)
{
    return build_relation(b, TAPE_SEL_LT, x, y);
}

tape_ref tape_le(tape_builder *b, tape_ref x, tape_ref y)
{
    return build_relation(b, TAPE_SEL_LE, x, y);
}

tape_ref tape_eq(tape_builder *b, tape_ref x, tape_ref y)
{
    return build_relation(b, TAPE_SEL_EQ, x, y);
}

tape_ref tape_ne(tape_builder *b, tape_ref x, tape_ref y)
{
    return build_relation(b, TAPE_SEL_NE, x, y);
}

tape_ref tape_if(tape_builder *b, tape_ref condition, tape_ref yes, tape_ref no)
{
    return tape_select(b, TAPE_SEL_NE, condition, tape_const(b, 0.0), yes, no);
}

tape_ref tape_not(tape_builder *b, tape_ref x)
{
    return tape_if(b, x, tape_const(b, 0.0), tape_const(b, 1.0));
}

tape_ref tape_and(tape_builder *b, tape_ref x, tape_ref y)
{
    return tape_if(b, x, y, tape_const(b, 0.0));
}

tape_ref tape_or(tape_builder *b, tape_ref x, tape_ref y)
{
    return tape_if(b, x, tape_const(b, 1.0), y);
}
