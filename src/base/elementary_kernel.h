/* The functions of elementary.h as text that is compiled for one number (elementary.c) and for four (elementary_lanes.c) and
 * printed. Who includes it defines, besides ELEMENTARY(name, code), the types
 *
 *     num    a number, or four      whole    as wide, unsigned
 *
 * and whole_of, num_of (the same bits), each (a constant in all places), below, at_least (masks: all bits where it holds, else
 * none), all and any of a mask. NAME(f) is the name of a function here, FAR(f, x) and FAR2(f, x, y)
 * what f is where no formula serves.
 *
 * Sums are split in halves that do not wait for each other. Polynomials are those whose largest error is least (Remez). n c is
 * subtracted in two parts, c = c1 + c2, the first without rounding, as c1 has so few digits: W. J. Cody & W. Waite, Software
 * Manual for the Elementary Functions, 1980. What rounding the second leaves is kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
// clang-format off

ELEMENTARY(pick, static inline num NAME(pick)(whole mask, num yes, num no)
{
    return num_of((mask & whole_of(yes)) | (~mask & whole_of(no)));
})

ELEMENTARY(size, static inline num NAME(size)(num x)
{
    return num_of(whole_of(x) & 0x7fffffffffffffffu);
})

/* x = n pi/2 + r + c. Where multiples of pi/2 leave less than n 2^-30 of x, more digits of pi would be needed. Off by 0.1
 * units in r + c; 3.6e-18 of r^3 in the sine, 4.8e-20 in the cosine. The sign of a zero stays. */
ELEMENTARY(sincos, static inline void NAME(sincos)(num x, num *sine, num *cosine)
{
    num k = x * 0x1.45f306dc9c883p-1 + 0x1.8p+52; // the whole number n is in its last digits
    num n = k - 0x1.8p+52;
    num first = x - n * 0x1.921fb544p+0;
    num second = n * 0x1.0b4611a626331p-34;
    num r = first - second;
    if (!all(below(NAME(size)(x), each(524288)) & at_least(NAME(size)(r), NAME(size)(n) * 0x1p-30))) {
        num s = FAR(sin, x);
        *cosine = FAR(cos, x);
        *sine = s;
        return;
    }
    num c = (first - r) - second;
    num z = r * r;
    num z2 = z * z;
    num h = 0.5 * z;
    num w = 1 - h;
    num p = (-0x1.5555555555549p-3 + z * 0x1.111111110f802p-7) + z2 * ((-0x1.a01a019c01d56p-13 + z * 0x1.71de35697af95p-19)
            + z2 * (-0x1.ae5e5aae1c305p-26 + z * 0x1.5d8f8bfa47a01p-33));
    num q = (0x1.555555555554bp-5 - z * 0x1.6c16c16c150fbp-10) + z2 * ((0x1.a01a019ca46b8p-16 - z * 0x1.27e4f7ffe96ddp-22)
            + z2 * (0x1.1ee9e4d63e67cp-29 - z * 0x1.8faad2a95a4a1p-37));
    num s = r + ((z * r) * p + c * w);
    num t = w + (((1 - w) - h) + (z2 * q - r * c));
    whole quarter = whole_of(k);
    whole odd = 0 - (quarter & 1);
    s = num_of(whole_of(s) | (whole_of(r) & 0x8000000000000000u));
    *sine = num_of(whole_of(NAME(pick)(odd, t, s)) ^ ((quarter & 2) << 62));
    *cosine = num_of(whole_of(NAME(pick)(odd, s, t)) ^ (((quarter + 1) & 2) << 62));
})

ELEMENTARY(sin, static inline num NAME(sin)(num x)
{
    num s;
    num c;
    NAME(sincos)(x, &s, &c);
    return s;
})

ELEMENTARY(cos, static inline num NAME(cos)(num x)
{
    num s;
    num c;
    NAME(sincos)(x, &s, &c);
    return c;
})

/* 2^n exp(r + c), n in the last digits of k. Off by 3.6e-18 of r^2. */
ELEMENTARY(grown, static inline num NAME(grown)(num k, num r, num c)
{
    num z = r * r;
    num z2 = z * z;
    num q = (0x1.000000000000bp-1 + r * 0x1.5555555555561p-3) + z * (0x1.5555555550337p-5 + r * 0x1.111111110d742p-7);
    num p = (0x1.6c16c18527b61p-10 + r * 0x1.a01a01ba9cd59p-13) + z * (0x1.a01997a4db2e3p-16 + r * 0x1.71dde0469ab35p-19);
    num sum = 1 + r;
    num left = (1 - sum) + r;
    num e = sum + (left + (c + z * (q + z2 * (p + z2 * (0x1.28af7c4813219p-22 + r * 0x1.af84ec0cf75bbp-26)))));
    return num_of(whole_of(e) + (whole_of(k) << 52));
})

/* x = n ln 2 + r + c, |x| < 708. */
ELEMENTARY(exp_near, static inline num NAME(exp_near)(num x)
{
    num k = x * 0x1.71547652b82fep+0 + 0x1.8p+52;
    num n = k - 0x1.8p+52;
    num first = x - n * 0x1.62e42fefa38p-1;
    num second = n * 0x1.ef35793c7673p-45;
    num r = first - second;
    return NAME(grown)(k, r, (first - r) - second);
})

ELEMENTARY(exp, static inline num NAME(exp)(num x)
{
    if (!all(below(NAME(size)(x), each(708)))) return FAR(exp, x);
    return NAME(exp_near)(x);
})

/* x = 2^k (1 + f), 1/2 <= (1 + f)^2 < 2. */
ELEMENTARY(split, static inline num NAME(split)(num x, num *k)
{
    whole e = (whole_of(x) + 0x95f619980c433u) >> 52;
    *k = num_of(e | 0x4330000000000000u) - (0x1p+52 + 1023);
    return num_of(whole_of(x) - ((e - 1023) << 52)) - 1;
})

/* (2 artanh s - 2 s)/s of z = s^2, off by 2.5e-19 of z. */
ELEMENTARY(artanh_rest, static inline num NAME(artanh_rest)(num z)
{
    num z2 = z * z;
    return z * ((0x1.55555555555d6p-1 + z * 0x1.999999996e3c7p-2) + z2 * ((0x1.2492494f10855p-2 + z * 0x1.c71c48ae6c709p-3)
           + z2 * ((0x1.7467f971266b1p-3 + z * 0x1.3978d3794f36bp-3) + z2 * 0x1.308451d02fa1fp-3)));
})

/* log(1 + f) = 2 artanh s = f - h + s (h + R), s = f/(2 + f), h = f^2/2. */
ELEMENTARY(log_parts, static inline num NAME(log_parts)(num x, num *k, num *f, num *h)
{
    *f = NAME(split)(x, k);
    *h = 0.5 * *f * *f;
    num s = *f / (2 + *f);
    return s * (*h + NAME(artanh_rest)(s * s));
})

ELEMENTARY(log_far, static inline int NAME(log_far)(num x)
{
    return !all(at_least(x, each(0x1p-1022)) & below(x, each(INFINITY)));
})

ELEMENTARY(log, static inline num NAME(log)(num x)
{
    num k;
    num f;
    num h;
    if (NAME(log_far)(x)) return FAR(log, x);
    num rest = NAME(log_parts)(x, &k, &f, &h);
    return k * 0x1.62e42feep-1 - ((h - (rest + k * 0x1.a39ef35793c76p-33)) - f);
})

/* The first 26 digits: products of two such numbers make no rounding. */
ELEMENTARY(front, static inline num NAME(front)(num x)
{
    return num_of(whole_of(x) & 0xfffffffff8000000u);
})

ELEMENTARY(log10, static inline num NAME(log10)(num x)
{
    num k;
    num f;
    num h;
    if (NAME(log_far)(x)) return FAR(log10, x);
    num rest = NAME(log_parts)(x, &k, &f, &h);
    num front = NAME(front)(f - h);
    num back = ((f - front) - h) + rest;
    num a = k * 0x1.34413509f78p-2;
    num b = front * 0x1.bcb7b1p-2;
    num sum = a + b;
    num left = (a - sum) + b;
    return sum + (left + ((k * 0x1.fef311f12b358p-46 + (back + front) * 0x1.49b9438ca9aaep-28) + back * 0x1.bcb7b1p-2));
})

/* exp(y log x) with log x in two parts, in all some 59 digits: where y log x is above 32, or y a whole number, whose powers
 * may be exact, that is not enough. */
ELEMENTARY(pow, static inline num NAME(pow)(num x, num y)
{
    num k;
    num f = NAME(split)(x, &k);
    num t = 2 + f;
    num turned = 1 / t;
    num s = f * turned;
    num sf = NAME(front)(s);
    num tf = NAME(front)(t);
    num sb = ((f - sf * tf) - sf * (f - (tf - 2))) * turned;
    num a = k * 0x1.62e42fefa38p-1;
    num b = 2 * sf;
    num sum = a + b;
    num rest = ((a - sum) + b) + (k * 0x1.ef35793c7673p-45 + (2 * sb + s * NAME(artanh_rest)(s * s)));
    num lf = NAME(front)(sum + rest);
    num lb = rest - (lf - sum);
    num yf = NAME(front)(y);
    num first = yf * lf;
    num second = (y - yf) * lf + y * lb;
    num turns = (first + second) * 0x1.71547652b82fep+0 + 0x1.8p+52;
    num n = turns - 0x1.8p+52;
    num near = (y + 0x1.8p+52) - 0x1.8p+52;
    if (NAME(log_far)(x) | !all(below(NAME(size)(first), each(32)) & (below(near, y) | below(y, near)))) return FAR2(pow, x, y);
    first = first - n * 0x1.62e42fefa38p-1;
    second = second - n * 0x1.ef35793c7673p-45;
    num r = first + second;
    return NAME(grown)(turns, r, (first - r) + second);
})

/* Below 0.75 by the continued fraction y/(1 + y^2/(3 + y^2/(5 + ...))), up to 17: J. H. Lambert, Mem. Acad. Berlin 17 (1761)
 * 265-322. Its ninth convergent is y - y^3 N(y^2)/Q(y^2) with whole numbers as coefficients, and 1.5e-19 away at 0.75. Above,
 * 1 - 2/(exp(2 y) + 1), which is 1 from 22 on. */
ELEMENTARY(tanh, static inline num NAME(tanh)(num x)
{
    num y = NAME(size)(x);
    num t = y;
    whole large = at_least(y, each(0.75));
    if (!all(large)) {
        num z = y * y;
        num z2 = z * z;
        num N = (11486475 + 810810 * z) + z2 * (12870 + 44 * z);
        num Q = (34459425 + 16216200 * z) + z2 * ((945945 + 13860 * z) + 45 * z2);
        t = y - y * z * N / Q;
    }
    if (any(large)) {
        num top = NAME(pick)(below(y, each(22)), y, each(22));
        t = NAME(pick)(large, 1 - 2 / (NAME(exp_near)(2 * top) + 1), t);
    }
    return num_of(whole_of(t) | (whole_of(x) & 0x8000000000000000u));
})
// clang-format on
