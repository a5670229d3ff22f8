/* What the page calls: a session of live/ without a server.
 *
 * The page writes a request where engine_room says, calls engine_answer, and reads engine_size() bytes at
 * engine_text().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "live/live.h"

#include <stdlib.h>

#define CALLED __attribute__((visibility("default"), used))

static struct engine {
    live_session session;
    vinc_live_options options;
    char *request;
    text answer;
    mem m;
} engine;

CALLED int engine_begin(void);
CALLED char *engine_room(int n);
CALLED int engine_answer(int n);
CALLED const char *engine_text(void);
CALLED int engine_size(void);

/* Nothing to begin with: every request brings its text. */
int live_first_words(live_session *s)
{
    (void)s;
    return VINC_OK;
}

int engine_begin(void)
{
    engine.m = mem_std();
    engine.options = (vinc_live_options){.source = "model.mo"};
    text_init(&engine.answer, &engine.m);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_ctx_add_path(ctx, "/lib"); // what the page brings along
    return ctx ? live_begin(&engine.session, ctx, &engine.options) : VINC_E_MEMORY;
}

char *engine_room(int n)
{
    free(engine.request);
    engine.request = malloc((size_t)n + 1);
    return engine.request;
}

int engine_answer(int n)
{
    text_done(&engine.answer);
    text_init(&engine.answer, &engine.m);
    engine.request[n] = 0;
    return live_answer(&engine.session, engine.request, (size_t)n, &engine.answer);
}

const char *engine_text(void)
{
    return text_str(&engine.answer);
}

int engine_size(void)
{
    return (int)engine.answer.n;
}
