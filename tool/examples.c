/* vincolo examples: all examples of a library, in processes of their own.
 *
 * A process lists the examples, and one runs each of them: what takes too long, asks for too much
 * memory or crashes is a row of the table and nothing more. A process sends one answer, whole, through
 * a pipe. With --sandbox each confines itself, so the texts of a library are read by confined ones only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"
#include "tube.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 256 };
static const double USUAL_TIMEOUT = 60, GRACE = 5; // seconds
static const char SIMULATED[] = "simulated", FAILED[] = "failed", LIMIT[] = "limit",
                  CRASHED[] = "crashed", STOPPED[] = "stopped", NOT_RUN[] = "not run";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- in the process of an example ------------------------------------------------------------ */

/* What it says: fits into a pipe, so that it is there whole or not at all. */
typedef struct answer {
    int status; // vinc_status
    int n_signals, inside;
    char code[16], reason[1000];
} answer;

static void give_reason(answer *a, vinc_ctx *ctx)
{
    char words[sizeof a->reason], place[600] = "";
    for (int i = 0; i < vinc_ctx_n_diagnostics(ctx); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(ctx, i);
        if (d.severity != VINC_ERROR) continue;
        if (d.file) snprintf(place, sizeof place, "%.500s:%d: ", d.file, d.line);
        snprintf(words, sizeof words, "%s%.390s", place, d.text);
        words[strcspn(words, "\n")] = 0;
        vinc_plain(words, a->reason, sizeof a->reason);
        snprintf(a->code, sizeof a->code, "%s", d.code ? d.code : "");
        return;
    }
}

/* Over the time of the reference and with its signals alone, if the model has them all: recording
 * costs time. */
static int simulate(vinc_ctx *ctx, vinc_model *model, const options *o, const tube_reference *r,
                    vinc_sim **sim)
{
    vinc_sim_options so = tool_sim_options(o);
    if (r->table) {
        so.has_start = so.has_stop = 1, so.t_start = r->start, so.t_stop = r->stop;
        if (!o->has_intervals && r->intervals > 0) so.intervals = r->intervals;
        so.vars = r->vars, so.only_vars = 1;
    }
    int rc = vinc_sim_new(model, &so, sim);
    if (!rc) rc = vinc_sim_run(*sim);
    if (rc != VINC_E_OPTION || !so.only_vars) return rc;
    vinc_sim_free(*sim);
    vinc_ctx_clear(ctx);
    so.vars = NULL, so.only_vars = 0;
    rc = vinc_sim_new(model, &so, sim);
    return rc ? rc : vinc_sim_run(*sim);
}

static answer run_example(const options *o, const char *name)
{
    options mine = *o;
    char path[PATH_MAX];
    bool named = !tool_ends_in(o->words[1], ".mo") && !strchr(o->words[1], '/');
    mine.has_max_time = true;
    mine.max_time = o->timeout;
    answer a = {0};
    tube_reference r = {0};
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_ctx *ctx = tool_context(&mine);
    vinc_model_options m = {.allow_external = o->allow_external};
    if (o->reference && tube_file(o->reference, name, path, sizeof path))
        a.status = tube_read(ctx, path, &r);
    if (!a.status)
        a.status =
            vinc_model_load_with(ctx, named ? name : o->words[1], named ? NULL : name, &m, &model);
    if (!a.status) a.status = simulate(ctx, model, o, &r, &sim);
    if (a.status >= 0 && r.table) {
        tube_verdict v = tube_compare(&r, vinc_sim_result(sim));
        a.n_signals = v.n_signals, a.inside = v.inside;
        vinc_plain(v.first, a.reason, sizeof a.reason);
    }
    if (a.status < 0) give_reason(&a, ctx);
    tube_free(&r);
    vinc_sim_free(sim);
    vinc_model_free(model);
    tool_free(ctx);
    return a;
}

/* ---- processes ------------------------------------------------------------------------------- */

typedef struct child {
    pid_t pid;
    int from; // its end of the pipe; -1: there is none
    int row;
    double begun;
    bool late; // it was told to end
} child;

static void write_all(int to, const void *bytes, size_t n)
{
    for (const char *at = bytes; n;) {
        ssize_t k = write(to, at, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) _exit(EXIT_RUN);
        at += k, n -= (size_t)k;
    }
}

/* A process that does `work` and writes what it has to say to its end of the pipe. */
static bool begin_child(child *c, const options *o, const char *name,
                        void (*work)(const options *, const char *, int))
{
    int ends[2];
    if (pipe(ends)) return false;
    fflush(NULL);
    double begun = now();
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        if (o->sandbox && !tool_confine(o)) _exit(EXIT_USAGE);
        work(o, name, ends[1]);
        fflush(NULL);
        _exit(EXIT_DONE);
    }
    close(ends[1]);
    if (pid < 0) return close(ends[0]), false;
    *c = (child){.pid = pid, .from = ends[0], .begun = begun};
    return true;
}

static void answer_example(const options *o, const char *name, int to)
{
    answer a = run_example(o, name);
    write_all(to, &a, sizeof a);
}

static void answer_list(const options *o, const char *name, int to)
{
    const char *list;
    vinc_ctx *ctx = tool_context(o);
    int rc = vinc_library_examples(ctx, name, &list);
    if (!rc) write_all(to, list, strlen(list));
    tool_messages(ctx);
    if (rc) fflush(NULL), _exit(tool_exit(rc));
}

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct table {
    char *text;
    vinc_example *rows;
    answer *answers; // what the rows point to
    int n;
} table;

static char *read_whole(int from)
{
    size_t n = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        ssize_t k = read(from, text + n, room - n - 1);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) break;
        n += (size_t)k;
        if (room - n < 2) {
            char *more = realloc(text, room *= 2);
            if (!more) free(text);
            text = more;
        }
    }
    if (text) text[n] = 0;
    return text;
}

/* The examples whose names match; an exit status. */
static int find_examples(const options *o, const regex_t *only, table *t)
{
    child c;
    int status = 0, lines = 0;
    if (!begin_child(&c, o, o->words[1], answer_list)) return EXIT_RUN;
    t->text = read_whole(c.from);
    close(c.from);
    while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status)) return tool_interrupted() ? EXIT_INTERRUPTED : EXIT_RUN;
    if (WEXITSTATUS(status)) return WEXITSTATUS(status);
    for (const char *p = t->text; p && *p; p++) lines += *p == '\n';
    t->rows = calloc((size_t)lines + 1, sizeof *t->rows);
    t->answers = calloc((size_t)lines + 1, sizeof *t->answers);
    if (!t->text || !t->rows || !t->answers) return EXIT_RUN;
    for (char *p = t->text, *end; (end = strchr(p, '\n')); p = end + 1) {
        *end = 0;
        if (!o->only || !regexec(only, p, 0, NULL, 0))
            t->rows[t->n++] = (vinc_example){.name = p, .status = NOT_RUN, .seconds = NAN};
    }
    return EXIT_DONE;
}

/* ---- running them ---------------------------------------------------------------------------- */

static void say_crash(vinc_example *row, answer *a, const child *c, int status)
{
    if (c->late) {
        row->status = LIMIT;
        snprintf(a->reason, sizeof a->reason, "it did not end when its time was over");
    } else {
        row->status = CRASHED;
        int s = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        snprintf(a->reason, sizeof a->reason, "the process ended by %s %d%s%s%s",
                 s ? "signal" : "exit status", s ? s : WEXITSTATUS(status), s ? " (" : "",
                 s ? strsignal(s) : "", s ? ")" : "");
    }
    row->reason = a->reason;
}

static void end_child(child *c, table *t)
{
    int status = 0;
    vinc_example *row = &t->rows[c->row];
    answer *a = &t->answers[c->row];
    ssize_t got = read(c->from, a, sizeof *a);
    close(c->from);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
    row->seconds = now() - c->begun;
    if (got != (ssize_t)sizeof *a) {
        *a = (answer){0};
        say_crash(row, a, c, status);
        return;
    }
    row->status = a->status == VINC_E_LIMIT   ? LIMIT
                  : a->status < 0             ? FAILED
                  : a->status == VINC_STOPPED ? STOPPED
                                              : SIMULATED;
    row->n_signals = a->n_signals, row->inside = a->inside;
    row->code = a->code[0] ? a->code : NULL;
    row->reason = a->reason[0] ? a->reason : NULL;
}

static void show_progress(const options *o, int done, int n)
{
    if (o->quiet || o->json || !isatty(2)) return;
    if (done < n) fprintf(stderr, "\r%d of %d ", done, n);
    else fprintf(stderr, "\r%40s\r", "");
    fflush(stderr);
}

/* Until all are done, or time is over, or the user has had enough. */
static void run_all(const options *o, int jobs, table *t)
{
    child pool[JOBS_MOST];
    struct pollfd ends[JOBS_MOST];
    int running = 0, next = 0;
    double begun = now();
    bool over = false;
    while (next < t->n || running) {
        for (; !over && running < jobs && next < t->n; running++, next++) {
            if (!begin_child(&pool[running], o, t->rows[next].name, answer_example)) break;
            pool[running].row = next;
        }
        show_progress(o, next - running, t->n);
        if (running <= 0) break;
        for (int i = 0; i < running; i++) ends[i] = (struct pollfd){pool[i].from, POLLIN, 0};
        poll(ends, (nfds_t)running, 200);
        over |= tool_interrupted() || (o->has_max_time && now() - begun > o->max_time);
        for (int i = running - 1; i >= 0; i--) {
            child *c = &pool[i];
            if (!c->late && (over || now() - c->begun > o->timeout + GRACE)) {
                c->late = true;
                kill(c->pid, SIGKILL);
            }
            if (!ends[i].revents) continue;
            end_child(c, t);
            if (over && t->rows[c->row].status == LIMIT)
                t->rows[c->row] =
                    (vinc_example){.name = t->rows[c->row].name, .status = NOT_RUN, .seconds = NAN};
            *c = pool[--running];
        }
    }
    show_progress(o, t->n, t->n);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool check_words(const options *o, regex_t *only)
{
    char why[200];
    if (o->n_words != 2) {
        tool_error("vincolo examples needs one library: its name, its directory or its file\n");
        return false;
    }
    if (o->reference && access(o->reference, R_OK)) {
        tool_error("vincolo examples: there is no folder '%s'\n", o->reference);
        return false;
    }
    int wrong = o->only ? regcomp(only, o->only, REG_EXTENDED | REG_NOSUB) : 0;
    if (wrong) {
        regerror(wrong, only, why, sizeof why);
        tool_error("vincolo examples: --only '%s' is no regular expression: %s\n", o->only, why);
    }
    return !wrong;
}

static int tell(const options *o, const table *t)
{
    vinc_examples *told = NULL;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    int rc = vinc_examples_of(ctx, o->words[1], t->rows, t->n, &told);
    const char *words = tool_words(told, o, &rc);
    bool good = told && told->simulated == told->n_examples && told->inside == told->compared;
    if (o->json || !o->quiet) fputs(words, stdout);
    tool_messages(ctx);
    vinc_report_free(told);
    vinc_ctx_free(ctx);
    return rc ? tool_exit(rc) : tool_interrupted() ? EXIT_INTERRUPTED : good ? EXIT_DONE : EXIT_RUN;
}

static int examples_run(const options *given)
{
    options o = *given;
    regex_t only;
    table t = {0};
    if (!check_words(&o, &only)) return EXIT_USAGE;
    if (!o.has_timeout) o.timeout = USUAL_TIMEOUT;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int jobs = o.has_jobs ? (int)o.jobs : cores > 0 && cores < JOBS_MOST ? (int)cores : 1;
    tool_watch(NULL, &(options){0}); // signals are heeded between the processes
    int rc = find_examples(&o, &only, &t);
    if (!rc && o.list) {
        for (int i = 0; i < t.n; i++) printf("%s\n", t.rows[i].name);
    } else if (!rc && !t.n) {
        tool_error("vincolo examples: '%s' has no model with an annotation 'experiment'%s\n",
                   o.words[1], o.only ? " whose name matches --only" : "");
        rc = EXIT_MODEL;
    } else if (!rc) {
        run_all(&o, jobs, &t);
        rc = tell(&o, &t);
    }
    if (o.only) regfree(&only);
    free(t.text);
    free(t.rows);
    free(t.answers);
    return rc;
}

const command command_examples = {
    .name = "examples",
    .arguments = "LIBRARY",
    .summary = "run all examples of a library, and hold them against references",
    .options = "-L --list --only --jobs --timeout --reference --tol --method --intervals --json",
    .run = examples_run,
    .confines_itself = true,
};
