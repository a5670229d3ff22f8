/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <math.h>
#include <stdbool.h>
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
    char s[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, x);
        if (strtod(s, NULL) == x) break;
    }
    text_decimal_point(s);
    text_add(t, s);
}

static void text_quoted_as(text *t, const char *s, bool json)
{
    text_char(t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') text_printf(t, "\\%c", c);
        else if (c == '\n') text_add(t, "\\n");
        else if (c == '\t') text_add(t, "\\t");
        else if (c == '\r') text_add(t, "\\r");
        else if (c == '\a' && !json) text_add(t, "\\a");
        else if (c == '\v' && !json) text_add(t, "\\v");
        else if (c == '\b') text_add(t, "\\b");
        else if (c == '\f') text_add(t, "\\f");
        else if (c < 0x20 && json) text_printf(t, "\\u%04x", c);
        else text_char(t, (char)c);
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
