/* Rows of a sweep as HDF5: a chunked, compressed data set for each column, in the groups /parameters and
 * /values, with /run, /status and /reason beside them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/row_writer.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_ROWS = 4096, COMPRESSION = 4 };

typedef struct hdf5_file {
    hid_t file, text;
    hid_t *columns, run, status, reason;
    int n, n_parameters;
    double *column;
    int room;
    int failed;
} hdf5_file;

static hid_t new_set(hid_t where, const char *name, hid_t type, hsize_t rows)
{
    hsize_t chunk = rows < CHUNK_ROWS ? (rows ? rows : 1) : CHUNK_ROWS;
    hid_t space = H5Screate_simple(1, &rows, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &chunk);
    H5Pset_shuffle(list);
    H5Pset_deflate(list, COMPRESSION);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Sclose(space);
    return set;
}

static void put_word(hid_t where, const char *name, const char *words)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(words) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t a = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0) H5Awrite(a, type, words), H5Aclose(a);
    H5Tclose(type);
    H5Sclose(space);
}

/* A slash parts groups in names of HDF5. */
static void set_name(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", name);
    for (char *c = out; *c; c++)
        if (*c == '/') *c = ':';
}

static int hdf5_close(void *self, char *why, size_t size)
{
    hdf5_file *f = self;
    for (int i = 0; i < f->n; i++)
        if (f->columns && f->columns[i] >= 0) H5Dclose(f->columns[i]);
    if (f->run >= 0) H5Dclose(f->run);
    if (f->status >= 0) H5Dclose(f->status);
    if (f->reason >= 0) H5Dclose(f->reason);
    if (f->text >= 0) H5Tclose(f->text);
    if (H5Fclose(f->file) < 0) f->failed = 1;
    int failed = f->failed;
    if (failed) snprintf(why, size, "the HDF5 library could not write it");
    free(f->columns);
    free(f->column);
    free(f);
    return failed;
}

static void *hdf5_open(const char *path, const sweep_columns *c, char *why, size_t size)
{
    hdf5_file *f = calloc(1, sizeof *f);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // it would print
    snprintf(why, size, "the HDF5 library could not make it");
    if (!f) return NULL;
    f->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (f->file < 0) {
        free(f);
        return NULL;
    }
    f->n = c->n_parameters + c->n_values;
    f->n_parameters = c->n_parameters;
    f->columns = malloc(((size_t)f->n + 1) * sizeof *f->columns);
    f->text = H5Tcopy(H5T_C_S1);
    H5Tset_size(f->text, H5T_VARIABLE);
    H5Tset_cset(f->text, H5T_CSET_UTF8);
    put_word(f->file, "class", c->class_name);
    put_word(f->file, "sweep", c->identity);
    hid_t groups[2] = {H5Gcreate2(f->file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Gcreate2(f->file, "values", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
    for (int i = 0; f->columns && i < f->n; i++) {
        char name[500];
        set_name(c->names[i], name, sizeof name);
        f->columns[i] = new_set(groups[i >= c->n_parameters], name, H5T_IEEE_F64LE, c->n_rows);
        if (f->columns[i] < 0) f->failed = 1;
    }
    f->run = new_set(f->file, "run", H5T_STD_I64LE, c->n_rows);
    f->status = new_set(f->file, "status", H5T_STD_I32LE, c->n_rows);
    f->reason = new_set(f->file, "reason", f->text, c->n_rows);
    if (groups[0] >= 0) H5Gclose(groups[0]);
    if (groups[1] >= 0) H5Gclose(groups[1]);
    if (f->columns && !f->failed && f->run >= 0 && f->status >= 0 && f->reason >= 0) return f;
    hdf5_close(f, why, size);
    return NULL;
}

static int put_rows(hid_t set, hid_t type, hsize_t first, hsize_t n, const void *values)
{
    hid_t here = H5Screate_simple(1, &n, NULL), there = H5Dget_space(set);
    int rc = H5Sselect_hyperslab(there, H5S_SELECT_SET, &first, NULL, &n, NULL) < 0 ||
             H5Dwrite(set, type, here, there, H5P_DEFAULT, values) < 0;
    H5Sclose(there);
    H5Sclose(here);
    return rc;
}

static int hdf5_rows(void *self, uint64_t first, int n, const double *values, const int *status,
                     const char *const *reasons)
{
    hdf5_file *f = self;
    if (n > f->room) {
        free(f->column);
        f->column = malloc((size_t)n * sizeof *f->column);
        f->room = f->column ? n : 0;
    }
    if (n > f->room) return f->failed = 1;
    for (int k = 0; k < f->n && !f->failed; k++) {
        for (int i = 0; i < n; i++) f->column[i] = values[(size_t)i * (size_t)f->n + (size_t)k];
        f->failed = put_rows(f->columns[k], H5T_NATIVE_DOUBLE, first, (hsize_t)n, f->column);
    }
    for (int i = 0; i < n; i++) f->column[i] = (double)(first + (uint64_t)i);
    if (!f->failed) f->failed = put_rows(f->run, H5T_NATIVE_DOUBLE, first, (hsize_t)n, f->column);
    if (!f->failed) f->failed = put_rows(f->status, H5T_NATIVE_INT, first, (hsize_t)n, status);
    if (!f->failed) f->failed = put_rows(f->reason, f->text, first, (hsize_t)n, reasons);
    return f->failed;
}

__attribute__((visibility("default"))) const sweep_writer vincolo_plugin = {
    .version = SWEEP_WRITER_VERSION,
    .open = hdf5_open,
    .rows = hdf5_rows,
    .close = hdf5_close,
};
