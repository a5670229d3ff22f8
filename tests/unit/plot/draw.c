/* Unit tests of plot_figure.c, layout.c, legend.c, draw.c and canvas_cairo.c: figures of all kinds are
 * drawn, the same every time, as XML that is well formed; nothing crashes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../result/helpers.h"

#include "plot/plot.h"
#include "plot/ticks.h"

#include <math.h>

/* fontconfig keeps some patterns for ever; they are not ours. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

typedef struct bytes {
    char *at;
    size_t n, cap;
    size_t refuse_after; // 0: never
} bytes;

static int take(void *user, const void *p, size_t n)
{
    bytes *b = user;
    if (b->refuse_after && b->n + n > b->refuse_after) return 1;
    if (b->n + n + 1 > b->cap) b->at = realloc(b->at, b->cap = 2 * (b->n + n + 1));
    memcpy(b->at + b->n, p, n);
    b->n += n;
    b->at[b->n] = 0;
    return 0;
}

/* ---- is it XML? ------------------------------------------------------------------------------ */

static void assert_well_formed(const char *s)
{
    char stack[64][32];
    int depth = 0, elements = 0;
    for (const char *c = s; *c; c++) {
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
        if (*c == '&') {
            if (strncmp(c, "&amp;", 5) && strncmp(c, "&lt;", 4) && strncmp(c, "&gt;", 4))
                fail_msg("a bare &: %.40s", c);
        }
        if (*c != '<') continue;
        const char *end = strchr(c, '>');
        assert_non_null(end);
        if (c[1] == '?') {
            assert_int_equal(end[-1], '?');
        } else if (c[1] == '/') {
            assert_true(depth > 0);
            depth--;
            size_t n = strlen(stack[depth]);
            if (strncmp(c + 2, stack[depth], n) || c[2 + n] != '>')
                fail_msg("</%.20s closes <%s>", c + 2, stack[depth]);
        } else {
            int quotes = 0;
            for (const char *q = c; q < end; q++) quotes += *q == '"';
            assert_int_equal(quotes % 2, 0);
            elements++;
            if (end[-1] != '/') {
                size_t n = strcspn(c + 1, " >\n");
                assert_true(depth < 64 && n < 32);
                snprintf(stack[depth++], 32, "%.*s", (int)n, c + 1);
            }
        }
        c = end;
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 2);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void draw(plot_figure *f, const plot_format *format, bytes *b)
{
    result_fault fault = {0};
    b->n = 0;
    int rc = plot_render(f, format, take, b, &fault);
    if (rc) fail_msg("%s: %s", fault.code, fault.text);
    assert_true(b->n > 100);
}

/* Draw in every format; the SVG is given back and drawn twice. */
static void draw_all(plot_figure *f)
{
    bytes a = {0}, b = {0};
    draw(f, &plot_format_svg, &a);
    draw(f, &plot_format_svg, &b);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    assert_well_formed(a.at);
    draw(f, &plot_format_png, &a);
    assert_memory_equal(a.at, "\x89PNG\r\n\x1a\n", 8);
    draw(f, &plot_format_pdf, &a);
    draw(f, &plot_format_pdf, &b);
    assert_memory_equal(a.at, "%PDF-", 5);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    free(a.at);
    free(b.at);
}

static const char *fonts[] = {"@cairo:", NULL};

static void odd_data_is_survived(void **state)
{
    (void)state;
    mem m = mem_std();
    static const double sets[][6] = {
        {0, 0, 0, 0, 0, 0},
        {NAN, NAN, NAN, NAN, NAN, NAN},
        {1, NAN, 2, INFINITY, -INFINITY, 3},
        {1e308, -1e308, 1e308, 0, 1, -1e308},
        {5e-324, 1e-310, 0, -5e-324, 1e-320, 0},
        {3, 3, 3, 3, 3, 3 + 1e-15},
        {-1, -2, -3, -4, -5, -6},
        {1e-30, 1, 1e30, 1e-300, 1e300, 5},
        {1e17, 1e17 + 64, 1e17 + 16, 1e17, 1e17, 1e17},
    };
    enum { N = sizeof sets / sizeof *sets };
    for (int font = 0; font < 2; font++)
        for (int log = 0; log < 2; log++) {
            plot_figure *f;
            assert_int_equal(
                plot_new(&m, &(plot_figure_spec){.font = fonts[font], .dark = log}, &f), RESULT_OK);
            for (int i = 0; i < N; i++) {
                plot_panel_spec s = {.x = {.label = "x", .log = log},
                                     .left = {.label = "y", .unit = "m", .log = log},
                                     .right = {.log = log},
                                     .equal = i % 3 == 0};
                plot_panel *p = plot_add_panel(f, &s);
                for (int k = 0; k < N; k++)
                    plot_add_curve(p, &(plot_curve_spec){.label = "curve",
                                                         .x = sets[k],
                                                         .y = sets[i],
                                                         .n = 6,
                                                         .style = (plot_style)(k % 4),
                                                         .right = k == 7});
                plot_add_event(p, sets[i][0]);
                plot_add_level(p, sets[i][1], "level");
                plot_add_text(p, sets[i][2], sets[i][3], "text");
                plot_box_spec box = {
                    .x0 = sets[i][0], .y0 = sets[i][1], .x1 = sets[i][2], .y1 = sets[i][3]};
                plot_add_box(p, &box);
                plot_add_region(p, &(plot_region_spec){.values = sets[i],
                                                       .nx = 3,
                                                       .ny = 2,
                                                       .x1 = sets[i][4],
                                                       .y1 = 1,
                                                       .level = 2,
                                                       .label = "region"});
            }
            draw_all(f);
            plot_free(f);
        }
}

static void empty_figures_are_figures(void **state)
{
    (void)state;
    mem m = mem_std();
    plot_figure *f;
    plot_new(&m, NULL, &f);
    draw_all(f);
    plot_add_panel(f, NULL);
    plot_add_panel(f, &(plot_panel_spec){.x = {.label = "time"}});
    plot_add_curve(plot_add_panel(f, NULL), &(plot_curve_spec){.label = "nothing"});
    draw_all(f);
    plot_free(f);
    plot_free(NULL);
    plot_add_curve(NULL, &(plot_curve_spec){.n = 1});
}

static void strange_names_are_survived(void **state)
{
    (void)state;
    mem m = mem_std();
    char long_name[5000];
    memset(long_name, 'w', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    const char *names[] = {"<a & b>",
                           "\xff\xfe\xc3",
                           "\xed\xa0\x80",
                           "größe",
                           "\u03bb\u2080 \U0001D70E",
                           long_name,
                           "",
                           "tab\there",
                           "\xf4\x90\x80\x80",
                           "%s%n"};
    const double x[] = {0, 1, 2}, y[] = {1, 0, 2};
    for (int font = 0; font < 2; font++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            plot_figure *f;
            plot_new(&m,
                     &(plot_figure_spec){.title = names[i], .note = names[i], .font = fonts[font]},
                     &f);
            for (int n = 1; n <= 30; n += 29) { // alone, and in a crowd
                plot_panel *p = plot_add_panel(
                    f, &(plot_panel_spec){.title = names[i],
                                          .x = {.label = names[i], .unit = names[i]},
                                          .left = {.label = names[i], .unit = names[i]}});
                for (int k = 0; k < n; k++)
                    plot_add_curve(p,
                                   &(plot_curve_spec){.label = names[i], .x = x, .y = y, .n = 3});
            }
            draw_all(f);
            plot_free(f);
        }
}

static void sizes_are_kept_within_reason(void **state)
{
    (void)state;
    mem m = mem_std();
    const double x[] = {0, 1, 2}, y[] = {1, 0, 2};
    static const double sizes[][2] = {{1, 1}, {100, 5000}, {-3, NAN}, {1000, 90}, {0, 1e9}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        plot_figure *f;
        plot_new(&m,
                 &(plot_figure_spec){.width = sizes[i][0],
                                     .height = sizes[i][1],
                                     .columns = (int)i,
                                     .scale = i == 1 ? 1e9 : 0.5},
                 &f);
        for (int k = 0; k < 7; k++)
            plot_add_curve(plot_add_panel(f, &(plot_panel_spec){.left = {.label = "a long label"}}),
                           &(plot_curve_spec){.x = x, .y = y, .n = 3, .label = "curve"});
        bytes b = {0};
        draw(f, &plot_format_svg, &b);
        assert_well_formed(b.at);
        if (i != 1 && i != 4) draw(f, &plot_format_png, &b);
        free(b.at);
        plot_free(f);
    }
}

/* The picture of many points is no larger than the paper, and the peak is in it. */
static void a_million_points_fit_on_paper(void **state)
{
    (void)state;
    enum { N = 300000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i, y[i] = sin(i * 0.37);
    y[123456] = 3;
    mem m = mem_std();
    bytes b = {0};
    plot_figure *f;
    plot_new(&m, NULL, &f);
    plot_add_curve(plot_add_panel(f, NULL),
                   &(plot_curve_spec){.x = x, .y = y, .n = N, .borrowed = true});
    draw(f, &plot_format_svg, &b);
    assert_true(b.n < 150000);
    free(b.at);
    plot_free(f);
}

/* A dot for a number, nothing but a cross in the first panel for none; numbers that cannot be on a
 * logarithmic axis, and nothing but those. */
static void tables_are_figures(void **state)
{
    (void)state;
    enum { ROWS = 45 };
    mem m = mem_std();
    const char *rows[ROWS], *series[] = {"a", "a method with quite a long name, really"};
    double good[2 * ROWS], bad[2 * ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = i ? "row" : "formulation:zeta=1,omega=10,and=so,on=2";
    for (int i = 0; i < 2 * ROWS; i++) {
        good[i] = i % 3 ? pow(10, -i % 17) : NAN;
        bad[i] = (const double[]){NAN, 0, INFINITY, -1}[i % 4];
    }
    plot_measure measures[] = {{"error", "", good, 1e-6}, {"odd", "ms", bad, 0}};
    for (int n_rows = 0; n_rows <= ROWS; n_rows += 15)
        for (int first = 0; first < 2; first++) {
            plot_dots_spec s = {.title = "table",
                                .rows = rows,
                                .series = series,
                                .measures = measures + first,
                                .n_rows = n_rows,
                                .n_series = 2,
                                .n_measures = 2 - first,
                                .font = "@cairo:"};
            plot_figure *f;
            assert_int_equal(plot_dots(&m, &s, &f), RESULT_OK);
            draw_all(f);
            plot_free(f);
        }
    // names at 1 ... n instead of numbers
    plot_ticks t;
    plot_ticks_names(&t, rows, 3);
    assert_int_equal(t.n, 3);
    assert_true(t.at[2] == 3);
    assert_string_equal(t.label[2], "row");
    plot_ticks_names(&t, NULL, 3);
    assert_string_equal(t.label[2], "");
}

static plot_figure *small_figure(mem *m, int *rc)
{
    plot_figure *f;
    const double x[] = {0, 1, 2}, y[] = {1, 0, 2}, z[] = {0, 1, 2, 3};
    *rc = plot_new(m, &(plot_figure_spec){.title = "t", .font = "@cairo:"}, &f);
    if (*rc) return NULL;
    plot_panel *p = plot_add_panel(f, &(plot_panel_spec){.left = {.label = "y"}});
    plot_add_curve(p, &(plot_curve_spec){.label = "a", .x = x, .y = y, .n = 3});
    plot_add_curve(p, &(plot_curve_spec){.label = "b", .x = y, .y = x, .n = 3});
    plot_add_region(p,
                    &(plot_region_spec){
                        .label = "r", .values = z, .nx = 2, .ny = 2, .x1 = 2, .y1 = 2, .level = 1});
    return f;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    for (long k = 0;; k++) {
        counting c = {.fail_at = k};
        mem m = counting_mem(&c);
        int rc;
        plot_figure *f = small_figure(&m, &rc);
        bytes b = {0};
        result_fault fault = {0};
        if (!rc) rc = plot_render(f, &plot_format_svg, take, &b, &fault);
        plot_free(f);
        free(b.at);
        assert_int_equal(c.live_bytes, 0);
        if (rc == RESULT_OK) break;
        assert_int_equal(rc, RESULT_E_MEMORY);
        assert_true(k < 200);
    }
}

static void failed_writes_leave_nothing(void **state)
{
    (void)state;
    mem m = mem_std();
    result_fault fault;
    int rc;
    plot_figure *f = small_figure(&m, &rc);
    assert_int_equal(plot_write(f, "/dev/full", NULL, &fault), RESULT_E_WRITE);
    assert_non_null(strstr(fault.text, "No space left"));
    assert_int_equal(plot_write(f, "/nowhere/a.svg", NULL, &fault), RESULT_E_OPEN);
    assert_int_equal(plot_write(f, "a.bmp", NULL, &fault), RESULT_E_OPEN);
    assert_string_equal(fault.code, "C610");
    for (const plot_format *const *k = plot_formats; *k; k++) {
        if (!(*k)->canvas) continue;
        bytes b = {.refuse_after = 700};
        assert_int_equal(plot_render(f, *k, take, &b, &fault), RESULT_E_WRITE);
        free(b.at);
    }
    assert_int_equal(plot_write(f, scratch("a.svg"), NULL, &fault), RESULT_OK);
    assert_int_equal(plot_write(f, scratch("a.png"), NULL, &fault), RESULT_OK);
    assert_int_equal(plot_write(f, scratch("a.pdf"), NULL, &fault), RESULT_OK);
    assert_int_equal(scratch_count(), 3);
    plot_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_data_is_survived),
        cmocka_unit_test(empty_figures_are_figures),
        cmocka_unit_test(strange_names_are_survived),
        cmocka_unit_test(sizes_are_kept_within_reason),
        cmocka_unit_test(a_million_points_fit_on_paper),
        cmocka_unit_test(tables_are_figures),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(failed_writes_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
