/* Several loads in one context: what was loaded before is found, what has changed is taken anew, and
 * messages show the lines that they were about.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <stdio.h>
#include <unistd.h>

typedef struct world {
    vinc_ctx *ctx;
    char folder[40], path[100];
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    if (!w) return -1;
    strcpy(w->folder, "/tmp/reload-XXXXXX");
    if (!mkdtemp(w->folder)) return -1;
    w->ctx = vinc_ctx_new(NULL);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    char command[60];
    snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
    int rc = system(command);
    vinc_ctx_free(w->ctx);
    free(w);
    return rc;
}

static const char *put(world *w, const char *name, const char *words)
{
    snprintf(w->path, sizeof w->path, "%s/%s", w->folder, name);
    FILE *f = fopen(w->path, "wb");
    assert_non_null(f);
    fputs(words, f);
    fclose(f);
    return w->path;
}

static vinc_model *load(world *w, const char *from, const char *class_name)
{
    vinc_model *model = NULL;
    if (vinc_model_load(w->ctx, from, class_name, &model))
        print_error("%s", vinc_ctx_messages(w->ctx));
    assert_non_null(model);
    return model;
}

static vinc_model *load_text(world *w, const char *name, const char *words)
{
    vinc_model *model = NULL;
    if (vinc_model_load_text(w->ctx, name, words, strlen(words), NULL, &model))
        print_error("%s", vinc_ctx_messages(w->ctx));
    assert_non_null(model);
    return model;
}

// Free a model after a look at its name and at the name and line of its first variable.
static void is_model(vinc_model *model, const char *name, const char *variable, int line)
{
    vinc_variable v;
    assert_string_equal(vinc_model_name(model), name);
    assert_int_equal(vinc_model_variable(model, 0, &v), VINC_OK);
    assert_string_equal(v.name, variable);
    assert_int_equal(v.line, line);
    vinc_model_free(model);
}

static const char both[] = "package Both\n"
                           "  model A\n    Real a = 1;\n  end A;\n"
                           "  model B\n    Real b = 2;\n  end B;\n"
                           "end Both;\n";

static void two_classes_of_one_file(void **state)
{
    world *w = *state;
    const char *path = put(w, "Both.mo", both);
    vinc_model *a = load(w, path, "A");
    vinc_model *b = load(w, path, "Both.B");
    unlink(path); // by name, from the text that is kept
    is_model(load(w, "Both.A", NULL), "Both.A", "a", 3);
    is_model(load(w, "B", NULL), "Both.B", "b", 6); // in what was opened last
    is_model(a, "Both.A", "a", 3);
    is_model(b, "Both.B", "b", 6);
    assert_int_equal(vinc_ctx_n_diagnostics(w->ctx), 0);
}

static void texts_see_one_another(void **state)
{
    world *w = *state;
    is_model(load_text(w, "part.mo", "model Part\n  Real p = 1;\nend Part;\n"), "Part", "p", 2);
    is_model(load_text(w, "whole.mo", "model Whole\n  Part part;\nend Whole;\n"), "Whole", "part.p",
             2);
    vinc_model *none = NULL; // a name of a text that this load has not needed is suggested
    const char *wrong = "model Wrong\n  Prat part;\nend Wrong;\n";
    assert_int_equal(vinc_model_load_text(w->ctx, "wrong.mo", wrong, strlen(wrong), NULL, &none),
                     VINC_E_MODEL);
    assert_non_null(strstr(vinc_ctx_messages(w->ctx), "did you mean 'Part'"));
}

static void a_changed_text_takes_the_place_of_the_older_one(void **state)
{
    world *w = *state;
    vinc_model *none = NULL, *old = load_text(w, "edit.mo", "model M\n  Real old = 1;\nend M;\n");
    const char *broken = "model M\n  Real old = missing;\nend M;\n";
    assert_int_equal(vinc_model_load_text(w->ctx, "edit.mo", broken, strlen(broken), NULL, &none),
                     VINC_E_MODEL);
    is_model(load_text(w, "edit.mo", "model M\n\n  Real new = 1;\nend M;\n"), "M", "new", 3);
    is_model(load_text(w, "edit.mo", "model M\n\n  Real new = 1;\nend M;\n"), "M", "new", 3);
    is_model(load(w, "M", NULL), "M", "new", 3);
    const char *out;
    assert_int_equal(vinc_model_dump(old, "ast", &out), VINC_OK);
    assert_non_null(strstr(out, "Real old = 1;"));
    is_model(old, "M", "old", 2);
    // the message about the text in between still shows its line
    assert_int_equal(vinc_ctx_n_diagnostics(w->ctx), 1);
    assert_int_equal(vinc_ctx_diagnostic(w->ctx, 0).line, 2);
    assert_non_null(strstr(vinc_ctx_messages(w->ctx), "2 |   Real old = missing;"));
}

static void a_text_that_cannot_be_read_takes_no_place(void **state)
{
    world *w = *state;
    vinc_model *none = NULL;
    is_model(load_text(w, "edit.mo", "model M\n  Real old = 1;\nend M;\n"), "M", "old", 2);
    for (int i = 1; i <= 2; i++) { // each load says what is wrong
        assert_int_equal(vinc_model_load_text(w->ctx, "edit.mo", "model M Real", 12, NULL, &none),
                         VINC_E_MODEL);
        assert_null(none);
    }
    is_model(load(w, "M", NULL), "M", "old", 2);
    assert_true(vinc_ctx_n_diagnostics(w->ctx) >= 2);
}

static void a_changed_file_is_read_again(void **state)
{
    world *w = *state;
    is_model(load(w, put(w, "M.mo", "model M\n  Real old = 1;\nend M;\n"), NULL), "M", "old", 2);
    is_model(load(w, put(w, "M.mo", "model M\n\n  Real new = 1;\nend M;\n"), NULL), "M", "new", 3);
    vinc_ctx_add_path(w->ctx, w->folder);
    put(w, "L.mo", "model L\n  Real old = 1;\nend L;\n");
    is_model(load(w, "L", NULL), "L", "old", 2);
    put(w, "L.mo", "model L\n\n  Real new = 1;\nend L;\n");
    is_model(load(w, "L", NULL), "L", "new", 3);
    assert_int_equal(vinc_ctx_n_diagnostics(w->ctx), 0);
}

static void another_file_with_the_same_class_is_refused(void **state)
{
    world *w = *state;
    vinc_model *none = NULL;
    is_model(load(w, put(w, "one.mo", "model M\n  Real a = 1;\nend M;\n"), NULL), "M", "a", 2);
    put(w, "two.mo", "\nmodel M\n  Real b = 1;\nend M;\n");
    assert_int_equal(vinc_model_load(w->ctx, w->path, NULL, &none), VINC_E_MODEL);
    vinc_diagnostic d = vinc_ctx_diagnostic(w->ctx, 0);
    assert_string_equal(d.code, "L044");
    assert_int_equal(d.line, 2);
    assert_non_null(strstr(vinc_ctx_messages(w->ctx), "one.mo:1:7: note: the other one is here"));
    is_model(load(w, "M", NULL), "M", "a", 2);
}

// An assertion fails in a run whose tree is gone, after another load.
static void a_run_names_the_line(void **state)
{
    world *w = *state;
    vinc_model *m = load_text(w, "fall.mo",
                              "model M\n  Real x(start = 1, fixed = true);\nequation\n"
                              "  der(x) = -1;\n  assert(x > 0.5, \"too low\");\nend M;\n");
    vinc_model_free(load_text(w, "other.mo", "model Other\n  Real z = 1;\nend Other;\n"));
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2};
    assert_int_equal(vinc_sim_new(m, &o, &sim), VINC_OK);
    assert_true(vinc_sim_run(sim) < 0);
    assert_non_null(strstr(vinc_sim_messages(sim), "fall.mo:5:"));
    assert_non_null(strstr(vinc_sim_messages(sim), "5 |   assert(x > 0.5,"));
    vinc_sim_free(sim);
    vinc_model_free(m);
}

#define each(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        each(two_classes_of_one_file),
        each(texts_see_one_another),
        each(a_changed_text_takes_the_place_of_the_older_one),
        each(a_text_that_cannot_be_read_takes_no_place),
        each(a_changed_file_is_read_again),
        each(another_file_with_the_same_class_is_refused),
        each(a_run_names_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
