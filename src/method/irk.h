/* Fully implicit Runge-Kutta methods are data too: a tableau, or several for variable order.
 *
 * irk.c holds coefficients, the start, the choice of order and dense output; irk_step.c the
 * attempt: matrices and iteration; irk_error.c its error estimate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_IRK_H
#define METHOD_IRK_H

#include "la/la.h"
#include "method/scheme.h"
#include "method/small_stages.h"
#include "method/step.h"

enum { IRK_SCHEMES = SCHEMES_OF_RADAU, IRK_SOLVERS = SCHEME_STAGES + SCHEME_STAGES / 2 };

/* What accepting a step changes, beside z. */
typedef struct irk_before {
    int now, past, since;
    bool first, again, trouble;
    double failures, theta_slow, eta, h_old, end_old;
} irk_before;

typedef struct irk {
    scheme schemes[IRK_SCHEMES];
    bool built[IRK_SCHEMES];
    bool varies;
    bool hermite;  // interpolation
    bool gauss;    // the end is no stage, and the factors serve for an estimate there
    int rows;      // stages at most
    int n;         // unknowns of the iteration: of the first block, where it goes ahead
    int stride;    // from one stage to the next
    int now, past; // the scheme in use, and that of the last accepted step
    la_solver *real[SCHEME_STAGES], *pair[SCHEME_STAGES / 2];
    la_solver *solver[IRK_SOLVERS]; // those of the scheme in use ...
    la_number number[IRK_SOLVERS];  // ... coefficients of dF/dy' times h
    int n_solvers;
    double h_lu;   // step size in the factors; 0: there are none
    double c_real; // coefficient of dF/dy' in the first real ones
    double h_rate,
        rate[SCHEME_STAGES + 1][SCHEME_STAGES]; // A^-1 / h, begin / h, and h; 0: not there
    double ahead; // of the last accepted point: where the Jacobian was taken
    double theta; // contraction of the last iteration
    double eta;   // theta / (1 - theta), carried from step to step
    double scale; // of the norm: the estimate is of lower order than the method
    double tol;   // to which the iteration converges
    int iterations, most;
    long steps;              // since the start
    bool first, again;       // no earlier step; the last attempt failed the error test
    bool failed;             // ... failed otherwise
    bool refused_early;      // ... before its iteration had converged
    double in_vain;          // attempts of late that failed, over all
    double iterations_more;  // iterations behind a look, of a step of late that was accepted
    double h_failed;         // size at which an iteration failed last, with a new matrix
    long steps_failed;       // ... and `steps` then
    double h_old;            // of the last accepted step
    double end_rejected;     // by which the present step was rejected; infinite: it was not
    double end, end_old;     // error at the end of a step, and of the last accepted one; 0: small
    double end_held, h_held; // where it began to hold the size; h_held 0: it does not
    int held_now;            // the scheme then
    double ratio;            // of sizes, to which these weights of z_old for a guess of z belong
    double onward[SCHEME_STAGES][SCHEME_STAGES];
    double theta_slow; // the largest contraction of late, for the choice of order
    int since;         // steps since the order changed
    bool trouble;      // an iteration failed since the last accepted step
    double failures;   // such steps, quickly forgotten
    irk_before before; // the last accepted step
    double *z, *w, *f; // stages times stride each; pairs in w and f side by side: complex vectors
    double *points;    // stages
    double *d;         // ... their derivatives
    double *weight;    // of a correction, where unknowns have levels
    const double *weigher; // ... that, or the weights of error tests
    bool whole;            // the iteration is about all unknowns, of one block
    double *pair_part;     // a complex vector without padding
    bool may_be_small;     // by its numbers of stages and unknowns
    bool is_small;         // the iteration is one piece:
    small_stages small;
    small_wide *wide;            // its numbers
    double *mass;                // ... dF/dy' in columns that are padded with zeros
    double work_iteration;       // beside F
    double square_scale;         // of a sum of squares over all stages: of the mean, scaled
    double times[SCHEME_STAGES]; // of stages
    bool mass_known;             // it is that of the Jacobian
    bool plain_norm;             // ... and its norm that of error tests
    bool divided;                // `newton` belongs to z_old
    double *newton;              // differences, of small systems
    small_polynomial polynomial[IRK_SCHEMES]; // ... of steps of each scheme; no stages: it has none
    double *z_old;    // z of the last accepted step, and behind them how its polynomial is bent
    bool bends, bent; // it can be; it is
    double *error, *u;
    double *y0, *yp0; // where the last step began: Hermite interpolation without collocation
} irk;

extern const method_ops irk_ops;

/* Radau IIA with s = 2, 3, 5 or 7 stages: its tableau. Variable order goes through the last three. */
void radau_iia(int s, method_tableau *out);
/* ... of it what a scheme is built of: stages, order, nodes and eigenvalues; the rest is left as it is. */
void radau_iia_nodes(int s, method_tableau *out);

/* What a method tells beside its tableau (vinc_method.detail; NULL: nothing). */
typedef struct irk_detail {
    int radau_stages; // it is Radau IIA with so many
} irk_detail;

/* The polynomial of the last accepted step in Newton's form; NULL: there is none. */
static inline const small_polynomial *irk_newton(irk *s)
{
    const small_polynomial *u = &s->polynomial[s->past];
    if (!u->stages) return NULL;
    if (!s->divided) small_divide(u, s->z_old);
    s->divided = true;
    return u;
}

int irk_attempt(method_core *c, double t_new, double h, step_result *result);
/* irk_error.c: the error of an attempt whose stages are known. */
int irk_estimate(method_core *c, irk *s, double t_new, double h, step_result *result);
/* ... before they are, after LOOK_AT_ITERATION: where a look is worth its work, will the step be rejected? */
enum { LOOK_AT_ITERATION = 2 };
bool irk_refuses_early(method_core *c, irk *s, double h, step_result *result);
/* What looks are decided by, after an attempt. */
void irk_note_attempt(irk *s, bool in_vain);

/* Do masses turn with bodies, by which accelerations among the algebraic unknowns are multiplied? */
static inline bool irk_masses_turn(const method_core *c)
{
    return c->p->velocity && !c->all_differential;
}

#endif
