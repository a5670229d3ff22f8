/* A run of a model that was printed as C: its state, and the parts that work on it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOURCE_RUN_H
#define SOURCE_RUN_H

#include "fmu/source/source_api.h"

#include <stdbool.h>

/* Scalars that change while it runs. */
typedef struct source_now {
    double t, t_stop, rel_tol;
    double h;        // the next step, if nothing is in its way
    double foretold; // when a family of time changes next
    double crowd;    // events since then follow each other at once, n_crowd of them so far
    int lent, started, noted, scheduled, stale, input_changed, terminated, start_checked, n_crowd;
    int n_jumps;    // since the last step
    int told_open;  // that equations do not determine all unknowns
    int near;       // what depends on the states is looked for near where it was, and nowhere else
    double t_found; // of y and y', in the hands of another integrator
    double t_passed[2]; // of the last point of the trajectory, and of the last one before it
    double tick_start;  // when all clocks begin
    int ticking;        // they have begun
} source_now;

typedef struct source_threshold {
    double c;
    int relation, sign, greater; // its root is sign * (e - c); it says that e > c
} source_threshold;

typedef struct source_factors source_factors;

struct vinc_sim {
    vinc_ctx *ctx;
    struct external_run *routines; // objects that functions keep
    struct run_past *past;         // what delay() remembers; NULL: nothing
    const source_model *m;
    source_now now;

    /* What changes, one block: it is saved and restored as such. */
    double *kept;
    size_t n_kept;
    double *y, *yp, *w, *p, *x; // x: states of another integrator
    double *against;            // by relation: how far its sides stood against its value, settled
    double *next;               // times of samples, then of timers
    double *sample;             // start and interval of each
    double *base_when, *base_interval, *base_own, *base_units, *base_origin, *base_risen; // clocks
    double *sub_next, *sub_last, *sub_ticked;
    double *passed; // y, y' and x of those two points

    /* From parameters and settings, when a run begins. */
    double *set; // by column: what was set
    bool *is_set;
    double *attributes, *nominal, *start; // start: by entry
    bool *fixed;                          // by entry
    bool *given;                          // by parameter: set from outside
    source_threshold *thresholds;

    /* Room. */
    double *v, *r, *dy, *dyp, *delta, *y1, *yp1, *held, *rows;
    double *sides, *sides_before, *values, *after, *cell, *computed, *g0, *g1, *w1, *states1;
    double *event_y, *event_yp, *last;
    bool *flipped;
    int *toggles;  // by relation: how often it has changed while an event settles
    double *stage; // 5 n
    double *base, *weight, *err, *ya, *ypa, *yb, *ypb;
    double *y_way, *yp_way, *y_slope; // the way to a point that another integrator tries
    double *jy, *jyp;                 // of the steps
    bool jac_fresh, jac_there;
    double factored;                      // for this step; 0: none
    source_factors *stepping, *following; // matrices of a step, and of what depends on states
    double *matrix;                       // one of them, by its pattern
    double *tick_out, *tick_a, *tick_dx, *held_before;
    int *tick_pivot, *on, n_on; // on: places that tell of a tick
    bool *due, *active;
    void *block;
};

SOURCE_HIDDEN_BEGIN

/* ---- messages (source_make.c) ---------------------------------------------------------------- */

void source_say(vinc_ctx *ctx, vinc_severity severity, const char *format, ...);
int source_failed(vinc_sim *s, int rc, const char *words); // gives rc, said unless it has been

/* ---- dense linear algebra, matrices by columns (source_dense.c) ------------------------------ */

/* LU with rows in units of their largest elements; false: singular. *least: not above any pivot; NULL: not asked. */
bool source_lu(int n, double *a, int *pivot, double *least);
void source_lu_solve(int n, const double *a, const int *pivot, double *b);
/* The shortest x with G x = b, G m by n: x (n). z: NULL, or room for n * n: an orthonormal basis, the
 * last n - rank vectors of which G maps to 0. Gives the rank; -1: a number is none, or no memory. */
int source_least(int m, int n, const double *g, const double *b, double *x, double *z);
double source_smallest_singular(int n, double *a); // a is overwritten

/* ---- matrices of the pattern of the system (source_sparse.c) --------------------------------- */

source_factors *source_factors_new(const source_model *m,
                                   const double *nominal); // NULL: there is no memory
void source_factors_free(source_factors *f);
bool source_factor(source_factors *f, const double *values); // false: singular, or no memory
void source_solve(source_factors *f, double *b);
bool source_is_open(const source_factors *f); // it is singular: solutions are the shortest ones

/* ---- the system (source_system.c) ------------------------------------------------------------ */

void source_eval(vinc_sim *s, const source_part *f, double t, const double *y, const double *yp,
                 double *out, double *out2);
bool source_finite(const double *x, int n);
double source_value_of(const vinc_sim *s, const source_value *v);
void source_begin(vinc_sim *s);      // parameters, start values, nominals
void source_parameters(vinc_sim *s); // those that follow from others, and objects made from them
/* Solve for all that depends on the independent components of y; 0, 1: no solution found. */
int source_follow(vinc_sim *s, double t, double *y, double *yp);
/* Choose P of groups anew where it has turned away by more than a cosine of `below`; 2: always. 1 when
 * another was chosen, -1 when derivatives are no numbers. */
int source_select(vinc_sim *s, double t, const double *y, const double *yp, double below);
int source_margins(vinc_sim *s, double t, const double *y, const double *yp, double *margin);

/* ---- start values (source_start.c) ----------------------------------------------------------- */

int source_find_start(vinc_sim *s, double t); // into y, yp, w; a status, said

/* ---- events (source_relation.c, source_event.c) ---------------------------------------------- */

int source_n_roots(const source_model *m);
int source_roots(vinc_sim *s, double t, const double *y, const double *yp, double *g);
void source_relations_begin(vinc_sim *s);
int source_relations(vinc_sim *s, double t, const double *y, const double *yp, double tie,
                     bool take);
void source_forget_flips(vinc_sim *s);
void source_read_afresh(vinc_sim *s, double t, const double *y, const double *yp);
void source_watch_ties(vinc_sim *s, double t, const double *y, const double *yp);
void source_foretell(vinc_sim *s, double t, const double *y, const double *yp);
double source_ulp(double t);

/* Relations and discrete equations until they agree; at the start. */
bool source_refresh(vinc_sim *s, double t, const double *y, const double *yp);
int source_update(vinc_sim *s, double t, double *y, double *yp, int *changed);
void source_note_before(vinc_sim *s, double t, const double *y, const double *yp);
int source_event(vinc_sim *s, double t, double *y, double *yp, int *changed); // a status
bool source_holds(vinc_sim *s, double t, const double *y,
                  const double *yp); // assertions that would stop it
int source_check(vinc_sim *s, double t, const double *y, const double *yp); // assertions
double source_next(const vinc_sim *s, double t);

/* ---- clocks (source_tick.c) ------------------------------------------------------------------ */

/* Nothing is due; only clocked variables changed; what hold() shows did; < 0: it failed, said. */
enum { SOURCE_TICK_NONE, SOURCE_TICK_INSIDE, SOURCE_TICK_SEEN };
void source_tick_begin(vinc_sim *s); // of a run
double source_tick_next(const vinc_sim *s);
double source_last_tick(const vinc_sim *s, int clock); // NaN: none yet
int source_tick_due(vinc_sim *s, double t, const double *y, const double *yp);
void source_tick_note(vinc_sim *s); // of conditions that have become true, then they tick
int source_tick_risen(vinc_sim *s, double t, const double *y, const double *yp);
void source_tick_silence(vinc_sim *s); // the event is over

/* ---- the past (source_past.c) ---------------------------------------------------------------- */

bool source_past_new(vinc_sim *s); // false: there is no memory
void source_past_free(struct run_past *past);
struct run_past *source_past_copy(const struct run_past *past);
size_t source_past_size(const struct run_past *past);
void source_past_write(const struct run_past *past, void *bytes);
bool source_past_read(struct run_past *past, const void *bytes, size_t n);    // into a copy
void source_past_forget(vinc_sim *s);                                         // before a run
void source_recall(vinc_sim *s, double t, const double *y, const double *yp); // into w
int source_past_event(vinc_sim *s, double t, const double *y, const double *yp, bool begin);
void source_past_break(vinc_sim *s, double t, int returns);
double source_past_next(const vinc_sim *s, double t);
double source_past_limit(const vinc_sim *s, double t);
void source_past_margins(vinc_sim *s, double t, const double *y, const double *yp, double *g);
int source_past_accept(vinc_sim *s, double t0, double t1); // the step to yb, ypb

/* ---- steps (source_step.c) ------------------------------------------------------------------- */

/* One step, not beyond limit: VINC_OK, VINC_EVENT, VINC_TERMINATED or a failure, said. */
int source_step(vinc_sim *s, double limit);
void source_step_reset(vinc_sim *s); // the equations have changed

SOURCE_HIDDEN_END

#endif
