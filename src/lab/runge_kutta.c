/* Analysis of Runge-Kutta methods.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab.h"

#include <math.h>

typedef struct tableau {
    int s;
    number a[METHOD_STAGES_MAX][METHOD_STAGES_MAX], b[METHOD_STAGES_MAX], c[METHOD_STAGES_MAX];
} tableau;

static tableau rk_read(const method_tableau *t)
{
    tableau r = {.s = t->stages};
    for (int i = 0; i < r.s; i++) {
        r.b[i] = number_of(t->b[i]);
        r.c[i] = number_of(t->c[i]);
        // Linear problems see A + Gamma of a Rosenbrock method.
        for (int j = 0; j < r.s; j++)
            r.a[i][j] = number_of(t->linearly_implicit ? t->a[i][j] + t->gamma[i][j] : t->a[i][j]);
    }
    return r;
}

/* ---- stability function ---------------------------------------------------------------------- */

// det(I - z A) by the recursion of Faddeev and Le Verrier; subtracting 1 b^T from A gives the
// numerator.
static poly rk_determinant(const tableau *t, bool numerator)
{
    int s = t->s;
    number a[METHOD_STAGES_MAX][METHOD_STAGES_MAX], m[METHOD_STAGES_MAX][METHOD_STAGES_MAX];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            a[i][j] = numerator ? number_sub(t->a[i][j], t->b[j]) : t->a[i][j];
            m[i][j] = number_ratio(i == j, 1);
        }
    poly p = poly_zero();
    p.n = s;
    p.c[0] = number_ratio(1, 1);
    for (int k = 1; k <= s; k++) {
        number am[METHOD_STAGES_MAX][METHOD_STAGES_MAX], trace = number_ratio(0, 1);
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                am[i][j] = number_ratio(0, 1);
                for (int l = 0; l < s; l++)
                    am[i][j] = number_add(am[i][j], number_mul(a[i][l], m[l][j]));
            }
        for (int i = 0; i < s; i++) trace = number_add(trace, am[i][i]);
        p.c[k] = number_div(trace, number_ratio(-k, 1));
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) m[i][j] = i == j ? number_add(am[i][j], p.c[k]) : am[i][j];
    }
    poly_trim(&p);
    return p;
}

// e^z Q - P: its first coefficient that does not vanish.
static int stability_error(const lab_report *r, number *constant)
{
    for (int k = 0; k <= POLY_MAX - 2; k++) {
        number s = number_ratio(0, 1), inverse = number_ratio(1, 1); // 1 / (k - j)!
        for (int j = k; j >= 0; j--) {
            if (j <= r->denominator.n) s = number_add(s, number_mul(r->denominator.c[j], inverse));
            inverse = number_div(inverse, number_ratio(k - j + 1, 1));
        }
        if (k <= r->numerator.n) s = number_sub(s, r->numerator.c[k]);
        double scale = 1;
        for (int j = 2; j <= k; j++) scale /= j;
        if (s.exact ? s.p != 0 : fabs(s.x) > 1e-13 + 1e-10 * scale) {
            *constant = s;
            return k;
        }
    }
    return POLY_MAX;
}

/* ---- stability ------------------------------------------------------------------------------- */

static bool poles_right(const poly *q, double phi)
{
    point z[POLY_MAX];
    poly_roots(q, z);
    for (int k = 0; k < q->n; k++) {
        double angle = fabs(atan2(z[k].im, -z[k].re)); // from the negative real axis
        if (angle < phi - 1e-9) return false;
    }
    return true;
}

static bool stable_on_ray(const lab_report *r, double phi)
{
    poly p = poly_modulus_on_ray(&r->numerator, phi), q = poly_modulus_on_ray(&r->denominator, phi);
    poly e = poly_sub(&q, &p);
    return poly_not_negative(&e, 0, INFINITY);
}

/* |Q|^2 - |P|^2. The first coefficients vanish, by the order: what is left of published decimals, where others are as
 * small as 1e-5, is rounding. */
static poly rk_excess(const poly *q, const poly *p)
{
    const double ROUNDING = 1e-12;
    poly e = poly_sub(q, p);
    for (int k = 0; k <= e.n && k <= q->n && k <= p->n; k++)
        if (!e.c[k].exact && fabs(e.c[k].x) <= ROUNDING * (fabs(q->c[k].x) + fabs(p->c[k].x)))
            e.c[k] = number_ratio(0, 1);
    return e;
}

// |R| <= 1 in the left half plane: on the imaginary axis, and no pole to its left (maximum
// principle).
static bool a_stable(const lab_report *r)
{
    poly p = poly_modulus_on_axis(&r->numerator), q = poly_modulus_on_axis(&r->denominator),
         e = rk_excess(&q, &p);
    return r->numerator.n <= r->denominator.n && poly_not_negative(&e, 0, INFINITY) &&
           poles_right(&r->denominator, M_PI / 2);
}

static double rk_sector(const lab_report *r)
{
    enum { SECTOR_RAYS = 180 };
    if (r->numerator.n > r->denominator.n || !stable_on_ray(r, 0)) return 0;
    double good = 0, bad = M_PI / 2;
    for (int k = 1; k <= SECTOR_RAYS; k++) {
        double phi = M_PI / 2 * k / SECTOR_RAYS;
        if (!stable_on_ray(r, phi) || !poles_right(&r->denominator, phi)) {
            bad = phi;
            break;
        }
        good = phi;
    }
    for (int k = 0; k < 60 && good < bad; k++) {
        double phi = 0.5 * (good + bad);
        if (stable_on_ray(r, phi) && poles_right(&r->denominator, phi)) good = phi;
        else bad = phi;
    }
    return good * 180 / M_PI;
}

// The first place where |R|^2 - 1 changes its sign along an axis: the positive roots of |Q|^2 -
// |P|^2.
static double first_crossing(const poly *e, double power)
{
    point z[POLY_MAX];
    poly p = *e;
    poly_trim(&p);
    int low = 0;
    while (low < p.n && number_is_zero(p.c[low], poly_size(&p))) low++;
    poly rest = poly_zero();
    rest.n = p.n - low;
    for (int k = 0; k <= rest.n; k++) rest.c[k] = p.c[k + low];
    if (rest.c[0].x < 0) return 0; // unstable at once
    poly_roots(&rest, z);
    double first = INFINITY;
    for (int k = 0; k < rest.n; k++)
        if (fabs(z[k].im) < 1e-8 * fmax(1, fabs(z[k].re)) && z[k].re > 0)
            first = fmin(first, z[k].re);
    return rest.n == 0 ? INFINITY : pow(first, power);
}

static void rk_limits(lab_report *r)
{
    poly p = poly_modulus_on_ray(&r->numerator, 0), q = poly_modulus_on_ray(&r->denominator, 0);
    poly e = poly_sub(&q, &p);
    r->real_limit = first_crossing(&e, 1);
    p = poly_modulus_on_axis(&r->numerator), q = poly_modulus_on_axis(&r->denominator),
    e = poly_sub(&q, &p);
    r->imag_limit = first_crossing(&e, 0.5);
}

/* ---- structure of the tableau ---------------------------------------------------------------- */

static void rk_classify(const tableau *t, lab_report *r)
{
    int s = t->s;
    r->explicit_ = r->diagonal = r->single_diagonal = true;
    r->stiffly_accurate = true;
    for (int i = 0; i < s; i++) {
        for (int j = i; j < s; j++) {
            if (t->a[i][j].x != 0) r->explicit_ = false;
            if (j > i && t->a[i][j].x != 0) r->diagonal = false;
        }
        if (t->a[i][i].x != t->a[0][0].x) r->single_diagonal = false;
        if (!number_is_zero(number_sub(t->a[s - 1][i], t->b[i]), 1)) r->stiffly_accurate = false;
    }
    r->single_diagonal = r->single_diagonal && r->diagonal && !r->explicit_;
    if (r->denominator.n < s) r->stiffly_accurate = false; // A is singular
}

static bool rk_symmetric(const tableau *t)
{
    int s = t->s;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            number sum = number_add(t->a[i][j], t->a[s - 1 - i][s - 1 - j]);
            if (!number_is_zero(number_sub(sum, t->b[j]), 1)) return false;
        }
    return true;
}

/* M = B A + A^T B - b b^T is positive semidefinite and b >= 0: symmetric elimination with the
 * largest diagonal entry as pivot. A vanishing diagonal must have a vanishing row. */
static void rk_energy(const tableau *t, lab_report *r)
{
    int s = t->s;
    number m[METHOD_STAGES_MAX][METHOD_STAGES_MAX];
    bool zero = true, positive = true, done[METHOD_STAGES_MAX] = {false};
    for (int i = 0; i < s; i++) {
        if (number_sign(t->b[i], 1) < 0) positive = false;
        for (int j = 0; j < s; j++) {
            m[i][j] = number_sub(
                number_add(number_mul(t->b[i], t->a[i][j]), number_mul(t->b[j], t->a[j][i])),
                number_mul(t->b[i], t->b[j]));
            if (!number_is_zero(m[i][j], 1)) zero = false;
        }
    }
    r->symplectic = zero;
    for (int round = 0; round < s && positive; round++) {
        int k = -1;
        for (int i = 0; i < s; i++) {
            if (done[i]) continue;
            if (number_sign(m[i][i], 1) < 0) positive = false;
            if (k < 0 || m[i][i].x > m[k][k].x) k = i;
        }
        if (k < 0 || !positive) break;
        done[k] = true;
        if (number_is_zero(m[k][k], 1)) { // then so are all remaining diagonal entries
            for (int i = 0; i < s; i++)
                if (!done[i] && !number_is_zero(m[i][k], 1)) positive = false;
            continue;
        }
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++)
                if (!done[i] && !done[j])
                    m[i][j] =
                        number_sub(m[i][j], number_div(number_mul(m[i][k], m[k][j]), m[k][k]));
    }
    r->algebraically_stable = positive;
}

/* ---- order ----------------------------------------------------------------------------------- */

static number rk_power(number x, int k)
{
    number p = number_ratio(1, 1);
    while (k-- > 0) p = number_mul(p, x);
    return p;
}

// B(q): sum b c^(q-1) = 1/q.  C(q): sum_j a_ij c_j^(q-1) = c_i^q / q.  D(q): sum_i b_i c_i^(q-1)
// a_ij = b_j (1 - c_j^q) / q.
static bool condition_b(const tableau *t, int q)
{
    number s = number_ratio(-1, q);
    for (int i = 0; i < t->s; i++) s = number_add(s, number_mul(t->b[i], rk_power(t->c[i], q - 1)));
    return number_is_zero(s, 10);
}

static bool condition_c(const tableau *t, int q)
{
    for (int i = 0; i < t->s; i++) {
        number s = number_div(rk_power(t->c[i], q), number_ratio(-q, 1));
        for (int j = 0; j < t->s; j++)
            s = number_add(s, number_mul(t->a[i][j], rk_power(t->c[j], q - 1)));
        if (!number_is_zero(s, 10)) return false;
    }
    return true;
}

static bool condition_d(const tableau *t, int q)
{
    for (int j = 0; j < t->s; j++) {
        number s = number_mul(t->b[j], number_sub(rk_power(t->c[j], q), number_ratio(1, 1)));
        s = number_div(s, number_ratio(q, 1));
        for (int i = 0; i < t->s; i++)
            s = number_add(s,
                           number_mul(number_mul(t->b[i], rk_power(t->c[i], q - 1)), t->a[i][j]));
        if (!number_is_zero(s, 10)) return false;
    }
    return true;
}

static int holds_to(bool (*condition)(const tableau *, int), const tableau *t)
{
    int q = 0;
    while (q < 2 * METHOD_STAGES_MAX && condition(t, q + 1)) q++;
    return q;
}

// B(p), C(eta), D(zeta) with p <= eta + zeta + 1 and p <= 2 eta + 2 give order p (Butcher 1964).
static int simplified_order(const tableau *t, int b, int c)
{
    int d = holds_to(condition_d, t), p = b;
    if (p > c + d + 1) p = c + d + 1;
    if (p > 2 * c + 2) p = 2 * c + 2;
    return p;
}

/* A rational function of degrees m, n that meets e^z to order m + n is the Pade approximant, whose
 * coefficients are known as fractions: numerator binomial(m, j) (m+n-j)!/(m+n)!, denominator the
 * same with n and alternating signs. */
static void exact_pade(lab_report *r)
{
    int m = r->numerator.n, n = r->denominator.n;
    if (r->order < m + n) return;
    number up = number_ratio(1, 1), down = number_ratio(1, 1);
    for (int j = 0; j <= m || j <= n; j++) {
        if (j <= m) r->numerator.c[j] = up;
        if (j <= n) r->denominator.c[j] = down;
        number share = number_ratio(1, (long)(j + 1) * (m + n - j > 0 ? m + n - j : 1));
        up = number_mul(up, number_mul(number_ratio(m - j, 1), share));
        down = number_mul(down, number_mul(number_ratio(j - n, 1), share));
    }
}

void lab_runge_kutta(const method_tableau *given, lab_report *r)
{
    *r = (lab_report){.zero_stable = true, .exact = true};
    tableau t = rk_read(given);
    r->denominator = rk_determinant(&t, false);
    r->numerator = rk_determinant(&t, true);
    rk_classify(&t, r);
    poly_reduce(&r->numerator, &r->denominator);

    int b = holds_to(condition_b, &t), c = holds_to(condition_c, &t);
    r->stage_order = b < c ? b : c;
    r->order = lab_tree_order(given, 8, &r->exact);
    r->linearly_implicit = given->linearly_implicit;
    if (r->linearly_implicit) r->stage_order = 1;
    if (r->order == 8 && !r->linearly_implicit) {
        int p = simplified_order(&t, b, c);
        if (p > 8) r->order = p;
    }
    exact_pade(r);
    stability_error(r, &r->error_constant);

    r->a_stable = a_stable(r);
    r->alpha_deg = r->a_stable ? 90 : rk_sector(r);
    int np = r->numerator.n, nq = r->denominator.n;
    r->rho_inf = np < nq   ? 0
                 : np > nq ? INFINITY
                           : fabs(r->numerator.c[np].x / r->denominator.c[nq].x);
    r->l_stable = r->a_stable && r->rho_inf == 0;
    rk_limits(r);
    if (r->linearly_implicit) return; // what follows is of nonlinear problems
    rk_energy(&t, r);
    r->symmetric = rk_symmetric(&t);
}
