/* The k-th allocation of the library fails, for every command of the tool and every k: the command
 * ends, gives everything back, and says why, or its output is what it would have been.
 *
 *     memory_every_command [STRIDE]     every k below a hundred, then every STRIDE-th; 1: all
 *
 * Commands run inside this program, their output in files. Memory of LAPACK, SuiteSparse, cairo and
 * stdio does not pass through our allocator.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "every_command.h"
#include "fail_mem.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static fail_mem memory;
static long stride = 11;

/* The linker puts this in the place of vinc_ctx_new where the tool calls it. */
vinc_ctx *__real_vinc_ctx_new(const vinc_ctx_options *given);
vinc_ctx *__wrap_vinc_ctx_new(const vinc_ctx_options *given);
vinc_ctx *__wrap_vinc_ctx_new(const vinc_ctx_options *given)
{
    vinc_ctx_options o = given ? *given : (vinc_ctx_options){0};
    o.resize = memory.m.resize;
    o.user = memory.m.user;
    return __real_vinc_ctx_new(&o);
}

/* ---- running a line -------------------------------------------------------------------------- */

typedef struct said {
    int status;
    char *out, *err, *file; // texts; file: what it wrote, or NULL
} said;

static char *content(const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat s;
    if (!f || fstat(fileno(f), &s)) return f ? fclose(f), NULL : NULL;
    char *words = calloc(1, (size_t)s.st_size + 1);
    size_t n = fread(words, 1, (size_t)s.st_size, f);
    for (size_t i = 0; i < n; i++)
        if (!words[i]) words[i] = ' '; // of .mat
    fclose(f);
    return words;
}

static int redirect(int fd, const char *path)
{
    int old = dup(fd), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(old >= 0 && to >= 0 && dup2(to, fd) >= 0);
    close(to);
    return old;
}

static void give_back(int fd, int old)
{
    dup2(old, fd);
    close(old);
}

static said run_line(const command_line *l, long k)
{
    char *argv[LINE_WORDS + 2], *kept[LINE_WORDS + 2];
    int argc = every_command_words(l, argv);
    memcpy(kept, argv, sizeof kept); // the tool sorts words to the front
    fail_mem_init(&memory, k);
    if (l->writes) unlink(l->writes);
    fflush(stdout);
    fflush(stderr);
    int out = redirect(1, "stdout.txt"), err = redirect(2, "stderr.txt");
    said s = {.status = tool_run(argc, argv)};
    fflush(stdout);
    fflush(stderr);
    give_back(1, out);
    give_back(2, err);
    for (int i = 0; i < argc; i++) free(kept[i]);
    s.out = content("stdout.txt");
    s.err = content("stderr.txt");
    s.file = l->writes ? content(l->writes) : NULL;
    return s;
}

static void forget(said *s)
{
    free(s->out);
    free(s->err);
    free(s->file);
}

/* Times differ from run to run: lines and members that hold one are left out. */
static void drop_times(char *words)
{
    static const char *const marks[] = {" ms",         "\"seconds\"",   " s, ",     "wall",
                                        "\"parse\"",   "\"flatten\"",   "\"init\"", "\"structure\"",
                                        "\"compile\"", "\"integrate\"", "\"total\""};
    if (!words) return;
    char *to = words;
    for (char *line = words; *line;) {
        size_t n = strcspn(line, "\n,"), whole = n + (line[n] != 0);
        char end = line[n];
        line[n] = 0;
        bool timed = false;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            timed |= strstr(line, marks[i]) != NULL;
        line[n] = end;
        if (!timed) memmove(to, line, whole), to += whole;
        line += whole;
    }
    *to = 0;
}

/* The last column of a table is a time. */
static void drop_last_column(char *words)
{
    for (char *line = words; line && *line;) {
        size_t n = strcspn(line, "\n"), end = n;
        while (end && line[end - 1] != ' ') end--;
        memset(line + end, ' ', n - end);
        line += n + (line[n] != 0);
    }
}

static bool same(char *a, char *b)
{
    if (!a || !b) return a == b;
    drop_times(a);
    drop_times(b);
    return !strcmp(a, b);
}

/* ---- the test -------------------------------------------------------------------------------- */

static const char *line_words(const command_line *l)
{
    static char words[400];
    words[0] = 0;
    for (int i = 0; i < LINE_WORDS && l->words[i]; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s ", l->words[i]);
    return words;
}

static void fail_at(const command_line *l, said *whole, long k)
{
    said s = run_line(l, k);
    const char *words = line_words(l);
    if (memory.live) fail_msg("%s, allocation %ld: %ld bytes left behind\n", words, k, memory.live);
    if (s.status && !*s.err)
        fail_msg("%s, allocation %ld: status %d in silence\n", words, k, s.status);
    bool table = !strcmp(l->words[0], "compare");
    bool timed = (l->writes && strstr(l->writes, ".html")) || table;
    if (table) drop_last_column(s.out), drop_last_column(whole->out);
    if (!s.status && !whole->status &&
        (!same(s.out, whole->out) || (!timed && !same(s.file, whole->file))))
        fail_msg("%s, allocation %ld: status 0, but another output: %s\n", words, k, s.out);
    bool rows = !strcmp(l->words[0], "run"); // what a run has so far is written
    if (s.status && !whole->status && s.file && !rows && !timed && !same(s.file, whole->file))
        fail_msg("%s, allocation %ld: it failed and left half a file", words, k);
    forget(&s);
}

static void every_allocation(void **state)
{
    (void)state;
    for (int i = 0; i < EVERY_COMMAND; i++) {
        const command_line *l = &every_command[i];
        said whole = run_line(l, 0);
        long calls = memory.calls;
        bool tour = !strcmp(l->words[0], "tour"); // lines that are tried here anyway; only where
        if (!tour && whole.status != EXIT_DONE && whole.status != EXIT_MODEL) // examples are found
            fail_msg("%s: status %d: %s", line_words(l), whole.status, whole.err);
        assert_int_equal(memory.live, 0);
        for (long k = 1; k <= calls; k += tour                     ? 1 + calls / 5
                                          : k < 100 && stride < 10 ? 1
                                                                   : stride)
            fail_at(l, &whole, k);
        forget(&whole);
        if (l->writes) { // the last try may have left none, and a later line reads it
            said again = run_line(l, 0);
            forget(&again);
        }
    }
}

static void every_command_has_a_line(void **state)
{
    (void)state;
    for (const command *const *c = command_list; *c; c++) {
        bool found = false;
        for (int i = 0; i < EVERY_COMMAND; i++)
            found |= !strcmp(every_command[i].words[0], (*c)->name);
        if (!found) fail_msg("no line tries 'vincolo %s'", (*c)->name);
    }
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/every-command-XXXXXX";
    if (argc > 1) stride = strtol(argv[1], NULL, 10);
    if (stride < 1 || !mkdtemp(folder) || chdir(folder) || !every_command_files(".")) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_command_has_a_line),
                                       cmocka_unit_test(every_allocation)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char clean[100];
    snprintf(clean, sizeof clean, "rm -rf '%s'", folder);
    return system(clean) || failed;
}
