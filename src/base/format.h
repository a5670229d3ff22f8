/* Numbers as String(x, format = "...") writes them: one conversion of printf without the %.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum { FORMAT_MAX = 1100 }; // bytes that a safe format can fill

bool format_is_safe(const char *format);
/* x by a safe format; an Integer conversion writes the number without its fraction. */
void format_number(const char *format, double x, char *out, size_t size);

#endif
