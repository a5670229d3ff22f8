/* vincolo_problem.h: the waist of Vincolo.
 *
 * A vinc_problem is F(t, y, y') = 0 with everything an integrator may want to know about it. The
 * model compiler fills it; a C user may fill it by hand and use the solvers alone. A zeroed
 * optional member means "not there".
 *
 * Callbacks take `user` first and return 0 (fine), > 0 (could not evaluate here: try a smaller
 * step) or < 0 (stop now).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef VINCOLO_PROBLEM_H
#define VINCOLO_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call that can fail returns: 0 done, < 0 failed, > 0 done but look. vincolo.h continues the
 * list. */
enum {
    VINC_OK = 0,
    VINC_STOPPED = 1,       // the progress callback asked to stop: the result is valid up to there
    VINC_TERMINATED = 2,    // the model called terminate()
    VINC_EVENT = 3,         // a step ended at an event
    VINC_E_MEMORY = -1,     // out of memory
    VINC_E_MODEL = -2,      // the model is wrong: see the diagnostics
    VINC_E_OPTION = -3,     // unknown option, method or value, missing file, unwritable output
    VINC_E_PROBLEM = -4,    // the problem cannot be given to this method, or contradicts itself
    VINC_E_NEWTON = -5,     // no convergence, even with the smallest step
    VINC_E_ERROR = -6,      // the error test fails, even with the smallest step
    VINC_E_EVALUATION = -7, // the equations cannot be evaluated, or are not finite
    VINC_E_SINGULAR = -8,   // the iteration matrix is singular
    VINC_E_STOPPED = -9,    // a callback said stop
    VINC_E_TOLERANCE = -10, // more accuracy asked for than the arithmetic has
    VINC_E_LIMIT = -11,     // a limit given by the caller is reached
    VINC_E_WRITE = -12,     // writing a file failed: disk full, closed pipe
    VINC_E_ZENO = -13,      // events without end: they accumulate, or follow each other at once
    VINC_E_INTERRUPTED = -14, // by vinc_ctx_interrupt, before there was a result
    VINC_E_LINEAR =
        -15, // linear systems cannot be solved without a stored matrix: krylov stagnates
    VINC_E_PROGRESS = -16 // steps succeed, but are so short that they do not lead to the end
};

/* What a run has cost so far. */
typedef struct vinc_stats {
    long steps;              // accepted
    long rejected_error;     // rejected by the error test
    long rejected_newton;    // ... because the iteration did not converge
    long rejected_undefined; // ... because the equations could not be evaluated
    long residual_evals, rhs_evals, jacobian_evals;
    long jacobian_residual_evals; // those of residual_evals that difference Jacobians took
    long factorizations, solves;  // complex ones count like real ones
    long newton_iterations;
    /* Of linear systems without a stored matrix; products with those of preconditioners. */
    long linear_iterations, products, preconditioners;
    int dissected; // 1: unknowns were ordered by nested dissection to be eliminated
    long restarts, projections, reselections;
    long deficient;   // factorizations of matrices that leave unknowns open
    int open_unknown; // one that the first of them left open
    /* Tolerances below what rounding makes of an unknown: how often one was widened, the unknown, and
     * what is asked of it instead, at most. */
    long widened;
    int widened_unknown;
    double widened_to;
    double
        work; // operations that were counted: of evaluations, matrices, solutions and sums over stages
} vinc_stats;

/* Sparsity pattern by columns: the rows of column j are row[start[j]] ... row[start[j+1] - 1],
 * ascending. */
typedef struct vinc_pattern {
    int n_rows, n_cols, nnz;
    const int *start; // n_cols + 1
    const int *row;   // nnz
} vinc_pattern;

enum { VINC_ROW_LANES = 4 }; // points of which `rows` makes rows at once

struct method_whole;
/* Formulas of steps in one piece; by lists: those of Rosenbrock, by sparse elimination (src/la/lists.h). Their code is longer,
 * and the automatic choice does not count on it. Mass: dF/dy' is made of numbers, the same at every point and in every run. */
enum {
    VINC_WHOLE_ROSENBROCK = 1,
    VINC_WHOLE_EXPLICIT = 2,
    VINC_WHOLE_BY_LISTS = 4,
    VINC_WHOLE_MASS = 8
};
typedef struct vinc_problem {
    int n, n_roots;          // unknowns (and equations), event indicators
    const vinc_pattern *jac; // pattern of dF/dy and dF/dy' together, fixed for life; NULL: full
    const double *nominal; // typical size of each unknown; scales tolerances and tests; NULL: all 1
    const uint8_t *differential; // 1 where y' occurs; NULL: everywhere
    int autonomous;              // 1: F does not depend on t

    /* r = F(t, y, yp). */
    int (*residual)(void *user, double t, const double *y, const double *yp, double *r);
    /* Values of dF/dy and of dF/dy', both in the order of `jac` (by columns, n*n values without a
     * pattern). Kept apart so that a new step size costs a sum, not an evaluation. NULL: coloured
     * differences are used. */
    int (*jacobian)(void *user, double t, const double *y, const double *yp, double *dy,
                    double *dyp);
    /* out = dF/dy v + dF/dy' vp: what solvers need that store no matrix. NULL: they cannot be used. */
    int (*product)(void *user, double t, const double *y, const double *yp, const double *v,
                   const double *vp, double *out);
    /* g[i] changes its sign where event i happens. */
    int (*roots)(void *user, double t, const double *y, const double *yp, double *g);
    /* Discrete update at an event: may change y, yp and the discrete state behind `user`. *changed:
     * 1 if anything did, -1 if only outputs are others now: rows are written, and the step goes on. */
    int (*event)(void *user, double t, double *y, double *yp, int *changed);
    void *user;

    /* ---- optional: structure an integrator can use ------------------------------------------- */

    /* The indicators of `roots` without the margins that keep rounding from making events: they change their signs
     * exactly where what they compare does. NULL: `roots` has none. */
    int (*bare_roots)(void *user, double t, const double *y, const double *yp, double *g);

    /* Explicit form y' = f(t, y). Unknowns that are not independent (algebraic, or tied by
     * constraints) are first solved for and overwritten in y; then yp is filled. */
    int (*rhs)(void *user, double t, double *y, double *yp);
    /* `rhs` at a point between the ends of steps that is near the constraints: what they tie may stay as it is, and y' is
     * that of the differentiated ones. NULL: `rhs`. */
    int (*stage)(void *user, double t, double *y, double *yp);
    /* 0: it does not for the time being, and is as dear as searching. NULL: it does. */
    int (*stage_serves)(void *user);
    int rhs_linear; // 1: what `rhs` finds beside y' is linear, or tied by constraints: not searched for
    int rhs_from_yp; // 1: it begins to look for them at the yp that it is given
    /* Differentiation level of unknowns and equations, for index-aware scaling: 0 differential or
     * index 1, 1 velocity or index 2, 2 multiplier or index 3. An error in an unknown of level k is
     * weighted by h^k, a residual of level k by h^-k. */
    const int8_t *unknown_level, *equation_level;
    /* 1 where nobody said what size an unknown has: its nominal is a guess, and its absolute tolerance
     * goes down with the largest size that it has had, to a hundredth. NULL: all are as nominal says. */
    const uint8_t *unsized;
    /* 1 where an algebraic unknown is the time derivative of a quantity, or a reaction that is found
     * together with such: its error is weighted by h, as what it makes of that quantity in a step.
     * Error tests of a problem with velocities and regularity count it in full: it is the first to
     * tell of a singular position. NULL: none is. */
    const uint8_t *rate;
    /* Second-order structure for Newmark-type methods: velocity[i] is the unknown that is the time
     * derivative of unknown i, or -1. */
    const int *velocity;
    /* Move y (and yp) the least distance onto all constraints and hidden constraints. */
    int (*project)(void *user, double t, double *y, double *yp);
    /* The same for points between steps only, where the steps themselves are left as they are. */
    int (*output_project)(void *user, double t, double *y, double *yp);
    /* What is taken of project, output_project or rhs for a point between steps, but only as well as
     * rows of results need it: to this part of |y| + nominal. */
    int (*project_within)(void *user, double t, double *y, double *yp, double within);
    /* `project` for the end of a step that has met the constraints as equations of F: as above where
     * they are far from losing rank. NULL: `project`. */
    int (*project_end)(void *user, double t, double *y, double *yp, double within);
    /* Corners: differences whose sign changes where F bends or jumps without an event, as of an `if` in a
     * function. Steps that fail for them end there. NULL: none, or unknown. */
    int n_corners;
    int (*corners)(void *user, double t, const double *y, double *g);
    /* 1: what `outputs` gives depends on y of states alone, which no projection moves, so that rows of
     * results need none. */
    int outputs_of_states;
    /* ... and on these n_row_unknowns alone, as they are: rows need no others, nor y'. NULL: on any. */
    int n_row_unknowns;
    const int *row_unknowns;
    /* Called after every accepted step. Returns 1 when it has chosen another set of independent
     * unknowns: F has changed (y and yp still solve it) and its Jacobian is stale. Negative: the set
     * is singular here and no other may be chosen; the run stops. */
    int (*reselect)(void *user, double t, const double *y, const double *yp);
    /* How far from a singular position: the smallest singular value of the constraint Jacobian in
     * units of the largest; 0 where constraints lose rank. */
    int (*regularity)(void *user, double t, const double *y, const double *yp, double *sigma);
    /* Time of the next event known beforehand, later than t; +inf for none. */
    double (*next_time_event)(void *user, double t);
    /* The latest time to which a step from t may reach (what is past is needed to go on); +inf. */
    double (*step_limit)(void *user, double t);
    /* The same for what depends on time alone and might be leapt over, by a step that would reach
     * `to`: heeded by steps of adaptive size; +inf. */
    double (*forcing_limit)(void *user, double t, double to);
    /* The trajectory from t0 to t1 is accepted; `at` gives its points (y and yp of n, 0: done). */
    int (*accept)(void *user, double t0, double t1,
                  int (*at)(void *trajectory, double t, double *y, double *yp), void *trajectory);
    /* After an event: the problem that holds until the next one, with the same unknowns, outputs,
     * event indicators and user (a motion that slides along a switching surface); this one, as a
     * rule. It lives as long as user. */
    const struct vinc_problem *(*follows)(void *user);
    /* The event at the end of a run that reached its stop time; as `event`. */
    int (*finish)(void *user, double t, double *y, double *yp, int *changed);
    /* An event in words, for the log: called just before `event` with line == NULL, to take note of
     * the present, and after it to say what has changed (size bytes; cut where it is longer). */
    void (*event_text)(void *user, char *line, size_t size);
    /* Called at every accepted step: < 0 stops the run (a failed assertion). */
    int (*check)(void *user, double t, const double *y, const double *yp);
    /* Constraint violation, the largest over the equations of each level: position, velocity,
     * acceleration. Levels that do not exist are set to -1. */
    int (*violation)(void *user, double t, const double *y, const double *yp, double v[3]);
    /* Total energy, where the problem has one. */
    int (*energy)(void *user, double t, const double *y, const double *yp, double *e);
    /* Quantities that the motion is said to keep (energy, momenta): their values, and their
     * derivatives by y (slope: n of the first, n of the second ...) and by t (slope_t), where a
     * method is to hold them or a run to tell who changed them; NaN: one is no function of t and of
     * differential unknowns. */
    int n_invariants;
    int (*invariants)(void *user, double t, const double *y, const double *yp, double *value);
    int (*invariant_slopes)(void *user, double t, const double *y, const double *yp, double *slope,
                            double *slope_t);
    /* Values of all n_outputs recorded variables, eliminated ones included. */
    int n_outputs;
    int (*outputs)(void *user, double t, const double *y, const double *yp, double *out);
    /* Names for messages ("which variable limits the step"); NULL where there are none. Strings
     * live as long as user. */
    const char *(*unknown_name)(void *user, int i);
    const char *(*equation_name)(void *user, int i);
    const char *(*invariant_name)(void *user, int i);
    /* The unknowns are so many parts of one size, and dF/dy and dF/dy' are taken to be one block for
     * each, all the same: `jac` is the pattern of one block, n / blocks square, and `jacobian` gives its
     * values. For derivatives that accompany a solution, each part of which is counted by itself in
     * error tests. 0: as 1. */
    int blocks;
    int blocks_counted; // by error tests: the first so many; 0: all
    /* Of several blocks, where the others are linear in themselves: F of the first one alone; the matrices
     * of the others at a point of it, kept under a number below n_kept; and F of all the others with these,
     * where they belong in r. Methods then solve for the first block first. NULL: for all at once. And `rhs` of
     * the first one alone. */
    int n_kept;
    int (*lead)(void *user, double t, const double *y, const double *yp, double *r);
    int (*lead_rhs)(void *user, double t, double *y, double *yp);
    int (*vary)(void *user, int kept, double t, const double *y, const double *yp);
    int (*vary_residual)(void *user, int kept, const double *y, const double *yp, double *r);
    /* dF/dy and dF/dy' of a block out of the matrices that are kept; 1: they are not among them. NULL: never. */
    int (*vary_jacobian)(void *user, int kept, double *dy, double *dyp);
    /* Of a problem that several processes hold, each some of the unknowns: the pattern has further columns,
     * of unknowns that others hold (src/la/shared.h). NULL: all of it is here. */
    const struct la_shared *shared;
    /* Operations of one evaluation, for counting work; 0: not known. And those of each that calling it takes. */
    double work_residual, work_rhs, work_stage, work_jacobian, work_call;
    /* ... of `residuals` at four points, or at three; 0: as many as of one after the other. */
    double work_four;
    /* ... of factors of a sparse matrix of the pattern, real, and of a solution with them; 0: not known. */
    double work_factor, work_solve;
    /* ... and those that `project` and `reselect` have made so far, which grow with every call; NULL: not counted. */
    const double *work_beside;
    /* `residual` at several points at once, as at the stages of a step: vectors of one point lie `stride`
     * numbers after those of the one before it, and what is between them in r is left as it is. Values that
     * are not finite are left to the caller, who asks `residual` about them. NULL: one after the other. */
    int (*residuals)(void *user, int points, const double *t, const double *y, const double *yp,
                     double *r, int stride);
    /* Of y' = f, rows of results at `points` points at once: of each the time and the n_outputs values, one row after
     * the other. Time k is t[k], unknown i there y[VINC_ROW_LANES*i + k]; algebraic ones are found. Lanes that are not
     * wanted have the values of others. 1: some have no value, and each is asked about by itself. NULL: one at a time. */
    int (*rows)(void *user, int points, const double *t, const double *y, double *out);
    /* A step in one piece (src/method/method_whole.h), of the formulas that whole_kinds says. 1: there is no code for it, or not
     * yet, or it has no result: the step is made in pieces. NULL: it always is. */
    int (*whole_step)(void *user, const struct method_whole *step);
    unsigned whole_kinds; // VINC_WHOLE_...
} vinc_problem;

/* ---- solving it ------------------------------------------------------------------------------ */

#if defined(__GNUC__)
#define VINC_API __attribute__((visibility("default")))
#else
#define VINC_API
#endif

/* One integration: a method and its workspace. Nothing is allocated after vinc_solver_new.
 *
 *     char why[200] = "";
 *     vinc_solver *s;
 *     int rc = vinc_solver_new(&problem, NULL, why, sizeof why, &s);
 *     if (!rc) rc = vinc_solver_start(s, 0, y, yp);
 *     while (rc >= 0 && vinc_solver_time(s) < 10) rc = vinc_solver_step(s, 10);
 *     if (rc < 0) puts(s ? vinc_solver_message(s) : why);
 *     vinc_solver_free(s); */
typedef struct vinc_solver vinc_solver;

/* Zero means the default throughout. */
typedef struct vinc_solver_options {
    const char *method; // a name with parameters, as "bdf:order=2"; NULL: by the problem
    /* How linear systems are solved: "direct" (NULL), or without a stored matrix, from `product`,
     * "krylov", with parameters as "krylov:precond=jacobi,restart=50". */
    const char *linear;
    double rel_tol, abs_tol;    // 1e-6; rel_tol. abs_tol is times the nominal of each unknown
    const double *abs_tol_each; // n of them in place of abs_tol, also times nominal; copied
    double step;                // > 0: fixed steps of this size
    double h_first, h_max;      // first and largest size of adaptive steps
    /* Memory, as realloc with the old size (new_bytes == 0 frees). NULL: malloc. */
    void *(*resize)(void *user, void *p, size_t old_bytes, size_t new_bytes);
    void *resize_user;
} vinc_solver_options;

/* The problem must outlive the solver. On failure *out is NULL and why (may be NULL; size bytes)
 * says what is wrong. */
VINC_API int vinc_solver_new(const vinc_problem *p, const vinc_solver_options *options, char *why,
                             size_t size, vinc_solver **out);
VINC_API void vinc_solver_free(vinc_solver *s);

/* Complete a start: given the differential unknowns in y, find the algebraic ones in y and all of
 * yp so that F(t, y, yp) = 0. For index 0 and 1; other values are taken as guesses. */
VINC_API int vinc_solver_consistent(vinc_solver *s, double t, double *y, double *yp);

/* Begin, or begin again, at a consistent point. */
VINC_API int vinc_solver_start(vinc_solver *s, double t, const double *y, const double *yp);

/* One accepted step, not beyond t_limit. VINC_OK; VINC_EVENT when it ended at an event of the
 * problem (roots, next_time_event), after its discrete update; or the reason for giving up. */
VINC_API int vinc_solver_step(vinc_solver *s, double t_limit);
/* Steps and events until t_stop. */
VINC_API int vinc_solver_run(vinc_solver *s, double t_stop);

VINC_API double vinc_solver_time(const vinc_solver *s);
VINC_API const double *vinc_solver_y(const vinc_solver *s); // valid until the next step
VINC_API const double *vinc_solver_yp(const vinc_solver *s);
/* Values within the last step, by the method's own interpolant; y or yp may be NULL. */
VINC_API int vinc_solver_at(vinc_solver *s, double t, double *y, double *yp);
VINC_API vinc_stats vinc_solver_stats(const vinc_solver *s);
VINC_API const char *vinc_solver_method(const vinc_solver *s);
VINC_API const char *vinc_solver_message(const vinc_solver *s); // after a failure

/* Look for mistakes in a hand-written problem at one point: pattern, flags, Jacobian against
 * differences. Returns the number of complaints, one line each in why (size bytes). */
VINC_API int vinc_problem_check(const vinc_problem *p, double t, const double *y, const double *yp,
                                char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
