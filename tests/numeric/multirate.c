/* Steps of parts of the unknowns inside steps of all: no less accurate than steps of all at the same tolerance, fewer of
 * these, with events inside, and left alone where they do not pay. References: radau at 1e-11.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Controllers that jump through a fold, one after the other, and heat one circuit (after DistrictHeating of the
 * ScalableTestSuite, on which the method was made). */
#define FOLDS(N)                                                                                   \
    "model M parameter Integer N = " #N                                                            \
    "; Real d(start = 60, fixed = true), T[N](each start = 20, each fixed = true), x[N](each "     \
    "start = -0.5, each fixed = true); equation der(d) = 1e-3*(70 - d) - 24e-5/N*sum((d - "        \
    "T[i])*(0.5 + 0.5*tanh(30*x[i])) for i in 1:N); for i in 1:N loop der(T[i]) = 4e-5*(1 + "      \
    "1.2*i/N)*((d - T[i])*(0.5 + 0.5*tanh(30*x[i])) - T[i] + 5 + 5*sin(1e-4*time)); der(x[i]) = "  \
    "50*(10*x[i]*(0.25 - x[i]^2) + 20 - T[i]); end for; end M;"

/* One oscillator is a hundred times as fast as its neighbours. */
static const char *const OSCILLATORS =
    "model M parameter Integer N = 12; Real x[N](each start = 1, each fixed = true), v[N](each "
    "start = 0, each fixed = true); equation for i in 1:N loop der(x[i]) = v[i]; der(v[i]) = "
    "-(if i == 3 then 4e4 else 1 + 0.1*i)*x[i] - 0.1*v[i] + 0.01*(x[mod(i, N) + 1] - x[i]); end "
    "for; end M;";

/* A pulse runs through a chain of inverters (M. Guenther & P. Rentrop, Appl. Numer. Math. 13 (1993) 83-102), its
 * squares of what is positive made smooth. */
static const char *const INVERTERS =
    "model M parameter Integer N = 24; function f input Real x; output Real y; algorithm y := "
    "(0.5*(x + sqrt(x^2 + 1e-2)))^2; end f; Real u[N](start = {if mod(i, 2) == 0 then 0.1 else 4.9 "
    "for i in 1:N}, each fixed = true), e; equation e = 5*exp(-((time - 3)/0.5)^2); der(u[1]) = 5 "
    "- u[1] - 100*(f(e - 1) - f(e - u[1] - 1)); for i in 2:N loop der(u[i]) = 5 - u[i] - "
    "100*(f(u[i-1] - 1) - f(u[i-1] - u[i] - 1)); end for; end M;";

/* Stirred tanks in a row that ignite in turn (A. Uppal, W. H. Ray & A. B. Poore, Chem. Eng. Sci. 29 (1974) 967-985):
 * what one does to the next adds up from step to step. */
#define TANKS_OF(N)                                                                                \
    "model M parameter Integer N = " #N                                                            \
    "; Real x[N](start = {0.2 + 0.02*mod(7*i, N) for i in 1:N}, each fixed = true), T[N](each "    \
    "start = 1, each fixed = true), r[N]; equation for i in 1:N loop r[i] = 0.165*(1 + 0.004*i)*(" \
    "1 - x[i])*exp(T[i]/(1 + T[i]/40)); der(x[i]) = -x[i] + r[i] + (if i > 1 then 0.01*x[max(i - " \
    "1, 1)] else 0); der(T[i]) = 5*(-4*T[i] + 15*r[i] + (if i > 1 then 0.01*T[max(i - 1, 1)] "     \
    "else 0)); end for; end M;"

typedef struct multirate_case {
    const char *text;
    double stop, tol;
    const char *a, *b; // what is looked at
    double steps_most; // over those of rodas5p; 0: not asked
    double work_most;  // likewise, where steps are asked
} multirate_case;

static vinc_sim_options options_of(const multirate_case *m, const char *method, double tol)
{
    return (vinc_sim_options){
        .method = method, .rel_tol = tol, .has_stop = 1, .t_stop = m->stop, .intervals = 40};
}

/* The mean over 40 points of the errors of two unknowns, in units of the tolerance. */
static double mean_error(const multirate_case *m, const trial *r, const trial *exact)
{
    double sum = 0;
    for (int k = 1; k <= 40; k++) {
        double t = m->stop * k / 40;
        const char *names[] = {m->a, m->b};
        for (int i = 0; i < 2; i++) {
            double y = vinc_result_at(exact->result, names[i], t);
            sum += fabs(vinc_result_at(r->result, names[i], t) - y) / (m->tol * (fabs(y) + 1));
        }
    }
    return sum / 80;
}

static void check(const multirate_case *m)
{
    trial exact = trial_of(m->text, options_of(m, "radau", 1e-11));
    trial all = trial_of(m->text, options_of(m, "rodas5p", m->tol));
    trial parts = trial_of(m->text, options_of(m, "multirate", m->tol));
    vinc_sim_stats a, p;
    vinc_sim_statistics(all.sim, &a);
    vinc_sim_statistics(parts.sim, &p);
    // Steps of all are the measure: their errors pile up in the same way. Never asked for less than the tolerance.
    double most = fmax(mean_error(m, &all, &exact), 1);
    assert_true(mean_error(m, &parts, &exact) <= most);
    if (m->steps_most > 0) {
        assert_true((double)p.steps < m->steps_most * (double)a.steps);
        assert_true(p.work < m->work_most * a.work);
    }
    trial_end(&exact);
    trial_end(&all);
    trial_end(&parts);
}

static void as_accurate_in_fewer_steps(void **state)
{
    (void)state;
    const multirate_case cases[] = {
        // 0.27; 0.35 where errors that fade are held to as much as those that pile up
        {FOLDS(12), 4000, 1e-6, "x[5]", "d", 0.3, 0.31},
        {FOLDS(12), 4000, 1e-4, "T[5]", "d", 0, 0},
        {OSCILLATORS, 5, 1e-6, "x[1]", "x[4]", 0, 0},
        {INVERTERS, 15, 1e-6, "u[6]", "u[15]", 0, 0},
        {TANKS_OF(16), 6, 1e-5, "T[5]", "x[12]", 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check(&cases[k]);
}

/* A step of all that has to end where a part jumps is cut there, not made again: 33 of 117 are refused, 86 of 143 if it were. */
static void cut_where_parts_end(void **state)
{
    (void)state;
    const multirate_case m = {FOLDS(12), 4000, 1e-6, "x[5]", "d", 0, 0};
    trial parts = trial_of(m.text, options_of(&m, "multirate", m.tol));
    vinc_sim_stats p;
    vinc_sim_statistics(parts.sim, &p);
    assert_true((double)p.rejected < 0.4 * (double)p.steps);
    trial_end(&parts);
}

/* Rows inside steps of all: unknowns that join a part on the way are those of the step of all before. 400 rows, the
 * largest error: below that of steps of all, or the tolerance. */
static void rows_where_others_join(void **state)
{
    (void)state;
    const char *names[] = {"T[5]", "T[9]", "d"};
    const char *const methods[] = {"radau", "rodas5p", "multirate"};
    const double tols[] = {1e-11, 1e-6, 1e-6};
    trial r[3];
    double most[3] = {0};
    for (int k = 0; k < 3; k++)
        r[k] = trial_of(FOLDS(12), (vinc_sim_options){.method = methods[k],
                                                      .rel_tol = tols[k],
                                                      .has_stop = 1,
                                                      .t_stop = 4000,
                                                      .intervals = 400});
    for (int k = 1; k < 3; k++)
        for (int row = 1; row <= 400; row++)
            for (int i = 0; i < 3; i++) {
                double t = 10.0 * row, y = vinc_result_at(r[0].result, names[i], t);
                double e = fabs(vinc_result_at(r[k].result, names[i], t) - y);
                most[k] = fmax(most[k], e / (1e-6 * (fabs(y) + 1)));
            }
    assert_true(most[2] <= fmax(most[1], 1));
    for (int k = 0; k < 3; k++) trial_end(&r[k]);
}

/* What an unknown misses of a part acts on the part: fourteen tanks that ignite at once amplify it by a thousand. Without
 * its weight errors were 60 times those of rodas5p. */
static void what_is_missed_comes_back(void **state)
{
    (void)state;
    const multirate_case m = {TANKS_OF(14), 2, 1e-5, "T[8]", "T[12]", 0, 0};
    trial exact = trial_of(m.text, options_of(&m, "radau", 1e-11));
    trial all = trial_of(m.text, options_of(&m, "rodas5p", m.tol));
    trial parts = trial_of(m.text, options_of(&m, "multirate", m.tol));
    assert_true(mean_error(&m, &parts, &exact) <= 3 * fmax(mean_error(&m, &all, &exact), 1));
    trial_end(&exact);
    trial_end(&all);
    trial_end(&parts);
}

/* In a tank that has burnt out what is left follows the temperature, which it is given to: a step of all that errs by
 * 0.01 of the tolerance in what is left led the temperature alone astray by hundreds. Largest errors of seventeen tanks at 100
 * points were 1,900 tolerances at 1e-6, where radau has 8, and 240 at 1e-4, where it has 2. */
static void what_follows_goes_along(void **state)
{
    (void)state;
    const double tols[] = {1e-4, 1e-6};
    trial exact = trial_of(
        TANKS_OF(17),
        (vinc_sim_options){
            .method = "radau", .rel_tol = 1e-11, .has_stop = 1, .t_stop = 6, .intervals = 100});
    for (int k = 0; k < 2; k++) {
        trial parts = trial_of(TANKS_OF(17), (vinc_sim_options){.method = "multirate",
                                                                .rel_tol = tols[k],
                                                                .has_stop = 1,
                                                                .t_stop = 6,
                                                                .intervals = 100});
        for (int i = 1; i <= 17; i++)
            for (int row = 1; row <= 100; row++) {
                char name[8];
                snprintf(name, sizeof name, "T[%d]", i);
                double t = 0.06 * row, y = vinc_result_at(exact.result, name, t);
                double e = fabs(vinc_result_at(parts.result, name, t) - y);
                assert_true(e <= 10 * tols[k] * (fabs(y) + 1));
            }
        trial_end(&parts);
    }
    trial_end(&exact);
}

/* Without parts it is rodas5p, to the bit: algebraic unknowns that are not eliminated, two derivatives in a row. */
static void without_parts(void **state)
{
    (void)state;
    const char *const models[] = {
        "model M Real x(start = 1, fixed = true), z(start = 1); equation der(x) = -1000*(x - "
        "cos(time)) - z; z^5 + z = x + 2; end M;",
        "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) + "
        "x*der(y) = -x; der(y) - der(x) = -50*y; end M;"};
    for (int k = 0; k < 2; k++) {
        vinc_sim_options o = {.method = "rodas5p", .has_stop = 1, .t_stop = 2, .intervals = 10};
        trial all = trial_of(models[k], o);
        o.method = "multirate";
        trial parts = trial_of(models[k], o);
        assert_true(vinc_result_at(all.result, "x", 2) == vinc_result_at(parts.result, "x", 2));
        trial_end(&all);
        trial_end(&parts);
    }
}

/* An event that a part makes: the fast unknown of eleven passes a threshold, and the slow ones count it. */
static void events_of_a_part(void **state)
{
    (void)state;
    const char *text =
        "model M parameter Integer N = 10; Real y[N](each start = 1, each fixed = true), x(start = "
        "0, fixed = true), v(start = 100, fixed = true); discrete Real first(start = -1); Integer "
        "n(start = 0); equation for i in 1:N loop der(y[i]) = -0.1*i*y[i] + 1e-4*x; end for; "
        "der(x) = v; der(v) = -1e4*x; when x < -0.5 then n = pre(n) + 1; first = if pre(n) == 0 "
        "then time else pre(first); end when; end M;";
    trial r = trial_of(
        text,
        (vinc_sim_options){
            .method = "multirate", .rel_tol = 1e-8, .has_stop = 1, .t_stop = 2, .intervals = 10});
    // x = sin(100 t): below -1/2 for the first time at 7 pi/600, and once in each of 31.8 periods.
    assert_near(vinc_result_at(r.result, "first", 2), 7 * 3.14159265358979 / 600, 1e-7);
    assert_near(vinc_result_at(r.result, "n", 2), 32, 0);
    assert_near(vinc_result_at(r.result, "x", 2), sin(200), 1e-4);
    trial_end(&r);
}

static bool is_used(const char *text, double stop, double tol)
{
    trial r = trial_of(text, (vinc_sim_options){.rel_tol = tol, .has_stop = 1, .t_stop = stop});
    vinc_run *run = NULL;
    assert_int_equal(vinc_run_of(r.sim, &run), VINC_OK);
    bool used = !strcmp(run->method, "multirate");
    if (used) assert_non_null(strstr(run->method_why, "few unknowns"));
    vinc_report_free(run);
    trial_end(&r);
    return used;
}

/* Chosen where the folds are one after another; not where all unknowns are alike. */
static void chosen_where_it_pays(void **state)
{
    (void)state;
    assert_true(is_used(FOLDS(24), 6000, 1e-6));
    assert_false(is_used("model M parameter Integer N = 30; Real u[N](start = {if i < 5 then 1.0 "
                         "else 0.0 for i in 1:N}, each fixed = true); equation for i in 1:N loop "
                         "der(u[i]) = 400*(u[max(i - 1, 1)] - 2*u[i] + u[min(i + 1, N)]) + "
                         "1e3*u[i]*(1 - u[i])*(u[i] - 0.2); end for; end M;",
                         2, 1e-7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_accurate_in_fewer_steps), cmocka_unit_test(cut_where_parts_end),
        cmocka_unit_test(rows_where_others_join),     cmocka_unit_test(what_is_missed_comes_back),
        cmocka_unit_test(what_follows_goes_along),    cmocka_unit_test(without_parts),
        cmocka_unit_test(events_of_a_part),           cmocka_unit_test(chosen_where_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
