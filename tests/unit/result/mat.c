/* Unit tests of src/result/mat.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

#include "result/whole_file.h"

#include <math.h>

static char *written(const result *r, const result_selection *s, size_t *n)
{
    mem m = mem_std();
    char *bytes;
    const char *path = scratch("r.mat");
    result_fault fault;
    if (result_write(r, s, path, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(result_file_read(&m, path, &bytes, n, NULL), RESULT_OK);
    unlink(path);
    return bytes;
}

/* The bytes of a small file, by the layout in OpenModelica's User's Guide. */
static void layout_is_the_common_one(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    int x = result_add(r, "x", "m", "pos", RESULT_REAL);
    result_add_constant(r, "k", "", "", RESULT_REAL, 4);
    result_add_alias(r, "xx", "", "", x, true);
    result_append(r, 0, (double[]){5});
    result_append(r, 2, (double[]){6});
    size_t n;
    char *b = written(r, NULL, &n);
    const char *p = b;
#define HEADER(type, rows, columns, name)                                                          \
    do {                                                                                           \
        int32_t h[5];                                                                              \
        memcpy(h, p, sizeof h);                                                                    \
        assert_int_equal(h[0], type);                                                              \
        assert_int_equal(h[1], rows);                                                              \
        assert_int_equal(h[2], columns);                                                           \
        assert_int_equal(h[3], 0);                                                                 \
        assert_int_equal(h[4], sizeof name);                                                       \
        assert_string_equal(p + 20, name);                                                         \
        p += 20 + sizeof name;                                                                     \
    } while (0)
    HEADER(51, 4, 11, "Aclass");
    assert_memory_equal(p, "A1 bt. ir1 na  Tj  re  ac  nt  so   r   y   ", 44);
    p += 44;
    HEADER(51, 4, 4, "name");
    assert_memory_equal(p, "timex   k   xx  ", 16);
    p += 16;
    HEADER(51, 7, 4, "description");
    assert_memory_equal(p, "[s]    pos [m]              ", 28);
    p += 28;
    HEADER(20, 4, 4, "dataInfo");
    int32_t info[16], expected_info[16] = {0, 1, 0, -1, 2, 2, 0, -1, 1, 2, 0, 0, 2, -2, 0, -1};
    memcpy(info, p, sizeof info);
    assert_memory_equal(info, expected_info, sizeof info);
    p += sizeof info;
    HEADER(0, 2, 2, "data_1");
    double data[4], expected_1[4] = {0, 4, 2, 4}, expected_2[4] = {0, 5, 2, 6};
    memcpy(data, p, sizeof data);
    assert_memory_equal(data, expected_1, sizeof data);
    p += sizeof data;
    HEADER(0, 2, 2, "data_2");
    memcpy(data, p, sizeof data);
    assert_memory_equal(data, expected_2, sizeof data);
    p += sizeof data;
    assert_int_equal(p - b, n);
    free(b);
    result_free(r);
}

static void round_trip_is_exact(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r, *back;
    result_fault fault = {0};
    sample(&m, &r);
    size_t n;
    char *b = written(r, NULL, &n);
    if (result_mat.parse(&m, b, n, "r.mat", &back, &fault)) fail_msg("%s", fault.text);
    assert_same_values(r, back);
    assert_int_equal(back->n_columns, r->n_columns);
    assert_int_equal(back->n_slots, r->n_slots + 1); // a negated Boolean has values of its own
    int x = result_find(back, "x"), minus = result_find(back, "minus"), l = result_find(back, "L");
    assert_string_equal(back->columns[x].look->unit, "m");
    assert_string_equal(back->columns[x].look->comment, "position");
    assert_int_equal(back->columns[minus].alias_of, x);
    assert_true(back->columns[minus].negated);
    assert_true(back->columns[l].constant);
    result_free(back);
    free(b);

    // a selection in which only the negated alias remains
    result_selection s;
    result_select(r, "minus,not_b,L2", &s, NULL);
    b = written(r, &s, &n);
    assert_int_equal(result_mat.parse(&m, b, n, "r.mat", &back, NULL), RESULT_OK);
    assert_int_equal(back->n_columns, 4);
    assert_same_values(back, r);
    result_selection_done(&s);
    result_free(back);
    free(b);

    // without rows
    r->n_rows = 0;
    b = written(r, NULL, &n);
    assert_int_equal(result_mat.parse(&m, b, n, "r.mat", &back, NULL), RESULT_OK);
    assert_int_equal(back->n_rows, 0);
    assert_true(result_value(back, result_find(back, "L"), 0) == 0.75);
    result_free(back);
    free(b);
    result_free(r);
}

/* ---- files of other tools, built here byte by byte ------------------------------------------- */

typedef struct builder {
    char b[4000];
    size_t n;
    bool big;
} builder;

static void put(builder *b, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) b->b[b->n++] = ((const char *)p)[b->big ? n - 1 - i : i];
}

static void put_header(builder *b, int type, int rows, int columns, const char *name)
{
    int32_t h[5] = {type + (b->big ? 1000 : 0), rows, columns, 0, (int32_t)strlen(name) + 1};
    for (int i = 0; i < 5; i++) put(b, &h[i], 4);
    memcpy(b->b + b->n, name, strlen(name) + 1);
    b->n += strlen(name) + 1;
}

static void put_text(builder *b, const char *s, size_t n)
{
    memcpy(b->b + b->n, s, n);
    b->n += n;
}

/* x = {1, 2}, y = {3, 4} at t = {0, 1}, not transposed, in floats, names padded with NUL. */
static builder foreign(bool big)
{
    builder b = {.big = big};
    put_header(&b, 51, 4, 11, "Aclass");
    put_text(&b, "A1 bt. ir1 na  Nj  oe  rc  mt  ao  lr   y   ", 44);
    put_header(&b, 51, 3, 4, "name");
    put_text(&b, "txyi\0\0m\0\0e\0\0", 12);
    put_header(&b, 51, 3, 5, "description");
    put_text(&b, "[[ sm ]| \0d \0] ", 15);
    put_header(&b, 30, 3, 4, "dataInfo");
    int16_t info[12] = {0, 2, 2, 1, 3, -2, 0, 0, 0, -1, -1, -1};
    for (int i = 0; i < 12; i++) put(&b, &info[i], 2);
    put_header(&b, 0, 0, 0, "unknown");
    put_header(&b, 10, 2, 3, "data_2");
    float data[6] = {0, 1, 3, 4, 1, 2};
    for (int i = 0; i < 6; i++) put(&b, &data[i], 4);
    return b;
}

static void other_tools_are_read(void **state)
{
    (void)state;
    mem m = mem_std();
    for (int big = 0; big < 2; big++) {
        builder b = foreign(big);
        result *r;
        result_fault fault = {0};
        if (result_mat.parse(&m, b.b, b.n, "f.mat", &r, &fault)) fail_msg("%s", fault.text);
        assert_int_equal(r->n_rows, 2);
        assert_string_equal(r->columns[1].look->unit, "m");
        int x = result_find(r, "x"), y = result_find(r, "y");
        assert_true(result_time(r, 1) == 1);
        assert_true(result_value(r, x, 0) == 1 && result_value(r, x, 1) == 2);
        assert_true(result_value(r, y, 0) == -3 && result_value(r, y, 1) == -4);
        result_free(r);
    }
}

/* Text stored as numbers is text where the numbers are bytes; others once were undefined behaviour. */
static void text_may_be_of_any_type(void **state)
{
    (void)state;
    mem m = mem_std();
    static const double odd[] = {'b', 225, 256, -1, 1e300, NAN, INFINITY};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        builder plain = foreign(false), b = {0};
        const char *text = "A1 bt. ir1 na  Nj  oe  rc  mt  ao  lr   y   ";
        put_header(&b, 1, 4, 11, "Aclass"); // doubles
        for (int i = 0; i < 44; i++) put(&b, &(double){i == 3 ? odd[k] : text[i]}, 8);
        size_t rest = 20 + 7 + 44;
        put_text(&b, plain.b + rest, plain.n - rest);
        result *r;
        int rc = result_mat.parse(&m, b.b, b.n, "f.mat", &r, NULL);
        assert_int_equal(rc, k == 0 ? RESULT_OK : RESULT_E_FORMAT);
        result_free(r);
    }
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r, *back;
    result_fault fault;
    sample(&m, &r);
    size_t n;
    char *b = written(r, NULL, &n);
    // cut anywhere: the only whole file is the whole file
    for (size_t k = 0; k < n; k++) {
        char *part = malloc(k ? k : 1);
        memcpy(part, b, k);
        if (result_mat.parse(&m, part, k, "cut.mat", &back, &fault) != RESULT_E_FORMAT)
            fail_msg("cut at %zu of %zu is accepted", k, n);
        assert_null(back);
        free(part);
    }
    // any damage is survived
    uint64_t seed = 3;
    char *copy = malloc(n);
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, b, n);
        for (int k = 0; k < 2; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % n] = (char)(seed >> 20);
        }
        int rc = result_mat.parse(&m, copy, n, "damaged.mat", &back, &fault);
        assert_true((rc == 0) == (back != NULL));
        result_free(back);
    }
    free(copy);
    // sizes without bytes behind them
    builder huge = foreign(false);
    huge.n -= 24;
    memcpy(huge.b + huge.n - 7 - 20 + 4, (int32_t[]){0, INT32_MAX}, 8);
    assert_int_equal(result_mat.parse(&m, huge.b, huge.n, "huge.mat", &back, &fault),
                     RESULT_E_FORMAT);
    assert_int_equal(
        result_mat.parse(&m, "MATLAB 5.0 MAT-file, Platform", 29, "5.mat", &back, &fault),
        RESULT_E_FORMAT);
    assert_non_null(strstr(fault.text, "version 4"));
    free(b);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_the_common_one),  cmocka_unit_test(round_trip_is_exact),
        cmocka_unit_test(other_tools_are_read),      cmocka_unit_test(text_may_be_of_any_type),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
