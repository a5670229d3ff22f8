/* Threads that share the work of one: a job is cut into parts, and who is free takes the next.
 *
 * How a job is cut, and in which order what its parts made is added, is for the caller to say, and he
 * says it without asking how many threads there are: then results are the same bits for any number.
 * A job whose parts form a tree (crew_tree) is done from the leaves, or from the roots; no part is begun
 * before those that it needs are finished, and of those that may begin the most urgent one does: best the one
 * with the longest way behind it, so that nobody is left alone with that way in the end.
 *
 * Who waits looks for some microseconds and then sleeps. A crew belongs to one thread, which works as one
 * of it; no part may begin another job. A crew of NULL is that thread alone: parts are done in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct crew crew;

/* NULL: one thread is asked for, or no more can be had. */
crew *crew_new(mem *m, int threads);
void crew_free(crew *c);
int crew_size(const crew *c); // threads, with the one that it belongs to

/* Memory of each thread but the owner's, for the job that comes next; false: there is none. */
bool crew_reserve(crew *c, size_t bytes);
void *crew_memory(crew *c, int worker); // worker > 0

typedef void crew_part(void *job, int part, int worker); // worker: 0 ... crew_size - 1
void crew_run(crew *c, crew_part *part, void *job, int n);

typedef struct crew_tree {
    int n;
    const int *parent;          // -1: none; children have smaller numbers
    const int *child, *sibling; // the last child of a part, the child before; -1: none
    const int *first_up;        // parts, those first that a climb should begin first
    const int *first_down;      // ... a descent
    atomic_int *waits;          // workspace of n: children that a part waits for
    atomic_bool *ready;         // ... may it begin?
} crew_tree;

void crew_climb(crew *c, const crew_tree *tree, crew_part *part, void *job);   // children first
void crew_descend(crew *c, const crew_tree *tree, crew_part *part, void *job); // parents first

/* Loops over long vectors: in stretches of fixed length, at most CREW_STRETCHES_MAX of them. A short vector is one
 * stretch, done at once. Sums of each stretch are added in order. */
enum { CREW_STRETCH = 4096, CREW_STRETCHES_MAX = 256, CREW_SUMS_MAX = 4 };

typedef void crew_range(void *job, int from, int to);                  // from ... to - 1
typedef void crew_summand(void *job, int from, int to, double sums[]); // sums: to be set

void crew_over_long(crew *c, crew_range *range, void *job, int n);
void crew_sum_long(crew *c, crew_summand *range, void *job, int n, int n_sums, double sums[]);

static inline void crew_over(crew *c, crew_range *range, void *job, int n)
{
    if (n <= CREW_STRETCH) range(job, 0, n);
    else crew_over_long(c, range, job, n);
}

static inline void crew_sum(crew *c, crew_summand *range, void *job, int n, int n_sums,
                            double sums[])
{
    if (n <= CREW_STRETCH) range(job, 0, n, sums);
    else crew_sum_long(c, range, job, n, n_sums, sums);
}

#endif
