/* Units: exponents and factors from the SI brochure (BIPM 2019, tables 2, 4, 7 and 8).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "flat/units.h"

#include <math.h>

static unit parse(const char *words)
{
    unit u;
    if (!unit_parse(words, &u)) fail_msg("'%s' is not understood", words);
    return u;
}

static void expect_equal(const char *a, const char *b)
{
    unit x = parse(a), y = parse(b);
    if (!unit_equal(&x, &y)) fail_msg("%s and %s should be the same", a, b);
}

static void derived_units(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"N", "kg.m/s2"},
        {"Pa", "N/m2"},
        {"J", "N.m"},
        {"W", "J/s"},
        {"C", "A.s"},
        {"V", "W/A"},
        {"F", "C/V"},
        {"Ohm", "V/A"},
        {"S", "1/Ohm"},
        {"Wb", "V.s"},
        {"T", "Wb/m2"},
        {"H", "Wb/A"},
        {"lx", "lm/m2"},
        {"Bq", "1/s"},
        {"Gy", "J/kg"},
        {"kat", "mol/s"},
        {"J/(kg.K)", "J.kg-1.K-1"},
        {"rad/s", "s-1"},
        {"N.m.s/rad", "J.s"},
        {"(Pa.s2)/m6", "Pa.s2.m-6"},
        {"l", "dm3"},
        {"VA", "V.A"},
        {"MVA", "MW"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) expect_equal(same[i][0], same[i][1]);
}

static void prefixes_and_powers(void **state)
{
    (void)state;
    assert_float_equal(parse("mm").factor, 1e-3, 1e-18);
    assert_float_equal(parse("mm2").factor, 1e-6, 1e-20); // the exponent includes the prefix
    assert_float_equal(parse("km/h").factor, 1000.0 / 3600, 1e-12);
    assert_float_equal(parse("kW.h").factor, 3.6e6, 1e-6);
    assert_float_equal(parse("g").factor, 1e-3, 1e-18);
    assert_float_equal(parse("dam").factor, 10, 1e-12);
    assert_float_equal(parse("T").factor, 1, 0);    // tesla, not the prefix
    assert_float_equal(parse("min").factor, 60, 0); // minute, not milli-inch
    assert_float_equal(parse("1").factor, 1, 0);
    unit v = parse("V"), root;
    assert_true(unit_power(&v, 0.5, &root));
    assert_int_equal(root.power[0], 12); // m2 to the 1/2 is m: twelve twelfths
    assert_true(unit_multiply(&root, &root, 1, &root));
    assert_true(unit_equal(&root, &v));
    assert_false(unit_power(&v, 0.3, &root));
}

static void refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",   "Nm", "kg m", "m/s/s", "m^2", "degC", "furlong", "m..s", "(m",
        "m)", "/s", "m2.",  "m-",    "1/",  "kkg",  "m1000",   "2",    "((((((((((((((((((((((m"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        unit u;
        if (unit_parse(wrong[i], &u)) fail_msg("'%s' should be refused", wrong[i]);
    }
}

static void names(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    static const char *const same[][2] = {
        {"N.m", "J"}, {"V/A", "Ohm"}, {"m/s2", "m.s-2"}, {"kg.m2", "m2.kg"}, {"rad", "1"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        unit u = parse(same[i][0]);
        assert_string_equal(unit_name(&u, &a), same[i][1]);
    }
    unit v = parse("V"), root;
    assert_true(unit_power(&v, 0.5, &root));
    assert_string_equal(unit_name(&root, &a), "m.kg^(6/12).s^(-18/12).A^(-6/12)");
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_units),
        cmocka_unit_test(prefixes_and_powers),
        cmocka_unit_test(refused),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
