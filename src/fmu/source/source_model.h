/* A model as C: the tables that the writer of FMUs prints beside the functions of the model.
 *
 * F(t, y, y') = 0 in the formulation with independent states (docs/fmi.md): its residual and exact
 * Jacobian, relations and their roots, discrete equations, actions, start values and parameters. The
 * arrays of every function: t, parameters p, unknowns y, their derivatives yp, work w (discrete values,
 * inputs, choices of states), results out and out2, scratch v, and run, in which functions keep objects.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOURCE_MODEL_H
#define SOURCE_MODEL_H

/* An importer may have functions of the same names. */
#if defined(__GNUC__) && !defined(_WIN32)
#define SOURCE_HIDDEN_BEGIN _Pragma("GCC visibility push(hidden)")
#define SOURCE_HIDDEN_END   _Pragma("GCC visibility pop")
#else
#define SOURCE_HIDDEN_BEGIN
#define SOURCE_HIDDEN_END
#endif

typedef void source_fn(double t, const double *p, const double *y, const double *yp, double *w,
                       double *out, double *out2, double *v, void *run);

/* Places in w that every model has. */
enum { SOURCE_W_INITIAL, SOURCE_W_TERMINAL, SOURCE_W_LAMBDA };

/* How a component of y is found when the independent ones are given. */
enum { SOURCE_STATE, SOURCE_SELECTED, SOURCE_ALGEBRAIC };

/* A number; a parameter; an output of `attributes`; an element of y, y' or w; of `computed`. */
enum { SOURCE_NUMBER, SOURCE_P, SOURCE_ATTRIBUTE, SOURCE_Y, SOURCE_YP, SOURCE_W, SOURCE_COMPUTED };
typedef struct source_value {
    int kind, at;
    double number;
} source_value;

/* A pattern by columns. */
typedef struct source_pattern {
    int n_rows, nnz;
    const int *start, *row;
} source_pattern;

/* A function and the number of its results. */
typedef struct source_part {
    source_fn *f; // NULL: none
    int n_out;
} source_part;

/* Small functions: results of cell c belong to items item[first[c]] ... */
typedef struct source_cells {
    int n, n_items, n_out; // the most results of a cell
    source_fn *const *f;
    const int *first, *item;
} source_cells;

/* What can be read, in the order of value references; set: what setting it means. */
enum { SOURCE_SET_NOT, SOURCE_SET_P, SOURCE_SET_ENTRY, SOURCE_SET_W };
typedef struct source_column {
    const char *name;
    int type; // vinc_type
    int kind, at;
    double number;
    int negated, is_input;
    int set, place, sign;
} source_column;

typedef struct source_relation {
    int place, sense, of_time;
} source_relation;

/* Relations of one quantity with thresholds that stay: member[first] ... */
typedef struct source_family {
    int first, n;
} source_family;

typedef struct source_group { // states chosen while running: P is w[w + i * n_columns + j]
    int n_columns, n_constraints, level, w;
    const int *columns, *constraints, *rows;
    const int *independent; // by column; NULL: not named
    int coordinates;
} source_group;

enum { SOURCE_REINIT, SOURCE_ASSERT, SOURCE_TERMINATE, SOURCE_NOTHING };
typedef struct source_action {
    int kind, level, initial;
    int y, sign; // of a reinit
    const char *text;
} source_action;

typedef struct source_start { // of a variable in w
    int place, is_discrete;
    source_value value;
} source_start;

typedef struct source_slot { // in w, and what is special about it
    int place, mark;
} source_slot;

typedef struct source_text { // a String that stays
    const char *name, *value;
} source_text;

typedef struct source_matrix { // of a table that was read from a file
    const char *file, *name;
    int rows, cols;
    const double *at;
} source_matrix;

/* Base clocks, with ticks on a grid of grid_n/grid_d seconds, or intervals of the clock itself; sub-clocks; and
 * what is computed at a tick, in order. */
enum {
    SOURCE_CLOCK_RATIONAL,
    SOURCE_CLOCK_REAL,
    SOURCE_CLOCK_COUNTER,
    SOURCE_CLOCK_VARYING,
    SOURCE_CLOCK_EVENT
};
typedef struct source_base {
    int kind, place; // place: of its interval or condition; -1: none
    long long grid_n, grid_d, every, resolution;
    int first, n, first_step, n_steps;
} source_base;

typedef struct source_sub {
    int base;
    long long shift, every, interval_n, interval_d;
    int interval_place, first_place, on_place; // -1: none
    source_part samples;
    const int *sampled, *past;
    int n_past;
} source_sub;

typedef struct source_tick {
    int sub, n, solved; // solved: f are residuals, then derivatives by rows
    const int *places;
    source_part f;
} source_tick;

typedef struct source_extra { // a row of the system of start values
    int entry;                // value - start while it is fixed; -1: an initial equation
} source_extra;

typedef struct source_model {
    const char *token;
    double t_start, t_stop, rel_tol;
    int n, n_p, n_w, n_scratch, n_entries;

    int n_objects; // of functions that keep some
    const source_matrix *matrices;
    int n_matrices;

    const double *p_default;
    source_part bound; // parameters from others
    const int *bound_place;
    int bound_depth;
    source_part attributes;
    const source_value *entry_start; // by entry
    const int *entry_fixed;
    const source_value *nominal;      // by component of y
    const int *y_entry, *yp_entry;    // by component; -1: none
    const double *y_found, *yp_found; // start values that belong to the parameters as exported
    const source_start *w_start;
    int n_w_start;

    source_part residual, jacobian, rhs;
    source_pattern jac;
    const int *column_order; // in which its columns are eliminated; NULL: matrices are dense
    const int *role, *differential, *selecting, *start_row; // start_row: it holds at the start
    source_part next;                                       // derivatives of components of groups
    const int *next_of;
    source_part group_jac;
    source_pattern group_pattern;
    const source_group *groups;
    int n_groups;

    source_part extra, extra_jac;
    source_pattern extra_pattern;
    const source_extra *extras;

    const source_relation *relations;
    int n_relations, n_single, n_timers, n_families, n_moving, n_members;
    const int *single, *member, *side_of, *timer;
    const int *threshold_first;
    const source_family *families;
    source_part thresholds, roots, relation_values;
    source_cells timers, discrete, acts;
    const int *acting;
    const int *discrete_slot;
    const source_slot *conditions; // mark: initial() is one of them
    int n_conditions;
    source_part first;
    const source_slot *first_slots; // mark: an Integer
    source_part delays, profiles;
    const struct past_model *past;
    int n_transports;
    source_part before;
    const int *before_place;
    source_part samples;
    const int *sample_place;
    int n_samples;
    const source_action *actions;
    int n_actions;
    source_part assertions;
    const int *always, *closed;

    const source_base *bases;
    const source_sub *subs;
    const source_tick *ticks;
    const int *held; // what hold() shows
    source_part intervals;
    int n_bases, n_subs, n_held, tick_most, tick_unknowns;

    source_part computed;
    const source_column *columns;
    int n_columns;
    const source_text *texts;
    int n_texts;
    const source_slot *arrays; // of FMI 3: value reference, elements; ends with none
    const int *states;         // components of y that are states by themselves
    const int *state_column;
    int n_states; // of them
} source_model;

SOURCE_HIDDEN_BEGIN
extern const source_model source_of_model;
SOURCE_HIDDEN_END

#endif
