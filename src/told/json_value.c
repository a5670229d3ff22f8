/* SPDX-License-Identifier: BSD-3-Clause */
#include "told/json_value.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    arena *a;
    const char *at, *end;
    int depth;
} reader;

static void skip_blanks(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

static bool take_char(reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

/* Four hexadecimal digits; -1: there are none. */
static long take_hex(reader *r)
{
    char digits[5] = {0}, *end;
    if (r->end - r->at < 4) return -1;
    memcpy(digits, r->at, 4);
    long x = strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, &end, 16) : -1;
    r->at += 4;
    return x;
}

static size_t put_utf8(char *out, long c)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* \uXXXX, or two of them where they make one character; one half alone is refused. */
static long take_unicode(reader *r)
{
    long c = take_hex(r);
    if (c < 0xd800 || c > 0xdfff) return c;
    if (c > 0xdbff || !take_word(r, "\\u")) return -1;
    long low = take_hex(r);
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static bool read_string(reader *r, const char **words, size_t *length)
{
    static const char escapes[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (!take_char(r, '"')) return false;
    const char *close = r->at;
    while (close < r->end && *close != '"') close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    if (close >= r->end) return false;
    char *out =
        arena_alloc(r->a, (size_t)(close - r->at) + 1); // escapes are longer than what they mean
    size_t n = 0;
    while (r->at < close) {
        char c = *r->at++;
        if ((unsigned char)c < 0x20) return false;
        if (c != '\\') {
            out[n++] = c;
            continue;
        }
        const char *e = memchr(escapes, *r->at, sizeof escapes - 1);
        if (*r->at++ == 'u') {
            long u = take_unicode(r);
            if (u < 0 || r->at > close) return false;
            n += put_utf8(out + n, u);
        } else if (e) {
            out[n++] = means[e - escapes];
        } else {
            return false;
        }
    }
    out[n] = 0;
    r->at = close + 1;
    *words = out;
    *length = n;
    return true;
}

static bool read_number(reader *r, double *x)
{
    char room[64], *end;
    size_t n = 0;
    while (r->at + n < r->end && n + 1 < sizeof room && strchr("+-.0123456789eE", r->at[n]) &&
           r->at[n])
        n++;
    memcpy(room, r->at, n);
    room[n] = 0;
    *x = strtod(room, &end);
    r->at += n;
    return n && !*end;
}

static json_value *read_value(reader *r);

/* What stands between brackets; the opening one has been taken. */
static bool read_list(reader *r, json_value *v, char close)
{
    json_value **last = &v->first;
    if (take_char(r, close)) return true;
    do {
        const char *key = NULL;
        size_t unused;
        if (v->kind == JSON_OBJECT && !(read_string(r, &key, &unused) && take_char(r, ':')))
            return false;
        json_value *x = read_value(r);
        if (!x) return false;
        x->key = key;
        *last = x;
        last = &x->next;
    } while (take_char(r, ','));
    return take_char(r, close);
}

static json_value *read_value(reader *r)
{
    json_value *v = arena_new(r->a, json_value);
    *v = (json_value){0};
    skip_blanks(r);
    if (r->at == r->end || r->depth == JSON_DEPTH) return NULL;
    r->depth++;
    bool good;
    if (*r->at == '{' || *r->at == '[') {
        v->kind = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
        good = read_list(r, v, *r->at++ == '{' ? '}' : ']');
    } else if (*r->at == '"') {
        v->kind = JSON_STRING;
        good = read_string(r, &v->words, &v->n);
    } else if (take_word(r, "true") || take_word(r, "false")) {
        v->kind = JSON_BOOL;
        v->number = r->at[-2] == 'u';
        good = true;
    } else if (take_word(r, "null")) {
        good = true;
    } else {
        v->kind = JSON_NUMBER;
        good = read_number(r, &v->number);
    }
    r->depth--;
    return good ? v : NULL;
}

const json_value *json_read(arena *a, const char *s, size_t n)
{
    reader r = {.a = a, .at = s, .end = s + n};
    const json_value *v = read_value(&r);
    skip_blanks(&r);
    return r.at == r.end ? v : NULL;
}

const json_value *json_member_at(const json_value *v, const char *path)
{
    while (v && *path) {
        size_t n = strcspn(path, ".");
        const json_value *m = v->kind == JSON_OBJECT ? v->first : NULL;
        while (m && !(strlen(m->key) == n && !memcmp(m->key, path, n))) m = m->next;
        v = m;
        path += n + (path[n] == '.');
    }
    return v;
}

const char *json_words_at(const json_value *v, const char *path)
{
    v = json_member_at(v, path);
    return v && v->kind == JSON_STRING ? v->words : NULL;
}

double json_number_at(const json_value *v, const char *path, double otherwise)
{
    v = json_member_at(v, path);
    return v && v->kind == JSON_NUMBER ? v->number : otherwise;
}
