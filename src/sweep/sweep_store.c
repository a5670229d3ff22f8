/* A journal of rows.
 *
 *     file    := "vincolo sweep 1\n" u64 bytes, heading, u64 checksum { chunk }
 *     chunk   := u64 mark, u64 first, u64 n, u64 bytes of reasons, rows, statuses, reasons, u64 checksum
 *
 * Numbers are those of the machine. A checksum is FNV-1a over words of eight bytes: it is to tell a torn
 * chunk, not a forged one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_store.h"

#include "base/text.h"
#include "result/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[16] = "vincolo sweep 1\n";
static const uint64_t MARK = UINT64_C(0x6b6e756863777376);
enum { FLUSH_BYTES = 1 << 18, HEADING_MOST = 1 << 22, CHUNK_MOST = 1 << 28 };
static const char CODE[] = "C192";

typedef struct chunk_head {
    uint64_t mark, first, n, reasons;
} chunk_head;

struct sweep_store {
    mem *m;
    char *path;
    int fd;
    bool writes;
    int width;
    sweep_heading heading;
    arena a;     // of the heading that was read
    char *block; // chunks that are not written yet, or all of them in memory
    size_t used, cap;
    char *chunk; // one that is read
    size_t chunk_bytes;
    off_t begin, end; // of the chunks on the disk
};

static uint64_t checksum(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = UINT64_C(14695981039346656037), word;
    for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * UINT64_C(1099511628211);
        h ^= h >> 29;
    }
    for (; n; n--) h = (h ^ *p++) * UINT64_C(1099511628211);
    return h;
}

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static size_t chunk_size(const chunk_head *h, int width)
{
    return sizeof *h + h->n * (size_t)width * sizeof(double) + padded(h->n * sizeof(int32_t)) +
           padded(h->reasons) + sizeof(uint64_t);
}

static int no_memory(result_fault *fault)
{
    return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
}

/* ---- the heading ----------------------------------------------------------------------------- */

static void put_number(text *t, uint64_t x)
{
    text_add_n(t, (const char *)&x, sizeof x);
}

static void put_word(text *t, const char *word)
{
    put_number(t, strlen(word));
    text_add(t, word);
}

typedef struct heading_job {
    sweep_store *s;
    const sweep_heading *h;
    text t;
    const char *bytes;
    size_t n;
    bool good;
} heading_job;

static int print_heading(void *job)
{
    heading_job *j = job;
    const sweep_heading *h = j->h;
    put_word(&j->t, h->identity);
    put_word(&j->t, h->class_name);
    put_number(&j->t, (uint64_t)h->n_parameters);
    put_number(&j->t, (uint64_t)h->n_values);
    for (int i = 0; i < h->n_parameters; i++) put_word(&j->t, h->parameters[i]);
    for (int i = 0; i < h->n_values; i++) put_word(&j->t, h->values[i]);
    uint64_t numbers[] = {h->total,
                          h->first,
                          h->last,
                          h->samples,
                          h->per_sample,
                          (uint64_t)h->n_random,
                          (uint64_t)(h->axis + 1),
                          (uint64_t)(h->second_axis + 1),
                          h->grid,
                          h->second_grid};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put_number(&j->t, numbers[i]);
    while (j->t.n % 8) text_char(&j->t, 0);
    return RESULT_OK;
}

static uint64_t take_number(heading_job *j)
{
    uint64_t x = 0;
    if (j->n < sizeof x) return j->good = false, 0;
    memcpy(&x, j->bytes, sizeof x);
    j->bytes += sizeof x;
    j->n -= sizeof x;
    return x;
}

static const char *take_word(heading_job *j)
{
    uint64_t n = take_number(j);
    if (!j->good || n > j->n) return j->good = false, "";
    const char *word = arena_strndup(&j->s->a, j->bytes, n);
    j->bytes += n;
    j->n -= n;
    return word;
}

static const char *const *take_words(heading_job *j, int n)
{
    const char **words = arena_array(&j->s->a, const char *, n + 1);
    for (int i = 0; i < n && j->good; i++) words[i] = take_word(j);
    return words;
}

static int parse_heading(void *job)
{
    enum { NAMES_MOST = 100000 };
    heading_job *j = job;
    sweep_heading *h = &j->s->heading;
    j->good = true;
    h->identity = take_word(j);
    h->class_name = take_word(j);
    uint64_t parameters = take_number(j), values = take_number(j);
    if (!j->good || parameters > NAMES_MOST || values > NAMES_MOST)
        return j->good = false, RESULT_OK;
    h->n_parameters = (int)parameters;
    h->n_values = (int)values;
    h->parameters = take_words(j, h->n_parameters);
    h->values = take_words(j, h->n_values);
    h->total = take_number(j);
    h->first = take_number(j);
    h->last = take_number(j);
    h->samples = take_number(j);
    h->per_sample = take_number(j);
    h->n_random = (int)take_number(j);
    h->axis = (int)take_number(j) - 1;
    h->second_axis = (int)take_number(j) - 1;
    h->grid = take_number(j);
    h->second_grid = take_number(j);
    bool axes = h->axis < h->n_parameters && h->second_axis < h->n_parameters && h->n_random >= 0 &&
                h->n_random <= h->n_parameters && h->samples && h->per_sample;
    j->good = j->good && axes && h->first <= h->last && h->last <= h->total;
    return RESULT_OK;
}

/* ---- reading from the disk ------------------------------------------------------------------- */

static bool read_fully(int fd, void *to, size_t n, off_t at)
{
    for (char *p = to; n;) {
        ssize_t got = pread(fd, p, n, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        p += got, at += got, n -= (size_t)got;
    }
    return true;
}

static int cannot(const sweep_store *s, const char *what, result_fault *fault)
{
    return result_fail(fault, RESULT_E_WRITE, CODE, "'%s' cannot be %s: %s", s->path, what,
                       strerror(errno));
}

static bool room_for_chunk(sweep_store *s, size_t n)
{
    if (n <= s->chunk_bytes) return true;
    mem_free(s->m, s->chunk, s->chunk_bytes);
    s->chunk = mem_try(s->m, n);
    s->chunk_bytes = s->chunk ? n : 0;
    return s->chunk;
}

/* The chunk at a place, whole, in s->chunk: its size, 0 where there is none, or a status < 0. */
static long long read_chunk(sweep_store *s, off_t at, uint64_t expected, result_fault *fault)
{
    chunk_head h;
    if (!read_fully(s->fd, &h, sizeof h, at) || h.mark != MARK || h.first != expected || !h.n ||
        h.n > CHUNK_MOST || h.reasons > CHUNK_MOST)
        return 0;
    size_t n = chunk_size(&h, s->width);
    if (n > CHUNK_MOST) return 0;
    if (!room_for_chunk(s, n)) return no_memory(fault);
    uint64_t sum;
    if (!read_fully(s->fd, s->chunk, n, at)) return 0;
    memcpy(&sum, s->chunk + n - sizeof sum, sizeof sum);
    return sum == checksum(s->chunk, n - sizeof sum) ? (long long)n : 0;
}

/* Find the end of what is whole. */
static int scan_chunks(sweep_store *s, uint64_t *done, result_fault *fault)
{
    uint64_t next = s->heading.first;
    s->end = s->begin;
    for (;;) {
        long long n = read_chunk(s, s->end, next, fault);
        if (n < 0) return (int)n;
        if (!n) break;
        chunk_head h;
        memcpy(&h, s->chunk, sizeof h);
        next += h.n;
        s->end += n;
        if (next > s->heading.last)
            return result_fail(fault, RESULT_E_FORMAT, CODE, "'%s' has more runs than it should",
                               s->path);
    }
    *done = next - s->heading.first;
    return RESULT_OK;
}

static int not_a_journal(const sweep_store *s, result_fault *fault)
{
    return result_fail(fault, RESULT_E_FORMAT, CODE,
                       "'%s' is no journal of a sweep; remove it, or choose another --out",
                       s->path);
}

/* 1: there is a heading; 0: the process was killed before it was whole. */
static int read_heading(sweep_store *s, result_fault *fault)
{
    char magic[sizeof MAGIC];
    uint64_t n, sum;
    struct stat st;
    if (fstat(s->fd, &st)) return cannot(s, "read", fault);
    if (!st.st_size) return 0;
    size_t known = st.st_size < (off_t)sizeof magic ? (size_t)st.st_size : sizeof magic;
    if (!read_fully(s->fd, magic, known, 0)) return cannot(s, "read", fault);
    if (memcmp(magic, MAGIC, known)) return not_a_journal(s, fault);
    if (!read_fully(s->fd, &n, sizeof n, sizeof MAGIC)) return 0;
    if (n > HEADING_MOST) return not_a_journal(s, fault);
    s->begin = (off_t)(sizeof MAGIC + sizeof n + n + sizeof sum);
    if (!room_for_chunk(s, n + sizeof sum)) return no_memory(fault);
    if (!read_fully(s->fd, s->chunk, n + sizeof sum, sizeof MAGIC + sizeof n)) return 0;
    memcpy(&sum, s->chunk + n, sizeof sum);
    if (sum != checksum(s->chunk, n)) return 0;
    heading_job j = {.s = s, .bytes = s->chunk, .n = n};
    mem guarded = *s->m;
    arena_init(&s->a, &guarded);
    int rc = mem_guarded(&guarded, parse_heading, &j, RESULT_E_MEMORY);
    s->a.m = s->m;
    if (rc) return no_memory(fault);
    s->width = s->heading.n_parameters + s->heading.n_values;
    return j.good ? 1 : not_a_journal(s, fault);
}

/* ---- writing to the disk --------------------------------------------------------------------- */

static int write_fully(sweep_store *s, const char *bytes, size_t n, result_fault *fault)
{
    off_t at = s->end;
    while (n) {
        ssize_t put = pwrite(s->fd, bytes, n, at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            if (!put) errno = ENOSPC;
            return result_fail(fault, RESULT_E_WRITE, CODE,
                               "'%s' cannot be written: %s. The runs before are kept there; make "
                               "room and go on with --resume",
                               s->path, strerror(errno));
        }
        bytes += put, at += put, n -= (size_t)put;
    }
    s->end = at;
    return RESULT_OK;
}

static int write_heading(sweep_store *s, const sweep_heading *h, result_fault *fault)
{
    heading_job j = {.s = s, .h = h};
    mem guarded = *s->m;
    text_init(&j.t, &guarded);
    int rc = mem_guarded(&guarded, print_heading, &j, RESULT_E_MEMORY);
    if (rc) {
        no_memory(fault);
    } else {
        uint64_t n = j.t.n, sum = checksum(text_str(&j.t), n);
        s->end = 0;
        rc = write_fully(s, MAGIC, sizeof MAGIC, fault);
        if (!rc) rc = write_fully(s, (const char *)&n, sizeof n, fault);
        if (!rc) rc = write_fully(s, text_str(&j.t), n, fault);
        if (!rc) rc = write_fully(s, (const char *)&sum, sizeof sum, fault);
        s->begin = s->end;
        if (!rc && fsync(s->fd)) rc = cannot(s, "written", fault);
    }
    text_done(&j.t);
    return rc;
}

int sweep_store_flush(sweep_store *s, result_fault *fault)
{
    if (s->fd < 0 || !s->used) return RESULT_OK;
    int rc = write_fully(s, s->block, s->used, fault);
    if (!rc) s->used = 0;
    if (!rc && fdatasync(s->fd) && errno != EINVAL) rc = cannot(s, "written", fault);
    return rc;
}

static bool room_to_append(sweep_store *s, size_t n)
{
    if (s->cap - s->used >= n) return true;
    size_t cap = 2 * s->cap + n + FLUSH_BYTES;
    char *block = mem_try(s->m, cap);
    if (!block) return false;
    if (s->used) memcpy(block, s->block, s->used);
    mem_free(s->m, s->block, s->cap);
    s->block = block;
    s->cap = cap;
    return true;
}

int sweep_store_append(sweep_store *s, const sweep_rows *rows, result_fault *fault)
{
    chunk_head h = {MARK, rows->first, (uint64_t)rows->n, 0};
    for (int i = 0; i < rows->n; i++) h.reasons += strlen(rows->reason[i]) + 1;
    size_t n = chunk_size(&h, s->width);
    if (!room_to_append(s, n)) return no_memory(fault);
    char *at = s->block + s->used;
    memset(at, 0, n);
    memcpy(at, &h, sizeof h);
    char *p = at + sizeof h;
    memcpy(p, rows->values, h.n * (size_t)s->width * sizeof(double));
    p += h.n * (size_t)s->width * sizeof(double);
    for (int i = 0; i < rows->n; i++) {
        int32_t status = rows->status[i];
        memcpy(p + (size_t)i * sizeof status, &status, sizeof status);
    }
    p += padded(h.n * sizeof(int32_t));
    for (int i = 0; i < rows->n; i++) {
        size_t length = strlen(rows->reason[i]) + 1;
        memcpy(p, rows->reason[i], length);
        p += length;
    }
    uint64_t sum = checksum(at, n - sizeof sum);
    memcpy(at + n - sizeof sum, &sum, sizeof sum);
    s->used += n;
    return s->fd >= 0 && s->used >= FLUSH_BYTES ? sweep_store_flush(s, fault) : RESULT_OK;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int new_store(mem *m, const char *path, sweep_store **out, result_fault *fault)
{
    sweep_store *s = *out = mem_try(m, sizeof *s);
    if (!s) return no_memory(fault);
    *s = (sweep_store){.m = m, .fd = -1};
    arena_init(&s->a, m);
    if (!path) return RESULT_OK;
    size_t n = strlen(path) + 1;
    s->path = mem_try(m, n);
    if (!s->path) return no_memory(fault);
    memcpy(s->path, path, n);
    return RESULT_OK;
}

void sweep_store_close(sweep_store *s, bool remove)
{
    if (!s) return;
    if (s->fd >= 0 && remove) unlink(s->path);
    if (s->fd >= 0) close(s->fd);
    if (s->path) mem_free(s->m, s->path, strlen(s->path) + 1);
    mem_free(s->m, s->block, s->cap);
    mem_free(s->m, s->chunk, s->chunk_bytes);
    arena_done(&s->a);
    mem_free(s->m, s, sizeof *s);
}

static int go_on(sweep_store *s, const sweep_heading *h, bool resume, uint64_t *done,
                 result_fault *fault)
{
    int there = read_heading(s, fault);
    if (there < 0) return there;
    if (there) {
        int rc = scan_chunks(s, done, fault);
        if (rc) return rc;
    }
    if (!there || !*done) { // nothing was computed
        s->heading = *h;
        s->width = h->n_parameters + h->n_values;
        if (ftruncate(s->fd, 0)) return cannot(s, "written", fault);
        return write_heading(s, h, fault);
    }
    if (!resume)
        return result_fail(fault, RESULT_E_OPEN, CODE,
                           "'%s' holds %llu runs of a sweep that was interrupted: --resume goes on "
                           "with it; remove it to begin anew",
                           s->path, (unsigned long long)*done);
    if (strcmp(s->heading.identity, h->identity) || s->heading.first != h->first ||
        s->heading.last != h->last)
        return result_fail(
            fault, RESULT_E_OPEN, CODE,
            "'%s' is of another sweep: the model, an option, what is varied or collected "
            "has changed since. Remove it to begin anew",
            s->path);
    return ftruncate(s->fd, s->end) ? cannot(s, "written", fault) : RESULT_OK;
}

int sweep_store_open(mem *m, const char *path, const sweep_heading *h, bool resume,
                     sweep_store **out, uint64_t *done, result_fault *fault)
{
    *done = 0;
    int rc = new_store(m, path, out, fault);
    sweep_store *s = *out;
    if (!rc && !path) {
        s->heading = *h;
        s->width = h->n_parameters + h->n_values;
        return RESULT_OK;
    }
    if (!rc) {
        s->writes = true;
        s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (s->fd < 0)
            rc = result_fail(fault, RESULT_E_OPEN, CODE, "'%s' cannot be written: %s", path,
                             strerror(errno));
        else if (flock(s->fd, LOCK_EX | LOCK_NB))
            rc = result_fail(fault, RESULT_E_OPEN, CODE,
                             "'%s' is in use by another sweep that writes there", path);
        else rc = go_on(s, h, resume, done, fault);
    }
    if (!rc) return rc;
    sweep_store_close(s, false);
    *out = NULL;
    return rc;
}

int sweep_store_read(mem *m, const char *path, sweep_store **out, const sweep_heading **h,
                     uint64_t *done, result_fault *fault)
{
    *done = 0;
    int rc = new_store(m, path, out, fault);
    sweep_store *s = *out;
    if (!rc) {
        s->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (s->fd < 0)
            rc = result_fail(fault, RESULT_E_OPEN, CODE, "'%s' cannot be read: %s", path,
                             strerror(errno));
        else rc = read_heading(s, fault);
        if (rc == 0) rc = not_a_journal(s, fault);
        if (rc == 1) rc = scan_chunks(s, done, fault);
    }
    if (rc) {
        sweep_store_close(s, false);
        *out = NULL;
        return rc;
    }
    *h = &s->heading;
    return RESULT_OK;
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* A chunk as rows; pointers into it. */
static int show_chunk(sweep_store *s, char *chunk, int (*see)(void *user, const sweep_rows *rows),
                      void *user, result_fault *fault)
{
    chunk_head h;
    memcpy(&h, chunk, sizeof h);
    const char **reasons = mem_try(s->m, h.n * sizeof *reasons);
    int *status = mem_try(s->m, h.n * sizeof *status);
    int rc = RESULT_OK;
    if (!reasons || !status) rc = no_memory(fault);
    double *values = (double *)(void *)(chunk + sizeof h);
    const char *p = chunk + sizeof h + h.n * (size_t)s->width * sizeof(double);
    const char *words = p + padded(h.n * sizeof(int32_t)), *end = words + h.reasons;
    for (uint64_t i = 0; i < h.n && !rc; i++) {
        int32_t x;
        memcpy(&x, p + i * sizeof x, sizeof x);
        status[i] = x;
        const char *zero = memchr(words, 0, (size_t)(end - words));
        reasons[i] = zero ? words : "";
        if (zero) words = zero + 1;
    }
    if (!rc) rc = see(user, &(sweep_rows){h.first, (int)h.n, s->width, values, status, reasons});
    mem_free(s->m, reasons, h.n * sizeof *reasons);
    mem_free(s->m, status, h.n * sizeof *status);
    return rc;
}

int sweep_store_each(sweep_store *s, int (*see)(void *user, const sweep_rows *rows), void *user,
                     result_fault *fault)
{
    uint64_t next = s->heading.first;
    int rc = RESULT_OK;
    for (off_t at = s->begin; s->fd >= 0 && at < s->end && !rc;) {
        long long n = read_chunk(s, at, next, fault);
        if (n < 0) return (int)n;
        if (!n)
            return result_fail(fault, RESULT_E_FORMAT, CODE, "'%s' has changed meanwhile", s->path);
        chunk_head h;
        memcpy(&h, s->chunk, sizeof h);
        rc = show_chunk(s, s->chunk, see, user, fault);
        next += h.n;
        at += n;
    }
    for (size_t at = 0; s->fd < 0 && at < s->used && !rc;) {
        chunk_head h;
        memcpy(&h, s->block + at, sizeof h);
        rc = show_chunk(s, s->block + at, see, user, fault);
        at += chunk_size(&h, s->width);
    }
    return rc;
}
