/* Optimal control: what its files share.
 *
 * Controls are inputs of the model, constant on equal pieces of the run, or linear on them and continuous. The model is extended by the goal,
 * by a state for each integral, and by a variable for each constraint, so that the model compiler
 * differentiates them all, twice where it pays. Piece by piece the motion becomes a problem of nonlinear
 * optimization (nlp.h): by collocation, whose unknowns are y at the nodes of Radau IIA in each piece
 * (collocate.c), or by shooting, whose unknowns are the states where pieces begin (shoot.c); or, without
 * constraints, of the controls alone (shoot.c).
 *
 * H. G. Bock and K. J. Plitt, IFAC Proc. 17 (1984) 1603-1608; L. T. Biegler, Nonlinear Programming, SIAM
 * 2010, chapters 9 and 10.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_OPTIMAL_PARTS_H
#define STUDY_OPTIMAL_PARTS_H

#include "run/vary_parts.h"
#include "study/fit_parts.h"
#include "study/nlp.h"

static const double OPTIMAL_UNBOUNDED = 1e20, // of Ipopt
    OPTIMAL_MISSED = 1e-5;                    // by more than this a constraint does not hold

typedef struct optimal_control {
    const char *name; // of the input of the extended model
    double lower, upper, start;
    /* Where controls are linear on pieces: the input is the rate of a state, which the control is. Its start
     * is a parameter, its bounds are constraints. `of` is what it was in --over. */
    const fit_parameter *of;
    int start_number; // of that parameter
    int input;        // of the model
    int column;       // of w, among those of its derivatives
} optimal_control;

typedef struct optimal_limit { // lower <= its output <= upper
    const char *words;         // as they were written
    const char *variable;      // of the extended model
    bool at_end;               // at the end of the run alone
    double lower, upper, sign; // sign: the output is the negative of the variable
    int output;
} optimal_limit;

typedef struct optimal {
    vinc_model *model, *extended;
    const vinc_goal_options *o;
    fit_problem *parts; // --over, as it was read
    arena *a;
    text *texts[4];        // of the extended model; the caller frees them after the guard
    vinc_sim *sim, *table; // of the search; of the motion that it found
    run_state *s;
    run_variation *x;
    const code_variation *code;
    const vinc_problem *p;
    int n, pieces;
    optimal_control *controls;
    const fit_parameter **parameters; // derivatives by controls come first, then these
    int n_controls, n_parameters;
    int n_named; // parameters that were asked for: the first ones
    bool linear; // controls are, on pieces
    bool free_end;
    double t_start, t_stop, stop_lower, stop_upper;
    optimal_limit *limits; // those along the motion first
    int n_limits, n_path;
    int goal; // output
    double
        goal_sign; // -1: the output is its negative, or the largest value is wanted; 1: neither or both
    double *inputs;       // of the model, as they are now
    double *begun;        // controls of the first piece and parameters for which the start is known
    double *start_slopes; // of y, by controls and parameters, n each
    bool is_begun;
    long runs;
    int stop; // what ends all: VINC_E_INTERRUPTED, VINC_E_LIMIT, VINC_E_MEMORY
} optimal;

/* ---- the words (optimal_read.c) -------------------------------------------------------------- */

/* Is it more than parameters within bounds? parts: --over, read. */
bool optimal_is_meant(const vinc_model *model, const vinc_goal_options *o,
                      const fit_problem *parts);
/* The parts of q by its options, and the extended model; VINC_OK, or why not, said. */
int optimal_read(optimal *q);

/* ---- points (optimal.c) ---------------------------------------------------------------------- */

/* After it is read, inside the guard: what is begun from. VINC_OK, or why not, said. */
int optimal_open(optimal *q);
void optimal_set_controls(optimal *q, const double *u);
/* Consistent start values for the controls of the first piece and parameters: y in sim->y. 0; 1: there are
 * none; -1: stop. So for all that follows. */
int optimal_begin(optimal *q, const double *u, const double *parameters);
/* d start / d control or parameter k, n numbers. */
const double *optimal_start_slope(const optimal *q, int k);
/* The derivative of an output at a point by [t, y, y', controls, parameters]. The values of
 * of[CODE_V_COMPUTED] there are in q->x->values. */
void optimal_output_slope(const optimal *q, int output, double *row);
static inline int optimal_n_columns(const optimal *q)
{
    return 1 + 2 * q->n + q->n_controls + q->n_parameters;
}

/* y' and what depends on the states. */
int optimal_settle(optimal *q, double t, double *y, double *yp);
/* From (y, y') at t0 to t1 by the plain problem, controls as they are set, settled first; y at n_times
 * times within, n numbers each, to `at` (NULL: not wanted). */
int optimal_piece(optimal *q, double t0, double t1, double *y, double *yp, const double *times,
                  int n_times, double *at);
/* The same by any problem of the run, and how. */
sim_options optimal_driver(optimal *q, double t0, double t1);
int optimal_drive(optimal *q, const vinc_problem *p, const sim_options *o, double *y, double *yp);
bool optimal_stops(void *user); // user: optimal
/* By component of y: the value that a constraint gives it at the end, NaN: none does. A motion to begin
 * with is bent there. */
void optimal_targets(const optimal *q, double *target);

/* ---- transcriptions -------------------------------------------------------------------------- */

/* A point of the search in terms of the problem. */
typedef struct optimal_answer {
    double *controls;   // by piece
    double *parameters; // those that are varied
    double t_stop;
    double *nodes; // y where pieces begin, n each
    double value;  // of the goal, as it was asked for
    double start;  // ... where the search began
    nlp_end end;
    int iterations;
    double violation; // the largest of a constraint; and of which, when
    int worst;        // -1: the equations of the motion
    double worst_t;
} optimal_answer;

/* A row that is off by so much, of constraint `limit` (< 0: of the equations): constraints that are missed
 * are named before equations are. */
void optimal_note_violation(optimal_answer *out, double off, int limit, double t);

/* All of it: into told, whose lists are in the arena. q->sim, q->table and q->extended are the caller's to
 * free. */
int optimal_tell(optimal *q, vinc_optimum *told);
int optimal_collocate(optimal *q, const nlp_solver *solver, optimal_answer *out);
int optimal_shoot(optimal *q, const nlp_solver *solver, optimal_answer *out);

#endif
