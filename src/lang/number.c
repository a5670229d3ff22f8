/* Decimal to binary, exactly and without regard to the locale.
 *
 * A significand below 2^53 and a power of ten up to 10^22 are both exact doubles, so that one
 * multiplication or division rounds once and is right (W. D. Clinger, How to read floating point
 * numbers accurately, PLDI 1990). All else goes to strtod as an integer with an exponent: without a
 * decimal point there is nothing that a locale could change.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lexer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A decimal halfway between two doubles has at most 767 significant digits; of what follows only
 * whether it is zero matters. */
enum { DIGITS_MAX = 768, LARGEST_EXPONENT = 1000000 };

static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct decimal { // 0.d1d2d3... scaled: the number is digits * 10^exponent
    char digit[DIGITS_MAX + 2];
    int n;
    long exponent;
    uint64_t small; // the digits as an integer, while there are at most 19
} decimal;

static long read_exponent(const char *s, const char *end)
{
    bool negative = s < end && *s == '-';
    if (s < end && (*s == '+' || *s == '-')) s++;
    long e = 0;
    for (; s < end; s++)
        if (e < LARGEST_EXPONENT) e = 10 * e + (*s - '0');
    return negative ? -e : e;
}

static void read_digits(decimal *d, const char *s, const char *end)
{
    bool after_point = false, sticky = false;
    long dropped = 0, fraction = 0; // both bounded by the length of the text
    for (; s < end && *s != 'e' && *s != 'E'; s++) {
        if (*s == '.') {
            after_point = true;
            continue;
        }
        fraction += after_point;
        if (d->n == 0 && *s == '0') continue;
        if (d->n == DIGITS_MAX) {
            dropped++;
            sticky |= *s != '0';
            continue;
        }
        d->digit[d->n++] = *s;
        if (d->n <= 19) d->small = 10 * d->small + (uint64_t)(*s - '0');
    }
    if (sticky) {
        d->digit[d->n++] = '1';
        dropped--;
    }
    d->exponent = dropped - fraction;
    if (s < end) d->exponent += read_exponent(s + 1, end);
}

/* With 64 bits of significand 19 digits are exact, and so are powers up to 10^27. The result, rounded to 64 bits and
 * then to 53, is rounded as once unless the first lies in the middle of two doubles; false then. */
static bool real_by_extended(const decimal *d, double *x)
{
    long k = d->exponent < 0 ? -d->exponent : d->exponent;
    long double ten = 1, q;
    if (LDBL_MANT_DIG < 64 || k > 27) return false;
    for (long i = 0; i < k; i++) ten *= 10;
    q = d->exponent < 0 ? (long double)d->small / ten : (long double)d->small * ten;
    *x = (double)q;
    return q - *x != (nextafter(*x, INFINITY) - *x) / 2 && *x - q != (*x - nextafter(*x, 0)) / 2;
}

double lexer_real(const char *s, size_t n)
{
    decimal d;
    d.n = 0;
    d.small = 0;
    read_digits(&d, s, s + n);
    if (d.n == 0) return 0;
    if (d.n <= 19 && d.small <= (uint64_t)1 << 53 && d.exponent >= -22 && d.exponent <= 22)
        return d.exponent < 0 ? (double)d.small / ten_to[-d.exponent]
                              : (double)d.small * ten_to[d.exponent];
    double x;
    if (d.n <= 19 && real_by_extended(&d, &x)) return x;
    char buffer[DIGITS_MAX + 32];
    snprintf(buffer, sizeof buffer, "%.*se%ld", d.n, d.digit, d.exponent);
    return strtod(buffer, NULL);
}
