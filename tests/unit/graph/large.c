/* Large patterns: deep searches must not overflow the stack, and answers are known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "random.h"

enum { N = 200 * 1000 };

typedef struct fixture {
    mem m;
    arena a;
    int *start, *col, *order;
    int n, nnz;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    f->start = arena_array(&f->a, int, 3 * N + 1);
    f->col = arena_array(&f->a, int, 12 * N);
    f->order = arena_array(&f->a, int, 12 * N);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->a);
    free(f);
    return 0;
}

static void entry(fixture *f, int col, int order)
{
    f->col[f->nnz] = col;
    f->order[f->nnz++] = order;
}

static void end_row(fixture *f)
{
    f->start[++f->n] = f->nnz;
}

// Row i holds i+1 and i, the last row n-1 only: the first choices are all wrong, one path mends
// all.
static void chain_that_must_be_turned(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < N; i++) {
        if (i + 1 < N) entry(f, i + 1, 0);
        entry(f, i, 0);
        end_row(f);
    }
    graph_pattern g = {N, N, f->start, f->col, f->order};
    graph_matching m = graph_match(&g, NULL, &f->a, &f->a);
    assert_int_equal(m.n, N);
    for (int i = 0; i < N; i++) assert_int_equal(m.col_of[i], i);
    graph_blocks b = graph_blt(&g, m.row_of, NULL, NULL, &f->a, &f->a); // back to front
    assert_int_equal(b.n, N);
    for (int i = 0; i < N; i++) assert_int_equal(b.item[i], N - 1 - i);
    entry(f, 0, 0); // closed to a ring: one block
    f->start[N]++;
    m = graph_match(&g, NULL, &f->a, &f->a);
    assert_int_equal(m.n, N);
    assert_int_equal(graph_blt(&g, m.row_of, NULL, NULL, &f->a, &f->a).n, 1);
}

// x_i' = f(x_(i-1), x_i, x_(i+1), z_i), 0 = g(x_i, z_i, z_(i+1)): index 1, nothing to
// differentiate.
static void offsets_of_a_large_index_1_system(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < N; i++) {
        entry(f, i, 1);
        if (i) entry(f, i - 1, 0);
        if (i + 1 < N) entry(f, i + 1, 0);
        entry(f, N + i, 0);
        end_row(f);
        entry(f, i, 0);
        entry(f, N + i, 0);
        if (i + 1 < N) entry(f, N + i + 1, 0);
        end_row(f);
    }
    graph_pattern g = {2 * N, 2 * N, f->start, f->col, f->order};
    graph_offsets s;
    assert_true(graph_differentiate(&g, 2, &f->a, &f->a, &s));
    assert_int_equal(s.match.n, 2 * N);
    assert_int_equal(graph_index_of(&g, 2, &f->a), graph_index(&g, &s));
    for (int i = 0; i < 2 * N; i++) {
        assert_int_equal(s.c[i], 0);
        assert_int_equal(s.d[i], i < N);
    }
}

// A chain of pendulums: every constraint couples two neighbours and is differentiated twice.
static void offsets_of_a_chain_of_pendulums(void **state)
{
    fixture *f = *state;
    enum { M = N / 10 };
    for (int i = 0; i < M; i++) { // columns x_i, y_i, lambda_i at 3 i, 3 i + 1, 3 i + 2
        for (int k = 0; k < 2; k++) {
            entry(f, 3 * i + k, 2);
            entry(f, 3 * i + 2, 0);
            if (i + 1 < M) {
                entry(f, 3 * i + 5, 0);
                entry(f, 3 * i + 3 + k, 0);
            }
            if (i) entry(f, 3 * i - 3 + k, 0);
            end_row(f);
        }
        for (int k = i ? -3 : 0; k < 2; k == -2 ? k = 0 : k++) entry(f, 3 * i + k, 0);
        end_row(f);
    }
    graph_pattern g = {3 * M, 3 * M, f->start, f->col, f->order};
    graph_offsets s;
    assert_true(graph_differentiate(&g, 2, &f->a, &f->a, &s));
    assert_int_equal(s.match.n, 3 * M);
    assert_int_equal(graph_index_of(&g, 2, &f->a), graph_index(&g, &s));
    for (int i = 0; i < M; i++) {
        assert_int_equal(s.c[3 * i], 0);
        assert_int_equal(s.c[3 * i + 2], 2);
        assert_int_equal(s.d[3 * i], 2);
        assert_int_equal(s.d[3 * i + 2], 0);
    }
}

// Unknowns of a grid with its five-point stencil: everything together.
static void grid(void **state)
{
    fixture *f = *state;
    enum { K = 300 };
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) {
            int at = K * i + j;
            if (i) entry(f, at - K, 0);
            if (j) entry(f, at - 1, 0);
            entry(f, at, 0);
            if (j + 1 < K) entry(f, at + 1, 0);
            if (i + 1 < K) entry(f, at + K, 0);
            end_row(f);
        }
    graph_pattern g = {K * K, K * K, f->start, f->col, f->order};
    graph_matching m = graph_match(&g, NULL, &f->a, &f->a);
    assert_int_equal(m.n, K * K);
    assert_int_equal(graph_blt(&g, m.row_of, NULL, NULL, &f->a, &f->a).n, 1);
}

static void one_row_less(void **state)
{
    fixture *f = *state;
    for (int i = 0; i + 1 < N; i++) { // row i: i, i+1; one column too many everywhere
        entry(f, i, 0);
        entry(f, i + 1, 0);
        end_row(f);
    }
    graph_pattern g = {N - 1, N, f->start, f->col, f->order};
    graph_matching m = graph_match(&g, NULL, &f->a, &f->a);
    assert_int_equal(m.n, N - 1);
    int_array rows = {0}, cols = {0};
    graph_under(&g, &m, &f->a, &rows, &cols);
    assert_int_equal(rows.n, N - 1);
    assert_int_equal(cols.n, N);
}

#define unit(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(chain_that_must_be_turned),
        unit(offsets_of_a_large_index_1_system),
        unit(offsets_of_a_chain_of_pendulums),
        unit(grid),
        unit(one_row_less),
    };
    return cmocka_run_group_tests_name("graph, large", tests, NULL, NULL);
}
