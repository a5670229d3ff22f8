/* Results as CSV text.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/decimal.h"
#include "result/whole_file.h"

#include <string.h>

static void write_name(result_file *f, const char *name)
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

static void write_rows(result_file *f, const result *r, const int *list, int n,
                       const result_powers *powers)
{
    char s[DECIMAL_MAX_CHARS + 1];
    for (size_t row = 0; row < r->n_rows && f->error == 0; row++) {
        result_file_write(f, s, (size_t)result_format(powers, result_time(r, row), s));
        s[0] = ',';
        for (int i = 0; i < n; i++) {
            int length = result_format(powers, result_value(r, list[i], row), s + 1);
            result_file_write(f, s, (size_t)length + 1);
        }
        result_file_write(f, "\n", 1);
    }
}

int result_write_csv(const result *r, const result_selection *select, const char *path,
                     result_fault *fault)
{
    size_t list_bytes = 2 * (size_t)r->n_columns * sizeof(int);
    int *list = mem_try(r->m, list_bytes), rc = RESULT_E_MEMORY;
    result_powers *powers = mem_try(r->m, sizeof *powers);
    result_file f;
    if (!list || !powers) rc = result_fail(fault, rc, "C609", "out of memory");
    else rc = result_file_open(&f, r->m, path, fault);
    if (rc == RESULT_OK) {
        int n = result_selected(r, select, false, list);
        result_powers_init(powers);
        write_name(&f, r->columns[0].name);
        for (int i = 0; i < n; i++) {
            result_file_write(&f, ",", 1);
            write_name(&f, r->columns[list[i]].name);
        }
        result_file_write(&f, "\n", 1);
        write_rows(&f, r, list, n, powers);
        rc = result_file_commit(&f, fault);
    }
    mem_free(r->m, powers, sizeof *powers);
    mem_free(r->m, list, list_bytes);
    return rc;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), k = strlen(ending);
    return n > k && strcmp(path + n - k, ending) == 0;
}

int result_write(const result *r, const result_selection *select, const char *path,
                 result_fault *fault)
{
    if (ends_with(path, ".mat")) return result_write_mat(r, select, path, fault);
    if (ends_with(path, ".csv") || strncmp(path, "/dev/", 5) == 0)
        return result_write_csv(r, select, path, fault);
    return result_fail(fault, RESULT_E_OPEN, "C610",
                       "the kind of '%.300s' is not known by its ending; use .csv or .mat", path);
}
