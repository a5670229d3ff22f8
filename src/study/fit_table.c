/* Tables of texts: CSV with a header, fields in quotes where they hold commas.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang_file.h"
#include "study/fit_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_TABLE = 1 << 30 };

static char *fit_text(vinc_ctx *ctx, const char *path, arena *a, size_t *n)
{
    const char *why;
    char *all = file_read(a, path, LARGEST_TABLE, n, &why);
    if (!all) fit_fail(ctx, "C186", "the file '%s' cannot be read: %s", path, why);
    else if (!memchr(all, 0, *n)) return all;
    else fit_fail(ctx, "C186", "the file '%s' is no text", path);
    return NULL;
}

/* One field; where it ends. It is made shorter in place where it was quoted. */
static char *fit_field(char **at)
{
    char *p = *at, *out, *begin;
    while (*p == ' ' || *p == '\t') p++;
    begin = out = p;
    if (*p == '"') {
        for (begin = out = ++p; *p && (*p != '"' || p[1] == '"'); p++) {
            if (*p == '"') p++;
            *out++ = *p;
        }
        if (*p) p++;
        while (*p && !strchr(",\r\n", *p)) p++;
    } else {
        while (*p && !strchr(",\r\n", *p)) p++;
        for (out = p; out > begin && strchr(" \t", out[-1]);) out--;
    }
    *at = p;
    return *out ? (*at == out ? begin : (*out = 0, begin)) : begin;
}

fit_table *fit_table_read(vinc_ctx *ctx, const char *path, arena *a)
{
    size_t n;
    char *p = fit_text(ctx, path, a, &n);
    if (!p) return NULL;
    fit_table *t = arena_new(a, fit_table);
    ARRAY(const char *) cells = {0};
    *t = (fit_table){.path = path};
    if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) p += 3;
    while (*p) {
        int count = 0;
        if (*p == '\r' || *p == '\n') { // a blank line
            p++;
            continue;
        }
        for (;;) {
            char *field = fit_field(&p), end = *p;
            *p = 0;
            if (t->n_rows && count >= t->n_columns) {
                fit_fail(ctx, "C186", "%s: row %d has more fields than the header, %d", path,
                         t->n_rows, t->n_columns);
                return NULL;
            }
            array_push(a, &cells, field);
            count++;
            if (end) p++;
            if (end == '\r' && *p == '\n') p++;
            if (end != ',') break;
        }
        if (!t->n_rows) t->n_columns = count;
        if (count < t->n_columns) {
            fit_fail(
                ctx, "C186",
                "%s: row %d has fewer fields than the header, %d and not %d; where there is no "
                "value a field is empty",
                path, t->n_rows, count, t->n_columns);
            return NULL;
        }
        t->n_rows++;
    }
    t->cells = cells.at;
    if (t->n_rows > 1) return t;
    fit_fail(ctx, "C186", "%s has no rows below its header", path);
    return NULL;
}

int fit_table_column(const fit_table *t, const char *name)
{
    for (int c = 0; c < t->n_columns; c++)
        if (!strcmp(fit_cell(t, 0, c), name)) return c;
    return -1;
}

bool fit_number(const char *words, double *value)
{
    char *end;
    if (!*words) return false;
    double x = strtod(words, &end);
    if (*end) return false;
    *value = x;
    return true;
}
