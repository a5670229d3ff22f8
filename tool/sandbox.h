/* --sandbox: what the process may still do once it is on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_SANDBOX_H
#define TOOL_SANDBOX_H

#include <stdbool.h>

enum { SANDBOX_PATHS = 64 };

typedef struct sandbox {
    const char *reads[SANDBOX_PATHS]; // files, and folders with all below them
    int n_reads;
    const char *writes[SANDBOX_PATHS]; // files that may be made or replaced, each in its folder
    int n_writes;
} sandbox;

/* From now on, and for good: only these are read (and what the system's libraries need), nothing is
 * written but in the folders of those files, no network, no other program, no new process, no memory
 * that is writable and executable at once. NULL, or why it cannot be had; then nothing has changed
 * that matters. */
const char *sandbox_enter(const sandbox *s);

#endif
