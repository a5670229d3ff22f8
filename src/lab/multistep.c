/* Analysis of linear multistep formulas sum alpha_i y_{n+1-i} = h sum beta_i f_{n+1-i}.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab.h"

#include <complex.h>
#include <math.h>

static double complex value(const poly *p, double complex z)
{
    point v = poly_at_point(p, (point){creal(z), cimag(z)});
    return v.re + v.im * I;
}

// C_q of the expansion of sum alpha y(t_i) - h sum beta y'(t_i) about the newest time.
static number coefficient(const method_multistep *m, int q)
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

static bool root_condition(const poly *rho)
{
    point z[POLY_MAX];
    poly_roots(rho, z);
    for (int k = 0; k < rho->n; k++) {
        double size = hypot(z[k].re, z[k].im);
        if (size > 1 + 1e-6) return false;
        if (size < 1 - 1e-6) continue;
        for (int j = 0; j < k; j++)
            if (hypot(z[k].re - z[j].re, z[k].im - z[j].im) < 1e-5)
                return false; // double on the circle
    }
    return true;
}

static double largest_root(const poly *p)
{
    point z[POLY_MAX];
    double most = 0;
    poly_roots(p, z);
    for (int k = 0; k < p->n; k++) most = fmax(most, hypot(z[k].re, z[k].im));
    return most;
}

/* Re(rho conj sigma) on the unit circle is a polynomial in cos(theta), through the Chebyshev
 * polynomials T_|i-j|(cos theta) = cos((i-j) theta); A-stable methods have it nonnegative on [-1,
 * 1]. */
static poly locus_real_part(const poly *rho, const poly *sigma)
{
    poly cheb[POLY_MAX + 1], sum = poly_zero();
    int n = rho->n > sigma->n ? rho->n : sigma->n;
    poly x2 = poly_zero();
    x2.n = 1;
    x2.c[1] = number_ratio(2, 1);
    cheb[0] = poly_zero();
    cheb[0].c[0] = number_ratio(1, 1);
    cheb[1] = poly_zero();
    cheb[1].n = 1;
    cheb[1].c[1] = number_ratio(1, 1);
    for (int k = 2; k <= n; k++) {
        poly twice = poly_mul(&x2, &cheb[k - 1]);
        cheb[k] = poly_sub(&twice, &cheb[k - 2]);
    }
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            poly weight = poly_zero();
            weight.c[0] = number_mul(rho->c[i], sigma->c[j]);
            poly term = poly_mul(&weight, &cheb[i > j ? i - j : j - i]);
            sum = poly_add(&sum, &term);
        }
    sum.n = n;
    return sum;
}

// Angle of the boundary locus from the negative real axis where it enters the left half plane; 90
// degrees elsewhere.
static double locus_angle(const lab_report *r, double theta)
{
    double complex e = cexp(I * theta), z = value(&r->rho, e) / value(&r->sigma, e);
    return creal(z) < 0 ? atan2(fabs(cimag(z)), -creal(z)) : M_PI / 2;
}

static double sector(const lab_report *r)
{
    enum { SAMPLES = 2000 };
    double best = M_PI / 2, at = 0;
    for (int k = 1; k <= SAMPLES; k++) { // bracket the smallest angle, then golden section
        double theta = M_PI * k / SAMPLES, a = locus_angle(r, theta);
        if (a < best) best = a, at = theta;
    }
    if (at == 0) return 90;
    const double golden = 0.6180339887498949;
    double lo = at - M_PI / SAMPLES, hi = fmin(at + M_PI / SAMPLES, M_PI);
    for (int k = 0; k < 100; k++) {
        double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
        if (locus_angle(r, a) < locus_angle(r, b)) hi = b;
        else lo = a;
    }
    return fmin(best, locus_angle(r, 0.5 * (lo + hi))) * 180 / M_PI;
}

// Stable for z = -x: largest root at most 1; bisection from the first failure of a fine search.
static double axis_limit(const lab_report *r, double complex direction)
{
    double good = 0, step = 1e-3;
    for (; good < 1e4; step *= 1.05) {
        point p, z = {creal((good + step) * direction), cimag((good + step) * direction)};
        point a = lab_amplification(r, z, &p);
        if (hypot(a.re, a.im) > 1 + 1e-9) break;
        good += step;
    }
    if (good >= 1e4) return INFINITY;
    double bad = good + step;
    for (int k = 0; k < 80; k++) {
        double x = 0.5 * (good + bad);
        point p, a = lab_amplification(r, (point){creal(x * direction), cimag(x * direction)}, &p);
        if (hypot(a.re, a.im) <= 1 + 1e-9) good = x;
        else bad = x;
    }
    return good < 2e-3 ? 0 : good;
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
    number c = coefficient(m, 0);
    while (q < 20 && number_is_zero(c, 10)) c = coefficient(m, ++q);
    r->order = q - 1;
    r->error_constant = number_div(c, sigma_one);
    r->zero_stable = root_condition(&r->rho);

    poly_trim(&r->sigma);
    poly real = locus_real_part(&r->rho, &r->sigma);
    r->rho_inf = r->explicit_ ? INFINITY : largest_root(&r->sigma);
    if (r->rho_inf < 1e-7) r->rho_inf = 0; // sigma = b0 zeta^k
    bool bounded = r->rho_inf <= 1 + 1e-6;
    r->a_stable = bounded && r->zero_stable && poly_not_negative(&real, -1, 1);
    r->alpha_deg = r->a_stable ? 90 : bounded && r->zero_stable ? sector(r) : 0;
    r->l_stable = r->a_stable && r->rho_inf == 0;
    r->real_limit = r->a_stable || r->alpha_deg > 0 ? INFINITY : axis_limit(r, -1);
    r->imag_limit = r->a_stable ? INFINITY : axis_limit(r, I);
}

/* ---- both kinds --------------------------------------------------------------------------------
 */

int lab_roots(const lab_report *r, point z, point *roots)
{
    double complex w = z.re + z.im * I;
    if (!r->multistep) {
        double complex v = value(&r->numerator, w) / value(&r->denominator, w);
        roots[0] = (point){creal(v), cimag(v)};
        return 1;
    }
    // Roots of rho - z sigma (z^2 for second-order formulas): Aberth's iteration again.
    int n = r->rho.n;
    double complex c[POLY_MAX + 1], x[POLY_MAX];
    if (r->second_order) w *= w;
    for (int i = 0; i <= n; i++) c[i] = r->rho.c[i].x - w * (i <= r->sigma.n ? r->sigma.c[i].x : 0);
    double bound = 0;
    for (int i = 0; i < n; i++) bound = fmax(bound, pow(cabs(c[i] / c[n]), 1.0 / (n - i)));
    if (bound == 0) bound = 1;
    for (int k = 0; k < n; k++) x[k] = bound * cexp(I * (2 * M_PI * k / n + 0.4));
    for (int iteration = 0; iteration < 200; iteration++) {
        double moved = 0;
        for (int k = 0; k < n; k++) {
            double complex v = 0, d = 0, crowd = 0;
            for (int i = n; i >= 0; i--) d = d * x[k] + v, v = v * x[k] + c[i];
            if (v == 0) continue;
            for (int j = 0; j < n; j++)
                if (j != k && x[j] != x[k]) crowd += 1 / (x[k] - x[j]);
            double complex newton = d == 0 ? 1e-3 * bound : v / d,
                           step = newton / (1 - newton * crowd);
            x[k] -= step;
            moved = fmax(moved, cabs(step) / fmax(cabs(x[k]), 1e-300));
        }
        if (moved < 1e-15) break;
    }
    for (int k = 0; k < n; k++) roots[k] = (point){creal(x[k]), cimag(x[k])};
    return n;
}

static int nearest(const point *x, int n, point to)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (hypot(x[k].re - to.re, x[k].im - to.im) < hypot(x[best].re - to.re, x[best].im - to.im))
            best = k;
    return best;
}

static int largest(const point *x, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (hypot(x[k].re, x[k].im) > hypot(x[best].re, x[best].im)) best = k;
    return best;
}

point lab_amplification(const lab_report *r, point z, point *principal)
{
    point x[POLY_MAX];
    int n = lab_roots(r, z, x);
    double complex exact = cexp(z.re + z.im * I);
    *principal = x[nearest(x, n, (point){creal(exact), cimag(exact)})];
    return x[largest(x, n)];
}

void lab_oscillate(const lab_report *r, int n, const double *h_over_t, lab_oscillator *out)
{
    const double step = 0.02; // of omega h while following the root
    point root = {1, 0}, x[POLY_MAX];
    double at = 0, phase = 0;
    for (int i = 0; i < n; i++) {
        double omega = 2 * M_PI * h_over_t[i];
        int count = 0;
        while (at < omega || count == 0) {
            double stride = fmax(step, 0.01 * at);
            at = omega - at <= stride ? omega : at + stride;
            count = lab_roots(r, (point){0, at}, x);
            // From 1, where roots may coincide, go towards e^z.
            point aim = at <= 2 * step ? (point){cos(at), sin(at)} : root;
            root = x[nearest(x, count, aim)];
            double angle = atan2(root.im, root.re);
            phase = angle + 2 * M_PI * round((phase - angle) / (2 * M_PI));
        }
        point most = x[largest(x, count)];
        double decay = -log(hypot(root.re, root.im));
        out[i] = (lab_oscillator){.root = root, .radius = hypot(most.re, most.im), .phase = phase};
        out[i].damping = decay / hypot(decay, phase);
        out[i].period = omega / phase - 1;
    }
}

/* ---- second order ------------------------------------------------------------------------------
 */

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
    r->zero_stable = root_condition(&rest);
    r->imag_limit = axis_limit(r, I);
    r->real_limit = 0;
    r->a_stable = r->l_stable = false;
    r->alpha_deg = 0;
}

void lab_formula(const method_formula *f, lab_report *out)
{
    if (f->kind == FORMULA_RUNGE_KUTTA) lab_runge_kutta(&f->tableau, out);
    else if (f->kind == FORMULA_SECOND_ORDER) lab_second_order(&f->multistep, out);
    else lab_multistep(&f->multistep, out);
    if (f->kind == FORMULA_ONE_LEG) {
        out->one_leg = true;
        out->algebraically_stable = out->a_stable; // G-stable: G. Dahlquist, BIT 18 (1978) 384-401
    }
}
