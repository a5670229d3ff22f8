/* Routines: functions that are executed while a model runs, bound to what tapes call.
 *
 * A routine has a number, that of its function in the flat model. Programs call each other by number,
 * tapes by address (tape_function).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_ROUTINE_H
#define ROUTINE_ROUTINE_H

#include "routine/program.h"
#include "tape/tape.h"

typedef struct routine_set {
    arena *a;
    const struct watch_limits *limits; // of the context; NULL: none
    ARRAY(const tape_function *) all;  // by number; NULL: the function is not executed
    struct routine_vain *folding;      // what calls without a run keep: those that fold literals
} routine_set;

routine_set *routine_set_new(arena *a);
/* Routine `number` is f from now on. */
void routine_set_put(routine_set *set, int number, const tape_function *f);
/* Routine `number` is this program from now on. */
const tape_function *routine_set_program(routine_set *set, int number, const routine_program *p,
                                         bool impure);
static inline const tape_function *routine_at(const routine_set *set, int i)
{
    return i < set->all.n ? set->all.at[i] : NULL;
}

/* The program that f executes; NULL: f is another kind of routine. */
const routine_program *routine_program_of(const tape_function *f);

/* The same function, differentiated by d: the derivative along argument j of f is d for 1 as its argument
 * der_at[j], and 0 as the other ones of that kind; -1: differences are taken. f itself is returned if it has too
 * many arguments. */
const tape_function *routine_annotated(arena *a, const tape_function *f, const tape_function *d,
                                       const int *der_at);
typedef struct routine_annotation { // user of such a function
    const tape_function *itself, *derivative;
    const int *der_at; // by argument of `itself`
} routine_annotation;

/* The argument chooses one of n numbers; any other value than 1 ... n chooses the number behind them. */
typedef struct routine_table {
    int n;
    const double *at; // n + 1
} routine_table;
const tape_function *routine_table_function(arena *a, int n, const double *at);
/* The text as a number (external_code), which is another one in every process. */
const tape_function *routine_text_function(arena *a, const char *words);

/* ---- machine code, and what runs keep -------------------------------------------------------- */

/* Programs as machine code, by number (machine_code.h). */
typedef struct routine_codes {
    ARRAY(struct routine_compiled *) all; // NULL: it is interpreted
} routine_codes;

/* Puts f, which tapes call, on the list, and the routine that its derivative annotation names. A program that
 * cannot be machine code is interpreted. */
void routine_codes_add(routine_codes *list, const tape_function *f, arena *a, arena *scratch);
/* Compiles what has not been compiled yet. VINC_OK, VINC_E_MEMORY. */
int routine_codes_compile(const routine_codes *list, mem *m);
void routine_codes_free(const routine_codes *list);

/* What the programs of one run keep; it is passed to external_run_lend. The codes may be NULL. */
typedef struct routine_run routine_run;
int routine_run_new(mem *m, const routine_codes *codes,
                    routine_run **out); // VINC_OK, VINC_E_MEMORY
void routine_run_free(routine_run *x);  // NULL is fine

/* ---- integrals, and causes ------------------------------------------------------------------- */

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
typedef struct routine_cause {
    uint8_t op;                         // expr_op; EXPR_NONE: the program gave up
    double x[3];                        // the operands
    const char *function;               // in which it is; NULL: none is to blame
    const routine_subscript *subscript; // x[0], which is out of range, is one of it; NULL: none is
    const routine_loop *endless;        // does not end within PROGRAM_STEPS; NULL: none is
    const char *said;                   // by a call of error(), what of it is text; NULL: nothing
    const routine_integral *integral;   // which has no value; NULL: none
    integral_fault fault;               // why
    int coordinate;                     // whose bounds are inverted, low and high
    double at[3], low, high;            // where: coordinates
} routine_cause;

/* The integrals for these arguments. False: there are none, and *cause says why. */
bool routine_integrate(const routine_set *set, const routine_integral *q, const double *args,
                       double tol, double *out, routine_cause *cause);
/* "it does not converge near x = 1": why an integral has no value. */
void routine_integral_words(const routine_cause *cause, text *out);
const char *routine_integral_cure(integral_fault fault); // a way out

/* The call of a program with results in out, and what is to blame for one of them. For messages. */
void routine_traced(const tape_function *f, const double *in, double *out, int output,
                    routine_cause *cause);

#endif
