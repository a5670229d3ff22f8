/* One run, from inside.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_RUN_H
#define API_RUN_H

#include "api/api.h"
#include "code/model_parts.h"
#include "inspect/inspect.h"
#include "result/result.h"
#include "sim/sim.h"
#include "start/start.h"

struct vinc_result {
    vinc_ctx *ctx;
    result *r;
    text out;         // the chart last handed out
    double **columns; // as one array each, those that were asked for; NULL: none yet
    int n_columns;
    size_t n_rows; // when they were gathered
    bool owned;    // made by vinc_result_read
    vinc_sim *sim; // whose result it is; NULL: it was read
};

enum { API_REST_UNKNOWN, API_REST_STABLE, API_REST_NEUTRAL, API_REST_UNSTABLE };

typedef struct api_rest_point { // what is known of a point of rest
    int stability;
    double growth;        // largest real part of its eigenvalues
    bool kept;            // so are sums that every motion keeps
    int moved;            // the state that moved most, by component; -1: none
    double from, to, far; // far: relative to its size or nominal
} api_rest_point;

typedef struct api_sens api_sens;     // derivatives that accompany a run (sensitivity.c)
typedef struct api_share api_share;   // what this process holds of a shared run (team.c)
typedef struct api_lent api_lent;     // a run in the hands of another integrator (lent.c)
typedef struct api_detail api_detail; // points between the rows, for figures (detail.c)

/* Start values of one run, for others of the same model with the same settings. */
typedef struct api_found {
    run_saved *run; // NULL: none yet
    double *y, *yp;
    size_t bytes; // of each
    start_report init;
} api_found;

struct vinc_sim {
    vinc_model *model;
    bool inner; // made by an analysis, which holds the lock: it speaks to the context
    watch watch;
    mem m;       // the context's, without a guard
    mem guarded; // of messages: not stopped
    arena said;  // messages
    arena scratch;
    diag_sink diags;
    diag_sink *sink; // these, or the context's
    arena a;         // of an analysis; texts of the options
    const code_model *code;
    run_state *state;
    struct crew *crew;           // threads that share the work of a run; NULL: one
    struct scheme_kept *schemes; // of methods, from the second run on; NULL: none yet
    bool began;                  // the first run has
    double *y, *yp;              // the point reached
    size_t point_bytes;          // of each
    sim_options options;
    vinc_sim_options callbacks;             // as given by the user
    const char *method_given, *formulation; // NULL: chosen
    const char *formulation_why;            // where it was chosen here
    const char *linear;                     // NULL: direct
    const struct code_tangent *tangent;     // products of the Jacobian; NULL: not needed
    const char *method;                     // in use; after a run its last
    const char *method_why;                 // where it was chosen here
    const struct method_formula *formula;   // of a method that is a file
    bool as_given, verify, ran, equilibrium;
    api_rest_point rest;
    api_walls wall;
    vinc_result result;
    bool result_shown; // to the caller, who may look at it at any time
    bool columns_gone; // of the result, until somebody looks
    double
        *end_values; // of all outputs, for those who do; NULL: they are in the result, or not known
    size_t end_bytes;
    sim_outcome done;
    sim_session *session;              // a run that is stepped from outside; NULL: none
    api_lent *lent;                    // one whose time and states come from outside; NULL: none
    api_sens *sens;                    // NULL: not asked for
    api_share *share;                  // NULL: the run is of this process alone
    const struct run_share_part *part; // of a model that is a part; NULL: it is the whole
    const char *method_shared;         // why the method is that of a shared run; NULL: it was given
    struct run_response *response;     // to states, inputs, parameters; NULL: not asked for
    int (*at)(void *trajectory, double t, double *y, double *yp); // while it is followed; else NULL
    void *trajectory;
    double from, to;    // ... between these times
    int next_end;       // the first of the times at which steps are to end that is not past
    double *held;       // inputs that the caller holds; NULL: none
    bool input_changed; // by the caller, since the last event
    bool stopped;       // it cannot go on
    result *steps;      // the chart of steps; NULL: not asked for
    const struct sim_progress *now; // while callbacks.progress is called
    double last_flush;              // when rows were last written while they were made
    api_detail *detail;             // NULL: not asked for
    struct vinc_state
        *onward;     // where another run ended and this one begins; NULL: at its own start
    result *before;  // its result, while it is read: lack of memory may jump over who reads it
    bool end_lost;   // there was no memory to keep the end of this one
    double t_origin; // ... when that run, or the one that it went on from, began
    start_report init;
    api_found *found;   // left there by the first run that finds some, taken by others; NULL: none
    int redundant;      // constraints that say nothing new at the start
    int n_singular;     // positions crossed
    double t_singular;  // the first of them
    result *table;      // of the top-level inputs
    int *input_columns; // in it, by input; -1: not driven
    size_t n_input_columns;
    result *columns; // of the last run, for the next one; NULL: none
    int n_columns;   // ... when they were declared
    int *declared;   // outputs of the columns of the result, where few are declared; NULL: all are
    int n_declared, cap_declared;
    size_t input_row; // where the table was last read
    double t_jump;    // a jump of the inputs that is to come; +inf: none is known
    double verified; // largest relative difference to the run at a tenth of the tolerance; < 0: not
                     // done
    int verified_column;
    inspect_recorded recorded; // of --verify: what was recorded, held against the equations
    const char *recorded_file; // of the worst of them
    int recorded_line;
    text why, out;
    text word;               // what a String said last
    struct api_names *named; // of columns, once one was asked for; NULL: none was
};

/* The name of a column of the model; it lives as long as the run. NULL: no memory. */
const char *api_column_name(const vinc_sim *s, int column);

/* A run of an analysis: as vinc_sim_new, but its messages are the context's. */
int api_sim_new(vinc_model *model, const vinc_sim_options *options, vinc_sim **out);
/* Run body(job) with a guard for what a run says: VINC_E_MEMORY when memory runs out. */
int api_run_guarded(vinc_sim *s, int (*body)(void *job), void *job);
/* All that looks at equations is done, unless something goes wrong, or such a run asks for them at its end. */
void api_let_origin_go(vinc_sim *s);
void api_free_held(vinc_sim *s); // inputs of a run that is stepped
/* A call that cannot be done, as a message of the run; VINC_E_OPTION. */
int api_refuse_call(vinc_sim *s, const char *code, const char *words);
/* Lent or stepped: brings the point in s->y and s->yp up to date. */
int api_point(vinc_sim *s);
bool api_is_plain_state(const code_model *m, int i);            // a component of y that is a state
double api_state_of(const vinc_sim *s, int i, const double *y); // state i of these components
const double *api_session_y(vinc_sim *s);                       // y of a run that is stepped
/* Of a run that is lent: its time; y and y' brought to where they follow from time, states and inputs;
 * something of these has changed; a saved point is taken. */
double api_lent_time(const vinc_sim *s);
int api_lent_follow(vinc_sim *s);
void api_lent_touch(vinc_sim *s);
void api_lent_return(vinc_sim *s, double t, const double *x, const double *y, const double *yp);
void api_lent_free(vinc_sim *s);
/* Can the run be used at all? VINC_E_MEMORY without one; refused when its model is gone. */
int api_usable(vinc_sim *s);
/* Drop everything of the run before. */
int api_clear(vinc_sim *s);
/* Points between the rows: made before a run is prepared, started with what it integrates, merged with the
 * rows when it is done. Its rows get the columns of the result. */
int api_detail_new(vinc_sim *s);
void api_detail_start(vinc_sim *s, const vinc_problem *p);
int api_detail_follow(void *sim, double t0, double t1,
                      int (*at)(void *trajectory, double t, double *y, double *yp),
                      void *trajectory);
int api_detail_merge(vinc_sim *s); // VINC_E_MEMORY where some were lost for lack of it
void api_detail_free(vinc_sim *s);
result *api_detail_rows(vinc_sim *s); // NULL: not asked for
result *api_drawn(vinc_result *v);    // what figures show: with these points where there are some
/* Start values, redundant constraints, the columns of the result and what of it is recorded. */
int api_prepare(vinc_sim *s, result *into);
void api_found_done(mem *m, api_found *x);
/* What the driver is told, callbacks included; and what is said when it is done. */
sim_options api_driver_options(vinc_sim *s);
void api_conclude(vinc_sim *s, int rc, sim_outcome *done);
int api_all_rows(vinc_result *v);      // refused where some are not in memory
void api_clear_result(vinc_result *v); // forget what was handed out of it
/* Turn s->why into a diagnostic and give status back. */
int api_report(vinc_sim *s, int status, const char *code);
/* Variables of the rows that leave their min or max, as warnings. */
void api_warn_bounds(vinc_sim *s, result *r);
/* Invariants that were not kept, as warnings. */
void api_warn_kept(vinc_sim *s);
/* A failed call of the run tells the context, too; gives status back. */
int api_told(vinc_sim *s, int status);
/* Parameters and start values are evaluated; inside a guard. VINC_E_MODEL after a diagnostic. */
int api_begin(vinc_sim *s);
/* A consistent start in s->y and s->yp. */
int api_initialize(vinc_sim *s);
/* From s->y, s->yp to a point of rest; refused where constraints are redundant. */
int api_rest(vinc_sim *s);
int api_rest_of_independent(vinc_sim *s);
/* All of a run with these tolerances, from its start values on. */
int api_run_once(vinc_sim *s, double rel_tol, double abs_tol, result *into, sim_outcome *done);
/* Once more with a tenth of the tolerances: by how much results differ (run_again.c). */
int api_verify(vinc_sim *s, double abs_tol);
/* A run that ended with rc and may have run away is made again with a smaller absolute tolerance, which is then
 * in abs_tol; `said`: what had been said before it. */
int api_run_finer(vinc_sim *s, diag_sink said, int rc, double *abs_tol);
/* From s->y, s->yp to the stop time; rows go to the new result `into`. */
int api_integrate(vinc_sim *s, result *into);
/* A column is shown in this unit where that fits its own; RESULT_OK or RESULT_E_MEMORY. */
int api_show_column(result *r, int column, const char *display);
/* To go on from the end of another run (resume.c): read it; begin there; and keep the end of this one
 * with its result. */
int api_open_from(vinc_sim *s, const char *path);
int api_run_on(vinc_sim *s, const vinc_problem *p, double *y, double *yp, const sim_options *o,
               result *into, sim_outcome *done);
void api_keep_end(void *user, const sim_mark *mark, const double *y, const double *yp);
/* States of a run (stepping.c): of this point; its mark; back to it. */
struct vinc_state;
int api_save_at(vinc_sim *s, const sim_mark *mark, const double *y, const double *yp,
                struct vinc_state **out);
const sim_mark *api_state_mark(const struct vinc_state *x);
int api_resume(vinc_sim *s, sim_session *session, const struct vinc_state *x);
/* Of a run of several processes (team.c): are rows recorded here? Others are told once it is compiled whether they
 * have to do that, too. Made when the start values are known; what is integrated in place of s->y, s->yp, and back;
 * resumed. */
bool api_records(const vinc_sim *s);
/* Before it is compiled: the model becomes the part of this process, where that can be (own_part.c). When it is: is
 * the part what it is to be, in all processes? Otherwise all compile the whole. */
int api_part_take(vinc_sim *s);
int api_part_settle(vinc_sim *s, int rc, int (*compile)(void *sim));
void api_share_prepare(vinc_sim *s);
int api_share_new(vinc_sim *s);
void api_share_free(vinc_sim *s);
const vinc_problem *api_share_begin(vinc_sim *s, sim_options *o, double **y, double **yp);
void api_share_end(vinc_sim *s, sim_outcome *done);
int api_share_resume(vinc_sim *s, sim_session *session, const sim_mark *mark, const double *y,
                     const double *yp);
/* Hold the rows of the result against the equations of the model; a warning where they do not fit. */
int api_check_recorded(vinc_sim *s);
/* Derivatives by parameters (sensitivity.c); nothing happens where none were asked for. To make them, to
 * find parameters that do nothing (parameters have values, inside a guard), and their columns. */
int api_sens_new(vinc_sim *s);
void api_sens_free(vinc_sim *s);
int api_sens_check(vinc_sim *s);
void api_sens_started(vinc_sim *s); // warns of what is only a guess; inside a guard
int api_sens_declare(vinc_sim *s, result *r);
/* What was asked for: how many, their names, their values in the run. */
/* Second derivatives of the equations, too (code/variation.h): before the run, inside a guard. */
int api_sens_second(vinc_sim *s);
int api_sens_count(const vinc_sim *s);
const char *api_sens_name(const vinc_sim *s, int k);
const struct vary_by *api_sens_by(const vinc_sim *s);
double api_sens_value(const vinc_sim *s, int k);
/* The problem to be integrated, and from where; then back to s->y, s->yp. */
const vinc_problem *api_sens_begin(vinc_sim *s, double **y, double **yp);
void api_sens_end(vinc_sim *s, sim_outcome *done);
/* Declare one column of r per variable of the model. */
int api_declare_columns(vinc_sim *s, result *r);
void api_keep_columns(vinc_sim *s); // those of the result, which goes, for the next run
/* ... for n of them, ascending, with those that aliases among them repeat; NULL: all n there are. */
int api_declare_chosen(vinc_sim *s, result *r, const int *chosen, int n);
/* Where a run records few, those alone (few_columns.c). whole_run: it goes to its stop time, and its columns then
 * go while rows are made. They come back when somebody looks, with the last values of what was not recorded. */
int api_declare_few(vinc_sim *s, result *into, bool whole_run);
void api_let_columns_go(vinc_sim *s, result *r);
int api_bring_columns(vinc_sim *s); // where they are gone; VINC_OK, VINC_E_MEMORY
int api_keep_end_values(vinc_sim *s, result *r, double t);
void api_free_end_values(vinc_sim *s);
void api_free_declared(vinc_sim *s);
/* What is selected is read and, unless that is known already, recorded. */
int api_use_selection(vinc_sim *s, result *r, bool again);
/* Is there such a method? Where it is a file it is read. Inside api_guarded; VINC_E_OPTION after a
 * diagnostic. */
int api_find_method(vinc_sim *s);
/* Is there such a linear solver? VINC_E_OPTION after a diagnostic. */
struct method_linear;
int api_find_linear(vinc_sim *s, struct method_linear *out);
/* Warn where the order of the method is lost on this formulation. */
void api_warn_method(vinc_sim *s);
/* Start values are known: where constraints turn out to be redundant, say so. */
int api_settle_redundant(vinc_sim *s);
/* Warn where the index is higher by the numbers than by structure; start values are found anew. */
int api_warn_hidden(vinc_sim *s);
/* Warn of reactions that do work, where the formulation has the mechanical view. */
int api_warn_working(vinc_sim *s);
/* For sim_options.singular; and, after a failure, what a singular position has to do with it: true where
 * unknowns and equations were named. */
void api_pass_singular(void *user, double t, const double *y, const double *yp);
bool api_note_singular(vinc_sim *s, int status, double t);
/* Warn where the method, with its fixed step, undoes what the formulation stabilises. */
void api_warn_decay(vinc_sim *s);
/* The status of a call to result or plot; outside the guard of api_guarded. A fault is reported. */
int api_finish(vinc_ctx *ctx, int rc, const result_fault *fault);
/* Read the table of --input and match its columns to the top-level inputs. */
int api_open_inputs(vinc_sim *s, const char *path);

#endif
