/* Events one by one: the unknowns are put where a closed form says they are, the callbacks of the
 * problem are called as a driver would, and the discrete values are those that the language demands
 * (Modelica Language Specification 3.6, sections 3.7.5, 8.3.5, 8.6 and B).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/rig.h"

/* As a driver would come there: the other unknowns follow, discrete values stay. */
static void go_to(rig *r, double t, double x)
{
    r->t = t;
    *rig_y(r, "x") = x;
    r->p->rhs(r->p->user, t, r->y, r->yp);
}

static double next_time(rig *r)
{
    return r->p->next_time_event(r->p->user, r->t);
}

/* ---- relations ------------------------------------------------------------------------------- */

static void relation_keeps_its_value_until_an_event(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\nReal z\nBoolean b\nder(x) = 1\nder(z) = if x > 2 then 5 else 3\nb = x > 2\n",
             NULL);
    rig_start(&r, 0);
    double g[4], before, after;
    assert_int_equal(r.p->n_roots, 1); // both say the same
    go_to(&r, 1, 1.999);
    assert_int_equal(r.p->roots(r.p->user, 1, r.y, r.yp, g), 0);
    before = g[0];
    go_to(&r, 1, 2.001);
    assert_int_equal(r.p->roots(r.p->user, 1, r.y, r.yp, g), 0);
    after = g[0];
    assert_true(before * after < 0);
    assert_true(rig_value(&r, "b") == 0 && rig_value(&r, "der(z)") == 3);
    assert_true(rig_event(&r, 1));
    assert_true(rig_value(&r, "b") == 1 && rig_value(&r, "der(z)") == 5);
    // Nothing more to do at the same point.
    assert_false(rig_event(&r, 1));
    rig_close(&r);
}

/* Equality counts as the relation says. */
static void relation_at_equality(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\nBoolean lt\nBoolean le\nBoolean gt\nBoolean ge\nder(x) = 1\n"
             "lt = x < 2\nle = x <= 2\ngt = x > 2\nge = x >= 2\n",
             NULL);
    rig_start(&r, 0);
    assert_true(rig_value(&r, "lt") == 1 && rig_value(&r, "le") == 1);
    assert_true(rig_value(&r, "gt") == 0 && rig_value(&r, "ge") == 0);
    go_to(&r, 2, 2);
    rig_event(&r, 2);
    assert_true(rig_value(&r, "lt") == 0 && rig_value(&r, "le") == 1);
    assert_true(rig_value(&r, "gt") == 0 && rig_value(&r, "ge") == 1);
    go_to(&r, 3, 3);
    rig_event(&r, 3);
    assert_true(rig_value(&r, "lt") == 0 && rig_value(&r, "le") == 0);
    assert_true(rig_value(&r, "gt") == 1 && rig_value(&r, "ge") == 1);
    rig_close(&r);
}

/* n counts the thresholds 1 ... 9 below x, so n = ceil(x) - 1 by x > c and floor(x) by x >= c, for
 * x in (0, 10). Only the two thresholds beside x are watched. */
static void family(const char *relation, double (*count)(double))
{
    rig r;
    char lines[1000] = "Real x start 0.5\nReal n\nder(x) = 1\nn = 0";
    for (int c = 1; c <= 9; c++)
        sprintf(lines + strlen(lines), " + (if x %s %d then 1 else 0)", relation, c);
    strcat(lines, "\n");
    rig_open(&r, lines, NULL);
    rig_start(&r, 0);
    assert_int_equal(r.p->n_roots, 2);
    assert_near(rig_value(&r, "n"), 0, 0);
    // One by one up, over several at once, down, exactly onto thresholds, beyond both ends.
    static const double path[] = {1.5, 2.5, 3.5, 8.25, 4.75, 4.5, 5, 6, 5.5, 0.25, 9.75, 9, 0.5};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        go_to(&r, (double)i + 1, path[i]);
        rig_event(&r, r.t);
        assert_near(rig_value(&r, "n"), count(path[i]), 0);
    }
    // From 0.5 the next threshold above is 1: its indicator changes sign there and not before.
    double at[2], past[2];
    go_to(&r, 20, 0.999);
    r.p->roots(r.p->user, 20, r.y, r.yp, at);
    go_to(&r, 20, 1.001);
    r.p->roots(r.p->user, 20, r.y, r.yp, past);
    assert_true(at[0] * past[0] < 0 || at[1] * past[1] < 0);
    rig_close(&r);
}

static double below(double x)
{
    return ceil(x) - 1;
}

static void family_of_greater(void **state)
{
    (void)state;
    family(">", below);
}

static void family_of_greater_or_equal(void **state)
{
    (void)state;
    family(">=", floor);
}

/* A threshold that both < and > have: exactly there neither holds, from whichever side it is met. */
static void family_with_a_tie(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 0.5\nBoolean a\nBoolean b\nBoolean c\nBoolean d\nBoolean e\nBoolean f\n"
             "der(x) = 1\na = x < 2\nb = x > 2\nc = x < 1\nd = x > 3\ne = x > 4\nf = x > 5\n",
             NULL);
    rig_start(&r, 0);
    assert_int_equal(r.p->n_roots, 2);
    static const double path[] = {0.5, 2, 2.5, 2, 1.5, 2, 3.5, 2, 0.5, 3.5, 0.5};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        double x = path[i];
        go_to(&r, 1 + (double)i, x);
        rig_event(&r, r.t);
        assert_near(rig_value(&r, "a"), x < 2, 0);
        assert_near(rig_value(&r, "b"), x > 2, 0);
        assert_near(rig_value(&r, "c"), x < 1, 0);
        assert_near(rig_value(&r, "d"), x > 3, 0);
    }
    rig_close(&r);
}

/* Thresholds move with parameters, of each run anew. */
static void family_by_parameters(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "parameter a = 3\nReal x\nReal n\nder(x) = 1\nn = (if x > a then 1 else 0) + "
        "(if x > 2*a then 1 else 0) + (if x > 3*a then 1 else 0) + (if 4*a < x then 1 else 0) + "
        "(if x > 5*a then 1 else 0) + (if 6*a < x then 1 else 0)\n",
        NULL);
    for (int run = 0; run < 3; run++) {
        double a = run == 0 ? 3 : run == 1 ? 0.5 : -1; // at -1 they stand in the other order
        rig_set(&r, "a", a);
        rig_start(&r, 0);
        for (double x = -5.25; x < 5; x += 0.75) {
            go_to(&r, 6 + x, x);
            rig_event(&r, r.t);
            int n = 0;
            for (int k = 1; k <= 6; k++) n += x > k * a;
            assert_near(rig_value(&r, "n"), n, 0);
        }
    }
    rig_close(&r);
}

static void jumping_functions(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 0.5\nReal f\nReal c\nReal m\nReal s\nder(x) = 1\nf = floor(x)\n"
             "c = ceil(x)\nm = mod(x, 3)\ns = sign(x - 1)\n",
             NULL);
    rig_start(&r, 0);
    static const double path[] = {0.5, 1.5, 2.25, 7.75, 3.5, -0.5};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        double x = path[i];
        go_to(&r, 1 + (double)i, x);
        rig_event(&r, r.t);
        assert_near(rig_value(&r, "f"), floor(x), 0);
        assert_near(rig_value(&r, "c"), ceil(x), 0);
        assert_near(rig_value(&r, "m"), x - 3 * floor(x / 3), 0);
        assert_near(rig_value(&r, "s"), (x > 1) - (x < 1), 0);
    }
    rig_close(&r);
}

/* ---- times known beforehand ------------------------------------------------------------------ */

static void timer_times_are_exact(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "parameter T = 0.7\nReal x\nReal f\nBoolean b\nBoolean c\nder(x) = 1\nb = time >= 0.3\n"
        "c = 2*time - T < 0\nf = floor(10*time)\n",
        NULL);
    rig_start(&r, 0);
    assert_int_equal(r.p->n_roots, 0); // nothing to search for
    assert_true(rig_value(&r, "b") == 0 && rig_value(&r, "c") == 1);
    static const struct {
        double t;
        int b, c, f;
    } list[] = {{0.1, 0, 1, 1}, {0.2, 0, 1, 2}, {0.3, 1, 1, 3}, {0.35, 1, 0, 3}, {0.4, 1, 0, 4}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        assert_near(next_time(&r), list[i].t, 4e-16);
        rig_event(&r, next_time(&r));
        assert_near(rig_value(&r, "b"), list[i].b, 0);
        assert_near(rig_value(&r, "c"), list[i].c, 0);
        assert_near(rig_value(&r, "f"), list[i].f, 0);
    }
    rig_close(&r);
}

static void family_of_time(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\nReal n\nder(x) = 1\nn = (if time >= 0.5 then 1 else 0) + (if time >= 0.125 "
             "then 1 else 0) + (if time >= 2 then 1 else 0) + (if time >= 0.75 then 1 else 0)\n",
             NULL);
    rig_start(&r, 0);
    static const double times[] = {0.125, 0.5, 0.75, 2};
    for (int i = 0; i < 4; i++) {
        assert_near(next_time(&r), times[i], 0);
        rig_event(&r, times[i]);
        assert_near(rig_value(&r, "n"), i + 1, 0);
    }
    assert_true(next_time(&r) == INFINITY);
    rig_close(&r);
}

/* The k-th sample is at start + k*interval, each computed from the start: round-off of a thousand
 * intervals does not add up. */
static void sample_times_are_exact(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "parameter T = 0.1\nReal x\ndiscrete n start 0 fixed\ndiscrete at start -1 fixed\n"
             "der(x) = 1\nwhen sample(0.2, T): n = pre(n) + 1; at = time\n",
             NULL);
    rig_start(&r, 0);
    assert_near(rig_value(&r, "n"), 0, 0);
    for (int k = 0; k <= 1000; k++) {
        double t = 0.2 + k * 0.1;
        assert_near(next_time(&r), t, 0);
        assert_true(rig_event(&r, t));
        assert_near(rig_value(&r, "n"), k + 1, 0);
        assert_near(rig_value(&r, "at"), t, 0);
    }
    // Begun later, those of the past are left out: the first after 1.05 is 1.1.
    rig_start(&r, 1.05);
    assert_near(next_time(&r), 1.1, 3e-16);
    rig_event(&r, next_time(&r));
    assert_near(rig_value(&r, "n"), 1, 0);
    rig_close(&r);
}

/* Two clocks that meet at every sixth tick: both clauses fire, in one event. */
static void samples_that_meet(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "Real x\ndiscrete a start 0 fixed\ndiscrete b start 0 fixed\ndiscrete both start 0 fixed\n"
        "der(x) = 1\nwhen sample(2, 2): a = pre(a) + 1\nwhen sample(3, 3): b = pre(b) + 1\n"
        "when sample(2, 2) and sample(3, 3): both = pre(both) + 1\n",
        NULL);
    rig_start(&r, 0);
    int events = 0;
    while (next_time(&r) <= 12) rig_event(&r, next_time(&r)), events++;
    assert_int_equal(events, 8); // 2 3 4 6 8 9 10 12
    assert_near(rig_value(&r, "a"), 6, 0);
    assert_near(rig_value(&r, "b"), 4, 0);
    assert_near(rig_value(&r, "both"), 2, 0);
    rig_close(&r);
}

/* ---- discrete variables ---------------------------------------------------------------------- */

/* x goes to and fro over 2. A clause fires when its condition becomes true; change both ways. */
static void when_edge_and_change(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\nBoolean b\nBoolean was\ndiscrete up start 0 fixed\ndiscrete e start 0 fixed\n"
             "discrete any start 0 fixed\nder(x) = 1\nb = x > 2\nwas = pre(b)\n"
             "when x > 2: up = pre(up) + 1\nwhen edge(b): e = pre(e) + 1\n"
             "when change(b): any = pre(any) + 1\n",
             NULL);
    rig_start(&r, 0);
    for (int k = 1; k <= 6; k++) {
        go_to(&r, k, k % 2 ? 3 : 1);
        assert_true(rig_event(&r, k));
        assert_near(rig_value(&r, "b"), k % 2, 0);
        assert_near(rig_value(&r, "was"), k % 2, 0); // after the event its past is its present
        assert_near(rig_value(&r, "up"), (k + 1) / 2, 0);
        assert_near(rig_value(&r, "e"), (k + 1) / 2, 0);
        assert_near(rig_value(&r, "any"), k, 0);
    }
    rig_close(&r);
}

/* What an event changes may trigger the next clause, at the same time: a cascade of four, written
 * from the last to the first. Values are taken at once: a swap needs no third variable. */
static void cascade_and_swap(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "Real x\ndiscrete a start 1 fixed\ndiscrete b start 2 fixed\ndiscrete n1 start 0 fixed\n"
        "discrete n2 start 0 fixed\ndiscrete n3 start 0 fixed\nder(x) = 1\n"
        "when n2 > 0.5: n3 = pre(n3) + 1\nwhen n1 > 0.5: n2 = pre(n2) + n1\n"
        "when x > 1: n1 = pre(n1) + 1; a = pre(b); b = pre(a)\n",
        NULL);
    rig_start(&r, 0);
    go_to(&r, 2, 2);
    assert_true(rig_event(&r, 2));
    assert_near(rig_value(&r, "n1"), 1, 0);
    assert_near(rig_value(&r, "n2"), 1, 0);
    assert_near(rig_value(&r, "n3"), 1, 0);
    assert_near(rig_value(&r, "a"), 2, 0);
    assert_near(rig_value(&r, "b"), 1, 0);
    rig_close(&r);
}

static void elsewhen_has_less_priority(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\ndiscrete n start 0 fixed\nder(x) = 1\n"
             "when x > 2: n = 1 elsewhen x > 1: n = 2\n",
             NULL);
    rig_start(&r, 0);
    go_to(&r, 1, 3); // both become true
    rig_event(&r, 1);
    assert_near(rig_value(&r, "n"), 1, 0);
    go_to(&r, 2, 0);
    rig_event(&r, 2);
    go_to(&r, 3, 1.5);
    rig_event(&r, 3);
    assert_near(rig_value(&r, "n"), 2, 0);
    rig_close(&r);
}

/* At the start a clause fires only where initial() itself is its condition. */
static void clauses_at_the_start(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 5\ndiscrete a start 0 fixed\ndiscrete b start 0 fixed\n"
             "discrete c start 0 fixed\nder(x) = 1\nwhen x > 2: a = 1\n"
             "when initial(): b = pre(b) + 1\nwhen initial() or x > 7: c = pre(c) + 1\n",
             NULL);
    rig_start(&r, 0);
    assert_near(rig_value(&r, "a"), 0, 0);
    assert_near(rig_value(&r, "b"), 1, 0);
    assert_near(rig_value(&r, "c"), 0, 0);
    go_to(&r, 1, 8);
    rig_event(&r, 1);
    assert_near(rig_value(&r, "a"), 0, 0); // it has been true all the time
    assert_near(rig_value(&r, "b"), 1, 0);
    assert_near(rig_value(&r, "c"), 1, 0);
    rig_close(&r);
}

static void terminal_event(void **state)
{
    (void)state;
    rig r;
    int changed;
    rig_open(&r, "Real x\ndiscrete last start -1 fixed\nder(x) = 1\nwhen terminal(): last = x\n",
             NULL);
    rig_start(&r, 0);
    go_to(&r, 3, 3.5);
    assert_int_equal(r.p->finish(r.p->user, 3, r.y, r.yp, &changed), 0);
    assert_near(rig_value(&r, "last"), 3.5, 0);
    rig_close(&r);
}

/* ---- conditions and unknowns that depend on each other --------------------------------------- */

/* An ideal diode and a resistor at a source x: i = max(x, 0)/R, v = min(x, 0). The condition
 * depends on the solution that it switches. */
static void diode(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "parameter R = 4\nReal x start -1\nReal s\nReal i\nReal v\nBoolean off\nder(x) = 1\n"
             "off = s < 0\nv = if off then s else 0\ni = if off then 0 else s\nx = v + R*i\n",
             NULL);
    rig_start(&r, 0);
    static const double path[] = {-1, 0.5, 2, -0.25, -3, 1};
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
        go_to(&r, (double)k, path[k]);
        rig_event(&r, r.t);
        assert_near(rig_value(&r, "i"), fmax(path[k], 0) / 4, 1e-14);
        assert_near(rig_value(&r, "v"), fmin(path[k], 0), 1e-14);
    }
    rig_close(&r);
}

/* a and b each exclude the other. From a = b = false both become true, then both false, without
 * end; exactly one of them is a solution. */
static void toggling_relations_are_searched(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start -1\nReal s\nReal u\nder(x) = 1\ns = x - 2*(if u > 0 then 1 else 0)\n"
             "u = x - 2*(if s > 0 then 1 else 0)\n",
             NULL);
    rig_start(&r, 0);
    assert_true(rig_value(&r, "s") == -1 && rig_value(&r, "u") == -1);
    go_to(&r, 2, 1);
    assert_true(rig_event(&r, 2));
    double s = rig_value(&r, "s"), u = rig_value(&r, "u");
    assert_true((s == 1 && u == -1) || (s == -1 && u == 1));
    rig_close(&r);
}

static int try_event(rig *r, double t)
{
    int changed;
    return r->p->event(r->p->user, r->t = t, r->y, r->yp, &changed);
}

/* s > 0 exactly where it is not: no solution, and the message names the relation. */
static void contradiction_is_named(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "Real x start -1\nReal s\nder(x) = 1\ns = x - 2*(if s > 0 then 1 else 0)\n", NULL);
    rig_start(&r, 0);
    go_to(&r, 2, 1);
    assert_true(try_event(&r, 2) != 0);
    assert_non_null(strstr(rig_why(&r), "the event at t = 2 does not settle"));
    assert_non_null(strstr(rig_why(&r), "> 0"));
    rig_close(&r);
}

/* A discrete variable that never agrees with its past: the rounds of the event are limited. */
static void endless_event_is_named(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "Real x\nBoolean restless\nder(x) = 1\nrestless = x > 1 and not pre(restless)\n",
             NULL);
    rig_start(&r, 0);
    go_to(&r, 2, 2);
    assert_true(try_event(&r, 2) != 0);
    assert_non_null(strstr(rig_why(&r), "the event at t = 2 does not settle"));
    assert_non_null(strstr(rig_why(&r), "restless"));
    rig_close(&r);
}

/* ---- actions --------------------------------------------------------------------------------- */

/* A ball meets the floor at 3 m/s and leaves it with e = 0.8 of that; its momentum p = 2*v, which
 * is no state, follows. */
static void reinit_moves_a_state(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x start 1\nReal v\nReal p\nder(x) = v\nder(v) = -9.81\np = 2*v\n"
             "when x < 0: reinit(v, 0 - 0.8*v)\n",
             NULL);
    rig_start(&r, 0);
    go_to(&r, 0.5, -1e-9);
    *rig_y(&r, "v") = -3;
    assert_true(rig_event(&r, 0.5));
    assert_near(rig_value(&r, "v"), 2.4, 1e-15);
    assert_near(rig_value(&r, "p"), 4.8, 1e-15);
    assert_near(rig_value(&r, "x"), -1e-9, 0);
    assert_false(rig_event(&r, 0.5)); // it is still below: once is enough
    assert_near(rig_value(&r, "v"), 2.4, 1e-15);
    rig_close(&r);
}

/* From rest at 1 m the impact is at sqrt(2/g) with -sqrt(2 g); 0.1 s later the parabola says where. */
static void bounce_is_located(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "Real x start 1\nReal v\nder(x) = v\nder(v) = -9.81\nwhen x < 0: reinit(v, 0 - 0.8*v)\n",
        NULL);
    rig_start(&r, 0);
    double t = sqrt(2 / 9.81), u = 0.8 * sqrt(2 * 9.81);
    rig_integrate(&r, "dopri5", 1e-10, t + 0.1);
    assert_near(rig_value(&r, "v"), u - 0.981, 1e-8);
    assert_near(rig_value(&r, "x"), 0.1 * u - 9.81 * 0.005, 1e-8);
    rig_close(&r);
}

static void assertion_stops(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "Real x\nder(x) = 1\nassert x < 3, \"x left its range\"\n", NULL);
    rig_begin(&r, 0);
    go_to(&r, 2, 2);
    assert_int_equal(r.p->check(r.p->user, 2, r.y, r.yp), 0);
    go_to(&r, 4, 4);
    assert_true(r.p->check(r.p->user, 4, r.y, r.yp) < 0);
    assert_string_equal(rig_why(&r), "assertion failed at t = 4: x left its range (x = 4)");
    rig_close(&r);
}

typedef struct heard {
    int n;
    char last[200];
} heard;

static void hear(void *user, span at, const char *words)
{
    heard *h = user;
    h->n++;
    snprintf(h->last, sizeof h->last, "%u %s", at.begin, words);
}

static void warning_is_given_once(void **state)
{
    (void)state;
    rig r;
    heard h = {0};
    rig_open(&r, "Real x\nder(x) = 1\nwarn x < 3, \"high\"\n", NULL);
    run_warnings(r.state, hear, &h);
    rig_begin(&r, 0);
    for (int k = 2; k < 6; k++) {
        go_to(&r, k, k);
        assert_int_equal(r.p->check(r.p->user, k, r.y, r.yp), 0);
    }
    assert_int_equal(h.n, 1);
    assert_string_equal(h.last, "3 assertion failed at t = 3: high (x = 3)");
    rig_close(&r);
}

static void assertion_in_a_clause(void **state)
{
    (void)state;
    rig r;
    rig_open(
        &r,
        "Real x\nReal v start 7\nder(x) = 1\nder(v) = 0\nwhen x > 1: assert v < 5, \"too fast\"\n",
        NULL);
    rig_start(&r, 0);
    go_to(&r, 2, 2);
    assert_true(try_event(&r, 2) < 0);
    assert_non_null(strstr(rig_why(&r), "too fast (v = 7)"));
    rig_close(&r);
}

static void terminate_says_why(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "Real x\nder(x) = 1\nwhen x > 1: terminate \"arrived\"\n", NULL);
    rig_start(&r, 0);
    go_to(&r, 2, 2);
    assert_int_equal(try_event(&r, 2), VINC_TERMINATED);
    assert_string_equal(rig_why(&r), "terminated at t = 2: arrived");
    rig_close(&r);
}

static void event_in_words(void **state)
{
    (void)state;
    rig r;
    char line[200];
    rig_open(&r, "Real x\ndiscrete n start 0 fixed\nder(x) = 1\nwhen x > 1: n = pre(n) + 4\n",
             NULL);
    rig_start(&r, 0);
    go_to(&r, 2, 2);
    r.p->event_text(r.p->user, NULL, 0);
    rig_event(&r, 2);
    r.p->event_text(r.p->user, line, sizeof line);
    assert_string_equal(line, "x > 1 becomes true; n = 4");
    rig_close(&r);
}

/* ---- delays ---------------------------------------------------------------------------------- */

/* The trajectory x = sin(t): what a method's interpolant would give. */
static int sine(void *user, double t, double *y, double *yp)
{
    (void)user;
    y[0] = sin(t);
    yp[0] = cos(t);
    return 0;
}

/* Accepted in steps of 0.4 and less. A polynomial of degree 6 through Chebyshev points of a step h
 * errs by at most 2 (h/4)^7/7! = 4e-11 of sin; its derivative by about 7/h times that and more. */
static void delay_reads_back(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\nReal z\nReal w\nder(x) = cos(time)\nz = delay(x, 0.5)\nw = delay(2*x, 0.9)\n",
             NULL);
    assert_int_equal(r.p->n, 1);
    rig_start(&r, 0);
    assert_near(r.p->step_limit(r.p->user, 0), 0.5, 1e-15);
    for (double end; r.t < 2.5; r.t = end) {
        // Between steps: what is past is known, and before the start x was 0.
        double from = r.t, event = next_time(&r);
        end = fmin(from + 0.4, event);
        for (int i = 0; i < 8; i++) {
            sine(NULL, r.t = from + (end - from) * i / 8, r.y, r.yp);
            assert_near(rig_value(&r, "z"), r.t < 0.5 ? 0 : sin(r.t - 0.5), 1e-10);
            assert_near(rig_value(&r, "w"), r.t < 0.9 ? 0 : 2 * sin(r.t - 0.9), 2e-10);
        }
        assert_int_equal(r.p->accept(r.p->user, from, end, sine, NULL), 0);
        sine(NULL, end, r.y, r.yp);
        if (end == event) rig_event(&r, end); // the kink at the start has come back
    }
    rig_close(&r);
}

static int still(void *user, double t, double *y, double *yp)
{
    rig *r = user;
    (void)t;
    memcpy(y, r->y, (size_t)r->p->n * sizeof *y);
    memcpy(yp, r->yp, (size_t)r->p->n * sizeof *yp);
    return 0;
}

/* u jumps from 0 to 1 at 0.3; its delayed value jumps at 0.3 + 0.5, an event known beforehand, and
 * keeps the value of the left until that event, though 0.8 - 0.5 is rounded to more than 0.3. */
static void jump_comes_back(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "Real x\nReal u\nReal z\nder(x) = 0\nu = x + (if time >= 0.3 then 1 else 0)\n"
             "z = delay(u, 0.5)\n",
             NULL);
    rig_start(&r, 0);
    assert_near(next_time(&r), 0.3, 0);
    assert_int_equal(r.p->accept(r.p->user, 0, 0.3, still, &r), 0);
    rig_event(&r, 0.3);
    assert_near(rig_value(&r, "u"), 1, 0);
    while (next_time(&r) < 0.75) rig_event(&r, next_time(&r)); // the start itself comes back at 0.5
    assert_near(next_time(&r), 0.8, 1e-16);
    assert_int_equal(r.p->accept(r.p->user, 0.3, 0.8, still, &r), 0);
    r.t = 0.8;
    assert_near(rig_value(&r, "z"), 0, 0);
    assert_true(rig_event(&r, 0.8));
    assert_near(rig_value(&r, "z"), 1, 0);
    rig_close(&r);
}

static void delay_beyond_the_longest(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "Real x start 0.2\nReal z\nder(x) = 1\nz = delay(x, x, 0.5)\n", NULL);
    rig_start(&r, 0);
    assert_int_equal(r.p->accept(r.p->user, 0, 0.1, still, &r), 0);
    r.y[0] = 0.6;
    assert_true(r.p->accept(r.p->user, 0.1, 0.4, still, &r) < 0);
    assert_non_null(strstr(rig_why(&r), "the delay time 0.6 is longer than the longest, 0.5"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relation_keeps_its_value_until_an_event),
        cmocka_unit_test(relation_at_equality),
        cmocka_unit_test(family_of_greater),
        cmocka_unit_test(family_of_greater_or_equal),
        cmocka_unit_test(family_with_a_tie),
        cmocka_unit_test(family_by_parameters),
        cmocka_unit_test(jumping_functions),
        cmocka_unit_test(timer_times_are_exact),
        cmocka_unit_test(family_of_time),
        cmocka_unit_test(sample_times_are_exact),
        cmocka_unit_test(samples_that_meet),
        cmocka_unit_test(when_edge_and_change),
        cmocka_unit_test(cascade_and_swap),
        cmocka_unit_test(elsewhen_has_less_priority),
        cmocka_unit_test(clauses_at_the_start),
        cmocka_unit_test(terminal_event),
        cmocka_unit_test(diode),
        cmocka_unit_test(toggling_relations_are_searched),
        cmocka_unit_test(contradiction_is_named),
        cmocka_unit_test(endless_event_is_named),
        cmocka_unit_test(reinit_moves_a_state),
        cmocka_unit_test(bounce_is_located),
        cmocka_unit_test(assertion_stops),
        cmocka_unit_test(warning_is_given_once),
        cmocka_unit_test(assertion_in_a_clause),
        cmocka_unit_test(terminate_says_why),
        cmocka_unit_test(event_in_words),
        cmocka_unit_test(delay_reads_back),
        cmocka_unit_test(jump_comes_back),
        cmocka_unit_test(delay_beyond_the_longest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
