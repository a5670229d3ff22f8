/* All functions of the standard library that are written here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"

#include <string.h>

static const external_function *const families[] = {
    external_tables_1d, external_tables_2d, external_strings, external_random,
    external_files,     external_lapack,    external_fourier, external_fmus};

const external_function *external_find(const char *name)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        for (const external_function *f = families[k]; f->name; f++)
            if (!strcmp(f->name, name)) return f;
    return NULL;
}
