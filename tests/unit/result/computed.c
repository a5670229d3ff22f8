/* Unit tests of src/result/computed.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

#include <math.h>

/* x = 3, y = 4, T = 293.15 K, der(x) = 0.5, q[1,2] = 7 in the second of two rows; k = 2 is a constant. */
static result *computed_sample(mem *m)
{
    static const double first[] = {1, 1, 273.15, 1, 1}, second[] = {3, 4, 293.15, 0.5, 7};
    result *r;
    result_new(m, &r);
    result_add(r, "x", "m", "", RESULT_REAL);
    result_add(r, "y", "m", "", RESULT_REAL);
    result_add(r, "T", "K", "", RESULT_REAL);
    result_add(r, "der(x)", "m/s", "", RESULT_REAL);
    result_add(r, "q[1,2]", "", "", RESULT_REAL);
    result_add_constant(r, "k", "", "", RESULT_REAL, 2);
    result_append(r, 0, first);
    result_append(r, 1, second);
    return r;
}

static const struct {
    const char *text, *unit;
    double value;
} right[] = {
    {"T-273.15", "degC", 20},
    {"x+y", "m", 7},
    {"x-1", "m", 2},
    {"-x", "m", -3},
    {"2*x", "m", 6},
    {"x/2", "m", 1.5},
    {"x*y", "", 12},
    {"x + T", "", 296.15},
    {"2^3^2", "", 512}, // from the right
    {"-2^2", "", -4},
    {"x-y-k", "", -3},   // from the left
    {"k*x+y*2", "", 14}, // the unit of k is not known
    {"(x+y)*2", "m", 14},
    {"sqrt(x^2+y^2)", "", 5},
    {"max(x, y) - min(x,y)", "m", 1},
    {"atan2(y, x)", "", 0.92729521800161219}, // atan(4/3)
    {"2*der(x)", "m/s", 1},
    {"q[1, 2]*10", "", 70},
    {"1e-3*time", "s", 1e-3},
    {"abs(-x)", "m", 3},
};

static void values_of_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        mem m = mem_std();
        result *r = computed_sample(&m);
        result_fault fault = {0};
        int n = r->n_columns;
        if (result_add_formulas(r, right[i].text, &fault))
            fail_msg("%s: %s", right[i].text, fault.text);
        assert_int_equal(r->n_columns, n + 1);
        double v = result_value(r, n, 1);
        if (!(fabs(v - right[i].value) <= 1e-12 * fabs(right[i].value)))
            fail_msg("%s is %.17g, not %.17g", right[i].text, v, right[i].value);
        if (strcmp(r->columns[n].look->unit, right[i].unit) != 0)
            fail_msg("%s is in '%s', not '%s'", right[i].text, r->columns[n].look->unit,
                     right[i].unit);
        result_selection s;
        assert_int_equal(result_select(r, right[i].text, &s, &fault), RESULT_OK);
        assert_int_equal(s.curves[0].y, n);
        result_selection_done(&s);
        assert_int_equal(result_add_formulas(r, right[i].text, &fault),
                         RESULT_OK); // once is enough
        assert_int_equal(r->n_columns, n + 1);
        result_free(r);
    }
}

static void wrong_expressions(void **state)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {{"x-z", "'z'"},
                 {"x+", "no expression"},
                 {"sqrt(x", "no expression"},
                 {"max(x)", "no expression"},
                 {"(x))", "no expression"},
                 {"x y+1", "no expression"},
                 {"2*+*x", "no expression"},
                 {"sin()+1", "no expression"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mem m = mem_std();
        result *r = computed_sample(&m);
        result_fault fault = {0};
        if (result_add_formulas(r, wrong[i].text, &fault) >= 0 ||
            !strstr(fault.text, wrong[i].words))
            fail_msg("%s: '%s'", wrong[i].text, fault.text);
        result_free(r);
    }
    char deep[5000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    mem m = mem_std();
    result *r = computed_sample(&m);
    assert_true(result_add_formulas(r, deep, NULL) < 0);
    for (size_t i = 0; i + 1 < sizeof deep; i++) deep[i] = i % 2 ? '+' : 'x';
    assert_true(result_add_formulas(r, deep, NULL) < 0); // too long, and said so
    result_free(r);
}

/* Names and patterns are not taken for expressions. */
static void names_stay_names(void **state)
{
    static const char *const names[] = {"x",  "der(x)", "q[1,2]", "x,y;T", "x:y",
                                        "q*", "*",      "x|y",    ""};
    (void)state;
    mem m = mem_std();
    result *r = computed_sample(&m);
    int n = r->n_columns;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(result_add_formulas(r, names[i], NULL), RESULT_OK);
    assert_int_equal(r->n_columns, n);
    result_free(r);
}

/* What is not recorded itself is computed from what is. */
static void few_are_recorded(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = computed_sample(&m);
    result_truncate(r, 0);
    result *fresh;
    result_new(&m, &fresh);
    result_add(fresh, "x", "", "", RESULT_REAL);
    result_add(fresh, "y", "", "", RESULT_REAL);
    result_add(fresh, "z", "", "", RESULT_REAL);
    result_selection s;
    int list[8];
    assert_int_equal(result_add_formulas(fresh, "x*z", NULL), RESULT_OK);
    assert_int_equal(result_select(fresh, "x*z", &s, NULL), RESULT_OK);
    assert_int_equal(result_keep(fresh, &s, fresh->n_slots, list), 2);
    assert_int_equal(list[0], 0);
    assert_int_equal(list[1], 2);
    assert_int_equal(result_append(fresh, 0, (double[]){3, 5}), RESULT_OK);
    assert_true(result_value(fresh, s.curves[0].y, 0) == 15);
    result_selection_done(&s);
    result_free(fresh);
    result_free(r);
}

static void no_memory(void **state)
{
    (void)state;
    for (long k = 0; k < 40; k++) {
        counting c = {.fail_at = -1};
        mem m = counting_mem(&c);
        result *r = computed_sample(&m);
        c.fail_at = c.calls + k;
        result_fault fault = {0};
        int rc = result_add_formulas(r, "x+y;sqrt(T)", &fault);
        if (rc) assert_int_equal(rc, RESULT_E_MEMORY);
        result_free(r);
        assert_int_equal(c.live_bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_expressions), cmocka_unit_test(wrong_expressions),
        cmocka_unit_test(names_stay_names), cmocka_unit_test(few_are_recorded),
        cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
