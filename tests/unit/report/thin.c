/* Unit tests of src/report/thin.c: numbers as text, and rows that keep the picture.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "report/parts.h"

static void numbers_are_base64(void **state)
{
    (void)state;
    mem m = mem_std();
    text t;
    text_init(&t, &m);
    // 1.0 is 3FF0000000000000, so the bytes 00 00 00 00 00 00 F0 3F; -2.0 ends in 00 C0 (RFC 4648).
    report_numbers(&t, (double[]){1}, 1);
    assert_string_equal(text_str(&t), "\"AAAAAAAA8D8=\"");
    text_clear(&t);
    report_numbers(&t, (double[]){1, -2}, 2);
    assert_string_equal(text_str(&t), "\"AAAAAAAA8D8AAAAAAAAAwA==\"");
    text_clear(&t);
    report_numbers(&t, (double[]){1, -2, 1}, 3);
    assert_int_equal(t.n, 2 + 32);
    text_clear(&t);
    report_numbers(&t, NULL, 0);
    assert_string_equal(text_str(&t), "\"\"");
    text_done(&t);
}

enum { ROWS = 100000, COLUMNS = 3 };

/* Noise with one spike per column, a gap, and an event. */
static result *noise(mem *m)
{
    result *r;
    unsigned seed = 1;
    result_new(m, &r);
    for (int c = 0; c < COLUMNS; c++) {
        char name[] = {'x', (char)('0' + c), 0};
        result_add(r, name, "", "", RESULT_REAL);
    }
    for (int i = 0; i < ROWS; i++) {
        double v[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            seed = seed * 1103515245u + 12345u;
            v[c] = (double)(seed >> 16) / 65536;
            if (i == 31415 * (c + 1)) v[c] = c % 2 ? 7 : -7;
        }
        if (i >= 500 && i < 600) v[0] = NAN;
        result_append(r, i < 777 ? i : i - 1, v); // rows 776 and 777 have one time
    }
    return r;
}

static bool kept(const size_t *rows, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i] == row) return true;
    return false;
}

static void extrema_survive(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    result *r = noise(&m);
    int columns[] = {1, 2, 3};
    size_t *rows, most = 4000, n = report_thin(r, columns, COLUMNS, most, &a, &rows);
    assert_true(n <= most + 8 && n > most / 2);
    for (size_t i = 1; i < n; i++) assert_true(rows[i] > rows[i - 1]);
    assert_int_equal(rows[0], 0);
    assert_int_equal(rows[n - 1], ROWS - 1);
    for (int c = 0; c < COLUMNS; c++) assert_true(kept(rows, n, 31415 * ((size_t)c + 1)));
    assert_true(kept(rows, n, 776) && kept(rows, n, 777)); // the event
    assert_true(kept(rows, n, 499) && kept(rows, n, 500)); // the borders of the gap
    assert_true(kept(rows, n, 599) && kept(rows, n, 600));

    // Within every stretch the smallest and the largest value of all rows and of those kept agree.
    size_t stretches = most / (2 * COLUMNS + 2) + 1;
    for (size_t k = 0, at = 0; k < stretches; k++) {
        size_t to = (k + 1) * ROWS / stretches;
        double low = INFINITY, high = -INFINITY, low_kept = INFINITY, high_kept = -INFINITY;
        for (size_t i = k * ROWS / stretches; i < to; i++) {
            low = fmin(low, result_value(r, 2, i));
            high = fmax(high, result_value(r, 2, i));
        }
        for (; at < n && rows[at] < to; at++) {
            low_kept = fmin(low_kept, result_value(r, 2, rows[at]));
            high_kept = fmax(high_kept, result_value(r, 2, rows[at]));
        }
        assert_true(low == low_kept && high == high_kept);
    }
    result_free(r);
    arena_done(&a);
}

static void few_rows_all_stay(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    result *r = noise(&m);
    int columns[] = {1};
    size_t *rows, n = report_thin(r, columns, 1, ROWS, &a, &rows);
    assert_int_equal(n, ROWS);
    result_free(r);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_base64),
        cmocka_unit_test(extrema_survive),
        cmocka_unit_test(few_rows_all_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
