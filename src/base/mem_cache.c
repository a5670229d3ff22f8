/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/mem_cache.h"

#include <string.h>

static void cache_clear(mem_cache *c)
{
    while (c->n) {
        c->n--;
        c->below.resize(c->below.user, c->kept[c->n].p, c->kept[c->n].bytes, 0);
    }
}

static void *cache_below(mem_cache *c, void *p, size_t old_bytes, size_t new_bytes)
{
    void *q = c->below.resize(c->below.user, p, old_bytes, new_bytes);
    if (q || !new_bytes || !c->n) return q;
    cache_clear(c); // memory is short
    return c->below.resize(c->below.user, p, old_bytes, new_bytes);
}

static void *cache_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    mem_cache *c = user;
    if (p && !new_bytes && c->n < MEM_CACHE_BLOCKS) {
        c->kept[c->n].p = p;
        c->kept[c->n++].bytes = old_bytes;
        return NULL;
    }
    for (int i = c->n - 1; i >= 0 && !p && new_bytes; i--) {
        if (c->kept[i].bytes != new_bytes) continue;
        void *q = c->kept[i].p;
        memmove(&c->kept[i], &c->kept[i + 1], (size_t)(--c->n - i) * sizeof c->kept[0]);
        return q;
    }
    return cache_below(c, p, old_bytes, new_bytes);
}

void mem_cache_init(mem_cache *c, mem *m)
{
    *c = (mem_cache){.below = *m};
    m->resize = cache_resize;
    m->zeroed = NULL; // blocks that were used before are cleared
    m->user = c;
}

void mem_cache_done(mem_cache *c, mem *m)
{
    cache_clear(c);
    m->resize = c->below.resize;
    m->zeroed = c->below.zeroed;
    m->user = c->below.user;
}
