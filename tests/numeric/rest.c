/* Points of rest: where they are, whether motions leave them, and that there is none.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

/* A four-bar linkage with a torque on its crank, written as a stranger would: points and energies. The
 * crank turns by a; V(a) is that of the masses at the joints, by circles that intersect. At rest V'(a) is
 * the torque; stable where V'' > 0. The numbers below are held against V itself. */
static double linkage_height(double a)
{
    double px = 0.1 * cos(a), py = 0.1 * sin(a), dx = 0.4 - px, dy = -py, d = hypot(dx, dy);
    double x = (0.4 * 0.4 - 0.25 * 0.25 + d * d) / (2 * d), h = sqrt(0.4 * 0.4 - x * x);
    double qy = py + x * dy / d + h * dx / d;
    return 9.81 * (0.35 * py + 0.45 * qy);
}

static double linkage_torque(double a)
{
    double e = 1e-5;
    return (linkage_height(a + e) - linkage_height(a - e)) / (2 * e);
}

static const char linkage[] =
    "model Linkage parameter Real u = 0; Real a(start = 1.5708), p[2](start = {0, 0.1}), "
    "q[2](start = "
    "{0.39, 0.25}), k[2]; equation Vincolo.lagrange(q = {a, q[1], q[2]}, T = (0.35*(der(p)*der(p)) "
    "+ "
    "0.45*(der(q)*der(q)))/2, V = 9.81*(0.35*p[2] + 0.45*q[2]), Q = {u - 0.01*der(a), 0, 0}, Phi = "
    "{(q "
    "- p)*(q - p) - 0.16, (q[1] - 0.4)^2 + q[2]^2 - 0.0625}, lambda = k); p = {0.1*cos(a), "
    "0.1*sin(a)}; end Linkage;";

static trial rest_under(double u)
{
    trial r = trial_ready(NULL, linkage, &(vinc_sim_options){.equilibrium = 1});
    if (!r.rc) r.rc = vinc_sim_set(r.sim, "u", u);
    trial_run(&r);
    return r;
}

static void linkage_at_rest(void **state)
{
    static const double torques[] = {0, 0.1, 0.3, -0.3};
    (void)state;
    for (int i = 0; i < 4; i++) {
        vinc_run *told = NULL;
        trial r = rest_under(torques[i]);
        if (r.rc) fail_msg("%g: %s", torques[i], vinc_ctx_messages(r.ctx));
        assert_int_equal(vinc_run_of(r.sim, &told), VINC_OK);
        assert_string_equal(told->rest_stability, "stable");
        double a = vinc_result_at(r.result, "a", 0);
        // Less than a turn away, and on the branch on which it started.
        assert_true(fabs(a - 1.5708) < 6.2832);
        assert_true(vinc_result_at(r.result, "q[2]", 0) > 0);
        assert_true(fabs(linkage_torque(a) - torques[i]) < 1e-7);
        assert_true(linkage_torque(a + 1e-3) > linkage_torque(a - 1e-3));
        vinc_report_free(told);
        trial_end(&r);
    }
}

/* V' is nowhere above 0.41: a torque of 0.5 turns the crank for ever, and that is said. */
static void linkage_without_rest(void **state)
{
    double most = 0;
    (void)state;
    for (double a = 0; a < 6.3; a += 0.01) most = fmax(most, linkage_torque(a));
    assert_true(most < 0.41);
    trial r = rest_under(0.5);
    assert_int_equal(r.rc, VINC_E_NEWTON);
    const char *words = vinc_ctx_messages(r.ctx);
    assert_non_null(strstr(words, "a runs away"));
    assert_non_null(strstr(words, "R160"));
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkage_at_rest),
        cmocka_unit_test(linkage_without_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
