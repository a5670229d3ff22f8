/* PTX, the assembly language that drivers of NVIDIA's GPUs compile: straight-line tapes in it.
 *
 * Every value has a virtual register of its own; the driver gives out the real ones. All arithmetic
 * is rounded to nearest and never contracted, so it has the bits of the processor, unless the printer
 * is told that a*b + c may be one operation. The elementary functions are those of ptx_math.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_PTX_H
#define TARGET_PTX_H

#include "tape/tape.h"

/* Names of registers: a prefix each, then a number. */
typedef struct ptx_tape {
    const tape *t;
    const char *values;             // %s7: the value of instruction 7
    const char *kind[TAPE_N_KINDS]; // of operands p, y, yp, w, x and of the targets of stores
    const char *time;               // the register of the time; NULL: not read
    bool contract;                  // a*b + c may be rounded once
} ptx_tape;

/* The registers of its values and predicates. */
void ptx_declare(const ptx_tape *x, text *out);
/* Its instructions. A store is a move to a register of its target; no register is both operand and
 * target. */
void ptx_instructions(const ptx_tape *x, text *out);
void ptx_number(text *out, double x); // as an immediate operand

/* Elementary functions: a set of operations, a bit each. */
typedef uint64_t ptx_functions;
ptx_functions ptx_needs(const tape *t);
/* The head of a module, then these functions. False: this build has none of them. */
bool ptx_begin_module(ptx_functions needed, text *out);

/* All functions as clang made them, or NULL in a build without it. */
const char *ptx_math_text(void);

#endif
