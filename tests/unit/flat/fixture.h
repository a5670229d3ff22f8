/* A model text, flattened, for tests of evaluation.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_FLAT_FIXTURE_H
#define TESTS_UNIT_FLAT_FIXTURE_H

#include "cmocka_all.h"
#include "flat_ask.h"

#include "flatten/flatten.h"

typedef struct fixture {
    mem m;
    arena front, model;
    sym_table syms;
    diag_sink diags;
    lang_library lib;
    flat_model *flat;
    text out;
} fixture;

static inline fixture *flatten_with(const char *model, const flat_override *set, int n_set)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->front, &f->m);
    arena_init(&f->model, &f->m);
    sym_init(&f->syms, &f->model);
    diag_init(&f->diags, &f->model);
    lang_library_init(&f->lib, &f->model, &f->front, &f->syms, &f->diags);
    text_init(&f->out, &f->m);
    if (!lang_open_text(&f->lib, "test.mo", model, strlen(model)))
        f->flat = flat_build(&f->lib, f->lib.last, set, n_set, &f->model, &f->front, &f->diags);
    return f;
}

static inline fixture *flatten(const char *model)
{
    return flatten_with(model, NULL, 0);
}

static inline void drop(fixture *f)
{
    text_done(&f->out);
    arena_done(&f->front);
    arena_done(&f->model);
    free(f);
}

/* What a variable is bound to: the binding of a parameter or constant, or the other side of the
 * first equation that has the variable alone on the left. */
static inline expr bound_to(const fixture *f, const char *name)
{
    const flat_model *m = f->flat;
    for (int i = 0; i < m->vars.n; i++) {
        if (strcmp(FLAT_NAME(m, i), name)) continue;
        if (flat_at(m, i)->binding) return flat_at(m, i)->binding;
        for (int k = 0; k < m->equations.n; k++) {
            const expr_node *n = expr_at(m->pool, m->equations.at[k].lhs);
            if (n->op == EXPR_VAR && n->u.var.index == i && !n->u.var.order)
                return m->equations.at[k].rhs;
        }
    }
    return 0;
}

static inline const char *printed(fixture *f, expr e)
{
    text_clear(&f->out);
    expr_print(f->flat->pool, e, EXPR_MODELICA, 0, &f->out);
    return text_str(&f->out);
}

static inline void expect_flat(const fixture *f)
{
    if (f->flat) return;
    fail_msg("%s", f->diags.first ? f->diags.first->text : "not flattened, no message");
}

/* The first error has this code and its text contains this. */
static inline void expect_message(const fixture *f, const char *code, const char *part)
{
    const diag *d = f->diags.first;
    while (d && d->severity != DIAG_ERROR) d = d->next;
    assert_null(f->flat);
    assert_non_null(d);
    if (strcmp(d->code, code) || !strstr(d->text, part))
        fail_msg("expected %s \"%s\", got %s: %s", code, part, d->code, d->text);
    if (!d->at.begin) fail_msg("no place: %s", d->text);
}

#endif
