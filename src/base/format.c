/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/format.h"

#include <stdio.h>
#include <string.h>

bool format_is_safe(const char *f)
{
    size_t flags = strspn(f, "-+ #0");
    size_t width = strspn(f + flags, "0123456789");
    const char *p = f + flags + width;
    size_t precision = 0;
    if (*p == '.') precision = strspn(++p, "0123456789");
    p += precision;
    return *p && !p[1] && width < 4 && precision < 4 && flags < 6 && strchr("feEgGdioxXuc", *p);
}

void format_number(const char *format, double x, char *out, size_t size)
{
    char spec[32], kind = format[strlen(format) - 1];
    if (strchr("feEgG", kind)) {
        snprintf(spec, sizeof spec, "%%%s", format);
        snprintf(out, size, spec, x);
        return;
    }
    long long i = x > -9e18 && x < 9e18 ? (long long)x : 0; // NaN too
    snprintf(spec, sizeof spec, "%%%.*s%s%c", (int)strlen(format) - 1, format,
             kind == 'c' ? "" : "ll", kind);
    if (kind == 'c') snprintf(out, size, spec, (int)i);
    else snprintf(out, size, spec, i);
}
