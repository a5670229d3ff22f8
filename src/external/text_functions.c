/* ModelicaStrings: functions on texts, and tokens in them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"

#include "base/arena.h"
#include "result/decimal.h"

#include <string.h>

static bool k_length(external_call *c)
{
    *c->result = (double)strlen(c->arg[0].text);
    return true;
}

static bool k_substring(external_call *c)
{
    const char *s = c->arg[0].text;
    int64_t n = (int64_t)strlen(s), first = (int64_t)c->arg[1].at[0];
    int64_t last = (int64_t)c->arg[2].at[0];
    if (!c->a) return false;
    if (first < 1) first = 1;
    if (last > n) last = n;
    c->text = last < first ? "" : arena_strndup(c->a, s + first - 1, (size_t)(last - first + 1));
    return true;
}

static int fold_case(int ch)
{
    return ch >= 'A' && ch <= 'Z' ? ch + 32 : ch;
}

/* Modelica.Utilities.Types.Compare: Less = 1, Equal = 2, Greater = 3. */
static bool k_compare(external_call *c)
{
    const char *a = c->arg[0].text, *b = c->arg[1].text;
    bool sensitive = c->arg[2].at[0] != 0;
    int x, y;
    do {
        x = (unsigned char)*a++, y = (unsigned char)*b++;
        if (!sensitive) x = fold_case(x), y = fold_case(y);
    } while (x && x == y);
    *c->result = x < y ? 1 : x == y ? 2 : 3;
    return true;
}

static bool k_skip_space(external_call *c)
{
    const char *s = c->arg[0].text;
    int64_t n = (int64_t)strlen(s), i = (int64_t)c->arg[1].at[0];
    if (i < 1) i = 1;
    while (i <= n && strchr(" \t\n\r\f\v", s[i - 1])) i++;
    *c->result = (double)i;
    return true;
}

/* The AP hash of A. Partow, which the standard library uses: bytes at even and odd places are mixed in
 * two ways, modulo 2^32. Seeds of noise blocks are hashes of their names. */
static bool k_hash(external_call *c)
{
    const unsigned char *s = (const unsigned char *)c->arg[0].text;
    uint32_t h = 0xAAAAAAAAu;
    for (bool odd = false; *s; s++, odd = !odd) {
        uint32_t even_mix = (h << 7) ^ (*s * (h >> 3)), odd_mix = ~((h << 11) + (*s ^ (h >> 5)));
        h ^= odd ? odd_mix : even_mix;
    }
    *c->result = (int32_t)h;
    return true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the token begins: after blanks. */
static const char *token(const external_call *c)
{
    const char *s = c->arg[0].text;
    int64_t n = (int64_t)strlen(s), i = (int64_t)c->arg[1].at[0];
    if (i < 1) i = 1;
    if (i > n + 1) i = n + 1;
    s += i - 1;
    return s + strspn(s, " \t\n\r\f\v");
}

/* The index after the token, which ends at `end`; NULL: there was none. */
static void after(const external_call *c, int out, const char *end)
{
    c->arg[out].at[0] = end ? (double)(end - c->arg[0].text + 1) : c->arg[1].at[0];
}

static const char *digits(const char *s)
{
    while (is_digit(*s)) s++;
    return s;
}

static const char *exponent(const char *s)
{
    if (*s != 'e' && *s != 'E') return s;
    const char *from = s + 1 + (s[1] == '+' || s[1] == '-');
    return is_digit(*from) ? digits(from) : s;
}

static bool scan_real(external_call *c)
{
    const char *s = token(c);
    bool sign = (*s == '+' || *s == '-') && c->arg[2].at[0] == 0;
    const char *end = digits(s + sign);
    bool found = end > s + sign;
    if (found && *end == '.') end = digits(end + 1);
    if (found) end = exponent(end);
    c->arg[4].at[0] = 0;
    if (found) {
        result_powers powers;
        result_powers_init(&powers);
        const char *from = *s == '+' ? s + 1 : s;
        found = result_scan(&powers, from, (size_t)(end - from), '.', &c->arg[4].at[0]) > 0;
    }
    after(c, 3, found ? end : NULL);
    return true;
}

static bool scan_integer(external_call *c)
{
    const char *s = token(c);
    bool sign = (*s == '+' || *s == '-') && c->arg[2].at[0] == 0;
    const char *end = digits(s + sign);
    bool found = end > s + sign && *end != '.' && *end != 'e' && *end != 'E' && end - s < 15;
    int64_t x = 0;
    for (const char *p = s + sign; found && p < end; p++) x = 10 * x + (*p - '0');
    c->arg[4].at[0] = (double)(*s == '-' ? -x : x);
    after(c, 3, found ? end : NULL);
    return true;
}

static bool scan_identifier(external_call *c)
{
    const char *s = token(c), *end = s;
    if (!c->a) return false;
    if (is_letter(*s))
        while (is_letter(*end) || is_digit(*end) || *end == '_') end++;
    c->arg[3].text = arena_strndup(c->a, s, (size_t)(end - s));
    after(c, 2, end > s ? end : NULL);
    return true;
}

static bool scan_string(external_call *c)
{
    const char *s = token(c), *end = *s == '"' ? s + 1 : NULL;
    if (!c->a) return false;
    while (end && *end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
    if (end && *end != '"') end = NULL;
    c->arg[3].text = end ? arena_strndup(c->a, s + 1, (size_t)(end - s - 1)) : "";
    after(c, 2, end ? end + 1 : NULL);
    return true;
}

const external_function external_strings[] = {
    {.name = "ModelicaStrings_compare", .types = "issi", .value = k_compare},
    {.name = "ModelicaStrings_hashString", .types = "is", .value = k_hash},
    {.name = "ModelicaStrings_length", .types = "is", .value = k_length},
    {.name = "ModelicaStrings_scanIdentifier", .types = "vsiis", .value = scan_identifier},
    {.name = "ModelicaStrings_scanInteger", .types = "vsiiii", .value = scan_integer},
    {.name = "ModelicaStrings_scanReal", .types = "vsiiir", .value = scan_real},
    {.name = "ModelicaStrings_scanString", .types = "vsiis", .value = scan_string},
    {.name = "ModelicaStrings_skipWhiteSpace", .types = "isi", .value = k_skip_space},
    {.name = "ModelicaStrings_substring", .types = "ssii", .value = k_substring},
    {0}};
