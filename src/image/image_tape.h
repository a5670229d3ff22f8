/* The members of tapes (tape/tape.h), as lists: programs are part of a compiled model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_TAPE_H
#define IMAGE_IMAGE_TAPE_H

#include "base/source.h"
#include "tape/tape.h"
#include "vincolo_problem.h"

// clang-format off

#define SPAN(X)                                                                                                                  \
    X(NUMBER, uint32_t, begin, "offset of the first character")                                                                  \
    X(NUMBER, uint32_t, end, "offset after the last one")

#define VINC_PATTERN(X)                                                                                                          \
    X(COUNT, n_rows, "rows")                                                                                                     \
    X(COUNT, n_cols, "columns")                                                                                                  \
    X(COUNT, nnz, "entries")                                                                                                     \
    X(INDICES, int, start, x->n_cols + 1, 0, x->nnz + 1, "first entry of each column; NULL: no matrix")                          \
    X(INDICES, int, row, x->nnz, 0, x->n_rows, "of each entry")

#define TAPE_CALL(X)                                                                                                             \
    X(ROUTINE, fn, "what is called")                                                                                             \
    X(COUNT, args, "its first argument among those of the tape")                                                                 \
    X(COUNT, first, "the first of the arguments that lie one after another")                                                     \
    X(COUNT, n_far, "how many of them")

#define TAPE_REGION(X)                                                                                                           \
    X(COUNT, first, "instruction")                                                                                               \
    X(COUNT, end, "after the last one")                                                                                          \
    X(NUMBER, uint32_t, op, "of the select")                                                                                     \
    X(NUMBER, uint32_t, a, "operand of the select")                                                                              \
    X(NUMBER, uint32_t, b, "operand of the select")                                                                              \
    X(NUMBER, bool, yes, "they are for operand c, where its condition holds; else for d")

#define TAPE(X)                                                                                                                  \
    X(COUNT, n_ins, "instructions")                                                                                              \
    X(COUNT, n_consts, "constants")                                                                                              \
    X(COUNT, n_calls, "calls")                                                                                                   \
    X(COUNT, n_args, "arguments of all calls")                                                                                   \
    X(COUNT, n_regions, "branches of selects")                                                                                   \
    X(COUNT, max_in, "the most arguments of a call")                                                                             \
    X(PACKED, tape_ins, ins, x->n_ins, "instructions")                                                                           \
    X(NUMBERS, double, consts, x->n_consts, "constants")                                                                         \
    X(PARTS, tape_call, calls, x->n_calls, "calls")                                                                              \
    X(NUMBERS, uint32_t, args, x->n_args, "arguments")                                                                           \
    X(PARTS, tape_region, regions, x->n_regions, "branches")                                                                     \
    X(FEW, int, extent, TAPE_N_KINDS, "elements used, by array")

#define TAPE_ACCESS(X)                                                                                                           \
    X(NUMBER, tape_kind, array, "of the elements")                                                                               \
    X(NUMBER, int, base, "element of the first instance")                                                                        \
    X(NUMBER, int, stride, "to that of the next one")                                                                            \
    X(NUMBERS, int, list, ((const tape_step *)up)->n, "by instance: element after base; NULL: by stride")

#define TAPE_STEP(X)                                                                                                             \
    X(INDEX, tape_step_kind, kind, 0, TAPE_STEP_SUM + 1, "what it is")                                                           \
    X(COUNT, n, "instances of a map, targets of a sum")                                                                          \
    X(SHARED, tape, kernel, "of a kernel or map")                                                                                \
    X(PARTS, tape_access, access, x->kind == TAPE_STEP_SUM ? 1 : x->kernel ? x->kernel->extent[TAPE_X] : 0, "operands, or target") \
    X(NUMBERS, int, start, x->kind == TAPE_STEP_SUM ? x->n + 1 : 0, "of a sum: by target its first term")                        \
    X(NUMBERS, int, index, x->start ? x->start[x->n] : 0, "by term: element of w")                                               \
    X(NUMBERS, double, coef, x->start ? x->start[x->n] : 0, "by term: its coefficient; NULL: all 1")

#define TAPE_PROGRAM(X)                                                                                                          \
    X(COUNT, n_steps, "steps")                                                                                                   \
    X(PARTS, tape_step, steps, x->n_steps, "in order")                                                                           \
    X(FEW, int, extent, TAPE_N_KINDS, "elements used, by array")

// clang-format on

#endif
