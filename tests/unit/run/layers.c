/* Dependent unknowns layer by layer: what is linear is known to be, and found as by the search.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"
#include "support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char pendulum[] = "Real x start 0.6\nReal y start -0.8\nReal u\nReal v\nReal f\n"
                               "der(x) = u\nder(y) = v\nder(u) = -f*x\nder(v) = -f*y - 9.81\n"
                               "x^2 + y^2 = 1\n";

static rig *opened(const char *lines)
{
    rig *b = malloc(sizeof *b);
    rig_open(b, lines, NULL);
    rig_begin(b, 0);
    return b;
}

static void closed(rig *b)
{
    rig_close(b);
    free(b);
}

/* At points off the solution the layers give what the search gives, to some roundings. */
static void found_alike(rig *b)
{
    double y[2][20], yp[2][20];
    run_state *s = b->state;
    int n = s->model->n;
    assert_in_range(n, 1, 20);
    for (int k = 0; k < 5; k++) {
        for (int by = 0; by < 2; by++) {
            for (int i = 0; i < n; i++) {
                y[by][i] = b->y[i] + 1e-4 * sin(i + k);
                yp[by][i] = b->yp[i];
            }
            int rc = by ? run_solve_dependent(s, 0, y[by], yp[by])
                        : run_find_dependent(s, 0, y[by], yp[by]);
            assert_int_equal(rc, 0);
        }
        for (int i = 0; i < n; i++) {
            assert_float_equal(y[0][i], y[1][i], 1e-11 * (1 + fabs(y[1][i])));
            assert_float_equal(yp[0][i], yp[1][i], 1e-11 * (1 + fabs(yp[1][i])));
        }
    }
}

static void of_a_pendulum(void **state)
{
    (void)state;
    rig *b = opened(pendulum);
    const code_layers *q = &b->model->layers;
    assert_int_equal(q->n, 3); // positions, velocities, accelerations with the reaction
    assert_true(q->at[0].tied && !q->at[0].linear);
    assert_true(q->at[1].tied && q->at[1].linear);
    assert_true(!q->at[2].tied && q->at[2].linear);
    assert_true(q->linear && q->loose && b->p->stage && b->p->rhs_linear);
    found_alike(b);
    closed(b);
}

/* A stage leaves positions and velocities where they are, and meets the differentiated constraint there:
 * x x'' + y y'' + x'^2 + y'^2 = 0. */
static void a_stage_stays(void **state)
{
    (void)state;
    rig *b = opened(pendulum);
    double y[20], yp[20];
    int n = b->model->n, x = rig_unknown(b, "x"), v = rig_unknown(b, "y");
    memcpy(y, b->y, sizeof y);
    memcpy(yp, b->yp, sizeof yp);
    y[x] += 1e-3;
    y[v] += 2e-3;
    double x0 = y[x], y0 = y[v];
    assert_int_equal(b->p->stage(b->p->user, 0, y, yp), 0);
    assert_true(y[x] == x0 && y[v] == y0);
    int u = -1, w = -1; // der(x), der(y): the components that x' and y' are
    for (int i = 0; i < n; i++) {
        if (b->p->velocity && b->p->velocity[x] == i) u = i;
        if (b->p->velocity && b->p->velocity[v] == i) w = i;
    }
    assert_true(u >= 0 && w >= 0);
    double sum = x0 * yp[u] + y0 * yp[w] + y[u] * y[u] + y[w] * y[w];
    assert_float_equal(sum, 0, 1e-12);
    closed(b);
}

static void of_a_linear_loop(void **state)
{
    (void)state;
    rig *b =
        opened("parameter R = 2\nReal q start 1 fixed\nReal i\nReal j\nReal u\n"
               "der(q) = i - j\nu = R*i + 0.3*j*cos(q)\n3 = u + i + j*q\nu - 2*j = sin(q)*i\n");
    const code_layers *x = &b->model->layers;
    if (x->n) { // otherwise it was solved by expressions
        assert_true(x->linear && x->at[0].linear);
        found_alike(b);
    }
    closed(b);
}

/* Products, powers, conditions and whole parts of unknowns are not linear, whatever their derivatives are. */
static void not_linear(void **state)
{
    (void)state;
    const char *const rows[] = {"a*b + b = 1 + q", "a + b^3 = 1 + q",
                                "a + noEvent(if b > 2*q then 2*b else b) = 2",
                                "a + b + 0.1*noEvent(abs(b)) = 2.1"};
    for (int k = 0; k < 4; k++) {
        char lines[300];
        snprintf(lines, sizeof lines,
                 "Real q start 1 fixed\nReal a start 1\nReal b start 1\nder(q) = -a*b\n"
                 "a + exp(0*q)*b*(2 + q) = 4\n%s\n",
                 rows[k]);
        rig *b = opened(lines);
        assert_true(!b->model->layers.n || !b->model->layers.linear);
        assert_false(b->p->rhs_linear);
        closed(b);
    }
}

/* A determinant that changes its sign from one end of a step to the next, by the same choice of states. */
static void a_leap_is_seen(void **state)
{
    (void)state;
    rig *b = opened(pendulum);
    double y[20];
    int x = rig_unknown(b, "x"), v = rig_unknown(b, "y");
    memcpy(y, b->y, sizeof y);
    assert_true(run_reselect(b->state, 0, y, b->yp) >= 0);
    assert_true(run_reselect(b->state, 0, y, b->yp) >= 0);
    assert_false(b->state->choice.leapt);
    y[x] = -y[x]; // to the other side of the centre, where 2 x, 2 y vanish
    y[v] = -y[v];
    assert_true(run_reselect(b->state, 0, y, b->yp) >= 0);
    assert_true(b->state->choice.leapt);
    assert_int_equal(b->p->stage_serves(b->p->user), 0);
    closed(b);
}

/* Five turning masses that drag each other, three loops: five velocities are found together, then motion and forces. */
static const char turning[] =
    "Real a start 0.3\nReal b start 0.4\nReal c start 0.5\nReal d start 0.6\nReal e start 0.2\n"
    "Real u start 1\nReal v\nReal w\nReal z\nReal y start 0.5\nReal f\nReal g\nReal h\n"
    "der(a) = u\nder(b) = v\nder(c) = w\nder(d) = z\nder(e) = y\n"
    "2*der(u) + cos(a - b)*der(v) = sin(a) - f*cos(a) - h\n"
    "cos(a - b)*der(u) + 3*der(v) + 0.5*cos(b - c)*der(w) = -v*u - 2*f*cos(b) - g*cos(b)\n"
    "0.5*cos(b - c)*der(v) + 2*der(w) + 0.3*sin(d)*der(z) = cos(c) - f*sin(c) - 2*g*cos(c)\n"
    "0.3*sin(d)*der(w) + 1.5*der(z) + 0.2*cos(e)*der(y) = -d - g*sin(d) - 2*h*d\n"
    "0.2*cos(e)*der(z) + 1.2*der(y) = -e - 0.5*h*a\n"
    "sin(a) + 2*sin(b) - cos(c) = 0.2\nsin(b) + 2*sin(c) - cos(d) = 0.5\na + d^2 + 0.1*sin(a*b + "
    "d) + 0.5*e*a = 0.8\n";

static int layers_with_code(const run_state *s)
{
    int with = 0;
    for (int k = 0; k < s->model->layers.n; k++)
        for (int i = 0; i < s->layers.at[k].n_pieces; i++)
            with += s->layers.at[k].piece[i].code != NULL;
    return with;
}

/* Points off the solution: what is found there, and the work that is counted. */
static void find_at_points(rig *b, double *found, double *work)
{
    enum { POINTS = 7 };
    run_state *s = b->state;
    int n = s->model->n;
    s->beside = 0;
    for (int k = 0; k < POINTS; k++) {
        double *y = found + (size_t)(2 * k * n), *yp = y + n;
        for (int i = 0; i < n; i++) {
            y[i] = b->y[i] + 1e-3 * sin(i + k);
            yp[i] = b->yp[i];
        }
        layers_forget(s);
        assert_int_equal(run_find_dependent(s, 0, y, yp), 0);
    }
    *work = s->beside;
}

static void in_one_piece_as_in_pieces(void **state)
{
    enum { PATIENCE = 4000 };
    (void)state;
    rig *b = opened(turning);
    double first[700], later[700], work, again;
    int n = b->state->model->n, by_code = 0;
    memset(first, 0, sizeof first);
    memset(later, 0, sizeof later);
    assert_in_range(n, 1, 50);
    for (int k = 0; k < b->model->layers.n; k++) by_code += b->state->layers.at[k].by_pieces;
    assert_int_equal(by_code, 2);
    find_at_points(b, first, &work); // finds the pivots
    find_at_points(b, first, &work);
    assert_int_equal(layers_with_code(b->state), 0);
    for (int k = 0; k < PATIENCE && layers_with_code(b->state) < 2; k++)
        find_at_points(b, later, &again);
    find_at_points(b, later, &again);
    assert_int_equal(layers_with_code(b->state), 2);
    for (int i = 0; i < 14 * n; i++) assert_true(first[i] == later[i]);
    assert_true(work == again);
    closed(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_pendulum),    cmocka_unit_test(a_stage_stays),
        cmocka_unit_test(of_a_linear_loop), cmocka_unit_test(not_linear),
        cmocka_unit_test(a_leap_is_seen),   cmocka_unit_test(in_one_piece_as_in_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
