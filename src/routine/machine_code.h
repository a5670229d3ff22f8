/* Programs as machine code.
 *
 * A program (routine/program.h) with the programs that it calls written out in its place falls into
 * blocks without jumps. Each block becomes a kernel of the tape, which reads and stores the registers that
 * other blocks share with it, in w; a short loop in C runs one kernel after another and jumps between them.
 * Registers that are not read again are not stored, and what is computed for them alone goes with them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_MACHINE_CODE_H
#define ROUTINE_MACHINE_CODE_H

#include "routine/bound.h"
#include "target/target.h"

/* What a block does after its kernel; operands are registers, or ~k: constant k. */
typedef struct routine_block {
    int kernel;       // -1: none
    int n;            // instructions, for counting
    bool checks;      // the kernel says whether a subscript is out of range
    uint16_t op;      // PROGRAM_JUMP, UNLESS, FAIL, CALL, PICK, TABLE; PROGRAM_COPY: go on
    int dst, a, b, c; // dst of a jump is a block
} routine_block;

typedef struct routine_code {
    const tape_program *program;
    tape_code *code;
    const routine_block *blocks;
    size_t scratch;
} routine_code;

typedef struct routine_compiled {
    bool failed; // the program does not fall into blocks
    bool ready;  // there is machine code
    const routine_bound *g;
    int n_blocks, n_registers;
    const int *results, *lists;
    const double *consts, *tables;
    routine_code value, tangent; // the latter without a program: derivatives are interpreted
} routine_compiled;

/* The blocks of a program; NULL: there are none. */
routine_compiled *routine_compile(const routine_bound *g, arena *a, arena *scratch);

/* Run the machine code, as routine_run_program and routine_run_tangent interpret the program. */
bool routine_code_value(const routine_compiled *x, void *run, const double *in, double *out);
bool routine_code_tangent(const routine_compiled *x, void *run, const double *in,
                          const double *along, double *d);
/* Prints it as C: tape_function.as_c (routine_print.c). */
bool routine_code_as_c(const routine_compiled *x, tape_c *c, const char *name,
                       const uint8_t *active);

#endif
