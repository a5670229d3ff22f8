/* Machine code for the steps of a program. One file per machine implements this: emit_x64.c,
 * emit_a64.c, and emit_none.c where there is no emitter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_JIT_H
#define TARGET_JIT_H

#include "target/machine.h"
#include "target/target.h"

typedef struct jit {
    tape_backend backend;
    bool vector_math;  // four-wide elementary functions in packed loops
    code_buffer out;   // position independent: data, then code, per step
    size_t library;    // offset of the table of library functions and masks
    pool *keep, *temp; // tables that the code refers to; memory for one step
    size_t scratch;    // doubles, the most any step needs
} jit;

/* The backend to use for the one wanted: TAPE_INTERPRET where this machine has no such code. */
tape_backend jit_choose(tape_backend wanted);
void jit_begin(jit *j);
/* Append a kernel or map; *entry is the offset of its function. False: no memory. */
bool jit_step(jit *j, const tape_step *s, size_t *entry);

/* What the emitters share. */

/* Address of the libm function of an operation; 0 for those that are not calls anywhere. */
uint64_t jit_library(tape_op op);
/* Of void (double x, double *sin, double *cos), equal to sin and cos bit for bit; 0: there is none. */
uint64_t jit_sincos(void);
/* Of the function of four doubles in a 256-bit register; 0: there is none on this machine. */
uint64_t jit_vector(tape_op op);

/* The elements of all index lists of a map, one row per instance, so that one register walks along
 * all of them. */
typedef struct jit_table {
    const int *rows;   // in memory that lives as long as the code
    const int *column; // per access: its column, -1: affine
    int n_columns;
} jit_table;

bool jit_make_table(const tape_step *map, pool *keep, pool *temp, jit_table *t);

/* Executable memory: never writable and executable at once. NULL where the system does not allow
 * it. */
void *exec_map(const void *code, size_t n);
void exec_unmap(void *code, size_t n);

#endif
