/* Matching and offsets on signature matrices, against brute force.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/sigma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6, NONE = -1 };

typedef struct fixture {
    mem m;
    arena a, scratch;
} fixture;

static int setup(void **state)
{
    fixture *f = malloc(sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    arena_init(&f->scratch, &f->m);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->a);
    arena_done(&f->scratch);
    free(f);
    return 0;
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* A matrix of orders, NONE for absent entries, as a signature. */
static signature from(arena *a, int order[N][N], int n)
{
    signature s = {.n_rows = n, .n_cols = n};
    s.start = arena_array(a, int, n + 1);
    s.col = arena_array(a, int, n *n);
    s.order = arena_array(a, int, n *n);
    int k = 0;
    for (int i = 0; i < n; i++) {
        s.start[i] = k;
        for (int j = 0; j < n; j++)
            if (order[i][j] != NONE) {
                s.col[k] = j;
                s.order[k++] = order[i][j];
            }
    }
    s.start[n] = k;
    return s;
}

/* The largest sum over a transversal, by trying all; -1000: there is none. */
static int best_transversal(int order[N][N], int n, int row, unsigned used)
{
    if (row == n) return 0;
    int best = -1000;
    for (int j = 0; j < n; j++) {
        if (used & 1u << j || order[row][j] == NONE) continue;
        int rest = best_transversal(order, n, row + 1, used | 1u << j);
        if (rest > -1000 && rest + order[row][j] > best) best = rest + order[row][j];
    }
    return best;
}

/* Offsets are right if and only if d_j - c_i >= order_ij, with equality on a transversal, which is
 * then one of largest sum; they are the smallest if subtracting anything breaks that. */
static void offsets(void **state)
{
    fixture *f = *state;
    uint32_t seed = 7;
    int solvable = 0;
    for (int round = 0; round < 3000; round++) {
        int order[N][N], n = 2 + (int)(next(&seed) % (N - 1));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                order[i][j] = next(&seed) % 3 ? NONE : (int)(next(&seed) % 3);
        signature s = from(&f->a, order, n);
        int best = best_transversal(order, n, 0, 0);
        sigma r, g;
        sigma_rank(&s, &f->a, &f->scratch, &r);
        assert_int_equal(r.n_matched == n, best > -1000);
        if (best < 0) continue;
        solvable++;
        assert_true(sigma_offsets(&s, 100, &f->a, &f->scratch, &g));
        assert_int_equal(sigma_index_of(&s, 100, &f->scratch), sigma_index(&s, &g));
        int sum = 0, lowest = 1000;
        for (int i = 0; i < n; i++) {
            int j = g.col_of[i];
            assert_int_equal(g.row_of[j], i);
            assert_int_equal(g.d[j] - g.c[i], order[i][j]);
            sum += order[i][j];
            if (g.c[i] < lowest) lowest = g.c[i];
            assert_true(g.c[i] >= 0);
            for (int k = 0; k < n; k++)
                if (order[i][k] != NONE) assert_true(g.d[k] - g.c[i] >= order[i][k]);
        }
        assert_int_equal(sum, best);
        assert_int_equal(lowest, 0);
        arena_done(&f->a);
        arena_done(&f->scratch);
    }
    assert_true(solvable > 200);
}

/* Blocks in order: no row depends on an unknown that a later block determines. */
static void blocks(void **state)
{
    fixture *f = *state;
    uint32_t seed = 11;
    for (int round = 0; round < 1000; round++) {
        int order[N][N], n = N;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) order[i][j] = i == j || next(&seed) % 4 == 0 ? 0 : NONE;
        signature s = from(&f->a, order, n);
        sigma g;
        assert_true(sigma_offsets(&s, 10, &f->a, &f->scratch, &g));
        assert_int_equal(sigma_index_of(&s, 10, &f->scratch), sigma_index(&s, &g));
        int *start, *rows, position[N];
        int k = sigma_blocks(&s, g.row_of, g.c, g.d, &f->a, &f->scratch, &start, &rows);
        assert_int_equal(start[k], n);
        for (int b = 0; b < k; b++)
            for (int q = start[b]; q < start[b + 1]; q++) position[rows[q]] = b;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (order[i][j] != NONE) assert_true(position[g.row_of[j]] <= position[i]);
        arena_done(&f->a);
        arena_done(&f->scratch);
    }
}

/* Too many equations in {x0}, too few for {x1, x2}. */
static void dulmage_mendelsohn(void **state)
{
    fixture *f = *state;
    int order[N][N];
    memset(order, 0xff, sizeof order);
    order[0][0] = order[1][0] = 0; // two equations for x0
    order[2][1] = order[2][2] = 0; // one for x1, x2
    signature s = from(&f->a, order, 3);
    sigma g;
    sigma_rank(&s, &f->a, &f->scratch, &g);
    assert_int_equal(g.n_matched, 2);
    int_array rows = {0}, cols = {0};
    sigma_over(&s, &g, &f->a, &rows, &cols);
    assert_int_equal(rows.n, 2);
    assert_int_equal(cols.n, 1);
    assert_int_equal(cols.at[0], 0);
    rows.n = cols.n = 0;
    sigma_under(&s, &g, &f->a, &rows, &cols);
    assert_int_equal(rows.n, 1);
    assert_int_equal(rows.at[0], 2);
    assert_int_equal(cols.n, 2);
}

/* A long chain: the search must not be quadratic, nor deep in recursion. */
static void chain(void **state)
{
    fixture *f = *state;
    enum { LONG = 200000 };
    signature s = {.n_rows = LONG, .n_cols = LONG};
    s.start = arena_array(&f->a, int, LONG + 1);
    s.col = arena_array(&f->a, int, 2 * LONG);
    s.order = arena_array(&f->a, int, 2 * LONG);
    int k = 0;
    for (int i = 0; i < LONG; i++) { // row i: x_i, x_(i+1); the last row x_0
        s.start[i] = k;
        if (i == LONG - 1) {
            s.col[k++] = 0;
            continue;
        }
        s.col[k++] = i;
        s.col[k++] = i + 1;
    }
    s.start[LONG] = k;
    sigma g;
    assert_true(sigma_offsets(&s, 10, &f->a, &f->scratch, &g));
    for (int i = 0; i < LONG; i++) assert_int_equal(g.row_of[g.col_of[i]], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(offsets, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(dulmage_mendelsohn, setup, teardown),
        cmocka_unit_test_setup_teardown(chain, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
