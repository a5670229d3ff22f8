/* SPDX-License-Identifier: BSD-3-Clause */
#include "result/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 64 << 10,
    TEMPORARY_NAMES_MOST = 100 // temporary names of earlier, killed processes to step over
};

int result_fail(result_fault *fault, int status, const char *code, const char *format, ...)
{
    if (!fault) return status;
    snprintf(fault->code, sizeof fault->code, "%s", code);
    va_list args;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return status;
}

typedef struct words {
    char text[120];
} words;

static words error_words(int error)
{
    words w;
    if (strerror_r(error, w.text, sizeof w.text) != 0)
        snprintf(w.text, sizeof w.text, "error %d", error);
    return w;
}

static int file_no_memory(result_fault *fault)
{
    return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The descriptor a path like /dev/stdout or /dev/fd/3 stands for, or -1. Opening such a path anew
 * would start at the beginning of a redirected file. */
static int stream_of(const char *path)
{
    if (strcmp(path, "/dev/stdout") == 0) return 1;
    if (strcmp(path, "/dev/stderr") == 0) return 2;
    if (strncmp(path, "/dev/fd/", 8) == 0 && path[8] >= '0' && path[8] <= '9') {
        char *end;
        long fd = strtol(path + 8, &end, 10);
        if (*end == 0 && fd <= INT_MAX) return (int)fd;
    }
    return -1;
}

static char *file_copy_path(mem *m, const char *s)
{
    char *t = mem_try(m, strlen(s) + 1);
    return t ? strcpy(t, s) : NULL;
}

/* A new file beside the target, which keeps the permissions of the one it replaces. */
static int file_create_temporary(result_file *f, const struct stat *old)
{
    const char *slash = strrchr(f->target, '/');
    int directory = slash ? (int)(slash - f->target) + 1 : 0;
    size_t room = strlen(f->target) + 40;
    f->temporary = mem_try(f->m, room);
    if (!f->temporary) return ENOMEM;
    for (int k = 0; k < TEMPORARY_NAMES_MOST; k++) {
        snprintf(f->temporary, room, "%.*s.%.200s.%ld-%d.tmp", directory, f->target,
                 f->target + directory, (long)getpid(), k);
        f->fd = open(f->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->fd >= 0 || errno != EEXIST) break;
    }
    if (f->fd < 0) return errno;
    if (old) (void)fchmod(f->fd, old->st_mode & 0777);
    return 0;
}

static int file_open_path(result_file *f)
{
    int stream = stream_of(f->path);
    if (stream >= 0) {
        f->direct = true;
        f->fd = fcntl(stream, F_DUPFD_CLOEXEC, 3);
        return f->fd < 0 ? errno : 0;
    }
    size_t n = strlen(f->path);
    if (n == 0) return ENOENT;
    if (f->path[n - 1] == '/') return EISDIR;
    char real[PATH_MAX];
    struct stat st;
    bool exists = stat(f->path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return EISDIR;
    if (exists && !S_ISREG(st.st_mode)) {
        f->direct = true;
        f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return f->fd < 0 ? errno : 0;
    }
    if (exists && access(f->path, W_OK) != 0) return errno;
    f->target = file_copy_path(f->m, exists && realpath(f->path, real) ? real : f->path);
    if (!f->target) return ENOMEM;
    return file_create_temporary(f, exists ? &st : NULL);
}

static void file_done(result_file *f)
{
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
    if (f->path) mem_free(f->m, f->path, strlen(f->path) + 1);
    if (f->temporary) mem_free(f->m, f->temporary, strlen(f->target) + 40);
    if (f->target) mem_free(f->m, f->target, strlen(f->target) + 1);
    if (f->buffer) mem_free(f->m, f->buffer, BUFFER_BYTES);
    *f = (result_file){.fd = -1};
}

int result_file_open(result_file *f, mem *m, const char *path, result_fault *fault)
{
    *f = (result_file){.m = m, .fd = -1};
    f->path = file_copy_path(m, path);
    f->buffer = mem_try(m, BUFFER_BYTES);
    int error = f->path && f->buffer ? file_open_path(f) : ENOMEM;
    if (error == 0) return RESULT_OK;
    file_done(f);
    if (error == ENOMEM) return file_no_memory(fault);
    return result_fail(fault, RESULT_E_OPEN, "C601", "cannot create '%.300s': %s", path,
                       error_words(error).text);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void file_send(result_file *f, const char *bytes, size_t n)
{
    while (n > 0 && f->error == 0) {
        ssize_t done = write(f->fd, bytes, n < SSIZE_MAX ? n : SSIZE_MAX);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            f->error = done < 0 ? errno : EIO;
            return;
        }
        bytes += done;
        n -= (size_t)done;
    }
}

static void file_flush(result_file *f)
{
    file_send(f, f->buffer, f->used);
    f->used = 0;
}

void result_file_write(result_file *f, const void *bytes, size_t n)
{
    if (f->holding && n) {
        f->first_at = result_file_place(f);
        f->first = *(const char *)bytes;
        f->holding = false;
        f->held = true;
        f->buffer[f->used++] = 0; // the place has emptied the buffer
        bytes = (const char *)bytes + 1;
        n--;
    }
    if (n > BUFFER_BYTES - f->used) {
        file_flush(f);
        if (n > BUFFER_BYTES) {
            file_send(f, bytes, n);
            return;
        }
    }
    memcpy(f->buffer + f->used, bytes, n);
    f->used += n;
}

/* ---- files that grow ------------------------------------------------------------------------- */

bool result_file_can_grow(const char *path)
{
    struct stat st;
    return stream_of(path) < 0 && (stat(path, &st) || S_ISREG(st.st_mode));
}

void result_file_name(result_file *f)
{
    file_flush(f);
    if (f->error || f->named) return;
    if (rename(f->temporary, f->target) != 0) f->error = errno;
    else f->named = true;
}

off_t result_file_place(result_file *f)
{
    file_flush(f);
    return lseek(f->fd, 0, SEEK_CUR);
}

void result_file_seek(result_file *f, off_t at)
{
    file_flush(f);
    if (!f->error && lseek(f->fd, at, SEEK_SET) < 0) f->error = errno;
}

void result_file_cut(result_file *f, off_t at)
{
    file_flush(f);
    if (ftruncate(f->fd, at) || lseek(f->fd, at, SEEK_SET) < 0) f->error = errno;
}

void result_file_hold(result_file *f)
{
    f->holding = true;
}

void result_file_release(result_file *f)
{
    file_flush(f);
    f->holding = false;
    if (f->held && !f->error && pwrite(f->fd, &f->first, 1, f->first_at) != 1)
        f->error = errno ? errno : EIO;
    f->held = false;
}

int result_file_commit(result_file *f, result_fault *fault)
{
    if (f->fd < 0) return RESULT_E_WRITE;
    file_flush(f);
    if (!f->direct && f->error == 0 && fsync(f->fd) != 0) f->error = errno;
    int closed = close(f->fd);
    f->fd = -1;
    if (closed != 0 && f->error == 0 && errno != EINTR) f->error = errno;
    bool temporary = !f->direct && !f->named;
    if (temporary && f->error == 0 && rename(f->temporary, f->target) != 0) f->error = errno;
    int rc = RESULT_OK;
    if (f->error) {
        if (temporary) unlink(f->temporary);
        rc = result_fail(fault, RESULT_E_WRITE, "C602", "cannot write '%.300s': %s%s", f->path,
                         error_words(f->error).text, temporary ? "; no file was left behind" : "");
    }
    file_done(f);
    return rc;
}

void result_file_abandon(result_file *f)
{
    if (f->fd >= 0 && !f->direct && !f->named) unlink(f->temporary);
    if (f->m) file_done(f);
}

/* ---- reading --------------------------------------------------------------------------------- */

int result_file_read(mem *m, const char *path, char **bytes, size_t *n, result_fault *fault)
{
    *bytes = NULL;
    *n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error = 0;
    if (fd < 0)
        return result_fail(fault, RESULT_E_OPEN, "C603", "cannot open '%.300s': %s", path,
                           error_words(errno).text);
    struct stat st;
    size_t cap = 1 << 16, used = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) cap = (size_t)st.st_size + 2;
    char *p = mem_try(m, cap);
    while (p) {
        if (used + 1 >= cap) { // a pipe, or a file that grows
            char *q = cap < SIZE_MAX / 2 ? m->resize(m->user, p, cap, cap * 2) : NULL;
            if (!q) {
                mem_free(m, p, cap);
                p = NULL;
                break;
            }
            p = q;
            cap *= 2;
        }
        ssize_t got = read(fd, p + used, cap - used - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) error = errno;
        if (got <= 0) break;
        used += (size_t)got;
    }
    close(fd);
    if (!p) return file_no_memory(fault);
    if (error) {
        mem_free(m, p, cap);
        return result_fail(fault, RESULT_E_OPEN, "C603", "cannot read '%.300s': %s", path,
                           error_words(error).text);
    }
    // the caller frees used + 1 bytes
    char *fitted = used + 1 == cap ? p : m->resize(m->user, p, cap, used + 1);
    if (!fitted) {
        mem_free(m, p, cap);
        return file_no_memory(fault);
    }
    fitted[used] = 0;
    *bytes = fitted;
    *n = used;
    return RESULT_OK;
}
