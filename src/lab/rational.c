/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/rational.h"

#include <math.h>

static const double SUM_ROUND_OFF = 1e-12; // of sums of a few dozen products

static lab_int gcd(lab_int a, lab_int b)
{
    if (a < 0) a = -a;
    while (b) {
        lab_int r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static number rational_make(lab_int p, lab_int q, double x)
{
    if (q < 0) {
        p = -p;
        q = -q;
    }
    lab_int g = gcd(p, q < 0 ? -q : q);
    if (g > 1) {
        p /= g;
        q /= g;
    }
    (void)x;
    return (number){.x = (double)p / (double)q, .exact = true, .p = p, .q = q};
}

number number_ratio(long p, long q)
{
    return rational_make(p, q, 0);
}

/* The convergents of the continued fraction of x: the first that equals x to the last places is
 * taken if its denominator is small. An irrational number is met by a denominator q only to about
 * 1/q^2, which is far more. */
number number_of(double x)
{
    const double largest = 3e6;
    double p0 = 0, q0 = 1, p1 = 1, q1 = 0, r = x;
    for (int k = 0; k < 40 && isfinite(r); k++) {
        double a = floor(r), p = a * p1 + p0, q = a * q1 + q0;
        if (q > largest || fabs(p) > 1e15) break;
        if (fabs(x - p / q) <= 4e-16 * fabs(x)) return rational_make((lab_int)p, (lab_int)q, x);
        p0 = p1, q0 = q1, p1 = p, q1 = q;
        r = 1 / (r - a);
    }
    return (number){.x = x};
}

number number_add(number a, number b)
{
    lab_int u, v, p, q;
    if (a.exact && b.exact) {
        lab_int g = gcd(a.q, b.q), bq = b.q / g;
        if (!__builtin_mul_overflow(a.p, bq, &u) && !__builtin_mul_overflow(b.p, a.q / g, &v) &&
            !__builtin_add_overflow(u, v, &p) && !__builtin_mul_overflow(a.q, bq, &q))
            return rational_make(p, q, a.x + b.x);
    }
    return (number){.x = a.x + b.x};
}

number number_mul(number a, number b)
{
    lab_int p, q;
    if (a.exact && b.exact) {
        lab_int g = gcd(a.p, b.q), h = gcd(b.p, a.q);
        if (!g) g = 1;
        if (!h) h = 1;
        if (!__builtin_mul_overflow(a.p / g, b.p / h, &p) &&
            !__builtin_mul_overflow(a.q / h, b.q / g, &q))
            return rational_make(p, q, a.x * b.x);
    }
    return (number){.x = a.x * b.x};
}

number number_sub(number a, number b)
{
    b.x = -b.x;
    b.p = -b.p;
    return number_add(a, b);
}

number number_div(number a, number b)
{
    if (b.exact && b.p) {
        number inverse = rational_make(b.q, b.p, 1 / b.x);
        return number_mul(a, inverse);
    }
    return (number){.x = a.x / b.x};
}

bool number_is_zero(number a, double scale)
{
    return a.exact ? a.p == 0 : fabs(a.x) <= SUM_ROUND_OFF * scale;
}

int number_sign(number a, double scale)
{
    if (number_is_zero(a, scale)) return 0;
    return a.x > 0 ? 1 : -1;
}

void number_print(number a, text *out)
{
    if (a.exact && a.q < 100000000 && a.p < 100000000000000 && a.p > -100000000000000) {
        text_printf(out, "%lld", (long long)a.p);
        if (a.q != 1) text_printf(out, "/%lld", (long long)a.q);
    } else {
        text_printf(out, "%.13g", a.x);
    }
}
