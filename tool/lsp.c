/* vincolo lsp: a language server for editors, on standard input and output.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static size_t read_input(void *user, char *to, size_t n)
{
    (void)user;
    ssize_t got = read(STDIN_FILENO, to, n);
    return got > 0 ? (size_t)got : 0;
}

static int write_output(void *user, const char *bytes, size_t n)
{
    (void)user;
    return fwrite(bytes, 1, n, stdout) != n || fflush(stdout);
}

static int input_waits(void *user)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    (void)user;
    return poll(&in, 1, 0) > 0 && in.revents & POLLIN;
}

static int lsp_run(const options *o)
{
    vinc_ctx *ctx = tool_context(o);
    vinc_language_server io = {.read = read_input, .write = write_output, .waits = input_waits};
    int rc = vinc_serve_language(ctx, &io);
    tool_free(ctx);
    return rc == VINC_OK ? EXIT_DONE : EXIT_RUN;
}

const command command_lsp = {
    .name = "lsp",
    .arguments = "",
    .summary = "a language server for editors, on standard input and output",
    .options = "-L",
    .run = lsp_run,
};
