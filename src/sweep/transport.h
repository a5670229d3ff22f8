/* How processes of one sweep talk: a table that a plug-in fills (src/plugins/mpi.c).
 *
 * All calls come from one thread. Messages between two processes keep their order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_TRANSPORT_H
#define SWEEP_TRANSPORT_H

#include <stddef.h>

enum { SWEEP_TRANSPORT_VERSION = 1 };

typedef struct sweep_transport {
    int version; // first
    /* 0: done; otherwise it cannot be used. */
    int (*open)(int *rank, int *size);
    int (*send)(int to, int tag, const void *bytes, size_t n);
    int (*waiting)(int *from, int *tag, size_t *n); // 1: a message is there; 0: none
    int (*receive)(int from, int tag, void *bytes, size_t n);
    /* all: every process is known to come here, too; otherwise some may be dead. */
    void (*close)(int all);
} sweep_transport;

#endif
