/* FMUs of others: opening them, and asking their code, in a process of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "base/diag.h"
#include "fmi/description.h"
#include "vincolo.h"

/* An FMU that is open: its bytes, and what its description says. */
typedef struct import_file {
    mem *m; // NULL: nothing is open
    diag_sink *diags;
    source_set *sources; // where the text of its description is kept, for messages
    const char *path;    // of the caller
    const fmi_unpacker *unpacker;
    char *bytes;
    size_t n_bytes;
    arena a;
    fmi_file f;
    uint32_t base; // of the text of its description among the sources
} import_file;

/* Read it. VINC_OK, or a status after a message: VINC_E_OPTION where there is no such file,
 * VINC_E_MODEL where it is none. m, diags and sources are set. Inside a guard of m; whatever comes of it,
 * import_close gives everything back. */
int import_open(import_file *x, const char *path);
void import_close(import_file *x);

#endif
