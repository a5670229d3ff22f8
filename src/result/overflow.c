/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // mkstemp
#include "result/overflow.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { REGION_MIN = 1 << 20, REGION_MAX = 64 << 20, REGIONS_MAX = 1 << 16 }; // 4 TiB in all

struct overflow {
    int file;
    size_t n, cap, used, size; // used: of the last region, which has `size` bytes
    double most;               // bytes in all: half of what is free on the disk
    struct region {
        void *at;
        size_t size;
    } * regions;
};

/* $TMPDIR, or else the place for large files that is none in memory. */
static int nameless_file(void)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    int n = snprintf(path, sizeof path, "%s/vincolo-rows-XXXXXX",
                     folder && *folder ? folder : "/var/tmp");
    if (n < 0 || (size_t)n >= sizeof path) return -1;
    int file = mkstemp(path);
    if (file >= 0) unlink(path);
    return file;
}

static overflow *overflow_new(mem *m)
{
    int file = nameless_file();
    if (file < 0) return NULL;
    struct statvfs disk;
    overflow *o = fstatvfs(file, &disk) ? NULL : mem_try(m, sizeof *o);
    if (o)
        *o = (overflow){.file = file, .most = 0.5 * (double)disk.f_bavail * (double)disk.f_frsize};
    else close(file);
    return o;
}

static bool add_region(overflow *o, mem *m, size_t least)
{
    off_t end = lseek(o->file, 0, SEEK_END);
    size_t size = REGION_MIN, page = (size_t)sysconf(_SC_PAGESIZE);
    while (size < REGION_MAX && (off_t)size < end) size *= 2; // as much as there is
    if (size < least) size = (least + page - 1) / page * page;
    if (o->n == o->cap) {
        size_t cap = o->cap ? 2 * o->cap : 16, one = sizeof *o->regions;
        void *more =
            cap > REGIONS_MAX ? NULL : m->resize(m->user, o->regions, o->cap * one, cap * one);
        if (!more) return false;
        o->regions = more;
        o->cap = cap;
    }
    if (end < 0 || (double)end + (double)size > o->most ||
        posix_fallocate(o->file, end, (off_t)size))
        return false;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, o->file, end);
    if (at == MAP_FAILED) return false;
    o->regions[o->n].at = at;
    o->regions[o->n++].size = o->size = size;
    o->used = 0;
    return true;
}

double *overflow_take(overflow **o, mem *m, size_t bytes)
{
    if (!*o) *o = overflow_new(m);
    overflow *x = *o;
    if (!x || ((!x->n || x->size - x->used < bytes) && !add_region(x, m, bytes))) return NULL;
    char *at = (char *)x->regions[x->n - 1].at + x->used;
    x->used += bytes;
    return (double *)at;
}

void overflow_free(overflow *o, mem *m)
{
    if (!o) return;
    for (size_t k = 0; k < o->n; k++) munmap(o->regions[k].at, o->regions[k].size);
    close(o->file);
    mem_free(m, o->regions, o->cap * sizeof *o->regions);
    mem_free(m, o, sizeof *o);
}
