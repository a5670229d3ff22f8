/* Unit tests of src/result/whole_file.c: files appear whole or not at all.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

#include "result/whole_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void put(const char *path, const char *s)
{
    FILE *f = fopen(path, "w");
    fputs(s, f);
    fclose(f);
}

static void assert_content(const char *path, const char *expected)
{
    mem m = mem_std();
    char *bytes;
    size_t n;
    assert_int_equal(result_file_read(&m, path, &bytes, &n, NULL), RESULT_OK);
    assert_string_equal(bytes, expected);
    mem_free(&m, bytes, n + 1);
}

static void nothing_is_seen_before_the_end(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    const char *path = scratch("a.txt");
    put(path, "old");
    chmod(path, 0640);
    assert_int_equal(result_file_open(&f, &m, path, NULL), RESULT_OK);
    result_file_write(&f, "new", 3);
    assert_content(path, "old");
    assert_int_equal(result_file_commit(&f, NULL), RESULT_OK);
    assert_content(path, "new");
    struct stat st;
    stat(path, &st);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(scratch_count(), 1);

    assert_int_equal(result_file_open(&f, &m, path, NULL), RESULT_OK);
    result_file_write(&f, "newer", 5);
    assert_int_equal(scratch_count(), 2);
    result_file_abandon(&f);
    result_file_abandon(&f);
    assert_content(path, "new");
    assert_int_equal(scratch_count(), 1);
    unlink(path);
}

static void new_files_follow_the_umask(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    const char *path = scratch("mask.txt");
    mode_t old = umask(027);
    assert_int_equal(result_file_open(&f, &m, path, NULL), RESULT_OK);
    assert_int_equal(result_file_commit(&f, NULL), RESULT_OK);
    umask(old);
    struct stat st;
    stat(path, &st);
    assert_int_equal(st.st_mode & 0777, 0640);
    unlink(path);
}

static void links_are_followed(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    const char *target = scratch("target.txt"), *link = scratch("link.txt");
    put(target, "old");
    assert_int_equal(symlink("target.txt", link), 0);
    assert_int_equal(result_file_open(&f, &m, link, NULL), RESULT_OK);
    result_file_write(&f, "new", 3);
    assert_int_equal(result_file_commit(&f, NULL), RESULT_OK);
    assert_content(target, "new");
    struct stat st;
    lstat(link, &st);
    assert_true(S_ISLNK(st.st_mode));
    unlink(link);
    unlink(target);
}

/* A write that fails half way, by the limit on file sizes (as on a full disk). */
static void failed_writes_leave_nothing(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    result_fault fault;
    const char *path = scratch("big.bin");
    put(path, "old");
    struct rlimit old, low;
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &low);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(result_file_open(&f, &m, path, &fault), RESULT_OK);
    static char block[1000];
    for (int i = 0; i < 500; i++) result_file_write(&f, block, sizeof block);
    int rc = result_file_commit(&f, &fault);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(rc, RESULT_E_WRITE);
    assert_string_equal(fault.code, "C602");
    assert_non_null(strstr(fault.text, "File too large"));
    assert_content(path, "old");
    assert_int_equal(scratch_count(), 1);
    unlink(path);
}

static void devices_are_written_directly(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    result_fault fault;
    assert_int_equal(result_file_open(&f, &m, "/dev/null", &fault), RESULT_OK);
    result_file_write(&f, "x", 1);
    assert_int_equal(result_file_commit(&f, &fault), RESULT_OK);
    struct stat st;
    stat("/dev/null", &st);
    assert_true(S_ISCHR(st.st_mode));

    assert_int_equal(result_file_open(&f, &m, "/dev/full", &fault), RESULT_OK);
    result_file_write(&f, "x", 1);
    assert_int_equal(result_file_commit(&f, &fault), RESULT_E_WRITE);
    assert_non_null(strstr(fault.text, "/dev/full"));
    assert_non_null(strstr(fault.text, "No space left on device"));
    stat("/dev/full", &st);
    assert_true(S_ISCHR(st.st_mode));
}

static void streams_continue_where_they_are(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    const char *path = scratch("stream.txt");
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    assert_int_equal(write(fd, "first ", 6), 6);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(result_file_open(&f, &m, name, NULL), RESULT_OK);
    result_file_write(&f, "second", 6);
    assert_int_equal(result_file_commit(&f, NULL), RESULT_OK);
    assert_int_equal(write(fd, " third", 6), 6);
    close(fd);
    assert_content(path, "first second third");
    unlink(path);
}

static void closed_pipes_are_failures(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    result_fault fault;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    signal(SIGPIPE, SIG_IGN);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_int_equal(result_file_open(&f, &m, name, &fault), RESULT_OK);
    close(ends[0]);
    result_file_write(&f, "x", 1);
    assert_int_equal(result_file_commit(&f, &fault), RESULT_E_WRITE);
    assert_non_null(strstr(fault.text, "Broken pipe"));
    close(ends[1]);
}

static void bad_paths_are_named(void **state)
{
    (void)state;
    mem m = mem_std();
    result_file f;
    result_fault fault;
    assert_int_equal(result_file_open(&f, &m, "/nowhere/at/all.csv", &fault), RESULT_E_OPEN);
    assert_string_equal(fault.code, "C601");
    assert_non_null(strstr(fault.text, "/nowhere/at/all.csv"));
    assert_non_null(strstr(fault.text, "No such file or directory"));
    result_file_abandon(&f);
    assert_int_equal(result_file_open(&f, &m, scratch_dir(), &fault), RESULT_E_OPEN);
    assert_non_null(strstr(fault.text, "directory"));
    assert_int_equal(result_file_open(&f, &m, "", &fault), RESULT_E_OPEN);
    assert_int_equal(result_file_open(&f, &m, "/dev/fd/987", &fault), RESULT_E_OPEN);
    assert_int_equal(result_file_open(&f, &m, "/dev/null/x", &fault), RESULT_E_OPEN);
    char *bytes;
    size_t n;
    assert_int_equal(result_file_read(&m, "/nowhere", &bytes, &n, &fault), RESULT_E_OPEN);
    assert_string_equal(fault.code, "C603");
    assert_int_equal(result_file_read(&m, scratch_dir(), &bytes, &n, &fault), RESULT_E_OPEN);
}

static void pipes_are_read_whole(void **state)
{
    (void)state;
    mem m = mem_std();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (fork() == 0) {
        static char block[1000];
        memset(block, 'x', sizeof block);
        for (int i = 0; i < 300; i++)
            if (write(ends[1], block, sizeof block) < 0) break;
        _exit(0);
    }
    close(ends[1]);
    char name[32], *bytes;
    size_t n;
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(result_file_read(&m, name, &bytes, &n, NULL), RESULT_OK);
    assert_int_equal(n, 300000);
    assert_int_equal(bytes[299999], 'x');
    mem_free(&m, bytes, n + 1);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_seen_before_the_end),
        cmocka_unit_test(new_files_follow_the_umask),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(failed_writes_leave_nothing),
        cmocka_unit_test(devices_are_written_directly),
        cmocka_unit_test(streams_continue_where_they_are),
        cmocka_unit_test(closed_pipes_are_failures),
        cmocka_unit_test(bad_paths_are_named),
        cmocka_unit_test(pipes_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
