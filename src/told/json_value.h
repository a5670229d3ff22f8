/* Reading JSON: what other programs send.
 *
 * A value is a small tree in an arena. Anything that is not JSON is refused, and so is what is nested
 * deeper than JSON_DEPTH.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOLD_JSON_VALUE_H
#define TOLD_JSON_VALUE_H

#include "base/arena.h"

#include <stdbool.h>

enum { JSON_DEPTH = 100 };

typedef enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind kind;
    double number;     // of a Boolean 0 or 1
    const char *words; // of a string, decoded
    size_t n;          // its bytes: it may hold NULs
    const char *key;   // of a member of an object; else NULL
    struct json_value *first, *next;
} json_value;

/* One value and nothing else; NULL: it is none. */
const json_value *json_read(arena *a, const char *s, size_t n);
/* The member at a path of names, "textDocument.uri"; NULL: there is none. v may be NULL. */
const json_value *json_member_at(const json_value *v, const char *path);
/* The string or number there; NULL, or `otherwise`. */
const char *json_words_at(const json_value *v, const char *path);
double json_number_at(const json_value *v, const char *path, double otherwise);

#endif
