/* The method for a user who names none: what is chosen for which kind of problem. The problems are
 * y' = a(t) y, of which stiffness, size and kind are set by hand; nothing is integrated.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/choose.h"
#include "cmocka_all.h"
#include "method/method_list.h"

#include <math.h>
#include <string.h>

enum { MOST = 1000 };

typedef struct plant {
    double a; // y' = a y
    double event;
} plant;

static int rhs(void *user, double t, double *y, double *yp)
{
    (void)t;
    for (int i = 0; i < 2; i++) yp[i] = ((plant *)user)->a * y[i];
    return 0;
}
static int residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)t;
    for (int i = 0; i < 2; i++) r[i] = yp[i] - ((plant *)user)->a * y[i];
    return 0;
}
static int jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                    double *dyp)
{
    (void)t, (void)y, (void)yp;
    for (int i = 0; i < 4; i++) dy[i] = i % 3 ? 0 : -((plant *)user)->a, dyp[i] = i % 3 ? 0 : 1;
    return 0;
}
static int reselect(void *user, double t, const double *y, const double *yp)
{
    (void)user, (void)t, (void)y, (void)yp;
    return 0;
}
static double next_event(void *user, double t)
{
    return ((plant *)user)->event > t ? ((plant *)user)->event : INFINITY;
}

static const double y2[] = {1, 2};
static double work[3 * MOST];

static vinc_problem problem_of(plant *x)
{
    return (vinc_problem){
        .n = 2, .residual = residual, .jacobian = jacobian, .rhs = rhs, .user = x};
}

static sim_start start_of(double tol)
{
    return (sim_start){.tol = tol, .span = 10, .y = y2, .work = work};
}

static const char *chosen(const vinc_problem *p, double tol)
{
    sim_start at = start_of(tol);
    sim_choice c = {0};
    sim_choose(p, &at, &c);
    assert_non_null(c.why);
    return c.method->name;
}

/* rho times the length of the run decides: 10 is little, 10^7 is not. */
static void stiffness(void **state)
{
    (void)state;
    plant calm = {.a = -1}, stiff = {.a = -1e6};
    vinc_problem p = problem_of(&calm), q = problem_of(&stiff);
    assert_near(sim_spectral_radius(&p, 0, y2, work), 1, 1e-6);
    assert_near(sim_spectral_radius(&q, 0, y2, work), 1e6, 1);
    for (double tol = 1e-3; tol > 1e-12; tol /= 10) assert_string_equal(chosen(&p, tol), "dopri8");
    assert_string_equal(chosen(&q, 1e-4), "rodas5p"); // one matrix and no iteration
    assert_string_equal(chosen(&q, 1e-9), "radau");   // order pays
}

/* x'' = -k x has the eigenvalues +-i sqrt(k), though its matrix has the norm k. */
static int swing(void *user, double t, double *y, double *yp)
{
    (void)t;
    yp[0] = y[1];
    yp[1] = -*(double *)user * y[0];
    return 0;
}

static void radius_of_oscillations(void **state)
{
    (void)state;
    for (double k = 1; k < 1e11; k *= 10) {
        vinc_problem p = {.n = 2, .rhs = swing, .user = &k};
        double rho = sim_spectral_radius(&p, 0, y2, work);
        if (!(fabs(rho / sqrt(k) - 1) < 1e-3)) fail_msg("k = %g: %g", k, rho);
    }
}

/* A constraint, an algebraic unknown: nothing explicit, however calm. A jump to come does not matter. */
static void not_explicit(void **state)
{
    (void)state;
    plant x = {.a = -1, .event = 5};
    vinc_problem p = problem_of(&x);
    p.next_time_event = next_event;
    assert_string_equal(chosen(&p, 1e-9), "dopri8");

    static const uint8_t half[] = {1, 0};
    p = problem_of(&x);
    p.differential = half;
    assert_string_equal(chosen(&p, 1e-9), "radau");
    assert_string_equal(chosen(&p, 1e-5), "rodas5p");
    p.n_roots = 1; // it may switch
    assert_string_equal(chosen(&p, 1e-4), "radau5");
    p.n_roots = 0;
    p.differential = NULL;
    p.reselect = reselect;
    assert_string_equal(chosen(&p, 1e-9), "radau");
    assert_string_equal(chosen(&p, 1e-4), "radau5");
}

/* Positions and velocities oscillate: variable order at every tolerance. */
static void equations_of_motion(void **state)
{
    (void)state;
    static const int velocity[] = {1, -1}, none[] = {-1, -1};
    plant x = {.a = -1e6};
    vinc_problem p = problem_of(&x);
    p.velocity = velocity;
    for (double tol = 1e-3; tol > 1e-12; tol /= 10) assert_string_equal(chosen(&p, tol), "radau");
    p.velocity = none;
    assert_string_equal(chosen(&p, 1e-5), "rodas5p");
}

static void size_and_kind(void **state)
{
    (void)state;
    static uint8_t algebraic[MOST];
    plant x = {.a = -1e6};
    vinc_problem p = problem_of(&x);
    p.rhs = NULL;
    p.n = 200; // a matrix for each step is too dear
    assert_string_equal(chosen(&p, 1e-4), "radau5");
    p.n = MOST;
    assert_string_equal(chosen(&p, 1e-5), "bdf");
    p.n = 2;
    p.differential = algebraic;
    assert_string_equal(chosen(&p, 1e-5), "bdf");
    p.differential = NULL;
    sim_start at = start_of(1e-5);
    sim_choice c;
    at.fixed = true;
    sim_choose(&p, &at, &c);
    assert_string_equal(c.method->name, "radau5");
}

static int waves(void *user, double t, double *y, double *yp) // x'' = -k^2 x, side by side
{
    (void)t;
    double k = ((plant *)user)->a;
    for (int i = 0; i < MOST; i += 2) yp[i] = k * y[i + 1], yp[i + 1] = -k * y[i];
    return 0;
}
static int decays(void *user, double t, double *y, double *yp)
{
    (void)t;
    for (int i = 0; i < MOST; i++) yp[i] = ((plant *)user)->a * y[i];
    return 0;
}

/* A large system is for bdf where it is stiff; else steps are explicit. What oscillates is tried so, and
 * bdf behind it; from bdf steps lead back where nothing is stiff any more. */
static void large(void **state)
{
    (void)state;
    static double y[MOST];
    for (int i = 0; i < MOST; i++) y[i] = 1 + i % 3;
    plant slow = {.a = -1}, stiff = {.a = -1e6}, fast = {.a = 1e4};
    vinc_problem p = problem_of(&slow), q = problem_of(&stiff), w = problem_of(&fast);
    p.n = q.n = w.n = MOST;
    p.rhs = q.rhs = decays;
    w.rhs = waves;
    sim_start at = start_of(1e-6);
    at.y = y;
    sim_choice c;
    sim_choose(&p, &at, &c);
    assert_string_equal(c.method->name, "dopri8");
    sim_choose(&q, &at, &c);
    assert_string_equal(c.method->name, "bdf");
    sim_choose(&w, &at, &c);
    assert_string_equal(c.method->name, "dopri8");
    at.h_rate = 6;
    bool changed = false;
    for (int k = 1; !changed && k < 10; k++) {
        at.t = 6e-4 * k, at.work_done = 100 * k;
        changed = sim_choose_again(&w, &at, k, 6e-4, &c);
    }
    assert_string_equal(c.method->name, "bdf");
    c = (sim_choice){.method = &vinc_method_bdf};
    at.work_done = 1e9;
    assert_true(sim_choose_again(&p, &at, 80, 0.1, &c));
    assert_string_equal(c.method->name, "dopri8");
    c = (sim_choice){.method = &vinc_method_bdf};
    assert_false(sim_choose_again(&q, &at, 80, 0.1, &c));
}

/* Steps of size h after a stretch of 80: the look is taken there, unless explicit steps call for it. */
static void exchange(void **state)
{
    (void)state;
    plant x = {.a = -100};
    vinc_problem p = problem_of(&x);
    sim_start loose = start_of(1e-4), tight = start_of(1e-9);
    sim_choice c = {.method = &vinc_method_rodas5p};
    assert_false(sim_choose_again(&p, &loose, 79, 0.01, &c));
    assert_true(sim_choose_again(&p, &loose, 80, 0.01, &c)); // a long run
    assert_string_equal(c.method->name, "radau5");

    c = (sim_choice){.method = &vinc_method_dopri8};
    assert_false(sim_choose_again(&p, &tight, 80, 0.001, &c)); // rho h = 0.1: by accuracy
    c = (sim_choice){.method = &vinc_method_dopri8};
    assert_false(sim_choose_again(&p, &tight, 79, 0.1, &c));
    assert_true(sim_choose_again(&p, &tight, 80, 0.1, &c)); // rho h = 10: by stability
    assert_string_equal(c.method->name, "radau");
    tight.work_done = 1e6;
    assert_false(sim_choose_again(&p, &tight, 159, 0.001, &c));
    assert_false(sim_choose_again(&p, &tight, 160, 0.01, &c)); // rho h = 1: not calm enough
    tight.work_done = 2e6;
    assert_true(sim_choose_again(&p, &tight, 240, 0.001, &c));
    assert_string_equal(c.method->name, "dopri8");

    c = (sim_choice){.method = &vinc_method_radau};
    p.reselect = reselect; // constraints: never explicit
    assert_false(sim_choose_again(&p, &tight, 160, 0.001, &c));
}

/* Four explicit steps at the limit of stability are enough; the look then says whether it is stiffness. */
static void limit_of_stability(void **state)
{
    (void)state;
    plant x = {.a = -100};
    vinc_problem p = problem_of(&x);
    sim_start at = start_of(1e-9);
    sim_choice c = {.method = &vinc_method_dopri8};
    at.h_rate = 6;
    for (int k = 1; k < 4; k++) assert_false(sim_choose_again(&p, &at, k, 0.06, &c));
    assert_true(sim_choose_again(&p, &at, 4, 0.06, &c));
    assert_string_equal(c.method->name, "radau");
    x.a = -1; // the stages err, and the look finds nothing: the next one comes later
    c = (sim_choice){.method = &vinc_method_dopri8};
    for (int k = 1; k < 40; k++) assert_false(sim_choose_again(&p, &at, k, 0.06, &c));
    assert_true(c.seen.wait > 4);
}

/* Implicit steps are tried. Where they cost more for the same time, explicit ones come back, for longer. */
static void trial_is_judged(void **state)
{
    (void)state;
    plant x = {.a = -100};
    vinc_problem p = problem_of(&x);
    for (int dear = 0; dear < 2; dear++) {
        sim_start at = start_of(1e-9);
        sim_choice c = {.method = &vinc_method_dopri8};
        bool changed = false;
        int k = 1;
        at.h_rate = 6;
        for (; !changed && k < 10; k++) { // 100 operations for each 0.06
            at.t = 0.06 * k, at.work_done = 100 * k;
            changed = sim_choose_again(&p, &at, k, 0.06, &c);
        }
        assert_string_equal(c.method->name, "radau");
        changed = false;
        for (int m = 1; !changed && m < 30; m++) { // ... and 1000 for 0.6, or for 0.06
            at.t += dear ? 0.06 : 0.6, at.work_done += dear ? 1000 : 500;
            changed = sim_choose_again(&p, &at, k + m, 0.06, &c);
        }
        assert_string_equal(c.method->name, dear ? "dopri8" : "radau");
        assert_true(dear == (c.seen.stretch_trial > 80));
    }
}

/* Explicit steps that were left after a short trial come back, on trial, where what accuracy and stability ask for should
 * cost less over 80 steps; not where none were in use. Where they cost more, or lag behind, implicit ones go on. */
static void left_is_tried_again(void **state)
{
    (void)state;
    plant x = {.a = -100};
    vinc_problem p = problem_of(&x);
    p.work_residual = p.work_rhs = p.work_jacobian = 30;
    for (int dear = 0; dear < 2; dear++) {
        sim_start at = start_of(1e-6);
        sim_choice c = {.method = &vinc_method_radau};
        at.t = 1.6, at.work_done = 80 * 4000;
        assert_false(sim_choose_again(&p, &at, 80, 0.02, &c)); // rho h = 2
        c = (sim_choice){.method = &vinc_method_radau, .seen.left_explicit = 1};
        assert_true(sim_choose_again(&p, &at, 80, 0.02, &c));
        assert_string_equal(c.method->name, "dopri8");
        bool changed = false;
        int k = 81;
        for (; !changed && k < 160; k++) { // 4000 in 0.02 before
            at.t += 0.02, at.work_done += dear ? 8000 : 2000;
            changed = sim_choose_again(&p, &at, k, 0.02, &c);
        }
        assert_true(changed == (dear == 1));
        assert_string_equal(c.method->name, dear ? "radau" : "dopri8");
        assert_true(!dear || k < 110); // long before they have been watched for 1.6
        assert_true(!dear || c.seen.stretch_trial > k + 70);
    }
}

/* Explicit steps that events cut: order 5 is tried, and left for good where it takes more work from event to event. */
static void order_of_cut_steps(void **state)
{
    (void)state;
    plant x = {.a = -1};
    vinc_problem p = problem_of(&x);
    for (int dear = 0; dear < 2; dear++) {
        sim_start at = start_of(1e-8);
        sim_choice c = {.method = &vinc_method_dopri8};
        at.events = 3, at.steps = 12, at.work_done = 3000;
        assert_false(sim_choose_again(&p, &at, 1, 0.1, &c));
        at.steps = 11;
        assert_true(sim_choose_again(&p, &at, 1, 0.1, &c));
        assert_string_equal(c.method->name, "dopri5");
        at.events = 8, at.work_done = 5000;
        assert_false(sim_choose_again(&p, &at, 1, 0.1, &c)); // too early to say
        at.events = 9, at.work_done = dear ? 9001 : 8999;    // 1000 for each before
        assert_true(sim_choose_again(&p, &at, 1, 0.1, &c) == (dear == 1));
        assert_string_equal(c.method->name, dear ? "dopri8" : "dopri5");
        at.events = 30, at.work_done = 1e6;
        assert_false(sim_choose_again(&p, &at, 1, 0.1, &c));
    }
}

/* Looks that nothing called for and that found nothing do not make the choice deaf to what stages show. */
static void regular_looks_do_not_deafen(void **state)
{
    (void)state;
    plant x = {.a = -1};
    vinc_problem p = problem_of(&x);
    sim_start at = start_of(1e-9);
    sim_choice c = {.method = &vinc_method_dopri8};
    for (long k = 1; k <= 800; k++) assert_false(sim_choose_again(&p, &at, k, 0.01, &c));
    x.a = -1000;
    at.h_rate = 6;
    for (long k = 801; k < 804; k++) assert_false(sim_choose_again(&p, &at, k, 0.01, &c));
    assert_true(sim_choose_again(&p, &at, 804, 0.01, &c));
}

/* Fewer than 80 steps from event to event, three times at least, and steps are rejected as kinks would have it: order 5, but
 * not of mechanisms. */
static void frequent_events(void **state)
{
    (void)state;
    static const int velocity[] = {1, -1};
    plant x = {.a = -1e6};
    vinc_problem p = problem_of(&x);
    sim_start at = start_of(1e-7);
    sim_choice c = {.method = &vinc_method_radau};
    at.steps = 150, at.events = 2;
    assert_false(sim_choose_again(&p, &at, 10, 0.1, &c));
    at.steps = 250, at.events = 3;
    assert_false(sim_choose_again(&p, &at, 10, 0.1, &c));
    at.steps = 239;
    assert_false(sim_choose_again(&p, &at, 10, 0.1, &c)); // orders pay where it is smooth
    at.rejected = 60;
    p.velocity = velocity;
    assert_false(sim_choose_again(&p, &at, 10, 0.1, &c));
    p.velocity = NULL;
    assert_true(sim_choose_again(&p, &at, 10, 0.1, &c));
    assert_string_equal(c.method->name, "radau5");
    assert_false(sim_choose_again(&p, &at, 10, 0.1, &c));
}

/* Of two unknowns steps of rodas5p in pieces take as much work as those of radau5: no gain. */
static void work_of_first_steps(void **state)
{
    (void)state;
    plant x = {.a = -1e6};
    vinc_problem p = problem_of(&x);
    p.work_residual = p.work_rhs = p.work_jacobian = 30;
    assert_string_equal(chosen(&p, 1e-4), "radau5");
    assert_string_equal(chosen(&p, 1e-6), "radau");
    x.a = -1;
    assert_string_equal(chosen(&p, 1e-6), "dopri8");
    p.work_rhs = 1000; // y' has to be solved for
    assert_string_equal(chosen(&p, 1e-9), "radau");
}

/* A matrix for every step is dear where it fills, and a chain does not: radau, which makes fewer, is chosen for less. */
static void fill_counts(void **state)
{
    (void)state;
    plant x = {.a = -1e6};
    vinc_problem p = problem_of(&x);
    p.n = 40;
    p.rhs = NULL;
    p.work_residual = p.work_jacobian = 2000;
    p.work_factor = 2000, p.work_solve = 400;
    assert_string_equal(chosen(&p, 1e-3), "radau5");
    p.work_residual = 100;
    p.work_factor = 0; // full, for all that is known: complex ones count four times
    assert_string_equal(chosen(&p, 1e-3), "rodas5p");
}

static int in_one(void *user, const struct method_whole *step)
{
    (void)user, (void)step;
    return 1;
}

/* Steps in one piece: order 5 at loose tolerances, in long runs as well, also of algebraic unknowns. Where they fail, steps
 * that iterate. */
static void steps_in_one_piece(void **state)
{
    (void)state;
    static const uint8_t half[] = {1, 0};
    plant x = {.a = -1e6};
    vinc_problem p = problem_of(&x);
    p.work_residual = p.work_rhs = p.work_jacobian = 30;
    p.work_call = 20;
    p.whole_step = in_one;
    p.whole_kinds = VINC_WHOLE_ROSENBROCK;
    assert_string_equal(chosen(&p, 1e-3), "rodas5p");
    assert_string_equal(chosen(&p, 1e-6), "rodas5p");
    assert_string_equal(chosen(&p, 1e-10), "radau");
    sim_start at = start_of(1e-6);
    sim_choice c = {.method = &vinc_method_rodas5p};
    assert_false(sim_choose_again(&p, &at, 80, 0.1, &c));
    assert_true(sim_choose_iterating(&p, &at, &c));
    assert_string_equal(c.method->name, "radau");
    assert_false(sim_choose_iterating(&p, &at, &c));
    p.differential = half;
    assert_string_equal(chosen(&p, 1e-6), "rodas5p");
    c = (sim_choice){.method = &vinc_method_rodas5p};
    assert_false(sim_choose_again(&p, &at, 80, 0.1, &c));
    p.differential = NULL;

    // Explicit steps would do, but a mode decays long before the end. What reads the time may move until then.
    x.a = -30;
    p.whole_kinds |= VINC_WHOLE_EXPLICIT;
    assert_string_equal(chosen(&p, 1e-6), "dopri8");
    p.autonomous = 1;
    assert_string_equal(chosen(&p, 1e-6), "rodas5p");
    sim_choose(&p, &at, &c);
    at.steps = 20;
    assert_false(sim_choose_again(&p, &at, 20, 0.1, &c));
    at.steps =
        40; // it should have settled by now, and has: steps of 1 are longer than 30 h < 4 allows
    at.work_done = 40 * 700;
    sim_choice settled = c;
    assert_false(sim_choose_again(&p, &at, 40, 1, &settled));
    assert_true(sim_choose_again(&p, &at, 40, 0.01, &c)); // it has not
    assert_string_equal(c.method->name, "dopri8");

    // At tight tolerances, where order 5 does not pay, order 9 is supposed to.
    at = start_of(1e-9);
    sim_choose(&p, &at, &c);
    assert_string_equal(c.method->name, "radau");
    assert_true(c.seen.supposed > 0);
    x.a = -1;
    assert_string_equal(chosen(&p, 1e-6), "dopri8");
}

/* While nothing is to be asked, asking changes nothing, and that is most of the time. */
static void quiet_steps_say_nothing(void **state)
{
    (void)state;
    const vinc_method *methods[] = {&vinc_method_dopri8,  &vinc_method_dopri5, &vinc_method_rodas4,
                                    &vinc_method_rodas5p, &vinc_method_radau,  &vinc_method_radau5,
                                    &vinc_method_bdf};
    plant x = {.a = -100};
    long rested = 0, looks = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int kind = 0; kind < 16; kind++) {
            vinc_problem p = problem_of(&x);
            if (kind & 1) p.whole_step = in_one, p.whole_kinds = VINC_WHOLE_ROSENBROCK;
            sim_start at = start_of(kind & 2 ? 1e-5 : 1e-9);
            at.events = kind & 4 ? 3 : 0;
            sim_choice c = {.method = methods[m], .seen.supposed = kind & 8 ? 100 : 0};
            sim_quiet q = {0};
            bool changed = false;
            for (long k = 1; k <= 400 && !changed;
                 k++) { // steps shrink and grow, and some are rejected
                at.steps = k, at.t += 0.01, at.work_done += 1000;
                at.rejected = k > 150 ? k / 3 : 0;
                at.h_rate = k == 200 ? 5 : 1;
                double h = k % 160 < 80 ? 0.05 : 0.002;
                bool rests = k < q.stretch && at.steps < q.steps && at.events == q.events &&
                             at.h_rate <= q.h_rate;
                sim_choice before = c;
                changed = sim_choose_again(&p, &at, k, h, &c);
                rested += rests;
                looks += !rests;
                if (rests && (changed || memcmp(&before, &c, sizeof c)))
                    fail_msg("%s, kind %d, step %ld", before.method->name, kind, k);
                if (!changed) q = sim_choose_quiet(&p, &at, k, &c);
            }
        }
    assert_true(rested > 10 * looks);
}

static void singular_position(void **state)
{
    (void)state;
    sim_choice c = {.method = &vinc_method_radau};
    assert_true(sim_choose_low(&c));
    assert_string_equal(c.method->name, "radau5");
    assert_false(sim_choose_low(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness),
        cmocka_unit_test(steps_in_one_piece),
        cmocka_unit_test(not_explicit),
        cmocka_unit_test(size_and_kind),
        cmocka_unit_test(large),
        cmocka_unit_test(equations_of_motion),
        cmocka_unit_test(exchange),
        cmocka_unit_test(singular_position),
        cmocka_unit_test(quiet_steps_say_nothing),
        cmocka_unit_test(frequent_events),
        cmocka_unit_test(radius_of_oscillations),
        cmocka_unit_test(limit_of_stability),
        cmocka_unit_test(trial_is_judged),
        cmocka_unit_test(left_is_tried_again),
        cmocka_unit_test(order_of_cut_steps),
        cmocka_unit_test(regular_looks_do_not_deafen),
        cmocka_unit_test(work_of_first_steps),
        cmocka_unit_test(fill_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
