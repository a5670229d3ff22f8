/* Derivatives of a trajectory by parameters and start values, carried along with it.
 *
 * With F(t, y, y', w, p) = 0 the derivatives s_k = dy/dp_k solve
 *
 *     dF/dy s + dF/dy' s' + dF/dw dw_k + dF/dp dp_k = 0,
 *
 * the linear equations that every method solves with the matrix of the step anyway: the problem of
 * vary_problem has y, s_1, s_2 ... as its unknowns and one block of the Jacobian for each
 * (vinc_problem.blocks). dp_k are the parameters that move with parameter k, dw_k the discrete values.
 *
 * At an event whose time moves by tau_k (g(t, y, ...) = 0 there, so that tau = - Dg / (dg/dt)) everything
 * is differentiated along with that time: D y = s + y' tau before it, new values of discrete variables and
 * of reinit() by the chain rule, what depends on the states by the equations, and s = D y - y' tau after
 * it (W. F. Feehery, J. E. Tolsma and P. I. Barton, Appl. Numer. Math. 25 (1997) 41-54; S. Galan, W. F.
 * Feehery and P. I. Barton, Appl. Numer. Math. 31 (1999) 17-47).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_VARY_H
#define RUN_VARY_H

#include "code/variation.h"
#include "run/state.h"

typedef struct run_variation run_variation;

/* By what: a parameter, or the start value of an entry (times sign); the other one is -1. Both -1: by an
 * input that is shifted as a whole (1 + its number; 0: none), or by nothing that the model has. Where one number stands for several of them, `next` is another one that
 * moves with it, counted from 1 among all that vary_new was given; 0: there is none. */
typedef struct vary_by {
    int param, entry;
    double sign;
    int next;
    int input;
} vary_by;

/* The first m of n_by are what derivatives are taken by. VINC_OK, VINC_E_MEMORY. The state has it from now
 * on, and frees it. The code outlives it. */
int vary_new(run_state *s, const code_variation *code, const vary_by *by, int m, int n_by);
void vary_free(run_state *s); // NULL is fine
run_variation *vary_of(const run_state *s);

/* After run_begin: derivatives of parameters, start values and discrete values. */
void vary_begin(run_state *s);
int vary_count(const run_variation *x);
double vary_start_of(const run_variation *x, int k, int entry); // d start / d p_k
double *vary_discrete(const run_variation *x, int k);           // dw by column of w
const double *vary_parameters(const run_variation *x, int k);   // dp by column of p

/* A direction in which a function is differentiated; NULL: nothing of these moves. */
typedef struct vary_direction {
    double t;
    const double *y, *yp, *w, *p;
} vary_direction;

/* Values of the derivative of f at a point, good until the next call; then out (rows) := its product
 * with a direction. */
void vary_at(run_variation *x, const code_varied *f, double t, const double *y, const double *yp);
void vary_times(const run_variation *x, const code_varied *f, const vary_direction *d, int rows,
                double *out);

/* What depends on the states follows them: of m directions, n numbers each, dy holds the derivatives of
 * states and gets the others, dyp gets all. tau (NULL: none) says how time moves; with dw, dp those of
 * the parameters are meant, otherwise nothing but time and states moves. VINC_OK, VINC_E_MEMORY, 1: the
 * equations do not determine them. */
int vary_follow(run_variation *x, double t, const double *y, const double *yp, int m,
                const double *tau, bool with_parameters, double *dy, double *dyp);

/* A state of rest, y' = 0, near y, which is corrected: its derivatives by the first m of the parameters solve dF/dy s =
 * - dF/dp, however it was come to. VINC_OK, VINC_E_MEMORY, 1: the equations do not determine it, as where sums are
 * conserved that the start decides; then nothing has changed. */
int vary_rest(run_variation *x, double t, int m, double *y, double *yp, double *dy, double *dyp);

/* Discrete values at the start, y and y' (and their derivatives) given; true: some have changed. */
bool vary_start_discrete(run_variation *x, double t, const double *y, const double *yp,
                         const double *dy, const double *dyp);

/* The problem of y and s: (1 + m) n unknowns. These outputs of the model, in this order, have derivatives
 * among its outputs, after those of the plain problem: all of parameter 1, all of parameter 2 ... */
int vary_record(run_variation *x, const int *outputs, int n); // VINC_OK, VINC_E_MEMORY
const vinc_problem *vary_problem(run_variation *x);
/* The same derivatives at a point, m n numbers. Status as of a callback. */
int vary_outputs(run_variation *x, double t, const double *Y, const double *Yp, double *out);

/* The derivatives at the start, m n numbers each, as start/start.h leaves them. */
void vary_started(const run_variation *x, const double **dy, const double **dyp);

/* A start value whose derivatives at the start are rounding: other equations decide. */
bool vary_starts_nothing(const run_variation *x, int k);

/* Does it move the trajectory, or outputs alone? By structure, not by numbers: those at the end that do
 * not are no unknowns of vary_problem, which has vary_moving() of them. */
double vary_constant(const run_variation *x, int k, int column); // d of a constant column
void vary_keep_moving(run_variation *x, int n); // at least the first n are unknowns all the same
bool vary_moves(const run_variation *x, int k);
int vary_moving(const run_variation *x);
void vary_control(run_variation *x, bool on); // error tests count derivatives; at first they do not
/* Products with few directions may go along with values. Entries, which are used otherwise, add up in the order
 * of columns, so that derivatives of what equations conserve exactly are conserved exactly, too: a search for a
 * state of rest over many decades of time needs that. */
void vary_allow_along(run_variation *x);
bool vary_is_output(const run_variation *x, int k,
                    int output); // ... this one is a parameter that it moves
/* Does it move anything at all? By structure, not by numbers. */
bool vary_does_nothing(const run_variation *x, int k);
bool vary_moves_samples(const run_variation *x, int k); // the times of sample() move with it

/* ---- at events (called by event.c, settle.c, event_act.c; nothing happens without a variation) -- */

bool vary_at_event(const run_state *s);
/* Cells of discrete variables have run: derivatives of what they gave; true: some have changed. */
bool vary_cells_ran(run_state *s, double t, const double *y, const double *yp);
void vary_acts_ran(run_state *s, double t, const double *y, const double *yp);
void vary_reinit(run_state *s, int action);
void vary_past_is_present(run_state *s);
void vary_note_before(run_state *s, double t, const double *y, const double *yp);

#endif
