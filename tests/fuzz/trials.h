/* Many cases in processes of their own, so that one that crashes or does not end is one finding.
 *
 * A process works through the cases in order and is started anew behind the one that ended it. What
 * cases report goes through memory that both sides share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_TRIALS_H
#define FUZZ_TRIALS_H

#include <stddef.h>

enum {
#ifdef VINCOLO_SANITIZED
    TRIALS_SECONDS = 20, // the sanitizers make all of it slower
#else
    TRIALS_SECONDS = 5, // of the processor, for one case
#endif
    TRIALS_SIZE = 2000, // cases of one process: what libraries leave behind is seen at its end
};

typedef enum trials_end {
    TRIALS_DONE,
    TRIALS_FAULT, // the case said so
    TRIALS_CRASH,
    TRIALS_HANG,
    TRIALS_LEFT // memory, as the sanitizer says at the end of a process
} trials_end;

/* In shared memory: the case at work. */
typedef struct trials {
    long k;
} trials;

/* Zeroed memory that is shared with processes started later; ends the program where there is none. */
void *trials_shared(size_t bytes);
/* The time of a case begins. */
void trials_clocks(void);
/* Cases from b->k on, up to `end`, until one ends its process; b->k is that case, or `end`. one
 * returns non-zero for a fault. */
trials_end trials_run(trials *b, long end, int (*one)(void *user, long k), void *user);

#endif
