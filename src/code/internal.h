/* What is behind code_model and code_state.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_INTERNAL_H
#define CODE_INTERNAL_H

#include "base/bump.h"
#include "code/cell.h"
#include "code/code.h"
#include "code/lower.h"
#include "la/la.h"
#include "structure/dag.h"
#include "target/target.h"

/* A compiled function from t, p, y, y', w to out (and out2). */
typedef struct code_fn {
    const tape_program *program; // NULL: there is none
    tape_code *code;
    int n_out;
} code_fn;

/* Relations of one moving quantity with thresholds that stay: they are member[first] ... */
typedef struct code_family {
    int first, n;
} code_family;

typedef struct code_threshold {
    double c;
    int relation;
    int sign;     // its root is sign * (e - c)
    bool greater; // it says that e > c
} code_threshold;

/* Times that are known beforehand: of samples, then of timers; a heap. */
typedef struct event_clock {
    int n, n_samples;
    double *when;    // by entry; +inf: never
    int *heap, *at;  // entries, the earliest first; where each stands
    int *due, n_due; // entries whose time has come with this event
} event_clock;

/* A value that is a number, a parameter, or one of the outputs of a function of the parameters. */
enum { CODE_NUMBER = -1, CODE_PARAMETER = -2 };
typedef struct code_value {
    double number;
    int output; // or CODE_NUMBER, or CODE_PARAMETER: its place is the number
} code_value;

typedef struct code_entry { // start data of an entry
    code_value start, nominal, min, max;
    bool given; // somebody gave a start value
} code_entry;

/* How a component of y is found when the independent ones are given. */
typedef enum code_role {
    CODE_STATE,    // independent: its derivative is solved for
    CODE_SELECTED, // one of a group: tied by constraints and P
    CODE_ALGEBRAIC
} code_role;

/* The constraints of one level, by y, for projection; positions come first. */
typedef struct code_level {
    int m, n;
    int *rows;    // structure equations
    int *columns; // components of y that may change
    code_fn f, jac;
    vinc_pattern pattern; // of jac
    vinc_pattern g;       // of its columns that may change
    int *value;           // by entry of g: which value of jac it is
    bool sparse;          // there are so many that steps come from sparse factors
} code_level;

typedef struct code_manifold {
    int n;
    code_level *levels;
} code_manifold;

/* Sparse factors of a level, at a point that was met. */
typedef struct code_nearest {
    struct la_wide *factors;
    double *unit; // of its rows
    bool known;   // there are factors
} code_nearest;

/* The matrix of constraints by unknowns, for questions of rank (rank.c). */
typedef struct code_rank {
    int m, n;
    int *equation, *unknown; // by row and column
    code_fn jac;
    vinc_pattern g;
    int *value, *component; // by entry of g: which value of jac it is, and component of y
} code_rank;

struct code_model {
    const form_system *form;
    structure *s;
    mem *m; // machine code
    int n, n_p, n_w, n_outputs;
    size_t scratch; // doubles for any function

    code_fn residual, jacobian;
    vinc_pattern jac;
    code_fn rhs; // y' and algebraic y in one sweep, where that is possible
    /* Relations: single ones, timers (single and of time alone), families (of time: last). */
    int n_relations, n_single, n_timers, n_families, n_families_moving, n_members;
    int8_t *sense;        // by relation: the sign of the root that makes it true; 0: floor
    int *single, *member; // relations
    int *side_of;         // by relation: the output of roots that tells of it
    code_family *families;
    uint8_t *threshold_first; // by member: it is written c > e
    code_fn thresholds;       // by member, of the parameters
    int *timer;               // relations
    code_cells timers;        // their values and roots
    int *timer_cell;          // the cell of each
    code_fn roots;       // of single ones, the sizes of the sides that they compare; e of families
    code_fn relations;   // values of single ones; e of families
    code_cells discrete; // new values of discrete variables
    code_fn first;       // pre values of discrete variables given by initial equations
    code_cells acts;     // what happens at events: does it fire, and its value
    int *acting;         // ... the action of each item
    code_fn assertions;  // conditions that are checked all the time
    int *always;         // ... the action of each
    int *action_y;       // by action: component that a reinit sets; -1: none
    double *action_sign;
    code_fn messages;      // numbers in the messages of actions and in conditions that may fail
    expr *message_of;      // ... the expression of each
    code_fn samples;       // start and interval of each sample
    code_fn delays;        // value, time and longest time of each delay
    code_fn computed;      // outputs that are more than an element of y, y', w
    tape_ref *output_from; // by output: what it is; of kind out: an output of computed
    code_fn constraints;   // every constraint and its derivatives: for the violation
    int *constraint_level;
    code_manifold *manifold; // NULL: no projection after steps
    code_rank *rank;         // NULL: nothing can lose rank
    code_fn energy;          // T + V; no outputs: the model has none
    code_fn params;          // bound parameters from the others
    int *param_place;        // of the outputs of params
    int param_depth;         // evaluations until all are settled
    code_fn attributes;  // start values, nominals, bounds, known values that depend on parameters
    code_entry *entries; // by entry of the structure

    uint8_t *differential;
    int8_t *unknown_level, *equation_level; // NULL: all 0
    int *velocity;
    uint8_t *role;      // code_role
    uint8_t *selecting; // by row: of kind FORM_ROW_SELECT
    code_fn next;       // by component of role SELECTED: the entry that is its derivative
    int *next_of;       // component of each output of next

    /* Groups of states chosen while running: derivative of their constraints by y. */
    code_fn group_jac;
    vinc_pattern group_pattern; // rows: constraints of all groups, one after the other
    int n_group_rows;

    code_column *columns;
    int n_columns;
    code_value *column_value; // of constant columns
    code_value *known_value;  // by flat variable, of those that are known
    code_value *start_value;  // by flat variable, of those that live in w
    code_value *guard_value;  // by assignment
    const char **input_names;
    int *input_place;
    int n_inputs;

    /* The system of start values: another model where the formulation is not `dummy`. */
    struct code_model *initial;
    struct code_initial *init;
};

/* A parameter or start value given from outside. */
typedef struct code_setting {
    int param, entry, w; // place in p, entry, or place in w; the others are -1
    double value;
} code_setting;

struct code_state {
    const code_model *model;
    mem *m;
    vinc_problem problem;
    double *p, *w, *scratch, *nominal;
    double *attributes;            // outputs of model->attributes
    double *start, *lower, *upper; // by entry
    uint8_t *fixed;                // by entry
    code_setting *settings;
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
    code_nearest *nearest;  // by level of the manifold, where that is sparse
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
    code_threshold *thresholds;   // of each family in ascending order
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
    uint8_t *warned;        // by action: an assertion of level warning that has been reported
    double *w_noted;        // w before an event, for the log
    uint8_t *restless;      // by discrete equation: its variable still changed in the last rounds
    struct code_past *past; // what delay() remembers; NULL: nothing to remember
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

    struct code_state *initial; // of model->initial, where it is another model
    size_t block_bytes;
    void *block;
};

/* Evaluate f into out (and out2). Inputs are brought up to date. */
void code_eval(code_state *s, const code_fn *f, double t, const double *y, const double *yp,
               double *out, double *out2);

/* The arguments of such an evaluation, for tapes that are run by themselves. */
tape_args code_args(code_state *s, double t, const double *y, const double *yp);

/* Build and compile the function out[i] = roots[i]; false after a diagnostic. */
bool code_function(lowering *l, const expr *roots, const span *at, int n, const char *what,
                   bool compiled, code_fn *out);

static inline double code_value_of(const code_state *s, const code_value *v)
{
    if (v->output == CODE_PARAMETER) return s->p[(int)v->number];
    return v->output < 0 ? v->number : s->attributes[v->output];
}

/* ---- solving and selecting (dependent.c, reselect.c) ----------------------------------------- */

/* Given the independent components of y, solve F = 0 for the others and for y'. Status as of a
 * callback; VINC_E_MEMORY. */
int code_solve_dependent(code_state *s, double t, double *y, double *yp);
/* Its matrix in s->matrix, with the pattern of the Jacobian. */
int code_dependent_matrix(code_state *s, double t, const double *y, const double *yp);

/* ---- events (event.c, event_lower.c) --------------------------------------------------------- */

bool code_lower_events(code_model *m, lowering *l);
bool code_has_events(const code_model *m);
void code_event_layout(code_state *s, const code_model *m, bump *b);
/* The event iteration: relations, discrete variables and dependent unknowns until all agree. */
int code_update_discrete(code_state *s, double t, double *y, double *yp, int *changed);
/* One sweep of them, y as it is; true when something changed. */
bool code_refresh_relations(code_state *s, double t, const double *y, const double *yp);
int code_roots(void *user, double t, const double *y, const double *yp, double *g); // relation.c
void code_family_begin(code_state *s); // thresholds by the parameters of this run (family.c)
int code_event(void *user, double t, double *y, double *yp, int *changed);
int code_finish(void *user, double t, double *y, double *yp, int *changed); // terminal()
void code_event_text(void *user, char *line, size_t size);
double code_next_event(void *user, double t);
int code_check_assertions(void *user, double t, const double *y, const double *yp);

/* ---- delays (delay.c) ------------------------------------------------------------------------ */

bool code_lower_delays(code_model *m, lowering *l);
int code_past_new(code_state *s); // VINC_OK, VINC_E_MEMORY
void code_past_free(code_state *s);
void code_past_forget(code_state *s); // before a run
/* Delayed values into w, for an evaluation at t. */
void code_past_read(code_state *s, double t, const double *y, const double *yp);
/* An event at t: what comes back at t has come back; with `begin` the first past. 0: nothing came
 * back; 1: values jump; 1 + n: a jump for the n-th time, in a higher derivative each time. */
int code_past_event(code_state *s, double t, const double *y, const double *yp, bool begin);
/* Something jumped at t: values (0), or derivatives since a jump came back for the n-th time. */
void code_past_break(code_state *s, double t, int returns);
double code_past_next(const code_state *s, double t); // when a jump comes back
int code_accept(void *user, double t0, double t1,
                int (*at)(void *trajectory, double t, double *y, double *yp), void *trajectory);
double code_step_limit(void *user, double t);

/* Choose P of every group afresh at this point. */
int code_select(code_state *s, double t, const double *y, const double *yp);
/* The same with coordinates instead of combinations. */
int code_select_coordinates(code_state *s, double t, const double *y, const double *yp);
/* After a step: 1 when a choice was renewed. */
int code_reselect(void *user, double t, const double *y, const double *yp);
size_t code_select_work(const code_model *m); // doubles

void code_fill_problem(code_state *s);

/* ---- outputs (output.c) ---------------------------------------------------------------------- */

bool code_lower_outputs(code_model *m, lowering *l, const expr *roots, int n);
int code_outputs(void *user, double t, const double *y, const double *yp, double *out);

/* ---- accelerations (accelerate.c) ------------------------------------------------------------ */

/* Equations of motion in the order of the coordinates: the transversal of M of largest product,
 * which in a positive definite matrix is the diagonal, in whatever scale the rows are (mass.c). */
void code_pair_rows(int n, const double *M, int *row_of, arena *a);

size_t code_accelerate_work(const code_model *m); // bytes
/* M a + B lambda + r_d = 0, G a + r_c = 0 at a point; matrices by columns. Status as of a callback. */
typedef struct code_mechanics {
    int n, m;
    double *M, *B, *G, *rd, *rc; // n*n, n*m, m*n, n, m
} code_mechanics;
int code_mechanics_at(code_state *s, double t, const double *y, const code_mechanics *x);
/* y' and the multipliers by the algebra of the formulation. */
int code_accelerate(void *user, double t, double *y, double *yp);

/* ---- rank of constraints (rank.c) ------------------------------------------------------------ */

bool code_lower_rank(code_model *m, lowering *l);
int code_regularity(void *user, double t, const double *y, const double *yp, double *sigma);

/* ---- projection (project.c) ------------------------------------------------------------------ */

bool code_lower_manifold(code_model *m, lowering *l);
code_fn *code_manifold_fn(const code_model *m, int k); // the k-th function, NULL after the last
size_t code_manifold_work(const code_model *m);        // bytes
int code_project(void *user, double t, double *y, double *yp);
void code_project_free(code_state *s);

/* ---- start values (initial.c) ---------------------------------------------------------------- */

/* dF/dy and dF/dy' of a function. */
tape_program_derivative code_derive(const tape_program *f, int n_rows, int n_cols, lowering *l);

/* How the components of another formulation follow from those of `initial`. */
bool code_lower_map(code_model *initial, const code_model *to, lowering *l);
bool code_lower_initial(code_model *m, lowering *l);
/* How the components of another formulation follow from those of `initial`. */
bool code_lower_map(code_model *initial, const code_model *to, lowering *l);
int code_compile_initial(code_model *m);
void code_free_initial(code_model *m);
int code_n_extra(const code_model *m);
int code_n_mapped(const code_model *m);
/* For the target, NULL: the best; VINC_OK, VINC_E_MEMORY. */
int code_compile(code_model *m, code_fn *f, const tape_target *target);

#endif
