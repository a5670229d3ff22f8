/* An allocator for tests: counts calls and bytes, and fails the k-th allocation.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FAIL_MEM_H
#define TESTS_FAIL_MEM_H

#include "base/mem.h"

#include <stdlib.h>

typedef struct fail_mem {
    mem m;
    long calls, fail_at; // allocations so far; the one that fails, counted from 1 (0: none)
    long live;           // bytes held
} fail_mem;

static void *fail_mem_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    fail_mem *f = user;
    if (!new_bytes) {
        f->live -= (long)old_bytes;
        free(p);
        return NULL;
    }
    if (++f->calls == f->fail_at) return NULL;
    void *q = realloc(p, new_bytes);
    if (q) f->live += (long)new_bytes - (long)old_bytes;
    return q;
}

static inline void fail_mem_init(fail_mem *f, long fail_at)
{
    *f = (fail_mem){.m = {.resize = fail_mem_resize, .user = f}, .fail_at = fail_at};
}

#endif
