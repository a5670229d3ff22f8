/* What a process may still do after --sandbox: tried, one by one, in a process of its own.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // syscall
#include "cmocka_all.h"

#include "sandbox.h"
#include "vincolo.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char inside[] = "/tmp/sandbox-in-XXXXXX", outside[] = "/tmp/sandbox-out-XXXXXX";

static const char *in(const char *folder, const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool makes(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static bool reads(const char *path)
{
    int fd = open(path, O_RDONLY);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* ---- what is tried: true if it could be done ------------------------------------------------- */

static bool write_output(void)
{
    char other[200];
    snprintf(other, sizeof other, "%s", in(inside, ".out.csv.1.tmp"));
    return makes(other) && rename(other, in(inside, "out.csv")) == 0;
}
static bool write_outside(void)
{
    return makes(in(outside, "new.csv"));
}
static bool overwrite_outside(void)
{
    int fd = open(in(outside, "old.csv"), O_WRONLY | O_TRUNC);
    return fd >= 0 || truncate(in(outside, "old.csv"), 0) == 0;
}
static bool remove_outside(void)
{
    return unlink(in(outside, "old.csv")) == 0;
}
static bool chmod_outside(void)
{
    return chmod(in(outside, "old.csv"), 0777) == 0;
}
static bool link_outside(void)
{
    char there[200];
    snprintf(there, sizeof there, "%s", in(outside, "old.csv"));
    return link(there, in(inside, "link.csv")) == 0 || symlink(there, in(inside, "link.csv")) == 0;
}
static bool read_outside(void)
{
    return reads(in(outside, "old.csv"));
}
static bool read_inside(void)
{
    return reads(in(inside, "model.mo"));
}
static bool read_libraries(void)
{
    return reads("/etc/passwd") && reads("/dev/null"); // what everybody may read of the system
}
static bool use_network(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ||
           socket(AF_INET6, SOCK_DGRAM, 0) >= 0;
}
static bool run_a_program(void)
{
    char *argv[] = {"true", NULL};
    execv("/bin/true", argv); // its status is 0: it would pass for success
    return false;
}
static bool make_a_process(void)
{
    pid_t child = fork();
    if (child == 0) _exit(0);
    return child > 0;
}
static bool signal_the_parent(void)
{
    return kill(getppid(), 0) == 0;
}
static bool write_code(void)
{
    void *p =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) return true;
    p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED || mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}
static bool make_code(void) // written first, executable afterwards
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED && mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0;
}

static const struct {
    const char *name;
    bool (*can)(void);
    bool expected;
} attempts[] = {
    {"write the output", write_output, true},
    {"read beside the model", read_inside, true},
    {"read what libraries need", read_libraries, true},
    {"make machine code", make_code, true},
    {"write elsewhere", write_outside, false},
    {"overwrite elsewhere", overwrite_outside, false},
    {"remove elsewhere", remove_outside, false},
    {"change permissions", chmod_outside, false},
    {"link", link_outside, false},
    {"read elsewhere", read_outside, false},
    {"use the network", use_network, false},
    {"run a program", run_a_program, false},
    {"make a process", make_a_process, false},
    {"signal another process", signal_the_parent, false},
    {"write into code", write_code, false},
};

enum { COULD = 0, COULD_NOT = 1, NO_SANDBOX = 77 };

static int try_it(bool (*can)(void), bool confined)
{
    pid_t child = fork();
    if (child == 0) {
        char out[200];
        snprintf(out, sizeof out, "%s", in(inside, "out.csv"));
        sandbox s = {.reads = {inside}, .n_reads = 1, .writes = {out}, .n_writes = 1};
        if (confined && sandbox_enter(&s)) _exit(NO_SANDBOX);
        _exit(can() ? COULD : COULD_NOT);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void each_attempt(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        int code = try_it(attempts[i].can, true);
        if (code == NO_SANDBOX) skip(); // this system has none, and says so
        if (code != (attempts[i].expected ? COULD : COULD_NOT))
            fail_msg("%s: %d", attempts[i].name, code);
    }
}

/* The attempts are real ones: without the sandbox they succeed. */
static void without_it(void **state)
{
    (void)state;
    static bool (*const harmless[])(void) = {write_output,   write_outside, read_outside,
                                             make_a_process, run_a_program, signal_the_parent};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        assert_int_equal(try_it(harmless[i], false), COULD);
}

/* Machine code of a model is there, and no page of the process is writable and executable. */
static void no_page_is_both(void **state)
{
    (void)state;
    static const char words[] =
        "model D Real x(start = 1, fixed = true); equation der(x) = -sin(x); end D;";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    assert_int_equal(vinc_model_load_text(ctx, "d.mo", words, strlen(words), NULL, &model),
                     VINC_OK);
    assert_int_equal(vinc_sim_new(model, NULL, &sim), VINC_OK);
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    FILE *f = fopen("/proc/self/maps", "r");
    char line[500];
    while (f && fgets(line, sizeof line, f)) {
        char may[8] = "";
        if (sscanf(line, "%*s %7s", may) == 1 && may[1] == 'w' && may[2] == 'x')
            fail_msg("%s", line);
    }
    if (f) fclose(f);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

int main(void)
{
    if (!mkdtemp(inside) || !mkdtemp(outside) || !makes(in(inside, "model.mo")) ||
        !makes(in(outside, "old.csv")))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_it), cmocka_unit_test(each_attempt),
                                       cmocka_unit_test(no_page_is_both)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char clean[200];
    snprintf(clean, sizeof clean, "rm -rf '%s' '%s'", inside, outside);
    return system(clean) || failed;
}
