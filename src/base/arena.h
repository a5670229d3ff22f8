/* Arenas: memory that is given back all at once.
 *
 * The compiler has three lifetimes (front, model, scratch) and calls free for none of its objects.
 * Memory is zeroed. mark and release bracket temporary use of an arena like a stack. A large block
 * is a chunk of its own, so that an array that grows leaves nothing behind.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/mem.h"

typedef struct arena_chunk arena_chunk;

typedef struct arena {
    mem *m;
    arena_chunk *head; // newest chunk; older ones follow it
    char *at, *end;    // free part of the newest chunk that is shared
    size_t total;      // bytes held, for statistics and limits
    size_t shared;     // of them in chunks that are shared
    size_t serial;     // chunks made so far
} arena;

typedef struct arena_mark {
    size_t serial;
    char *at, *end;
} arena_mark;

void arena_init(arena *a, mem *m);
void arena_done(arena *a); // gives everything back; the arena is empty and usable again

void *arena_alloc(arena *a, size_t bytes); // zeroed, aligned for any type; never NULL
void *arena_alloc_array(arena *a, size_t n, size_t size);
void *arena_alloc_sparse(arena *a, size_t n, size_t size); // ... most of which is never written
/* Make a block of old_bytes larger or smaller; 0: done with it. It may move; what is new is zero. */
void *arena_resize(arena *a, void *p, size_t old_bytes, size_t bytes);
void *arena_resize_raw(arena *a, void *p, size_t old_bytes,
                       size_t bytes);                   // ... of a large one is not
char *arena_strndup(arena *a, const char *s, size_t n); // NUL-terminated copy

/* One that takes its chunks from another: what it is given back by arena_done may be used again, and
 * there is nothing to give back when memory runs out in the middle. */
arena *arena_inner(arena *from);

/* `to` has all that `from` had, which is empty then. None takes its chunks from it. */
void arena_move(arena *from, arena *to);

arena_mark arena_here(const arena *a);
void arena_release(arena *a, arena_mark mark); // frees all that was allocated since the mark

#define arena_new(a, T)       ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n)  ((T *)arena_alloc_array((a), (size_t)(n), sizeof(T)))
#define arena_sparse(a, T, n) ((T *)arena_alloc_sparse((a), (size_t)(n), sizeof(T)))

#endif
