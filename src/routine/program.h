/* Programs on numbers: functions whose body is not one expression.
 *
 * A loop whose count depends on the arguments cannot be written out. Such a function becomes a short
 * program: registers for the scalar arguments, for the scalars of variables that are assigned, for
 * constants and for intermediate values, in this order, and jumps between operations. function/ writes
 * programs. They are plain data: running one changes nothing in it, so that any thread may.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_PROGRAM_H
#define ROUTINE_PROGRAM_H

#include "base/operators.h"
#include "base/source.h"

#include <stdbool.h>
#include <stdint.h>

enum { // beyond expr_op
    PROGRAM_COPY = EXPR_N_OPS,
    PROGRAM_JUMP,   // to dst
    PROGRAM_UNLESS, // a is 0: jump to dst
    PROGRAM_CALL, // routine number a (routine_set); dst: place in lists of {n_in, arguments, n_out,
                  // registers of the results}
    PROGRAM_FAIL, // no value; dst: what is said, in fails, or -1
    PROGRAM_CHECK, // no value where a holds and the subscript b is out of range (check dst)
    PROGRAM_PICK, // by the whole number a, one of 1 ... n, a register in lists from place b on: {n +
                  // 1, registers, 0}; the last one for any other number
    PROGRAM_TABLE // the same of numbers: c + 1 of them from place b of tables on
};

enum {
    PROGRAM_INSTRUCTIONS = 200000, // of one program
    PROGRAM_REGISTERS = 1 << 17,   // of one program: they lie on the stack
    PROGRAM_FRAME = 4096,          // registers: each further frame of that size counts as one more call
    PROGRAM_DEPTH = 64,            // calls inside calls
    PROGRAM_SCALARS = 256,         // arguments of a routine in C inside a program, and results
    PROGRAM_STEPS = 20000000       // operations in one run
};

typedef struct routine_ins {
    uint16_t op;
    int dst, a, b, c;
} routine_ins;

/* A subscript that must be one of 1 ... size. */
typedef struct routine_subscript {
    const char *array;
    int size;
    span at;
} routine_subscript;

/* Instructions that are run again and again, and the statement they come from. */
typedef struct routine_loop {
    int first, last;
    span at;
} routine_loop;

/* An integral over one to three coordinates, each between bounds that may depend on those before it
 * (function/function_integral.c). A region has volume, and its bounds are not inverted. */
typedef struct routine_integral {
    int dims, n;             // coordinates; functions
    int watched;             // which of them decide on the accuracy: the first; 0: all
    bool region;             // the last three are |det|, det and the product of the edges
    const char *const *name; // of the coordinates, the outermost first
    /* Of the arguments and then dims numbers in [0, 1]: the functions, the coordinates and (of a
     * region) lower and upper bounds. */
    const struct routine_program *integrand;
    span at; // where it is written
} routine_integral;

enum { INTEGRAL_HIDDEN = 3 }; // functions of a region that are not asked for

typedef struct routine_program {
    const char *name;                 // of the function, for messages; "": it has none
    const routine_integral *integral; // it is one; NULL: instructions
    int n_ins, n_args, n_slots, n_consts, n_tables, n_lists, n_checks, n_fails, n_loops;
    int n_registers, n_results;
    const routine_ins *ins;          // n_ins
    const double *consts;            // n_consts, in the registers behind arguments and slots
    const double *tables;            // n_tables
    const int *lists;                // n_lists: registers and their counts
    const int *results;              // n_results registers
    const routine_subscript *checks; // n_checks
    const char *const *fails;        // n_fails
    const routine_loop *loops;       // n_loops, inner ones before those around them
    /* Arguments that have a register. The others are only picked by a subscript, and are read where the caller has
     * them. NULL: all have one. */
    int n_placed;
    const int *placed; // n_placed arguments
} routine_program;

/* Which of n + 1 a number chooses: 1 ... n, or the last; from 0 on. */
static inline int routine_choice(double x, int n)
{
    return x >= 1 && x <= n && x == (int)x ? (int)x - 1 : n;
}

#endif
