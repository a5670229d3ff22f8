/* A growing text buffer: what every printer of the library writes to.
 *
 * It owns a heap block (text_done gives it back), since texts outlive the arenas they describe. The
 * content is always NUL-terminated. Where its memory has no guard (solver code) a text that cannot
 * grow stays as it is, so that a message is cut rather than a run lost. Numbers are written without
 * regard to the locale.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/mem.h"

#include <stdarg.h>

typedef struct text {
    mem *m;
    char *at; // NULL while empty: use text_str
    size_t n, cap;
} text;

void text_init(text *t, mem *m);
void text_done(text *t);
void text_clear(text *t);
const char *text_str(const text *t);

void text_char(text *t, char c);
void text_add(text *t, const char *s);
void text_add_n(text *t, const char *s, size_t n);
void text_pad(text *t, char c, int n); // n times c
void text_printf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What comes from a model or a file and may reach a terminal: control characters other than newline
 * and tab, and those that turn the direction of writing, are spelt out (\\x1b, \\u202e). */
void text_add_plain(text *t, const char *s);
/* The next character of *s, as it or spelt out: its bytes in out, how many of them; 0 at the end. */
enum { TEXT_SPELT_BYTES = 8 };
int text_next_plain(const char **s, char out[TEXT_SPELT_BYTES]);
void text_plain(char *s); // ... where there is no room: each of their bytes becomes a '?'
/* A name as we write it: blanks between the brackets of subscripts go, "a[1, 2]" is "a[1,2]". In
 * place; the length that is left. */
size_t text_squeeze_name(char *s);
void text_real(text *t, double x); // shortest decimal that reads back as x; inf and nan spelt so
void text_quoted(text *t, const char *s);   // as a JSON string literal, quotes included
void text_modelica(text *t, const char *s); // as a Modelica string literal
void text_c_string(text *t, const char *s); // as one of C
void text_c_number(text *t, double x);      // likewise

#endif
