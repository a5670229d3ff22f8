/* SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/archive.h"

#include <string.h>

enum { STORED = 0, DEFLATED = 8 };
enum { VERSION_NEEDED = 20, MADE_BY_UNIX = 3 << 8 | 20, FIRST_DAY = 1 << 5 | 1 }; // 1980-01-01

typedef struct archive_entry {
    const char *name;
    const void *bytes;
    uint32_t method, crc, packed, size;
} archive_entry;

static void put(text *t, uint32_t x, int bytes) // least byte first
{
    for (int i = 0; i < bytes; i++) text_char(t, (char)(x >> 8 * i));
}

/* The polynomial of IEEE 802.3, bits reversed. */
uint32_t archive_crc(const unsigned char *p, size_t n)
{
    uint32_t table[256], crc = 0xffffffffu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < n; i++) crc = table[(crc ^ p[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

void archive_begin(archive *z, result_file *file, mem *m)
{
    *z = (archive){.file = file};
    text_init(&z->list, m);
    text_init(&z->head, m);
}

/* What the entry and the list have in common. */
static void put_facts(text *t, const archive_entry *e)
{
    put(t, VERSION_NEEDED, 2);
    put(t, 1 << 11, 2); // names are UTF-8
    put(t, e->method, 2);
    put(t, 0, 2);
    put(t, FIRST_DAY, 2);
    put(t, e->crc, 4);
    put(t, e->packed, 4);
    put(t, e->size, 4);
    put(t, (uint32_t)strlen(e->name), 2);
    put(t, 0, 2);
}

static void add_entry(archive *z, const archive_entry *e)
{
    text_clear(&z->head);
    put(&z->head, 0x04034b50, 4);
    put_facts(&z->head, e);
    text_add(&z->head, e->name);
    result_file_write(z->file, z->head.at, z->head.n);
    result_file_write(z->file, e->bytes, e->packed);
    put(&z->list, 0x02014b50, 4);
    put(&z->list, MADE_BY_UNIX, 2);
    put_facts(&z->list, e);
    put(&z->list, 0, 2); // comment
    put(&z->list, 0, 2); // disk
    put(&z->list, 0, 2); // text or not
    put(&z->list, 0644u << 16, 4);
    put(&z->list, (uint32_t)z->at, 4);
    text_add(&z->list, e->name);
    z->at += z->head.n + e->packed;
    z->n++;
}

void archive_add(archive *z, const char *name, const void *bytes, size_t n)
{
    uint32_t size = (uint32_t)n;
    add_entry(z, &(archive_entry){name, bytes, STORED, archive_crc(bytes, n), size, size});
}

static uint32_t four_bytes(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool archive_add_gzip(archive *z, const char *name, const unsigned char *gz, size_t n)
{
    enum { HEAD = 10, TAIL = 8, NAMED = 8 }; // RFC 1952
    size_t begin = HEAD;
    if (n < HEAD + TAIL || gz[0] != 0x1f || gz[1] != 0x8b || gz[2] != 8 || gz[3] & ~NAMED)
        return false;
    if (gz[3] & NAMED) {
        while (begin < n - TAIL && gz[begin]) begin++;
        begin++;
    }
    if (begin > n - TAIL) return false;
    const unsigned char *tail = gz + n - TAIL;
    add_entry(z, &(archive_entry){name, gz + begin, DEFLATED, four_bytes(tail),
                                  (uint32_t)(n - TAIL - begin), four_bytes(tail + 4)});
    return true;
}

void archive_end(archive *z)
{
    uint32_t at = (uint32_t)z->at, size = (uint32_t)z->list.n;
    put(&z->list, 0x06054b50, 4);
    put(&z->list, 0, 4); // disks
    put(&z->list, (uint32_t)z->n, 2);
    put(&z->list, (uint32_t)z->n, 2);
    put(&z->list, size, 4);
    put(&z->list, at, 4);
    put(&z->list, 0, 2);
    result_file_write(z->file, z->list.at, z->list.n);
}

void archive_done(archive *z)
{
    text_done(&z->list);
    text_done(&z->head);
}
