/* Positions nearby that meet the constraints.
 *
 * Whether constraints are redundant, and how many motions they leave, is decided by their rank on the set
 * of positions that they allow. Beside it other values of the coordinates can have a larger rank, however
 * close they are: three parallel cranks are redundant at all positions that they can take, and at no other
 * ones. So coordinates are moved, and what is moved is brought back to the constraints, at a given distance
 * from where it was (a singular position is not met again), by the method of Levenberg and Marquardt
 * with the squared residual as its parameter, which converges where the constraints depend on each other (N. Yamashita and M. Fukushima, Computing Suppl. 15 (2001)
 * 239-249).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/point.h"
#include "la/dense.h"
#include "structure/dag.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 60, UNKNOWNS_MAX = 400 };
static const double MEETS = 1e-13; // residual on the constraints, against the largest slope

typedef struct nearby {
    const inspect_point *p;
    arena *a;
    int m, n;          // constraints, values that occur in them below the highest level
    expr *f;           // m
    int *place;        // by value: in p->value
    expr **vars;       // by constraint: its VAR nodes
    int *n_vars, **at; // ... their number, the values that they are
    double *size;      // by value
    double *from;      // ... where it was
    double distance;   // from there, in units of the sizes
} nearby;

static double nearby_moved(const nearby *x, int j)
{
    return (x->p->value[x->place[j]] - x->from[j]) / x->size[j];
}

/* Of the constraints, and of the distance. */
static double nearby_residual(const nearby *x, double *r)
{
    double most = 0;
    for (int i = 0; i < x->m; i++) {
        r[i] = point_eval(x->p, x->f[i]);
        most = fmax(most, isfinite(r[i]) ? fabs(r[i]) : INFINITY);
    }
    double square = 0;
    for (int j = 0; j < x->n; j++) square += nearby_moved(x, j) * nearby_moved(x, j);
    r[x->m] = (square / x->distance - x->distance) / 2;
    return fmax(most, fabs(r[x->m]));
}

/* The step d that minimizes |J d + r|^2 + mu |d|^2, d in units of the sizes. The largest slope, or -1. */
static double nearby_step(const nearby *x, const double *r, double mu, double *d)
{
    int m = x->m + 1, rows = m + x->n;
    arena_mark here = arena_here(x->a);
    la_qr q = {.m = rows, .n = x->n};
    q.a = arena_array(x->a, double, (size_t)rows *(size_t)x->n);
    q.tau = arena_array(x->a, double, x->n);
    q.perm = arena_array(x->a, int, x->n);
    q.work = arena_array(x->a, double, la_qr_work(rows, x->n));
    double *b = arena_array(x->a, double, rows), *slope = arena_array(x->a, double, x->n);
    double most = 0;
    for (int i = 0; i < x->m; i++) {
        point_slopes(x->p, x->f[i], x->vars[i], x->n_vars[i], slope);
        for (int k = 0; k < x->n_vars[i]; k++) {
            double *entry = &q.a[(size_t)i + (size_t)x->at[i][k] * (size_t)rows];
            *entry += slope[k] * x->size[x->at[i][k]];
            most = fmax(most, fabs(*entry));
        }
        b[i] = -r[i];
    }
    b[x->m] = -r[x->m];
    for (int j = 0; j < x->n; j++) {
        q.a[(size_t)x->m + (size_t)j * (size_t)rows] = nearby_moved(x, j) / x->distance;
        q.a[(size_t)(m + j) + (size_t)j * (size_t)rows] = sqrt(mu);
    }
    bool ok = isfinite(most) && la_qr_factor(&q, 0) >= 0;
    if (ok) la_qr_solve(&q, b, d);
    arena_release(x->a, here);
    return ok ? most : -1;
}

/* The constraints as they are written, and the values that their highest derivatives belong to. */
static bool nearby_begin(nearby *x)
{
    const structure *s = x->p->s;
    int *number = arena_array(x->a, int, s->entries.n); // by entry: value + 1
    x->f = arena_array(x->a, expr, s->equations.n);
    x->place = arena_array(x->a, int, s->entries.n);
    x->vars = arena_array(x->a, expr *, s->equations.n);
    x->n_vars = arena_array(x->a, int, s->equations.n);
    x->at = arena_array(x->a, int *, s->equations.n);
    x->size = arena_array(x->a, double, s->entries.n);
    dag d;
    dag_init(&d, s->pool, x->a);
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        int_array vars = {0};
        if (!e->c) continue;
        dag_vars(&d, e->f[0], &vars);
        int m = x->m++;
        x->f[m] = e->f[0];
        x->vars[m] = arena_array(x->a, expr, vars.n);
        x->at[m] = arena_array(x->a, int, vars.n);
        for (int k = 0; k < vars.n; k++) {
            int entry = structure_entry_of(s, vars.at[k]);
            if (entry < 0) continue;
            const structure_entry *q = &s->entries.at[entry];
            int order = structure_order_of(s, entry);
            if (order != s->unknowns.at[q->unknown].d - e->c) continue;
            if (!number[entry]) {
                x->place[x->n] = x->p->first[q->unknown] + order;
                number[entry] = ++x->n;
            }
            x->vars[m][x->n_vars[m]] = vars.at[k];
            x->at[m][x->n_vars[m]++] = number[entry] - 1;
        }
    }
    for (int j = 0; j < x->n; j++) x->size[j] = fmax(1, fabs(x->p->value[x->place[j]]));
    return x->m > 0 && x->n > 0 && x->m + x->n <= UNKNOWNS_MAX;
}

bool inspect_nearby(const inspect_point *p, int k, double move, arena *a)
{
    nearby x = {.p = p, .a = a};
    if (!nearby_begin(&x)) return false;
    double *r = arena_array(a, double, x.m + 1), *d = arena_array(a, double, x.n), slope = 1;
    x.from = arena_array(a, double, x.n);
    x.distance = move * sqrt(x.n);
    uint32_t seed = 2463534242u + 7919u * (uint32_t)k;
    for (int j = 0; j < x.n; j++) {
        double *v = &p->value[x.place[j]];
        x.from[j] = *v;
        seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5; // G. Marsaglia 2003
        *v += (seed & 1024 ? move : -move) * x.size[j];
    }
    double most = nearby_residual(&x, r);
    for (int step = 0; step < STEPS_MAX && isfinite(most) && most > MEETS * slope; step++) {
        double mu = 0;
        for (int i = 0; i <= x.m; i++) mu += r[i] * r[i];
        slope = nearby_step(&x, r, mu, d);
        if (slope < 0) return false;
        for (int j = 0; j < x.n; j++) p->value[x.place[j]] += d[j] * x.size[j];
        most = nearby_residual(&x, r);
    }
    return most <= MEETS * slope;
}
