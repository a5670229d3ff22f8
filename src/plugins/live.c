/* Live pages by libmicrohttpd: who is answered, and how.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "live/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { CONNECTIONS_MOST = 64, SECONDS_IDLE = 120, LOOKS_A_SECOND = 10, NAME_BYTES = 40 };

/* Any program of this machine can connect, and all of them come from one address. Until a request on a connection has
 * shown the token, the connection has a few seconds; and if there are too many of these, the oldest is closed. A page
 * sends its request as it connects, so it is never the oldest for long. */
enum { STRANGERS_MOST = 16, SECONDS_STRANGE = 5 };

typedef struct visitor {
    enum { VISITOR_NONE, VISITOR_STRANGE, VISITOR_KNOWN, VISITOR_CLOSED } is;
    int socket;
    double since; // in seconds
} visitor;

typedef struct server {
    const live_host *host;
    char names[2][NAME_BYTES]; // of this machine, with the port, as browsers send them
    pthread_mutex_t lock;      // of the visitors
    visitor visitors[CONNECTIONS_MOST];
} server;

/* ---- connections ------------------------------------------------------------------------------ */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Close strangers of too many seconds, and the oldest ones beyond `most`. Under the lock. */
static void close_strangers(server *s, int most)
{
    double late = seconds_now() - SECONDS_STRANGE;
    for (;;) {
        visitor *oldest = NULL;
        int n = 0;
        for (visitor *v = s->visitors; v < s->visitors + CONNECTIONS_MOST; v++) {
            if (v->is != VISITOR_STRANGE) continue;
            if (!n++ || v->since < oldest->since) oldest = v;
        }
        if (!oldest || (n <= most && oldest->since > late)) return;
        oldest->is = VISITOR_CLOSED; // the server's thread finds its end, and frees it
        shutdown(oldest->socket, SHUT_RDWR);
    }
}

static void note_connection(void *user, struct MHD_Connection *c, void **context,
                            enum MHD_ConnectionNotificationCode what)
{
    server *s = user;
    visitor *v = *context;
    pthread_mutex_lock(&s->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
        for (v = s->visitors; v < s->visitors + CONNECTIONS_MOST && v->is; v++) {
        }
        if (info && v < s->visitors + CONNECTIONS_MOST) {
            *v = (visitor){VISITOR_STRANGE, info->connect_fd, seconds_now()};
            *context = v;
        }
        close_strangers(s, STRANGERS_MOST);
    } else if (v) {
        v->is = VISITOR_NONE;
    }
    pthread_mutex_unlock(&s->lock);
}

static void note_token(server *s, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    visitor *v = info ? info->socket_context : NULL;
    if (!v) return;
    pthread_mutex_lock(&s->lock);
    if (v->is == VISITOR_STRANGE) v->is = VISITOR_KNOWN;
    pthread_mutex_unlock(&s->lock);
}

/* ---- requests ---------------------------------------------------------------------------------- */

/* A request while its body comes in. */
typedef struct incoming {
    char *body;
    size_t n;
    bool too_much;
} incoming;

static bool is_name(const server *s, const char *name)
{
    return name && (!strcmp(name, s->names[0]) || !strcmp(name, s->names[1]));
}

/* A page elsewhere may have this machine called by a name of its own, and sends where it is from. */
static bool is_ours(const server *s, struct MHD_Connection *c)
{
    static const char scheme[] = "http://";
    const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
    if (!is_name(s, MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"))) return false;
    return !origin ||
           (!strncmp(origin, scheme, sizeof scheme - 1) && is_name(s, origin + sizeof scheme - 1));
}

/* What is asked for, behind the token; NULL: it is not there. All of it is looked at, however it begins. */
static const char *behind_token(const server *s, const char *url)
{
    size_t n = strlen(s->host->token);
    unsigned different = 0;
    if (url[0] != '/' || strlen(url) < n + 2 || url[n + 1] != '/') return NULL;
    for (size_t i = 0; i < n; i++) different |= (unsigned char)(url[i + 1] ^ s->host->token[i]);
    return different ? NULL : url + n + 2;
}

static enum MHD_Result send_reply(const server *s, struct MHD_Connection *c, live_reply r)
{
    struct MHD_Response *m =
        MHD_create_response_from_buffer(r.n, r.bytes ? r.bytes : (void *)"",
                                        r.bytes ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!m) return MHD_NO;
    MHD_add_response_header(m, "Content-Type", r.type ? r.type : "text/plain");
    MHD_add_response_header(m, "Content-Security-Policy", s->host->policy);
    MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(m, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(m, "Cache-Control", "no-store");
    enum MHD_Result sent = MHD_queue_response(c, (unsigned)r.status, m);
    MHD_destroy_response(m);
    return sent;
}

static void take_body(incoming *in, const char *bytes, size_t *n)
{
    char *body = in->n + *n > LIVE_BODY_MOST ? NULL : realloc(in->body, in->n + *n + 1);
    if (body) {
        memcpy(body + in->n, bytes, *n);
        in->body = body;
        in->n += *n;
        body[in->n] = 0;
    } else {
        in->too_much = true;
    }
    *n = 0;
}

/* Who is not answered is told so before a body is read; 0: it is answered. */
static int refusal(const server *s, struct MHD_Connection *c, const char *url, const char *verb)
{
    const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");
    if (!is_ours(s, c)) return 403;
    if (!behind_token(s, url)) return 404;
    if (strcmp(verb, "POST") != 0 && strcmp(verb, "GET") != 0) return 405;
    return length && strtoull(length, NULL, 10) > LIVE_BODY_MOST ? 413 : 0;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *url,
                              const char *verb, const char *version, const char *bytes, size_t *n,
                              void **state)
{
    server *s = user;
    incoming *in = *state;
    (void)version;
    if (!in) {
        int refused = refusal(s, c, url, verb);
        if (refused) return send_reply(s, c, (live_reply){.status = refused});
        note_token(s, c);
        *state = calloc(1, sizeof *in);
        return *state ? MHD_YES : MHD_NO;
    }
    if (*n) {
        take_body(in, bytes, n);
        return in->too_much ? MHD_NO : MHD_YES; // the connection ends: there is no use in the rest
    }
    char empty[] = "";
    return send_reply(s, c,
                      s->host->answer(s->host->user, behind_token(s, url), !strcmp(verb, "POST"),
                                      in->body ? in->body : empty, in->n));
}

static void forget(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode why)
{
    incoming *in = *state;
    (void)user, (void)c, (void)why;
    if (in) free(in->body);
    free(in);
    *state = NULL;
}

static int serve(const live_host *host, char *why, size_t size)
{
    server s = {.host = host, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)host->port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct MHD_Daemon *d = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, handle, &s,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at, MHD_OPTION_NOTIFY_COMPLETED, forget, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, note_connection, &s, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS_IDLE,
        MHD_OPTION_END);
    const union MHD_DaemonInfo *info = d ? MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        snprintf(why, size,
                 "port %d of this machine cannot be used: another program has it; leave --port out",
                 host->port);
        if (d) MHD_stop_daemon(d);
        return 1;
    }
    snprintf(s.names[0], NAME_BYTES, "127.0.0.1:%d", info->port);
    snprintf(s.names[1], NAME_BYTES, "localhost:%d", info->port);
    host->ready(host->user, info->port);
    const struct timespec pause = {0, 1000000000 / LOOKS_A_SECOND};
    while (!host->stops(host->user)) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&s.lock);
        close_strangers(&s, STRANGERS_MOST);
        pthread_mutex_unlock(&s.lock);
    }
    MHD_stop_daemon(d);
    return 0;
}

// clang-format off
#define TAKE(name, file)                                                                           \
    __asm__(".section .rodata\n"                                                                   \
            "live_" #name "_begin:\n"                                                              \
            ".incbin \"" VINCOLO_EDITOR file "\"\n"                                                \
            "live_" #name "_end:\n"                                                                \
            ".previous\n");                                                                        \
    extern const char live_##name##_begin[], live_##name##_end[]
// clang-format on

TAKE(editor_js, "/codemirror.js");
TAKE(editor_css, "/codemirror.css");
TAKE(editor_mode_js, "/mode/modelica/modelica.js");

__attribute__((visibility("default"))) const live_server vincolo_plugin = {
    .version = LIVE_SERVER_VERSION,
    .serve = serve,
    .editor_js = {live_editor_js_begin, live_editor_js_end},
    .editor_css = {live_editor_css_begin, live_editor_css_end},
    .editor_mode_js = {live_editor_mode_js_begin, live_editor_mode_js_end},
};
