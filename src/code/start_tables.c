/* Tables for the search for start values: entries, initial equations of discrete variables, words.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/start_tables.h"
#include "code/pack.h"
#include "structure/dag.h"

#include <string.h>

enum {
    OPEN_MAX = 12, // Booleans and enumerations whose values are tried, and
    CHOICES_MAX = 4096,
    SAID_MAX = 2000, // equations up to which their texts are kept
    SIDE_BYTES_MAX = 80
};

/* ---- entries --------------------------------------------------------------------------------- */

void code_list_entries(const structure *s, arena *a, arena *scratch, image_entries *x)
{
    int n = s->entries.n, n_sets = s->attributes.n;
    arena_mark here = arena_here(scratch);
    int *kind = arena_array(scratch, int, n + 1), *set = arena_array(scratch, int, n + 1);
    int *called = arena_array(scratch, int, n + 1);
    int *begin = arena_array(scratch, int, n_sets + 1),
        *end = arena_array(scratch, int, n_sets + 1);
    *x = (image_entries){.n = n, .n_low = n - s->n_beyond, .n_attributes = n_sets};
    x->below = arena_array(a, int, s->n_beyond + 1);
    for (int e = 0; e < n; e++) {
        int times, highest = s->unknowns.at[s->entries.at[e].unknown].d;
        called[e] = structure_named_by(s, e, &times);
        kind[e] = image_kind_of(structure_order_of(s, e), highest, times);
        set[e] = s->entries.at[e].attributes;
        if (e >= x->n_low) x->below[e - x->n_low] = structure_entry_below(s, e);
    }
    for (int k = 0; k < n_sets; k++) {
        begin[k] = (int)s->attributes.at[k].at.begin;
        end[k] = (int)s->attributes.at[k].at.end;
    }
    x->kind = code_pack(kind, n, a, scratch);
    x->attributes = code_pack(set, n, a, scratch);
    x->called = code_pack(called, n, a, scratch);
    x->begin = code_pack(begin, n_sets, a, scratch);
    x->end = code_pack(end, n_sets, a, scratch);
    arena_release(scratch, here);
}

/* ---- initial equations of discrete variables ------------------------------------------------- */

static const char *kept(arena *a, text *t)
{
    const char *is = arena_strndup(a, text_str(t), strlen(text_str(t)));
    text_clear(t);
    return is;
}

static bool is_open(const structure *s, int v)
{
    const flat_var *f = flat_at(s->flat, v);
    bool few = f->type == TYPE_BOOLEAN || f->type == TYPE_ENUM;
    if (s->vars[v].role != STRUCTURE_DISCRETE || s->vars[v].clock || !few || f->flags & FLAT_HIDDEN)
        return false;
    for (int k = 0; k < s->first.n; k++)
        if (s->first.at[k].block == v) return false;
    return !f->attr || f->attr->fixed != 1;
}

/* The elements of w that claims depend on, directly or through definitions. */
static bool *find_needed(const structure *s, arena *a)
{
    bool *needed = arena_array(a, bool, s->n_w + 1),
         *followed = arena_array(a, bool, s->discrete.n);
    expr *roots = arena_array(a, expr, 2 * (s->claims.n + s->discrete.n) + 1);
    int n = 0;
    for (int k = 0; k < s->claims.n; k++) {
        roots[n++] = s->claims.at[k].lhs;
        roots[n++] = s->claims.at[k].rhs;
    }
    for (bool more = true; more;) {
        more = false;
        int_array vars = expr_vars(s->pool, roots, n, a);
        for (int i = 0; i < vars.n; i++) {
            int at = expr_at(s->pool, vars.at[i])->u.var.index - s->n_flat;
            if (at >= 0 && at < s->n_w) needed[at] = true;
        }
        for (int k = 0; k < s->discrete.n; k++) {
            const structure_equation *e = &s->discrete.at[k];
            if (followed[k] || !needed[s->vars[e->block].place]) continue;
            followed[k] = more = true;
            roots[n++] = e->lhs;
            roots[n++] = e->rhs;
        }
    }
    return needed;
}

static void list_choices(const structure *s, arena *a, arena *scratch, image_claims *x)
{
    static const char *const logical[] = {"false", "true"};
    const bool *needed = find_needed(s, scratch);
    long all = 1;
    x->choices = arena_array(a, image_choice, OPEN_MAX);
    for (int v = 0; v < s->n_flat; v++) {
        if (!is_open(s, v) || !needed[s->vars[v].place + 1]) continue;
        const flat_var *f = flat_at(s->flat, v);
        image_choice c = {s->vars[v].place, 0, 2, flat_name_in(s->flat, v, a), logical};
        if (f->type == TYPE_ENUM) {
            const flat_enumeration *e = &s->flat->enums.at[f->decl->enum_id];
            c.lowest = 1;
            c.radix = e->n;
            c.values = e->literals;
        }
        if (x->n_choices == OPEN_MAX || (all *= c.radix) > CHOICES_MAX) {
            x->n_choices = 0;
            return;
        }
        x->choices[x->n_choices++] = c;
    }
}

void code_list_claims(const structure *s, arena *a, arena *scratch, image_claims *x)
{
    *x = (image_claims){.n = s->claims.n};
    if (!x->n) return;
    arena_mark here = arena_here(scratch);
    text t;
    text_init(&t, a->m);
    x->at = arena_array(a, image_claim, x->n);
    for (int k = 0; k < x->n; k++) {
        const structure_equation *e = &s->claims.at[k];
        expr_print(s->pool, e->lhs, EXPR_MODELICA, 60, &t);
        text_add(&t, " = ");
        expr_print(s->pool, e->rhs, EXPR_MODELICA, 60, &t);
        bool logical = expr_at(s->pool, e->lhs)->type == TYPE_BOOLEAN;
        x->at[k] = (image_claim){kept(a, &t), e->at, logical};
    }
    text_done(&t);
    list_choices(s, a, scratch, x);
    arena_release(scratch, here);
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct word_list {
    const structure *s;
    arena *a;
    dag d;
    text t;
    int_array vars;
} word_list;

/* Its parameters, and the first component that is of a medium. */
static void list_circumstances(word_list *x, image_equation *q)
{
    const structure *s = x->s;
    int of = -1;
    ARRAY(image_zero) zeros = {0};
    for (int k = 0; k < x->vars.n; k++) {
        int v = x->vars.at[k];
        if (v >= s->n_flat) continue;
        const flat_var *f = flat_at(s->flat, v);
        if (of < 0 && f->decl->package && strrchr(FLAT_NAME(s->flat, v), '.')) of = v;
        if (s->vars[v].role != STRUCTURE_PARAMETER || f->type != TYPE_REAL) continue;
        image_zero zero = {s->vars[v].place, flat_name_in(s->flat, v, x->a)};
        array_push(x->a, &zeros, zero);
    }
    q->zeros = zeros.at;
    q->n_zeros = zeros.n;
    if (of < 0) return;
    const char *name = FLAT_NAME(s->flat, of);
    text_printf(&x->t, "%.*s is of %s", (int)(strrchr(name, '.') - name), name,
                flat_at(s->flat, of)->decl->package);
    q->medium = kept(x->a, &x->t);
}

/* e is an equation of the structure, which may not be written out, or any other one. */
static image_equation say(word_list *x, const structure_equation *e)
{
    const structure *s = x->s;
    flat_slot slots[SHAPE_SLOTS];
    const expr_shape *shape = NULL;
    image_equation q = {0};
    x->vars.n = 0;
    if (e->lhs) {
        expr_print_equation(s->pool, e->lhs, e->rhs, SIDE_BYTES_MAX, &x->t);
        dag_vars(&x->d, e->lhs, &x->vars);
        dag_more_vars(&x->d, e->rhs, &x->vars);
        for (int k = 0; k < x->vars.n; k++)
            x->vars.at[k] = expr_at(s->pool, x->vars.at[k])->u.var.index;
    } else {
        structure_equation_short(s, (int)(e - s->equations.at), &x->t);
        shape = structure_slots(s, (int)(e - s->equations.at), slots);
        for (int k = 0; k < shape->n_slots; k++) array_push(x->d.a, &x->vars, slots[k].var);
    }
    q.text = kept(x->a, &x->t);
    list_circumstances(x, &q);
    return q;
}

static image_equation *say_all(word_list *x, const structure_equation *of, int n)
{
    image_equation *list = n > SAID_MAX ? NULL : arena_array(x->a, image_equation, n + 1);
    for (int i = 0; list && i < n; i++) list[i] = say(x, &of[i]);
    return list;
}

static image_derived *say_constraints(word_list *x)
{
    const structure *s = x->s;
    int n = s->constraints.n;
    image_derived *list = n > SAID_MAX ? NULL : arena_array(x->a, image_derived, n + 1);
    for (int k = 0; list && k < n; k++) {
        const structure_constraint *c = &s->constraints.at[k];
        structure_equation_text(s, c->equation, c->level, &x->t);
        list[k] = (image_derived){c->equation, c->level, kept(x->a, &x->t)};
    }
    return list;
}

void code_list_equations(const structure *s, arena *a, arena *scratch, image_equations *to)
{
    int n = s->equations.n;
    arena_mark here = arena_here(scratch);
    int *begin = arena_array(scratch, int, n + 1), *end = arena_array(scratch, int, n + 1);
    *to = (image_equations){.n = n, .n_derived = s->constraints.n};
    for (int i = 0; i < n; i++) {
        begin[i] = (int)s->equations.at[i].at.begin;
        end[i] = (int)s->equations.at[i].at.end;
    }
    to->begin = code_pack(begin, n, a, scratch);
    to->end = code_pack(end, n, a, scratch);
    ARRAY(structure_equation) conditions = {0};
    for (int k = 0; k < s->initial.n; k++) array_push(scratch, &conditions, s->initial.at[k]);
    for (int k = 0; k < s->surplus.n; k++) array_push(scratch, &conditions, s->surplus.at[k]);
    to->n_conditions = conditions.n;
    word_list x = {.s = s, .a = a};
    text_init(&x.t, a->m);
    dag_init(&x.d, s->pool, scratch);
    to->at = say_all(&x, s->equations.at, n);
    to->conditions = say_all(&x, conditions.at, conditions.n);
    to->derived = say_constraints(&x);
    text_done(&x.t);
    arena_release(scratch, here);
}
