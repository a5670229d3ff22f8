/* Schemes of collocation: eigenvectors by formula, against what they have to be.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/scheme.h"
#include "cmocka_all.h"
#include "method/irk.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rows of T^-1 grow to 500 with seven stages, and are a few hundred units in the last place off. */
static const double NEAR_INVERSE = 1e-11, NEAR_RATE = 10 * DBL_EPSILON;

static void transforms(void **state)
{
    (void)state;
    for (int s = 2; s <= SCHEME_STAGES; s++) {
        method_tableau t = {0};
        scheme k;
        if (s == 4 || s == 6) continue; // none is listed
        radau_iia_nodes(s, &t);
        assert_int_equal(scheme_build(&t, &k, NULL), 0);
        assert_int_equal(k.n_real + 2 * k.n_pairs, s);
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                double one = 0, rate = 0, size = 0;
                for (int l = 0; l < s; l++) {
                    one += k.t[i][l] * k.ti[l][j];
                    rate += k.ai[i][l] * k.t[l][j];
                    size += fabs(k.ai[i][l] * k.t[l][j]);
                }
                assert_true(fabs(one - (i == j)) < NEAR_INVERSE);
                assert_true(fabs(rate - k.ait[i][j]) < NEAR_RATE * size);
            }
        for (int j = 0; j < s; j++) {
            double sum = 0, size = 0;
            for (int l = 0; l < s; l++) {
                sum += k.begin[l] * k.t[l][j];
                size += fabs(k.begin[l] * k.t[l][j]);
            }
            assert_true(fabs(sum - k.begin_t[j]) < NEAR_RATE * size);
        }
    }
}

/* Of the same tableau without its eigenvalues, by elimination; eigenvectors are multiples of each other. */
static void formulas_and_tableaus(void **state)
{
    (void)state;
    method_tableau t = {0};
    scheme by_formula, by_tableau;
    radau_iia(5, &t);
    assert_int_equal(scheme_build(&t, &by_formula, NULL), 0);
    t.roots = NULL;
    assert_int_equal(scheme_build(&t, &by_tableau, NULL), 0);
    assert_true(by_tableau.collocation && by_tableau.ends);
    assert_true(fabs(by_tableau.gamma[0] - by_formula.gamma[0]) < 1e-13);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            assert_true(fabs(by_tableau.ai[i][j] - by_formula.ai[i][j]) < 1e-12);
            assert_true(fabs(by_tableau.t[i][0] - by_formula.t[i][0]) < 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transforms),
                                       cmocka_unit_test(formulas_and_tableaus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
