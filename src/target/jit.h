/* Machine code for the steps of a program: what the emitters (emit_x64.c with frame_x64.c,
 * emit_a64.c) share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_JIT_H
#define TARGET_JIT_H

#include "target/machine.h"
#include "target/target.h"

typedef struct jit {
    bool vector_math;  // four-wide elementary functions in packed loops
    code_buffer out;   // position independent: data, then code, per step
    size_t library;    // offset of the table of library functions and masks
    pool *keep, *temp; // tables that the code refers to; memory for one step
    size_t scratch;    // doubles, the most any step needs
} jit;

/* What an emitter is asked for. */
typedef struct jit_emitter {
    void (*begin)(jit *j); // data that stand once at the start; offset 0 is no function
    /* Append a kernel or map; *entry is the offset of its function. False: no memory. */
    bool (*step)(jit *j, const tape_step *s, size_t *entry);
} jit_emitter;

/* Machine code for all kernels and maps in one block, as tape_target.emit. */
bool jit_emit(const jit_emitter *by, tape_code *code, const tape_program *p, bool vector_math);

/* Address of the libm function of an operation; 0 for those that are not calls anywhere. */
uint64_t jit_library(tape_op op);
/* Of void (double x, double *sin, double *cos), equal to sin and cos bit for bit. */
uint64_t jit_sincos(void);
/* Of the function of four doubles in a 256-bit register; 0: there is none on this machine. With the bits of the function of
 * one, the same for sincos, and with other bits. */
uint64_t jit_lanes(tape_op op);
uint64_t jit_sincos_lanes(void);
uint64_t jit_vector(tape_op op);

/* All index lists of a map, one row per instance, so that one register walks along all of them. The base
 * of an access is not in them: several may share a column. */
typedef struct jit_table {
    const int *rows;   // in memory that lives as long as the code
    const int *column; // per access: its column, -1: affine
    int n_columns;
} jit_table;

bool jit_make_table(const tape_step *map, pool *keep, pool *temp, jit_table *t);

#endif
