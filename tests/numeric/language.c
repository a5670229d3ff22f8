/* What the language demands of a run, on models that run to t = 1: values at the end against closed
 * forms that stand beside them, or the message that refuses the model. Sections are of the Modelica
 * Language Specification 3.6.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

typedef struct ending {
    const char *text, *name;
    double value;
} ending;

static void expect_endings(const ending *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        trial r = trial_of(list[i].text, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
        double x = vinc_result_at(r.result, list[i].name, 1);
        if (!(fabs(x - list[i].value) < 1e-6))
            fail_msg("%s is %.9g, not %.9g: %s", list[i].name, x, list[i].value, list[i].text);
        trial_end(&r);
    }
}

/* 8.3.5.2 and 3.8: a variable that a when-clause sets may stand in equations of continuous ones, on
 * either side; pre() of what is equal to it is its past. Sampled every quarter: at the last instant,
 * t = 1, the value before is that of 0.75. */
static void discrete_variables_in_continuous_equations(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M Real a, b; equation a = b; when time > 0.5 then a = 4; end when; end M;", "b", 4},
        {"model M Real a, b; equation b = a; when time > 0.5 then a = 4; end when; end M;", "b", 4},
        {"model M Real a, b; equation a = 2*b + time; when time > 0.5 then a = 4; end when; end M;",
         "b", 1.5},
        {"model M Real u, a, y; equation a = u; when sample(0, 0.25) then a = time; end when;\n"
         "when sample(0, 0.25) then y = pre(u); end when; end M;",
         "y", 0.75},
        {"model M Real u, a, y; equation u = a; when sample(0, 0.25) then a = time; end when;\n"
         "when sample(0, 0.25) then y = pre(u); end when; end M;",
         "y", 0.75},
        {"model M discrete Real c; Real x(start = 0, fixed = true);\n"
         "equation der(x) = 1; c = floor(2.5*x); end M;",
         "c", 2},
    };
    expect_endings(list, sizeof list / sizeof *list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discrete_variables_in_continuous_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
