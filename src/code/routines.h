/* Functions that are executed, as machine code.
 *
 * A program (routine/program.h) with the programs that it calls written out in its place falls into
 * blocks without jumps. Each block becomes a kernel of the tape, which reads and stores the registers that
 * other blocks share with it, in w; a short loop in C runs one kernel after another and jumps between them.
 * Registers that nobody reads again are not stored, and what is computed for them alone goes with them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_ROUTINES_H
#define CODE_ROUTINES_H

#include "routine/routine.h"
#include "target/target.h"

typedef struct code_routine code_routine;
typedef struct code_routines {
    ARRAY(code_routine *) all;
} code_routines;

/* f is called in tapes: it is put on the list, and so is what its derivative annotation names. Nothing where
 * it cannot be machine code: it is interpreted then. */
void code_routine_add(code_routines *list, const tape_function *f, arena *a, arena *scratch);
/* VINC_OK, VINC_E_MEMORY. */
int code_routines_compile(const code_routines *list, mem *m);
void code_routines_free(const code_routines *list);

#endif
