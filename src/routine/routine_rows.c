/* SPDX-License-Identifier: BSD-3-Clause */
#include "routine/routine_rows.h"

#include "derive/partials.h"
#include "routine/bound.h"

#include <string.h>

/* ---- from functions to rows ------------------------------------------------------------------ */

static int row_add(routine_rows *x, const tape_function *f, arena *a);

static int row_new(routine_rows *x, const tape_function *f, arena *a)
{
    array_push(a, &x->all, ((routine_row){.of = -1, .derivative = -1}));
    array_push(a, &x->bound, f);
    if (f) *map_put(&x->row_of, map_key(f)) = (uint64_t)x->all.n;
    return x->all.n - 1;
}

static void add_called(routine_rows *x, const routine_set *set, const routine_program *p, arena *a)
{
    if (p->integral) add_called(x, set, p->integral->integrand, a);
    for (int i = 0; i < p->n_ins; i++)
        if (p->ins[i].op == PROGRAM_CALL) row_add(x, routine_at(set, p->ins[i].a), a);
}

static void row_of_external(routine_row *r, const external_routine *of, arena *a)
{
    external_routine *plain = arena_new(a, external_routine);
    *plain = *of;
    plain->f = NULL;
    r->external = plain;
    r->text = of->f->name;
    r->wish = of->f->wish;
}

/* Row k; what it is made of has rows afterwards, too. */
static void row_fill(routine_rows *x, int k, const tape_function *f, arena *a)
{
    routine_row r = {.kind = f->kind, .impure = f->impure, .of = -1, .derivative = -1};
    x->all.at[k].kind = f->kind; // a program may call itself
    if (f->kind == TAPE_FN_PROGRAM) {
        const routine_bound *g = f->user;
        r.program = g->program;
        add_called(x, g->set, g->program, a);
    } else if (f->kind == TAPE_FN_EXTERNAL) {
        row_of_external(&r, f->user, a);
    } else if (f->kind == TAPE_FN_TABLE) {
        const routine_table *t = f->user;
        r.n = t->n;
        r.numbers = t->at;
    } else if (f->kind == TAPE_FN_TEXT) {
        r.text = f->user;
    } else if (f->kind == TAPE_FN_ANNOTATED) {
        const routine_annotation *g = f->user;
        r.n = f->n_in;
        r.der_at = g->der_at;
        r.of = row_add(x, g->itself, a);
        r.derivative = row_add(x, g->derivative, a);
    } else if (f->kind == TAPE_FN_PARTIALS) {
        const partials_of *g = f->user;
        r.n = f->n_in;
        r.active = g->active;
        r.of = row_add(x, g->fn, a);
    } else if (f->kind == TAPE_FN_GUARDED) {
        const tape_guarded *g = f->user;
        r.n = g->n;
        r.active = g->test;
        r.of = row_add(x, g->fn, a);
    }
    x->all.at[k] = r;
}

static int row_add(routine_rows *x, const tape_function *f, arena *a)
{
    const uint64_t *known = map_find(&x->row_of, map_key(f));
    int k = known ? (int)*known - 1 : row_new(x, f, a);
    if (x->all.at[k].kind == TAPE_FN_OTHER) row_fill(x, k, f, a);
    return k;
}

void routine_rows_init(routine_rows *x, const routine_set *set, arena *a)
{
    *x = (routine_rows){0};
    map_init(&x->row_of, a);
    for (int k = 0; set && k < set->all.n; k++) row_new(x, set->all.at[k], a);
}

void routine_rows_add_tape(routine_rows *x, const tape *t, arena *a)
{
    for (int k = 0; t && k < t->n_calls; k++) row_add(x, t->calls[k].fn, a);
}

void routine_rows_add(routine_rows *x, const tape_program *p, arena *a)
{
    for (int q = 0; q < p->n_steps; q++) routine_rows_add_tape(x, p->steps[q].kernel, a);
}

/* ---- from rows to functions ------------------------------------------------------------------ */

static const tape_function *bind_external(const routine_row *r, arena *a, char *why)
{
    tape_function *f = arena_new(a, tape_function);
    if (!external_bind(a, r->external, r->text, r->wish, f, why)) return NULL;
    f->impure = r->impure;
    return f;
}

static const tape_function *bind_guarded(const routine_row *r, const tape_function *of, arena *a)
{
    tape_guarded x = {.fn = of, .n = r->n};
    memcpy(x.test, r->active, (size_t)(2 * r->n));
    return tape_guarded_function(&x, a);
}

/* What row k is made of is bound before it. NULL: something is missing. */
static const tape_function *bind_row(const routine_row *rows, int k, routine_set *set, char *why)
{
    const routine_row *r = &rows[k];
    arena *a = set->a;
    if (set->all.at[k]) return set->all.at[k];
    const tape_function *of = r->of < 0 ? NULL : bind_row(rows, r->of, set, why), *f = NULL;
    const tape_function *d = r->derivative < 0 ? NULL : bind_row(rows, r->derivative, set, why);
    if ((r->of >= 0 && !of) || (r->derivative >= 0 && !d)) return NULL;
    switch (r->kind) {
    case TAPE_FN_PROGRAM: return routine_set_program(set, k, r->program, r->impure);
    case TAPE_FN_EXTERNAL: f = bind_external(r, a, why); break;
    case TAPE_FN_TABLE: f = routine_table_function(a, r->n, r->numbers); break;
    case TAPE_FN_TEXT: f = routine_text_function(a, r->text); break;
    case TAPE_FN_ANNOTATED: f = routine_annotated(a, of, d, r->der_at); break;
    case TAPE_FN_PARTIALS: f = partial_function(of, r->active, a); break;
    default: f = bind_guarded(r, of, a); break;
    }
    routine_set_put(set, k, f);
    return f;
}

routine_set *routine_bind(const routine_row *rows, int n, arena *a, char *why)
{
    routine_set *set = routine_set_new(a);
    if (n) routine_set_put(set, n - 1, NULL);
    for (int k = 0; k < n; k++)
        if (rows[k].kind != TAPE_FN_OTHER && !bind_row(rows, k, set, why)) return NULL;
    return set;
}
