/* vinc_sweep_merge: parts of a sweep, run apart, become one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_first_run(const void *a, const void *b)
{
    const part_store *x = a, *y = b;
    return (x->h->first > y->h->first) - (x->h->first < y->h->first);
}

typedef struct merge_job {
    sweep_job *j;
    const char *const *paths;
    int n;
} merge_job;

/* Do they follow each other, and are they of one sweep? */
static int check_parts(merge_job *g)
{
    char words[600];
    uint64_t next = 0;
    for (int i = 0; i < g->n; i++) {
        const part_store *p = &g->j->parts[i];
        unsigned long long first = p->h->first, last = p->h->last, total = p->h->total;
        words[0] = 0;
        if (strcmp(p->h->identity, g->j->parts[0].h->identity) ||
            p->h->total != g->j->parts[0].h->total)
            snprintf(words, sizeof words, "'%.200s' and '%.200s' are parts of different sweeps",
                     g->j->parts[0].path, p->path);
        else if (p->done < p->h->last - p->h->first)
            snprintf(words, sizeof words,
                     "'%.200s' has %llu of its %llu runs: finish it with --resume", p->path,
                     (unsigned long long)p->done, last - first);
        else if (first < next)
            snprintf(words, sizeof words,
                     "runs from %llu on are in two of the files; the second is '%.200s'", first,
                     p->path);
        else if (first > next)
            snprintf(words, sizeof words,
                     "a part is missing: runs %llu to %llu of %llu are in none of the files",
                     (unsigned long long)next, first - 1, total);
        if (words[0]) return sweep_refuse(g->j, "C194", words);
        next = p->h->last;
    }
    if (next == g->j->parts[0].h->total) return VINC_OK;
    snprintf(words, sizeof words,
             "a part is missing: runs from %llu on, of %llu, are in none of the files",
             (unsigned long long)next, (unsigned long long)g->j->parts[0].h->total);
    return sweep_refuse(g->j, "C194", words);
}

static int open_parts(void *job)
{
    merge_job *g = job;
    sweep_job *j = g->j;
    j->parts = arena_array(&j->a, part_store, g->n);
    for (; j->n_parts < g->n; j->n_parts++) {
        part_store *p = &j->parts[j->n_parts];
        p->path = g->paths[j->n_parts];
        int rc = sweep_store_read(&j->m, p->path, &p->store, &p->h, &p->done, &j->fault);
        if (rc) return sweep_refuse_fault(j, rc);
    }
    qsort(j->parts, (size_t)g->n, sizeof *j->parts, by_first_run);
    int rc = check_parts(g);
    if (rc) return rc;
    j->heading = *g->j->parts[0].h; // of its store, which is closed last
    j->heading.first = 0;
    j->heading.last = j->heading.total;
    return sweep_open_places(j);
}

static int append_part(void *user, const sweep_rows *rows)
{
    sweep_job *j = user;
    return sweep_store_append(j->store, rows, &j->fault);
}

static int merge_parts(merge_job *g)
{
    sweep_job *j = g->j;
    int rc = api_guarded(j->ctx, open_parts, g);
    if (rc) return rc;
    uint64_t done;
    if (j->journal) unlink(j->journal); // of a merge that was interrupted: the parts have it all
    rc = sweep_store_open(&j->m, j->journal, &j->heading, false, &j->store, &done, &j->fault);
    for (int i = 0; i < g->n && !rc; i++)
        rc = sweep_store_each(g->j->parts[i].store, append_part, j, &j->fault);
    if (!rc) rc = sweep_store_flush(j->store, &j->fault);
    if (!rc) return api_delivered(j->ctx, sweep_deliver, j);
    api_lock(j->ctx);
    rc = sweep_refuse_fault(j, rc);
    api_unlock(j->ctx);
    return rc;
}

int vinc_sweep_merge(vinc_ctx *ctx, const char *const *parts, int n,
                     const vinc_sweep_options *options, vinc_sweep **out)
{
    if (out) *out = NULL;
    if (!ctx || !out || !parts || n < 1)
        return api_lacks(ctx, "files of parts, and a place for the report");
    for (int i = 0; i < n; i++)
        if (!parts[i]) return api_lacks(ctx, "the names of the parts");
    vinc_sweep_options o = {0};
    if (options) {
        o.out = options->out;
        o.plot = options->plot;
        o.show = options->show;
        o.figure = options->figure;
    }
    sweep_job *j = sweep_job_new(ctx, &o);
    if (!j) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    merge_job g = {.j = j, .paths = parts, .n = n};
    j->told.rate = j->told.seconds = NAN;
    j->told.model = "";
    return sweep_job_end(j, merge_parts(&g), out);
}
