/* A residual like those of multi-domain models: half planar chains of bodies (sines and cosines,
 * velocities, drag, contact), half random circuits (resistors, nonlinear capacitors, diodes,
 * transistors, power laws, current sums at nodes). About 87 % sums and products, 5 % elementary
 * functions, 3 % selects, 2 % divisions and roots.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_TAPE_MIX_H
#define BENCH_TAPE_MIX_H

#include "tape/tape.h"

#include <math.h>

typedef struct mix {
    tape_builder *b;
    uint64_t seed;
    int n_y; // unknowns so far; equation i goes to out[i]
} mix;

static inline uint64_t mix_next(mix *m)
{
    uint64_t z = (m->seed += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline double mix_unit(mix *m)
{
    return (double)(mix_next(m) >> 11) * 0x1p-53;
}

#define ADD(x, y) tape_op2(b, TAPE_ADD, x, y)
#define SUB(x, y) tape_op2(b, TAPE_SUB, x, y)
#define MUL(x, y) tape_op2(b, TAPE_MUL, x, y)
#define DIV(x, y) tape_op2(b, TAPE_DIV, x, y)
#define NUM(x)    tape_const(b, x)

/* n links: angles, angular speeds; equations of motion of point masses with drag and a floor. */
static inline void mix_chain(mix *m, int n)
{
    tape_builder *b = m->b;
    int at = m->n_y;
    tape_ref x = NUM(0.0), z = NUM(0.0), vx = NUM(0.0), vz = NUM(0.0), ax = NUM(0.0),
             az = NUM(-9.81);
    tape_ref gx[16], gz[16], fx[16], fz[16];
    for (int i = 0; i < n; i++) {
        tape_ref q = tape_y(at + 2 * i), w = tape_y(at + 2 * i + 1), dw = tape_yp(at + 2 * i + 1);
        tape_ref len = NUM(0.5 + mix_unit(m)), s = tape_op1(b, TAPE_SIN, q),
                 c = tape_op1(b, TAPE_COS, q);
        gx[i] = MUL(len, c);
        gz[i] = MUL(len, s);
        x = ADD(x, gz[i]);
        z = SUB(z, gx[i]);
        vx = ADD(vx, MUL(gx[i], w));
        vz = ADD(vz, MUL(gz[i], w));
        tape_ref w2 = MUL(w, w);
        ax = ADD(ax, SUB(MUL(gx[i], dw), MUL(gz[i], w2)));
        az = ADD(az, ADD(MUL(gz[i], dw), MUL(gx[i], w2)));
        tape_ref speed = tape_op1(b, TAPE_SQRT, ADD(ADD(MUL(vx, vx), MUL(vz, vz)), NUM(1e-6)));
        tape_ref drag = MUL(NUM(0.01 * mix_unit(m)), speed), mass = NUM(1 + mix_unit(m));
        tape_ref depth = SUB(NUM(-3.0), z), zero = NUM(0.0);
        tape_ref push = tape_select(b, TAPE_SEL_LT, zero, depth,
                                    SUB(MUL(NUM(1e4), depth), MUL(NUM(30.0), vz)), zero);
        fx[i] = ADD(MUL(mass, ax), MUL(drag, vx));
        fz[i] = SUB(ADD(MUL(mass, az), MUL(drag, vz)), push);
    }
    // The forces on all links further out, summed from the tip inwards.
    tape_ref sx = NUM(0.0), sz = NUM(0.0);
    for (int i = n - 1; i >= 0; i--) {
        tape_ref q = tape_y(at + 2 * i), w = tape_y(at + 2 * i + 1);
        sx = ADD(sx, fx[i]);
        sz = ADD(sz, fz[i]);
        tape_ref rub = MUL(NUM(0.05), MUL(w, tape_op1(b, TAPE_ABS, w)));
        tape_ref torque = ADD(MUL(gx[i], sx), MUL(gz[i], sz));
        tape_store(b, tape_out(at + 2 * i), SUB(tape_yp(at + 2 * i), w));
        tape_store(b, tape_out(at + 2 * i + 1), ADD(ADD(torque, rub), MUL(NUM(0.1), q)));
    }
    m->n_y += 2 * n;
}

static inline tape_ref mix_element(mix *m, tape_ref u, tape_ref du, tape_ref ug)
{
    tape_builder *b = m->b;
    double r = mix_unit(m), a = 0.5 + mix_unit(m);
    tape_ref one = NUM(1.0), zero = NUM(0.0);
    if (r < 0.35) return MUL(u, NUM(a));
    if (r < 0.55) return MUL(du, NUM(1e-3 * a));
    if (r < 0.65) return MUL(DIV(du, ADD(one, MUL(NUM(0.1), MUL(u, u)))), NUM(1e-3 * a));
    if (r < 0.75) {
        tape_ref v = tape_op2(b, TAPE_MIN, MUL(u, NUM(38.0)), NUM(40.0));
        return MUL(NUM(1e-12 * a), SUB(tape_op1(b, TAPE_EXP, v), one));
    }
    if (r < 0.83) { // square-law transistor
        tape_ref over = tape_op2(b, TAPE_MAX, SUB(ug, NUM(0.7)), zero);
        tape_ref lin = MUL(u, SUB(over, MUL(NUM(0.5), u))), sat = MUL(NUM(0.5), MUL(over, over));
        tape_ref id = tape_select(b, TAPE_SEL_LT, u, over, lin, sat);
        return MUL(NUM(2e-3 * a), MUL(id, ADD(one, MUL(NUM(0.02), u))));
    }
    if (r < 0.93) { // smooth transistor
        tape_ref f = tape_op1(b, TAPE_LOG,
                              ADD(one, tape_op1(b, TAPE_EXP, MUL(SUB(ug, NUM(0.7)), NUM(5.0)))));
        tape_ref g = tape_op1(
            b, TAPE_LOG, ADD(one, tape_op1(b, TAPE_EXP, MUL(SUB(SUB(ug, NUM(0.7)), u), NUM(5.0)))));
        return MUL(NUM(1e-3 * a), SUB(MUL(f, f), MUL(g, g)));
    }
    if (r < 0.97) return MUL(NUM(a), MUL(u, tape_op2(b, TAPE_POW, ADD(one, MUL(u, u)), NUM(0.35))));
    return MUL(NUM(a), tape_op1(b, TAPE_SIN, u));
}

static inline void mix_circuit(mix *m, int n, arena *scratch)
{
    tape_builder *b = m->b;
    int at = m->n_y;
    tape_ref *sum = arena_array(scratch, tape_ref, n);
    for (int i = 0; i < n; i++) sum[i] = MUL(tape_y(at + i), NUM(1e-6));
    for (int k = 0; k < 2 * n; k++) {
        int i = (int)(mix_unit(m) * n), reach = mix_unit(m) < 0.025 ? n : 8;
        int j = i + 1 + (int)(mix_unit(m) * reach), g = i > 0 ? i - 1 : n - 1;
        if (j >= n) j = (i + n - 1) % n;
        if (i == j) continue;
        tape_ref u = SUB(tape_y(at + i), tape_y(at + j)),
                 du = SUB(tape_yp(at + i), tape_yp(at + j));
        tape_ref current = mix_element(m, u, du, SUB(tape_y(at + g), tape_y(at + j)));
        // Losses and cross terms keep the share of plain arithmetic realistic.
        for (int l = 0; l < 3; l++)
            current = ADD(current,
                          MUL(MUL(u, NUM(1e-5 * mix_unit(m))), SUB(du, MUL(u, NUM(mix_unit(m))))));
        sum[i] = ADD(sum[i], current);
        sum[j] = SUB(sum[j], current);
    }
    for (int i = 0; i < n; i++) tape_store(b, tape_out(at + i), SUB(sum[i], tape_p(i % 8)));
    m->n_y += n;
}

static inline const tape *mix_tape(int n_ops, arena *scratch, arena *result, int *n_y)
{
    mix m = {.b = tape_builder_new(scratch), .seed = 1};
    for (int ops = 0; ops < n_ops;) {
        int links = 4 + (int)(mix_unit(&m) * 9);
        mix_chain(&m, links);
        mix_circuit(&m, links + links / 2, scratch);
        ops += links * 100;
    }
    *n_y = m.n_y;
    return tape_finish(m.b, result);
}

#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef NUM
#endif
