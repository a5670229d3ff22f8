/* What the files of vary.h share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_VARY_PARTS_H
#define RUN_VARY_PARTS_H

#include "la/dense.h"
#include "run/run_parts.h"
#include "run/vary.h"

/* At an event (vary_event.c). */
typedef struct vary_event {
    bool on, timed;        // there is one; tau is known
    bool first;            // the one at the start
    double t;              // when
    double *y, *yp, *w;    // just before it
    double *w_now;         // w while that is looked at
    double *dy, *dyp;      // m n: derivatives along with its time
    double *tau;           // m
    double *rate, *rate_p; // of y and y' in time
    double *row;           // of a function
    double *cells;         // of the items of cells that ran, m each
    double *acts;          // of actions, m each
    double *dw_now;        // dw just before they change, m n_w
} vary_event;

enum {
    VARY_KEPT = 8,  // points: no method has more stages
    VARY_WIDE = 4,  // directions in one register
    VARY_GROUPS = 4 // of these, that go through a matrix together
};

/* The entries of a derivative by y and y' in the order of its rows: of row r those of y from start[2 r] on,
 * those of y', whose columns are n + j, from start[2 r + 1]. No start: there are none. */
typedef struct vary_rows {
    int n;
    int *start, *column, *place;
} vary_rows;

struct run_variation {
    run_state *s;
    const code_variation *code;
    int m, n;
    int least_moving;
    int moving; // of the m: the others, at the end, move outputs alone
    const vary_by *by;
    int n_by;
    double *zero;                  // n: a derivative of what does not move
    double *dp, *dattributes, *dw; // m times the columns, or outputs
    double *w, *scratch, *values;
    int *moved_list; // of each k: which columns of p move, then -1
    double *given; // ... and what discrete values and parameters do there, VARY_WIDE k side by side
    double *kept;  // values of the residual's derivative at points that methods go back to
    bool along_allowed;
    bool along[2];   // products with directions are programs: of the residual, the right-hand side
    double *along_w; // ... their w
    int along_k[2];  // ... whose parameters stand there; -1: none
    double *points, *point_t;   // ... and points that methods go back to: y, y'
    double *wide_in, *wide_out; // groups of directions side by side: of y, then y'; of rows
    int *
        jac_place; // of the Jacobian's entries: where those by y and by y' stand there; -1: nowhere
    vary_rows rows[2];     // of the residual, the right-hand side
    double *all_p, *bound; // of one k
    double *rhs;           // m n
    double *r, *part, *rates_w;
    double *nominal;
    uint8_t *differential, *rate, *unsized;
    int8_t *unknown_level, *equation_level;
    int *velocity;
    double *computed;
    la_solver *la;
    void *least; // of a singular matrix; NULL: there was none
    size_t least_bytes;
    vary_event event;
    int *outputs, n_outputs;
    int *row_unknowns; // that rows are made of; NULL: of any
    size_t row_bytes;
    bool computes;
    bool controlled;             // error tests count derivatives
    struct run_adjoint *adjoint; // whose run it is, for events to be kept; NULL: none
    vinc_problem problem;
    void *block;
    size_t bytes;
};

/* A dense factorisation of a matrix of the residual's pattern; pivots below tol times the largest are none. b: n
 * numbers for right-hand sides. VINC_OK, VINC_E_MEMORY, 1: it is too large, or not finite. */
int vary_least_factor(run_variation *x, const double *matrix, double tol, la_cod *q, double **b);
/* out += the columns from `first` on, n of them, times v (NULL: nothing). */
void vary_add_columns(const double *values, const vinc_pattern *p, int first, int n,
                      const double *v, double *out);
void vary_values(run_variation *x, const code_varied *f, double t, const double *y,
                 const double *yp, double *values); // as vary_at, to a place of the caller
/* For all k: out + k rows := the derivative of the residual or the right-hand side with `values` times dY + k n, dYp + k n (NULL: 0), and
 * what the discrete values and the parameters do: as vary_give left it in `given`, or found now (NULL). */
void vary_times_all(const run_variation *x, code_variant of, const double *values,
                    const double *given, int m, const double *dY, const double *dYp, int rows,
                    double *out);
void vary_give(const run_variation *x, const code_varied *f, const double *values, int m, int rows,
               double *given);
void vary_rows_layout(vary_rows *m, const vinc_pattern *p, int n, int rows, bump *b);
void vary_rows_fill(vary_rows *m, const vinc_pattern *p, int rows);
void vary_list_moved(run_variation *x); // after parameters have got their derivatives
/* Products of the residual's or the right-hand side's derivative (CODE_V_...) with directions (vary_along.c). */
void vary_along_choose(run_variation *x); // by work, x->moving being known
void vary_along_begin(run_variation *x);  // after parameters have got their derivatives
/* False: some are no numbers, as where a derivative that is infinite meets what does not move: entries, of
 * which such ones are left out, may have them. */
bool vary_along_times(run_variation *x, code_variant of, double t, const double *y,
                      const double *yp, const double *dY, const double *dYp, double *out);
int vary_event_handle(void *user, double t, double *Y, double *Yp, int *changed);
int vary_event_finish(void *user, double t, double *Y, double *Yp, int *changed);

#endif
