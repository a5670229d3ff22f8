/* vincolo.h: models, runs, results and diagnostics.
 *
 * Four handles: vinc_ctx (allocator, search path, messages), vinc_model (a model: its formulations
 * are compiled at their first use and the same for all runs from then on), vinc_sim (one run: state,
 * workspace and messages, one thread at a time), vinc_result (trajectories).
 *
 *     vinc_ctx *ctx = vinc_ctx_new(NULL);
 *     vinc_model *model = NULL;
 *     vinc_sim *sim = NULL;
 *     int rc = vinc_model_load(ctx, "pendulum.mo", "Pendulum", &model);
 *     if (!rc) rc = vinc_sim_new(model, NULL, &sim);
 *     if (!rc) rc = vinc_sim_set(sim, "L", 1.5);
 *     if (!rc) rc = vinc_sim_run(sim);
 *     if (!rc) rc = vinc_result_write_csv(vinc_sim_result(sim), "pendulum.csv");
 *     if (rc) fprintf(stderr, "%s", vinc_ctx_messages(ctx));
 *     vinc_sim_free(sim);
 *     vinc_model_free(model);
 *     vinc_ctx_free(ctx);
 *
 * Threads: any number of them may make, set, run and free runs of one model at the same time; the
 * results are the same, bit for bit, as in one thread. An allocator of the caller's must allow it. A
 * run, its result and what is said of it belong to one thread at a time. Calls that load, compile or
 * analyse take turns by a lock of the context.
 *
 * Status (vinc_status): 0 done, negative failed, positive done but look. The reason of a failure is
 * among the messages of the run, or of the context where there is no run; the context also repeats
 * those of the run that failed last. On failure an out pointer is NULL. A NULL handle is accepted by
 * every call, so that calls can be chained. Strings passed in are copied; strings passed out live as
 * long as the handle they came from, texts until the next call that makes one. The library never
 * prints, exits or reads the environment.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef VINCOLO_H
#define VINCOLO_H

#include "vincolo_problem.h"
#include "vincolo_report.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VINC_API __attribute__((visibility("default")))
#else
#define VINC_API
#endif

typedef struct vinc_ctx vinc_ctx;
typedef struct vinc_model vinc_model;
typedef struct vinc_sim vinc_sim;
typedef struct vinc_result vinc_result;

VINC_API const char *vinc_version(void); // "1.2.3"

/* What this library is made of: parts that are built in, and those that are looked for when they are
 * needed. i from 0 up; VINC_E_OPTION after the last. */
typedef struct vinc_part {
    const char *name, *does;
    const char *package; // Debian package that it needs; NULL: built in
    int found;
    char place[300]; // the file that was found, or why there is none; "" of what is built in
} vinc_part;
VINC_API int vinc_part_at(int i, vinc_part *out);
/* "Did you mean": the candidate nearest to the word, or NULL when none is near enough. */
VINC_API const char *vinc_nearest(const char *word, const char *const *candidates, int n);

/* A text for a terminal: control characters other than newline and tab, and those that turn the
 * direction of writing, are spelt out (\\x1b). Messages and reports are like that; flat models, dumps
 * and names are as the files have them. At most size bytes, the last one 0; gives the length that the
 * whole has, as snprintf. */
VINC_API size_t vinc_plain(const char *text, char *out, size_t size);

/* ---- context --------------------------------------------------------------------------------- */

/* A zeroed struct means all defaults. */
typedef struct vinc_ctx_options {
    /* As realloc with the old size; new_bytes == 0 frees. NULL: malloc. */
    void *(*resize)(void *user, void *p, size_t old_bytes, size_t new_bytes);
    void *user;
    int colour; // 1: messages carry terminal colours
} vinc_ctx_options;

typedef enum vinc_severity { VINC_NOTE, VINC_WARNING, VINC_ERROR } vinc_severity;

typedef struct vinc_diagnostic {
    vinc_severity severity;
    const char *code; // stable, e.g. "M101"; docs/messages explains each
    const char *file; // NULL: no place
    int line, column; // from 1
    const char *text;
} vinc_diagnostic;

VINC_API vinc_ctx *vinc_ctx_new(const vinc_ctx_options *options); // NULL when there is no memory
VINC_API void vinc_ctx_free(vinc_ctx *ctx);                       // after everything made from it
/* Append a directory in which classes are looked for (-L, MODELICAPATH, the library that comes
 * along). */
VINC_API int vinc_ctx_add_path(vinc_ctx *ctx, const char *dir);
/* All messages so far as text with source lines; "" if there are none. */
VINC_API const char *vinc_ctx_messages(vinc_ctx *ctx);
VINC_API int vinc_ctx_n_diagnostics(const vinc_ctx *ctx);
VINC_API vinc_diagnostic vinc_ctx_diagnostic(const vinc_ctx *ctx, int i);
VINC_API void vinc_ctx_clear(vinc_ctx *ctx); // forget the messages

/* Limits of all work with a context: zero means none. Memory is what the library asks for; linear
 * algebra and drawing have some of their own beside it. */
typedef struct vinc_limits {
    double seconds; // from now on
    size_t bytes;   // held at a time
} vinc_limits;

/* From now on, NULL: no limits; an earlier interrupt is forgotten. Not while a call is under way.
 *
 * A call that a limit or an interrupt stops gives VINC_E_LIMIT or VINC_E_INTERRUPTED and a message
 * that says where it was; a run keeps its rows (then VINC_STOPPED for an interrupt). So does every
 * later call that would work on, until limits are set anew. Messages, reports and results are still
 * handed out. */
VINC_API int vinc_ctx_limit(vinc_ctx *ctx, const vinc_limits *limits);
/* From any thread or signal handler: the call that is under way ends soon. */
VINC_API void vinc_ctx_interrupt(vinc_ctx *ctx);
/* What is being done, in a word or two: "flattening"; "" when nothing. For signal handlers, too. */
VINC_API const char *vinc_ctx_doing(const vinc_ctx *ctx);

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct vinc_parse_stats {
    int files, failed;
    size_t bytes;
} vinc_parse_stats;

/* Syntax check of a file, or of every .mo file in a directory. */
VINC_API int vinc_parse(vinc_ctx *ctx, const char *path, vinc_parse_stats *stats);
/* What is in a package, and what each class says of itself, a line each: packages with their full names,
 * what can be used in models below them. The text is the context's until the next one. */
VINC_API int vinc_library(vinc_ctx *ctx, const char *package, const char **out);
/* The examples of a library, a full name a line: models with an annotation `experiment` that are not
 * partial. library: a package looked up in the search path, a package directory or a file ending in
 * .mo. */
VINC_API int vinc_library_examples(vinc_ctx *ctx, const char *library, const char **out);

/* ---- models ---------------------------------------------------------------------------------- */

/* A value given from outside, as by `-p NAME=VALUE`: of a parameter it replaces the binding; of a
 * variable it sets start and fixed = true. value is Modelica text: 2, 1e-3, true, {1,2,3}. */
typedef struct vinc_setting {
    const char *name, *value;
} vinc_setting;

typedef struct vinc_model_options {
    const vinc_setting *settings;
    int n_settings;
    const char *const *places; // by setting, for messages: "values.txt:3"; NULL, or one NULL: "-p"
    int exchange;              // 1: Real inputs of the top become its outputs, and outputs inputs
    const char *
        text; // the class stands in this text of n_text bytes, and the source is its name; NULL: no
    size_t n_text;
    int allow_external; // libraries of external functions may be loaded, code in the model compiled, and run
} vinc_model_options;

/* Load a class. source: a file ending in .mo, a package directory, or a class name that is looked
 * up in the search path (then class_name must be NULL). class_name: a full dotted name or one
 * relative to the file's last top-level class; NULL: that last class.
 *
 * Later loads in the same context find the classes of files and texts loaded before. A file or text
 * that is loaded again under its name and has changed takes the place of the older one, unless its
 * syntax is wrong; models and messages made from the older one stay as they are. Files that a class
 * name leads to are read as they are at the time. */
VINC_API int vinc_model_load(vinc_ctx *ctx, const char *source, const char *class_name,
                             vinc_model **out);
VINC_API int vinc_model_load_with(vinc_ctx *ctx, const char *source, const char *class_name,
                                  const vinc_model_options *options, vinc_model **out);
VINC_API int vinc_model_load_text(vinc_ctx *ctx, const char *name, const char *text, size_t n,
                                  const char *class_name, vinc_model **out);
VINC_API void vinc_model_free(vinc_model *model);

VINC_API const char *vinc_model_name(const vinc_model *model);
VINC_API const char *vinc_model_flat(vinc_model *model); // flat Modelica

typedef enum vinc_type {
    VINC_REAL,
    VINC_INTEGER,
    VINC_BOOLEAN,
    VINC_STRING,
    VINC_ENUMERATION,
    VINC_CLOCK, // not recorded
    VINC_OBJECT // an external object: not recorded
} vinc_type;
typedef enum vinc_variability {
    VINC_CONSTANT,
    VINC_PARAMETER,
    VINC_DISCRETE,
    VINC_CONTINUOUS
} vinc_variability;

typedef struct vinc_variable {
    const char *name, *unit, *comment; // "" where there is none
    vinc_type type;
    vinc_variability variability;
    double nominal;   // 1 unless given as a number
    const char *file; // where it is declared; NULL: nowhere
    int line;
} vinc_variable;

VINC_API int vinc_model_n_variables(const vinc_model *model);
VINC_API int vinc_model_variable(const vinc_model *model, int i, vinc_variable *out);

/* The structure report of `vincolo check`. */
VINC_API int vinc_model_check(vinc_model *model, vinc_format format, const char **report);

/* The model in semi-explicit form, y' = f, 0 = g, as text. */
VINC_API int vinc_model_semi_explicit(vinc_model *model, const char **out);
/* The ODE under it, with derivatives of algebraic variables: constraints are differentiated until they
 * give them. What its solutions keep stands below it, in comments. */
VINC_API int vinc_model_ode(vinc_model *model, const char **out);

/* Intermediate results of the compiler as text: "tokens", "ast", "flat", "blt", "tape". */
VINC_API int vinc_model_dump(vinc_model *model, const char *stage, const char **out);
VINC_API const char *vinc_dump_stage(int i); // their names in this order; NULL after the last

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct vinc_progress {
    double t, t_start, t_stop;
    long steps;
} vinc_progress;

/* A zeroed struct means all defaults; the model's annotations come before the defaults. */
typedef struct vinc_sim_options {
    const char *method; // "bdf", "radau5", "ms2:rho=0.6" ...; NULL: chosen, and said
    const char
        *formulation;   // "dummy", "ggl", "baumgarte:zeta=1,omega=10" ...; NULL: chosen, and said
    const char *linear; // how implicit methods solve linear systems: "direct" (NULL), or without a
                        // stored matrix "krylov", "krylov:precond=jacobi,restart=50" ...
    int has_start, has_stop; // 1: t_start, t_stop are given here
    double t_start, t_stop;
    double rel_tol, abs_tol; // 0: default
    int intervals;           // output points; 0: default
    double step;             // > 0: fixed steps of this size
    long max_steps;          // 0: no limit
    double max_time;         // seconds that a call of the run may take; 0: no limit
    int verify;              // 1: run again at a tenth of the tolerance and report the difference;
                             // hold the rows against the equations
    int init_as_given;       // 1: take the start values as they stand
    int equilibrium;         // 1: no run, but the point of rest reached from the start values
    const char *input_csv;   // table for the top-level inputs
    const char *log;         // topics: "step,newton,init,event"
    int (*progress)(void *user, const vinc_progress *p); // non-zero stops after the step
    void (*log_line)(void *user, const char *topic, const char *line);
    void *user;
    /* Derivatives of all variables, or of those in `vars`, by these Real parameters and start values,
     * separated by commas: columns "d(x)/d(L)" of the result. Every step, event and start value is
     * differentiated exactly. They count in error tests as variables do; no_sens_control 1: steps are those
     * of the run without them, and their errors what this leaves. */
    const char *sens;
    int no_sens_control;
    const char *vars; // a selection to be used later: a wrong name stops before the run, not after
    int only_vars;    // 1: nothing else is recorded; its last values are known, if not distributed
    int lend;         // 1: to be lent (vinc_sim_lend): annotations choose no formulation
    int chart;        // 1: keep size, order, violation and energy of every step, for a report
    /* The trajectory while it is made, for who needs something of it and not the rows: it is final
     * from t0 to t1, which lie in one step; vinc_sim_at gives values there. Times grow from call to
     * call; a run that has to begin anew begins anew here, too. Non-zero stops. With it, rows are
     * recorded only where `intervals` is given. */
    int (*follow)(void *user, vinc_sim *sim, double t0, double t1);
    int follow_inside; // 1: values between t0 and t1 are to be as good as those at the ends of steps
    const double *ends; // steps of adaptive size end at these n_ends times, which ascend
    int n_ends;
    /* Rows at these n_times times only, which ascend, in place of `intervals`: one each, with the values
     * after an event there. Without has_stop the run ends at the last. */
    const double *times;
    int n_times;
    /* A .mat file of a run with keep_end of the same model and settings, made by this version: go on from
     * its end, with events, delays and clocks as they are there. Of vinc_sim_run only. */
    const char *from;
    int keep_end; // 1: the state at the end is kept in the result and in .mat files of it
    /* With keep_end, after steps: non-zero, and the state there is kept at once; then it is called again
     * with kept = 1, and may write the result: what is lost if the process dies is what comes after. */
    int (*checkpoint)(void *user, int kept);
    /* 1: the processes of vinc_team_join run this model together, each a part of it. Process 0 makes the run and
     * has its rows; the others call vinc_team_help. The method is bdf. */
    int distributed;
    /* 1: with `distributed` and `only_vars`, in all processes: the model is for this run alone. Then each process may
     * keep of it what it needs of its own part, and compile no more (docs/distributed.md). Values are set before it is
     * loaded, not by vinc_sim_set. */
    int part_only;
    int detail; // 1: points of the steps between the rows are kept for figures, which are smooth then
                // and show every peak, however few the rows; not with `follow`
    /* A .csv or .mat file that the rows of vinc_sim_run, or those of `vars`, go to while they are made, once
     * there are more than 16 MB of them or a second has passed; vinc_result_write to the same path adds the
     * rest. Rows that are in the file may be in the result no longer (vinc_result_first_row). Not with
     * verify, chart or detail. */
    const char *out;
    int jobs; // threads that share the work of one run, where the system is large enough (10^4
              // unknowns); 0: one. The result is the same, bit for bit, for any number
} vinc_sim_options;

/* One model over the processes of mpirun (docs/distributed.md). Join them before anything else: this one is
 * number `rank` of `size`. VINC_E_OPTION, with the package that is missing, where that cannot be done. */
VINC_API int vinc_team_join(vinc_ctx *ctx, int *rank, int *size);
/* Processes other than number 0: take part in the runs of that one until it leaves, without a model of one's own.
 * *whole = 1: equations call functions that live in a process (tables, functions in C), so that parts cannot be
 * handed out; then load the model and make the same calls as process 0. */
VINC_API int vinc_team_help(vinc_ctx *ctx, int *whole);
/* After a call that may fail in one process alone: the worst status of all, and the first process that has
 * it. Lack of memory is not agreed upon: a process that lacks it ends, and with it the job. */
VINC_API int vinc_team_agree(vinc_ctx *ctx, int status, int *first);
VINC_API void vinc_team_leave(vinc_ctx *ctx); // all leave together, at the end

typedef struct vinc_sim_stats {
    long steps, rejected, residual_evals, jacobian_evals, factorizations, newton_iterations, events;
    long linear_iterations, products, preconditioners; // of krylov
    double wall_parse, wall_flatten, wall_structure, wall_compile, wall_init, wall_integrate;
    double work;   // operations of the integration, counted: the same on every machine
    int dissected; // 1: factors were made in an order of nested dissection
} vinc_sim_stats;

/* The name of the i-th method, of the i-th formulation, and what that gives to the integrator; NULL
 * after the last. */
VINC_API const char *vinc_method_name(int i);
VINC_API const char *vinc_formulation(int i);
VINC_API const char *vinc_formulation_summary(int i);

/* The i-th preconditioner of krylov, the standard one first, what it is, and what it stores; NULL after
 * the last. */
VINC_API const char *vinc_preconditioner(int i);
VINC_API const char *vinc_preconditioner_summary(int i);
VINC_API const char *vinc_preconditioner_stores(int i);

VINC_API int vinc_sim_new(vinc_model *model, const vinc_sim_options *options, vinc_sim **out);
VINC_API void vinc_sim_free(vinc_sim *sim);
/* A parameter's value or a variable's start value (then held fixed), before the run. */
VINC_API int vinc_sim_set(vinc_sim *sim, const char *name, double value);
/* The same for all n elements of an array, the last subscript running fastest. */
VINC_API int vinc_sim_set_array(vinc_sim *sim, const char *name, const double *values, int n);
VINC_API int vinc_sim_run(vinc_sim *sim);
/* Warn, before a run with fixed steps, of modes that the steps cannot resolve (aliasing) and of
 * modes that decay but would grow numerically; from the eigenvalues at the start. */
VINC_API int vinc_sim_advise(vinc_sim *sim);
/* What the run has to say: warnings, and after a failure the reason. A run keeps its messages to
 * itself; only those of the run that failed last are among the context's, too. */
VINC_API const char *vinc_sim_messages(vinc_sim *sim);
VINC_API int vinc_sim_n_diagnostics(const vinc_sim *sim);
VINC_API vinc_diagnostic vinc_sim_diagnostic(const vinc_sim *sim, int i);
VINC_API vinc_result *vinc_sim_result(vinc_sim *sim); // owned by the sim; what was computed so far
/* The selection of the options, with derivatives of what it selects where there are some. */
VINC_API const char *vinc_sim_selection(vinc_sim *sim);
VINC_API int vinc_sim_statistics(const vinc_sim *sim, vinc_sim_stats *out);
/* ---- a run that is stepped from outside ------------------------------------------------------ */

/* For co-simulation, hardware, live pages:
 *
 *     rc = vinc_sim_start(sim);                        start values and first events
 *     int u = vinc_sim_find(sim, "u"), x = vinc_sim_find(sim, "x");
 *     while (rc >= 0 && vinc_sim_time(sim) < 10) {
 *         rc = vinc_sim_set_input(sim, u, control(t));         holds from now on
 *         if (rc >= 0) rc = vinc_sim_advance(sim, vinc_sim_time(sim) + 0.01);
 *         if (rc >= 0) rc = vinc_sim_values(sim, &x, 1, &value);
 *     }
 *
 * Times are those of the options: a run ends at t_stop. Rows are recorded only where `intervals` is
 * given. vinc_sim_start begins anew; vinc_sim_reset goes back to before the start (what was set by
 * vinc_sim_set stays). A call that cannot be done gives a status and a message of the run. */
VINC_API int vinc_sim_start(vinc_sim *sim);
/* To t, or by one accepted step that does not go beyond t_limit. VINC_EVENT: done, and there were
 * events on the way (a step ends at an event). VINC_TERMINATED, VINC_STOPPED: the run is over. */
VINC_API int vinc_sim_advance(vinc_sim *sim, double t);
VINC_API int vinc_sim_step(vinc_sim *sim, double t_limit);
VINC_API double vinc_sim_time(const vinc_sim *sim);
/* When it ends; and a later end, for a run that has not reached the one it has. */
VINC_API double vinc_sim_end(const vinc_sim *sim);
VINC_API int vinc_sim_extend(vinc_sim *sim, double t_stop);
VINC_API int vinc_sim_reset(vinc_sim *sim);
/* Variables by number: those of the result, der(x) included. NULL after the last; vinc_sim_find
 * gives the number of a name, or VINC_E_OPTION with a message. vinc_sim_values gives their values at
 * the present point, after vinc_sim_run at the last one. */
VINC_API int vinc_sim_n_values(const vinc_sim *sim);
VINC_API const char *vinc_sim_value_name(const vinc_sim *sim, int i);
VINC_API vinc_type vinc_sim_value_type(const vinc_sim *sim, int i);
VINC_API int vinc_sim_find(vinc_sim *sim, const char *name);
VINC_API int vinc_sim_values(vinc_sim *sim, const int *list, int n, double *out);
/* String variables by number, and what one says at the present point; the text is the run's until the next
 * call for one. Those that a when-clause changes, or that functions make, are not among them. */
VINC_API int vinc_sim_n_texts(const vinc_sim *sim);
VINC_API const char *vinc_sim_text_name(const vinc_sim *sim, int i); // NULL after the last
VINC_API int vinc_sim_text(vinc_sim *sim, int i, const char **out);
/* Clocks: each ticks for a part of the clocked variables. When it did so last, for now or before; NaN: not yet. */
VINC_API int vinc_sim_n_clocks(const vinc_sim *sim);
VINC_API double vinc_sim_clock_time(const vinc_sim *sim, int i);
/* The same at t, in `follow` only: from t0, where it is the value after an event, to t1, where it is
 * the value before one. */
VINC_API int vinc_sim_at(vinc_sim *sim, double t, const int *list, int n, double *out);
VINC_API int vinc_sim_set_input(vinc_sim *sim, int i, double value); // a top-level input

/* The whole state of a run that was started, to come back to: time, unknowns, discrete part, past,
 * inputs and parameters; any run of the same model and formulation takes it. What follows is as
 * after an event at that time (histories of multistep methods are built anew), the same whenever
 * the same state is restored. Rows recorded after that time are dropped. */
typedef struct vinc_state vinc_state;
VINC_API int vinc_sim_save(vinc_sim *sim, vinc_state **out);
VINC_API int vinc_sim_restore(vinc_sim *sim, const vinc_state *state);
VINC_API void vinc_state_free(vinc_state *state); // before its model; NULL is fine
/* A state as bytes, for a run of the same model in another process, made by the same build. */
VINC_API size_t vinc_state_size(const vinc_state *state);
VINC_API int vinc_state_write(const vinc_state *state, void *bytes, size_t size);
VINC_API int vinc_state_read(vinc_sim *sim, const void *bytes, size_t size, vinc_state **out);

/* ---- a run in the hands of another integrator ------------------------------------------------ */

/* Time and states come from outside; constraints, algebraic loops and events are handled here:
 *
 *     rc = vinc_sim_lend(sim);                            start values and first events
 *     n = vinc_sim_n_states(sim), vinc_sim_states(sim, x, NULL);
 *     ... vinc_sim_place(sim, t, x), vinc_sim_rates(sim, dx);          as often as it likes
 *     ... vinc_sim_accept(sim, &event);                   after every step that it keeps
 *     ... vinc_sim_event(sim, &report);                   where an indicator changed its sign, a time
 *                                                         event is due, or accept asked for it
 *
 * vinc_sim_values, _set_input, _save and _restore work as in a run that is stepped, where states, rates
 * and indicators can be read, too; inputs may change
 * with time without an event. Where constraints leave a choice of states, a state is a combination of
 * variables that stays the same until an event chooses anew: states_changed says so. A call that fails
 * by VINC_E_EVALUATION may be repeated with other states, those of a shorter step. */
VINC_API int vinc_sim_lend(vinc_sim *sim);
VINC_API int vinc_sim_n_states(const vinc_sim *sim);
/* The number of the variable that state i is (vinc_sim_values); -1: a combination of several. */
VINC_API int vinc_sim_state_value(const vinc_sim *sim, int i);
VINC_API int vinc_sim_place(vinc_sim *sim, double t, const double *x);   // x NULL: as they are
VINC_API int vinc_sim_states(vinc_sim *sim, double *x, double *nominal); // either may be NULL
VINC_API int vinc_sim_rates(vinc_sim *sim, double *rates);
VINC_API int vinc_sim_n_indicators(const vinc_sim *sim);
VINC_API int vinc_sim_indicators(vinc_sim *sim, double *g);
/* Values before an event, for pre(): where inputs are about to jump. */
VINC_API int vinc_sim_before_event(vinc_sim *sim);
typedef struct vinc_event_report {
    int changed;        // anything: an integrator begins anew
    int states_changed; // read them again
    int terminated;     // the model called terminate()
    double next_time;   // the next event that is known beforehand; +inf: none
} vinc_event_report;
VINC_API int vinc_sim_event(vinc_sim *sim, vinc_event_report *out);
VINC_API int vinc_sim_accept(vinc_sim *sim, int *event); // *event: 1, an event is needed here

/* Derivatives of what a run, lent or stepped, computes at its present point: J = d unknowns / d knowns,
 * along directions. Unknowns are variables by number (vinc_sim_values), or rates of states: -1 - i for
 * that of state i. Knowns are inputs and Real parameters by number, and states, -1 - i. Exact: by the
 * derivatives of the equations, constraints included; what events would change is taken as it is. */
typedef struct vinc_slopes {
    const int *unknowns, *knowns;
    int n_unknowns, n_knowns;
    int transposed; // 0: out = J v; 1: out = J^T v
} vinc_slopes;
VINC_API int vinc_sim_slopes(vinc_sim *sim, const vinc_slopes *of, const double *v, double *out);

/* What was done, in words or as the JSON object of the command. */
VINC_API const char *vinc_sim_report(vinc_sim *sim, vinc_format format);

/* ---- models for other tools ------------------------------------------------------------------ */

enum { VINC_FMU_EXCHANGE = 1, VINC_FMU_STEPS = 2 }; // model exchange, co-simulation

typedef struct vinc_export_options {
    int fmi;               // 2 or 3; 0: 3
    int kinds;             // VINC_FMU_...; 0: both
    const char *libraries; // folder of the libraries that go into FMUs (x86_64-linux.so.gz ...)
    int source;            // 1: sources in C come along, for other platforms
} vinc_export_options;

/* Write an FMU (docs/fmi.md): the model as it is, its settings included. The file appears whole or not
 * at all. */
VINC_API int vinc_model_export(vinc_model *model, const char *path,
                               const vinc_export_options *options);

/* ---- FMUs of other tools ---------------------------------------------------------------------- */

typedef struct vinc_fmu_options {
    const vinc_sim_options
        *run; // times, tolerances, method, intervals or steps, inputs; NULL: defaults
    const vinc_setting *settings; // values of parameters, start values and inputs, before the start
    int n_settings;
    int kind;           // VINC_FMU_...; 0: model exchange where the FMU is for it
    int in_process;     // 1: its code runs in this process, whose end a crash is
    const char *folder; // where its files are unpacked for the time of the run; NULL: /tmp
} vinc_fmu_options;

/* An FMU, FMI 2 or 3, to be run: by our integrators (model exchange), or by its own steps (co-simulation)
 * from one output point to the next. Its code is foreign. By default it runs in a process of its own: what
 * it does there, a crash, an endless loop, is a message, VINC_E_STOPPED or VINC_E_LIMIT (vinc_limits). */
VINC_API int vinc_fmu_open(vinc_ctx *ctx, const char *path, const vinc_fmu_options *options,
                           vinc_fmu **out);
VINC_API void vinc_fmu_free(vinc_fmu *fmu);
VINC_API int vinc_fmu_simulate(vinc_fmu *fmu);        // from the start, also once more
VINC_API vinc_result *vinc_fmu_result(vinc_fmu *fmu); // owned by it; what was computed so far
/* What was done, in words or as JSON (vinc_fmu_run). */
VINC_API const char *vinc_fmu_report(vinc_fmu *fmu, vinc_format format);

/* ---- studies of a method on a model ---------------------------------------------------------- */

typedef struct vinc_convergence_options {
    const vinc_sim_options *run; // method and first step are needed
    const char *vars;            // whose errors; NULL: of all states together
    int levels;                  // how many steps: h, h/2, h/4 ...; 0: 6
    const char *plot;            // a figure: .svg, .png, .pdf; "-": in the report
} vinc_convergence_options;

/* The error at the end of the run for halved steps against a reference of high accuracy, and the
 * observed order log2(E(2h)/E(h)). */
VINC_API int vinc_model_convergence(vinc_model *model, const vinc_convergence_options *options,
                                    vinc_format format, const char **report);

typedef struct vinc_contractivity_options {
    const vinc_sim_options *run;
    const char *plot;
    /* "1", "2", "inf", weights of states ("x=2,v=0.1", "inf:x=2"; otherwise 1/nominal), "modes" (the
     * amplitudes of the modes at the start), or a CSV file with P of sqrt(x^T P x); NULL: "2". */
    const char *norm;
} vinc_contractivity_options;

/* Distances of neighbouring numerical solutions along a run: does the method bring them nearer? */
VINC_API int vinc_model_contractivity(vinc_model *model, const vinc_contractivity_options *options,
                                      vinc_format format, const char **report);

/* ---- results --------------------------------------------------------------------------------- */

VINC_API int vinc_result_read(vinc_ctx *ctx, const char *path, vinc_result **out); // CSV or MAT
VINC_API void vinc_result_free(vinc_result *result); // of vinc_result_read only
VINC_API size_t vinc_result_n_rows(const vinc_result *result);
/* The first row that is in memory: 0, unless those before it went to a file (`out` of a run). Then what asks
 * for all rows is refused; vinc_result_read of the file has them. */
VINC_API size_t vinc_result_first_row(const vinc_result *result);
/* Value at a time (linear between rows, the right limit at events); NaN, with a message, if there
 * is no such variable. */
VINC_API double vinc_result_at(vinc_result *result, const char *name, double t);
/* A variable over all rows (constants: one value), as one array that lives as long as the result and
 * no longer than the next run. Column 0 is the time. */
typedef struct vinc_column {
    const char *name, *unit, *comment;
    vinc_type type; // VINC_REAL, VINC_INTEGER (enumerations, too) or VINC_BOOLEAN
    const double *values;
    size_t n;
    const char *display_unit;    // in which figures show it: values * scale + offset
    double scale, offset;        // 1 and 0 where that is its unit
    const char *const *literals; // of the values 1 ... n_literals of an enumeration; NULL: none
    int n_literals;
} vinc_column;
VINC_API int vinc_result_n_columns(const vinc_result *result);
VINC_API int vinc_result_column(vinc_result *result, int i, vinc_column *out);
VINC_API int vinc_result_find(const vinc_result *result, const char *name); // -1: there is none
/* Write all variables. The file appears whole or not at all. */
VINC_API int vinc_result_write_csv(vinc_result *result, const char *path);
VINC_API int vinc_result_write_mat(vinc_result *result, const char *path);
/* Write the selected variables (`--vars`; NULL: all) in the format of the ending .csv or .mat. */
VINC_API int vinc_result_write(vinc_result *result, const char *path, const char *vars);

/* What a path may end in; i from 0 up, VINC_E_OPTION after the last. */
typedef struct vinc_file_format {
    const char *ending; // ".csv"; "-" is the whole path, a chart for the terminal
    const char *name, *summary;
    int results_only; // of figures: a report made of one result, not any drawing
} vinc_file_format;

VINC_API int vinc_result_format(int i, vinc_file_format *out);
VINC_API int vinc_figure_format(int i, vinc_file_format *out);

/* A zeroed struct means all defaults. */
typedef struct vinc_plot_options {
    const char *vars;  // the selection of `--vars`; NULL: what seems to matter
    const char *title; // NULL: none
    const char *note;  // a small line below, of tables only; NULL: none
    int dark;
    int log_x, log_y; // logarithmic axes
    double width;     // points, from 100 to 4000; 0: 480
    int columns;      // of a chart for the terminal; 0: 72
    int colour;       // 1: such a chart may carry terminal colours
} vinc_plot_options;

/* A figure of the selected variables: .svg, .png, .pdf; "-" gives a chart for the terminal in
 * *chart; .html is the report, one file with interactive figures, and for a run also with its
 * structure, statistics and the moving model. */
VINC_API int vinc_result_plot(vinc_result *result, const char *path,
                              const vinc_plot_options *options, const char **chart);
/* The same of several results, all of one context; names (those of files, say) go to the legend. */
VINC_API int vinc_results_plot(vinc_result *const *results, const char *const *names, int n,
                               const char *path, const vinc_plot_options *options,
                               const char **chart);
/* How far the invariants that the model names drifted in a run with `chart`, step by step: one curve
 * each, on a logarithmic axis; .svg, .png, .pdf, or "-". Of the options title, dark, log_x and width
 * are heeded. */
VINC_API int vinc_sim_plot_drift(vinc_sim *sim, const char *path, const vinc_plot_options *options,
                                 const char **chart);
/* A picture of the model's structure: incidence as written, and sorted into blocks; .svg, .png,
 * .pdf. */
VINC_API int vinc_model_plot(vinc_model *model, const char *path, const vinc_plot_options *options);

/* A figure of a table: a row of dots for each thing that is compared, a colour for each series, a
 * panel with a logarithmic axis for each measure. */
typedef struct vinc_measure {
    const char *label, *unit;
    const double *values; // [row * n_series + series]; NaN: none, a cross in the first measure
    double mark;          // a value to compare with, drawn across; 0: none
} vinc_measure;

typedef struct vinc_dots {
    const char *const *rows, *const *series;
    const vinc_measure *measures;
    int n_rows, n_series, n_measures;
} vinc_dots;

/* path ends in .svg, .png or .pdf; of the options title, note and dark are heeded. */
VINC_API int vinc_dots_plot(vinc_ctx *ctx, const vinc_dots *dots, const char *path,
                            const vinc_plot_options *options);

/* Of vinc_gradient_of and vinc_optimum_of (vincolo_report.h). */
typedef struct vinc_goal_options {
    /* An expression over variables and parameters at the end of the run; integral(E) in it is that of E
     * over the run: "integral((x - 1)^2) + 10*v^2". */
    const char *goal;
    const char *by; // gradient: parameters, inputs, start values; optimum: "k = 1 [0.1, 10] log, c"
    int maximize;   // 1: of an optimum, the largest value instead of the least
    int max_iterations;          // 0: 200; of motions by shooting 1000, by collocation 3000
    const vinc_sim_options *run; // times, tolerance, method, formulation; NULL: defaults
    /* Of a gradient: from the end of the run to its start, at a cost that does not grow with the number of
     * parameters. 0: where they are many and the model allows it; 1: where it allows it; -1: never. */
    int adjoint;
    double adjoint_memory; // bytes in which the run is kept for it; 0: 256 MB
    /* Of an optimum: `by` may also name inputs of the model, which become controls on equal
     * pieces of the run ("u = 0 [-1, 1]"), and `time`, the end of the run. Constraints are separated by
     * semicolons: "final(x) = 1; -2 <= x <= 2"; with final() or integral() they hold at the end, otherwise
     * all along. */
    const char *subject;  // NULL: none
    int pieces;           // 0: 50
    const char *controls; // on pieces: "constant" (NULL), or "linear", and continuous
    const char *way;      // "collocation" (NULL), "shooting", "single"
    const char *out;      // the motion of an optimum with controls: a result; NULL: not wanted
    const char *plot;     // ... a figure of it; "-": in the report
    const char *vars;     // ... of these; NULL: controls and states
    const char *title;    // ... of the figure
} vinc_goal_options;

/* Of vinc_fit_of (vincolo_report.h). */
typedef struct vinc_fit_options {
    /* A table (CSV): the time, then variables of the model, empty where there is no value; or, with
     * `observables`, columns observable, condition, time, value and perhaps noise. */
    const char *data;
    /* "k = 1 [0.1, 10] log, c": names, values to begin with (else the model's), bounds, scale; or the path
     * of a table with columns parameter, nominal, lower, upper, scale, estimated. */
    const char *params;
    const char *conditions; // a table: condition, preequilibration, then what each sets; NULL: none
    const char *observables;  // a table: observable, formula, transformation, noise, distribution
    const char *noise;        // of a plain table: the standard deviation, an expression; NULL: 1
    const char *distribution; // of a plain table: normal (NULL), lognormal, laplace
    int starts;               // how many places to begin from; 0: 1, the values given
    int threads;              // 0: one for each processor; starts are shared first, then conditions
    int evaluate;             // 1: only the likelihood and its gradient at the values given
    int max_iterations;       // 0: 200
    int profile;              // 1: intervals by profiles of the likelihood as well
    const char *plot;         // data against curves, and residuals; "-": in the report
    const vinc_sim_options *run; // tolerances, method, formulation; NULL: defaults
    const char *report; // a page (.html): estimates, correlation, data against curves; NULL: none
} vinc_fit_options;

/* Of vinc_difference_of (vincolo_report.h). */
typedef struct vinc_difference_options {
    double tol;               // half-width of the tube, relative; 0: 0.002
    const char *vars;         // what is compared, as by --vars; NULL: all variables of either
    const char *const *names; // ... or n_names of them, exactly
    int n_names;
    int reference; // 1: the first is a reference: it may end earlier and have fewer variables, and values
                   // between rows are on straight lines
    const char *first, *second; // how they are called; NULL: "the first", "the second"
    const char *plot; // a figure of the worst variables: .svg, .png, .pdf; "-": in the report
} vinc_difference_options;

/* ---- a live page ------------------------------------------------------------------------------ */

typedef struct vinc_live_options {
    const char *source, *class_name; // as of vinc_model_load
    const vinc_sim_options *run;     // with which it begins; NULL: defaults
    const char *vars;                // likewise
    int port;                        // 0: any that is free
    double max_time;                 // seconds that an answer may take; 0: 10
    void (*ready)(void *user, const char *address);
    int (*stops)(void *user); // non-zero ends it; asked several times a second
    void *user;
} vinc_live_options;

/* Serve a page (docs/live.md) on the loopback interface until `stops` says so: the model's text in an
 * editor, sliders for parameters and start values, curves and the moving model, which follow every
 * change. Its address holds a random token; nobody else is answered. */
VINC_API int vinc_live(vinc_ctx *ctx, const vinc_live_options *options);

/* ---- a language server ------------------------------------------------------------------------ */

typedef struct vinc_language_server {
    size_t (*read)(void *user, char *to, size_t n);        // some bytes, at most n; 0: no more come
    int (*write)(void *user, const char *bytes, size_t n); // all of them; non-zero: it cannot
    void *user;
    int (*waits)(void *user); // non-zero: there is something to read; NULL: nobody knows
} vinc_language_server;

/* Answer the questions of an editor (Language Server Protocol, docs/editors.md) until it says `exit`:
 * VINC_OK, or VINC_STOPPED where it ended without saying so. */
VINC_API int vinc_serve_language(vinc_ctx *ctx, const vinc_language_server *io);

/* ---- methods --------------------------------------------------------------------------------- */

typedef struct vinc_method_options {
    const char *at; // "0.1,1/4": numbers of the undamped oscillator at these h/T; NULL: none
} vinc_method_options;

/* The list of integration methods (names NULL), or the analysis of those named, separated by
 * commas, from their coefficients: order, stability function, A-, L- and algebraic stability. A
 * name may carry parameters (ms2:rho=0.6) or be the path of a text file with a formula
 * (docs/methods.md). options may be NULL. */
VINC_API int vinc_method_report(vinc_ctx *ctx, const char *names,
                                const vinc_method_options *options, vinc_format format,
                                const char **report);
/* A figure of one or several methods. show: "all" (NULL), or some of "region,radius,damping,period,
 * convergence,star"; path as in vinc_result_plot. */
VINC_API int vinc_method_plot(vinc_ctx *ctx, const char *names, const char *path, const char *show,
                              const char **chart);

/* ---- linear DAEs ----------------------------------------------------------------------------- */

typedef struct vinc_pencil_options {
    const char
        *rhs;       // h, one expression of t per row, separated by ';': solve; NULL: structure only
    const char *x0; // initial values, separated by commas; NULL: the free ones are 0
    double stop;    // the solution is printed from 0 to stop; 0: 1
    int intervals;  // 0: 10
    double tol;     // eigenvalues nearer than tol |C| are one; 0: as far as round-off scatters them
} vinc_pencil_options;

/* F x' + G x = h with matrices from two CSV files without header: regularity, index, eigenvalues,
 * Kronecker form, consistent initial values, and the solution: in closed form for an h made of
 * polynomials, exponentials, sines and cosines, by the integral formula for any other. */
VINC_API int vinc_pencil_report(vinc_ctx *ctx, const char *f_csv, const char *g_csv,
                                const vinc_pencil_options *options, vinc_format format,
                                const char **report);

/* The same of a model whose equations are linear with constant coefficients; options->rhs is not
 * taken from the model. */
VINC_API int vinc_model_pencil(vinc_model *model, const vinc_pencil_options *options,
                               vinc_format format, const char **report);

/* ---- linearization --------------------------------------------------------------------------- */

typedef enum vinc_point { VINC_AT_START, VINC_AT_STOP, VINC_AT_EQUILIBRIUM } vinc_point;

/* What a figure of vinc_control_of draws. */
typedef enum vinc_view {
    VINC_VIEW_NONE,
    VINC_VIEW_BODE,
    VINC_VIEW_NYQUIST,
    VINC_VIEW_ROOT_LOCUS, // closed by u = -k y, k > 0
    VINC_VIEW_RESPONSE    // to a unit step
} vinc_view;

typedef struct vinc_linear_options {
    const vinc_sim_options *run; // times, tolerances, inputs; NULL: defaults
    vinc_point
        at; // the consistent start, the end of a run, or the equilibrium nearest to the start
    const char *vars;    // what counts as output, as by --vars; NULL: the outputs of the model
    const char *csv;     // "m.csv": write the matrices to m.A.csv, m.B.csv, m.C.csv, m.D.csv
    const char *plot;    // a figure of the eigenvalues: .svg, .png, .pdf; "-": in the report
    const char *methods; // of vinc_mode_steps_of, separated by commas
    const char *sweep;   // of vinc_locus_of: a parameter, or time, and values: "k=1,10,100"
    vinc_view view;      // of vinc_control_of: what plot draws
    /* Of vinc_control_of: weights of states, then of inputs (lqr) or outputs (observer), as in "x=1,
     * v=0.1; F=0.01"; "": all 1. NULL: no gain is asked for. */
    const char *lqr, *observer;
} vinc_linear_options;

/* x' = A x + B u, y = C x + D u for small deviations from a point: x are independent states of the
 * model, constraints and algebraic unknowns eliminated, u its top-level inputs, y its outputs; with
 * eigenvalues, damping ratios and mode shapes. Derivatives are exact. */
VINC_API int vinc_model_linearize(vinc_model *model, const vinc_linear_options *options,
                                  vinc_format format, const char **report);

typedef struct vinc_passivity_options {
    const vinc_sim_options *run; // of the run along which energy is counted; NULL: defaults
    const char *vars;            // the outputs, as by --vars; NULL: those of the model
    const char *storage;         // variable with the energy stored; NULL: as annotated, or none
} vinc_passivity_options;

/* Can the model deliver more energy through its top-level inputs u and outputs y (pairs, in order)
 * than it was given? By the linearization (positive real or not), the integral of u^T y along a run
 * (inputs from the table, or sines), and V' <= u^T y for a storage function V. */
VINC_API int vinc_model_passivity(vinc_model *model, const vinc_passivity_options *options,
                                  vinc_format format, const char **report);

/* Is the transfer function numerator/denominator (coefficients separated by commas, highest power
 * first) positive real, that is, the system passive? */
VINC_API int vinc_passivity_report(vinc_ctx *ctx, const char *numerator, const char *denominator,
                                   vinc_format format, const char **report);

#ifdef __cplusplus
}
#endif
#endif
