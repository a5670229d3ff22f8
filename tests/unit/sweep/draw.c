/* Points of designs: known answers of the generator, strata that are each hit once, quantiles.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "sweep/sweep_draw.h"
#include "sweep/sweep_plan.h"

#include <math.h>

/* The answers that come with Random123 (kat_vectors, philox4x32 10). */
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t out[4];
    } known[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, ~(uint64_t)0, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         UINT64_C(0x299f31d0a4093822),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        draw_philox(known[i].key, known[i].counter, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void permutations(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 64, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char hit[1000] = {0};
        for (uint64_t k = 0; k < sizes[i]; k++) {
            uint64_t to = draw_permuted(11, 3, k, sizes[i]);
            assert_true(to < sizes[i] && !hit[to]);
            hit[to] = 1;
        }
    }
}

/* Each of n equal parts of an axis is hit once: for a Latin hypercube for any n, for Sobol's sequence
 * for any power of two, from any multiple of it on, in all dimensions. */
static void strata(void **state)
{
    (void)state;
    enum { N = 256 };
    for (int axis = 0; axis < DRAW_DIMENSIONS; axis++)
        for (int from = 0; from < 2 * N; from += N) {
            char sobol[N] = {0}, latin[N] = {0};
            for (uint64_t k = 0; k < N; k++) {
                double x = draw_unit(DRAW_SOBOL, 5, (uint64_t)from + k, 2 * N, axis);
                double y = draw_unit(DRAW_LATIN, 5, k, N, axis);
                assert_true(x > 0 && x < 1 && y > 0 && y < 1);
                assert_false(sobol[(int)(x * N)]++);
                assert_false(latin[(int)(y * N)]++);
            }
        }
}

/* The first two dimensions are a (0, 2)-sequence: every box of area 1/n with sides that are powers of
 * two has one of n points. I. M. Sobol', USSR Comput. Math. Math. Phys. 7 (1967) 86-112. */
static void boxes(void **state)
{
    (void)state;
    enum { BITS = 8, N = 1 << BITS };
    for (int across = 0; across <= BITS; across++) {
        char hit[N] = {0};
        for (uint64_t k = 0; k < N; k++) {
            double x = draw_unit(DRAW_SOBOL, 9, k, N, 0), y = draw_unit(DRAW_SOBOL, 9, k, N, 1);
            int box =
                (int)(x * (1 << across)) << (BITS - across) | (int)(y * (1 << (BITS - across)));
            assert_false(hit[box]++);
        }
    }
}

/* By the complementary error function of the C library, and one number of every table: the quantile of
 * 0.975 is 1.959963984540054. */
static void normal(void **state)
{
    (void)state;
    assert_near(draw_normal(0.975), 1.959963984540054, 1e-15); // 0.025 is rounded
    assert_near(draw_normal(0.5), 0, 1e-16);
    for (double u = 1e-300; u < 0.5; u = u < 1e-3 ? 3 * u : u + 0.01) {
        double x = draw_normal(u);
        assert_near(0.5 * erfc(-x * M_SQRT1_2) / u, 1, 1e-12);
    }
}

/* Means of 4096 points of Sobol's sequence: its error in one dimension is that of a stratified sum,
 * below 1/n of the variation, which the quantiles cut off bound by 10 standard deviations. */
static void means(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double a[3], mean;
    } known[] = {
        {"uniform", {2, 5}, 3.5},
        {"normal", {9.81, 0.1}, 9.81},
        {"lognormal", {0.3, 0.2}, 1.3771277643359572}, // exp(mu + sigma^2/2) = exp(0.32)
        {"triangular", {1, 2, 6}, 3},
    };
    for (int i = 0; i < 4; i++) {
        const sweep_distribution *d = &sweep_distributions[i];
        assert_string_equal(d->name, known[i].name);
        enum { N = 4096 };
        double sum = 0;
        for (uint64_t k = 0; k < N; k++)
            sum += d->quantile(known[i].a, draw_unit(DRAW_SOBOL, 1, k, N, 4));
        assert_near(sum / N, known[i].mean, 10.0 / N);
    }
}

/* Run k depends on the seed and on k: not on what was drawn before, and not on how many there are. */
static void no_memory(void **state)
{
    (void)state;
    double late = draw_unit(DRAW_RANDOM, 4, 1000000007, 2000000000, 2);
    for (int k = 0; k < 10; k++) draw_unit(DRAW_RANDOM, 4, (uint64_t)k, 10, 1);
    assert_true(late == draw_unit(DRAW_RANDOM, 4, 1000000007, 3000000000, 2));
    assert_true(late != draw_unit(DRAW_RANDOM, 5, 1000000007, 2000000000, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers), cmocka_unit_test(permutations), cmocka_unit_test(strata),
        cmocka_unit_test(boxes),         cmocka_unit_test(normal),       cmocka_unit_test(means),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
