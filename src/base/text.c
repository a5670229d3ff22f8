/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_init(text *t, mem *m)
{
    *t = (text){.m = m};
}

void text_done(text *t)
{
    mem_free(t->m, t->at, t->cap);
    t->at = NULL;
    t->n = t->cap = 0;
}

void text_clear(text *t)
{
    t->n = 0;
    if (t->at) t->at[0] = 0;
}

const char *text_str(const text *t)
{
    return t->at ? t->at : "";
}

// Place for n more bytes and a NUL; NULL when there is no memory and no guard to jump to.
static char *text_room(text *t, size_t n)
{
    if (t->n + n + 1 > t->cap) {
        size_t cap = 2 * t->cap;
        if (cap < t->n + n + 1) cap = t->n + n + 64;
        char *at = t->m->guard ? mem_grow(t->m, t->at, t->cap, cap)
                               : t->m->resize(t->m->user, t->at, t->cap, cap);
        if (!at) return NULL;
        t->at = at;
        t->cap = cap;
    }
    return t->at + t->n;
}

void text_add_n(text *t, const char *s, size_t n)
{
    char *p = text_room(t, n);
    if (!p) return;
    if (n) memcpy(p, s, n);
    p[n] = 0;
    t->n += n;
}

void text_add(text *t, const char *s)
{
    text_add_n(t, s, strlen(s));
}

/* The bytes of the control character at s, its code in *code; 0: it is none. In UTF-8, where bytes
 * that are none are controls of 8-bit terminals. */
static int text_control(const char *s, unsigned *code)
{
    unsigned char a = (unsigned char)s[0], b = a ? (unsigned char)s[1] : 0;
    *code = a;
    if (a < 0x20) return a != '\n' && a != '\t' && a ? 1 : 0;
    if (a == 0x7f) return 1;
    if (a == 0xc2 && b >= 0x80 && b <= 0x9f) return *code = b, 2;
    if (a != 0xe2 || (b != 0x80 && b != 0x81)) return 0;
    unsigned char c = (unsigned char)s[2];
    *code = 0x2000u + (b - 0x80u) * 0x40u + (c - 0x80u);
    bool turns = *code == 0x200e || *code == 0x200f || (*code >= 0x202a && *code <= 0x202e) ||
                 (*code >= 0x2066 && *code <= 0x2069);
    return turns ? 3 : 0;
}

/* Bytes of the character at s; 1 for a byte that begins none. */
static int text_length(const char *s)
{
    unsigned char a = (unsigned char)s[0];
    int n = a < 0xc2 ? 1 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : a < 0xf5 ? 4 : 1;
    for (int i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80) return 1;
    return n;
}

int text_next_plain(const char **s, char out[TEXT_SPELT_BYTES])
{
    unsigned code;
    if (!**s) return 0;
    int n = text_control(*s, &code), k = n ? n : text_length(*s), written = k;
    bool stray = !n && k == 1 && (unsigned char)**s >= 0x80;
    if (n > 1) written = snprintf(out, TEXT_SPELT_BYTES, "\\u%04x", code & 0xffffu);
    else if (n || stray) written = snprintf(out, TEXT_SPELT_BYTES, "\\x%02x", (unsigned char)**s);
    else memcpy(out, *s, (size_t)k);
    *s += k;
    return written;
}

void text_add_plain(text *t, const char *s)
{
    char one[TEXT_SPELT_BYTES];
    for (int n; (n = text_next_plain(&s, one)) > 0;) text_add_n(t, one, (size_t)n);
}

void text_plain(char *s)
{
    while (*s) {
        unsigned code;
        int n = text_control(s, &code), k = n ? n : text_length(s);
        if (n || (k == 1 && (unsigned char)*s >= 0x80)) memset(s, '?', (size_t)k);
        s += k;
    }
}

void text_char(text *t, char c)
{
    text_add_n(t, &c, 1);
}

void text_pad(text *t, char c, int n)
{
    while (n-- > 0) text_char(t, c);
}

static void text_vprintf(text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *p = n > 0 ? text_room(t, (size_t)n) : NULL;
    if (p) {
        vsnprintf(p, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void text_printf(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(t, format, args);
    va_end(args);
}

// The C locale is not ours to set; a comma from a caller's locale becomes a point.
static void text_decimal_point(char *s)
{
    for (; *s; s++)
        if (*s == ',') *s = '.';
}

/* m/10^k with its sign, as %g writes it. */
static void text_digits(text *t, bool negative, uint64_t m, int k)
{
    enum { FIXED_LEAST = -4 };
    char digits[24], s[48];
    int n = 0, at = 0;
    for (; m % 10 == 0 && k > 0; m /= 10) k--;
    for (uint64_t rest = m; rest || !n; rest /= 10) n++;
    for (int i = n; i-- > 0; m /= 10) digits[i] = (char)('0' + m % 10);
    int exponent = n - 1 - k;
    if (negative) s[at++] = '-';
    if (exponent < FIXED_LEAST) { // 1.25e-07
        while (n > 1 && digits[n - 1] == '0') n--;
        s[at++] = digits[0];
        if (n > 1) s[at++] = '.';
        for (int i = 1; i < n; i++) s[at++] = digits[i];
        snprintf(s + at, sizeof s - (size_t)at, "e-%02d", -exponent);
    } else {
        int whole = n - k; // digits before the point; none: zeros behind it come first
        if (whole <= 0) s[at++] = '0';
        if (whole <= 0) s[at++] = '.';
        for (int i = whole; i < 0; i++) s[at++] = '0';
        for (int i = 0; i < n; i++) {
            if (i && i == whole) s[at++] = '.';
            s[at++] = digits[i];
        }
        s[at] = 0;
    }
    text_add(t, s);
}

enum { TEN_POWERS = 23 };

/* Most numbers that somebody wrote are m/10^k with a whole m of at most 15 digits. Where the quotient, which is
 * rounded once because both sides are exact, is the number itself, m has its digits, those of %.15g. False: it
 * is none of these; *more: and 15 digits are not enough, 16 are those of |x| 10^*more. */
static bool real_of_few_digits(text *t, double x, int *more)
{
    static const double TEN[TEN_POWERS] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; // exact
    double size = fabs(x), m = 0;
    int k = 0;
    if (!(size > 0 && size < TEN[15])) return false;
    for (;; k++) {
        if (k == TEN_POWERS) return false;
        if (size * TEN[k] >= TEN[15]) {
            *more = k;
            return false;
        }
        m = nearbyint(size * TEN[k]);
        if (m / TEN[k] == size) break;
    }
    text_digits(t, x < 0, (uint64_t)m, k);
    return true;
}

/* With 64 bits of significand, x 10^k is off by less than a hundredth for 17 digits, and a quotient of such numbers,
 * rounded to 64 bits and then to 53, is rounded as once unless the first lies in the middle of two doubles. Where
 * either does not decide: false. */
static bool real_of_many_digits(text *t, double x, int k)
{
    const long double NEAR_HALF = 0.49L;
    if (LDBL_MANT_DIG < 64) return false;
    long double ten = 1, size = fabsl((long double)x);
    for (int i = 0; i < k; i++) ten *= 10; // exact up to 10^27
    for (int digits = 16; digits <= 17; digits++, k++, ten *= 10) {
        long double m = roundl(size * ten), q = m / ten;
        if (fabsl(size * ten - m) > NEAR_HALF) return false;
        double back = (double)q, up = nextafter(back, INFINITY), down = nextafter(back, 0);
        if (q - back == (up - back) / 2 || back - q == (back - down) / 2) return false;
        if (back != fabs(x) && digits == 16) continue;
        text_digits(t, x < 0, (uint64_t)m, k);
        return true;
    }
    return false;
}

void text_real(text *t, double x)
{
    if (isnan(x)) {
        text_add(t, "nan");
        return;
    }
    if (isinf(x)) {
        text_add(t, x < 0 ? "-inf" : "inf");
        return;
    }
    int more = -1;
    if (real_of_few_digits(t, x, &more)) return;
    if (more >= 0 && real_of_many_digits(t, x, more)) return;
    char s[40];
    snprintf(s, sizeof s, more >= 0 ? "%.16g" : "%.15g", x);
    if (more < 0 && strtod(s, NULL) != x) snprintf(s, sizeof s, "%.16g", x);
    if (strtod(s, NULL) != x) snprintf(s, sizeof s, "%.17g", x);
    text_decimal_point(s);
    text_add(t, s);
}

static void text_quoted_as(text *t, const char *s, bool json)
{
    text_char(t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        unsigned code;
        if (c == '"' || c == '\\') text_printf(t, "\\%c", c);
        else if (c == '\n') text_add(t, "\\n");
        else if (c == '\t') text_add(t, "\\t");
        else if (c == '\r') text_add(t, "\\r");
        else if (c == '\a' && !json) text_add(t, "\\a");
        else if (c == '\v' && !json) text_add(t, "\\v");
        else if (c == '\b') text_add(t, "\\b");
        else if (c == '\f') text_add(t, "\\f");
        else if ((c < 0x20 || c == 0x7f) && json) text_printf(t, "\\u%04x", c);
        else if (json && text_control(s, &code) > 1) {
            text_printf(t, "\\u%04x", code);
            s += text_control(s, &code) - 1;
        } else text_char(t, (char)c);
    }
    text_char(t, '"');
}

void text_quoted(text *t, const char *s)
{
    text_quoted_as(t, s, true);
}

void text_modelica(text *t, const char *s)
{
    text_quoted_as(t, s, false);
}

size_t text_squeeze_name(char *s)
{
    size_t n = strcspn(s, " \t");
    int depth = 0;
    bool quoted = false;
    if (!s[n]) return n; // there are millions of them
    n = 0;
    for (const char *from = s; *from; from++) {
        if (quoted && *from == '\\' && from[1]) s[n++] = *from++;
        else if (*from == '\'') quoted = !quoted;
        else if (!quoted && *from == '[') depth++;
        else if (!quoted && *from == ']') depth -= depth > 0;
        if (depth && !quoted && (*from == ' ' || *from == '\t')) continue;
        s[n++] = *from;
    }
    s[n] = 0;
    return n;
}

void text_c_string(text *t, const char *s)
{
    text_char(t, '"');
    for (; *s; s++) {
        bool plain = *s >= ' ' && *s < 127 && !strchr("\"\\?", *s);
        if (plain) text_char(t, *s);
        else text_printf(t, "\\%03o", (unsigned)(unsigned char)*s);
    }
    text_char(t, '"');
}

void text_c_number(text *t, double x)
{
    if (isfinite(x)) text_real(t, x);
    else text_add(t, isnan(x) ? "NAN" : x < 0 ? "-INFINITY" : "INFINITY");
}
