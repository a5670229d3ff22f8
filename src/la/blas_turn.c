/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "la/blas_turn.h"

#include <lapacke.h>
#include <pthread.h>
#include <sys/mman.h>

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

static bool has_buffer; // of the process, as the buffer is; by turn_of_one

bool la_blas_ready(void)
{
    pthread_mutex_lock(&turn_of_one);
    if (!has_buffer) {
        size_t bytes = (size_t)(LA_BLAS_MEGABYTES + 8) << 20;
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p != MAP_FAILED) {
            int n = 1, pivot, info;
            double one = 1;
            munmap(p, bytes);
            LAPACK_dgetrf(&n, &n, &one, &n, &pivot, &info); // takes the buffer and keeps it
            has_buffer = true;
        }
    }
    bool ready = has_buffer;
    pthread_mutex_unlock(&turn_of_one);
    return ready;
}
