/* Amplification of the test equation by a formula of any kind: its roots, their moduli, the
 * undamped oscillator.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/amplify.h"

#include <math.h>

/* ---- roots of polynomials -------------------------------------------------------------------- */

void complex_roots(int n, const double complex *c, double complex *x)
{
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
}

double complex poly_complex(const poly *p, double complex z)
{
    point v = poly_at_point(p, (point){creal(z), cimag(z)});
    return v.re + v.im * I;
}

/* Multiple roots are those of the greatest common divisor with the derivative; the others are simple, and
 * found to nearly all digits. */
bool amplify_root_condition(const poly *rho)
{
    point z[POLY_MAX];
    poly slope = poly_derivative(rho), multiple, simple = *rho;
    bool exact = poly_gcd(rho, &slope, &multiple);
    if (exact && multiple.n > 0) {
        poly_roots(&multiple, z);
        for (int k = 0; k < multiple.n; k++)
            if (hypot(z[k].re, z[k].im) > 1 - 1e-6) return false;
        poly_reduce(&simple, &slope); // each root once
    }
    double outside = exact ? 1e-9 : 1e-6;
    poly_roots(&simple, z);
    for (int k = 0; k < simple.n; k++) {
        double size = hypot(z[k].re, z[k].im);
        if (size > 1 + outside) return false;
        for (int j = 0; j < k && !exact && size >= 1 - 1e-6; j++)
            if (hypot(z[k].re - z[j].re, z[k].im - z[j].im) < 1e-5)
                return false; // double on the circle
    }
    return true;
}

/* Are all roots inside the unit circle? By the reductions of I. Schur, J. reine angew. Math. 147 (1917)
 * 205-232: |c_0| < |c_n|, and the same of (c_n p - c_0 p*) / zeta. */
bool amplify_inside(const poly *given)
{
    poly p = *given;
    for (; p.n > 0; p.n--) {
        number first = p.c[0], last = p.c[p.n];
        number less = number_sub(number_mul(last, last), number_mul(first, first));
        if (number_sign(less, last.x * last.x + first.x * first.x) <= 0) return false;
        poly next = poly_zero();
        for (int i = 1; i <= p.n; i++) {
            number c = number_sub(number_mul(last, p.c[i]), number_mul(first, p.c[p.n - i]));
            next.c[i - 1] = number_div(c, less); // stays of the same size
        }
        next.n = p.n;
        p = next;
    }
    return true;
}

/* The largest modulus of a root. Computed copies of a root of multiplicity k lie about it at a
 * distance of the k-th root of the rounding error; it is a simple root of the (k-1)-th derivative,
 * where Newton's method finds it, and is taken if it is a root of p to rounding. */
double amplify_largest(const poly *p)
{
    point z[POLY_MAX];
    double most = 0, scale = 0;
    double complex big = 0, sum = 0;
    poly_roots(p, z);
    for (int k = 0; k < p->n; k++)
        if (hypot(z[k].re, z[k].im) > most) big = z[k].re + z[k].im * I, most = cabs(big);
    poly q = *p;
    int near = 0;
    for (int k = 0; k < p->n; k++) {
        double complex x = z[k].re + z[k].im * I;
        if (cabs(x - big) >= 1e-3 * most) continue;
        sum += x;
        if (near++) q = poly_derivative(&q);
    }
    if (near < 2) return most;
    double complex x = sum / near;
    poly d = poly_derivative(&q);
    for (int k = 0; k < 20 && poly_complex(&d, x) != 0; k++)
        x -= poly_complex(&q, x) / poly_complex(&d, x);
    for (int i = 0; i <= p->n; i++) scale += fabs(p->c[i].x) * pow(most, i);
    return cabs(poly_complex(p, x)) < 1e-13 * scale ? cabs(x) : most;
}

/* ---- factors --------------------------------------------------------------------------------- */

static int amplification_factors(const lab_report *r, point z, point *roots)
{
    double complex w = z.re + z.im * I, c[POLY_MAX + 1] = {0}, x[POLY_MAX];
    int n = r->general ? r->steps : r->rho.n;
    if (!r->multistep) {
        double complex v = poly_complex(&r->numerator, w) / poly_complex(&r->denominator, w);
        roots[0] = (point){creal(v), cimag(v)};
        return 1;
    }
    if (r->second_order) w *= w; // rho - z^2 sigma
    for (int i = 0; i <= n; i++)
        c[i] = r->general ? poly_complex(&r->factor[n - i], w)
                          : r->rho.c[i].x - w * (i <= r->sigma.n ? r->sigma.c[i].x : 0);
    complex_roots(n, c, x);
    for (int k = 0; k < n; k++) roots[k] = (point){creal(x[k]), cimag(x[k])};
    return n;
}

static int nearest_of(const point *x, int n, point to)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (hypot(x[k].re - to.re, x[k].im - to.im) < hypot(x[best].re - to.re, x[best].im - to.im))
            best = k;
    return best;
}

static int largest_of(const point *x, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        if (hypot(x[k].re, x[k].im) > hypot(x[best].re, x[best].im)) best = k;
    return best;
}

int lab_roots(const lab_report *r, point z, point *roots)
{
    int n = amplification_factors(r, z, roots);
    for (int i = 0; i + 1 < n; i++) {
        int k = i + largest_of(roots + i, n - i);
        point largest = roots[k];
        roots[k] = roots[i];
        roots[i] = largest;
    }
    return n;
}

point lab_amplification(const lab_report *r, point z, point *principal)
{
    point x[POLY_MAX];
    int n = amplification_factors(r, z, x);
    double complex exact = cexp(z.re + z.im * I);
    *principal = x[nearest_of(x, n, (point){creal(exact), cimag(exact)})];
    return x[largest_of(x, n)];
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
            count = amplification_factors(r, (point){0, at}, x);
            // From 1, where roots may coincide, go towards e^z.
            point aim = at <= 2 * step ? (point){cos(at), sin(at)} : root;
            root = x[nearest_of(x, count, aim)];
            double angle = atan2(root.im, root.re);
            phase = angle + 2 * M_PI * round((phase - angle) / (2 * M_PI));
        }
        point most = x[largest_of(x, count)];
        double decay = -log(hypot(root.re, root.im));
        out[i] = (lab_oscillator){.root = root, .radius = hypot(most.re, most.im), .phase = phase};
        out[i].damping = decay / hypot(decay, phase);
        out[i].period = omega / phase - 1;
    }
}

/* z = -1, then points on rays towards the imaginary axis, which all regions of growth come near to or meet. */
double lab_growth(const lab_report *r, point *z)
{
    enum { RAYS = 60, DECADES = 8, PER_DECADE = 40 };
    double most = 1;
    for (int i = 0; i <= RAYS; i++)
        for (int k = 0; k <= DECADES * PER_DECADE; k++) {
            double angle = M_PI / 2 * i / RAYS,
                   size = pow(10, (double)k / PER_DECADE - DECADES / 2);
            point at = {i == RAYS ? 0 : -size * cos(angle), size * sin(angle)}, p;
            if (!i && !k) at = (point){-1, 0};
            point a = lab_amplification(r, at, &p);
            double growth = hypot(a.re, a.im);
            if (!isfinite(growth) || growth <= fmax(most, 1 + 1e-9)) continue;
            most = growth;
            *z = at;
            if (!i && !k) return most;
        }
    return most;
}

double amplify_limit(const lab_report *r, double complex direction)
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
