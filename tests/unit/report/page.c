/* Unit tests of src/report: what goes into the page, and that it is a file or none.
 * What the page does with it is seen in a browser: tests/report.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../result/helpers.h"

#include "base/sha256.h"
#include "plot/plot.h"
#include "report/report.h"
#include "result/whole_file.h"

/* Two points and a vector that is none: a quaternion. */
static result *motion(mem *m)
{
    static const char *const names[] = {"x",    "y",    "b.x",  "b.y", "b.z",
                                        "q[1]", "q[2]", "q[3]", "q[4]"};
    result *r;
    result_new(m, &r);
    for (int i = 0; i < 9; i++) result_add(r, names[i], "", "", RESULT_REAL);
    for (int i = 0; i < 20; i++) {
        double v[9];
        for (int k = 0; k < 9; k++) v[k] = i + k;
        result_append(r, i, v);
    }
    return r;
}

static int count(const char *s, const char *word)
{
    int n = 0;
    for (; (s = strstr(s, word)); s++) n++;
    return n;
}

static void make(const result *r, const char *vars, text *out, bool *solid)
{
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    result_selection s;
    assert_true(plot_select(r, vars, &s, NULL) >= 0);
    report_spec spec = {.title = "</script> & co", .r = r, .select = &s, .run = "{}"};
    assert_int_equal(report_data(&spec, &a, out, solid, NULL), 0);
    result_selection_done(&s);
    arena_done(&a);
}

static void places_are_guessed_from_names(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = motion(&m);
    text t;
    bool solid;
    text_init(&t, &m);
    make(r, NULL, &t, &solid);
    assert_int_equal(count(text_str(&t), "\"kind\": \"point\""), 2);
    assert_int_equal(count(text_str(&t), "\"kind\": \"trace\""), 2);
    assert_int_equal(count(text_str(&t), "\"label\": \"b\""), 2);
    assert_true(solid); // b has three coordinates
    text_done(&t);
    result_free(r);
}

static void panels_follow_the_selection(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = motion(&m);
    text t;
    bool solid;
    text_init(&t, &m);
    make(r, "x,y;x:y", &t, &solid);
    assert_int_equal(count(text_str(&t), "\"curves\""), 2);
    assert_non_null(strstr(text_str(&t), "{\"x\": 0, \"y\": 1, \"right\": false}"));
    assert_non_null(strstr(text_str(&t), "{\"x\": 1, \"y\": 2, \"right\": false}"));
    assert_int_equal(count(text_str(&t), "\"rows\": 20, \"of\": 20"), 2);
    text_done(&t);
    result_free(r);
}

/* The policy of the page comes before anything that could run, names every script by its hash, and
 * nothing else may run or be loaded. */
static void scripts_are_named(const char *page)
{
    static const char head[] = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    const char *policy = strstr(page, head), *end = policy ? strstr(policy, "\">") : NULL;
    assert_non_null(end);
    assert_true(end < strstr(page, "<script") && end < strstr(page, "<style"));
    assert_non_null(strstr(policy, "default-src 'none'; script-src 'sha256-"));
    int n = 0;
    for (const char *at = page; (at = strstr(at, "<script>")); n++) {
        char words[80], hash[SHA256_BASE64];
        sha256 s;
        at += strlen("<script>");
        const char *stop = strstr(at, "</script>");
        sha256_init(&s);
        sha256_add(&s, at, (size_t)(stop - at));
        sha256_base64(&s, hash);
        snprintf(words, sizeof words, "'sha256-%s'", hash);
        const char *named = strstr(policy, words);
        assert_true(named && named < end);
    }
    assert_int_equal(n, 8);                          // dygraphs, three.js and our own
    assert_int_equal(count(page, "<script"), n + 1); // and the data, which is no program
    for (const char *p = policy; p < end; p++)
        assert_true(strncmp(p, "'unsafe-eval'", 13) && strncmp(p, "http:", 5) &&
                    strncmp(p, "https:", 6));
}

static void the_file_is_whole_or_absent(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = motion(&m);
    text t;
    bool solid;
    text_init(&t, &m);
    make(r, NULL, &t, &solid);
    const char *path = scratch("page.html");
    assert_int_equal(report_write(&m, "</title> & co", &t, solid, path, NULL), 0);
    char *bytes;
    size_t n;
    assert_int_equal(result_file_read(&m, path, &bytes, &n, NULL), 0);
    assert_non_null(strstr(bytes, "<title>&lt;/title> &amp; co</title>"));
    assert_non_null(strstr(bytes, "\"title\": \"\\u003c/script> & co\""));
    assert_non_null(strstr(bytes, "THREE"));
    assert_non_null(strstr(bytes, "@license"));
    assert_string_equal(bytes + n - 16, "</body>\n</html>\n");
    // Libraries and our own scripts end where they should: every element that opens closes.
    assert_int_equal(count(bytes, "<script"), count(bytes, "</script>"));
    scripts_are_named(bytes);
    mem_free(&m, bytes, n + 1);
    unlink(path);

    result_fault fault = {0};
    assert_int_equal(report_write(&m, "", &t, solid, "no/such/folder/x.html", &fault),
                     RESULT_E_OPEN);
    assert_string_equal(fault.code, "C601");
    text_done(&t);
    result_free(r);
}

static void nothing_to_report(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    result *r;
    text t;
    bool solid;
    result_fault fault = {0};
    text_init(&t, &m);
    result_new(&m, &r);
    result_selection s = {0};
    report_spec spec = {.r = r, .select = &s};
    assert_int_equal(report_data(&spec, &a, &t, &solid, &fault), RESULT_E_EMPTY);
    assert_string_equal(fault.code, "C613");
    result_free(r);
    text_done(&t);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_guessed_from_names),
        cmocka_unit_test(panels_follow_the_selection),
        cmocka_unit_test(the_file_is_whole_or_absent),
        cmocka_unit_test(nothing_to_report),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
