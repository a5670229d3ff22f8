/* Threads, each with an executor of its own.
 *
 * A thread takes as many runs at a time as take it about a millisecond: handing out costs nothing then,
 * and at the end none waits long for another. How runs are grouped changes no number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "sweep/execute.h"

static const double SECONDS_AT_A_TIME = 1e-3;

typedef struct pool_thread {
    const sweep_executor *e;
    const sweep_work *w;
    sweep_hand *hand;
    pthread_t thread;
    bool started;
} pool_thread;

static int rows_new(const sweep_work *w, int n, sweep_rows *rows)
{
    int width = w->plan->n_axes + w->collect->n_items;
    *rows = (sweep_rows){.width = width};
    rows->values = mem_try(w->m, (size_t)n * (size_t)width * sizeof(double));
    rows->status = mem_try(w->m, (size_t)n * sizeof(int));
    rows->reason = mem_try(w->m, (size_t)n * sizeof(char *));
    return rows->values && rows->status && rows->reason ? VINC_OK : VINC_E_MEMORY;
}

static void rows_free(const sweep_work *w, int n, sweep_rows *rows)
{
    mem_free(w->m, rows->values, (size_t)n * (size_t)rows->width * sizeof(double));
    mem_free(w->m, rows->status, (size_t)n * sizeof(int));
    mem_free(w->m, rows->reason, (size_t)n * sizeof(char *));
}

static void *pool_work(void *user)
{
    pool_thread *t = user;
    const sweep_executor *e = t->e;
    void *self = NULL;
    sweep_rows rows;
    int batch = e->batch_least, rc = rows_new(t->w, e->batch_most, &rows);
    if (!rc) rc = e->open(t->w, &self);
    while (!rc) {
        rows.n = sweep_hand_take(t->hand, batch, true, &rows.first);
        if (rows.n <= 0) break;
        double begin = api_clock();
        rc = e->run(self, &rows);
        double each = (api_clock() - begin) / rows.n;
        batch = each * e->batch_most < SECONDS_AT_A_TIME ? e->batch_most
                                                         : (int)(SECONDS_AT_A_TIME / each);
        if (batch < e->batch_least) batch = e->batch_least;
        if (!rc) rc = sweep_hand_give(t->hand, &rows);
    }
    if (rc) sweep_hand_stop(t->hand, rc);
    if (self) e->close(self);
    rows_free(t->w, e->batch_most, &rows);
    return NULL;
}

int sweep_pool_run(const sweep_executor *e, const sweep_work *w, sweep_hand *hand, int jobs)
{
    size_t bytes = (size_t)jobs * sizeof(pool_thread);
    pool_thread *threads = mem_try(w->m, bytes);
    if (!threads) return VINC_E_MEMORY;
    for (int i = 0; i < jobs; i++) {
        threads[i] = (pool_thread){.e = e, .w = w, .hand = hand};
        // The first is this one.
        threads[i].started = i && !pthread_create(&threads[i].thread, NULL, pool_work, &threads[i]);
    }
    pool_work(&threads[0]);
    for (int i = 1; i < jobs; i++)
        if (threads[i].started) pthread_join(threads[i].thread, NULL);
    mem_free(w->m, threads, bytes);
    return sweep_hand_status(hand);
}
