/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/source.h"

#include <string.h>

void source_init(source_set *s, arena *a)
{
    *s = (source_set){.a = a, .next = 1};
}

const source *source_add(source_set *s, const char *path, const char *text, size_t n)
{
    if (n >= UINT32_MAX - s->next) return NULL;
    source f = {.path = arena_strndup(s->a, path, strlen(path)),
                .text = text,
                .n = (uint32_t)n,
                .base = s->next};
    s->next += f.n + 1; // one past the end is a place too: where the text stops
    array_push(s->a, &s->files, f);
    return &array_last(&s->files);
}

const source *source_of(const source_set *s, uint32_t offset)
{
    int lo = 0, hi = s->files.n;
    while (lo < hi) { // first file that starts after the offset
        int mid = lo + (hi - lo) / 2;
        if (s->files.at[mid].base <= offset) lo = mid + 1;
        else hi = mid;
    }
    return offset && lo ? &s->files.at[lo - 1] : NULL;
}

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80; // not a continuation byte of UTF-8
}

place source_place(const source_set *s, uint32_t offset)
{
    const source *f = source_of(s, offset);
    if (!f) return (place){0};
    place p = {f, 1, 1};
    uint32_t end = offset - f->base;
    if (end > f->n) end = f->n;
    for (uint32_t i = 0; i < end; i++) {
        if (f->text[i] == '\n') {
            p.line++;
            p.column = 1;
        } else if (starts_character(f->text[i])) {
            p.column++;
        }
    }
    return p;
}
