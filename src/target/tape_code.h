/* Compiled code: what tape_compile and tape_compile_program make, step by step.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_TAPE_CODE_H
#define TARGET_TAPE_CODE_H

#include "target/interp.h"
#include "target/target.h"

typedef void step_fn(const tape_args *args);

/* A step runs `fn` where it was compiled, otherwise one of the others; an empty one has none. */
typedef struct code_step {
    step_fn *fn;
    const interp *kernel;
    const struct batch *map;
    const tape_step *sum;
} code_step;

struct tape_code {
    pool keep; // everything below
    const tape_target *target;
    int n_steps, n_pieces;
    const int *
        first; // step k of the program is steps[first[k]] ... steps[first[k + 1] - 1], in any order
    code_step *steps;
    step_fn *only;  // where there is one piece, and it was compiled
    size_t scratch; // doubles, the most any step needs
    void *exec;     // executable pages
    size_t exec_bytes;
};

static inline void code_needs(tape_code *code, size_t doubles) // of scratch
{
    if (doubles > code->scratch) code->scratch = doubles;
}

static inline bool code_is_empty(const tape_step *s)
{
    return s->n == 0 || (s->kind != TAPE_STEP_SUM && s->kernel->n_ins == 0);
}

#endif
