/* Results as MAT version 4, in the layout Modelica tools share.
 *
 * Six matrices, all but the first transposed ("binTrans"), so that data_2 has one column per row of
 * the result and can be written in the order in which it was computed:
 *
 *     Aclass       4 x 11 characters: Atrajectory, 1.1, (empty), binTrans
 *     name         one column of characters per variable, blank padded, time first
 *     description  the same: comment [unit]
 *     dataInfo     4 x variables: 0 time, 1 data_1, 2 data_2; row there, negative for an alias with
 *                  opposite sign; 0 linear interpolation; -1 not defined outside
 *     data_1       constants: first row the start and stop time, then each constant twice
 *     data_2       trajectories: first row the time
 *
 * The layout: OpenModelica User's Guide, "The MATv4 result file format"; the container: MathWorks,
 * "MAT-File Format", level 4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/whole_file.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { MAT_DOUBLE = 0, MAT_INT = 20, MAT_TEXT = 51 };

typedef struct writer {
    result_file f;
    const result *r;
    int n, *list;          // variables after the time
    int n_fixed, n_moving; // rows of data_1 and data_2 after the first
    int *place;            // of slots in data_2, and behind them of constants in data_1; 0: absent
} writer;

static void header(writer *w, int type, const char *name, size_t rows, size_t columns)
{
    const uint16_t probe = 1;
    int big_endian = *(const unsigned char *)&probe == 0;
    int32_t h[5] = {type + 1000 * big_endian, (int32_t)rows, (int32_t)columns, 0,
                    (int32_t)strlen(name) + 1};
    result_file_write(&w->f, h, sizeof h);
    result_file_write(&w->f, name, strlen(name) + 1);
}

static void write_class(writer *w)
{
    static const char lines[4][12] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    header(w, MAT_TEXT, "Aclass", 4, 11);
    for (int j = 0; j < 11; j++)
        for (int i = 0; i < 4; i++) result_file_write(&w->f, &lines[i][j], 1);
}

static const result_column *variable(const writer *w, int i) // 0 is the time
{
    return &w->r->columns[i == 0 ? 0 : w->list[i - 1]];
}

static void pad(writer *w, size_t n)
{
    for (; n > 0; n--) result_file_write(&w->f, " ", 1);
}

static void write_names(writer *w)
{
    size_t width = 1;
    for (int i = 0; i <= w->n; i++) {
        size_t n = strlen(variable(w, i)->name);
        if (n > width) width = n;
    }
    header(w, MAT_TEXT, "name", width, (size_t)w->n + 1);
    for (int i = 0; i <= w->n; i++) {
        const char *s = variable(w, i)->name;
        result_file_write(&w->f, s, strlen(s));
        pad(w, width - strlen(s));
    }
}

static size_t description_length(const result_column *c)
{
    size_t comment = strlen(c->comment), unit = strlen(c->unit);
    return comment + (unit ? unit + 2 + (comment > 0) : 0);
}

static void write_descriptions(writer *w)
{
    size_t width = 1;
    for (int i = 0; i <= w->n; i++) {
        size_t n = description_length(variable(w, i));
        if (n > width) width = n;
    }
    header(w, MAT_TEXT, "description", width, (size_t)w->n + 1);
    for (int i = 0; i <= w->n; i++) {
        const result_column *c = variable(w, i);
        result_file_write(&w->f, c->comment, strlen(c->comment));
        if (c->unit[0]) {
            if (c->comment[0]) pad(w, 1);
            result_file_write(&w->f, "[", 1);
            result_file_write(&w->f, c->unit, strlen(c->unit));
            result_file_write(&w->f, "]", 1);
        }
        pad(w, width - description_length(c));
    }
}

/* A negated Boolean has no sign in the format: it gets a row of its own. */
static bool own_row(const result_column *c)
{
    return c->negated && c->kind == RESULT_BOOL;
}

static int *place_of(const writer *w, const result_column *c)
{
    return &w->place[c->constant ? w->r->n_slots + c->slot : c->slot];
}

static void assign_places(writer *w)
{
    memset(w->place, 0, (size_t)(w->r->n_slots + w->r->n_constants) * sizeof *w->place);
    w->place[0] = 1;
    for (int i = 1; i <= w->n; i++) {
        const result_column *c = variable(w, i);
        int *count = c->constant ? &w->n_fixed : &w->n_moving;
        if (own_row(c)) ++*count;
        else if (*place_of(w, c) == 0) *place_of(w, c) = ++*count + 1;
    }
}

static void write_info(writer *w)
{
    header(w, MAT_INT, "dataInfo", 4, (size_t)w->n + 1);
    int32_t time[4] = {0, 1, 0, -1};
    result_file_write(&w->f, time, sizeof time);
    int fixed = 0, moving = 0; // rows given out so far, in the order of assign_places
    for (int i = 1; i <= w->n; i++) {
        const result_column *c = variable(w, i);
        int *count = c->constant ? &fixed : &moving, row;
        if (own_row(c)) row = ++*count + 1;
        else {
            row = *place_of(w, c);
            if (row == *count + 2) ++*count;
        }
        int32_t info[4] = {c->constant ? 1 : 2, c->negated && !own_row(c) ? -row : row, 0,
                           c->constant ? 0 : -1};
        result_file_write(&w->f, info, sizeof info);
    }
}

/* The values of one table at one row of the result. */
static void write_values(writer *w, bool constants, size_t row)
{
    int count = 0;
    for (int i = 1; i <= w->n; i++) {
        const result_column *c = variable(w, i);
        if (c->constant != constants) continue;
        double v;
        if (own_row(c)) v = result_value(w->r, w->list[i - 1], row);
        else if (*place_of(w, c) == count + 2)
            v = constants ? w->r->constants[c->slot] : result_row(w->r, row)[c->slot];
        else continue;
        count++;
        result_file_write(&w->f, &v, sizeof v);
    }
}

static void write_data(writer *w)
{
    const result *r = w->r;
    size_t last = r->n_rows - 1;
    header(w, MAT_DOUBLE, "data_1", (size_t)w->n_fixed + 1, 2);
    for (int k = 0; k < 2; k++) {
        double t = r->n_rows == 0 ? 0 : result_time(r, k ? last : 0);
        result_file_write(&w->f, &t, sizeof t);
        write_values(w, true, 0);
    }
    header(w, MAT_DOUBLE, "data_2", (size_t)w->n_moving + 1, r->n_rows);
    for (size_t row = 0; row < r->n_rows && w->f.error == 0; row++) {
        double t = result_time(r, row);
        result_file_write(&w->f, &t, sizeof t);
        write_values(w, false, row);
    }
}

int result_write_mat(const result *r, const result_selection *select, const char *path,
                     result_fault *fault)
{
    if (r->n_rows > INT32_MAX)
        return result_fail(fault, RESULT_E_WRITE, "C602",
                           "cannot write '%.300s': MAT files hold at most 2^31 - 1 rows", path);
    writer w = {.r = r};
    size_t list_bytes = 2 * (size_t)r->n_columns * sizeof *w.list;
    size_t place_bytes = (size_t)(r->n_slots + r->n_constants) * sizeof *w.place;
    int rc;
    w.list = mem_try(r->m, list_bytes);
    w.place = mem_try(r->m, place_bytes);
    if (!w.list || !w.place) rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    else rc = result_file_open(&w.f, r->m, path, fault);
    if (rc == RESULT_OK) {
        w.n = result_selected(r, select, true, w.list);
        assign_places(&w);
        write_class(&w);
        write_names(&w);
        write_descriptions(&w);
        write_info(&w);
        write_data(&w);
        rc = result_file_commit(&w.f, fault);
    }
    mem_free(r->m, w.place, place_bytes);
    mem_free(r->m, w.list, list_bytes);
    return rc;
}
