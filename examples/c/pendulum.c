/* A pendulum in Cartesian coordinates: index 3, solved as it stands, without a Jacobian.
 *
 *     x' = u,  y' = v,  u' = -lambda x,  v' = -lambda y - g,  x^2 + y^2 = 1
 *
 * Levels tell the solver what is a position (0), a velocity (1) and a multiplier (2); it weighs
 * their errors by powers of the step size. After one period of 2.36784194757623745 s the pendulum
 * is back.
 *
 *     cc pendulum.c $(pkg-config --cflags --libs vincolo) -lm -o pendulum && ./pendulum
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <vincolo_problem.h>

static int residual(void *user, double t, const double *q, const double *qp, double *r)
{
    const double g = *(const double *)user;
    (void)t;
    r[0] = qp[0] - q[2];
    r[1] = qp[1] - q[3];
    r[2] = qp[2] + q[4] * q[0];
    r[3] = qp[3] + q[4] * q[1] + g;
    r[4] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

int main(void)
{
    double g = 9.81, period = 2.36784194757623745;
    static const uint8_t differential[] = {1, 1, 1, 1, 0};
    static const int8_t level[] = {0, 0, 1, 1, 2};
    const vinc_problem problem = {.n = 5,
                                  .differential = differential,
                                  .unknown_level = level,
                                  .residual = residual,
                                  .user = &g};
    const vinc_solver_options options = {.method = "radau5", .rel_tol = 1e-8};

    // At rest on the right: all derivatives are known.
    double q[5] = {1, 0, 0, 0, 0}, qp[5] = {0, 0, 0, -g, 0};
    char why[200] = "";
    vinc_solver *s = NULL;
    int rc = vinc_solver_new(&problem, &options, why, sizeof why, &s);
    if (!rc) rc = vinc_solver_start(s, 0, q, qp);
    for (int k = 1; !rc && k <= 8; k++) {
        rc = vinc_solver_run(s, period * k / 8);
        const double *x = vinc_solver_y(s);
        double energy = (x[2] * x[2] + x[3] * x[3]) / 2 + g * x[1];
        printf(
            "t = %.4f  x = %9.6f  y = %9.6f  tension = %9.5f  energy = %9.2e  |x|^2 - 1 = %.0e\n",
            vinc_solver_time(s), x[0], x[1], x[4], energy, fabs(x[0] * x[0] + x[1] * x[1] - 1));
    }
    if (rc) fprintf(stderr, "%s\n", s ? vinc_solver_message(s) : why);
    vinc_solver_free(s);
    return rc != VINC_OK;
}
