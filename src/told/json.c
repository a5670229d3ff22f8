/* SPDX-License-Identifier: BSD-3-Clause */
#include "told/json.h"

#include <math.h>

static void item_begin(json *j, const char *key)
{
    if (!j->first) text_add(j->out, ", ");
    j->first = false;
    if (key) {
        text_quoted(j->out, key);
        text_add(j->out, ": ");
    }
}

void json_open(json *j, const char *key, char bracket)
{
    if (j->out->n == 0) j->first = true;
    item_begin(j, key);
    text_char(j->out, bracket);
    j->first = true;
}

void json_close(json *j, char bracket)
{
    text_char(j->out, bracket);
    j->first = false;
}

void json_text(json *j, const char *key, const char *value)
{
    item_begin(j, key);
    if (value) text_quoted(j->out, value);
    else text_add(j->out, "null");
}

void json_real(json *j, const char *key, double value)
{
    item_begin(j, key);
    if (isfinite(value)) text_real(j->out, value);
    else text_add(j->out, "null");
}

void json_int(json *j, const char *key, long value)
{
    item_begin(j, key);
    text_printf(j->out, "%ld", value);
}

void json_bool(json *j, const char *key, bool value)
{
    item_begin(j, key);
    text_add(j->out, value ? "true" : "false");
}

void json_null(json *j, const char *key)
{
    item_begin(j, key);
    text_add(j->out, "null");
}

void json_vector(json *j, const char *key, const double *x, int n, int stride)
{
    json_open(j, key, '[');
    for (int i = 0; i < n; i++) json_real(j, NULL, x[(size_t)i * (size_t)stride]);
    json_close(j, ']');
}

void json_matrix(json *j, const char *key, const double *x, int rows, int cols)
{
    json_open(j, key, '[');
    for (int i = 0; i < rows; i++) json_vector(j, NULL, x + i, cols, rows);
    json_close(j, ']');
}

void json_names(json *j, const char *key, const char *const *names, int n)
{
    json_open(j, key, '[');
    for (int i = 0; i < n; i++) json_text(j, NULL, names[i]);
    json_close(j, ']');
}

text *json_raw(json *j, const char *key)
{
    item_begin(j, key);
    return j->out;
}
