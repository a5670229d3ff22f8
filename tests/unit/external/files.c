/* Matrices in files: texts and MAT-files that are made here, byte by byte, and broken ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"

#include "external/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char path[64];

static void write_file(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static bool read_it(const char *name, table_matrix *x, char *why)
{
    mem m = mem_std();
    return table_read(&m, path, name, x, why);
}

static void expect(const char *name, int rows, int cols, const double *numbers)
{
    table_matrix x;
    char why[TABLE_WHY];
    if (!read_it(name, &x, why)) fail_msg("%s", why);
    assert_int_equal(x.rows, rows);
    assert_int_equal(x.cols, cols);
    for (int k = 0; k < rows * cols; k++) assert_true(x.at[k] == numbers[k]);
    mem m = mem_std();
    table_matrix_free(&m, &x);
}

static void expect_words(const char *name, const char *words)
{
    table_matrix x;
    char why[TABLE_WHY];
    assert_false(read_it(name, &x, why));
    if (!strstr(why, words)) fail_msg("%s, not %s", why, words);
    assert_null(x.at);
}

static void texts_are_read(void **state)
{
    (void)state;
    const char *words =
        "\xEF\xBB\xBF#1\n# first\nfloat other (1 ,2)\n 7, 8\n"
        "double tab(2,3) # a comment\r\n 0.1 -2e3;+4.\r\n# in between\n\t5 6\n7e-1 # end\n"
        "double tabs(1,1)\n9\n";
    write_file(words, strlen(words));
    expect("other", 1, 2, (double[]){7, 8});
    expect("tab", 2, 3, (double[]){0.1, -2000, 4, 5, 6, 0.7});
    expect("tabs", 1, 1, (double[]){9});
    expect_words("ta", "there is no table 'ta' in it");
}

static void broken_texts_are_named_with_their_line(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } cases[] = {
        {"#2\ndouble a(1,1)\n1\n", ":1: a text with tables begins with a line '#1'"},
        {"#1\n\ndouble a(2,2)\n1 2\n3 x4\n",
         ":5: row 2, column 2 of the matrix should be a number, not 'x4'"},
        {"#1\ndouble a(2,2)\n1 2\n3\n",
         ":5: the file ends after 3 of the 4 numbers of a 2 by 2 matrix"},
        {"#1\ndouble a(2;2)\n1 2\n3 4\n", ":2: expected 'double NAME(rows, columns)'"},
        {"#1\ndouble a(0,2)\n", ":2: a table of 0 by 2 numbers cannot be read"},
        {"#1\ndouble a(2000000,2000000)\n1\n", ":2: a table of 2000000 by 2000000 numbers"},
        {"", ":1: a text with tables begins"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_file(cases[k].text, strlen(cases[k].text));
        expect_words("a", cases[k].words);
    }
    remove(path);
    expect_words("a", "No such file");
}

/* ---- MAT-files ------------------------------------------------------------------------------- */

typedef struct bytes {
    unsigned char at[1024];
    size_t n;
} bytes;

static void add(bytes *b, const void *x, size_t n)
{
    memcpy(b->at + b->n, x, n);
    b->n += n;
}

static void add_u32(bytes *b, uint32_t x)
{
    add(b, &x, sizeof x);
}

static void version_4(void **state)
{
    (void)state;
    bytes b = {.n = 0};
    const int16_t shorts[] = {1, -2, 3};
    const double by_columns[] = {1, 3, 5, 2, 4, 6.5};
    for (int k = 0; k < 2; k++) { // a vector of 16-bit numbers, then a matrix
        add_u32(&b, k ? 0 : 30);
        add_u32(&b, 3);
        add_u32(&b, k ? 2 : 1);
        add_u32(&b, 0);
        add_u32(&b, 2);
        add(&b, k ? "a" : "v", 2);
        if (k) add(&b, by_columns, sizeof by_columns);
        else add(&b, shorts, sizeof shorts);
    }
    write_file(b.at, b.n);
    expect("v", 3, 1, (double[]){1, -2, 3});
    expect("a", 3, 2, (double[]){1, 2, 3, 4, 5, 6.5});
    expect_words("c", "there is no matrix 'c' in it");
    write_file(b.at, b.n - 9);
    expect_words("a", "the file ends in it");
}

static void header_5(bytes *b)
{
    memset(b->at, ' ', 124);
    b->n = 124;
    add(b, (unsigned char[]){0, 1, 'I', 'M'}, 4);
}

static void add_element(bytes *b, uint32_t type, const void *x, uint32_t n)
{
    add_u32(b, type);
    add_u32(b, n);
    add(b, x, n);
    while (b->n % 8) b->at[b->n++] = 0;
}

static void version_5(void **state)
{
    (void)state;
    bytes b, inside = {.n = 0};
    header_5(&b);
    add_element(&inside, 6, (uint32_t[]){6, 0}, 8);
    add_element(&inside, 5, (int32_t[]){3, 2}, 8);
    add_u32(&inside, 1 << 16 | 1); // a short element: one byte of name
    add(&inside, "a\0\0\0", 4);
    add_element(&inside, 2, (uint8_t[]){1, 3, 5, 2, 4, 6}, 6); // numbers stored as bytes
    add_element(&b, 14, inside.at, (uint32_t)inside.n);
    write_file(b.at, b.n);
    expect("a", 3, 2, (double[]){1, 2, 3, 4, 5, 6});
    expect_words("b", "there is no matrix 'b' in it");
    b.at[125] = 2;
    write_file(b.at, b.n);
    expect_words("a", "version 7.3 (HDF5), which is not read");
}

/* The same matrix, and one of 200 by 2 numbers i mod 17 / 2 counted by columns, compressed by zlib
 * 1.2.13 (fixed and dynamic codes); then in a stored block. */
static const unsigned char fixed_codes[] = {
    120, 218, 227, 99,  96, 96, 200, 0,  98, 54,  32, 230, 128, 210, 32, 192, 10,  229, 51,
    3,   49,  19,  16,  51, 66, 113, 34, 84, 158, 19, 136, 13,  24,  96, 224, 131, 61,  132,
    230, 112, 128, 208, 34, 80, 154, 1,  74, 11,  64, 105, 41,  7,   0,  175, 71,  3,   238};
static const unsigned char dynamic_codes[] = {
    120, 218, 237, 206, 81,  10,  64,  64,  20,  133, 225, 67,  104, 212, 36,  73,  146, 36,  59,
    49,  107, 177, 18,  203, 178, 4,   203, 176, 4,   143, 30,  93,  205, 121, 178, 4,   157, 91,
    167, 175, 105, 94,  254, 10,  192, 238, 129, 194, 116, 136, 190, 151, 243, 125, 216, 82,  91,
    194, 173, 252, 47,  109, 155, 199, 231, 206, 37,  122, 209, 155, 34,  68,  50,  234, 168, 167,
    53,  109, 104, 75,  59,  218, 211, 129, 142, 116, 162, 115, 80,  135, 58,  212, 161, 14,  117,
    168, 67,  29,  234, 80,  135, 58,  212, 241, 255, 142, 7,   46,  222, 184, 231};

static void add_compressed(bytes *b, const unsigned char *z, uint32_t n)
{
    add_u32(b, 15);
    add_u32(b, n);
    add(b, z, n);
}

static void version_7(void **state)
{
    (void)state;
    bytes b;
    header_5(&b);
    add_compressed(&b, fixed_codes, sizeof fixed_codes);
    add_compressed(&b, dynamic_codes, sizeof dynamic_codes);
    write_file(b.at, b.n);
    expect("a", 3, 2, (double[]){1, 2, 3, 4, 5, 6.5});
    static double numbers[400];
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 2; j++) numbers[2 * i + j] = (200 * j + i) % 17 * 0.5;
    expect("b", 200, 2, numbers);
    // No broken stream reads outside of what there is, whatever it gives.
    rng r = {3};
    mem m = mem_std();
    for (int k = 0; k < 20000; k++) {
        bytes c = b;
        for (int n = 0; n < 3; n++)
            c.at[128 + rng_below(&r, (int)c.n - 128)] = (unsigned char)rng_next(&r);
        size_t n = k % 2 ? c.n : 128 + (size_t)rng_below(&r, (int)c.n - 128);
        table_matrix x = {0};
        char why[TABLE_WHY];
        if (table_is_mat(c.at, n)) table_read_mat(&m, c.at, n, "b", &x, why);
        table_matrix_free(&m, &x);
    }
}

/* ---- size ------------------------------------------------------------------------------------ */

/* With an argument: so many rows of two numbers with 17 digits, and how long they take. */
static int big = 2000;

static void large_texts_are_read(void **state)
{
    (void)state;
    FILE *f = fopen(path, "w");
    fprintf(f, "#1\ndouble big(%d,2)\n", big);
    for (int i = 0; i < big; i++) fprintf(f, "%.17g %.17g\n", i * 1e-3, i / 3.0);
    fclose(f);
    table_matrix x;
    char why[TABLE_WHY];
    clock_t begin = clock();
    assert_true(read_it("big", &x, why));
    if (big > 100000)
        print_message("%.3f s for %d rows\n", (double)(clock() - begin) / CLOCKS_PER_SEC, big);
    for (int i = 0; i < big; i++)
        assert_true(x.at[2 * i] == i * 1e-3 && x.at[2 * i + 1] == i / 3.0);
    mem m = mem_std();
    table_matrix_free(&m, &x);
}

int main(int argc, char **argv)
{
    if (argc > 1) big = atoi(argv[1]);
    snprintf(path, sizeof path, "/tmp/vincolo-table-%d", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_read), cmocka_unit_test(broken_texts_are_named_with_their_line),
        cmocka_unit_test(version_4),      cmocka_unit_test(version_5),
        cmocka_unit_test(version_7),      cmocka_unit_test(large_texts_are_read),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
