/* Recorded values between the ends of steps keep the tolerance, and satisfy the equations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/method.h"
#include "trial.h"

#include <math.h>

static const char *next_adaptive(int *i)
{
    const unsigned skip = METHOD_SECOND_ORDER; // needs x'' = f
    while (vinc_methods[*i] &&
           (!(vinc_methods[*i]->traits & METHOD_ADAPTIVE) || (vinc_methods[*i]->traits & skip)))
        ++*i;
    return vinc_methods[*i] ? vinc_methods[(*i)++]->name : NULL;
}

static const double *values_of(const trial *r, const char *name)
{
    vinc_column c;
    assert_int_equal(vinc_result_column(r->result, vinc_result_find(r->result, name), &c), VINC_OK);
    return c.values;
}

/* The largest |name - exact(t)| over all rows. */
static double most_off(const trial *r, const char *name, double (*exact)(double t))
{
    const double *t = values_of(r, "time"), *x = values_of(r, name);
    double most = 0;
    for (size_t k = 0; k < vinc_result_n_rows(r->result); k++)
        most = fmax(most, fabs(x[k] - exact(t[k])));
    return most;
}

/* ---- delay() --------------------------------------------------------------------------------- */

static double late_sine(double t)
{
    return t > 0.3 ? sin(3 * (t - 0.3)) : 0;
}

/* The past is known in closed form, so what is recorded of it is exact to the pieces kept of it,
 * whatever the steps are. */
static void the_past_is_read_at_the_time_of_the_row(void **state)
{
    (void)state;
    const char *method;
    for (int i = 0; (method = next_adaptive(&i));) {
        trial r =
            trial_of("model M Real y = delay(sin(3*time), 0.3); Real z(start = 0, fixed = true);"
                     "equation der(z) = y - z; end M;",
                     (vinc_sim_options){.method = method, .has_stop = 1, .t_stop = 4});
        double most = most_off(&r, "y", late_sine);
        if (!(most < 1e-7)) fail_msg("%s: the delayed sine is off by %g", method, most);
        trial_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_past_is_read_at_the_time_of_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
