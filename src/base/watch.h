/* When to stop: an interrupt from outside, and limits of time and memory.
 *
 * One mechanism for all stages. What a context has made shares its limits; whoever works (the
 * compiler under the lock of the context, each run) has a watch of its own, found by its memory, and
 * asks it in its loops. The compiler is stopped by a jump to the guard, as when memory runs out;
 * callbacks of a run say "stop now". A stop lasts: whoever asks again hears it again, until the
 * caller sets limits anew.
 *
 * Asking is cheap, and has a weight: about how many hundred nanoseconds of work it stands for. The
 * clock is read after a thousand of them, or when asked outright, and only where time has a limit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_WATCH_H
#define BASE_WATCH_H

#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef enum watch_cause {
    WATCH_GOES_ON,
    WATCH_INTERRUPTED,
    WATCH_TIME,
    WATCH_MEMORY,
} watch_cause;

/* Shared, by any number of threads. */
typedef struct watch_limits {
    atomic_int interrupted;
    double seconds, until; // as given, 0: none; and on watch_clock
    size_t bytes;          // 0: none
    atomic_size_t refused; // the size of the block that was one too many; 0: none yet
    atomic_size_t lacking,
        most;           // the size that the system had not, and what was held then; 0: none
    atomic_int lifted;  // memory has no limit any more: what there is may be handed out
    mem below;          // where it comes from
    char apart[64];     // what follows changes all the time, what is before hardly ever:
    atomic_size_t held; // bytes at present
    _Atomic(const char *) doing; // what is being done, for signal handlers; NULL: nothing
} watch_limits;

enum { WATCH_NAME_BYTES = 120, WATCH_TICKS = 1000 };

typedef struct watch {
    watch_limits *limits;
    double seconds, until; // of this run alone; 0: none
    int ticks;             // left until the clock is read
    bool deaf;             // a message or a result is being handed out: it is not stopped
    watch_cause cause;     // why it stops; WATCH_GOES_ON: it does not
    bool own;              // the limit is that of this run
    /* Where the work is, for the message. */
    const char *doing;           // "flattening"; NULL: nothing
    char what[WATCH_NAME_BYTES]; // the model, or a part of it
    const char *unit;            // "components"
    long done, of;               // so many of them; of: 0 when not known
} watch;

/* Memory that is counted, and refused beyond the limit. */
mem watch_mem(watch_limits *l);
void watch_limit(watch_limits *l, double seconds, size_t bytes); // from now on; 0: none
bool watch_passed(const watch_limits *l);                        // interrupted, or time is up

void watch_begin(watch *w, double seconds); // a run of its own limit begins; 0: none
/* The work is now this. What was done before is given back, for watch_return. */
typedef struct watch_work {
    const char *doing, *unit;
    long done, of;
} watch_work;
watch_work watch_doing(watch *w, const char *doing, const char *what);
void watch_return(watch *w, watch_work before);
/* So far; unit is a literal. */
static inline void watch_count(watch *w, const char *unit, long done, long of)
{
    if (!w) return;
    w->unit = unit;
    w->done = done;
    w->of = of;
}

/* A message is being written, which is not stopped half-way; what was before. NULL is fine. */
static inline bool watch_deafen(watch *w, bool deaf)
{
    bool before = w && w->deaf;
    if (w) w->deaf = deaf;
    return before;
}

bool watch_look(watch *w); // stop now? NULL is fine
static inline bool watch_tick(watch *w, int weight)
{
    return w && (w->ticks -= weight) < 0 && watch_look(w);
}
/* For the compiler: jump to the guard if it has to stop. */
void mem_look(mem *m);
static inline void mem_tick(mem *m, int weight)
{
    if (m->watch && (m->watch->ticks -= weight) < 0) mem_look(m);
}

/* Why and where it stopped, as a sentence without its point; code of the message. The words fit. */
enum { WATCH_WORDS = 400 };
const char *watch_words(const watch *w, watch_cause cause, char room[WATCH_WORDS]);
const char *watch_code(watch_cause cause);

double watch_clock(void); // seconds, monotonic

#endif
