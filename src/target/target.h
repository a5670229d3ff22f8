/* Targets of the tape: what runs a program, and what prints it for other compilers.
 *
 * A target is one entry of the list below and says there what it can. All that run give the same
 * bits as the plain interpreter of tape/tape.h. To add one, write its file, end it with the entry,
 * and add a line to target_list.c: selection, tests and measurements walk the list.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "tape/tape.h"

typedef struct tape_code tape_code;
typedef struct tape_target tape_target;

struct tape_target {
    const char *name, *summary;
    int lanes;               // instances of a map that are computed at once
    bool calls;              // may the tape call functions of this process (tape_function)?
    bool (*runs_here)(void); // on this machine? NULL: nowhere in this process, it only prints
    /* Machine code for the kernels and maps of a program. What is left without, for want of room or
     * of permission, is interpreted. False: no memory. NULL: everything is interpreted. */
    bool (*emit)(tape_code *code, const tape_program *p, bool vector_math);
    /* The program as a function `name` in a language of its own; NULL: it cannot be printed. */
    void (*print)(const tape_program *p, const char *name, text *out);
};

extern const tape_target target_avx, target_sse2, target_a64, target_interpreter, target_c;
extern const tape_target *const tape_targets[]; // the best first; ends with NULL

/* ---- compiling and running ------------------------------------------------------------------- */

typedef struct tape_options {
    const tape_target *target; // NULL: the best that runs here; one that does not: the interpreter
    bool vector_math; // four-wide elementary functions in maps, up to 4 ulp off: not the same bits
} tape_options;

/* Compile; options may be NULL. 0, or TAPE_E_MEMORY and *code == NULL. The code may be used by
 * several threads at once, each with its own arguments. The tape may be dropped afterwards, the
 * functions it calls may not. */
enum { TAPE_E_MEMORY = -1 };
int tape_compile_program(const tape_program *p, const tape_options *options, mem *m,
                         tape_code **code);
int tape_compile(const tape *t, const tape_options *options, mem *m, tape_code **code);
void tape_code_free(tape_code *code);
void tape_eval(const tape_code *code, const tape_args *args);
/* At several points: y, yp and out are those of the first, and the others follow at this distance; args are left
 * behind the last. */
typedef struct tape_points {
    int n, stride;
    const double *t;
} tape_points;
void tape_eval_points(const tape_code *code, tape_args *args, const tape_points *points);
void tape_eval_step(const tape_code *code, int k, const tape_args *args); // one of the program
size_t tape_code_scratch(const tape_code *code);                          // doubles
const tape_target *tape_code_target(const tape_code *code);
size_t tape_code_bytes(const tape_code *code); // machine code and its constants

#endif
