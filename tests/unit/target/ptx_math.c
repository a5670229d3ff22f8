/* Elementary functions for GPUs against those of the C library in long double, and what clang made of
 * them, run by a machine of our own, against the same C on the processor.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "support/ptx_machine.h"
#include "tape_random.h"
#include "target/ptx.h"
#include "target/ptx_math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct subject {
    const char *name;
    double (*one)(double), (*two)(double, double);
    long double (*true_one)(long double), (*true_two)(long double, long double);
    double low, high; // of the first argument
    double low_second, high_second;
    double ulps; // the bound of ptx_math.c
} subject;

static const subject subjects[] = {
    {"vinc_exp", vinc_exp, NULL, expl, NULL, -745, 710, 0, 0, 1.1},
    {"vinc_log", vinc_log, NULL, logl, NULL, 0, 4, 0, 0, 1.1},
    {"vinc_log10", vinc_log10, NULL, log10l, NULL, 0, 1e5, 0, 0, 1.1},
    {"vinc_sin", vinc_sin, NULL, sinl, NULL, -50, 50, 0, 0, 1.1},
    {"vinc_sin", vinc_sin, NULL, sinl, NULL, -1e14, 1e14, 0, 0, 1.1},
    {"vinc_cos", vinc_cos, NULL, cosl, NULL, -50, 50, 0, 0, 1.1},
    {"vinc_cos", vinc_cos, NULL, cosl, NULL, -1e14, 1e14, 0, 0, 1.1},
    {"vinc_tan", vinc_tan, NULL, tanl, NULL, -50, 50, 0, 0, 3},
    {"vinc_asin", vinc_asin, NULL, asinl, NULL, -1, 1, 0, 0, 3},
    {"vinc_acos", vinc_acos, NULL, acosl, NULL, -1, 1, 0, 0, 3},
    {"vinc_atan", vinc_atan, NULL, atanl, NULL, -20, 20, 0, 0, 1.1},
    {"vinc_sinh", vinc_sinh, NULL, sinhl, NULL, -5, 5, 0, 0, 4},
    {"vinc_cosh", vinc_cosh, NULL, coshl, NULL, -700, 700, 0, 0, 3},
    {"vinc_tanh", vinc_tanh, NULL, tanhl, NULL, -3, 3, 0, 0, 4},
    {"vinc_atan2", NULL, vinc_atan2, NULL, atan2l, -3, 3, -3, 3, 1.1},
    {"vinc_pow", NULL, vinc_pow, NULL, powl, 0.2, 5, -20, 20, 1.1},
    {"vinc_pow", NULL, vinc_pow, NULL, powl, 0.9, 1.1, -5000, 5000, 4},
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects, N_POINTS = 20000, N_COMPARED = 300 };

static double value(const subject *s, const double x[2])
{
    return s->one ? s->one(x[0]) : s->two(x[0], x[1]);
}

static void point(const subject *s, rng *r, double x[2])
{
    double u = (double)(rng_next(r) >> 11) * 0x1p-53, v = (double)(rng_next(r) >> 11) * 0x1p-53;
    x[0] = s->low + (s->high - s->low) * u;
    x[1] = s->low_second + (s->high_second - s->low_second) * v;
}

static void close_to_the_true_values(void **state)
{
    (void)state;
    rng r = {17};
    for (int k = 0; k < N_SUBJECTS; k++)
        for (int i = 0; i < N_POINTS; i++) {
            const subject *s = &subjects[k];
            double x[2];
            point(s, &r, x);
            long double expect = s->true_one ? s->true_one(x[0]) : s->true_two(x[0], x[1]);
            double near = fabs((double)expect), ulp = nextafter(near, INFINITY) - near;
            double got = value(s, x);
            if (isinf(near) && got == (double)expect) continue;
            if (!(fabsl(got - expect) <= s->ulps * ulp))
                fail_msg("%s(%a, %a) = %a, not %La: %.2f ulp", s->name, x[0], x[1], got, expect,
                         (double)fabsl(got - expect) / ulp);
        }
}

/* Signs, zeros, infinities: exactly as the C library, where the value is one of those or exact. */
static void special_values_are_those_of_the_c_library(void **state)
{
    (void)state;
    static const double x[] = {0,    -0.0, 1,  -1, INFINITY, -INFINITY, NAN,    0.5,
                               -0.5, 2,    -2, 3,  -3,       1e300,     -1e300, 1e-320};
    static const struct {
        double (*f)(double), (*g)(double);
    } one[] = {{vinc_exp, exp},   {vinc_log, log},   {vinc_log10, log10}, {vinc_sin, sin},
               {vinc_cos, cos},   {vinc_tan, tan},   {vinc_asin, asin},   {vinc_acos, acos},
               {vinc_atan, atan}, {vinc_sinh, sinh}, {vinc_cosh, cosh},   {vinc_tanh, tanh}};
    enum { N = sizeof x / sizeof *x };
    for (int i = 0; i < N; i++) {
        for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
            double a = one[k].f(x[i]), b = one[k].g(x[i]);
            bool near = fabs(a - b) <= 4 * (nextafter(fabs(b), INFINITY) - fabs(b));
            if (!(isnan(a) && isnan(b)) && (!(a == b || near) || signbit(a) != signbit(b)))
                fail_msg("function %zu of %g: %g, not %g", k, x[i], a, b);
        }
        for (int j = 0; j < N; j++) {
            double pair[][2] = {{vinc_pow(x[i], x[j]), pow(x[i], x[j])},
                                {vinc_atan2(x[i], x[j]), atan2(x[i], x[j])}};
            for (int k = 0; k < 2; k++) {
                double a = pair[k][0], b = pair[k][1];
                bool near = fabs(a - b) <= 2 * (nextafter(fabs(b), INFINITY) - fabs(b));
                if (!(isnan(a) && isnan(b)) && (!(a == b || near) || signbit(a) != signbit(b)))
                    fail_msg("%s(%g, %g): %g, not %g", k ? "atan2" : "pow", x[i], x[j], a, b);
            }
        }
    }
}

static void clang_keeps_the_bits(void **state)
{
    (void)state;
    char why[200] = "";
    if (!ptx_math_text()) skip(); // a build without clang
    ptx_machine *m = ptx_machine_new(ptx_math_text(), why);
    if (!m) fail_msg("%s", why);
    rng r = {23};
    for (int k = 0; k < N_SUBJECTS; k++)
        for (int i = 0; i < N_COMPARED; i++) {
            const subject *s = &subjects[k];
            double x[2], got, expect;
            point(s, &r, x);
            expect = value(s, x);
            if (ptx_machine_call(m, s->name, x, s->one ? 1 : 2, &got, why)) fail_msg("%s", why);
            if (memcmp(&got, &expect, sizeof got) && !(isnan(got) && isnan(expect)))
                fail_msg("%s(%a, %a): %a, not %a", s->name, x[0], x[1], got, expect);
        }
    ptx_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_to_the_true_values),
        cmocka_unit_test(special_values_are_those_of_the_c_library),
        cmocka_unit_test(clang_keeps_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
