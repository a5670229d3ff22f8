/* What serves a live page: a plug-in (src/plugins/live.c) that speaks HTTP on the loopback interface.
 *
 * It serves nothing but what the host answers, to nobody but who knows the token, which is the first
 * part of every path; not to pages of other origins, nor under another name of this machine, by which
 * a page elsewhere could reach it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LIVE_SERVER_H
#define LIVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

enum { LIVE_SERVER_VERSION = 1, LIVE_TOKEN_BYTES = 33, LIVE_BODY_MOST = 4 << 20 };

/* An answer; bytes by malloc. */
typedef struct live_reply {
    int status; // of HTTP
    const char *type;
    char *bytes;
    size_t n;
} live_reply;

typedef struct live_host {
    void *user;
    const char *token;
    int port; // 0: any
    const char *policy;
    /* What is asked for, the token aside: "" (the page), "run" ... posted: with this body, which has a NUL
     * behind it. In any thread. */
    live_reply (*answer)(void *user, const char *what, bool posted, char *body, size_t n);
    void (*ready)(void *user, int port);
    bool (*stops)(void *user); // asked several times a second
} live_host;

typedef struct live_asset {
    const char *bytes, *end;
} live_asset;

typedef struct live_server {
    int version;
    int (*serve)(const live_host *host, char *why, size_t size); // 0, or 1 and why not
    live_asset editor_js, editor_css, editor_mode_js;
} live_server;

#endif
