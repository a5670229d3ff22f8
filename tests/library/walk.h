/* Every class of lib/Vincolo, from its text: so that no component can be forgotten by a test.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIBRARY_WALK_H
#define TESTS_LIBRARY_WALK_H

#include "cmocka_all.h"

#include "lang/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    mem m;
    arena a, trees;
    sym_table syms;
    diag_sink diags;
    lang_library lib;
    lang_classes classes; // packages before what they hold
} walk;

static inline void walk_below(walk *w, ast_class *c)
{
    const sym *names;
    array_push(&w->a, &w->classes, c);
    if (c->restriction != AST_R_PACKAGE) return;
    int n = lang_child_names(&w->lib, c, &names);
    for (int k = 0; k < n; k++) walk_below(w, lang_child(&w->lib, c, names[k]));
}

static inline int walk_begin(void **state)
{
    walk *w = calloc(1, sizeof *w);
    w->m = mem_std();
    arena_init(&w->a, &w->m);
    arena_init(&w->trees, &w->m);
    sym_init(&w->syms, &w->a);
    diag_init(&w->diags, &w->a);
    lang_library_init(&w->lib, &w->a, &w->trees, &w->syms, &w->diags);
    lang_search_add(&w->lib, VINCOLO_ROOT "/lib");
    ast_class *top = lang_top(&w->lib, sym_of(&w->syms, "Vincolo"));
    assert_non_null(top);
    walk_below(w, top);
    *state = w;
    return 0;
}

static inline int walk_end(void **state)
{
    walk *w = *state;
    arena_done(&w->trees);
    arena_done(&w->a);
    free(w);
    return 0;
}

/* Something to be put into a model or called: no package, no base class, no connector. */
static inline bool walk_is_component(const ast_class *c)
{
    bool kind = c->restriction == AST_R_MODEL || c->restriction == AST_R_BLOCK ||
                c->restriction == AST_R_FUNCTION;
    return kind && !(c->flags & (AST_IS_PARTIAL | AST_PROTECTED));
}

static inline char *walk_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) print_error("%s cannot be read\n", path);
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *s = test_malloc((size_t)n + 1);
    assert_int_equal(fread(s, 1, (size_t)n, f), n);
    s[n] = 0;
    fclose(f);
    return s;
}

#endif
