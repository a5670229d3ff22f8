/* Elementary functions for GPUs, whose double precision ends at the square root.
 *
 * Compiled by clang to PTX when Vincolo is built, and by any compiler for the tests that hold them
 * against the C library: nothing is included. Arguments are reduced with exact products (fma), what is
 * left is a Taylor series of its own length, whose coefficients are known; no table but that of
 * atan(k/8) and of 2/pi. Errors are below 1.1 units in the last place, of tan, asin, acos and cosh
 * below 3, of sinh and tanh below 4; of pow below 4, where the result is beyond 1e100 or so
 * (tests/unit/target/ptx_math.c). Ideas: W. J. Cody & W. Waite, Software Manual for the Elementary
 * Functions, 1980; M. H. Payne & R. N. Hanek, SIGNUM Newsletter 18 (1983) 19-24.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/ptx_math.h"

typedef unsigned long long bits;

#define INFINITE   (__builtin_inf())
#define NO_NUMBER  (__builtin_nan(""))
#define FMA        __builtin_fma
#define MAGNITUDE  __builtin_fabs
#define SIGN_OF    __builtin_copysign
#define TO_INTEGER __builtin_rint

static const double PI_HALF = 0x1.921fb54442d18p+0, PI_HALF_REST = 0x1.1a62633145c07p-54,
                    PI_HALF_LAST = -0x1.f1976b7ed8fbcp-110, TWO_BY_PI = 0x1.45f306dc9c883p-1,
                    PI = 0x1.921fb54442d18p+1, PI_REST = 0x1.1a62633145c07p-53,
                    LN2 = 0x1.62e42fefa39efp-1, LN2_REST = 0x1.abc9e3b39803fp-56,
                    LN2_SHORT = 0x1.62e42fef00000p-1, LN2_SHORT_REST = 0x1.473de6af278edp-34,
                    LOG2_E = 0x1.71547652b82fep+0, LOG10_E = 0x1.bcb7b1526e50ep-2,
                    LOG10_E_REST = 0x1.95355baaafad3p-57;

static bits bits_of(double x)
{
    bits b;
    __builtin_memcpy(&b, &x, sizeof b);
    return b;
}

static double double_of(bits b)
{
    double x;
    __builtin_memcpy(&x, &b, sizeof x);
    return x;
}

static double power_of_2(int k) // for normal numbers
{
    return double_of((bits)(1023 + k) << 52);
}

/* ---- exponential ----------------------------------------------------------------------------- */

/* (exp(r) - 1 - r)/r^2 for |r| below 0.36. */
static double exp_series(double r)
{
    double s = 1.0 / 6227020800; // 13!
    s = FMA(s, r, 1.0 / 479001600);
    s = FMA(s, r, 1.0 / 39916800);
    s = FMA(s, r, 1.0 / 3628800);
    s = FMA(s, r, 1.0 / 362880);
    s = FMA(s, r, 1.0 / 40320);
    s = FMA(s, r, 1.0 / 5040);
    s = FMA(s, r, 1.0 / 720);
    s = FMA(s, r, 1.0 / 120);
    s = FMA(s, r, 1.0 / 24);
    s = FMA(s, r, 1.0 / 6);
    return FMA(s, r, 0.5);
}

/* exp(x + rest). */
static double exp_of(double x, double rest)
{
    if (x != x) return x;
    if (x > 709.79) return INFINITE;
    if (x < -745.2) return 0;
    double k = TO_INTEGER(x * LOG2_E), r = FMA(-k, LN2, x);
    rest = FMA(-k, LN2_REST, rest);
    double s = r + rest;
    rest += r - s;
    double e = 1 + (s + FMA(s * s, exp_series(s), rest));
    int n = (int)k, half = n / 2;
    return e * power_of_2(half) * power_of_2(n - half);
}

double vinc_exp(double x)
{
    return exp_of(x, 0);
}

static double exp_minus_1(double x)
{
    return MAGNITUDE(x) < 0.36 ? FMA(x * x, exp_series(x), x) : exp_of(x, 0) - 1;
}

/* ---- logarithms ------------------------------------------------------------------------------ */

/* x = m 2^e with m between the roots of 1/2 and 2; x is positive and finite. */
static double log_split(double x, double *e)
{
    int shift = 0;
    if (x < 0x1p-1022) x *= 0x1p54, shift = -54;
    bits b = bits_of(x);
    int k = (int)(b >> 52) - 1023;
    double m = double_of((b & 0xFFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    if (m > 0x1.6a09e667f3bcdp+0) m *= 0.5, k++;
    *e = k + shift;
    return m;
}

/* sum of 2 z^k/(2k + 1) from k = 1, z = s^2: what atanh adds to 2 s, over s; z below 0.0295. */
static double log_series(double z)
{
    double r = 2.0 / 23;
    r = FMA(r, z, 2.0 / 21);
    r = FMA(r, z, 2.0 / 19);
    r = FMA(r, z, 2.0 / 17);
    r = FMA(r, z, 2.0 / 15);
    r = FMA(r, z, 2.0 / 13);
    r = FMA(r, z, 2.0 / 11);
    r = FMA(r, z, 2.0 / 9);
    r = FMA(r, z, 2.0 / 7);
    r = FMA(r, z, 2.0 / 5);
    return FMA(r, z, 2.0 / 3) * z;
}

/* log(x) = high + *low for positive finite x. */
static double log_of(double x, double *low)
{
    double e, m = log_split(x, &e), f = m - 1, d = 2 + f, d_rest = f - (d - 2);
    double s = f / d, s_rest = (FMA(-s, d, f) - s * d_rest) / d;
    double tail = FMA(s, log_series(s * s), 2 * s_rest);
    double high = e * LN2_SHORT, sum = high + 2 * s;
    double lost = MAGNITUDE(high) > MAGNITUDE(2 * s) ? (high - sum) + 2 * s : (2 * s - sum) + high;
    tail += FMA(e, LN2_SHORT_REST, lost);
    double result = sum + tail;
    *low = (sum - result) + tail;
    return result;
}

static double log_special(double x) // of what is not positive and finite
{
    return x == 0 ? -INFINITE : x > 0 ? x : NO_NUMBER;
}

double vinc_log(double x)
{
    double low;
    return x > 0 && x < INFINITE ? log_of(x, &low) : log_special(x);
}

double vinc_log10(double x)
{
    if (!(x > 0 && x < INFINITE)) return log_special(x);
    double low, high = log_of(x, &low), product = high * LOG10_E;
    return product + FMA(high, LOG10_E, -product) + FMA(high, LOG10_E_REST, low * LOG10_E);
}

/* ---- power ----------------------------------------------------------------------------------- */

/* 0: not an integer, 1: an odd one, 2: an even one. */
static int kind_of_integer(double y)
{
    double a = MAGNITUDE(y);
    if (a >= 0x1p53) return 2;
    if (__builtin_trunc(a) != a) return 0;
    return (long long)a & 1 ? 1 : 2;
}

double vinc_pow(double x, double y)
{
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return NO_NUMBER;
    double a = MAGNITUDE(x);
    int whole = kind_of_integer(y);
    double sign = x < 0 && whole == 1 ? -1 : 1;
    if (MAGNITUDE(y) == INFINITE) return a == 1 ? 1 : (a > 1) == (y > 0) ? INFINITE : 0;
    if (a == 0 || a == INFINITE) {
        double large = (a == 0) == (y < 0) ? INFINITE : 0;
        return whole == 1 ? SIGN_OF(large, x) : large;
    }
    if (x < 0 && !whole) return NO_NUMBER;
    double low, high = log_of(a, &low), product = high * y;
    if (!(MAGNITUDE(product) < 800)) return sign * (product > 0 ? INFINITE : 0);
    return sign * exp_of(product, FMA(high, y, -product) + low * y);
}

/* ---- angles ---------------------------------------------------------------------------------- */

static const bits two_by_pi[19] = {
    0xA2F9836E4E441529ULL, 0xFC2757D1F534DDC0ULL, 0xDB6295993C439041ULL, 0xFE5163ABDEBBC561ULL,
    0xB7246E3A424DD2E0ULL, 0x06492EEA09D1921CULL, 0xFE1DEB1CB129A73EULL, 0xE88235F52EBB4484ULL,
    0xE99C7026B45F7E41ULL, 0x3991D639835339F4ULL, 0x9C845F8BBDF9283BULL, 0x1FF897FFDE05980FULL,
    0xEF2F118B5A0A6D1FULL, 0x6D367ECF27CB09B7ULL, 0x4F463F669E5FEA2DULL, 0x7527BAC7EBE5F17BULL,
    0x3D0739F78A5292EAULL, 0x6BFB5FB11F8D5D08ULL, 0x56033046FC7B6BABULL};

static bits high_product(bits a, bits b)
{
    return (bits)((unsigned __int128)a * b >> 64);
}

/* 64 bits of 2/pi from bit `at` on. */
static bits digits(int at)
{
    int word = at >> 6, shift = at & 63;
    return shift ? two_by_pi[word] << shift | two_by_pi[word + 1] >> (64 - shift) : two_by_pi[word];
}

/* The same as reduce below for arguments above 2^30: x = m 2^e, and of m 2/pi only the bits that are
 * not multiples of 4 matter, and 128 after them. */
static int reduce_large(double x, double *high, double *low)
{
    bits b = bits_of(x), m = (b & 0xFFFFFFFFFFFFFULL) | 0x10000000000000ULL;
    int at = (int)(b >> 52 & 2047) - 1075 - 13; // digits before it give multiples of 4
    m <<= 11;
    bits d0, d1, d2;
    if (at < 0) { // zeros before the first bit
        int shift = -at;
        d0 = two_by_pi[0] >> shift;
        d1 = two_by_pi[0] << (64 - shift) | two_by_pi[1] >> shift;
        d2 = two_by_pi[1] << (64 - shift) | two_by_pi[2] >> shift;
    } else {
        d0 = digits(at);
        d1 = digits(at + 64);
        d2 = digits(at + 128);
    }
    // The product modulo 2^192; its upper two bits are the quadrant.
    bits q = m * d1, p1 = high_product(m, d2) + q, p2 = m * d0 + high_product(m, d1) + (p1 < q);
    int quadrant = (int)(p2 >> 62);
    p2 = p2 << 2 | p1 >> 62;
    p1 <<= 2;
    int negative = (int)(p2 >> 63); // nearer to the next quadrant
    if (negative) quadrant++, p2 = ~p2, p1 = ~p1;
    double fraction_high = (double)(p2 >> 11) * 0x1p-53;
    double fraction_low = (double)((p2 & 2047) << 42 | p1 >> 22) * 0x1p-106;
    double f = fraction_high + fraction_low, f_rest = (fraction_high - f) + fraction_low;
    double r = f * PI_HALF, r_rest = FMA(f, PI_HALF, -r) + FMA(f, PI_HALF_REST, f_rest * PI_HALF);
    int flip = negative ^ (x < 0);
    *high = flip ? -r : r;
    *low = flip ? -r_rest : r_rest;
    return x < 0 ? -quadrant : quadrant;
}

/* x = k pi/2 + high + low, |high| at most pi/4; gives k modulo 4. */
static int reduce(double x, double *high, double *low)
{
    if (MAGNITUDE(x) >= 0x1p30) return reduce_large(x, high, low) & 3;
    double k = TO_INTEGER(x * TWO_BY_PI);
    double r = FMA(-k, PI_HALF, x); // exact
    double w = k * PI_HALF_REST, w_rest = FMA(k, PI_HALF_REST, -w) + k * PI_HALF_LAST;
    double h = r - w;
    *low = ((r - h) - w) - w_rest;
    *high = h;
    return (int)(long long)k & 3;
}

static double sin_series(double r, double rest)
{
    double z = r * r, s = 1.0 / 355687428096000; // 17!
    s = FMA(s, z, -1.0 / 1307674368000);
    s = FMA(s, z, 1.0 / 6227020800);
    s = FMA(s, z, -1.0 / 39916800);
    s = FMA(s, z, 1.0 / 362880);
    s = FMA(s, z, -1.0 / 5040);
    s = FMA(s, z, 1.0 / 120);
    s = FMA(s, z, -1.0 / 6);
    return r + FMA(r * z, s, FMA(-0.5 * z, rest, rest));
}

static double cos_series(double r, double rest)
{
    double z = r * r, s = 1.0 / 20922789888000; // 16!
    s = FMA(s, z, -1.0 / 87178291200);
    s = FMA(s, z, 1.0 / 479001600);
    s = FMA(s, z, -1.0 / 3628800);
    s = FMA(s, z, 1.0 / 40320);
    s = FMA(s, z, -1.0 / 720);
    s = FMA(s, z, 1.0 / 24);
    double half = 0.5 * z, w = 1 - half, lost = (1 - w) - half - 0.5 * FMA(r, r, -z);
    return w + (FMA(z * z, s, -r * rest) + lost);
}

double vinc_sin(double x)
{
    double r, rest;
    if (!(MAGNITUDE(x) < INFINITE)) return NO_NUMBER;
    if (MAGNITUDE(x) < 0x1p-27) return x;
    int k = reduce(x, &r, &rest);
    double s = k & 1 ? cos_series(r, rest) : sin_series(r, rest);
    return k & 2 ? -s : s;
}

double vinc_cos(double x)
{
    double r, rest;
    if (!(MAGNITUDE(x) < INFINITE)) return NO_NUMBER;
    int k = reduce(x, &r, &rest);
    double c = k & 1 ? sin_series(r, rest) : cos_series(r, rest);
    return (k + 1) & 2 ? -c : c;
}

double vinc_tan(double x)
{
    double r, rest;
    if (!(MAGNITUDE(x) < INFINITE)) return NO_NUMBER;
    if (MAGNITUDE(x) < 0x1p-27) return x;
    int k = reduce(x, &r, &rest);
    double s = sin_series(r, rest), c = cos_series(r, rest);
    return k & 1 ? -c / s : s / c;
}

/* ---- inverse functions of angles ------------------------------------------------------------- */

static const double atan_eighths[9][2] = {{0, 0},
                                          {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                          {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                          {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                          {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                          {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                          {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                          {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                          {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/* atan(y/x) for 0 <= y <= x, x > 0: with c = k/8 near y/x it is atan(c) + atan((y - c x)/(x + c y)). */
static double atan_below_1(double y, double x, double *low)
{
    int k = (int)TO_INTEGER(8 * (y / x));
    double c = k / 8.0, top = FMA(-c, x, y), bottom = FMA(c, y, x);
    double t = top / bottom, z = t * t, s = -1.0 / 15;
    double t_rest = FMA(-t, bottom, top) / bottom;
    s = FMA(s, z, 1.0 / 13);
    s = FMA(s, z, -1.0 / 11);
    s = FMA(s, z, 1.0 / 9);
    s = FMA(s, z, -1.0 / 7);
    s = FMA(s, z, 1.0 / 5);
    s = FMA(s, z, -1.0 / 3);
    double tail = FMA(t * z, s, atan_eighths[k][1] + t_rest);
    double sum = atan_eighths[k][0] + t, lost = (atan_eighths[k][0] - sum) + t;
    if (!k) lost = 0;
    tail += lost;
    double result = sum + tail;
    *low = (sum - result) + tail;
    return result;
}

/* The angle of the point (x, y) with both positive or 0, not both 0 and not both infinite. */
static double angle(double y, double x, double *low)
{
    double rest, a;
    if (y <= x) return atan_below_1(y, x, low);
    a = atan_below_1(x, y, &rest);
    double result = PI_HALF - a;
    *low = ((PI_HALF - result) - a) + (PI_HALF_REST - rest);
    return result;
}

/* Away from the ends of the range, where sums and products would overflow or vanish. */
static void angle_scale(double *y, double *x)
{
    double most = *y > *x ? *y : *x;
    if (most > 0x1p1000) *y *= 0x1p-100, *x *= 0x1p-100;
    if (most < 0x1p-900) *y *= 0x1p500, *x *= 0x1p500;
}

double vinc_atan2(double y, double x)
{
    if (x != x || y != y) return NO_NUMBER;
    double a = MAGNITUDE(y), b = MAGNITUDE(x), low = 0, r;
    if (a == INFINITE && b == INFINITE) a = b = 1;
    if (a == 0 && b == 0) {
        r = 0;
    } else if (a == INFINITE || b == 0) {
        r = PI_HALF;
        low = PI_HALF_REST;
    } else if (b == INFINITE) {
        r = 0;
    } else {
        double tiny = a / b;
        angle_scale(&a, &b);
        r = angle(a, b, &low);
        if (tiny < 0x1p-1000) r = tiny, low = 0;
    }
    if (SIGN_OF(1.0, x) < 0) {
        double s = PI - r;
        low = ((PI - s) - r) + (PI_REST - low);
        r = s;
    }
    return SIGN_OF(r + low, y);
}

double vinc_atan(double x)
{
    if (x != x) return x;
    return vinc_atan2(x, 1);
}

double vinc_asin(double x)
{
    if (!(MAGNITUDE(x) <= 1)) return NO_NUMBER;
    if (MAGNITUDE(x) < 0x1p-27) return x;
    return vinc_atan2(x, __builtin_sqrt((1 - x) * (1 + x)));
}

double vinc_acos(double x)
{
    if (!(MAGNITUDE(x) <= 1)) return NO_NUMBER;
    return 2 * vinc_atan2(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x));
}

/* ---- hyperbolic functions -------------------------------------------------------------------- */

double vinc_sinh(double x)
{
    double a = MAGNITUDE(x), s;
    if (a < 0x1p-27) return x;
    if (a < 22) {
        double t = exp_minus_1(a);
        s = 0.5 * (t + t / (t + 1));
    } else {
        double h = exp_of(0.5 * a, 0);
        s = 0.5 * h * h;
    }
    return SIGN_OF(s, x);
}

double vinc_cosh(double x)
{
    double a = MAGNITUDE(x);
    if (a < 22) {
        double e = exp_of(a, 0);
        return 0.5 * e + 0.5 / e;
    }
    double h = exp_of(0.5 * a, 0);
    return 0.5 * h * h;
}

double vinc_tanh(double x)
{
    double a = MAGNITUDE(x);
    if (a < 0x1p-27) return x;
    if (a > 22) return SIGN_OF(1.0, x);
    double t = exp_minus_1(2 * a), r = t / (t + 2);
    return SIGN_OF(r, x);
}
