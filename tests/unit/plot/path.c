/* Unit tests of src/plot/path.c and contour.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "plot/path.h"

#include <math.h>

static uint64_t seed = 99;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* In every column the lowest and the highest point of the data are among those drawn. */
static void thinning_keeps_extrema(void **state)
{
    (void)state;
    enum { N = 20000, COLUMNS = 200 };
    static double x[N], y[N];
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < N; i++) {
            x[i] = kind == 3 ? sin(i * 0.001) : (double)i / (N - 1);
            y[i] = kind == 0   ? uniform()
                   : kind == 1 ? sin(i * 0.7)
                   : kind == 2 ? (i % 977 == 0 ? 1 : 0)
                               : cos(i * 0.0013);
        }
        mem m = mem_std();
        plot_path p = {.m = &m};
        plot_map mx = {.lo = kind == 3 ? -1 : 0, .hi = 1, .from = 0, .to = COLUMNS},
                 my = {.lo = -1, .hi = 1, .from = 100, .to = 0};
        plot_path_trace(&p, &(plot_curve_spec){.x = x, .y = y, .n = N}, &mx, &my, 1);
        assert_false(p.failed);
        if (kind < 3) assert_true(p.n <= 4 * (COLUMNS + 1));
        double low[COLUMNS + 1], high[COLUMNS + 1], got_low[COLUMNS + 1], got_high[COLUMNS + 1];
        for (int i = 0; i <= COLUMNS; i++) {
            low[i] = got_low[i] = INFINITY;
            high[i] = got_high[i] = -INFINITY;
        }
        for (int i = 0; i < N; i++) {
            int c = (int)floor(plot_map_at(&mx, x[i]));
            double v = plot_map_at(&my, y[i]);
            low[c] = fmin(low[c], v);
            high[c] = fmax(high[c], v);
        }
        for (size_t i = 0; i < p.n; i++) {
            int c = (int)floor(p.at[i].x);
            got_low[c] = fmin(got_low[c], p.at[i].y);
            got_high[c] = fmax(got_high[c], p.at[i].y);
            assert_int_equal(p.at[i].start, i == 0);
        }
        assert_memory_equal(low, got_low, sizeof low);
        assert_memory_equal(high, got_high, sizeof high);
        // both ends are there
        assert_true(p.at[0].y == plot_map_at(&my, y[0]));
        assert_true(p.at[p.n - 1].y == plot_map_at(&my, y[N - 1]));
        plot_path_done(&p);
    }
}

static void gaps_begin_new_strokes(void **state)
{
    (void)state;
    mem m = mem_std();
    plot_path p = {.m = &m};
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, 2, NAN, 3, INFINITY, -1, 5};
    plot_map mx = {.hi = 10, .to = 100}, my = {.hi = 10, .to = 100}, log = {1, 10, 0, 100, true};
    plot_path_trace(&p, &(plot_curve_spec){.x = x, .y = y, .n = 7}, &mx, &my, 0.25);
    assert_int_equal(p.n, 5);
    const bool starts[] = {true, false, true, true, false};
    for (int i = 0; i < 5; i++) assert_int_equal(p.at[i].start, starts[i]);
    p.n = 0;
    plot_path_trace(&p, &(plot_curve_spec){.x = x, .y = y, .n = 7}, &mx, &log, 0.25);
    assert_int_equal(p.n, 4); // -1 is no place on a log axis
    assert_true(p.at[3].start);
    p.n = 0;
    plot_path_trace(&p, &(plot_curve_spec){.x = x, .y = y, .n = 2, .style = PLOT_STAIRS}, &mx, &my,
                    0.25);
    assert_int_equal(p.n, 3);
    assert_true(p.at[1].x == 10 && p.at[1].y == 10 && p.at[2].x == 10 && p.at[2].y == 20);
    plot_path_done(&p);
}

/* Against dense sampling of the segment. */
static void clipping_agrees_with_sampling(void **state)
{
    (void)state;
    plot_rect r = {0, 0, 1, 1};
    for (int i = 0; i < 3000; i++) {
        double a[4];
        for (int k = 0; k < 4; k++) a[k] = 4 * uniform() - 1.5;
        if (i % 7 == 0) a[2] = a[0];
        if (i % 11 == 0) a[3] = a[1];
        double b[4] = {a[0], a[1], a[2], a[3]}, first = 2, last = -1;
        enum { N = 500 };
        for (int k = 0; k <= N; k++) {
            double s = (double)k / N, x = a[0] + s * (a[2] - a[0]), y = a[1] + s * (a[3] - a[1]);
            if (x < 0 || x > 1 || y < 0 || y > 1) continue;
            first = fmin(first, s);
            last = fmax(last, s);
        }
        bool seen = plot_clip_segment(&r, &b[0], &b[1], &b[2], &b[3]);
        if (last >= 0) {
            assert_true(seen);
            double length = hypot(a[2] - a[0], a[3] - a[1]), step = length / N + 1e-12;
            assert_true(hypot(b[0] - a[0], b[1] - a[1]) <= first * length + 1e-9);
            assert_true(hypot(b[0] - a[0], b[1] - a[1]) >= first * length - step);
            assert_true(hypot(b[2] - a[0], b[3] - a[1]) >= last * length - 1e-9);
            assert_true(hypot(b[2] - a[0], b[3] - a[1]) <= last * length + step);
        } else if (seen) { // between two samples: a short piece at a corner
            assert_true(hypot(b[2] - b[0], b[3] - b[1]) <=
                        hypot(a[2] - a[0], a[3] - a[1]) / N + 1e-9);
        }
    }
}

/* Area by the shoelace formula, over all loops; inside is on the left. */
static double area(const plot_path *p, int *loops)
{
    double sum = 0;
    size_t first = 0;
    *loops = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->at[i].start) first = i, ++*loops;
        bool last = i + 1 == p->n || p->at[i + 1].start;
        const plot_point *a = &p->at[i], *b = last ? &p->at[first] : a + 1;
        sum += a->x * b->y - b->x * a->y;
    }
    return sum / 2;
}

static void contours_enclose_the_right_area(void **state)
{
    (void)state;
    enum { N = 101 };
    static double v[N * N];
    mem m = mem_std();
    plot_path p = {.m = &m};
    plot_region_spec r = {.values = v, .nx = N, .ny = N, .x0 = -2, .x1 = 2, .y0 = -2, .y1 = 2};
    int loops;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double x = -2 + 4.0 * i / (N - 1), y = -2 + 4.0 * j / (N - 1);
            v[j * N + i] = hypot(x, y);
        }
    r.level = 1; // the unit disc; a polygon on a grid of h = 0.04 misses it by O(h^2)
    plot_path_contour(&p, &r, false);
    assert_true(fabs(area(&p, &loops) - 3.14159265) < 4 * 0.04 * 0.04);
    assert_int_equal(loops, 1);

    p.n = 0;
    r.level = 10; // everything: the border of the grid
    plot_path_contour(&p, &r, false);
    assert_true(fabs(area(&p, &loops) - 16) < 1e-12);
    assert_int_equal(loops, 1);
    p.n = 0;
    plot_path_contour(&p, &r, true); // nothing of it is a boundary
    for (size_t i = 1; i < p.n; i++) assert_true(p.at[i].start);

    p.n = 0;
    r.level = -1; // nothing
    plot_path_contour(&p, &r, false);
    assert_int_equal(p.n, 0);

    // a ring: two loops, the inner one turns the other way
    for (int i = 0; i < N * N; i++) v[i] = fabs(v[i] - 1);
    r.level = 0.5;
    p.n = 0;
    plot_path_contour(&p, &r, false);
    assert_true(fabs(area(&p, &loops) - 3.14159265 * (2.25 - 0.25)) < 0.02);
    assert_int_equal(loops, 2);

    // a chessboard is all saddles; nothing may be lost or visited twice
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) v[j * N + i] = (i + j) % 2 ? 1 : i % 3 ? 0 : NAN;
    p.n = 0;
    plot_path_contour(&p, &r, false);
    assert_false(p.failed);
    assert_true(area(&p, &loops) > 0);
    plot_path_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinning_keeps_extrema),
        cmocka_unit_test(gaps_begin_new_strokes),
        cmocka_unit_test(clipping_agrees_with_sampling),
        cmocka_unit_test(contours_enclose_the_right_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
