/* SPDX-License-Identifier: BSD-3-Clause */
#include "routine/quadrature.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES = 21, MIDDLE = NODES / 2, HALVINGS_MAX = 44 };

#define INNER_SHARE 0.1    // tolerance of a dimension, over that of the one around it
#define ADDED_MAX   10     // errors of all intervals together, over the tolerance of each
#define TIGHTEST    1e-4   // tolerance of an interval where there are many, over that of few
#define GAP         4.4e-3 // between an end of [-1, 1] and the node next to it
#define GAP_POINT   1e-6   // from the end
#define GAP_JUMP    1e-5   // over the largest value: smooth functions that are resolved stay below

/* Piessens et al. 1983, table of qk21: nodes from the end to the middle, weights of Kronrod, and of
 * Gauss at every second node. */
static const double node_at[11] = {0.995657163025808081,
                                   0.973906528517171720,
                                   0.930157491355708226,
                                   0.865063366688984511,
                                   0.780817726586416897,
                                   0.679409568299024406,
                                   0.562757134668604683,
                                   0.433395394129247191,
                                   0.294392862701460198,
                                   0.148874338981631211,
                                   0};
static const double kronrod[11] = {0.011694638867371874, 0.032558162307964727, 0.054755896574351996,
                                   0.075039674810919953, 0.093125454583697606, 0.109387158802297642,
                                   0.123491976262065851, 0.134709217311473326, 0.142775938577060081,
                                   0.147739104901338491, 0.149445554002916906};
static const double gauss[5] = {0.066671344308688138, 0.149451349150580593, 0.219086362515982044,
                                0.269266719309996355, 0.295524224714752870};

typedef struct interval {
    double a, b;
    int halvings;
} interval;

/* Of one interval; values of n functions and then their absolute values. */
typedef struct panel {
    double at[NODES][2 * QUADRATURE_MOST]; // at the nodes
    double sum[2 * QUADRATURE_MOST], error[QUADRATURE_MOST];
    bool infinite;
} panel;

static quadrature_end quadrature_line(quadrature *q, int k, double *s, double *out);

static quadrature_end quadrature_fails(quadrature *q, const double *s, int what, quadrature_end why)
{
    memcpy(q->where, s, sizeof *s * (size_t)q->dims);
    q->what = what;
    return why;
}

static quadrature_end quadrature_point(quadrature *q, double *s, double *out)
{
    q->evaluations++;
    if (q->limit && q->evaluations > q->limit)
        return quadrature_fails(q, s, q->what, QUADRATURE_DIVERGES);
    if (!q->f(q->user, s, out)) return quadrature_fails(q, s, 0, QUADRATURE_STOPPED);
    for (int i = 0; i < q->n; i++) {
        if (isnan(out[i])) return quadrature_fails(q, s, i, QUADRATURE_NOT_A_NUMBER);
        out[q->n + i] = fabs(out[i]);
    }
    return QUADRATURE_DONE;
}

// |Kronrod - Gauss|, which is the error of Gauss, becomes an estimate of that of Kronrod (QUADPACK).
static double error_estimate(double difference, double spread, double size)
{
    double error = difference;
    if (spread > 0 && error > 0) error = spread * fmin(1, pow(200 * error / spread, 1.5));
    return size > DBL_MIN / (50 * DBL_EPSILON) ? fmax(error, 50 * DBL_EPSILON * size) : error;
}

static int mirrored(int j) // the number of node j in the tables
{
    return j <= MIDDLE ? j : NODES - 1 - j;
}

static double node_of(int j)
{
    return j <= MIDDLE ? -node_at[j] : node_at[mirrored(j)];
}

/* What an interval of that half length integrates, at theta. */
static quadrature_end quadrature_node(quadrature *q, int k, double *s, double theta, double half,
                                      double *out)
{
    s[k] = theta * theta * (3 - 2 * theta);
    quadrature_end end = quadrature_line(q, k + 1, s, out);
    for (int i = 0; i < 2 * q->n && !end; i++) out[i] *= 6 * theta * (1 - theta) * half;
    return end;
}

static quadrature_end quadrature_panel(quadrature *q, int k, double *s, const interval *x, panel *p)
{
    int n = q->n;
    double middle = 0.5 * (x->a + x->b), half = 0.5 * (x->b - x->a);
    p->infinite = false;
    memset(p->sum, 0, sizeof *p->sum * 2 * (size_t)n);
    for (int j = 0; j < NODES; j++) {
        quadrature_end end = quadrature_node(q, k, s, middle + half * node_of(j), half, p->at[j]);
        if (end) return end;
        for (int i = 0; i < 2 * n; i++) {
            if (!isfinite(p->at[j][i])) p->infinite = true, q->what = i % n;
            p->sum[i] += kronrod[mirrored(j)] * p->at[j][i];
        }
    }
    for (int i = 0; i < n && !p->infinite; i++) {
        double by_gauss = 0, spread = 0, mean = p->sum[i] / 2;
        for (int j = 0; j < NODES; j++) {
            int m = mirrored(j);
            if (m % 2) by_gauss += gauss[m / 2] * p->at[j][i];
            spread += kronrod[m] * fabs(p->at[j][i] - mean);
        }
        p->error[i] = error_estimate(fabs(p->sum[i] - by_gauss), spread, p->sum[n + i]);
    }
    return QUADRATURE_DONE;
}

static int quadrature_watched(const quadrature *q)
{
    return q->watched ? q->watched : q->n;
}

static double quadrature_tol(const quadrature *q, int k) // of dimension k
{
    return q->tol * pow(INNER_SHARE, k);
}

// Which function has not converged on an interval; -1: none.
static int quadrature_open(const quadrature *q, double tol, const panel *p, double *size)
{
    if (p->infinite) return q->what;
    for (int i = 0; i < quadrature_watched(q); i++) {
        size[i] = fmax(size[i], p->sum[q->n + i]);
        if (p->error[i] > tol * size[i]) return i;
    }
    return -1;
}

/* A jump between an end of the interval and the node next to it is seen by no node: next to the end
 * the polynomial through the nodes is held against the function. Which function may hide one that
 * matters; -1: none. */
static int quadrature_hides(quadrature *q, int k, double *s, const interval *x, const panel *p,
                            const double *size)
{
    double tol = quadrature_tol(q, k), half = 0.5 * (x->b - x->a);
    double at[2 * QUADRATURE_MOST], basis[NODES];
    for (int side = -1; side <= 1; side += 2) {
        double theta = side < 0 ? x->a + GAP_POINT * half : x->b - GAP_POINT * half;
        if (quadrature_node(q, k, s, theta, half, at)) continue; // rounding at the boundary
        for (int j = 0; j < NODES; j++) {                        // of Lagrange
            basis[j] = 1;
            for (int m = 0; m < NODES; m++)
                if (m != j) basis[j] *= (side - node_of(m)) / (node_of(j) - node_of(m));
        }
        for (int i = 0; i < quadrature_watched(q); i++) {
            double there = 0, most = 0;
            for (int j = 0; j < NODES; j++) {
                there += basis[j] * p->at[j][i];
                most = fmax(most, fabs(p->at[j][i]));
            }
            double off = fabs(there - at[i]);
            if (off > GAP_JUMP * most && GAP * off > tol * size[i]) return i;
        }
    }
    return -1;
}

/* Adds the panel to the sums. Which function has so large a sum of errors that no tolerance of an
 * interval will do; -1: none. */
static int quadrature_add(const quadrature *q, int k, const panel *p, double *out, double *size,
                          double *error)
{
    int n = q->n, lost = -1;
    for (int i = 0; i < 2 * n; i++) out[i] += p->sum[i];
    for (int i = 0; i < n; i++) {
        size[i] = fmax(size[i], out[n + i]);
        error[i] += p->error[i];
    }
    for (int i = 0; i < quadrature_watched(q); i++)
        if (TIGHTEST * error[i] > quadrature_tol(q, k) * size[i]) lost = i;
    return lost;
}

/* Over s[k] and the dimensions inside it, with that tolerance for each interval: n integrals, and n of
 * absolute values; what the errors of all intervals add up to, over each integral, at most. */
static quadrature_end quadrature_pass(quadrature *q, int k, double tol, double *s, double *out,
                                      double *added)
{
    int n = q->n, waiting = 1;
    interval open[HALVINGS_MAX + 2] = {{0, 1, 0}};
    double size[QUADRATURE_MOST] = {0}; // of each integral, as far as it is known
    double error[QUADRATURE_MOST] = {0};
    panel p;
    memset(out, 0, sizeof *out * 2 * (size_t)n);
    while (waiting) {
        interval x = open[--waiting];
        quadrature_end end = quadrature_panel(q, k, s, &x, &p);
        if (end) return end;
        int what = quadrature_open(q, tol, &p, size);
        if (what < 0 && x.halvings) what = quadrature_hides(q, k, s, &x, &p, size);
        if (what < 0) {
            int lost = quadrature_add(q, k, &p, out, size, error);
            if (lost >= 0) return quadrature_fails(q, s, lost, QUADRATURE_DIVERGES);
            continue;
        }
        double middle = 0.5 * (x.a + x.b);
        if (x.halvings == HALVINGS_MAX) {
            s[k] = middle * middle * (3 - 2 * middle);
            for (int i = k + 1; i < q->dims; i++) s[i] = 0.5;
            return quadrature_fails(q, s, what, QUADRATURE_DIVERGES);
        }
        open[waiting++] = (interval){middle, x.b, x.halvings + 1};
        open[waiting++] = (interval){x.a, middle, x.halvings + 1};
    }
    *added = 0;
    for (int i = 0; i < quadrature_watched(q); i++)
        if (error[i] > *added * size[i]) *added = error[i] / size[i], q->what = i;
    return QUADRATURE_DONE;
}

/* Where a function jumps or bends at many places, the errors of as many intervals add up: once more
 * with less for each. */
static quadrature_end quadrature_line(quadrature *q, int k, double *s, double *out)
{
    if (k == q->dims) return quadrature_point(q, s, out);
    double tol = quadrature_tol(q, k), each = tol, added;
    for (;;) {
        quadrature_end end = quadrature_pass(q, k, each, s, out, &added);
        if (end || added <= ADDED_MAX * tol) return end;
        if (each < TIGHTEST * tol) return quadrature_fails(q, s, q->what, QUADRATURE_DIVERGES);
        each *= tol / added;
    }
}

quadrature_end quadrature_run(quadrature *q, double *value, double *size)
{
    double s[QUADRATURE_DIMS + 1], out[2 * QUADRATURE_MOST];
    q->evaluations = 0;
    q->what = 0;
    quadrature_end end = quadrature_line(q, 0, s, out);
    if (end) return end;
    memcpy(value, out, sizeof *out * (size_t)q->n);
    if (size) memcpy(size, out + q->n, sizeof *out * (size_t)q->n);
    return QUADRATURE_DONE;
}
