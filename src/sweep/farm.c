/* Messages: a process asks (TAG_ASK: how many runs it likes), is answered (TAG_RUNS: first and n; 0: the
 * end, -1: none now), and sends rows (TAG_ROWS). TAG_END from process 0 stops what is under way, TAG_BYE
 * is the last word of a process, and TAG_CLOSE says to all whether all are there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/farm.h"

#include "api/api.h"

#include <string.h>
#include <time.h>

enum { TAG_ASK = 1, TAG_RUNS, TAG_ROWS, TAG_END, TAG_BYE, TAG_CLOSE };
enum { RUNS_MOST = 1 << 16 };
static const double SECONDS_AT_A_TIME = 0.1, // of work that a process asks for
    SECONDS_TO_AGAIN = 1,                    // at least, and ...
    TIMES_TO_AGAIN = 5,                      // ... so many times the longest that was seen
    SECONDS_TO_ANSWER = 60,                  // process 0 answers at once: after that it is dead
    SECONDS_TO_LEAVE = 5;                    // the others leave soon, or are dead

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

/* ---- rows as messages ------------------------------------------------------------------------ */

typedef struct row_message {
    uint64_t first, n;
    double seconds; // that they took
} row_message;

typedef struct parcel { // rows that are packed
    mem *m;
    char *bytes;
    size_t n, cap;
    int width;
    row_message head;
} parcel;

static bool parcel_add(parcel *p, const void *bytes, size_t n)
{
    if (p->n + n > p->cap) {
        size_t cap = 2 * p->cap + n + 4096;
        char *more = mem_try(p->m, cap);
        if (!more) return false;
        if (p->n) memcpy(more, p->bytes, p->n);
        mem_free(p->m, p->bytes, p->cap);
        p->bytes = more;
        p->cap = cap;
    }
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return true;
}

/* A row: values, status, length of the reason, reason. In the order of runs, from the hand. */
static int pack_rows(void *user, const sweep_rows *rows)
{
    parcel *p = user;
    bool good = true;
    for (int i = 0; i < rows->n && good; i++) {
        int32_t numbers[2] = {rows->status[i], (int32_t)strlen(rows->reason[i])};
        good = parcel_add(p, rows->values + (size_t)i * (size_t)p->width,
                          (size_t)p->width * sizeof(double)) &&
               parcel_add(p, numbers, sizeof numbers) &&
               parcel_add(p, rows->reason[i], (size_t)numbers[1] + 1);
    }
    p->head.n += (uint64_t)rows->n;
    return good ? VINC_OK : VINC_E_MEMORY;
}

/* Take a message apart and give its rows to the hand. */
static int unpack_rows(const sweep_work *w, sweep_hand *hand, char *bytes, size_t n,
                       double *seconds)
{
    row_message head;
    int width = w->plan->n_axes + w->collect->n_items, rc = VINC_OK;
    if (n < sizeof head) return VINC_E_OPTION;
    memcpy(&head, bytes, sizeof head);
    *seconds = head.seconds;
    if (!head.n || head.n > RUNS_MOST) return VINC_E_OPTION;
    size_t value_bytes = head.n * (size_t)width * sizeof(double);
    sweep_rows rows = {head.first,
                       (int)head.n,
                       width,
                       mem_try(w->m, value_bytes),
                       mem_try(w->m, head.n * sizeof(int)),
                       mem_try(w->m, head.n * sizeof(char *))};
    if (!rows.values || !rows.status || !rows.reason) rc = VINC_E_MEMORY;
    char *at = bytes + sizeof head, *end = bytes + n;
    for (uint64_t i = 0; i < head.n && !rc; i++) {
        int32_t numbers[2];
        size_t row = (size_t)width * sizeof(double);
        if ((size_t)(end - at) < row + sizeof numbers) rc = VINC_E_OPTION;
        if (rc) break;
        memcpy(rows.values + i * (uint64_t)width, at, row);
        memcpy(numbers, at + row, sizeof numbers);
        at += row + sizeof numbers;
        if (numbers[1] < 0 || end - at < numbers[1] + 1 || at[numbers[1]]) rc = VINC_E_OPTION;
        if (rc) break;
        rows.status[i] = numbers[0];
        rows.reason[i] = at;
        at += numbers[1] + 1;
    }
    if (!rc) rc = sweep_hand_give(hand, &rows);
    mem_free(w->m, rows.values, value_bytes);
    mem_free(w->m, rows.status, head.n * sizeof(int));
    mem_free(w->m, rows.reason, head.n * sizeof(char *));
    return rc;
}

/* ---- a pool beside ---------------------------------------------------------------------------- */

/* The pool works in a thread of its own, while this one talks. */
typedef struct beside {
    const sweep_executor *e;
    const sweep_work *w;
    sweep_hand *hand;
    int jobs;
    atomic_int ended;
    pthread_t thread;
} beside;

static void *run_beside(void *user)
{
    beside *b = user;
    sweep_pool_run(b->e, b->w, b->hand, b->jobs);
    atomic_store(&b->ended, 1);
    return NULL;
}

static int begin_beside(beside *b)
{
    return pthread_create(&b->thread, NULL, run_beside, b) ? VINC_E_MEMORY : VINC_OK;
}

/* ---- process 0 ------------------------------------------------------------------------------- */

typedef struct lead {
    sweep_farm *f;
    const sweep_work *w;
    sweep_hand *hand;
    double longest;
} lead;

static int answer_ask(lead *l, int from, int wanted)
{
    uint64_t first = 0;
    if (wanted < 1) wanted = 1;
    if (wanted > RUNS_MOST) wanted = RUNS_MOST;
    int n = sweep_hand_take(l->hand, wanted, false, &first);
    int64_t answer[2] = {(int64_t)first, n};
    return l->f->t->send(from, TAG_RUNS, answer, sizeof answer);
}

/* One message, if there is one. */
static bool serve(lead *l)
{
    int from, tag;
    size_t n;
    if (l->f->t->waiting(&from, &tag, &n) != 1) return false;
    char *bytes = mem_try(l->w->m, n + 1);
    if (!bytes) {
        sweep_hand_stop(l->hand, VINC_E_MEMORY);
        return false;
    }
    int rc = l->f->t->receive(from, tag, bytes, n);
    if (!rc && tag == TAG_ASK && n == sizeof(int)) {
        int wanted;
        memcpy(&wanted, bytes, sizeof wanted);
        answer_ask(l, from, wanted);
    } else if (!rc && tag == TAG_ROWS) {
        double seconds = 0;
        unpack_rows(l->w, l->hand, bytes, n, &seconds);
        if (seconds > l->longest) {
            l->longest = seconds;
            sweep_hand_again(l->hand, SECONDS_TO_AGAIN + TIMES_TO_AGAIN * seconds);
        }
    } else if (!rc && tag == TAG_BYE) {
        l->f->left++;
    }
    mem_free(l->w->m, bytes, n + 1);
    return true;
}

int sweep_farm_lead(sweep_farm *f, const sweep_executor *e, const sweep_work *w, sweep_hand *hand,
                    int jobs)
{
    beside b = {.e = e, .w = w, .hand = hand, .jobs = jobs};
    lead l = {f, w, hand, 0};
    sweep_hand_again(hand, SECONDS_TO_AGAIN);
    int rc = begin_beside(&b);
    if (rc) return rc;
    while (!sweep_hand_done(hand)) {
        if (watch_passed(&w->model->ctx->limits)) sweep_hand_stop(hand, VINC_STOPPED);
        if (!serve(&l)) nap();
    }
    pthread_join(b.thread, NULL);
    return sweep_hand_status(hand);
}

/* The next message from process 0 of this tag, or the end; -1: it is dead. */
static int wait_answer(sweep_farm *f, int64_t answer[2], int wanted)
{
    for (double until = api_clock() + SECONDS_TO_ANSWER; api_clock() < until; nap()) {
        int from, tag;
        size_t n;
        while (f->t->waiting(&from, &tag, &n) == 1) {
            if (n > 2 * sizeof *answer || f->t->receive(from, tag, answer, n)) return -1;
            if (tag == wanted || (tag == TAG_END && wanted == TAG_RUNS)) return tag;
        }
    }
    return -1;
}

/* The others are told to stop, and whether all are there to say so. */
static void end_lead(sweep_farm *f)
{
    for (int to = 1; to < f->size; to++) f->t->send(to, TAG_END, NULL, 0);
    for (double until = api_clock() + SECONDS_TO_LEAVE;
         f->left + 1 < f->size && api_clock() < until;) {
        int from, tag;
        size_t n;
        char *bytes = NULL;
        if (f->t->waiting(&from, &tag, &n) != 1) {
            nap();
            continue;
        }
        mem m = mem_std();
        bytes = mem_try(&m, n + 1); // rows that come too late
        if (!bytes || f->t->receive(from, tag, bytes, n)) until = 0;
        mem_free(&m, bytes, n + 1);
        f->left += tag == TAG_BYE;
    }
    f->all = f->left + 1 == f->size;
    int64_t all[2] = {f->all, 0};
    for (int to = 1; to < f->size; to++) f->t->send(to, TAG_CLOSE, all, sizeof all);
}

void sweep_farm_end(sweep_farm *f)
{
    if (!f->t) return;
    int64_t all[2] = {0, 0};
    if (!f->rank) end_lead(f);
    else if (!f->t->send(0, TAG_BYE, NULL, 0) && wait_answer(f, all, TAG_CLOSE) == TAG_CLOSE)
        f->all = all[0] != 0;
    f->t->close(f->all);
}

/* ---- the others ------------------------------------------------------------------------------ */

/* Make runs while listening for the end; true: it has come. */
static bool make_runs(sweep_farm *f, beside *b, bool *dead)
{
    bool end = false;
    if (begin_beside(b)) {
        *dead = true;
        return true;
    }
    while (!atomic_load(&b->ended)) {
        int from, tag;
        size_t n;
        if (!end && f->t->waiting(&from, &tag, &n) == 1 && tag == TAG_END) {
            f->t->receive(from, tag, NULL, 0);
            end = true;
            vinc_ctx_interrupt(b->w->model->ctx); // long runs, too
            sweep_hand_stop(b->hand, VINC_STOPPED);
        }
        nap();
    }
    pthread_join(b->thread, NULL);
    return end;
}

static int work_on(sweep_farm *f, const sweep_executor *e, const sweep_work *w, int jobs, parcel *p)
{
    int wanted = 1;
    for (;;) {
        int64_t answer[2] = {0, 0};
        if (f->t->send(0, TAG_ASK, &wanted, sizeof wanted)) return VINC_E_WRITE;
        int tag = wait_answer(f, answer, TAG_RUNS);
        if (tag == TAG_END || (tag == TAG_RUNS && !answer[1])) return VINC_OK;
        if (tag != TAG_RUNS) return VINC_E_WRITE;
        if (answer[1] < 0) {
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
            continue;
        }
        sweep_hand *hand;
        int n = (int)answer[1];
        int rc = sweep_hand_new(w->m, (uint64_t)answer[0], (uint64_t)(answer[0] + n), p->width,
                                (uint64_t)n, &(sweep_taker){pack_rows, p}, &hand);
        if (rc) return rc;
        p->head = (row_message){.first = (uint64_t)answer[0]};
        p->n = 0;
        bool dead = !parcel_add(p, &p->head, sizeof p->head);
        double begin = api_clock();
        bool end = make_runs(
            f, &(beside){.e = e, .w = w, .hand = hand, .jobs = jobs < n ? jobs : n}, &dead);
        p->head.seconds = api_clock() - begin;
        rc = sweep_hand_status(hand);
        sweep_hand_free(hand);
        if (end || dead) return dead ? VINC_E_MEMORY : VINC_OK;
        if (rc) return rc;
        memcpy(p->bytes, &p->head, sizeof p->head);
        if (f->t->send(0, TAG_ROWS, p->bytes, p->n)) return VINC_E_WRITE;
        double most = SECONDS_AT_A_TIME / p->head.seconds * n;
        wanted = most < 1 ? 1 : most > RUNS_MOST ? RUNS_MOST : (int)most;
    }
}

int sweep_farm_work(sweep_farm *f, const sweep_executor *e, const sweep_work *w, int jobs)
{
    parcel p = {.m = w->m, .width = w->plan->n_axes + w->collect->n_items};
    int rc = work_on(f, e, w, jobs, &p);
    mem_free(w->m, p.bytes, p.cap);
    return rc;
}
