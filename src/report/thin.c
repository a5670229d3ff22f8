/* Fewer points with the same picture.
 *
 * Rows are cut into stretches; of each the rows survive in which a column is smallest or largest,
 * and its ends: what is drawn at a resolution of one stretch per pixel is the same as from all rows
 * (U. Jugel, Z. Jerzak, G. Hackenbroich, V. Markl, "M4", PVLDB 7 (2014) 797-808).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <math.h>
#include <string.h>

void report_numbers(text *out, const double *x, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = 0;
    int held = 0;
    text_char(out, '"');
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        for (int k = 0; k < 64; k += 8) {
            group = group << 8 | (uint32_t)(bits >> k & 0xff);
            if (++held < 3) continue;
            char four[4] = {digit[group >> 18 & 63], digit[group >> 12 & 63],
                            digit[group >> 6 & 63], digit[group & 63]};
            text_add_n(out, four, 4);
            group = 0;
            held = 0;
        }
    }
    if (held) {
        group <<= 8 * (3 - held);
        text_char(out, digit[group >> 18 & 63]);
        text_char(out, digit[group >> 12 & 63]);
        text_char(out, held == 2 ? digit[group >> 6 & 63] : '=');
        text_char(out, '=');
    }
    text_char(out, '"');
}

/* Extrema of a column in rows [from, to), and the borders of its gaps. */
static void mark_column(const result *r, int column, size_t from, size_t to, bool *keep)
{
    size_t least = to, most = to;
    double low = INFINITY, high = -INFINITY;
    bool before = true;
    for (size_t i = from; i < to; i++) {
        double x = result_value(r, column, i);
        bool fine = isfinite(x);
        if (fine != before && i > from) keep[i] = keep[i - 1] = true;
        before = fine;
        if (!fine) continue;
        if (x < low) low = x, least = i;
        if (x > high) high = x, most = i;
    }
    if (least < to) keep[least] = keep[most] = true;
}

static void mark_events(const result *r, bool *keep, size_t most)
{
    size_t n = 0;
    for (size_t i = 1; i < r->n_rows; i++) n += result_time(r, i) == result_time(r, i - 1);
    for (size_t i = 1; i < r->n_rows && n <= most; i++)
        if (result_time(r, i) == result_time(r, i - 1)) keep[i] = keep[i - 1] = true;
}

size_t report_thin(const result *r, const int *columns, int n, size_t most, arena *scratch,
                   size_t **rows)
{
    size_t total = r->n_rows, kept = 0;
    bool *keep = arena_array(scratch, bool, total + 1);
    if (total <= most) {
        memset(keep, true, total);
    } else {
        size_t stretches = most / (2 * (size_t)n + 2) + 1;
        for (size_t k = 0; k < stretches; k++) {
            size_t from = k * total / stretches, to = (k + 1) * total / stretches;
            if (from == to) continue;
            keep[from] = keep[to - 1] = true;
            for (int c = 0; c < n; c++) mark_column(r, columns[c], from, to, keep);
        }
        mark_events(r, keep, most / 4);
    }
    for (size_t i = 0; i < total; i++) kept += keep[i];
    *rows = arena_array(scratch, size_t, kept + 1);
    for (size_t i = 0, k = 0; i < total; i++)
        if (keep[i]) (*rows)[k++] = i;
    return kept;
}

void report_columns(json *j, const char *key, const result *r, const int *columns, int n,
                    const size_t *rows, size_t n_rows, arena *scratch)
{
    double *x = arena_array(scratch, double, n_rows + 1);
    json_open(j, key, '{');
    json_int(j, "rows", (long)n_rows);
    json_int(j, "of", (long)r->n_rows);
    json_open(j, "columns", '[');
    for (int c = 0; c < n; c++) {
        for (size_t i = 0; i < n_rows; i++) x[i] = result_shown(r, columns[c], rows[i]);
        report_numbers(json_raw(j, NULL), x, n_rows);
    }
    json_close(j, ']');
    json_close(j, '}');
}
