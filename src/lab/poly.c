/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/poly.h"

#include <complex.h>
#include <math.h>

poly poly_zero(void)
{
    poly p = {.n = 0};
    for (int i = 0; i <= POLY_MAX; i++) p.c[i] = number_ratio(0, 1);
    return p;
}

double poly_size(const poly *p)
{
    double most = 0;
    for (int i = 0; i <= p->n; i++) most = fmax(most, fabs(p->c[i].x));
    return most;
}

static void poly_make_monic(poly *p)
{
    number lead = p->c[p->n];
    for (int i = 0; i <= p->n; i++) p->c[i] = number_div(p->c[i], lead);
}

void poly_trim(poly *p)
{
    double size = poly_size(p);
    while (p->n > 0 && number_is_zero(p->c[p->n], size)) p->c[p->n--] = number_ratio(0, 1);
}

poly poly_add(const poly *a, const poly *b)
{
    poly s = poly_zero();
    s.n = a->n > b->n ? a->n : b->n;
    for (int i = 0; i <= s.n; i++) s.c[i] = number_add(a->c[i], b->c[i]);
    return s;
}

poly poly_sub(const poly *a, const poly *b)
{
    poly s = poly_zero();
    s.n = a->n > b->n ? a->n : b->n;
    for (int i = 0; i <= s.n; i++) s.c[i] = number_sub(a->c[i], b->c[i]);
    return s;
}

poly poly_mul(const poly *a, const poly *b)
{
    poly s = poly_zero();
    s.n = a->n + b->n;
    for (int i = 0; i <= a->n; i++)
        for (int j = 0; j <= b->n; j++)
            s.c[i + j] = number_add(s.c[i + j], number_mul(a->c[i], b->c[j]));
    return s;
}

poly poly_derivative(const poly *p)
{
    poly d = poly_zero();
    d.n = p->n > 0 ? p->n - 1 : 0;
    for (int i = 1; i <= p->n; i++) d.c[i - 1] = number_mul(p->c[i], number_ratio(i, 1));
    return d;
}

double poly_at(const poly *p, double x)
{
    double v = 0;
    for (int i = p->n; i >= 0; i--) v = v * x + p->c[i].x;
    return v;
}

static double complex poly_at_complex(const poly *p, double complex z)
{
    double complex v = 0;
    for (int i = p->n; i >= 0; i--) v = v * z + p->c[i].x;
    return v;
}

point poly_at_point(const poly *p, point z)
{
    double complex v = poly_at_complex(p, z.re + z.im * I);
    return (point){creal(v), cimag(v)};
}

// Aberth's iteration (Math. Comp. 27 (1973) 339-344) from points on a circle that holds all roots.
void poly_roots(const poly *p, point *roots)
{
    int n = p->n;
    double complex z[POLY_MAX];
    double lead = fabs(p->c[n].x), bound = 0;
    for (int i = 0; i < n; i++) bound = fmax(bound, pow(fabs(p->c[i].x) / lead, 1.0 / (n - i)));
    if (bound == 0) bound = 1;
    for (int k = 0; k < n; k++) z[k] = bound * cexp(I * (2 * M_PI * k / n + 0.4));
    for (int iteration = 0; iteration < 500; iteration++) {
        double moved = 0;
        for (int k = 0; k < n; k++) {
            double complex v = 0, d = 0;
            for (int i = n; i >= 0; i--) {
                d = d * z[k] + v;
                v = v * z[k] + p->c[i].x;
            }
            if (v == 0) continue;
            double complex newton = d == 0 ? bound * 1e-3 : v / d, crowd = 0;
            for (int j = 0; j < n; j++)
                if (j != k && z[k] != z[j]) crowd += 1 / (z[k] - z[j]);
            double complex step = newton / (1 - newton * crowd);
            z[k] -= step;
            moved = fmax(moved, cabs(step) / fmax(cabs(z[k]), 1e-300));
        }
        if (moved < 1e-15) break;
    }
    for (int k = 0; k < n; k++) roots[k] = (point){creal(z[k]), cimag(z[k])};
}

poly poly_modulus_on_axis(const poly *p)
{
    // p(iy) = even(w) + i y odd(w), w = y^2, signs alternating.
    poly even = poly_zero(), odd = poly_zero(), w = poly_zero();
    for (int k = 0; k <= p->n; k++) {
        number c = p->c[k];
        if (k / 2 % 2) c = number_sub(number_ratio(0, 1), c);
        if (k % 2) odd.c[odd.n = k / 2] = c;
        else even.c[even.n = k / 2] = c;
    }
    w.n = 1;
    w.c[1] = number_ratio(1, 1);
    poly a = poly_mul(&even, &even), b = poly_mul(&odd, &odd), c = poly_mul(&w, &b);
    return poly_add(&a, &c);
}

poly poly_modulus_on_ray(const poly *p, double phi)
{
    poly s = poly_zero();
    s.n = 2 * p->n;
    double sum[POLY_MAX + 1] = {0};
    for (int i = 0; i <= p->n; i++)
        for (int j = 0; j <= p->n; j++)
            sum[i + j] += p->c[i].x * p->c[j].x * cos((i - j) * (M_PI - phi));
    for (int k = 0; k <= s.n; k++) s.c[k] = (number){.x = sum[k]};
    return s;
}

/* The sign at points between the real roots. */
static bool poly_sampled_not_negative(const poly *given, double lo, double hi)
{
    poly p = *given;
    double size = poly_size(&p);
    // Often all coefficients have one sign, and nothing needs to be solved.
    bool plain = lo >= 0;
    for (int i = 0; i <= p.n && plain; i++) plain = number_sign(p.c[i], size) >= 0;
    if (plain || size == 0) return true;

    // Otherwise the sign between neighbouring real roots decides.
    point roots[POLY_MAX];
    double cut[POLY_MAX + 2];
    int n = 0;
    cut[n++] = lo;
    poly_roots(&p, roots);
    for (int k = 0; k < p.n; k++) {
        double r = roots[k].re;
        if (fabs(roots[k].im) < 1e-7 * fmax(1, fabs(r)) && r > lo && r < hi) {
            int j = n++;
            while (j > 1 && cut[j - 1] > r) cut[j] = cut[j - 1], j--;
            cut[j] = r;
        }
    }
    double last = isfinite(hi) ? hi : 2 * fabs(cut[n - 1]) + 1;
    for (int k = 0; k < n; k++) {
        double a = cut[k], b = k + 1 < n ? cut[k + 1] : last, x = 0.5 * (a + b);
        if (b - a < 1e-6 * fmax(1, fabs(a))) continue; // a double root: no change of sign
        double scale = 0;
        for (int i = 0; i <= p.n; i++) scale = fmax(scale, fabs(p.c[i].x) * pow(fabs(x), i));
        if (poly_at(&p, x) < -1e-10 * scale) return false;
    }
    return true;
}

/* ---- common factors -------------------------------------------------------------------------- */

static bool exact_all(const poly *p)
{
    for (int i = 0; i <= p->n; i++)
        if (!p->c[i].exact) return false;
    return true;
}

// a := the remainder of a by b, quotient in q.
static void poly_divide(poly *a, const poly *b, poly *q)
{
    *q = poly_zero();
    q->n = a->n >= b->n ? a->n - b->n : 0;
    for (int k = a->n - b->n; k >= 0; k--) {
        number f = number_div(a->c[k + b->n], b->c[b->n]);
        q->c[k] = f;
        for (int i = 0; i <= b->n; i++)
            a->c[k + i] = number_sub(a->c[k + i], number_mul(f, b->c[i]));
    }
    if (a->n >= b->n) a->n = b->n > 0 ? b->n - 1 : 0;
    poly_trim(a);
}

bool poly_gcd(const poly *a, const poly *b, poly *out)
{
    poly x = *a, y = *b, q;
    poly_trim(&x);
    poly_trim(&y);
    if (!exact_all(&x) || !exact_all(&y)) return false;
    if (x.n < y.n) {
        poly swap = x;
        x = y;
        y = swap;
    }
    while (y.n > 0) { // Euclid's algorithm
        poly_make_monic(&y);
        poly_divide(&x, &y, &q);
        if (!exact_all(&x)) return false;
        poly swap = x;
        x = y;
        y = swap;
    }
    if (y.c[0].p != 0) { // no common factor
        x = poly_zero();
        x.c[0] = number_ratio(1, 1);
    }
    *out = x;
    return true;
}

void poly_reduce(poly *a, poly *b)
{
    poly x, ra = *a, rb = *b, qa, qb;
    if (!poly_gcd(a, b, &x) || x.n == 0) return;
    poly_divide(&ra, &x, &qa);
    poly_divide(&rb, &x, &qb);
    if (!exact_all(&qa) || !exact_all(&qb)) return;
    number scale = qb.c[0].p ? qb.c[0] : number_ratio(1, 1);
    for (int i = 0; i <= qa.n; i++) qa.c[i] = number_div(qa.c[i], scale);
    for (int i = 0; i <= qb.n; i++) qb.c[i] = number_div(qb.c[i], scale);
    *a = qa;
    *b = qb;
}

/* ---- signs ----------------------------------------------------------------------------------- */

/* The product of (x - root) over the roots of odd multiplicity (D. Y. Y. Yun, SYMSAC 1976). */
static bool odd_part(const poly *p, poly *out)
{
    poly slope = poly_derivative(p), g, b, c, d, rest;
    *out = poly_zero();
    out->c[0] = number_ratio(1, 1);
    if (p->n == 0) return true;
    if (!poly_gcd(p, &slope, &g)) return false;
    rest = *p;
    poly_divide(&rest, &g, &b);
    rest = slope;
    poly_divide(&rest, &g, &c);
    for (int multiplicity = 1; b.n > 0; multiplicity++) {
        poly db = poly_derivative(&b);
        d = poly_sub(&c, &db);
        poly_trim(&d);
        if (!poly_gcd(&b, &d, &g) || !exact_all(&b) || !exact_all(&c)) return false;
        if (multiplicity % 2) *out = poly_mul(out, &g);
        rest = b;
        poly_divide(&rest, &g, &b);
        rest = d;
        poly_divide(&rest, &g, &c);
    }
    return exact_all(out);
}

static number exact_at(const poly *p, number x)
{
    number v = number_ratio(0, 1);
    for (int i = p->n; i >= 0; i--) v = number_add(number_mul(v, x), p->c[i]);
    return v;
}

/* Changes of sign in Sturm's sequence at x; at infinity where x is NULL. -1: it is not known exactly. */
static int sturm_changes(const poly *p, const number *x)
{
    poly before = *p, now = poly_derivative(p), q;
    int last = 0, changes = 0;
    for (bool first = true;; first = false) {
        const poly *at = first ? &before : &now;
        number v = x ? exact_at(at, *x) : at->c[at->n];
        int sign = (v.p > 0) - (v.p < 0);
        if (!v.exact) return -1;
        if (sign && last && sign != last) changes++;
        if (sign) last = sign;
        if (first) continue;
        if (now.n == 0) return changes;
        poly remainder = before;
        poly_divide(&remainder, &now, &q);
        if (!exact_all(&remainder)) return -1;
        before = now;
        now = poly_zero();
        now.n = remainder.n;
        // A positive factor keeps the signs and the numbers small.
        number size = remainder.c[remainder.n];
        if (size.p < 0) size = number_sub(number_ratio(0, 1), size);
        for (int i = 0; i <= now.n; i++)
            now.c[i] = number_div(number_sub(number_ratio(0, 1), remainder.c[i]),
                                  size.p ? size : number_ratio(1, 1));
        if (now.n == 0 && now.c[0].p == 0) return changes;
    }
}

/* 1, 0: p >= 0 on [lo, hi], or not; -1: this cannot be decided in exact arithmetic. */
static int exactly_not_negative(const poly *p, double lo, double hi)
{
    poly odd, factor = poly_zero(), q;
    if (!exact_all(p) || !odd_part(p, &odd)) return -1;
    number from = number_of(lo), to = number_of(isfinite(hi) ? hi : 0);
    factor.n = 1;
    factor.c[1] = number_ratio(1, 1);
    for (int end = 0; end < (isfinite(hi) ? 2 : 1); end++) { // roots at the ends do not count
        number x = end ? to : from, v = exact_at(&odd, x);
        if (!v.exact) return -1;
        if (v.p) continue;
        factor.c[0] = number_sub(number_ratio(0, 1), x);
        poly rest = odd;
        poly_divide(&rest, &factor, &q);
        odd = q;
    }
    if (odd.n > 0) {
        int left = sturm_changes(&odd, &from),
            right = sturm_changes(&odd, isfinite(hi) ? &to : NULL);
        if (left < 0 || right < 0) return -1;
        if (left != right) return 0;
    }
    for (int k = 1; k <= p->n + 1; k++) { // one sign, wherever it is not 0
        number share = number_ratio(k, p->n + 2), x = number_ratio(k, 1);
        if (isfinite(hi)) x = number_mul(number_sub(to, from), share);
        number v = exact_at(p, number_add(from, x));
        if (!v.exact) return -1;
        if (v.p) return v.p > 0;
    }
    return 1; // more roots than its degree: it is 0
}

bool poly_not_negative(const poly *given, double lo, double hi)
{
    poly p = *given;
    poly_trim(&p);
    int exactly = exactly_not_negative(&p, lo, hi);
    return exactly >= 0 ? exactly : poly_sampled_not_negative(&p, lo, hi);
}
