/* read_hdf5 FILE PARAMETER VALUE VALUE: rows of a sweep as CSV, for comparison.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

static void *read_set(hid_t file, const char *group, const char *name, hid_t type, size_t size,
                      hsize_t *n)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s", group, name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, n, NULL);
    void *values = malloc(*n * size);
    if (set < 0 || !values || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        exit(1);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    if (file < 0) return 1;
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    hsize_t n = 0;
    long long *run = read_set(file, "/", "run", H5T_NATIVE_LLONG, sizeof *run, &n);
    double *k = read_set(file, "/parameters/", argv[2], H5T_NATIVE_DOUBLE, sizeof *k, &n);
    double *x = read_set(file, "/values/", argv[3], H5T_NATIVE_DOUBLE, sizeof *x, &n);
    double *y = read_set(file, "/values/", argv[4], H5T_NATIVE_DOUBLE, sizeof *y, &n);
    char **reason = read_set(file, "/", "reason", text, sizeof *reason, &n);
    for (hsize_t i = 0; i < n; i++)
        printf("%lld,%.17g,%.17g,%.17g,%s\n", run[i], k[i], x[i], y[i], reason[i]);
    H5Fclose(file);
    return 0;
}
