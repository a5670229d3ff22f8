/* SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// strerror follows the locale and is not safe with threads.
static const char *file_reason(int error)
{
    switch (error) {
    case ENOENT: return "there is no such file or directory";
    case EACCES:
    case EPERM: return "permission denied";
    case ENOTDIR: return "part of the path is not a directory";
    case ELOOP: return "symbolic links go in a circle";
    case ENAMETOOLONG: return "the path is too long";
    case EMFILE:
    case ENFILE: return "too many files are open";
    default: return "the system reports a read error";
    }
}

file_kind file_kind_of(const char *path, file_id *id)
{
    struct stat s;
    if (stat(path, &s) != 0) return FILE_NONE;
    if (id) *id = (file_id){(uint64_t)s.st_dev, (uint64_t)s.st_ino};
    return S_ISREG(s.st_mode) ? FILE_TEXT : S_ISDIR(s.st_mode) ? FILE_DIR : FILE_OTHER;
}

char *file_read(arena *a, const char *path, size_t limit, size_t *n, const char **why)
{
    struct stat s;
    *why = NULL;
    if (stat(path, &s) != 0) *why = file_reason(errno);
    else if (S_ISDIR(s.st_mode)) *why = "it is a directory";
    else if (!S_ISREG(s.st_mode)) *why = "it is not a regular file";
    else if ((uint64_t)s.st_size > limit) *why = "it is too large";
    if (*why) return NULL;
    size_t size = (size_t)s.st_size;
    char *text = arena_alloc(a, size + 1);
    FILE *f = fopen(path, "rb");
    if (!f) {
        *why = file_reason(errno);
        return NULL;
    }
    *n = fread(text, 1, size, f);
    if (*n < size && ferror(f)) *why = file_reason(errno);
    fclose(f);
    text[*n] = 0;
    return *why ? NULL : text;
}

static int by_bytes(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

// Once to measure (block == NULL), once to fill; what appears in between is left out.
static bool file_walk(const char *path, char *block, size_t room, int *n, size_t *bytes)
{
    DIR *d = opendir(path);
    if (!d) return false;
    *n = 0;
    *bytes = 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t len = strlen(e->d_name) + 1;
        if (e->d_name[0] == '.' || (block && *bytes + len > room)) continue;
        if (block) memcpy(block + *bytes, e->d_name, len);
        *bytes += len;
        ++*n;
    }
    closedir(d);
    return true;
}

bool file_list(arena *a, const char *path, file_names *names, const char **why)
{
    int n = 0;
    size_t bytes = 0;
    *names = (file_names){0};
    bool ok = file_walk(path, NULL, 0, &n, &bytes);
    if (!ok) *why = file_reason(errno);
    if (!ok || n == 0) return ok;
    char *block = arena_alloc(a, bytes);
    ok = file_walk(path, block, bytes, &n, &bytes);
    if (!ok) *why = file_reason(errno);
    names->at = arena_array(a, char *, n);
    for (size_t at = 0; ok && names->n < n; at += strlen(block + at) + 1)
        names->at[names->n++] = block + at;
    qsort(names->at, (size_t)names->n, sizeof *names->at, by_bytes);
    return ok;
}

/* ---- paths ----------------------------------------------------------------------------------- */

const char *file_join(arena *a, const char *dir, const char *name)
{
    size_t n = strlen(dir), m = strlen(name);
    while (n > 1 && dir[n - 1] == '/') n--;
    char *path = arena_alloc(a, n + m + 2);
    memcpy(path, dir, n);
    if (n && path[n - 1] != '/') path[n++] = '/';
    memcpy(path + n, name, m);
    return path;
}

// Where the last component begins and ends.
static void last_component(const char *path, size_t *begin, size_t *end)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    *end = n;
    while (n > 0 && path[n - 1] != '/') n--;
    *begin = n;
}

const char *file_parent(arena *a, const char *path)
{
    size_t begin, end;
    last_component(path, &begin, &end);
    const char *last = path + begin;
    size_t n = end - begin;
    if (n == 1 && last[0] == '.') return begin ? file_join(a, path, "..") : "..";
    if (n == 0 || (n == 2 && last[0] == '.' && last[1] == '.')) return file_join(a, path, "..");
    if (begin == 0) return ".";
    while (begin > 1 && path[begin - 1] == '/') begin--;
    return arena_strndup(a, path, begin);
}

const char *file_base(arena *a, const char *path)
{
    size_t begin, end;
    last_component(path, &begin, &end);
    return arena_strndup(a, path + begin, end - begin);
}
