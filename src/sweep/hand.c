/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/hand.h"

#include "vincolo_problem.h"

#include <string.h>

typedef struct hand_batch { // rows that wait for those before them
    struct hand_batch *next;
    size_t bytes;
    sweep_rows rows;
} hand_batch;

struct sweep_hand {
    mem *m;
    pthread_mutex_t lock;
    pthread_cond_t moved; // rows were taken
    uint64_t next, last;  // to be handed out
    uint64_t taken;       // rows before this one have been taken
    uint64_t window;
    int width, status;
    bool stopped, taking;
    hand_batch *waiting; // ascending
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
            break;
        }
        if (!wait) {
            taken = -1;
            break;
        }
        pthread_cond_wait(&h->moved, &h->lock);
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
        b->next = *at;
        *at = b;
        take_in_order(h);
    } else {
        stop_locked(h, VINC_E_MEMORY);
    }
    int status = h->status;
    pthread_mutex_unlock(&h->lock);
    return status;
}
