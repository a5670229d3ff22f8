/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/crew.h"

#include <pthread.h>
#include <stdint.h>

/* Looks before one sleeps: some forty microseconds, less than waking takes. */
enum { LOOKS = 2000, THREADS_MAX = 64, LINE_BYTES = 64 };
enum { NO_PART = -1 };

typedef struct crew_job {
    crew_part *part;
    void *of;
    int n;
    const crew_tree *tree; // NULL: any order
    bool climb;
} crew_job;

typedef struct crew_member {
    crew *in;
    int number;
    pthread_t thread;
    void *memory;
    atomic_int next;        // part of its share
    char apart[LINE_BYTES]; // others write there
} crew_member;

/* A job is open while parts of it may be taken: members enter only then, and the job is changed only when it
 * is closed and all have left. */
struct crew {
    mem *m;
    int n;           // members, the first is the owner
    size_t reserved; // memory of each of the others
    crew_member members[THREADS_MAX];
    crew_job job;
    atomic_uint turn;   // of the job
    atomic_uint inside; // twice the members that are at it, and 1 while it is open
    atomic_int taken;   // parts of a tree
    atomic_bool over;
    atomic_int asleep;
    pthread_mutex_t lock;
    pthread_cond_t change;
};

/* ---- waiting --------------------------------------------------------------------------------- */

typedef struct crew_wish {
    crew *c;
    unsigned turn_seen;
} crew_wish;

typedef bool crew_holds(const crew_wish *w);

static inline void crew_look_again(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void crew_wait(const crew_wish *w, crew_holds *holds)
{
    crew *c = w->c;
    for (int k = 0; k < LOOKS; k++) {
        if (holds(w)) return;
        crew_look_again();
    }
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->asleep, 1); // before the last look: who changes something looks here
    while (!holds(w)) pthread_cond_wait(&c->change, &c->lock);
    atomic_fetch_sub(&c->asleep, 1);
    pthread_mutex_unlock(&c->lock);
}

static void crew_changed(crew *c)
{
    if (!atomic_load(&c->asleep)) return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
}

static bool holds_open(const crew_wish *w)
{
    return atomic_load(&w->c->over) ||
           (atomic_load(&w->c->turn) != w->turn_seen && (atomic_load(&w->c->inside) & 1));
}

static bool holds_empty(const crew_wish *w)
{
    return atomic_load(&w->c->inside) == 0;
}

/* The most urgent part of a tree that may begin; NO_PART. */
static int crew_urgent(const crew *c)
{
    const crew_tree *t = c->job.tree;
    const int *order = c->job.climb ? t->first_up : t->first_down;
    for (int k = 0; k < t->n; k++)
        if (atomic_load(&t->ready[order[k]])) return order[k];
    return NO_PART;
}

static bool holds_ready(const crew_wish *w)
{
    return crew_urgent(w->c) != NO_PART;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void crew_make_ready(crew *c, int part)
{
    atomic_store(&c->job.tree->ready[part], true);
}

/* Those that waited for this one alone. */
static void crew_follow(crew *c, int part)
{
    const crew_tree *t = c->job.tree;
    int up = t->parent[part];
    if (!c->job.climb)
        for (int k = t->child[part]; k >= 0; k = t->sibling[k]) crew_make_ready(c, k);
    else if (up >= 0 && atomic_fetch_sub(&t->waits[up], 1) == 1) crew_make_ready(c, up);
    crew_changed(c);
}

static int crew_share_end(const crew *c, int member)
{
    return (int)((int64_t)c->job.n * (member + 1) / c->n);
}

/* First those of its own share, which are the same in the next job and still in its cache; then what others
 * have left. */
static void crew_work_along(crew *c, int worker)
{
    const crew_job *j = &c->job;
    for (int k = 0; k < c->n; k++) {
        int of = (worker + k) % c->n, end = crew_share_end(c, of);
        for (int part; (part = atomic_fetch_add(&c->members[of].next, 1)) < end;)
            j->part(j->of, part, worker);
    }
}

/* Who waits gets a part, for no more wait than there are parts left; another may be faster at the one that
 * he saw. */
static int crew_take(crew *c)
{
    for (;;) {
        crew_wait(&(crew_wish){.c = c}, holds_ready);
        int part = crew_urgent(c);
        if (part != NO_PART && atomic_exchange(&c->job.tree->ready[part], false)) return part;
    }
}

static void crew_work(crew *c, int worker)
{
    const crew_job *j = &c->job;
    if (!j->tree) {
        crew_work_along(c, worker);
        return;
    }
    while (atomic_fetch_add(&c->taken, 1) < j->n) {
        int part = crew_take(c);
        j->part(j->of, part, worker);
        crew_follow(c, part);
    }
}

static bool crew_enter(crew *c)
{
    unsigned now = atomic_load(&c->inside);
    while (now & 1)
        if (atomic_compare_exchange_weak(&c->inside, &now, now + 2)) return true;
    return false;
}

static void *crew_live(void *user)
{
    crew_member *me = user;
    crew *c = me->in;
    unsigned turn = 0;
    for (;;) {
        crew_wait(&(crew_wish){.c = c, .turn_seen = turn}, holds_open);
        if (atomic_load(&c->over)) return NULL;
        if (!crew_enter(c)) continue;
        turn = atomic_load(&c->turn);
        crew_work(c, me->number);
        atomic_fetch_sub(&c->inside, 2);
        crew_changed(c);
    }
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void crew_begin_tree(crew *c)
{
    const crew_job *j = &c->job;
    const crew_tree *t = j->tree;
    for (int k = 0; k < t->n; k++) {
        atomic_store_explicit(&t->ready[k], false, memory_order_relaxed);
        atomic_store_explicit(&t->waits[k], 0, memory_order_relaxed);
    }
    for (int k = 0; k < t->n; k++)
        if (t->parent[k] >= 0)
            atomic_fetch_add_explicit(&t->waits[t->parent[k]], 1, memory_order_relaxed);
    for (int k = 0; k < t->n; k++)
        if (j->climb ? t->child[k] < 0 : t->parent[k] < 0) crew_make_ready(c, k);
}

static void crew_do(crew *c, const crew_job *job)
{
    c->job = *job;
    if (job->tree) crew_begin_tree(c);
    for (int k = 0; k < c->n; k++)
        atomic_store(&c->members[k].next, k ? crew_share_end(c, k - 1) : 0);
    atomic_store(&c->taken, 0);
    atomic_fetch_add(&c->turn, 1);
    atomic_fetch_add(&c->inside, 1);
    crew_changed(c);
    crew_work(c, 0);
    atomic_fetch_sub(&c->inside, 1);
    crew_wait(&(crew_wish){.c = c}, holds_empty);
}

void crew_run(crew *c, crew_part *part, void *job, int n)
{
    if (c && n > 1) {
        crew_do(c, &(crew_job){part, job, n, NULL, false});
        return;
    }
    for (int k = 0; k < n; k++) part(job, k, 0);
}

void crew_climb(crew *c, const crew_tree *tree, crew_part *part, void *job)
{
    if (c && tree->n > 1) {
        crew_do(c, &(crew_job){part, job, tree->n, tree, true});
        return;
    }
    for (int k = 0; k < tree->n; k++) part(job, k, 0);
}

void crew_descend(crew *c, const crew_tree *tree, crew_part *part, void *job)
{
    if (c && tree->n > 1) {
        crew_do(c, &(crew_job){part, job, tree->n, tree, false});
        return;
    }
    for (int k = tree->n - 1; k >= 0; k--) part(job, k, 0);
}

/* ---- long vectors ---------------------------------------------------------------------------- */

typedef struct crew_vector {
    crew_range *range;
    crew_summand *summand;
    void *job;
    int n, each;
    double sums[CREW_STRETCHES_MAX][CREW_SUMS_MAX];
} crew_vector;

static void crew_stretch(void *job, int k, int worker)
{
    (void)worker;
    crew_vector *v = job;
    int from = k * v->each, to = v->n - from < v->each ? v->n : from + v->each;
    if (v->summand) v->summand(v->job, from, to, v->sums[k]);
    else v->range(v->job, from, to);
}

static int crew_along(crew *c, crew_vector *v)
{
    v->each = v->n / CREW_STRETCHES_MAX + 1;
    if (v->each < CREW_STRETCH) v->each = CREW_STRETCH;
    int n = (v->n - 1) / v->each + 1;
    crew_run(c, crew_stretch, v, n);
    return n;
}

void crew_over_long(crew *c, crew_range *range, void *job, int n)
{
    crew_vector v;
    v.range = range, v.summand = NULL, v.job = job, v.n = n;
    crew_along(c, &v);
}

void crew_sum_long(crew *c, crew_summand *range, void *job, int n, int n_sums, double sums[])
{
    crew_vector v;
    v.range = NULL, v.summand = range, v.job = job, v.n = n;
    int parts = crew_along(c, &v);
    for (int j = 0; j < n_sums; j++) {
        sums[j] = 0;
        for (int k = 0; k < parts; k++) sums[j] += v.sums[k][j];
    }
}

/* ---- a crew ---------------------------------------------------------------------------------- */

crew *crew_new(mem *m, int threads)
{
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    crew *c = threads > 1 ? mem_try(m, sizeof *c) : NULL;
    if (!c) return NULL;
    *c = (crew){.m = m, .n = 1};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->change, NULL);
    for (; c->n < threads; c->n++) {
        crew_member *k = &c->members[c->n];
        k->in = c;
        k->number = c->n;
        if (pthread_create(&k->thread, NULL, crew_live, k)) break;
    }
    if (c->n > 1) return c;
    crew_free(c);
    return NULL;
}

static void crew_release(crew *c)
{
    for (int k = 1; k < c->n; k++) {
        mem_free(c->m, c->members[k].memory, c->reserved);
        c->members[k].memory = NULL;
    }
    c->reserved = 0;
}

bool crew_reserve(crew *c, size_t bytes)
{
    if (c->reserved >= bytes) return true;
    crew_release(c);
    c->reserved = bytes;
    for (int k = 1; k < c->n; k++)
        if (!(c->members[k].memory = mem_try(c->m, bytes))) {
            crew_release(c);
            return false;
        }
    return true;
}

void *crew_memory(crew *c, int worker)
{
    return c->members[worker].memory;
}

void crew_free(crew *c)
{
    if (!c) return;
    atomic_store(&c->over, true);
    crew_changed(c);
    for (int k = 1; k < c->n; k++) pthread_join(c->members[k].thread, NULL);
    crew_release(c);
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->lock);
    mem_free(c->m, c, sizeof *c);
}

int crew_size(const crew *c)
{
    return c ? c->n : 1;
}
