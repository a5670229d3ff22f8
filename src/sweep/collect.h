/* What is kept of a run: expressions over functionals of its trajectory.
 *
 *     collect    := item { ";" item }
 *     item       := [ name "=" ] value
 *     value      := arithmetic over numbers and functionals; a variable alone is final(variable)
 *     functional := max(s) | at(s, t) | first(c) | ...             the list is in collect_read.c
 *     s          := arithmetic over variables, der(x), time and functions: L*sin(phi) - x
 *     c          := s < s | s >= s | b | c and c | c or c | not c
 *
 * Values are those of the dense output, to the tolerance of the run: extremes are found between the
 * ends of steps, conditions located, integrals made by adaptive quadrature on each step; at() has a
 * step end at its time. Nothing of the trajectory is kept.
 *
 * A condition has a margin, which is positive where it holds; `and` is the smaller of two margins.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_COLLECT_H
#define SWEEP_COLLECT_H

#include "base/arena.h"
#include "base/diag.h"
#include "vincolo.h"

#include <stdbool.h>

typedef enum collect_kind {
    COLLECT_FINAL,
    COLLECT_INITIAL,
    COLLECT_MAX,
    COLLECT_MIN,
    COLLECT_RANGE,
    COLLECT_ARGMAX,
    COLLECT_ARGMIN,
    COLLECT_AT,
    COLLECT_FIRST,
    COLLECT_COUNT,
    COLLECT_DURATION,
    COLLECT_INTEGRAL,
    COLLECT_MEAN,
    COLLECT_RMS,
    COLLECT_EVENTS, // count(events)
    COLLECT_STEPS   // count(steps)
} collect_kind;

/* Postfix code. */
typedef enum collect_code {
    COLLECT_NUMBER,
    COLLECT_VARIABLE, // place in the list of variables
    COLLECT_TIME,
    COLLECT_RESULT, // of a functional
    COLLECT_ADD,
    COLLECT_SUBTRACT,
    COLLECT_MULTIPLY,
    COLLECT_DIVIDE,
    COLLECT_POWER,
    COLLECT_NEGATE,
    COLLECT_FUNCTION, // place in the list of functions
    COLLECT_LESS,
    COLLECT_LESS_EQUAL,
    COLLECT_AND,
    COLLECT_OR,
    COLLECT_TRUTH // of a Boolean
} collect_code;

typedef struct collect_op {
    collect_code code;
    int place;
    double number;
} collect_op;

typedef struct collect_program {
    const collect_op *ops;
    int n;
    bool slopes; // all its variables have derivatives
} collect_program;

typedef struct collect_functional {
    collect_kind kind;
    collect_program signal;
    double t; // of COLLECT_AT
} collect_functional;

typedef struct collect_item {
    const char *name;
    collect_program value;
} collect_item;

/* A level of nesting leaves at most six operands waiting: or, and, <, +, *, ^. */
enum { COLLECT_MOST = 256, COLLECT_DEPTH = 50, COLLECT_STACK = 6 * (COLLECT_DEPTH + 2) };

/* What is asked for; shared by all threads, and not changed after it is bound. */
typedef struct sweep_collect {
    collect_item items[COLLECT_MOST];
    collect_functional functionals[COLLECT_MOST];
    const char *variables[COLLECT_MOST];
    int n_items, n_functionals, n_variables;
    /* Columns of a run: those of the variables, then those of their derivatives, where they exist. */
    int columns[2 * COLLECT_MOST], n_columns;
    int slope[COLLECT_MOST]; // of variable i: its place among the columns; -1: none
    bool follows, inside;    // the trajectory is needed; also inside of steps
    double *ends;            // times of at(), ascending
    int n_ends;
} sweep_collect;

/* Read; false after a message. Inside a guard. */
bool sweep_collect_read(sweep_collect *c, const char *text, arena *a, diag_sink *d);
/* Find its variables in runs like this one, whose times are known. */
bool sweep_collect_bind(sweep_collect *c, vinc_sim *sim, double t_start, double t_stop, arena *a,
                        diag_sink *d);

/* The functionals, as they are written, and what they are; NULL after the last. */
typedef struct collect_word {
    const char *name;
    collect_kind kind;
    const char *written, *summary;
} collect_word;
extern const collect_word collect_words[]; // ends with a NULL name

/* The first functional that needs more than values at the end of a run; NULL: there is none. */
const collect_functional *sweep_collect_beyond_end(const sweep_collect *c);
/* What is collected where that is so, from the values of the variables at t; results: room for the
 * functionals. */
void sweep_collect_at_end(const sweep_collect *c, double t, const double *values, double *results,
                          double *out);

/* ---- one run after the other (collector.c) ----------------------------------------------------- */

typedef struct sweep_collector sweep_collector;

size_t sweep_collector_bytes(const sweep_collect *c);
/* In a block of that size. tolerance: the relative one of the run, for integrals. */
sweep_collector *sweep_collector_init(void *block, const sweep_collect *c, double t_start,
                                      double tolerance);
/* For vinc_sim_options.follow; user is the collector. */
int sweep_collector_follow(void *user, vinc_sim *sim, double t0, double t1);
/* After a run that came to its end: one value of each item. VINC_OK, or the status of the run's. */
int sweep_collector_finish(sweep_collector *x, vinc_sim *sim, double *out);
void sweep_collector_begin(sweep_collector *x); // before the run

#endif
