/* Every rescue of src/sim/rescue.c, each on a run that fails without it: the log names it, and the
 * end of the run is known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

typedef struct watch {
    char rescue[60]; // as in the log
    int seen;
} watch;

static void look(void *user, const char *topic, const char *line)
{
    watch *w = user;
    if (!strcmp(topic, "step") && strstr(line, w->rescue)) w->seen++;
}

static trial rescued(const char *example, const char *text, const char *rescue, vinc_sim_options o,
                     int *times)
{
    watch w = {.seen = 0};
    snprintf(w.rescue, sizeof w.rescue, "rescue '%s'", rescue);
    o.has_stop = 1;
    if (!(o.rel_tol > 0)) o.rel_tol = 1e-8;
    o.log = "step";
    o.log_line = look;
    o.user = &w;
    trial r = trial_ready(example, text, &o);
    trial_run(&r);
    assert_int_equal(r.rc, VINC_OK);
    *times = w.seen;
    return r;
}

/* A relaxation oscillation: x' = y on the curve x = 1/2 + y - y^3, with t = ln y - 3/2 y^2 + const.
 * From the fold at |y| = 1/sqrt(3) it jumps to 2/sqrt(3) on the other side, and is there for
 * 3/2 - ln 2. */
static void jump(void **state)
{
    (void)state;
    static const char model[] = "model M Real x(start = 0, fixed = true), y(start = 1.2); equation "
                                "der(x) = y; y^3 - y = 0.5 - x; end M;";
    double y = 1.2;
    for (int k = 0; k < 20; k++) y -= (y * y * y - y - 0.5) / (3 * y * y - 1);
    double fold = 1 / sqrt(3), first = log(fold / y) - 1.5 * (fold * fold - y * y);
    double second = first + 1.5 - log(2), end = 2.4;
    int times;
    trial r = rescued(NULL, model, "jump", (vinc_sim_options){.t_stop = end}, &times);
    assert_int_equal(times, 2);
    y = 2 * fold;
    for (int k = 0; k < 20; k++) {
        double f = log(y / (2 * fold)) - 1.5 * (y * y - 4 * fold * fold) - (end - second);
        y -= f / (1 / y - 3 * y);
    }
    assert_near(vinc_result_at(r.result, "y", end), y, 1e-5);
    assert_true(vinc_result_at(r.result, "y", first + 0.01) < -1);
    trial_end(&r);
}

/* The loop of rods passes the line ten times; ends as in tests/numeric/mechanics.c. Each passage magnifies
 * what processors round differently: by bdf ends at 1e-8 lie up to 2e-5 off, at 3e-9 2e-7. */
static void crossing(void **state)
{
    (void)state;
    int ahead, stuck;
    trial r = rescued("four-bar", NULL, "cross ahead", (vinc_sim_options){.t_stop = 10}, &ahead);
    assert_near(vinc_result_at(r.result, "x", 10), 0.47838505776097, 1e-5);
    trial_end(&r);
    vinc_sim_options bdf = {
        .t_stop = 10, .rel_tol = 3e-9, .formulation = "project", .method = "bdf", .intervals = 1};
    r = rescued("four-bar", NULL, "cross from standstill", bdf, &stuck);
    assert_near(vinc_result_at(r.result, "x", 10), 0.47838505776097, 1e-5);
    trial_end(&r);
    assert_true(ahead > 0 && stuck > 0);
}

/* x' = 1 - sqrt(x) from 0, where the slope of the root has no bound and stages of rodas5p are negative however short the
 * step: t = -2 sqrt(x) - 2 ln(1 - sqrt(x)). */
static void iteration(void **state)
{
    (void)state;
    static const char model[] =
        "model M Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation der(x) = 1 "
        "- sqrt(x); der(y) = x - y; end M;"; // radau is chosen for x alone
    int times;
    vinc_sim_options o = {.t_stop = 1, .rel_tol = 1e-6};
    trial r = rescued(NULL, model, "iterate", o, &times);
    assert_int_equal(times, 1);
    double z = sqrt(vinc_result_at(r.result, "x", 1));
    assert_near(-2 * z - 2 * log(1 - z), 1, 1e-5);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jump), cmocka_unit_test(crossing),
                                       cmocka_unit_test(iteration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
