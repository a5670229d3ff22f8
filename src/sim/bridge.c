/* The polynomial through the last points, and where it leads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/bridge.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

static const double NEAR = 0.2; // relative singular value from which on a position may come up
static const double WAIT = 4, WAIT_MAX = 20; // steps for each such value; they become shorter
static const double CREEPING = 0.4;          // step sizes in a ratio below this to the usual one
static const double CRAWLING = 1e-6;
static const double FORGET = 0.98;   // the usual one, per step
static const double CROWDED = 0.9;   // distances of remembered points in a ratio below this
static const double ACCURACY = 0.2;  // of the polynomial, in units of the tolerance
static const double MOVED_MAX = 100; // by projection behind the position, in units of the tolerance
static const double AS_REGULAR = 0.2; // singular values behind and in front, at least
static const double APART = 1e3;      // violations that can be told from another branch
enum { CRAWLED_MAX = 100 };           // steps
enum { NODES = 2 * (BRIDGE_POINTS + 1), FEWEST = 3 };

size_t sim_bridge_layout(sim_bridge *b, const vinc_problem *p, void *block)
{
    bump x = bump_begin(block);
    size_t n = p->regularity ? (size_t)p->n : 0;
    for (int k = 0; k <= BRIDGE_POINTS; k++) {
        bridge_point *q = k < BRIDGE_POINTS ? &b->past[k] : &b->now;
        q->y = bump_double(&x, n);
        q->yp = bump_double(&x, n);
    }
    b->landing = bump_double(&x, n);
    return bump_end(&x);
}

void sim_bridge_clear(sim_bridge *b)
{
    b->count = 0;
    b->creeping = false;
    b->h = b->h_usual = 0;
    b->sigma = 1;
    b->crept = b->wait = 0;
}

static void set(const sim_bridge *b, bridge_point *q, const method_run *run)
{
    q->t = run->t;
    q->exact = !b->p->rhs;
    memcpy(q->y, run->y, (size_t)b->p->n * sizeof *q->y);
    memcpy(q->yp, run->yp, (size_t)b->p->n * sizeof *q->yp);
}

void sim_bridge_add(sim_bridge *b, const method_run *run)
{
    if (!b->p->regularity) return;
    const vinc_stats *s = &run->stats;
    long failed = s->rejected_newton + s->rejected_undefined;
    b->h = run->t - run->t_old;
    b->h_usual = fmax(b->h, FORGET * b->h_usual);
    b->creeping = b->wait <= 0 && (b->h < CREEPING * b->h_usual || failed > b->rejected);
    b->wait--;
    b->crept = b->h < CRAWLING * b->h_usual ? b->crept + 1 : 0;
    b->sigma = 1;
    b->rejected = failed;
    set(b, &b->now, run);
    // Points far enough apart: extrapolation from close ones magnifies their errors.
    bridge_point *q = b->past;
    if (b->count > 1 && run->t - q[0].t < CROWDED * (q[0].t - q[1].t)) return;
    bridge_point oldest = q[BRIDGE_POINTS - 1];
    memmove(q + 1, q, (BRIDGE_POINTS - 1) * sizeof *q);
    q[0] = oldest;
    set(b, &q[0], run);
    if (b->count < BRIDGE_POINTS) b->count++;
}

/* ---- the polynomial -------------------------------------------------------------------------- */

static double node_time(const sim_bridge *b, int k)
{
    return b->node[k / 2]->t;
}

/* Divided differences of component i over the nodes, each point twice. */
static void differences(const sim_bridge *b, int i, double c[NODES])
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
static double terms(const sim_bridge *b, const double *c, double t, int first, int last,
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

static bool moves(const sim_bridge *b, int i)
{
    return !b->p->differential || b->p->differential[i];
}

void sim_bridge_at(const sim_bridge *b, double t, double *y, double *yp)
{
    for (int i = 0; i < b->p->n; i++) {
        double c[NODES];
        y[i] = b->now.y[i];
        if (yp) yp[i] = 0;
        if (!moves(b, i)) continue;
        differences(b, i, c);
        y[i] = terms(b, c, t, 0, 2 * b->n_nodes, yp ? &yp[i] : NULL);
    }
}

static double weight(const sim_bridge *b, int i)
{
    double abs_tol = b->o->abs_tol > 0 ? b->o->abs_tol : b->o->rel_tol;
    return b->o->rel_tol * fabs(b->now.y[i]) + abs_tol * (b->p->nominal ? b->p->nominal[i] : 1);
}

static double distance(const sim_bridge *b, const double *y, const double *z)
{
    double most = 0;
    for (int i = 0; i < b->p->n; i++)
        if (moves(b, i)) most = fmax(most, fabs(y[i] - z[i]) / weight(b, i));
    return most;
}

/* ---- where it leads -------------------------------------------------------------------------- */

/* What the oldest point adds to the polynomial: an estimate on the safe side. */
static double uncertainty(const sim_bridge *b, double t)
{
    double most = 0;
    int n = 2 * b->n_nodes;
    for (int i = 0; i < b->p->n; i++) {
        double c[NODES];
        if (!moves(b, i)) continue;
        differences(b, i, c);
        most = fmax(most, fabs(terms(b, c, t, n - 2, n, NULL)) / weight(b, i));
    }
    return most;
}

/* With or without the present point, with all remembered ones or fewer. */
static void take_nodes(sim_bridge *b, bool present, int count)
{
    b->n_nodes = 0;
    if (present) b->node[b->n_nodes++] = &b->now;
    for (int k = 0; k < b->count && b->n_nodes < count; k++)
        if (!present || b->past[k].t < b->now.t) b->node[b->n_nodes++] = &b->past[k];
}

static double best_polynomial(sim_bridge *b, double t)
{
    double least = INFINITY;
    bool best_present = false;
    int best_count = 0;
    for (int present = 0; present < 2; present++)
        for (int count = FEWEST; count <= b->count + present; count++) {
            take_nodes(b, present, count);
            if (b->n_nodes < count) continue;
            double u = uncertainty(b, t);
            if (!(u < least)) continue;
            least = u;
            best_present = present;
            best_count = count;
        }
    take_nodes(b, best_present, best_count);
    return least;
}

static bool refine(const sim_bridge *b, bridge_point *q)
{
    if (!q->exact && b->p->rhs(b->p->user, q->t, q->y, q->yp)) return false;
    return q->exact = true;
}

bool sim_bridge_find(sim_bridge *b, double t_limit, bridge_span *out)
{
    const vinc_problem *p = b->p;
    const bridge_point *now = &b->now, *old = b->past;
    if (!b->h || p->regularity(p->user, now->t, now->y, now->yp, &b->sigma)) return false;
    b->wait = b->sigma < NEAR ? 0 : (int)fmin(WAIT * b->sigma / NEAR, WAIT_MAX);
    if (!(b->sigma < NEAR) || b->count < FEWEST) return false;
    // The singular value falls to zero along a line.
    if (old->t == now->t) old++;
    double before;
    if (p->regularity(p->user, old->t, old->y, old->yp, &before)) return false;
    double ahead = (now->t - old->t) * b->sigma / (before - b->sigma);
    if (!(ahead >= 0) || ahead > now->t - b->past[b->count - 1].t) return false;
    if (!refine(b, &b->now)) return false;
    for (int k = 0; k < b->count; k++)
        if (!refine(b, &b->past[k])) return false;
    // As far behind as it is in front, or farther while the polynomial can be trusted.
    out->t_singular = now->t + ahead;
    bool found = false;
    for (double span = 2 * ahead; span <= fmax(2 * ahead, 4 * b->h_usual); span *= 1.5) {
        double t = fmin(now->t + span, t_limit);
        if (t < now->t + 1.5 * ahead || !(best_polynomial(b, t) <= ACCURACY)) break;
        out->t_far = t;
        found = true;
        if (t == t_limit || span == 0) break;
    }
    if (found) best_polynomial(b, out->t_far);
    return found;
}

bool sim_bridge_land(sim_bridge *b, double t, sim_roots *roots, double *y, double *yp)
{
    const vinc_problem *p = b->p;
    double after = 0;
    sim_bridge_at(b, t, y, yp);
    memcpy(b->landing, y, (size_t)p->n * sizeof *y);
    if (p->reselect) p->reselect(p->user, t, y, yp);
    int (*move)(void *, double, double *, double *) = p->project          ? p->project
                                                      : p->output_project ? p->output_project
                                                                          : p->rhs;
    if (move && move(p->user, t, y, yp)) return false;
    if (!(distance(b, y, b->landing) < MOVED_MAX)) return false;
    if (p->regularity(p->user, t, y, yp, &after) || !(after > AS_REGULAR * b->sigma)) return false;
    if (p->n_roots && p->roots(p->user, t, y, yp, roots->trial)) return false;
    for (int k = 0; k < p->n_roots; k++)
        if ((roots->trial[k] > 0) != (roots->old[k] > 0)) return false;
    return true;
}

bool sim_bridge_lost(const sim_bridge *b, const method_run *run, text *why)
{
    double v[3] = {0, 0, 0};
    if (!(b->sigma < NEAR / 2)) return false;
    if (b->p->violation) b->p->violation(b->p->user, run->t, run->y, run->yp, v);
    if (b->sigma * b->sigma > APART * v[0] && b->crept < CRAWLED_MAX) return false;
    text_printf(why,
                "near a singular position at t = %.10g the constraints lose rank, and the way on "
                "cannot be told from this side; use 'project' or 'dummy' with radau5, or another "
                "tolerance",
                run->t);
    return true;
}
