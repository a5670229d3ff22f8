/* Archives made by hand, with what can be wrong about them: entries are stored, or bytes as given.
 * The layout is that of APPNOTE 6.3.10, written a second time: nothing of src/ is used.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_ZIP_MAKE_H
#define TESTS_ZIP_MAKE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct zip_entry {
    const char *name;
    const char *bytes; // n of them; n 0: a text
    size_t n;
    unsigned method, flags, attributes; // attributes: the kind and rights of Unix, << 16
    long size;                          // said to unpack to; 0: n
    uint32_t crc_change;                // the checksum is wrong by this
    const char *head_name;              // another name in front of the entry; NULL: the same
    long at_change;                     // the list leads elsewhere by this
} zip_entry;

#ifndef ZIP_ROOM
#define ZIP_ROOM (1 << 16)
#endif

typedef struct zip_bytes {
    unsigned char at[ZIP_ROOM];
    size_t n;
} zip_bytes;

static inline void zip_put(zip_bytes *z, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) z->at[z->n++] = (unsigned char)(x >> 8 * i);
}

static inline uint32_t zip_crc(const char *bytes, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static inline void zip_facts(zip_bytes *z, const zip_entry *e, size_t n, const char *name)
{
    zip_put(z, 20, 2);
    zip_put(z, e->flags, 2);
    zip_put(z, e->method, 2);
    zip_put(z, 0, 4);
    zip_put(z, zip_crc(e->bytes, n) + e->crc_change, 4);
    zip_put(z, n, 4);
    zip_put(z, e->size ? (uint64_t)e->size : n, 4);
    zip_put(z, strlen(name), 2);
    zip_put(z, 0, 2);
}

static inline void zip_make(zip_bytes *z, const zip_entry *entries, int count)
{
    size_t begin[16];
    z->n = 0;
    for (int i = 0; i < count; i++) {
        const zip_entry *e = &entries[i];
        const char *name = e->head_name ? e->head_name : e->name;
        size_t n = e->n ? e->n : strlen(e->bytes);
        begin[i] = z->n;
        zip_put(z, 0x04034b50, 4);
        zip_facts(z, e, n, name);
        memcpy(z->at + z->n, name, strlen(name)), z->n += strlen(name);
        memcpy(z->at + z->n, e->bytes, n), z->n += n;
    }
    size_t list = z->n;
    for (int i = 0; i < count; i++) {
        const zip_entry *e = &entries[i];
        zip_put(z, 0x02014b50, 4);
        zip_put(z, 3 << 8 | 20, 2);
        zip_facts(z, e, e->n ? e->n : strlen(e->bytes), e->name);
        zip_put(z, 0, 6);
        zip_put(z, (uint64_t)e->attributes << 16, 4);
        zip_put(z, begin[i] + (size_t)e->at_change, 4);
        memcpy(z->at + z->n, e->name, strlen(e->name)), z->n += strlen(e->name);
    }
    size_t size = z->n - list;
    zip_put(z, 0x06054b50, 4);
    zip_put(z, 0, 4);
    zip_put(z, (uint64_t)count, 2);
    zip_put(z, (uint64_t)count, 2);
    zip_put(z, size, 4);
    zip_put(z, list, 4);
    zip_put(z, 0, 2);
}

#endif
