/* Steps of least change by sparse factors, where they can be written down.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "start/least_sparse.h"

#include <math.h>
#include <stdlib.h>

enum { M = 300, FREE = 100, N_A = FREE + 1, N_S = 2 * M };

/* delta_2i + delta_2i+1 + c alpha_i = b_i, with alpha_i in the first rows only: there it takes all of
 * b_i, however small c is; elsewhere both delta take half of it. The last alpha is in no row. With
 * `again` the last row repeats the one before. */
static void step_of(bool again, double c)
{
    enum { COLS = N_A + N_S, ENTRIES = N_A + N_S + 2 };
    int *start = calloc(COLS + 1, sizeof *start), *row = calloc(ENTRIES, sizeof *row);
    int *a = calloc(N_A, sizeof *a), *s = calloc(N_S, sizeof *s), n = 0;
    double *values = calloc(ENTRIES, sizeof *values), *b = calloc(M, sizeof *b),
           *delta = calloc(N_S, sizeof *delta), *alpha = calloc(N_A, sizeof *alpha);
    for (int k = 0; k < N_A; k++) { // alpha
        a[k] = k;
        start[k] = n;
        if (k == FREE) continue;
        row[n] = k;
        values[n++] = c;
    }
    for (int k = 0; k < N_S; k++) { // delta
        int i = k / 2;
        s[k] = N_A + k;
        start[N_A + k] = n;
        if (again && i == M - 1) continue; // its row repeats the one before
        row[n] = i;
        values[n++] = 1;
        if (!again || i != M - 2) continue;
        row[n] = M - 1;
        values[n++] = 1;
    }
    start[COLS] = n;
    for (int i = 0; i < M; i++) b[i] = 1 + (again && i == M - 1 ? i - 1 : i);
    mem m = mem_std();
    least_linear p = {M, N_A, N_S, a, s, start, row, values, b};
    assert_true(least_sparse_step(&m, &p, delta, alpha));
    for (int i = 0; i < M; i++) {
        double want = i < FREE || (again && i == M - 1) ? 0 : 0.5 * (1 + i);
        assert_true(fabs(delta[2 * i] - want) <= 1e-8 * (1 + i));
        assert_true(fabs(delta[2 * i + 1] - want) <= 1e-8 * (1 + i));
        if (i < FREE) assert_true(fabs(c * alpha[i] - (1 + i)) <= 1e-8 * (1 + i));
    }
    assert_true(fabs(alpha[FREE]) <= 1e-8);
    free(start), free(row), free(values);
    free(a), free(s), free(b), free(delta), free(alpha);
}

static void free_unknowns_take_what_they_can(void **state)
{
    (void)state;
    step_of(false, 1);
    step_of(false, 1e-11); // a capacitance times a slope
}

static void rows_may_repeat_others(void **state)
{
    (void)state;
    step_of(true, 1);
    step_of(true, 1e-11);
}

static void what_is_small_or_full_is_left_to_dense_steps(void **state)
{
    (void)state;
    assert_false(least_is_sparse(100, 200, 300)); // few rows
    assert_false(least_is_sparse(1000, 1000, 500000));
    assert_true(least_is_sparse(1000, 1000, 3000));
    assert_true(least_is_sparse(10000, 10000, 50000000)); // too large to be anything else
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_unknowns_take_what_they_can),
        cmocka_unit_test(rows_may_repeat_others),
        cmocka_unit_test(what_is_small_or_full_is_left_to_dense_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
