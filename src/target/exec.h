/* Executable memory: never writable and executable at once.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_EXEC_H
#define TARGET_EXEC_H

#include <stddef.h>

void *exec_map(const void *code, size_t n); // NULL where the system does not allow it
void exec_unmap(void *code, size_t n);

#endif
