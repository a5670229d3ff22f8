/* Unit tests of src/result/writer.c: rows that go to their file while they are made.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

#include "base/watch.h"
#include "result/writer.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static const char *const endings[] = {"csv", "mat"};
enum { ROWS = 3000 };

/* A result whose rows leave memory after 64 kB: a quarter of its limit. */
typedef struct limited {
    watch_limits limits;
    watch watch;
    mem m;
} limited;

static mem *limited_mem(limited *x)
{
    *x = (limited){.m = mem_std()};
    x->limits.bytes = 256 << 10;
    x->watch.limits = &x->limits;
    x->m.watch = &x->watch;
    return &x->m;
}

/* Columns of every kind, in rows of 21 values. */
static result *wide(mem *m)
{
    result *r;
    assert_int_equal(result_new(m, &r), RESULT_OK);
    int x = result_add(r, "x", "m", "position", RESULT_REAL);
    int b = result_add(r, "b", "", "", RESULT_BOOL);
    for (int i = 0; i < 18; i++) result_add(r, "more", "", "", RESULT_REAL);
    int k = result_add_constant(r, "L", "m", "length", RESULT_REAL, 0.75);
    result_add_alias(r, "minus", "m", "", x, true);
    result_add_alias(r, "not_b", "", "", b, true);
    result_add_alias(r, "L2", "m", "", k, true);
    return r;
}

static int add_row(result *r, int i)
{
    double v[20];
    for (int k = 0; k < 20; k++) v[k] = sin(i + k) / 3;
    v[1] = i % 2;
    return result_append(r, i / 8.0, v);
}

static char *bytes_of(const char *path, size_t *n)
{
    mem m = mem_std();
    char *bytes;
    assert_int_equal(result_file_read(&m, path, &bytes, n, NULL), RESULT_OK);
    return bytes;
}

static void assert_same_files(const char *a, const char *b)
{
    size_t n, k;
    char *x = bytes_of(a, &n), *y = bytes_of(b, &k);
    assert_int_equal(n, k);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* The file that is written at once is the reference: as streamed, n rows of `vars`. */
static const char *written_at_once(const char *ending, const char *vars, int n)
{
    mem m = mem_std();
    result *r = wide(&m);
    char name[20];
    snprintf(name, sizeof name, "whole.%s", ending);
    const char *path = scratch(name);
    result_selection s;
    if (vars) result_add_formulas(r, vars, NULL);
    if (vars) assert_int_equal(result_select(r, vars, &s, NULL), RESULT_OK);
    for (int i = 0; i < n; i++) add_row(r, i);
    result_keep_state(r, "end", 3);
    assert_int_equal(result_write(r, vars ? &s : NULL, path, NULL), RESULT_OK);
    if (vars) result_selection_done(&s);
    result_free(r);
    return path;
}

static result *streaming(mem *m, const char *path, const char *vars)
{
    result *r = wide(m);
    result_selection s;
    if (vars) result_add_formulas(r, vars, NULL);
    if (vars) assert_int_equal(result_select(r, vars, &s, NULL), RESULT_OK);
    assert_int_equal(result_stream_to(r, vars ? &s : NULL, path, NULL), RESULT_OK);
    if (vars) result_selection_done(&s);
    return r;
}

static const char *streamed_name(const char *ending)
{
    static char name[20];
    snprintf(name, sizeof name, "s.%s", ending);
    return scratch(name);
}

static void both_ways_give_the_same_bytes(void **state)
{
    (void)state;
    static const char *const selections[] = {NULL, "x;not_b,L", "2*x,minus;L2"};
    limited l;
    for (int k = 0; k < 6; k++) {
        const char *path = streamed_name(endings[k % 2]), *vars = selections[k / 2];
        result *r = streaming(limited_mem(&l), path, vars);
        for (int i = 0; i < ROWS; i++) {
            assert_int_equal(add_row(r, i), RESULT_OK);
            if (i % 700 == 13) assert_int_equal(result_flush(r), RESULT_OK);
            assert_true(i + 1 - (int)result_first_row(r) < 64 * 1024 / 168 + 200);
        }
        assert_true(result_first_row(r) > ROWS / 2);
        assert_true(result_value(r, 1, ROWS - 1) == sin(ROWS - 1) / 3);
        result_keep_state(r, "end", 3);
        assert_int_equal(result_write(r, NULL, path, NULL), RESULT_OK);
        assert_int_equal(result_write(r, NULL, path, NULL), RESULT_OK); // it is done
        result_free(r);
        assert_same_files(path, written_at_once(endings[k % 2], vars, ROWS));
        unlink(path);
    }
}

/* What a run leaves that is killed while it writes: the rows before, and any part of the next piece. */
static void the_file_can_be_read_at_any_time(void **state)
{
    (void)state;
    mem m = mem_std();
    for (int k = 0; k < 2; k++) {
        const char *path = streamed_name(endings[k]);
        result *r = streaming(&m, path, NULL), *back;
        for (int i = 0; i < 40; i++) add_row(r, i);
        assert_int_equal(result_flush(r), RESULT_OK);
        size_t n, more;
        char *before = bytes_of(path, &n);
        for (int i = 40; i < 60; i++) add_row(r, i);
        assert_int_equal(result_flush(r), RESULT_OK);
        char *after = bytes_of(path, &more);
        assert_true(more > n + 20 * 20);
        memcpy(after, before, n); // the count of rows is written after the rows
        after[n] = 0;             // ... and so is the first of their bytes
        for (size_t cut = n; cut < more; cut++) {
            assert_int_equal(result_formats[k]->parse(&m, after, cut, path, &back, NULL),
                             RESULT_OK);
            assert_int_equal(back->n_rows, 39);
            result_free(back);
        }
        free(before);
        free(after);
        result_free(r); // without the end: what is there stays
        assert_int_equal(result_read(&m, path, NULL, &back, NULL), RESULT_OK);
        assert_int_equal(back->n_rows, 59);
        assert_true(result_value(back, 1, 58) == sin(58) / 3);
        result_free(back);
        unlink(path);
    }
    assert_int_equal(scratch_count(), 2); // those that were written at once
}

static void rows_are_taken_back_from_the_file(void **state)
{
    (void)state;
    limited l;
    for (int k = 0; k < 8; k++) {
        const char *path = streamed_name(endings[k % 2]);
        result *r = streaming(limited_mem(&l), path, NULL);
        for (int i = 0; i < ROWS; i++) {
            add_row(r, i);
            if (i % 700 == 13) result_flush(r);
        }
        static const int left[] = {1, 1000, 2950, 2999};
        int n = left[k / 2];
        if (n == 2950) result_truncate(r, 2950);
        else result_drop_after(r, n == 1 ? -1 : (n - 1) / 8.0, 1);
        assert_int_equal(r->n_rows, n);
        assert_true(r->t_last == (n - 1) / 8.0);
        assert_int_equal(add_row(r, n) == RESULT_OK, n > 2000); // else the rows before are gone
        if (n > 2000) result_truncate(r, r->n_rows - 1);
        result_keep_state(r, "end", 3);
        assert_int_equal(result_write(r, NULL, path, NULL), RESULT_OK);
        result_free(r);
        assert_same_files(path, written_at_once(endings[k % 2], NULL, n));
        unlink(path);
    }
}

/* By the limit on file sizes, as on a full disk. */
static void a_full_disk_ends_it_and_loses_nothing(void **state)
{
    (void)state;
    struct rlimit old, low;
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 200000;
    signal(SIGXFSZ, SIG_IGN);
    for (int k = 0; k < 2; k++) {
        limited l;
        const char *path = streamed_name(endings[k]);
        result *r = streaming(limited_mem(&l), path, NULL), *back;
        result_fault fault = {0};
        int i = 0, rc;
        setrlimit(RLIMIT_FSIZE, &low);
        while ((rc = add_row(r, i)) == RESULT_OK) i++;
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(rc, RESULT_E_WRITE);
        assert_string_equal(result_stream_fault(r)->code, "C602");
        assert_non_null(strstr(result_stream_fault(r)->text, "it holds the rows up to t = "));
        assert_int_equal(result_write(r, NULL, path, &fault), RESULT_E_WRITE);
        assert_string_equal(fault.code, ""); // it was said
        assert_int_equal(result_write(r, NULL, scratch("other.csv"), &fault), RESULT_E_WRITE);
        assert_string_equal(fault.code, "C615");
        result_free(r);
        mem m = mem_std();
        assert_int_equal(result_read(&m, path, NULL, &back, &fault), RESULT_OK);
        assert_true(back->n_rows > 200 && (int)back->n_rows < i);
        for (size_t row = 0; row < back->n_rows; row++)
            assert_true(result_value(back, 1, row) == sin((double)row) / 3);
        result_free(back);
        unlink(path);
    }
}

static void small_results_are_whole_or_not_there(void **state)
{
    (void)state;
    mem m = mem_std();
    const char *path = streamed_name("csv");
    result *r = streaming(&m, path, NULL);
    for (int i = 0; i < 50; i++) add_row(r, i);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(result_write(r, NULL, path, NULL), RESULT_OK);
    result_free(r);
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
    r = streaming(&m, "/dev/null", NULL);
    assert_null(r->stream);
    result_free(r);
    r = streaming(&m, "/nowhere/x.csv", NULL);
    add_row(r, 0), add_row(r, 1);
    assert_int_equal(result_flush(r), RESULT_E_OPEN);
    assert_string_equal(result_stream_fault(r)->code, "C601");
    result_free(r);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    limited l;
    limited_mem(&l);
    const char *path = streamed_name("mat");
    int rc = RESULT_E_MEMORY;
    for (long k = 0; rc == RESULT_E_MEMORY; k++) {
        counting c = {.fail_at = -1};
        mem m = counting_mem(&c);
        m.watch = &l.watch;
        result *r = wide(&m);
        c.calls = 0;
        c.fail_at = k;
        rc = result_stream_to(r, NULL, path, NULL);
        for (int i = 0; i < ROWS && rc == RESULT_OK; i++) rc = add_row(r, i);
        if (rc == RESULT_OK) rc = result_write(r, NULL, path, NULL);
        assert_true(rc == RESULT_OK || rc == RESULT_E_MEMORY);
        result_free(r);
        assert_int_equal(c.live_bytes, 0);
        assert_true(k < 200);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_give_the_same_bytes),
        cmocka_unit_test(the_file_can_be_read_at_any_time),
        cmocka_unit_test(rows_are_taken_back_from_the_file),
        cmocka_unit_test(a_full_disk_ends_it_and_loses_nothing),
        cmocka_unit_test(small_results_are_whole_or_not_there),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
