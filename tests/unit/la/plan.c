/* The search for pivots: what it costs where most rows have none for a while.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "la/lists.h"
#include "la/plan.h"

#include <limits.h>
#include <math.h>

/* Blocks of four: d is alone in its row, which goes first. What it leaves of row 1 is the shortest row,
 * and its entries are too small for their columns while rows 2 and 3 are there.
 *
 *        a      b      c      d
 *   0                         1
 *   1    0.01   0.02          1
 *   2    1      1      1
 *   3    1     -1      2                       */
enum { ROWS = 4, ENTRIES = 10, BLOCKS_MAX = 400 };

static const struct entry {
    int row, col;
    double value;
} block[ENTRIES] = {{1, 0, 0.01}, {2, 0, 1}, {3, 0, 1}, {1, 1, 0.02}, {2, 1, 1},
                    {3, 1, -1},   {2, 2, 1}, {3, 2, 2}, {0, 3, 1},    {1, 3, 1}};

typedef struct blocks {
    vinc_pattern pattern;
    int start[ROWS * BLOCKS_MAX + 1], row[ENTRIES * BLOCKS_MAX];
    double a[ENTRIES * BLOCKS_MAX];
} blocks;

static void make_blocks(blocks *x, int count)
{
    int k = 0;
    for (int b = 0; b < count; b++)
        for (int e = 0; e < ENTRIES; e++, k++) {
            if (!e || block[e].col != block[e - 1].col) x->start[ROWS * b + block[e].col] = k;
            x->row[k] = ROWS * b + block[e].row;
            x->a[k] = block[e].value;
        }
    x->start[ROWS * count] = k;
    x->pattern = (vinc_pattern){ROWS * count, ROWS * count, k, x->start, x->row};
}

static long rows_searched(blocks *x, int count)
{
    mem m = mem_std();
    la_plan p;
    int defect = -1;
    make_blocks(x, count);
    la_config config = {.n = ROWS * count, .pattern = &x->pattern};
    assert_int_equal(la_plan_make(&p, &m, &config, x->a, NULL, 0, 0, LONG_MAX, &defect), LA_OK);
    assert_int_equal(p.steps, ROWS * count);
    long searched = p.searched;
    la_plan_free(&p);
    return searched;
}

/* Each step looks at four rows that have a pivot. Besides, a row is looked at in vain once after each change
 * of it or of the largest of one of its columns: two steps of its block at most. */
static void rows_without_a_pivot_are_not_looked_at_again(void **state)
{
    static blocks x;
    (void)state;
    for (int count = 100; count <= BLOCKS_MAX; count *= 2) {
        long searched = rows_searched(&x, count), most = 4L * ROWS * count + 2L * ROWS * count;
        if (searched > most) fail_msg("%d blocks: %ld rows, not %ld", count, searched, most);
    }
}

/* Those that were set aside come back: the solution of a x = b with x = (1, 2, 3, 4) in each block. */
static void rows_that_were_set_aside_are_eliminated(void **state)
{
    enum { COUNT = 200, N = ROWS * COUNT };
    static blocks x;
    double b[N];
    mem m = mem_std();
    la_solver *s;
    (void)state;
    make_blocks(&x, COUNT);
    for (int i = 0; i < N; i++) b[i] = 0;
    for (int j = 0; j < N; j++)
        for (int k = x.start[j]; k < x.start[j + 1]; k++) b[x.row[k]] += x.a[k] * (j % ROWS + 1);
    la_config config = {.n = N, .pattern = &x.pattern, .backend = "indexed"};
    assert_int_equal(la_new(&m, &config, &s), LA_OK);
    assert_int_equal(la_factor(s, x.a, NULL, 0, 0), LA_OK);
    la_solve(s, b);
    for (int i = 0; i < N; i++) assert_true(fabs(b[i] - (i % ROWS + 1)) < 1e-12);
    la_free(s);
}

/* A full first row and column beside the diagonal: one update and two entries for each of the others, which go first. A
 * matrix with an empty column has no pivots by structure: it counts as full, n^3/3 and n^2 - n. */
static void fill_is_guessed_from_the_pattern(void **state)
{
    (void)state;
    enum { N = 6 };
    int start[N + 1], row[3 * N], k = 0;
    double updates, entries;
    for (int j = 0; j < N; j++) {
        start[j] = k;
        if (j) row[k++] = 0, row[k++] = j;
        else
            while (k < N) row[k] = k, k++;
    }
    start[N] = k;
    la_guess_lists(&(vinc_pattern){N, N, k, start, row}, &updates, &entries);
    assert_true(updates == N - 1 && entries == 2 * (N - 1));
    la_guess_lists(&(vinc_pattern){3, 3, 2, (int[]){0, 1, 2, 2}, (int[]){0, 1}}, &updates,
                   &entries);
    assert_true(updates == 9 && entries == 6);
}

/* Every step of a chain has one entry to its right, one below it, and one update: more than a word of columns. */
static void fill_of_a_long_chain(void **state)
{
    (void)state;
    enum { N = 200 };
    int start[N + 1], row[3 * N], k = 0;
    double updates, entries;
    for (int j = 0; j < N; j++) {
        start[j] = k;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < N) row[k++] = i;
    }
    start[N] = k;
    la_guess_lists(&(vinc_pattern){N, N, k, start, row}, &updates, &entries);
    assert_true(updates == N - 1 && entries == 2 * (N - 1));
}

/* Rows of a chain cost more than its entries: a third of what a solution counts would be left without them. */
static void rows_of_lists_count(void **state)
{
    (void)state;
    double chain[2], full[2];
    la_lists_work(100, 298, 99, 198, &chain[0], &chain[1]);
    la_lists_work(10, 100, 285, 90, &full[0], &full[1]);
    assert_true(chain[0] == 99 + 2 * 198 + 1.5 * 298 + 600 && chain[1] == 198 + 500);
    assert_true(full[1] < 2 * 90 && chain[1] > 3 * 198);
}

static unsigned random_next(unsigned *seed)
{
    return *seed = *seed * 1664525u + 1013904223u, *seed >> 8;
}

/* A matrix of a few distinct sizes, so that many pivots are equally good, with zeros and with entries that are too small. */
static vinc_pattern random_matrix(unsigned *seed, int n, int fill, int *start, int *row, double *a)
{
    static const double values[] = {1, -1, 2, 0.5, 0, 0.01, 1e-3, 3};
    int k = 0;
    for (int j = 0; j < n; j++) {
        start[j] = k;
        for (int i = 0; i < n; i++) {
            if (i != j && (int)(random_next(seed) % 100) >= fill) continue;
            a[k] = values[random_next(seed) % 8];
            row[k++] = i;
        }
    }
    start[n] = k;
    return (vinc_pattern){n, n, k, start, row};
}

/* Rows and columns are each eliminated once, steps change later rows and columns only, and without a pivot the matrix is
 * singular. */
static void every_plan_is_an_elimination(void **state)
{
    (void)state;
    enum { N = 48 };
    static int start[N + 1], row[N * N];
    static double a[N * N];
    mem m = mem_std();
    unsigned seed = 7;
    int singular = 0, dense = 0, early = 0;
    for (int trial = 0; trial < 600; trial++) {
        int n = 1 + (int)(random_next(&seed) % N), fill = (int)(random_next(&seed) % 40);
        int defect = -1;
        vinc_pattern pattern = random_matrix(&seed, n, fill, start, row, a);
        la_config config = {.n = n, .pattern = &pattern};
        la_plan p;
        long most = trial % 7 ? LONG_MAX : 40;
        int rc = la_plan_make(&p, &m, &config, a, NULL, 0, 0, most, &defect);
        singular += rc == LA_SINGULAR;
        if (rc) assert_in_range(defect, 0, n - 1);
        if (rc) continue;
        for (int k = 0; k < n; k++) {
            assert_int_equal(p.at_row[p.row[k]], k);
            assert_int_equal(p.at_col[p.col[k]], k);
        }
        for (int k = 0; k < p.steps; k++) {
            for (int e = p.start[2 * k]; e < p.start[2 * k + 1]; e++)
                assert_true(p.at_col[p.line[e]] > k);
            for (int e = p.start[2 * k + 1]; e < p.start[2 * k + 2]; e++)
                assert_true(p.at_row[p.line[e]] > k);
        }
        dense += p.steps < n && most == LONG_MAX;
        early += p.steps < n && most < LONG_MAX;
        la_plan_free(&p);
    }
    assert_true(singular > 20 && singular < 400 && dense > 20 && early > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_without_a_pivot_are_not_looked_at_again),
        cmocka_unit_test(rows_that_were_set_aside_are_eliminated),
        cmocka_unit_test(fill_is_guessed_from_the_pattern),
        cmocka_unit_test(fill_of_a_long_chain),
        cmocka_unit_test(rows_of_lists_count),
        cmocka_unit_test(every_plan_is_an_elimination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
