/* Finding and loading classes, on directories made for each test.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct world {
    fixture base;
    arena trees;
    lang_library lib;
    char root[64];
} world;

static int make_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    w->base.m = mem_std();
    arena_init(&w->base.a, &w->base.m);
    arena_init(&w->trees, &w->base.m);
    sym_init(&w->base.syms, &w->base.a);
    diag_init(&w->base.diags, &w->base.a);
    lang_library_init(&w->lib, &w->base.a, &w->trees, &w->base.syms, &w->base.diags);
    strcpy(w->root, "/tmp/vincolo-lang-XXXXXX");
    assert_non_null(mkdtemp(w->root));
    *state = w;
    return 0;
}

static int drop_world(void **state)
{
    world *w = *state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", w->root);
    int rc = system(command);
    arena_done(&w->trees);
    arena_done(&w->base.a);
    free(w);
    return rc;
}

static const char *at(world *w, const char *name)
{
    char *s = arena_alloc(&w->base.a, strlen(w->root) + strlen(name) + 2);
    sprintf(s, "%s/%s", w->root, name);
    return s;
}

// Write root/name, making the directories on the way.
static void put(world *w, const char *name, const char *words)
{
    char *path = (char *)at(w, name);
    for (char *s = path + strlen(w->root) + 1; (s = strchr(s, '/')); s++) {
        *s = 0;
        mkdir(path, 0777);
        *s = '/';
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(words, f);
    fclose(f);
}

static void put_library(world *w)
{
    put(w, "lib/A/package.mo",
        "within;\npackage A\n  model Own end Own;\n  constant Real c = 1;\nend A;");
    put(w, "lib/A/package.order", "Own\nZ\nc\nB\n");
    put(w, "lib/A/Z.mo", "within A;\nmodel Z end Z;");
    put(w, "lib/A/Y.mo", "within A;\nmodel Y end Y;");
    put(w, "lib/A/B/package.mo", "within A;\npackage B end B;");
    put(w, "lib/A/B/M.mo", "within A.B;\nmodel M model Inner end Inner; end M;");
    put(w, "lib/A/B/Broken.mo", "within A.B;\nmodel Broken Real x end Broken;");
    put(w, "lib/A/Resources/data.txt", "not a class");
    put(w, "lib/Single.mo", "package Single model M end M; end Single;");
}

static void classes_are_read_when_they_are_needed(void **state)
{
    world *w = *state;
    put_library(w);
    lang_search_add(&w->lib, at(w, "missing"));
    lang_search_add(&w->lib, at(w, "lib"));
    assert_int_equal(w->lib.sources.files.n, 0);
    ast_class *c = lang_find(&w->lib, "A.B.M.Inner");
    assert_non_null(c);
    assert_string_equal(lang_class_path(c, &w->base.a), "A.B.M.Inner");
    assert_int_equal(w->lib.sources.files.n, 3); // two package.mo and M.mo
    assert_ptr_equal(lang_find(&w->lib, ".A.B.M.Inner"), c);
    assert_int_equal(w->lib.sources.files.n, 3);
    assert_non_null(lang_find(&w->lib, "A.Own"));
    assert_non_null(lang_find(&w->lib, "Single.M"));
    assert_int_equal(w->lib.sources.files.n, 4);
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
}

static void classes_that_do_not_exist_are_silent(void **state)
{
    world *w = *state;
    put_library(w);
    lang_search_add(&w->lib, at(w, "lib"));
    static const char *const names[] = {"X", "A.X", "A.c", "A.B.M.X",  "A..B",
                                        "",  "A.",  ".",   "A.package"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(lang_find(&w->lib, names[i]));
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
    assert_null(lang_find(&w->lib, "A.Resources")); // a mere folder: worth a word
    assert_string_equal(first_code(&w->base), "L041");
    assert_int_equal(w->base.diags.n_errors, 0);
}

static void errors_in_a_file_are_reported_once(void **state)
{
    world *w = *state;
    put_library(w);
    lang_search_add(&w->lib, at(w, "lib"));
    assert_null(lang_find(&w->lib, "A.B.Broken"));
    assert_int_equal(w->base.diags.n_errors, 1);
    assert_null(lang_find(&w->lib, "A.B.Broken"));
    assert_int_equal(w->base.diags.n_errors, 1);
}

/* What ends a class and what only looks like it: of each the name of a class after it is found, and
 * the body of the class itself is what is written. */
static const struct {
    const char *inside;
    int elements;
} bodies[] = {
    {"String s = \"end X;\"; String t = \"a \\\" end X;\\\\\";", 2},
    {"/* end X; */ Real x; // end X;\n Real y;", 2},
    {"Real 'end X' = 1; Real 'end \\' X' = 2;", 2},
    {"Real v[3]; equation v[end] = v[if end > 2 then 1 else 2]; for i in 1:2 loop if i > 1 then "
     "v[i] = 1; else v[i] = 2; end if; end for; when v[1] > 0 then reinit(v[1], 0); end when;",
     1},
    {"model X Real x; end X; Real y;", 2},
    {"operator record R operator 'constructor' function f output R r; end f; end 'constructor'; "
     "end "
     "R; operator function g end g;",
     2},
    {"type T = Real; model M = A; package P = Q(redeclare model B = A); function h = f(x = 1);", 4},
    {"Real y = f(function g(a = 1), function P.g(b = 2));", 1},
    {"replaceable model M Real x; end M constrainedby N; redeclare model extends K(a = 1) end K;",
     2},
    {"annotation(Documentation(info = \"<html>model Y</html>\"));", 0},
    {"Real ends, model_, endX, typed;", 4},
};

static void bodies_are_passed_over(void **state)
{
    world *w = *state;
    text t;
    text_init(&t, &w->base.m);
    text_add(&t, "within;\npackage P\n");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        text_printf(&t,
                    "package P%d\nmodel X \"has \\\"end X\\\"\" %s end X; model Y end Y;\n"
                    "end P%d;\n",
                    (int)i, bodies[i].inside, (int)i);
    text_add(&t, "end P;\n");
    put(w, "lib/P/package.mo", text_str(&t));
    text_done(&t);
    lang_search_add(&w->lib, at(w, "lib"));
    ast_class *p = lang_find(&w->lib, "P");
    assert_non_null(p);
    assert_int_equal(p->n_elements, sizeof bodies / sizeof *bodies);
    for (int i = 0; i < p->n_elements; i++) {
        ast_class *c = p->elements[i]->class_;
        assert_true(c->put_off);
        assert_ptr_equal(lang_child(&w->lib, p, c->name), c);
        assert_int_equal(c->n_elements, 2);
        assert_true(c->elements[0]->class_->put_off);
        const ast_class *x = lang_whole(c->elements[0]->class_);
        assert_non_null(x);
        assert_int_equal(x->n_elements, bodies[i].elements);
    }
    assert_int_equal(w->base.diags.n_errors, 0);
}

/* The body of a class is parsed if something asks for the class; a text whose classes do not end as
 * they begin is parsed at once, with the messages that this gives. */
static void errors_are_said_where_a_class_is_used(void **state)
{
    world *w = *state;
    put(w, "lib/P/package.mo",
        "within;\npackage P\n  model Good Real x; end Good;\n  model Bad Real x end Bad;\n"
        "end P;");
    put(w, "lib/Q/package.mo",
        "within;\npackage Q\n  model A Real x;\n  model B Real y; end B;\nend Q;");
    lang_search_add(&w->lib, at(w, "lib"));
    assert_non_null(lang_find(&w->lib, "P.Good"));
    assert_int_equal(w->base.diags.n_errors, 0);
    assert_null(lang_find(&w->lib, "P.Bad"));
    assert_string_equal(first_code(&w->base), "L021"); // missing ';'
    assert_int_equal(w->base.diags.n_errors, 1);
    assert_null(lang_find(&w->lib, "P.Bad"));
    assert_int_equal(w->base.diags.n_errors, 1);
    assert_null(lang_find(&w->lib, "Q"));
    assert_int_equal(w->base.diags.n_errors, 2);
    assert_non_null(strstr(w->base.diags.first->next->text, "missing 'end A;'"));
}

static void names_come_in_package_order(void **state)
{
    world *w = *state;
    put_library(w);
    lang_search_add(&w->lib, at(w, "lib"));
    const sym *names;
    int n = lang_child_names(&w->lib, lang_find(&w->lib, "A"), &names);
    static const char *const want[] = {"Own", "Z", "B", "Y"};
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) assert_string_equal(names[i], want[i]);
}

static void the_first_directory_wins(void **state)
{
    world *w = *state;
    put(w, "one/A.mo", "model A end A;");
    put(w, "two/A.mo", "model A Real x; end A;");
    lang_search_add(&w->lib, at(w, "one"));
    lang_search_add(&w->lib, at(w, "two"));
    assert_int_equal(lang_find(&w->lib, "A")->n_elements, 0);
}

static void versions(void **state)
{
    world *w = *state;
    static const char *const dirs[] = {"A 1.9", "A 1.10.1", "A 1.10.2 beta",
                                       "A 1.10.2-x/not a package"};
    for (int i = 0; i < 3; i++) {
        char path[80], words[80];
        snprintf(path, sizeof path, "lib/%s/package.mo", dirs[i]);
        snprintf(words, sizeof words, "package A constant String v = \"%s\"; end A;", dirs[i]);
        put(w, path, words);
    }
    put(w, "lib/B 1.0.mo", "model B end B;");
    put(w, "lib/B.mo", "model B Real plain; end B;");
    put(w, "lib/C 1.0.mo", "model C end C;");
    put(w, "lib/C 2.0.mo", "model C end C;");
    put(w, "u.mo", "model U annotation(uses(C(version = \"1.0\"))); end U;");
    lang_search_add(&w->lib, at(w, "lib"));
    // 1.10.2 beta is newer than 1.10.1 and older than 1.10.2
    ast_class *a = lang_find(&w->lib, "A");
    assert_string_equal(lang_string(&w->base.a, a->elements[0]->component->mod->value->string),
                        dirs[2]);
    assert_int_equal(lang_find(&w->lib, "B")->n_elements, 1);
    assert_int_equal(lang_open(&w->lib, at(w, "u.mo")), LANG_OK);
    assert_non_null(strstr(lang_find(&w->lib, "C")->file->path, "C 1.0.mo"));
    assert_int_equal(w->base.diags.n_errors, 0);
}

/* Only another main release is said: 4.0 has other names than 3.2. */
static void another_release_is_said(void **state)
{
    world *w = *state;
    put(w, "lib/A.mo", "package A annotation(version = \"4.0.0\"); end A;");
    put(w, "lib/B.mo", "package B annotation(version = \"4.1.0\"); end B;");
    put(w, "u.mo",
        "model U annotation(uses(A(version = \"3.2.3\"), B(version = \"4.0.0\"))); end U;");
    lang_search_add(&w->lib, at(w, "lib"));
    assert_int_equal(lang_open(&w->lib, at(w, "u.mo")), LANG_OK);
    assert_non_null(lang_find(&w->lib, "A"));
    assert_non_null(lang_find(&w->lib, "B"));
    assert_int_equal(w->base.diags.n_warnings, 1);
    assert_string_equal(w->base.diags.first->code, "L046");
    assert_non_null(strstr(w->base.diags.first->text, "3.2.3"));
}

static void what_does_not_fit_its_place(void **state)
{
    world *w = *state;
    put(w, "lib/A/package.mo", "within;\npackage A\n  model Twice end Twice;\nend A;");
    put(w, "lib/A/Twice.mo", "within A;\nmodel Twice end Twice;");
    put(w, "lib/A/Both.mo", "within A;\nmodel Both end Both;");
    put(w, "lib/A/Both/package.mo", "within A;\npackage Both end Both;");
    put(w, "lib/A/Name.mo", "within A;\nmodel Other end Other;");
    put(w, "lib/A/Within.mo", "within B;\nmodel Within end Within;");
    put(w, "lib/A/None.mo", "model None end None;");
    put(w, "lib/A/Two.mo", "within A;\nmodel Two end Two; model Three end Three;");
    put(w, "lib/A/Empty.mo", "within A;\n");
    put(w, "lib/Top.mo", "within X;\nmodel Top end Top;");
    lang_search_add(&w->lib, at(w, "lib"));
    assert_non_null(lang_find(&w->lib, "A"));
    assert_int_equal(w->base.diags.n_errors, 0);
    static const struct {
        const char *name, *code;
        bool found;
    } cases[] = {
        {"A.Name", "L044", false}, // listing the directory finds both duplicates
        {"A.Name", "", false},     // what failed is not tried again
        {"A.Within", "L042", false}, {"A.None", "L042", true}, {"A.Two", "L043", false},
        {"A.Empty", "L043", false},  {"Top", "L042", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forget_errors(&w->base);
        assert_int_equal(lang_find(&w->lib, cases[i].name) != NULL, cases[i].found);
        assert_string_equal(first_code(&w->base), cases[i].code);
        if (i == 0) assert_int_equal(w->base.diags.n_errors, 3); // two duplicates, one name
    }
}

static void opening_files(void **state)
{
    world *w = *state;
    put(w, "two.mo", "model P end P; model Q end Q;");
    put(w, "again.mo", "model Q end Q;");
    put(w, "empty.mo", "// nothing\n");
    assert_int_equal(lang_open(&w->lib, at(w, "two.mo")), LANG_OK);
    assert_string_equal(w->lib.last->name, "Q");
    assert_int_equal(lang_open(&w->lib, at(w, "two.mo")), LANG_OK); // once is enough
    assert_int_equal(w->lib.top.n, 2);
    assert_int_equal(w->base.diags.n_errors, 0);
    static const struct {
        const char *name, *code;
        int rc;
    } cases[] = {
        {"again.mo", "L044", LANG_E_TEXT},
        {"empty.mo", "L043", LANG_E_TEXT},
        {"missing.mo", "L040", LANG_E_FILE},
        {"", "L041", LANG_E_TEXT}, // a directory that is no package
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forget_errors(&w->base);
        assert_int_equal(lang_open(&w->lib, at(w, cases[i].name)), cases[i].rc);
        assert_string_equal(first_code(&w->base), cases[i].code);
    }
    forget_errors(&w->base);
    assert_int_equal(lang_open(&w->lib, "/dev/null"), LANG_E_FILE);
}

static void opening_part_of_a_package(void **state)
{
    world *w = *state;
    put_library(w);
    put(w, "lib/Sibling.mo", "model Sibling end Sibling;");
    assert_int_equal(lang_open(&w->lib, at(w, "lib/A/B/M.mo")), LANG_OK);
    ast_class *m = w->lib.last;
    assert_string_equal(lang_class_path(m, &w->base.a), "A.B.M");
    assert_ptr_equal(lang_find(&w->lib, "A.B.M"), m); // not read a second time
    assert_non_null(lang_find(&w->lib, "A.Z"));
    assert_non_null(lang_find(&w->lib, "Sibling")); // the place of the package is searched too
    assert_int_equal(w->base.diags.n_errors, 0);
}

// From inside the directory, where the path says nothing about the package.
static void opening_part_of_a_package_from_within(void **state)
{
    world *w = *state;
    char here[1000];
    put_library(w);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(at(w, "lib/A/B")), 0);
    int rc = lang_open(&w->lib, "M.mo");
    ast_class *z = lang_find(&w->lib, "A.Z");
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rc, LANG_OK);
    assert_string_equal(lang_class_path(w->lib.last, &w->base.a), "A.B.M");
    assert_non_null(z);
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
}

static void a_wrong_within_is_corrected(void **state)
{
    world *w = *state;
    put_library(w);
    put(w, "lib/A/B/W.mo", "within B;\nmodel W end W;");
    assert_int_equal(lang_open(&w->lib, at(w, "lib/A/B/W.mo")), LANG_E_TEXT);
    assert_string_equal(first_code(&w->base), "L042");
    assert_non_null(strstr(w->base.diags.first->text, "within A.B;"));
    assert_int_equal(w->base.diags.n_errors, 1);
}

static void opening_directories(void **state)
{
    world *w = *state;
    put_library(w);
    assert_int_equal(lang_open(&w->lib, at(w, "lib/A/")), LANG_OK);
    assert_string_equal(w->lib.last->name, "A");
    assert_non_null(lang_find(&w->lib, "A.B.M"));
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
}

static void opening_a_package_inside_another(void **state)
{
    world *w = *state;
    put_library(w);
    assert_int_equal(lang_open(&w->lib, at(w, "lib/A/B/package.mo")), LANG_OK);
    assert_string_equal(lang_class_path(w->lib.last, &w->base.a), "A.B");
    assert_ptr_equal(lang_find(&w->lib, "A.B"), w->lib.last);
    assert_non_null(lang_find(&w->lib, "A.B.M"));
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
}

static void a_file_joins_a_package_of_the_search_list(void **state)
{
    world *w = *state;
    put_library(w);
    put(w, "mine/N.mo", "within A.B;\nmodel N end N;");
    put(w, "mine/Lost.mo", "within Nowhere;\nmodel Lost end Lost;");
    put(w, "mine/Z.mo", "within Single;\nmodel Z end Z;");
    lang_search_add(&w->lib, at(w, "lib"));
    assert_int_equal(lang_open(&w->lib, at(w, "mine/N.mo")), LANG_OK);
    assert_ptr_equal(lang_find(&w->lib, "A.B.N"), w->lib.last);
    assert_int_equal(lang_open(&w->lib, at(w, "mine/Z.mo")), LANG_OK);
    assert_ptr_equal(lang_find(&w->lib, "Single.Z"), w->lib.last);
    assert_int_equal(w->base.diags.n_errors, 0);
    assert_int_equal(lang_open(&w->lib, at(w, "mine/Lost.mo")), LANG_E_TEXT);
    assert_string_equal(first_code(&w->base), "L042");
}

static void texts_in_memory(void **state)
{
    world *w = *state;
    char words[] = "package A model B end B; end A;";
    assert_int_equal(lang_open_text(&w->lib, "memory", words, strlen(words)), LANG_OK);
    memset(words, 'x', sizeof words); // it was copied
    assert_non_null(lang_find(&w->lib, "A.B"));
}

/* ---- trees that are dropped ------------------------------------------------------------------ */

static void what_was_opened_comes_back(void **state)
{
    world *w = *state;
    put_library(w);
    put(w, "mine/N.mo", "within Single;\nmodel N end N;");
    put(w, "mine/two.mo", "model P end P; model Q end Q;");
    lang_search_add(&w->lib, at(w, "lib"));
    assert_int_equal(lang_open(&w->lib, at(w, "mine/N.mo")), LANG_OK);
    assert_int_equal(lang_open(&w->lib, at(w, "mine/two.mo")), LANG_OK);
    int files = w->lib.sources.files.n;
    uint32_t begin = lang_find(&w->lib, "P")->at.begin;
    for (int i = 0; i < 3; i++) {
        lang_forget(&w->lib);
        assert_int_equal(w->trees.total, 0);
        assert_int_equal(lang_find(&w->lib, "P")->at.begin, begin);
        assert_int_equal(w->lib.top.n, 2); // no more than was asked for
        assert_string_equal(lang_last(&w->lib)->name, "Q");
        assert_non_null(lang_find(&w->lib, "Single.M"));
        assert_non_null(lang_find(&w->lib, "Single.N"));
    }
    assert_int_equal(w->lib.sources.files.n, files);
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
}

// Two packages of one name: the one around the opened file stays the one that is meant.
static void the_package_around_a_file_stays(void **state)
{
    world *w = *state;
    put_library(w);
    put(w, "other/A/package.mo", "within;\npackage A end A;");
    lang_search_add(&w->lib, at(w, "other"));
    assert_int_equal(lang_open(&w->lib, at(w, "lib/A/B/M.mo")), LANG_OK);
    for (int i = 0; i < 3; i++) {
        lang_forget(&w->lib);
        assert_non_null(lang_find(&w->lib, "A.B.M"));
        assert_non_null(lang_find(&w->lib, "A.Z"));
        assert_int_equal(w->lib.search.n, 2);
    }
    lang_forget(&w->lib);
    assert_int_equal(lang_open(&w->lib, at(w, "lib/A/Y.mo")), LANG_OK);
    assert_non_null(lang_find(&w->lib, "A.B.M"));
    assert_int_equal(w->base.diags.n_errors + w->base.diags.n_warnings, 0);
}

static void versions_that_opened_classes_use_stay(void **state)
{
    world *w = *state;
    put(w, "lib/C 1.0.mo", "model C end C;");
    put(w, "lib/C 2.0.mo", "model C end C;");
    put(w, "u.mo", "model U annotation(uses(C(version = \"1.0\"))); end U;");
    put(w, "v.mo", "model V annotation(uses(C(version = \"2.0\"))); end V;");
    lang_search_add(&w->lib, at(w, "lib"));
    assert_int_equal(lang_open(&w->lib, at(w, "u.mo")), LANG_OK);
    lang_forget(&w->lib);
    assert_non_null(strstr(lang_find(&w->lib, "C")->file->path, "C 1.0.mo"));
    lang_forget(&w->lib);
    assert_int_equal(lang_open(&w->lib, at(w, "v.mo")), LANG_OK); // its own word comes first
    assert_non_null(strstr(lang_find(&w->lib, "C")->file->path, "C 2.0.mo"));
}

static void what_is_read_again_is_warned_of_once(void **state)
{
    world *w = *state;
    put_library(w);
    put(w, "lib/A/None.mo", "model None end None;");
    put(w, "lib/A/Plain/data.txt", "not a class");
    put(w, "lib/Dir/package.mo", "package Named end Named;");
    lang_search_add(&w->lib, at(w, "lib"));
    for (int i = 0; i < 3; i++) {
        lang_forget(&w->lib);
        assert_non_null(lang_find(&w->lib, "A.None"));
        assert_null(lang_find(&w->lib, "A.Resources"));
        assert_null(lang_find(&w->lib, "A.Plain"));
        assert_int_equal(lang_open(&w->lib, at(w, "lib/Dir")), LANG_OK);
        assert_int_equal(w->base.diags.n_warnings, 4); // no within, two mere folders, a name
    }
    assert_int_equal(w->base.diags.n_errors, 0);
}

static void errors_are_said_by_every_load(void **state)
{
    world *w = *state;
    put_library(w);
    lang_search_add(&w->lib, at(w, "lib"));
    for (int i = 1; i <= 2; i++) {
        lang_forget(&w->lib);
        assert_null(lang_find(&w->lib, "A.B.Broken"));
        assert_int_equal(w->base.diags.n_errors, i);
    }
    int files = w->lib.sources.files.n;
    lang_forget(&w->lib);
    put(w, "lib/A/B/Broken.mo", "within A.B;\nmodel Broken Real x; end Broken;");
    assert_non_null(lang_find(&w->lib, "A.B.Broken"));
    assert_int_equal(w->lib.sources.files.n, files + 1);
}

static void trees(void **state)
{
    world *w = *state;
    put_library(w);
    assert_int_equal(symlink("..", at(w, "lib/A/loop")), 0);
    lang_tree_stats stats = {0};
    assert_int_equal(lang_parse_tree(&w->lib, at(w, "lib"), &stats), LANG_E_TEXT);
    assert_int_equal(stats.files, 7);
    assert_int_equal(stats.failed, 1);
    assert_true(stats.bytes > 200);
    assert_int_equal(w->base.diags.n_warnings, 1); // the loop
    assert_int_equal(lang_parse_tree(&w->lib, at(w, "lib/Single.mo"), &stats), LANG_OK);
    assert_int_equal(stats.files, 8);
    assert_int_equal(lang_parse_tree(&w->lib, at(w, "missing"), &stats), LANG_E_FILE);
}

/* ---- running out of memory ------------------------------------------------------------------- */

typedef struct failing {
    int left; // allocations until one fails
    int live; // blocks
} failing;

static void *failing_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    failing *f = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        f->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left-- == 0) return NULL;
    f->live += !p;
    return realloc(p, new_bytes);
}

// The k-th allocation fails, for every k until none does: nothing is leaked, nothing stays open.
static void every_allocation_may_fail(void **state)
{
    world *w = *state;
    put_library(w);
    text big; // large enough to need more than the first chunk
    text_init(&big, &w->base.m);
    text_add(&big, "within A;\nmodel Big\n");
    for (int i = 0; i < 3000; i++) text_printf(&big, "  Real x%d(start = %d);\n", i, i);
    text_add(&big, "end Big;\n");
    put(w, "lib/A/Big.mo", text_str(&big));
    text_done(&big);
    const char *dir = at(w, "lib");
    bool done = false;
    int failed = 0;
    for (int k = 0; !done; k++) {
        failing f = {.left = k};
        jmp_buf guard;
        mem m = {.resize = failing_resize, .user = &f, .guard = &guard};
        arena a, trees;
        arena_init(&a, &m);
        arena_init(&trees, &m);
        if (setjmp(guard) == 0) {
            sym_table syms;
            diag_sink diags;
            lang_library lib;
            sym_init(&syms, &a);
            diag_init(&diags, &a);
            lang_library_init(&lib, &a, &trees, &syms, &diags);
            lang_search_add(&lib, dir);
            assert_non_null(lang_find(&lib, "A.B.M"));
            assert_non_null(lang_find(&lib, "A.Big"));
            done = true;
        } else failed++;
        arena_done(&trees);
        arena_done(&a);
        assert_int_equal(f.live, 0);
    }
    assert_true(failed >= 3);
}

/* In a quoted name \\? and \\" mean ? and ", wherever the name is given. */
static void quoted_names_are_found_as_written(void **state)
{
    world *w = *state;
    put(w, "lib/Q.mo",
        "package Q model 'a\\\"\\?\\'.b' model In end In; end 'a\\\"\\?\\'.b'; end Q;");
    lang_search_add(&w->lib, at(w, "lib"));
    ast_class *c = lang_find(&w->lib, "Q.'a\\\"\\?\\'.b'");
    assert_non_null(c);
    assert_ptr_equal(lang_find(&w->lib, "Q.'a\"?\\'.b'"), c);
    assert_ptr_equal(lang_find(&w->lib, "Q.'a\\\"?\\'.b'.In"), lang_find_in(&w->lib, c, "In"));
    assert_null(lang_find(&w->lib, "Q.'a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(classes_are_read_when_they_are_needed, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(classes_that_do_not_exist_are_silent, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(errors_in_a_file_are_reported_once, make_world, drop_world),
        cmocka_unit_test_setup_teardown(bodies_are_passed_over, make_world, drop_world),
        cmocka_unit_test_setup_teardown(errors_are_said_where_a_class_is_used, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(names_come_in_package_order, make_world, drop_world),
        cmocka_unit_test_setup_teardown(the_first_directory_wins, make_world, drop_world),
        cmocka_unit_test_setup_teardown(versions, make_world, drop_world),
        cmocka_unit_test_setup_teardown(another_release_is_said, make_world, drop_world),
        cmocka_unit_test_setup_teardown(what_does_not_fit_its_place, make_world, drop_world),
        cmocka_unit_test_setup_teardown(opening_files, make_world, drop_world),
        cmocka_unit_test_setup_teardown(opening_part_of_a_package, make_world, drop_world),
        cmocka_unit_test_setup_teardown(opening_part_of_a_package_from_within, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(a_wrong_within_is_corrected, make_world, drop_world),
        cmocka_unit_test_setup_teardown(opening_directories, make_world, drop_world),
        cmocka_unit_test_setup_teardown(opening_a_package_inside_another, make_world, drop_world),
        cmocka_unit_test_setup_teardown(a_file_joins_a_package_of_the_search_list, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(texts_in_memory, make_world, drop_world),
        cmocka_unit_test_setup_teardown(what_was_opened_comes_back, make_world, drop_world),
        cmocka_unit_test_setup_teardown(the_package_around_a_file_stays, make_world, drop_world),
        cmocka_unit_test_setup_teardown(versions_that_opened_classes_use_stay, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(what_is_read_again_is_warned_of_once, make_world,
                                        drop_world),
        cmocka_unit_test_setup_teardown(errors_are_said_by_every_load, make_world, drop_world),
        cmocka_unit_test_setup_teardown(quoted_names_are_found_as_written, make_world, drop_world),
        cmocka_unit_test_setup_teardown(trees, make_world, drop_world),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, make_world, drop_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
