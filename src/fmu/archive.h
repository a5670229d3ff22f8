/* Writing an archive (ZIP, APPNOTE 6.3.10): entries one after the other, then the list of them.
 *
 * Entries are stored as they are, or deflated beforehand: the stream inside a file of gzip is the same.
 * No times are kept, so that the same entries give the same bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_ARCHIVE_H
#define FMU_ARCHIVE_H

#include "base/text.h"
#include "result/whole_file.h"

#include <stdint.h>

typedef struct archive {
    result_file *file;
    text list; // of the entries so far
    text head; // of the present one
    int n;
    size_t at; // bytes written
} archive;

/* The checksum of entries, and of PNG. */
uint32_t archive_crc(const unsigned char *p, size_t n);

void archive_begin(archive *z, result_file *file, mem *m);
void archive_add(archive *z, const char *name, const void *bytes, size_t n);
/* The file that gzip made, n bytes; false: it is none. */
bool archive_add_gzip(archive *z, const char *name, const unsigned char *gz, size_t n);
void archive_end(archive *z);
void archive_done(archive *z); // gives its memory back, also of one that was not ended

#endif
