/* Where the command runs: the terminal, and what lies beside the executable.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool tool_colour(int stream)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(stream) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

int tool_columns(void)
{
    enum { WIDEST = 110 };
    struct winsize size;
    if (!isatty(1) || ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
    return size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

int tool_rows(void)
{
    struct winsize size;
    const char *term = getenv("TERM");
    if (!isatty(2) || !term || !strcmp(term, "dumb") || ioctl(2, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_row;
}

bool tool_beside(const char *path, char *out, size_t room)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0) return false;
    exe[n] = 0;
    char *slash = strrchr(exe, '/');
    if (!slash) return false;
    *slash = 0;
    return snprintf(out, room, "%s/%s", exe, path) < (int)room;
}
