/* Unit tests of src/result/selection.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "helpers.h"

static result *names(mem *m)
{
    static const char *const list[] = {"x",        "y",      "lambda", "lambda[1]", "lambda[2]",
                                       "R.T[1,2]", "der(x)", "body.v", "'a;b'",     "M[1,1]",
                                       "M[1,2]",   "größe",  "A[2, 1]"};
    result *r;
    result_new(m, &r);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        result_add(r, list[i], "", "", RESULT_REAL);
    result_add_constant(r, "L", "", "", RESULT_REAL, 1);
    result_add_constant(r, "lambda0", "", "", RESULT_REAL, 1);
    return r;
}

/* A selection as text: curves "x:y" with their panel (and ' for the right axis). */
static void check(const char *vars, const char *expected)
{
    mem m = mem_std();
    result *r = names(&m);
    result_selection s;
    result_fault fault = {0};
    int rc = result_select(r, vars, &s, &fault);
    char got[1000] = "";
    if (rc) snprintf(got, sizeof got, "%d", rc);
    for (int i = 0; !rc && i < s.n_curves; i++) {
        result_curve c = s.curves[i];
        char one[200];
        snprintf(one, sizeof one, "%s%d%s %s%s%s", i ? " " : "", c.panel, c.right ? "'" : "",
                 c.x ? r->columns[c.x].name : "", c.x ? ":" : "", r->columns[c.y].name);
        strcat(got, one);
    }
    if (strcmp(got, expected) != 0)
        fail_msg("'%s' gives '%s', not '%s' (%s)", vars ? vars : "NULL", got, expected, fault.text);
    if (!rc && s.n_panels != (s.n_curves ? s.curves[s.n_curves - 1].panel + 1 : 1))
        fail_msg("'%s' has %d panels", vars, s.n_panels);
    if (rc && !fault.code[0]) fail_msg("'%s' fails without a word", vars);
    result_selection_done(&s);
    result_free(r);
}

static void selections_are_read(void **state)
{
    (void)state;
    check("x", "0 x");
    check("x,y", "0 x 0 y");
    check(" x , y ; lambda ", "0 x 0 y 1 lambda");
    check("x;", "0 x");
    check("x:y", "0 x:y");
    check("x:y,y:x;lambda", "0 x:y 0 y:x 1 lambda");
    check("time", "0 time");
    check("x|y", "0 x 0' y");
    check("x|y;lambda", "0 x 0' y 1 lambda");
    check("der(x)", "0 der(x)");
    // separators inside brackets and quotes do not separate
    check("R.T[1,2]", "0 R.T[1,2]");
    check("R.T[1,2],x", "0 R.T[1,2] 0 x");
    check("'a;b',x", "0 'a;b' 0 x");
    // blanks in subscripts mean nothing, in a file's names as well; elsewhere they do
    check("R.T[1, 2],x", "0 R.T[1,2] 0 x");
    check("M[ 1 ,?]", "0 M[1,1] 0 M[1,2]");
    check("A[2,1]", "0 A[2,1]");
    check("'a[ b]'", "-6");
    // constants by name
    check("L", "0 L");
}

static void wildcards_match(void **state)
{
    (void)state;
    check("lambda*", "0 lambda 0 lambda[1] 0 lambda[2]"); // not the constant lambda0
    check("lambda0*", "0 lambda0");
    check("lambda[?]", "0 lambda[1] 0 lambda[2]");
    check("M[*,2]", "0 M[1,2]");
    check("*.v;M[1,?]", "0 body.v 1 M[1,1] 1 M[1,2]");
    check("x:lambda[*]", "0 x:lambda[1] 0 x:lambda[2]");
    check("gr??e", "0 größe");
    check("?", "0 x 0 y");
    check("*[*1*]*", "0 lambda[1] 0 R.T[1,2] 0 M[1,1] 0 M[1,2] 0 A[2,1]");
    check("", "0 x 0 y 0 lambda 0 lambda[1] 0 lambda[2] 0 R.T[1,2] 0 der(x) 0 body.v 0 'a;b' "
              "0 M[1,1] 0 M[1,2] 0 größe 0 A[2,1]");
    check(NULL, "0 x 0 y 0 lambda 0 lambda[1] 0 lambda[2] 0 R.T[1,2] 0 der(x) 0 body.v 0 'a;b' "
                "0 M[1,1] 0 M[1,2] 0 größe 0 A[2,1]");
}

static void bad_selections_are_refused(void **state)
{
    (void)state;
    check("nothing", "-6");
    check("x,", "-7");
    check(",x", "-7");
    check("x,,y", "-7");
    check(";x", "-7");
    check("x|", "-7");
    check("x|y|x", "-7");
    check("x:", "-7");
    check(":x", "-7");
    check("x:y:x", "-6"); // there is no variable 'y:x'
    check("lambda[*]:x", "-7");
    check("zz*", "-6");
    check("[", "-6");
    check("'", "-6");
    check("der(x", "-6");
    check("x;;y", "-7");
}

static void unknown_names_get_suggestions(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = names(&m);
    result_selection s;
    result_fault fault;
    assert_int_equal(result_select(r, "lamda", &s, &fault), RESULT_E_UNKNOWN);
    assert_string_equal(fault.code, "C607");
    assert_non_null(strstr(fault.text, "did you mean 'lambda'"));
    const char *near[3];
    assert_int_equal(result_nearest(r, "Lambda", near, 3), 3);
    assert_string_equal(near[0], "lambda");
    assert_int_equal(result_nearest(r, "v", near, 3), 1);
    assert_string_equal(near[0], "body.v");
    assert_int_equal(result_nearest(r, "lambad[1]", near, 1), 1);
    assert_string_equal(near[0], "lambda[1]");
    assert_int_equal(result_nearest(r, "voltage", near, 3), 0);
    assert_int_equal(result_nearest(r, "xx", near, 1), 1);
    assert_string_equal(near[0], "x");
    assert_int_equal(result_select(r, "voltage", &s, &fault), RESULT_E_UNKNOWN);
    assert_non_null(strstr(fault.text, "which has x, y, lambda, lambda[1]"));
    char long_name[3000];
    memset(long_name, 'q', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_int_equal(result_nearest(r, long_name, near, 3), 0);
    assert_int_equal(result_select(r, long_name, &s, &fault), RESULT_E_UNKNOWN);
    result_free(r);
}

static void columns_come_once(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = names(&m);
    result_selection s;
    int list[64];
    assert_int_equal(result_select(r, "y,x:y;x;L;time", &s, NULL), RESULT_OK);
    assert_int_equal(result_selected(r, &s, false, list), 3);
    assert_int_equal(list[0], 2);
    assert_int_equal(list[1], 1);
    assert_int_equal(list[2], result_find(r, "L"));
    result_selection_done(&s);
    assert_int_equal(result_selected(r, NULL, false, list), 13);
    assert_int_equal(result_selected(r, NULL, true, list), 15);
    result_free(r);
}

/* Whatever a selection selects, or computes with, is among what it may select. */
static void a_selection_says_what_it_may_select(void **state)
{
    (void)state;
    static const struct {
        const char *vars, *name;
        bool may;
    } cases[] = {
        {"", "x", true},
        {"x,y;z", "y", true},
        {"x,y;z", "w", false},
        {"u[1,2,3]", "u[1,2,3]", true},
        {"u[1,2,3]", "u[1,2,4]", false},
        {"u[1,2,*]", "u[1,2,4]", true},
        {"u[1,2,*]", "u[1,3,4]", false},
        {"x:y|a.*", "a.b[2].c", true},
        {"x:der(y)", "der(y)", true},
        {"x:der(y)", "der(z)", false},
        {"sqrt(a.x^2+b.y^2)", "b.y", true},
        {"a*b", "b", true},
        {"T[:]@2.5", "T[17]", true},
        {"T[:]", "S[17]", false},
        {"T[:]", "T[1,7]", false},
        {"T[2,:]", "T[2,17]", true},
        {"T[2,:]", "T[3,17]", false},
        {"cell[:].T@1", "cell[12].T", true},
        {"cell[:].T", "cell[12].T0", false},
        {"cell[:].T[:,1]", "cell[12].T[3,1]", true},
        {"x?", "x1", true},
        {"x?", "x10", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (result_may_select(cases[k].vars, cases[k].name) != cases[k].may)
            fail_msg("'%s' in '%s'", cases[k].name, cases[k].vars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_are_read),
        cmocka_unit_test(wildcards_match),
        cmocka_unit_test(bad_selections_are_refused),
        cmocka_unit_test(unknown_names_get_suggestions),
        cmocka_unit_test(columns_come_once),
        cmocka_unit_test(a_selection_says_what_it_may_select),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
