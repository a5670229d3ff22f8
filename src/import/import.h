/* FMUs of others: opening them, and running them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "api/run.h"
#include "fmi/description.h"

/* An FMU that is open: its bytes, and what its description says. */
typedef struct import_file {
    vinc_ctx *ctx;
    const char *path; // of the caller
    const fmi_unpacker *unpacker;
    char *bytes;
    size_t n_bytes;
    arena a;
    fmi_file f;
    uint32_t base; // of the text of its description among the sources of the context
} import_file;

/* Read it. VINC_OK, or a status after a message: VINC_E_OPTION where there is no such file,
 * VINC_E_MODEL where it is none. Inside the guard of the context; whatever comes of it,
 * import_close gives everything back. */
int import_open(import_file *x, vinc_ctx *ctx, const char *path);
void import_close(import_file *x);

#endif
