/* Unit tests of src/plot/terminal.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../result/helpers.h"

#include "plot/plot.h"

#include <math.h>

static int width_of(const char *line, size_t n)
{
    int w = 0;
    for (size_t i = 0; i < n; i++) w += ((unsigned char)line[i] & 0xC0) != 0x80;
    return w;
}

static void a_ramp_is_a_diagonal(void **state)
{
    (void)state;
    mem m = mem_std();
    plot_figure *f;
    plot_new(&m, &(plot_figure_spec){.title = "Ramp"}, &f);
    const double x[] = {0, 10}, y[] = {0, 1};
    plot_add_curve(
        plot_add_panel(
            f, &(plot_panel_spec){.x = {.label = "time", .unit = "s"},
                                  .left = {.label = "u", .unit = "V", .fixed = true, .hi = 1}}),
        &(plot_curve_spec){.label = "u", .x = x, .y = y, .n = 2});
    text out;
    text_init(&out, &m);
    assert_int_equal(plot_terminal(f, 33, false, &out, NULL), RESULT_OK);
    // 29 x 14 cells are 58 x 56 dots, the line goes from (0, 55) to (57, 0): in the first row it
    // has the dots (54, 3) (55, 2) of one cell and (56, 1) (57, 0) of the next
    static const char expected[] = "Ramp\n"
                                   "u (V)\n"
                                   "1.0\u2524                           \u2860\u280a\n";
    assert_memory_equal(text_str(&out), expected, sizeof expected - 1);
    assert_non_null(strstr(text_str(&out), "\n  0\u2524\u2860"));
    assert_non_null(strstr(text_str(&out), "time (s)\n"));
    assert_null(strchr(text_str(&out), '\033'));
    text_clear(&out);
    assert_int_equal(plot_terminal(f, 33, true, &out, NULL), RESULT_OK);
    assert_non_null(strstr(text_str(&out), "\033["));
    text_done(&out);
    plot_free(f);
}

static void lines_fit_any_terminal(void **state)
{
    (void)state;
    mem m = mem_std();
    plot_figure *f;
    plot_new(&m, NULL, &f);
    double x[200], y[200], z[200];
    for (int i = 0; i < 200; i++)
        x[i] = i, y[i] = 1e-9 * sin(i * 0.1), z[i] = i % 50 ? cos(i * 0.1) : NAN;
    for (int k = 0; k < 3; k++) {
        plot_panel *p = plot_add_panel(
            f,
            &(plot_panel_spec){
                .x = {.label = "t", .log = k == 2},
                .left = {.label = "a very long label of an axis, longer than a line", .unit = "m"},
                .equal = k == 1});
        plot_add_curve(p, &(plot_curve_spec){
                              .label = "first curve with a long name", .x = x, .y = y, .n = 200});
        plot_add_curve(
            p, &(plot_curve_spec){
                   .label = "größe", .x = k == 1 ? y : x, .y = z, .n = 200, .style = PLOT_POINTS});
        plot_add_curve(p, &(plot_curve_spec){.label = "empty", .n = 0});
        plot_add_region(p, &(plot_region_spec){.values = z, .nx = 10, .ny = 20, .x1 = 1, .y1 = 1});
        plot_add_box(p, &(plot_box_spec){.x1 = 1, .y1 = 1});
    }
    for (int columns = 0; columns < 500; columns += columns < 80 ? 1 : 60) {
        text out;
        text_init(&out, &m);
        assert_int_equal(plot_terminal(f, columns, false, &out, NULL), RESULT_OK);
        int limit = columns == 0 ? 72 : columns < 24 ? 24 : columns;
        for (const char *line = text_str(&out); *line; line = strchr(line, '\n') + 1) {
            size_t n = strcspn(line, "\n");
            if (width_of(line, n) > limit) fail_msg("%d columns: '%.*s'", columns, (int)n, line);
        }
        text_done(&out);
    }
    plot_free(f);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {1, 0, 2};
    for (long k = 0;; k++) {
        counting c = {.fail_at = -1};
        mem m = counting_mem(&c);
        plot_figure *f;
        text out;
        text_init(&out, &m);
        plot_new(&m, NULL, &f);
        plot_add_curve(plot_add_panel(f, NULL), &(plot_curve_spec){.x = x, .y = y, .n = 3});
        c.calls = 0;
        c.fail_at = k;
        int rc = plot_terminal(f, 150, true, &out, NULL);
        text_done(&out);
        plot_free(f);
        assert_int_equal(c.live_bytes, 0);
        if (rc == RESULT_OK) break;
        assert_int_equal(rc, RESULT_E_MEMORY);
        assert_true(k < 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_is_a_diagonal),
        cmocka_unit_test(lines_fit_any_terminal),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
