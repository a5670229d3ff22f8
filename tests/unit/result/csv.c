/* Unit tests of src/result/csv.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

#include "result/whole_file.h"

#include <math.h>

static void check_text(const char *path, const char *expected)
{
    mem m = mem_std();
    char *bytes;
    size_t n;
    assert_int_equal(result_file_read(&m, path, &bytes, &n, NULL), RESULT_OK);
    assert_string_equal(bytes, expected);
    mem_free(&m, bytes, n + 1);
}

static void text_is_as_promised(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    sample(&m, &r);
    const char *path = scratch("r.csv");
    assert_int_equal(result_write(r, NULL, path, NULL), RESULT_OK);
    check_text(path, "time,x,n,b,\"R.T[1,2]\",minus,not_b\n"
                     "0,0,1,0,-1,-0,1\n"
                     "0.5,0.10000000000000001,1,0,-0.5,-0.10000000000000001,1\n"
                     "1,0.20000000000000001,1,0,-0.33333333333333331,-0.20000000000000001,1\n"
                     "1,0.30000000000000004,7,1,-0.25,-0.30000000000000004,0\n"
                     "2,0.40000000000000002,7,1,-0.20000000000000001,-0.40000000000000002,0\n"
                     "3,0.5,7,1,-0.16666666666666666,-0.5,0\n");
    result_selection s;
    result_select(r, "b;L,R*", &s, NULL);
    r->n_rows = 1;
    assert_int_equal(result_write(r, &s, path, NULL), RESULT_OK);
    check_text(path, "time,b,L,\"R.T[1,2]\"\n0,0,0.75,-1\n");
    result_selection_done(&s);
    result_free(r);
    unlink(path);
}

static void round_trip_is_exact(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r, *back;
    result_fault fault = {0};
    result_new(&m, &r);
    result_add(r, "a\"b,\n", "", "", RESULT_REAL);
    result_add(r, "größe", "", "", RESULT_REAL);
    static const double odd[] = {
        0.1, -0.0, INFINITY, -INFINITY, NAN, 1e-310, 1.7976931348623157e308, 1.0 / 3};
    for (int i = 0; i < 3000; i++)
        result_append(r, i / 7.0, (double[]){odd[i % 8], sin(i) * pow(10, i % 600 - 300)});
    const char *path = scratch("r.csv");
    assert_int_equal(result_write_as(&result_csv, r, NULL, path, &fault), RESULT_OK);
    assert_int_equal(result_read(&m, path, NULL, &back, &fault), RESULT_OK);
    assert_same_values(r, back);
    result_free(back);
    result_free(r);
    unlink(path);
}

static void failures_are_reported(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_fault fault = {0};
    sample(&m, &r);
    assert_int_equal(result_write(r, NULL, "/dev/full", &fault), RESULT_E_WRITE);
    assert_string_equal(fault.code, "C602");
    assert_int_equal(result_write_as(&result_mat, r, NULL, "/dev/full", &fault), RESULT_E_WRITE);
    assert_int_equal(result_write(r, NULL, "/nowhere/x.csv", &fault), RESULT_E_OPEN);
    assert_int_equal(result_write(r, NULL, "x.xls", &fault), RESULT_E_OPEN);
    assert_string_equal(fault.code, "C610");
    assert_int_equal(r->n_rows, 6);
    result_free(r);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    const char *path = scratch("r.csv");
    for (int kind = 0; kind < 2; kind++) {
        int rc = RESULT_E_MEMORY;
        for (long k = 0; rc == RESULT_E_MEMORY; k++) {
            counting c = {.fail_at = -1};
            mem m = counting_mem(&c);
            result *r, *back = NULL;
            sample(&m, &r);
            c.calls = 0;
            c.fail_at = k;
            rc = kind ? result_write_as(&result_mat, r, NULL, path, NULL)
                      : result_write_as(&result_csv, r, NULL, path, NULL);
            if (rc == RESULT_OK) rc = result_read(&m, path, NULL, &back, NULL);
            assert_true(rc == RESULT_OK || rc == RESULT_E_MEMORY);
            result_free(back);
            result_free(r);
            assert_int_equal(c.live_bytes, 0);
            assert_true(k < 100);
        }
    }
    unlink(path);
    assert_int_equal(scratch_count(), 0);
}

static int parse(const char *s, result **r, result_fault *fault)
{
    static mem m;
    m = mem_std();
    // an exact copy on the heap, so that the sanitizer sees a byte too far
    size_t n = strlen(s);
    char *bytes = malloc(n ? n : 1);
    memcpy(bytes, s, n);
    int rc = result_csv.parse(&m, bytes, n, "t.csv", r, fault);
    free(bytes);
    return rc;
}

static void people_write_csv_in_many_ways(void **state)
{
    (void)state;
    static const char *const same[] = {
        "time,a,b\n0,1,2.5\n1,-3,4\n",
        "time,a,b\r\n0,1,2.5\r\n1,-3,4",
        "\xEF\xBB\xBF\"time\",\"a\",\"b\"\n\"0\",\"1\",\"2.5\"\n1,-3,4\n",
        "\n\n time , a , b \n\n 0 , 1 , 2.5 \n \t \n1,-3,4\n\n\n",
        "time;a;b\n0;1;2,5\n1;-3;4\n",
        "time\ta\tb\n0\t1\t2.5\n1\t-3\t4\n",
        "time,a,b,\n0,1,2.5,\n1,-3,4,\n",
        "Time,a,b\r0,+1,25e-1\r1,-3.,4.0e0\r",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        result *r;
        result_fault fault = {0};
        int rc = parse(same[i], &r, &fault);
        if (rc) fail_msg("%zu: %s", i, fault.text);
        if (r->n_columns != 3) fail_msg("%zu: %d columns", i, r->n_columns);
        assert_int_equal(r->n_rows, 2);
        assert_string_equal(r->columns[1].name, "a");
        assert_string_equal(r->columns[2].name, "b");
        assert_true(result_value(r, 1, 0) == 1 && result_value(r, 2, 0) == 2.5);
        assert_true(result_value(r, 1, 1) == -3 && result_value(r, 2, 1) == 4);
        result_free(r);
    }
    result *r;
    assert_int_equal(parse("t,b,x\n0,true,\n0,FALSE,nan\n0,0,-inf\n", &r, NULL), RESULT_OK);
    assert_int_equal(r->n_rows, 3);
    assert_true(result_value(r, 1, 0) == 1 && result_value(r, 1, 1) == 0);
    assert_true(isnan(result_value(r, 2, 0)) && isnan(result_value(r, 2, 1)));
    assert_true(result_value(r, 2, 2) == -INFINITY);
    result_free(r);
    assert_int_equal(parse("time\n0\n1\n", &r, NULL), RESULT_OK);
    assert_int_equal(r->n_rows, 2);
    result_free(r);
    assert_int_equal(parse("time,x", &r, NULL), RESULT_OK); // a header alone is an empty result
    assert_int_equal(r->n_rows, 0);
    result_free(r);
}

static void bad_text_is_located(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } list[] = {
        {"", "empty"},
        {"\n \n", "empty"},
        {"0,1,2\n1,2,3\n", "t.csv:1: the first line must name the columns"},
        {"\n\n1,2", "t.csv:3: the first line must name the columns"},
        {"time,a\n0,1\n1,2,3\n", "t.csv:3: 3 values where 2 are expected"},
        {"time,a\n0\n", "t.csv:2: 1 values where 2 are expected"},
        {"time,a\n0,1\n\n1,zwei\n", "t.csv:4: 'zwei' in column 2 is not a number"},
        {"time,a\n0,1 2\n", "t.csv:2: '1 2' in column 2 is not a number"},
        {"time,a\n1,1\n0.5,2\n", "t.csv:3: the time decreases"},
        {"time,a\n,1\n", "t.csv:2: the time is not a finite number"},
        {"time,a\ninf,1\n", "t.csv:2: the time is not a finite number"},
        {"time,\"a\n0,1\n", "never closed"},
        {"time,\"a\"b\n0,1\n", "after a closing quote"},
        {"\"", "never closed"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        result *r;
        result_fault fault = {0};
        assert_int_equal(parse(list[i].text, &r, &fault), RESULT_E_FORMAT);
        assert_null(r);
        assert_string_equal(fault.code, "C605");
        if (!strstr(fault.text, list[i].message))
            fail_msg("'%s' does not say '%s'", fault.text, list[i].message);
    }
}

/* Any damage gives a result or a fault; the sanitizers watch. */
static void damaged_text_is_survived(void **state)
{
    (void)state;
    static const char good[] = "time,\"a,\"\"b\"\"\",c\n0,1.5e-3,true\n0.5,-inf,\"2\"\n1,,4\n";
    static const char junk[] = "\",;\t\r\n0e-.\\\xff"
                               "nx";
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % (sizeof good - 1)] = junk[(seed >> 20) % (sizeof junk - 1)];
        }
        text[(seed >> 40) % sizeof good] = 0;
        result *r;
        result_fault fault = {0};
        int rc = parse(text, &r, &fault);
        assert_true((rc == 0) == (r != NULL) && (rc == 0) == !fault.code[0]);
        result_free(r);
    }
}

static void matrices_are_read(void **state)
{
    (void)state;
    mem m = mem_std();
    const char *path = scratch("m.csv");
    FILE *f = fopen(path, "w");
    fputs("1, 2,3\n\n4,5,6e1\n", f);
    fclose(f);
    int rows, cols;
    double *a;
    assert_int_equal(result_read_matrix(&m, path, &rows, &cols, &a, NULL), RESULT_OK);
    assert_int_equal(rows, 2);
    assert_int_equal(cols, 3);
    assert_true(a[0] == 1 && a[2] == 3 && a[3] == 4 && a[5] == 60);
    mem_free(&m, a, (size_t)(rows * cols) * sizeof *a);
    f = fopen(path, "w");
    fputs("1,2\n3\n", f);
    fclose(f);
    assert_int_equal(result_read_matrix(&m, path, &rows, &cols, &a, NULL), RESULT_E_FORMAT);
    assert_null(a);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_as_promised),           cmocka_unit_test(round_trip_is_exact),
        cmocka_unit_test(failures_are_reported),         cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(people_write_csv_in_many_ways), cmocka_unit_test(bad_text_is_located),
        cmocka_unit_test(damaged_text_is_survived),      cmocka_unit_test(matrices_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
