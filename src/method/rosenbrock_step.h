/* The state of a Rosenbrock method, for the files that make its steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_ROSENBROCK_STEP_H
#define METHOD_ROSENBROCK_STEP_H

#include "la/lists.h"
#include "method/method_whole.h"
#include "method/rosenbrock.h"
#include "method/step.h"

typedef struct rosenbrock {
    const rosenbrock_table *t;
    la_solver *lu;
    double h_lu;           // step size in the factors; 0: there are none
    const double *inverse; // the factors, where they are that (small_stages.h); NULL: they are not
    int stride;            // from one stage to the next
    bool constant;         // dF/dy' was the same at the last two Jacobians ...
    bool numbers;          // ... or is made of numbers
    bool factored;     // the last matrix in pieces was: with its pivots steps in one piece begin
    bool have_time;    // f_t is of the present point ...
    double h_time;     // ... by a difference for steps of this size
    bool first;        // no step before
    double *u, *v;     // stages times stride: -U_i, as they are solved for, and V_i
    double *y, *w, *r; // of a stage
    double *f_t, *mass_r;
    rosenbrock_places at; // behind u, what a step in one piece leaves
    double *in;           // of such a step
    bool offered;         // it is offered ...
    bool by_lists;        // ... and so are factors
    bool in_pieces;       // it has just been tried, and does not serve
    double work_whole;    // ... its operations
    double *dyp;          // of the last Jacobian but one
    double *y0, *yp0, *dense[ROSENBROCK_DENSE_MAX];
    enum { NO_STAGES, KEPT, PREPARED } ready; // the interpolant beyond the line: of what there is
} rosenbrock;

/* Steps in one piece (rosenbrock_whole.c), from one factorisation in pieces to the next. */
typedef struct rosenbrock_one {
    method_whole step;
    la_lists lists;
    void *found;
} rosenbrock_one;

bool rosenbrock_one_offered(const method_core *c, const rosenbrock *s, rosenbrock_one *x);
/* An attempt; status of whole_step. */
int rosenbrock_in_one(method_core *c, rosenbrock *s, rosenbrock_one *x, double t_new, double h);

long rosenbrock_glide(method_core *c, method_plain *plain);

/* Between the ends of the last step (rosenbrock_curve.c), as in method_ops. */
int rosenbrock_blend(method_core *c, double t, method_blend *out);
int rosenbrock_lanes(method_core *c, const double *t, method_lanes *out);
int rosenbrock_interpolate(method_core *c, double t, double *y, double *yp);
int rosenbrock_inner_order(const method_core *c);
int rosenbrock_looks(const method_core *c, double from, double to, double *at);

#endif
