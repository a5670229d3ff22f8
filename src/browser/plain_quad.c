/* Division of long doubles, which have 113 bits here.
 *
 * That of the compiler's own library is wrong where the quotient is a hair above 1: LLVM 14 makes 2 of
 * 1 / (1 - 2^-113), and coefficients of methods come from such divisions (method/scheme.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "browser/plain.h"

#include <string.h>

enum { FRACTION_BITS = 112, EXPONENT_MOST = 0x7fff, EXPONENT_BIAS = 0x3fff };

typedef struct parts {
    plain_quad fraction; // with the leading one; 0: zero
    int exponent;        // of that one
    bool finite, nan;
} parts;

static parts taken_apart(plain_quad x)
{
    plain_quad one = (plain_quad)1 << FRACTION_BITS, fraction = x & (one - 1);
    int e = (int)(x >> FRACTION_BITS) & EXPONENT_MOST;
    parts p = {fraction, e - EXPONENT_BIAS, e != EXPONENT_MOST, e == EXPONENT_MOST && fraction};
    if (e) p.fraction |= one;
    else p.exponent++;
    while (p.fraction && !(p.fraction & one)) p.fraction <<= 1, p.exponent--;
    return p;
}

/* The quotient of two numbers of 113 bits with two bits more, the last of them 1 if there is a rest. */
static plain_quad quotient(plain_quad a, plain_quad b)
{
    plain_quad q = 0;
    for (int k = 0; k < FRACTION_BITS + 3; k++) {
        q <<= 1;
        if (a >= b) a -= b, q |= 1;
        a <<= 1;
    }
    return q | (a != 0);
}

/* To the nearest, of two the even one. q: the leading one at FRACTION_BITS + 2. */
static plain_quad put_together(plain_quad q, int exponent)
{
    int e = exponent + EXPONENT_BIAS;
    for (; e < 1 && q > 1; e++) q = q >> 1 | (q & 1); // below the range: fewer bits
    plain_quad x = q >> 2, rest = q & 3;
    if (rest > 2 || (rest == 2 && (x & 1))) x++; // may carry into the exponent, as it should
    if (e < 1) return 0;
    x += (plain_quad)(e - 1) << FRACTION_BITS;
    plain_quad infinite = (plain_quad)EXPONENT_MOST << FRACTION_BITS;
    return e >= EXPONENT_MOST || x > infinite ? infinite : x;
}

plain_quad plain_quad_divide(plain_quad x, plain_quad y)
{
    plain_quad sign = (x ^ y) >> 127 << 127, infinite = (plain_quad)EXPONENT_MOST << FRACTION_BITS;
    parts a = taken_apart(x), b = taken_apart(y);
    if (a.nan || b.nan || (!a.finite && !b.finite) || (!a.fraction && !b.fraction && a.finite))
        return infinite | 1;
    if (!a.finite || (!b.fraction && b.finite)) return sign | infinite;
    if (!b.finite || !a.fraction) return sign;
    int exponent = a.exponent - b.exponent;
    if (a.fraction < b.fraction) a.fraction <<= 1, exponent--;
    return sign | put_together(quotient(a.fraction, b.fraction), exponent);
}

#ifdef __wasm__
long double __divtf3(long double x, long double y);
long double __divtf3(long double x, long double y)
{
    plain_quad a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    a = plain_quad_divide(a, b);
    memcpy(&x, &a, sizeof x);
    return x;
}
#endif
