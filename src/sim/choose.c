/* The method when the user names none: from counted work and from what the solution shows; never from a
 * clock. Work is that of vinc_stats.work: operations of tapes, matrices and sums over stages.
 *
 *  question                         decided by                                        source
 *  explicit or implicit at first    work of a step of either, and rho * span: what    [1] II.10, IV.2
 *                                   stability could cost at most
 *  explicit: go on                  h * rate, read off two stages at the same time    [1] IV.2
 *  ... or change to implicit        rho by the power method, and its direction; work  [2]
 *                                   per time of both, the implicit one tried, as far
 *                                   as what is left of the run is worth it
 *  implicit: go on                  work per time against that of explicit steps of   [2]
 *                                   the same size, or of those that stability allows
 *  ... explicit ones were left      the same, with as many as accuracy and stability   [2]
 *                                   ask for: they are tried again
 *  order of implicit steps          tolerance, oscillation: radau's own choice        [3]
 *  first steps, loose tolerance     one matrix and no iteration: rodas5p              [1] IV.10, [5]
 *  steps in one piece of code       the same, for good, by work and the steps of      [5]
 *                                   either order at the tolerance
 *  events every few steps, kinks    rejected steps: radau5                            [3]
 *  ... of explicit steps            an order that a stretch of one or two steps uses:  [1] II.5
 *                                   dopri5, tried: work from event to event
 *  large systems that are stiff     factorisations outweigh order: bdf                [4]
 *
 * [1] E. Hairer, S. P. Norsett & G. Wanner, Solving Ordinary Differential Equations I, II
 * [2] L. Petzold, SIAM J. Sci. Stat. Comput. 4 (1983) 136-148: both ways, by the cost of the steps
 * [3] E. Hairer & G. Wanner, J. Comput. Appl. Math. 111 (1999) 93-111
 * [4] K. E. Brenan, S. L. Campbell & L. R. Petzold, Numerical Solution of Initial-Value Problems in DAEs
 * [5] G. Steinebach, BIT Numer. Math. 63 (2023) 27
 *
 * Equations of second order oscillate as a rule, and take orders as oscillations ask. Where algebraic
 * unknowns switch, an ideal diode wants them exact between steps, and no rodas is used; nor where
 * constraints are held.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/choose.h"

#include "la/la.h"
#include "method/erk.h"
#include "method/method_list.h"
#include "method/rosenbrock.h"
#include "problem/problem.h"

#include <float.h>
#include <limits.h>
#include <math.h>

// clang-format off
/* ivp: where the counted work on the test set of examples/ivp changes sides. auto: on the half of the
 * problems of bench/auto that is there to tune on. choice: no measurement is known.
 *
 *  bound                                       quantity                                             source */
enum {
    UNKNOWNS_FOR_RADAU_MAX       = 600,      // unknowns: beyond, factorisations outweigh order      ivp
    UNKNOWNS_FOR_RODAS_MAX       = 150,      // unknowns: beyond, a matrix for each step is too dear ivp
    STEPS_OF_SHORT_RUN           = 80,       // steps since the last event: fewer leave no room for orders ivp
    EVENTS_JUDGED_MIN            = 3,        // events: fewer say nothing about how often they come  choice
    STEPS_OF_STRETCH_LEAST       = 4,        // explicit steps from event to event: fewer are cut by events, whatever the order choice
    STEPS_LIMITED                = 4,        // explicit steps at the limit of stability: a look     choice; [1] has 15, and no second look
    STEPS_TO_LOOK                = 80,       // steps between two looks by the power method           choice: a look costs some 17 evaluations
    STEPS_OF_TRIAL               = 12,       // implicit steps until their work per time is judged   choice
    STEPS_OF_TRIAL_UNSETTLED     = 6,        // ... of which so many, while sizes grow, do not count choice
    TRIALS_OF_BDF                = 6,        // times as many, as orders rise from 1                  choice
    POWER_ITERATIONS             = 16,       // of the power method ...                              choice
    POWER_ITERATIONS_UNSETTLED   = 10,       // ... of which so many, an even number, are not believed choice
};
static const double
    RHO_SPAN_NONSTIFF_MAX        = 1000,     // rho times length of the run: some hundred steps      ivp
    RHO_SPAN_TIED_MAX            = 60,       // ... of mechanisms: ten turns. More are oscillations    examples: a slider-crank has 34 and gains,
                                             // that orders 9 and 13 follow in half the steps          caraxis has 134 and loses
    RHO_H_STIFF                  = 4,        // rho times step: dopri8 steps by stability beyond     [1] has 6.1, where its region ends
    RHO_H_STIFF_ORDER_5          = 2.2,      // ... dopri5                                            in proportion: its region ends at 3.3
    RHO_H_MILD                   = 0.5,      // rho times step: below, nothing is left of stiffness   auto: beside a mode that fast an explicit
                                             //                                                       step errs by more than the solution asks
    REJECTED_PART_MAX            = 0.2,      // rejected steps over steps: more are kinks             auto
    ALIGNED_MIN                  = 0.9,      // cosine: an image along its direction, an eigenvector choice
    GAIN_MIN                     = 0.7,      // work over that of what is left: less is worth a change choice: a change costs some steps
    TOL_HIGH_ORDER               = 3e-5,     // tolerance: below, orders 9 and 13 pay                ivp
    TOL_HIGH_ORDER_ALGEBRAIC     = 3e-7,     // ... where a long step may miss a limiter's kink      ivp
    TOL_ORDER_9_AT_START         = 6e-8,     // tolerance: below, radau begins at order 9            method/irk.c, of half of it
    TOL_RODAS_MIN                = 3e-7,     // tolerance: below, high orders pay from the start      ivp; in one piece counted work decides
    ITERATIONS_OF_RADAU          = 2.5,      // of a step of radau                                   auto: 1.8 to 3.3 where steps are made in pieces
    ITERATIONS_AGAINST_EXPLICIT  = 3,        // ... of order 9, where explicit steps are in question auto: 2.1 to 3.6
    ITERATIONS_TO_SETTLE         = 3.6,      // ... from the start, where sizes and orders are found the most of these
    ITERATIONS_TIED              = 5,        // ... of mechanisms                                    auto: 3 to 6, by evaluations
    ITERATIONS_SMALL             = 2.2,      // ... of a handful of unknowns                         auto, within 1.7 to 2.8 that were counted
    STEPS_OF_BDF                 = 4,        // of bdf in place of one of dopri8 that accuracy limits  choice: 4 to 9 on grids of springs, pairs of
                                             //                                                       bodies, rooms, oscillators; 2 on advection
    PART_OF_STEPS_HIGH_ORDER     = 0.4,      // steps of orders 9 and 13 over those of order 5        auto: a half to a third at 1e-6
    STEPS_FOR_ORDER_5            = 0.4,      // steps of dopri8 for one of rodas5p or radau5 at 1e-6   auto, nonstiff: 0.3 to 0.6
    STEPS_FOR_RADAU              = 0.9,      // ... of radau                                          auto, nonstiff: 0.7 to 1
    STEPS_FOR_RADAU_ORDER_9      = 1.7,      // ... where it begins at order 9                        auto, nonstiff: 1.3 to 1.8
    PART_OF_TOLERANCE_TIED       = 0.1,      // of mechanisms, explicit steps over implicit ones      examples: errors at 100 points are then those of radau
    LAG_OF_IMPLICIT              = 0.5,      // implicit steps on trial: work they may be behind, over that of explicit ones to the end  choice: a run takes half as much again at most
    LAG_OF_TRIAL                 = 0.25;     // explicit steps on trial: work they may be behind, over that of what was left  choice
// clang-format on

/* The methods that are chosen, told apart by traits. */
static bool is_rosenbrock(const sim_choice *c)
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

static bool is_bdf(const sim_choice *c)
{
    return c->method == &vinc_method_bdf;
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

static bool moves(const vinc_problem *p, int i)
{
    return !p->differential || p->differential[i];
}

/* The power method on df/dy, by differences of f: its spectral radius, and the rate at which the
 * direction that it ends with decays. In an oscillation the images grow and shrink in turns, by k and
 * by 1 where x'' = -k x: the geometric mean over an even number of them is the radius, sqrt(k). An
 * eigenvector that decays faster than `enough` ends it: others could be faster still, at most. */
static double power_method(const vinc_problem *p, double t, const double *y, double *work,
                           double enough, double *decay)
{
    int n = p->n;
    *decay = 0;
    double *f = work, *z = work + n, *g = work + 2 * n, size = 0, length = 0, rho = 0;
    for (int i = 0; i < n; i++) g[i] = y[i], size += moves(p, i) ? y[i] * y[i] : 0;
    if (p->rhs(p->user, t, g, f)) return INFINITY;
    for (int i = 0; i < n; i++) length += f[i] * f[i];
    double step = sqrt(DBL_EPSILON) * (1 + sqrt(size));
    const double inverse = 1 / step;
    // Every unknown takes part in the first direction, so that no mode is missed by symmetry.
    double unit = length > 0 ? sqrt(length) : 1;
    for (int i = 0; i < n; i++) g[i] = f[i] / unit + (i % 2 ? -1 : 1) / (1 + sqrt((double)n));
    for (int i = 0; i < n; i++)
        if (!moves(p, i)) g[i] = 0;
    for (int k = 0; k <= POWER_ITERATIONS; k++) {
        double norm = 0;
        for (int i = 0; i < n; i++) norm += g[i] * g[i];
        norm = sqrt(norm);
        if (!(norm > 0)) return 0; // nilpotent
        if (k > POWER_ITERATIONS_UNSETTLED) rho += log(norm);
        if (k == POWER_ITERATIONS) break;
        const double along = step / norm;
        for (int i = 0; i < n; i++) z[i] = y[i] + along * g[i];
        if (p->rhs(p->user, t, z, g)) return INFINITY;
        for (int i = 0; i < n; i++) g[i] = (g[i] - f[i]) * inverse;
        if (k < POWER_ITERATIONS - 1 && !(norm > enough)) continue;
        *decay = decay_along(y, z, g, step, n);
        if (*decay > enough) return *decay;
    }
    return exp(rho / (POWER_ITERATIONS - POWER_ITERATIONS_UNSETTLED));
}

double sim_spectral_radius(const vinc_problem *p, double t, const double *y, double *work)
{
    double decay;
    return power_method(p, t, y, work, INFINITY, &decay);
}

static double stable_step(const sim_choice *c)
{
    return c->method == &vinc_method_dopri5 ? RHO_H_STIFF_ORDER_5 : RHO_H_STIFF;
}

/* Is the problem fast beside steps of size h, and is that stiffness: a mode that decays within the
 * step? Oscillations and matrices far from normal have large rho, too. */
static bool is_fast(const vinc_problem *p, const sim_start *at, double h, double limit, bool *stiff)
{
    double decay, rho = power_method(p, at->t, at->y, at->work, INFINITY, &decay);
    *stiff = decay * h > RHO_H_MILD;
    return *stiff || rho * h > limit;
}

/* Equations of motion: a position and its velocity, both integrated. */
static bool second_order(const vinc_problem *p)
{
    for (int i = 0; i < p->n && p->velocity; i++)
        if (p->velocity[i] >= 0) return true;
    return false;
}

static bool all_differential(const vinc_problem *p)
{
    for (int i = 0; i < p->n && p->differential; i++)
        if (!p->differential[i]) return false;
    return true;
}

/* ---- work of a step -------------------------------------------------------------------------- */

enum { STAGES_LOW = 3, STAGES_HIGH = 5 }; // of radau, order 5 and 9

/* Do unknowns beside y' follow from the states at every stage? */
static bool follows(const vinc_problem *p)
{
    return p->project || p->reselect || !all_differential(p);
}

double sim_choose_part(const vinc_problem *p, const sim_choice *c)
{
    return is_explicit(c) && follows(p) ? PART_OF_TOLERANCE_TIED : 1;
}

/* dopri8, with what its interpolant needs. */
static double explicit_work(const vinc_problem *p)
{
    const double STAGES = 12, DENSE = 3, SUMS = 100,
                 REST = 300; // operations for each unknown; of a step
    if (p->whole_step && p->whole_kinds & VINC_WHOLE_EXPLICIT)
        return erk_whole_work(p, (int)(STAGES + DENSE), (int)SUMS) + REST;
    // The end alone meets the constraints.
    double most = p->stage ? p->work_stage : p->work_rhs;
    double work = (STAGES + DENSE - 1) * most + p->work_rhs + SUMS * la_in_fours(p->n) + REST;
    return follows(p) ? work * pow(PART_OF_TOLERANCE_TIED, -1.0 / 8) : work;
}

/* Real factors, and a solution with them. */
static void matrix_work(const vinc_problem *p, int n, double *factor, double *solve)
{
    la_guess_work(n, p->jac ? p->jac->nnz : (long)n * n, factor, solve);
    if (p->work_factor > 0) *factor = p->work_factor, *solve = p->work_solve;
}

/* Steps in one piece are worth their code. Stages of algebraic unknowns, which nothing corrects, may leave the domain of a
 * root: then steps that iterate go on (sim_choose_iterating). */
static bool in_one_piece(const vinc_problem *p)
{
    return p->whole_step && p->whole_kinds & VINC_WHOLE_ROSENBROCK;
}

/* radau with so many stages and iterations, and what steps were counted to take beside them: the residual and the solution
 * of the error estimate, 0.6 of a Jacobian and 0.9 of a factorisation (nand, tube, emep, and the half of auto to tune on: 0.4
 * to 0.8, 0.8 to 1 at loose tolerances). */
static double radau_work(const vinc_problem *p, int stages, double iterations)
{
    const double SUMS = 3, LINES = 6, JACOBIANS = 0.6, FACTORS = 0.9, REST = 300;
    int blocks = problem_blocks(p), n = p->n / blocks, pairs = stages / 2;
    bool abreast = p->work_factor > 0 && blocks == 1;
    double sums = in_one_piece(p) ? p->n : la_in_fours(p->n); // these are made stage by stage
    double factor, solve;
    matrix_work(p, n, &factor, &solve);
    double factors = factor * (1 + pairs * (abreast ? LA_COMPLEX_ABREAST_FACTOR : LA_COMPLEX));
    double solutions = solve * (1 + pairs * (abreast ? LA_COMPLEX_ABREAST_SOLVE : LA_COMPLEX));
    return iterations * (problem_points_work(p, stages) + solutions * blocks +
                         stages * (SUMS * stages + LINES) * sums) +
           p->work_residual + solve * blocks + JACOBIANS * p->work_jacobian + FACTORS * factors +
           (p->stage ? p->work_rhs : 0) + REST;
}

/* In one piece, too, but in the first run its code is longer in the making. */
static bool by_lists(const vinc_problem *p)
{
    return p->whole_step && p->whole_kinds & VINC_WHOLE_BY_LISTS;
}

static double rosenbrock_work(const vinc_problem *p)
{
    const double STAGES = 8, SUMS = 90, REST = 300;
    if (in_one_piece(p) || by_lists(p))
        return REST + rosenbrock_whole_work(p, vinc_method_rodas5p.detail);
    int blocks = problem_blocks(p), n = p->n / blocks;
    double factor, solve;
    matrix_work(p, n, &factor, &solve);
    return (STAGES + (p->autonomous ? 0 : 2)) * p->work_residual + STAGES * solve * blocks +
           p->work_jacobian + factor + SUMS * la_in_fours(p->n) + REST;
}

/* bdf, and a matrix for every tenth step. */
static double multistep_work(const vinc_problem *p)
{
    const double ITERATIONS = 1.6, SUMS = 40, PART_OF_MATRIX = 0.1;
    double factor, solve;
    matrix_work(p, p->n, &factor, &solve);
    return ITERATIONS * (p->work_residual + solve) + SUMS * la_in_fours(p->n) +
           PART_OF_MATRIX * (p->work_jacobian + factor);
}

static bool is_large(const vinc_problem *p)
{
    return p->n / problem_blocks(p) > UNKNOWNS_FOR_RADAU_MAX;
}

/* Of problems written by hand nothing is known; steps are taken to cost the same. */
static bool explicit_is_cheaper(const vinc_problem *p)
{
    bool tied = second_order(p) && follows(p);
    double iterations = tied ? ITERATIONS_TIED : ITERATIONS_AGAINST_EXPLICIT;
    double other =
        is_large(p) ? STEPS_OF_BDF * multistep_work(p) : radau_work(p, STAGES_HIGH, iterations);
    return !(p->work_rhs > 0) || explicit_work(p) <= other;
}

static bool explicit_fits(const vinc_problem *p, const sim_start *at)
{
    // With delays the past bounds the steps, and explicit ones gain nothing by being cheap.
    if (p->step_limit || p->shared || !p->rhs || !at->y) return false;
    if (!follows(p)) return true;
    // Accelerations and reactions are one linear system, and stages need not meet the constraints.
    bool serves = !p->stage_serves || p->stage_serves(p->user);
    return second_order(p) && p->rhs_linear && serves && (p->stage || !(p->project || p->reselect));
}

static const vinc_method *radau_for(const vinc_problem *p, double tol)
{
    double tighter = all_differential(p) ? TOL_HIGH_ORDER : TOL_HIGH_ORDER_ALGEBRAIC;
    return second_order(p) || (tol > 0 && tol < tighter) ? &vinc_method_radau : &vinc_method_radau5;
}

/* Work of rodas5p against that of radau. Steps whose estimate is of order q go with tol^(1/(q + 1)), here 1/5; those of
 * radau5, whose estimate is compared with a power of the tolerance, with tol^(1/6), and of order 9 with tol^(1/10). */
static bool rosenbrock_pays(const vinc_problem *p, double tol)
{
    // Steps over those of radau5, on linear and nonlinear problems: auto, as PART_OF_STEPS_HIGH_ORDER.
    const double RATIO = 1, TOL_OF_RATIO = 1e-6, TOL_OF_PART = 1e-6;
    double ratio = RATIO * pow(TOL_OF_RATIO / tol, 1.0 / 5 - 1.0 / 6);
    double part = PART_OF_STEPS_HIGH_ORDER * pow(tol / TOL_OF_PART, 1.0 / 6 - 1.0 / 10);
    double iterations = in_one_piece(p) ? ITERATIONS_SMALL : ITERATIONS_OF_RADAU;
    double other = radau_for(p, tol) == &vinc_method_radau
                       ? part * radau_work(p, STAGES_HIGH, iterations)
                       : radau_work(p, STAGES_LOW, iterations);
    double most = in_one_piece(p) || by_lists(p) ? 1 : GAIN_MIN; // in pieces it is soon left
    return !(p->work_residual > 0) || ratio * rosenbrock_work(p) < most * other;
}

/* It may be used at all. */
static bool rosenbrock_fits(const vinc_problem *p, const sim_start *at)
{
    bool exact = p->jacobian && p->blocks <= 1 && !p->project && !p->reselect && !p->regularity;
    bool switches = p->n_roots && !all_differential(p);
    return exact && !switches && !at->by_stages && at->y && p->n <= UNKNOWNS_FOR_RODAS_MAX &&
           (in_one_piece(p) || (!second_order(p) && (by_lists(p) || at->tol > TOL_RODAS_MIN))) &&
           rosenbrock_pays(p, at->tol);
}

/* A mode that decays asks for explicit steps of RHO_H_STIFF over its rate at most, all the way. What it leaves is
 * smooth, perhaps, unless the time is read: then steps whose errors go with h^p take tol^(1/p) of the run each, of rodas5p
 * or of radau at its order 9. Twice as many show that it was not, and explicit ones are judged as any others. 0: explicit
 * steps from the beginning. */
static long steps_to_settle(const vinc_problem *p, const sim_start *at, double decay)
{
    bool one = in_one_piece(p) && rosenbrock_fits(p, at), nine = at->tol < TOL_ORDER_9_AT_START;
    if (!p->autonomous || !(one || (nine && p->n <= UNKNOWNS_FOR_RODAS_MAX)) || !(p->work_rhs > 0))
        return 0;
    double steps = pow(at->tol, one ? -1.0 / 5 : -1.0 / 10);
    double work = one ? rosenbrock_work(p) : radau_work(p, STAGES_HIGH, ITERATIONS_TO_SETTLE);
    bool sooner = decay * at->span / RHO_H_STIFF * explicit_work(p) > steps * work;
    return sooner ? (long)(2 * steps) : 0;
}

/* What only the start of an integration shows. Large systems are waves more often than small ones: where
 * nothing decays explicit steps are tried first, which are soon judged. */
static bool begins_nonstiff(const vinc_problem *p, const sim_start *at, long *supposed)
{
    *supposed = 0;
    if (!explicit_fits(p, at) || !explicit_is_cheaper(p)) return false;
    double most = (follows(p) ? RHO_SPAN_TIED_MAX : RHO_SPAN_NONSTIFF_MAX) / at->span;
    double decay, rho = power_method(p, at->t, at->y, at->work, most, &decay);
    bool slow = rho < most;
    if (slow) *supposed = steps_to_settle(p, at, decay);
    return (slow && !*supposed) || (is_large(p) && isfinite(rho) && !(decay > 0));
}

void sim_choose(const vinc_problem *p, const sim_start *at, sim_choice *out)
{
    bool any = !p->differential;
    for (int i = 0; i < p->n && !any; i++) any = p->differential[i];
    long supposed = 0;
    bool nonstiff = any && !at->by_products && !at->fixed && begins_nonstiff(p, at, &supposed);
    *out = (sim_choice){.method = radau_for(p, at->tol)};
    if (!any) {
        out->method = &vinc_method_bdf;
        out->why = "nothing to integrate: algebraic equations followed in time";
    } else if (at->by_products) {
        out->method = at->fixed ? &vinc_method_sdirk4 : &vinc_method_bdf;
        out->why = "without a stored matrix: one real system at a time";
    } else if (is_large(p) && !at->by_stages && !nonstiff) {
        out->method = &vinc_method_bdf;
        out->why = "large system: one sparse matrix for many steps";
    } else if (at->fixed) {
        out->method = &vinc_method_radau5;
        out->why = "L-stable, order 5, indifferent to stiffness";
    } else if (nonstiff) {
        out->method = &vinc_method_dopri8;
        out->why = "not stiff: explicit, order 8";
    } else if (rosenbrock_fits(p, at)) {
        out->method = &vinc_method_rodas5p;
        out->why = in_one_piece(p) ? "small system: steps in one piece, no iteration"
                                   : "small system, few steps: one matrix and no iteration";
    } else if (second_order(p)) {
        out->why = "equations of motion: L-stable, order as oscillations ask";
    } else if (p->regularity) {
        out->why = "constraints that may lose rank: L-stable, starts afresh easily";
    } else {
        out->why = "L-stable, indifferent to stiffness, order as the tolerance asks";
    }
    out->seen.supposed = supposed;
}

/* ---- on the way ------------------------------------------------------------------------------ */

void sim_choose_implicit(const vinc_problem *p, const sim_start *at, const char *why,
                         sim_choice *now)
{
    now->method = is_large(p) && !at->by_stages ? &vinc_method_bdf : radau_for(p, at->tol);
    now->why = why;
    now->seen.limited = 0;
}

static void begin_count(const sim_start *at, long stretch, sim_choice *now)
{
    now->seen.t_count = at->t;
    now->seen.work_count = at->work_done;
    now->seen.stretch_count = stretch;
}

/* Work per time since the count began. */
static double work_rate(const sim_start *at, const sim_choice *now)
{
    return at->t > now->seen.t_count
               ? (at->work_done - now->seen.work_count) / (at->t - now->seen.t_count)
               : 0;
}

enum { TRIED = 1, SETTLED = 2 }; // sim_seen.trial

static void begin_order(const sim_start *at, sim_choice *now)
{
    now->seen.work_order = at->work_done;
    now->seen.events_order = at->events;
}

/* Steps that events cut cost their stages, each time they are made again, and their order is of no use. Unless a stretch of
 * one step becomes one of several: order 5 is tried, and the work from event to event compared. */
static bool order_5_explicit(const sim_start *at, sim_choice *now)
{
    sim_seen *x = &now->seen;
    bool low = now->method == &vinc_method_dopri5;
    long events = at->events - x->events_order, steps = at->steps;
    if (x->order == SETTLED || events < EVENTS_JUDGED_MIN * (low ? 2 : 1)) return false;
    if (!low && steps >= STEPS_OF_STRETCH_LEAST * at->events) return false;
    double work = (at->work_done - x->work_order) / (double)events;
    x->order = low ? SETTLED : TRIED;
    if (low && !(work > x->work_event)) return false;
    now->method = low ? &vinc_method_dopri8 : &vinc_method_dopri5;
    now->why = low ? "fewer steps from event to event: explicit, order 8"
                   : "events every few steps: explicit, order 5";
    x->work_event = work;
    begin_order(at, now);
    return true;
}

/* Implicit steps as the size of the system asks; why: for radau, for bdf, in one piece. */
static void choose_stiff(const vinc_problem *p, const sim_start *at, const char *const why[3],
                         sim_choice *now)
{
    bool large = is_large(p) && !at->by_stages;
    bool small = in_one_piece(p) && rosenbrock_fits(p, at);
    sim_choose_implicit(p, at, why[small ? 2 : large], now);
    if (small) now->method = &vinc_method_rodas5p;
}

/* No other trial for twice as long as last time. */
static void wait_longer(long stretch, long least, sim_choice *now)
{
    now->seen.stretch_trial = stretch + (now->seen.wait = 2 * now->seen.wait + least);
}

/* Explicit steps on trial, for as long, in time of the model, as implicit ones were watched. */
static bool explicit_trial_fails(const vinc_problem *p, const sim_start *at, long stretch,
                                 sim_choice *now)
{
    static const char *const why[3] = {
        "implicit steps were cheaper: L-stable",
        "implicit steps were cheaper: one sparse matrix for many steps",
        "implicit steps were cheaper: steps in one piece"};
    sim_seen *x = &now->seen;
    double passed = at->t - x->t_count, spent = at->work_done - x->work_count;
    bool fails = spent > x->rate_left * (passed + LAG_OF_TRIAL * x->span_trial);
    if (!fails && passed < x->span_trial) return false;
    x->trial = 0;
    long waited = x->wait;
    wait_longer(stretch, STEPS_TO_LOOK, now);
    if (!fails)
        x->stretch_trial = stretch + waited; // at once, the first time: the solution may settle
    if (!fails) return false;
    choose_stiff(p, at, why, now);
    begin_count(at, stretch, now);
    return true;
}

/* A trial of implicit steps takes more than explicit ones as long as the last would take to the end of the run: it could not
 * come back. */
static bool trial_is_late(const vinc_problem *p, const sim_start *at, double h)
{
    if (!(p->work_rhs > 0)) return false;
    double trial = STEPS_OF_TRIAL;
    if (in_one_piece(p) && rosenbrock_fits(p, at)) trial *= rosenbrock_work(p);
    else if (is_large(p) && !at->by_stages) trial *= TRIALS_OF_BDF * multistep_work(p);
    else trial *= radau_work(p, STAGES_HIGH, ITERATIONS_AGAINST_EXPLICIT);
    return trial > at->span / h * explicit_work(p);
}

static bool explicit_again(const vinc_problem *p, const sim_start *at, long stretch, double h,
                           sim_choice *now)
{
    bool stiff = false;
    if (at->h_rate > stable_step(now)) now->seen.limited++;
    else if (now->seen.limited > 0) now->seen.limited--;
    bool called = now->seen.limited >= STEPS_LIMITED; // by what stages show
    bool look = called || (stretch > 0 && stretch % STEPS_TO_LOOK == 0);
    if (stretch < now->seen.stretch_count) { // there was an event
        begin_count(at, stretch, now);
        now->seen.stretch_trial = 0;
        now->seen.trial = 0;
    }
    if (now->seen.trial) return explicit_trial_fails(p, at, stretch, now);
    if (!look || stretch < now->seen.stretch_trial) return false;
    now->seen.limited = 0;
    if (!is_fast(p, at, h, stable_step(now), &stiff)) {
        if (called) wait_longer(stretch, STEPS_LIMITED, now);
        return false;
    }
    if (trial_is_late(p, at, h)) {
        wait_longer(stretch, STEPS_TO_LOOK, now);
        return false;
    }
    now->seen.rate_left = work_rate(at, now);
    static const char *const why[2][3] = {
        {"fast beside its steps: L-stable, order as the tolerance asks",
         "fast beside its steps: one sparse matrix for many steps",
         "fast beside its steps: steps in one piece, no iteration"},
        {"became stiff: L-stable, order as the tolerance asks",
         "became stiff: one sparse matrix for many steps",
         "became stiff: steps in one piece, no iteration"}};
    choose_stiff(p, at, why[stiff], now);
    now->seen.left_explicit = 1;
    begin_count(at, stretch, now);
    now->seen.trial = now->seen.rate_left > 0 ? TRIED : 0;
    now->seen.span_trial = at->span;
    now->seen.t_trial = at->t;
    now->seen.work_trial = at->work_done;
    return true;
}

/* Were explicit steps cheaper, before? Or are implicit ones behind by half of what those would take to the end? */
static bool trial_fails(const sim_start *at, long stretch, sim_choice *now)
{
    sim_seen *x = &now->seen;
    if (stretch < x->stretch_count) x->trial = 0;
    if (!x->trial) return false;
    double passed = at->t - x->t_trial, spent = at->work_done - x->work_trial;
    if (spent > x->rate_left * (passed + LAG_OF_IMPLICIT * x->span_trial))
        return x->trial = 0, true;
    long steps = stretch - x->stretch_count, times = is_bdf(now) ? TRIALS_OF_BDF : 1;
    if (x->trial == TRIED && steps >= times * STEPS_OF_TRIAL_UNSETTLED) {
        begin_count(at, stretch, now);
        x->trial = SETTLED;
        return false;
    }
    if (x->trial != SETTLED || steps < times * (STEPS_OF_TRIAL - STEPS_OF_TRIAL_UNSETTLED))
        return false;
    x->trial = 0;
    return work_rate(at, now) > x->rate_left;
}

/* Steps of dopri8 in place of one of the method in use, where stability does not limit them. */
static double explicit_steps(const sim_start *at, const sim_choice *now)
{
    const double TOL_OF_STEPS = 1e-6;
    if (is_bdf(now)) return 1 / STEPS_OF_BDF;
    if (varies_order(now))
        return at->tol < TOL_ORDER_9_AT_START ? STEPS_FOR_RADAU_ORDER_9 : STEPS_FOR_RADAU;
    return STEPS_FOR_ORDER_5 * pow(at->tol / TOL_OF_STEPS, 1.0 / 5 - 1.0 / 8);
}

/* Explicit steps of the same size would do, and cost less. Where some were in use and left after a trial, which may have met
 * one phase of an oscillation only: so would as many as accuracy and stability ask for. */
static bool explicit_pays(const vinc_problem *p, const sim_start *at, double h,
                          const sim_choice *now, long stretch)
{
    double steps = (double)(stretch - now->seen.stretch_count),
           work = p->work_rhs > 0 ? explicit_work(p) : 0;
    double here = steps > 0 ? (at->work_done - now->seen.work_count) / steps : INFINITY;
    double same = is_bdf(now) ? 1 / STEPS_OF_BDF : 1, most = GAIN_MIN * here;
    bool again = now->seen.left_explicit && work > 0 && explicit_steps(at, now) * work < most;
    if (!again && !(same * work < most)) return false;
    double rho = sim_spectral_radius(p, at->t, at->y, at->work);
    return (same * work < most && rho * h < RHO_H_MILD) ||
           (again && rho * h / RHO_H_STIFF * work < most);
}

static bool implicit_again(const vinc_problem *p, const sim_start *at, long stretch, double h,
                           sim_choice *now)
{
    const char *why = "not stiff here: explicit, order 8";
    bool fits = explicit_fits(p, at), back = fits && trial_fails(at, stretch, now);
    if (now->seen.supposed && at->steps >= now->seen.supposed) {
        now->seen.supposed = 0;
        now->seen.left_explicit = 1; // as if: they are asked for where it goes on moving
        if (!fits || !explicit_pays(p, at, h, now, stretch)) return false;
        why = "the solution goes on moving: explicit, order 8";
    } else if (back) {
        why = "explicit steps were cheaper: explicit, order 8";
        wait_longer(stretch, STEPS_TO_LOOK, now);
    } else {
        if (stretch < now->seen.stretch_count) begin_count(at, stretch, now);
        if (!fits || now->seen.trial || !stretch || stretch % STEPS_TO_LOOK) return false;
        bool pays = stretch >= now->seen.stretch_trial && explicit_pays(p, at, h, now, stretch);
        now->seen.rate_left = work_rate(at, now);
        now->seen.span_trial = at->t - now->seen.t_count;
        begin_count(at, stretch, now);
        if (!pays) return false;
        now->seen.trial = now->seen.rate_left > 0 ? TRIED : 0;
    }
    now->method = &vinc_method_dopri8;
    now->why = why;
    now->seen.limited = 0;
    now->seen.order = 0;
    begin_order(at, now);
    begin_count(at, stretch, now);
    return true;
}

/* Orders above 5 are lost where the solution is not smooth between events. */
static bool kinks_between(const sim_start *at)
{
    return at->steps >= STEPS_OF_SHORT_RUN &&
           (double)at->rejected > REJECTED_PART_MAX * (double)at->steps;
}

/* Events come often. */
static bool judges_orders(const vinc_problem *p, const sim_start *at, const sim_choice *now)
{
    return varies_order(now) && !second_order(p) && at->events >= EVENTS_JUDGED_MIN &&
           at->steps < STEPS_OF_SHORT_RUN * at->events;
}

bool sim_choose_again(const vinc_problem *p, const sim_start *at, long stretch, double h,
                      sim_choice *now)
{
    bool stays = is_rosenbrock(now) && in_one_piece(p);
    if (is_rosenbrock(now) && !stays && stretch >= STEPS_OF_SHORT_RUN) {
        sim_choose_implicit(p, at, "a long run: L-stable, order as the tolerance asks", now);
        begin_count(at, stretch, now);
        return true;
    }
    if (is_explicit(now))
        return explicit_again(p, at, stretch, h, now) || order_5_explicit(at, now);
    if ((is_radau(now) || is_bdf(now) || stays) && implicit_again(p, at, stretch, h, now))
        return true;
    if (judges_orders(p, at, now) && kinks_between(at)) {
        now->method = &vinc_method_radau5;
        now->why = "kinks between events: L-stable, order 5";
        return true;
    }
    return false;
}

sim_quiet sim_choose_quiet(const vinc_problem *p, const sim_start *at, long stretch,
                           const sim_choice *now)
{
    const sim_quiet never = {0};
    sim_quiet q = {LONG_MAX, LONG_MAX, at->events, INFINITY};
    long look = (stretch / STEPS_TO_LOOK + 1) * STEPS_TO_LOOK;
    if (now->seen.trial || now->seen.limited) return never;
    if (is_rosenbrock(now) && !in_one_piece(p)) {
        q.stretch = STEPS_OF_SHORT_RUN;
    } else if (is_explicit(now)) {
        q.stretch = look;
        q.h_rate = stable_step(now);
    } else {
        if (judges_orders(p, at, now)) return never;
        if (explicit_fits(p, at)) q.stretch = look;
        if (now->seen.supposed) q.steps = now->seen.supposed;
    }
    return q;
}

bool sim_choose_low(sim_choice *now)
{
    if (!varies_order(now)) return false;
    now->method = &vinc_method_radau5;
    now->why = "a singular position: L-stable, order 5 where the solution is not smooth";
    return true;
}

bool sim_choose_iterating(const vinc_problem *p, const sim_start *at, sim_choice *now)
{
    if (!is_rosenbrock(now)) return false;
    sim_choose_implicit(p, at, "stages without values: L-stable, corrected by an iteration", now);
    return true;
}
