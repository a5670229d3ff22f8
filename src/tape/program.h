/* Programs: kernels in order, repeated ones rolled.
 *
 * A program is a list of steps that run one after the other:
 *
 *     kernel   a tape, once
 *     map      a tape, n times: its operands x[k] are taken by instance i at access[k]; stores to
 *              x[k] go there. All else (t, p, y, ... by index, constants) is shared by all instances
 *     sum      target[i] = sum of coef[k] * w[index[k]] for k = start[i] ... start[i+1] - 1, from
 *              left to right starting with the first term; an empty sum is 0
 *
 * Values pass from step to step through w. The instances of a map are independent: none reads what
 * the map stores, and no location is stored twice (tape_program_check looks).
 * Lay variables of repeated components out contiguously and the accesses become unit-stride: then a
 * map is a loop of packed instructions, bit-equal to the scalar one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_PROGRAM_H
#define TAPE_PROGRAM_H

#include "tape/tape.h"

/* Element base + i*stride of the array, or list[i] where there is a list. A list that is affine is
 * recognised; writers need not bother. */
typedef struct tape_access {
    tape_kind array; // p, y, yp, w; for targets of stores w, out, out2
    int base, stride;
    const int *list; // n entries, or NULL
} tape_access;

typedef enum tape_step_kind { TAPE_STEP_KERNEL, TAPE_STEP_MAP, TAPE_STEP_SUM } tape_step_kind;

typedef struct tape_step {
    tape_step_kind kind;
    const tape *kernel;        // kernel, map
    int n;                     // instances of a map, targets of a sum
    const tape_access *access; // map: kernel->extent[TAPE_X] of them; sum: one, the target
    const int *start, *index;  // sum: n + 1 and start[n] of them
    const double *coef;        // sum: start[n] of them; NULL: all 1
} tape_step;

typedef struct tape_program {
    int n_steps;
    const tape_step *steps;
    int extent[TAPE_N_KINDS]; // as in a tape; extent[TAPE_X] is 0
} tape_program;

typedef struct tape_program_builder tape_program_builder;

/* Everything passed in is copied to `result` except the tapes, which must outlive the program. */
tape_program_builder *tape_program_new(arena *result);
void tape_program_kernel(tape_program_builder *b, const tape *kernel);
void tape_program_map(tape_program_builder *b, const tape *kernel, int n,
                      const tape_access *access);
void tape_program_sum(tape_program_builder *b, int n, tape_access target, const int *start,
                      const int *index, const double *coef);
const tape_program *tape_program_finish(tape_program_builder *b);

/* NULL, or what is wrong: a bad array, a location stored twice, a map that reads what it stores, a
 * negative index. Linear in the size of the accesses; for tests and assertions. */
const char *tape_program_check(const tape_program *p, arena *scratch);

/* The same as one tape, every instance written out. */
const tape *tape_program_unroll(const tape_program *p, arena *scratch, arena *result);

void tape_program_run(const tape_program *p, const tape_args *args); // as tape_run
size_t tape_program_scratch(const tape_program *p);
int tape_compile_program(const tape_program *p, const tape_options *options, mem *m,
                         tape_code **code);
void tape_program_print(const tape_program *p, text *out);
void tape_program_print_c(const tape_program *p, const char *name, text *out); // as tape_print_c

#endif
