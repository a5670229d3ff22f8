/* The public solver interface on hand-written problems.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "fail_mem.h"
#include "problems.h"

static void robertson_as_a_user_would(void **state)
{
    (void)state;
    ivp_user u;
    vinc_problem p = ivp_problem(&ivp_rober, &u, true);
    vinc_solver_options o = {.rel_tol = 1e-7, .abs_tol = 1e-11};
    vinc_solver *s;
    double y[3] = {1, 0, 0}, yp[3] = {0};
    assert_int_equal(vinc_solver_new(&p, &o, NULL, 0, &s), VINC_OK);
    assert_int_equal(vinc_solver_consistent(s, 0, y, yp), VINC_OK);
    assert_true(fabs(yp[0] + 0.04) < 1e-12 && fabs(yp[1] - 0.04) < 1e-12);
    assert_int_equal(vinc_solver_start(s, 0, y, yp), VINC_OK);
    assert_int_equal(vinc_solver_run(s, 1e11), VINC_OK);
    assert_true(vinc_solver_time(s) == 1e11);
    assert_true(ivp_digits(&ivp_rober, vinc_solver_y(s)) > 5);
    assert_string_equal(vinc_solver_method(s), "radau");
    assert_true(vinc_solver_stats(s).steps > 50);
    vinc_solver_free(s);
}

static void algebraic_unknowns_are_found(void **state)
{
    (void)state;
    ivp_user u;
    for (int jacobian = 0; jacobian < 2; jacobian++) {
        vinc_problem p = ivp_problem(&ivp_chemakzo, &u, jacobian);
        vinc_solver *s;
        double y[6], yp[6] = {0}, want[6], want_p[6];
        ivp_start(&ivp_chemakzo, want, want_p);
        memcpy(y, want, sizeof y);
        y[5] = 10; // a bad guess
        assert_int_equal(vinc_solver_new(&p, NULL, NULL, 0, &s), VINC_OK);
        assert_int_equal(vinc_solver_consistent(s, 0, y, yp), VINC_OK);
        assert_true(fabs(y[5] - want[5]) < 1e-10);
        for (int i = 0; i < 5; i++) assert_true(fabs(yp[i] - want_p[i]) < 1e-8);
        vinc_solver_free(s);
    }
}

static void mistakes_are_explained(void **state)
{
    (void)state;
    ivp_user u;
    char why[300];
    vinc_problem p = ivp_problem(&ivp_chemakzo, &u, false);
    vinc_solver *s;
    vinc_solver_options o = {.method = "dopri5"};
    assert_int_equal(vinc_solver_new(&p, &o, why, sizeof why, &s), VINC_E_PROBLEM);
    assert_null(s);
    assert_non_null(strstr(why, "explicit"));
    o.method = "nosuch";
    assert_int_equal(vinc_solver_new(&p, &o, why, sizeof why, &s), VINC_E_OPTION);
    char brief[8];
    assert_int_equal(vinc_solver_new(&p, &o, brief, sizeof brief, &s), VINC_E_OPTION);
    assert_int_equal(strlen(brief), 7); // cut, and ended
    vinc_solver_free(NULL);
    p.residual = NULL;
    double y[6] = {0};
    assert_int_equal(vinc_problem_check(&p, 0, y, y, why, sizeof why), 1);
    assert_non_null(strstr(why, "no residual"));
}

typedef struct several_user {
    ivp_user one;
    const vinc_problem *p;
    long calls;
    double wrong; // added to every F
} several_user;

static int several(void *user, int points, const double *t, const double *y, const double *yp,
                   double *r, int stride)
{
    several_user *u = user;
    u->calls++;
    for (int k = 0; k < points; k++) {
        int status = u->p->residual(user, t[k], y + k * stride, yp + k * stride, r + k * stride);
        if (status) return status;
        r[k * stride] += u->wrong;
    }
    return 0;
}

static void several_points_at_once_are_the_same(void **state)
{
    (void)state;
    double end[2][3];
    for (int k = 0; k < 2; k++) {
        several_user u = {.calls = 0};
        vinc_problem p = ivp_problem(&ivp_rober, &u.one, true);
        assert_ptr_equal(p.user, &u);
        u.p = &p;
        if (k) p.residuals = several;
        vinc_solver_options o = {.method = "radau", .rel_tol = 1e-7, .abs_tol = 1e-11};
        vinc_solver *s;
        double y[3] = {1, 0, 0}, yp[3] = {-0.04, 0.04, 0};
        char why[300];
        assert_int_equal(vinc_problem_check(&p, 0, y, yp, why, sizeof why), 0);
        assert_int_equal(vinc_solver_new(&p, &o, NULL, 0, &s), VINC_OK);
        assert_int_equal(vinc_solver_start(s, 0, y, yp), VINC_OK);
        assert_int_equal(vinc_solver_run(s, 1e5), VINC_OK);
        memcpy(end[k], vinc_solver_y(s), sizeof end[k]);
        assert_true(k ? u.calls > 100 : u.calls == 0);
        u.wrong = 1e-3;
        assert_int_equal(vinc_problem_check(&p, 0, y, yp, why, sizeof why), k);
        assert_true(!k || strstr(why, "equation 0: residuals gives"));
        vinc_solver_free(s);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
}

static void memory_comes_from_the_user(void **state)
{
    (void)state;
    ivp_user u;
    vinc_problem p = ivp_problem(&ivp_vdpol, &u, true);
    for (long k = 1;; k++) {
        fail_mem f;
        fail_mem_init(&f, k);
        vinc_solver_options o = {.resize = fail_mem_resize, .resize_user = &f};
        vinc_solver *s;
        int status = vinc_solver_new(&p, &o, NULL, 0, &s);
        if (status) assert_int_equal(status, VINC_E_MEMORY);
        if (!status) {
            long calls = f.calls;
            double y[2] = {2, 0}, yp[2] = {0, -2e6};
            assert_int_equal(vinc_solver_start(s, 0, y, yp), VINC_OK);
            assert_int_equal(vinc_solver_run(s, 0.1), VINC_OK);
            assert_int_equal(f.calls, calls);
        }
        vinc_solver_free(s);
        assert_int_equal(f.live, 0);
        if (!status) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robertson_as_a_user_would),
        cmocka_unit_test(algebraic_unknowns_are_found),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(several_points_at_once_are_the_same),
        cmocka_unit_test(memory_comes_from_the_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
