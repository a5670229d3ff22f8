/* Elimination by fronts in several threads: the same bits for any number of them.
 *
 * Grids have branches, a path is eliminated from both ends, separate blocks hang on nothing, a star has
 * all on one: the shapes in which a tree is cut into parts. What is right is known from the residual.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/crew.h"
#include "la/la.h"

#include <math.h>
#include <string.h>

typedef struct shape {
    int n;
    bool (*linked)(int i, int j); // i > j
    int reach;                    // i - j is at most this, but for those that are linked with all
    bool star;
} shape;

enum { SIDE = 70, GRID = SIDE * SIDE, PATH = 9000 };

static bool on_grid(int i, int j)
{
    return i - j == SIDE || (i - j == 1 && i % SIDE);
}

static bool on_path(int i, int j)
{
    return i - j == 1;
}

static bool in_blocks(int i, int j)
{
    return i / 300 == j / 300 && i - j < 3;
}

static bool on_star(int i, int j)
{
    return i == GRID - 1 || (i - j == 1 && i % 5);
}

static const shape shapes[] = {{GRID, on_grid, SIDE, false},
                               {PATH, on_path, 1, false},
                               {PATH, in_blocks, 2, false},
                               {GRID, on_star, 1, true}};
enum { SHAPES = sizeof shapes / sizeof *shapes, ENTRIES_OF_COLUMN = 8 };

typedef struct matrix {
    vinc_pattern p;
    int *start, *row;
    double *values;
} matrix;

static void matrix_entry(matrix *a, const shape *s, int i, int j)
{
    bool linked = i == j || s->linked(i > j ? i : j, i > j ? j : i);
    if (linked) a->row[a->p.nnz++] = i;
}

static matrix matrix_of(const shape *s)
{
    int n = s->n;
    matrix a = {.p = {.n_rows = n, .n_cols = n}};
    a.start = malloc((size_t)(n + 1) * sizeof(int));
    a.row = malloc((size_t)n * ENTRIES_OF_COLUMN * sizeof(int));
    for (int j = 0; j < n; j++) {
        a.start[j] = a.p.nnz;
        bool whole = s->star && j == n - 1;
        int from = whole || j < s->reach ? 0 : j - s->reach,
            to = j + s->reach < n ? j + s->reach : n - 1;
        for (int i = from; i <= to; i++) matrix_entry(&a, s, i, j);
        if (s->star && to < n - 1) matrix_entry(&a, s, n - 1, j);
    }
    a.start[n] = a.p.nnz;
    a.p.start = a.start;
    a.p.row = a.row;
    a.values = malloc((size_t)a.p.nnz * sizeof(double));
    for (int j = 0; j < n; j++)
        for (int k = a.start[j]; k < a.start[j + 1]; k++)
            a.values[k] = a.row[k] == j ? 5 + sin(k) : -1 + 0.3 * cos(1.7 * k);
    if (s->star) a.values[a.p.nnz - 1] = n; // it is on all
    return a;
}

static void matrix_free(matrix *a)
{
    free(a->start);
    free(a->row);
    free(a->values);
}

static double residual(const matrix *a, const double *x, const double *b)
{
    double *r = calloc((size_t)a->p.n_rows, sizeof *r), most = 0;
    for (int j = 0; j < a->p.n_cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) r[a->row[k]] += a->values[k] * x[j];
    for (int i = 0; i < a->p.n_rows; i++) most = fmax(most, fabs(r[i] - b[i]));
    free(r);
    return most;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7};
    mem m = mem_std();
    for (int s = 0; s < SHAPES; s++) {
        matrix a = matrix_of(&shapes[s]);
        size_t n = (size_t)shapes[s].n;
        double *b = malloc(n * sizeof *b), *x = malloc(n * sizeof *x),
               *first = malloc(n * sizeof *x);
        double ratio = 0;
        for (size_t i = 0; i < n; i++) b[i] = sin((double)i);
        for (int k = 0; k < 4; k++) {
            crew *w = crew_new(&m, sizes[k]);
            la_solver *lu;
            la_config c = {.n = (int)n, .pattern = &a.p, .backend = "fronts", .crew = w};
            assert_int_equal(la_new(&m, &c, &lu), LA_OK);
            for (int again = 0; again < 3; again++) {
                assert_int_equal(la_factor(lu, a.values, NULL, 0, 0), LA_OK);
                memcpy(x, b, n * sizeof *x);
                la_solve(lu, x);
                if (!k && !again) memcpy(first, x, n * sizeof *x), ratio = lu->pivot_ratio;
                assert_memory_equal(x, first, n * sizeof *x);
                assert_true(lu->pivot_ratio == ratio);
            }
            // Diagonally dominant but for the star, of which the last row has 5000 entries: rounding of a
            // few operations for each.
            assert_true(residual(&a, x, b) < 1e-11);
            assert_int_equal(lu->n_refactor, 3); // none was handed to another backend
            la_free(lu);
            crew_free(w);
        }
        free(b);
        free(x);
        free(first);
        matrix_free(&a);
    }
}

/* A pivot that fails ends in the backend that pivots, for every number of threads. */
static void pivots_that_fail_are_left_to_others(void **state)
{
    (void)state;
    mem m = mem_std();
    matrix a = matrix_of(&shapes[0]);
    for (int j = 0; j < GRID; j++)
        for (int k = a.start[j]; k < a.start[j + 1]; k++)
            if (a.row[k] == j && j % 100 == 50) a.values[k] = 0;
    double *x = malloc(GRID * sizeof *x), *b = malloc(GRID * sizeof *b);
    for (int i = 0; i < GRID; i++) b[i] = cos(i);
    for (int threads = 1; threads < 4; threads++) {
        crew *w = crew_new(&m, threads);
        la_solver *lu;
        la_config c = {.n = GRID, .pattern = &a.p, .backend = "fronts", .crew = w};
        assert_int_equal(la_new(&m, &c, &lu), LA_OK);
        assert_int_equal(la_factor(lu, a.values, NULL, 0, 0), LA_OK);
        memcpy(x, b, GRID * sizeof *x);
        la_solve(lu, x);
        assert_true(residual(&a, x, b) < 1e-9);
        la_free(lu);
        crew_free(w);
    }
    free(x);
    free(b);
    matrix_free(&a);
}

/* Along a path that damps by a half what is far away is 0, not a number that is slow to work with. */
static void what_decays_becomes_zero(void **state)
{
    (void)state;
    mem m = mem_std();
    matrix a = matrix_of(&shapes[1]);
    for (int j = 0; j < PATH; j++)
        for (int k = a.start[j]; k < a.start[j + 1]; k++) a.values[k] = a.row[k] == j ? 2.5 : -1;
    double *x = calloc(PATH, sizeof *x);
    la_solver *lu;
    la_config c = {.n = PATH, .pattern = &a.p, .backend = "fronts"};
    assert_int_equal(la_new(&m, &c, &lu), LA_OK);
    assert_int_equal(la_factor(lu, a.values, NULL, 0, 0), LA_OK);
    x[0] = 1;
    la_solve(lu, x);
    assert_true(fabs(x[0] - 0.5) < 1e-15 &&
                fabs(x[1] - 0.25) < 1e-15); // 2^-(k + 1) solves the equations
    for (int i = 0; i < PATH; i++) assert_true(x[i] == 0 || fabs(x[i]) >= 2.2250738585072014e-308);
    assert_true(x[PATH - 1] == 0);
    la_free(lu);
    free(x);
    matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(pivots_that_fail_are_left_to_others),
        cmocka_unit_test(what_decays_becomes_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
