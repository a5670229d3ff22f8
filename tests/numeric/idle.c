/* Relations that others make idle are not watched, and nothing else changes by it.
 *
 * Formulas of relations sin(a t + b) > c, whose times of change are known: how long each formula holds, against
 * the sum over the pieces between these times. Numbers and formulas are drawn.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RELATIONS = 5, FORMULAS = 4, MODELS = 40, TIMES_MAX = 400 };
static const double END = 5, PI = 3.14159265358979323846;

typedef struct dice {
    uint64_t state;
} dice;

static int throw(dice * d, int n)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((d->state >> 33) % (uint64_t)n);
}

typedef struct node {
    char op; // r: a relation, n: not, a: and, o: or
    int of[2];
} node;

typedef struct world {
    dice d;
    double a[RELATIONS], b[RELATIONS], c[RELATIONS];
    node nodes[200];
    int n;
    char text[8000];
    size_t used;
} world;

static int draw_formula(world *w, int depth)
{
    int k = w->n++, what = throw(&w->d, depth > 3 ? 1 : 6);
    node x = {"rnaaoo" [what], { 0 }};
    if (x.op == 'r') x.of[0] = throw(&w->d, RELATIONS);
    for (int i = 0; i < (x.op == 'r' ? 0 : x.op == 'n' ? 1 : 2); i++)
        x.of[i] = draw_formula(w, depth + 1);
    w->nodes[k] = x;
    return k;
}

static bool above(const world *w, int r, double t)
{
    return sin(w->a[r] * t + w->b[r]) > w->c[r];
}

static bool holds(const world *w, int k, double t)
{
    const node *x = &w->nodes[k];
    int r = x->of[0];
    if (x->op == 'r') return above(w, r, t);
    if (x->op == 'n') return !holds(w, r, t);
    bool p = holds(w, r, t), q = holds(w, x->of[1], t);
    return x->op == 'a' ? p && q : p || q;
}

static void say(world *w, const char *words)
{
    w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%s", words);
}

static void say_formula(world *w, int k)
{
    const node *x = &w->nodes[k];
    char words[40];
    if (x->op == 'r') {
        snprintf(words, sizeof words, "s[%d] > c[%d]", x->of[0] + 1, x->of[0] + 1);
        say(w, words);
        return;
    }
    say(w, x->op == 'n' ? "(not (" : "((");
    say_formula(w, x->of[0]);
    if (x->op != 'n') {
        say(w, x->op == 'a' ? ") and (" : ") or (");
        say_formula(w, x->of[1]);
    }
    say(w, "))");
}

static void say_numbers(world *w, const char *name, const double *x)
{
    char words[60];
    snprintf(words, sizeof words, "  parameter Real %s[%d] = {", name, RELATIONS);
    say(w, words);
    for (int k = 0; k < RELATIONS; k++) {
        snprintf(words, sizeof words, "%s%.17g", k ? ", " : "", x[k]);
        say(w, words);
    }
    say(w, "};\n");
}

static int by_time(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int times_of_change(const world *w, double *t)
{
    int n = 0;
    t[n++] = 0;
    t[n++] = END;
    for (int k = 0; k < RELATIONS; k++)
        for (int m = -1; m < 20; m++)
            for (int down = 0; down < 2; down++) {
                double angle = down ? PI - asin(w->c[k]) : asin(w->c[k]);
                double at = (angle + 2 * PI * m - w->b[k]) / w->a[k];
                if (at > 0 && at < END && n < TIMES_MAX) t[n++] = at;
            }
    qsort(t, (size_t)n, sizeof *t, by_time);
    return n;
}

/* What is named is known all the time, though formulas elsewhere may not need it. */
static void check_names(const world *w, const trial *r, const double *t, int n)
{
    double sum = 0;
    for (int i = 0; i + 1 < n; i++) {
        double middle = 0.5 * (t[i] + t[i + 1]);
        bool first = above(w, 0, middle), last = !above(w, 4, middle);
        if (last && above(w, 1, middle)) sum += t[i + 1] - t[i];
        if (t[i + 1] - t[i] < 1e-3) continue; // rows are at events: the value between them is held
        assert_near(vinc_result_at(r->result, "first", middle), first, 0);
        assert_near(vinc_result_at(r->result, "last", middle), last, 0);
    }
    assert_near(vinc_result_at(r->result, "spent", END), sum, 1e-7);
}

static void formulas_hold_as_long_as_they_should(void **state)
{
    (void)state;
    static world w;
    for (int model = 1; model <= MODELS; model++) {
        w = (world){.d = {(uint64_t)model}};
        int root[FORMULAS];
        char words[100];
        double t[TIMES_MAX];
        for (int k = 0; k < RELATIONS; k++) {
            w.a[k] = 1 + 0.1 * throw(&w.d, 100);
            w.b[k] = 0.01 * throw(&w.d, 600);
            w.c[k] = -0.9 + 0.0173 * throw(&w.d, 100);
        }
        say(&w, "model M\n");
        say_numbers(&w, "a", w.a);
        say_numbers(&w, "b", w.b);
        say_numbers(&w, "c", w.c);
        snprintf(words, sizeof words, "  Real s[%d], x[%d](each start = 0, each fixed = true);\n",
                 RELATIONS, FORMULAS);
        say(&w, words);
        if (model % 2)
            say(&w, "  Boolean first, last, both; Real spent(start = 0, fixed = true);\n");
        snprintf(words, sizeof words, "equation\n  for k in 1:%d loop\n", RELATIONS);
        say(&w, words);
        say(&w, "    s[k] = sin(a[k]*time + b[k]);\n  end for;\n");
        if (model % 2) // some relations have a name, too
            say(&w,
                "  first = s[1] > c[1]; last = not (s[5] > c[5]); both = last and s[2] > c[2];\n"
                "  der(spent) = if both then 1 else 0;\n");
        for (int f = 0; f < FORMULAS; f++) {
            root[f] = draw_formula(&w, 0);
            snprintf(words, sizeof words, "  der(x[%d]) = if ", f + 1);
            say(&w, words);
            say_formula(&w, root[f]);
            say(&w, " then 1 else 0;\n");
        }
        say(&w, "end M;\n");
        trial r =
            trial_of(w.text, (vinc_sim_options){.rel_tol = 1e-9, .has_stop = 1, .t_stop = END});
        int n = times_of_change(&w, t);
        for (int f = 0; f < FORMULAS; f++) {
            double sum = 0;
            for (int i = 0; i + 1 < n; i++)
                if (holds(&w, root[f], 0.5 * (t[i] + t[i + 1]))) sum += t[i + 1] - t[i];
            snprintf(words, sizeof words, "x[%d]", f + 1);
            double x = vinc_result_at(r.result, words, END);
            if (!(fabs(x - sum) < 1e-7))
                fail_msg("model %d: %s = %.12g, not %.12g\n%s", model, words, x, sum, w.text);
        }
        if (model % 2) check_names(&w, &r, t, n);
        trial_end(&r);
    }
}

static long events_of(const char *text, double *x)
{
    trial r = trial_of(text, (vinc_sim_options){.rel_tol = 1e-8, .has_stop = 1, .t_stop = 5});
    vinc_sim_stats stats;
    vinc_sim_statistics(r.sim, &stats);
    *x = vinc_result_at(r.result, "x", 5);
    trial_end(&r);
    return stats.events;
}

/* A filter with limits that hold its integrator, whose input changes its sign 31 times in 5 s. */
#define FILTER(amplitude)                                                                          \
    "model M Real x(start = 0, fixed = true), e, y; equation e = " amplitude                       \
    "*cos(20*time) - 0.1*y; y = if x > 0.5 then 0.5 else if x < -0.5 then -0.5 else x;"            \
    "der(x) = if (e >= 0 and x > 0.5) or (e <= 0 and x < -0.5) then 0 else e; end M;"

static void signs_that_nothing_depends_on_are_no_events(void **state)
{
    (void)state;
    double x;
    assert_int_equal(events_of(FILTER("5"), &x), 0);
    // x' = 5 cos 20 t - x/10
    double a = 0.1, w = 20, t = 5;
    double exact = 5 * (a * cos(w * t) + w * sin(w * t) - a * exp(-a * t)) / (a * a + w * w);
    assert_near(x, exact, 1e-7);
    // In each of 31 half periods a limit is reached, e changes its sign, and the limit is left.
    assert_in_range(events_of(FILTER("12"), &x), 3 * 31, 3 * 31 + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_hold_as_long_as_they_should),
        cmocka_unit_test(signs_that_nothing_depends_on_are_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
