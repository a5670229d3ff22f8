/* Writing the tape of a step in one piece.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_WHOLE_TAPE_H
#define RUN_WHOLE_TAPE_H

#include "method/method_whole.h"
#include "run/run_parts.h"
#include "tape/unroll.h"

typedef struct whole_writer {
    run_state *s;
    const method_whole *step;
    const vinc_pattern *pattern; // of the matrix
    arena scratch;
    tape_builder *b;
    int n, size;         // unknowns; instructions, about
    tape_ref *p, *w, *y; // of the model; y at the start of the step
} whole_writer;

tape_ref *whole_refs(whole_writer *x, int n); // all of them TAPE_NONE
bool whole_program(whole_writer *x, const tape_program *f, unroll_refs r);

static inline tape_ref whole_op(const whole_writer *x, tape_op op, tape_ref a, tape_ref b)
{
    return tape_op2(x->b, op, a, b);
}

/* a + b, where a may be nothing. */
static inline tape_ref whole_plus(const whole_writer *x, tape_ref a, tape_ref b)
{
    return a == TAPE_NONE ? b : whole_op(x, TAPE_ADD, a, b);
}

static inline tape_ref whole_times(const whole_writer *x, double c, tape_ref a)
{
    return c == 1 ? a : whole_op(x, TAPE_MUL, a, tape_const(x->b, c));
}

static inline void whole_store(const whole_writer *x, int at, tape_ref r)
{
    tape_store(x->b, tape_out(at), r);
}

/* The sum of squares as problem_squares_error adds them: even and odd ones. */
tape_ref whole_squares(const whole_writer *x, const tape_ref *e);

/* A matrix by entries of the pattern of the Jacobian, absent ones TAPE_NONE, its factors, and what is above 0 where
 * elimination in pieces would choose other pivots. */
typedef struct whole_matrix {
    tape_ref *a, *factors, fails;
} whole_matrix;

/* The inverse, which is stored in out2, and products with it. False: it cannot be written. */
bool whole_invert(whole_writer *x, whole_matrix *m);
void whole_multiply(whole_writer *x, const whole_matrix *m, tape_ref *b);

/* The same by lists; weight: of the row of each step. Factors are stored where somebody reads them. */
bool whole_eliminate(whole_writer *x, const tape_ref *weight, whole_matrix *m);
void whole_store_factors(whole_writer *x, const whole_matrix *m); // in out2
void whole_solve(whole_writer *x, const tape_ref *weight, const whole_matrix *m, tape_ref *b);

/* NULL: it cannot be written. The builder is there. */
const tape *whole_rosenbrock(whole_writer *x);
const tape *whole_explicit(whole_writer *x);
const tape *whole_dense(whole_writer *x);

#endif
