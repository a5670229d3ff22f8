/* Synthesis of methods: interpolation, collocation, weighted residuals in time.
 *
 * Collocation at nodes c: u' = sum f(c_j) l_j with the Lagrange polynomials l_j, so a_ij is the
 * integral of l_j from 0 to c_i and b_j that from 0 to 1. Weighted residuals: the unknown
 * polynomial is given by its values (discontinuous) or by its derivative (continuous) at the nodes
 * of a quadrature that is exact enough, and tested with the polynomials l_i. Multistep: the
 * coefficients that make the formula exact for the lowest powers of t. In exact fractions where
 * the nodes are fractions.
 *
 * E. Hairer & G. Wanner II, sections IV.5; K. Eriksson & C. Johnson for Galerkin methods in time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 7 }; // monomials of higher degree lose digits

typedef struct nodes {
    int s;
    number c[MAX_NODES];
    poly l[MAX_NODES]; // Lagrange polynomials
} nodes;

static int design_fail(char *why, const char *what)
{
    snprintf(why, METHOD_WHY, "--design: %s", what);
    return -1;
}

/* ---- polynomials ----------------------------------------------------------------------------- */

static poly design_line(number constant, number slope)
{
    poly p = poly_zero();
    p.n = 1;
    p.c[0] = constant;
    p.c[1] = slope;
    return p;
}

static poly design_scaled(const poly *p, number f)
{
    poly q = *p;
    for (int i = 0; i <= q.n; i++) q.c[i] = number_mul(q.c[i], f);
    return q;
}

static number design_value(const poly *p, number x)
{
    number v = number_ratio(0, 1);
    for (int i = p->n; i >= 0; i--) v = number_add(number_mul(v, x), p->c[i]);
    return v;
}

static number design_integral(const poly *p, number to) // from 0
{
    number v = number_ratio(0, 1);
    for (int i = p->n; i >= 0; i--)
        v = number_mul(number_add(v, number_div(p->c[i], number_ratio(i + 1, 1))), to);
    return v;
}

static void design_lagrange(nodes *q)
{
    number minus = number_ratio(-1, 1);
    for (int j = 0; j < q->s; j++) {
        poly p = poly_zero();
        p.c[0] = number_ratio(1, 1);
        for (int k = 0; k < q->s; k++) {
            if (k == j) continue;
            number gap = number_sub(q->c[j], q->c[k]);
            poly factor = design_line(number_div(number_mul(minus, q->c[k]), gap),
                                      number_div(number_ratio(1, 1), gap));
            p = poly_mul(&p, &factor);
        }
        p.n = q->s - 1;
        q->l[j] = p;
    }
}

/* ---- quadratures ----------------------------------------------------------------------------- */

// Legendre polynomial on [0, 1]: (k+1) P_{k+1} = (2k+1)(2x-1) P_k - k P_{k-1}.
static poly design_legendre(int n)
{
    poly before = poly_zero(), p = poly_zero(),
         x = design_line(number_ratio(-1, 1), number_ratio(2, 1));
    p.c[0] = number_ratio(1, 1);
    for (int k = 0; k < n; k++) {
        poly up = poly_mul(&x, &p);
        up = design_scaled(&up, number_ratio(2 * k + 1, k + 1));
        poly down = design_scaled(&before, number_ratio(k, k + 1));
        before = p;
        p = poly_sub(&up, &down);
    }
    return p;
}

static int design_ascending(const void *a, const void *b)
{
    double x = ((const number *)a)->x, y = ((const number *)b)->x;
    return (x > y) - (x < y);
}

static void roots_as_nodes(const poly *p, nodes *q)
{
    point z[POLY_MAX];
    poly d = poly_derivative(p);
    poly_roots(p, z);
    for (int k = 0; k < p->n; k++) {
        double x = z[k].re;
        for (int i = 0; i < 3; i++) x -= poly_at(p, x) / poly_at(&d, x);
        q->c[q->s++] = number_of(x);
    }
}

static void design_quadrature(char family, int s, nodes *q)
{
    poly p = design_legendre(s), less = design_legendre(s - 1);
    *q = (nodes){0};
    if (family == 'r') p = poly_sub(&p, &less);
    if (family == 'l') {
        p = poly_derivative(&less);
        q->c[q->s++] = number_ratio(0, 1);
        q->c[q->s++] = number_ratio(1, 1);
    }
    poly_trim(&p);
    roots_as_nodes(&p, q);
    qsort(q->c, (size_t)q->s, sizeof *q->c, design_ascending);
    design_lagrange(q);
}

/* ---- linear systems -------------------------------------------------------------------------- */

enum { MAX_SYSTEM = 2 * METHOD_STEPS_MAX + 2 };

// x := M^-1 x for each column of x, by elimination with pivoting; false if M is singular.
static bool design_solve(int n, number m[][MAX_SYSTEM], int columns, number x[][MAX_SYSTEM])
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(m[i][k].x) > fabs(m[best][k].x)) best = i;
        if (number_is_zero(m[best][k], 1)) return false;
        for (int j = 0; j < n; j++) {
            number t = m[k][j];
            m[k][j] = m[best][j], m[best][j] = t;
        }
        for (int j = 0; j < columns; j++) {
            number t = x[k][j];
            x[k][j] = x[best][j], x[best][j] = t;
        }
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            number f = number_div(m[i][k], m[k][k]);
            for (int j = k; j < n; j++) m[i][j] = number_sub(m[i][j], number_mul(f, m[k][j]));
            for (int j = 0; j < columns; j++) x[i][j] = number_sub(x[i][j], number_mul(f, x[k][j]));
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) x[i][j] = number_div(x[i][j], m[i][i]);
    return true;
}

/* ---- one-step methods ------------------------------------------------------------------------ */

static void design_collocate(const nodes *q, method_tableau *t)
{
    t->stages = q->s;
    for (int j = 0; j < q->s; j++) {
        t->c[j] = q->c[j].x;
        t->b[j] = design_integral(&q->l[j], number_ratio(1, 1)).x;
        for (int i = 0; i < q->s; i++) t->a[i][j] = design_integral(&q->l[j], q->c[i]).x;
    }
}

/* Continuous polynomials of degree k, U' = sum d_j l_j at the k Gauss nodes, tested with l_i:
 * sum_j (int l_i l_j) d_j = b_i f_i. */
static bool design_galerkin(int k, method_tableau *t)
{
    nodes q;
    number mass[MAX_SYSTEM][MAX_SYSTEM], d[MAX_SYSTEM][MAX_SYSTEM], one = number_ratio(1, 1);
    design_quadrature('g', k, &q);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            poly both = poly_mul(&q.l[i], &q.l[j]);
            mass[i][j] = design_integral(&both, one);
            d[i][j] = i == j ? design_integral(&q.l[i], one) : number_ratio(0, 1);
        }
    if (!design_solve(k, mass, k, d)) return false;
    t->stages = k;
    for (int j = 0; j < k; j++) {
        t->c[j] = q.c[j].x;
        t->b[j] = 0;
        for (int m = 0; m < k; m++) t->b[j] += design_integral(&q.l[m], one).x * d[m][j].x;
        for (int i = 0; i < k; i++)
            for (int m = 0; m < k; m++)
                t->a[i][j] += design_integral(&q.l[m], q.c[i]).x * d[m][j].x;
    }
    return true;
}

/* Discontinuous polynomials of degree k, U = sum U_j l_j at the k + 1 right Radau nodes:
 * sum_j (int l_j' l_i + l_j(0) l_i(0)) U_j = l_i(0) y_n + h b_i f(U_i). The value at the end is
 * that of the last node. */
static bool design_discontinuous(int k, method_tableau *t)
{
    nodes q;
    number m[MAX_SYSTEM][MAX_SYSTEM], a[MAX_SYSTEM][MAX_SYSTEM];
    number zero = number_ratio(0, 1), one = number_ratio(1, 1);
    int s = k + 1;
    design_quadrature('r', s, &q);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            poly slope = poly_derivative(&q.l[j]), both = poly_mul(&slope, &q.l[i]);
            number jump = number_mul(design_value(&q.l[j], zero), design_value(&q.l[i], zero));
            m[i][j] = number_add(design_integral(&both, one), jump);
            a[i][j] = i == j ? design_integral(&q.l[i], one) : zero;
        }
    if (!design_solve(s, m, s, a)) return false;
    t->stages = s;
    for (int j = 0; j < s; j++) {
        t->c[j] = q.c[j].x;
        t->b[j] = a[s - 1][j].x;
        for (int i = 0; i < s; i++) t->a[i][j] = a[i][j].x;
    }
    return true;
}

/* ---- multistep formulas ---------------------------------------------------------------------- */

static number design_power(double x, int q)
{
    number p = number_ratio(1, 1), base = number_of(x);
    while (q-- > 0) p = number_mul(p, base);
    return p;
}

static number design_back(int i, int q) // (-i)^q
{
    return design_power(-i, q);
}

// Exact for 1, t, t^2 ... about the new time: sum_V a_i (-i)^q + sum_S b_i q (-i)^(q-1) = 0^q.
static int design_multistep_through(int nv, const int *v, int ns, const int *s,
                                    method_multistep *out, char *why)
{
    number m[MAX_SYSTEM][MAX_SYSTEM], x[MAX_SYSTEM][MAX_SYSTEM];
    int n = nv + ns;
    for (int q = 0; q < n; q++) {
        x[q][0] = number_ratio(q == 0, 1);
        for (int j = 0; j < nv; j++) m[q][j] = design_back(v[j], q);
        for (int j = 0; j < ns; j++)
            m[q][nv + j] =
                q ? number_mul(number_ratio(q, 1), design_back(s[j], q - 1)) : number_ratio(0, 1);
    }
    if (!nv || !design_solve(n, m, 1, x))
        return design_fail(why, "these values and slopes do not determine the new value");
    out->alpha[0] = 1;
    for (int j = 0; j < nv; j++) {
        out->alpha[v[j]] -= x[j][0].x;
        if (v[j] > out->steps) out->steps = v[j];
    }
    for (int j = 0; j < ns; j++) {
        out->beta[s[j]] += x[nv + j][0].x;
        if (s[j] > out->steps) out->steps = s[j];
    }
    return 0;
}

/* Values at the steps v back and slopes at the times s back, some inside the step: the polynomial
 * is determined, and its value at a time x back is a combination of them, exact for 1, t, t^2 ...
 * as above. */
static int design_stages_through(int nv, const int *v, int ns, const double *s, method_general *out,
                                 char *why)
{
    number m[MAX_SYSTEM][MAX_SYSTEM], x[MAX_SYSTEM][MAX_SYSTEM];
    int n = nv + ns;
    for (int q = 0; q < n; q++) {
        for (int j = 0; j < nv; j++) m[q][j] = design_back(v[j], q);
        for (int j = 0; j < ns; j++)
            m[q][nv + j] =
                q ? number_mul(number_ratio(q, 1), design_power(-s[j], q - 1)) : number_ratio(0, 1);
        for (int j = 0; j <= ns; j++) x[q][j] = design_power(j < ns ? -s[j] : 0, q);
    }
    if (!nv || !design_solve(n, m, ns + 1, x))
        return design_fail(why, "these values and slopes do not determine the new value");
    out->stages = ns;
    for (int j = 0; j < nv; j++)
        if (v[j] > out->steps) out->steps = v[j];
    for (int k = 0; k < ns; k++) {
        out->c[k] = 1 - s[k];
        for (int j = 0; j < nv; j++) out->u[k][v[j] - 1] = x[j][k].x;
        for (int j = 0; j < ns; j++) out->a[k][j] = x[nv + j][k].x;
        out->b[k] = x[nv + k][ns].x;
    }
    for (int j = 0; j < nv; j++) out->v[v[j] - 1] = x[j][ns].x;
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

// Numbers separated by commas up to `end`; how many, or -1.
static int read_numbers(const char *p, const char *end, double *x, int most)
{
    int n = 0;
    while (p < end) {
        char word[64];
        size_t k = strcspn(p, ",;");
        if (k >= sizeof word || k == 0 || n == most) return -1;
        memcpy(word, p, k);
        word[k] = 0;
        if (!method_formula_number(word, &x[n++])) return -1;
        p += k;
        if (p < end) p++;
    }
    return n;
}

static bool all_whole(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != floor(x[i])) return false;
    return true;
}

/* Slopes of which one at least is inside a step, none given twice. */
static int read_inside(const char *p, const char *end, double *x)
{
    int n = read_numbers(p, end, x, MAX_NODES);
    if (n < 1 || all_whole(n, x)) return -1;
    for (int i = 0; i < n; i++) {
        if (!(x[i] >= 0 && x[i] <= METHOD_STEPS_MAX)) return -1;
        for (int k = 0; k < i; k++)
            if (fabs(x[k] - x[i]) < 1e-6) return -1;
    }
    return n;
}

static int read_steps(const char *p, const char *end, int lowest, int *steps)
{
    double x[METHOD_STEPS_MAX + 1];
    int n = read_numbers(p, end, x, METHOD_STEPS_MAX + 1);
    for (int i = 0; i < n; i++) {
        steps[i] = (int)x[i];
        if (x[i] != steps[i] || steps[i] < lowest || steps[i] > METHOD_STEPS_MAX) return -1;
        for (int k = 0; k < i; k++)
            if (steps[k] == steps[i]) return -1;
    }
    return n;
}

static int design_multistep(const char *rest, method_formula *out, char *why)
{
    int v[METHOD_STEPS_MAX + 1], s[METHOD_STEPS_MAX + 1];
    const char *semicolon = strchr(rest, ';'), *end = rest + strlen(rest);
    int nv = semicolon ? read_steps(rest, semicolon, 1, v) : -1;
    int ns = semicolon ? read_steps(semicolon + 1, end, 0, s) : -1;
    double inside[MAX_NODES];
    int n_inside = nv >= 0 && ns < 0 ? read_inside(semicolon + 1, end, inside) : -1;
    if (n_inside > 0) {
        out->kind = FORMULA_GENERAL;
        return design_stages_through(nv, v, n_inside, inside, &out->general, why);
    }
    if (nv < 0 || ns < 0)
        return design_fail(
            why, "multistep:1,2;0 needs the steps back (1 to 12) whose values are used, ';', "
                 "and those (0 to 12) whose slopes are, or up to 7 of which some are "
                 "inside a step: multistep:1,2;0,1/2");
    out->kind = FORMULA_MULTISTEP;
    return design_multistep_through(nv, v, ns, s, &out->multistep, why);
}

static int design_collocation(const char *rest, method_formula *out, char *why)
{
    double c[MAX_NODES];
    nodes q = {0};
    int n = read_numbers(rest, rest + strlen(rest), c, MAX_NODES);
    if (n < 1)
        return design_fail(why, "collocation: needs 1 to 7 nodes, such as collocation:0,1/2,1");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (fabs(c[i] - c[k]) < 1e-6) return design_fail(why, "two nodes coincide");
    q.s = n;
    for (int i = 0; i < n; i++) q.c[i] = number_of(c[i]);
    design_lagrange(&q);
    design_collocate(&q, &out->tableau);
    return 0;
}

int lab_design(const char *spec, method_formula *out, char *why)
{
    static const struct {
        const char *name;
        int least, most;
    } families[] = {{"gauss:", 1, MAX_NODES},
                    {"radau:", 1, MAX_NODES},
                    {"lobatto:", 2, MAX_NODES},
                    {"galerkin:", 1, MAX_NODES},
                    {"dg:", 0, MAX_NODES - 1}};
    *out = (method_formula){0};
    snprintf(out->name, sizeof out->name, "%.60s", spec);
    if (strncmp(spec, "collocation:", 12) == 0) return design_collocation(spec + 12, out, why);
    if (strncmp(spec, "multistep:", 10) == 0) return design_multistep(spec + 10, out, why);
    for (int i = 0; i < 5; i++) {
        size_t n = strlen(families[i].name);
        if (strncmp(spec, families[i].name, n) != 0) continue;
        char *end = NULL, what[100];
        long k = strtol(spec + n, &end, 10);
        if (*end || end == spec + n || k < families[i].least || k > families[i].most) {
            snprintf(what, sizeof what, "%s needs a number from %d to %d", families[i].name,
                     families[i].least, families[i].most);
            return design_fail(why, what);
        }
        bool good = true;
        nodes q;
        if (i < 3) design_quadrature(spec[0], (int)k, &q), design_collocate(&q, &out->tableau);
        else if (i == 3) good = design_galerkin((int)k, &out->tableau);
        else good = design_discontinuous((int)k, &out->tableau);
        return good ? 0 : design_fail(why, "the system of the weighted residuals is singular");
    }
    return design_fail(why, "collocation:NODES, gauss:S, radau:S, lobatto:S, galerkin:K, dg:K or "
                            "multistep:VALUES;SLOPES is expected");
}
