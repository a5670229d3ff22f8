/* vinc_live: the session behind the server.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/plugin.h"
#include "live/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct live_house {
    live_session session;
    const live_server *server;
    char token[LIVE_TOKEN_BYTES];
} live_house;

/* What a browser lets the page do: run what comes from here, ask here, and nothing else. */
static const char POLICY[] =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'none'";

static bool live_make_token(char out[LIVE_TOKEN_BYTES])
{
    unsigned char bytes[(LIVE_TOKEN_BYTES - 1) / 2];
    FILE *f = fopen("/dev/urandom", "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return n == sizeof bytes;
}

static live_reply live_reply_of(int status, const char *type, const text *t)
{
    live_reply r = {.status = status, .type = type, .bytes = malloc(t->n + 1), .n = t->n};
    if (r.bytes) memcpy(r.bytes, text_str(t), t->n + 1);
    else r.n = 0;
    return r;
}

static const char HTML[] = "text/html; charset=utf-8", SCRIPT[] = "text/javascript; charset=utf-8",
                  STYLE[] = "text/css; charset=utf-8", JSON[] = "application/json; charset=utf-8";

/* ---- what can be asked for ------------------------------------------------------------------- */

static int ask_page(live_house *h, char *body, size_t n, text *out)
{
    (void)h, (void)body, (void)n;
    live_page(out);
    return 200;
}

static int ask_scripts(live_house *h, char *body, size_t n, text *out)
{
    (void)body, (void)n;
    live_scripts(h->server, out);
    return 200;
}

static int ask_styles(live_house *h, char *body, size_t n, text *out)
{
    (void)body, (void)n;
    live_styles(h->server, out);
    return 200;
}

static int ask_given(live_house *h, char *body, size_t n, text *out)
{
    (void)body, (void)n;
    pthread_mutex_lock(&h->session.lock);
    live_given(&h->session, out);
    pthread_mutex_unlock(&h->session.lock);
    return 200;
}

static int ask_run(live_house *h, char *body, size_t n, text *out)
{
    int rc = live_answer(&h->session, body, n, out);
    return rc == LIVE_ANSWERED ? 200 : rc == LIVE_GIVEN_UP ? 409 : 400;
}

static int ask_share(live_house *h, char *body, size_t n, text *out)
{
    (void)body, (void)n;
    return live_share(&h->session, out) ? 409 : 200;
}

static int ask_save(live_house *h, char *body, size_t n, text *out)
{
    pthread_mutex_lock(&h->session.lock);
    int rc = live_save(&h->session, body, n, out);
    pthread_mutex_unlock(&h->session.lock);
    return rc ? 409 : 200;
}

static const struct live_question {
    const char *what;
    bool posted;
    const char *type;
    int (*ask)(live_house *h, char *body, size_t n, text *out); // status of HTTP
} questions[] = {
    {"", false, HTML, ask_page},
    {"scripts.js", false, SCRIPT, ask_scripts},
    {"styles.css", false, STYLE, ask_styles},
    {"given", false, JSON, ask_given},
    {"run", true, JSON, ask_run},
    {"share", true, HTML, ask_share},
    {"save", true, JSON, ask_save},
};

static live_reply live_ask(void *user, const char *what, bool posted, char *body, size_t n)
{
    mem m = mem_std();
    text out;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct live_question *q = &questions[i];
        if (strcmp(q->what, what) != 0) continue;
        if (q->posted != posted) return (live_reply){.status = 405};
        text_init(&out, &m);
        int status = q->ask(user, body, n, &out);
        live_reply r = live_reply_of(status, q->type, &out);
        text_done(&out);
        return r;
    }
    return (live_reply){.status = 404};
}

static void live_ready(void *user, int port)
{
    const live_house *h = user;
    char address[100];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", port, h->token);
    if (h->session.o->ready) h->session.o->ready(h->session.o->user, address);
}

static bool live_stops(void *user)
{
    const live_house *h = user;
    return h->session.o->stops && h->session.o->stops(h->session.o->user);
}

static int live_refuse(vinc_ctx *ctx, const char *words)
{
    diag_error(&ctx->diags, "C200", (span){0}, "%s", words);
    return VINC_E_OPTION;
}

int vinc_live(vinc_ctx *ctx, const vinc_live_options *o)
{
    static const plugin_kind kind = {"live", "live pages", "libmicrohttpd-dev and libjs-codemirror",
                                     LIVE_SERVER_VERSION};
    live_house h = {0};
    char why[600];
    if (!ctx || !o || !o->source) return api_lacks(ctx, "a model");
    h.server = plugin_open(&kind, why, sizeof why);
    if (!h.server) return live_refuse(ctx, why);
    if (!live_make_token(h.token))
        return live_refuse(ctx, "there are no random numbers for an address");
    int rc = live_begin(&h.session, ctx, o);
    live_host host = {.user = &h,
                      .token = h.token,
                      .port = o->port,
                      .policy = POLICY,
                      .answer = live_ask,
                      .ready = live_ready,
                      .stops = live_stops};
    if (!rc) {
        bool refused = h.server->serve(&host, why, sizeof why);
        vinc_ctx_clear(ctx); // what was said of the last text was said on the page
        if (refused) rc = live_refuse(ctx, why);
    }
    live_end(&h.session);
    return rc;
}
