/* Analysis of linear multistep formulas sum alpha_i y_{n+1-i} = h sum beta_i f_{n+1-i}.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/amplify.h"

#include <complex.h>
#include <math.h>

static const double SECTOR_MOST = 89.9999; // degrees: a larger one cannot be told from A-stability

// C_q of the expansion of sum alpha y(t_i) - h sum beta y'(t_i) about the newest time.
static number multistep_coefficient(const method_multistep *m, int q)
{
    number s = number_ratio(0, 1), factorial = number_ratio(1, 1), lower = number_ratio(1, 1);
    for (int k = 2; k <= q; k++) factorial = number_mul(factorial, number_ratio(k, 1));
    for (int k = 2; k < q; k++) lower = number_mul(lower, number_ratio(k, 1));
    for (int i = 0; i <= m->steps; i++) {
        number power = number_ratio(1, 1); // (-i)^(q-1), then (-i)^q
        for (int k = 1; k < q; k++) power = number_mul(power, number_ratio(-i, 1));
        if (q > 0) s = number_sub(s, number_div(number_mul(number_of(m->beta[i]), power), lower));
        if (q > 0) power = number_mul(power, number_ratio(-i, 1));
        s = number_add(s, number_div(number_mul(number_of(m->alpha[i]), power), factorial));
    }
    return s;
}

/* The boundary locus rho/sigma on the unit circle has the direction of rho conj(sigma) = P(x) + i
 * sin theta Q(x) with polynomials P, Q in x = cos theta: through cos(k theta) = T_k(x) and sin(k
 * theta) = sin theta U_{k-1}(x), the Chebyshev polynomials of both kinds. */
typedef struct locus {
    poly p, q;
} locus;

static poly multistep_chebyshev(int k, bool second)
{
    poly before = poly_zero(), now = poly_zero(), x2 = poly_zero();
    before.c[0] = number_ratio(1, 1);
    now.n = x2.n = 1;
    now.c[1] = number_ratio(second ? 2 : 1, 1);
    x2.c[1] = number_ratio(2, 1);
    if (k == 0) return before;
    for (int i = 2; i <= k; i++) {
        poly twice = poly_mul(&x2, &now), next = poly_sub(&twice, &before);
        before = now;
        now = next;
    }
    return now;
}

static locus multistep_boundary(const poly *rho, const poly *sigma)
{
    locus b = {poly_zero(), poly_zero()};
    int n = rho->n > sigma->n ? rho->n : sigma->n;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            int k = i > j ? i - j : j - i;
            poly weight = poly_zero(), t = multistep_chebyshev(k, false);
            weight.c[0] = number_mul(rho->c[i], sigma->c[j]);
            poly term = poly_mul(&weight, &t);
            b.p = poly_add(&b.p, &term);
            if (!k) continue;
            poly u = multistep_chebyshev(k - 1, true);
            term = poly_mul(&weight, &u);
            b.q = i > j ? poly_add(&b.q, &term) : poly_sub(&b.q, &term);
        }
    poly_trim(&b.p);
    poly_trim(&b.q);
    return b;
}

// Real roots in [-1, 1] and the ends of the interval; how many.
static int multistep_places(const poly *p, double *x)
{
    point z[POLY_MAX];
    int n = 0;
    x[n++] = -1;
    x[n++] = 1;
    if (p->n < 1) return n;
    poly_roots(p, z);
    for (int k = 0; k < p->n; k++)
        if (fabs(z[k].im) < 1e-6 && fabs(z[k].re) < 1) x[n++] = z[k].re;
    return n;
}

static double complex locus_at(const lab_report *r, double x)
{
    double complex e = x + I * sqrt(fmax(0, 1 - x * x));
    return poly_complex(&r->rho, e) / poly_complex(&r->sigma, e);
}

/* The least angle from the negative real axis: tan^2 = (1 - x^2) Q^2 / P^2 has its extrema where
 * Q [((1 - x^2) Q' - x Q) P - (1 - x^2) Q P'] = 0, a polynomial. */
static double multistep_sector(const lab_report *r)
{
    locus b = multistep_boundary(&r->rho, &r->sigma);
    poly ring = poly_zero(), x = poly_zero(), dp = poly_derivative(&b.p),
         dq = poly_derivative(&b.q);
    ring.n = 2, ring.c[0] = number_ratio(1, 1), ring.c[2] = number_ratio(-1, 1);
    x.n = 1, x.c[1] = number_ratio(1, 1);
    poly rq = poly_mul(&ring, &dq), xq = poly_mul(&x, &b.q), first = poly_sub(&rq, &xq);
    poly left = poly_mul(&first, &b.p), qp = poly_mul(&b.q, &dp), right = poly_mul(&ring, &qp);
    poly extrema = poly_sub(&left, &right);
    poly_trim(&extrema);
    poly_trim(&b.q);
    double best = M_PI / 2, at[2 * POLY_MAX + 4];
    int n = multistep_places(&extrema, at);
    n += multistep_places(&b.q, at + n);
    for (int k = 0; k < n; k++) {
        double complex z = locus_at(r, at[k]);
        if (creal(z) < -1e-10 && isfinite(creal(z)))
            best = fmin(best, atan2(fabs(cimag(z)), -creal(z)));
    }
    return best * 180 / M_PI;
}

static poly multistep_at_minus_one(const poly *rho, const poly *sigma)
{
    poly p = poly_add(rho, sigma);
    p.n = rho->n;
    return p;
}

/* At z = -1 all roots are inside the unit circle: what no point of the boundary locus parts from there is
 * stable, too, and nothing else is decided by the locus. */
static bool multistep_stable_at_minus_one(const lab_report *r)
{
    poly rho = r->rho, sigma = r->sigma;
    poly_reduce(&rho, &sigma); // a common factor is a root of rho, whatever z is
    poly p = multistep_at_minus_one(&rho, &sigma);
    return amplify_inside(&p);
}

/* rho / sigma without common factors maps the outside of the unit circle into the right half plane: it is
 * not negative on the circle, and rho + sigma has all roots inside (which is why poles on the circle are simple and
 * their residues positive). Never above order 2: G. Dahlquist, BIT 3 (1963) 27-43. */
static bool multistep_a_stable(const lab_report *r)
{
    poly rho = r->rho, sigma = r->sigma;
    poly_reduce(&rho, &sigma);
    locus edge = multistep_boundary(&rho, &sigma);
    return r->order <= 2 && poly_not_negative(&edge.p, -1, 1);
}

static bool stable_at(const lab_report *r, double complex z)
{
    point p, a = lab_amplification(r, (point){creal(z), cimag(z)}, &p);
    return hypot(a.re, a.im) <= 1 + 1e-9;
}

// p / (x - 1)^k for the largest k: a consistent formula has P = 0 at x = 1, often many times.
static poly without_one(const poly *p)
{
    poly rest = *p;
    for (;;) {
        poly quotient = poly_zero();
        number carry = number_ratio(0, 1);
        quotient.n = rest.n > 0 ? rest.n - 1 : 0;
        for (int i = rest.n; i >= 0; i--) {
            carry = number_add(carry, rest.c[i]);
            if (i > 0) quotient.c[i - 1] = carry;
        }
        if (rest.n == 0 || !number_is_zero(carry, poly_size(&rest))) return rest;
        rest = quotient;
    }
}

/* Along the negative real axis or the imaginary one stability can change only where the locus
 * crosses: at the ends and roots of Q or of P. Between neighbouring crossings one point decides. */
static double limit_on(const lab_report *r, double complex direction)
{
    locus b = multistep_boundary(&r->rho, &r->sigma);
    bool real = creal(direction) != 0;
    double at[POLY_MAX + 2], cut[POLY_MAX + 2];
    poly rest = without_one(&b.p);
    if (!real && poly_size(&b.p) < 1e-12)
        return amplify_limit(r, direction); // the locus is the axis
    int n = multistep_places(real ? &b.q : &rest, at), m = 0;
    for (int k = 0; k < n; k++) {
        double complex z = locus_at(r, at[k]);
        double far = real ? -creal(z) : fabs(cimag(z));
        if (!isfinite(far) || far < 1e-7 || fabs(real ? cimag(z) : creal(z)) > 1e-6 * far) continue;
        int i = m++;
        for (; i > 0 && cut[i - 1] > far; i--) cut[i] = cut[i - 1];
        cut[i] = far;
    }
    double last = 0;
    for (int k = 0; k < m; k++) {
        if (!stable_at(r, 0.5 * (last + cut[k]) * direction)) return last;
        last = cut[k];
    }
    return stable_at(r, (2 * last + 1) * direction) ? INFINITY : last;
}

// A formula of one step has a stability function: (-alpha_1 + beta_1 z) / (alpha_0 - beta_0 z).
static poly multistep_transfer(const method_multistep *m, int i)
{
    poly p = poly_zero();
    number alpha = number_of(m->alpha[i]), beta = number_of(m->beta[i]),
           minus = number_ratio(-1, 1);
    p.n = 1;
    p.c[0] = number_div(i ? number_mul(minus, alpha) : alpha, number_of(m->alpha[0]));
    p.c[1] = number_div(i ? beta : number_mul(minus, beta), number_of(m->alpha[0]));
    poly_trim(&p);
    return p;
}

void lab_multistep(const method_multistep *m, lab_report *r)
{
    *r = (lab_report){.multistep = true, .rho = poly_zero(), .sigma = poly_zero(), .exact = true};
    r->rho.n = r->sigma.n = m->steps;
    number sigma_one = number_ratio(0, 1);
    for (int i = 0; i <= m->steps; i++) {
        r->rho.c[m->steps - i] = number_of(m->alpha[i]);
        r->sigma.c[m->steps - i] = number_of(m->beta[i]);
        sigma_one = number_add(sigma_one, number_of(m->beta[i]));
        r->exact = r->exact && number_of(m->alpha[i]).exact && number_of(m->beta[i]).exact;
    }
    r->explicit_ = m->beta[0] == 0;
    r->symmetric = true;
    for (int i = 0; i <= m->steps; i++) {
        if (m->alpha[i] != -m->alpha[m->steps - i] || m->beta[i] != m->beta[m->steps - i])
            r->symmetric = false;
    }
    int q = 0;
    number c = multistep_coefficient(m, 0);
    while (q < 20 && number_is_zero(c, 10)) c = multistep_coefficient(m, ++q);
    r->order = q - 1;
    r->error_constant = number_div(c, sigma_one);
    r->zero_stable = amplify_root_condition(&r->rho);

    if (m->steps == 1)
        r->numerator = multistep_transfer(m, 1), r->denominator = multistep_transfer(m, 0);
    poly_trim(&r->sigma);
    r->rho_inf = r->explicit_ ? INFINITY : amplify_largest(&r->sigma);
    if (r->rho_inf < 1e-7) r->rho_inf = 0; // sigma = b0 zeta^k
    bool stable = r->zero_stable && multistep_stable_at_minus_one(r);
    r->a_stable = stable && multistep_a_stable(r);
    r->alpha_deg = r->a_stable ? 90 : stable ? fmin(multistep_sector(r), SECTOR_MOST) : 0;
    r->l_stable = r->a_stable && r->rho_inf == 0;
    r->real_limit = r->a_stable || r->alpha_deg > 0 ? INFINITY : limit_on(r, -1);
    r->imag_limit = r->a_stable ? INFINITY : limit_on(r, I);
}

/* ---- second order ---------------------------------------------------------------------------- */

// C_q of sum alpha x(t_i) - h^2 sum beta x''(t_i); the order is that of the error divided by h^2.
static number second_coefficient(const method_multistep *m, int q)
{
    number s = number_ratio(0, 1), factorial = number_ratio(1, 1), lower = number_ratio(1, 1);
    for (int k = 2; k <= q; k++) factorial = number_mul(factorial, number_ratio(k, 1));
    for (int k = 2; k <= q - 2; k++) lower = number_mul(lower, number_ratio(k, 1));
    for (int i = 0; i <= m->steps; i++) {
        number power = number_ratio(1, 1);
        for (int k = 0; k < q; k++) power = number_mul(power, number_ratio(-i, 1));
        s = number_add(s, number_div(number_mul(number_of(m->alpha[i]), power), factorial));
        power = number_ratio(1, 1);
        for (int k = 0; k < q - 2; k++) power = number_mul(power, number_ratio(-i, 1));
        if (q >= 2) s = number_sub(s, number_div(number_mul(number_of(m->beta[i]), power), lower));
    }
    return s;
}

static void lab_second_order(const method_multistep *m, lab_report *r)
{
    lab_multistep(m, r); // polynomials, symmetry
    r->second_order = true;
    int q = 0;
    number c = second_coefficient(m, 0), sigma_one = number_ratio(0, 1);
    while (q < 20 && number_is_zero(c, 10)) c = second_coefficient(m, ++q);
    for (int i = 0; i <= m->steps; i++) sigma_one = number_add(sigma_one, number_of(m->beta[i]));
    r->order = q - 2;
    r->error_constant = number_div(c, sigma_one);
    r->symmetric = true;
    for (int i = 0; i <= m->steps; i++)
        if (m->alpha[i] != m->alpha[m->steps - i] || m->beta[i] != m->beta[m->steps - i])
            r->symmetric = false;
    poly rest = poly_zero(); // rho / (zeta - 1): the double root 1 belongs to x'' = f
    rest.n = r->rho.n - 1;
    number carry = number_ratio(0, 1);
    for (int i = rest.n; i >= 0; i--) rest.c[i] = carry = number_add(carry, r->rho.c[i + 1]);
    r->zero_stable = amplify_root_condition(&rest);
    r->imag_limit = amplify_limit(r, I);
    r->real_limit = 0;
    // Stability of these formulas is that of the undamped oscillator, whatever its frequency.
    r->a_stable = r->zero_stable && isinf(r->imag_limit);
    r->l_stable = r->a_stable && r->rho_inf == 0;
    r->alpha_deg = r->a_stable ? 90 : 0;
}

/* With f at one point s = sum beta_i (-i) between the times, the formula has an error of differentiation,
 * sum alpha_i (-i)^q = q s^(q-1) to hold for q <= p, and one of interpolation, sum beta_i (-i)^q = s^q for q < p:
 * G. Dahlquist, LNM 1003 (1983) 295-312; E. Hairer & G. Wanner II, section V.6. */
static void one_leg_order(const method_multistep *m, lab_report *r)
{
    number s = number_ratio(0, 1), power = number_ratio(1, 1), factorial = power; // s^(q-1), q!
    for (int i = 0; i <= m->steps; i++)
        s = number_add(s, number_mul(number_of(m->beta[i]), number_ratio(-i, 1)));
    for (int q = 1; q <= r->order + 1; q++) {
        number slope = number_mul(power, number_ratio(-q, 1)), value = number_mul(power, s);
        value = number_sub(number_ratio(0, 1), value);
        for (int i = 0; i <= m->steps; i++) {
            number x = number_ratio(1, 1);
            for (int k = 0; k < q; k++) x = number_mul(x, number_ratio(-i, 1));
            slope = number_add(slope, number_mul(number_of(m->alpha[i]), x));
            value = number_add(value, number_mul(number_of(m->beta[i]), x));
        }
        factorial = number_mul(factorial, number_ratio(q, 1));
        if (!number_is_zero(slope, 10) && q <= r->order) {
            r->order = q - 1;
            r->error_constant = number_div(slope, factorial);
            return;
        }
        if (!number_is_zero(value, 10) &&
            q < r->order) { // the same of f_y times the next derivative
            r->order = q;
            r->error_constant = number_sub(number_ratio(0, 1), number_div(value, factorial));
        }
        power = number_mul(power, s);
    }
}

void lab_formula(const method_formula *f, lab_report *out)
{
    if (f->kind == FORMULA_RUNGE_KUTTA) lab_runge_kutta(&f->tableau, out);
    else if (f->kind == FORMULA_SECOND_ORDER) lab_second_order(&f->multistep, out);
    else if (f->kind == FORMULA_GENERAL) lab_general(&f->general, out);
    else lab_multistep(&f->multistep, out);
    if (f->kind == FORMULA_ONE_LEG) {
        out->one_leg = true;
        one_leg_order(&f->multistep, out);
        out->symplectic = out->symmetric && f->multistep.steps == 1; // the implicit midpoint rule
        out->algebraically_stable = out->a_stable; // G-stable: G. Dahlquist, BIT 18 (1978) 384-401
    }
}
