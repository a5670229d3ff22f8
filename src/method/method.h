/* Integration methods and one run of one of them.
 *
 * A method tries one step and reports an error estimate; a controller picks the next step size; the
 * driver (sim) owns time, events and output. This header is the driver's side: it creates a
 * method_run and asks it for accepted steps. method/step.h is the side of those who write methods.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_METHOD_H
#define METHOD_METHOD_H

#include "base/mem.h"
#include "vincolo_problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- what there is --------------------------------------------------------------------------- */

enum {
    METHOD_EXPLICIT = 1 << 0, // needs problem->rhs
    METHOD_IMPLICIT = 1 << 1, // solves with dF/dy + c dF/dy'
    METHOD_DAE = 1 << 2,      // keeps its order on index-1 problems given as F = 0
    METHOD_ADAPTIVE = 1 << 3, // has an error estimate; otherwise only with a fixed step
    METHOD_ONESTEP = 1 << 4,
    METHOD_MULTISTEP = 1 << 5,
    METHOD_SECOND_ORDER = 1 << 6, // needs problem->velocity
    METHOD_VARIABLE_ORDER = 1 << 7,
    METHOD_INDEX2 = 1 << 8,             // converges on index 2 given directly
    METHOD_INDEX3 = 1 << 9,             // converges on index 3 given directly, positions at least
    METHOD_STIFF = 1 << 10,             // L-stable or nearly so
    METHOD_LINEARLY_IMPLICIT = 1 << 11, // one matrix and no iteration: a Rosenbrock method
    METHOD_CONSERVES = 1 << 12,         // holds the invariants of the problem
};

typedef struct method_option {
    const char *name;
    double standard, min, max;
    bool integer;
    const char *help;
    int every; // > 0: only min, min + every, ...
} method_option;

enum { METHOD_WHY = 400 }; // bytes of a message

enum { METHOD_OPTIONS_MAX = 8, METHOD_STAGES_MAX = 13, METHOD_STEPS_MAX = 12 };

/* A Runge-Kutta formula; methods with parameters fill it from their options. */
typedef struct method_tableau {
    int stages, order, order_embedded; // order_embedded 0: no second formula
    double a[METHOD_STAGES_MAX][METHOD_STAGES_MAX], b[METHOD_STAGES_MAX], c[METHOD_STAGES_MAX];
    double b_embedded[METHOD_STAGES_MAX];
    const long double *roots; // eigenvalues of A^-1, if known: real ones, then re, im of pairs
    bool linearly_implicit;   // a Rosenbrock method: a is alpha, strictly lower, and there is
    double gamma[METHOD_STAGES_MAX][METHOD_STAGES_MAX];
} method_tableau;

/* What a formula is. */
typedef enum formula_kind {
    FORMULA_RUNGE_KUTTA,
    FORMULA_MULTISTEP,    // sum alpha_i y_{n+1-i} = h sum beta_i f_{n+1-i}
    FORMULA_ONE_LEG,      // sum alpha_i y_{n+1-i} = h f(sum beta_i t_{n+1-i}, sum beta_i y_{n+1-i})
    FORMULA_SECOND_ORDER, // sum alpha_i x_{n+1-i} = h^2 sum beta_i x''_{n+1-i}
    FORMULA_GENERAL,      // several steps and several stages: method_general
} formula_kind;

/* A linear multistep formula sum alpha_i y_{n+1-i} = h sum beta_i f_{n+1-i}, i = 0 the newest. */
typedef struct method_multistep {
    int steps, order;
    double alpha[METHOD_STEPS_MAX + 1], beta[METHOD_STEPS_MAX + 1];
} method_multistep;

/* Past values and stages together, y_i being y_{n-i}:
 *     Y_j = sum u_ji y_i + h sum a_jm f(Y_m),  y_{n+1} = sum v_i y_i + h sum b_m f(Y_m). */
typedef struct method_general {
    int steps, stages;
    double u[METHOD_STAGES_MAX][METHOD_STEPS_MAX], a[METHOD_STAGES_MAX][METHOD_STAGES_MAX];
    double v[METHOD_STEPS_MAX], b[METHOD_STAGES_MAX];
    double c[METHOD_STAGES_MAX]; // times of the stages, 0 at t_n and 1 at t_{n+1}
} method_general;

struct method_ops; // how a step is made: method/step.h

typedef struct vinc_method {
    const char *name, *summary, *cite;
    int order_min, order_max; // of convergence on smooth ODEs; equal unless the order is an option
    unsigned traits;
    const method_option *options; // ends with a NULL name; NULL: none
    const struct method_ops *ops;
    /* The formula as data, for the analysis of methods: one of them, or none. opt holds the values
     * of the options in their order. */
    void (*tableau)(const double *opt, method_tableau *out);
    void (*multistep)(const double *opt, method_multistep *out);
    formula_kind kind;  // of multistep
    const void *detail; // what else the engine of this kind of method is to know; NULL: nothing
} vinc_method;

extern const vinc_method *const vinc_methods[]; // ends with NULL; the order of help and docs

/* "name" or "name:key=value,key=value": the method and its option values (METHOD_OPTIONS_MAX of
 * them). NULL and a sentence in why (METHOD_WHY bytes, may be NULL) when there is no such method,
 * option or value. */
const vinc_method *method_find(const char *spec, double *opt, char *why);

/* One "key=value" of whatever has this name and these options; false with a sentence when it is not
 * understood. */
bool method_set_option(const char *name, const method_option *options, const char *pair,
                       size_t length, double *opt, char *why);

/* The formula of a method with these options. False if it has none that is fixed. */
struct method_formula;
bool method_formula_of(const vinc_method *m, const double *opt, struct method_formula *out);

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct method_config {
    double rel_tol;             // 0: 1e-6
    double abs_tol;             // times the nominal of each unknown; 0: rel_tol
    const double *abs_tol_each; // n of them, overriding abs_tol (still times nominal); copied
    double fixed_step;          // > 0: fixed steps of this size, no error control
    double newton_tol;          // fixed steps: relative size of the last correction; 0: round-off
    double h_first, h_max;      // 0: chosen by the run; no limit
    int order_max;              // 0: the method's
    int max_attempts;           // rejected tries within one method_step; 0: 50
    bool no_algebraic_error;    // leave algebraic unknowns out of the error test
    bool no_reuse;              // a new Jacobian and factorisation at every step (for tests)
    const char *la;             // linear solver by name; NULL: chosen
    struct crew *crew;          // threads that share the work of a step; NULL: this one
    const char *linear;         // "krylov:precond=jacobi", "direct" (linear_choice.h); NULL: direct
    const struct method_formula *formula; // this method in place of a registered one; copied
    struct scheme_kept
        *schemes; // where runs one after the other keep what they build; NULL: nowhere
} method_config;

typedef struct method_run {
    /* Read by the driver, written by the run. y and yp point to the run's own arrays and are valid
     * until the next call that changes the run. */
    const vinc_problem *problem;
    const vinc_method *method;
    double t_old, t;      // the last accepted step went from t_old to t
    double h_next;        // what the controller would try next
    bool first;           // the last step was the first one after a start
    double h_most;        // set by the driver: the longest next step; 0: any
    const double *y, *yp; // at t
    int order;            // used by the last step
    double error;         // its weighted error, at most 1; 0 with fixed steps
    double
        h_rate; // explicit methods: its size times the fastest rate that its stages show; 0: not known
    vinc_stats stats;
    char message[METHOD_WHY]; // after a failure: what happened, which unknown, the way out
    struct method_core *core;
} method_run;

/* Create a run; spec is only a name where config gives a formula. On failure *out is NULL and why
 * (METHOD_WHY bytes, may be NULL) says what is wrong: unknown method, explicit method without
 * right-hand side, a tolerance that is not positive. The problem must outlive the run. */
int method_new(mem *m, const vinc_problem *p, const char *spec, const method_config *config,
               char *why, method_run **out);
void method_free(method_run *r);

/* Begin at a consistent point; y and yp are copied. h_span is the length of the interval to come
 * and bounds the first step. */
int method_start(method_run *r, double t, const double *y, const double *yp, double h_span);
/* Be at a point from which no step is made. */
void method_place(method_run *r, double t, const double *y, const double *yp);
/* After a step, before anything else is asked for: the point at which it began. */
void method_step_begin(const method_run *r, const double **y, const double **yp);

/* Fixed-step multistep methods: k exact values at t - h, ..., t - k h (y[i], newest first) in place
 * of the built-in starter. Call between method_start and the first method_step. */
int method_history(method_run *r, int k, const double *const *y, const double *const *yp);

/* One accepted step that ends at t_limit or before it, with all rejections inside. VINC_OK, or the
 * reason for giving up; then y, yp and t are those of the last accepted step and r->message is set.
 * With fixed steps the n-th step ends at t_start + n h, the last at t_limit. */
int method_step(method_run *r, double t_limit);

/* Steps as of method_step, one after the other, of which nothing is asked but that they are made and, where they reach
 * the next row, what lies inside them: each as long as the controller wants it, well before t_limit, and with no slope of
 * the equations larger than one that is named. Steps in one piece of code alone; how many were made, 0 where the next is
 * another one, -1 where all are. */
typedef struct method_plain {
    double t_limit, before, slope_most; // before: of the next row
    long steps;                         // at most
    long unseen;                        // made since the last that reached a row
    /* Before a step after unseen ones that would reach the row: h_most of the run is set. NULL: no step may reach it. */
    void (*bound)(struct method_plain *plain);
    /* After a short one that did not reach it, and after the one that follows; the first follows one. NULL: nothing. */
    void (*passes)(struct method_plain *plain);
    /* After one that reached it: the next one's time is set. False: no more of them. */
    bool (*inside)(struct method_plain *plain);
    void *user;
} method_plain;
long method_glide(method_run *r, method_plain *plain);

/* The last step of a one-step method once more, to t inside it. What was known before it, of the
 * order, of sizes and of matrices, is kept where the method can take a step back; otherwise it
 * begins afresh from y and yp at t_old. Status as of method_step. */
int method_step_again(method_run *r, double t, const double *y, const double *yp);

/* y and yp (each may be NULL) at a time within the last step, by the method's own interpolant. */
int method_interpolate(method_run *r, double t, double *y, double *yp);
/* y at a time inside the step for a row of results, and at VINC_ROW_LANES of them at once (unknown i of time k
 * at y[VINC_ROW_LANES*i + k]), the same bits. Positive: not at once. */
int method_interpolate_row(method_run *r, double t, double *y);
int method_interpolate_lanes(method_run *r, const double *t, double *y);
/* y of these unknowns alone; the others stay as they are. */
int method_interpolate_some(method_run *r, double t, const int *which, int n, double *y);

/* Do these points, y' included, satisfy y' = f(t, y) by the right-hand side of the problem? */
bool method_solves(const method_run *r);

/* Estimate of the error of that interpolant between two times, in units of the tolerance. work: 3 n. */
double method_inner_error(method_run *r, double from, double to, double *work);
/* The power of the step size that this error goes with. */
int method_inner_order(const method_run *r);
/* Of the last accepted step of a Runge-Kutta method: how many stages it has; 0: it is none. And its formula. */
int method_step_stages(const method_run *r);
void method_step_tableau(const method_run *r, method_tableau *out);

/* e := how far a point of the last step is from the equations: the correction of y by a matrix of the
 * step. False: there is none. */
bool method_correction(method_run *r, double t, const double *y, const double *yp, double *e);

/* The unknown that dominated the error (after a failure: the iteration) of the last step; -1: none. */
/* Of a problem that several processes hold, one that is elsewhere has its number plus n. */
int method_worst(const method_run *r);
/* After a step that failed by a singular matrix: the unknown that it does not determine; -1: not known. */
int method_defect(const method_run *r);

/* dF/dy in the matrix that steps use now, by its pattern; NULL: none is stored. */
const double *method_slopes(const method_run *r, const vinc_pattern **pattern);

/* Some unknown has left its size far behind and grows faster than time can resolve. */
bool method_grows(const method_run *r);
/* ... and did so in steps that were just made, faster and faster. */
typedef struct method_growth { // of short steps, one after the other
    int steps;
    double doubles; // in which time something doubled in the first
} method_growth;
bool method_grew(const method_run *r, method_growth *g);

/* Go on from another point after an event: history is dropped; step size hint, Jacobian and factors
 * are kept unless stale. h_hint > 0 overrides the hint. */
int method_restart(method_run *r, double t, const double *y, const double *yp, bool jacobian_stale,
                   double h_hint);

/* The stable code of a failure, as "R102" for VINC_E_NEWTON: docs/messages/solver.md. */
const char *method_status_code(int status);

/* The smallest step that means anything at t: a few units in the last place. */
static inline double method_h_min(double t, double h)
{
    const double ULPS = 16;                     // of t: fewer cannot be resolved
    const double LEAST = DBL_MIN / DBL_EPSILON; // 1/h stays finite, also of a part of h
    double size = fabs(t) > fabs(h) ? fabs(t) : fabs(h), resolved = ULPS * DBL_EPSILON * size;
    return resolved > LEAST ? resolved : LEAST;
}

#endif
