/* Unit tests of src/result/decimal.c. The reference is the C library in the C locale.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "result/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static result_powers powers;

static int setup(void **state)
{
    (void)state;
    result_powers_init(&powers);
    return 0;
}

static uint64_t next(uint64_t *s) // xorshift64*, Marsaglia 2003
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * 2685821657736338717u;
}

static double from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static void check_format(double x)
{
    char s[DECIMAL_MAX_CHARS], expected[64];
    int n = result_print_number(&powers, x, s);
    snprintf(expected, sizeof expected, "%.17g", x);
    if (strcmp(s, expected) != 0 || (size_t)n != strlen(s))
        fail_msg("%a: '%s' (%d), expected '%s'", x, s, n, expected);
}

static void check_scan(const char *s)
{
    double x;
    char *end;
    double expected = strtod(s, &end);
    size_t used = result_scan(&powers, s, strlen(s), '.', &x);
    if (used != (size_t)(end - s) || memcmp(&x, &expected, sizeof x) != 0)
        fail_msg("'%s': %a (%zu bytes), expected %a (%zu)", s, x, used, expected,
                 (size_t)(end - s));
}

static void special_numbers(void **state)
{
    (void)state;
    static const double list[] = {0.0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.1,
                                  0.5,
                                  100,
                                  1e16,
                                  1e17,
                                  1e18,
                                  123456789012345678.,
                                  1e22,
                                  1e23,
                                  9.5e-5,
                                  1e-4,
                                  9.9999999999999991e-5,
                                  9.9999999999999999e16,
                                  DBL_MAX,
                                  DBL_MIN,
                                  5e-324,
                                  1.7e-320,
                                  DBL_EPSILON,
                                  0.3,
                                  2.0 / 3,
                                  4503599627370497.5,
                                  9007199254740993.0,
                                  0x1p-1022,
                                  0x1p1023};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_format(list[i]);
    check_format(INFINITY);
    check_format(-INFINITY);
    char s[DECIMAL_MAX_CHARS];
    result_print_number(&powers, -NAN, s);
    assert_string_equal(s, "nan");
    for (int k = -323; k <= 308; k++) {
        char t[16];
        snprintf(t, sizeof t, "1e%d", k);
        check_scan(t);
        check_format(strtod(t, NULL));
    }
    for (int k = -1074; k <= 1023; k++) {
        check_format(ldexp(1, k)); // many lie exactly between two 17-digit decimals
        check_format(ldexp(3, k));
    }
}

static void random_numbers_agree_with_the_library(void **state)
{
    (void)state;
    uint64_t seed = 20240607;
    for (int i = 0; i < 60000; i++) {
        uint64_t u = next(&seed);
        double x = from_bits(u);
        if (!isfinite(x)) continue;
        check_format(x);
        double y = (double)(int64_t)(u >> 40) / 1000; // short decimals
        check_format(y);
        char s[64];
        snprintf(s, sizeof s, "%.*e", (int)(u % 25), x);
        check_scan(s);
        snprintf(s, sizeof s, "%.*f", (int)(u % 12), y);
        check_scan(s);
        char f[DECIMAL_MAX_CHARS];
        double back;
        int n = result_print_number(&powers, x, f);
        assert_int_equal(result_scan(&powers, f, (size_t)n, '.', &back), n);
        assert_memory_equal(&back, &x, sizeof x);
    }
}

/* Numbers half way between two doubles, and a digit away from it, with up to 780 digits. */
static void halfway_numbers_are_rounded_right(void **state)
{
    (void)state;
    uint64_t seed = 7;
    char s[1400];
    for (int i = 0; i < 400; i++) {
        int k = (int)(next(&seed) % 1900) - 1000;
        uint64_t f = (next(&seed) >> 11 | (uint64_t)1 << 52);
        // f + 1/2 in units of 2^k, exactly, as a long double; then a tail of zeros and a digit
        long double half = ldexpl((long double)f + 0.5L, k);
        int n = snprintf(s, sizeof s, "%.780Le", half);
        check_scan(s);
        char *e = strchr(s, 'e');
        e[-1] = '1';
        check_scan(s);
        assert_true(n > 780);
    }
    memset(s, '0', sizeof s);
    memcpy(s, "0.5", 3);
    strcpy(s + 1300, "1e5");
    check_scan(s);
}

static void forms_of_numbers(void **state)
{
    (void)state;
    static const char *const list[] = {"1",
                                       "+1",
                                       "-1.",
                                       ".5",
                                       "1e5",
                                       "1E+05",
                                       "1e-5x",
                                       "1e",
                                       "1e+",
                                       "00012.500",
                                       "1e999999999999",
                                       "-1e-999999999",
                                       "0e999999",
                                       "inf",
                                       "-INF",
                                       "Infinity",
                                       "infinit",
                                       "1.5.2",
                                       "12abc",
                                       "0.0000000000000000000000000000000000000000000000012345",
                                       "123456789012345678901234567890",
                                       "9007199254740993",
                                       "2.2250738585072011e-308",
                                       "1.7976931348623159e308"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_scan(list[i]);
    static const char *const none[] = {"", "-", ".", "+.", "e5", "x", "- 1", "na", "in"};
    double x;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(result_scan(&powers, none[i], strlen(none[i]), '.', &x), 0);
    assert_int_equal(result_scan(&powers, "NaN", 3, '.', &x), 3);
    assert_true(isnan(x));
    assert_int_equal(result_scan(&powers, "1,5", 3, ',', &x), 3);
    assert_true(x == 1.5);
    assert_int_equal(result_scan(&powers, "123", 2, '.', &x), 2); // stays inside
    assert_true(x == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_numbers),
        cmocka_unit_test(random_numbers_agree_with_the_library),
        cmocka_unit_test(halfway_numbers_are_rounded_right),
        cmocka_unit_test(forms_of_numbers),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
