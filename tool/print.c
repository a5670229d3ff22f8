/* What the command prints of its own, and texts that are as a file has them: nothing in them steers
 * the terminal.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void tool_print(const char *text)
{
    size_t n = vinc_plain(text, NULL, 0);
    char *plain = malloc(n + 1);
    if (!plain) {
        fputs("vincolo: out of memory\n", stderr);
        return;
    }
    vinc_plain(text, plain, n + 1);
    fputs(plain, stdout);
    free(plain);
}

void tool_tell(const char *messages)
{
    fflush(stdout); // both may go to the same place, and lines stay whole
    fputs(messages, stderr);
}

void tool_error(const char *format, ...)
{
    char words[2000], plain[4000];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    vinc_plain(words, plain, sizeof plain);
    tool_tell(plain);
}
