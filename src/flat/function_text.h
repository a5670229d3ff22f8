/* How functions are printed: declarations and calls. Private to flat.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FUNCTION_TEXT_H
#define FLAT_FUNCTION_TEXT_H

#include "flat/function_def.h"
#include "flat/inst.h"

/* A declaration; lives in the model. */
typedef struct function_text function_text;
struct function_text {
    const char *name;        // as it is printed: quoted if need be
    sym plain;               // without quotes
    const char *declaration; // NULL: it could not be written down
    bool further;            // made for a further output of another function
    ARRAY(function_text *) needs;
};

/* The declaration of a function or record; made when first asked. */
function_text *function_text_of(flat_builder *b, function_def *f);
/* A copy of the class with names from outside replaced, in a; NULL when that is not possible. */
const ast_class *function_clone(flat_builder *b, function_def *f, function_text *t, arena *a);

/* A function with the same inputs and only output o, for calls that need a further output: the
 * language can name only the first one in an expression. */
const ast_class *function_clone_output(flat_builder *b, function_def *f, function_text *t, int o,
                                       arena *a);

/* How calls of a kept function are printed: text before, between and behind the arguments. */
struct function_pieces {
    function_text *text;
    const char **between; // before argument k, 0 < k < n_args
    const char **first;   // of each scalar output: before the first argument, or all if there is
                          // none
    const char **last;    // of each scalar output: behind the last argument
    ARRAY(function_text *) further; // other functions that calls name
};
struct function_pieces *function_pieces_of(flat_builder *b, function_def *f,
                                           const flat_function *g);

#endif
