/* The method when the user names none: from the size and kind of the problem, its stiffness at the
 * start and the tolerance; never from a clock.
 *
 * - Not stiff, whatever it turns out to be: where rho, the spectral radius of df/dy at the start,
 *   times the length of the run is small, a step limited by stability costs few steps. dopri8;
 *   where rho grows until it limits the steps, on to radau; and back where rho would not limit
 *   steps of radau's own size.
 * - radau otherwise: L-stability makes stiffness a non-event, and the order rises where that pays,
 *   at loose tolerances mostly in oscillations. Equations of second order oscillate as a rule; of
 *   others at loose tolerances radau5 is a little cheaper.
 *   Its first steps are dear, with two matrices for each change of size, and a short run consists
 *   of them: where the Jacobian is exact and no constraints are held, rodas4 makes the first steps
 *   after the start and after each event. Oscillations take many steps: none of them is made with
 *   it. Nor where algebraic unknowns switch: an ideal diode wants them exact between steps, too.
 * - Where events leave no room for high orders, radau5 for the rest of the run.
 * - Beyond UNKNOWNS_FOR_RADAU_MAX factorisations outweigh what order saves, and bdf with one matrix for
 *   many steps is chosen. So it is where no matrix is to be stored, whatever the size.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/choose.h"

#include "method/method_list.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>

// clang-format off
/* ivp: where the counted work on the test set of examples/ivp changes sides. choice: no measurement is
 * known.
 *
 *  bound                                       quantity                                             source */
enum {
    UNKNOWNS_FOR_RADAU_MAX       = 600,      // unknowns: beyond, factorisations outweigh order      ivp
    UNKNOWNS_FOR_RODAS_MAX       = 150,      // unknowns: beyond, a matrix for each step is too dear ivp
    STEPS_OF_SHORT_RUN           = 80,       // steps since the last event: fewer are a start        ivp
    EVENTS_JUDGED_MIN            = 3,        // events: fewer say nothing about how often they come  choice
    POWER_ITERATIONS             = 16,       // of the power method ...                              choice
    POWER_ITERATIONS_UNSETTLED   = 10,       // ... of which so many, an even number, are not believed choice
};
static const double
    RHO_SPAN_NONSTIFF_MAX        = 1000,     // rho times length of the run: some hundred steps      ivp
    RHO_H_STIFF                  = 5,        // rho times step: dopri8 steps by stability beyond     ivp; its stability region ends near 6
    RHO_H_CALM                   = 0.5,      // rho times step: nothing is left of stiffness below   ivp; a tenth of that: no swinging to and fro
    ALIGNED_MIN                  = 0.9,      // cosine: an image along its direction, an eigenvector choice
    TOL_HIGH_ORDER               = 3e-5,     // tolerance: below, orders 9 and 13 pay                ivp
    TOL_HIGH_ORDER_ALGEBRAIC     = 3e-7,     // ... where a long step may miss a limiter's kink      ivp
    TOL_RODAS_MIN                = 3e-7;     // tolerance: below, these orders pay from the start    ivp
// clang-format on

/* The methods that are chosen, told apart by traits. */
static bool is_start_only(const sim_choice *c)
{
    return c->method->traits & METHOD_LINEARLY_IMPLICIT;
}

static bool is_explicit(const sim_choice *c)
{
    return c->method->traits & METHOD_EXPLICIT;
}

static bool is_radau(const sim_choice *c)
{
    unsigned t = c->method->traits;
    return t & METHOD_ONESTEP && t & METHOD_IMPLICIT && !(t & METHOD_LINEARLY_IMPLICIT);
}

static bool varies_order(const sim_choice *c)
{
    return is_radau(c) && c->method->traits & METHOD_VARIABLE_ORDER;
}

/* The direction is z - y, of length step, and g its image: the rate of decay where the image points
 * back along the direction, as it does for an eigenvector of a negative eigenvalue; 0 otherwise. */
static double decay_along(const double *y, const double *z, const double *g, double step, int n)
{
    double along = 0, size = 0;
    for (int i = 0; i < n; i++) {
        along += (z[i] - y[i]) / step * g[i];
        size += g[i] * g[i];
    }
    return along < -ALIGNED_MIN * sqrt(size) ? -along : 0;
}

/* The power method on df/dy, by differences of f: its spectral radius, and the rate at which the
 * direction that it ends with decays. In an oscillation the images grow and shrink in turns, by k and
 * by 1 where x'' = -k x: the geometric mean over an even number of them is the radius, sqrt(k). */
static double power_method(const vinc_problem *p, double t, const double *y, double *work,
                           double *decay)
{
    int n = p->n;
    *decay = 0;
    double *f = work, *z = work + n, *g = work + 2 * n, size = 0, length = 0, rho = 0;
    for (int i = 0; i < n; i++) g[i] = y[i], size += y[i] * y[i];
    if (p->rhs(p->user, t, g, f)) return INFINITY;
    for (int i = 0; i < n; i++) length += f[i] * f[i];
    double step = sqrt(DBL_EPSILON) * (1 + sqrt(size));
    // Every unknown takes part in the first direction, so that no mode is missed by symmetry.
    double unit = length > 0 ? sqrt(length) : 1;
    for (int i = 0; i < n; i++) g[i] = f[i] / unit + (i % 2 ? -1 : 1) / (1 + sqrt((double)n));
    for (int k = 0; k <= POWER_ITERATIONS; k++) {
        double norm = 0;
        for (int i = 0; i < n; i++) norm += g[i] * g[i];
        norm = sqrt(norm);
        if (!(norm > 0)) return 0; // nilpotent
        if (k > POWER_ITERATIONS_UNSETTLED) rho += log(norm);
        if (k == POWER_ITERATIONS) break;
        for (int i = 0; i < n; i++) z[i] = y[i] + step * g[i] / norm;
        if (p->rhs(p->user, t, z, g)) return INFINITY;
        for (int i = 0; i < n; i++) g[i] = (g[i] - f[i]) / step;
        *decay = decay_along(y, z, g, step, n);
    }
    return exp(rho / (POWER_ITERATIONS - POWER_ITERATIONS_UNSETTLED));
}

double sim_spectral_radius(const vinc_problem *p, double t, const double *y, double *work)
{
    double decay;
    return power_method(p, t, y, work, &decay);
}

/* Is the problem fast beside steps of size h, and is that stiffness: a mode that decays within the
 * step? Oscillations and matrices far from normal have large rho, too. */
static bool is_fast(const vinc_problem *p, const sim_start *at, double h, bool *stiff)
{
    double decay, rho = power_method(p, at->t, at->y, at->work, &decay);
    *stiff = decay * h > RHO_H_STIFF;
    return rho * h > RHO_H_STIFF;
}

static bool all_differential(const vinc_problem *p)
{
    for (int i = 0; i < p->n && p->differential; i++)
        if (!p->differential[i]) return false;
    return true;
}

static bool explicit_fits(const vinc_problem *p, const sim_start *at)
{
    if (!p->rhs || p->project || p->reselect || !at->y || !all_differential(p)) return false;
    // Restarts waste a long step.
    return !p->next_time_event || p->next_time_event(p->user, at->t) >= at->t + at->span;
}

/* What only the start of an integration shows. */
static bool begins_nonstiff(const vinc_problem *p, const sim_start *at)
{
    return explicit_fits(p, at) &&
           sim_spectral_radius(p, at->t, at->y, at->work) * at->span < RHO_SPAN_NONSTIFF_MAX;
}

/* Equations of motion: a position and its velocity, both integrated. */
static bool second_order(const vinc_problem *p)
{
    for (int i = 0; i < p->n && p->velocity; i++)
        if (p->velocity[i] >= 0) return true;
    return false;
}

static const vinc_method *radau_for(const vinc_problem *p, double tol)
{
    double tighter = all_differential(p) ? TOL_HIGH_ORDER : TOL_HIGH_ORDER_ALGEBRAIC;
    return second_order(p) || (tol > 0 && tol < tighter) ? &vinc_method_radau : &vinc_method_radau5;
}

void sim_choose(const vinc_problem *p, const sim_start *at, sim_choice *out)
{
    bool moves = !p->differential;
    for (int i = 0; i < p->n && !moves; i++) moves = p->differential[i];
    bool exact = p->jacobian && p->blocks <= 1 && !p->project && !p->reselect && !p->regularity;
    bool switches = p->n_roots && !all_differential(p);
    *out = (sim_choice){.method = radau_for(p, at->tol)};
    if (!moves) {
        out->method = &vinc_method_bdf;
        out->why = "nothing to integrate: algebraic equations followed in time";
    } else if (at->by_products) {
        out->method = at->fixed ? &vinc_method_sdirk4 : &vinc_method_bdf;
        out->why = "without a stored matrix: one real system at a time";
    } else if (p->n / problem_blocks(p) > UNKNOWNS_FOR_RADAU_MAX && !at->by_stages) {
        out->method = &vinc_method_bdf;
        out->why = "large system: one sparse matrix for many steps";
    } else if (at->fixed) {
        out->method = &vinc_method_radau5;
        out->why = "L-stable, order 5, indifferent to stiffness";
    } else if (begins_nonstiff(p, at)) {
        out->method = &vinc_method_dopri8;
        out->why = "not stiff: explicit, order 8";
    } else if (exact && !switches && !at->by_stages && at->y && at->tol > TOL_RODAS_MIN &&
               p->n <= UNKNOWNS_FOR_RODAS_MAX && !second_order(p)) {
        out->method = &vinc_method_rodas4;
        out->why = "small system, few steps: one matrix and no iteration";
    } else if (second_order(p)) {
        out->why = "equations of motion: L-stable, order as oscillations ask";
    } else if (p->regularity) {
        out->why = "constraints that may lose rank: L-stable, starts afresh easily";
    } else {
        out->why = "L-stable, indifferent to stiffness, order as the tolerance asks";
    }
}

bool sim_choose_again(const vinc_problem *p, const sim_start *at, long stretch, double h,
                      sim_choice *now)
{
    bool stiff = false;
    bool look =
        stretch > 0 && stretch % STEPS_OF_SHORT_RUN == 0; // the power method costs some evaluations
    if (is_start_only(now) && stretch >= STEPS_OF_SHORT_RUN) {
        now->why = "a long run: L-stable, order as the tolerance asks";
    } else if (is_explicit(now) && look && is_fast(p, at, h, &stiff)) {
        now->why = stiff ? "became stiff: L-stable, order as the tolerance asks"
                         : "fast beside its steps: L-stable, order as the tolerance asks";
    } else if (is_radau(now) && look && explicit_fits(p, at) &&
               sim_spectral_radius(p, at->t, at->y, at->work) * h < RHO_H_CALM) {
        *now = (sim_choice){&vinc_method_dopri8, "not stiff here: explicit, order 8"};
        return true;
    } else if (varies_order(now) && !second_order(p) && at->events >= EVENTS_JUDGED_MIN &&
               at->steps < STEPS_OF_SHORT_RUN * at->events) {
        *now = (sim_choice){&vinc_method_radau5, "events every few steps: L-stable, order 5"};
        return true;
    } else {
        return false;
    }
    now->method = radau_for(p, at->tol);
    return true;
}

bool sim_choose_low(sim_choice *now)
{
    if (!varies_order(now)) return false;
    now->method = &vinc_method_radau5;
    now->why = "a singular position: L-stable, order 5 where the solution is not smooth";
    return true;
}
