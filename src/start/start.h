/* Start: consistent start values of a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef START_START_H
#define START_START_H

#include "image/equations.h"
#include "run/state.h"

typedef struct start_options {
    bool as_given;
    double tol; // on surplus fixed values and residuals; 0: 1e-9
} start_options;

enum { START_NAMED = 6 };

/* Start values: what was done, in words fit for the log and for messages. */
typedef struct start_report {
    int n_unknowns, n_equations, n_fixed,
        n_free;             // of the initial system; free: chosen by least change
    double residual;        // largest scaled residual of the given values
    bool given_consistent;  // the given start values satisfied everything
    int n_moved;            // start values that changed, the most moved first
    int moved[START_NAMED]; // entries
    int called[START_NAMED],
        times[START_NAMED]; // ... image_called, kept as long as the report
    double from[START_NAMED], to[START_NAMED];
    int n_chosen;            // free start values that nobody gave: taken as 0
    int chosen[START_NAMED]; // entries
    int iterations, homotopy_steps;
    int relaxed_steps; // towards a steady state; 0: it was found at once
    int aside; // 1 + equation of a constraint whose derivative vanishes where it holds; 0: none
    bool open; // the equations do not determine what depends on the states: it was chosen
} start_report;

/* y and yp (n each) consistent at t0. VINC_OK, VINC_E_NEWTON ..., with diagnostics in the sink.
 * After as_given > 0 is returned when the values are inconsistent. */
int start_values(run_state *s, double t0, const start_options *options, double *y, double *yp,
                 start_report *report, diag_sink *sink);

/* Behind an equation: its parameters that are 0, a volume of nothing or a mass that is none, and the medium that its
 * values are of. */
void start_add_circumstances(const run_state *s, const image_equation *e, text *out);

/* Does a matrix that is singular at this point leave unknowns open? Then an error, or else notes to
 * the newest diagnostic, that name them, the equations, and a choice of coordinates. */
bool start_explain_undetermined(run_state *s, double t, const double *y, const double *yp,
                                bool error, diag_sink *sink);
/* The accelerations and algebraic unknowns that such a matrix leaves open whatever the coordinates are,
 * those that stand out, as entries; none where it is regular. */
void start_undetermined(run_state *s, double t, const double *y, const double *yp, arena *a,
                        int_array *out);
/* Equations of motion in the order of the coordinates: the transversal of M of largest product,
 * which in a positive definite matrix is the diagonal, in whatever scale the rows are (metric.c). */
void start_pair_rows(int n, const double *M, int *row_of, arena *a);

#endif
