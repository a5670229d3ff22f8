/* Functions of a model, and the list of them.
 *
 * Every function is put on the list of its model when it is lowered; compiling, freeing, scratch
 * space and --dump=tape walk the list.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_FUNCTIONS_H
#define CODE_FUNCTIONS_H

#include "code/lower.h"
#include "image/image_function.h"
#include "routine/routine.h"

typedef struct code_listed {
    const char *name; // for --dump=tape
    const char *what; // what is lowered, for messages
    uint8_t when;     // code_when
    code_fn *f;
} code_listed;

typedef struct code_list {
    ARRAY(code_listed) all;
    ARRAY(double) numbers;               // that stand behind the parameters in p
    ARRAY(const tape_program *) hoisted; // by function: what is compiled of it
    routine_codes *routines;             // that they call; shared with the system of start values
    bool *taken; // by element of w: it is, or its opposite, all that an expression is; NULL: none
} code_list;

/* The function out[i] = roots[i], put on the list of l; `at` may be NULL. False after a diagnostic. */
bool code_function(lowering *l, const code_listed *of, const expr *roots, const span *at, int n);
/* The function that is the tape t. */
void code_tape(lowering *l, const code_listed *of, const tape *t);
/* What of f the results with wanted[k] depend on; it leaves the others as they are. */
void code_slice(lowering *l, const code_listed *of, const code_fn *f, const bool *wanted);
/* Its derivative by y and y': the values of a pattern of n_rows by n_cols. */
void code_derivative(lowering *l, const code_listed *of, const tape_program *f, int n_rows,
                     int n_cols, vinc_pattern *pattern);

/* Its derivative by t, y and y', 1 + 2 n_cols columns. */
void code_slopes(lowering *l, const code_listed *of, const tape_program *f, int n_cols,
                 vinc_pattern *pattern);

/* VINC_OK, VINC_E_MEMORY. *scratch and *n_w: at least what the functions need. */
int code_list_compile(const code_list *list, mem *m, size_t *scratch, int *n_w);
void code_list_free(const code_list *list);
void code_list_print(const code_list *list, text *out);

#endif
