/* Matrices in files.
 *
 * A text begins with `#1`; a matrix is `double NAME(rows, columns)` and then its numbers by rows,
 * divided by blanks, commas or semicolons; `#` begins a comment. The file is read at once and
 * parsed in memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/table.h"
#include "result/decimal.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { ELEMENTS_MAX = 200000000 };

typedef struct reader {
    const char *file;
    const char *at, *end;
    int line;
    char *why;
} reader;

__attribute__((format(printf, 2, 3))) static bool file_says(const reader *r, const char *format,
                                                            ...)
{
    va_list args;
    int n = r->line ? snprintf(r->why, TABLE_WHY, "%.200s:%d: ", r->file, r->line)
                    : snprintf(r->why, TABLE_WHY, "%.200s: ", r->file);
    va_start(args, format);
    vsnprintf(r->why + n, (size_t)(TABLE_WHY - n), format, args);
    va_end(args);
    return false;
}

void table_matrix_free(mem *m, table_matrix *x)
{
    mem_free(m, x->at, (size_t)x->rows * (size_t)x->cols * sizeof *x->at);
    *x = (table_matrix){0};
}

/* ---- the text -------------------------------------------------------------------------------- */

static void next_line(reader *r)
{
    const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = nl ? nl + 1 : r->end;
    r->line++;
}

static void blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) r->at++;
}

/* Blanks, ends of lines and comments. */
static void skip(reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '\n' || *r->at == '#') next_line(r);
        else if (strchr(" \t\r,;", *r->at)) r->at++;
        else return;
    }
}

static bool word(reader *r, const char *w)
{
    size_t n = strlen(w);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, w, n) != 0) return false;
    r->at += n;
    return true;
}

static bool whole(reader *r, int *n)
{
    int64_t x = 0;
    blanks(r);
    if (r->at == r->end || *r->at < '0' || *r->at > '9') return false;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if ((x = 10 * x + (*r->at - '0')) > INT_MAX) return false;
    *n = (int)x;
    blanks(r);
    return true;
}

static bool mark(reader *r, char c)
{
    blanks(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

/* At `double NAME(rows, columns)`? Its name and sizes; -1: it is broken. */
static int heading(reader *r, const char **name, size_t *n, int *rows, int *cols)
{
    blanks(r);
    if (!word(r, "double") && !word(r, "float")) return 0;
    if (r->at == r->end || (*r->at != ' ' && *r->at != '\t')) return 0;
    blanks(r);
    *name = r->at;
    while (r->at < r->end && !strchr(" \t(\r\n#", *r->at)) r->at++;
    *n = (size_t)(r->at - *name);
    if (*n && mark(r, '(') && whole(r, rows) && mark(r, ',') && whole(r, cols) && mark(r, ')'))
        return 1;
    return -1;
}

static bool table_numbers(reader *r, table_matrix *x)
{
    result_powers powers;
    result_powers_init(&powers);
    size_t n = (size_t)x->rows * (size_t)x->cols;
    for (size_t k = 0; k < n; k++) {
        skip(r);
        size_t used = result_scan(&powers, r->at, (size_t)(r->end - r->at), '.', &x->at[k]);
        if (used) {
            r->at += used;
            continue;
        }
        int shown = 0;
        while (shown < 20 && r->at + shown < r->end && !strchr(" \t\r\n,;", r->at[shown])) shown++;
        if (!shown)
            return file_says(r, "the file ends after %zu of the %zu numbers of a %d by %d matrix",
                             k, n, x->rows, x->cols);
        return file_says(r, "row %zu, column %zu of the matrix should be a number, not '%.*s'",
                         k / (size_t)x->cols + 1, k % (size_t)x->cols + 1, shown, r->at);
    }
    return true;
}

static bool read_text(mem *m, reader *r, const char *name, table_matrix *out)
{
    r->line = 1;
    word(r, "\xEF\xBB\xBF"); // the mark of UTF-8
    if (!word(r, "#1")) return file_says(r, "a text with tables begins with a line '#1'");
    for (next_line(r); r->at < r->end; next_line(r)) {
        const char *found;
        size_t n;
        int rows, cols, is = heading(r, &found, &n, &rows, &cols);
        if (!is || (is > 0 && (n != strlen(name) || memcmp(found, name, n) != 0))) continue;
        if (is < 0) return file_says(r, "expected 'double NAME(rows, columns)'");
        if (rows < 1 || cols < 1 || (int64_t)rows * cols > ELEMENTS_MAX)
            return file_says(r, "a table of %d by %d numbers cannot be read", rows, cols);
        out->at = mem_try(m, (size_t)rows * (size_t)cols * sizeof *out->at);
        if (!out->at) return file_says(r, "there is no memory for a table of %d by %d", rows, cols);
        out->rows = rows;
        out->cols = cols;
        return table_numbers(r, out);
    }
    r->line = 0;
    return file_says(r, "there is no table '%s' in it", name);
}

/* ---- the file -------------------------------------------------------------------------------- */

static char *contents(mem *m, reader *r, size_t *n)
{
    struct stat st;
    FILE *f = fopen(r->file, "rb");
    if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        file_says(r, "the file with a table cannot be opened: %s",
                  f ? "it is no file" : strerror(errno));
        if (f) fclose(f);
        return NULL;
    }
    *n = (size_t)st.st_size;
    char *bytes = mem_try(m, *n + 1);
    if (!bytes) file_says(r, "there is no memory to read it");
    else if (fread(bytes, 1, *n, f) != *n) {
        file_says(r, "it cannot be read");
        mem_free(m, bytes, *n + 1);
        bytes = NULL;
    }
    fclose(f);
    return bytes;
}

bool table_read(mem *m, const char *file, const char *name, table_matrix *out, char *why)
{
    reader r = {.file = file, .why = why};
    size_t n = 0;
    *out = (table_matrix){0};
    char *bytes = contents(m, &r, &n);
    if (!bytes) return false;
    bool ok;
    if (table_is_mat((const unsigned char *)bytes, n)) {
        char reason[TABLE_WHY] = "";
        ok = table_read_mat(m, (const unsigned char *)bytes, n, name, out, reason);
        if (!ok) file_says(&r, "%.150s", reason);
    } else {
        r.at = bytes;
        r.end = bytes + n;
        ok = read_text(m, &r, name, out);
    }
    mem_free(m, bytes, n + 1);
    if (!ok) table_matrix_free(m, out);
    return ok;
}
