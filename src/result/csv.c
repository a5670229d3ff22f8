/* Results as CSV text, and matrices from it.
 *
 * For reading, the whole text is in memory; a cursor walks over fields. RFC 4180, and what people
 * write besides: blanks around fields, `;` or tab between them (then a decimal comma is
 * understood), any line end, blank lines, a byte-order mark.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "result/decimal.h"
#include "result/writer.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* ---- writing --------------------------------------------------------------------------------- */

static void csv_write_name(result_file *f, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        result_file_write(f, name, strlen(name));
        return;
    }
    result_file_write(f, "\"", 1);
    for (const char *c = name; *c; c++) {
        if (*c == '"') result_file_write(f, "\"", 1);
        result_file_write(f, c, 1);
    }
    result_file_write(f, "\"", 1);
}

static size_t csv_room(const result *r)
{
    (void)r;
    return sizeof(result_powers);
}

static void csv_begin(result_writer *w)
{
    result_powers_init(w->own);
    csv_write_name(&w->f, w->r->columns[0].name);
    for (int i = 0; i < w->n; i++) {
        result_file_write(&w->f, ",", 1);
        csv_write_name(&w->f, w->r->columns[w->list[i]].name);
    }
    result_file_write(&w->f, "\n", 1);
}

static void csv_rows(result_writer *w, size_t first, size_t end)
{
    char s[DECIMAL_MAX_CHARS + 1];
    const result_powers *powers = w->own;
    for (size_t row = first; row < end && w->f.error == 0; row++) {
        double t = result_time(w->r, row);
        result_file_write(&w->f, s, (size_t)result_print_number(powers, t, s));
        s[0] = ',';
        for (int i = 0; i < w->n; i++) {
            int length = result_print_number(powers, result_value(w->r, w->list[i], row), s + 1);
            result_file_write(&w->f, s, (size_t)length + 1);
        }
        result_file_write(&w->f, "\n", 1);
    }
}

static void csv_end(result_writer *w)
{
    (void)w;
}

/* The time is the first number of a line. */
static bool csv_row_time(const result_writer *w, off_t *at, double *t)
{
    char s[4096];
    ssize_t n = pread(w->f.fd, s, sizeof s - 1, *at);
    if (n <= 0) return false;
    s[n] = 0;
    size_t length = strcspn(s, ",\n");
    if (!length || result_scan(w->own, s, length, '.', t) != length) return false;
    const char *end;
    while (!(end = memchr(s, '\n', (size_t)n))) {
        *at += n;
        n = pread(w->f.fd, s, sizeof s, *at);
        if (n <= 0) return false;
    }
    *at += end - s + 1;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    mem *m;
    const char *name; // of the file, for messages
    const char *at, *end;
    long line; // of the cursor, from 1
    char separator, point;
    result_fault *fault;
    result_powers *powers;
    double *row;
    int n_row, cap_row;
} reader;

/* One field: [s, s + n) without quotes and outer blanks; `quoted` when it was in quotes (doubled
 * quotes are still doubled). */
typedef struct field {
    const char *s;
    size_t n;
    bool quoted, last; // last of its line
} field;

static int csv_fault(reader *r, const char *what)
{
    return result_fail(r->fault, RESULT_E_FORMAT, "C605", "%.300s:%ld: %s", r->name, r->line, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

static void csv_skip_newline(reader *r)
{
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at == '\n') r->at++;
    r->line++;
}

/* To the first line that is not blank; false at the end of the text, and where a run was killed while it
 * wrote what follows (result/writer.h). */
static bool csv_skip_blank_lines(reader *r)
{
    for (;;) {
        const char *c = r->at;
        while (c < r->end && is_blank(*c)) c++;
        if (c == r->end || (*c == 0 && c == r->at)) return false;
        if (!is_newline(*c)) return true;
        r->at = c;
        csv_skip_newline(r);
    }
}

/* ---- fields ---------------------------------------------------------------------------------- */

static int csv_next_field(reader *r, field *f)
{
    *f = (field){0};
    while (r->at < r->end && is_blank(*r->at) && *r->at != r->separator) r->at++;
    if (r->at < r->end && *r->at == '"') {
        f->quoted = true;
        f->s = ++r->at;
        for (;; r->at++) {
            const char *q = memchr(r->at, '"', (size_t)(r->end - r->at));
            if (!q) return csv_fault(r, "a quote is opened and never closed");
            for (const char *c = r->at; c < q; c++) r->line += *c == '\n';
            r->at = q + 1;
            if (r->at == r->end || *r->at != '"') break;
        }
        f->n = (size_t)(r->at - 1 - f->s);
        while (r->at < r->end && is_blank(*r->at) && *r->at != r->separator) r->at++;
    } else {
        f->s = r->at;
        while (r->at < r->end && *r->at != r->separator && !is_newline(*r->at)) r->at++;
        f->n = (size_t)(r->at - f->s);
        while (f->n > 0 && is_blank(f->s[f->n - 1])) f->n--;
    }
    if (r->at == r->end || is_newline(*r->at)) {
        f->last = true;
        if (r->at < r->end) csv_skip_newline(r);
        return RESULT_OK;
    }
    if (*r->at != r->separator) return csv_fault(r, "there is text after a closing quote");
    r->at++;
    return RESULT_OK;
}

/* What separates fields, by the first line: a tab, else a semicolon, else a comma, outside quotes. */
static void csv_find_separator(reader *r)
{
    bool quoted = false, semicolon = false, tab = false;
    for (const char *c = r->at; c < r->end && (quoted || !is_newline(*c)); c++) {
        if (*c == '"') quoted = !quoted;
        else if (!quoted) semicolon |= *c == ';', tab |= *c == '\t';
    }
    r->separator = tab ? '\t' : semicolon ? ';' : ',';
}

static bool same_word(field f, const char *word)
{
    size_t n = strlen(word);
    if (f.n != n) return false;
    for (size_t i = 0; i < n; i++)
        if ((f.s[i] | 0x20) != word[i]) return false;
    return true;
}

static bool csv_number(const reader *r, field f, double *x)
{
    if (f.n == 0) {
        *x = NAN;
        return true;
    }
    if (result_scan(r->powers, f.s, f.n, '.', x) == f.n) return true;
    if (r->separator != ',' && result_scan(r->powers, f.s, f.n, ',', x) == f.n) return true;
    *x = 1;
    if (same_word(f, "true")) return true;
    *x = 0;
    return same_word(f, "false");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int csv_push_value(reader *r, double x)
{
    if (r->n_row == r->cap_row) {
        int cap = r->cap_row ? r->cap_row * 2 : 16;
        void *p = r->cap_row < INT_MAX / 16
                      ? r->m->resize(r->m->user, r->row, (size_t)r->cap_row * sizeof(double),
                                     (size_t)cap * sizeof(double))
                      : NULL;
        if (!p) return result_fail(r->fault, RESULT_E_MEMORY, "C609", "out of memory");
        r->row = p;
        r->cap_row = cap;
    }
    r->row[r->n_row++] = x;
    return RESULT_OK;
}

/* A line of numbers into r->row. A separator at the end of the line adds nothing when `expected`
 * values are there already. */
static int csv_number_line(reader *r, int expected)
{
    long line = r->line;
    r->n_row = 0;
    for (field f = {0}; !f.last;) {
        double x;
        int rc = csv_next_field(r, &f);
        if (rc) return rc;
        if (f.last && f.n == 0 && r->n_row == expected && expected > 0) break;
        if (!csv_number(r, f, &x)) {
            r->line = line;
            return result_fail(r->fault, RESULT_E_FORMAT, "C605",
                               "%.300s:%ld: '%.*s' in column %d is not a number", r->name, line,
                               (int)(f.n < 40 ? f.n : 40), f.s, r->n_row + 1);
        }
        rc = csv_push_value(r, x);
        if (rc) return rc;
    }
    if (expected > 0 && r->n_row != expected)
        return result_fail(r->fault, RESULT_E_FORMAT, "C605",
                           "%.300s:%ld: %d values where %d are expected", r->name, line, r->n_row,
                           expected);
    return RESULT_OK;
}

/* A copy of a field as a string, doubled quotes halved; blanks around the text are dropped. */
static char *csv_field_string(reader *r, field f, size_t *bytes)
{
    *bytes = f.n + 1;
    char *s = mem_try(r->m, *bytes), *to = s;
    if (!s) return NULL;
    for (size_t i = 0; i < f.n; i++) {
        *to++ = f.s[i] ? f.s[i] : '?';
        if (f.quoted && f.s[i] == '"' && i + 1 < f.n) i++;
    }
    *to = 0;
    return s;
}

static int csv_header_line(reader *r, result *out)
{
    bool all_numbers = true;
    long line = r->line;
    int n = 0;
    for (field f = {0}; !f.last; n++) {
        double x;
        size_t bytes;
        int rc = csv_next_field(r, &f);
        if (rc) return rc;
        if (f.last && f.n == 0 && !f.quoted && n > 0) break; // a separator at the end of the line
        all_numbers &= !f.quoted && csv_number(r, f, &x);
        char *name = csv_field_string(r, f, &bytes);
        if (!name) return result_fail(r->fault, RESULT_E_MEMORY, "C609", "out of memory");
        rc = RESULT_OK;
        if (n > 0) rc = result_add(out, name, "", "", RESULT_REAL);
        mem_free(r->m, name, bytes);
        if (rc < 0) return result_fail(r->fault, rc, "C609", "out of memory");
    }
    if (!all_numbers) return RESULT_OK;
    r->line = line;
    return csv_fault(r, "the first line must name the columns, the time first: time,u1,u2");
}

/* ---- whole texts ----------------------------------------------------------------------------- */

static int csv_open(reader *r, mem *m, const char *bytes, size_t n, const char *name,
                    result_fault *fault)
{
    *r = (reader){.m = m, .name = name, .at = bytes, .end = bytes + n, .line = 1, .fault = fault};
    r->powers = mem_try(m, sizeof *r->powers);
    if (!r->powers) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    result_powers_init(r->powers);
    if (n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) r->at += 3;
    if (!csv_skip_blank_lines(r))
        return result_fail(fault, RESULT_E_FORMAT, "C605", "%.300s: the file is empty", name);
    csv_find_separator(r);
    return RESULT_OK;
}

static void csv_close(reader *r)
{
    mem_free(r->m, r->row, (size_t)r->cap_row * sizeof(double));
    mem_free(r->m, r->powers, sizeof *r->powers);
}

enum { ROW_WEIGHT = 10 }; // about a microsecond

static int csv_read_rows(reader *r, result *out)
{
    while (csv_skip_blank_lines(r)) {
        long line = r->line;
        if (watch_tick(r->m->watch, ROW_WEIGHT)) return RESULT_E_MEMORY; // the watch says why
        int rc = csv_number_line(r, out->n_slots);
        if (rc) return rc;
        rc = result_append(out, r->row[0], r->row + 1);
        if (rc == RESULT_E_MEMORY) return result_fail(r->fault, rc, "C609", "out of memory");
        if (rc == RESULT_OK) continue;
        r->line = line;
        return csv_fault(r, isfinite(r->row[0]) ? "the time decreases; rows must be sorted by time"
                                                : "the time is not a finite number");
    }
    return RESULT_OK;
}

static int csv_parse(mem *m, const char *bytes, size_t n, const char *name, result **out,
                     result_fault *fault)
{
    reader r;
    *out = NULL;
    int rc = csv_open(&r, m, bytes, n, name, fault);
    if (rc == RESULT_OK) {
        rc = result_new(m, out);
        if (rc) result_fail(fault, rc, "C609", "out of memory");
    }
    if (rc == RESULT_OK) rc = csv_header_line(&r, *out);
    if (rc == RESULT_OK) rc = csv_read_rows(&r, *out);
    if (rc) {
        result_free(*out);
        *out = NULL;
    }
    csv_close(&r);
    return rc;
}

static int csv_matrix_rows(reader *r, int *rows, int *cols, double **values, size_t *cap)
{
    while (csv_skip_blank_lines(r)) {
        if (watch_tick(r->m->watch, ROW_WEIGHT)) return RESULT_E_MEMORY;
        int rc = csv_number_line(r, *cols);
        if (rc) return rc;
        *cols = r->n_row;
        size_t used = (size_t)*rows * (size_t)*cols, need = used + (size_t)*cols;
        if (need > *cap) {
            size_t more = need * 2;
            double *p = more < SIZE_MAX / sizeof *p && *rows < INT_MAX / 2
                            ? r->m->resize(r->m->user, *values, *cap * sizeof *p, more * sizeof *p)
                            : NULL;
            if (!p) return result_fail(r->fault, RESULT_E_MEMORY, "C609", "out of memory");
            *values = p;
            *cap = more;
        }
        memcpy(*values + used, r->row, (size_t)*cols * sizeof **values);
        ++*rows;
    }
    return RESULT_OK;
}

int result_read_matrix(mem *m, const char *path, int *rows, int *cols, double **values,
                       result_fault *fault)
{
    char *bytes;
    size_t n, cap = 0;
    *rows = *cols = 0;
    *values = NULL;
    int rc = result_file_read(m, path, &bytes, &n, fault);
    if (rc) return rc;
    reader r;
    rc = csv_open(&r, m, bytes, n, path, fault);
    if (rc == RESULT_OK) rc = csv_matrix_rows(&r, rows, cols, values, &cap);
    csv_close(&r);
    mem_free(m, bytes, n + 1);
    size_t exact = (size_t)*rows * (size_t)*cols;
    if (rc == RESULT_OK && exact != cap) { // the caller frees rows * cols values
        double *p = m->resize(m->user, *values, cap * sizeof *p, exact * sizeof *p);
        if (p) *values = p;
        else rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    }
    if (rc) {
        mem_free(m, *values, cap * sizeof **values);
        *values = NULL;
        *rows = *cols = 0;
    }
    return rc;
}

const result_format result_csv = {
    .name = "CSV",
    .summary = "text, a line per point and a column per variable",
    .ending = ".csv",
    .room = csv_room,
    .begin = csv_begin,
    .rows = csv_rows,
    .end = csv_end,
    .row_time = csv_row_time,
    .rows_max = SIZE_MAX,
    .parse = csv_parse,
};
