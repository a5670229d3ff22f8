/* A context with one model, for tests of analyses.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_STUDY_SESSION_H
#define TESTS_STUDY_SESSION_H

#include "cmocka_all.h"

#include "vincolo.h"

typedef struct session {
    vinc_ctx *ctx;
    vinc_model *model;
} session;

static inline session session_begin(const char *words)
{
    session s = {.ctx = vinc_ctx_new(NULL)};
    int rc = vinc_model_load_text(s.ctx, "test.mo", words, strlen(words), NULL, &s.model);
    if (rc) fail_msg("%s", vinc_ctx_messages(s.ctx));
    return s;
}

static inline void session_done(session *s)
{
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

/* A call must succeed. */
#define done(s, call)                                                                              \
    do {                                                                                           \
        int done_rc = (call);                                                                      \
        if (done_rc) fail_msg("%s: %d\n%s", #call, done_rc, vinc_ctx_messages((s).ctx));           \
    } while (0)

static const char pendulum[] =
    "model Pendulum Real x(start = 1, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy,"
    " F; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81;"
    " x^2 + y^2 = 1; end Pendulum;";

/* m a + c v + k x = F; m = 2, c = 0.4, k = 8: u the force, y the speed, so that u y is power. */
static const char oscillator[] =
    "model Oscillator input Real F; output Real v(start = 0); Real x(start = 0, fixed = true), V;"
    "equation v = der(x); 2*der(v) + 0.4*v + 8*x = F; V = v^2 + 4*x^2; end Oscillator;";

/* What Vincolo.Balance.Region declares, in a box that grows. */
static const char region[] =
    "model Box input Real u, v, w, x, y, z; Real from[3] = {0, 0, 0}, to[3] = {1, 2, 3 + time};"
    "Real place[3] = {u, v, w}, density = 1 + x, field = y*z, velocity[3] = {x, 0, z*time};"
    "Real pressure = z, force[3] = {0, 0, -1}, internal = 1, potential = z; end Box;";

static const char decay[] =
    "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;";

#endif
