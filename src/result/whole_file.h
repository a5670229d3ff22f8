/* Output files that appear whole or not at all.
 *
 * The bytes go to a temporary file in the same directory, which is synced and renamed over the
 * target at the end; an abandoned or failed file leaves no trace and an existing target as it was.
 * Links are followed. Devices, pipes and the standard streams (/dev/stdout, /dev/fd/N) cannot be
 * renamed and are written directly. Writing to a closed pipe raises SIGPIPE unless the process
 * ignores it, as a command should; then it is an ordinary failure.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_WHOLE_FILE_H
#define RESULT_WHOLE_FILE_H

#include "result/result.h"

typedef struct result_file {
    mem *m;
    int fd;          // -1: not open
    int error;       // errno of the first failure; later writes do nothing
    bool direct;     // written in place
    char *path;      // as the user wrote it
    char *target;    // what is replaced, links resolved
    char *temporary; // beside the target
    char *buffer;
    size_t used;
} result_file;

/* Open for writing. On failure (RESULT_E_OPEN, RESULT_E_MEMORY) nothing is left to clean up. */
int result_file_open(result_file *f, mem *m, const char *path, result_fault *fault);
/* Append bytes; a failure is remembered and reported by commit. */
void result_file_write(result_file *f, const void *bytes, size_t n);
/* Flush, sync, rename, close. On failure (RESULT_E_WRITE) the temporary is gone. */
int result_file_commit(result_file *f, result_fault *fault);
/* Give up: the temporary is removed. Fine after a failed open or a commit. */
void result_file_abandon(result_file *f);

/* The whole of a file; the caller gives *bytes back by mem_free(m, *bytes, *n + 1). The text is
 * followed by a NUL. */
int result_file_read(mem *m, const char *path, char **bytes, size_t *n, result_fault *fault);

/* Fill in a fault (NULL is fine) and return the status. */
int result_fail(result_fault *fault, int status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
