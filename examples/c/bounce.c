/* A bouncing ball: an event where the height changes its sign, a new velocity after it.
 *
 *     h' = v,  v' = -g;  at h = 0: v becomes -e v
 *
 * The explicit form y' = f is given as well, so explicit methods may be used. The k-th impact is at
 * t_k = sqrt(2/g) (1 + 2 e (1 - e^(k-1)) / (1 - e)) for a fall from height 1.
 *
 *     cc bounce.c $(pkg-config --cflags --libs vincolo) -lm -o bounce && ./bounce
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <vincolo_problem.h>

static const double g = 9.81, restitution = 0.7;

static int rhs(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t;
    yp[0] = y[1];
    yp[1] = -g;
    return 0;
}

static int residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    r[0] = yp[0] - y[1];
    r[1] = yp[1] + g;
    return 0;
}

static int height(void *user, double t, const double *y, const double *yp, double *indicator)
{
    (void)user, (void)t, (void)yp;
    indicator[0] = y[0];
    return 0;
}

static int impact(void *user, double t, double *y, double *yp, int *changed)
{
    int *bounces = user;
    (void)t;
    if (y[1] < 0) {
        y[0] = 0;
        y[1] *= -restitution;
        yp[0] = y[1];
        *changed = 1;
        ++*bounces;
    }
    return 0;
}

int main(void)
{
    int bounces = 0;
    const vinc_problem problem = {.n = 2,
                                  .n_roots = 1,
                                  .residual = residual,
                                  .rhs = rhs,
                                  .roots = height,
                                  .event = impact,
                                  .user = &bounces};
    const vinc_solver_options options = {.method = "dopri5", .rel_tol = 1e-9};
    double y[2] = {1, 0}, yp[2] = {0, -g}, worst = 0;
    char why[200] = "";
    vinc_solver *s = NULL;
    int rc = vinc_solver_new(&problem, &options, why, sizeof why, &s);
    if (!rc) rc = vinc_solver_start(s, 0, y, yp);
    for (int seen = 0; rc >= 0 && bounces < 8;) {
        rc = vinc_solver_step(s, 10);
        if (rc != VINC_EVENT || bounces == seen) continue; // also events where the ball leaves
        seen = bounces;
        double exact = sqrt(2 / g) * (1 + 2 * restitution * (1 - pow(restitution, bounces - 1)) /
                                              (1 - restitution));
        printf("impact %d at t = %.9f, off by %.0e\n", bounces, vinc_solver_time(s),
               fabs(vinc_solver_time(s) - exact));
        worst = fmax(worst, fabs(vinc_solver_time(s) - exact));
    }
    if (rc < 0) fprintf(stderr, "%s\n", s ? vinc_solver_message(s) : why);
    vinc_solver_free(s);
    return rc < 0 || worst > 1e-8;
}
