/* Steps of least norm and singular values of sparse wide matrices, against dense factorisations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "fail_mem.h"

#include "la/dense.h"
#include "la/wide.h"

#include <math.h>

enum { M = 60, N = 90, PER_ROW = 4 };

typedef struct sample {
    vinc_pattern p;
    int start[N + 1], row[M * N];
    double values[M * N], dense[M * N];
} sample;

static uint64_t seed;

static double uniform(void) // (-1, 1)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1;
}

/* Row i holds column i and a few others; the last `dependent` rows are sums of two rows each. */
static void make(sample *x, int dependent)
{
    int independent = M - dependent, k = 0;
    memset(x->dense, 0, sizeof x->dense);
    for (int i = 0; i < independent; i++) {
        x->dense[i + i * M] = 1;
        for (int e = 1; e < PER_ROW; e++)
            x->dense[i + (int)((uniform() + 1) / 2 * N) * M] = uniform();
    }
    for (int i = independent; i < M; i++)
        for (int j = 0; j < N; j++)
            x->dense[i + j * M] = x->dense[i - independent + j * M] + x->dense[i - 1 + j * M];
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < M; i++) {
            if (x->dense[i + j * M] == 0) continue;
            x->row[k] = i;
            x->values[k++] = x->dense[i + j * M];
        }
        x->start[j + 1] = k;
    }
    x->p = (vinc_pattern){M, N, k, x->start, x->row};
}

static void singular_values(const sample *x, double *sigma)
{
    static double a[M * N];
    memcpy(a, x->dense, sizeof a);
    double *work = malloc(la_svd_work(M, N) * sizeof *work);
    assert_true(la_svd(M, N, a, sigma, NULL, NULL, work) >= 0);
    free(work);
}

/* b = A z for some z; the x of least norm with A x = b. */
static void least_norm(const sample *x, double *b, double *least)
{
    static double a[M * N];
    double z[N], tau[M + N], tau_z[M + N];
    int perm[N];
    for (int j = 0; j < N; j++) z[j] = uniform();
    for (int i = 0; i < M; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++) b[i] += x->dense[i + j * M] * z[j];
    }
    memcpy(a, x->dense, sizeof a);
    double *work = malloc(la_cod_work(M, N) * sizeof *work), copy[N] = {0};
    la_cod c = {M, N, 0, a, tau, tau_z, perm, work};
    assert_true(la_cod_factor(&c, 1e-10) > 0);
    memcpy(copy, b, M * sizeof *b);
    la_cod_solve(&c, copy, least);
    free(work);
}

static void steps_are_those_of_least_norm(void **state)
{
    (void)state;
    static sample x;
    mem m = mem_std();
    la_wide *w;
    seed = 7;
    for (int dependent = 0; dependent <= 12; dependent += 4) {
        double b[M], want[N], got[N], sigma[M + N] = {0};
        make(&x, dependent);
        least_norm(&x, b, want);
        singular_values(&x, sigma);
        double least = sigma[M - dependent - 1];
        assert_int_equal(la_wide_new(&m, &x.p, &w), LA_OK);
        assert_int_equal(la_wide_factor(w, x.values), LA_OK);
        la_wide_solve(w, b, got);
        // The damping 1e-10 beside the square of the least singular value, and round-off over it.
        double bound = 1e-10 / (least * least) + 1e-5 * (dependent > 0);
        for (int j = 0; j < N; j++)
            if (!(fabs(got[j] - want[j]) <= 4 * bound)) fail_msg("%g is not %g", got[j], want[j]);
        la_wide_free(w);
    }
}

static void singular_values_agree(void **state)
{
    (void)state;
    static sample x;
    mem m = mem_std();
    double sigma[M + N] = {0};
    la_wide *w;
    seed = 3;
    make(&x, 0);
    singular_values(&x, sigma);
    assert_int_equal(la_wide_new(&m, &x.p, &w), LA_OK);
    assert_int_equal(la_wide_factor(w, x.values), LA_OK);
    // From the inside; neighbouring values are a few percent away.
    double least = la_wide_least(w), most = la_wide_most(w);
    assert_true(least >= sigma[M - 1] * (1 - 1e-6) && least <= 1.05 * sigma[M - 1]);
    assert_true(most <= sigma[0] * (1 + 1e-6) && most >= 0.95 * sigma[0]);
    la_wide_free(w);
}

/* Two rows that turn into each other: the smallest singular value is the sine of half their angle
 * times the square root of 2, for unit rows. */
static void dependence_comes_near(void **state)
{
    (void)state;
    int start[] = {0, 2, 3}, row[] = {0, 1, 1};
    vinc_pattern p = {2, 2, 3, start, row};
    mem m = mem_std();
    la_wide *w;
    assert_int_equal(la_wide_new(&m, &p, &w), LA_OK);
    for (double angle = 1; angle > 1e-7; angle /= 10) {
        double values[] = {1, cos(angle), sin(angle)};
        assert_int_equal(la_wide_factor(w, values), LA_OK);
        double want = sqrt(2) * sin(angle / 2), got = la_wide_least(w);
        if (!(fabs(got - want) < 1e-3 * want)) fail_msg("%g is not %g", got, want);
    }
    la_wide_free(w);
}

static void memory_may_fail(void **state)
{
    (void)state;
    static sample x;
    seed = 5;
    make(&x, 0);
    for (long k = 1;; k++) {
        fail_mem f;
        fail_mem_init(&f, k);
        la_wide *w;
        int rc = la_wide_new(&f.m, &x.p, &w);
        assert_true(rc == LA_OK || (rc == LA_E_MEMORY && !w));
        la_wide_free(w);
        assert_int_equal(f.live, 0);
        if (rc == LA_OK) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_least_norm),
        cmocka_unit_test(singular_values_agree),
        cmocka_unit_test(dependence_comes_near),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
