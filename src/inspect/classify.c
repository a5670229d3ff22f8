/* Which form does the model have?
 *
 * Looked at is the system after elimination of aliases, in first order: unknowns are the entries
 * below the highest derivative that occurs (differential, y) and those that are never
 * differentiated (algebraic, z). Algebraic variables that one equation gives explicitly are
 * eliminated first: they are names for expressions. What is left is
 *
 *     ode             no z left, dF/dy' regular (of index 1 where names were eliminated)
 *     semi-explicit   as many equations with y' as there are y, regular in y'; 0 = g(y, z) for the
 *                     rest
 *     hessenberg-2    ... and g does not contain z, g_y f_z regular
 *     hessenberg-3    ... and g_y f_z = 0, g_y f_y f_z regular
 *     quasi-linear    A(x, t) x' = g(x, t)
 *     general         anything else
 *
 * (K. E. Brenan, S. L. Campbell and L. R. Petzold, SIAM 1996, section 2.5). The matrices are
 * evaluated at the consistent initial point; their condition is part of the answer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/point.h"
#include "la/dense.h"
#include "structure/dag.h"

#include <math.h>
#include <string.h>

enum { DENSE_MAX = 400 };
static const double CONDITION_MAX = 1e12; // a larger condition counts as singular

typedef struct classifier {
    const inspect_point *p;
    const structure *s;
    arena *a;
    dag d;
    int m, n_y, n_z;       // equations (links of second-order unknowns included), columns
    int *y_of, *z_of;      // by entry: its column, or -1
    double *fyp, *fy, *fz; // by columns: m by n_y, n_y, n_z
    bool linear;           // affine in y'
    bool *has_yp;          // by equation
    bool *gone, *named;    // by equation, by column of z: eliminated
    bool has_names;        // ... some are
} classifier;

static double classify_condition(arena *a, const double *x, int n)
{
    if (!n) return NAN;
    double *copy = arena_array(a, double, (size_t)n *(size_t)n);
    double *sigma = arena_array(a, double, n);
    memcpy(copy, x, (size_t)n * (size_t)n * sizeof *copy);
    if (la_svd(n, n, copy, sigma, NULL, NULL, arena_array(a, double, la_svd_work(n, n))) < 0)
        return NAN;
    return sigma[n - 1] > 0 ? sigma[0] / sigma[n - 1] : INFINITY;
}

/* ---- the matrices ---------------------------------------------------------------------------- */

static void classify_number(classifier *x)
{
    const structure *s = x->s;
    x->y_of = arena_array(x->a, int, s->entries.n);
    x->z_of = arena_array(x->a, int, s->entries.n);
    for (int e = 0; e < s->entries.n; e++) x->y_of[e] = x->z_of[e] = -1;
    x->m = s->equations.n;
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *v = &s->unknowns.at[u];
        if (!v->highest) x->z_of[v->first] = x->n_z++;
        for (int k = 0; k < v->highest; k++) x->y_of[v->first + k] = x->n_y++;
        if (v->highest > 1) x->m += v->highest - 1;
    }
}

static dag_degree classify_var(void *user, expr var)
{
    const classifier *x = user;
    int e = structure_entry_of(x->s, var);
    if (e < 0) return DAG_FREE;
    const structure_entry *q = &x->s->entries.at[e];
    int highest = x->s->unknowns.at[q->unknown].highest;
    return highest && structure_order_of(x->s, e) == highest ? DAG_LINEAR : DAG_FREE;
}

static bool classify_fill(classifier *x)
{
    const structure *s = x->s;
    size_t m = (size_t)x->m;
    x->fyp = arena_array(x->a, double, m *(size_t)x->n_y);
    x->fy = arena_array(x->a, double, m *(size_t)x->n_y);
    x->fz = arena_array(x->a, double, m *(size_t)x->n_z);
    x->has_yp = arena_array(x->a, bool, x->m);
    x->gone = arena_array(x->a, bool, x->m);
    x->named = arena_array(x->a, bool, x->n_z);
    x->linear = true;
    double *slope = arena_array(x->a, double, s->entries.n);
    int_array vars = {0};
    for (int i = 0; i < s->equations.n; i++) {
        expr f = s->equations.at[i].f[0];
        if (dag_degree_of(&x->d, f, classify_var, x) == DAG_NONLINEAR) x->linear = false;
        vars.n = 0;
        dag_vars(&x->d, f, &vars);
        int n = 0;
        for (int k = 0; k < vars.n; k++)
            if (structure_entry_of(s, vars.at[k]) >= 0) vars.at[n++] = vars.at[k];
        point_slopes(x->p, f, vars.at, n, slope);
        for (int k = 0; k < n; k++) {
            int e = structure_entry_of(s, vars.at[k]);
            double d = slope[k];
            if (!isfinite(d)) return false;
            if (x->z_of[e] >= 0) {
                x->fz[(size_t)i + (size_t)x->z_of[e] * m] = d;
            } else if (x->y_of[e] >= 0) {
                x->fy[(size_t)i + (size_t)x->y_of[e] * m] = d;
            } else {
                x->fyp[(size_t)i + (size_t)x->y_of[e - 1] * m] = d;
                x->has_yp[i] = true;
            }
        }
    }
    int row = s->equations.n;
    for (int u = 0; u < s->unknowns.n; u++)
        for (int k = 0; k + 1 < s->unknowns.at[u].highest; k++, row++) { // y'_k - y_{k+1} = 0
            int e = s->unknowns.at[u].first + k;
            x->fyp[(size_t)row + (size_t)x->y_of[e] * m] = 1;
            x->fy[(size_t)row + (size_t)x->y_of[e + 1] * m] = -1;
            x->has_yp[row] = true;
        }
    return true;
}

static void subtract(double *a, size_t m, int n, int from, int row, double factor)
{
    for (int j = 0; j < n; j++)
        a[(size_t)from + (size_t)j * m] -= factor * a[(size_t)row + (size_t)j * m];
}

/* Algebraic variables given explicitly by one equation: take both out. */
static void eliminate_names(classifier *x)
{
    const structure *s = x->s;
    size_t m = (size_t)x->m;
    for (int b = 0; b < s->blocks.n; b++) {
        const structure_block *q = &s->blocks.at[b];
        const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(q)[0]];
        int row = q->equations[0];
        // An equation with a derivative is dynamics, not a name.
        if (!s->equations.at[row].definition || x->has_yp[row]) continue;
        int z = x->z_of[u->first];
        double *column = x->fz + (size_t)z * m, pivot = column[row];
        if (pivot == 0) continue;
        for (int i = 0; i < x->m; i++) {
            if (i == row || x->gone[i] || column[i] == 0) continue;
            double factor = column[i] / pivot;
            subtract(x->fyp, m, x->n_y, i, row, factor);
            subtract(x->fy, m, x->n_y, i, row, factor);
            subtract(x->fz, m, x->n_z, i, row, factor);
            column[i] = 0;
            if (x->has_yp[row]) x->has_yp[i] = true;
        }
        x->gone[row] = x->named[z] = x->has_names = true;
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

typedef struct parts {
    int n_d, n_a, n_z; // rows with y', rows without, algebraic unknowns left
    double *e;         // n_d by n_y: dF/dy' of the former
    double *dy, *dz;   // n_d by n_y, n_z
    double *gy, *gz;   // n_a by n_y, n_z
} parts;

static double *classify_pick(const classifier *x, const double *from, int n, const bool *skip,
                             bool with_yp, int rows)
{
    double *out = arena_array(x->a, double, (size_t)rows *(size_t)n);
    for (int j = 0, c = 0; j < n; j++) {
        if (skip && skip[j]) continue;
        for (int i = 0, r = 0; i < x->m; i++) {
            if (x->gone[i] || x->has_yp[i] != with_yp) continue;
            out[r++ + c * rows] = from[(size_t)i + (size_t)j * (size_t)x->m];
        }
        c++;
    }
    return out;
}

static void classify_split(const classifier *x, parts *q)
{
    *q = (parts){0};
    for (int i = 0; i < x->m; i++) {
        if (x->gone[i]) continue;
        if (x->has_yp[i]) q->n_d++;
        else q->n_a++;
    }
    for (int j = 0; j < x->n_z; j++) q->n_z += !x->named[j];
    q->e = classify_pick(x, x->fyp, x->n_y, NULL, true, q->n_d);
    q->dy = classify_pick(x, x->fy, x->n_y, NULL, true, q->n_d);
    q->dz = classify_pick(x, x->fz, x->n_z, x->named, true, q->n_d);
    q->gy = classify_pick(x, x->fy, x->n_y, NULL, false, q->n_a);
    q->gz = classify_pick(x, x->fz, x->n_z, x->named, false, q->n_a);
}

/* c (m by n) = a (m by k) * b (k by n) */
static double *classify_product(arena *a, const double *x, const double *y, int m, int k, int n)
{
    double *c = arena_array(a, double, (size_t)m *(size_t)n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int q = 0; q < k; q++) c[i + j * m] += x[i + q * m] * y[q + j * k];
    return c;
}

/* b := -e^-1 b for n columns. */
static void solve_columns(arena *a, const double *e, int m, double *b, int n)
{
    la_qr q = {.m = m, .n = m};
    q.a = arena_array(a, double, (size_t)m *(size_t)m);
    memcpy(q.a, e, (size_t)m * (size_t)m * sizeof *e);
    q.tau = arena_array(a, double, m);
    q.perm = arena_array(a, int, m);
    q.work = arena_array(a, double, la_qr_work(m, m));
    double *x = arena_array(a, double, m);
    la_qr_factor(&q, 0);
    for (int j = 0; j < n; j++) {
        la_qr_solve(&q, b + (size_t)j * (size_t)m, x);
        for (int i = 0; i < m; i++) b[i + j * m] = -x[i];
    }
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void classify_as(inspect_report *out, const char *form, double cond, const char *reason)
{
    out->form = form;
    out->form_condition = cond;
    out->form_reason = reason;
}

/* Semi-explicit: f and g are separate; which index shows in products of their derivatives. */
static void judge_semi_explicit(const classifier *x, parts *q, inspect_report *out)
{
    arena *a = x->a;
    int n = x->n_y, k = q->n_a;
    double cond = classify_condition(a, q->gz, k);
    if (cond < CONDITION_MAX) {
        classify_as(out, "semi-explicit", cond, "condition of dg/dz; index 1");
        return;
    }
    if (largest(q->gz, k * k) > 0) {
        classify_as(out, "semi-explicit", cond, "dg/dz is singular but not zero: index above 1");
        return;
    }
    solve_columns(a, q->e, n, q->dy, n);
    solve_columns(a, q->e, n, q->dz, k);
    // Hessenberg of index j + 2: g_y f_y^i f_z vanishes for i < j and is regular for i = j.
    static const char *const names[] = {"hessenberg-2", "hessenberg-3"};
    static const char *const reasons[] = {"condition of g_y f_z", "condition of g_y f_y f_z"};
    enum { LEVEL_MAX = 6 };
    double *v = q->dz;
    for (int j = 0; j <= LEVEL_MAX; j++) {
        double *b = classify_product(a, q->gy, v, k, n, k),
               scale = largest(q->gy, k * n) * largest(v, n * k);
        cond = classify_condition(a, b, k);
        if (cond < CONDITION_MAX && j < 2) {
            classify_as(out, names[j], cond, reasons[j]);
            return;
        }
        if (cond < CONDITION_MAX) {
            text t;
            text_init(&t, a->m);
            text_printf(&t, "Hessenberg form of index %d: condition of g_y f_y^%d f_z", j + 2, j);
            classify_as(out, "semi-explicit", cond, arena_strndup(a, text_str(&t), t.n));
            text_done(&t);
            return;
        }
        if (largest(b, k * k) > 1e-10 * scale) break;
        v = classify_product(a, q->dy, v, n, n, k);
    }
    classify_as(out, "semi-explicit", NAN,
                "dg/dz is zero and the index is above 1, but not of Hessenberg form");
}

/* Without matrices: definitions of algebraic variables are names, as above. */
static void classify_by_structure(const classifier *x, inspect_report *out)
{
    const structure *s = x->s;
    int n_d = x->m - s->equations.n, n_a = 0, levels = 0;
    int_array vars = {0};
    dag *d = (dag *)&x->d;
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        bool differential = false;
        vars.n = 0;
        dag_vars(d, e->f[0], &vars);
        for (int k = 0; k < vars.n && !differential; k++)
            differential = classify_var((void *)x, vars.at[k]) == DAG_LINEAR;
        if (dag_degree_of(d, e->f[0], classify_var, (void *)x) == DAG_NONLINEAR) {
            classify_as(out, "general", NAN, "nonlinear in the derivatives");
            return;
        }
        if (e->c > levels) levels = e->c;
        n_d += differential;
        n_a += !differential && !e->definition;
    }
    if (n_d != x->n_y)
        classify_as(out, "quasi-linear", NAN, "A(x,t) x' = g(x,t) with singular A, by structure");
    else if (levels)
        classify_as(out, "semi-explicit", NAN,
                    "index above 1, by structure; too large for the matrices");
    else
        classify_as(out, n_a ? "semi-explicit" : "ode", NAN,
                    "by structure; too large for the matrices");
}

void inspect_classify(const inspect_point *p, arena *a, inspect_report *out)
{
    classifier x = {.p = p, .s = p->s, .a = a};
    classify_as(out, "general", NAN, "");
    dag_init(&x.d, p->s->pool, a);
    classify_number(&x);
    if (x.m > DENSE_MAX) {
        classify_by_structure(&x, out);
        return;
    }
    if (!classify_fill(&x)) {
        classify_as(out, "general", NAN, "the derivatives have no values at the initial point");
        return;
    }
    eliminate_names(&x);
    parts q;
    classify_split(&x, &q);
    if (!x.linear) {
        classify_as(out, "general", NAN, "nonlinear in the derivatives");
        return;
    }
    if (q.n_d == x.n_y) {
        double cond = classify_condition(a, q.e, x.n_y);
        if (x.n_y == 0)
            classify_as(out, "semi-explicit", classify_condition(a, q.gz, q.n_a),
                        "no derivatives: algebraic");
        else if (cond < CONDITION_MAX && q.n_a == 0)
            classify_as(out, "ode", cond,
                        x.has_names ? "condition of dF/dy', explicit algebraic variables inserted"
                                    : "condition of dF/dy'");
        else if (cond < CONDITION_MAX && q.n_a == q.n_z) judge_semi_explicit(&x, &q, out);
        else classify_as(out, "quasi-linear", cond, "A(x,t) x' = g(x,t) with singular A");
        return;
    }
    classify_as(out, "quasi-linear", NAN, "A(x,t) x' = g(x,t) with singular A");
}
