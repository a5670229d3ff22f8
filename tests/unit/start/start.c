/* Start values: fixed ones hold exactly, all others change as little as possible, and what cannot
 * be is named.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/rig.h"

/* Of a fixed value: the constraints around it are solved once more together with it. */
static const double ROUNDING = 1e-15;

static int try_begin(rig *r)
{
    start_options o = {0};
    return rig_try_begin(r, 0, &o);
}

/* Point mass on a rod of length 1, the attributes of its coordinates and velocities in between. */
static void open_pendulum(rig *r, const char *x, const char *y, const char *vx, const char *vy)
{
    char lines[500];
    sprintf(lines,
            "parameter g = 9.81\nReal x%s\nReal y%s\nReal vx%s\nReal vy%s\nReal lambda\n"
            "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\n"
            "x^2 + y^2 = 1\n",
            x, y, vx, vy);
    rig_open(r, lines, NULL);
}

/* ---- least change ---------------------------------------------------------------------------- */

/* From off the circle to its nearest point, the velocity to its part along the tangent there. */
static void nearest_point_of_a_circle(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        rig r;
        char x[40], y[40];
        double phi = 0.3 + 0.5 * k, c = cos(phi), s = sin(phi), radius = 0.4 + 0.2 * k;
        sprintf(x, " start %.17g", radius * c);
        sprintf(y, " start %.17g", radius * s);
        open_pendulum(&r, x, y, " start 1", " start 2");
        rig_begin(&r, 0);
        double along = -s * 1 + c * 2;
        assert_near(rig_value(&r, "x"), c, 1e-12);
        assert_near(rig_value(&r, "y"), s, 1e-12);
        assert_near(rig_value(&r, "vx"), -s * along, 1e-12);
        assert_near(rig_value(&r, "vy"), c * along, 1e-12);
        assert_near(rig_value(&r, "lambda"), along * along - 9.81 * s, 1e-11);
        assert_false(r.init.given_consistent);
        rig_close(&r);
    }
}

/* Two masses of 1 and 3 kg, 2 m apart, on a rod of 1 m: in the metric of inertia the centre of
 * mass stays, and so does the momentum when 4 m/s against 0 become equal. */
static void inertia_is_the_metric(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real a start 0\nReal b start 2\nReal u start 4\nReal v start 0\nReal f\n"
             "der(a) = u\nder(b) = v\nder(u) = f*(b - a)\n3*der(v) = -f*(b - a)\n(b - a)^2 = 1\n",
             NULL);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "a"), 0.75, 1e-12); // the centre is at 1.5
    assert_near(rig_value(&r, "b"), 1.75, 1e-12);
    assert_near(rig_value(&r, "u"), 1, 1e-12);
    assert_near(rig_value(&r, "v"), 1, 1e-12);
    rig_close(&r);
}

/* No mechanics: the sum of squares in units of the nominals. x + z must fall by 1 from 2; with
 * nominals 1 and 10, x takes 1/101 of it. */
static void nominals_are_the_metric(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 1\nReal z start 1 nominal 10\nReal u\nder(x) = u - x\nder(z) = u + z\n"
             "(x + z)^2 = 1\n",
             NULL);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "x"), 1 - 1 / 101.0, 1e-12);
    assert_near(rig_value(&r, "z"), 1 - 100 / 101.0, 1e-12);
    rig_close(&r);
}

/* ---- a four-bar linkage ---------------------------------------------------------------------- */

/* Crank A, coupler B, rocker C, ground D; unit inertias of the three angles. */
static const double A = 1, B = 3, C = 2.5, D = 3.2;

static void open_four_bar(rig *r, const char *crank, const char *speed)
{
    char lines[1000];
    sprintf(lines,
            "Real th start 0.8%s\nReal be start 0.5\nReal ga start 1.4\nReal wt start 2%s\n"
            "Real wb\nReal wg\nReal l1\nReal l2\nder(th) = wt\nder(be) = wb\nder(ga) = wg\n"
            "der(wt) = l1*%g*sin(th) - l2*%g*cos(th)\nder(wb) = l1*%g*sin(be) - l2*%g*cos(be)\n"
            "der(wg) = -l1*%g*sin(ga) + l2*%g*cos(ga)\n"
            "%g*cos(th) + %g*cos(be) - %g*cos(ga) - %g = 0\n"
            "%g*sin(th) + %g*sin(be) - %g*sin(ga) = 0\n",
            crank, speed, A, A, B, B, C, C, A, B, C, D, A, B, C);
    rig_open(r, lines, NULL);
}

/* Both angles by the law of cosines in the triangle of coupler, rocker and the diagonal. */
static void closed_four_bar(double th, double *be, double *ga)
{
    double px = D - A * cos(th), py = -A * sin(th), f = hypot(px, py), to = atan2(py, px);
    *be = to + acos((f * f + B * B - C * C) / (2 * f * B));
    *ga = atan2(A * sin(th) + B * sin(*be), A * cos(th) + B * cos(*be) - D);
}

/* Rates of coupler and rocker per rate of the crank, by Cramer's rule. */
static void rates(double th, double be, double ga, double *wb, double *wg)
{
    double det = B * C * (-sin(be) * -cos(ga) - sin(ga) * cos(be));
    *wb = (A * sin(th) * -C * cos(ga) + A * cos(th) * C * sin(ga)) / det;
    *wg = (-B * sin(be) * -A * cos(th) - B * cos(be) * A * sin(th)) / det;
}

static void four_bar_follows_its_crank(void **state)
{
    (void)state;
    rig r;
    double be, ga, wb, wg;
    open_four_bar(&r, " fixed", " fixed");
    rig_begin(&r, 0);
    closed_four_bar(0.8, &be, &ga);
    rates(0.8, be, ga, &wb, &wg);
    assert_near(rig_value(&r, "th"), 0.8, ROUNDING);
    assert_near(rig_value(&r, "be"), be, 1e-11);
    assert_near(rig_value(&r, "ga"), ga, 1e-11);
    assert_near(rig_value(&r, "wt"), 2, 2 * ROUNDING);
    assert_near(rig_value(&r, "wb"), 2 * wb, 1e-11);
    assert_near(rig_value(&r, "wg"), 2 * wg, 1e-11);
    rig_close(&r);
}

/* Nothing fixed: the way from the given angles to those found is orthogonal to the one direction
 * in which the linkage can move there; inertias are 1. So is the change of the velocity. */
static void four_bar_moves_the_least(void **state)
{
    (void)state;
    rig r;
    double wb, wg, be, ga;
    open_four_bar(&r, "", "");
    rig_begin(&r, 0);
    double th = rig_value(&r, "th");
    closed_four_bar(th, &be, &ga);
    assert_near(rig_value(&r, "be"), be, 1e-11);
    assert_near(rig_value(&r, "ga"), ga, 1e-11);
    rates(th, be, ga, &wb, &wg);
    double along = (th - 0.8) + wb * (be - 0.5) + wg * (ga - 1.4);
    double length = sqrt(1 + wb * wb + wg * wg) * hypot(th - 0.8, hypot(be - 0.5, ga - 1.4));
    assert_true(length > 0.01); // it did move
    // The first-order condition of a minimum; the iteration meets it to its tolerance.
    assert_near(along / length, 0, 1e-6);
    double wt = rig_value(&r, "wt");
    assert_near(wt, 2 / (1 + wb * wb + wg * wg), 1e-10); // projection of (2, 0, 0)
    assert_near(rig_value(&r, "wb"), wb * wt, 1e-10);
    assert_near(rig_value(&r, "wg"), wg * wt, 1e-10);
    rig_close(&r);
}

/* ---- fixed values ---------------------------------------------------------------------------- */

static void fixed_holds_exactly(void **state)
{
    (void)state;
    rig r;
    open_pendulum(&r, " start 0.1 fixed", " start -7", " start 0.3 fixed", "");
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "x"), 0.1, ROUNDING);
    assert_near(rig_value(&r, "y"), -sqrt(0.99), 1e-14);
    assert_near(rig_value(&r, "vx"), 0.3, ROUNDING);
    assert_near(rig_value(&r, "vy"), 0.03 / sqrt(0.99), 1e-14); // x vx + y vy = 0
    assert_int_equal(r.init.n_fixed, 2);
    rig_close(&r);
}

static void set_from_outside_is_fixed(void **state)
{
    (void)state;
    rig r;
    open_pendulum(&r, " start 1", "", "", "");
    rig_set(&r, "y", 0.6);
    rig_set(&r, "der(x)", -0.9);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "y"), 0.6, ROUNDING);
    assert_near(rig_value(&r, "x"), 0.8, 1e-14);
    assert_near(rig_value(&r, "vx"), -0.9, ROUNDING);
    assert_near(rig_value(&r, "vy"), 0.9 * 0.8 / 0.6, 1e-13);
    rig_close(&r);
}

static void surplus_values_that_agree(void **state)
{
    (void)state;
    rig r;
    open_pendulum(&r, " start 0.6 fixed", " start -0.8 fixed", " start 0.4 fixed",
                  " start 0.3 fixed");
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "x"), 0.6, 1e-15);
    assert_near(rig_value(&r, "y"), -0.8, 1e-15);
    assert_near(rig_value(&r, "lambda"), 0.25 + 9.81 * 0.8, 1e-12);
    rig_close(&r);
}

static void contradiction(const char *x, const char *y, const char *vx, const char *vy,
                          const char *named, const char *also)
{
    rig r;
    open_pendulum(&r, x, y, vx, vy);
    assert_true(try_begin(&r) < 0);
    const char *m = mini_messages(&r.k);
    if (getenv("SHOW")) puts(m);
    if (!strstr(m, "R211") || !strstr(m, named) || !strstr(m, also)) fail_msg("%s", m);
    rig_close(&r);
}

static void contradictions_are_named(void **state)
{
    (void)state;
    contradiction(" start 0.6 fixed", " start 0.9 fixed", "", "", "'x' = 0.6", "'y' = 0.9");
    contradiction(" start 0.6 fixed", " start 0.8 fixed", " start 1 fixed", " start 1 fixed",
                  "'vx' = 1", "'vy' = 1");
    // No point of the circle has x = 3.
    rig r;
    open_pendulum(&r, " start 3 fixed", "", "", "");
    assert_true(try_begin(&r) < 0);
    assert_non_null(strstr(mini_messages(&r.k), "x"));
    rig_close(&r);
}

/* A volume of nothing cannot take anything up. */
static void parameters_that_are_zero_are_named(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "parameter V = 0\nReal p start 1 fixed\nReal q\nV*der(p) = q + p^3\nq = 1 + p^2\n",
             NULL);
    assert_true(try_begin(&r) < 0);
    const char *m = mini_messages(&r.k);
    if (!strstr(m, "where V = 0")) fail_msg("%s", m);
    rig_close(&r);
}

/* ---- initial equations ----------------------------------------------------------------------- */

/* Explicit ones in any order of writing give the same. */
static void order_of_initial_equations(void **state)
{
    (void)state;
    static const char *const equation[3] = {"initial a = 2*b\n", "initial b = c + 1\n",
                                            "initial c = sqrt(9)\n"};
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; k++) {
        rig r;
        char lines[400] = "Real a\nReal b\nReal c\nder(a) = -a\nder(b) = a\nder(c) = b\n";
        for (int i = 0; i < 3; i++) strcat(lines, equation[order[k][i]]);
        rig_open(&r, lines, NULL);
        rig_begin(&r, 0);
        assert_near(rig_value(&r, "c"), 3, 1e-14);
        assert_near(rig_value(&r, "b"), 4, 1e-14);
        assert_near(rig_value(&r, "a"), 8, 1e-14);
        rig_close(&r);
    }
}

/* A steady state of two tanks: the inflow 2 = k1 sqrt(h1) = k2 sqrt(h2). */
static void steady_state(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real h1 start 2\nReal h2 start 2\nder(h1) = 2 - 0.5*sqrt(h1)\n"
             "der(h2) = 0.5*sqrt(h1) - 4*sqrt(h2)\ninitial der(h1) = 0\ninitial der(h2) = 0\n",
             NULL);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "h1"), 16, 1e-8);
    assert_near(rig_value(&r, "h2"), 0.25, 1e-9);
    rig_close(&r);
}

/* An initial equation for an angle in a constrained system: the rod at 30 degrees. */
static void initial_equation_with_constraints(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 1\nReal y start 0.1\nReal vx\nReal vy\nReal lambda\nder(x) = vx\n"
             "der(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - 9.81\nx^2 + y^2 = 1\n"
             "initial atan2(y, x) = 0.5235987755982988\ninitial vy = 1\n",
             NULL);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "x"), sqrt(0.75), 1e-9);
    assert_near(rig_value(&r, "y"), 0.5, 1e-9);
    assert_near(rig_value(&r, "vx"), -0.5 / sqrt(0.75), 1e-9);
    rig_close(&r);
}

/* The root is that of the start value's side. */
static void start_value_picks_the_root(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        rig r;
        char lines[200];
        sprintf(lines, "Real x start 1\nReal z start %d\nder(x) = -x\nz^2 + z*x/10 = 4\n",
                3 * sign);
        rig_open(&r, lines, NULL);
        rig_begin(&r, 0);
        assert_near(rig_value(&r, "z"), -0.05 + sign * sqrt(0.0025 + 4), 1e-10);
        rig_close(&r);
    }
}

/* sqrt(z - 3) + z = 7: with s the root, s^2 + s = 4. At the start value it has no value, nor
 * anywhere near; the simplified model begins at z = 10. The answer is that of the actual model. */
static void homotopy_ends_at_the_actual_model(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 1\nReal z start -100\nder(x) = -x\n"
             "homotopy(sqrt(z - 3) + z*x, z - 3) = 7\n",
             NULL);
    rig_begin(&r, 0);
    double s = (sqrt(17) - 1) / 2;
    assert_near(rig_value(&r, "z"), 3 + s * s, 1e-9);
    rig_close(&r);
}

/* At y = 0 the constraint has no slope in y, the only unknown that may move: there are two
 * solutions, y = +-sqrt(3), and no contradiction. */
static void start_between_two_solutions(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "parameter g = 9.81\nReal x start 1 fixed\nReal y start 0\nReal vx\nReal vy\n"
             "Real lambda\nder(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\n"
             "der(vy) = -lambda*y - g\nx^2 + y^2 = 4\n",
             NULL);
    assert_int_equal(rig_try_begin(&r, 0, &(start_options){0}), 0);
    assert_int_equal(r.init.n_moved, 1);
    assert_near(fabs(r.init.to[0]), sqrt(3), 1e-9);
    rig_close(&r);
}

static void fixed_eliminated(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "Real x start 1\nReal z start 10 fixed\nder(x) = -x\nz = 2*x + 1\n", NULL);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "x"), 4.5, 1e-12);
    rig_close(&r);
}

/* No equation but the last has a value at zero. q^3 + q = 1 by Cardano's formula; g from it. */
static void start_in_sequence(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 1\nReal q\nReal g\nReal h\nder(x) = -x/g\n"
             "20*q = 1/h\n2*g - q/g = 3*q\nq^3 + q = x\n",
             NULL);
    rig_begin(&r, 0);
    double q = cbrt(0.5 + sqrt(31.0 / 108)) + cbrt(0.5 - sqrt(31.0 / 108));
    assert_near(rig_value(&r, "q"), q, 1e-12);
    assert_near(rig_value(&r, "h"), 0.05 / q, 1e-12);
    double g = rig_value(&r, "g");
    assert_near(2 * g * g - 3 * q * g - q, 0, 1e-9);
    rig_close(&r);
}

/* ---- discrete variables ---------------------------------------------------------------------- */

static void discrete_start(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "parameter k = 2\nReal x start 3\ndiscrete n start 5*k fixed\ndiscrete m\nBoolean b\n"
        "Boolean c start true fixed\nder(x) = n\nb = x > 2 and pre(c)\nm = if b then n + 1 else 0\n"
        "when x > 100: n = 0\nwhen x > 200: c = false\n",
        NULL);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "n"), 10, 0);
    assert_near(rig_value(&r, "b"), 1, 0);
    assert_near(rig_value(&r, "m"), 11, 0);
    assert_near(rig_value(&r, "der(x)"), 10, 0);
    rig_set(&r, "k", 3);
    rig_begin(&r, 0);
    assert_near(rig_value(&r, "n"), 15, 0);
    rig_close(&r);
}

/* A condition and the state that it decides, at the start: each branch agrees with itself, and the
 * start value says which. */
static void branches_at_the_start(void **state)
{
    (void)state;
    for (int high = 0; high < 2; high++) {
        rig r;
        char lines[200];
        sprintf(lines,
                "Real x start %d\nBoolean b\nder(x) = -x\nb = x > 2\n"
                "initial x = if b then 5 else 1\n",
                high ? 4 : 0);
        rig_open(&r, lines, NULL);
        rig_begin(&r, 0);
        assert_near(rig_value(&r, "x"), high ? 5 : 1, 1e-12);
        assert_near(rig_value(&r, "b"), high, 0);
        rig_close(&r);
    }
}

/* ---- as given, and what is reported ---------------------------------------------------------- */

static void taken_as_given(void **state)
{
    (void)state;
    rig r;
    start_options given = {.as_given = true};
    open_pendulum(&r, " start 1.2", " start 1.6", " start 1", " start 5");
    assert_true(rig_try_begin(&r, 0, &given) > 0);
    assert_near(rig_value(&r, "x"), 1.2, 0);
    assert_near(rig_value(&r, "y"), 1.6, 0);
    assert_near(rig_value(&r, "vx"), 1, 0);
    assert_near(rig_value(&r, "vy"), 5, 0);
    assert_false(r.init.given_consistent);
    assert_true(r.init.residual > 0.1);
    rig_close(&r);
    open_pendulum(&r, " start 0.6", " start 0.8", " start -0.8", " start 0.6");
    assert_int_equal(rig_try_begin(&r, 0, &given), 0);
    assert_near(rig_value(&r, "lambda"), 1 - 9.81 * 0.8, 1e-12); // nobody gave it: |v|^2 - g y
    rig_close(&r);
}

static void report_of_a_start(void **state)
{
    (void)state;
    rig r;
    open_pendulum(&r, " start 3", " start 0.0001", "", "");
    rig_begin(&r, 0);
    assert_false(r.init.given_consistent);
    assert_true(r.init.n_moved >= 1);
    assert_string_equal(structure_name_of(r.s, r.init.moved[0], r.s->a),
                        "x"); // the most moved first
    assert_near(r.init.from[0], 3, 0);
    assert_near(r.init.to[0], 1, 1e-8);
    rig_close(&r);
    // Given and consistent: nothing moves. Nobody said where z starts.
    rig_open(&r, "Real x start 2\nReal z\nder(x) = -x\nder(z) = x\n", NULL);
    rig_begin(&r, 0);
    assert_true(r.init.given_consistent);
    assert_int_equal(r.init.n_moved, 0);
    assert_int_equal(r.init.n_chosen, 1);
    assert_string_equal(structure_name_of(r.s, r.init.chosen[0], r.s->a), "z");
    rig_close(&r);
}

/* Begun again after other settings a run is as new: to the last bit. */
static void begun_again(void **state)
{
    (void)state;
    rig r;
    double y[RIG_MAX], yp[RIG_MAX];
    open_four_bar(&r, "", "");
    rig_begin(&r, 0);
    memcpy(y, r.y, sizeof y);
    memcpy(yp, r.yp, sizeof yp);
    for (int i = 0; i < r.p->n; i++) r.y[i] = r.yp[i] = 7;
    rig_begin(&r, 0);
    assert_memory_equal(y, r.y, (size_t)r.p->n * sizeof *y);
    assert_memory_equal(yp, r.yp, (size_t)r.p->n * sizeof *yp);
    rig_close(&r);
}

/* The one rule for every formulation: the same start, wherever the formulation keeps it. */
static void same_start_for_every_formulation(void **state)
{
    (void)state;
    for (const form_kind *const *k = form_kinds; *k; k++) {
        rig r;
        rig_open(&r,
                 "Real x start 1.2\nReal y start 1.6\nReal vx start 1\nReal vy\nReal lambda\n"
                 "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - 9.81\n"
                 "x^2 + y^2 = 1\n",
                 (*k)->name);
        rig_begin(&r, 0);
        assert_near(rig_value(&r, "x"), 0.6, 1e-12);
        assert_near(rig_value(&r, "y"), 0.8, 1e-12);
        assert_near(rig_value(&r, "vx"), 0.64, 1e-12); // (1, 0) without its part along (0.6, 0.8)
        assert_near(rig_value(&r, "vy"), -0.48, 1e-12);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point_of_a_circle),
        cmocka_unit_test(inertia_is_the_metric),
        cmocka_unit_test(nominals_are_the_metric),
        cmocka_unit_test(four_bar_follows_its_crank),
        cmocka_unit_test(four_bar_moves_the_least),
        cmocka_unit_test(fixed_holds_exactly),
        cmocka_unit_test(set_from_outside_is_fixed),
        cmocka_unit_test(surplus_values_that_agree),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(parameters_that_are_zero_are_named),
        cmocka_unit_test(order_of_initial_equations),
        cmocka_unit_test(steady_state),
        cmocka_unit_test(initial_equation_with_constraints),
        cmocka_unit_test(start_value_picks_the_root),
        cmocka_unit_test(homotopy_ends_at_the_actual_model),
        cmocka_unit_test(start_between_two_solutions),
        cmocka_unit_test(fixed_eliminated),
        cmocka_unit_test(start_in_sequence),
        cmocka_unit_test(discrete_start),
        cmocka_unit_test(branches_at_the_start),
        cmocka_unit_test(taken_as_given),
        cmocka_unit_test(report_of_a_start),
        cmocka_unit_test(begun_again),
        cmocka_unit_test(same_start_for_every_formulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
