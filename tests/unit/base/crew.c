/* Threads that share the work of one: every part once, trees in order, sums in order.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/crew.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { CREWS = 4, PARTS = 97 };
static const int sizes[CREWS] = {1, 2, 3, 7};

typedef struct counted {
    atomic_int times[PARTS];
    atomic_int clock;
    int begun[PARTS], ended[PARTS];
    int size;
    atomic_bool stranger; // a worker of a number that is none
} counted;

static void count(void *job, int part, int worker)
{
    counted *c = job;
    c->begun[part] = atomic_fetch_add(&c->clock, 1);
    atomic_fetch_add(&c->times[part], 1);
    if (worker < 0 || worker >= c->size) atomic_store(&c->stranger, true);
    for (volatile int k = 0; k < 50 * (part % 7); k++) {
    }
    c->ended[part] = atomic_fetch_add(&c->clock, 1);
}

static void all_once(const counted *c, int n)
{
    for (int k = 0; k < PARTS; k++) assert_int_equal(atomic_load(&c->times[k]), k < n);
    assert_false(atomic_load(&c->stranger));
}

/* Many jobs, so that threads are met working, waiting and asleep. */
static void every_part_is_done_once(void **state)
{
    (void)state;
    mem m = mem_std();
    for (int s = 0; s < CREWS; s++) {
        crew *w = crew_new(&m, sizes[s]);
        assert_int_equal(w == NULL, sizes[s] == 1);
        assert_int_equal(crew_size(w), sizes[s]);
        for (int round = 0; round < 300; round++) {
            int n = round % (PARTS + 1);
            static counted c;
            memset(&c, 0, sizeof c);
            c.size = sizes[s];
            crew_run(w, count, &c, n);
            all_once(&c, n);
            if (round % 50 == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
        crew_free(w);
    }
}

static void trees_are_climbed_and_descended(void **state)
{
    (void)state;
    mem m = mem_std();
    int parent[PARTS], child[PARTS], sibling[PARTS];
    int first_up[PARTS], first_down[PARTS];
    atomic_int waits[PARTS];
    atomic_bool ready[PARTS];
    for (int k = 0; k < PARTS; k++) {
        child[k] = -1;
        first_up[k] = (k + PARTS / 2) % PARTS; // any order will do
        first_down[k] = PARTS - 1 - k;
    }
    for (int k = 0; k < PARTS; k++) { // two trees: one of branches, one a path
        parent[k] = k == 62 || k == PARTS - 1 ? -1 : k < 62 ? 32 + k / 2 - (k == 61) : k + 1;
        if (k < 62 && parent[k] <= k) parent[k] = k + 1;
        sibling[k] = -1;
        if (parent[k] < 0) continue;
        sibling[k] = child[parent[k]];
        child[parent[k]] = k;
    }
    crew_tree tree = {PARTS, parent, child, sibling, first_up, first_down, waits, ready};
    for (int s = 0; s < CREWS; s++) {
        crew *w = crew_new(&m, sizes[s]);
        for (int round = 0; round < 100; round++) {
            static counted c;
            memset(&c, 0, sizeof c);
            c.size = sizes[s];
            bool up = round % 2;
            if (up) crew_climb(w, &tree, count, &c);
            else crew_descend(w, &tree, count, &c);
            all_once(&c, PARTS);
            for (int k = 0; k < PARTS; k++) {
                int p = parent[k];
                if (p < 0) continue;
                assert_true(up ? c.ended[k] < c.begun[p] : c.ended[p] < c.begun[k]);
            }
        }
        crew_free(w);
    }
}

static void square(void *job, int from, int to, double sums[])
{
    const double *x = job;
    sums[0] = sums[1] = 0;
    for (int i = from; i < to; i++) {
        sums[0] += x[i];
        sums[1] += x[i] * x[i];
    }
}

static void halve(void *job, int from, int to)
{
    double *x = job;
    for (int i = from; i < to; i++) x[i] *= 0.5;
}

/* Sums that rounding makes depend on their order: the same for every crew. */
static void sums_are_the_same_bits(void **state)
{
    (void)state;
    mem m = mem_std();
    static const int lengths[] = {1, CREW_STRETCH, CREW_STRETCH + 1, 50001,
                                  CREW_STRETCH * CREW_STRETCHES_MAX + 77777};
    for (int l = 0; l < 5; l++) {
        int n = lengths[l];
        double *x = malloc((size_t)n * sizeof *x), expected[2];
        for (int s = 0; s < CREWS; s++) {
            crew *w = crew_new(&m, sizes[s]);
            double sums[2];
            for (int i = 0; i < n; i++) x[i] = sin(i) * exp(20 * cos(0.7 * i));
            crew_over(w, halve, x, n);
            for (int i = 0; i < n; i++)
                assert_true(x[i] == 0.5 * (sin(i) * exp(20 * cos(0.7 * i))));
            crew_sum(w, square, x, n, 2, sums);
            if (!s) memcpy(expected, sums, sizeof sums);
            assert_memory_equal(sums, expected, sizeof sums);
            crew_free(w);
        }
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(trees_are_climbed_and_descended),
        cmocka_unit_test(sums_are_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
