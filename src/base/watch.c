/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double watch_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool watch_allows(watch_limits *l, size_t old_bytes, size_t new_bytes)
{
    size_t held = atomic_load_explicit(&l->held, memory_order_relaxed);
    bool more = new_bytes > old_bytes;
    if (more && l->bytes && !atomic_load_explicit(&l->lifted, memory_order_relaxed) &&
        (new_bytes - old_bytes > l->bytes || held > l->bytes - (new_bytes - old_bytes))) {
        atomic_store(&l->refused, new_bytes);
        return false;
    }
    return true;
}

// The system has no more.
static void watch_lacks(watch_limits *l, size_t bytes)
{
    atomic_store(&l->most, atomic_load(&l->held));
    atomic_store(&l->lacking, bytes);
}

static void *watch_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    watch_limits *l = user;
    if (!watch_allows(l, old_bytes, new_bytes)) return NULL;
    void *q = l->below.resize(l->below.user, p, old_bytes, new_bytes);
    if (q || !new_bytes) { // unsigned: what is given back is subtracted
        atomic_fetch_add_explicit(&l->held, new_bytes - old_bytes, memory_order_relaxed);
    } else watch_lacks(l, new_bytes);
    return q;
}

static void *watch_zeroed(void *user, size_t bytes, bool sparse)
{
    watch_limits *l = user;
    if (!watch_allows(l, 0, bytes)) return NULL;
    mem *m = &l->below;
    void *p = m->zeroed ? m->zeroed(m->user, bytes, sparse) : mem_try_zeroed(m, bytes);
    if (p) atomic_fetch_add_explicit(&l->held, bytes, memory_order_relaxed);
    else watch_lacks(l, bytes);
    return p;
}

mem watch_mem(watch_limits *l)
{
    return (mem){.resize = watch_resize, .user = l, .zeroed = watch_zeroed};
}

/* ---- limits ---------------------------------------------------------------------------------- */

void watch_limit(watch_limits *l, double seconds, size_t bytes)
{
    l->seconds = seconds;
    l->until = seconds > 0 ? watch_clock() + seconds : INFINITY;
    l->bytes = bytes;
    atomic_store(&l->interrupted, 0);
    atomic_store(&l->refused, 0);
    atomic_store(&l->lacking, 0);
    atomic_store(&l->lifted, 0);
}

bool watch_passed(const watch_limits *l)
{
    return l && (atomic_load_explicit(&((watch_limits *)l)->interrupted, memory_order_relaxed) ||
                 (l->seconds > 0 && watch_clock() > l->until));
}

void watch_begin(watch *w, double seconds)
{
    w->cause = WATCH_GOES_ON;
    w->ticks = 0;
    w->seconds = seconds;
    w->until = seconds > 0 ? watch_clock() + seconds : INFINITY;
}

bool watch_look(watch *w)
{
    if (!w) return false;
    w->ticks = WATCH_TICKS;
    if (w->deaf) return false;
    watch_limits *l = w->limits;
    w->cause = WATCH_GOES_ON;
    if (atomic_load_explicit(&l->interrupted, memory_order_relaxed)) {
        w->cause = WATCH_INTERRUPTED;
    } else if (l->seconds > 0 || w->seconds > 0) {
        double now = watch_clock();
        w->own = w->seconds > 0 && now > w->until;
        if (w->own || (l->seconds > 0 && now > l->until)) w->cause = WATCH_TIME;
    }
    return w->cause != WATCH_GOES_ON;
}

void mem_look(mem *m)
{
    if (m->guard && watch_look(m->watch)) mem_fail(m);
}

/* ---- what is being done ---------------------------------------------------------------------- */

watch_work watch_doing(watch *w, const char *doing, const char *what)
{
    if (!w) return (watch_work){0};
    watch_work before = {w->doing, w->unit, w->done, w->of};
    w->doing = doing;
    w->unit = NULL;
    w->done = w->of = 0;
    if (what && strncmp(w->what, what, sizeof w->what - 1))
        snprintf(w->what, sizeof w->what, "%s", what);
    if (!w->deaf) atomic_store_explicit(&w->limits->doing, doing, memory_order_relaxed);
    return before;
}

void watch_return(watch *w, watch_work before)
{
    if (!w) return;
    w->doing = before.doing;
    w->unit = before.unit;
    w->done = before.done;
    w->of = before.of;
    atomic_store_explicit(&w->limits->doing, before.doing, memory_order_relaxed);
}

/* 1500000000 as "1.5 GB". */
static const char *watch_size(double bytes, char room[32])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t k = 0;
    for (; k < 4 && bytes >= 1000; k++) bytes /= 1000;
    snprintf(room, 32, "%.4g %s", bytes, units[k]);
    return room;
}

static int watch_place(const watch *w, char *room, size_t size)
{
    if (!w->doing) return 0;
    int n = snprintf(room, size, " while %s%s%s%s", w->doing, w->what[0] ? " '" : "", w->what,
                     w->what[0] ? "'" : "");
    if (!w->unit || n < 0 || (size_t)n >= size) return n;
    char of[40] = "";
    if (w->of) snprintf(of, sizeof of, " of %ld", w->of);
    return n + snprintf(room + n, size - (size_t)n, " (%ld%s %s)", w->done, of, w->unit);
}

const char *watch_words(const watch *w, watch_cause cause, char room[WATCH_WORDS])
{
    char size[32], asked[32], place[WATCH_WORDS / 2] = "";
    const watch_limits *l = w->limits;
    size_t refused = atomic_load(&((watch_limits *)l)->refused);
    size_t lacking = atomic_load(&((watch_limits *)l)->lacking);
    watch_place(w, place, sizeof place);
    switch (cause) {
    case WATCH_INTERRUPTED: snprintf(room, WATCH_WORDS, "interrupted%s", place); break;
    case WATCH_TIME:
        snprintf(room, WATCH_WORDS, "stopped after %g s, the limit given by --max-time,%s%s",
                 w->own ? w->seconds : l->seconds, place,
                 *place ? "" : " before anything was done");
        break;
    case WATCH_MEMORY:
        snprintf(room, WATCH_WORDS,
                 "more memory is needed than --max-memory allows (%s; %s more were asked for)%s",
                 watch_size((double)l->bytes, size), watch_size((double)refused, asked), place);
        break;
    case WATCH_GOES_ON:
        snprintf(room, WATCH_WORDS, "out of memory%s", place);
        if (lacking)
            snprintf(room, WATCH_WORDS, "out of memory: %s were held and %s more were asked for%s",
                     watch_size((double)atomic_load(&((watch_limits *)l)->most), size),
                     watch_size((double)lacking, asked), place);
        break;
    }
    return room;
}

const char *watch_code(watch_cause cause)
{
    switch (cause) {
    case WATCH_INTERRUPTED: return "C180";
    case WATCH_TIME: return "C181";
    case WATCH_MEMORY: return "C182";
    case WATCH_GOES_ON: break;
    }
    return "C183";
}
