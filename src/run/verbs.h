/* What start values and inspection ask of a run: the model, a point, evaluation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_VERBS_H
#define RUN_VERBS_H

#include "code/model_parts.h"
#include "run/state.h"

const code_model *run_model(const run_state *s);
mem *run_mem(const run_state *s);
/* The run of the formulation by which start values are found: its own initial system, or itself. */
run_state *run_initial(run_state *s);
/* Has the run to stop? To be asked with every evaluation; callbacks give < 0 then. */
bool run_stops(run_state *s);

const double *run_nominal(const run_state *s);      // by component of y
double run_start_of(const run_state *s, int entry); // start value
bool run_is_fixed(const run_state *s, int entry);   // ... that must be kept
const double *run_parameters(const run_state *s);   // p
bool run_is_given(const run_state *s,
                  int param); // ... set from outside, so that its binding is idle
/* What run_set would set: a parameter or an entry, the other one -1; both: a discrete variable or an
 * input. sign: -1 where the name is an alias of opposite sign. Status as of run_set. */
int run_place_of(const run_state *s, const char *name, int *param, int *entry, double *sign,
                 text *why);
/* Why nothing has derivatives by this parameter; NULL: it is a Real one. */
const char *run_cannot_vary(const run_state *s, int param);
double *run_discrete_values(run_state *s); // w; to be written between evaluations only
void run_take_discrete(run_state *s, const run_state *from); // from another formulation

/* Evaluate f into out (and out2). Inputs and what delay() remembers are brought up to date. */
void run_eval(run_state *s, const code_fn *f, double t, const double *y, const double *yp,
              double *out, double *out2);
/* The same with inputs as they were just before t. */
void run_eval_left(run_state *s, const code_fn *f, double t, const double *y, const double *yp,
                   double *out);
/* The arguments of such an evaluation, for tapes that are run by themselves. */
/* What belongs to the run of routines that tapes call (tape_args.run); NULL: nothing does. */
void *run_routines(const run_state *s);
tape_args run_args(run_state *s, double t, const double *y, const double *yp);
/* Inputs and what delay() remembers, for who reads them without a tape. */
void run_refresh(run_state *s, double t, const double *y, const double *yp);

/* ---- dependent unknowns (dependents.c) ------------------------------------------------------- */

/* Given the independent components of y, solve F = 0 for the others and for y'. Status as of a
 * callback; VINC_E_MEMORY. */
int run_solve_dependent(run_state *s, double t, double *y, double *yp);
int run_find_dependent(run_state *s, double t, double *y,
                       double *yp); // ... layer by layer first, where they serve (layered.c)
void run_search_near(run_state *s,
                     bool near); // from there alone, or as it is at first, from elsewhere, too
int run_follow(run_state *s, double t, double *y, double *yp); // ... by the right-hand side, if any
/* The matrix of it, with the pattern of the Jacobian; NULL: not to be had. Good until the next call. */
const double *run_dependent_matrix(run_state *s, double t, const double *y, const double *yp);

/* Before and after points are looked at that are no part of the run: factors, and what is known of them,
 * are others in between, so that the run goes on as if nobody had looked. VINC_E_MEMORY: not to be had. */
int run_look(run_state *s);

/* The largest kinetic energy met so far, where the model has one. */
double run_kinetic_most(const run_state *s);

/* ---- choice of states (reselect.c) ----------------------------------------------------------- */

/* Choose P of every group afresh at this point; < 0: failed. */
int run_select(run_state *s, double t, const double *y, const double *yp);
/* The same with coordinates instead of combinations. */
int run_select_coordinates(run_state *s, double t, const double *y, const double *yp);
/* How far each group is from the angle at which its choice has to be renewed at the latest: positive
 * before it. Status as of a callback. */
int run_choice_margins(run_state *s, double t, const double *y, const double *yp, double *margin);
/* The group whose named independent coordinates have become singular; -1: none. */
int run_singular_choice(const run_state *s);
/* Derivatives by y of the constraints of all groups: the values of model->choice.pattern. Good until
 * the next call. */
const double *run_group_jacobian(run_state *s, double t, const double *y, const double *yp);

/* ---- events (event.c, settle.c) -------------------------------------------------------------- */

/* The event iteration: relations, discrete variables and dependent unknowns until all agree. */
int run_update_discrete(run_state *s, double t, double *y, double *yp, int *changed);
/* One sweep of them, y as it is; true when something changed. */
/* An initial equation of discrete variables that does not hold: its number among the claims, and the
 * values of its sides; -1: all hold. To be asked while initial() is true. */
int run_broken_claim(run_state *s, double t, const double *y, const double *yp, double side[2]);
bool run_refresh_relations(run_state *s, double t, const double *y, const double *yp);
/* From now on sides that count as equal keep their order while settling. */
void run_hold_ties(run_state *s, bool hold);
bool run_refresh_first(run_state *s, double t, const double *y, const double *yp); // of conditions

/* ---- mechanics (accelerate.c) ---------------------------------------------------------------- */

/* M a + B lambda + r_d = 0, G a + r_c = 0 at a point; matrices by columns. Status as of a callback. */
typedef struct run_mechanics {
    int n, m;
    double *M, *B, *G, *rd, *rc;                 // n*n, n*m, m*n, n, m
    int *acceleration, *constraint, *multiplier; // n, m, m: rows and components of the system
} run_mechanics;
int run_mechanics_at(run_state *s, double t, const double *y, run_mechanics *x);

/* ---- rank of constraints (rank.c) ------------------------------------------------------------ */

static const double RUN_DEPENDENT = 1e-9; // relative singular value of redundant constraints
/* Rank at a point of the matrix of constraints, which must be there (model->rank); -1: not to be had.
 * sigma (m): singular values; U (m * m, may be NULL): left singular vectors by columns. */
int run_rank(run_state *s, double t, const double *y, const double *yp, double *sigma, double *U);
/* The matrix itself (m * n, by columns), columns in units of the nominals, rows of equal size. */
bool run_rank_matrix(run_state *s, double t, const double *y, const double *yp, double *G);

#endif
