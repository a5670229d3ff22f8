/* Inspect: questions to a model at a point, answered by numbers and in words. Nothing here is needed
 * to run.
 *
 * inspect_model differentiates equations, which makes expressions: it is called where a formulation
 * might be compiled, one thread at a time. The others only read the model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSPECT_INSPECT_H
#define INSPECT_INSPECT_H

#include "flat/flat.h"
#include "pencil/state_space.h"
#include "run/state.h"

/* ---- constraints ----------------------------------------------------------------------------- */

/* Constraints that depend on each other: how many say nothing new at this point. */
int inspect_redundant(run_state *s, double t, const double *y, const double *yp);
/* Do entries that vanish here and all around, as those times a resistance of zero, leave unknowns
 * undecided, whatever the other entries are? */
bool inspect_undecided(run_state *s, double t, const double *y, const double *yp, arena *scratch);
/* Notes to the newest diagnostic: the equations nearest to dependence, the position, the
 * multipliers that are not unique, which components are locked and which are labile there. */
void inspect_note_dependent(run_state *s, double t, const double *y, const double *yp,
                            diag_sink *sink);
/* A note where nothing gives inertia to a motion that the constraints leave free: whose it is. */
void inspect_note_labile(run_state *s, double t, const double *y, const double *yp,
                         diag_sink *sink);
/* The same where a branch that holds changes the structure of the constraints. */
void inspect_note_branch(run_state *s, arena *scratch, diag_sink *sink);

/* Warn where the reaction of a constraint does work in motions that the constraint allows. */
void inspect_warn_working(run_state *s, double t, const double *y, diag_sink *sink);

/* ---- linearization --------------------------------------------------------------------------- */

/* The columns of a group by pivoting on its constraints, whose derivatives (of all, from row0 on) are `values`: first the
 * dependent ones, then those that are left; NULL: not to be had. */
const int *inspect_pivots(run_state *st, const image_group *q, int row0, const double *values,
                          arena *a);

/* Exact derivatives of F and of the outputs at a point, by the tapes: E = dF/dy', G = dF/dy, H and
 * K = dF/du and dF/du', likewise for the columns listed (their signs as recorded). The state must
 * be of the formulation `dummy` and is left with coordinates as states; matrices live in a. */
void inspect_linearize(run_state *s, double t, const double *y, const double *yp, int n_columns,
                       const int *columns, arena *a, arena *scratch, linear_dae *out);

/* ---- what was recorded ----------------------------------------------------------------------- */

static const double INSPECT_ROW_LIMIT =
    10; // a residual, so many times what is allowed, is too large

typedef struct inspect_recorded {
    int n_claims;  // equations, initial equations, discrete variables that keep their values
    int n_checked; // ... of which at least one row could be held against
    const char *unchecked; // why others were not; NULL: all were
    size_t n_rows;         // looked at
    double worst;          // largest residual, in units of what the tolerance allows
    const char *claim;     // of that one: Modelica text
    span at;               // ... its place
    double t, left, right; // ... and where, and its sides
} inspect_recorded;

/* The equations of the flat model at every row of the result, evaluated as they were written. worst is
 * at most 1 where changes of the recorded values within the tolerance would make all of them hold, and
 * infinite where a discrete one does not hold. skip (by equation, NULL: none): those that do not have to
 * hold. Expressions are made as by inspect_model; texts live in a. */
struct result;
void inspect_rows(const flat_model *m, const struct result *r, double rel_tol, double abs_tol,
                  const bool *skip, arena *a, inspect_recorded *out);

/* ---- vincolo check --------------------------------------------------------------------------- */

typedef struct inspect_constraint {
    int level;
    const char *equation; // Modelica text
    const char *of;       // the component it belongs to; "": the model itself
    span at;
} inspect_constraint;

typedef struct inspect_report {
    int index_structural;
    int index_numerical;          // -1: not computed
    const char *numerical_reason; // why not, or why it differs; NULL: nothing to say
    int dof;                      // by structure
    int surplus; // constraints that follow from others, by numbers near the initial point: free again
    int n_unknowns, n_equations, n_parameters;
    int n_states;
    const char **states;
    const char *locked, *labile; // at the initial point (mobility.h); NULL: nothing
    const char *selection;       // "static", "dynamic" or "none"
    int n_constraints;
    inspect_constraint *constraints; // level 0 as written, 1 ... hidden
    bool consistent;
    double inconsistency; // largest residual of the given start values
    const char *form;     // ode, semi-explicit, hessenberg-2, hessenberg-3, quasi-linear, general
    const char *form_reason;
    double form_condition; // of the matrix that decides the form; NaN: none
    int n_blocks;
    int *blocks; // sizes of the blocks of the system for the highest derivatives
} inspect_report;

/* The state must have begun; texts live in a. */
int inspect_model(run_state *s, double t0, arena *a, inspect_report *out, diag_sink *sink);

#endif
