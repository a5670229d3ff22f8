/* The only place in lang that touches the file system. Internal to lang.
 * No handle is open while memory is asked for, since that may jump away.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_FILE_H
#define LANG_FILE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum file_kind { FILE_NONE, FILE_TEXT, FILE_DIR, FILE_OTHER } file_kind;

typedef struct file_id { // equal for equal files, whatever path leads to them
    uint64_t device, inode;
} file_id;

typedef struct file_names {
    char **at; // sorted by byte values
    int n;
} file_names;

file_kind file_kind_of(const char *path, file_id *id); // id may be NULL

/* The whole file, NUL-terminated, in a. NULL when it cannot be read, is no regular file or is
 * longer than limit; *why then says so in words. */
char *file_read(arena *a, const char *path, size_t limit, size_t *n, const char **why);

/* Names in a directory without those that begin with a point; false when it cannot be read. */
bool file_list(arena *a, const char *path, file_names *names, const char **why);

/* dir/name, in a. */
const char *file_join(arena *a, const char *dir, const char *name);
/* The directory a path lies in: "." for "x", ".." for ".", "a" for "a/b/". */
const char *file_parent(arena *a, const char *path);
/* The last component: "b" for "a/b/". */
const char *file_base(arena *a, const char *path);

#endif
