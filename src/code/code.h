/* Code: lowers what a formulation decided to tapes and fills the vinc_problem.
 *
 * code_model is the compiled model: immutable, shareable between runs and threads. code_state is
 * one run of it: parameter values, discrete values, workspace, and the vinc_problem whose `user` it
 * is.
 *
 *     code_lower(form, a, scratch, m, sink, &model)
 *     code_state_new(model, m, &state)
 *     code_state_set(state, "L", 2.0, why)         any number of times
 *     code_state_begin(state, t0, why)             parameters evaluated, start values ready
 *     code_initialize(state, t0, &options, y, yp, &report)
 *     ... integrate code_state_problem(state) ...
 *     code_state_free, code_model_free
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "base/diag.h"
#include "base/text.h"
#include "form/form.h"
#include "pencil/state_space.h"
#include "vincolo_problem.h"

#include <stdbool.h>

typedef struct code_model code_model;
typedef struct code_state code_state;

/* ---- the model ------------------------------------------------------------------------------- */

/* 0, or VINC_E_MODEL with diagnostics, VINC_E_MEMORY. The form, its structure and the flat model
 * must outlive the model. Only the machine code is held outside the arena: code_model_free. */
int code_lower(const form_system *form, arena *a, arena *scratch, mem *m, diag_sink *sink,
               code_model **out);
void code_model_free(code_model *model); // NULL is fine
const form_system *code_model_form(const code_model *model);
void code_model_print(const code_model *model, text *out); // --dump=tape

/* What can be recorded: every variable of the flat model but Strings, in its order, then der(x) for
 * every x whose derivative occurs. A constant is a parameter, or a variable that cannot change; an
 * alias repeats another column; any other has its place among the outputs of the vinc_problem. */
typedef struct code_column {
    const char *name, *unit, *comment;
    uint8_t type; // expr_type
    bool constant, negated;
    int alias_of; // column, or -1
    int output;   // place in vinc_problem.outputs; -1: constant or alias
} code_column;
int code_n_columns(const code_model *model);
const code_column *code_columns(const code_model *model);

/* Degrees of freedom: independent velocities of a mechanical system, otherwise the number of free
 * initial values. */
int code_dof(const code_model *model);

/* Top-level inputs, driven from outside. */
int code_n_inputs(const code_model *model);
const char *code_input_name(const code_model *model, int i);

/* ---- one run --------------------------------------------------------------------------------- */

int code_state_new(const code_model *model, mem *m, code_state **out); // VINC_OK, VINC_E_MEMORY
void code_state_free(code_state *s);
vinc_problem *code_state_problem(code_state *s);

/* From now on the problem's outputs are these n of its outputs, in this order; NULL: all of them. */
int code_state_record(code_state *state, const int *outputs, int n);

/* A parameter's value, or a variable's start value, then held fixed; "der(x)" too. VINC_OK, or
 * VINC_E_OPTION and a sentence in why: no such name (the nearest is offered), final, structural. */
int code_state_set(code_state *s, const char *name, double value, text *why);
/* Everything that was set in another state of the same structure. */
int code_state_take_settings(code_state *s, const code_state *from);
/* Inputs: u[i] at time t and its time derivative. Without it inputs keep their start values. */
void code_state_inputs(code_state *s, void (*input)(void *user, double t, double *u, double *up),
                       void *user);
/* Warnings of the model (assertions of level warning): each is given once. */
void code_state_warnings(code_state *s, void (*warn)(void *user, span at, const char *words),
                         void *user);
/* Evaluate parameters and start values; to be called after the last set. VINC_OK or VINC_E_MODEL. */
int code_state_begin(code_state *s, double t0, text *why);
double code_state_constant(const code_state *s, int column); // value of a constant column

/* Why did the last callback give > 0 or < 0: names the equation or variable and its line. */
bool code_state_fault(const code_state *s, span *at, text *why);

/* Constraints that depend on each other: how many say nothing new at this point. */
int code_redundant(code_state *s, double t, const double *y, const double *yp);
/* Can the formulation run with them? Then it will, with multipliers of least norm. */
bool code_allow_redundant(code_state *s, double t, const double *y, const double *yp);
/* Notes to the newest diagnostic: the equations nearest to dependence, the position, the
 * multipliers that are not unique. */
void code_note_dependent(code_state *s, double t, const double *y, const double *yp,
                         diag_sink *sink);
/* The same where a branch that holds changes the structure of the constraints. */
void code_note_branch(const code_state *s, arena *scratch, diag_sink *sink);

/* Does a matrix that is singular at this point leave unknowns open? Then an error, or else notes to
 * the newest diagnostic, that name them, the equations, and a choice of coordinates. */
bool code_explain_undetermined(code_state *s, double t, const double *y, const double *yp,
                               bool error, diag_sink *sink);
/* Warn where the reaction of a constraint does work in motions that the constraint allows. */
void code_warn_working(code_state *s, double t, const double *y, diag_sink *sink);

/* ---- start values ---------------------------------------------------------------------------- */

typedef struct code_init_options {
    bool as_given;
    double tol; // on surplus fixed values and residuals; 0: 1e-9
} code_init_options;

enum { CODE_INIT_NAMED = 6 };

/* Start values: what was done, in words fit for the log and for messages. */
typedef struct code_init_report {
    int n_unknowns, n_equations, n_fixed,
        n_free;                 // of the initial system; free: chosen by least change
    double residual;            // largest scaled residual of the given values
    bool given_consistent;      // the given start values satisfied everything
    int n_moved;                // start values that changed, the most moved first
    int moved[CODE_INIT_NAMED]; // entries
    double from[CODE_INIT_NAMED], to[CODE_INIT_NAMED];
    int n_chosen;                // free start values that nobody gave: taken as 0
    int chosen[CODE_INIT_NAMED]; // entries
    int iterations, homotopy_steps;
} code_init_report;

/* y and yp (n each) consistent at t0. VINC_OK, VINC_E_NEWTON ..., with diagnostics in the sink.
 * After as_given > 0 is returned when the values are inconsistent. */
int code_initialize(code_state *s, double t0, const code_init_options *options, double *y,
                    double *yp, code_init_report *report, diag_sink *sink);

/* ---- linearization --------------------------------------------------------------------------- */

/* Exact derivatives of F and of the outputs at a point, by the tapes: E = dF/dy', G = dF/dy, H and
 * K = dF/du and dF/du', likewise for the columns listed (their signs as recorded). The state must
 * be of the formulation `dummy` and is left with coordinates as states; matrices live in a. */
void code_linearize(code_state *s, double t, const double *y, const double *yp, int n_columns,
                    const int *columns, arena *a, arena *scratch, linear_dae *out);

/* ---- vincolo check --------------------------------------------------------------------------- */

typedef struct code_check_constraint {
    int level;
    const char *equation; // Modelica text
    const char *of;       // the component it belongs to; "": the model itself
    span at;
} code_check_constraint;

typedef struct code_check {
    int index_structural;
    int index_numerical;          // -1: not computed
    const char *numerical_reason; // why not, or why it differs; NULL: nothing to say
    int dof;
    int n_unknowns, n_equations, n_parameters;
    int n_states;
    const char **states;
    const char *selection; // "static", "dynamic" or "none"
    int n_constraints;
    code_check_constraint *constraints; // level 0 as written, 1 ... hidden
    bool consistent;
    double inconsistency; // largest residual of the given start values
    const char *form;     // ode, semi-explicit, hessenberg-2, hessenberg-3, quasi-linear, general
    const char *form_reason;
    double form_condition; // of the matrix that decides the form; NaN: none
    int n_blocks;
    int *blocks; // sizes of the blocks of the system for the highest derivatives
} code_check;

/* The state must have begun; texts live in a. */
int code_check_model(code_state *s, double t0, arena *a, code_check *out, diag_sink *sink);

#endif
