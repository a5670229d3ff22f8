/* Functions that the flat model keeps: what a call needs once flattening is over.
 *
 * function/ makes them from their declarations. A body is a straight list of nodes, which the pool
 * writes out at a call, or a program on numbers, which is executed; the texts are how calls and
 * declarations are printed. All of it lives in the model arena.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FLAT_FUNCTION_H
#define FLAT_FLAT_FUNCTION_H

#include "flat/flat.h"
#include "tape/tape.h"

/* Variables with this index or above are formal arguments of functions, not variables of the model.
 * They occur only in bodies of functions. */
enum { FLAT_FORMAL = 1 << 28 };

/* ---- programs -------------------------------------------------------------------------------- */

/* A loop whose count depends on the arguments cannot be written out. Such a function becomes a
 * short program on numbers: registers for the scalar arguments, for the scalars of variables that
 * are assigned, for constants and for intermediate values, and jumps between operations. Running
 * it needs nothing else and changes nothing, so that any thread may. */
enum { // beyond expr_op
    PROGRAM_COPY = EXPR_N_OPS,
    PROGRAM_JUMP,   // to dst
    PROGRAM_UNLESS, // a is 0: jump to dst
    PROGRAM_CALL,   // function a of the model; dst: place in lists of {n_in, arguments, n_out,
                    // registers of the results}
    PROGRAM_FAIL,   // no value; dst: what is said, in fails, or -1
    PROGRAM_CHECK,  // no value where a holds and the subscript b is out of range (check dst)
    PROGRAM_PICK, // by the whole number a, one of 1 ... n, a register in lists from place b on: {n +
                  // 1, registers, 0}; the last one for any other number
    PROGRAM_TABLE // the same of numbers: c + 1 of them from place b of tables on
};

enum {
    PROGRAM_INSTRUCTIONS = 200000, // of one program
    PROGRAM_REGISTERS = 1 << 17,   // of one program: they lie on the stack
    PROGRAM_FRAME = 4096,          // so many registers, begun, count as a call of their own
    PROGRAM_DEPTH = 64,            // calls inside calls
    PROGRAM_SCALARS = 256,         // arguments of a routine in C inside a program, and results
    PROGRAM_STEPS = 20000000,      // operations in one run
    FLAT_IN_VAIN = 8               // arguments without a value that are remembered
};

typedef struct program_ins {
    uint16_t op;
    int dst, a, b, c;
} program_ins;

/* A subscript that must be one of 1 ... size. */
typedef struct flat_subscript {
    const char *array;
    int size;
    span at;
} flat_subscript;

/* Instructions that are run again and again, and the statement they come from. */
typedef struct flat_loop {
    int first, last;
    span at;
} flat_loop;

/* An integral over one to three coordinates, each between bounds that may depend on those before it
 * (function/function_integral.c). A region has volume, and its bounds are not inverted. */
typedef struct flat_integral {
    int dims, n;             // coordinates; functions
    int watched;             // which of them decide on the accuracy: the first; 0: all
    bool region;             // the last three are |det|, det and the product of the edges
    const char *const *name; // of the coordinates, the outermost first
    /* Of the arguments and then dims numbers in [0, 1]: the functions, the coordinates and (of a
     * region) lower and upper bounds. */
    const struct flat_program *integrand;
    span at; // where it is written
} flat_integral;

enum { INTEGRAL_HIDDEN = 3 }; // functions of a region that are not asked for

typedef struct flat_program {
    const flat_integral *integral; // it is one; NULL: instructions
    const flat_model *m;
    int n_ins, n_args, n_slots, n_consts, n_registers, n_results;
    const program_ins *ins;
    const double *consts, *tables;
    /* Arguments that have a register. The others are only picked by a subscript, and are read where the caller has
     * them. NULL: all have one. */
    int n_placed;
    const int *placed;
    const int *results; // registers
    const int *lists;
    const flat_subscript *checks;
    const char *const *fails;
    int n_loops;
    const flat_loop *loops; // inner ones before those around them
} flat_program;

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct flat_text flat_text;
struct flat_text {           // a declaration
    const char *name;        // as it is printed: quoted if need be
    sym plain;               // without quotes
    const char *declaration; // NULL: it could not be written down
    bool further;            // made for a further output of another function
    ARRAY(flat_text *) needs;
    flat_text *
        operators; // of a record: what is printed instead, with its operators; NULL: nobody uses them
};

/* How calls of a function are printed: text before, between and after the arguments. */
typedef struct flat_pieces {
    flat_text *text;
    const char **between; // before argument k, 0 < k < n_args
    const char **first;   // of each scalar output: before the first argument, or all if there is
                          // none
    const char **last;    // of each scalar output: after the last argument
    ARRAY(flat_text *) further; // other functions that calls name
} flat_pieces;

/* ---- functions ------------------------------------------------------------------------------- */

/* A program as machine code (code/routines.h). False: there is no value. */
typedef struct flat_fast flat_fast;
struct flat_fast {
    bool (*value)(const flat_fast *x, void *run, const double *in, double *out);
    /* The derivative of out along the direction; NULL: the program tells it. */
    bool (*tangent)(const flat_fast *x, void *run, const double *in, const double *along,
                    double *out);
    bool (*as_c)(const flat_fast *x, tape_c *c, const char *name, const uint8_t *active);
};

/* One version of a function, for given sizes of its arguments and given values of those scalar
 * arguments that are literal but not Real: what a loop or a size may depend on. */
struct flat_function {
    sym name; // full name of the class
    bool is_inline;
    bool impure;           // a call does something: it is made once where it is due
    bool constructs;       // an external object: the output of a call is the number of its object
    bool busy;             // its body is being made: a recursive call meets it
    int n_args, n_results; // scalars

    /* The body: nodes that depend on arguments, in order. Arguments of node i are args[first[i]
     * ... ]: place in the list, or ~expr for what does not depend on arguments. */
    const char *why; // there is no body; NULL: there is
    int n_nodes;
    const expr *nodes;
    const int *first, *args;
    const int *results; // of each scalar output, coded in the same way
    expr *work;         // values of the nodes for the arguments last used
    expr *last;
    bool **uses; // of each scalar output: the arguments it depends on; found when first asked for

    const flat_program *program; // what is executed instead; NULL: nothing
    tape_function routine;       // how it is executed; value is NULL until there is a program
    const flat_fast *fast;       // the program as machine code; NULL: it is interpreted
    bool slow;                   // there is none
    /* Arguments, mixed, at which the program gave no value; 0: none. A loop without end takes long
     * to be given up, and whoever tries again comes back to where it began. */
    _Atomic uint64_t in_vain[FLAT_IN_VAIN];
    double *
        memo; // of an integral, for folding: whether there are any, the last arguments and their results

    int derivative;    // number of the function in the derivative annotation, or -1
    int order;         // of that annotation
    const int *der_at; // of each argument: place of its derivative among the arguments of that
                       // function, -1 if there is none
    /* Of an annotation with noDerivative or order > 1, which gives a derivative in time alone;
     * NULL: of one that gives partial derivatives. */
    const bool *total_needs; // of each argument: its derivative must be known
    const int *total_is;     // its derivative must be this argument; -1: none

    const flat_pieces *text;
};

/* It is executed as this program from now on. */
void flat_set_program(flat_function *g, const flat_program *program);

/* A routine whose derivative annotation names another routine is differentiated by that one. */
void flat_use_derivative(flat_model *m, flat_function *g);

/* Set the members of the pool's context that concern functions; context.user must be the model. */
void flat_attach_functions(flat_model *m);

typedef enum integral_fault {
    INTEGRAL_FINE,
    INTEGRAL_UNDEFINED, // a function is no number
    INTEGRAL_DIVERGES,
    INTEGRAL_LONG, // too many evaluations
    INTEGRAL_INVERTED,
    INTEGRAL_FOLDED, // coordinates mean a point twice
    INTEGRAL_EMPTY,
    INTEGRAL_MASSLESS // the first function of a region, its mass, is 0
} integral_fault;

/* The operation by which a result of a program is not finite, its operands being so. */
typedef struct flat_call_cause {
    uint8_t op;                      // expr_op; EXPR_NONE: the program gave up
    double x[3];                     // the operands
    const char *function;            // in which it is; NULL: none is to blame
    const flat_subscript *subscript; // x[0], which is out of range, is one of it; NULL: none is
    const flat_loop *endless;        // does not end within PROGRAM_STEPS; NULL: none is
    const char *said;                // by a call of error(), what of it is text; NULL: nothing
    const flat_integral *integral;   // which has no value; NULL: none
    integral_fault fault;            // why
    int coordinate;                  // whose bounds are inverted, low and high
    double at[3], low, high;         // where: coordinates
} flat_call_cause;

/* The integrals for these arguments. False: there are none, and *cause says why. */
bool flat_integrate(const flat_integral *q, const double *args, double tol, double *out,
                    double *size, flat_call_cause *cause);
/* "it does not converge near x = 1": why an integral has no value. */
void flat_integral_words(const flat_call_cause *cause, text *out);
const char *flat_integral_cure(integral_fault fault); // a way out

/* The call with results in out, and what is to blame for one of them. For messages. */
void flat_call_traced(const flat_function *g, const double *in, double *out, int output,
                      flat_call_cause *cause);

/* The same of what a tape calls; false: it is no program. */
bool flat_traced(const tape_function *f, const double *in, double *out, int output,
                 flat_call_cause *cause);

/* How a call is written: expr_context.call_text. */
const char *flat_call_text(const flat_model *m, int function, int output, int k);

#endif
