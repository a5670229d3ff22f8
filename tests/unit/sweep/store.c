/* The journal: torn at any byte, it is the beginning of the sweep without gaps.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "sweep/sweep_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"a", "b", "max(x)"};
static const sweep_heading heading = {.identity = "one",
                                      .class_name = "M",
                                      .parameters = names,
                                      .values = names + 2,
                                      .n_parameters = 2,
                                      .n_values = 1,
                                      .total = 100,
                                      .first = 0,
                                      .last = 100,
                                      .samples = 1,
                                      .per_sample = 1,
                                      .axis = -1,
                                      .second_axis = -1};
enum { WIDTH = 3, BATCH = 7, STRIDE = 61 }; // each look waits for the disk several times

static void append(sweep_store *s, uint64_t first, int n)
{
    double values[100 * WIDTH];
    int status[100];
    const char *reason[100];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < WIDTH; k++)
            values[i * WIDTH + k] = (double)(first + (uint64_t)i) + 0.1 * k;
        status[i] = i == 3 ? -5 : 0;
        reason[i] = i == 3 ? "it failed" : "";
    }
    result_fault fault = {0};
    sweep_rows rows = {first, n, WIDTH, values, status, reason};
    assert_int_equal(sweep_store_append(s, &rows, &fault), RESULT_OK);
}

static int check_rows(void *user, const sweep_rows *rows)
{
    uint64_t *next = user;
    assert_int_equal(rows->first, *next);
    for (int i = 0; i < rows->n; i++) {
        for (int k = 0; k < WIDTH; k++)
            assert_true(rows->values[i * WIDTH + k] == (double)(*next + (uint64_t)i) + 0.1 * k);
        assert_string_equal(rows->reason[i], i == 3 ? "it failed" : "");
        assert_int_equal(rows->status[i], i == 3 ? -5 : 0);
    }
    *next += (uint64_t)rows->n;
    return 0;
}

static void torn_anywhere(void **state)
{
    (void)state;
    mem m = mem_std();
    char path[] = "/tmp/sweep-store-XXXXXX";
    close(mkstemp(path));
    result_fault fault = {0};
    sweep_store *s;
    uint64_t done;
    assert_int_equal(sweep_store_open(&m, path, &heading, false, &s, &done, &fault), RESULT_OK);
    for (uint64_t k = 0; k + BATCH <= 21; k += BATCH) append(s, k, BATCH);
    assert_int_equal(sweep_store_flush(s, &fault), RESULT_OK);
    sweep_store_close(s, false);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    static char whole[1 << 16];
    int fd = open(path, O_RDWR);
    assert_true(st.st_size < (off_t)sizeof whole);
    assert_int_equal(read(fd, whole, sizeof whole), st.st_size);
    for (off_t n = st.st_size % STRIDE; n <= st.st_size; n += STRIDE) {
        for (int noise = 0; noise < 2; noise++) { // what is beyond may be missing, or zeros
            assert_int_equal(ftruncate(fd, 0), 0);
            assert_int_equal(pwrite(fd, whole, (size_t)n, 0), n);
            if (noise) assert_int_equal(ftruncate(fd, n + 50), 0);
            int rc = sweep_store_open(&m, path, &heading, true, &s, &done, &fault);
            if (rc && noise && n < 16) continue; // zeros are no journal
            assert_int_equal(rc, RESULT_OK);
            assert_int_equal(done % BATCH, 0);
            if (n == st.st_size) assert_int_equal(done, 21);
            append(s, done, BATCH);
            assert_int_equal(sweep_store_flush(s, &fault), RESULT_OK);
            uint64_t next = 0;
            assert_int_equal(sweep_store_each(s, check_rows, &next, &fault), RESULT_OK);
            assert_int_equal(next, done + BATCH);
            sweep_store_close(s, false);
        }
    }
    // A bit that has turned ends it there.
    for (off_t n = 200; n < st.st_size; n += 97) {
        assert_int_equal(ftruncate(fd, 0), 0);
        whole[n] ^= 16;
        assert_int_equal(pwrite(fd, whole, (size_t)st.st_size, 0), st.st_size);
        whole[n] ^= 16;
        if (sweep_store_open(&m, path, &heading, true, &s, &done, &fault)) continue; // the heading
        uint64_t next = 0;
        assert_true(done < 21);
        assert_int_equal(sweep_store_each(s, check_rows, &next, &fault), RESULT_OK);
        assert_int_equal(next, done);
        sweep_store_close(s, false);
    }
    close(fd);
    unlink(path);
}

static void only_its_own(void **state)
{
    (void)state;
    mem m = mem_std();
    char path[] = "/tmp/sweep-store-XXXXXX";
    close(mkstemp(path));
    result_fault fault = {0};
    sweep_store *s, *other;
    uint64_t done;
    assert_int_equal(sweep_store_open(&m, path, &heading, false, &s, &done, &fault), RESULT_OK);
    append(s, 0, 5);
    assert_int_equal(sweep_store_flush(s, &fault), RESULT_OK);
    assert_int_equal(sweep_store_open(&m, path, &heading, true, &other, &done, &fault),
                     RESULT_E_OPEN);
    assert_non_null(strstr(fault.text, "in use"));
    sweep_store_close(s, false);
    assert_int_equal(sweep_store_open(&m, path, &heading, false, &s, &done, &fault), RESULT_E_OPEN);
    assert_non_null(strstr(fault.text, "--resume"));
    sweep_heading another = heading;
    another.identity = "two";
    assert_int_equal(sweep_store_open(&m, path, &another, true, &s, &done, &fault), RESULT_E_OPEN);
    assert_non_null(strstr(fault.text, "another sweep"));
    const sweep_heading *h;
    assert_int_equal(sweep_store_read(&m, path, &s, &h, &done, &fault), RESULT_OK);
    assert_int_equal(done, 5);
    assert_string_equal(h->values[0], "max(x)");
    assert_int_equal(h->axis, -1);
    sweep_store_close(s, true);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(sweep_store_read(&m, "/dev/null", &s, &h, &done, &fault), RESULT_E_FORMAT);
    assert_int_equal(sweep_store_open(&m, "/nowhere/x.runs", &heading, false, &s, &done, &fault),
                     RESULT_E_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(torn_anywhere),
                                       cmocka_unit_test(only_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
