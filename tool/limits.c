/* What ends a command early: Ctrl-C, --max-time, --max-memory.
 *
 * The library is told, and ends the work with a message; what was computed is still written. What it
 * cannot interrupt (linear algebra of large dense matrices) is ended here, after a moment of grace.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const double GRACE_SECONDS = 2, GRACE_SHARE = 0.1; // whichever is more
static vinc_ctx *volatile watched;
static volatile sig_atomic_t signalled, has_last_words;
static char last_words[1000];

static void ring_after(double seconds)
{
    struct itimerval when = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1))}};
    setitimer(ITIMER_REAL, &when, NULL);
}

static void put(const char *words)
{
    if (write(2, words, strlen(words)) < 0) return; // there is nobody else to tell
}

static void on_signal(int number)
{
    (void)number;
    signalled = 1;
    if (has_last_words) put(last_words);
    vinc_ctx_interrupt(watched);
    ring_after(GRACE_SECONDS);
}

/* Time is up, and the library still computes. */
static void on_alarm(int number)
{
    (void)number;
    const char *doing = vinc_ctx_doing(watched);
    if (!*doing) return; // it has stopped: results are being written
    put("error: ");
    put(signalled ? "interrupted" : "stopped at the limit given by --max-time,");
    put(" while ");
    put(doing);
    size_t n = strlen(doing);
    if (n > 3 && !strcmp(doing + n - 3, " of")) put(" the model");
    put(", in a computation that cannot be interrupted otherwise; no result is written [");
    put(signalled ? "C180]\n" : "C181]\n");
    _exit(signalled ? EXIT_INTERRUPTED : EXIT_RUN);
}

static size_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes : 0;
}

void tool_watch(vinc_ctx *ctx, const options *o)
{
    watched = ctx;
    vinc_ctx_limit(
        ctx, &(vinc_limits){.seconds = o->max_time,
                            .bytes = o->has_max_memory ? (size_t)o->max_memory : machine_memory()});
    struct sigaction stop = {.sa_handler = on_signal,
                             .sa_flags = SA_RESETHAND}; // a second Ctrl-C ends at once
    struct sigaction ring = {.sa_handler = on_alarm};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGALRM, &ring, NULL);
    if (o->max_time > 0) ring_after(o->max_time + fmax(GRACE_SECONDS, GRACE_SHARE * o->max_time));
}

void tool_last_words(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    has_last_words = 0;
    vsnprintf(last_words, sizeof last_words, format, list);
    has_last_words = 1;
    va_end(list);
}

bool tool_interrupted(void)
{
    return signalled;
}

void tool_free(vinc_ctx *ctx)
{
    watched = NULL;
    vinc_ctx_free(ctx);
}
