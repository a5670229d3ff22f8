/* Step-size controllers: they see errors and sizes, never a coefficient or an equation.
 *
 * pi          proportional-integral control for explicit methods: smooth at the stability limit
 *             (Hairer & Wanner II, section IV.2)
 * predictive  the model h^2-law of K. Gustafsson, ACM Trans. Math. Softw. 20 (1994) 496-517, for
 *             implicit one-step methods; sizes are kept while the gain is small, to keep factors
 * multistep   order and size together: sizes change rarely, orders one at a time (K. E. Brenan,
 *             S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in DAEs,
 *             5.2.4)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_CONTROL_H
#define METHOD_CONTROL_H

#include <stdbool.h>

enum { CONTROL_PI, CONTROL_PREDICTIVE, CONTROL_MULTISTEP };

/* What a method says about an attempt. */
typedef struct step_result {
    double error;      // weighted norm; the step is acceptable when <= 1
    int order;         // the error behaves like h^(order + 1)
    double error_here; // multistep: the estimate to choose the next size by
    /* Variable order: what the error would be at one order less and one more; < 0: not known. */
    double error_lower, error_higher;
    double error_second; // ... at order 2, when control_suspects; < 0: not known
    bool lower;          // the method asks for a lower order, whatever the errors
    bool even;           // multistep: history is laid on a new grid whenever the size changes
    double newton_cost;  // iterations used over those allowed, 0 to 1
    double grow_most;    // one-step: growth at most; 0: as the controller thinks right
    bool new_factors;    // the next step factors anew whatever its size
    double squares,
        per_n; // ... with new factors: their product is the square of error, to the figures that sizes need
    double h_factor; // after a failure: the method's own wish for the next try; 0: none
} step_result;

typedef struct control {
    int kind;
    double h;             // size to try next
    double h_old;         // of the last accepted step; 0: there is none
    double error_old;     // ... predictive ...
    double square_old;    // ... with new factors
    double log_error_old; // ... pi
    int since;            // accepted steps since size or order changed
    int failures;         // rejections of the present step
    bool ramp;            // multistep: starting, order and size grow every step
    int order_max;
    double grow;         // multistep: largest growth now allowed
    bool grown;          // the last change was growth, not yet punished
    int idle;            // accepted steps since the size last grew, or fell to less than half ...
    double h_idle;       // ... of that of the first of them
    int hold, hold_next; // steps for which the order stays at 2 or below; how many next time
} control;

/* Multistep: has the size stood still so long at an order above 2 that stability may be what limits
 * it? Then the method is asked for its error at order 2. */
bool control_suspects(const control *c, int order);

void control_start(control *c, int kind, double h, int order_max);
/* After an accepted step of size h; returns the change of order, -1, 0 or 1. */
int control_accept(control *c, double h, const step_result *r);
/* After the error test failed; returns the change of order (<= 0). */
int control_reject(control *c, double h, const step_result *r);
/* After no convergence or an undefined value. */
void control_fail(control *c, double h, const step_result *r);

#endif
