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
    double *a = calloc((size_t)M * N_A, sizeof *a), *s = calloc((size_t)M * N_S, sizeof *s);
    double *b = calloc(M, sizeof *b), *delta = calloc(N_S, sizeof *delta),
           *alpha = calloc(N_A, sizeof *alpha);
    for (int i = 0; i < M; i++) {
        int of = again && i == M - 1 ? i - 1 : i;
        s[i + 2 * of * M] = s[i + (2 * of + 1) * M] = 1;
        b[i] = 1 + of;
        if (i < FREE) a[i + i * M] = c;
    }
    mem m = mem_std();
    least_linear p = {M, N_A, N_S, a, s, b};
    assert_true(least_sparse_step(&m, &p, delta, alpha));
    for (int i = 0; i < M; i++) {
        double want = i < FREE || (again && i == M - 1) ? 0 : 0.5 * (1 + i);
        assert_true(fabs(delta[2 * i] - want) <= 1e-8 * (1 + i));
        assert_true(fabs(delta[2 * i + 1] - want) <= 1e-8 * (1 + i));
        if (i < FREE) assert_true(fabs(c * alpha[i] - (1 + i)) <= 1e-8 * (1 + i));
    }
    assert_true(fabs(alpha[FREE]) <= 1e-8);
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

static void small_ones_are_left_to_dense_steps(void **state)
{
    (void)state;
    double a[4] = {1, 0, 0, 1}, b[2] = {1, 2}, delta[2], alpha[2];
    mem m = mem_std();
    least_linear p = {2, 2, 2, a, a, b};
    assert_false(least_sparse_step(&m, &p, delta, alpha));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_unknowns_take_what_they_can),
        cmocka_unit_test(rows_may_repeat_others),
        cmocka_unit_test(small_ones_are_left_to_dense_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
