/* A controller outside of the model: a mass on a spring is held at 1 m by a PID law that is computed
 * here every 10 ms, as a program on a small computer would. The run is stepped from one sample to
 * the next; a saved state answers "what if the gain were doubled from here on?".
 *
 *     cc controller.c -lvincolo -lm && ./a.out
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vincolo.h"

#include <stdio.h>
#include <string.h>

static const char model_text[] = "model Plant \"mass on a spring, driven by a force\"\n"
                                 "  parameter Real m = 1, c = 0.5, k = 4;\n"
                                 "  input Real F(start = 0);\n"
                                 "  output Real x(start = 0, fixed = true);\n"
                                 "  Real v(start = 0, fixed = true);\n"
                                 "equation\n"
                                 "  der(x) = v;\n"
                                 "  m*der(v) = F - c*v - k*x;\n"
                                 "end Plant;\n";

enum { X, V, F, N };

typedef struct pid {
    double kp, ki, kd, sum;
} pid;

/* From where the run is to t, a sample at a time. */
static int hold(vinc_sim *sim, const int *at, pid *p, double t)
{
    const double dt = 0.01;
    double now[2];
    int rc = VINC_OK;
    for (double next = vinc_sim_time(sim) + dt; rc >= 0 && next < t + dt / 2; next += dt) {
        rc = vinc_sim_values(sim, at, 2, now);
        double error = 1 - now[X];
        p->sum += error * dt;
        if (rc >= 0)
            rc = vinc_sim_set_input(sim, at[F], p->kp * error + p->ki * p->sum - p->kd * now[V]);
        if (rc >= 0) rc = vinc_sim_advance(sim, next);
    }
    return rc;
}

int main(void)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_state *saved = NULL;
    vinc_sim_options options = {.has_stop = 1, .t_stop = 20};
    pid soft = {20, 10, 8, 0}, hard;
    double x;
    int at[N];

    int rc = vinc_model_load_text(ctx, "plant.mo", model_text, strlen(model_text), NULL, &model);
    if (!rc) rc = vinc_sim_new(model, &options, &sim);
    if (!rc) rc = vinc_sim_start(sim);
    if (!rc) {
        at[X] = vinc_sim_find(sim, "x");
        at[V] = vinc_sim_find(sim, "v");
        at[F] = vinc_sim_find(sim, "F");
        rc = hold(sim, at, &soft, 0.5);
    }
    if (rc >= 0) rc = vinc_sim_save(sim, &saved);
    hard = soft;
    hard.kp *= 2;
    if (rc >= 0) rc = hold(sim, at, &hard, 1);
    if (rc >= 0) rc = vinc_sim_values(sim, at, 1, &x);
    if (rc >= 0) printf("twice the gain from t = 0.5 on: x(1) = %.4f\n", x);
    if (rc >= 0) rc = vinc_sim_restore(sim, saved);
    if (rc >= 0) rc = hold(sim, at, &soft, 1);
    if (rc >= 0) rc = vinc_sim_values(sim, at, 1, &x);
    if (rc >= 0) printf("the gain as it was:             x(1) = %.4f\n", x);
    if (rc >= 0) rc = hold(sim, at, &soft, 20);
    if (rc >= 0) rc = vinc_sim_values(sim, at, 1, &x);
    if (rc >= 0) printf("at rest:                        x(20) = %.4f\n", x);
    else fprintf(stderr, "%s", vinc_ctx_messages(ctx));

    vinc_state_free(saved);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return rc < 0;
}
