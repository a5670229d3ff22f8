/* What every test of lang starts with.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LANG_FIXTURE_H
#define TESTS_LANG_FIXTURE_H

#include "cmocka_all.h"

#include "lang/library.h"

typedef struct fixture {
    mem m;
    arena a;
    sym_table syms;
    diag_sink diags;
    source_set sources;
} fixture;

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    sym_init(&f->syms, &f->a);
    diag_init(&f->diags, &f->a);
    source_init(&f->sources, &f->a);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->a);
    free(f);
    return 0;
}

static inline const source *add_n(fixture *f, const char *s, size_t n)
{
    return source_add(&f->sources, "test.mo", arena_strndup(&f->a, s, n), n);
}

static inline ast_file *parse_n(fixture *f, const char *s, size_t n)
{
    return lang_parse(add_n(f, s, n), &f->a, &f->syms, &f->diags);
}

static inline ast_file *parse(fixture *f, const char *s)
{
    return parse_n(f, s, strlen(s));
}

/* Parse what must have no errors. */
static inline ast_class *parse_class(fixture *f, const char *s)
{
    ast_file *file = parse(f, s);
    if (file->n_errors) {
        text t;
        text_init(&t, &f->m);
        diag_print_all(&f->diags, &f->sources, false, &t);
        print_error("%s", text_str(&t));
        text_done(&t);
    }
    assert_int_equal(file->n_errors, 0);
    assert_true(file->n_classes > 0);
    return file->classes[0];
}

static inline ast_expr *parse_expr(fixture *f, const char *s)
{
    return lang_parse_expr(add_n(f, s, strlen(s)), &f->a, &f->syms, &f->diags);
}

static inline void forget_errors(fixture *f)
{
    diag_init(&f->diags, &f->a);
}

/* The code of the first error, "" without one. */
static inline const char *first_code(const fixture *f)
{
    return f->diags.first ? f->diags.first->code : "";
}

#define expect_code(f, s, wanted)                                                                  \
    do {                                                                                           \
        forget_errors(f);                                                                          \
        parse(f, s);                                                                               \
        assert_string_equal(first_code(f), wanted);                                                \
    } while (0)

#endif
