/* The routines of a compiled model as plain data, a row each, and how rows become functions.
 *
 * A row says what kind of routine it is and what that needs: a program, numbers, the name of a function
 * in C and where its arguments come from, or another row and what is made of it. What tapes call is
 * bound to rows in one place, routine_bind: when a model is loaded by another process, for the addresses
 * of functions are others there.
 *
 * The first rows are those of the functions of the flat model, by number: programs call them by it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_ROUTINE_ROWS_H
#define ROUTINE_ROUTINE_ROWS_H

#include "base/map.h"
#include "external/external.h"
#include "routine/routine.h"

typedef struct routine_row {
    uint8_t kind; // tape_function_kind; TAPE_FN_OTHER: nothing calls it, and it stays unbound
    bool impure;
    int of;            // annotated, partials, guarded: row of the routine itself; else -1
    int derivative;    // annotated: row; else -1
    int n;             // annotated, partials: arguments; guarded: tests; table: numbers but one
    const int *der_at; // annotated: n places among arguments of the derivative; -1: by differences
    const uint8_t *active; // partials: n, 1: by this argument; guarded: 2 n (tape_guarded.test)
    const double *numbers; // table: n + 1
    const char *text;      // text: itself; external: the name of the function in C
    const routine_program *program;   // program: its calls name rows
    const external_routine *external; // external: the call, but for f, which is NULL
    const external_wish *wish; // external: where a function of the user is; NULL: it is one of ours
} routine_row;

typedef struct routine_rows {
    ARRAY(routine_row) all;
    /* By row: the function that tapes of this process call; NULL: none does. */
    ARRAY(const tape_function *) bound;
    map row_of; // by address of such a function: 1 + row
} routine_rows;

/* Makes an empty row for each routine of the set; NULL: the flat model executes no function. */
void routine_rows_init(routine_rows *x, const routine_set *set, arena *a);
/* Fills or adds the rows of all that the program calls. */
void routine_rows_add(routine_rows *x, const tape_program *p, arena *a);
void routine_rows_add_tape(routine_rows *x, const tape *t, arena *a); // NULL: it calls nothing
/* May a program that was read from a file be run? Its calls name routines of the set; integrals lie in others at most
 * `depth` times. */
bool routine_program_stands(const routine_program *p, const routine_set *set, int depth);
/* Makes functions of all rows; they are numbered as the rows, live in a and go on reading the rows. NULL: why
 * (EXTERNAL_WHY bytes) says what is missing here. */
routine_set *routine_bind(const routine_row *rows, int n, arena *a, char *why);

#endif
