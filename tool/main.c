/* The command `vincolo`. It uses only the public headers, like any other program.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20, STACK_BYTES_LEAST = 4 << 20 };

/* A standard stream that is closed would be the next file that is opened, and a report would go into
 * a result. Writing to what stands in for it fails, as it should. */
static void hold_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != fd) _exit(EXIT_USAGE);
}

/* Nesting is limited so that it fits into a stack of the usual size; a smaller one is made so large
 * where the system lets us. */
static bool has_stack(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_STACK, &l) || l.rlim_cur == RLIM_INFINITY || l.rlim_cur >= STACK_BYTES)
        return true;
    l.rlim_cur = l.rlim_max < STACK_BYTES ? l.rlim_max : STACK_BYTES;
    (void)setrlimit(RLIMIT_STACK, &l);
    if (l.rlim_cur >= STACK_BYTES_LEAST) return true;
    tool_error("vincolo: a stack of %lu kB is too small, %d are needed; see ulimit -s\n",
               (unsigned long)l.rlim_cur >> 10, STACK_BYTES_LEAST >> 10);
    return false;
}

/* Large blocks go back to the system when they are given back. By itself malloc keeps what it was given
 * back once: of a model of 10^6 unknowns a sixth of the memory would be holes. Who sets it from outside is
 * obeyed: under callgrind, where the heap ends at 8 MB, it must be 131072. */
static void return_large_blocks(void)
{
    enum { LARGE_BYTES = 1 << 20 };
    if (!getenv("MALLOC_MMAP_THRESHOLD_")) mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

int main(int argc, char **argv)
{
    hold_streams();
    return_large_blocks();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of writing
    if (!has_stack()) return EXIT_USAGE;
    int status = tool_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        tool_error("vincolo: cannot write to standard output\n");
        return status ? status : EXIT_USAGE;
    }
    return status;
}
