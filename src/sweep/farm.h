/* A sweep over several processes.
 *
 * Process 0 hands out runs, keeps the journal and computes, too; the others ask for runs, make them and
 * send the rows. One that dies is not missed: what it had is handed out again (sweep/hand.h). All of
 * them have planned the same sweep.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_FARM_H
#define SWEEP_FARM_H

#include "sweep/execute.h"
#include "sweep/transport.h"

typedef struct sweep_farm {
    const sweep_transport *t;
    int rank, size;
    int left; // processes that have said good-bye
    bool all; // every process is known to be there at the end
} sweep_farm;

/* Process 0: until the hand is done. VINC_OK, or why it stopped. */
int sweep_farm_lead(sweep_farm *f, const sweep_executor *e, const sweep_work *w, sweep_hand *hand,
                    int jobs);
/* The others: until there is nothing left to do. */
int sweep_farm_work(sweep_farm *f, const sweep_executor *e, const sweep_work *w, int jobs);
/* The end, for all of them, also where process 0 has found something wrong before: the others are told. */
void sweep_farm_end(sweep_farm *f);

#endif
