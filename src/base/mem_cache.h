/* Memory that is given back and asked for again, kept at hand.
 *
 * Work that is repeated asks for blocks of the same sizes every time. They are kept by their exact sizes
 * and handed out again, without a look at what threads share. One thread; blocks may also be given back
 * to where they come from.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_MEM_CACHE_H
#define BASE_MEM_CACHE_H

#include "base/mem.h"

enum { MEM_CACHE_BLOCKS = 64 };

typedef struct mem_cache {
    mem below;
    int n;
    struct {
        void *p;
        size_t bytes;
    } kept[MEM_CACHE_BLOCKS]; // the one that was given back last comes last
} mem_cache;

/* From now on m takes its memory from the cache, and that from where m took it. */
void mem_cache_init(mem_cache *c, mem *m);
void mem_cache_done(mem_cache *c, mem *m); // as it was before

#endif
