/* What is printed parses to the same tree, and so does what is parsed class by class: on the texts of
 * tests/golden/ast, which between them use every construct of the grammar, and on the files or
 * directories given as arguments.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "lang/lang_file.h"
#include "support/equal.h"

static int n_files, n_later;

static int parse_rest(ast_class *c)
{
    bool later = c->put_off;
    if (!lang_whole(c) || c->put_off) return -1;
    int n = later;
    for (int i = 0; i < c->n_elements && n >= 0; i++) {
        if (c->elements[i]->kind != AST_CLASS) continue;
        int inner = parse_rest(c->elements[i]->class_);
        n = inner < 0 ? -1 : n + inner;
    }
    return n;
}

// How many classes were parsed later; -1 if the tree is not that of the whole text.
static int by_parts(fixture *f, const source *src, const ast_file *whole)
{
    int n = 0;
    ast_file *parts = lang_parse_heads(src, &f->a, &f->syms, &f->diags);
    for (int i = 0; i < parts->n_classes && n >= 0; i++) {
        int inner = parse_rest(parts->classes[i]);
        n = inner < 0 ? -1 : n + inner;
    }
    return n < 0 || parts->n_errors || !equal_file(whole, parts) ? -1 : n;
}

static bool round_trip(fixture *f, const char *path)
{
    size_t n;
    const char *why, *words = file_read(&f->a, path, UINT32_MAX, &n, &why);
    if (!words) return false;
    source src = *source_add(&f->sources, path, words, n);
    ast_file *x = lang_parse(&src, &f->a, &f->syms, &f->diags);
    text t;
    text_init(&t, &f->m);
    lang_print_file(x, &t);
    ast_file *y = parse_n(f, text_str(&t), t.n);
    int later = by_parts(f, &src, x);
    n_later += later > 0 ? later : 0;
    bool same = !x->n_errors && !y->n_errors && equal_file(x, y) && later >= 0;
    text again; // and the second print is the first, to the byte
    text_init(&again, &f->m);
    lang_print_file(y, &again);
    same = same && strcmp(text_str(&t), text_str(&again)) == 0;
    if (!same) {
        text_clear(&again);
        diag_print_all(&f->diags, &f->sources, false, &again);
        print_error("%s does not survive:\n%s", path, text_str(&again));
    }
    text_done(&again);
    text_done(&t);
    n_files++;
    return same;
}

static int walk(const char *path)
{
    fixture *f;
    int bad = 0;
    setup((void **)&f); // one arena per file or directory: a library of 17 MB stays small
    size_t len = strlen(path);
    if (file_kind_of(path, NULL) == FILE_DIR) {
        file_names names;
        const char *why;
        if (!file_list(&f->a, path, &names, &why)) bad++;
        for (int i = 0; i < names.n; i++) bad += walk(file_join(&f->a, path, names.at[i]));
    } else if (len > 3 && strcmp(path + len - 3, ".mo") == 0) bad += !round_trip(f, path);
    teardown((void **)&f);
    return bad;
}

static void golden_files_survive(void **state)
{
    (void)state;
    assert_int_equal(walk(VINCOLO_ROOT "/tests/golden/ast"), 0);
    assert_true(n_files >= 8 && n_later > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_files_survive)};
    int bad = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 1; i < argc; i++) bad += walk(argv[i]);
    if (argc > 1) printf("%d files, %d differ; %d classes put off\n", n_files, bad, n_later);
    return bad > 0;
}
