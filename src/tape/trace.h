/* A tape run once with the values of all its instructions kept: which of them gave no value, and what it computes in
 * Modelica. For messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_TRACE_H
#define TAPE_TRACE_H

#include "tape/tape.h"

typedef struct tape_trace {
    const tape *t;
    const double *v; // by instruction
    tape_args args;
    arena *a;
    /* What an operand that is no instruction and no number of the tape is called: time, a variable. */
    void (*name)(void *user, tape_ref leaf, text *out);
    void *user;
} tape_trace;

/* x.args, a, name and user are set; nothing that the tape stores is needed in args. */
void tape_trace_run(tape_trace *x, const tape *t);
double tape_trace_value(const tape_trace *x, tape_ref r);
tape_ref tape_trace_stored(const tape_trace *x, tape_ref target); // TAPE_NONE: nothing is

/* The operation by which the value of r, which is not finite, is so: its operands are finite, but for those of a
 * branch that is not taken. A call without a value below it, which a comparison has hidden, is to blame first.
 * TAPE_NONE: operands of the tape are to blame, *leaf is one of them. */
tape_ref tape_trace_blamed(const tape_trace *x, tape_ref r, tape_ref *leaf);
/* a/b is computed as a*(1/b) where several are divided by b: for 1/b in what gives r, the first product with it. */
tape_ref tape_trace_quotient(const tape_trace *x, tape_ref r, tape_ref reciprocal);
/* Operands of the tape that the value of r depends on, each once, at most n. How many. */
int tape_trace_leaves(const tape_trace *x, tape_ref r, tape_ref *leaf, int n);
/* The call that r is a result of, and which; NULL: r is none. The function is that which is called where a branch is
 * taken (guard.c): its arguments are the first ones. */
const tape_call *tape_trace_call(const tape_trace *x, tape_ref r, int *output,
                                 const tape_function **f);

enum { TAPE_OPERATION_LETTERS = 80 };
void tape_trace_print(const tape_trace *x, tape_ref r, text *out); // cut after TAPE_OPERATION_LETTERS
void tape_trace_equation(const tape_trace *x, tape_ref r,
                         text *out); // r = 0: a difference by its sides

#endif
