/* Unit tests of src/result/store.c and sample.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

#include <math.h>

static void columns_are_found_by_name(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    assert_int_equal(result_new(&m, &r), RESULT_OK);
    char name[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "cell[%d].v", i);
        assert_int_equal(result_add(r, name, "V", NULL, RESULT_REAL), i + 1);
    }
    assert_int_equal(result_find(r, "time"), 0);
    assert_int_equal(result_find(r, "cell[4711].v"), 4712);
    assert_int_equal(result_find(r, "cell[4711]."), RESULT_E_UNKNOWN);
    assert_int_equal(result_find(r, ""), RESULT_E_UNKNOWN);
    assert_string_equal(r->columns[4712].look->unit, "V");
    assert_string_equal(r->columns[4712].look->comment, "");
    // of equal names the first is found
    assert_int_equal(result_add(r, "cell[0].v", "", "", RESULT_REAL), 5001);
    assert_int_equal(result_find(r, "cell[0].v"), 1);
    result_free(r);
}

/* Columns of a kind share what is said of them, also where kinds take turns; what is said of one alone
 * changes no other. */
static void columns_share_their_look(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    assert_int_equal(result_new(&m, &r), RESULT_OK);
    char name[32];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "cell[%d].v", i);
        assert_int_equal(result_add(r, name, "V", "voltage", RESULT_REAL), 2 * i + 1);
        snprintf(name, sizeof name, "cell[%d].i", i);
        assert_int_equal(result_add(r, name, "A", "", RESULT_REAL), 2 * i + 2);
    }
    for (int c = 1; c <= 600; c++)
        assert_ptr_equal(r->columns[c].look, r->columns[c > 2 ? c - 2 : c].look);
    assert_int_equal(result_show_in(r, 5, "mV", 1000, 0), RESULT_OK);
    assert_int_equal(result_name_values(r, 7, (const char *[]){"off", "on"}, 2), RESULT_OK);
    const result_look *plain = r->columns[1].look, *shown = r->columns[5].look,
                      *named = r->columns[7].look;
    assert_string_equal(plain->display, "");
    assert_null(plain->names);
    assert_string_equal(shown->display, "mV");
    assert_string_equal(shown->unit, "V");
    assert_string_equal(shown->comment, "voltage");
    assert_true(shown->scale == 1000 && plain->scale == 0);
    assert_int_equal(named->n_names, 2);
    assert_string_equal(named->names[1], "on");
    assert_string_equal(named->display, "");
    result_free(r);
}

static void rows_keep_their_order(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    result_add(r, "x", "", "", RESULT_REAL);
    result_add(r, "y", "", "", RESULT_REAL);
    enum { N = 20000 }; // several chunks
    for (int i = 0; i < N; i++)
        assert_int_equal(result_append(r, i * 0.5, (double[]){i, -i}), RESULT_OK);
    assert_int_equal(r->n_rows, N);
    assert_true(r->n_chunks > 2);
    for (size_t i = 0; i < N; i++) {
        assert_true(result_time(r, i) == (double)i * 0.5);
        assert_true(result_row(r, i)[1] == (double)i);
        assert_true(result_value(r, 2, i) == -(double)i);
    }
    double v[3] = {0, 5, 6};
    assert_int_equal(result_append(r, 1, v), RESULT_E_ORDER);
    assert_int_equal(result_append(r, NAN, v), RESULT_E_ORDER);
    assert_int_equal(result_append(r, INFINITY, v), RESULT_E_ORDER);
    assert_int_equal(r->n_rows, N);
    assert_int_equal(result_add(r, "z", "", "", RESULT_REAL), RESULT_E_ORDER);
    assert_true(result_add_constant(r, "k", "", "", RESULT_REAL, 3) > 0);
    result_truncate(r, 10); // rows may be dropped; their memory is used again
    assert_int_equal(result_append(r, 4.5, v), RESULT_OK);
    assert_true(result_value(r, 1, 10) == 0);
    result_free(r);
    result_free(NULL);
}

/* Seven megabytes: single chunks and two blocks, rows by one and several at once. */
static void many_rows_are_in_blocks(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    result_add(r, "x", "", "", RESULT_REAL);
    result_add(r, "y", "", "", RESULT_REAL);
    enum { N = 300000 };
    for (int i = 0; i < N;) {
        double *rows;
        int n = i % 7 ? result_room(r, 4, &rows) : 0;
        assert_true(n <= 4);
        for (int k = 0; k < n; k++, rows += 3) rows[0] = rows[1] = i + k, rows[2] = -(i + k);
        if (n) result_take(r, n);
        else assert_int_equal(result_append(r, i, (double[]){i, -i}), RESULT_OK);
        i += n ? n : 1;
    }
    assert_non_null(r->blocks);
    assert_true(r->n_rows >= N && r->n_rows < N + 4);
    for (size_t i = 0; i < r->n_rows; i++) {
        assert_true(result_time(r, i) == (double)i);
        assert_true(result_value(r, 1, i) == (double)i && result_value(r, 2, i) == -(double)i);
    }
    result_free(r);
}

static void wide_rows_have_a_chunk_each(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    enum { N = 30000 }; // a row is more than a chunk's usual size
    for (int i = 0; i < N; i++) result_add(r, "", "", "", RESULT_REAL);
    double *v = calloc(N, sizeof *v);
    for (int i = 0; i < 3; i++) {
        v[N - 1] = i;
        assert_int_equal(result_append(r, i, v), RESULT_OK);
    }
    for (size_t i = 0; i < 3; i++) assert_true(result_value(r, N, i) == (double)i);
    free(v);
    result_free(r);
}

static void aliases_have_signs(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    assert_int_equal(sample(&m, &r), RESULT_OK);
    int again = result_add_alias(r, "plus", "m", "", result_find(r, "minus"), true);
    assert_int_equal(r->columns[again].alias_of, result_find(r, "x"));
    assert_false(r->columns[again].negated);
    assert_true(result_value(r, result_find(r, "minus"), 4) == -0.4);
    assert_true(result_value(r, again, 4) == 0.4);
    assert_true(result_value(r, result_find(r, "not_b"), 0) == 1);
    assert_true(result_value(r, result_find(r, "not_b"), 5) == 0);
    assert_true(result_value(r, result_find(r, "L2"), 5) == -0.75);
    double x[3];
    result_copy(r, result_find(r, "x"), 2, 3, x);
    assert_true(x[0] == 0.2 && x[1] == 0.1 * 3 && x[2] == 0.4);
    result_free(r);
}

static void at(const result *r, const char *name, double t, result_side side, int status,
               double expected)
{
    double v;
    int rc = result_at(r, result_find(r, name), t, side, &v);
    if (rc != status || v != expected)
        fail_msg("%s at %g: status %d, %.17g, expected %d, %.17g", name, t, rc, v, status,
                 expected);
}

static void values_between_rows(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    sample(&m, &r); // x = 0 .1 .2 | .3 .4 .5 at t = 0 .5 1 | 1 2 3
    at(r, "x", 0, RESULT_RIGHT, RESULT_OK, 0);
    at(r, "x", 0.25, RESULT_RIGHT, RESULT_OK, 0.05);
    at(r, "x", 1, RESULT_LEFT, RESULT_OK, 0.2);
    at(r, "x", 1, RESULT_RIGHT, RESULT_OK, 0.1 * 3);
    at(r, "x", 3, RESULT_RIGHT, RESULT_OK, 0.5);
    at(r, "x", 3, RESULT_LEFT, RESULT_OK, 0.5);
    at(r, "x", 0, RESULT_LEFT, RESULT_OK, 0);
    at(r, "x", -1, RESULT_RIGHT, RESULT_OUTSIDE, 0);
    at(r, "x", -1, RESULT_LEFT, RESULT_OUTSIDE, 0);
    at(r, "x", 4, RESULT_RIGHT, RESULT_OUTSIDE, 0.5);
    at(r, "x", 4, RESULT_LEFT, RESULT_OUTSIDE, 0.5);
    at(r, "minus", 0.25, RESULT_RIGHT, RESULT_OK, -0.05);
    // held
    at(r, "n", 0.99, RESULT_RIGHT, RESULT_OK, 1);
    at(r, "n", 1, RESULT_LEFT, RESULT_OK, 1);
    at(r, "n", 1, RESULT_RIGHT, RESULT_OK, 7);
    at(r, "b", 0.75, RESULT_RIGHT, RESULT_OK, 0);
    at(r, "L", 0.75, RESULT_RIGHT, RESULT_OK, 0.75);

    double when;
    assert_true(result_next_break(r, 0, &when));
    assert_true(when == 1);
    assert_true(result_next_break(r, -5, &when));
    assert_false(result_next_break(r, 1, &when));
    result_free(r);
}

static void empty_results_say_so(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    result_add(r, "x", "", "", RESULT_REAL);
    int k = result_add_constant(r, "k", "", "", RESULT_REAL, 4);
    double v;
    assert_int_equal(result_at(r, 1, 0, RESULT_RIGHT, &v), RESULT_E_EMPTY);
    assert_int_equal(result_at(r, k, 0, RESULT_RIGHT, &v), RESULT_E_EMPTY);
    assert_true(v == 4);
    assert_false(result_next_break(r, 0, &v));
    result_free(r);
}

static void interpolation_does_not_overflow(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    result_add(r, "x", "", "", RESULT_REAL);
    result_append(r, 0, (double[]){-1e308});
    result_append(r, 1, (double[]){1e308});
    at(r, "x", 0.5, RESULT_RIGHT, RESULT_OK, 0);
    result_free(r);
}

/* Every allocation fails in turn: a status, nothing leaked, the rows recorded before are there. */
static void no_memory_loses_nothing(void **state)
{
    (void)state;
    long calls = 0;
    for (long k = 0;; k++) {
        counting c = {.fail_at = k};
        mem m = counting_mem(&c);
        result *r = NULL;
        int rc = sample(&m, &r);
        if (rc == RESULT_OK) {
            result_free(r);
            assert_int_equal(c.live_bytes, 0);
            calls = k;
            break;
        }
        assert_int_equal(rc, RESULT_E_MEMORY);
        assert_int_equal(c.live_bytes, 0);
    }
    assert_true(calls > 5);

    counting c = {.fail_at = -1};
    mem m = counting_mem(&c);
    result *r;
    result_new(&m, &r);
    result_add(r, "x", "", "", RESULT_REAL);
    size_t rows = 0;
    result_append(r, 0, (double[]){0});
    c.fail_at = c.calls; // the next chunk
    do rows++;
    while (result_append(r, (double)rows, (double[]){(double)rows}) == RESULT_OK);
    assert_int_equal(r->n_rows, rows);
    assert_true(result_value(r, 1, rows - 1) == (double)(rows - 1));
    assert_int_equal(result_append(r, (double)rows, (double[]){5}), RESULT_OK); // memory came back
    result_free(r);
    assert_int_equal(c.live_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(columns_share_their_look),
        cmocka_unit_test(rows_keep_their_order),
        cmocka_unit_test(many_rows_are_in_blocks),
        cmocka_unit_test(wide_rows_have_a_chunk_each),
        cmocka_unit_test(aliases_have_signs),
        cmocka_unit_test(values_between_rows),
        cmocka_unit_test(empty_results_say_so),
        cmocka_unit_test(interpolation_does_not_overflow),
        cmocka_unit_test(no_memory_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
