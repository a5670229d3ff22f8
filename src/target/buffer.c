/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/machine.h"

#include <string.h>

enum { FIRST_BYTES = 4096 };
#define MOST_BYTES ((size_t)1 << 30) // displacements are 32 bits wide

bool code_reserve(code_buffer *b, size_t n)
{
    if (b->failed) return false;
    if (b->cap - b->n >= n && b->at) return true;
    size_t cap = b->cap ? 2 * b->cap : FIRST_BYTES;
    while (cap - b->n < n) cap *= 2;
    uint8_t *at = cap > MOST_BYTES ? NULL : b->m->resize(b->m->user, b->at, b->cap, cap);
    if (!at) {
        b->failed = true;
        b->too_large = cap > MOST_BYTES;
        return false;
    }
    b->at = at;
    b->cap = cap;
    return true;
}

void code_bytes(code_buffer *b, const void *bytes, size_t n)
{
    if (!n || !code_reserve(b, n)) return;
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

void code_align(code_buffer *b, size_t to)
{
    static const uint8_t zeros[64] = {0};
    code_bytes(b, zeros, (to - b->n % to) % to);
}

void code_done(code_buffer *b)
{
    mem_free(b->m, b->at, b->cap);
    *b = (code_buffer){.m = b->m};
}
