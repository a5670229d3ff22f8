/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/diag.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void diag_init(diag_sink *s, arena *a)
{
    *s = (diag_sink){.a = a};
}

static diag *diag_make(diag_sink *s, diag_severity severity, const char *code, span at,
                       const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *words = arena_alloc(s->a, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0) vsnprintf(words, (size_t)n + 1, format, again);
    va_end(again);
    diag *d = arena_new(s->a, diag);
    *d = (diag){.severity = severity, .at = at, .text = words};
    snprintf(d->code, sizeof d->code, "%s", code);
    return d;
}

static void diag_append(diag_sink *s, diag *d)
{
    if (s->last) s->last->next = d;
    else s->first = d;
    s->last = d;
}

static bool room_for_error(diag_sink *s)
{
    return s->n_errors++ < (s->limit ? s->limit : DIAG_LIMIT);
}

/* The same said twice in a row, as by each element of an array: once is enough. */
static bool is_repeated(const diag_sink *s, const diag *d)
{
    const diag *l = s->last;
    return l && l->severity == d->severity && !l->notes && l->at.begin == d->at.begin &&
           l->at.end == d->at.end && !strcmp(l->code, d->code) && !strcmp(l->text, d->text);
}

void diag_error(diag_sink *s, const char *code, span at, const char *format, ...)
{
    if (!room_for_error(s)) return;
    va_list args;
    va_start(args, format);
    diag *d = diag_make(s, DIAG_ERROR, code, at, format, args);
    va_end(args);
    if (!is_repeated(s, d)) diag_append(s, d);
}

void diag_warning(diag_sink *s, const char *code, span at, const char *format, ...)
{
    s->n_warnings++;
    va_list args;
    va_start(args, format);
    diag_append(s, diag_make(s, DIAG_WARNING, code, at, format, args));
    va_end(args);
}

void diag_note(diag_sink *s, span at, const char *format, ...)
{
    int limit = s->limit ? s->limit : DIAG_LIMIT;
    if (!s->last || s->n_errors > limit) return; // the diagnostic it belongs to was only counted
    va_list args;
    va_start(args, format);
    diag *d = diag_make(s, DIAG_NOTE, "", at, format, args), **end = &s->last->notes;
    va_end(args);
    while (*end) end = &(*end)->next;
    *end = d;
}

int diag_count(const diag_sink *s)
{
    int n = 0;
    for (const diag *d = s->first; d; d = d->next) n++;
    return n;
}

const diag *diag_at(const diag_sink *s, int i)
{
    const diag *d = i < 0 ? NULL : s->first;
    while (d && i-- > 0) d = d->next;
    return d;
}

void diag_forget_since(diag_sink *s, diag_sink held)
{
    if (held.last) held.last->next = NULL;
    *s = held;
}

void diag_copy(diag_sink *to, const diag_sink *s)
{
    for (const diag *d = s->first; d; d = d->next) {
        if (d->severity == DIAG_ERROR) diag_error(to, d->code, d->at, "%s", d->text);
        else diag_warning(to, d->code, d->at, "%s", d->text);
        for (const diag *n = d->notes; n; n = n->next) diag_note(to, n->at, "%s", n->text);
    }
}

/* ---- printing -------------------------------------------------------------------------------- */

static const char *const severity_name[] = {"note", "warning", "error"};
static const char *const severity_colour[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

enum {
    COLUMNS_SHOWN_MAX = 160
}; // bytes of a source line that are shown; a longer line is cut around the place

// The source line with a caret under the first character of the span and tildes under the rest.
static void print_line(const diag *d, const source_set *sources, place p, bool colour, text *out)
{
    const source *f = p.file;
    uint32_t at = d->at.begin - f->base, begin = at, end = at;
    if (at > f->n) at = begin = end = f->n;
    while (begin > 0 && f->text[begin - 1] != '\n') begin--;
    while (end < f->n && f->text[end] != '\n' && f->text[end] != '\r') end++;
    if (at > begin + COLUMNS_SHOWN_MAX) begin = at - COLUMNS_SHOWN_MAX / 2;
    if (end > begin + COLUMNS_SHOWN_MAX)
        end = begin + COLUMNS_SHOWN_MAX > at ? begin + COLUMNS_SHOWN_MAX : at;
    (void)sources;

    text_printf(out, "%5d | ", p.line);
    char shown[COLUMNS_SHOWN_MAX + 1];
    size_t n = end - begin < COLUMNS_SHOWN_MAX ? end - begin : COLUMNS_SHOWN_MAX;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)f->text[begin + i];
        shown[i] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    shown[n] = 0;
    text_plain(shown);
    text_add(out, shown);
    text_add(out, "\n      | ");
    for (uint32_t i = begin; i < at; i++)
        if (((unsigned char)f->text[i] & 0xC0) != 0x80) text_char(out, ' ');
    if (colour) text_add(out, severity_colour[d->severity]);
    text_char(out, '^');
    uint32_t last = d->at.end > d->at.begin ? d->at.end - f->base : at;
    for (uint32_t i = at + 1; i < last && i < end; i++)
        if (((unsigned char)f->text[i] & 0xC0) != 0x80) text_char(out, '~');
    if (colour) text_add(out, "\033[0m");
    text_char(out, '\n');
}

static void print_one(const diag *d, const source_set *sources, bool colour, text *out)
{
    place p = sources ? source_place(sources, d->at.begin) : (place){0};
    if (p.file) {
        text_add_plain(out, p.file->path);
        text_printf(out, ":%d:%d: ", p.line, p.column);
    }
    if (colour) text_add(out, severity_colour[d->severity]);
    text_printf(out, "%s:", severity_name[d->severity]);
    if (colour) text_add(out, "\033[0m");
    text_char(out, ' ');
    text_add_plain(out, d->text);
    if (d->code[0]) text_printf(out, " [%s]", d->code);
    text_char(out, '\n');
    if (p.file) print_line(d, sources, p, colour, out);
}

static void diag_print(const diag *d, const source_set *sources, bool colour, text *out)
{
    print_one(d, sources, colour, out);
    for (const diag *n = d->notes; n; n = n->next) print_one(n, sources, colour, out);
}

void diag_print_all(const diag_sink *s, const source_set *sources, bool colour, text *out)
{
    for (const diag *d = s->first; d; d = d->next) diag_print(d, sources, colour, out);
    int limit = s->limit ? s->limit : DIAG_LIMIT;
    if (s->n_errors > limit) text_printf(out, "... and %d more errors\n", s->n_errors - limit);
}

/* ---- nearest name ---------------------------------------------------------------------------- */

int diag_distance(const char *a, const char *b)
{
    int na = (int)strlen(a), nb = (int)strlen(b), row[3][DIAG_LONGEST + 1];
    for (int j = 0; j <= nb; j++) row[0][j] = 2 * j;
    for (int i = 1; i <= na; i++) {
        int *cur = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];
        cur[0] = 2 * i;
        for (int j = 1; j <= nb; j++) {
            int same = a[i - 1] == b[j - 1]                                                   ? 0
                       : tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]) ? 1
                                                                                              : 2;
            int best = prev[j - 1] + same;
            if (prev[j] + 2 < best) best = prev[j] + 2;
            if (cur[j - 1] + 2 < best) best = cur[j - 1] + 2;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                prev2[j - 2] + 2 < best)
                best = prev2[j - 2] + 2;
            cur[j] = best;
        }
    }
    return row[na % 3][nb];
}

const char *diag_nearest(const char *name, const char *const *candidates, int n)
{
    size_t len = strlen(name);
    if (len > DIAG_LONGEST) return NULL;
    // One letter is too little to guess from: only its case may differ.
    int best = len == 1 ? 2 : len == 2 ? 3 : 1 + 2 * (int)((len + 2) / 3);
    const char *found = NULL;
    for (int i = 0; i < n; i++) {
        if (strlen(candidates[i]) > DIAG_LONGEST) continue;
        int d = diag_distance(name, candidates[i]);
        if (d < best) {
            best = d;
            found = candidates[i];
        }
    }
    return found;
}
