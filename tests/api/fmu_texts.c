/* Strings of FMUs: told, set, kept; and parameters that cannot be set because they decided the structure.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // mkdtemp
#include "fmu_master.h"

static const char *text3(instance x, reference r)
{
    const char *words = NULL;
    if (fmi3GetString(x, &r, 1, &words, 1)) fail_msg("%s", said);
    return words;
}

static int set_text3(instance x, reference r, const char *words)
{
    return fmi3SetString(x, &r, 1, &words, 1);
}

/* x = exp(-k t) is above a half up to t = log(2)/k. */
static const char worded[] =
    "model Worded\n  parameter String first = \"a \\\"b\\\"\", second = \"<c>\";\n"
    "  parameter String both = first + \" & \" + second;\n  constant String unit = \"V\";\n"
    "  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\n  output String mode;\n"
    "  String tells = \"k = \" + String(k) + unit;\n  Real y;\nequation\n  der(x) = -k*x;\n"
    "  mode = if x > 0.5 then \"high\" else \"low\";\n"
    "  y = if mode == \"high\" then 1 else 2;\nend Worded;\n";

static void strings_are_told(void **state)
{
    (void)state;
    fmu u = export(worded);
    assert_non_null(strstr(u.description, "causality=\"parameter\" variability=\"fixed\" "
                                          "initial=\"exact\"><Start value=\"a &quot;b&quot;\"/>"));
    assert_non_null(strstr(u.description, "<Start value=\"&lt;c&gt;\"/>"));
    for (int steps = 0; steps < 2; steps++) {
        instance x = steps ? steps3(&u, false, false, NULL) : exchange3(&u);
        set3(x, variable(&u, "k"), 2);
        begin3(x, 1e-8);
        assert_string_equal(text3(x, variable(&u, "first")), "a \"b\"");
        assert_string_equal(text3(x, variable(&u, "both")), "a \"b\" & <c>");
        assert_string_equal(text3(x, variable(&u, "unit")), "V");
        assert_string_equal(text3(x, variable(&u, "tells")), "k = 2V");
        assert_string_equal(text3(x, variable(&u, "mode")), "high");
        if (steps) {
            step3(x, 0, 0.5); // exp(-1) < 0.5
            assert_string_equal(text3(x, variable(&u, "mode")), "low");
            assert_int_equal(set_text3(x, variable(&u, "first"), "d"), 3); // too late
            assert_non_null(strstr(said, "before initialization"));
        }
        reference wrong = variable(&u, "k");
        const char *words;
        assert_int_equal(fmi3GetString(x, &wrong, 1, &words, 1), 3);
        fmi3FreeInstance(x);
    }
    remove_fmu(&u);
}

/* What when-clauses say holds until they say another thing, with the numbers of the event. */
static const char events[] =
    "model Events\n  Real x(start = 0, fixed = true), y;\n  Integer n(start = 0, fixed = true);\n  "
    "output String mode(start = \"low\"), last(start = \"none\"), both = mode + \"/\" + "
    "last;\nequation\n  der(x) = 1;\n  when x > 0.3 then\n    mode = \"high\";\n  elsewhen x > 0.9 "
    "then\n    mode = \"top\";\n  end when;\n  when {x > 0.6, x > 0.8} then\n    n = pre(n) + 1;\n "
    " "
    "  last = \"event \" + String(n) + \" at \" + String(x);\n  end when;\n  y = if mode == "
    "\"high\" "
    "then 1 else 2;\nend Events;\n";

static void when_clauses_give_strings_their_values(void **state)
{
    (void)state;
    static const struct {
        double t;
        const char *words;
        double y;
    } seen[] = {{0.2, "low/none", 2},
                {0.5, "high/none", 1},
                {0.7, "high/event 1 at 0.6", 1},
                {0.85, "high/event 2 at 0.8", 1},
                {1, "top/event 2 at 0.8", 2}};
    fmu u = export(events);
    instance x = steps3(&u, false, false, NULL);
    double t = 0;
    begin3(x, 1e-8);
    assert_string_equal(text3(x, variable(&u, "both")), "low/none");
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        step3(x, t, seen[i].t - t);
        t = seen[i].t;
        assert_string_equal(text3(x, variable(&u, "both")), seen[i].words);
        assert_true(get3(x, variable(&u, "y")) == seen[i].y);
    }
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static void strings_are_set(void **state)
{
    (void)state;
    static const char wanted[] = "new \\ \"one\"\nline";
    fmu u = export(worded);
    for (int steps = 0; steps < 2; steps++) {
        instance x = steps ? steps3(&u, false, false, NULL) : exchange3(&u);
        assert_int_equal(set_text3(x, variable(&u, "second"), "old"), 0);
        assert_int_equal(set_text3(x, variable(&u, "second"), wanted), 0);
        begin3(x, 1e-8);
        assert_string_equal(text3(x, variable(&u, "second")), wanted);
        assert_string_equal(text3(x, variable(&u, "both")), "a \"b\" & new \\ \"one\"\nline");
        // A state knows the texts, as bytes, too; an instance that has other ones takes them.
        void *kept = NULL, *read = NULL;
        size_t n;
        assert_int_equal(fmi3GetFMUState(x, &kept), 0);
        assert_int_equal(fmi3SerializedFMUStateSize(x, kept, &n), 0);
        uint8_t *bytes = malloc(n);
        assert_int_equal(fmi3SerializeFMUState(x, kept, bytes, n), 0);
        assert_int_equal(fmi3Reset(x), 0);
        begin3(x, 1e-8);
        assert_string_equal(text3(x, variable(&u, "second")), "<c>");
        assert_int_equal(fmi3DeserializeFMUState(x, bytes, n, &read), 0);
        assert_int_equal(fmi3SetFMUState(x, read), 0);
        assert_string_equal(text3(x, variable(&u, "second")), wanted);
        memset(bytes, 0xff, n);
        assert_int_equal(fmi3DeserializeFMUState(x, bytes, n, &read), 3);
        free(bytes);
        fmi3FreeFMUState(x, &kept);
        fmi3FreeFMUState(x, &read);
        fmi3FreeInstance(x);
    }
    remove_fmu(&u);
}

static void the_same_in_version_2(void **state)
{
    (void)state;
    fmu u = export_with(worded, (vinc_export_options){.fmi = 2});
    assert_non_null(strstr(u.description, "<String start=\"&lt;c&gt;\"/>"));
    callbacks2 c = {.logger = listen2, .allocate = calloc, .release = free};
    char place[200];
    snprintf(place, sizeof place, "file://%s", u.resources);
    said[0] = 0;
    instance x = fmi2Instantiate("one", 1, u.token, place, &c, 0, 0);
    if (!x) fail_msg("%s", said);
    reference r = variable(&u, "first"), both = variable(&u, "both");
    const char *words = "z";
    assert_int_equal(fmi2SetString(x, &r, 1, &words), 0);
    fmi2SetupExperiment(x, 0, 0, 0, 0, 0);
    fmi2EnterInitializationMode(x);
    if (fmi2ExitInitializationMode(x)) fail_msg("%s", said);
    assert_int_equal(fmi2GetString(x, &both, 1, &words), 0);
    assert_string_equal(words, "z & <c>");
    fmi2FreeInstance(x);
    remove_fmu(&u);
}

/* Tables that are given by the names of their files; the argument is compared, as the standard library does. */
static const char filed[] =
    "model Filed\n  class Table\n    extends ExternalObject;\n    function constructor\n"
    "      input String file;\n      input Integer columns[:];\n      output Table t;\n"
    "      external \"C\" t = ModelicaStandardTables_CombiTable1D_init2(file, \"tab\", fill(0.0, "
    "0, "
    "2), 0, 2, columns, size(columns, 1), 1, 2, 0);\n    end constructor;\n"
    "    function destructor\n      input Table t;\n      external \"C\" "
    "ModelicaStandardTables_CombiTable1D_close(t);\n    end destructor;\n  end Table;\n"
    "  function value\n    input Table t;\n    input Integer c;\n    input Real u;\n"
    "    output Real y;\n    external \"C\" y = "
    "ModelicaStandardTables_CombiTable1D_getValue(t, c, u);\n  end value;\n"
    "  parameter String file = \"%s\";\n"
    "  Table table = Table(if file <> \"NoName\" then file else \"none\", {2});\n"
    "  output Real y = value(table, 1, time);\nequation\n"
    "  assert(file <> \"NoName\", \"a file is needed\");\nend Filed;\n";

static void put_table(const char *path, int top)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#1\ndouble tab(2, 2)\n0 0\n1 %d\n", top);
    fclose(f);
}

static void a_text_selects_a_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/fmu-files-XXXXXX", one[60], two[60], inside[200], words[2500];
    assert_non_null(mkdtemp(folder));
    snprintf(one, sizeof one, "%s/one.txt", folder);
    snprintf(two, sizeof two, "%s/two.txt", folder);
    put_table(one, 3);
    put_table(two, 5);
    snprintf(words, sizeof words, filed, one);
    fmu u = export(words);
    assert_non_null(strstr(u.description, "<Start value=\"resources/files/1-one.txt\"/>"));
    snprintf(inside, sizeof inside, "%s/files", u.resources);
    mkdir(inside, 0700);
    snprintf(inside, sizeof inside, "%s/files/1-one.txt", u.resources);
    rename(one, inside);
    const char *const files[] = {NULL, two, "resources/files/1-one.txt"};
    const double tops[] = {3, 5, 3};
    for (int k = 0; k < 3; k++) {
        instance x = steps3(&u, false, false, NULL);
        if (k) assert_int_equal(set_text3(x, variable(&u, "file"), files[k]), 0);
        begin3(x, 1e-8);
        step3(x, 0, 0.5);
        assert_true(fabs(get3(x, variable(&u, "y")) - tops[k] / 2) < 1e-12);
        assert_string_equal(text3(x, variable(&u, "file")),
                            k == 1 ? two : "resources/files/1-one.txt");
        fmi3FreeInstance(x);
    }
    const char *const wrong[] = {"NoName", "/no/such/file"};
    for (int k = 0; k < 2; k++) {
        instance x = steps3(&u, false, false, NULL);
        assert_int_equal(set_text3(x, variable(&u, "file"), wrong[k]), 0);
        fmi3EnterInitializationMode(x, false, 0, 0, false, 0);
        assert_int_equal(fmi3ExitInitializationMode(x), 3);
        assert_true(said[0]);
        fmi3FreeInstance(x);
    }
    unlink(inside);
    *strrchr(inside, '/') = 0;
    rmdir(inside);
    unlink(two);
    rmdir(folder);
    remove_fmu(&u);
}

/* A size and a branch that are written out cannot change any more. */
static void what_decided_the_structure_stays(void **state)
{
    (void)state;
    fmu u =
        export("model M parameter Integer n = 3; parameter String kind = \"a\"; parameter Real k "
               "= 1; Real x[n](each start = 1, each fixed = true); Real z = if kind == \"a\" "
               "then k else 2; equation der(x) = -x; end M;");
    static const char *const stay[] = {"n", "kind"};
    for (int i = 0; i < 2; i++) {
        char key[60];
        snprintf(key, sizeof key, " name=\"%s\" ", stay[i]);
        const char *p = strstr(u.description, key);
        assert_non_null(p);
        p = strstr(p, "causality=\"");
        assert_memory_equal(p + 11, "calculatedParameter", 19);
    }
    remove_fmu(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_told),
        cmocka_unit_test(when_clauses_give_strings_their_values),
        cmocka_unit_test(strings_are_set),
        cmocka_unit_test(the_same_in_version_2),
        cmocka_unit_test(a_text_selects_a_file),
        cmocka_unit_test(what_decided_the_structure_stays),
    };
    return cmocka_run_group_tests(tests, open_library, NULL);
}
