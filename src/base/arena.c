/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

struct arena_chunk {
    arena_chunk *older;
    size_t bytes; // of the whole chunk, header included
};

enum { ALIGN = alignof(max_align_t), CHUNK = 64 * 1024 };
#define HEADER ((sizeof(arena_chunk) + ALIGN - 1) / ALIGN * ALIGN)

void arena_init(arena *a, mem *m)
{
    *a = (arena){.m = m};
}

static void drop_until(arena *a, const arena_chunk *keep)
{
    while (a->head != keep) {
        arena_chunk *c = a->head;
        a->head = c->older;
        a->total -= c->bytes;
        mem_free(a->m, c, c->bytes);
    }
}

void arena_done(arena *a)
{
    drop_until(a, NULL);
    a->at = a->end = NULL;
}

// Chunks grow with the arena, so that a large model costs few calls and a small one little memory.
static void add_chunk(arena *a, size_t bytes)
{
    size_t size = a->total < CHUNK ? CHUNK : a->total / 2;
    if (size > (size_t)64 << 20) size = (size_t)64 << 20;
    if (size < bytes + HEADER) size = bytes + HEADER;
    arena_chunk *c = mem_get(a->m, size);
    c->older = a->head;
    c->bytes = size;
    a->head = c;
    a->at = (char *)c + HEADER;
    a->end = (char *)c + size;
    a->total += size;
}

void *arena_alloc(arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) mem_fail(a->m);
    bytes = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN; // even nothing has an address
    if (bytes > (size_t)(a->end - a->at)) add_chunk(a, bytes);
    void *p = a->at;
    a->at += bytes;
    return memset(p, 0, bytes);
}

void *arena_alloc_array(arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size) mem_fail(a->m);
    return arena_alloc(a, n * size);
}

char *arena_strndup(arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    if (n) memcpy(p, s, n);
    return p;
}

arena_mark arena_here(const arena *a)
{
    return (arena_mark){a->head, a->at, a->end};
}

void arena_release(arena *a, arena_mark mark)
{
    drop_until(a, mark.head);
    a->at = mark.at;
    a->end = mark.end;
}
