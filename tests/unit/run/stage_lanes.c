/* F at several points at once is F at each of them, bit by bit, before there is code for it and after.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"
#include "support/rig.h"

#include <math.h>
#include <string.h>

enum { N = 6, POINTS_MAX = 9, STRIDE = 8, MANY = 3000 };

/* All kinds of operands: parameters, the time, derivatives, functions of ours and of the C library, a choice. */
static const char *const model = "parameter a = 1.3\n"
                                 "parameter b = 0.2\n"
                                 "Real u start 0.4\n"
                                 "Real v start -0.3\n"
                                 "Real w start 2\n"
                                 "Real p start 0.7\n"
                                 "Real q start 0.1\n"
                                 "Real s start 0.3\n"
                                 "der(u) = sin(a*v) - exp(-b*u)*time\n"
                                 "der(v) = cos(a*v) + atan(u*w) - der(u)\n"
                                 "der(w) = if u*v < b then log(w^2 + 1) else tanh(u)\n"
                                 "der(p) = sin(p) + cos(q) + sqrt(abs(p*q)) + der(w)\n"
                                 "der(q) = a*(u - p) + max(p, q)*b\n"
                                 "0 = s^3 + s - u - exp(q)\n";

typedef struct points {
    double t[POINTS_MAX], y[POINTS_MAX * STRIDE], yp[POINTS_MAX * STRIDE], r[POINTS_MAX * STRIDE];
} points;

/* Around the start; behind the unknowns of a point stands what nobody may read or change. */
static void scatter(const rig *b, points *x)
{
    for (int k = 0; k < POINTS_MAX; k++) {
        x->t[k] = 0.1 * k;
        for (int i = 0; i < STRIDE; i++) {
            double moved = 0.03 * k * (i + 1);
            x->y[k * STRIDE + i] = i < N ? b->y[i] + moved : NAN;
            x->yp[k * STRIDE + i] = i < N ? b->yp[i] - moved : NAN;
            x->r[k * STRIDE + i] = -7;
        }
    }
}

static void one_by_one(const rig *b, points *x, int n)
{
    for (int k = 0; k < n; k++) {
        int at = k * STRIDE;
        assert_int_equal(b->p->residual(b->p->user, x->t[k], x->y + at, x->yp + at, x->r + at), 0);
    }
}

static void at_once(const rig *b, points *x, int n)
{
    assert_int_equal(b->p->residuals(b->p->user, n, x->t, x->y, x->yp, x->r, STRIDE), 0);
}

static void same_at_once(const rig *b)
{
    for (int n = 1; n <= POINTS_MAX; n++) {
        points x, each;
        scatter(b, &x);
        each = x;
        one_by_one(b, &each, n);
        at_once(b, &x, n);
        assert_memory_equal(x.r, each.r, sizeof x.r);
    }
}

static bool has_wide_registers(const rig *b)
{
    return tape_code_target(b->model->system.residual.code)->lanes >= 4;
}

static void points_at_once_are_the_same(void **state)
{
    (void)state;
    rig b;
    rig_open(&b, model, NULL);
    rig_begin(&b, 0);
    assert_int_equal(b.p->n, N);
    run_stages *x = &b.state->stages;
    same_at_once(&b);
    assert_null(x->three.code);
    assert_null(x->four.code);
    points far;
    scatter(&b, &far);
    for (int k = 0; k < MANY; k++) at_once(&b, &far, 3), at_once(&b, &far, 5);
    assert_int_equal(x->three.code != NULL, has_wide_registers(&b));
    assert_int_equal(x->four.code != NULL, has_wide_registers(&b));
    same_at_once(&b);
    // Parameters are read, not kept.
    rig_set(&b, "a", 0.7);
    rig_begin(&b, 0);
    same_at_once(&b);
    rig_close(&b);
}

/* Points of another distance have code of their own. */
static void distance_of_points_may_change(void **state)
{
    (void)state;
    rig b;
    rig_open(&b, model, NULL);
    rig_begin(&b, 0);
    points x, each;
    scatter(&b, &x);
    for (int k = 0; k < MANY; k++) at_once(&b, &x, 4);
    each = x;
    one_by_one(&b, &each, 1);
    for (int k = 0; k < 4; k++) { // all at the first point
        double t[4] = {x.t[0], x.t[0], x.t[0], x.t[0]}, r[N];
        assert_int_equal(b.p->residuals(b.p->user, 4, t, x.y, x.yp, r, 0), 0);
        assert_memory_equal(r, each.r, sizeof r);
    }
    rig_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_at_once_are_the_same),
        cmocka_unit_test(distance_of_points_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
