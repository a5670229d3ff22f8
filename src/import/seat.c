/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "import/seat.h"

#include "base/bump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the box --------------------------------------------------------------------------------- */

static size_t largest_group(const import_plan *p, const box_groups *all)
{
    size_t most = 0;
    for (int t = 0; t < FMI_TYPES; t++) {
        size_t bytes = all->of[t].n_values * import_value_bytes(p->d->fmi, (fmi_type)t);
        if (bytes > most) most = bytes;
    }
    return most;
}

static size_t box_layout(import_box *box, const import_plan *p, void *block)
{
    const box_groups *all[] = {&p->values,          &p->fixed, &p->inputs,
                               &p->discrete_inputs, &p->set,   &p->structural};
    size_t n = (size_t)p->n_states, raw = n * sizeof(double);
    for (int i = 0; i < 6; i++)
        if (largest_group(p, all[i]) > raw) raw = largest_group(p, all[i]);
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *box);
    box->x = bump_double(&b, n);
    box->rates = bump_double(&b, n);
    box->nominal = bump_double(&b, n);
    box->indicators = bump_double(&b, (size_t)p->n_indicators);
    box->inputs = bump_double(&b, (size_t)p->n_inputs);
    box->values = bump_double(&b, (size_t)p->n_values);
    box->fixed = bump_double(&b, (size_t)p->n_fixed);
    box->set = bump_double(&b, (size_t)p->n_set);
    box->slopes = p->derivatives ? bump_double(&b, n * n) : NULL;
    box->raw = bump_bytes(&b, raw + sizeof(double));
    return bump_end(&b);
}

static bool make_box(import_seat *s)
{
    import_box measured;
    s->box_bytes = box_layout(&measured, s->plan, NULL);
    void *block =
        mmap(NULL, s->box_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return false;
    s->box = block; // zeros
    box_layout(s->box, s->plan, block);
    return true;
}

int import_seat_prepare(import_seat *s, import_file *x, import_plan *plan, const char *where)
{
    *s = (import_seat){.plan = plan, .fd = -1, .leash = -1};
    int rc = import_unpack(x, plan, where, s->folder, &s->keeper, &s->leash);
    if (rc) return rc;
    return make_box(s) ? VINC_OK : VINC_E_MEMORY;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* In the child: nothing of the parent but the box, its end of the line, and standard error. */
static void leave_parent(int keep)
{
    enum { DESCRIPTORS = 1024 };
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0) dup2(null, 0);
    dup2(2, 1); // what it prints is no output of ours
    for (int fd = 3; fd < DESCRIPTORS; fd++)
        if (fd != keep) close(fd);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL); // what the parent does with them is not its own
    setpgid(0, 0);          // Ctrl-C is the parent's
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void serve(import_seat *s, int fd)
{
    char word;
    while (read(fd, &word, 1) == 1) {
        import_answer(&s->callee);
        if (s->box->request == BOX_CLOSE || write(fd, &word, 1) != 1) break;
    }
    _exit(0);
}

int import_seat_begin(import_seat *s, bool in_process, watch *w)
{
    int line[2];
    s->watch = w;
    s->callee = (import_callee){.plan = s->plan,
                                .box = s->box,
                                .calls = s->plan->d->fmi == 2 ? &import_fmi2 : &import_fmi3};
    s->is_open = true;
    if (in_process) return VINC_OK;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line)) return VINC_E_MEMORY;
    s->child = fork();
    if (s->child == 0) {
        close(line[0]);
        leave_parent(line[1]);
        serve(s, line[1]);
    }
    close(line[1]);
    s->fd = line[0];
    if (s->child < 0) s->child = 0, s->is_open = false;
    return s->is_open ? VINC_OK : VINC_E_MEMORY;
}

static void end_child(import_seat *s, int *status)
{
    kill(-s->child, SIGKILL);
    kill(s->child, SIGKILL);
    while (waitpid(s->child, status, 0) < 0 && errno == EINTR) continue;
    close(s->fd);
    s->fd = -1;
    s->child = 0;
    s->is_dead = true;
}

/* The line is closed: how did it end? It is given a moment to be dead by itself. */
static void note_death(import_seat *s)
{
    enum { TRIES = 100 };
    int status = 0, ended = 0;
    for (int i = 0; i < TRIES && !ended; i++) {
        ended = waitpid(s->child, &status, WNOHANG) == s->child;
        if (!ended) poll(NULL, 0, 10);
    }
    pid_t child = s->child;
    if (ended) close(s->fd), s->fd = -1, s->child = 0, s->is_dead = true, kill(-child, SIGKILL);
    else end_child(s, &status);
    s->box->status = BOX_DIED;
    if (WIFSIGNALED(status))
        snprintf(s->box->words, BOX_WORDS, "it crashed (signal %d, %s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(s->box->words, BOX_WORDS, "it ended its process with exit status %d",
                 WEXITSTATUS(status));
}

static void wait_for_answer(import_seat *s)
{
    enum { LOOK_EVERY_MS = 20 };
    char word;
    for (;;) {
        struct pollfd p = {s->fd, POLLIN, 0};
        int ready = poll(&p, 1, LOOK_EVERY_MS);
        if (ready > 0) {
            ssize_t n = read(s->fd, &word, 1);
            if (n == 1) return;
            if (n < 0 && errno == EINTR) continue;
            note_death(s);
            return;
        }
        if (watch_look(s->watch)) {
            int status;
            end_child(s, &status);
            s->box->status = BOX_STOPPED;
            return;
        }
    }
}

bool import_ask(import_seat *s, box_request request, unsigned ask)
{
    import_box *b = s->box;
    if (s->is_dead) return false;
    b->request = request;
    b->ask = ask;
    b->call = "";
    b->words[0] = 0;
    if (!s->child) import_answer(&s->callee);
    else if (send(s->fd, "?", 1, MSG_NOSIGNAL) != 1) note_death(s);
    else wait_for_answer(s);
    return b->status <= FMI_WARNING;
}

/* A request in words, by the name of the verb that failed. */
static const char *words_of_call(const char *call)
{
    static const struct {
        const char *call, *words;
    } known[] = {{"get", "values of variables"},
                 {"set", "values that are set"},
                 {"set_texts", "texts that are set"},
                 {"configure", "its configuration mode"},
                 {"enter_initialization", "the beginning of its initialization"},
                 {"exit_initialization", "its initialization"},
                 {"enter_event", "the beginning of an event"},
                 {"update", "an event"},
                 {"leave_event", "the end of an event"},
                 {"set_time", "a time that is set"},
                 {"set_states", "states that are set"},
                 {"states", "its states"},
                 {"nominals", "nominal values of its states"},
                 {"rates", "the derivatives of its states"},
                 {"indicators", "its event indicators"},
                 {"slope", "directional derivatives"},
                 {"accept", "a completed step"},
                 {"step", "a step"},
                 {"terminate", "its end"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(call, known[i].call)) return known[i].words;
    return call;
}

void import_seat_words(const import_seat *s, text *out)
{
    static const char *const statuses[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
    const import_box *b = s->box;
    switch (b->status) {
    case BOX_NO_LIBRARY: text_printf(out, "its library cannot be used: %s", b->words); break;
    case BOX_NO_INSTANCE: text_add(out, "it makes no instance"); break;
    case BOX_ENDLESS: text_add(out, "an event does not settle: it wants ever another pass"); break;
    case BOX_DIED: text_add(out, b->words); break;
    case BOX_STOPPED: text_add(out, "it was stopped"); break;
    case FMI_OK: // later calls succeeded
        text_add(out, "a call before this one failed, and what it was is told by the FMU alone");
        break;
    default:
        text_printf(out, "it refuses %s (status '%s')", words_of_call(b->call),
                    b->status >= 0 && b->status <= FMI_PENDING ? statuses[b->status] : "unknown");
    }
}

static void end_code(import_seat *s)
{
    if (s->is_open && !s->is_dead) {
        if (s->child) {
            int status;
            box_request last = BOX_CLOSE; // no answer: the line is closed
            s->box->request = last;
            if (send(s->fd, "?", 1, MSG_NOSIGNAL) == 1) {
                struct pollfd p = {s->fd, POLLIN, 0};
                poll(&p, 1, 2000); // its moment to free what it has
            }
            end_child(s, &status);
        } else {
            s->box->request = BOX_CLOSE;
            import_answer(&s->callee);
        }
    }
    s->is_open = s->is_dead = false;
}

void import_seat_clear(import_seat *s)
{
    end_code(s);
    memset(s->box, 0, s->box_bytes);
    box_layout(s->box, s->plan, s->box);
}

void import_seat_close(import_seat *s)
{
    end_code(s);
    if (s->leash >= 0) close(s->leash);
    s->leash = -1;
    if (s->keeper > 0)
        while (waitpid(s->keeper, NULL, 0) < 0 && errno == EINTR) continue;
    s->keeper = 0;
    if (s->box) munmap(s->box, s->box_bytes);
    s->box = NULL;
}
