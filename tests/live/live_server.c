/* Who is answered by a live page: those who know its token and are on this machine, and nobody else.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "live/server.h"
#include "vincolo.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000 * ms}, NULL);
}

typedef struct world {
    vinc_ctx *ctx;
    pthread_t thread;
    atomic_int over, ready;
    char path[40], token[64];
    int port, rc;
} world;

static void take_address(void *user, const char *address)
{
    world *w = user;
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d/%40[0-9a-f]/", &w->port, w->token), 2);
    atomic_store(&w->ready, 1);
}

static int is_over(void *user)
{
    world *w = user;
    return atomic_load(&w->over);
}

static void *serve(void *of)
{
    world *w = of;
    vinc_live_options o = {.source = w->path, .ready = take_address, .stops = is_over, .user = w};
    w->rc = vinc_live(w->ctx, &o);
    atomic_store(&w->ready, 1);
    return NULL;
}

static int open_world(void **state)
{
    static const char words[] = "model M\n  Real x = time;\nend M;\n";
    world *w = calloc(1, sizeof *w);
    if (!w) return -1;
    strcpy(w->path, "/tmp/live-XXXXXX.mo");
    char name[] = "/tmp/live-XXXXXX";
    int made = mkstemp(name);
    if (made < 0) return -1;
    close(made);
    unlink(name);
    snprintf(w->path, sizeof w->path, "%s.mo", name);
    FILE *f = fopen(w->path, "wb");
    if (!f || fputs(words, f) < 0 || fclose(f)) return -1;
    w->ctx = vinc_ctx_new(NULL);
    *state = w;
    if (pthread_create(&w->thread, NULL, serve, w)) return -1;
    while (!atomic_load(&w->ready)) pause_ms(1);
    if (w->rc) print_error("%s", vinc_ctx_messages(w->ctx));
    return w->rc;
}

static int close_world(void **state)
{
    world *w = *state;
    atomic_store(&w->over, 1);
    pthread_join(w->thread, NULL);
    int rc = w->rc;
    vinc_ctx_free(w->ctx);
    unlink(w->path);
    free(w);
    return rc;
}

static int connected(world *w)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)w->port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(s, (struct sockaddr *)&at, sizeof at), 0);
    return s;
}

/* The status of an answer; 0: the connection ended without one. */
static int status_of(world *w, const char *verb, const char *path, const char *headers,
                     size_t n_body)
{
    char head[2000], reply[4000] = "";
    int s = connected(w), status = 0;
    int n = snprintf(head, sizeof head,
                     "%s %s HTTP/1.1\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n", verb,
                     path, headers, n_body);
    assert_int_equal(send(s, head, (size_t)n, MSG_NOSIGNAL), n);
    struct pollfd answer = {.fd = s, .events = POLLIN};
    static char block[1 << 16];
    for (size_t sent = 0; sent < n_body;) {
        size_t part = n_body - sent < sizeof block ? n_body - sent : sizeof block;
        ssize_t k = send(s, block, part, MSG_NOSIGNAL);
        if (k <= 0 || poll(&answer, 1, 0) > 0) break; // it has heard enough
        sent += (size_t)k;
    }
    ssize_t got = recv(s, reply, sizeof reply - 1, 0);
    if (got > 0) sscanf(reply, "HTTP/1.1 %d", &status);
    close(s);
    return status;
}

static int asked(world *w, const char *verb, const char *what, const char *host, const char *more)
{
    char path[200], headers[300];
    snprintf(path, sizeof path, "/%s/%s", w->token, what);
    snprintf(headers, sizeof headers, "Host: %s:%d\r\n%s", host, w->port, more);
    return status_of(w, verb, path, headers, 0);
}

static void the_page_and_its_parts_are_served(void **state)
{
    world *w = *state;
    static const char *const parts[] = {"", "scripts.js", "styles.css", "given"};
    for (int i = 0; i < 4; i++) assert_int_equal(asked(w, "GET", parts[i], "127.0.0.1", ""), 200);
    assert_int_equal(asked(w, "GET", "", "localhost", ""), 200);
    assert_int_equal(asked(w, "GET", "../../etc/passwd", "127.0.0.1", ""), 404);
    assert_int_equal(asked(w, "GET", "run", "127.0.0.1", ""), 405);
    assert_int_equal(asked(w, "DELETE", "", "127.0.0.1", ""), 405);
    assert_int_equal(asked(w, "POST", "run", "127.0.0.1", ""), 400);
}

static void without_the_token_there_is_nothing(void **state)
{
    world *w = *state;
    char headers[100], path[100];
    snprintf(headers, sizeof headers, "Host: 127.0.0.1:%d\r\n", w->port);
    assert_int_equal(status_of(w, "GET", "/", headers, 0), 404);
    assert_int_equal(status_of(w, "GET", "/given", headers, 0), 404);
    snprintf(path, sizeof path, "/%s/given", w->token);
    path[5] = path[5] == '0' ? '1' : '0';
    assert_int_equal(status_of(w, "GET", path, headers, 0), 404);
}

static void pages_of_other_origins_are_refused(void **state)
{
    world *w = *state;
    char own[100];
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%d\r\n", w->port);
    assert_int_equal(asked(w, "GET", "given", "127.0.0.1", own), 200);
    assert_int_equal(asked(w, "GET", "given", "127.0.0.1", "Origin: http://example.org\r\n"), 403);
    assert_int_equal(asked(w, "GET", "given", "127.0.0.1", "Origin: null\r\n"), 403);
    assert_int_equal(asked(w, "GET", "given", "rebound.example.org", ""), 403);
}

static void a_body_has_a_limit(void **state)
{
    world *w = *state;
    char path[100], headers[100];
    snprintf(path, sizeof path, "/%s/run", w->token);
    snprintf(headers, sizeof headers, "Host: 127.0.0.1:%d\r\n", w->port);
    assert_int_equal(status_of(w, "POST", path, headers, 100 << 20), 413);
    snprintf(path, sizeof path, "/%032d/run", 0); // who does not know the token is not listened to
    assert_int_equal(status_of(w, "POST", path, headers, 100 << 20), 404);
    assert_int_equal(asked(w, "GET", "given", "127.0.0.1", ""), 200); // and goes on
}

/* Connections on which nothing comes, or a request that does not end, are more than there may be; the page is answered
 * all the same, and the first of them are closed. */
static void strangers_do_not_shut_out_the_page(void **state)
{
    enum { STRANGERS = 200 };
    static const char begun[] = "GET /given HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ";
    world *w = *state;
    int list[STRANGERS];
    char byte;
    for (int i = 0; i < STRANGERS; i++) {
        list[i] = connected(w);
        if (i % 2) send(list[i], begun, sizeof begun - 1, MSG_NOSIGNAL);
        if (i % 50 == 49) assert_int_equal(asked(w, "GET", "given", "127.0.0.1", ""), 200);
    }
    assert_true(recv(list[0], &byte, 1, 0) <= 0); // it has ended
    for (int i = 0; i < STRANGERS; i++) close(list[i]);
    assert_int_equal(asked(w, "GET", "", "127.0.0.1", ""), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_and_its_parts_are_served),
        cmocka_unit_test(without_the_token_there_is_nothing),
        cmocka_unit_test(pages_of_other_origins_are_refused),
        cmocka_unit_test(a_body_has_a_limit),
        cmocka_unit_test(strangers_do_not_shut_out_the_page),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
