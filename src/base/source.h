/* Source texts and places in them.
 *
 * All texts share one space of 32-bit offsets, each file a stretch of it: a span is two offsets and
 * names its file by itself. Line and column are computed only when a message is written. Offset 0
 * belongs to no file, so a zeroed span means "no place".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/array.h"
#include "base/sym.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct span {
    uint32_t begin, end; // [begin, end)
} span;

typedef struct source {
    const char *path; // as it is shown to the user
    const char *text; // NUL-terminated, n bytes
    uint32_t n, base; // the byte text[i] has the offset base + i
} source;

typedef struct source_set {
    arena *a;
    ARRAY(source) files;
    uint32_t next; // offset of the next file
} source_set;

typedef struct place {
    const source *file; // NULL: no place
    int line, column;   // from 1; the column counts characters, not bytes
} place;

void source_init(source_set *s, arena *a);

/* Add a text; path is copied, text is kept by reference and must outlive the set. NULL when the
 * space of offsets is full (4 GB of text). The pointer is valid until the next source_add; offsets
 * stay. */
const source *source_add(source_set *s, const char *path, const char *text, size_t n);
const source *source_of(const source_set *s, uint32_t offset); // NULL for offset 0
place source_place(const source_set *s, uint32_t offset);

static inline span span_join(span a, span b)
{
    if (!a.begin) return b;
    if (!b.begin) return a;
    return (span){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

#endif
