/* Results as MAT version 4, in the layout Modelica tools share.
 *
 * Matrices, all but the first transposed ("binTrans"), so that data_2 has one column per row of
 * the result and can be written in the order in which it was computed:
 *
 *     Aclass       4 x 11 characters: Atrajectory, 1.1, (empty), binTrans
 *     name         one column of characters per variable, blank padded, time first
 *     description  the same: comment [unit]
 *     dataInfo     4 x variables: 0 time, 1 data_1, 2 data_2; row there, negative for an alias with
 *                  opposite sign; 0 linear interpolation; -1 not defined outside
 *     data_1       constants: first row the start and stop time, then each constant twice
 *     data_2       trajectories: first row the time
 *     vincoloEnd   where it is there: bytes from which a run can go on; others pass it over
 *
 * The layout: OpenModelica User's Guide, "The MATv4 result file format"; the container: MathWorks,
 * "MAT-File Format", level 4.
 *
 * Both orientations, all numeric types and both byte orders are read. Every size comes from the
 * file, so every access goes through mat_element(), whose bounds were checked against the length of
 * the file once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "result/writer.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* ---- writing --------------------------------------------------------------------------------- */

enum { MAT_DOUBLE = 0, MAT_INT = 20, MAT_BYTES = 50, MAT_TEXT = 51 };

/* Rows of data_1 and data_2 after the first, and what they hold: a place among the constants or in a row
 * of the result, or -1 - c where column c is computed. */
typedef struct mat_table {
    int n, *of;
} mat_table;

typedef struct mat_own {
    mat_table fixed, moving;
    off_t at_data; // where data_1 begins
    int *place;    // of slots in data_2, and after them of constants in data_1; 0: absent
    int rest[];
} mat_own;

static void mat_header(result_writer *w, int type, const char *name, size_t rows, size_t columns)
{
    const uint16_t probe = 1;
    int big_endian = *(const unsigned char *)&probe == 0;
    int32_t h[5] = {type + 1000 * big_endian, (int32_t)rows, (int32_t)columns, 0,
                    (int32_t)strlen(name) + 1};
    result_file_write(&w->f, h, sizeof h);
    result_file_write(&w->f, name, strlen(name) + 1);
}

/* A file whose run is not over says so: what follows its rows may be the beginning of more. */
static const char MAT_UNFINISHED[] = "unfinished ";

static void mat_write_class(result_writer *w, bool finished)
{
    const char *const lines[4] = {"Atrajectory", "1.1        ",
                                  finished ? "           " : MAT_UNFINISHED, "binTrans   "};
    mat_header(w, MAT_TEXT, "Aclass", 4, 11);
    for (int j = 0; j < 11; j++)
        for (int i = 0; i < 4; i++) result_file_write(&w->f, &lines[i][j], 1);
}

static const result_column *mat_variable(const result_writer *w, int i) // 0 is the time
{
    return &w->r->columns[i == 0 ? 0 : w->list[i - 1]];
}

static void mat_pad(result_writer *w, size_t n)
{
    for (; n > 0; n--) result_file_write(&w->f, " ", 1);
}

static void mat_write_names(result_writer *w)
{
    size_t width = 1;
    for (int i = 0; i <= w->n; i++) {
        size_t n = strlen(mat_variable(w, i)->name);
        if (n > width) width = n;
    }
    mat_header(w, MAT_TEXT, "name", width, (size_t)w->n + 1);
    for (int i = 0; i <= w->n; i++) {
        const char *s = mat_variable(w, i)->name;
        result_file_write(&w->f, s, strlen(s));
        mat_pad(w, width - strlen(s));
    }
}

static size_t description_length(const result_column *c)
{
    size_t comment = strlen(c->look->comment), unit = strlen(c->look->unit),
           shown = strlen(c->look->display);
    return comment + (unit ? unit + 2 + (comment > 0) + (shown ? shown + 1 : 0) : 0);
}

static void mat_write_descriptions(result_writer *w)
{
    size_t width = 1;
    for (int i = 0; i <= w->n; i++) {
        size_t n = description_length(mat_variable(w, i));
        if (n > width) width = n;
    }
    mat_header(w, MAT_TEXT, "description", width, (size_t)w->n + 1);
    for (int i = 0; i <= w->n; i++) {
        const result_column *c = mat_variable(w, i);
        result_file_write(&w->f, c->look->comment, strlen(c->look->comment));
        if (c->look->unit[0]) {
            if (c->look->comment[0]) mat_pad(w, 1);
            result_file_write(&w->f, "[", 1);
            result_file_write(&w->f, c->look->unit, strlen(c->look->unit));
            if (c->look->display[0]) result_file_write(&w->f, "|", 1);
            result_file_write(&w->f, c->look->display, strlen(c->look->display));
            result_file_write(&w->f, "]", 1);
        }
        mat_pad(w, width - description_length(c));
    }
}

/* A negated Boolean has no sign in the format: it gets a row of its own, and so does what is computed. */
static bool mat_own_row(const result_column *c)
{
    return c->computed || (c->negated && c->kind == RESULT_BOOL);
}

static size_t mat_room(const result *r)
{
    size_t slots = (size_t)(r->n_slots + r->n_constants), columns = 2 * (size_t)r->n_columns;
    return sizeof(mat_own) + (slots + columns) * sizeof(int);
}

/* The row that a variable has in its table; new ones are counted. */
static int mat_row_of(const result_writer *w, int column)
{
    mat_own *x = w->own;
    const result_column *c = &w->r->columns[column];
    mat_table *t = c->constant ? &x->fixed : &x->moving;
    if (mat_own_row(c)) {
        t->of[t->n++] = -1 - column;
        return t->n + 1;
    }
    int *place = &x->place[c->constant ? w->r->n_slots + c->slot : c->slot];
    if (*place == 0) {
        t->of[t->n++] = c->slot;
        *place = t->n + 1;
    }
    return *place;
}

static void mat_write_info(result_writer *w)
{
    mat_own *x = w->own;
    x->place = x->rest;
    x->fixed.of = x->place + w->r->n_slots + w->r->n_constants;
    x->moving.of = x->fixed.of + w->r->n_columns;
    x->place[0] = 1;
    mat_header(w, MAT_INT, "dataInfo", 4, (size_t)w->n + 1);
    int32_t time[4] = {0, 1, 0, -1};
    result_file_write(&w->f, time, sizeof time);
    for (int i = 1; i <= w->n; i++) {
        const result_column *c = mat_variable(w, i);
        int row = mat_row_of(w, w->list[i - 1]);
        int32_t info[4] = {c->constant ? 1 : 2, c->negated && !mat_own_row(c) ? -row : row, 0,
                           c->constant ? 0 : -1};
        result_file_write(&w->f, info, sizeof info);
    }
}

/* Constants, and the head of the rows. */
static void mat_write_fixed(result_writer *w)
{
    const mat_own *x = w->own;
    mat_header(w, MAT_DOUBLE, "data_1", (size_t)x->fixed.n + 1, 2);
    for (int k = 0; k < 2; k++) {
        double v = k ? w->t_last : w->t_first;
        result_file_write(&w->f, &v, sizeof v);
        for (int i = 0; i < x->fixed.n; i++) {
            int of = x->fixed.of[i];
            v = of < 0 ? result_value(w->r, -1 - of, 0) : w->r->constants[of];
            result_file_write(&w->f, &v, sizeof v);
        }
    }
    mat_header(w, MAT_DOUBLE, "data_2", (size_t)x->moving.n + 1, w->n_rows);
}

static void mat_rows(result_writer *w, size_t first, size_t end)
{
    enum { PIECE = 512 }; // values that are gathered at a time
    const mat_table *x = &((const mat_own *)w->own)->moving;
    for (size_t row = first; row < end && w->f.error == 0; row++) {
        const double *values = result_row(w->r, row);
        result_file_write(&w->f, values, sizeof *values);
        for (int i = 0; i < x->n; i += PIECE) {
            double piece[PIECE];
            int n = x->n - i < PIECE ? x->n - i : PIECE;
            for (int k = 0; k < n; k++) {
                int of = x->of[i + k];
                piece[k] = of < 0 ? result_value(w->r, -1 - of, row) : values[of];
            }
            result_file_write(&w->f, piece, (size_t)n * sizeof *piece);
        }
    }
}

static void mat_begin(result_writer *w)
{
    mat_write_class(w, true);
    mat_write_names(w);
    mat_write_descriptions(w);
    mat_write_info(w);
    if (!w->f.direct) ((mat_own *)w->own)->at_data = result_file_place(&w->f);
    mat_write_fixed(w);
}

static void mat_end(result_writer *w)
{
    const result *r = w->r;
    if (!r->n_state || r->n_state > INT32_MAX) return;
    mat_header(w, MAT_BYTES, "vincoloEnd", 1, r->n_state);
    result_file_write(&w->f, r->state, r->n_state);
}

static void mat_settle(result_writer *w, bool finished)
{
    off_t end = result_file_place(&w->f);
    result_file_seek(&w->f, 0);
    mat_write_class(w, finished);
    result_file_seek(&w->f, ((mat_own *)w->own)->at_data);
    mat_write_fixed(w);
    result_file_seek(&w->f, end);
}

static bool mat_row_time(const result_writer *w, off_t *at, double *t)
{
    if (pread(w->f.fd, t, sizeof *t, *at) != (ssize_t)sizeof *t) return false;
    *at += (off_t)sizeof *t * (((const mat_own *)w->own)->moving.n + 1);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct matrix {
    const unsigned char *data; // NULL: not in the file
    size_t rows, columns;
    int type;     // P of the type MOPT: 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5 uint8
    bool swapped; // byte order is not ours
} matrix;

/* The matrices that matter, in one list. */
#define MATRICES(X) X(Aclass) X(name) X(description) X(dataInfo) X(data_1) X(data_2) X(vincoloEnd)

typedef struct reader {
    mem *m;
    const char *file;
    result_fault *fault;
    bool transposed;
    bool unfinished; // what follows the rows may be the beginning of more
#define FIELD(x) matrix x;
    MATRICES(FIELD)
#undef FIELD
} reader;

static int mat_fault(reader *r, const char *what)
{
    return result_fail(r->fault, RESULT_E_FORMAT, "C606", "%.300s: %s", r->file, what);
}

static int mat_no_memory(reader *r)
{
    return result_fail(r->fault, RESULT_E_MEMORY, "C609", "out of memory");
}

/* ---- the container --------------------------------------------------------------------------- */

static const unsigned char type_bytes[6] = {8, 4, 4, 2, 2, 1};

static uint32_t mat_load32(const unsigned char *p, bool swapped)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return swapped ? v >> 24 | (v >> 8 & 0xFF00) | (v << 8 & 0xFF0000) | v << 24 : v;
}

/* Element i of a matrix, which must be inside it. */
static double mat_element(const matrix *x, size_t i)
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
static double mat_entry(const reader *r, const matrix *x, size_t i, size_t j)
{
    return mat_element(x, r->transposed ? i * x->rows + j : j * x->rows + i);
}

static size_t mat_height(const reader *r, const matrix *x) // variables, or rows of the result
{
    return r->transposed ? x->columns : x->rows;
}

static size_t mat_width(const reader *r, const matrix *x)
{
    return r->transposed ? x->rows : x->columns;
}

static matrix *mat_slot(reader *r, const char *name)
{
#define CHECK(x)                                                                                   \
    if (strcmp(name, #x) == 0) return &r->x;
    MATRICES(CHECK)
#undef CHECK
    return NULL;
}

/* Text may be stored in any type; what is no byte ends it. */
static char mat_character(double v)
{
    if (!(v >= 0 && v < 256)) return 0;
    return (char)(unsigned char)v;
}

static bool mat_is_unfinished(const matrix *x)
{
    if (x->rows != 4 || x->columns != sizeof MAT_UNFINISHED - 1) return false;
    for (size_t j = 0; j < x->columns; j++)
        if (mat_character(mat_element(x, 4 * j + 2)) != MAT_UNFINISHED[j]) return false;
    return true;
}

static int mat_read_matrices(reader *r, const unsigned char *p, size_t n)
{
    const uint16_t probe = 1;
    bool big = *(const unsigned char *)&probe == 0;
    while (n > 0) {
        if (r->unfinished && r->data_2.data) return RESULT_OK;
        if (n < 20) return mat_fault(r, "the file ends inside a matrix header");
        bool swapped = mat_load32(p, false) > 9999; // the type of a matrix is at most 4 digits
        uint32_t type = mat_load32(p, swapped), imaginary = mat_load32(p + 12, swapped);
        size_t rows = mat_load32(p + 4, swapped), columns = mat_load32(p + 8, swapped);
        size_t name_bytes = mat_load32(p + 16, swapped);
        p += 20;
        n -= 20;
        unsigned precision = type / 10 % 10;
        if (type > 1999 || type / 100 % 10 != 0 || precision > 5 || type % 10 > 1 ||
            imaginary > 1 || (type / 1000 == 1) != (big != swapped) || rows > INT32_MAX ||
            columns > INT32_MAX)
            return mat_fault(
                r, "this is not a MAT file of version 4 (save as version 4, or write CSV)");
        if (name_bytes == 0 || name_bytes > n || p[name_bytes - 1] != 0)
            return mat_fault(r, "a matrix name is damaged");
        matrix *x = mat_slot(r, (const char *)p);
        p += name_bytes;
        n -= name_bytes;
        size_t count = rows * columns, size = type_bytes[precision] * (1 + (size_t)imaginary);
        if (count > n / size) return mat_fault(r, "the file is shorter than its matrices say");
        if (x && imaginary) return mat_fault(r, "a complex matrix has no place in a result");
        if (x) *x = (matrix){p, rows, columns, (int)precision, swapped};
        if (x == &r->Aclass) r->unfinished = mat_is_unfinished(x);
        p += count * size;
        n -= count * size;
    }
    return RESULT_OK;
}

/* ---- the layout ------------------------------------------------------------------------------ */

static int mat_check_layout(reader *r)
{
    char form[12] = "";
    if (!r->Aclass.data || r->Aclass.rows < 4)
        return mat_fault(r, "there is no trajectory in this file (its matrix Aclass is missing)");
    size_t n = r->Aclass.columns < 11 ? r->Aclass.columns : 11;
    for (size_t j = 0; j < n; j++)
        form[j] = mat_character(mat_element(&r->Aclass, j * r->Aclass.rows + 3));
    r->transposed = strncmp(form, "binTrans", 8) == 0;
    if (!r->transposed && strncmp(form, "binNormal", 9) != 0)
        return mat_fault(r, "the layout of the trajectory is neither binTrans nor binNormal");
    if (!r->name.data || !r->dataInfo.data || !r->data_2.data)
        return mat_fault(r, "a matrix of the trajectory is missing: name, dataInfo or data_2");
    size_t variables = mat_height(r, &r->name);
    if (mat_height(r, &r->dataInfo) != variables || mat_width(r, &r->dataInfo) < 2)
        return mat_fault(r, "the matrices name and dataInfo do not agree");
    if (r->description.data && mat_height(r, &r->description) != variables)
        r->description.data = NULL;
    if (variables == 0 || variables > INT_MAX / 8 || mat_width(r, &r->data_2) == 0)
        return mat_fault(r, "there are no variables in this file");
    // without rows the size of data_2 is not backed by bytes
    if (mat_height(r, &r->data_2) == 0 && mat_width(r, &r->data_2) > variables)
        return mat_fault(r, "the matrix data_2 is damaged");
    return RESULT_OK;
}

/* Row i of a character matrix as a string, without padding, into s. */
static void mat_string(const reader *r, const matrix *x, size_t i, char *s)
{
    size_t n = 0;
    for (size_t j = 0; j < mat_width(r, x); j++) {
        s[j] = mat_character(mat_entry(r, x, i, j));
        if (s[j] == 0) break;
        if (s[j] != ' ') n = j + 1;
    }
    s[n] = 0;
}

/* Cut "comment [unit]" or "comment [unit|displayUnit]" into its parts; the unit, or "". */
static const char *mat_split_unit(char *s, const char **display)
{
    *display = "";
    size_t n = strlen(s);
    char *open = strrchr(s, '[');
    if (n == 0 || s[n - 1] != ']' || !open) return "";
    s[n - 1] = 0;
    char *bar = strchr(open, '|');
    if (bar) *bar = 0, *display = bar + 1;
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

static int mat_add_variable(reader *r, texts *t, result *out, size_t i, int *n_moving)
{
    double table = mat_entry(r, &r->dataInfo, i, 0), place = mat_entry(r, &r->dataInfo, i, 1);
    mat_string(r, &r->name, i, t->name);
    const char *unit = "", *display = "";
    t->comment[0] = 0;
    if (r->description.data) {
        mat_string(r, &r->description, i, t->comment);
        unit = mat_split_unit(t->comment, &display);
    }
    if (table == 0) return RESULT_OK; // the time
    double at = fabs(place) - 1;      // NaN fails the comparisons below
    bool negated = place < 0;
    int rc;
    if (table == 1) {
        if (!r->data_1.data || !(at >= 0 && at < (double)mat_width(r, &r->data_1)) ||
            mat_height(r, &r->data_1) == 0)
            return mat_fault(r, "dataInfo points outside data_1");
        double v = mat_entry(r, &r->data_1, 0, (size_t)at);
        rc = result_add_constant(out, t->name, unit, t->comment, RESULT_REAL, negated ? -v : v);
    } else if (table == 2) {
        if (!(at >= 0 && at < (double)mat_width(r, &r->data_2)))
            return mat_fault(r, "dataInfo points outside data_2");
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
    } else return mat_fault(r, "dataInfo names a table that is neither 1 nor 2");
    if (rc > 0 && display[0]) rc = result_show_in(out, rc, display, 0, 0);
    return rc < 0 ? mat_no_memory(r) : RESULT_OK;
}

static int mat_read_rows(reader *r, result *out, const double *places, double *row)
{
    size_t n = mat_height(r, &r->data_2);
    enum { ROW_WEIGHT = 10 }; // about a microsecond
    for (size_t i = 0; i < n; i++) {
        if (watch_tick(out->m->watch, ROW_WEIGHT)) return RESULT_E_MEMORY; // the watch says why
        for (int k = 0; k < out->n_slots - 1; k++) {
            double v = mat_entry(r, &r->data_2, i, (size_t)fabs(places[k]) - 1);
            row[k] = places[k] < 0 ? -v : v;
        }
        int rc = result_append(out, mat_entry(r, &r->data_2, i, 0), row);
        if (rc == RESULT_E_MEMORY) return mat_no_memory(r);
        if (rc) return mat_fault(r, "the time in data_2 decreases or is not finite");
    }
    return RESULT_OK;
}

static int mat_read_result(reader *r, texts *t, result *out)
{
    size_t variables = mat_height(r, &r->name), slots = mat_width(r, &r->data_2);
    // scratch: the longest strings, a mark per row of data_2, twice a row of values
    t->name_bytes = mat_width(r, &r->name) + 1;
    t->comment_bytes = r->description.data ? mat_width(r, &r->description) + 1 : 1;
    t->first_bytes = slots * sizeof *t->first;
    t->row_bytes = 2 * slots * sizeof *t->row;
    t->name = mem_try(r->m, t->name_bytes);
    t->comment = mem_try(r->m, t->comment_bytes);
    t->first = mem_try(r->m, t->first_bytes);
    t->row = mem_try(r->m, t->row_bytes);
    if (!t->name || !t->comment || !t->first || !t->row) return mat_no_memory(r);
    memset(t->first, 0, t->first_bytes);
    int n_moving = 0, rc = RESULT_OK;
    for (size_t i = 0; i < variables && !rc; i++) rc = mat_add_variable(r, t, out, i, &n_moving);
    return rc ? rc : mat_read_rows(r, out, t->row, t->row + slots);
}

static int mat_parse(mem *m, const char *bytes, size_t n, const char *name, result **out,
                     result_fault *fault)
{
    reader r = {.m = m, .file = name, .fault = fault};
    texts t = {0};
    *out = NULL;
    int rc = mat_read_matrices(&r, (const unsigned char *)bytes, n);
    if (rc == RESULT_OK) rc = mat_check_layout(&r);
    if (rc == RESULT_OK && (rc = result_new(m, out)) != 0) rc = mat_no_memory(&r);
    if (rc == RESULT_OK) rc = mat_read_result(&r, &t, *out);
    const matrix *end = &r.vincoloEnd;
    if (rc == RESULT_OK && end->data && end->type == 5 && end->rows == 1 && end->columns &&
        result_keep_state(*out, end->data, end->columns))
        rc = mat_no_memory(&r);
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

/* A version 4 header is type, rows, columns, imaginary flag, length of the name (7), "Aclass".
 * Later versions are recognised too, so that the message says what is wrong. */
static bool mat_recognises(const char *bytes, size_t n)
{
    if (n >= 27 && memcmp(bytes + 20, "Aclass", 7) == 0) return true;
    return n >= 6 && (memcmp(bytes, "MATLAB", 6) == 0 || memcmp(bytes, "\x89HDF", 4) == 0);
}

const result_format result_mat = {
    .name = "MAT",
    .summary = "binary, MAT version 4 as Modelica tools write it",
    .ending = ".mat",
    .room = mat_room,
    .begin = mat_begin,
    .rows = mat_rows,
    .end = mat_end,
    .settle = mat_settle,
    .row_time = mat_row_time,
    .rows_max = INT32_MAX,
    .constants = true,
    .recognises = mat_recognises,
    .parse = mat_parse,
};
