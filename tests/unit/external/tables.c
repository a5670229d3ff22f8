/* Tables against their definition, computed here once more in long double from the formulas of the
 * papers, at random points: values, first and second derivatives, all kinds of smoothness and of
 * extrapolation. The number of points is the first argument (default 20000).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"

#include "external/table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int points = 20000;

enum { MOST = 9 };

typedef long double real;

/* ---- the definition of a curve --------------------------------------------------------------- */

typedef struct curve {
    int n;
    real x[MOST], y[MOST], s[MOST];
} curve;

static real sign(real x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* Slopes m[-2] ... m[n] of the chords, at m + 2. */
static void chords(const curve *c, real *m)
{
    for (int i = 0; i + 1 < c->n; i++) m[i + 2] = (c->y[i + 1] - c->y[i]) / (c->x[i + 1] - c->x[i]);
    if (c->n == 2) return;
    m[1] = 2 * m[2] - m[3];
    m[0] = 2 * m[1] - m[2];
    m[c->n + 1] = 2 * m[c->n] - m[c->n - 1];
    m[c->n + 2] = 2 * m[c->n + 1] - m[c->n];
}

static void slopes(curve *c, int kind)
{
    real all[MOST + 4], *m = all + 2;
    chords(c, all);
    for (int i = 0; i < c->n; i++) {
        if (c->n == 2) {
            c->s[i] = m[0];
        } else if (kind == TABLE_AKIMA || kind == TABLE_MODIFIED_AKIMA) {
            real extra = kind == TABLE_MODIFIED_AKIMA;
            real a = fabsl(m[i + 1] - m[i]) + extra * fabsl(m[i + 1] + m[i]) / 2;
            real b = fabsl(m[i - 1] - m[i - 2]) + extra * fabsl(m[i - 1] + m[i - 2]) / 2;
            c->s[i] = a + b > 0 ? (a * m[i - 1] + b * m[i]) / (a + b)
                      : extra   ? 0
                                : (m[i - 1] + m[i]) / 2;
        } else if (i == 0 || i == c->n - 1) {
            c->s[i] = m[i ? i - 1 : 0];
        } else {
            real h = c->x[i] - c->x[i - 1], k = c->x[i + 1] - c->x[i], p = m[i - 1], q = m[i];
            if (p * q <= 0) c->s[i] = 0;
            else if (kind == TABLE_FRITSCH_BUTLAND) {
                real w = (h + 2 * k) / (3 * (h + k)); // of the reciprocal of p
                c->s[i] = 1 / (w / p + (1 - w) / q);
            } else {
                real r = (p * k + q * h) / (h + k);
                c->s[i] = (sign(p) + sign(q)) * fminl(fminl(fabsl(p), fabsl(q)), fabsl(r) / 2);
            }
        }
    }
}

/* Piece i as a polynomial: value and two derivatives. */
static void piece(const curve *c, int kind, int i, real u, real d[3])
{
    real h = c->x[i + 1] - c->x[i], v = u - c->x[i], m = (c->y[i + 1] - c->y[i]) / h;
    real c1 = m, c2 = 0, c3 = 0;
    if (kind == TABLE_CONSTANT) c1 = 0;
    else if (kind != TABLE_LINEAR) {
        c1 = c->s[i];
        c2 = (3 * m - 2 * c->s[i] - c->s[i + 1]) / h;
        c3 = (c->s[i] + c->s[i + 1] - 2 * m) / (h * h);
    }
    d[0] = c->y[i] + v * (c1 + v * (c2 + v * c3));
    d[1] = c1 + v * (2 * c2 + 3 * v * c3);
    d[2] = 2 * c2 + 6 * v * c3;
}

static void curve_at(const curve *c, int kind, int beyond, real u, real d[3])
{
    real low = c->x[0], high = c->x[c->n - 1];
    if (beyond == TABLE_PERIODIC) {
        while (u > high) u -= high - low;
        while (u < low) u += high - low;
    }
    int i = 0;
    while (i + 2 < c->n && c->x[i + 1] <= u) i++;
    if (u >= low && u <= high) {
        piece(c, kind, i, u, d);
        return;
    }
    i = u < low ? 0 : c->n - 2;
    real end = u < low ? low : high;
    piece(c, kind == TABLE_CONSTANT ? TABLE_LINEAR : kind, i, end, d);
    if (beyond == TABLE_HOLD) d[1] = 0;
    d[0] += d[1] * (u - end);
    d[2] = 0;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void *make_table(const curve *c, int kind, int beyond)
{
    double table[MOST * 2], columns[] = {2};
    for (int i = 0; i < c->n; i++) table[2 * i] = c->x[i], table[2 * i + 1] = c->y[i];
    hand *h = hand_new();
    hand_text(h, "NoName");
    hand_text(h, "NoName");
    hand_array(h, table, 2 * c->n);
    hand_number(h, c->n);
    hand_number(h, 2);
    hand_array(h, columns, 1);
    hand_number(h, 1);
    hand_number(h, kind);
    hand_number(h, beyond);
    hand_number(h, 0);
    if (!hand_call(h, "ModelicaStandardTables_CombiTable1D_init2")) fail_msg("%s", h->why);
    return h->object;
}

static double table_at(void *t, double u, int order)
{
    static const char *const names[] = {"ModelicaStandardTables_CombiTable1D_getValue",
                                        "ModelicaStandardTables_CombiTable1D_getDerValue",
                                        "ModelicaStandardTables_CombiTable1D_getDer2Value"};
    hand *h = hand_new();
    hand_object(h, t);
    hand_number(h, 1);
    hand_number(h, u);
    if (order) hand_number(h, 1);
    if (order == 2) hand_number(h, 0);
    if (!hand_call(h, names[order])) fail_msg("%s", h->why);
    return h->result;
}

static curve random_curve(rng *r)
{
    curve c = {.n = 2 + rng_below(r, MOST - 1)};
    double x = rng_double(r) - 3; // numbers that are doubles
    for (int i = 0; i < c.n; i++) {
        c.x[i] = x;
        c.y[i] = rng_below(r, 4) ? (double)rng_below(r, 7) - 3 : rng_double(r); // flat ones, too
        x += 0.25 + fabs(rng_double(r));
    }
    return c;
}

/* The size of what is added: values, over the least distance as often as they are differentiated. */
static real scale_of(const curve *c, real u, int order)
{
    real most = 1, steep = 1, near = 1;
    for (int i = 0; i < c->n; i++) most = fmaxl(most, fabsl(c->y[i]));
    for (int i = 0; i + 1 < c->n; i++) near = fminl(near, c->x[i + 1] - c->x[i]);
    steep = fmaxl(fabsl(u - c->x[0]), fabsl(u - c->x[c->n - 1]));
    return most * (1 + steep / near) / powl(near, order);
}

static void curves_are_as_defined(void **state)
{
    (void)state;
    rng r = {7};
    for (int k = 0; k < points;) {
        curve c = random_curve(&r);
        int kind = TABLE_LINEAR + rng_below(&r, 6), beyond = TABLE_HOLD + rng_below(&r, 3);
        if (table_is_smooth(kind)) slopes(&c, kind);
        void *t = make_table(&c, kind, beyond);
        for (int q = 0; q < 40; q++, k++) {
            double low = c.x[0], high = c.x[c.n - 1];
            double u = q < c.n ? (double)c.x[q] : low + (1.5 * (high - low) * rng_double(&r));
            if (kind == TABLE_CONSTANT && (u >= high || beyond == TABLE_PERIODIC)) continue;
            bool wrapped = beyond == TABLE_PERIODIC && (u < low || u > high);
            real d[3];
            curve_at(&c, kind, beyond, u, d);
            for (int order = 0; order < 3; order++) {
                if (order && q < c.n && !(table_is_smooth(kind) && order == 1)) continue; // kinks
                if (order && q < c.n && (q == 0 || q == c.n - 1)) continue;
                double got = table_at(t, u, order);
                // Taking periods off loses a unit of the argument.
                real allowed = (wrapped ? 20 : 1) * 1e-14L * scale_of(&c, u, order);
                if (fabsl(got - d[order]) > allowed)
                    fail_msg("kind %d beyond %d n %d u %.17g order %d: %.17g, not %.17Lg", kind,
                             beyond, c.n, u, order, got, d[order]);
            }
        }
        hand_release(hand_new(), "ModelicaStandardTables_CombiTable1D_init2", t);
    }
}

static void steps_and_edges(void **state)
{
    (void)state;
    curve c = {.n = 3, .x = {0, 1, 2}, .y = {5, 7, -1}};
    const struct {
        int beyond;
        double u, y;
    } cases[] = {
        {TABLE_HOLD, -1, 5},      {TABLE_HOLD, 0, 5},       {TABLE_HOLD, 0.99, 5},
        {TABLE_HOLD, 1, 7},       {TABLE_HOLD, 2, -1},      {TABLE_HOLD, 3, -1},
        {TABLE_LAST_TWO, 2, -1},  {TABLE_LAST_TWO, 3, -9},  {TABLE_LAST_TWO, -1, 3},
        {TABLE_PERIODIC, 2.5, 5}, {TABLE_PERIODIC, 3.5, 7},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        void *t = make_table(&c, TABLE_CONSTANT, cases[k].beyond);
        assert_true(table_at(t, cases[k].u, 0) == cases[k].y);
        hand_release(hand_new(), "ModelicaStandardTables_CombiTable1D_init2", t);
    }
}

/* ---- surfaces -------------------------------------------------------------------------------- */

typedef struct surface {
    int n1, n2;
    real x[MOST], y[MOST], z[MOST][MOST];
} surface;

/* Linear kinds: along one direction, then along the other. */
static real kinked(const surface *s, int kind, int beyond, real u1, real u2)
{
    curve rows = {.n = s->n1};
    memcpy(rows.x, s->x, sizeof rows.x);
    for (int i = 0; i < s->n1; i++) {
        curve c = {.n = s->n2};
        real d[3];
        memcpy(c.x, s->y, sizeof c.x);
        memcpy(c.y, s->z[i], sizeof c.y);
        curve_at(&c, kind, beyond, u2, d);
        rows.y[i] = d[0];
    }
    real d[3];
    curve_at(&rows, kind, beyond, u1, d);
    return d[0];
}

static void *make_surface(const surface *s, int kind, int beyond)
{
    static double table[(MOST + 1) * (MOST + 1)];
    int cols = s->n2 + 1;
    table[0] = 0;
    for (int j = 0; j < s->n2; j++) table[j + 1] = s->y[j];
    for (int i = 0; i < s->n1; i++) {
        table[(i + 1) * cols] = s->x[i];
        for (int j = 0; j < s->n2; j++) table[(i + 1) * cols + j + 1] = s->z[i][j];
    }
    hand *h = hand_new();
    hand_text(h, "NoName");
    hand_text(h, "NoName");
    hand_array(h, table, (s->n1 + 1) * cols);
    hand_number(h, s->n1 + 1);
    hand_number(h, cols);
    hand_number(h, kind);
    hand_number(h, beyond);
    hand_number(h, 0);
    if (!hand_call(h, "ModelicaStandardTables_CombiTable2D_init2")) fail_msg("%s", h->why);
    return h->object;
}

static double surface_at(void *t, double u1, double u2)
{
    hand *h = hand_new();
    hand_object(h, t);
    hand_number(h, u1);
    hand_number(h, u2);
    if (!hand_call(h, "ModelicaStandardTables_CombiTable2D_getValue")) fail_msg("%s", h->why);
    return h->result;
}

static double surface_der(void *t, double u1, double u2, double v1, double v2)
{
    hand *h = hand_new();
    hand_object(h, t);
    hand_number(h, u1);
    hand_number(h, u2);
    hand_number(h, v1);
    hand_number(h, v2);
    if (!hand_call(h, "ModelicaStandardTables_CombiTable2D_getDerValue")) fail_msg("%s", h->why);
    return h->result;
}

static surface random_surface(rng *r)
{
    surface s = {.n1 = 2 + rng_below(r, 5), .n2 = 2 + rng_below(r, 5)};
    double x = rng_double(r), y = rng_double(r);
    for (int i = 0; i < s.n1; i++, x += 0.5 + fabs(rng_double(r))) s.x[i] = x;
    for (int j = 0; j < s.n2; j++, y += 0.5 + fabs(rng_double(r))) s.y[j] = y;
    for (int i = 0; i < s.n1; i++)
        for (int j = 0; j < s.n2; j++) s.z[i][j] = rng_double(r);
    return s;
}

static void surfaces_are_as_defined(void **state)
{
    (void)state;
    rng r = {11};
    for (int k = 0; k < points / 4;) {
        surface s = random_surface(&r);
        int beyond = TABLE_HOLD + rng_below(&r, 2); // not periodic: jumps at the edges
        void *t = make_surface(&s, TABLE_LINEAR, beyond);
        for (int q = 0; q < 20; q++, k++) {
            double u1 = s.x[0] + 1.4 * (s.x[s.n1 - 1] - s.x[0]) * rng_double(&r);
            double u2 = s.y[0] + 1.4 * (s.y[s.n2 - 1] - s.y[0]) * rng_double(&r);
            real want = kinked(&s, TABLE_LINEAR, beyond, u1, u2);
            assert_true(fabsl(surface_at(t, u1, u2) - want) < 1e-13L);
        }
        hand_release(hand_new(), "ModelicaStandardTables_CombiTable2D_init2", t);
    }
}

/* Akima's surface: on every grid line it is Akima's curve through the points of that line; for
 * values f(x) + g(y) it is the sum of two curves, and for x y the product, everywhere. */
static void smooth_surfaces_are_as_defined(void **state)
{
    (void)state;
    rng r = {13};
    for (int k = 0; k < points / 4;) {
        surface s = random_surface(&r);
        for (int kind = TABLE_AKIMA; kind <= TABLE_MODIFIED_AKIMA; kind += 4) {
            surface sum = s, product = s;
            curve f = {.n = s.n1}, g = {.n = s.n2};
            for (int i = 0; i < s.n1; i++) f.x[i] = s.x[i], f.y[i] = s.z[i][0];
            for (int j = 0; j < s.n2; j++) g.x[j] = s.y[j], g.y[j] = s.z[0][j];
            slopes(&f, kind);
            slopes(&g, kind);
            for (int i = 0; i < s.n1; i++)
                for (int j = 0; j < s.n2; j++) {
                    sum.z[i][j] = (double)(f.y[i] + g.y[j]);
                    product.z[i][j] = (double)(s.x[i] * s.y[j]);
                }
            void *t = make_surface(&s, kind, TABLE_LAST_TWO);
            void *u = make_surface(&sum, kind, TABLE_LAST_TWO);
            void *v = make_surface(&product, kind, TABLE_LAST_TWO);
            for (int q = 0; q < 10; q++, k++) {
                double u1 = s.x[0] + 1.4 * (s.x[s.n1 - 1] - s.x[0]) * rng_double(&r);
                double u2 = s.y[0] + 1.4 * (s.y[s.n2 - 1] - s.y[0]) * rng_double(&r);
                int i = rng_below(&r, s.n1);
                curve line = {.n = s.n2};
                memcpy(line.x, s.y, sizeof line.x);
                memcpy(line.y, s.z[i], sizeof line.y);
                slopes(&line, kind);
                real d[3], e[3];
                curve_at(&line, kind, TABLE_LAST_TWO, u2, d);
                assert_true(fabsl(surface_at(t, s.x[i], u2) - d[0]) < 1e-12L);
                assert_true(fabsl(surface_der(t, s.x[i], u2, 0, 1) - d[1]) < 1e-12L);
                curve_at(&f, kind, TABLE_LAST_TWO, u1, d);
                curve_at(&g, kind, TABLE_LAST_TWO, u2, e);
                assert_true(fabsl(surface_at(u, u1, u2) - d[0] - e[0]) < 1e-12L);
                assert_true(fabsl(surface_der(u, u1, u2, 2, 3) - 2 * d[1] - 3 * e[1]) < 1e-11L);
                assert_true(fabs(surface_at(v, u1, u2) - u1 * u2) < 1e-11);
                assert_true(fabs(surface_der(v, u1, u2, 1, -1) - u2 + u1) < 1e-11);
            }
            for (int n = 0; n < 3; n++)
                hand_release(hand_new(), "ModelicaStandardTables_CombiTable2D_init2",
                             n == 0   ? t
                             : n == 1 ? u
                                      : v);
        }
    }
}

/* ---- tables of time -------------------------------------------------------------------------- */

static void *make_time_table(double *table, int n, double start, int kind, int beyond, double shift,
                             int events)
{
    double columns[] = {2};
    hand *h = hand_new();
    hand_text(h, "NoName");
    hand_text(h, "NoName");
    hand_array(h, table, 2 * n);
    hand_number(h, n);
    hand_number(h, 2);
    hand_number(h, start);
    hand_array(h, columns, 1);
    hand_number(h, 1);
    hand_number(h, kind);
    hand_number(h, beyond);
    hand_number(h, shift);
    hand_number(h, events);
    hand_number(h, 0);
    if (!hand_call(h, "ModelicaStandardTables_CombiTimeTable_init2")) fail_msg("%s", h->why);
    return h->object;
}

static double next_event(void *t, double now)
{
    hand *h = hand_new();
    hand_object(h, t);
    hand_number(h, now);
    assert_true(hand_call(h, "ModelicaStandardTables_CombiTimeTable_nextTimeEvent"));
    return h->result;
}

static double time_value(void *t, double now, double event, double before)
{
    hand *h = hand_new();
    hand_object(h, t);
    hand_number(h, 1);
    hand_number(h, now);
    hand_number(h, event);
    hand_number(h, before);
    assert_true(hand_call(h, "ModelicaStandardTables_CombiTimeTable_getValue"));
    return h->result;
}

/* Walk from event to event: before it the value of the piece that ends there, after it that of the
 * next, whatever rounding does to the times (0.1 is no sum of binary fractions). */
static void time_tables_jump_at_events(void **state)
{
    (void)state;
    double saw[] = {0.1, 0, 0.4, 3}; // 10 (t - 0.1 - ...) and back to 0
    void *t = make_time_table(saw, 2, 0.2, TABLE_LINEAR, TABLE_PERIODIC, 0.1, 1);
    assert_true(next_event(t, 0) == 0.2 && time_value(t, 0, 0.2, 0.2) == 0);
    assert_true(time_value(t, 0.2, 0.2, 0.2) == 0); // not begun
    double now = 0.2, event = next_event(t, now);
    assert_true(fabs(time_value(t, now, event, now) - 0) < 1e-14); // 0.2 - 0.1 is where it begins
    for (int k = 1; k < 2000; k++) {
        double due = 0.2 + 0.3 * k;
        assert_true(fabs(event - due) < 1e-12 * due);
        assert_true(fabs(time_value(t, event, event, event) - 3) < 1e-10); // before
        double middle = event - 0.15;
        assert_true(fabs(time_value(t, middle, event, now) - 1.5) < 1e-10);
        now = event * (1 - DBL_EPSILON); // as a scaled time may come out
        event = next_event(t, now);
        assert_true(fabs(time_value(t, now, event, now)) < 1e-10); // after
    }
    hand_release(hand_new(), "ModelicaStandardTables_CombiTimeTable_init2", t);

    double jump[] = {0, 1, 1, 2, 1, 5, 3, 9}; // events where asked for
    static const double always[] = {1, 3}, at_jumps[] = {1}, never[] = {0};
    const struct {
        int events, n;
        const double *at;
    } cases[] = {{1, 2, always}, {2, 1, at_jumps}, {3, 0, never}};
    for (int k = 0; k < 3; k++) {
        t = make_time_table(jump, 4, 0, TABLE_LINEAR, TABLE_HOLD, 0, cases[k].events);
        double at = 0;
        for (int i = 0; i < cases[k].n; i++) {
            at = next_event(t, at);
            assert_true(at == cases[k].at[i]);
        }
        assert_true(next_event(t, at) > 1e60);
        double e = next_event(t, 0), f = next_event(t, 1);
        assert_true(time_value(t, 0.5, e, 0) == 1.5);
        if (k < 2) assert_true(time_value(t, 1, e, e) == 2); // before the jump
        assert_true(time_value(t, 1, f, e) == 5 || k == 2);
        assert_true(time_value(t, 2, f, e) == 7 && time_value(t, 4, 1e300, 3) == 9);
        hand_release(hand_new(), "ModelicaStandardTables_CombiTimeTable_init2", t);
    }
}

/* A button that is pressed once, at 0.7: both rows of the table are there. Before it the first holds. */
static void a_time_table_may_begin_with_a_jump(void **state)
{
    (void)state;
    double once[] = {0.7, 0, 0.7, 1};
    static const int kinds[] = {TABLE_CONSTANT, TABLE_LINEAR},
                     beyond[] = {TABLE_HOLD, TABLE_LAST_TWO};
    for (int k = 0; k < 4; k++) {
        void *t = make_time_table(once, 2, 0, kinds[k & 1], beyond[k / 2], 0, 1);
        double event = next_event(t, 0);
        assert_true(event == 0.7);
        assert_true(time_value(t, 0, event, 0) == 0 && time_value(t, 0.5, event, 0) == 0);
        assert_true(time_value(t, 0.7, event, event) == 0); // not begun
        event = next_event(t, 0.7);
        assert_true(event > 1e60);
        assert_true(time_value(t, 0.7, event, 0.7) == 1 && time_value(t, 2, event, 0.7) == 1);
        hand_release(hand_new(), "ModelicaStandardTables_CombiTimeTable_init2", t);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void broken_tables_are_named(void **state)
{
    (void)state;
    double columns[] = {2}, falls[] = {0, 1, 2, 3, 1, 4}, twice[] = {0, 1, 1, 2, 1, 3, 2, 4};
    const struct {
        double *table;
        int n, kind;
        double column;
        const char *says;
    } cases[] = {{falls, 3, TABLE_LINEAR, 2, "row 3 has 1 after 2"},
                 {twice, 4, TABLE_AKIMA, 2, "row 3 has 1 after 1"},
                 {twice, 4, TABLE_LINEAR, 3, "column 3 is asked for, but the table has 2"},
                 {twice, 4, 9, 2, "no such smoothness"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hand *h = hand_new();
        columns[0] = cases[k].column;
        hand_text(h, "NoName");
        hand_text(h, "NoName");
        hand_array(h, cases[k].table, 2 * cases[k].n);
        hand_number(h, cases[k].n);
        hand_number(h, 2);
        hand_array(h, columns, 1);
        hand_number(h, 1);
        hand_number(h, cases[k].kind);
        hand_number(h, TABLE_HOLD);
        hand_number(h, 0);
        assert_false(hand_call(h, "ModelicaStandardTables_CombiTable1D_init2"));
        if (!strstr(h->why, cases[k].says)) fail_msg("%s", h->why);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) points = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_as_defined),
        cmocka_unit_test(steps_and_edges),
        cmocka_unit_test(surfaces_are_as_defined),
        cmocka_unit_test(smooth_surfaces_are_as_defined),
        cmocka_unit_test(time_tables_jump_at_events),
        cmocka_unit_test(a_time_table_may_begin_with_a_jump),
        cmocka_unit_test(broken_tables_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
