/* Projection on the constraints after a step, and the choice of states: by what the public
 * callbacks of a problem do, against geometry.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/rig.h"

static const double PI = 3.14159265358979323846;

static const char pendulum[] =
    "Real x start 1\nReal y\nReal vx\nReal vy start 1\nReal lambda\nder(x) = vx\nder(y) = vy\n"
    "der(vx) = -lambda*x\nder(vy) = -lambda*y - 9.81\nx^2 + y^2 = 1\n";

static void project(rig *r)
{
    assert_int_equal(r->p->project(r->p->user, r->t, r->y, r->yp), 0);
}

static double worst(rig *r, int levels)
{
    double v[3], most = 0;
    assert_int_equal(r->p->violation(r->p->user, r->t, r->y, r->yp, v), 0);
    for (int k = 0; k < levels; k++) most = fmax(most, v[k]);
    return most;
}

/* ---- projection ------------------------------------------------------------------------------ */

/* On a circle the steps are radial: the nearest point. There the velocity loses its radial part. */
static void nearest_point_of_a_circle(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, pendulum, "project");
    rig_begin(&r, 0);
    for (int k = 0; k < 20; k++) {
        double phi = 0.1 + 0.37 * k, c = cos(phi), s = sin(phi), radius = 1 + 0.1 * sin(k);
        double vx = cos(k), vy = sin(2 * k), along = -s * vx + c * vy;
        *rig_y(&r, "x") = radius * c;
        *rig_y(&r, "y") = radius * s;
        *rig_y(&r, "vx") = vx;
        *rig_y(&r, "vy") = vy;
        project(&r);
        assert_near(*rig_y(&r, "x"), c, 1e-13);
        assert_near(*rig_y(&r, "y"), s, 1e-13);
        assert_near(*rig_y(&r, "vx"), -s * along, 1e-12);
        assert_near(*rig_y(&r, "vy"), c * along, 1e-12);
        assert_true(worst(&r, 3) < 1e-12); // accelerations follow
    }
    rig_close(&r);
}

/* With nominals 1 and 10 the change is least in those units: along (x, 100 y) at first order, the
 * point between start and end. */
static void nominals_are_the_metric(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "Real x start 1\nReal y nominal 10\nReal vx\nReal vy start 1\nReal lambda\nder(x) = vx\n"
        "der(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - 9.81\nx^2 + y^2 = 1\n",
        "project");
    rig_begin(&r, 0);
    for (double off = 1e-3; off > 1e-7; off /= 10) {
        double x0 = 0.6 + off, y0 = 0.8 - 3 * off;
        *rig_y(&r, "x") = x0;
        *rig_y(&r, "y") = y0;
        project(&r);
        double x = *rig_y(&r, "x"), y = *rig_y(&r, "y"), dx = x - x0, dy = y - y0;
        assert_near(hypot(x, y), 1, 1e-14);
        // Orthogonal to the tangent (-y, x) in the metric diag(1, 1/100), but for second order.
        assert_near(dx * -y + dy * x / 100, 0, 20 * off * off + 1e-15);
        assert_true(fabs(dy) > fabs(dx));
    }
    rig_close(&r);
}

/* What meets the constraints is left alone, to the last bit or nearly. */
static void idempotent(void **state)
{
    (void)state;
    rig r;
    static const char *const forms[] = {"project", "partition",        "maggi",
                                        "dummy",   "index1:project=1", "kkt:project=1"};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        rig_open(&r, pendulum, forms[f]);
        rig_begin(&r, 0);
        assert_non_null(r.p->project);
        *rig_y(&r, "x") = 0.61;
        *rig_y(&r, "y") = -0.79;
        project(&r);
        assert_true(worst(&r, 2) < 1e-13);
        double x = *rig_y(&r, "x"), y = *rig_y(&r, "y"), vx = *rig_y(&r, "vx");
        project(&r);
        assert_near(*rig_y(&r, "x"), x, 2e-15);
        assert_near(*rig_y(&r, "y"), y, 2e-15);
        assert_near(*rig_y(&r, "vx"), vx, 2e-15);
        rig_close(&r);
    }
}

/* Formulations that drift are never corrected silently. */
static void no_projection_where_it_drifts(void **state)
{
    (void)state;
    for (const form_kind *const *k = form_kinds; *k; k++) {
        rig r;
        rig_open(&r, pendulum, (*k)->name);
        if ((*k)->drifts) assert_null(r.p->project);
        rig_close(&r);
    }
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* n masses on rods of 1 m, one below the other; `twice` of them, every other one, are stated twice. */
static void write_chain(text *t, int n, int twice)
{
    for (int i = 1; i <= n; i++)
        text_printf(t,
                    "Real x%d start %.17g\nReal y%d start %.17g\nReal u%d\nReal v%d\nReal l%d\n"
                    "der(x%d) = u%d\nder(y%d) = v%d\n",
                    i, 0.6 * i, i, -0.8 * i, i, i, i, i, i, i, i);
    for (int k = 0; k < twice; k++) text_printf(t, "Real mu%d\n", 2 * k + 1);
    for (int i = 1; i <= n; i++) {
        char up[20] = "0", upy[20] = "0", rod[60], below[60] = "";
        bool again = i % 2 && i < 2 * twice, below_again = i % 2 == 0 && i + 1 < 2 * twice;
        if (i > 1) sprintf(up, "x%d", i - 1), sprintf(upy, "y%d", i - 1);
        sprintf(rod, again ? "(l%d + 2*mu%d)" : "l%d", i, i);
        sprintf(below, below_again ? "(l%d + 2*mu%d)" : "l%d", i + 1, i + 1);
        text_printf(t, "der(u%d) = -%s*(x%d - %s)", i, rod, i, up);
        if (i < n) text_printf(t, " + %s*(x%d - x%d)", below, i + 1, i);
        text_printf(t, "\nder(v%d) = -9.81 - %s*(y%d - %s)", i, rod, i, upy);
        if (i < n) text_printf(t, " + %s*(y%d - y%d)", below, i + 1, i);
        text_printf(t, "\n(x%d - %s)^2 + (y%d - %s)^2 = 1\n", i, up, i, upy);
        if (again) text_printf(t, "2*(x%d - %s)^2 + 2*(y%d - %s)^2 = 2\n", i, up, i, upy);
    }
}

typedef struct chain {
    double q[2][100], v[2][100]; // by x and y
} chain;

static void take(rig *r, int n, chain *c, bool put)
{
    char name[20];
    for (int i = 1; i <= n; i++)
        for (int k = 0; k < 4; k++) {
            sprintf(name, "%c%d", "xyuv"[k], i);
            double *value = k < 2 ? &c->q[k][i] : &c->v[k - 2][i], *y = rig_y(r, name);
            *(put ? y : value) = *(put ? value : y);
        }
}

/* The change from `from` to `to`, along the rotation of all that hangs below joint j: those
 * rotations span what the constraints allow. */
static double along_rotation(const double from[2][100], const double to[2][100],
                             const double at[2][100], int n, int j)
{
    double dot = 0, length = 0;
    for (int i = j; i <= n; i++) {
        double rx = at[0][i] - at[0][j - 1], ry = at[1][i] - at[1][j - 1];
        dot += -ry * (to[0][i] - from[0][i]) + rx * (to[1][i] - from[1][i]);
        length += rx * rx + ry * ry;
    }
    return dot / sqrt(length);
}

/* Off by about `off`, the change back must have no part along any motion: for velocities, whose
 * constraints are linear, to rounding; for positions to second order. */
static void least_change(int n, int twice)
{
    rig r;
    mem m = mem_std();
    text lines;
    text_init(&lines, &m);
    write_chain(&lines, n, twice);
    rig_open(&r, text_str(&lines), "project");
    text_done(&lines);
    start_options o = {0};
    rig_try_begin(&r, 0, &o); // accelerations are not unique where a rod is stated twice
    const double off = 1e-5;
    static chain from, to;
    memset(&from, 0, sizeof from);
    memset(&to, 0, sizeof to);
    for (int i = 1; i <= n; i++)
        for (int k = 0; k < 2; k++) {
            from.q[k][i] = (k ? -0.8 : 0.6) * i + off * sin(7.0 * i + k);
            from.v[k][i] = cos(5.0 * i + k);
        }
    take(&r, n, &from, true);
    project(&r);
    take(&r, n, &to, false);
    assert_true(worst(&r, 2) < 1e-10);
    for (int j = 1; j <= n; j++) {
        assert_near(along_rotation(from.q, to.q, to.q, n, j), 0, 1e3 * off * off);
        assert_near(along_rotation(from.v, to.v, to.q, n, j), 0, 1e-10);
    }
    rig_close(&r);
}

static void chains_move_the_least(void **state)
{
    (void)state;
    least_change(2, 0);
    least_change(10, 0);
    least_change(30, 0); // dense
    least_change(60, 0); // sparse
}

/* Constraints that are stated again change nothing. */
static void redundant_constraints(void **state)
{
    (void)state;
    least_change(5, 1);
    least_change(8, 3);
    least_change(60, 5);
}

/* ---- choice of states ------------------------------------------------------------------------ */

/* On the circle at angle phi with rate w. */
static void turn_to(rig *r, double phi, double w)
{
    double c = cos(phi), s = sin(phi), a = -9.81 * c;
    *rig_y(r, "x") = c;
    *rig_y(r, "y") = s;
    *rig_y(r, "vx") = -s * w;
    *rig_y(r, "vy") = c * w;
    r->yp[rig_unknown(r, "x")] = -s * w;
    r->yp[rig_unknown(r, "y")] = c * w;
    r->yp[rig_unknown(r, "vx")] = -s * a - c * w * w;
    r->yp[rig_unknown(r, "vy")] = c * a - s * w * w;
    *rig_y(r, "lambda") = w * w - 9.81 * s;
}

static double residual_size(rig *r)
{
    double f[10], most = 0;
    assert_int_equal(r->p->residual(r->p->user, 0, r->y, r->yp, f), 0);
    for (int i = 0; i < r->p->n; i++) most = fmax(most, fabs(f[i]));
    return most;
}

/* Once around in steps of 10 degrees. States are chosen anew where the present choice is more than
 * about 53 degrees (cosine 0.6) off the tangent: at every 60 degrees. Whatever is chosen, the
 * motion solves F before and after, and the unknowns keep their places and values. */
static void around_the_circle(void **state)
{
    (void)state;
    rig r;
    int changes = 0;
    rig_open(&r, pendulum, "dummy");
    rig_begin(&r, 0);
    for (int k = 1; k <= 36; k++) {
        double y[10], yp[10];
        turn_to(&r, k * PI / 18, 2.5);
        memcpy(y, r.y, sizeof y);
        memcpy(yp, r.yp, sizeof yp);
        assert_true(residual_size(&r) < 1e-13);
        int chosen = r.p->reselect(r.p->user, 0, r.y, r.yp);
        assert_true(chosen == 0 || chosen == 1);
        if (chosen) assert_int_equal(k % 6, 0);
        changes += chosen;
        assert_memory_equal(y, r.y, (size_t)r.p->n * sizeof *y);
        assert_memory_equal(yp, r.yp, (size_t)r.p->n * sizeof *yp);
        assert_true(residual_size(&r) < 1e-13);
        assert_int_equal(r.p->reselect(r.p->user, 0, r.y, r.yp), 0); // once is enough
        // The explicit form keeps the point too.
        assert_int_equal(r.p->rhs(r.p->user, 0, r.y, r.yp), 0);
        for (int i = 0; i < r.p->n; i++) {
            assert_near(r.y[i], y[i], 1e-13);
            if (r.p->differential[i]) assert_near(r.yp[i], yp[i], 1e-12);
        }
    }
    assert_int_equal(changes, 6);
    rig_close(&r);
}

/* At a right angle to the tangent of the choice the matrix would be singular; near it, and not
 * chosen anew, the explicit form loses digits in proportion. */
static void a_choice_grows_stale(void **state)
{
    (void)state;
    rig r;
    double error[2];
    rig_open(&r, pendulum, "dummy");
    rig_begin(&r, 0);
    for (int k = 0; k < 2; k++) {
        double phi = PI / 2 - 1e-4, y[10];
        turn_to(&r, phi, 2.5);
        memcpy(y, r.y, sizeof y);
        if (k) assert_int_equal(r.p->reselect(r.p->user, 0, r.y, r.yp), 1);
        // Off the circle by 1e-6 along x: the states are solved for again.
        *rig_y(&r, "x") += 1e-6;
        *rig_y(&r, "y") += 1e-6;
        r.p->rhs(r.p->user, 0, r.y, r.yp);
        error[k] = hypot(*rig_y(&r, "x") - cos(phi), *rig_y(&r, "y") - sin(phi));
    }
    assert_true(error[1] < 2e-6);
    assert_true(error[0] > 10 * error[1]);
    rig_close(&r);
}

/* A point on a sphere and on an elliptic cylinder that touch at x = 1: on the curve where they meet,
 * x = cos q and y = z = sin q/sqrt(2), the gradients become parallel in proportion to q. */
static const char touching[] =
    "Real x start 0.5\nReal y start 0.6\nReal z start 0.6\nReal u\nReal v\nReal w\nReal f\n"
    "Real g\nder(x) = u\nder(y) = v\nder(z) = w\nder(u) = -f*x - g*x\n"
    "der(v) = -f*y - 2*g*y\nder(w) = -f*z\nx^2 + y^2 + z^2 = 1\nx^2 + 2*y^2 = 1\n";

static void move_to(rig *r, double q)
{
    *rig_y(r, "x") = cos(q);
    *rig_y(r, "y") = *rig_y(r, "z") = sin(q) / sqrt(2);
}

/* What the end of a step is off, moved onto the constraints from 1e-5 beside them, to 1e-4. */
static double off_at_end(rig *r, double q)
{
    move_to(r, q);
    assert_true(r->p->reselect(r->p->user, 0, r->y, r->yp) >= 0);
    *rig_y(r, "x") += 1e-5;
    *rig_y(r, "y") -= 2e-5;
    *rig_y(r, "z") += 3e-5;
    assert_int_equal(r->p->project_end(r->p->user, 0, r->y, r->yp, 1e-4), 0);
    return worst(r, 1);
}

/* One correction leaves the square of 1e-5, and is enough where the constraints are far from losing rank. Near a singular
 * position it is not, nor from then on: the motion may come back to it. */
static void ends_are_exact_near_a_singular_point(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, touching, NULL);
    rig_begin(&r, 0);
    double far = off_at_end(&r, 1);
    assert_true(far > 1e-12 && far < 1e-8);
    assert_true(off_at_end(&r, 0.02) < 1e-13);
    assert_true(off_at_end(&r, 1) < 1e-13);
    rig_begin(&r, 0); // another run
    assert_true(off_at_end(&r, 1) > 1e-12);
    rig_close(&r);
}

static void regularity_near_a_singular_point(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, touching, NULL);
    rig_begin(&r, 0);
    double sigma[3];
    static const double q[3] = {1, 1e-2, 1e-4};
    for (int k = 0; k < 3; k++) {
        move_to(&r, q[k]);
        assert_int_equal(r.p->regularity(r.p->user, 0, r.y, r.yp, &sigma[k]), 0);
    }
    assert_true(sigma[0] > 0.1 && sigma[0] <= 1);
    assert_near(sigma[2] / sigma[1], q[2] / q[1], 1e-4);
    assert_true(sigma[2] < 1e-3);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point_of_a_circle),
        cmocka_unit_test(nominals_are_the_metric),
        cmocka_unit_test(idempotent),
        cmocka_unit_test(no_projection_where_it_drifts),
        cmocka_unit_test(chains_move_the_least),
        cmocka_unit_test(redundant_constraints),
        cmocka_unit_test(around_the_circle),
        cmocka_unit_test(a_choice_grows_stale),
        cmocka_unit_test(ends_are_exact_near_a_singular_point),
        cmocka_unit_test(regularity_near_a_singular_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
