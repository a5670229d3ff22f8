/* Every command of the tool under faults of the world around it.
 *
 *     faults TOOL [RATIO [SEED]]     one in RATIO of all pairs of a line and a fault; 1: all
 *
 * Whatever happens, a command ends soon, by a status of its contract or by the signal that it was
 * sent; where it fails it says something, if there is anywhere to say it; and a file that it writes is
 * there whole, or the old one is, or none. A run that is stopped leaves rows, all of them whole.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "every_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef VINCOLO_SANITIZED
static const bool SANITIZED = true; // its shadow needs more than any limit allows
#else
static const bool SANITIZED = false;
#endif

static const double SECONDS_MOST = 10; // a command that runs longer hangs
static const char *tool;
static int n_runs, n_failed;
static uint64_t random_state;

static uint64_t draw(void) // G. Marsaglia, J. Stat. Softw. 8 (2003) no. 14: xorshift64
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* ---- faults ---------------------------------------------------------------------------------- */

typedef struct fault {
    const char *name;
    void (*prepare)(long value); // in the child, before the tool
    long value;
    int signal;         // sent after a random while; 0: none
    bool mute;          // nothing can be said on standard error
    bool never_whole;   // no file can be written: the line must fail if it writes one
    bool limits_memory; // not under a sanitizer
} fault;

static void close_stream(long fd)
{
    close((int)fd);
}

static void close_both(long unused)
{
    (void)unused;
    close(1);
    close(2);
}

static void full_stream(long fd)
{
    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) dup2(full, (int)fd);
}

static void broken_pipe(long fd)
{
    int ends[2];
    if (pipe(ends)) _exit(99);
    close(ends[0]);
    dup2(ends[1], (int)fd);
}

static void limit(int what, long most)
{
    struct rlimit l = {(rlim_t)most, (rlim_t)most};
    if (setrlimit(what, &l)) _exit(99);
}

static void limit_file(long bytes)
{
    limit(RLIMIT_FSIZE, bytes);
}

static void limit_memory(long megabytes)
{
    limit(RLIMIT_AS, megabytes << 20);
}

static void limit_data(long megabytes)
{
    limit(RLIMIT_DATA, megabytes << 20);
}

static void limit_stack(long kilobytes)
{
    limit(RLIMIT_STACK, kilobytes << 10);
}

static void limit_files(long n)
{
    limit(RLIMIT_NOFILE, n);
}

static const fault faults[] = {
    {.name = "standard output closed", .prepare = close_stream, .value = 1},
    {.name = "standard error closed", .prepare = close_stream, .value = 2, .mute = true},
    {.name = "standard input closed", .prepare = close_stream, .value = 0},
    {.name = "both outputs closed", .prepare = close_both, .mute = true},
    {.name = "standard output full", .prepare = full_stream, .value = 1},
    {.name = "standard error full", .prepare = full_stream, .value = 2, .mute = true},
    {.name = "standard output a broken pipe", .prepare = broken_pipe, .value = 1},
    {.name = "files of 0 bytes",
     .prepare = limit_file,
     .value = 0,
     .mute = true,
     .never_whole = true},
    {.name = "files of 100 bytes", .prepare = limit_file, .value = 100, .mute = true},
    {.name = "eight open files", .prepare = limit_files, .value = 8},
    {.name = "four open files", .prepare = limit_files, .value = 4},
    {.name = "SIGINT", .signal = SIGINT},
    {.name = "SIGINT again", .signal = SIGINT},
    {.name = "SIGTERM", .signal = SIGTERM},
    {.name = "SIGKILL", .signal = SIGKILL, .mute = true},
    {.name = "address space 30 MB", .prepare = limit_memory, .value = 30, .limits_memory = true},
    {.name = "address space 40 MB", .prepare = limit_memory, .value = 40, .limits_memory = true},
    {.name = "address space 50 MB", .prepare = limit_memory, .value = 50, .limits_memory = true},
    {.name = "address space 60 MB", .prepare = limit_memory, .value = 60, .limits_memory = true},
    {.name = "address space 100 MB", .prepare = limit_memory, .value = 100, .limits_memory = true},
    {.name = "address space 180 MB", .prepare = limit_memory, .value = 180, .limits_memory = true},
    {.name = "address space 190 MB", .prepare = limit_memory, .value = 190, .limits_memory = true},
    {.name = "address space 200 MB", .prepare = limit_memory, .value = 200, .limits_memory = true},
    {.name = "data of 2 MB", .prepare = limit_data, .value = 2, .limits_memory = true},
    {.name = "data of 10 MB", .prepare = limit_data, .value = 10, .limits_memory = true},
    {.name = "data of 150 MB", .prepare = limit_data, .value = 150, .limits_memory = true},
    {.name = "a stack of 100 kB", .prepare = limit_stack, .value = 100, .limits_memory = true},
    {.name = "a stack of 500 kB", .prepare = limit_stack, .value = 500, .limits_memory = true},
    {.name = "a stack of 4 MB", .prepare = limit_stack, .value = 4096, .limits_memory = true},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* ---- running --------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static pid_t start(const command_line *l, const fault *f)
{
    pid_t child = fork();
    if (child) return child;
    char *argv[LINE_WORDS + 2];
    every_command_words(l, argv);
    int out = open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int in = open("/dev/null", O_RDONLY);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(99);
    for (int fd = 3; fd < 20; fd++) close(fd);
    if (f && f->prepare) f->prepare(f->value);
    execv(tool, argv);
    _exit(98);
}

/* The status of wait; *seconds how long it took. After SECONDS_MOST it is killed, and -1. */
static int finish(pid_t child, double *seconds)
{
    double begin = now();
    int status;
    for (;;) {
        pid_t done = waitpid(child, &status, WNOHANG);
        *seconds = now() - begin;
        if (done == child) return status;
        if (*seconds > SECONDS_MOST) break;
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

static void complain(const command_line *l, const char *name, const char *what)
{
    fprintf(stderr, "FAILED: vincolo");
    for (int i = 0; i < LINE_WORDS && l->words[i]; i++) fprintf(stderr, " %s", l->words[i]);
    fprintf(stderr, ", %s: %s\n", name, what);
    n_failed++;
}

static long file_size(const char *path)
{
    struct stat s;
    return stat(path, &s) ? -1 : (long)s.st_size;
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *content(const char *path)
{
    long n = file_size(path);
    FILE *f = n < 0 ? NULL : fopen(path, "r");
    char *words = f ? calloc(1, (size_t)n + 1) : NULL;
    if (words && fread(words, 1, (size_t)n, f) != (size_t)n) words[0] = 0;
    if (f) fclose(f);
    return words;
}

static bool ends_so(const char *words, const char *tail)
{
    size_t n = strlen(words), k = strlen(tail);
    return n >= k && !strcmp(words + n - k, tail);
}

/* Every line has as many commas as the first, and the last one has its end. */
static bool whole_rows(const char *words)
{
    int commas = -1, n = 0;
    bool quoted = false;
    for (const char *p = words; *p; p++) {
        if (*p == '"') quoted = !quoted;
        if (*p == ',' && !quoted) n++;
        if (*p != '\n') continue;
        if (commas < 0) commas = n;
        if (n != commas) return false;
        n = 0;
    }
    return ends_so(words, "\n");
}

static bool is_whole(const char *path)
{
    char *words = content(path);
    if (!words) return true; // there is none
    bool whole = ends_so(path, ".csv")    ? whole_rows(words)
                 : ends_so(path, ".svg")  ? ends_so(words, "</svg>\n")
                 : ends_so(path, ".html") ? ends_so(words, "</html>\n")
                 : ends_so(path, ".mo")   ? strstr(words, "end Fresh;") != NULL
                                          : file_size(path) > 0;
    free(words);
    return whole;
}

/* Temporary files; they are removed, so that each line starts without. */
static int n_left_behind(void)
{
    int n = 0;
    DIR *d = opendir(".");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (ends_so(e->d_name, ".tmp")) n += unlink(e->d_name) == 0;
    if (d) closedir(d);
    return n;
}

/* ---- one line under one fault ---------------------------------------------------------------- */

static void try_fault(const command_line *l, const fault *f, double usual)
{
    char what[300];
    double seconds;
    if (l->writes) unlink(l->writes);
    n_runs++;
    pid_t child = start(l, f);
    if (f->signal) {
        double wait = usual * (double)(draw() % 1000) / 1000;
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * wait)}, NULL);
        kill(child, f->signal);
    }
    int status = finish(child, &seconds);
    if (status < 0) return complain(l, f->name, "it does not end");
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    // Of examples the table has the reason of each, in its row; diff says where results differ.
    bool verdict = !strcmp(l->words[0], "examples") || !strcmp(l->words[0], "diff");
    bool tells = verdict && file_size("stdout.txt") > 0;
    bool loader = f->limits_memory && (code == 127 || code == 98); // it was never loaded
    if (WIFSIGNALED(status)) {
        int by = WTERMSIG(status);
        bool stack = f->prepare == limit_stack && f->value < 200; // too small for the loader, too
        if (by != f->signal && !(by == SIGPIPE && f->prepare == broken_pipe) &&
            !(f->limits_memory && by == SIGKILL) && !stack) {
            snprintf(what, sizeof what, "it died by signal %d", by);
            complain(l, f->name, what);
        }
    } else if (code > 3 && code != EXIT_INTERRUPTED && !loader) {
        snprintf(what, sizeof what, "exit status %d", code);
        complain(l, f->name, what);
    } else if (code && !f->mute && file_size("stderr.txt") == 0 && !tells) {
        snprintf(what, sizeof what, "exit status %d in silence", code);
        complain(l, f->name, what);
    }
    if (code == 0 && f->never_whole && l->writes) complain(l, f->name, "status 0, but no file");
    if (code == 0 && l->writes && file_size(l->writes) <= 0)
        complain(l, f->name, "status 0, but there is no file");
    if (l->writes && !is_whole(l->writes)) complain(l, f->name, "half a file");
    if (n_left_behind() && f->signal != SIGKILL && WIFEXITED(status))
        complain(l, f->name, "a temporary file is left");
}

/* ---- two writers, and killed while writing --------------------------------------------------- */

static const command_line long_result = {
    {"run", "bounce.mo", "--stop", "2", "--intervals", "30000", "--out", "long.csv", "--quiet"},
    "long.csv"};
static const command_line other_result = {
    {"run", "bounce.mo", "--stop", "1", "--intervals", "20000", "--out", "long.csv", "--quiet"},
    "long.csv"};

static long rows_of(const char *path)
{
    char *words = content(path);
    long n = 0;
    for (const char *p = words; p && *p; p++) n += *p == '\n';
    free(words);
    return n;
}

static void two_writers(int times)
{
    double seconds;
    finish(start(&long_result, NULL), &seconds);
    long first = rows_of("long.csv");
    finish(start(&other_result, NULL), &seconds);
    long second = rows_of("long.csv");
    for (int i = 0; i < times; i++, n_runs += 2) {
        pid_t a = start(&long_result, NULL), b = start(&other_result, NULL);
        int one = finish(a, &seconds), two = finish(b, &seconds);
        long n = rows_of("long.csv");
        if (one || two) complain(&long_result, "two writers", "one of them failed");
        if (n != first && n != second) complain(&long_result, "two writers", "a mixture");
        if (n_left_behind()) complain(&long_result, "two writers", "a temporary file is left");
    }
}

static void killed_while_writing(int times)
{
    double usual, seconds;
    finish(start(&other_result, NULL), &seconds);
    long old = rows_of("long.csv");
    finish(start(&long_result, NULL), &usual);
    long new = rows_of("long.csv");
    for (int i = 0; i < times; i++, n_runs++) {
        pid_t child = start(&long_result, NULL);
        double wait = usual * (0.2 + 0.8 * (double)(draw() % 1000) / 1000);
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * wait)}, NULL);
        kill(child, SIGKILL);
        finish(child, &seconds);
        long n = rows_of("long.csv");
        if (n != old && n != new) complain(&long_result, "killed while writing", "half a file");
        n_left_behind();
    }
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/faults-XXXXXX", clean[100];
    uint64_t ratio = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    if (argc < 2 || !ratio || !(tool = realpath(argv[1], NULL)) || !mkdtemp(folder) ||
        chdir(folder) || !every_command_files("."))
        return fprintf(stderr, "usage: faults TOOL [RATIO [SEED]]\n"), 2;
    signal(SIGPIPE, SIG_IGN);
    random_state = 88172645463325252u ^ (seed * 0x9e3779b97f4a7c15u);
    for (int i = 0; i < EVERY_COMMAND; i++) {
        const command_line *l = &every_command[i];
        double usual = 0.03;
        bool known = false;
        for (int k = 0; k < FAULTS; k++) {
            if (draw() % ratio || (SANITIZED && faults[k].limits_memory)) continue;
            if (!known) finish(start(l, NULL), &usual), known = true;
            try_fault(l, &faults[k], usual);
        }
    }
    two_writers(ratio > 1 ? 2 : 20);
    killed_while_writing(ratio > 1 ? 3 : 60);
    snprintf(clean, sizeof clean, "cd / && rm -rf '%s'", folder);
    printf("faults: %d runs, %d failed\n", n_runs, n_failed);
    return system(clean) || n_failed;
}
