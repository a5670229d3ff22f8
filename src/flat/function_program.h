/* Functions as programs: what is executed when a body is not one expression.
 *
 * A loop whose count depends on the arguments cannot be written out. Such a function becomes a
 * short program on numbers: registers for the scalar arguments, for the scalars of variables that
 * are assigned, for constants and for intermediate values, and jumps between operations. Lives in
 * the model; running it needs nothing else and changes nothing, so that any thread may.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FUNCTION_PROGRAM_H
#define FLAT_FUNCTION_PROGRAM_H

#include "flat/function_def.h"

enum { // beyond expr_op
    PROGRAM_COPY = EXPR_N_OPS,
    PROGRAM_JUMP,   // to dst
    PROGRAM_UNLESS, // a is 0: jump to dst
    PROGRAM_CALL,   // function a of the model; dst: place in lists of {n_in, arguments, n_out,
                    // registers of the results}
    PROGRAM_FAIL    // no value
};

enum {
    PROGRAM_REGISTERS = 4096, // of one program: they lie on the stack
    PROGRAM_DEPTH = 64,       // calls inside calls
    PROGRAM_STEPS = 20000000  // operations in one run
};

typedef struct program_ins {
    uint16_t op;
    int dst, a, b, c;
} program_ins;

typedef struct function_program {
    const flat_model *m;
    int n_ins, n_args, n_slots, n_consts, n_registers, n_results;
    const program_ins *ins;
    const double *consts;
    const int *results; // registers
    const int *lists;
} function_program;

/* Writing a program. References to registers carry their kind until the end. */
typedef struct program_builder {
    flat_builder *b;
    flat_function *g; // the function itself, which may be called
    ARRAY(program_ins) ins;
    ARRAY(double) consts;
    int_array lists;
    map const_at; // bits of a number to its place
    int n_args, n_slots, n_temps, max_temps;
    /* Of the statement being written: values already computed. */
    map done;
    int_array calls; // places in lists and functions of the calls already made
    const char *why; // given up
} program_builder;

void program_begin(program_builder *p, flat_builder *b, flat_function *g);
void program_statement(program_builder *p); // values computed before are stale
int program_value(program_builder *p, expr e);
int program_slot(program_builder *p, int slot); // reference
int program_held(program_builder *p, int r);    // safe when slots are assigned next
int program_emit(program_builder *p, int op, int dst, int a, int b, int c); // its place
/* Results are references. NULL if it was given up (p->why). */
function_program *program_end(program_builder *p, const int *results, int n);

/* A program for a body that is an expression; NULL when there is none. */
const function_program *program_of(flat_builder *b, int function, const flat_function *caller);

/* Compile the statements of the function; g->inputs and the output shapes are known. */
bool function_compile(const scope *s, flat_function *g, function_def *f, span at);

#endif
