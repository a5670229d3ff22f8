/* Files that a model reads, and that an FMU takes along.
 *
 * A text in the flat model that is the absolute path of a file names one. In the text that the FMU holds,
 * such a path is FMU_FILE_MARK and a name in resources/files; the library puts the folder there again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_CARRIED_H
#define FMU_CARRIED_H

#include "base/arena.h"
#include "base/array.h"
#include "base/text.h"

typedef struct fmu_carried_file {
    const char *path;
    const char *name; // in resources/files
} fmu_carried_file;

typedef struct fmu_carried {
    ARRAY(fmu_carried_file) files;
} fmu_carried;

/* out: the text with marks. */
void fmu_carry(const char *flat, arena *a, fmu_carried *x, text *out);

#endif
