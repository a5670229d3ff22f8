/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *std_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_bytes);
}

static void *std_zeroed(void *user, size_t bytes, bool sparse)
{
    (void)user;
    (void)sparse;
    return calloc(1, bytes);
}

mem mem_std(void)
{
    return (mem){.resize = std_resize, .zeroed = std_zeroed};
}

void *mem_try(mem *m, size_t bytes)
{
    return m->resize(m->user, NULL, 0, bytes ? bytes : 1);
}

static void *try_zeroed(mem *m, size_t bytes, bool sparse)
{
    if (m->zeroed) return m->zeroed(m->user, bytes ? bytes : 1, sparse);
    void *p = mem_try(m, bytes);
    return p && bytes ? memset(p, 0, bytes) : p;
}

void *mem_try_zeroed(mem *m, size_t bytes)
{
    return try_zeroed(m, bytes, false);
}

void *mem_get_zeroed(mem *m, size_t bytes, bool sparse)
{
    void *p = try_zeroed(m, bytes, sparse);
    if (!p) mem_fail(m);
    return p;
}

void *mem_get(mem *m, size_t bytes)
{
    return mem_grow(m, NULL, 0, bytes ? bytes : 1);
}

void *mem_grow(mem *m, void *p, size_t old_bytes, size_t new_bytes)
{
    void *q = m->resize(m->user, p, old_bytes, new_bytes);
    if (!q) mem_fail(m);
    return q;
}

void mem_free(mem *m, void *p, size_t bytes)
{
    if (p) m->resize(m->user, p, bytes ? bytes : 1, 0);
}

int mem_guarded(mem *m, int (*body)(void *job), void *job, int failed)
{
    jmp_buf here, *outer = m->guard;
    volatile int rc = failed;
    m->guard = &here;
    if (setjmp(here) == 0) rc = body(job);
    m->guard = outer;
    return rc;
}

void mem_fail(mem *m)
{
    assert(m->guard && "compiler memory is used only inside the guard of api");
    longjmp(*m->guard, 1);
}
