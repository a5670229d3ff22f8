/* Where memory comes from.
 *
 * All memory of the library comes through one function with the contract of realloc, so that a
 * caller can supply its own allocator and tests can make any allocation fail. Running out of memory
 * while compiling a model jumps to the one guard set in `api`, which drops the arenas; solver code
 * asks with mem_try and checks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct mem {
    /* Resize p from old_bytes to new_bytes. p == NULL allocates, new_bytes == 0 frees; NULL when it
     * cannot. */
    void *(*resize)(void *user, void *p, size_t old_bytes, size_t new_bytes);
    void *user;
    jmp_buf *guard; // where mem_get jumps when there is no memory; NULL only where mem_try is used
    struct watch *watch; // whoever asks for memory looks here whether to stop; NULL: never
    /* Memory that is 0 already. The system hands out large blocks so: what is never written is then
     * never there, which matters where little of them is: `sparse`. NULL: resize, and clearing. */
    void *(*zeroed)(void *user, size_t bytes, bool sparse);
} mem;

mem mem_std(void); // malloc, realloc, free; no guard

void *mem_try(mem *m, size_t bytes); // NULL when there is none; not cleared
void *mem_try_zeroed(mem *m, size_t bytes);
void *mem_get(mem *m, size_t bytes); // never NULL: jumps to the guard
void *mem_get_zeroed(mem *m, size_t bytes, bool sparse);
void *mem_grow(mem *m, void *p, size_t old_bytes, size_t new_bytes); // jumps to the guard
void mem_free(mem *m, void *p, size_t bytes);
/* body(job) with a guard: what it returns, or `failed` when memory ran out inside. The one setjmp
 * of the library; body holds nothing that only it could give back. */
int mem_guarded(mem *m, int (*body)(void *job), void *job, int failed);
_Noreturn void mem_fail(mem *m); // jump to the guard

#endif
