/* Which sequences of event times accumulate.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/zeno.h"
#include "cmocka_all.h"

// Feed n times f(0), f(1) ... of so many sources in turn; the first verdict that is not NO.
static int judge_of(int sources, double (*f)(int k), int n, double resolution, double *limit)
{
    sim_zeno z = {0};
    for (int k = 0; k < n; k++) {
        int found = sim_zeno_add(&z, f(k), k % sources, 10, resolution, limit);
        if (found) return found;
    }
    return SIM_ZENO_NO;
}

static int judge(double (*f)(int k), int n, double resolution, double *limit)
{
    return judge_of(1, f, n, resolution, limit);
}

static double geometric(int k)
{
    return 3 - pow(0.8, k); // limit 3
}
static double slow(int k)
{
    return 3 - pow(0.97, k);
}
static double in_pairs(int k) // an impact, and the end of contact a moment later
{
    return 3 - pow(0.8, k / 2) + (k % 2) * 1e-14;
}
static double two_walls(int k) // intervals shrink by 0.5 and 0.9 in turn
{
    return 3 - pow(0.45, k / 2) * (k % 2 ? 0.5 : 1);
}

static void converging(void **state)
{
    (void)state;
    double (*f[])(int) = {geometric, slow, in_pairs, two_walls};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        double limit = 0;
        assert_int_equal(judge(f[i], 2000, 1e-4, &limit), SIM_ZENO_ACCUMULATES);
        assert_near(limit, 3, 1e-9);
    }
}

static double periodic(int k)
{
    return 0.1 * k;
}
static double pwm(int k) // two events per period, a duty of 1 %
{
    return 0.1 * (k / 2) + (k % 2) * 0.001;
}
static double chirp(int k) // phase t^2: intervals shrink for ever, the times do not converge
{
    return sqrt(1e-3 * k);
}
static double harmonic(int k) // intervals like 1/k: the sum diverges
{
    return log(1 + k);
}
static double irregular(int k)
{
    return 1e-3 * (k + 0.4 * sin(12.9 * k * k));
}
static double burst(int k) // 8 intervals that halve, then a pause, again and again
{
    return k / 9 + 1 - pow(0.5, k % 9);
}

static void not_converging(void **state)
{
    (void)state;
    double (*f[])(int) = {periodic, pwm, chirp, harmonic, irregular, burst};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        double limit = 0;
        assert_int_equal(judge(f[i], 60, 1e-4, &limit), SIM_ZENO_NO);
    }
    double limit;
    assert_int_equal(judge(periodic, 100000, 1, &limit), SIM_ZENO_NO);
    assert_int_equal(judge(chirp, 100000, 1, &limit), SIM_ZENO_NO);
    assert_int_equal(judge(geometric, 15, 1e-4, &limit), SIM_ZENO_NO); // far from the limit
}

/* Two sources take turns as two walls do; a hundred that follow each other, each once, end. */
static void sources(void **state)
{
    (void)state;
    double limit;
    assert_int_equal(judge_of(2, two_walls, 100, 1e-4, &limit), SIM_ZENO_ACCUMULATES);
    assert_near(limit, 3, 1e-9);
    assert_int_equal(judge_of(100, geometric, 100, 1e-4, &limit), SIM_ZENO_NO);
}

static double still(int k)
{
    return 2 + 4e-16 * k;
}

static double creeping(int k) // a hundred-billionth of the run
{
    return 2 + 9e-11 * k;
}
static double fast(int k)
{
    return 2 + 2e-10 * k;
}

static void chattering(void **state)
{
    (void)state;
    double limit;
    assert_int_equal(judge(still, 500, 1e-4, &limit), SIM_ZENO_NO);
    assert_int_equal(judge(still, 5000, 1e-4, &limit), SIM_ZENO_CHATTERS);
    assert_int_equal(judge(creeping, 5000, 1e-4, &limit), SIM_ZENO_CHATTERS);
    assert_int_equal(judge(fast, 5000, 1e-4, &limit), SIM_ZENO_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(converging),
                                       cmocka_unit_test(not_converging),
                                       cmocka_unit_test(sources), cmocka_unit_test(chattering)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
