/* Every place in the document where something is called by its name.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp.h"

typedef struct scope_of_iterator {
    const ast_iterators *list;
    const struct scope_of_iterator *outer;
} scope_of_iterator;

typedef struct walker {
    const lsp_world *w;
    ast_class *c;
    const scope_of_iterator *iterators;
    lsp_take_use *take;
    void *user;
    uint32_t only; // uses at this place are enough; 0: all
    bool enough;
    bool loose; // inside an annotation
} walker;

static const lsp_found NOBODY;

static bool is_iterator(const walker *k, sym name)
{
    for (const scope_of_iterator *s = k->iterators; s; s = s->outer)
        for (int i = 0; i < s->list->n; i++)
            if (s->list->at[i].name == name) return true;
    return false;
}

static bool is_elsewhere(const walker *k, span at)
{
    return k->only && (k->only < at.begin || k->only > at.end);
}

static void walk_expr(walker *k, const ast_expr *e);
static void walk_mod(walker *k, const ast_mod *m, lsp_found of);
static void walk_class(walker *k, ast_class *c);

static void walk_exprs(walker *k, ast_exprs list)
{
    for (int i = 0; i < list.n; i++) walk_expr(k, list.at[i]);
}

static void walk_ref(walker *k, const ast_ref *r, lsp_found of)
{
    for (int i = 0; i < r->n && !k->enough; i++) {
        bool iterator = !of.kind && !r->global && is_iterator(k, r->at[0].name);
        lsp_use u = {k->c, of, r, i, iterator, k->loose};
        k->enough = k->take(k->user, &u);
        walk_exprs(k, r->at[i].subs);
    }
}

static void walk_ident(walker *k, ast_ident name, lsp_found of)
{
    ast_part part = {name.name, name.at, {0}};
    ast_ref ref = {&part, 1, false, name.at};
    if (name.name && of.kind) walk_ref(k, &ref, of);
}

static void walk_iterators(walker *k, const ast_iterators *list)
{
    for (int i = 0; i < list->n; i++) walk_expr(k, list->at[i].range);
}

static void walk_call(walker *k, const ast_call *c)
{
    scope_of_iterator inner = {&c->iters, k->iterators};
    walk_ref(k, &c->f, NOBODY);
    walk_iterators(k, &c->iters);
    k->iterators = &inner;
    walk_exprs(k, c->args);
    bool named = c->n_named && c->f.n && !k->loose; // pictures have no declarations
    lsp_found f = named ? lsp_find_ref(k->w, k->c, &c->f, c->f.n - 1) : NOBODY;
    for (int i = 0; i < c->n_named && !k->enough; i++) {
        walk_ident(k, (ast_ident){c->named[i].name, c->named[i].at}, f);
        walk_expr(k, c->named[i].value);
    }
    k->iterators = inner.outer;
}

static void walk_expr(walker *k, const ast_expr *e)
{
    if (!e || k->enough) return;
    switch ((ast_expr_kind)e->kind) {
    case AST_REF: walk_ref(k, e->ref, NOBODY); break;
    case AST_UNARY: walk_expr(k, e->arg); break;
    case AST_CHAIN:
        for (int i = 0; i < e->chain.n; i++) walk_expr(k, e->chain.at[i]);
        break;
    case AST_IF:
        for (int i = 0; i < e->cond.n; i++) walk_expr(k, e->cond.tests[i]);
        for (int i = 0; i <= e->cond.n; i++) walk_expr(k, e->cond.values[i]);
        break;
    case AST_RANGE:
        walk_expr(k, e->range.first);
        walk_expr(k, e->range.step);
        walk_expr(k, e->range.last);
        break;
    case AST_ARRAY:
    case AST_TUPLE: walk_exprs(k, e->list); break;
    case AST_MATRIX:
        for (int i = 0; i < e->rows.n; i++) walk_exprs(k, e->rows.at[i]);
        break;
    case AST_COMPREHENSION:
    case AST_CALL:
    case AST_PARTIAL: walk_call(k, e->call); break;
    case AST_SELECT:
        walk_expr(k, e->select.base);
        walk_exprs(k, e->select.subs);
        break;
    default: break;
    }
}

/* Conditions of dialogs, pictures and the like name components. What they are given to does not matter. */
static void walk_annotation(walker *k, const ast_mod *m)
{
    if (!m || k->enough || is_elsewhere(k, m->span)) return;
    bool loose = k->loose;
    k->loose = true;
    for (int i = 0; i < m->args.n; i++)
        if (m->args.at[i].kind == AST_ARG_MOD) walk_annotation(k, m->args.at[i].mod);
    walk_expr(k, m->value);
    k->loose = loose;
}

static void walk_constraint(walker *k, const ast_constraint *c)
{
    if (!c) return;
    walk_ref(k, &c->type, NOBODY);
    walk_mod(k, c->mod, c->type.n ? lsp_find_ref(k->w, k->c, &c->type, c->type.n - 1) : NOBODY);
}

static void walk_component(walker *k, const ast_component *x)
{
    lsp_found self = {LSP_A_COMPONENT, k->c, x, x->name, x->at, x->comment};
    walk_ref(k, &x->type, NOBODY);
    walk_exprs(k, x->dims);
    walk_mod(k, x->mod, self);
    walk_expr(k, x->condition);
    walk_constraint(k, x->constraint);
    walk_annotation(k, x->annotation);
}

static void walk_arg(walker *k, const ast_arg *a, lsp_found of)
{
    if (a->kind == AST_ARG_ELEMENT && a->element->kind == AST_COMPONENT) {
        const ast_component *x = a->element->component;
        walk_ident(k, (ast_ident){x->name, x->at}, of);
        walk_component(k, x);
    } else if (a->kind == AST_ARG_ELEMENT && a->element->kind == AST_CLASS) {
        const ast_class *c = a->element->class_;
        walk_ident(k, (ast_ident){c->name, c->at}, of);
        if (c->body == AST_SHORT) walk_ref(k, &c->base, NOBODY);
        walk_mod(k, c->mod, c->base.n ? lsp_find_ref(k->w, k->c, &c->base, c->base.n - 1) : NOBODY);
    } else if (a->kind == AST_ARG_MOD && of.kind) {
        lsp_found member = of;
        walk_ref(k, &a->name, of);
        for (int i = 0; member.kind && i < a->name.n; i++)
            member = lsp_member(k->w, k->c, member, a->name.at[i].name);
        walk_mod(k, a->mod, member);
    }
}

static void walk_mod(walker *k, const ast_mod *m, lsp_found of)
{
    if (!m) return;
    for (int i = 0; i < m->args.n && !k->enough; i++) walk_arg(k, &m->args.at[i], of);
    walk_expr(k, m->value);
}

static void walk_stmts(walker *k, ast_stmts list)
{
    for (int i = 0; i < list.n && !k->enough; i++) {
        const ast_stmt *s = list.at[i];
        if (is_elsewhere(k, s->span)) continue;
        switch ((ast_stmt_kind)s->kind) {
        case AST_EQUATION:
        case AST_CONNECT:
        case AST_ASSIGN:
            walk_expr(k, s->pair.left);
            walk_expr(k, s->pair.right);
            break;
        case AST_CALL_STMT: walk_expr(k, s->call); break;
        case AST_IF_STMT:
        case AST_WHEN:
        case AST_WHILE:
            for (int b = 0; b < s->branches.n; b++) {
                walk_expr(k, s->branches.at[b].test);
                walk_stmts(k, s->branches.at[b].body);
            }
            break;
        case AST_FOR: {
            scope_of_iterator inner = {&s->loop.iters, k->iterators};
            walk_iterators(k, &s->loop.iters);
            k->iterators = &inner;
            walk_stmts(k, s->loop.body);
            k->iterators = inner.outer;
            break;
        }
        default: break;
        }
    }
}

static void walk_import(walker *k, const ast_import *m)
{
    ast_ref from_top = m->name;
    from_top.global = true;
    walk_ref(k, &from_top, NOBODY);
    lsp_found of = m->n_list ? lsp_find_ref(k->w, k->c, &from_top, from_top.n - 1) : NOBODY;
    for (int i = 0; i < m->n_list; i++) walk_ident(k, m->list[i], of);
}

static void walk_element(walker *k, const ast_element *e)
{
    if (e->kind == AST_IMPORT) walk_import(k, e->import);
    if (e->kind == AST_COMPONENT) walk_component(k, e->component);
    if (e->kind == AST_CLASS) walk_class(k, e->class_);
    if (e->kind != AST_EXTENDS) return;
    const ast_ref *type = &e->extends->type;
    walk_ref(k, type, NOBODY);
    walk_mod(k, e->extends->mod, type->n ? lsp_find_ref(k->w, k->c, type, type->n - 1) : NOBODY);
}

static void walk_class(walker *k, ast_class *c)
{
    ast_class *outer = k->c;
    if (is_elsewhere(k, c->span)) return;
    c = lang_whole(c);
    if (!c) return;
    if (c->body == AST_SHORT || c->body == AST_DER) {
        if (!outer) k->c = lsp_class_around(k->w, c);
        walk_ref(k, &c->base, NOBODY);
        walk_mod(k, c->mod, c->base.n ? lsp_find_ref(k->w, k->c, &c->base, c->base.n - 1) : NOBODY);
    }
    if (c->constraint && outer) walk_constraint(k, c->constraint);
    k->c = c;
    for (int i = 0; i < c->n_elements && !k->enough; i++) walk_element(k, c->elements[i]);
    for (int i = 0; i < c->n_sections && !k->enough; i++) walk_stmts(k, c->sections[i].body);
    if (c->external) walk_exprs(k, c->external->args);
    walk_annotation(k, c->annotation);
    k->c = outer;
}

bool lsp_each_use(const lsp_world *w, uint32_t only, lsp_take_use *take, void *user)
{
    walker k = {.w = w, .take = take, .user = user, .only = only};
    for (int i = 0; i < w->file->n_classes && !k.enough; i++) walk_class(&k, w->file->classes[i]);
    return k.enough;
}

lsp_found lsp_use_found(const lsp_world *w, const lsp_use *u)
{
    if (u->iterator) return (lsp_found){.kind = LSP_AN_ITERATOR, .name = u->ref->at[0].name};
    if (!u->of.kind) return lsp_find_ref(w, u->c, u->ref, u->k);
    lsp_found f = u->of;
    for (int i = 0; f.kind && i <= u->k; i++) f = lsp_member(w, u->c, f, u->ref->at[i].name);
    return f;
}

static ast_class *innermost(ast_class *c, uint32_t offset)
{
    if (!(offset >= c->span.begin && offset <= c->span.end) || !lang_whole(c)) return NULL;
    for (int i = 0; i < c->n_elements; i++) {
        ast_class *inner =
            c->elements[i]->kind == AST_CLASS ? innermost(c->elements[i]->class_, offset) : NULL;
        if (inner) return inner;
    }
    return c;
}

ast_class *lsp_class_at(const lsp_world *w, uint32_t offset)
{
    for (int i = 0; i < w->file->n_classes; i++) {
        ast_class *c = innermost(w->file->classes[i], offset);
        if (c) return c;
    }
    return NULL;
}
