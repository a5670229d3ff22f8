/* What the files of adjoint.h share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ADJOINT_PARTS_H
#define RUN_ADJOINT_PARTS_H

#include "la/la.h"
#include "method/irk.h"
#include "run/adjoint.h"
#include "run/vary_parts.h"

enum {
    ADJOINT_FORMULAS = 4,                  // explicit, and Radau IIA of three orders
    ADJOINT_PAIRS = SCHEME_STAGES / 2,     // complex matrices of a step
    ADJOINT_STAGES_MAX = METHOD_STAGES_MAX // of an explicit formula
};

/* An entry of dF/dy and dF/dy' in a row: its column, and where it lies in both; -1: nowhere. */
typedef struct adjoint_item {
    int u, y, yp;
} adjoint_item;

/* What an event did: t, w before it, and by direction the states and discrete values behind it. */
typedef struct adjoint_events_kept {
    double *at;
    size_t each, n, room, most;
    bool full;
} adjoint_events_kept;

/* All stages of an implicit step at once: where the iteration does not converge. */
typedef struct adjoint_direct {
    vinc_pattern pattern;
    int *start, *row;
    double *a;
    la_solver *la;
    size_t bytes;
} adjoint_direct;

/* A formula that steps were made with. */
typedef struct adjoint_formula {
    const vinc_method *method;
    int s;
    bool explicit;
    method_tableau t; // explicit
    scheme k;         // implicit, and T, its inverse and A^-1 transposed:
    double tt[SCHEME_STAGES][SCHEME_STAGES], tit[SCHEME_STAGES][SCHEME_STAGES];
    double ait[SCHEME_STAGES][SCHEME_STAGES];
    double all[SCHEME_STAGES]; // sums of rows of A^-1
    adjoint_direct direct;
} adjoint_formula;

struct run_adjoint {
    run_variation *x;
    int m;                                   // directions that are asked for
    int n_x, *states;                        // components of y
    double *Y, *Yp;                          // of all directions; NULL: there are no events
    double *dy_start, *dyp_start, *dw_start; // of those that are asked for
    double *direct;                          // what parameters do at events, m
    double *behind;                          // n_x + n_w
    adjoint_events_kept events;
    vinc_problem problem;
    adjoint_formula formulas[ADJOINT_FORMULAS];
    int n_formulas;
    double tolerance;    // of the run, relative
    int n, n_given;      // unknowns; columns of discrete values and parameters
    int *first;          // by row: its items
    adjoint_item *items; // by row, then by column
    int *row;            // ... their columns alone
    double *values;      // of the derivatives, at each stage
    double *mu, *lambda, *q;
    double *by_yp; // of the goal, by y' at the end; used by the last step
    bool at_end;
    double t_end, *y_end; // where that is
    size_t bytes;

    /* Of an implicit step (adjoint_radau.c): dF/dy and dF/dy', transposed, in the mean of its stages; factors
     * of both together for h_lu and the formula `of_lu`, and how fast the last iteration converged. */
    vinc_pattern pattern;
    double *mean_y, *mean_yp;
    la_solver *real, *pair[ADJOINT_PAIRS];
    const adjoint_formula *of_lu;
    double h_lu, theta;
    double *rhs, *r, *w, *part, *mixed; // by stage

    /* Of an explicit step (adjoint_explicit.c), by stage: y, y', and the derivative of the goal by y. */
    double *y_stage, *k_stage, *by_stage, *kappa;
};

/* The entries from e to end of a column times x: columns of y are short, those of parameters long. */
static inline double adjoint_dot(const double *v, const int *row, int e, int end, const double *x)
{
    double sum = 0;
    const double *last = v + end;
    row += e;
    for (v += e; last - v >= 4; v += 4, row += 4)
        sum += v[0] * x[row[0]] + v[1] * x[row[1]] + (v[2] * x[row[2]] + v[3] * x[row[3]]);
    for (; v < last; v++, row++) sum += *v * x[*row];
    return sum;
}

/* Back over a step; y, y' at the points that are kept of it. */
int adjoint_step_radau(run_adjoint *a, adjoint_formula *f, double t, double h, const double *y,
                       const double *yp);
int adjoint_step_explicit(run_adjoint *a, const adjoint_formula *f, double t, double h,
                          const double *y, const double *yp);
int adjoint_formula_radau(run_adjoint *a, adjoint_formula *f, const method_tableau *t);
void adjoint_free_radau(run_adjoint *a);

#endif
