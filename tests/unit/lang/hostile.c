/* Input made to break the parser: an error, fast, and never a crash.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include "support/equal.h"

typedef struct builder {
    char *at;
    size_t n, cap;
} builder;

static void add(builder *b, const char *s)
{
    size_t n = strlen(s);
    if (b->n + n + 1 > b->cap) b->at = realloc(b->at, b->cap = 2 * (b->n + n + 1));
    memcpy(b->at + b->n, s, n + 1);
    b->n += n;
}

static void repeat(builder *b, const char *s, int n)
{
    for (int i = 0; i < n; i++) add(b, s);
}

static const char *parsed(fixture *f, builder *b)
{
    forget_errors(f);
    parse_n(f, b->at, b->n);
    free(b->at);
    *b = (builder){0};
    return first_code(f);
}

static void deep_nesting_is_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *before, *open;
    } cases[] = {
        {"model M equation x = ", "("},
        {"model M equation x = ", "{"},
        {"model M equation x = ", "["},
        {"model M equation x = ", "f("},
        {"model M equation x = ", "a["},
        {"model M equation x = ", "if "},
        {"model M equation x = ", "if a then "},
        {"model M equation x = ", "f(function g(a = "},
        {"model M equation x = ", "f(a = "},
        {"model M equation x = f(", "function g(a = "},
        {"model M equation x = ", "-("},
        {"model M equation ", "if a then "},
        {"model M equation ", "when a then "},
        {"model M equation ", "for i in 1:2 loop "},
        {"model M algorithm ", "while a loop "},
        {"model M Real x", "(a"},
        {"model M Real x", "(redeclare package A = B"},
        {"model M annotation", "(a"},
        {"", "model M "},
        {"", "model M replaceable "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        builder b = {0};
        add(&b, cases[i].before);
        repeat(&b, cases[i].open, 20000);
        assert_string_equal(parsed(f, &b), "L010");
        assert_int_equal(f->diags.n_errors, 1);
    }
}

static void nesting_below_the_limit_is_accepted(void **state)
{
    fixture *f = *state;
    builder b = {0};
    add(&b, "model M equation x = ");
    repeat(&b, "(", 150);
    add(&b, "1");
    repeat(&b, ")", 150);
    add(&b, "; end M;");
    assert_string_equal(parsed(f, &b), "");
}

static void long_chains_have_depth_one(void **state)
{
    fixture *f = *state;
    builder b = {0};
    add(&b, "model M equation x = 1");
    repeat(&b, "+1", 1000000);
    add(&b, "; y = a");
    repeat(&b, "*a", 100000);
    add(&b, "; z = a");
    repeat(&b, " and a", 100000);
    add(&b, "; w = if a then 1");
    repeat(&b, " else if a then 1", 100000);
    add(&b, " else 2; v = \"a\"");
    repeat(&b, " + \"b\"", 100000);
    add(&b, "; end M;");
    ast_file *file = parse_n(f, b.at, b.n);
    free(b.at);
    assert_int_equal(file->n_errors, 0);
    const ast_stmts *eqs = &file->classes[0]->sections[0].body;
    assert_int_equal(eqs->at[0]->pair.right->chain.n, 1000001);
    assert_int_equal(eqs->at[3]->pair.right->cond.n, 100001);
    // and the walks can cope
    text t;
    text_init(&t, &f->m);
    lang_print_file(file, &t);
    ast_file *again = parse_n(f, text_str(&t), t.n);
    text_done(&t);
    assert_int_equal(again->n_errors, 0);
    assert_true(equal_file(file, again));
}

static void repeated_tokens(void **state)
{
    fixture *f = *state;
    static const char *const tokens[] = {
        ")",        "]",        "}",          ";",       "end ",        "end if;",    "end x;",
        "else ",    "elseif ",  "then ",      "loop ",   ",",           ".",          "-",
        "not ",     "= ",       ":= ",        "within ", "annotation ", "initial ",   "equation ",
        "x ",       "1 ",       "\"a\" ",     "der ",    "public ",     "protected ", "external ",
        "import ",  "extends ", "redeclare ", "final ",  "parameter ",  "flow ",      "function ",
        "break ",   ": ",       "^ ",         "1.5e",    "\xFF",        "\x01",       "$",
        "\xC3\xA8", "!",        "'",
    };
    static const char *const starts[] = {
        "",
        "model M ",
        "model M equation ",
        "model M algorithm ",
        "model M equation if a then ",
        "model M Real x = ",
        "model M equation x = ",
        "model M Real x(",
        "model M equation f(",
        "type E = enumeration(",
        "model M annotation(",
        "model M equation connect(",
    };
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            builder b = {0};
            add(&b, starts[k]);
            repeat(&b, tokens[i], 300);
            parsed(f, &b);
            assert_true(f->diags.n_errors > 0 || k == 0 || tokens[i][0] == 'i');
        }
}

// Each of these is an error per few bytes: the parser gives up instead of using memory for all.
static void millions_of_errors(void **state)
{
    (void)state;
    static const char *const texts[] = {";",    "$;", "$);",      "if ) public ",      "x y z;",
                                        "end;", "1 ", "\nmodel ", "when a then else ", "Real end;"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture *f;
        builder b = {0};
        setup((void **)&f);
        add(&b, "model M equation ");
        repeat(&b, texts[i], 1000000);
        parsed(f, &b);
        assert_true(f->diags.n_errors > 0);
        assert_true(f->a.total < (size_t)64 << 20); // the text is 1 to 17 MB
        teardown((void **)&f);
    }
}

static void files_that_are_no_text(void **state)
{
    fixture *f = *state;
    static const char elf[] = "\x7f"
                              "ELF\x02\x01\x01\0\0\0\0";
    parse_n(f, elf, sizeof elf - 1);
    assert_string_equal(first_code(f), "L001");
    assert_int_equal(f->diags.n_errors, 1);
    forget_errors(f);
    static const char utf16[] = "\xFF\xFEm\0o\0d\0e\0l\0";
    parse_n(f, utf16, sizeof utf16 - 1);
    assert_string_equal(first_code(f), "L001");
    assert_non_null(strstr(f->diags.first->text, "UTF-16"));
    forget_errors(f);
    parse_n(f, "", 0);
    parse_n(f, "  // nothing\n", 13);
    assert_int_equal(f->diags.n_errors, 0);
}

static void a_very_long_line(void **state)
{
    fixture *f = *state;
    enum { N = 50 << 20 };
    char *s = malloc(N);
    memset(s, 'x', N);
    ast_file *file = parse_n(f, s, N);
    assert_int_equal(file->n_errors, 1);
    memset(s, '(', N);
    memcpy(s, "model M equation x=", 19);
    parse_n(f, s, N);
    memset(s, '\xFF', N);
    parse_n(f, s, N);
    free(s);
    text t;
    text_init(&t, &f->m);
    diag_print_all(&f->diags, &f->sources, false, &t); // messages stay short
    assert_true(t.n < 5000);
    text_done(&t);
}

// Every prefix of a text with all kinds of clauses: no crash, and an error unless it is complete.
static void every_prefix(void **state)
{
    fixture *f = *state;
    static const char s[] =
        "within A; package P \"c\" import B.*; extends C(break x, redeclare D e = 1);"
        " replaceable model M = N[2](a(b = {1, 2})) constrainedby K annotation(x);"
        " type E = enumeration(a \"x\", b); function f = der(g, h);"
        " pure function q input Real x; external \"C\" y = k(x); end q;"
        " model L parameter Real 'a b'[:] = [1, 2; 3, 4] if true \"d\";"
        " initial equation x = if a then b elseif c then d else e; equation"
        " for i in 1:n, j loop connect(a[i], b.c); end for; when {a, b} then reinit(x, 1);"
        " elsewhen c then (u, , v) = f(w); end when; algorithm while not a loop x := 1; break;"
        " end while; end L; annotation(z = \"\\\"\"); end P;";
    for (size_t n = 0; n < sizeof s - 1; n++) {
        forget_errors(f);
        ast_file *file = parse_n(f, s, n);
        if (n > 10) assert_true(file->n_errors > 0);
    }
    forget_errors(f);
    assert_int_equal(parse_n(f, s, sizeof s - 1)->n_errors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(deep_nesting_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(nesting_below_the_limit_is_accepted, setup, teardown),
        cmocka_unit_test_setup_teardown(long_chains_have_depth_one, setup, teardown),
        cmocka_unit_test_setup_teardown(repeated_tokens, setup, teardown),
        cmocka_unit_test(millions_of_errors),
        cmocka_unit_test_setup_teardown(files_that_are_no_text, setup, teardown),
        cmocka_unit_test_setup_teardown(a_very_long_line, setup, teardown),
        cmocka_unit_test_setup_teardown(every_prefix, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
