/* A function that is executed, as blocks: for who runs it and who prints it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_ROUTINE_PARTS_H
#define CODE_ROUTINE_PARTS_H

#include "code/routines.h"
#include "routine/bound.h"

/* What a block does after its kernel; operands are registers, or ~k: constant k. */
typedef struct routine_block {
    int kernel;       // -1: none
    int n;            // instructions, for counting
    bool checks;      // the kernel says whether a subscript is out of range
    uint16_t op;      // PROGRAM_JUMP, UNLESS, FAIL, CALL, PICK, TABLE; PROGRAM_COPY: go on
    int dst, a, b, c; // of jumps dst is a block
} routine_block;

typedef struct routine_code {
    const tape_program *program;
    tape_code *code;
    const routine_block *blocks;
    size_t scratch;
} routine_code;

struct code_routine {
    routine_fast fast; // what the function is given; first
    routine_bound *g;
    int n_args, n_results, n_blocks, n_registers;
    const int *results, *lists;
    const double *consts, *tables;
    routine_code value, tangent; // the latter without a program: derivatives are interpreted
};

/* routine_fast.as_c (routine_print.c). */
bool routine_as_c(const routine_fast *fast, tape_c *c, const char *name, const uint8_t *active);

#endif
