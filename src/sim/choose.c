/* The method when the user names none: from the size and kind of the problem, never from a clock.
 *
 * Small systems take radau5: one factorisation of a small matrix is cheap beside the steps that its
 * order saves, and L-stability makes stiffness a non-event. Beyond CHEAP unknowns three
 * factorisations per change of step outweigh that, and bdf with one matrix per step is chosen
 * (measured on the test set of examples/ivp). Constraints that may lose rank want a one-step method
 * longer: singular positions are crossed by starting afresh behind them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim.h"

enum { CHEAP = 150, CHEAP_CONSTRAINED = 600 };

const char *sim_choose_method(const vinc_problem *p, const char **why)
{
    bool moves = !p->differential;
    for (int i = 0; i < p->n && !moves; i++) moves = p->differential[i];
    if (!moves) {
        *why = "nothing to integrate: algebraic equations followed in time";
        return "bdf";
    }
    if (p->n <= CHEAP) {
        *why = "small system: L-stable, order 5, indifferent to stiffness";
        return "radau5";
    }
    if (p->regularity && p->n <= CHEAP_CONSTRAINED) {
        *why = "constraints that may lose rank: L-stable, order 5, starts afresh easily";
        return "radau5";
    }
    *why = "large system: one sparse matrix per step";
    return "bdf";
}
