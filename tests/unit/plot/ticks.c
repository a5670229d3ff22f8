/* Unit tests of src/plot/ticks.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "plot/ticks.h"

#include <math.h>

static uint64_t seed = 12345;

static double uniform(void) // in [0, 1)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double random_size(double lowest, double highest) // 10^lowest ... 10^highest
{
    return pow(10, lowest + (highest - lowest) * uniform());
}

/* What a label says: (label 10^exponent + offset). */
static double read_label(const char *s)
{
    char plain[64] = "";
    size_t n = 0;
    for (; *s && n < sizeof plain - 1; s++) {
        if ((unsigned char)s[0] == 0xE2) plain[n++] = '-', s += 2; // the minus sign
        else plain[n++] = *s;
    }
    return strtod(plain, NULL);
}

static void check(const plot_ticks *t, double lo, double hi, int most)
{
    // steps differ by up to 2.5: six ticks may become two, and then seven or eight are better
    if (t->n < 3 || t->n > (most < 8 ? 9 : most))
        fail_msg("%.17g ... %.17g: %d ticks of %d", lo, hi, t->n, most);
    for (int i = 0; i < t->n; i++) {
        double slack = 1e-8 * (hi - lo) + 1e-15 * fmax(fabs(lo), fabs(hi));
        if (t->at[i] < lo - slack || t->at[i] > hi + slack)
            fail_msg("%.17g ... %.17g: tick %.17g", lo, hi, t->at[i]);
        if (i > 0 && !(t->at[i] > t->at[i - 1])) fail_msg("ticks do not grow at %g", t->at[i]);
        if (!t->label[i][0] || strlen(t->label[i]) > 20) fail_msg("label '%s'", t->label[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(t->label[i], t->label[k]) == 0)
                fail_msg("%.17g ... %.17g: '%s' twice", lo, hi, t->label[i]);
    }
}

static void linear_ticks_are_few_and_differ(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        // a middle, and a range down to 1e-10 of it
        double middle = (uniform() - 0.5) * random_size(-280, 280);
        double range = (fabs(middle) + 1e-290) * random_size(-10, 3), lo = middle - range / 2,
               hi = middle + range / 2;
        int most = 6 + (int)(4 * uniform());
        plot_ticks t;
        plot_ticks_linear(&t, lo, hi, most, false);
        check(&t, lo, hi, most);
        // steps are 1, 2 or 5 times a power of ten
        double step = t.at[1] - t.at[0], digit = step / pow(10, floor(log10(step) + 1e-6));
        if (range > 1e-6 * fabs(middle) && fabs(digit - 1) > 1e-4 && fabs(digit - 2) > 1e-4 &&
            fabs(digit - 5) > 1e-4)
            fail_msg("%.17g ... %.17g: step %.17g", lo, hi, step);
    }
}

static void labels_mean_their_ticks(void **state)
{
    (void)state;
    for (int i = 0; i < 5000; i++) {
        double middle = (uniform() - 0.5) * random_size(-12, 12);
        double range = fabs(middle) * random_size(-8, 2);
        plot_ticks t;
        plot_ticks_linear(&t, middle - range / 2, middle + range / 2, 7, false);
        for (int k = 0; k < t.n; k++) {
            double v = read_label(t.label[k]) * pow(10, t.exponent);
            if (strstr(t.offset, "\u00d7")) continue; // written with a power of its own
            v += read_label(t.offset);
            double step = t.at[1] - t.at[0];
            if (fabs(v - t.at[k]) > 1e-6 * step + 1e-14 * fabs(t.at[k]))
                fail_msg("'%s' + '%s' e%d is not %.17g", t.label[k], t.offset, t.exponent, t.at[k]);
        }
    }
}

static void common_axes_look_as_expected(void **state)
{
    (void)state;
    static const struct {
        double lo, hi;
        const char *labels, *offset;
        int exponent;
    } list[] = {
        {0, 10, "0 2 4 6 8 10", "", 0},
        {0, 1, "0 0.2 0.4 0.6 0.8 1.0", "", 0},
        {-1, 1, "\u22121.0 \u22120.5 0 0.5 1.0", "", 0},
        {2000, 2010, "2000 2002 2004 2006 2008 2010", "", 0},
        {9.81, 9.8100009, "0 200 400 600 800", "9.81", -9},
        {-3e6, 2e6, "\u22123 \u22122 \u22121 0 1 2", "", 6},
        {0, 0.005, "0 1 2 3 4 5", "", -3},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        plot_ticks t;
        char s[200] = "";
        plot_ticks_linear(&t, list[i].lo, list[i].hi, 7, false);
        for (int k = 0; k < t.n; k++) sprintf(s + strlen(s), "%s%s", k ? " " : "", t.label[k]);
        assert_string_equal(s, list[i].labels);
        assert_string_equal(t.offset, list[i].offset);
        assert_int_equal(t.exponent, list[i].exponent);
    }
    plot_ticks t;
    plot_ticks_linear(&t, -0.05, 1.05, 7, true); // a Boolean
    assert_int_equal(t.n, 2);
    assert_string_equal(t.label[0], "0");
    assert_string_equal(t.label[1], "1");
}

static void log_ticks_are_few_and_differ(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double lo = random_size(-280, 200), hi = lo * (1 + random_size(-3, 60));
        plot_ticks t;
        plot_ticks_log(&t, lo, hi, 8);
        check(&t, lo, hi, 8);
        assert_true(t.n_minor <= TICKS_MINOR_MAX);
    }
    plot_ticks t;
    plot_ticks_log(&t, 1e-12, 1, 8);
    assert_string_equal(t.label[0], "10\u207b\u00b9\u00b2");
    assert_true(t.at[t.n - 1] == 1);
    plot_ticks_log(&t, 1.5e-8, 8e-6,
                   3); // where seven are too many, both decades, not the first three
    assert_int_equal(t.n, 2);
    assert_true(t.at[0] == 1e-7 && t.at[1] == 1e-6);
}

static void limits_are_usable(void **state)
{
    (void)state;
    static const double odd[] = {0,        -0.0,      1,   -1,   1e-320, 1e308,    -1e308,
                                 INFINITY, -INFINITY, NAN, 3.14, 1e-12,  1 + 1e-15};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
            for (int log = 0; log < 2; log++) {
                double lo = odd[i], hi = odd[k];
                plot_limits(&lo, &hi, 0.05, log);
                if (!(isfinite(lo) && isfinite(hi) && lo < hi && (!log || lo > 0)))
                    fail_msg("%g, %g, log %d: %g ... %g", odd[i], odd[k], log, lo, hi);
                plot_ticks t;
                if (log) plot_ticks_log(&t, lo, hi, 7);
                else plot_ticks_linear(&t, lo, hi, 7, false);
                check(&t, lo, hi, 7);
            }
    double lo = 0.1, hi = 1;
    plot_limits(&lo, &hi, 0.05, false);
    assert_true(lo == 0); // zero is near
    lo = 5, hi = 6;
    plot_limits(&lo, &hi, 0.05, false);
    assert_true(lo > 4.9 && lo < 5 && hi > 6 && hi < 6.1);
    lo = hi = 7;
    plot_limits(&lo, &hi, 0.05, false);
    assert_true(lo < 7 && hi > 7);
}

static void units_are_typeset(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"kg.m2/s", "kg\u00b7m\u00b2/s"},
        {"W/(m2.K)", "W/(m\u00b2\u00b7K)"},
        {"1/s", "1/s"},
        {"s-1", "s\u207b\u00b9"},
        {"degC", "\u00b0C"},
        {"deg/s", "\u00b0/s"},
        {"Ohm.m", "\u03a9\u00b7m"},
        {"", ""},
        {"m/s2", "m/s\u00b2"},
        {"degree", "degree"},
        {"10-3 m", "10-3 m"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char s[60];
        plot_unit(list[i][0], s, sizeof s);
        assert_string_equal(s, list[i][1]);
    }
    char tiny[4];
    plot_unit("m.m.m.m2", tiny, sizeof tiny); // cut, not overrun
    assert_true(strlen(tiny) < sizeof tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_few_and_differ),
        cmocka_unit_test(labels_mean_their_ticks),
        cmocka_unit_test(common_axes_look_as_expected),
        cmocka_unit_test(log_ticks_are_few_and_differ),
        cmocka_unit_test(limits_are_usable),
        cmocka_unit_test(units_are_typeset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
