/* For those who write methods: what a method provides and what it is given.
 *
 * The core owns the problem, the norm, the Jacobian, the present point and the statistics; a method
 * owns its history, its factorisations and its coefficients. A method never chooses a step size: it
 * tries the one it is given, says how large the error is and of which order, and commits when told.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_STEP_H
#define METHOD_STEP_H

#include "base/bump.h"
#include "method/control.h"
#include "method/formula.h"
#include "method/linear_choice.h"
#include "method/method.h"
#include "method/method_matrix.h"
#include "problem/problem.h"

enum { LOOKS_MAX = 2 };
enum { INNER_ORDER_HERMITE = 4 }; // the error of a cubic between the ends of a step goes with h^4

/* Outcome of one attempt. */
enum {
    STEP_CHOICE = -2, // the choice of independent unknowns is singular at the new point
    STEP_STOP = -1,   // a callback said stop
    STEP_OK = 0,      // a finite new point and, if adaptive, its error
    STEP_NEWTON,      // the iteration did not converge
    STEP_UNDEFINED,   // a callback could not evaluate, or a value is not finite
    STEP_SINGULAR,    // the iteration matrix is singular
};

/* Operations beside evaluations and matrices: of an attempt with its norms and of every call, so that a
 * step of two unknowns is not free. Fitted to times of the 25 problems of examples/ivp. */
static const double WORK_OF_ATTEMPT = 300, WORK_OF_UNKNOWN = 20;

static inline int step_status(int callback)
{
    return !callback ? STEP_OK : callback < 0 ? STEP_STOP : STEP_UNDEFINED;
}

/* Bounds of every simplified Newton iteration (corrector.c, irk_step.c). */
enum { ITERATIONS_EXACT_MAX = 40 }; // where it is to go on to round-off
/* Corrections of this part of the tolerance that no longer shrink are rounding: multipliers of
 * higher index have errors of eps/h, and a shorter step would only make them larger. So says a matrix
 * of this step only: corrections by one that was made where y' changes faster, next to a root say, are
 * small and do not shrink either, wherever the solution is. */
static const double CORRECTION_ROUND_OFF = 0.05;
/* To round-off: corrections that shrink slower than this have reached it, or need new factors ... */
static const double RATE_STAGNANT = 0.3;
/* ... reached it when they are this small in the norm, whose unit is then a few eps. */
static const double CORRECTION_STAGNANT_MAX = 1e7;

/* Of an error that is estimated by a solution with the matrix: so well is it known, where the solution is
 * not exact. */
static const double ESTIMATE_TOL = 0.1;

/* What an accepted step changes beside the state of the method. */
typedef struct core_before {
    bool known; // it can be taken back
    double t_old, h_last, time_scale;
    bool jac_current;
    control control;
} core_before;

/* What rounding makes of the unknowns, where that exceeds their tolerance (method_rounding.c). */
typedef struct core_rounding {
    double *asked; // absolute tolerances as they were given
    double *r;     // n, and workspace
    bool widened;  // those of the norm are others
} core_rounding;

/* Where the equations bend or jump (corner.c): indicators and what is known of the next one. */
typedef struct core_corner {
    double *old, *now, *beyond; // at the present point, at the end of the last attempt, beyond
    double t_beyond, aim;       // a time beyond it, and where the next step ends; +inf: none
    double size;                // of steps before it was met
    int moved;                  // which end was moved last, how often: negative the near one
    int since, rest;            // steps since the last one; steps to come that look for none
    int pause;                  // how many the last time
    int last;                   // the one crossed last
    bool same;                  // ... and before that
    bool known, now_known;      // old, now
    bool across;                // the last attempt is a step across
} core_corner;

typedef struct method_core {
    method_run *run;
    const vinc_problem *p;
    const vinc_method *method;
    mem *m;
    int n;
    int n_lead;  // unknowns of the first block where it goes ahead of others; otherwise n
    int n_error; // unknowns of the blocks that error tests count
    method_config config;
    double opt[METHOD_OPTIONS_MAX];
    method_linear linear;          // how its systems are solved
    struct method_own *own;        // of a method that is not registered
    const method_formula *formula; // ... its formula
    problem_norm norm;
    int8_t *level;          // of unknowns, as the norm uses them; NULL: all 0
    problem_jac jac;        // implicit methods
    bool have_jac;          // jac belongs to this problem state, perhaps evaluated some steps ago
    bool jac_current;       // ... and was evaluated at the present point
    bool fixed;             // fixed steps
    bool all_differential;  // no algebraic unknowns
    double newton_tol;      // weighted norm to which an iteration converges
    double t, *y, *yp;      // present point
    double t_limit;         // nothing is evaluated beyond it
    double *y_new, *yp_new; // filled by a successful attempt
    bool projected;         // y_new was moved after the attempt
    bool met;               // y_new and yp_new are what `rhs` left: it met the constraints
    double tol_least;       // of all unknowns, over their nominals
    double t_first;         // fixed steps count from here
    long n_fixed;           // steps since then
    double h_last;          // size of the last accepted step
    core_before before;     // what that step changed, for taking it back
    int defect;             // column of the pivot that failed, -1: none
    int stagnant;           // iterations of a linear system that was given up; 0: none was
    int attempts, attempts_stagnant; // lately, and those of them that this ended
    int rejections;                  // since the last restart
    int rejected;                    // attempts of the step to come that were made already
    core_rounding rounding;
    core_corner corner;
    double *corner_change;      // workspace of n
    const double *error_vector; // of the last attempt; its norm decided
    control control;
    void *state; // the method's own struct
    void *block; // all arrays
    size_t bytes;
} method_core;

/* corner.c: at a new start; is the attempt to be made again, to a nearer end? After an accepted step;
 * before the next one: behind a corner the method starts anew. */
size_t corner_layout(core_corner *x, int n, void *block);
void corner_begin(method_core *c);
bool corner_refuses(method_core *c, double t_new, double h, const step_result *result);
void corner_accept(method_core *c);
int corner_leave(method_core *c);

/* Sums of this many terms for every unknown, in registers of four. */
static inline void core_count_sums(method_core *c, int terms)
{
    c->run->stats.work += terms * la_in_fours(c->n);
}

/* After la_factor: remember what a matrix that was forgiven has left open; with other pivots it may
 * turn out to leave nothing open. */
static inline void core_watch(method_core *c, const la_solver *s)
{
    if (s->dissected) c->run->stats.dissected = 1;
    if (!s->is_deficient || s->defect < 0) return;
    if (!c->run->stats.deficient++) c->run->stats.open_unknown = s->defect;
}

enum { BLEND_ROWS_MAX = 24 }; // Hermite's four and all stages of a method

/* An interpolant at a time: the sum of rows, n unknowns each, times weights; by other weights its slope. */
typedef struct method_blend {
    int rows;
    double weight[BLEND_ROWS_MAX], slope[BLEND_ROWS_MAX];
    const double *row[BLEND_ROWS_MAX];
} method_blend;

static inline void blend_add(method_blend *b, double weight, double slope, const double *row)
{
    b->weight[b->rows] = weight;
    b->slope[b->rows] = slope;
    b->row[b->rows++] = row;
}

/* The same at VINC_ROW_LANES times at once, for rows of results. */
typedef struct method_lanes {
    int rows;
    double weight[BLEND_ROWS_MAX][VINC_ROW_LANES];
    const double *row[BLEND_ROWS_MAX];
} method_lanes;

typedef struct method_ops {
    int control; // which controller: method/control.h
    /* Its systems are real, one at a time, and need not be solved exactly: products suffice. */
    bool by_products;
    bool weighs_counted; // norms are asked of blocks that error tests count alone, and of the first
    bool
        shared; // several processes may hold the problem: it knows of others by norms and matrices only
    size_t state_bytes;
    /* Arrays of the method: run twice, first with block == NULL to measure. NULL: none. */
    size_t (*layout)(void *state, const method_core *c, void *block);
    /* Make linear solvers, read options; state is zeroed before. NULL: nothing to do. */
    int (*open)(method_core *c);
    void (*close)(method_core *c);
    /* Forget the history; c->t, y, yp are the new start, factors may be kept if have_jac. */
    int (*start)(method_core *c);
    /* Try the step from c->t to t_new = c->t + h: fill y_new, yp_new. Nothing is committed. */
    int (*attempt)(method_core *c, double t_new, double h, step_result *result);
    /* The attempt is accepted; y_new, yp_new (perhaps projected since) are about to become y, yp.
     * Status as of a callback. */
    int (*accept)(method_core *c, double t_new, double h);
    /* Steps as of attempt and accept, with the rejections between (method_glide). NULL: none. */
    long (*glide)(method_core *c, method_plain *plain);
    /* Take back the last accept, which was the last call. NULL: it cannot be taken back. */
    int (*undo)(method_core *c);
    /* Within the last accepted step, which ended at c->t; y or yp may be NULL. */
    int (*interpolate)(method_core *c, double t, double *y, double *yp);
    /* The same as a sum of rows. Status as of a callback; NULL: it is none. */
    int (*blend)(method_core *c, double t, method_blend *out);
    /* ... at several times, of all unknowns. NULL: by blend. */
    int (*lanes)(method_core *c, const double *t, method_lanes *out);
    /* ... at one of them, the same bits; false: by `lanes`. NULL: always. */
    bool (*row)(method_core *c, double t, double *y);
    /* The slope of the interpolant, where `interpolate` gives y' by the right-hand side instead. NULL:
     * y' is the slope. */
    int (*slope)(method_core *c, double t, double *yp);
    /* Where in the last accepted step, in parts of it, the interpolant is judged, of which values
     * between `from` and `to` are asked for; how many, at most LOOKS_MAX. NULL: where Radau's are
     * worst. */
    int (*looks)(const method_core *c, double from, double to, double *at);
    double inner_part; // of e there, where nothing is stiff (inner.c); 0: as of most
    /* The power of h that the error of the interpolant goes with. NULL: as Hermite's. */
    int (*inner_order)(const method_core *c);
    /* Of a Runge-Kutta method: how many stages the last accepted step has, and its formula where that is
     * not the one of the method (NULL: it is). */
    int (*stages)(const method_core *c);
    void (*tableau)(const method_core *c, method_tableau *out);
    /* A matrix of which c is of the order of 1/h, that the last accepted step had factored. NULL:
     * there is none. */
    method_matrix (*matrix)(const method_core *c);
    /* Variable order: change it for the steps to come. NULL: fixed order. */
    void (*change_order)(method_core *c, int change);
    /* Given values at t - h, t - 2 h, ...: multistep methods with fixed steps. NULL: none needed. */
    int (*history)(method_core *c, int k, double h, const double *const *y,
                   const double *const *yp);
} method_ops;

/* The tableau, or the multistep formula, of the method. */
static inline void core_tableau(const method_core *c, method_tableau *t)
{
    if (c->formula) *t = c->formula->tableau;
    else c->method->tableau(c->opt, t);
}
static inline void core_multistep(const method_core *c, method_multistep *m)
{
    if (c->formula) *m = c->formula->multistep;
    else c->method->multistep(c->opt, m);
}

/* After a rejection: tolerances below what rounding makes of the unknowns are widened (method_rounding.c);
 * until the next restart. */
void core_look_at_rounding(method_core *c);
void core_forget_rounding(method_core *c);

/* Which unknowns the error test counts, and their levels: again after states were re-selected. */
void core_count_unknowns(method_core *c);

/* Algebraic unknowns have no derivative to integrate: an explicit formula leaves them where they
 * are, as a guess for the right-hand side to overwrite. */
static inline void core_hold_algebraic(const method_core *c, double *y)
{
    if (c->all_differential) return;
    for (int i = 0; i < c->n; i++)
        if (!c->p->differential[i]) y[i] = c->y[i];
}

/* Why open refuses; `%d` of the format is number. */
void core_explain(method_core *c, const char *format, int number);

/* out := factor dF/dy' e, with the Jacobian there is, of an error: of blocks that tests count; others 0. */
void core_mass(const method_core *c, double factor, const double *e, double *out);

/* y' of algebraic unknowns is not known at a start: there the secant of the step just made. */
void core_straight_line(const method_core *c, double h, double *yp0);

/* At the end of a step that is no stage: algebraic unknowns and y' from the right-hand side, so
 * that algebraic equations hold there; y' of algebraic unknowns, of which that knows nothing,
 * stays. work: n. STEP_ code. */
int core_complete(method_core *c, double t_new, double *work);

/* Where Hermite's cubic is judged: errors of y' at its two ends weigh s (1 - s)^2 and s^2 (1 - s),
 * and one place could be where they cancel. */
int core_look_at_hermite(const method_core *c, double from, double to, double *at);

/* Cubic Hermite interpolation between (y, yp) at t - h and at t, for methods with no interpolant of
 * their own: y0, yp0 are the values at t - h. */
void core_hermite(const method_core *c, double t, double h, const double *y0, const double *yp0,
                  double *y, double *yp);
int core_lanes(method_core *c, const double *t, method_lanes *out); // by blend
void core_blend_hermite(const method_core *c, double t, double h, const double *y0,
                        const double *yp0, method_blend *out);
/* Is a step so short that an unknown may be running away in it (method_grew)? */
static const double DOUBLES_IN_PART_OF_TIME = 1e-8; // steps become as short for nothing else
static inline bool method_is_short(double h, double t)
{
    const double DOUBLINGS_MAX = 10; // that a step takes at once
    return h < DOUBLINGS_MAX * DOUBLES_IN_PART_OF_TIME * fabs(t);
}

#endif
