/* Run: the state of one run of a compiled model, and the callbacks of its vinc_problem.
 *
 * A run_state holds parameter values, discrete values, workspace, and the vinc_problem whose `user`
 * it is. It belongs to one thread at a time; the model it runs is shared and only read.
 *
 *     run_new(model, m, &state)
 *     run_set(state, "L", 2.0, why)            any number of times
 *     run_begin(state, t0, why)                parameters evaluated, start values ready
 *     start_values(state, t0, ...)             start/start.h
 *     ... integrate run_problem(state) ...
 *     run_free
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include "code/model.h"
#include "vincolo_problem.h"

typedef struct run_state run_state;

struct crew;
int run_new(const code_model *model, mem *m, run_state **out); // VINC_OK, VINC_E_MEMORY
void run_free(run_state *s);
/* Workspace for finding start values, kept for the next time; NULL: no memory. */
void *run_room(run_state *s, size_t bytes); // zeroed
void run_leave_room(run_state *s);          // the start is done: a large one is given back
vinc_problem *run_problem(run_state *s);
void run_by_crew(run_state *s,
                 struct crew *c); // long equations are evaluated by these threads, which outlive it

/* From now on the problem's outputs are these n of its outputs, in this order; NULL: all of them. */
int run_record(run_state *state, const int *outputs, int n);
/* Code for those alone, where they are a small part of what is computed. Inside the guard of api. */
int run_record_compile(run_state *state, arena *scratch);

/* A run of so many rows begins: from a few hundred on it pays to make code for several at once. */
void run_expect_rows(run_state *state, long rows);

/* These n of the outputs of the model at a point, whatever is recorded. Status as of a callback. */
int run_values(run_state *s, double t, const double *y, const double *yp, const int *outputs, int n,
               double *out);

/* A run begins: do its rows show what the method makes, as those of fixed steps do, or, where the
 * formulation keeps a higher index, what follows by the equations of index 1? */
void run_show_steps(run_state *s, bool shown);
/* The rows at which it does not, and the first of them. */
long run_rows_missed(const run_state *s, double *first);

/* From now on the problem has products of its Jacobian with vectors, too. VINC_OK, VINC_E_MEMORY. The
 * code outlives the run. */
struct code_tangent;
int run_products(run_state *s, const struct code_tangent *code);

/* A parameter's value, or a variable's start value, then held fixed; "der(x)" too. VINC_OK, or
 * VINC_E_OPTION and a sentence in why: no such name (the nearest is offered), final, structural. */
int run_set(run_state *s, const char *name, double value, text *why);
/* Inputs: u[i] at time t and its time derivative. Without it inputs keep their start values. */
void run_inputs(run_state *s, void (*input)(void *user, double t, double *u, double *up),
                void *user);
/* Inputs are about to be given other values at this point: from here pre() reads what was before. */
void run_note_before(run_state *s, double t, const double *y, const double *yp);
/* Warnings of the model (assertions of level warning): each is given once. */
void run_warnings(run_state *s, void (*warn)(void *user, span at, const char *words), void *user);
/* Evaluate parameters and start values; to be called after the last set. VINC_OK or VINC_E_MODEL. */
int run_begin(run_state *s, double t0, text *why);
/* When sub-partition `clock` ticked last; NaN: not yet. */
double run_last_tick(const run_state *s, int clock);
double run_constant(const run_state *s, int column); // value of a constant column

/* All that changes while it runs, to come back to; for this run or another one of the same model.
 * run_restore: VINC_E_OPTION where the model is another. */
typedef struct run_saved run_saved;
int run_save(const run_state *s, run_saved **out); // VINC_OK, VINC_E_MEMORY
int run_restore(run_state *s, const run_saved *saved);
void run_saved_free(run_saved *saved); // NULL is fine
/* The same as bytes. run_saved_read: VINC_E_OPTION where they do not fit the run. */
size_t run_saved_size(const run_saved *saved);
void run_saved_write(const run_saved *saved, unsigned char *out);
int run_saved_read(const run_state *s, const unsigned char *from, size_t n, run_saved **out);

/* Why did the model stop the run (an assertion, an event that does not settle)? */
bool run_fault(const run_state *s, span *at, text *why);

/* The line of what changed in the last event; false: nothing did that has one. */
bool run_event_place(const run_state *s, span *at);

/* Can the formulation run with constraints that depend on each other? Then it will, with
 * multipliers of least norm. */
bool run_allow_redundant(run_state *s, double t, const double *y, const double *yp);

#endif
