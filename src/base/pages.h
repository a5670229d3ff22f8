/* Large blocks, and the pages of those that were given back.
 *
 * A page that is written for the first time takes the system a microsecond or two, several times what it
 * takes to fill it. Stages of the compiler give back large blocks and ask for others: their pages are
 * kept and handed out again. What is kept never adds to the most that is held: for each page that comes
 * new from the system one that is kept goes back. Blocks of medium size come from malloc, which keeps what it
 * was given back: its pages are new where there are more of them than ever.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>

enum { PAGES_LARGE_BYTES = 1 << 20, PAGES_MEDIUM_BYTES = 1 << 16, PAGES_PIECES = 128 };

typedef struct page_piece {
    char *at;
    size_t bytes;
} page_piece;

typedef struct pages {
    mem below;   // of blocks that are not large
    size_t page; // bytes
    pthread_mutex_t lock;
    bool keeps;                 // what is given back now
    size_t medium, medium_most; // bytes of blocks of medium size: there are, there were
    int n;
    page_piece kept[PAGES_PIECES];
} pages;

/* Memory whose large blocks are made of pages, or m itself where the system cannot move pages. */
mem pages_mem(pages *p, mem m);
void pages_done(pages *p);             // no large block is left
void pages_keep(pages *p, bool keeps); // false, as in the beginning: all that is kept goes back
void pages_return_holes(pages *p);     // what malloc keeps between smaller blocks goes back, too

#endif
