/* vincolo live: a page that answers while you drag.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>

static void say_address(void *user, const char *address)
{
    const options *o = user;
    if (o->json) printf("{\"address\": \"%s\"}\n", address);
    else printf("%s\nOpen it in a browser on this machine; Ctrl-C ends it.\n", address);
    fflush(stdout);
}

static int asked_to_stop(void *user)
{
    (void)user;
    return tool_interrupted();
}

static int live_run(const options *o)
{
    if (o->n_words < 2) {
        tool_error("vincolo live needs a model: a file ending in .mo, or a class of a library\n");
        return EXIT_USAGE;
    }
    options whole = *o; // --max-time is for each answer
    whole.has_max_time = false;
    whole.max_time = 0;
    vinc_ctx *ctx = tool_context(&whole);
    vinc_sim_options run = tool_sim_options(o);
    vinc_live_options live = {.source = o->words[1],
                              .class_name = o->n_words > 2 ? o->words[2] : NULL,
                              .run = &run,
                              .vars = o->vars,
                              .port = (int)o->port,
                              .max_time = o->has_max_time ? o->max_time : 0,
                              .ready = say_address,
                              .stops = asked_to_stop,
                              .user = (void *)o};
    int rc = vinc_live(ctx, &live);
    tool_messages(ctx);
    tool_free(ctx);
    return tool_exit(rc);
}

const command command_live = {
    .name = "live",
    .arguments = "MODEL [CLASS]",
    .summary = "a page in the browser that follows while you type and drag",
    .options = "-L --port --vars --method --formulation --stop --tol --json",
    .run = live_run,
};
