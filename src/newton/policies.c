/* All constants of Newton iterations outside the integration steps.
 *
 * Sizes of corrections are relative to the unknowns (or their nominals); eps = 2.2e-16.
 *
 * quantity               bound          source
 * decrease of residuals  1e-4           L. Armijo; J. E. Dennis & R. B. Schnabel 1983, section 6.3.1
 *   of an equilibrium    0.1            more than round-off leaves of a residual that is summed up
 * decrease of the next   1/4            P. Deuflhard 2004, section 3.3: natural monotonicity
 *   correction
 * halvings               20, 29, 12     the square root of eps, twice that; a few hundredths of a percent
 *                                       where other starting points are tried next
 * longest                1              an equilibrium near the start is asked for: no jump beyond
 *                                       the size of the unknowns
 * solved                 1e-13 ...      some hundred to some thousand eps: what conditions up to 1e3
 *                        1e-11          of the last matrix leave
 * near                   1e-3           a matrix from a point at distance d leaves d times the last
 *                                       correction: three figures with each
 * product                1e-17          d times the correction: what is left, below eps
 * round_off              1e-10, 1e-9    corrections that do not halve and are this small are round-off, or
 *                                       that leave a tenth by new factors;
 *                                       elsewhere they may tell that a branch has just ended
 * magnified              1e-7           the same near positions where constraints lose rank
 * doubtful               1e-4           a condition of 1e10 (closed and open switches in one circuit) magnifies
 *                                       the round-off of sums whose terms are 1e2 times their result
 * patient                1e-8, 20       the square root of eps after 20 iterations: linear convergence,
 *                                       to where rows repeat each other
 * contraction            1e-4           of the same factors: four figures each, or a new matrix pays
 *                        0.1, 0.2       of old factors: two more figures in three corrections or less
 * enough                 1e-15 ...      what the last correction leaves, by the contraction seen
 *                        1e-13
 * most                   2, 4           corrections for a new matrix of some tens of rows: sparse, complete
 *                                       orthogonal (instructions of bench-ivp)
 * damping                1e-9           P. Deuflhard 2004, NLEQ-ERR: a step that short leads nowhere
 * residual               1e-6           scaled by the terms of its equation: six figures agree
 * first step of a path   0.2            it doubles: four problems where all goes well
 * least step of a path   1e-6           a fold is closer than that
 * shorten                0.25           ten failures to that step
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "newton/iterate.h"

#include <math.h>

// clang-format off
// F(t, y, 0) = 0, damped by the residual (sim/equilibrium.c).
const newton_policy newton_for_equilibrium = {
    .iterations = 100, .halvings = 29, .decrease = 0.1, .tiny = 1e-11, .longest = 1, .solved = 1e-11};

// Start positions onto the constraints of a loop, least norm (structure/redundant.c).
const newton_policy newton_for_closure = {.iterations = 60, .solved = -1};

// Points around a point onto the constraints, least norm, differences (inspect/ideal.c).
const newton_policy newton_for_points = {.iterations = 8, .solved = -1};

// Rows with one unknown each, all at once (start/start_blocks.c).
const newton_policy newton_for_single_rows = {.iterations = 30, .solved = 1e-12};

// Least change of start values in a metric, damped by the residual (start/least.c); vanished is set
// by the tolerance.
const newton_policy newton_for_least_change = {
    .iterations = 100, .halvings = 20, .decrease = 1e-4, .tiny = 1e-8, .compromise = true,
    .solved = 1e-12, .patient = 1e-8, .patience = 20};

// Projection after a step, least norm, old factors (run/project.c).
const newton_policy newton_for_projection = {
    .iterations = 15, .near = 1e-3, .solved = -1, .product = 1e-17, .round_off = 1e-10};

// Dependent unknowns of a run, damped by the next correction, same factors again (run/dependents.c);
// full steps where tiny is INFINITY.
const newton_policy newton_for_dependents = {
    .iterations = 40, .halvings = 12, .decrease = 0.25, .vanished = 1e-14, .tiny = 1e-9, .contraction = 1e-4,
    .solved = 1e-13, .round_off = 1e-9, .magnified = 1e-9, .doubtful = 1e-4};
const newton_policy newton_for_dependents_near_singular = {
    .iterations = 40, .halvings = 12, .decrease = 0.25, .vanished = 1e-14, .tiny = 1e-7, .contraction = 1e-4,
    .solved = 1e-13, .round_off = 1e-9, .magnified = 1e-7, .doubtful = 1e-4};

// Systems by newton.h (start/start_sparse.c, api/solver.c).
const newton_limits newton_for_systems = {
    .iterations = 100, .nearest = 30, .damping = 1e-9, .round_off = 1e-7, .residual = 1e-6};

const newton_reuse newton_old_for_projection = {.near = 1e-3, .contraction = 0.1, .enough = 1e-15, .most = 2};
const newton_reuse newton_old_for_dependents = {.near = 1e-3, .contraction = 0.2, .enough = 1e-13, .most = 2};
const newton_reuse newton_old_for_rates = {.near = INFINITY, .contraction = 0.2, .enough = 2e-14, .most = 2};

// homotopy() (start/start_system.c).
const newton_path newton_path_of_start = {.first = 0.2, .least = 1e-6, .shorten = 0.25, .attempts = 500};

// To a point that another integrator tries (api/lent.c, fmu/source/source_sim.c), the whole way first. An
// amplifier of 1e5 leaves saturation in steps of 1e-5 of its range.
const newton_path newton_path_of_lent = {.first = 1, .least = 1e-6, .shorten = 0.25, .attempts = 200};
// clang-format on
