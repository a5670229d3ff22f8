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

    const struct routine_program *program; // what is executed instead; NULL: nothing
    const tape_function *routine;          // how it is executed; NULL: it is not
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

/* Set the members of the pool's context that concern functions; context.user must be the model. */
void flat_attach_functions(flat_model *m);

/* How a call is written: expr_context.call_text. */
const char *flat_call_text(const flat_model *m, int function, int output, int k);

#endif
