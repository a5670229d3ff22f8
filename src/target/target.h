/* Targets of the tape: what evaluates programs, and what prints them for other compilers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "tape/tape.h"

typedef enum tape_backend {
    TAPE_AUTO,      // the best this machine has
    TAPE_INTERPRET, // run-scheduled interpreter
    TAPE_X64_SSE2,
    TAPE_X64_AVX,
    TAPE_A64,
} tape_backend;

typedef struct tape_options {
    tape_backend backend; // one this machine does not have falls back to the interpreter
    bool vector_math; // four-wide elementary functions in maps, up to 4 ulp off: not the same bits
} tape_options;

typedef struct tape_code tape_code;

/* Compile; options may be NULL. 0, or TAPE_E_MEMORY and *code == NULL. The code may be used by
 * several threads at once, each with its own arguments. The tape may be dropped afterwards, the
 * functions it calls may not. */
enum { TAPE_E_MEMORY = -1 };
int tape_compile_program(const tape_program *p, const tape_options *options, mem *m,
                         tape_code **code);
int tape_compile(const tape *t, const tape_options *options, mem *m, tape_code **code);
void tape_code_free(tape_code *code);
void tape_eval(const tape_code *code, const tape_args *args);
size_t tape_code_scratch(const tape_code *code); // doubles
tape_backend tape_code_backend(const tape_code *code);
size_t tape_code_bytes(const tape_code *code); // machine code and its constants

/* C99 with math.h, to be compiled with contraction off:
 *
 *     void NAME(double t, const double *p, const double *y, const double *yp, double *w, double
 * *out, double *out2, double *scratch)
 *
 * and static functions of about a thousand instructions that it calls. Functions the tape calls
 * appear as `extern void fn_<name>(const double *in, double *out)`. scratch: tape_scratch(t)
 * doubles. */
void tape_print_c(const tape *t, const char *name, text *out);
void tape_program_print_c(const tape_program *p, const char *name, text *out); // as tape_print_c

#endif
