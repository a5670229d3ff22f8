/* Output files that appear whole or not at all.
 *
 * The bytes go to a temporary file in the same directory, which is synced and renamed over the
 * target at the end; an abandoned or failed file leaves no trace and an existing target as it was.
 * Links are followed. Devices, pipes and the standard streams (/dev/stdout, /dev/fd/N) cannot be
 * renamed and are written directly. Writing to a closed pipe raises SIGPIPE unless the process
 * ignores it, as a command should; then it is an ordinary failure.
 *
 * A file that grows while it can be read is named early; what is not finished of it begins with a byte
 * that is 0 until it is.
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
    bool named;   // it has its name already
    bool holding; // its next byte is written last
    bool held;    // ... which is this one, at that place
    char first;
    off_t first_at;
} result_file;

/* Open for writing. On failure (RESULT_E_OPEN, RESULT_E_MEMORY) nothing is left to clean up. */
int result_file_open(result_file *f, mem *m, const char *path, result_fault *fault);
/* Append bytes; a failure is remembered and reported by commit. */
void result_file_write(result_file *f, const void *bytes, size_t n);
/* Flush, sync, rename, close. On failure (RESULT_E_WRITE) the temporary is gone. */
int result_file_commit(result_file *f, result_fault *fault);
/* Of regular files, which grow: the name now; the place of the next byte; to another one; the end. A file
 * that has its name keeps what was written of it when a later call fails. */
bool result_file_can_grow(const char *path);
void result_file_name(result_file *f);
off_t result_file_place(result_file *f);
void result_file_seek(result_file *f, off_t at);
void result_file_cut(result_file *f, off_t at);
/* What comes next is written but for its first byte, which is 0 until the second call. */
void result_file_hold(result_file *f);
void result_file_release(result_file *f);
/* Give up: the temporary is removed. Fine after a failed open or a commit. */
void result_file_abandon(result_file *f);

/* The whole of a file; the caller gives *bytes back by mem_free(m, *bytes, *n + 1). The text is
 * followed by a NUL. */
int result_file_read(mem *m, const char *path, char **bytes, size_t *n, result_fault *fault);

/* Fill in a fault (NULL is fine) and return the status. */
int result_fail(result_fault *fault, int status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
