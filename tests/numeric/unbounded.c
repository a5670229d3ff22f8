/* Solutions that grow without bound: at a pole, where the run must end.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

static const double *values_of(const trial *r, const char *name)
{
    vinc_column c;
    assert_int_equal(vinc_result_column(r->result, vinc_result_find(r->result, name), &c), VINC_OK);
    return c.values;
}

/* ---- poles ----------------------------------------------------------------------------------- */

static double hyperbola(double t)
{
    return 1 / (1 - t);
}

static const struct {
    const char *text;
    double (*exact)(double t);
    double pole;
} poles[] = {
    {"model P Real x(start = 1, fixed = true); equation der(x) = x^2; end P;", hyperbola, 1},
    {"model Q Real x(start = 0, fixed = true); equation der(x) = 1 + x^2; end Q;", tan,
     1.5707963267948966}, // pi/2
};

/* A relative error of e before the pole moves it by e times the time, and a pole moved by d changes a
 * value at a distance s from it by d/s of itself. So rows are right to 100 tolerances times t/s. */
static void check_rows(const trial *r, size_t k, double tol, const char *what)
{
    const double *t = values_of(r, "time"), *x = values_of(r, "x");
    size_t n = vinc_result_n_rows(r->result);
    double pole = poles[k].pole;
    if (!(t[n - 1] < pole && t[n - 1] > 0.85 * pole))
        fail_msg("%s: rows up to t = %.17g, the pole is at %.17g", what, t[n - 1], pole);
    for (size_t i = 0; i < n; i++) {
        double exact = poles[k].exact(t[i]), allowed = 100 * tol * pole / (pole - t[i]);
        if (!(fabs(x[i] - exact) <= allowed * fmax(1, fabs(exact))))
            fail_msg("%s: x(%.17g) = %.17g, not %.17g", what, t[i], x[i], exact);
    }
}

/* With output points as usual, and with so many that some lie between the last steps. */
static void no_row_beyond_a_pole(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL,  "dopri5", "dopri8", "radau",
                                          "bdf", "rodas4", "sdirk4", "mebdf"};
    static const double tols[] = {1e-4, 1e-6, 1e-10};
    static const int intervals[] = {500, 20000};
    for (size_t k = 0; k < sizeof poles / sizeof *poles; k++)
        for (size_t j = 0; j < 3 * 2 * sizeof methods / sizeof *methods; j++) {
            const char *method = methods[j / 6];
            double tol = tols[j % 3];
            int points = intervals[j / 3 % 2];
            trial r = trial_start(NULL, poles[k].text,
                                  &(vinc_sim_options){.method = method,
                                                      .has_stop = 1,
                                                      .t_stop = 2,
                                                      .rel_tol = tol,
                                                      .intervals = points});
            char what[100];
            snprintf(what, sizeof what, "%s at %g, %d points", method ? method : "chosen", tol,
                     points);
            if (r.rc >= 0 || !strstr(vinc_sim_messages(r.sim), "grows without bound"))
                fail_msg("%s: %s", what, vinc_sim_messages(r.sim));
            check_rows(&r, k, tol, what);
            trial_end(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_row_beyond_a_pole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
