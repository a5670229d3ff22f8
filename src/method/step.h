/* For those who write methods: what a method provides and what it is given.
 *
 * The core owns the problem, the norm, the Jacobian, the current point and the statistics; a method
 * owns its history, its factorisations and its coefficients. A method never chooses a step size: it
 * tries the one it is given, says how large the error is and of which order, and commits when told.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_STEP_H
#define METHOD_STEP_H

#include "method/method.h"
#include "problem/problem.h"

/* Outcome of one attempt. */
enum {
    STEP_OK = 0,    // a finite new point and, if adaptive, its error
    STEP_NEWTON,    // the iteration did not converge
    STEP_UNDEFINED, // a callback could not evaluate, or the point is not finite
    STEP_SINGULAR,  // the iteration matrix is singular
    STEP_STOP = -1, // a callback said stop
};

typedef struct step_result {
    double error; // weighted norm at the current order; the step is acceptable when <= 1
    int order;    // the error behaves like h^(order + 1)
    int worst;    // unknown that dominates it
    /* Variable order: errors if the neighbouring orders had been used; < 0: not known. */
    double error_lower, error_higher;
    double newton_cost; // iterations used over iterations allowed: the controller slows down near 1
    double h_factor;    // after a failure: the method's own wish for the next try; 0: controller's
} step_result;

typedef struct method_core {
    method_run *run;
    const vinc_problem *p;
    const vinc_method *method;
    mem *m;
    int n;
    method_config config;
    double opt[METHOD_OPTIONS_MAX];
    problem_norm norm;
    problem_jac jac;        // implicit methods
    bool have_jac;          // jac belongs to this problem state, perhaps evaluated some steps ago
    bool jac_current;       // ... and was evaluated at the present point
    bool fixed;             // fixed steps
    double newton_tol;      // weighted norm to which an iteration converges
    double t, *y, *yp;      // present point
    double *y_new, *yp_new; // filled by a successful attempt
    double t_first;         // fixed steps count from here
    long n_fixed;           // steps since then
    void *state;            // the method's own struct, state_bytes of it, then its arrays
    struct control *control;
} method_core;

typedef struct method_ops {
    size_t state_bytes;
    /* Arrays of the method: run twice, first with block == NULL to measure. */
    size_t (*layout)(void *state, const method_core *c, void *block);
    /* Make linear solvers and read options; NULL: nothing to do. */
    int (*open)(method_core *c);
    void (*close)(method_core *c);
    /* Forget the history; c->t, y, yp are the new start. */
    int (*start)(method_core *c);
    /* Try the step from c->t to t_new = c->t + h: fill y_new, yp_new. Nothing is committed. */
    int (*attempt)(method_core *c, double t_new, double h, step_result *result);
    /* The attempt is accepted: y_new, yp_new (perhaps projected since) become the point. Called
     * before the core swaps them in. order_change: -1, 0, 1, chosen by the controller. */
    void (*accept)(method_core *c, double h, int order_change);
    /* Within the last accepted step. */
    int (*interpolate)(method_core *c, double t, double *y, double *yp);
    /* Given history for fixed-step multistep methods; NULL: none needed. */
    int (*history)(method_core *c, int k, const double *const *y, const double *const *yp);
    int control; // which controller: enum in method/control.h
} method_ops;

#endif
