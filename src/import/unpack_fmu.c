/* The files of an FMU in a folder of its own: the library for this machine, and its resources.
 *
 * Whoever removes the folder is a process that waits on a pipe: its other end is closed by us when the
 * run is over, or by the system when we are no more.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // pipe2
#include "import/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the folder ------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
    (void)st, (void)kind, (void)walk;
    return remove(path) && errno != ENOENT;
}

static void keep_and_remove(const char *folder, int end)
{
    enum { DESCRIPTORS = 1024 };
    char word;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_IGN);
    setpgid(0, 0);
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (fd != end) close(fd);
    while (read(end, &word, 1) < 0 && errno == EINTR) continue;
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    _exit(0);
}

/* A folder that is gone when the leash is. */
static bool make_folder(const char *where, char folder[SEAT_PATH], pid_t *keeper, int *leash)
{
    int ends[2];
    snprintf(folder, SEAT_PATH, "%.1100s/vincolo-fmu-XXXXXX", where);
    if (!mkdtemp(folder)) return folder[0] = 0, false;
    if (pipe2(ends, O_CLOEXEC)) return rmdir(folder), folder[0] = 0, false;
    *keeper = fork();
    if (*keeper == 0) {
        close(ends[1]);
        keep_and_remove(folder, ends[0]);
    }
    close(ends[0]);
    *leash = ends[1];
    if (*keeper > 0) return true;
    rmdir(folder);
    return folder[0] = 0, false;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool make_parents(char *path, size_t from)
{
    for (char *p = path + from; (p = strchr(p, '/')) != NULL; p++) {
        *p = 0;
        bool made = !mkdir(path, 0700) || errno == EEXIST;
        *p = '/';
        if (!made) return false;
    }
    return true;
}

static bool write_file(const char *path, const char *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0700);
    if (fd < 0) return false;
    bool fine = true;
    for (size_t done = 0; fine && done < n;) {
        ssize_t k = write(fd, bytes + done, n - done);
        fine = k > 0 || (k < 0 && errno == EINTR);
        if (k > 0) done += (size_t)k;
    }
    return close(fd) == 0 && fine;
}

static int unpack_entry(import_file *x, const fmi_entry *e, const char *folder)
{
    char path[SEAT_PATH + 300];
    char *bytes;
    result_fault fault = {0};
    int n = snprintf(path, sizeof path, "%s/%s", folder, e->name);
    if (n < 0 || (size_t)n >= sizeof path) {
        diag_error(x->diags, "F103", (span){0}, "the name '%.200s' in the archive is too long",
                   e->name);
        return VINC_E_MODEL;
    }
    bool made = make_parents(path, strlen(folder) + 1);
    if (made && e->is_folder) return VINC_OK;
    if (made) {
        int rc = fmi_archive_read(&x->f.archive, e, x->unpacker, x->m, &bytes, &fault);
        if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
        if (rc) {
            diag_error(x->diags, fault.code, (span){0}, "%s: %s", x->path, fault.text);
            return VINC_E_MODEL;
        }
        made = write_file(path, bytes, e->size);
        mem_free(x->m, bytes, e->size + 1);
    }
    if (made) return VINC_OK;
    diag_error(x->diags, "F182", (span){0}, "'%.300s' cannot be unpacked: %s", path,
               strerror(errno));
    return VINC_E_OPTION;
}

/* ---- the library ----------------------------------------------------------------------------- */

/* Folders of libraries for this machine, by version; those of others are named in the message. */
static const char *platform_folder(int fmi)
{
    static const struct {
        const char *machine, *folder[2];
    } known[] = {{"x86_64", {"linux64", "x86_64-linux"}},
                 {"aarch64", {"aarch64-linux", "aarch64-linux"}},
                 {"i686", {"linux32", "x86-linux"}}};
    struct utsname u;
    if (uname(&u)) return "unknown";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(u.machine, known[i].machine)) return known[i].folder[fmi - 2];
    return "unknown";
}

static void say_platforms(const import_file *x, const char *library)
{
    static const char folder[] = "binaries/";
    char list[400] = "";
    const fmi_archive *z = &x->f.archive;
    for (int i = 0; i < z->n_entries; i++) {
        const char *rest = z->entries[i].name + sizeof folder - 1;
        size_t n = strlen(list), k;
        if (strncmp(z->entries[i].name, folder, sizeof folder - 1) || !strchr(rest, '/')) continue;
        k = strcspn(rest, "/");
        if (n >= k && !strncmp(list + n - k, rest, k)) continue;
        if (n + k + 3 < sizeof list)
            snprintf(list + n, sizeof list - n, "%s%.*s", n ? ", " : "", (int)k, rest);
    }
    diag_error(x->diags, "F181", (span){0},
               "%s has no library for this machine: '%s' is not in the archive%s%s%s", x->path,
               library,
               list[0] ? "; it has libraries for "
                       : "; it has none, perhaps sources that are to be compiled",
               list, "");
}

/* file:///... with what is not plain written as %20. */
static const char *file_uri(arena *a, const char *path)
{
    char *out = arena_alloc(a, 3 * strlen(path) + 8), *p = out;
    p += sprintf(p, "file://");
    for (; *path; path++) {
        bool plain = strchr("/-._~", *path) || (*path >= '0' && *path <= '9') ||
                     ((*path | 32) >= 'a' && (*path | 32) <= 'z');
        p += sprintf(p, plain ? "%c" : "%%%02X", (unsigned char)*path);
    }
    return out;
}

int import_unpack(import_file *x, import_plan *plan, const char *where, char folder[SEAT_PATH],
                  pid_t *keeper, int *leash)
{
    char name[500], prefix[200], path[SEAT_PATH + 600];
    const fmi_archive *z = &x->f.archive;
    snprintf(prefix, sizeof prefix, "binaries/%s/", platform_folder(x->f.d.fmi));
    snprintf(name, sizeof name, "%s%.200s.so", prefix,
             plan->kind->identifier ? plan->kind->identifier : "");
    if (!fmi_archive_find(z, name)) return say_platforms(x, name), VINC_E_MODEL;
    if (!make_folder(where, folder, keeper, leash)) {
        diag_error(x->diags, "F182", (span){0},
                   "no folder can be made in '%.300s' for the files of the FMU: %s", where,
                   strerror(errno));
        return VINC_E_OPTION;
    }
    for (int i = 0; i < z->n_entries; i++) {
        const fmi_entry *e = &z->entries[i];
        if (strncmp(e->name, prefix, strlen(prefix)) && strncmp(e->name, "resources/", 10))
            continue;
        int rc = unpack_entry(x, e, folder);
        if (rc) return rc;
    }
    snprintf(path, sizeof path, "%s/resources", folder);
    (void)mkdir(path, 0700); // there may be one already
    if (x->f.d.fmi == 3) strcat(path, "/");
    plan->resources =
        x->f.d.fmi == 2 ? file_uri(&x->a, path) : arena_strndup(&x->a, path, strlen(path));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    plan->library = arena_strndup(&x->a, path, strlen(path));
    return VINC_OK;
}
