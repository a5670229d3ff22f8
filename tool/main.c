/* The command `vincolo`. It uses only the public headers, like any other program.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    int status = tool_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        tool_error("vincolo: cannot write to standard output\n");
        return status ? status : EXIT_USAGE;
    }
    return status;
}
