/* One thread at a time in a BLAS that allows no more.
 *
 * OpenBLAS built for one thread without locks (Debian's libopenblas0-serial) hands the same buffer
 * to two threads that call it at once, and both get wrong numbers. There, calls take turns; other
 * libraries are called directly. Small systems are solved by code of ours (small.c, inverse.c)
 * and need none of this.
 *
 *     bool turn = la_blas_begin();
 *     dgemm ...
 *     la_blas_end(turn);
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_BLAS_TURN_H
#define LA_BLAS_TURN_H

#include <stdbool.h>

bool la_blas_begin(void); // true: others wait
void la_blas_end(bool turn);

/* OpenBLAS maps a buffer at its first call, and tries for ever where an address space is limited to
 * less (ulimit -v). True: it has it. To be asked before the first call; false: there is no room. */
enum { LA_BLAS_MEGABYTES = 128 };
bool la_blas_ready(void);

#endif
