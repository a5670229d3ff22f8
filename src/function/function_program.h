/* Writing functions as programs (routine/program.h), when a body is not one expression.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUNCTION_FUNCTION_PROGRAM_H
#define FUNCTION_FUNCTION_PROGRAM_H

#include "function/function_def.h"

/* Writing a program. References to registers carry their kind until the end. */
typedef struct program_builder {
    flat_builder *b;
    flat_function *g; // the function itself, which may be called
    ARRAY(routine_ins) ins;
    ARRAY(double) consts;
    ARRAY(double) tables;
    int_array lists;
    ARRAY(routine_subscript) checks;
    ARRAY(const char *) fails;
    ARRAY(routine_loop) loops;
    map const_at; // bits of a number to its place
    int n_args, n_slots, n_temps, max_temps;
    int segment; // the first instruction of the statement being written
    /* Of the statement being written: values already computed, 1 + reference; 0: no longer known. */
    map done;
    int_array added; // what is in done, in the order in which it came
    map calling;     // by expression: 1, or 2 if a function is called in it
    int_array calls; // places in lists and functions of the calls already made
    const char *why; // given up
} program_builder;

void program_begin(program_builder *p, flat_builder *b, flat_function *g);
void program_statement(program_builder *p); // values computed before are stale
int program_value(program_builder *p, expr e);
int program_slot(program_builder *p, int slot); // reference
int program_held(program_builder *p, int r);    // safe when slots are assigned next
int program_emit(program_builder *p, int op, int dst, int a, int b, int c); // its place
/* Back to instruction `first`: the end of a loop. */
void program_again(program_builder *p, int first, span at);
/* The program has no value where a subscript is out of range, or an assertion does not hold. */
void program_check(program_builder *p, const scope_check *c);
void program_require(program_builder *p, expr condition, const char *said);
void program_fail(program_builder *p, const char *said); // there is no value; NULL: without a word
/* The words of a message, without what is known only during the run; NULL: there are none. */
const char *program_words(program_builder *p, expr message);
/* Results are references. NULL if it was given up (p->why). */
routine_program *program_end(program_builder *p, int *results, int n);

/* A program of n expressions in n_args formal arguments, for a model that has been flattened; in a,
 * which is kept as long as the model. NULL, and *why. */
const routine_program *program_for(flat_model *m, const expr *list, int n, int n_args, arena *a,
                                   arena *scratch, const char **why);

/* The routines of the model; none at first. */
routine_set *function_routines(flat_model *m);
/* Function `number` is executed as this program from now on. */
void program_keep(flat_model *m, int number, const routine_program *p);

/* Compile the statements of the function into v->g->program; the shapes of v are known. */
bool function_compile(const scope *s, const function_version *v, function_def *f, span at);

#endif
