/* Components that are instantiated together.
 *
 * A grid has a thousand lines of one class that differ in numbers only. The components of a model or
 * block that have one type, the same prefixes and modifications of the same names are one node, as
 * the elements of an array of components are: each keeps a node that says which element it is, and
 * what is found below, types, sizes, modifications, references, plans of equations, is found once.
 * Where modifications give other values to another component, those are looked up by the expression
 * that the first one has in their place.
 *
 * What decides the structure is evaluated for every component, and if it comes out different, or
 * anything is reported, the model is flattened again, with less in common or with nothing
 * (flatten.c). So it is decided by the text alone what may be held together, and wrongly deciding
 * costs time only. Numbers of variables, equations and their order are those of single components.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

/* ---- what components have in common ---------------------------------------------------------- */

static const char *family_text(const flat_builder *b, span at, size_t *n)
{
    const source *src = source_of(&b->lib->sources, at.begin);
    *n = at.end - at.begin;
    return src ? src->text + (at.begin - src->base) : NULL;
}

static bool same_text(const flat_builder *b, span x, span y)
{
    size_t n, m;
    const char *s = family_text(b, x, &n), *t = family_text(b, y, &m);
    return s && t && n == m && !memcmp(s, t, n);
}

static uint64_t text_hash(const flat_builder *b, span at)
{
    size_t n;
    const char *s = family_text(b, at, &n);
    return s ? hash_bytes(s, n) : 0;
}

/* May the value differ between components that are held together? One that decides about structure
 * most likely may not. */
static bool may_differ(const flat_builder *b, const ast_expr *e, sym name)
{
    if (e->kind == AST_BOOLEAN || e->kind == AST_STRING || name == b->inst->s_fixed) return false;
    if (b->inst->sharing == INST_SHARE_ALL) return true;
    const ast_expr *x = e->kind == AST_UNARY ? e->arg : e;
    return x->kind == AST_REAL;
}

static uint64_t mod_hash(const flat_builder *b, const ast_mod *m, sym name)
{
    uint64_t h = 1;
    if (!m) return 0;
    for (int i = 0; i < m->args.n; i++) {
        const ast_arg *a = &m->args.at[i];
        h = hash_u64(h ^ (uint64_t)(a->kind | a->each << 4 | a->final << 5));
        if (a->kind != AST_ARG_MOD) {
            h = hash_u64(h ^ text_hash(b, a->span));
            continue;
        }
        for (int k = 0; k < a->name.n; k++) h = hash_u64(h ^ map_key(a->name.at[k].name));
        h = hash_u64(h ^ mod_hash(b, a->mod, a->name.at[a->name.n - 1].name));
    }
    if (m->value)
        h = hash_u64(h + (may_differ(b, m->value, name) ? 2 : text_hash(b, m->value->span)));
    return h;
}

static bool same_path(const ast_ref *x, const ast_ref *y)
{
    bool same = x->n == y->n && x->global == y->global;
    for (int i = 0; same && i < x->n; i++)
        same = x->at[i].name == y->at[i].name && !x->at[i].subs.n && !y->at[i].subs.n;
    return same;
}

static bool same_mod(const flat_builder *b, const ast_mod *x, const ast_mod *y, sym name)
{
    if (!x || !y) return x == y;
    if (x->args.n != y->args.n || x->is_break != y->is_break || !x->value != !y->value)
        return false;
    for (int i = 0; i < x->args.n; i++) {
        const ast_arg *a = &x->args.at[i], *c = &y->args.at[i];
        if (a->kind != c->kind || a->each != c->each || a->final != c->final) return false;
        if (a->kind != AST_ARG_MOD) {
            if (!same_text(b, a->span, c->span)) return false;
        } else if (!same_path(&a->name, &c->name) ||
                   !same_mod(b, a->mod, c->mod, a->name.at[a->name.n - 1].name)) {
            return false;
        }
    }
    if (!x->value) return true;
    if (!may_differ(b, x->value, name)) return same_text(b, x->value->span, y->value->span);
    return may_differ(b, y->value, name);
}

/* ---- which components may be held together --------------------------------------------------- */

static bool is_overridden(const flat_builder *b, sym name)
{
    for (int i = 0; i < b->inst->n_overrides; i++)
        if (strstr(b->inst->overrides[i].name, name)) return true;
    return false;
}

/* A plain component of a model or block, of which nothing is said from outside. */
static bool may_share(flat_builder *b, const inst_node *n)
{
    const inst_element *el = n->element;
    const ast_component *d = n->decl;
    if (n->kind != NODE_STUB || n->state != INST_NEW || n->declared || !el || el->node != n)
        return false;
    if (d->dims.n || d->condition || d->constraint || d->variability || d->causality || d->flow)
        return false;
    if ((el->flags & ~AST_PROTECTED) || is_overridden(b, n->name)) return false;
    arena_mark mark = arena_here(b->scratch);
    bool said = inst_sub_in(b->scratch, el->owner->env, n->name, n->parent).n != 0;
    arena_release(b->scratch, mark);
    return !said;
}

/* Of a model or block: those have no value, and are no end of a connection. */
static bool has_parts(flat_builder *b, const inst_node *n)
{
    inst_class *type = inst_try_class(b, n->decl_at, &n->decl->type);
    if (!type || type->ast->body != AST_LONG) return false;
    int r = type->ast->restriction;
    return r == AST_R_MODEL || r == AST_R_BLOCK || r == AST_R_CLASS;
}

static bool same_component(const flat_builder *b, const inst_node *x, const inst_node *y)
{
    return x->decl_at == y->decl_at && x->element->flags == y->element->flags &&
           same_path(&x->decl->type, &y->decl->type) &&
           same_mod(b, x->decl->mod, y->decl->mod, NULL);
}

typedef struct candidates {
    ARRAY(inst_node *) at;
    struct candidates *next; // of equal hash
} candidates;

/* ---- making them ----------------------------------------------------------------------------- */

/* Values in which component k differs from the first. */
static void note_values(flat_builder *b, inst_family *f, int k, const ast_mod *x, const ast_mod *y)
{
    for (int i = 0; x && i < x->args.n; i++)
        if (x->args.at[i].kind == AST_ARG_MOD)
            note_values(b, f, k, x->args.at[i].mod, y->args.at[i].mod);
    if (!x || !x->value || same_text(b, x->value->span, y->value->span)) return;
    uint64_t *slot = map_put(&f->values, map_key(x->value));
    const ast_expr **all = (const ast_expr **)(uintptr_t)*slot;
    if (!all) {
        all = arena_array(b->front, const ast_expr *, f->n);
        for (int i = 0; i < f->n; i++) all[i] = x->value;
        *slot = map_key(all);
    }
    all[k] = y->value;
}

static void family_make(flat_builder *b, const candidates *c)
{
    inst_family *f = arena_new(b->front, inst_family);
    const inst_node *first = c->at.at[0];
    f->n = c->at.n;
    f->members = c->at.at;
    f->first = arena_array(b->front, int, f->n);
    map_init(&f->values, b->front);
    inst_node *n = f->node = inst_new_node(b, first->name, first->parent);
    n->element = first->element;
    n->decl = first->decl;
    n->decl_at = first->decl_at;
    n->family = f;
    n->size = f->n;
    for (int k = 0; k < f->n; k++) {
        inst_node *m = f->members[k];
        if (k) note_values(b, f, k, first->decl->mod, m->decl->mod);
        m->kind = NODE_MEMBER;
        m->target = n;
        m->index = k;
    }
    b->inst->n_families++;
}

void inst_share(flat_builder *b, inst_node *of)
{
    bool whole = of->total == 1 && !of->family && !of->is_record && !of->is_connector;
    if (!b->inst->sharing || of->children.n < INST_FAMILY_LEAST || !whole || of->in_bus) return;
    map groups;
    ARRAY(candidates *) all = {0};
    map_init(&groups, b->front);
    for (int i = 0; i < of->children.n; i++) {
        inst_node *n = of->children.at[i];
        if (!may_share(b, n)) continue;
        uint64_t h = mod_hash(b, n->decl->mod, NULL);
        for (int k = 0; k < n->decl->type.n; k++)
            h = hash_u64(h ^ map_key(n->decl->type.at[k].name));
        uint64_t *slot = map_put(&groups, h);
        candidates *c = (candidates *)(uintptr_t)*slot;
        while (c && !same_component(b, c->at.at[0], n)) c = c->next;
        if (!c) {
            c = arena_new(b->front, candidates);
            c->next = (candidates *)(uintptr_t)*slot;
            *slot = map_key(c);
            array_push(b->front, &all, c);
        }
        array_push(b->front, &c->at, n);
    }
    const diag *last = b->diags->last;
    for (int i = 0; i < all.n; i++)
        if (all.at[i]->at.n >= INST_FAMILY_LEAST && has_parts(b, all.at[i]->at.at[0]))
            family_make(b, all.at[i]);
    if (b->diags->last != last) inst_apart(b, false); // said out of turn
}

bool inst_apart(flat_builder *b, bool helps)
{
    struct inst *in = b->inst;
    in->apart = true;
    in->next = helps && in->sharing == INST_SHARE_ALL ? INST_SHARE_REAL : INST_SHARE_NONE;
    return false;
}

/* ---- asking them ----------------------------------------------------------------------------- */

static int member_of(const inst_node *n, int e)
{
    return n->family && n->total ? e / (n->total / n->family->n) : 0;
}

const ast_expr *inst_layer_expr(const inst_layer *l, const inst_node *n, int e)
{
    const ast_expr *x = l->mod->value;
    uint64_t *slot = l->family ? map_find(&l->family->values, map_key(x)) : NULL;
    return slot ? ((const ast_expr **)(uintptr_t)*slot)[member_of(n, e)] : x;
}

int inst_var(const inst_node *n, int e)
{
    if (!n->family) return n->var + e;
    int each = n->total / n->family->n;
    return n->family->first[e / each] + n->var + e % each;
}

void inst_elements(const inst_node *n, int member, int *first, int *last)
{
    int each = member < 0 ? n->total : n->total / n->family->n;
    *first = member < 0 ? 0 : member * each;
    *last = *first + each;
}

void inst_set_structural(flat_builder *b, inst_node *n, int e, bool yes)
{
    if (!n->family) {
        n->structural = yes;
        return;
    }
    if (!n->structural_of) n->structural_of = arena_array(b->front, bool, n->total);
    n->structural_of[e] = yes;
}

bool inst_is_structural(const inst_node *n, int e)
{
    return n->family ? n->structural_of && n->structural_of[e] : n->structural;
}
