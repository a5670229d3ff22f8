/* A struct as a JSON object.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "told/member.h"

#include <string.h>

static void put_fields(json *j, const told_field *fields, const void *told, unsigned without);

static void put_object(json *j, const char *key, const told_field *fields, const void *told,
                       unsigned without)
{
    json_open(j, key, '{');
    put_fields(j, fields, told, without);
    json_close(j, '}');
}

static void put_ints(json *j, const char *key, const int *x, int n)
{
    json_open(j, key, '[');
    for (int i = 0; i < n; i++) json_int(j, NULL, x[i]);
    json_close(j, ']');
}

static void put_pair(json *j, const char *key, double re, double im)
{
    json_vector(j, key, (double[]){re, im}, 2, 1);
}

static void put_lists(json *j, const told_field *f, const void *told, unsigned without)
{
    int n = MEMBER(int, told, f->count);
    const double *x = MEMBER(const double *, told, f->at);
    const double *also = MEMBER(const double *, told, f->also);
    switch (f->type) {
    case TOLD_WORDS: json_names(j, f->key, MEMBER(const char *const *, told, f->at), n); break;
    case TOLD_REALS: json_vector(j, f->key, x, n, 1); break;
    case TOLD_INTS: put_ints(j, f->key, MEMBER(const int *, told, f->at), n); break;
    case TOLD_MATRIX: json_matrix(j, f->key, x, n, MEMBER(int, told, f->columns)); break;
    case TOLD_PAIRS:
        json_open(j, f->key, '[');
        for (int i = 0; i < n; i++) put_pair(j, NULL, x[i], also[i]);
        json_close(j, ']');
        break;
    case TOLD_VALUES:
        json_open(j, f->key, '{');
        for (int i = 0; i < n; i++)
            json_real(j, MEMBER(const char *const *, told, f->at)[i], also[i]);
        json_close(j, '}');
        break;
    default: // rows
        json_open(j, f->key, '[');
        for (int i = 0; i < n; i++)
            put_object(j, NULL, f->inside, MEMBER(const char *, told, f->at) + (size_t)i * f->size,
                       without);
        json_close(j, ']');
    }
}

static void put_field(json *j, const told_field *f, const void *told, unsigned without)
{
    switch (f->type) {
    case TOLD_WORD: json_text(j, f->key, MEMBER(const char *, told, f->at)); break;
    case TOLD_REAL: json_real(j, f->key, MEMBER(double, told, f->at)); break;
    case TOLD_INT: json_int(j, f->key, MEMBER(int, told, f->at)); break;
    case TOLD_LONG: json_int(j, f->key, MEMBER(long, told, f->at)); break;
    case TOLD_INDEX:
    case TOLD_BOOL: {
        int x = MEMBER(int, told, f->at);
        if (x < 0) json_null(j, f->key);
        else if (f->type == TOLD_BOOL) json_bool(j, f->key, x != 0);
        else json_int(j, f->key, x);
        break;
    }
    case TOLD_FEW:
        put_ints(j, f->key, (const int *)(const void *)((const char *)told + f->at), (int)f->size);
        break;
    case TOLD_PAIR:
        put_pair(j, f->key, MEMBER(double, told, f->at), MEMBER(double, told, f->also));
        break;
    case TOLD_OBJECT: put_object(j, f->key, f->inside, told, without); break;
    case TOLD_INLINE: put_fields(j, f->inside, (const char *)told + f->at, without); break;
    default: put_lists(j, f, told, without);
    }
}

static void put_fields(json *j, const told_field *fields, const void *told, unsigned without)
{
    for (const told_field *f = fields; f->key; f++) {
        if (f->flags & without) continue;
        if (told_applies(fields, f->when, f->unless, told)) put_field(j, f, told, without);
        else if (f->flags & TOLD_OR_NULL) json_null(j, f->key);
    }
}

static void put_document(const told_kind *kind, const void *told, unsigned without, text *out)
{
    json j = {out, true};
    if (kind->document) {
        const told_field *f =
            told_find(kind->fields, kind->document, strlen(kind->document), &told);
        told_field bare = *f;
        bare.key = NULL;
        if (kind->alone && told_is_there(kind->fields, kind->alone, told))
            put_object(&j, NULL, f->inside, MEMBER(const void *, told, f->at), without);
        else put_lists(&j, &bare, told, without);
    } else {
        put_object(&j, NULL, kind->fields, told, without);
    }
    text_char(out, '\n');
}

void told_json(const told_kind *kind, const void *told, text *out)
{
    put_document(kind, told, TOLD_HIDDEN, out);
}

void told_json_page(const told_kind *kind, const void *told, text *out)
{
    put_document(kind, told, TOLD_HIDDEN | TOLD_BULKY, out);
}
