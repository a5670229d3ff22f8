/* The state of a run, made of parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RUN_PARTS_H
#define RUN_RUN_PARTS_H

#include "base/bump.h"
#include "code/model_parts.h"
#include "la/la.h"
#include "run/front.h"
#include "run/state.h"

typedef struct run_threshold {
    double c;
    int relation;
    int sign;     // its root is sign * (e - c)
    bool greater; // it says that e > c
} run_threshold;

/* Times that are known beforehand: of samples, then of timers; a heap. */
typedef struct event_clock {
    int n, n_samples;
    double *when;    // by entry; +inf: never
    int *heap, *at;  // entries, the earliest first; where each stands
    int *due, n_due; // entries whose time has come with this event
} event_clock;

/* Sparse factors of a level, at a point that was met. */
typedef struct run_nearest {
    struct la_wide *factors;
    double *unit; // of its rows
    bool known;   // there are factors
} run_nearest;

/* A parameter or start value given from outside. */
typedef struct run_setting {
    int param, entry, w; // place in p, entry, or place in w; the others are -1
    double value;
} run_setting;

struct run_state {
    const code_model *model;
    mem *m;
    vinc_problem problem;
    double *p, *w, *scratch, *nominal;
    double *attributes;            // outputs of model->parameters.attributes
    double *start, *lower, *upper; // by entry
    uint8_t *fixed;                // by entry
    run_setting *settings;
    int n_settings, cap_settings;
    uint8_t *overridden; // by parameter

    /* Solving for dependent unknowns. */
    la_solver *la;
    bool factored; // la holds the factors of a point
    double *dy, *dyp, *matrix, *r, *delta, *trial, *y_work, *yp_work, *y_hold;
    double *y_start, *yp_start, *map_out; // for start values
    int *row_at;
    double *selection_work; // for re-selection
    void *manifold_work;    // for projection
    run_nearest *nearest;   // by level of the manifold, where that is sparse
    double *rank_scale;     // by constraint: largest entry of its row so far
    int rank_seen;          // of the constraints, the largest so far
    struct la_wide *wide;   // their matrix, where it is large
    double wide_most;       // its largest singular value, at first
    void *algebra_work;     // for accelerations
    double *small, *small2; // outputs of the smaller functions

    /* Events (event.c). */
    event_clock clock;
    double *sample_start, *sample_interval; // by sample
    cell_front timers;
    double *timer_behind;  // outputs of the cells that ran, at another time
    int *untold, n_untold; // cells of timers that were read: their times are open
    uint8_t *is_untold;
    bool scheduled;               // the samples
    bool started;                 // the first event, at the start itself, is past
    double foretold;              // when a family of time changes next
    double *sides, *sides_before; // outputs of roots
    run_threshold *thresholds;    // of each family in ascending order
    int *family_place;            // how many of them lie below the quantity
    bool w_given;                 // w was written by others: no relation is known to agree
    double *y_event, *yp_event;   // a point that a search may come back to
    int *toggles;                 // by relation: changes while settling
    int *toggled, n_toggled;      // ... those that are not 0
    uint8_t *flipped;             // by relation: has it changed in this event?
    int *flips, n_flips;          // ... those that have
    cell_front discrete, acts;
    int *moved, n_moved; // discrete equations whose variable may differ from its past
    uint8_t *is_moved;
    char event_why[500]; // the last event that could not be handled
    span event_at;
    uint8_t *warned;       // by action: an assertion of level warning that has been reported
    double *w_noted;       // w before an event, for the log
    uint8_t *restless;     // by discrete equation: its variable still changed in the last rounds
    struct run_past *past; // what delay() remembers; NULL: nothing to remember
    void (*warn)(void *user, span at, const char *words);
    void *warn_user;

    void (*input)(void *user, double t, double *u, double *up);
    void *input_user;
    double *u, *up;

    int *recorded, n_recorded; // outputs; NULL: all
    bool records_computed;
    double *output_work; // outputs of computed

    int fault_row; // row of F that was not finite, or -1
    bool fault;
    double fault_t;

    struct run_state *initial; // of model->initial, where it is another model
    size_t block_bytes;
    void *block;
};

/* Evaluate f into out (and out2). Inputs are brought up to date. */
void run_eval(run_state *s, const code_fn *f, double t, const double *y, const double *yp,
              double *out, double *out2);

/* The arguments of such an evaluation, for tapes that are run by themselves. */
tape_args run_args(run_state *s, double t, const double *y, const double *yp);

static inline double run_value(const run_state *s, const code_value *v)
{
    if (v->output == CODE_PARAMETER) return s->p[(int)v->number];
    return v->output < 0 ? v->number : s->attributes[v->output];
}

/* ---- solving and selecting (dependent.c, reselect.c) ----------------------------------------- */

/* Given the independent components of y, solve F = 0 for the others and for y'. Status as of a
 * callback; VINC_E_MEMORY. */
int run_solve_dependent(run_state *s, double t, double *y, double *yp);
/* Its matrix in s->matrix, with the pattern of the Jacobian. */
int run_dependent_matrix(run_state *s, double t, const double *y, const double *yp);

/* ---- events (event.c, event_lower.c) --------------------------------------------------------- */

void event_layout(run_state *s, const code_model *m, bump *b);
/* The event iteration: relations, discrete variables and dependent unknowns until all agree. */
int run_update_discrete(run_state *s, double t, double *y, double *yp, int *changed);
/* One sweep of them, y as it is; true when something changed. */
bool run_refresh_relations(run_state *s, double t, const double *y, const double *yp);
int event_roots(void *user, double t, const double *y, const double *yp, double *g); // relation.c
void family_begin(run_state *s); // thresholds by the parameters of this run (family.c)
int event_handle(void *user, double t, double *y, double *yp, int *changed);
int event_finish(void *user, double t, double *y, double *yp, int *changed); // terminal()
void event_text(void *user, char *line, size_t size);
double event_next(void *user, double t);
int event_check(void *user, double t, const double *y, const double *yp);

/* ---- delays (delay.c) ------------------------------------------------------------------------ */

int past_new(run_state *s); // VINC_OK, VINC_E_MEMORY
void past_free(run_state *s);
void past_forget(run_state *s); // before a run
/* Delayed values into w, for an evaluation at t. */
void past_read(run_state *s, double t, const double *y, const double *yp);
/* An event at t: what comes back at t has come back; with `begin` the first past. 0: nothing came
 * back; 1: values jump; 1 + n: a jump for the n-th time, in a higher derivative each time. */
int past_event(run_state *s, double t, const double *y, const double *yp, bool begin);
/* Something jumped at t: values (0), or derivatives since a jump came back for the n-th time. */
void past_break(run_state *s, double t, int returns);
double past_next(const run_state *s, double t); // when a jump comes back
int past_accept(void *user, double t0, double t1,
                int (*at)(void *trajectory, double t, double *y, double *yp), void *trajectory);
double past_step_limit(void *user, double t);

/* Choose P of every group afresh at this point. */
int run_select(run_state *s, double t, const double *y, const double *yp);
/* The same with coordinates instead of combinations. */
int run_select_coordinates(run_state *s, double t, const double *y, const double *yp);
/* After a step: 1 when a choice was renewed. */
int run_reselect(void *user, double t, const double *y, const double *yp);
size_t run_select_work(const code_model *m); // doubles

void run_fill_problem(run_state *s);

/* ---- outputs (output.c) ---------------------------------------------------------------------- */

int run_outputs(void *user, double t, const double *y, const double *yp, double *out);

/* ---- accelerations (accelerate.c) ------------------------------------------------------------ */

size_t run_accelerate_work(const code_model *m); // bytes
/* M a + B lambda + r_d = 0, G a + r_c = 0 at a point; matrices by columns. Status as of a callback. */
typedef struct run_mechanics {
    int n, m;
    double *M, *B, *G, *rd, *rc; // n*n, n*m, m*n, n, m
} run_mechanics;
int run_mechanics_at(run_state *s, double t, const double *y, const run_mechanics *x);
/* y' and the multipliers by the algebra of the formulation. */
int run_accelerate(void *user, double t, double *y, double *yp);

/* ---- rank of constraints (rank.c) ------------------------------------------------------------ */

static const double RUN_DEPENDENT = 1e-9; // relative singular value of redundant constraints
/* Rank at a point of the matrix of constraints, which must be there (model->rank); -1: not to be had.
 * sigma (m): singular values; U (m * m, may be NULL): left singular vectors by columns. */
int run_rank(run_state *s, double t, const double *y, const double *yp, double *sigma, double *U);
int run_regularity(void *user, double t, const double *y, const double *yp, double *sigma);

/* ---- projection (project.c) ------------------------------------------------------------------ */

size_t run_manifold_work(const code_model *m); // bytes
int run_project(void *user, double t, double *y, double *yp);
void project_free(run_state *s);

#endif
