/* Sums over stages against plain loops: the same operations in the same order, the same bits; but for sums of squares,
 * which are taken in another order.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/stages.h"
#include "cmocka_all.h"

#include <math.h>

enum { N = 13 }; // whole groups of four, a pair, one left

/* Numbers without structure. */
static double number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

static void fill(double *x, int n, unsigned *seed)
{
    for (int i = 0; i < n; i++) x[i] = number(seed);
}

static void mixes(void **state)
{
    (void)state;
    unsigned seed = 1;
    stage_row m[SCHEME_STAGES];
    double in[SCHEME_STAGES * N], out[SCHEME_STAGES * N];
    fill(m[0], SCHEME_STAGES * SCHEME_STAGES, &seed);
    fill(in, SCHEME_STAGES * N, &seed);
    for (int s = 1; s <= SCHEME_STAGES; s++)
        for (int n = 1; n <= N; n++) {
            stages_mix(s, (const stage_row *)m, in, out, n);
            for (int k = 0; k < s; k++)
                for (int i = 0; i < n; i++) {
                    double sum = m[k][0] * in[i];
                    for (int j = 1; j < s; j++) sum += m[k][j] * in[j * n + i];
                    assert_true(out[k * n + i] == sum);
                }
        }
}

static void sums(void **state)
{
    (void)state;
    unsigned seed = 2;
    double w[STAGES_MAX], x[STAGES_MAX * N], base[N], out[N];
    fill(w, STAGES_MAX, &seed);
    fill(x, STAGES_MAX * N, &seed);
    fill(base, N, &seed);
    w[2] = w[7] = 0; // what these weigh is not looked at
    for (int count = 0; count <= STAGES_MAX; count++)
        for (int n = 1; n <= N; n++) {
            for (int i = 0; i < n; i++) x[2 * n + i] = NAN;
            stages_sum(count, w, 0.3, x, count % 2 ? base : NULL, out, n);
            for (int i = 0; i < n; i++) {
                double sum = count % 2 ? base[i] : 0;
                for (int j = 0; j < count; j++)
                    if (w[j] != 0) sum += 0.3 * w[j] * x[j * n + i];
                assert_true(out[i] == sum);
            }
            fill(x, STAGES_MAX * N, &seed);
        }
}

enum { STRIDE = N + 2 };

/* m x_j of unknown i. */
static double mixed(int s, const double *m, const double *x, int i)
{
    double sum = m[0] * x[i];
    for (int j = 1; j < s; j++) sum += m[j] * x[j * STRIDE + i];
    return sum;
}

static void halves_of_an_iteration(void **state)
{
    (void)state;
    unsigned seed = 3;
    stage_row m[SCHEME_STAGES];
    double y[N], weight[N], z[SCHEME_STAGES * STRIDE], points[SCHEME_STAGES * STRIDE];
    double d[SCHEME_STAGES * STRIDE], w[SCHEME_STAGES * STRIDE], was[SCHEME_STAGES * STRIDE];
    fill(m[0], SCHEME_STAGES * SCHEME_STAGES, &seed);
    for (int s = 1; s <= SCHEME_STAGES; s++)
        for (int n = 1; n <= N; n++) {
            double squares = 0;
            fill(y, N, &seed), fill(weight, N, &seed), fill(z, SCHEME_STAGES * STRIDE, &seed);
            fill(w, SCHEME_STAGES * STRIDE, &seed);
            for (int i = 0; i < SCHEME_STAGES * STRIDE; i++) points[i] = d[i] = NAN, was[i] = w[i];
            stages_points(s, (const stage_row *)m, &(stage_points){n, STRIDE, y, z, points, d});
            for (int k = 0; k < s; k++)
                for (int i = 0; i < STRIDE; i++) {
                    int at = k * STRIDE + i;
                    assert_true(i < n ? points[at] == y[i] + z[at] : isnan(points[at]));
                    assert_true(i < n ? d[at] == mixed(s, m[k], z, i) : isnan(d[at]));
                }
            double sum =
                stages_move(s, (const stage_row *)m, &(stage_move){n, STRIDE, d, weight, w, z});
            for (int k = 0; k < s; k++)
                for (int i = 0; i < STRIDE; i++) {
                    int at = k * STRIDE + i;
                    double e = i < n ? d[at] * weight[i] : 0;
                    squares += e * e;
                    assert_true(w[at] == (i < n ? was[at] - d[at] : was[at]));
                    if (i < n) assert_true(z[at] == mixed(s, m[k], w, i));
                }
            assert_true(fabs(sum - squares) <= 1e-14 * squares);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixes), cmocka_unit_test(sums),
                                       cmocka_unit_test(halves_of_an_iteration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
