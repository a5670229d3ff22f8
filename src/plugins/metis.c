/* Nested dissection by METIS: G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // initstate
#include "la/dissect.h"

#include <metis.h>
#include <pthread.h>
#include <stdlib.h>

_Static_assert(IDXTYPEWIDTH == 32, "METIS of 32-bit indices");

/* METIS draws by rand(). It is given a state of its own, one caller at a time, so that the order does not
 * depend on what else draws, nor that on us. */
static int metis_order(int n, int *begin, int *neighbour, int *order, int *rank)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    enum { SEED = 1, STATE = 128 };
    char state[STATE];
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    pthread_mutex_lock(&turn);
    char *old = initstate(SEED, state, sizeof state);
    int rc = METIS_NodeND(&n, begin, neighbour, NULL, options, order, rank);
    setstate(old);
    pthread_mutex_unlock(&turn);
    return rc != METIS_OK;
}

__attribute__((visibility("default"))) const la_dissector vincolo_plugin = {
    .version = LA_DISSECTOR_VERSION,
    .order = metis_order,
};
