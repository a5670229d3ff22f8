/* Functions that may stand in what is collected.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_COLLECT_FUNCTIONS_H
#define SWEEP_COLLECT_FUNCTIONS_H

#include <stddef.h>

int collect_function_find(const char *name, size_t n); // its place; -1: there is none

#endif
