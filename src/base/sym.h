/* Interned strings: equal text, equal pointer. A sym is NUL-terminated and lives as long as its
 * table.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_SYM_H
#define BASE_SYM_H

#include "base/arena.h"

#include <stdint.h>

typedef const char *sym; // compare with ==; NULL means "no name"

typedef struct sym_table {
    arena *a;
    uint32_t *slots; // places of texts in the blocks
    uint8_t *tags;   // by slot: a byte of the hash, compared before the text is touched; 0: free
    uint32_t cap, n; // cap is a power of two or 0
    struct sym_block {
        char *at;
        uint32_t used; // bytes
    } * blocks;
    uint32_t n_blocks, cap_blocks;
} sym_table;

void sym_init(sym_table *t, arena *a);
void sym_reserve(sym_table *t, uint32_t more);       // so many are about to come
sym sym_of(sym_table *t, const char *s);             // NUL-terminated text
sym sym_of_n(sym_table *t, const char *s, size_t n); // n bytes; a NUL inside ends nothing
/* The same in two steps, for many in turn: the hash of a text, whose part of the table is fetched, and later the
 * text itself. */
uint64_t sym_prepare(const sym_table *t, const char *s, size_t n);
sym sym_of_prepared(sym_table *t, const char *s, size_t n, uint64_t hash);
sym sym_find_n(const sym_table *t, const char *s,
               size_t n); // NULL when the text was never interned
size_t sym_len(sym s);

#endif
