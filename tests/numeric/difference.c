/* Two results: the same within a tolerance, or where not.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <unistd.h>

typedef struct pair {
    vinc_ctx *ctx;
    vinc_result *of[2];
    vinc_difference *told;
} pair;

typedef double curve(double t);

static double sine(double t)
{
    return sin(t);
}

static double nearly_sine(double t)
{
    return sin(t) + 1e-5 * cos(3 * t);
}

static double step_at_one(double t)
{
    return t >= 1;
}

static double step_a_little_later(double t)
{
    return t >= 1.002;
}

static double with_a_peak(double t)
{
    return sin(t) + (fabs(t - 2) < 0.021);
}

static double number_until_two(double t)
{
    return t < 2 ? sin(t) : NAN;
}

/* A table of time, a (as given) and b = t^2 under another name; rows from 0 to `stop`. */
static vinc_result *table_of(vinc_ctx *ctx, curve *a, const char *b, int rows, double stop)
{
    char folder[] = "/tmp/vincolo-diff-XXXXXX", path[60];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.csv", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "time,a,%s\n", b);
    for (int i = 0; i <= rows; i++) {
        double t = stop * i / rows;
        fprintf(f, "%.17g,%.17g,%.17g\n", t, a(t), t * t);
    }
    fclose(f);
    vinc_result *r = NULL;
    assert_int_equal(vinc_result_read(ctx, path, &r), VINC_OK);
    unlink(path);
    rmdir(folder);
    return r;
}

static void compare(pair *p, curve *x, int rows_x, curve *y, const char *b, int rows_y, double stop,
                    const vinc_difference_options *o)
{
    *p = (pair){.ctx = vinc_ctx_new(NULL)};
    p->of[0] = table_of(p->ctx, x, "b", rows_x, 4);
    p->of[1] = table_of(p->ctx, y, b, rows_y, stop);
    assert_int_equal(vinc_difference_of(p->of[0], p->of[1], o, &p->told), VINC_OK);
}

static void done(pair *p)
{
    vinc_report_free(p->told);
    for (int i = 0; i < 2; i++) vinc_result_free(p->of[i]);
    vinc_ctx_free(p->ctx);
}

static const vinc_signal_difference *signal_named(const pair *p, const char *name)
{
    for (int i = 0; i < p->told->n_signals; i++)
        if (!strcmp(p->told->signals[i].name, name)) return &p->told->signals[i];
    fail_msg("no %s", name);
    return NULL;
}

/* The difference 1e-5 of a curve of range 2 (least value -0.76 at t = 4, largest 1): below 1e-5 of its
 * size, above 1e-6. */
static void one_variable_off(void **state)
{
    (void)state;
    pair p;
    vinc_difference_options o = {.tol = 1e-5};
    compare(&p, sine, 400, nearly_sine, "b", 400, 4, &o);
    assert_true(p.told->equal && p.told->same_times);
    assert_int_equal(p.told->n_agree, 2);
    assert_near(signal_named(&p, "a")->largest, 1e-5, 1e-8);
    done(&p);
    o.tol = 1e-6;
    compare(&p, sine, 400, nearly_sine, "b", 400, 4, &o);
    assert_false(p.told->equal);
    assert_int_equal(p.told->n_agree, 1);
    assert_string_equal(signal_named(&p, "a")->what, "second");
    assert_string_equal(signal_named(&p, "b")->what, "agrees");
    assert_true(signal_named(&p, "a")->t < 0.1); // at once: cos(0) = 1
    assert_non_null(strstr(vinc_report_text(p.told, VINC_TEXT), "differ: 1 of 2"));
    done(&p);
    o.vars = "b";
    compare(&p, sine, 400, nearly_sine, "b", 400, 4, &o);
    assert_true(p.told->equal);
    assert_int_equal(p.told->n_signals, 1);
    done(&p);
}

/* The same curve at other times: lines between rows are h^2/8 off (1e-4 with 100 rows), which is no
 * difference; one that is 1e-5 off is seen with rows that are close enough (2e-8 with 10,000). */
static void other_times(void **state)
{
    (void)state;
    pair p;
    vinc_difference_options o = {.tol = 1e-6};
    compare(&p, sine, 100, sine, "b", 137, 4, &o);
    assert_true(p.told->equal);
    assert_false(p.told->same_times);
    done(&p);
    compare(&p, sine, 10000, nearly_sine, "b", 7001, 4, &o);
    assert_string_equal(signal_named(&p, "a")->what, "second");
    assert_string_equal(signal_named(&p, "b")->what, "agrees");
    done(&p);
}

/* Steps that come a little late agree within a tube in time; a peak, or what is no number, does not. */
static void steps_and_peaks(void **state)
{
    (void)state;
    pair p;
    compare(&p, step_at_one, 4000, step_a_little_later, "b", 4000, 4, NULL);
    assert_true(p.told->equal);
    assert_near(signal_named(&p, "a")->largest, 1, 0);
    done(&p);
    vinc_difference_options o = {.tol = 1e-4};
    compare(&p, step_at_one, 4000, step_a_little_later, "b", 4000, 4, &o);
    assert_false(p.told->equal);
    done(&p);
    compare(&p, sine, 400, with_a_peak, "b", 400, 4, NULL);
    assert_string_equal(signal_named(&p, "a")->what, "second");
    assert_near(signal_named(&p, "a")->t, 1.98, 1e-9);
    done(&p);
    compare(&p, with_a_peak, 400, sine, "b", 37, 4, NULL); // only the first has it
    assert_string_equal(signal_named(&p, "a")->what, "first");
    done(&p);
    compare(&p, sine, 400, number_until_two, "b", 400, 4, NULL);
    assert_false(p.told->equal);
    assert_near(signal_named(&p, "a")->t, 2, 1e-9);
    assert_non_null(strstr(vinc_report_text(p.told, VINC_TEXT), "no number at t = 2"));
    done(&p);
}

/* A column that only one has, an end that only one reaches. Of a reference the second may go on and
 * have more. */
/* Two rows at one time, as an event writes them: a result is no different from itself. */
static void jumps_are_no_difference(void **state)
{
    (void)state;
    char folder[] = "/tmp/vincolo-diff-XXXXXX", path[60];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.csv", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("time,on\n0,0\n1,0\n1,1\n2,1\n", f);
    fclose(f);
    pair p = {.ctx = vinc_ctx_new(NULL)};
    for (int i = 0; i < 2; i++) assert_int_equal(vinc_result_read(p.ctx, path, &p.of[i]), VINC_OK);
    assert_int_equal(vinc_difference_of(p.of[0], p.of[1], NULL, &p.told), VINC_OK);
    assert_int_equal(p.told->n_agree, 1);
    assert_float_equal(p.told->signals[0].largest, 0, 0);
    unlink(path);
    rmdir(folder);
    done(&p);
}

static void what_is_missing(void **state)
{
    (void)state;
    pair p;
    compare(&p, sine, 400, sine, "c", 400, 4, NULL);
    assert_false(p.told->equal);
    assert_int_equal(p.told->n_signals, 3);
    assert_string_equal(signal_named(&p, "b")->what, "only in the first");
    assert_string_equal(signal_named(&p, "c")->what, "only in the second");
    done(&p);
    compare(&p, sine, 400, sine, "b", 300, 3, NULL);
    assert_int_equal(p.told->n_agree, 2);
    assert_false(p.told->equal);
    assert_near(p.told->second_ends, 3, 0);
    done(&p);
    compare(&p, sine, 400, sine, "b", 500, 5, NULL);
    assert_false(p.told->equal);
    done(&p);
    const char *names[] = {"a"};
    vinc_difference_options o = {.reference = 1, .names = names, .n_names = 1};
    compare(&p, sine, 400, sine, "c", 500, 5, &o);
    assert_true(p.told->equal);
    done(&p);
}

static void asked_wrongly(void **state)
{
    (void)state;
    pair p;
    compare(&p, sine, 40, sine, "b", 40, 4, NULL);
    vinc_difference *d = NULL;
    vinc_difference_options o = {.tol = -1};
    assert_int_not_equal(vinc_difference_of(p.of[0], p.of[1], &o, &d), VINC_OK);
    o = (vinc_difference_options){.tol = NAN};
    assert_int_not_equal(vinc_difference_of(p.of[0], p.of[1], &o, &d), VINC_OK);
    o = (vinc_difference_options){.vars = "nothing"};
    assert_int_not_equal(vinc_difference_of(p.of[0], p.of[1], &o, &d), VINC_OK);
    assert_non_null(strstr(vinc_ctx_messages(p.ctx), "nothing"));
    assert_int_not_equal(vinc_difference_of(p.of[0], NULL, NULL, &d), VINC_OK);
    assert_null(d);
    done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_variable_off), cmocka_unit_test(other_times),
        cmocka_unit_test(steps_and_peaks),  cmocka_unit_test(what_is_missing),
        cmocka_unit_test(asked_wrongly),    cmocka_unit_test(jumps_are_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
