/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/hand.h"

#include "vincolo_problem.h"

#include <string.h>
#include <time.h>

typedef struct hand_batch { // rows that wait for those before them
    struct hand_batch *next;
    size_t bytes;
    sweep_rows rows;
} hand_batch;

typedef struct hand_range { // runs that were handed out, and whose rows are not here
    struct hand_range *next;
    uint64_t first;
    int n;
    double when;
} hand_range;

struct sweep_hand {
    mem *m;
    pthread_mutex_t lock;
    pthread_cond_t moved; // rows were taken
    uint64_t next, last;  // to be handed out
    uint64_t taken;       // rows before this one have been taken
    uint64_t claimed;     // ... or are being taken
    uint64_t window;
    int width, status;
    bool stopped, taking;
    hand_batch *waiting; // ascending
    double again;        // seconds after which runs are handed out again; 0: never
    hand_range *out;     // the oldest first
    hand_range *spare;
    sweep_taker taker;
};

int sweep_hand_new(mem *m, uint64_t first, uint64_t last, int width, uint64_t window,
                   const sweep_taker *taker, sweep_hand **out)
{
    sweep_hand *h = *out = mem_try(m, sizeof *h);
    if (!h) return VINC_E_MEMORY;
    *h = (sweep_hand){.m = m,
                      .next = first,
                      .last = last,
                      .taken = first,
                      .claimed = first,
                      .window = window,
                      .width = width,
                      .taker = *taker};
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->moved, NULL);
    return VINC_OK;
}

static void drop_batches(sweep_hand *h)
{
    while (h->waiting) {
        hand_batch *b = h->waiting;
        h->waiting = b->next;
        mem_free(h->m, b, b->bytes);
    }
}

void sweep_hand_free(sweep_hand *h)
{
    if (!h) return;
    drop_batches(h);
    for (int k = 0; k < 2; k++)
        for (hand_range *r = k ? h->spare : h->out, *next; r; r = next) {
            next = r->next;
            mem_free(h->m, r, sizeof *r);
        }
    pthread_cond_destroy(&h->moved);
    pthread_mutex_destroy(&h->lock);
    mem_free(h->m, h, sizeof *h);
}

static void stop_locked(sweep_hand *h, int status)
{
    if (!h->stopped) h->status = status;
    h->stopped = true;
    pthread_cond_broadcast(&h->moved);
}

void sweep_hand_stop(sweep_hand *h, int status)
{
    pthread_mutex_lock(&h->lock);
    stop_locked(h, status);
    pthread_mutex_unlock(&h->lock);
}

int sweep_hand_status(sweep_hand *h)
{
    pthread_mutex_lock(&h->lock);
    int status = h->status;
    pthread_mutex_unlock(&h->lock);
    return status;
}

bool sweep_hand_done(sweep_hand *h)
{
    pthread_mutex_lock(&h->lock);
    bool done = h->stopped || h->taken == h->last;
    pthread_mutex_unlock(&h->lock);
    return done;
}

void sweep_hand_again(sweep_hand *h, double seconds)
{
    pthread_mutex_lock(&h->lock);
    h->again = seconds;
    pthread_mutex_unlock(&h->lock);
}

/* ---- what was handed out --------------------------------------------------------------------- */

static double hand_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool note_taken(sweep_hand *h, uint64_t first, int n)
{
    hand_range *r = h->spare;
    if (r) h->spare = r->next;
    else r = mem_try(h->m, sizeof *r);
    if (!r) return false;
    *r = (hand_range){NULL, first, n, hand_clock()};
    hand_range **at = &h->out;
    while (*at) at = &(*at)->next;
    *at = r;
    return true;
}

static void note_given(sweep_hand *h, uint64_t first, int n)
{
    for (hand_range **at = &h->out; *at;) {
        hand_range *r = *at;
        if (r->first >= first && r->first + (uint64_t)r->n <= first + (uint64_t)n) {
            *at = r->next;
            r->next = h->spare;
            h->spare = r;
        } else {
            at = &r->next;
        }
    }
}

/* The oldest runs that are still out, if they are old enough; they are the youngest from then on. */
static int take_again(sweep_hand *h, int n, uint64_t *first)
{
    hand_range *r = h->out;
    if (!r || hand_clock() - r->when < h->again) return 0;
    int taken = r->n < n ? r->n : n;
    *first = r->first;
    if (taken < r->n) {
        r->first += (uint64_t)taken;
        r->n -= taken;
    } else {
        h->out = r->next;
        r->next = h->spare;
        h->spare = r;
    }
    return note_taken(h, *first, taken) ? taken : 0;
}

/* A while, or until something has moved. */
static void wait_moved(sweep_hand *h)
{
    if (!(h->again > 0)) {
        pthread_cond_wait(&h->moved, &h->lock);
        return;
    }
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 200000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&h->moved, &h->lock, &t);
}

int sweep_hand_take(sweep_hand *h, int n, bool wait, uint64_t *first)
{
    int taken = 0;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        if (h->stopped || h->taken == h->last) break;
        uint64_t left = h->last - h->next, ahead = h->next - h->taken;
        uint64_t room = ahead < h->window ? h->window - ahead : 0;
        if (left < room) room = left;
        if (room) {
            taken = room < (uint64_t)n ? (int)room : n;
            *first = h->next;
            h->next += (uint64_t)taken;
            if (h->again > 0 && !note_taken(h, *first, taken)) stop_locked(h, VINC_E_MEMORY);
            break;
        }
        if (h->again > 0 && (taken = take_again(h, n, first)) > 0) break;
        if (!wait) {
            taken = -1;
            break;
        }
        wait_moved(h);
    }
    pthread_mutex_unlock(&h->lock);
    return taken;
}

/* A copy in one block. */
static hand_batch *copy_rows(sweep_hand *h, const sweep_rows *rows)
{
    size_t n = (size_t)rows->n, values = n * (size_t)h->width * sizeof(double), words = 0;
    for (size_t i = 0; i < n; i++) words += strlen(rows->reason[i]) + 1;
    size_t bytes = sizeof(hand_batch) + values + n * (sizeof(char *) + sizeof(int)) + words;
    hand_batch *b = mem_try(h->m, bytes);
    if (!b) return NULL;
    char *at = (char *)(b + 1);
    *b = (hand_batch){.bytes = bytes, .rows = {rows->first, rows->n, h->width, NULL, NULL, NULL}};
    b->rows.values = (double *)(void *)at;
    memcpy(at, rows->values, values);
    at += values;
    b->rows.reason = (const char **)(void *)at;
    at += n * sizeof(char *);
    b->rows.status = (int *)(void *)at;
    memcpy(at, rows->status, n * sizeof(int));
    at += n * sizeof(int);
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(rows->reason[i]) + 1;
        memcpy(at, rows->reason[i], length);
        b->rows.reason[i] = at;
        at += length;
    }
    return b;
}

/* Give what is next to the taker, which may take its time: others go on meanwhile. */
static void take_in_order(sweep_hand *h)
{
    if (h->taking) return; // whoever does it sees the new ones, too
    h->taking = true;
    while (h->waiting && h->waiting->rows.first == h->taken && !h->stopped) {
        hand_batch *b = h->waiting;
        h->waiting = b->next;
        h->claimed = b->rows.first + (uint64_t)b->rows.n;
        pthread_mutex_unlock(&h->lock);
        int rc = h->taker.take(h->taker.user, &b->rows);
        pthread_mutex_lock(&h->lock);
        h->taken += (uint64_t)b->rows.n;
        mem_free(h->m, b, b->bytes);
        if (rc) stop_locked(h, rc);
        pthread_cond_broadcast(&h->moved);
    }
    h->taking = false;
}

int sweep_hand_give(sweep_hand *h, const sweep_rows *rows)
{
    hand_batch *b = copy_rows(h, rows);
    pthread_mutex_lock(&h->lock);
    if (b) {
        hand_batch **at = &h->waiting;
        while (*at && (*at)->rows.first < rows->first) at = &(*at)->next;
        uint64_t end = rows->first + (uint64_t)rows->n;
        bool known = rows->first < h->claimed || (*at && (*at)->rows.first < end);
        for (hand_batch *w = h->waiting; w != *at && !known; w = w->next)
            known = w->rows.first + (uint64_t)w->rows.n > rows->first;
        if (h->again > 0 && !known) note_given(h, rows->first, rows->n);
        if (known) { // runs that were handed out again
            mem_free(h->m, b, b->bytes);
        } else {
            b->next = *at;
            *at = b;
            take_in_order(h);
        }
    } else {
        stop_locked(h, VINC_E_MEMORY);
    }
    int status = h->status;
    pthread_mutex_unlock(&h->lock);
    return status;
}
