/* A struct in words: lines with values put in (told.h says how).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "told/member.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { FORMAT_MOST = 24 };

/* {key:format;separator|otherwise} or {key?one|other} */
typedef struct slot {
    const char *key, *format, *separator, *otherwise, *one;
    int n_key, n_format, n_separator, n_otherwise, n_one;
} slot;

static const char *read_part(const char *at, const char *ends, const char **part, int *n)
{
    *part = at;
    *n = (int)strcspn(at, ends);
    return at + *n;
}

static const char *read_slot(const char *at, slot *s)
{
    *s = (slot){.separator = ", ", .n_separator = 2};
    at = read_part(at, ":;|?}", &s->key, &s->n_key);
    if (*at == '?') at = read_part(at + 1, "|}", &s->one, &s->n_one);
    if (*at == ':') at = read_part(at + 1, ";|}", &s->format, &s->n_format);
    if (*at == ';') at = read_part(at + 1, "|}", &s->separator, &s->n_separator);
    if (*at == '|') at = read_part(at + 1, "}", &s->otherwise, &s->n_otherwise);
    assert(*at == '}');
    return at + 1;
}

/* The format of the slot, or the usual one. */
static const char *format_of(const slot *s, const char *usual, char *room)
{
    if (!s->format) return usual;
    assert(s->n_format < FORMAT_MOST);
    memcpy(room, s->format, (size_t)s->n_format);
    room[s->n_format] = 0;
    return room;
}

/* A word comes from a model or the command line: nothing in it may steer a terminal. */
static void put_word(const told_field *f, const char *format, const char *word, text *out)
{
    size_t before = out->n;
    text_printf(out, format, word);
    if (!(f->flags & TOLD_CHART) && out->at) text_plain(out->at + before);
}

static void put_value(const told_field *f, const void *told, const slot *s, text *out)
{
    char room[FORMAT_MOST];
    switch (f->type) {
    case TOLD_WORD:
        put_word(f, format_of(s, "%s", room), MEMBER(const char *, told, f->at), out);
        break;
    case TOLD_REAL: text_printf(out, format_of(s, "%g", room), MEMBER(double, told, f->at)); break;
    case TOLD_LONG: text_printf(out, format_of(s, "%ld", room), MEMBER(long, told, f->at)); break;
    case TOLD_INT:
    case TOLD_INDEX:
    case TOLD_BOOL: text_printf(out, format_of(s, "%d", room), MEMBER(int, told, f->at)); break;
    default:
        for (int i = 0; i < MEMBER(int, told, f->count); i++) {
            if (i) text_add_n(out, s->separator, (size_t)s->n_separator);
            if (f->type == TOLD_WORDS)
                put_word(f, format_of(s, "%s", room), MEMBER(const char **, told, f->at)[i], out);
            else if (f->type == TOLD_INTS)
                text_printf(out, format_of(s, "%d", room), MEMBER(int *, told, f->at)[i]);
            else text_printf(out, format_of(s, "%g", room), MEMBER(double *, told, f->at)[i]);
        }
    }
}

static bool is_one(const told_field *f, const void *told)
{
    return f->type == TOLD_LONG ? MEMBER(long, told, f->at) == 1 : MEMBER(int, told, f->at) == 1;
}

static void put_slot(const told_field *fields, const void *told, const slot *s, text *out)
{
    const void *holder = told;
    const told_field *f = told_find(fields, s->key, (size_t)s->n_key, &holder);
    assert(f);
    char key[64];
    assert(s->n_key < (int)sizeof key);
    memcpy(key, s->key, (size_t)s->n_key);
    key[s->n_key] = 0;
    if (s->one && is_one(f, holder)) text_add_n(out, s->one, (size_t)s->n_one);
    else if (s->one || (s->otherwise && !told_is_there(fields, key, told)))
        text_add_n(out, s->otherwise, (size_t)s->n_otherwise);
    else put_value(f, holder, s, out);
}

static void put_words(const told_field *fields, const void *told, const char *words, text *out)
{
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, "{");
        text_add_n(out, at, n);
        at += n;
        if (!*at) return;
        slot s;
        at = read_slot(at + 1, &s);
        put_slot(fields, told, &s, out);
    }
}

static void put_rows(const told_field *fields, const told_line *l, const void *told,
                     vinc_format format, text *out)
{
    const told_field *f = told_find(fields, l->of, strlen(l->of), &told);
    for (int i = 0; i < MEMBER(int, told, f->count); i++) {
        if (i && l->between) text_add(out, l->between);
        told_lines(f->inside, l->inside, MEMBER(const char *, told, f->at) + (size_t)i * f->size,
                   format, out);
    }
}

void told_lines(const told_field *fields, const told_line *lines, const void *told,
                vinc_format format, text *out)
{
    for (const told_line *l = lines; l->words || l->say || l->inside; l++) {
        if (!told_applies(fields, l->when, l->unless, told)) continue;
        if (l->say) l->say(told, format, out);
        else if (l->of) put_rows(fields, l, told, format, out);
        else if (l->inside) told_lines(fields, l->inside, told, format, out);
        else put_words(fields, told, l->words, out);
    }
}

void told_words(const told_kind *kind, const void *told, vinc_format format, text *out)
{
    told_lines(kind->fields, kind->lines, told, format, out);
}
