/* SPDX-License-Identifier: BSD-3-Clause */
#include "result/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

// A power is at most 345 truncations away from an exact one, each below 2^-127 of it: 690 units in
// the last place of a product, and two of its own.
enum { PRODUCT_ERROR_ULPS = 1000 };

/* ---- powers ---------------------------------------------------------------------------------- */

static void power_store(result_powers *p, int k, u128 m, int e)
{
    p->hi[k - DECIMAL_LOW] = (uint64_t)(m >> 64);
    p->lo[k - DECIMAL_LOW] = (uint64_t)m;
    p->exp2[k - DECIMAL_LOW] = (int16_t)e;
}

void result_powers_init(result_powers *p)
{
    const u128 one = (u128)1 << 127;
    u128 m = one;
    int e = -127;
    power_store(p, 0, m, e);
    // m * 10 = (m + m/4) * 8; the sum overflows 128 bits when m is large
    for (int k = 1; k <= DECIMAL_HIGH; k++) {
        u128 q = m + (m >> 2);
        bool carry = q < m;
        m = carry ? q >> 1 | one : q;
        e += 3 + carry;
        power_store(p, k, m, e);
    }
    m = one;
    e = -127;
    // m / 10, with 3 or 4 more bits in the dividend to keep the top bit set
    for (int k = -1; k >= DECIMAL_LOW; k--) {
        u128 q = m / 10, r = m % 10;
        int up = 0;
        while (!(q >> 127)) {
            r *= 2;
            q = q * 2 + (r >= 10);
            if (r >= 10) r -= 10;
            up++;
        }
        m = q;
        e -= up;
        power_store(p, k, m, e);
    }
}

/* The top 128 bits of f * 10^k, where f has its top bit set: f 10^k = *m 2^*e, truncated. */
static void power_scale(const result_powers *p, uint64_t f, int k, u128 *m, int *e)
{
    u128 high = (u128)f * p->hi[k - DECIMAL_LOW], low = (u128)f * p->lo[k - DECIMAL_LOW];
    *m = high + (low >> 64);
    *e = p->exp2[k - DECIMAL_LOW] + 64;
}

static bool near_half(u128 rest, u128 half)
{
    u128 d = rest > half ? rest - half : half - rest;
    return d <= PRODUCT_ERROR_ULPS;
}

/* ---- writing --------------------------------------------------------------------------------- */

static const uint64_t ten16 = 10000000000000000u;

static uint64_t decimal_digits_slow(double x, int *exponent)
{
    char s[48];
    snprintf(s, sizeof s, "%.16e", x);
    uint64_t d = 0;
    const char *c = s;
    for (; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9') d = d * 10 + (uint64_t)(*c - '0');
    *exponent = *c ? atoi(c + 1) : 0;
    return d;
}

/* 17 digits of x > 0, the first at 10^*exponent. */
static uint64_t decimal_digits(const result_powers *p, double x, int *exponent)
{
    uint64_t f;
    memcpy(&f, &x, sizeof f);
    int e = (int)(f >> 52) - 1022; // x in [2^(e-1), 2^e)
    f = f << 11 | (uint64_t)1 << 63;
    if (e == -1022) { // below the normal numbers
        double fraction = frexp(x, &e);
        f = (uint64_t)ldexp(fraction, 64 - 11) << 11;
    }
    // x = f 2^(e-64); log10(2) = 0.30103, so the guess is right or one too small
    int d = (int)floor((e - 1) * 0.30102999566398120);
    for (;; d++) {
        u128 m;
        int e2;
        power_scale(p, f, 16 - d, &m, &e2);
        int shift = -(e2 + e - 64);
        u128 whole = m >> shift, half = (u128)1 << (shift - 1);
        u128 rest = m & ((half << 1) - 1);
        if (whole >= ten16 * 10) continue;
        if (near_half(rest, half)) return decimal_digits_slow(x, exponent);
        uint64_t v = (uint64_t)whole + (rest > half);
        if (v == ten16 * 10) {
            v = ten16;
            d++;
        }
        *exponent = d;
        return v;
    }
}

static void put_two_digits(char *out, unsigned v)
{
#define TENS(t) t "0" t "1" t "2" t "3" t "4" t "5" t "6" t "7" t "8" t "9"
    static const char pairs[] = TENS("0") TENS("1") TENS("2") TENS("3") TENS("4") TENS("5")
        TENS("6") TENS("7") TENS("8") TENS("9");
#undef TENS
    memcpy(out, pairs + 2 * v, 2);
}

static void put_eight_digits(char *out, unsigned v) // parts that do not wait for each other
{
    unsigned high = v / 10000, low = v % 10000;
    put_two_digits(out, high / 100);
    put_two_digits(out + 2, high % 100);
    put_two_digits(out + 4, low / 100);
    put_two_digits(out + 6, low % 100);
}

int result_print_number(const result_powers *p, double x, char out[DECIMAL_MAX_CHARS])
{
    char *o = out;
    if (isnan(x)) return (int)strlen(strcpy(out, "nan"));
    if (signbit(x)) *o++ = '-', x = -x;
    if (isinf(x)) return (int)(strlen(strcpy(o, "inf")) + (size_t)(o - out));
    if (x == 0) {
        strcpy(o, "0");
        return (int)(o - out) + 1;
    }
    int d;
    uint64_t v = decimal_digits(p, x, &d);
    char s[18];
    s[0] = (char)('0' + v / ten16);
    put_eight_digits(s + 1, (unsigned)(v % ten16 / 100000000));
    put_eight_digits(s + 9, (unsigned)(v % 100000000));
    int n = 17;
    while (n > 1 && s[n - 1] == '0') n--;

    if (d < -4 || d >= 17) { // d.ddde+XX
        *o++ = s[0];
        if (n > 1) *o++ = '.';
        memcpy(o, s + 1, (size_t)n - 1);
        o += n - 1;
        *o++ = 'e';
        *o++ = d < 0 ? '-' : '+';
        unsigned a = (unsigned)(d < 0 ? -d : d);
        if (a >= 100) *o++ = (char)('0' + a / 100);
        put_two_digits(o, a % 100);
        o += 2;
    } else if (d < 0) { // 0.000ddd
        memcpy(o, "0.0000", 6);
        o += 1 - d;
        memcpy(o, s, (size_t)n);
        o += n;
    } else { // ddd.ddd; the digits before the point may end in zeros
        for (int i = 0; i <= d; i++) *o++ = i < n ? s[i] : '0';
        if (n > d + 1) {
            *o++ = '.';
            memcpy(o, s + d + 1, (size_t)(n - d - 1));
            o += n - d - 1;
        }
    }
    *o = 0;
    return (int)(o - out);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* w 10^k to the nearest double; false when the remainder does not decide or the result is not a
 * normal number. */
static bool decimal_nearest(const result_powers *p, uint64_t w, int k, double *x)
{
    if (k < DECIMAL_LOW || k > DECIMAL_HIGH) return false;
    int up = 0;
    while (!(w >> 63)) w <<= 1, up++;
    u128 m;
    int e;
    power_scale(p, w, k, &m, &e);
    e -= up;
    if (!(m >> 127)) m <<= 1, e--;
    u128 half = (u128)1 << 74, rest = m & ((half << 1) - 1);
    if (near_half(rest, half)) return false;
    uint64_t mantissa = (uint64_t)(m >> 75) + (rest > half);
    e += 75;
    if (e < -1022 - 52 || e > 1023 - 52) return false; // subnormal, or overflow
    *x = ldexp((double)mantissa, e);
    return true;
}

/* The C library's answer for `digits` (without a point) times 10^k. More than 800 digits cannot
 * matter except by not being zero (767 are needed for the longest halfway case). */
static double scan_slow(const char *s, size_t n, char point, long k)
{
    char b[840];
    size_t used = 0;
    bool sticky = false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == point || (s[i] == '0' && used == 0)) continue;
        if (used < 800) b[used++] = s[i];
        else sticky |= s[i] != '0', k++;
    }
    if (sticky) b[used++] = '1', k--;
    snprintf(b + used, sizeof b - used, "e%ld", k);
    return strtod(b, NULL);
}

static size_t scan_word(const char *s, size_t n, const char *word)
{
    size_t i = 0;
    for (; word[i]; i++)
        if (i >= n || (s[i] | 0x20) != word[i]) return 0;
    return i;
}

size_t result_scan(const result_powers *p, const char *s, size_t n, char point, double *x)
{
    size_t i = 0, used;
    bool minus = false;
    if (i < n && (s[i] == '+' || s[i] == '-')) minus = s[i++] == '-';
    if ((used = scan_word(s + i, n - i, "infinity")) || (used = scan_word(s + i, n - i, "inf"))) {
        *x = minus ? -INFINITY : INFINITY;
        return i + used;
    }
    if ((used = scan_word(s + i, n - i, "nan"))) {
        *x = NAN;
        return i + used;
    }

    // digits, at most 19 of them kept
    size_t first = i;
    uint64_t w = 0;
    int kept = 0, n_digits = 0;
    bool dropped = false, seen_point = false;
    long k = 0, fraction = 0; // exponent for w; digits after the point in all
    for (; i < n; i++) {
        if (s[i] == point && !seen_point) {
            seen_point = true;
            continue;
        }
        if (s[i] < '0' || s[i] > '9') break;
        if (n_digits < 2) n_digits++;
        fraction += seen_point;
        if (kept < 19) {
            w = w * 10 + (uint64_t)(s[i] - '0');
            kept += w > 0;
            k -= seen_point;
        } else {
            dropped |= s[i] != '0';
            k += !seen_point;
        }
    }
    if (n_digits == 0) return 0;
    size_t last = i;

    long exponent = 0;
    if (i < n && (s[i] | 0x20) == 'e') {
        size_t j = i + 1;
        bool negative = false;
        if (j < n && (s[j] == '+' || s[j] == '-')) negative = s[j++] == '-';
        if (j < n && s[j] >= '0' && s[j] <= '9') {
            for (; j < n && s[j] >= '0' && s[j] <= '9'; j++)
                if (exponent < 100000000) exponent = exponent * 10 + (s[j] - '0');
            if (negative) exponent = -exponent;
            i = j;
        }
    }

    double v = 0, above;
    if (w > 0) {
        long power = k + exponent;
        int clipped = power < -10000 ? -10000 : power > 10000 ? 10000 : (int)power;
        bool sure = decimal_nearest(p, w, clipped, &v);
        // digits were dropped: the truth is between w and w + 1
        if (sure && dropped) sure = decimal_nearest(p, w + 1, clipped, &above) && above == v;
        if (!sure) v = scan_slow(s + first, last - first, point, exponent - fraction);
    }
    *x = minus ? -v : v;
    return i;
}
