/* Robertson's reaction as a differential-algebraic system, with its Jacobian.
 *
 *     y1' = -0.04 y1 + 1e4 y2 y3,   y2' = 0.04 y1 - 1e4 y2 y3 - 3e7 y2^2,   y1 + y2 + y3 = 1
 *
 * Time runs from 0 to 4e10 while the fast reaction settles in 1e-5: a stiff problem.
 *
 *     cc robertson.c $(pkg-config --cflags --libs vincolo) -o robertson && ./robertson
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <vincolo_problem.h>

static int residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    r[0] = yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
    r[1] = yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
    r[2] = y[0] + y[1] + y[2] - 1;
    return 0;
}

/* Both derivatives by columns, in the order of the pattern below. */
static int jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                    double *dyp)
{
    (void)user, (void)t, (void)yp;
    const double a[8] = {0.04,        -0.04,
                         1, // column of y1: rows 0, 1, 2
                         -1e4 * y[2], 1e4 * y[2] + 6e7 * y[1],
                         1,           -1e4 * y[1],
                         1e4 * y[1]};
    for (int k = 0; k < 8; k++) dy[k] = a[k], dyp[k] = 0;
    dy[8] = 1, dyp[8] = 0;
    dyp[0] = dyp[4] = 1; // y1' in row 0, y2' in row 1
    return 0;
}

int main(void)
{
    static const int start[] = {0, 3, 6, 9}, row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const uint8_t differential[] = {1, 1, 0};
    static const double nominal[] = {1, 1e-4, 1};
    const vinc_pattern pattern = {3, 3, 9, start, row};
    const vinc_problem problem = {.n = 3,
                                  .jac = &pattern,
                                  .nominal = nominal,
                                  .differential = differential,
                                  .residual = residual,
                                  .jacobian = jacobian};
    const vinc_solver_options options = {.rel_tol = 1e-8, .abs_tol = 1e-10};

    double y[3] = {1, 0, 0}, yp[3] = {0, 0, 0};
    char why[1000] = "";
    vinc_solver *s = NULL;
    if (vinc_problem_check(&problem, 0, y, yp, why, sizeof why)) fprintf(stderr, "%s", why);
    int rc = vinc_solver_new(&problem, &options, why, sizeof why, &s);
    if (!rc) rc = vinc_solver_consistent(s, 0, y, yp); // finds y' and y3
    if (!rc) rc = vinc_solver_start(s, 0, y, yp);
    for (double t = 0.4; !rc && t < 1e11; t *= 10) {
        rc = vinc_solver_run(s, t);
        const double *x = vinc_solver_y(s);
        printf("t = %-8g %.6e %.6e %.6e\n", t, x[0], x[1], x[2]);
    }
    if (rc) fprintf(stderr, "%s\n", s ? vinc_solver_message(s) : why);
    if (s) {
        vinc_stats n = vinc_solver_stats(s);
        printf("%s: %ld steps, %ld residuals, %ld Jacobians\n", vinc_solver_method(s), n.steps,
               n.residual_evals, n.jacobian_evals);
    }
    vinc_solver_free(s);
    return rc != VINC_OK;
}
