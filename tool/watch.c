/* vincolo watch COMMAND ...: run a command again whenever a file that it reads has changed.
 *
 * Each run is a process of its own, so that whatever becomes of it the next one begins afresh. A change
 * while it runs ends it. Files are looked at a few times a second: their times and sizes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t watch_over;

static void end_watch(int number)
{
    (void)number;
    watch_over = 1;
}

/* ---- what is looked at ----------------------------------------------------------------------- */

typedef struct sight {
    uint64_t sum; // of all files: names, times and sizes
    int files;
} sight;

static void sight_add(sight *s, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) s->sum = (s->sum ^ p[i]) * 0x100000001b3u; // Fowler, Noll, Vo
}

static void sight_file(sight *s, const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISDIR(st.st_mode)) return;
    s->files++;
    sight_add(s, path, strlen(path));
    sight_add(s, &st.st_mtim, sizeof st.st_mtim);
    sight_add(s, &st.st_size, sizeof st.st_size);
    sight_add(s, &st.st_ino, sizeof st.st_ino);
}

enum { SIGHT_DEPTH = 12 };

/* All .mo files of a folder and those below it. */
static void sight_folder(sight *s, const char *path, int depth)
{
    DIR *d = depth < SIGHT_DEPTH ? opendir(path) : NULL;
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char name[4096];
        if (e->d_name[0] == '.') continue;
        struct stat st;
        int n = snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (n < 0 || (size_t)n >= sizeof name || lstat(name, &st)) continue;
        if (S_ISDIR(st.st_mode)) sight_folder(s, name, depth + 1);
        else if (tool_ends_in(name, ".mo")) sight_file(s, name);
    }
    if (d) closedir(d);
}

/* A file; of a model that lies in a package, all of that. */
static void sight_word(sight *s, const char *word)
{
    struct stat st;
    char folder[4096], package[4200];
    if (!word || stat(word, &st)) return;
    if (S_ISDIR(st.st_mode)) {
        sight_folder(s, word, 0);
        return;
    }
    sight_file(s, word);
    const char *slash = strrchr(word, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - word) : 1, slash ? word : ".");
    snprintf(package, sizeof package, "%s/package.mo", folder);
    if (tool_ends_in(word, ".mo") && !stat(package, &st)) sight_folder(s, folder, 0);
}

static sight sight_of(const options *o)
{
    sight s = {.sum = 0xcbf29ce484222325u};
    for (int i = 1; i < o->n_words; i++) sight_word(&s, o->words[i]);
    for (int i = 0; i < o->n_paths; i++) sight_word(&s, o->paths[i]);
    for (int i = 0; i < o->n_varied; i++) sight_word(&s, o->varied[i]);
    const char *files[] = {o->input, o->params, o->times, o->from, o->method, o->norm};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) sight_word(&s, files[i]);
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

static void watch_wait(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
}

static pid_t watch_run(int argc, char **argv)
{
    fflush(stdout);
    pid_t child = fork();
    if (child) return child;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    int status = tool_run(argc, argv);
    fflush(stdout);
    _exit(status);
}

/* Until it has ended, a file has changed, or the watch is over. */
static void watch_child(pid_t child, const options *o, const sight *before)
{
    int status;
    while (!waitpid(child, &status, WNOHANG)) {
        watch_wait();
        if (!watch_over && sight_of(o).sum == before->sum) continue;
        kill(child, SIGINT); // it keeps what it has
        waitpid(child, &status, 0);
        return;
    }
}

static int watch_line(int argc, char **argv)
{
    if (argc < 3) {
        tool_error("vincolo watch needs a command: vincolo watch run model.mo --plot figure.svg\n");
        return EXIT_USAGE;
    }
    char **copy = malloc((size_t)argc * sizeof *copy); // reading options cuts words in two
    options o;
    bool ok = copy != NULL;
    for (int i = 1; i < argc && ok; i++) ok = (copy[i] = strdup(argv[i])) != NULL;
    if (ok) ok = options_read(argc - 1, copy + 1, NULL, &o);
    sight now = ok ? sight_of(&o) : (sight){0};
    if (ok && !now.files) {
        tool_error("vincolo watch: the command names no file that is there\n");
        ok = false;
    }
    struct sigaction end = {.sa_handler = end_watch};
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    while (ok && !watch_over) {
        pid_t child = watch_run(argc - 1, argv + 1);
        if (child < 0) break;
        watch_child(child, &o, &now);
        tool_error("vincolo watch: %d file%s; Ctrl-C ends it\n", now.files,
                   now.files == 1 ? "" : "s");
        sight next = sight_of(&o);
        while (!watch_over && next.sum == now.sum) watch_wait(), next = sight_of(&o);
        watch_wait(); // who writes a file writes it in several parts
        now = sight_of(&o);
    }
    for (int i = 1; i < argc && copy; i++) free(copy[i]);
    free(copy);
    return ok ? EXIT_DONE : EXIT_USAGE;
}

static int watch_nothing(const options *o)
{
    (void)o;
    return watch_line(0, NULL);
}

const command command_watch = {
    .name = "watch",
    .arguments = "COMMAND ...",
    .summary = "run a command again whenever a file that it reads has changed",
    .options = "",
    .run = watch_nothing,
    .line = watch_line,
};
