/* Lexical structure: Modelica Language Specification 3.6, chapter 2 and appendix A.1.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "lang/lexer.h"

#include <locale.h>
#include <math.h>

static int lex(fixture *f, const char *s, token *out, int cap)
{
    lexer lx;
    int n = 0;
    assert_true(lexer_init(&lx, add_n(f, s, strlen(s)), &f->syms, &f->diags));
    for (token t; (t = lexer_next(&lx)).kind != TOK_EOF && n < cap;) out[n++] = t;
    return n;
}

static void every_keyword_and_symbol_is_one_token(void **state)
{
    fixture *f = *state;
    token t[4];
    for (int k = TOK_FIRST_KEYWORD; k < TOK_COUNT; k++) {
        assert_int_equal(lex(f, token_text(k), t, 4), 1);
        assert_int_equal(t[0].kind, k);
    }
    assert_int_equal(f->diags.n_errors, 0);
}

static void names_that_only_begin_like_keywords(void **state)
{
    fixture *f = *state;
    token t[8];
    int n = lex(f, "endx en _end End model1 ends", t, 8);
    assert_int_equal(n, 6);
    for (int i = 0; i < n; i++) assert_int_equal(t[i].kind, TOK_IDENT);
    assert_string_equal(t[2].name, "_end");
}

static void longest_match_around_points(void **state)
{
    fixture *f = *state;
    token t[16];
    // 1. * 2 .5 a.b .* .+ : A.1: each unit takes as many characters as it can
    static const token_kind want[] = {TOK_REAL, TOK_STAR,  TOK_INTEGER,  TOK_REAL,    TOK_IDENT,
                                      TOK_DOT,  TOK_IDENT, TOK_DOT_STAR, TOK_DOT_PLUS};
    int n = lex(f, "1.*2 .5 a.b.*.+", t, 16);
    assert_int_equal(n, 9);
    for (int i = 0; i < n; i++) assert_int_equal(t[i].kind, want[i]);
}

static void comments_are_space(void **state)
{
    fixture *f = *state;
    token t[4];
    assert_int_equal(lex(f, "a/* \" // */b // c \" d\n/**/e", t, 4), 3);
    assert_false(t[1].first_on_line);
    assert_true(t[2].first_on_line);
    assert_int_equal(lex(f, "/* 1\n */ x // \xC3\xA8", t, 4), 1);
    assert_int_equal(f->diags.n_errors, 0);
}

static void byte_order_mark_and_crlf_are_space(void **state)
{
    fixture *f = *state;
    token t[4];
    assert_int_equal(lex(f,
                         "\xEF\xBB\xBF"
                         "a\r\nb",
                         t, 4),
                     2);
    assert_true(t[1].first_on_line);
    assert_int_equal(f->diags.n_errors, 0);
}

static void quoted_names_keep_their_quotes(void **state)
{
    fixture *f = *state;
    token t[8];
    int n = lex(f, "'x' x '12H' '13\\'H' '+foo' 'a\\?b' 'a?b' '\\\"'", t, 8);
    assert_int_equal(n, 8);
    assert_string_equal(t[0].name, "'x'");
    assert_ptr_not_equal(t[0].name, t[1].name);
    assert_string_equal(t[3].name, "'13\\'H'");
    assert_ptr_equal(t[5].name, t[6].name); // \? is the same as ?
    assert_string_equal(t[7].name, "'\"'");
    assert_int_equal(f->diags.n_errors, 0);
}

static void numbers_are_read_exactly(void **state)
{
    fixture *f = *state;
    // The compiler's own conversion is the reference; the last three are halfway cases and limits
    // (David M. Gay's and Vern Paxson's classical tests).
    static const struct {
        const char *s;
        double x;
    } cases[] = {
        {"0.0", 0.0},
        {"13.", 13.0},
        {"13E0", 13.0},
        {"1.3e1", 13.0},
        {".13E2", 13.0},
        {"3.141592653589793", 3.141592653589793},
        {"1.2E-35", 1.2E-35},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"4.9e-324", 4.9e-324},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"9007199254740993.0", 9007199254740993.0},
        {"8.5e-5", 8.5e-5},
        {"123456789012345678901234567890.0", 123456789012345678901234567890.0},
        {"0.000000000000000000000000000001e30", 1.0},
        {"6.631236846766476e-316", 6.631236846766476e-316},
        {"1.00000000000000011102230246251565404236316680908203125",
         1.00000000000000011102230246251565404236316680908203125},
        {"1.00000000000000011102230246251565404236316680908203126",
         1.00000000000000011102230246251565404236316680908203126},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        token t[2];
        assert_int_equal(lex(f, cases[i].s, t, 2), 1);
        assert_int_equal(t[0].kind, TOK_REAL);
        assert_memory_equal(&t[0].real, &cases[i].x, sizeof(double));
    }
    assert_int_equal(f->diags.n_errors, 0);
}

// A digit 1000 places behind a tie decides it: 1 + 2^-53 rounds to 1, anything above it does not.
static void a_long_tail_of_digits_counts(void **state)
{
    (void)state;
    char s[1200] = "1.00000000000000011102230246251565404236316680908203125";
    size_t n = strlen(s);
    memset(s + n, '0', 1000);
    assert_true(lexer_real(s, n + 1000) == 1.0);
    s[n + 1000] = '1';
    assert_true(lexer_real(s, n + 1001) == 1.0 + 0x1p-52);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    fixture *f = *state;
    static const char *const locales[] = {"de_DE.UTF-8", "it_IT.UTF-8", "fr_FR.UTF-8", "C"};
    int k = 0;
    while (!setlocale(LC_NUMERIC, locales[k])) k++;
    token t[2];
    lex(f, "1.7976931348623157e308", t, 2); // not on the fast path
    setlocale(LC_NUMERIC, "C");
    assert_true(t[0].real == 1.7976931348623157e308);
}

static void integers(void **state)
{
    fixture *f = *state;
    token t[2];
    lex(f, "2147483647", t, 2);
    assert_int_equal(t[0].integer, 2147483647);
    lex(f, "9223372036854775807", t, 2);
    assert_true(t[0].integer == INT64_MAX);
    assert_int_equal(f->diags.n_errors, 0);
    lex(f, "9223372036854775808", t, 2);
    assert_string_equal(first_code(f), "L008");
}

static void mistakes_have_codes(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *s, *code;
    } cases[] = {
        {"\"abc", "L004"},
        {"/* abc", "L005"},
        {"\"a\\qb\"", "L006"},
        {"'abc\n", "L007"},
        {"'\xC3\xA8'", "L007"},
        {"1e999", "L008"},
        {"2x", "L008"},
        {"a != b", "L009"},
        {"a ** b", "L009"},
        {"a && b", "L009"},
        {"a || b", "L009"},
        {"!a", "L009"},
        {"a $ b", "L003"},
        {"\x01", "L003"},
        {"\xC3\xA8", "L003"},
        {"\xFF", "L002"},
        {"\"\xC3\"", "L002"},
        {"// \xFF", "L002"},
        {"\"\xC0\x80\"", "L002"},
        {"\"\xED\xA0\x80\"", "L002"},     // a surrogate
        {"\"\xF4\x90\x80\x80\"", "L002"}, // above U+10FFFF
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        token t[8];
        forget_errors(f);
        lex(f, cases[i].s, t, 8);
        assert_string_equal(first_code(f), cases[i].code);
        assert_int_equal(f->diags.n_errors, 1);
    }
}

static void valid_utf8_in_strings_is_silent(void **state)
{
    fixture *f = *state;
    token t[2];
    assert_int_equal(lex(f, "\"\xC3\xA8 \xE2\x82\xAC \xF0\x9D\x84\x9E\"", t, 2), 1);
    assert_int_equal(f->diags.n_errors, 0);
}

static void strings_are_decoded_on_demand(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "\"\\tThis \\\"is\\\" \\\\ it\\n\r\n.\\?\"");
    assert_non_null(e);
    assert_string_equal(lang_string(&f->a, e->string), "\tThis \"is\" \\ it\n\n.?");
    assert_string_equal(lang_string(&f->a, (ast_string){0}), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_keyword_and_symbol_is_one_token, setup, teardown),
        cmocka_unit_test_setup_teardown(names_that_only_begin_like_keywords, setup, teardown),
        cmocka_unit_test_setup_teardown(longest_match_around_points, setup, teardown),
        cmocka_unit_test_setup_teardown(comments_are_space, setup, teardown),
        cmocka_unit_test_setup_teardown(byte_order_mark_and_crlf_are_space, setup, teardown),
        cmocka_unit_test_setup_teardown(quoted_names_keep_their_quotes, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_are_read_exactly, setup, teardown),
        cmocka_unit_test(a_long_tail_of_digits_counts),
        cmocka_unit_test_setup_teardown(numbers_do_not_depend_on_the_locale, setup, teardown),
        cmocka_unit_test_setup_teardown(integers, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_have_codes, setup, teardown),
        cmocka_unit_test_setup_teardown(valid_utf8_in_strings_is_silent, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_are_decoded_on_demand, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
