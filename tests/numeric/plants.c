/* Pumps, circuits and drive trains: small models of what runs of whole plants stumbled over, against
 * closed forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

static double at(const trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

/* ---- a first step where y' is nonlinear ------------------------------------------------------- */

/* A pump at the speed w = der(phi), which its equations divide by, drives a flow V through friction:
 * V + 8 V^2 = 2 w^2 - w V and tau w = (V + 8 V^2) V. At w = 0, where a guess y' = 0 begins, another
 * branch holds. The speed leaps at 1/2, where the run begins anew. */
static void slopes_on_the_branch_of_the_start(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau3", "radau5", "radau", "gauss4", "bdf", "sdirk4"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r = trial_of(
            "model M Real phi(start = 0, fixed = true), w = der(phi), V(start = 0.1), dp, tau;\n"
            "discrete Real w0(start = 0.5, fixed = true);\n"
            "equation der(phi) = w0 + 0.1*time; when time >= 0.5 then w0 = 0.9; end when;\n"
            "if noEvent(abs(w) < 1e-60) then dp = 0; tau = 0;\n"
            "else dp = -2*sign(w)*w^2*(1 - V/(2*w)); tau*w = -dp*V; end if;\n"
            "-dp = V + 8*V*abs(V); end M;",
            (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8, .method = methods[k]});
        static const double times[] = {0.25, 1};
        for (int i = 0; i < 2; i++) {
            double t = times[i], w = (i ? 0.9 : 0.5) + 0.1 * t;
            double V = (sqrt((1 + w) * (1 + w) + 64 * w * w) - 1 - w) / 16;
            assert_near(at(&r, "V", t), V, 1e-7);
            assert_near(at(&r, "tau", t), (V + 8 * V * V) * V / w, 1e-7);
        }
        assert_near(at(&r, "phi", 1), 0.75, 1e-7);
        trial_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_on_the_branch_of_the_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
