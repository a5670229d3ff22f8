/* A block is one mapping, so that it can be made larger where it is, or moved without being copied. A
 * request is served by the smallest piece that is large enough, the rest of which stays; where there is
 * none, by the largest, which is made larger. A block that grows moves into such a piece, too: copying a page
 * takes a fifth of the time of a new one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // mremap
#include "base/pages.h"

#include "base/holes.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t pages_rounded(const pages *p, size_t bytes)
{
    return (bytes + p->page - 1) / p->page * p->page;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void piece_forget(pages *p, int i)
{
    p->kept[i] = p->kept[--p->n];
}

static int piece_smallest(const pages *p, size_t least)
{
    int best = -1;
    for (int i = 0; i < p->n; i++)
        if (p->kept[i].bytes >= least && (best < 0 || p->kept[i].bytes < p->kept[best].bytes))
            best = i;
    return best;
}

static int piece_largest(const pages *p)
{
    int best = -1;
    for (int i = 0; i < p->n; i++)
        if (best < 0 || p->kept[i].bytes > p->kept[best].bytes) best = i;
    return best;
}

/* So many bytes go back to the system, of the smallest pieces first. */
static void pieces_return(pages *p, size_t bytes)
{
    while (bytes && p->n) {
        int i = piece_smallest(p, 0);
        page_piece *x = &p->kept[i];
        size_t part = bytes < x->bytes ? bytes : x->bytes;
        munmap(x->at + (x->bytes - part), part);
        x->bytes -= part;
        bytes -= part;
        if (!x->bytes) piece_forget(p, i);
    }
}

/* Bytes up to the last page that was ever written; 0: most were not. */
static size_t pages_written(const pages *p, char *at, size_t bytes)
{
    unsigned char there[1024];
    size_t n = bytes / p->page, end = 0, written = 0;
    for (size_t k = 0; k < n; k += sizeof there) {
        size_t part = n - k < sizeof there ? n - k : sizeof there;
        if (mincore(at + k * p->page, part * p->page, there)) return 0;
        for (size_t i = 0; i < part; i++)
            if (there[i] & 1) written++, end = k + i + 1;
    }
    return written > end / 8 * 7 ? end * p->page : 0;
}

static void piece_keep(pages *p, char *at, size_t bytes)
{
    size_t written = p->keeps ? pages_written(p, at, bytes) : 0;
    if (written < bytes) munmap(at + written, bytes - written);
    if (!written) return;
    if (p->n == PAGES_PIECES) pieces_return(p, p->kept[piece_smallest(p, 0)].bytes);
    p->kept[p->n++] = (page_piece){at, written};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static char *pages_map(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The beginning of a piece that is large enough; NULL: there is none. */
static char *piece_take(pages *p, size_t bytes)
{
    int i = piece_smallest(p, bytes);
    if (i < 0) return NULL;
    page_piece *x = &p->kept[i];
    char *at = x->at;
    x->at += bytes;
    x->bytes -= bytes;
    if (!x->bytes) piece_forget(p, i);
    return at;
}

static char *pages_grow(pages *p, char *at, size_t bytes, size_t more)
{
    char *to = piece_take(p, more);
    if (to) {
        memcpy(to, at, bytes);
        piece_keep(p, at, bytes);
        return to;
    }
    to = mremap(at, bytes, more, MREMAP_MAYMOVE);
    if (to == MAP_FAILED) return NULL;
    pieces_return(p, more - bytes);
    return to;
}

/* The first `used` bytes of it were written before. */
static char *pages_take(pages *p, size_t bytes, size_t *used)
{
    char *at = piece_take(p, bytes);
    *used = at ? bytes : 0;
    if (at) return at;
    if (p->n) {
        int i = piece_largest(p);
        page_piece x = p->kept[i];
        piece_forget(p, i);
        at = pages_grow(p, x.at, x.bytes, bytes);
        if (at) *used = x.bytes;
        else munmap(x.at, x.bytes);
        if (at) return at;
    }
    at = pages_map(bytes);
    if (!at && p->n) {
        pieces_return(p, SIZE_MAX);
        at = pages_map(bytes);
    }
    return at;
}

static char *pages_resize_large(pages *p, char *at, size_t bytes, size_t now)
{
    if (now <= bytes) {
        piece_keep(p, at + now, bytes - now);
        return at;
    }
    return pages_grow(p, at, bytes, now);
}

/* ---- as memory ------------------------------------------------------------------------------- */

static bool is_large(size_t bytes)
{
    return bytes >= PAGES_LARGE_BYTES;
}

static size_t medium_bytes(size_t bytes)
{
    return bytes >= PAGES_MEDIUM_BYTES && !is_large(bytes) ? bytes : 0;
}

static void pages_count_medium(pages *p, size_t old_bytes, size_t new_bytes)
{
    size_t before = medium_bytes(old_bytes), now = medium_bytes(new_bytes);
    if (before == now) return;
    pthread_mutex_lock(&p->lock);
    p->medium += now - before;
    if (p->medium > p->medium_most) {
        pieces_return(p, pages_rounded(p, p->medium - p->medium_most));
        p->medium_most = p->medium;
    }
    pthread_mutex_unlock(&p->lock);
}

static void *pages_below(pages *p, void *at, size_t old_bytes, size_t new_bytes)
{
    void *to = p->below.resize(p->below.user, at, old_bytes, new_bytes);
    if (to || !new_bytes) pages_count_medium(p, at ? old_bytes : 0, new_bytes);
    return to;
}

static void *pages_across(pages *p, mem *m, char *at, size_t old_bytes, size_t new_bytes)
{
    void *to = m->resize(p, NULL, 0, new_bytes);
    if (!to) return NULL;
    memcpy(to, at, old_bytes < new_bytes ? old_bytes : new_bytes);
    m->resize(p, at, old_bytes, 0);
    return to;
}

static void *pages_resize(void *user, void *at, size_t old_bytes, size_t new_bytes)
{
    pages *p = user;
    bool was = at && is_large(old_bytes), is = is_large(new_bytes);
    if (!was && !is) return pages_below(p, at, old_bytes, new_bytes);
    if (new_bytes > SIZE_MAX / 2) return NULL;
    if (at && new_bytes && was != is)
        return pages_across(p, &(mem){.resize = pages_resize}, at, old_bytes, new_bytes);
    size_t bytes = pages_rounded(p, old_bytes), now = pages_rounded(p, new_bytes), used;
    void *to = NULL;
    pthread_mutex_lock(&p->lock);
    if (!at) to = pages_take(p, now, &used);
    else if (!new_bytes) piece_keep(p, at, bytes);
    else to = pages_resize_large(p, at, bytes, now);
    pthread_mutex_unlock(&p->lock);
    return to;
}

static void *pages_zeroed(void *user, size_t bytes, bool sparse)
{
    pages *p = user;
    size_t used = 0, whole = pages_rounded(p, bytes);
    if (!is_large(bytes)) {
        void *small = mem_try_zeroed(&p->below, bytes);
        if (small) pages_count_medium(p, 0, bytes);
        return small;
    }
    if (bytes > SIZE_MAX / 2) return NULL;
    pthread_mutex_lock(&p->lock);
    char *at = sparse ? pages_map(whole) : NULL;
    if (!at) at = pages_take(p, whole, &used);
    pthread_mutex_unlock(&p->lock);
    return at && used ? memset(at, 0, used) : at;
}

mem pages_mem(pages *p, mem m)
{
    long page = sysconf(_SC_PAGESIZE);
    *p = (pages){.below = m, .page = page > 0 ? (size_t)page : 0};
    if (!p->page || pthread_mutex_init(&p->lock, NULL)) {
        p->below.resize = NULL;
        return m;
    }
    return (mem){.resize = pages_resize, .user = p, .zeroed = pages_zeroed};
}

void pages_keep(pages *p, bool keeps)
{
    if (!p->below.resize) return; // it was not asked for
    pthread_mutex_lock(&p->lock);
    p->keeps = keeps;
    if (!keeps) pieces_return(p, SIZE_MAX);
    pthread_mutex_unlock(&p->lock);
}

void pages_return_holes(pages *p)
{
    if (p->below.resize) malloc_holes_return();
}

void pages_done(pages *p)
{
    if (p->below.resize) pthread_mutex_destroy(&p->lock);
}
