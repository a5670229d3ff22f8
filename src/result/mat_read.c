/* Results from MAT version 4 (the layout is in mat_write.c).
 *
 * Both orientations, all numeric types, both byte orders. Every size comes from the file, so every
 * access goes through element(), whose bounds were checked against the length of the file once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/whole_file.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct matrix {
    const unsigned char *data; // NULL: not in the file
    size_t rows, columns;
    int type;     // P of the type MOPT: 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5 uint8
    bool swapped; // byte order is not ours
} matrix;

/* The matrices that matter, in one list. */
#define MATRICES(X) X(Aclass) X(name) X(description) X(dataInfo) X(data_1) X(data_2)

typedef struct reader {
    mem *m;
    const char *file;
    result_fault *fault;
    bool transposed;
#define FIELD(x) matrix x;
    MATRICES(FIELD)
#undef FIELD
} reader;

static int bad(reader *r, const char *what)
{
    return result_fail(r->fault, RESULT_E_FORMAT, "C606", "%.300s: %s", r->file, what);
}

static int no_memory(reader *r)
{
    return result_fail(r->fault, RESULT_E_MEMORY, "C609", "out of memory");
}

/* ---- the container --------------------------------------------------------------------------- */

static const unsigned char type_bytes[6] = {8, 4, 4, 2, 2, 1};

static uint32_t load32(const unsigned char *p, bool swapped)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return swapped ? v >> 24 | (v >> 8 & 0xFF00) | (v << 8 & 0xFF0000) | v << 24 : v;
}

/* Element i of a matrix, which must be inside it. */
static double element(const matrix *x, size_t i)
{
    const unsigned char *p = x->data + i * type_bytes[x->type];
    unsigned char b[8];
    unsigned size = type_bytes[x->type];
    for (unsigned k = 0; k < size; k++) b[k] = p[x->swapped ? size - 1 - k : k];
    union {
        double d;
        float f;
        int32_t i;
        int16_t s;
        uint16_t u;
    } v;
    memcpy(&v, b, size);
    switch (x->type) {
    case 0: return v.d;
    case 1: return v.f;
    case 2: return v.i;
    case 3: return v.s;
    case 4: return v.u;
    default: return b[0];
    }
}

/* Entry (variable or row i, column j) as the layout means it, whichever way it is stored. */
static double entry(const reader *r, const matrix *x, size_t i, size_t j)
{
    return element(x, r->transposed ? i * x->rows + j : j * x->rows + i);
}

static size_t height(const reader *r, const matrix *x) // variables, or rows of the result
{
    return r->transposed ? x->columns : x->rows;
}

static size_t width(const reader *r, const matrix *x)
{
    return r->transposed ? x->rows : x->columns;
}

static matrix *slot_for(reader *r, const char *name)
{
#define CHECK(x)                                                                                   \
    if (strcmp(name, #x) == 0) return &r->x;
    MATRICES(CHECK)
#undef CHECK
    return NULL;
}

static int read_matrices(reader *r, const unsigned char *p, size_t n)
{
    const uint16_t probe = 1;
    bool big = *(const unsigned char *)&probe == 0;
    while (n > 0) {
        if (n < 20) return bad(r, "the file ends inside a matrix header");
        bool swapped = load32(p, false) > 9999; // the type of a matrix is at most 4 digits
        uint32_t type = load32(p, swapped), imaginary = load32(p + 12, swapped);
        size_t rows = load32(p + 4, swapped), columns = load32(p + 8, swapped);
        size_t name_bytes = load32(p + 16, swapped);
        p += 20;
        n -= 20;
        unsigned precision = type / 10 % 10;
        if (type > 1999 || type / 100 % 10 != 0 || precision > 5 || type % 10 > 1 ||
            imaginary > 1 || (type / 1000 == 1) != (big != swapped) || rows > INT32_MAX ||
            columns > INT32_MAX)
            return bad(r, "this is not a MAT file of version 4 (save as version 4, or write CSV)");
        if (name_bytes == 0 || name_bytes > n || p[name_bytes - 1] != 0)
            return bad(r, "a matrix name is damaged");
        matrix *x = slot_for(r, (const char *)p);
        p += name_bytes;
        n -= name_bytes;
        size_t count = rows * columns, size = type_bytes[precision] * (1 + (size_t)imaginary);
        if (count > n / size) return bad(r, "the file is shorter than its matrices say");
        if (x && imaginary) return bad(r, "a complex matrix has no place in a result");
        if (x) *x = (matrix){p, rows, columns, (int)precision, swapped};
        p += count * size;
        n -= count * size;
    }
    return RESULT_OK;
}

/* Text may be stored in any type; what is no byte ends it. */
static char character(double v)
{
    return v >= 0 && v < 256 ? (char)(unsigned char)v : 0;
}

/* ---- the layout ------------------------------------------------------------------------------ */

static int check_layout(reader *r)
{
    char form[12] = "";
    if (!r->Aclass.data || r->Aclass.rows < 4)
        return bad(r, "there is no trajectory in this file (its matrix Aclass is missing)");
    size_t n = r->Aclass.columns < 11 ? r->Aclass.columns : 11;
    for (size_t j = 0; j < n; j++) form[j] = character(element(&r->Aclass, j * r->Aclass.rows + 3));
    r->transposed = strncmp(form, "binTrans", 8) == 0;
    if (!r->transposed && strncmp(form, "binNormal", 9) != 0)
        return bad(r, "the layout of the trajectory is neither binTrans nor binNormal");
    if (!r->name.data || !r->dataInfo.data || !r->data_2.data)
        return bad(r, "a matrix of the trajectory is missing: name, dataInfo or data_2");
    size_t variables = height(r, &r->name);
    if (height(r, &r->dataInfo) != variables || width(r, &r->dataInfo) < 2)
        return bad(r, "the matrices name and dataInfo do not agree");
    if (r->description.data && height(r, &r->description) != variables) r->description.data = NULL;
    if (variables == 0 || variables > INT_MAX / 8 || width(r, &r->data_2) == 0)
        return bad(r, "there are no variables in this file");
    // without rows the size of data_2 is not backed by bytes
    if (height(r, &r->data_2) == 0 && width(r, &r->data_2) > variables)
        return bad(r, "the matrix data_2 is damaged");
    return RESULT_OK;
}

/* Row i of a character matrix as a string, without padding, into s. */
static void string_of(const reader *r, const matrix *x, size_t i, char *s)
{
    size_t n = 0;
    for (size_t j = 0; j < width(r, x); j++) {
        s[j] = character(entry(r, x, i, j));
        if (s[j] == 0) break;
        if (s[j] != ' ') n = j + 1;
    }
    s[n] = 0;
}

/* Cut "comment [unit]" or "comment [unit|displayUnit]" into its parts; the unit, or "". */
static const char *split_unit(char *s)
{
    size_t n = strlen(s);
    char *open = strrchr(s, '[');
    if (n == 0 || s[n - 1] != ']' || !open) return "";
    s[n - 1] = 0;
    char *bar = strchr(open, '|');
    if (bar) *bar = 0;
    char *end = open;
    while (end > s && end[-1] == ' ') end--;
    *open = 0;
    *end = 0;
    return open + 1;
}

typedef struct texts {
    char *name, *comment;
    size_t name_bytes, comment_bytes;
    int *first; // the column that first used a row of data_2
    size_t first_bytes;
    double *row; // of the result, the time first
    size_t row_bytes;
} texts;

static int add_variable(reader *r, texts *t, result *out, size_t i, int *n_moving)
{
    double table = entry(r, &r->dataInfo, i, 0), place = entry(r, &r->dataInfo, i, 1);
    string_of(r, &r->name, i, t->name);
    const char *unit = "";
    t->comment[0] = 0;
    if (r->description.data) {
        string_of(r, &r->description, i, t->comment);
        unit = split_unit(t->comment);
    }
    if (table == 0) return RESULT_OK; // the time
    double at = fabs(place) - 1;      // NaN fails the comparisons below
    bool negated = place < 0;
    int rc;
    if (table == 1) {
        if (!r->data_1.data || !(at >= 0 && at < (double)width(r, &r->data_1)) ||
            height(r, &r->data_1) == 0)
            return bad(r, "dataInfo points outside data_1");
        double v = entry(r, &r->data_1, 0, (size_t)at);
        rc = result_add_constant(out, t->name, unit, t->comment, RESULT_REAL, negated ? -v : v);
    } else if (table == 2) {
        if (!(at >= 0 && at < (double)width(r, &r->data_2)))
            return bad(r, "dataInfo points outside data_2");
        int *first = &t->first[(size_t)at];
        if (*first == 0) {
            rc = result_add(out, t->name, unit, t->comment, RESULT_REAL);
            if (rc > 0) {
                *first = negated ? -rc : rc;
                // remember where values come from: row[slot] while reading
                t->row[*n_moving] = place;
                ++*n_moving;
            }
        } else {
            int of = *first < 0 ? -*first : *first;
            rc = result_add_alias(out, t->name, unit, t->comment, of, negated != (*first < 0));
        }
    } else return bad(r, "dataInfo names a table that is neither 1 nor 2");
    return rc < 0 ? no_memory(r) : RESULT_OK;
}

static int read_rows(reader *r, result *out, const double *places, double *row)
{
    size_t n = height(r, &r->data_2);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < out->n_slots - 1; k++) {
            double v = entry(r, &r->data_2, i, (size_t)fabs(places[k]) - 1);
            row[k] = places[k] < 0 ? -v : v;
        }
        int rc = result_append(out, entry(r, &r->data_2, i, 0), row);
        if (rc == RESULT_E_MEMORY) return no_memory(r);
        if (rc) return bad(r, "the time in data_2 decreases or is not finite");
    }
    return RESULT_OK;
}

static int read_result(reader *r, texts *t, result *out)
{
    size_t variables = height(r, &r->name), slots = width(r, &r->data_2);
    // scratch: the longest strings, a mark per row of data_2, twice a row of values
    t->name_bytes = width(r, &r->name) + 1;
    t->comment_bytes = r->description.data ? width(r, &r->description) + 1 : 1;
    t->first_bytes = slots * sizeof *t->first;
    t->row_bytes = 2 * slots * sizeof *t->row;
    t->name = mem_try(r->m, t->name_bytes);
    t->comment = mem_try(r->m, t->comment_bytes);
    t->first = mem_try(r->m, t->first_bytes);
    t->row = mem_try(r->m, t->row_bytes);
    if (!t->name || !t->comment || !t->first || !t->row) return no_memory(r);
    memset(t->first, 0, t->first_bytes);
    int n_moving = 0, rc = RESULT_OK;
    for (size_t i = 0; i < variables && !rc; i++) rc = add_variable(r, t, out, i, &n_moving);
    return rc ? rc : read_rows(r, out, t->row, t->row + slots);
}

int result_parse_mat(mem *m, const char *bytes, size_t n, const char *name, result **out,
                     result_fault *fault)
{
    reader r = {.m = m, .file = name, .fault = fault};
    texts t = {0};
    *out = NULL;
    int rc = read_matrices(&r, (const unsigned char *)bytes, n);
    if (rc == RESULT_OK) rc = check_layout(&r);
    if (rc == RESULT_OK && (rc = result_new(m, out)) != 0) rc = no_memory(&r);
    if (rc == RESULT_OK) rc = read_result(&r, &t, *out);
    mem_free(m, t.name, t.name_bytes);
    mem_free(m, t.comment, t.comment_bytes);
    mem_free(m, t.first, t.first_bytes);
    mem_free(m, t.row, t.row_bytes);
    if (rc) {
        result_free(*out);
        *out = NULL;
    }
    return rc;
}

int result_read_mat(mem *m, const char *path, result **out, result_fault *fault)
{
    char *bytes;
    size_t n;
    *out = NULL;
    int rc = result_file_read(m, path, &bytes, &n, fault);
    if (rc) return rc;
    rc = result_parse_mat(m, bytes, n, path, out, fault);
    mem_free(m, bytes, n + 1);
    return rc;
}
