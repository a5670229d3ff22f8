/* One simulation: steps of a method from start to stop, events between them, rows of results.
 *
 * The driver owns time, events and output; it sees a problem only through the waist, so that
 * hand-written problems and compiled models run alike. Start values are made consistent before
 * (start/start.h for models).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/text.h"
#include "method/method.h"
#include "result/result.h"
#include "sim/choose.h"

#include <math.h>

typedef struct sim_progress {
    double t, t_start, t_stop;
    long steps;
    const double *y, *yp;
} sim_progress;

enum { SIM_LOG_STEP = 1, SIM_LOG_NEWTON = 2, SIM_LOG_INIT = 4, SIM_LOG_EVENT = 8 };

struct sim_mark;

typedef struct sim_options {
    const char *method;                   // name with parameters; NULL: chosen (choose.h)
    const struct method_formula *formula; // a formula of the user's in its place; NULL: none
    const char *linear;                   // how linear systems are solved; NULL: as it pays
    double t_start, t_stop;               // t_stop >= t_start
    double rel_tol, abs_tol;              // abs_tol is times nominal; 0: rel_tol
    double step;                          // > 0: fixed steps
    bool exact_newton;                    // fixed steps: Newton to round-off
    long intervals;                       // output points after the first; 0: every step
    const double *times;         // rows at these `intervals` times only; NULL: at equal distances
    long max_steps;              // 0: no limit
    struct crew *crew;           // threads that share the work of steps; NULL: this one
    struct scheme_kept *schemes; // of methods, for runs one after the other; NULL: none are kept
    unsigned log;                // SIM_LOG_...
    int (*progress)(void *user, const sim_progress *p); // non-zero: stop after this step
    void (*log_line)(void *user, const char *topic, const char *line);
    /* Called for every singular position that was crossed, with a point near it. */
    void (*singular)(void *user, double t, const double *y, const double *yp);
    double (*next_break)(void *user, double t); // next time at which an input jumps; NULL: none
    /* The event at t takes place: inputs that jump there have their new values from now on. NULL: none does. */
    void (*input_jumps)(void *user, double t);
    /* The first time after t, up to `to`, at which one has a corner: a step ends there; +inf. */
    double (*next_corner)(void *user, double t, double to);
    void *user;
    /* The trajectory is final from t0 to t1, which lie in one step; `at` gives its points, left limits
     * at t1. Non-zero: stop. */
    int (*follow)(void *user, double t0, double t1,
                  int (*at)(void *trajectory, double t, double *y, double *yp), void *trajectory);
    bool follow_inside; // points inside of steps are asked for there
    bool by_stages;     // a method that is chosen is a Runge-Kutta method (sim_step_run)
    bool no_rows;       // nothing is recorded
    /* The run is at its end, or is stopped from outside: where it could go on, before terminal(). */
    void (*ending)(void *user, const struct sim_mark *mark, const double *y, const double *yp);
    bool (*pausing)(void *user, bool told); // after steps: tell of one as of an end? NULL: none
    result *steps; // receives a row per accepted step (columns: sim_chart_columns); NULL: none
} sim_options;

/* While `follow` is called: what made the step. */
const struct method_run *sim_step_run(const void *trajectory);

/* A tolerance, a step: 0 is the default. */
static inline bool sim_is_size(double x)
{
    return x >= 0 && isfinite(x);
}

enum { SIM_INVARIANTS_MAX = 32 };

/* What is known of every accepted step: its size and order, and where the problem has them the
 * constraint violations, the energy and the invariants at its end. */
enum { SIM_CHART_SIZE = 6 + SIM_INVARIANTS_MAX };
int sim_chart_columns(const vinc_problem *p, result *steps); // RESULT_OK or a status < 0

/* A quantity that the motion is said to keep. */
typedef struct sim_invariant {
    double start, last;
    double change, t_change; // largest |I - start| at the end of a step, and when
    double size;             // largest sum of |dI/dy_i y_i| met, at least |I|: what it is made of
    double rate, t_rate;     // dI/dt by the equations where it is largest, in units of the sum of
    double share;            // the sizes of its terms, and that ratio; NaN: not known
    bool drifts;             // ... away from constraints that the formulation does not hold
    double share_start;      // ... at the start
    double jump, t_jump;     // the first change at an event; 0: none
} sim_invariant;

enum { SIM_USES_MAX = 12 };

/* A method that was in use, from t on and after so many steps of others. */
typedef struct sim_use {
    const char *method, *why;
    double t;
    long steps;
} sim_use;

typedef struct sim_outcome {
    int status; // VINC_OK, VINC_STOPPED, VINC_TERMINATED or the reason for stopping early
    double t_end;
    long events;
    bool chatters; // of VINC_E_ZENO: events follow each other at once, they do not accumulate
    bool grows;    // failed with an unknown that grows without bound (a pole)
    bool grew;     // ... one did for a while, first at t_grew, and came to rest far away
    double t_grew;
    long singular; // positions crossed
    long open;     // rows at which the equations could not be solved and are missed ...
    double open_t,
        open_most; // the first of them; by how many tolerances at most (INFINITY: unknown)
    int worst;     // the component that made the last step fail; -1: none
    vinc_stats stats;
    double violation[3]; // largest over accepted steps and output points; -1: no such constraint
    bool has_energy;
    double energy, energy_start, energy_change; // last, first, largest |E - first|
    int n_invariants;
    sim_invariant invariants[SIM_INVARIANTS_MAX];
    const char *method, *method_why; // the last in use; why it was chosen, or NULL
    /* Where it was chosen: all of them, one after another; the first SIM_USES_MAX are kept. */
    int n_uses;
    sim_use uses[SIM_USES_MAX];
    text message; // why it stopped early; empty when done
} sim_outcome;

/* Who changed an invariant; and by how much, over what it is made of. */
typedef enum sim_keeper {
    SIM_KEPT, // nobody: to round-off
    SIM_BY_METHOD,
    SIM_BY_MODEL,
    SIM_BY_EVENT,
    SIM_BY_UNKNOWN
} sim_keeper;
sim_keeper sim_invariant_by(const sim_invariant *x, const sim_options *o);
double sim_invariant_relative(const sim_invariant *x);

/* Run from a consistent point (y, yp; n of each, changed to the last point). Rows go to `into` (its
 * columns are declared: one per output of the problem); what was recorded before a failure stays.
 * The outcome's message must be given back by text_done. */
int sim_run(mem *m, const vinc_problem *p, double *y, double *yp, const sim_options *options,
            result *into, sim_outcome *outcome);

/* The same in stretches, for a caller who acts in between. Open: the first event and the first row;
 * whatever it returns, *out must be closed. Advance: to t (or, single, by one accepted step or up to
 * the next event); VINC_EVENT where there was one on the way. Close: y, yp become the last point. */
typedef struct sim_session sim_session;
int sim_open(mem *m, const vinc_problem *p, double *y, double *yp, const sim_options *options,
             result *into, sim_outcome *outcome, sim_session **out);
int sim_advance(sim_session *s, double t, bool single);
/* Where it is; y and yp are NULL before the first step. Valid until the next call. y NULL: the time alone. */
void sim_point(sim_session *s, double *t, const double **y, const double **yp);
/* From now on it ends at t_stop, which lies beyond where it is. */
void sim_extend(sim_session *s, double t_stop);
/* Something outside has jumped (an input): the discrete update for it, at once. */
int sim_settle(sim_session *s);
/* A place to come back to: with the point there, and with what the problem keeps, all that the rest
 * of the run depends on but for the history of the method, which begins anew. */
typedef struct sim_mark {
    double t, h;       // where, and the step that would come next
    sim_choice choice; // of the method
    long stretch, events;
    vinc_stats stats;
} sim_mark;
sim_mark sim_mark_here(const sim_session *s);
int sim_return(sim_session *s, const sim_mark *mark, const double *y, const double *yp);
/* The run begins at a mark of another one, in place of its own start. */
int sim_resume(sim_session *s, const sim_mark *mark, const double *y, const double *yp);
void sim_close(sim_session *s, double *y, double *yp); // NULL is fine

#endif
