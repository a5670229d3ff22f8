/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include "base/watch.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct arena_chunk {
    arena_chunk *older, *newer;
    size_t bytes;  // of the whole chunk, header included
    size_t serial; // how many were made before
    arena *owner;
    bool shared;
};

enum { ALIGN = alignof(max_align_t), ARENA_CHUNK_BYTES = 64 * 1024, ARENA_LARGE_BYTES = 32 * 1024 };
#define HEADER ((sizeof(arena_chunk) + ALIGN - 1) / ALIGN * ALIGN)

void arena_init(arena *a, mem *m)
{
    *a = (arena){.m = m};
}

/* ---- chunks ---------------------------------------------------------------------------------- */

typedef enum chunk_kind { CHUNK_SHARED, CHUNK_OWN, CHUNK_SPARSE } chunk_kind;

static arena_chunk *arena_add_chunk(arena *a, size_t bytes, chunk_kind kind)
{
    mem_look(a->m);
    bool shared = kind == CHUNK_SHARED;
    arena_chunk *c =
        shared ? mem_get(a->m, bytes) : mem_get_zeroed(a->m, bytes, kind == CHUNK_SPARSE);
    *c = (arena_chunk){a->head, NULL, bytes, a->serial++, a, shared};
    if (a->head) a->head->newer = c;
    a->head = c;
    a->total += bytes;
    if (shared) a->shared += bytes;
    return c;
}

static void drop_chunk(arena *a, arena_chunk *c)
{
    if (c->older) c->older->newer = c->newer;
    if (c->newer) c->newer->older = c->older;
    else a->head = c->older;
    a->total -= c->bytes;
    if (c->shared) a->shared -= c->bytes;
    mem_free(a->m, c, c->bytes);
}

void arena_done(arena *a)
{
    while (a->head) drop_chunk(a, a->head);
    a->at = a->end = NULL;
}

// Shared chunks grow with the arena, so that a large model costs few calls and a small one little
// memory.
static void add_shared(arena *a, size_t bytes)
{
    size_t size = a->shared < ARENA_CHUNK_BYTES ? ARENA_CHUNK_BYTES : a->shared / 2;
    if (size > (size_t)4 << 20) size = (size_t)4 << 20;
    if (size < bytes + HEADER) size = bytes + HEADER;
    char *c = (char *)arena_add_chunk(a, size, CHUNK_SHARED);
    a->at = c + HEADER;
    a->end = c + size;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static size_t arena_rounded(const arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) mem_fail(a->m);
    return bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN; // even nothing has an address
}

static void *alloc_block(arena *a, size_t bytes, chunk_kind kind)
{
    bytes = arena_rounded(a, bytes);
    if (bytes >= ARENA_LARGE_BYTES)
        return (char *)arena_add_chunk(a, bytes + HEADER, kind) + HEADER;
    if (bytes > (size_t)(a->end - a->at)) add_shared(a, bytes);
    void *p = a->at;
    a->at += bytes;
    return memset(p, 0, bytes);
}

void *arena_alloc(arena *a, size_t bytes)
{
    return alloc_block(a, bytes, CHUNK_OWN);
}

/* A large block that stays large is resized where it is, or moves with its header. */
static void *resize_large(arena *a, arena_chunk *c, size_t old_bytes, size_t bytes, bool clear)
{
    c = mem_grow(a->m, c, c->bytes, bytes + HEADER);
    a->total += bytes - old_bytes;
    c->bytes = bytes + HEADER;
    if (c->older) c->older->newer = c;
    if (c->newer) c->newer->older = c;
    else a->head = c;
    char *p = (char *)c + HEADER;
    if (clear && bytes > old_bytes) memset(p + old_bytes, 0, bytes - old_bytes);
    return p;
}

static void *resize_block(arena *a, void *p, size_t old_bytes, size_t bytes, bool clear)
{
    if (!p) return bytes ? arena_alloc(a, bytes) : NULL;
    size_t before = arena_rounded(a, old_bytes), now = arena_rounded(a, bytes);
    arena_chunk *own = before >= ARENA_LARGE_BYTES ? (arena_chunk *)((char *)p - HEADER) : NULL;
    if (own && own->owner != a) own = NULL; // it stays where it was made
    if (own && bytes && now >= ARENA_LARGE_BYTES) {
        return resize_large(a, own, before, now, clear);
    }
    void *to = bytes ? arena_alloc(a, bytes) : NULL;
    if (to) memcpy(to, p, old_bytes < bytes ? old_bytes : bytes);
    if (own) drop_chunk(a, own);
    return to;
}

void *arena_resize(arena *a, void *p, size_t old_bytes, size_t bytes)
{
    return resize_block(a, p, old_bytes, bytes, true);
}

void *arena_resize_raw(arena *a, void *p, size_t old_bytes, size_t bytes)
{
    return resize_block(a, p, old_bytes, bytes, false);
}

void *arena_alloc_array(arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size) mem_fail(a->m);
    return arena_alloc(a, n * size);
}

void *arena_alloc_sparse(arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 2 / size) mem_fail(a->m);
    return alloc_block(a, n * size, CHUNK_SPARSE);
}

char *arena_strndup(arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    if (n) memcpy(p, s, n);
    return p;
}

arena_mark arena_here(const arena *a)
{
    return (arena_mark){a->serial, a->at, a->end};
}

void arena_release(arena *a, arena_mark mark)
{
    while (a->head && a->head->serial >= mark.serial) drop_chunk(a, a->head);
    a->at = mark.at;
    a->end = mark.end;
}

void arena_move(arena *from, arena *to)
{
    *to = *from;
    for (arena_chunk *c = to->head; c; c = c->older) c->owner = to;
    arena_init(from, to->m);
}

/* ---- arenas in arenas ------------------------------------------------------------------------ */

typedef struct inner_arena {
    arena *from;
    mem m;
    arena inner;
} inner_arena;

static void *inner_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    inner_arena *c = user;
    return arena_resize_raw(c->from, p, old_bytes, new_bytes);
}

static void *inner_zeroed(void *user, size_t bytes, bool sparse)
{
    inner_arena *c = user;
    return alloc_block(c->from, bytes, sparse ? CHUNK_SPARSE : CHUNK_OWN);
}

arena *arena_inner(arena *from)
{
    inner_arena *c = arena_new(from, inner_arena);
    c->from = from;
    c->m = (mem){.resize = inner_resize,
                 .user = c,
                 .guard = from->m->guard,
                 .watch = from->m->watch,
                 .zeroed = inner_zeroed};
    arena_init(&c->inner, &c->m);
    arena_alloc(&c->inner, 1); // its chunk stays: nobody goes back to before it, element by element
    return &c->inner;
}
