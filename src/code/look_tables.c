/* What is said of variables in results, their limits, and what is said of the whole model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/look_tables.h"
#include "base/map.h"
#include "code/model.h"
#include "code/pack.h"

#include <math.h>
#include <string.h>

/* ---- the whole ------------------------------------------------------------------------------- */

image_about code_about(const flat_model *m)
{
    const flat_experiment *e = &m->experiment;
    return (image_about){m->name,     e->start,  e->stop,        e->tolerance,
                         e->interval, e->method, e->formulation, e->linear};
}

static const char *open_connectors(const structure *s, arena *a, arena *scratch)
{
    text words;
    text_init(&words, a->m);
    bool any = structure_list_open(s, scratch, &words);
    const char *x = any ? arena_strndup(a, text_str(&words), words.n) : NULL;
    text_done(&words);
    return x;
}

image_summary code_summary(const form_system *f, arena *a, arena *scratch)
{
    const structure *s = f->s;
    return (image_summary){.formulation = f->kind->name,
                           .formulation_summary = f->kind->summary,
                           .drifts = f->kind->drifts,
                           .conserves = s->flat->kinetic && !s->flat->driven,
                           .n_unknowns = s->n_unknowns_written,
                           .freedom = s->freedom,
                           .open = open_connectors(s, a, scratch),
                           .decay = f->decay};
}

/* ---- variables ------------------------------------------------------------------------------- */

typedef struct look_list {
    lowering *l;
    map same, bounds_same, output_of; // by what a look says, by limits, by expression: number + 1
    ARRAY(image_look) looks;
    ARRAY(image_bounds) bounds;
    ARRAY(expr) roots;
    ARRAY(span) at;
} look_list;

/* Nothing is held against others: they are no limits of the whole run. */
static bool of_parameters(const look_list *x, expr e)
{
    const structure *s = x->l->s;
    int_array all = expr_reach(x->l->p, &e, 1, x->l->scratch);
    for (int k = 0; k < all.n; k++) {
        const expr_node *n = expr_at(x->l->p, all.at[k]);
        int v = n->u.var.index;
        if (n->op == EXPR_TIME) return false;
        if (n->op == EXPR_VAR &&
            (v >= s->n_flat || n->u.var.order || s->vars[v].role != STRUCTURE_PARAMETER))
            return false;
    }
    return true;
}

static image_bound bound_of(look_list *x, expr e, span at)
{
    image_bound b = {NAN, -1};
    if (!e || expr_number(x->l->p, e, &b.number) || !of_parameters(x, e)) return b;
    uint64_t *output = map_put(&x->output_of, (uint64_t)e);
    if (!*output) {
        array_push(x->l->scratch, &x->roots, e);
        array_push(x->l->scratch, &x->at, at);
        *output = (uint64_t)x->roots.n;
    }
    b.output = (int)*output - 1;
    return b;
}

/* Their number; -1: there are none. */
static int bounds_of(look_list *x, const flat_var *f)
{
    bool any = f->attr && (f->attr->min || f->attr->max) && f->variability > FLAT_PARAMETER &&
               (f->type == TYPE_REAL || f->type == TYPE_INTEGER);
    if (!any) return -1;
    span at = f->decl->at;
    image_bounds b = {bound_of(x, f->attr->min, at), bound_of(x, f->attr->max, at), at};
    const double key[] = {b.min.number, b.min.output, b.max.number, b.max.output, at.begin, at.end};
    uint64_t *number = map_put(&x->bounds_same, hash_bytes(key, sizeof key));
    if (!*number) {
        array_push(x->l->scratch, &x->bounds, b);
        *number = (uint64_t)x->bounds.n;
    }
    return (int)*number - 1;
}

static uint64_t hash_text(const char *words)
{
    return words ? hash_bytes(words, strlen(words)) : 0;
}

static int look_of(look_list *x, const flat_var *f)
{
    const char *unit = f->attr ? f->attr->unit : NULL, *comment = f->decl->comment;
    image_look q = {.unit = unit ? unit : "",
                    .comment = comment ? comment : "",
                    .display = f->attr ? f->attr->display_unit : NULL,
                    .type = f->type == TYPE_ENUM ? f->decl->enum_id : -1,
                    .bounds = bounds_of(x, f)};
    const uint64_t key[] = {hash_text(q.unit), hash_text(q.comment), hash_text(q.display),
                            (uint64_t)q.type, (uint64_t)q.bounds};
    uint64_t *number = map_put(&x->same, hash_bytes(key, sizeof key));
    if (!*number) {
        array_push(x->l->scratch, &x->looks, q);
        *number = (uint64_t)x->looks.n;
    }
    return (int)*number - 1;
}

static void list_enumerations(lowering *l, image_looks *to)
{
    const flat_model *m = l->s->flat;
    to->n_enumerations = m->enums.n;
    to->enumerations = arena_array(l->a, image_enumeration, m->enums.n + 1);
    for (int k = 0; k < m->enums.n; k++)
        to->enumerations[k] =
            (image_enumeration){m->enums.at[k].n, (const char **)m->enums.at[k].literals};
}

/* What was gathered, in as much memory as it takes. */
static void *kept(arena *a, const void *list, size_t bytes)
{
    void *x = arena_alloc(a, bytes + 1);
    return bytes ? memcpy(x, list, bytes) : x;
}

bool code_lower_looks(lowering *l, image_looks *to)
{
    const flat_vars *vars = &l->s->flat->vars;
    arena_mark here = arena_here(l->scratch);
    look_list x = {.l = l};
    map *maps[] = {&x.same, &x.bounds_same, &x.output_of};
    for (int k = 0; k < 3; k++) map_init(maps[k], l->scratch);
    int *of_record = arena_array(l->scratch, int, vars->records.n + 1); // + 1; 0: not known yet
    int *of = arena_array(l->scratch, int, vars->n + 1);
    for (int v = 0; v < vars->n; v++) {
        int *look = &of_record[vars->of.at[v]];
        if (!*look) *look = look_of(&x, flat_vars_at(vars, v)) + 1;
        of[v] = *look - 1;
    }
    list_enumerations(l, to);
    to->n = x.looks.n;
    to->list = kept(l->a, x.looks.at, (size_t)x.looks.n * sizeof *to->list);
    to->n_bounds = x.bounds.n;
    to->bounds = kept(l->a, x.bounds.at, (size_t)x.bounds.n * sizeof *to->bounds);
    to->of = code_pack(of, vars->n, l->a, l->scratch);
    l->parameters = true;
    code_listed computed = {"limits", "this limit", CODE_SELDOM, &to->computed};
    bool ok = code_function(l, &computed, x.roots.at, x.at.at, x.roots.n);
    l->parameters = false;
    arena_release(l->scratch, here);
    return ok;
}
