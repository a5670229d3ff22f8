/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "trials.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATIENCE = 120, // seconds of the clock: for what waits and does not work
    SAID_SO = 100,  // status of a process whose case reports a fault
};

void *trials_shared(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit(2);
    return p;
}

void trials_clocks(void)
{
    struct itimerval limit = {.it_value.tv_sec = TRIALS_SECONDS};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(PATIENCE);
}

static int work(trials *b, long end, int (*one)(void *user, long k), void *user)
{
    for (; b->k < end; b->k++) {
        trials_clocks();
        if (one(user, b->k)) return SAID_SO;
    }
    return 0;
}

trials_end trials_run(trials *b, long end, int (*one)(void *user, long k), void *user)
{
    while (b->k < end) {
        long stop = b->k + TRIALS_SIZE < end ? b->k + TRIALS_SIZE : end;
        fflush(stdout);
        pid_t child = fork();
        if (child < 0) exit(2);
        if (!child) exit(work(b, stop, one, user));
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == SAID_SO) return TRIALS_FAULT;
        if (b->k >= stop) return TRIALS_LEFT;
        int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        return sig == SIGPROF || sig == SIGALRM ? TRIALS_HANG : TRIALS_CRASH;
    }
    return TRIALS_DONE;
}
