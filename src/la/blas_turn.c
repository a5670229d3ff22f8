/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/blas_turn.h"

#include <pthread.h>

/* 0 where OpenBLAS was built for one thread; no such function where it is another library. */
extern int openblas_get_parallel(void) __attribute__((weak));

static pthread_mutex_t turn_of_one = PTHREAD_MUTEX_INITIALIZER; // guards what is not ours

bool la_blas_begin(void)
{
    bool alone = openblas_get_parallel && openblas_get_parallel() == 0;
    if (alone) pthread_mutex_lock(&turn_of_one);
    return alone;
}

void la_blas_end(bool turn)
{
    if (turn) pthread_mutex_unlock(&turn_of_one);
}
