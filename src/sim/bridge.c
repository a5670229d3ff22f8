/* The polynomial through the last points, and where it leads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/bridge.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

// clang-format off
/* Bounds of a crossing. "choice": no measurement is known; examples/four-bar and the loops of
 * tests/library/values pass with it.
 *
 *  bound                                    quantity                                                  source */
static const double
    SIGMA_NEAR                = 0.2,      // singular value over the largest met: a position may come  choice; that of a long chain is small everywhere
    SIGMA_AFTER_MIN           = 0.2,      // singular value after the position over that before        principle: it falls and rises along a line
    STEPS_PER_SIGMA           = 4,        // steps until the next look, for each SIGMA_NEAR            choice: they become shorter before a position
    STEPS_UNTIL_LOOK_MAX      = 20,       // ... at most                                               choice; on wheelset frequent looks are dear
    STEP_CREEPING             = 0.4,      // step over the usual one: it creeps below                  choice
    STEP_CRAWLING             = 1e-6,     // step over the usual one: it crawls below                  principle: no way is made
    USUAL_STEP_KEPT           = 0.98,     // of the usual step, from one step to the next              choice: half of it in 34 steps
    MEMORY_IN_STEPS           = 12,       // age of the oldest point, in usual steps                   choice
    NODE_SPACING_MIN          = 1e-3,     // between nodes, in usual steps                             principle: close points magnify their errors
    UNCERTAINTY_MAX           = 0.05,     // of the polynomial, in units of the tolerance              principle: little beside the error of a step
    UNCERTAINTY_STUCK_MAX     = 2,        // ... where no step succeeds                                principle: the alternative is to stop
    TOLERANCE_MIN             = 1e-9,     // tolerance in these units, at least                        principle: near a position round-off is magnified
    PROJECTION_MAX            = 100,      // way back onto the constraints, in units of the tolerance  choice
    SIGMA2_PER_VIOLATION_MIN  = 1e3,      // sigma^2 over violation: branches are told apart beyond    principle: they part with sigma^2
    VIOLATION_ROUND_OFF       = 1e-13;    // violation of constraints that are held                    principle: some hundred units in the last place
enum {
    CROSSINGS_IN_A_ROW_MAX    = 8,        // crossings without a usual step between them               choice: they lead nowhere
    STEPS_CRAWLED_MAX         = 100,      // steps that crawl, in a row                                choice: likewise
    NODES_MIN                 = 3,        // points of the polynomial                                  principle: two for it, one for its error
};
// clang-format on
enum { CONDITIONS = 2 * BRIDGE_NODES }; // a value and a slope at each node

size_t sim_bridge_layout(sim_bridge *b, const vinc_problem *p, void *block)
{
    bump x = bump_begin(block);
    size_t n = p->regularity ? (size_t)p->n : 0;
    for (int k = 0; k < BRIDGE_POINTS; k++) {
        b->past[k].y = bump_double(&x, n);
        b->past[k].yp = bump_double(&x, n);
    }
    b->landing = bump_double(&x, n);
    return bump_end(&x);
}

void sim_bridge_clear(sim_bridge *b)
{
    b->count = 0;
    b->creeping = false;
    b->h = b->h_usual = b->h_free = 0;
    b->sigma = 1;
    b->crept = b->wait = b->rescued = 0;
}

void sim_bridge_passed(sim_bridge *b)
{
    // Steps beside a position are short, and the usual one is forgotten: crossings without end would lead nowhere.
    if (!b->rescued++) b->t_row = b->past[0].t + b->h_free;
    b->creeping = false;
    b->sigma = 1;
    b->crept = b->wait = 0;
}

/* Which point to forget: one that is too old, or the one whose neighbours are nearest to each other
 * for its age. So there are close points for a short way and distant ones for a long way. */
static int least_missed(const sim_bridge *b)
{
    const bridge_point *q = b->past;
    double now = q[0].t, least = INFINITY;
    int found = b->count - 1;
    if (now - q[found].t > MEMORY_IN_STEPS * b->h_usual) return found;
    for (int k = 1; k < b->count - 1; k++) {
        double crowded = (q[k - 1].t - q[k + 1].t) / (now - q[k].t);
        if (!(crowded < least)) continue;
        least = crowded;
        found = k;
    }
    return found;
}

void sim_bridge_add(sim_bridge *b, const method_run *run)
{
    if (!b->p->regularity) return;
    const vinc_stats *s = &run->stats;
    long failed = s->rejected_newton + s->rejected_undefined;
    b->h = run->t - run->t_old;
    b->h_usual = fmax(b->h, USUAL_STEP_KEPT * b->h_usual);
    b->h_free = fmax(b->h, b->h_free - (1 - USUAL_STEP_KEPT) * b->h);
    b->creeping = b->wait <= 0 && (b->h < STEP_CREEPING * b->h_usual || failed > b->rejected);
    b->wait--;
    if (b->h > STEP_CREEPING * b->h_usual && run->t > b->t_row) b->rescued = 0;
    b->crept = b->h < STEP_CRAWLING * b->h_usual ? b->crept + 1 : 0;
    b->sigma = 1;
    b->rejected = failed;
    bridge_point *q = b->past;
    int last = b->count < BRIDGE_POINTS ? b->count++ : least_missed(b);
    bridge_point first = q[last];
    memmove(q + 1, q, (size_t)last * sizeof *q);
    first.t = run->t;
    first.exact = !b->p->rhs;
    memcpy(first.y, run->y, (size_t)b->p->n * sizeof *first.y);
    memcpy(first.yp, run->yp, (size_t)b->p->n * sizeof *first.yp);
    q[0] = first;
}

/* ---- the polynomial -------------------------------------------------------------------------- */

static double node_time(const sim_bridge *b, int k)
{
    return b->node[k / 2]->t;
}

/* Divided differences of component i over the nodes, each point twice. */
static void bridge_differences(const sim_bridge *b, int i, double c[CONDITIONS])
{
    int n = 2 * b->n_nodes;
    for (int k = 0; k < n; k++) c[k] = b->node[k / 2]->y[i];
    for (int order = 1; order < n; order++)
        for (int k = n - 1; k >= order; k--)
            c[k] = order == 1 && k % 2
                       ? b->node[k / 2]->yp[i]
                       : (c[k] - c[k - 1]) / (node_time(b, k) - node_time(b, k - order));
}

/* The terms first ... last - 1: value and, where wanted, derivative. */
static double bridge_terms(const sim_bridge *b, const double *c, double t, int first, int last,
                           double *slope)
{
    double product = 1, rate = 0, sum = 0, sum_rate = 0;
    for (int k = 0; k < last; k++) {
        if (k >= first) {
            sum += c[k] * product;
            sum_rate += c[k] * rate;
        }
        double x = t - node_time(b, k);
        rate = rate * x + product;
        product *= x;
    }
    if (slope) *slope = sum_rate;
    return sum;
}

static bool bridge_moves(const sim_bridge *b, int i)
{
    return !b->p->differential || b->p->differential[i];
}

/* Through the values at the nodes and after the position (Neville). */
static double bridge_between(const sim_bridge *b, int i, double t)
{
    double x[BRIDGE_NODES + 1] = {b->t_landing}, v[BRIDGE_NODES + 1] = {b->landing[i]};
    for (int k = 0; k < b->n_nodes; k++) {
        x[k + 1] = b->node[k]->t;
        v[k + 1] = b->node[k]->y[i];
    }
    for (int order = 1; order <= b->n_nodes; order++)
        for (int k = 0; k <= b->n_nodes - order; k++)
            v[k] += (v[k + 1] - v[k]) * (t - x[k]) / (x[k + order] - x[k]);
    return v[0];
}

void sim_bridge_at(const sim_bridge *b, double t, double *y, double *yp)
{
    for (int i = 0; i < b->p->n; i++) {
        double c[CONDITIONS];
        yp[i] = 0;
        if (bridge_moves(b, i)) {
            bridge_differences(b, i, c);
            y[i] = bridge_terms(b, c, t, 0, 2 * b->n_nodes, &yp[i]);
        } else {
            y[i] = isfinite(b->t_landing) ? bridge_between(b, i, t) : b->past[0].y[i];
        }
    }
}

static double bridge_weight(const sim_bridge *b, int i)
{
    double rel_tol = fmax(b->o->rel_tol, TOLERANCE_MIN), abs_tol = fmax(b->o->abs_tol, rel_tol);
    return rel_tol * fabs(b->past[0].y[i]) + abs_tol * (b->p->nominal ? b->p->nominal[i] : 1);
}

static double bridge_distance(const sim_bridge *b, const double *y, const double *z)
{
    double most = 0;
    for (int i = 0; i < b->p->n; i++)
        if (bridge_moves(b, i)) most = fmax(most, fabs(y[i] - z[i]) / bridge_weight(b, i));
    return most;
}

/* ---- where it leads -------------------------------------------------------------------------- */

/* The newest points, at least lag old and spacing apart. */
static void bridge_take_nodes(sim_bridge *b, int most, double spacing, double lag)
{
    double limit = b->past[0].t - lag;
    b->n_nodes = 0;
    for (int k = 0; k < b->count && b->n_nodes < most; k++) {
        const bridge_point *q = &b->past[k];
        if (!q->exact || q->t > limit) continue;
        b->node[b->n_nodes++] = q;
        limit = q->t - spacing;
    }
}

/* What the oldest node adds to the polynomial, an estimate on the safe side, for the newest count
 * of the nodes; the best count remains. */
static double bridge_uncertainty(sim_bridge *b, double t)
{
    double most[BRIDGE_NODES + 1] = {0};
    for (int i = 0; i < b->p->n; i++) {
        double c[CONDITIONS];
        if (!bridge_moves(b, i)) continue;
        bridge_differences(b, i, c);
        for (int n = NODES_MIN; n <= b->n_nodes; n++)
            most[n] = fmax(most[n], fabs(bridge_terms(b, c, t, 2 * n - 2, 2 * n, NULL)) /
                                        bridge_weight(b, i));
    }
    int best = 0;
    for (int n = NODES_MIN; n <= b->n_nodes; n++)
        if (!best || most[n] < most[best]) best = n;
    b->n_nodes = best;
    return best ? most[best] : INFINITY;
}

/* Close points magnify their errors, most of all those near the position; distant ones say little
 * of the way ahead: the choice that is best at t. */
static double bridge_best_polynomial(sim_bridge *b, double t)
{
    double least = INFINITY, best_spacing = 0, best_lag = 0;
    int best = 0;
    double spacing = (b->past[0].t - b->past[b->count - 1].t) / (NODES_MIN - 1);
    for (; spacing > NODE_SPACING_MIN * b->h_usual; spacing /= 1.5)
        for (double lag = 0; lag < 2.5 * spacing; lag += spacing) {
            bridge_take_nodes(b, BRIDGE_NODES, spacing, lag);
            double u = bridge_uncertainty(b, t);
            if (!(u < least)) continue;
            least = u;
            best = b->n_nodes;
            best_spacing = spacing;
            best_lag = lag;
        }
    bridge_take_nodes(b, best, best_spacing, best_lag);
    return least;
}

static void bridge_refine(const sim_bridge *b, bridge_point *q)
{
    if (!q->exact) q->exact = b->p->rhs(b->p->user, q->t, q->y, q->yp) == 0;
}

bool sim_bridge_near(const sim_bridge *b)
{
    return b->creeping && b->sigma < SIGMA_NEAR * b->most;
}

bool sim_bridge_find(sim_bridge *b, double t_limit, bool stuck, bridge_span *out)
{
    const vinc_problem *p = b->p;
    const bridge_point *now = b->past, *old = now + 1;
    if (b->rescued > CROSSINGS_IN_A_ROW_MAX) return false;
    if (b->h == 0 || p->regularity(p->user, now->t, now->y, now->yp, &b->sigma)) return false;
    b->most = fmax(b->most, b->sigma);
    double near = SIGMA_NEAR * b->most;
    b->wait =
        b->sigma < near ? 0 : (int)fmin(STEPS_PER_SIGMA * b->sigma / near, STEPS_UNTIL_LOOK_MAX);
    if (!(b->sigma < near) || b->count < NODES_MIN) return false;
    // The singular value falls to zero along a line.
    double before;
    if (p->regularity(p->user, old->t, old->y, old->yp, &before)) return false;
    double ahead = (now->t - old->t) * b->sigma / (before - b->sigma);
    double memory = now->t - b->past[b->count - 1].t;
    bool passed = stuck && (before < b->sigma || ahead > memory);
    if (!passed && (!(ahead >= 0) || ahead > memory)) return false;
    for (int k = 0; k < b->count; k++) bridge_refine(b, &b->past[k]);
    // As far after it as before it, or farther while the polynomial can be trusted.
    double accuracy = stuck ? UNCERTAINTY_STUCK_MAX : UNCERTAINTY_MAX, first = 2 * ahead;
    if (passed) ahead = 0, first = 0.05 * b->h_usual;
    out->t_singular = now->t + ahead;
    bool found = false;
    for (double span = first; span <= fmax(first, 4 * b->h_usual); span *= 1.5) {
        double t = fmin(now->t + span, t_limit);
        if (t < now->t + 1.5 * ahead || !(bridge_best_polynomial(b, t) <= accuracy)) break;
        out->t_far = t;
        found = true;
        if (t == t_limit || span == 0) break;
    }
    if (found) bridge_best_polynomial(b, out->t_far);
    return found;
}

bool sim_bridge_land(sim_bridge *b, double t, sim_roots *roots, double *y, double *yp)
{
    const vinc_problem *p = b->p;
    double after = 0;
    b->t_landing = INFINITY;
    sim_bridge_at(b, t, y, yp);
    memcpy(b->landing, y, (size_t)p->n * sizeof *y);
    if (p->reselect) p->reselect(p->user, t, y, yp);
    int (*move)(void *, double, double *, double *) = p->project          ? p->project
                                                      : p->output_project ? p->output_project
                                                                          : p->rhs;
    if (move && move(p->user, t, y, yp)) return false;
    if (!(bridge_distance(b, y, b->landing) < PROJECTION_MAX)) return false;
    if (p->regularity(p->user, t, y, yp, &after) || !(after > SIGMA_AFTER_MIN * b->sigma))
        return false;
    if (p->n_roots && p->roots(p->user, t, y, yp, roots->trial)) return false;
    for (int k = 0; k < p->n_roots; k++)
        if ((roots->trial[k] > 0) != (roots->old[k] > 0)) return false;
    memcpy(b->landing, y, (size_t)p->n * sizeof *y);
    b->t_landing = t;
    return true;
}

void sim_bridge_row(const sim_bridge *b, sim_consistent *onto, double t, double *y, double *yp)
{
    sim_bridge_at(b, t, y, yp);
    sim_consistent_make(onto, t, y, yp, 0);
    if (onto->move && !(bridge_distance(b, y, onto->y) < PROJECTION_MAX))
        sim_bridge_at(b, t, y, yp);
}

bool sim_bridge_lost(const sim_bridge *b, const method_run *run, text *why)
{
    double v[3] = {0, 0, 0};
    if (!(b->sigma < SIGMA_NEAR / 2)) return false;
    if (b->p->violation) b->p->violation(b->p->user, run->t, run->y, run->yp, v);
    bool apart =
        v[0] < VIOLATION_ROUND_OFF || b->sigma * b->sigma > SIGMA2_PER_VIOLATION_MIN * v[0];
    if (apart && b->crept < STEPS_CRAWLED_MAX) return false;
    text_printf(why,
                "near a singular position at t = %.10g the constraints lose rank, and the way on "
                "cannot be told from this side; use 'project' or 'dummy' with radau5, or another "
                "tolerance",
                run->t);
    return true;
}
