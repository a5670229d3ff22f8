/* Random tapes and arguments for the tests of src/tape: every operation, every kind of operand,
 * special values among the constants and inputs. Seeds are explicit; a seed names a tape for ever.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TAPE_RANDOM_H
#define TESTS_TAPE_RANDOM_H

#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a test of tapes lives in; cmocka's setup and teardown. */
typedef struct world {
    mem m;
    arena scratch, result;
} world;

static inline int world_new(void **state)
{
    world *w = calloc(1, sizeof *w);
    if (!w) return -1;
    w->m = mem_std();
    arena_init(&w->scratch, &w->m);
    arena_init(&w->result, &w->m);
    *state = w;
    return 0;
}

static inline int world_free(void **state)
{
    world *w = *state;
    arena_done(&w->scratch);
    arena_done(&w->result);
    free(w);
    return 0;
}

typedef struct rng {
    uint64_t s;
} rng;

static inline uint64_t rng_next(rng *r)
{
    uint64_t z = (r->s += 0x9E3779B97F4A7C15u); // splitmix64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline int rng_below(rng *r, int n)
{
    return (int)(rng_next(r) % (uint64_t)n);
}

static inline double rng_unit(rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* Mostly of moderate size, now and then an edge case. */
static inline double rng_double(rng *r)
{
    static const double edge[] = {0.0, -0.0,  1.0,    -1.0,    2.0, 0.5,  INFINITY, -INFINITY,
                                  NAN, 1e308, 1e-310, -5e-324, 3.0, -7.0, 1e16};
    if (rng_below(r, 12) == 0) return edge[rng_below(r, sizeof edge / sizeof *edge)];
    return (rng_unit(r) - 0.5) * (rng_below(r, 4) ? 4.0 : 200.0);
}

static inline double rng_tame(rng *r) // away from every edge, for derivatives
{
    return 0.25 + 1.5 * rng_unit(r);
}

enum {
    RANDOM_P = 5,
    RANDOM_Y = 23,
    RANDOM_YP = 9,
    RANDOM_W = 12,
    RANDOM_OUT = 17,
    RANDOM_OUT2 = 6
};

static inline tape_ref random_leaf(tape_builder *b, rng *r, int n_x, bool no_w)
{
    int k = rng_below(r, 13);
    if (n_x && k < 7) return tape_x(rng_below(r, n_x));
    if (k < 5) return tape_y(rng_below(r, RANDOM_Y));
    if (k < 7) return tape_yp(rng_below(r, RANDOM_YP));
    if (k < 8) return tape_p(rng_below(r, RANDOM_P));
    if (k < 9) return no_w ? tape_t() : tape_w(rng_below(r, RANDOM_W));
    if (k < 10) return tape_t();
    return tape_const(b, rng_double(r));
}

/* It adds what the run keeps, a number, if there is one. */
static inline void random_fn_value(void *user, void *run, const double *in, double *out)
{
    (void)user;
    out[0] = in[0] * in[1] - in[2] + (run ? *(const double *)run : 0);
    out[1] = in[0] + 0.5 * in[1];
}

static inline void random_fn_partials(void *user, void *run, const uint8_t *active,
                                      const double *in, double *jac)
{
    (void)user, (void)run, (void)active;
    jac[0] = in[1], jac[1] = in[0], jac[2] = -1;
    jac[3] = 1, jac[4] = 0.5, jac[5] = 0;
}

static const tape_function random_fn = {.name = "affine",
                                        .n_in = 3,
                                        .n_out = 2,
                                        .value = random_fn_value,
                                        .partials = random_fn_partials};

typedef struct random_shape {
    int n_ops;   // about
    int n_x;     // operands of kind x that are read; stores then go to x too
    int n_x_out; // and that are stored
    bool calls;  // of random_fn
    bool no_w;   // no operands of kind w
    bool smooth; // only operations that are differentiable and finite near moderate arguments
} random_shape;

static inline tape_ref random_smooth(tape_builder *b, rng *r, tape_ref x, tape_ref y)
{
    tape_ref one = tape_const(b, 1.0), s;
    switch (rng_below(r, 24)) {
    case 0: return tape_op1(b, TAPE_SIN, x);
    case 1: return tape_op1(b, TAPE_COS, x);
    case 2: return tape_op1(b, TAPE_TANH, x);
    case 3: return tape_op1(b, TAPE_ATAN, x);
    case 4: return tape_op1(b, TAPE_EXP, tape_op1(b, TAPE_SIN, x));
    case 5: return tape_op1(b, TAPE_LOG, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, x, x)));
    case 6: return tape_op1(b, TAPE_SQRT, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, x, x)));
    case 7:
        return tape_op2(b, TAPE_DIV, y, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, x, x)));
    case 8:
        return tape_op1(b, TAPE_ASIN,
                        tape_op2(b, TAPE_MUL, tape_const(b, 0.5), tape_op1(b, TAPE_SIN, x)));
    case 9:
        return tape_op1(b, TAPE_ACOS,
                        tape_op2(b, TAPE_MUL, tape_const(b, 0.5), tape_op1(b, TAPE_COS, x)));
    case 10:
        return tape_op1(b, TAPE_LOG10, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, y, y)));
    case 11:
        return tape_op2(b, TAPE_ATAN2, x, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, y, y)));
    case 12: return tape_op1(b, TAPE_SINH, tape_op1(b, TAPE_SIN, x));
    case 13: return tape_op1(b, TAPE_COSH, tape_op1(b, TAPE_SIN, y));
    case 14: return tape_op1(b, TAPE_TAN, tape_op1(b, TAPE_SIN, x));
    case 15:
        s = tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, x, x));
        return tape_op2(b, TAPE_POW, s, tape_op1(b, TAPE_SIN, y));
    case 16:
        return tape_op2(b, TAPE_POW, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, x, x)),
                        tape_const(b, -0.7));
    case 17: return tape_op1(b, TAPE_NEG, x);
    case 18: return tape_op2(b, TAPE_SUB, x, y);
    case 19: return tape_op2(b, TAPE_ADD, x, y);
    default:
        s = tape_op2(b, TAPE_MUL, x, tape_const(b, rng_unit(r) - 0.5));
        return rng_below(r, 2) ? tape_op2(b, TAPE_ADD, s, y)
                               : tape_op2(b, TAPE_MUL, tape_op1(b, TAPE_SIN, s), y);
    }
}

static inline tape_ref random_any(tape_builder *b, rng *r, tape_ref x, tape_ref y, tape_ref u,
                                  tape_ref v)
{
    // Half plain arithmetic, so that finite values survive for a while.
    tape_op op = rng_below(r, 2) ? (tape_op)rng_below(r, 4) : (tape_op)rng_below(r, TAPE_N_OPS);
    switch (tape_op_operands(op)) {
    case 1: return tape_op1(b, op, x);
    case 2: return tape_op2(b, op, x, y);
    default: return tape_select(b, op, x, y, u, v);
    }
}

static inline tape_ref random_operand(tape_builder *b, rng *r, random_shape shape,
                                      const tape_ref *pool, int n)
{
    int k = rng_below(r, 5);
    if (n == 0 || k == 0) return random_leaf(b, r, shape.n_x, shape.no_w);
    if (k < 3) return pool[n - 1 - rng_below(r, n < 8 ? n : 8)]; // recent
    return pool[rng_below(r, n)];                                // long-lived
}

static inline const tape *random_tape(rng *r, random_shape shape, arena *scratch, arena *result)
{
    tape_builder *b = tape_builder_new(scratch);
    tape_ref *pool = arena_array(scratch, tape_ref, shape.n_ops + 2);
    int n = 0;
#define PICK random_operand(b, r, shape, pool, n)
    while (n < shape.n_ops) {
        tape_ref x = PICK, y = PICK, u = PICK, v = PICK, out[2];
        if (shape.calls && rng_below(r, 40) == 0) {
            tape_call_fn(b, &random_fn, (tape_ref[]){x, y, u}, out);
            pool[n++] = out[0];
            pool[n++] = out[1];
        } else if (rng_below(r, 25) == 0) { // a pair, which machine code computes at once
            pool[n++] = tape_op1(b, TAPE_SIN, x);
            pool[n++] = tape_op1(b, TAPE_COS, x);
        } else {
            pool[n++] = shape.smooth ? random_smooth(b, r, x, y) : random_any(b, r, x, y, u, v);
        }
    }
    for (int k = 0; k < shape.n_x_out; k++)
        tape_store(b, tape_x(shape.n_x + k), k ? PICK : pool[n - 1]);
    if (!shape.n_x_out) {
        for (int k = 0; k < RANDOM_OUT; k++) tape_store(b, tape_out(k), k ? PICK : pool[n - 1]);
        for (int k = 0; k < RANDOM_OUT2; k++) tape_store(b, tape_out2(k), PICK);
        for (int k = 0; k < RANDOM_W; k += 3) tape_store(b, tape_w(k), PICK);
    }
#undef PICK
    return tape_finish(b, result);
}

/* Far elements, thousands of constants and thousands of values alive at once: displacements and
 * offsets beyond every short form. Uses y[0 ... WIDE - 1] and out[0 ... WIDE - 1]. */
enum { WIDE = 6000 };

static inline const tape *wide_tape(rng *r, arena *scratch, arena *result)
{
    tape_builder *b = tape_builder_new(scratch);
    tape_ref *v = arena_array(scratch, tape_ref, WIDE);
    for (int i = 0; i < WIDE; i++)
        v[i] = tape_op2(b, TAPE_MUL, tape_y(i), tape_const(b, rng_unit(r) + i));
    for (int i = 0; i < WIDE; i++) {
        tape_ref x = tape_op2(b, TAPE_SUB, v[i], v[WIDE - 1 - i]);
        if (i % 500 == 0) x = tape_op1(b, TAPE_SIN, x);
        if (i % 700 == 0) tape_call_fn(b, &random_fn, (tape_ref[]){x, v[i], x}, (tape_ref[]){x, x});
        tape_store(b, tape_out(i), x);
    }
    return tape_finish(b, result);
}

/* One set of arrays for any random tape. */
typedef struct random_args {
    double p[RANDOM_P], y[RANDOM_Y], yp[RANDOM_YP], w[RANDOM_W], out[RANDOM_OUT], out2[RANDOM_OUT2],
        t;
} random_args;

static inline void random_fill(random_args *a, rng *r, bool tame)
{
    double *x = (double *)a;
    for (size_t k = 0; k < sizeof *a / sizeof *x; k++) x[k] = tame ? rng_tame(r) : rng_double(r);
}

static inline tape_args random_bind(random_args *a, double *scratch)
{
    return (tape_args){a->t, a->p, a->y, a->yp, a->w, a->out, a->out2, scratch, &a->t, NULL};
}

/* Equal bits, any NaN equal to any other (tape/opcodes.h); -1, or the first place that differs. */
static inline int random_differs(const void *u, const void *v, size_t bytes)
{
    const double *x = u, *y = v;
    for (size_t k = 0; k < bytes / sizeof *x; k++)
        if (!(isnan(x[k]) && isnan(y[k])) && memcmp(&x[k], &y[k], sizeof *x)) return (int)k;
    return -1;
}

#endif
