/* A model as C: the functions of its tapes and the tables that source/ runs them by.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_SOURCE_PRINT_H
#define FMU_SOURCE_PRINT_H

#include "fmu/describe.h"

/* Why a model cannot be printed, in words that complete "the sources cannot be written: ..."; false: it
 * can. */
bool fmu_source_obstacle(const vinc_sim *sim, arena *scratch, text *why);

/* sources/model.c. arrays: the lines of fmu_papers. VINC_OK or the failure of the run. */
int fmu_source_print(const fmu_subject *of, const char *arrays, arena *scratch, text *out);

/* The other files of sources/: those of version 2 or 3 with names as they are there. */
typedef struct fmu_source_file {
    const char *name;
    const char *bytes, *end;
    int fmi;     // 0: of both
    bool shared; // with the rest of the library, where nothing need be hidden
} fmu_source_file;
extern const fmu_source_file fmu_source_files[];           // ends without a name
void fmu_source_flat(const fmu_source_file *f, text *out); // as it lies beside the others

#endif
