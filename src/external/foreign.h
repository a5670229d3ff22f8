/* What code that was compiled here and its caller share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_FOREIGN_H
#define EXTERNAL_FOREIGN_H

#include <setjmp.h>

enum { FOREIGN_WORDS = 400 };

/* What vincolo_host() of the library gives, one for every thread: where an error of the code jumps
 * to, and its words. */
typedef struct foreign_host {
    jmp_buf *back;
    char words[FOREIGN_WORDS];
} foreign_host;

#endif
