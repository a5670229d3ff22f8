/* Steps in one piece are those in pieces, bit by bit, with the same counts; what they cannot do is left to pieces.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/method.h"
#include "run/run_parts.h"
#include "support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 4000, UNKNOWNS_MAX = 24, RUNS_MAX = 200 };

/* What a run has met, step by step: t, y, y' and both in the middle of the step. */
typedef struct trace {
    int n, steps, status;
    double t[POINTS_MAX], at[POINTS_MAX][4 * UNKNOWNS_MAX], inner[POINTS_MAX], rate[POINTS_MAX];
    vinc_stats stats;
    bool projects; // work of projections depends on the factors that a run before has left
    char message[300];
} trace;

/* As events and rows do that are not seen well enough: the next step is the first of its kind. */
static int begin_again(method_run *r)
{
    size_t bytes = (size_t)r->problem->n * sizeof(double);
    double y[UNKNOWNS_MAX], yp[UNKNOWNS_MAX];
    memcpy(y, r->y, bytes);
    memcpy(yp, r->yp, bytes);
    return method_restart(r, r->t, y, yp, false, r->h_next);
}

/* tol < 0: fixed steps of that size. stretch: steps after which the method begins again; 0: it does not. */
static void record_stretches(rig *b, const char *method, double tol, double end, int stretch,
                             trace *q)
{
    char why[METHOD_WHY] = "";
    method_run *r = NULL;
    double work[3 * UNKNOWNS_MAX];
    method_config config = {.rel_tol = tol, .fixed_step = tol < 0 ? -tol : 0};
    if (tol < 0) config.rel_tol = 0;
    rig_begin(b, 0);
    assert_int_equal(method_new(&b->k.m, b->p, method, &config, why, &r), VINC_OK);
    memset(q, 0, sizeof *q);
    q->n = b->p->n;
    q->projects = b->p->project != NULL;
    q->status = method_start(r, 0, b->y, b->yp, end);
    while (!q->status && r->t < end) {
        q->status = method_step(r, end);
        if (q->status) break;
        size_t bytes = (size_t)q->n * sizeof(double);
        double *at = q->at[q->steps];
        q->t[q->steps] = r->t;
        memcpy(at, r->y, bytes);
        memcpy(at + q->n, r->yp, bytes);
        method_interpolate(r, 0.5 * (r->t + r->t_old), at + 2 * q->n, at + 3 * q->n);
        q->inner[q->steps] = tol < 0 ? 0 : method_inner_error(r, r->t_old, r->t, work);
        q->rate[q->steps] = r->h_rate;
        assert_true(++q->steps < POINTS_MAX);
        if (stretch && q->steps % stretch == 0) q->status = begin_again(r);
    }
    q->stats = r->stats;
    snprintf(q->message, sizeof q->message, "%s", r->message);
    method_free(r);
}

static void record(rig *b, const char *method, double tol, double end, trace *q)
{
    record_stretches(b, method, tol, end, 0, q);
}

/* It is offered, and there is no code yet. */
static int never(void *user, const struct method_whole *step)
{
    (void)user, (void)step;
    return 1;
}

static void assert_same(const trace *a, const trace *b)
{
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->steps, b->steps);
    for (int k = 0; k < a->steps; k++) {
        for (int i = 0; i < 4 * a->n; i++)
            if (a->at[k][i] != b->at[k][i])
                fail_msg("step %d, %d: %.17g and %.17g", k, i, a->at[k][i], b->at[k][i]);
        if (a->t[k] != b->t[k] || a->inner[k] != b->inner[k] || a->rate[k] != b->rate[k])
            fail_msg("step %d: to %.17g and %.17g, inside %.17g and %.17g, rates %.17g and %.17g",
                     k, a->t[k], b->t[k], a->inner[k], b->inner[k], a->rate[k], b->rate[k]);
    }
    assert_true(a->stats.residual_evals == b->stats.residual_evals);
    assert_true(a->stats.rhs_evals == b->stats.rhs_evals);
    assert_true(a->stats.jacobian_evals == b->stats.jacobian_evals);
    assert_true(a->stats.factorizations == b->stats.factorizations);
    assert_true(a->stats.solves == b->stats.solves);
    assert_true(a->stats.rejected_error == b->stats.rejected_error);
    assert_true(a->stats.rejected_undefined == b->stats.rejected_undefined);
    assert_true(a->projects || a->stats.work == b->stats.work);
}

static int kinds_made(const rig *b)
{
    int made = 0;
    for (int k = 0; k < b->state->whole.n; k++) made += b->state->whole.kind[k].code != NULL;
    return made;
}

typedef struct whole_case {
    const char *name, *lines;
    double end;
    int kinds; // at least so many pieces of code; 0: none
} whole_case;

static const whole_case cases[] = {
    {"van der Pol",
     "Real x start 2\nReal v start 0\n"
     "der(x) = v\nder(v) = 100*((1 - x^2)*v - x)\n",
     2.5, 1},
    {"Robertson, whose pivots change",
     "Real a start 1\nReal b start 0\nReal c start 0\n"
     "der(a) = -0.04*a + 1e4*b*c\nder(b) = 0.04*a - 1e4*b*c - 3e7*b^2\nder(c) = 3e7*b^2\n",
     1e5, 2},
    {"Robertson, with an algebraic unknown",
     "Real a start 1\nReal b start 0\nReal c\n"
     "der(a) = -0.04*a + 1e4*b*c\nder(b) = 0.04*a - 1e4*b*c - 3e7*b^2\na + b + c = 1\n",
     1e3, 1},
    {"read from a clock",
     "Real x start 1\nReal z start 0.5\n"
     "der(x) = -50*(x - cos(10*time)) + z\nder(z) = -z*x*time\n",
     10, 1},
    {"masses that parameters are made of",
     "parameter m = 2\nparameter L = 3\nReal q start 1\nReal v start 0\n"
     "der(q) = v\nm*L^2*der(v) = -5*v - m*q*abs(q)\n",
     30, 1},
    {"one branch or the other",
     "Real x start 0\nReal y start 1\n"
     "der(x) = if noEvent(x > 0.5) then 2*y - (x - 0.5) else 2*y\nder(y) = -3*x*y - y^3\n",
     30, 1},
    {"a pendulum, whose states are selected anew",
     "Real x start 1\nReal y start 0\nReal vx start 0\nReal vy start 0\nReal F\n"
     "der(x) = vx\nder(y) = vy\nder(vx) = -F*x\nder(vy) = -F*y - 9.81\nx^2 + y^2 = 1\n",
     3, 1},
    {"a chain of twelve reactions, by lists",
     "Real a start 1\nReal b start 0\nReal c start 0\nReal d start 0\nReal e start 0\n"
     "Real f start 0\nReal g start 0\nReal h start 0\nReal i start 0\nReal j start 0\n"
     "Real k start 0\nReal l start 0\n"
     "der(a) = -3*a\nder(b) = 3*a - 500*b*c\nder(c) = 500*b*c - 20*c + 0.1*a\n"
     "der(d) = 20*c - d*d\nder(e) = d*d - 7*e + 2*f\nder(f) = 7*e - 2*f - 900*f*g\n"
     "der(g) = 0.5*a - 900*f*g\nder(h) = 900*f*g - 0.01*h\nder(i) = 0.01*h - 30*i*i\n"
     "der(j) = 30*i*i - j + k\nder(k) = j - k - 2*k*l\nder(l) = a - 2*k*l\n",
     20, 1},
    {"a circuit with algebraic nodes and a clock, by lists",
     "Real a start 0\nReal b\nReal c start 3\nReal d\nReal e start 0\nReal f\n"
     "Real g start 0\nReal h\nReal i start 0\nReal j\n"
     "der(a) = 40*(b - a)\n0 = sin(20*time) - b - (b - a) - 1e-3*(exp(4*(b - c)) - 1)\n"
     "der(c) = 5*(d - c)\n0 = 6 - 2*d - (d - c) - 1e-3*(exp(4*(d - e)) - 1)\n"
     "der(e) = 200*(f - e) - e\n0 = d - 3*f + e - 0.1*f*f*f\n"
     "der(g) = 3*(h - g)\n0 = f - 2*h + g - h*h*h\nder(i) = j - i\n0 = h - j - 0.2*j*j*j + i\n",
     3, 1},
    {"pivots that vanish, by lists",
     "Real a start 1\nReal b\nReal c\nReal d start 1\nReal e\nReal f start 0\nReal g start 0\n"
     "Real h start 0\nReal i start 0\nReal j start 0\n"
     "der(a) = -5*a\n0 = exp(-5*time)*sinh(b) + c + 0.1*c^3 - 1\n0 = b + 0.01*b^3 - 0.3*sin(c) - "
     "d\n"
     "der(d) = -d + e\n0 = e + a*e^3 - sin(c)*d\nder(f) = c - 10*f\nder(g) = f - g*g*c\n"
     "der(h) = g - 100*h\nder(i) = h - i\nder(j) = i - j*e\n",
     4, 1},
    {"masses that move", "Real x start 1\nReal y start 1\n(1 + x^2)*der(x) = -x + y\nder(y) = -y\n",
     30, 0},
};

/* Explicit formulas; where dense output has stages of its own there are two pieces of code. */
static const whole_case explicit_cases[] = {
    {"one unknown", "Real x start 1\nder(x) = -x*x\n", 20, 1},
    {"van der Pol",
     "Real x start 2\nReal v start 0\n"
     "der(x) = v\nder(v) = 5*((1 - x^2)*v - x)\n",
     12, 1},
    {"Lorenz",
     "Real x start 1\nReal y start 1\nReal z start 20\n"
     "der(x) = 10*(y - x)\nder(y) = x*(28 - z) - y\nder(z) = x*y - 8/3*z\n",
     5, 1},
    {"read from a clock, five unknowns",
     "Real a start 1\nReal b start 0.5\nReal c start 0\nReal d start 0\nReal e start 2\n"
     "der(a) = -5*(a - cos(3*time)) + b\nder(b) = -b*a*time\nder(c) = sin(d) - e\n"
     "der(d) = c\nder(e) = exp(-a^2) - e/(1 + time)\n",
     6, 1},
    {"one branch or the other",
     "Real x start 0\nReal y start 1\n"
     "der(x) = if noEvent(x > 0.5) then 2*y - (x - 0.5) else 2*y\nder(y) = -3*x*y - y^3\n",
     20, 1},
    {"derivatives that are solved for",
     "Real x start 1\nReal y start 1\n(1 + x^2)*der(x) = -x + y\nder(y) = -y\n", 20, 0},
};

static void one_case(const whole_case *c, const char *method, double tol)
{
    rig *b = malloc(sizeof *b);
    trace *in_pieces = calloc(2, sizeof *in_pieces), *whole = in_pieces + 1;
    rig_open(b, c->lines, NULL);
    int (*step)(void *, const struct method_whole *) = b->p->whole_step;
    if (step) b->p->whole_step = never;
    record(b, method, tol, c->end, in_pieces); // projections use factors that a run before has left
    record(b, method, tol, c->end, in_pieces);
    if (in_pieces->status) fail_msg("%s, %s: %s", c->name, method, in_pieces->message);
    b->p->whole_step = step;
    // Code is made on the way, at another step of every order of pivots.
    for (int k = 0; k < RUNS_MAX && (!k || kinds_made(b) < c->kinds); k++) {
        record(b, method, tol, c->end, whole);
        assert_same(in_pieces, whole);
    }
    if (kinds_made(b) < c->kinds || (!c->kinds && kinds_made(b)))
        fail_msg("%s, %s: %d kinds", c->name, method, kinds_made(b));
    record(b, method, tol, c->end, whole);
    assert_same(in_pieces, whole);
    rig_close(b);
    free(in_pieces);
    free(b);
}

static void whole_steps_are_the_same(void **state)
{
    (void)state;
    static const char *const methods[] = {"rodas3", "rodas4", "rodas5p"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            one_case(&cases[i], methods[k], 1e-5);
}

static long n_asked; // steps in one piece

static int (*offered)(void *user, const struct method_whole *step);
static int asked(void *user, const struct method_whole *step)
{
    n_asked++;
    return offered(user, step);
}

/* Where dF/dy' is made of numbers, a run has one step in pieces before it has pivots, and none after it begins again. */
static void steps_after_a_restart_are_the_same(void **state)
{
    (void)state;
    enum { STRETCH = 7 };
    const whole_case *c = &cases[0];
    rig *b = malloc(sizeof *b);
    trace *in_pieces = calloc(2, sizeof *in_pieces), *whole = in_pieces + 1;
    rig_open(b, c->lines, NULL);
    offered = b->p->whole_step;
    b->p->whole_step = never;
    record_stretches(b, "rodas5p", 1e-5, c->end, STRETCH, in_pieces);
    assert_true(!in_pieces->status && in_pieces->steps > 3 * STRETCH);
    b->p->whole_step = asked;
    for (int k = 0; k < RUNS_MAX && kinds_made(b) < c->kinds; k++) {
        record_stretches(b, "rodas5p", 1e-5, c->end, STRETCH, whole);
        assert_same(in_pieces, whole);
    }
    n_asked = 0;
    record_stretches(b, "rodas5p", 1e-5, c->end, STRETCH, whole);
    assert_same(in_pieces, whole);
    assert_true(n_asked == whole->steps + whole->stats.rejected_error - 1);
    rig_close(b);
    free(in_pieces);
    free(b);
}

static void explicit_steps_are_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double tol;
        int kinds;
    } methods[] = {{"heun-euler", 1e-3, 1}, {"dopri5", 1e-6, 1}, {"dopri8", 1e-9, 2},
                   {"euler", -0.01, 1},     {"rk4", -0.01, 1},   {"dopri8", -0.05, 2}};
    for (size_t i = 0; i < sizeof explicit_cases / sizeof *explicit_cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            whole_case c = explicit_cases[i];
            c.kinds *= methods[k].kinds;
            one_case(&c, methods[k].name, methods[k].tol);
        }
}

/* Steps that are made several at once, as long as they are plain, and steps made one by one: at every point where the
 * former stop they are where the latter have been, with the same counts. How many were made at once. */
static long glide_case(const whole_case *c, const char *method, double slope_most)
{
    rig *b = malloc(sizeof *b);
    trace *one_by_one = calloc(1, sizeof *one_by_one);
    rig_open(b, c->lines, NULL);
    for (int k = 0; k < RUNS_MAX && (!k || kinds_made(b) < c->kinds); k++)
        record(b, method, 1e-5, c->end, one_by_one);
    char why[METHOD_WHY] = "";
    vinc_stats all[2];
    long glided = 0;
    for (int at_once = 0; at_once < 2; at_once++) {
        method_run *r = NULL;
        method_config config = {.rel_tol = 1e-5};
        method_plain plain = {
            .t_limit = c->end, .before = 0.7 * c->end, .slope_most = slope_most, .steps = 1};
        rig_begin(b, 0);
        assert_int_equal(method_new(&b->k.m, b->p, method, &config, why, &r), VINC_OK);
        assert_int_equal(method_start(r, 0, b->y, b->yp, c->end), VINC_OK);
        while (r->t < c->end) {
            double middle[2 * UNKNOWNS_MAX];
            long steps = at_once ? method_glide(r, &plain) : 0;
            if (steps < 0) steps = 0;
            glided += steps;
            assert_true(steps <= plain.steps && (!steps || r->t < plain.before));
            plain.steps = plain.steps % 7 + 1;
            if (!steps) assert_int_equal(method_step(r, c->end), VINC_OK);
            if (one_by_one->projects) continue; // by factors that looks inside steps have left
            const double *at = one_by_one->at[r->stats.steps - 1];
            int n = one_by_one->n;
            assert_true(r->t == one_by_one->t[r->stats.steps - 1]);
            if (!steps) method_interpolate(r, 0.5 * (r->t + r->t_old), middle, middle + n);
            for (int i = 0; i < n; i++) {
                if (r->y[i] != at[i] || r->yp[i] != at[n + i])
                    fail_msg("%s, %s, step %ld, %s", c->name, method, r->stats.steps,
                             at_once ? "at once" : "one by one");
                assert_true(steps || middle[i] == at[2 * n + i]);
                assert_true(steps || middle[n + i] == at[3 * n + i]);
            }
        }
        all[at_once] = r->stats;
        method_free(r);
    }
    assert_true(all[0].steps == all[1].steps);
    assert_true(one_by_one->projects || all[0].work == all[1].work);
    assert_true(all[0].rejected_error == all[1].rejected_error);
    assert_true(all[0].residual_evals == all[1].residual_evals);
    assert_true(all[0].jacobian_evals == all[1].jacobian_evals);
    assert_true(all[0].factorizations == all[1].factorizations);
    assert_true(all[0].solves == all[1].solves);
    rig_close(b);
    free(one_by_one);
    free(b);
    return glided;
}

static void steps_at_once_are_the_same(void **state)
{
    (void)state;
    static const char *const methods[] = {"rodas3", "rodas4", "rodas5p"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const whole_case *c = &cases[i];
            long glided = glide_case(c, methods[k], INFINITY);
            bool plain = i < 2 || strstr(c->name, "chain"); // all others may be made one by one ...
            bool moved =
                strstr(c->name, "pendulum") || !c->kinds; // ... and have to where more is asked
            if ((plain && !glided) || (moved && glided))
                fail_msg("%s, %s: %ld at once", c->name, methods[k], glided);
        }
    assert_true(glide_case(&cases[0], "rodas4", 1e-3) == 0); // slopes are larger
}

/* Rows every so often, and who asks for them between steps that are made at once. */
typedef struct row_case {
    method_run *r;
    const trace *one_by_one;
    double apart;
    long reached, passed, bounds; // steps, and how often their size was asked for
    bool same;
} row_case;

static void row_bound(method_plain *plain)
{
    row_case *q = plain->user;
    assert_true(plain->unseen > 0);
    plain->unseen = 0;
    q->bounds++;
}

/* The run says what is known at the end of the step. */
static void row_passes(method_plain *plain)
{
    row_case *q = plain->user;
    const trace *one = q->one_by_one;
    const double *at = one->at[q->r->stats.steps - 1];
    size_t bytes = (size_t)one->n * sizeof *at;
    q->same = q->same && q->r->t == one->t[q->r->stats.steps - 1] && q->r->t < plain->before &&
              !memcmp(q->r->y, at, bytes) && !memcmp(q->r->yp, at + one->n, bytes);
    q->passed++;
}

static bool row_inside(method_plain *plain)
{
    row_case *q = plain->user;
    const trace *one = q->one_by_one;
    const double *at = one->at[q->r->stats.steps - 1];
    double middle[2 * UNKNOWNS_MAX];
    size_t bytes = (size_t)one->n * sizeof *at;
    assert_true(q->r->t >= plain->before && q->r->t_old < plain->before);
    method_interpolate(q->r, 0.5 * (q->r->t + q->r->t_old), middle, middle + one->n);
    q->same = q->same && q->r->t == one->t[q->r->stats.steps - 1] && !memcmp(q->r->y, at, bytes) &&
              !memcmp(q->r->yp, at + one->n, bytes) && !memcmp(middle, at + 2 * one->n, 2 * bytes);
    plain->unseen = 0;
    while (plain->before <= q->r->t) plain->before += q->apart;
    return ++q->reached % 5 != 0; // who looks may want no more of them
}

/* Steps that reach rows are among them where somebody takes the rows. */
static void steps_at_once_reach_rows(void **state)
{
    (void)state;
    const whole_case *c = &cases[0];
    rig *b = malloc(sizeof *b);
    trace *one_by_one = calloc(1, sizeof *one_by_one);
    rig_open(b, c->lines, NULL);
    for (int k = 0; k < RUNS_MAX && kinds_made(b) < c->kinds; k++)
        record(b, "rodas4", 1e-5, c->end, one_by_one);
    char why[METHOD_WHY] = "";
    row_case q = {.one_by_one = one_by_one, .apart = c->end / 30, .same = true};
    method_config config = {.rel_tol = 1e-5};
    method_plain plain = {.t_limit = c->end,
                          .before = q.apart,
                          .slope_most = INFINITY,
                          .steps = 1000,
                          .bound = row_bound,
                          .passes = row_passes,
                          .inside = row_inside,
                          .user = &q};
    rig_begin(b, 0);
    assert_int_equal(method_new(&b->k.m, b->p, "rodas4", &config, why, &q.r), VINC_OK);
    assert_int_equal(method_start(q.r, 0, b->y, b->yp, c->end), VINC_OK);
    long glided = 0, alone = 0;
    while (q.r->t < c->end) {
        long steps = method_glide(q.r, &plain);
        glided += steps;
        if (steps) continue;
        assert_int_equal(method_step(q.r, c->end), VINC_OK);
        while (plain.before <= q.r->t) plain.before += q.apart;
        alone++;
    }
    assert_true(q.same && q.r->stats.steps == one_by_one->steps);
    assert_true(q.reached > 10 && q.bounds > 5 && glided > 5 * alone);
    // A size that what lies inside the last step allows holds the next one.
    assert_int_equal(method_start(q.r, 0, b->y, b->yp, c->end), VINC_OK);
    assert_int_equal(method_step(q.r, c->end), VINC_OK);
    q.r->h_most = 0.25 * q.r->h_next;
    plain.before = q.r->t + 2 * q.r->h_next;
    plain.unseen = 0, plain.steps = 1;
    assert_true(method_glide(q.r, &plain) == 1 && plain.unseen == 1);
    assert_true(q.r->t - q.r->t_old <= q.r->h_most);
    // Where the time is large, steps are short, and each of them is looked at.
    const double LATE = 1e9;
    assert_int_equal(method_start(q.r, LATE, b->y, b->yp, c->end), VINC_OK);
    assert_int_equal(method_step(q.r, LATE + c->end), VINC_OK);
    plain.before = plain.t_limit = LATE + c->end;
    plain.unseen = q.passed = 0, plain.steps = 5;
    assert_true(method_glide(q.r, &plain) == 5 && q.passed == 5);
    method_free(q.r);
    rig_close(b);
    free(one_by_one);
    free(b);
}

/* x' = -1 beside log(x): there is no step beyond x = 0, and the run ends with the message of steps in pieces. */
static void no_value_for(const char *method)
{
    rig *b = malloc(sizeof *b);
    trace *in_pieces = calloc(2, sizeof *in_pieces), *whole = in_pieces + 1;
    rig_open(b,
             "Real x start 1\nReal z start 0\nder(x) = -1 - 0.1*z^2\n"
             "der(z) = log(x) - 20*z\n",
             NULL);
    int (*step)(void *, const struct method_whole *) = b->p->whole_step;
    b->p->whole_step = never;
    record(b, method, 1e-6, 2, in_pieces);
    assert_true(in_pieces->status < 0 && in_pieces->message[0]);
    b->p->whole_step = step;
    for (int k = 0; k < RUNS_MAX && !kinds_made(b); k++) record(b, method, 1e-6, 2, whole);
    assert_true(kinds_made(b));
    record(b, method, 1e-6, 2, whole);
    assert_same(in_pieces, whole);
    rig_close(b);
    free(in_pieces);
    free(b);
}

static void what_has_no_value_is_said(void **state)
{
    (void)state;
    no_value_for("rodas4");
    no_value_for("dopri5");
    no_value_for("dopri8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_steps_are_the_same),
                                       cmocka_unit_test(steps_at_once_are_the_same),
                                       cmocka_unit_test(steps_at_once_reach_rows),
                                       cmocka_unit_test(explicit_steps_are_the_same),
                                       cmocka_unit_test(steps_after_a_restart_are_the_same),
                                       cmocka_unit_test(what_has_no_value_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
