/* Machine code for the steps of a program. One file per machine implements this: emit_x64.c,
 * emit_a64.c, and emit_none.c where there is no emitter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_JIT_H
#define TAPE_JIT_H

#include "tape/emit.h"

typedef struct jit {
    tape_backend backend;
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

/* Executable memory: never writable and executable at once. NULL where the system does not allow
 * it. */
void *exec_map(const void *code, size_t n);
void exec_unmap(void *code, size_t n);

#endif
