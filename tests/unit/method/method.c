/* The registry of methods and the reading of their names.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "method/method.h"

#include <math.h>

static void every_entry_is_complete(void **state)
{
    (void)state;
    int n = 0;
    for (const vinc_method *const *m = vinc_methods; *m; m++, n++) {
        assert_true((*m)->name[0] && (*m)->summary[0] && (*m)->cite[0] && (*m)->ops);
        assert_true((*m)->order_min >= 1 && (*m)->order_min <= (*m)->order_max);
        assert_int_not_equal(!((*m)->traits & METHOD_EXPLICIT), !((*m)->traits & METHOD_IMPLICIT));
        assert_int_not_equal(!((*m)->traits & METHOD_ONESTEP), !((*m)->traits & METHOD_MULTISTEP));
        assert_ptr_equal(method_find((*m)->name, NULL, NULL), *m); // names are unique
    }
    assert_true(n >= 17);
}

/* Rows of a tableau sum to c, the weights to 1; a multistep formula is exact for constants and t,
 * one for x'' = f for t^2 too. */
static void formulas_are_consistent(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        double opt[METHOD_OPTIONS_MAX];
        method_find((*m)->name, opt, NULL);
        if ((*m)->tableau) {
            method_tableau t;
            (*m)->tableau(opt, &t);
            assert_in_range(t.order, (*m)->order_min, (*m)->order_max);
            double sum = 0, embedded = 0;
            for (int i = 0; i < t.stages; i++) {
                double row = 0;
                for (int j = 0; j < t.stages; j++) row += t.a[i][j];
                assert_true(fabs(row - t.c[i]) < 2e-14);
                sum += t.b[i];
                embedded += t.b_embedded[i];
            }
            assert_true(fabs(sum - 1) < 2e-14);
            if (t.order_embedded) assert_true(fabs(embedded - 1) < 1e-14);
        }
        if ((*m)->multistep) {
            method_multistep f;
            (*m)->multistep(opt, &f);
            bool second = (*m)->kind == FORMULA_SECOND_ORDER;
            double zero = 0, first = 0, acceleration = 0;
            for (int i = 0; i <= f.steps; i++) {
                zero += f.alpha[i];
                first += -i * f.alpha[i] - (second ? 0 : f.beta[i]);
                acceleration += 0.5 * i * i * f.alpha[i] - f.beta[i];
            }
            assert_true(fabs(zero) < 1e-14 && fabs(first) < 1e-13);
            if (second) assert_true(fabs(acceleration) < 1e-13);
        }
    }
}

static void options_ride_on_the_name(void **state)
{
    (void)state;
    double opt[METHOD_OPTIONS_MAX];
    char why[METHOD_WHY];
    const vinc_method *m = method_find("bdf:order=3", opt, why);
    assert_non_null(m);
    assert_true(opt[0] == 3);
    assert_non_null(method_find("bdf", opt, why));
    assert_true(opt[0] == 0);

    assert_null(method_find("bfd", opt, why));
    assert_non_null(strstr(why, "no method 'bfd'; did you mean 'bdf'"));
    assert_null(method_find("bdf:odrer=3", opt, why));
    assert_non_null(strstr(why, "no option 'odrer'"));
    static const char *const bad[] = {
        "bdf:order=7",  "bdf:order=2.5", "bdf:order=",    "bdf:order",
        "bdf:order=3x", "bdf:",          "bdf:order=1,,", "bdf:order=nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(method_find(bad[i], opt, why));
        assert_true(why[0]);
    }
    assert_null(method_find("rk4:x=1", opt, why));
    char giant[2000];
    memset(giant, 'a', sizeof giant - 1);
    giant[sizeof giant - 1] = 0;
    assert_null(method_find(giant, opt, why)); // cut, not overrun
    assert_true(strlen(why) < METHOD_WHY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_complete),
        cmocka_unit_test(formulas_are_consistent),
        cmocka_unit_test(options_ride_on_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
