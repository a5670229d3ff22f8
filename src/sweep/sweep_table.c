/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_table.h"

#include "base/plugin.h"
#include "result/decimal.h"
#include "result/whole_file.h"
#include "sweep/row_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- CSV: run, parameters, values, reason ---------------------------------------------------- */

typedef struct csv_job {
    result_file f;
    result_powers powers;
} csv_job;

static void csv_word(result_file *f, const char *word)
{
    if (!strpbrk(word, ",\"\r\n;")) {
        result_file_write(f, word, strlen(word));
        return;
    }
    result_file_write(f, "\"", 1);
    for (const char *c = word; *c; c++) {
        if (*c == '"') result_file_write(f, "\"", 1);
        result_file_write(f, c, 1);
    }
    result_file_write(f, "\"", 1);
}

static void write_count(result_file *f, uint64_t n)
{
    char s[20];
    int first = sizeof s;
    do s[--first] = (char)('0' + n % 10);
    while (n /= 10);
    result_file_write(f, s + first, sizeof s - (size_t)first);
}

static int csv_rows(void *user, const sweep_rows *rows)
{
    csv_job *j = user;
    for (int i = 0; i < rows->n; i++) {
        char s[DECIMAL_MAX_CHARS + 1];
        const double *row = rows->values + (size_t)i * (size_t)rows->width;
        write_count(&j->f, rows->first + (unsigned)i);
        s[0] = ',';
        for (int k = 0; k < rows->width; k++) {
            int n = result_print_number(&j->powers, row[k], s + 1);
            result_file_write(&j->f, s, (size_t)n + 1);
        }
        result_file_write(&j->f, ",", 1);
        csv_word(&j->f, rows->reason[i]);
        result_file_write(&j->f, "\n", 1);
    }
    return j->f.error ? RESULT_E_WRITE : RESULT_OK;
}

static int csv_table(mem *m, sweep_store *s, const sweep_heading *h, uint64_t n, const char *path,
                     result_fault *fault)
{
    (void)n;
    csv_job *j = mem_try(m, sizeof *j);
    if (!j) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    result_powers_init(&j->powers);
    int rc = result_file_open(&j->f, m, path, fault);
    if (!rc) {
        result_file_write(&j->f, "run", 3);
        for (int i = 0; i < h->n_parameters + h->n_values; i++) {
            result_file_write(&j->f, ",", 1);
            csv_word(&j->f,
                     i < h->n_parameters ? h->parameters[i] : h->values[i - h->n_parameters]);
        }
        result_file_write(&j->f, ",reason\n", 8);
        rc = sweep_store_each(s, csv_rows, j, fault);
        if (!rc || j->f.error) rc = result_file_commit(&j->f, fault);
        else result_file_abandon(&j->f);
    }
    mem_free(m, j, sizeof *j);
    return rc;
}

/* ---- MAT: as a trajectory over the number of the run ----------------------------------------- */

typedef struct mat_job {
    result *r;
    double *row;
} mat_job;

static int mat_rows(void *user, const sweep_rows *rows)
{
    mat_job *j = user;
    for (int i = 0; i < rows->n; i++) {
        size_t width = (size_t)rows->width;
        memcpy(j->row, rows->values + (size_t)i * width, width * sizeof *j->row);
        j->row[width] = rows->status[i] < 0;
        int rc = result_append(j->r, (double)(rows->first + (uint64_t)i), j->row);
        if (rc < 0) return rc;
    }
    return RESULT_OK;
}

static int mat_table(mem *m, sweep_store *s, const sweep_heading *h, uint64_t n, const char *path,
                     result_fault *fault)
{
    (void)n;
    mat_job j = {0};
    size_t width = (size_t)(h->n_parameters + h->n_values), bytes = (width + 1) * sizeof *j.row;
    int rc = result_new(m, &j.r);
    j.row = mem_try(m, bytes);
    for (int i = 0; i < h->n_parameters && rc >= 0; i++)
        rc = result_add(j.r, h->parameters[i], "", "varied", RESULT_REAL);
    for (int i = 0; i < h->n_values && rc >= 0; i++)
        rc = result_add(j.r, h->values[i], "", "collected", RESULT_REAL);
    if (rc >= 0) rc = result_add(j.r, "failed", "", "the run failed", RESULT_BOOL);
    if (rc < 0 || !j.row) rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    else rc = sweep_store_each(s, mat_rows, &j, fault);
    if (!rc) rc = result_write(j.r, NULL, path, fault);
    mem_free(m, j.row, bytes);
    result_free(j.r);
    return rc;
}

/* ---- HDF5: by a plug-in ----------------------------------------------------------------------- */

static const plugin_kind hdf5_kind = {"hdf5", "results as HDF5", "libhdf5-dev",
                                      SWEEP_WRITER_VERSION};

static const sweep_writer *hdf5_writer(result_fault *fault)
{
    char why[600];
    const sweep_writer *w = plugin_open(&hdf5_kind, why, sizeof why);
    if (!w) result_fail(fault, RESULT_E_OPEN, "C195", "%.400s", why);
    return w;
}

typedef struct hdf5_job {
    const sweep_writer *w;
    void *self;
    uint64_t first;
} hdf5_job;

static int hdf5_rows(void *user, const sweep_rows *rows)
{
    hdf5_job *j = user;
    int rc = j->w->rows(j->self, rows->first - j->first, rows->n, rows->values, rows->status,
                        (const char *const *)rows->reason);
    return rc ? RESULT_E_WRITE : RESULT_OK;
}

/* Beside its place, and there when it is whole. */
static int hdf5_table(mem *m, sweep_store *s, const sweep_heading *h, uint64_t n, const char *path,
                      result_fault *fault)
{
    hdf5_job j = {hdf5_writer(fault), NULL, h->first};
    int width = h->n_parameters + h->n_values, rc = RESULT_OK;
    size_t bytes = strlen(path) + 10, names_bytes = ((size_t)width + 1) * sizeof(char *);
    if (!j.w) return RESULT_E_OPEN;
    char *beside = mem_try(m, bytes), why[300] = "";
    const char **names = mem_try(m, names_bytes);
    if (beside && names) {
        snprintf(beside, bytes, "%s.part", path);
        for (int i = 0; i < width; i++)
            names[i] = i < h->n_parameters ? h->parameters[i] : h->values[i - h->n_parameters];
        sweep_columns c = {names, h->n_parameters, h->n_values, n, h->identity, h->class_name};
        j.self = j.w->open(beside, &c, why, sizeof why);
        if (j.self) {
            rc = sweep_store_each(s, hdf5_rows, &j, fault);
            if (j.w->close(j.self, why, sizeof why)) rc = RESULT_E_WRITE;
            if (!rc && rename(beside, path)) rc = RESULT_E_WRITE;
            if (rc) unlink(beside);
        } else {
            rc = RESULT_E_WRITE;
        }
        if (rc == RESULT_E_WRITE)
            result_fail(fault, rc, "C192", "'%s' cannot be written: %s", path,
                        *why ? why : strerror(errno));
    } else {
        rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    }
    mem_free(m, beside, bytes);
    mem_free(m, names, names_bytes);
    return rc;
}

static int hdf5_ready(result_fault *fault)
{
    return hdf5_writer(fault) ? RESULT_OK : RESULT_E_OPEN;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const sweep_format sweep_formats[] = {
    {".csv", "CSV", "a row for each run: its number, parameters, values, and why it failed",
     csv_table, NULL},
    {".mat", "MAT", "MAT-file, version 4, over the number of the run", mat_table, NULL},
    {".h5", "HDF5", "data sets by column, in chunks (a plug-in)", hdf5_table, hdf5_ready},
    {0},
};

const sweep_format *sweep_format_of(const char *path, result_fault *fault)
{
    char endings[100] = "";
    for (const sweep_format *f = sweep_formats; f->ending; f++) {
        if (result_ends_in(path, f->ending)) return f->ready && f->ready(fault) ? NULL : f;
        result_add_choice(endings, sizeof endings, f->ending, !f[1].ending);
    }
    result_fail(fault, RESULT_E_OPEN, "C192", "'%s': rows of a sweep are written as %s", path,
                endings);
    return NULL;
}
