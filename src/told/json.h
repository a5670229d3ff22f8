/* Writing JSON: commas by themselves, numbers that read back exactly, NaN and infinity as null.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOLD_JSON_H
#define TOLD_JSON_H

#include "base/text.h"

#include <stdbool.h>

typedef struct json {
    text *out;
    bool first; // no comma before the next member
} json;

void json_open(json *j, const char *key, char bracket);      // '{' or '['; key NULL inside an array
void json_close(json *j, char bracket);                      // '}' or ']'
void json_text(json *j, const char *key, const char *value); // NULL value: null
void json_real(json *j, const char *key, double value);
void json_int(json *j, const char *key, long value);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_vector(json *j, const char *key, const double *x, int n, int stride);
void json_matrix(json *j, const char *key, const double *x, int rows, int cols); // by columns
/* A value that the caller appends to the text that comes back: an object made elsewhere, say. */
text *json_raw(json *j, const char *key);
void json_names(json *j, const char *key, const char *const *names, int n);

#endif
