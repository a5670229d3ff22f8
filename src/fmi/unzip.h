/* Reading an archive (ZIP, APPNOTE 6.3.10) that may be hostile.
 *
 * The list at its end is read and held against the entries themselves before anything is unpacked.
 * Refused are: what is cut off or contradicts itself, entries that overlap, names that lead elsewhere
 * (absolute, `..`, backslashes, devices), names that are there twice with other bytes, links, what is encrypted or
 * spread over several files, and what would unpack to much more than it has a right to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMI_UNZIP_H
#define FMI_UNZIP_H

#include "base/arena.h"
#include "fmi/unpack.h"
#include "result/result.h"

typedef struct fmi_entry {
    const char *name; // "binaries/x86_64-linux/m.so"; of a folder "resources/"
    bool is_folder, deflated;
    uint32_t crc;
    size_t begin, at;    // of what stands in front of it, and of its bytes
    size_t packed, size; // their number, and that of what is in them
} fmi_entry;

typedef struct fmi_archive {
    const unsigned char *bytes;
    size_t n;
    fmi_entry *entries; // by name
    int n_entries;
} fmi_archive;

/* An archive may unpack to this many bytes, and to this many more for each of its own. */
enum { FMI_UNPACKED_FREE = 64 << 20, FMI_UNPACKED_RATIO = 100 };

/* The bytes must outlive the archive. False: the fault says why not. The memory of a has a guard. */
bool fmi_archive_open(fmi_archive *z, arena *a, const void *bytes, size_t n, result_fault *fault);
const fmi_entry *fmi_archive_find(const fmi_archive *z, const char *name); // NULL: there is none
/* What is in an entry, and a NUL after it, in memory from m that the caller frees (size + 1 bytes).
 * RESULT_E_MEMORY and RESULT_E_FORMAT leave nothing. */
int fmi_archive_read(const fmi_archive *z, const fmi_entry *e, const fmi_unpacker *u, mem *m,
                     char **out, result_fault *fault);

#endif
