/* Class instances: base classes, redeclared classes, type aliases.
 *
 * Expanding a class finds its base classes and makes each a part of it: the same text seen with the
 * modifications of the extends clause in front of its own. A component of the class has one
 * instance whose parts share its elements; a name used in a part is looked up in that part
 * (Modelica Language Specification 3.6, sections 5.3 and 7.1).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

inst_class *inst_new_class(flat_builder *b, ast_class *ast, inst_class *parent, inst_env env)
{
    inst_class *c = arena_new(b->front, inst_class);
    lang_whole(ast); // its errors are reported, and end the flattening
    c->ast = ast;
    c->parent = parent ? parent : b->inst->top; // NULL for the top itself
    c->root = c;
    c->env = env;
    map_init(&c->elements, b->front);
    map_init(&c->names, b->front);
    return c;
}

inst_env inst_rebase(flat_builder *b, inst_env env, inst_node *base)
{
    if (!env.n) return env;
    inst_layer *at = arena_array(b->front, inst_layer, env.n);
    for (int i = 0; i < env.n; i++) {
        at[i] = env.at[i];
        at[i].base = base;
    }
    return (inst_env){at, env.n};
}

/* Modifications of the class itself count for every element of an array of its components. */
static inst_class *class_instance(flat_builder *b, const inst_class *cls, inst_node *self,
                                  inst_env outer)
{
    inst_env own = inst_rebase(b, cls->env, self);
    inst_class *c = inst_new_class(b, cls->ast, cls->parent, inst_join(b, outer, own));
    c->under = inst_rebase(b, cls->under, self);
    c->extended = cls->extended;
    c->extended_env = cls->extended_env;
    return c;
}

inst_class *inst_instance(flat_builder *b, inst_class *cls, inst_node *self, inst_env outer)
{
    inst_class *c = class_instance(b, cls, self, outer);
    c->self = self;
    c->of = cls;
    return c;
}

/* ---- base classes ---------------------------------------------------------------------------- */

static bool class_report_cycle(flat_builder *b, const inst_class *derived, const ast_class *base,
                               span at)
{
    for (const inst_class *d = derived; d; d = d->derived) {
        if (d->ast != base) continue;
        if (d == derived) diag_error(b->diags, "M120", at, "'%s' extends itself", base->name);
        else
            diag_error(b->diags, "M120", at,
                       "'%s' extends '%s', which already extends it; break the cycle",
                       derived->ast->name, base->name);
        for (const inst_class *k = derived; k != d && k; k = k->derived)
            diag_note(b->diags, k->ast->at, "'%s' is part of the cycle", k->ast->name);
        return true;
    }
    return false;
}

static inst_class *make_base(flat_builder *b, inst_class *derived, const inst_class *found,
                             inst_env env, span at)
{
    if (!found || class_report_cycle(b, derived, found->ast, at)) return NULL;
    int depth = 0;
    for (const inst_class *d = derived; d; d = d->derived) depth++;
    if (depth > FLAT_MAX_DEPTH) {
        diag_error(b->diags, "M121", at, "more than %d classes extend each other", FLAT_MAX_DEPTH);
        return NULL;
    }
    inst_class *base = class_instance(b, found, derived->root->self, env);
    base->derived = derived;
    base->root = derived->root;
    return base;
}

bool inst_declared_twice(flat_builder *b, ast_class *c, const ast_element *e)
{
    sym name = lang_element_name(e);
    const ast_element *first = name ? lang_element(c, name) : e;
    if (first == e) return false;
    diag_error(b->diags, "M105", e->kind == AST_CLASS ? e->class_->at : e->component->at,
               "'%s' is declared twice in '%s'", name, c->name);
    diag_note(b->diags, first->span, "the first declaration is here");
    return true;
}

bool inst_redeclares(const ast_element *e)
{
    return (e->flags & AST_REDECLARE) != 0;
}

static bool has_redeclarations(const ast_class *c)
{
    for (int i = 0; i < c->n_elements; i++)
        if (inst_redeclares(c->elements[i])) return true;
    return false;
}

/* What reaches a base class: all that reaches the derived class, its redeclarations, then the
 * modification of the extends clause, and of a short class those of its constraining clause. */
static inst_env base_env(flat_builder *b, inst_class *c, const ast_mod *mod, inst_class *mod_at)
{
    inst_env env = c->env;
    inst_node *self = c->root->self;
    if (c->ast->body != AST_SHORT && has_redeclarations(c->ast))
        env = inst_append(b, env, (inst_layer){.redeclares = c, .at = c, .base = self});
    int dims = c->ast->body == AST_SHORT ? c->ast->dims.n : 0;
    uint16_t tail = dims < UINT16_MAX ? (uint16_t)dims : UINT16_MAX; // no variable has as many
    if (mod)
        env =
            inst_append(b, env, (inst_layer){.mod = mod, .at = mod_at, .base = self, .tail = tail});
    return inst_join(b, env, c->under);
}

static inst_class *class_redeclared(flat_builder *b, inst_element *el, inst_env env);

/* class extends A: the class that `extended` would be without this redeclaration. */
static inst_class *extended_class(flat_builder *b, inst_class *c)
{
    if (c->extended) return class_redeclared(b, c->extended, c->extended_env);
    inst_element *el = NULL;
    inst_class *p = c->parent;
    if (p && inst_expand(b, p))
        for (int i = 0; i < p->n_bases && !el; i++)
            if (p->bases[i]) el = inst_find(b, p->bases[i], c->ast->name);
    if (!el || !el->class_) {
        diag_error(b->diags, "M122", c->ast->at,
                   "'class extends %s' needs an inherited class of that name", c->ast->name);
        return NULL;
    }
    return class_redeclared(b, el, (inst_env){0});
}

static bool expand_long(flat_builder *b, inst_class *c)
{
    ast_class *a = c->ast;
    int n = a->body == AST_CLASS_EXTENDS, k = 0;
    for (int i = 0; i < a->n_elements; i++) n += a->elements[i]->kind == AST_EXTENDS;
    c->bases = arena_array(b->front, inst_class *, n ? n : 1);
    c->n_bases = n;
    bool ok = true;
    if (a->body == AST_CLASS_EXTENDS) {
        inst_class *found = extended_class(b, c);
        c->bases[k] = make_base(b, c, found, base_env(b, c, a->mod, c), a->at);
        ok = c->bases[k++] != NULL;
    }
    for (int i = 0; i < a->n_elements; i++) {
        if (a->elements[i]->kind != AST_EXTENDS) continue;
        const ast_extends *e = a->elements[i]->extends;
        inst_class *found = inst_lookup_class(b, c, &e->type, true);
        inst_class *base = make_base(b, c, found, base_env(b, c, e->mod, c), e->type.span);
        if (base) base->breaks = e->mod;
        if (base) base->hidden = (a->elements[i]->flags & AST_PROTECTED) != 0;
        c->bases[k++] = base;
        ok = base && ok;
    }
    return ok;
}

bool inst_expand(flat_builder *b, inst_class *c)
{
    if (c->state == INST_READY) return true;
    if (c->state == INST_BAD) return false;
    if (c->state == INST_BUSY) return true; // its own text can be searched already
    c->state = INST_BUSY;
    bool ok = true;
    if (++b->depth > FLAT_MAX_DEPTH) {
        diag_error(b->diags, "M121", c->ast->at, "classes refer to each other more than %d deep",
                   FLAT_MAX_DEPTH);
        ok = false;
    } else if (c->ast->body == AST_SHORT) {
        c->bases = arena_array(b->front, inst_class *, 1);
        c->n_bases = 1;
        inst_class *found = inst_lookup_class(b, c->parent, &c->ast->base, false);
        c->bases[0] =
            make_base(b, c, found, base_env(b, c, c->ast->mod, c->parent), c->ast->base.span);
        ok = c->bases[0] != NULL;
    } else if (c->ast->body == AST_LONG || c->ast->body == AST_CLASS_EXTENDS) {
        ok = expand_long(b, c);
    }
    b->depth--;
    c->state = ok ? INST_READY : INST_BAD;
    if (ok) b->verbs->use_class(b, c);
    // Modifications in extends clauses name elements that exist.
    for (int i = 0; ok && i < c->n_bases; i++) {
        inst_class *base = c->bases[i];
        const ast_mod *mod = c->ast->body == AST_SHORT ? c->ast->mod : base->breaks;
        inst_layer own = {.mod = mod, .at = c};
        if (mod && inst_expand(b, base) && !inst_primitive_of(b, base)->kind)
            inst_check_names(b, (inst_env){&own, 1}, base);
    }
    return ok;
}

/* ---- elements -------------------------------------------------------------------------------- */

static inst_element *new_element(flat_builder *b, inst_class *owner, sym name)
{
    inst_element *el = arena_new(b->front, inst_element);
    el->name = name;
    el->owner = owner;
    return el;
}

static inst_element *own_element(flat_builder *b, inst_class *c, sym name)
{
    ast_element *e = lang_element(c->ast, name);
    inst_element *el = NULL;
    if (e) {
        el = new_element(b, c, name);
        el->flags = e->flags;
        if (e->kind == AST_COMPONENT) el->comp = e->component;
        else el->class_ = e->class_;
    } else if (c->ast->dir) {
        ast_class *k = lang_child(b->lib, c->ast, name);
        if (!k) return NULL;
        el = new_element(b, c, name);
        el->flags = k->flags;
        el->class_ = k;
    }
    return el;
}

inst_element *inst_find(flat_builder *b, inst_class *c, sym name)
{
    uint64_t *slot = map_find(&c->elements, map_key(name));
    if (slot) return (inst_element *)(uintptr_t)*slot;
    if (c->state == INST_NEW) inst_expand(b, c);
    inst_element *el = own_element(b, c, name);
    const ast_element *own = el ? lang_element(c->ast, name) : NULL;
    bool inherited = !el || (own && inst_redeclares(own));
    for (int i = 0; inherited && i < c->n_bases; i++) {
        if (c->state == INST_BUSY || !c->bases[i] || inst_is_broken(c->bases[i]->breaks, name))
            continue;
        inst_element *found = inst_find(b, c->bases[i], name);
        if (!found) continue;
        el = found;
        if (c->bases[i]->hidden) el->flags |= AST_PROTECTED; // it is of this class alone
        break;
    }
    // While base classes are being found, only what the class declares itself is certain.
    if (c->state != INST_BUSY || !inherited) *map_put(&c->elements, map_key(name)) = map_key(el);
    return el;
}

/* Modifications of constraining clauses hold for the class declared and for what replaces it;
 * those of a short class override them (Modelica Language Specification 3.6, section 7.3.2). */
static inst_class *constrained_class(flat_builder *b, ast_class *ast, inst_class *parent,
                                     inst_env env, inst_env limits)
{
    if (ast->body != AST_SHORT) env = inst_join(b, env, limits);
    inst_class *made = inst_new_class(b, ast, parent, env);
    if (ast->body == AST_SHORT) made->under = limits;
    return made;
}

/* The class of an element when these modifications reach it: the outermost redeclaration, with what
 * stands around it. */
static inst_class *class_redeclared(flat_builder *b, inst_element *el, inst_env env)
{
    int k = 0;
    while (k < env.n && !(env.at[k].element && env.at[k].element->kind == AST_CLASS)) k++;
    if (k == env.n) {
        const ast_constraint *c = el->class_->constraint;
        inst_layer own = {.mod = c ? c->mod : NULL, .at = el->owner, .soft = true};
        inst_env limits = own.mod ? inst_append(b, (inst_env){0}, own) : (inst_env){0};
        return constrained_class(b, el->class_, el->owner, env, limits);
    }
    const inst_layer *l = &env.at[k];
    ast_class *ast = l->element->class_;
    inst_env outer = {env.at, k}, inner = {env.at + k + 1, env.n - k - 1}, limits = {0};
    if (ast->body != AST_CLASS_EXTENDS) { // that extends the class that has them
        limits = inst_constraints(b, el, (inst_env){env.at + k, env.n - k}, NULL);
        outer = inst_join(b, outer, inst_without_redeclarations(b, inner));
    }
    inst_class *made = constrained_class(b, ast, l->at, outer, limits);
    made->extended = el;
    made->extended_env = inner;
    return made;
}

/* outer function f: the class of that name declared inner around the component. */
static inst_class *inner_class(flat_builder *b, const inst_element *el)
{
    const inst_node *n = el->owner->root->self;
    for (n = n ? inst_around(n) : NULL; n; n = inst_around(n)) {
        if (!n->cls || n->kind == NODE_SPLIT) continue;
        inst_element *found = inst_find(b, n->cls, el->name);
        if (found && found->class_ && (found->flags & AST_INNER) && found != el)
            return inst_element_class(b, found);
    }
    return NULL;
}

inst_class *inst_element_class(flat_builder *b, inst_element *el)
{
    if (el->cls || !el->class_) return el->cls;
    if ((el->flags & AST_OUTER) && (el->cls = inner_class(b, el))) return el->cls;
    inst_class *owner = el->owner;
    inst_env env = inst_sub(b, owner->env, el->name, owner->root->self);
    return el->cls = class_redeclared(b, el, env);
}

inst_class *inst_handle(flat_builder *b, ast_class *ast)
{
    if (!ast->parent) {
        uint64_t *slot = map_put(&b->inst->globals, map_key(ast));
        if (!*slot) {
            inst_class *made = inst_new_class(b, ast, NULL, (inst_env){0});
            slot = map_put(&b->inst->globals, map_key(ast));
            *slot = map_key(made);
        }
        return (inst_class *)(uintptr_t)*slot;
    }
    inst_class *parent = inst_handle(b, ast->parent);
    inst_element *el = parent ? inst_find(b, parent, ast->name) : NULL;
    return el && el->class_ == ast ? inst_element_class(b, el)
                                   : inst_new_class(b, ast, parent, (inst_env){0});
}

/* ---- what a class comes to ------------------------------------------------------------------- */

static predefined predefined_of(const flat_builder *b, const ast_class *ast)
{
    for (int k = PRE_REAL; k <= PRE_EXTERNAL; k++)
        if (b->inst->predefined[k] == ast) return (predefined)k;
    return PRE_NONE;
}

static uint8_t primitive_expr_type(predefined k)
{
    switch (k) {
    case PRE_INTEGER: return TYPE_INTEGER;
    case PRE_BOOLEAN: return TYPE_BOOLEAN;
    case PRE_STRING: return TYPE_STRING;
    case PRE_ENUM: return TYPE_ENUM;
    case PRE_CLOCK: return TYPE_CLOCK;
    case PRE_EXTERNAL: return TYPE_OBJECT;
    default: return TYPE_REAL;
    }
}

/* An enumeration with the same literals in the same order, which is the same type (section 6.7);
 * -1: none yet. */
static int enum_like(const flat_builder *b, const ast_class *ast)
{
    for (int k = 0; k < b->m->enums.n; k++) {
        const flat_enumeration *e = &b->m->enums.at[k];
        bool same = e->n == ast->n_literals;
        for (int i = 0; same && i < e->n; i++) same = e->literals[i] == ast->literals[i].name;
        if (same) return k;
    }
    return -1;
}

/* The number of an enumeration in m->enums. */
static int enum_number(flat_builder *b, inst_class *c)
{
    uint64_t *slot = map_find(&b->inst->enum_ids, map_key(c->ast));
    if (slot) return (int)*slot - 1;
    int like = enum_like(b, c->ast);
    if (like >= 0) {
        *map_put(&b->inst->enum_ids, map_key(c->ast)) = (uint64_t)like + 1;
        return like;
    }
    sym *literals = arena_array(b->model, sym, c->ast->n_literals + 1);
    for (int i = 0; i < c->ast->n_literals; i++) literals[i] = c->ast->literals[i].name;
    bool local = c->ast->parent && c->ast->parent == b->inst->root_ast;
    const char *name = local ? c->ast->name : inst_name(b, c);
    flat_enumeration e = {inst_plain_name(b, name), c->ast->n_literals, literals};
    array_push(b->model, &b->m->enums, e);
    *map_put(&b->inst->enum_ids, map_key(c->ast)) = (uint64_t)b->m->enums.n;
    return b->m->enums.n - 1;
}

/* The number of a class of external objects in m->objects. */
static int object_number(flat_builder *b, inst_class *c)
{
    bool local = c->ast->parent && c->ast->parent == b->inst->root_ast;
    sym name = inst_plain_name(b, local ? c->ast->name : inst_name(b, c));
    for (int k = 0; k < b->m->objects.n; k++)
        if (b->m->objects.at[k] == name) return k;
    array_push(b->model, &b->m->objects, name);
    return b->m->objects.n - 1;
}

inst_primitive *inst_primitive_of(flat_builder *b, inst_class *c)
{
    if (c->primitive) return c->primitive;
    inst_primitive *p = c->primitive = arena_new(b->front, inst_primitive);
    bool connector = c->ast->restriction == AST_R_CONNECTOR;
    p->kind = predefined_of(b, c->ast);
    if (c->ast->body == AST_ENUM) p->kind = PRE_ENUM;
    if (p->kind) {
        p->type = primitive_expr_type(p->kind);
        p->enum_id = p->kind == PRE_ENUM ? enum_number(b, c) : 0;
        p->env = c->env;
        p->connector = connector;
        return p;
    }
    if (!inst_expand(b, c)) return p;
    for (int i = 0; i < c->n_bases; i++) {
        if (!c->bases
                 [i]) { // being looked for, in what the class imports from itself: ask again later
            c->primitive = NULL;
            continue;
        }
        const inst_primitive *q = inst_primitive_of(b, c->bases[i]);
        if (!q->kind) continue;
        *p = *q;
        if (q->kind == PRE_EXTERNAL && predefined_of(b, c->bases[i]->ast))
            p->enum_id = object_number(b, c);
        p->connector = p->connector || connector;
        if (c->ast->body == AST_SHORT) {
            if (c->ast->causality) p->causality = c->ast->causality;
            if (c->ast->dims.n && p->n_dims < 4) { // outer aliases come first
                memmove(p->dims + 1, p->dims, 3 * sizeof *p->dims);
                memmove(p->dims_at + 1, p->dims_at, 3 * sizeof *p->dims_at);
                p->dims[0] = &c->ast->dims;
                p->dims_at[0] = c->parent;
                p->n_dims++;
            }
        }
        return p;
    }
    return p;
}

int inst_restriction(flat_builder *b, inst_class *c)
{
    for (int i = 0; c->ast->body == AST_SHORT && c->ast->restriction == AST_R_CLASS; i++) {
        if (i > FLAT_MAX_DEPTH || !inst_expand(b, c) || !c->n_bases || !c->bases[0]) break;
        c = c->bases[0];
    }
    return c->ast->restriction;
}

bool inst_is_connector(flat_builder *b, inst_class *c)
{
    for (int i = 0; i <= FLAT_MAX_DEPTH; i++) {
        if (c->ast->restriction == AST_R_CONNECTOR) return true;
        if (c->ast->body != AST_SHORT || !inst_expand(b, c) || !c->bases[0]) return false;
        c = c->bases[0];
    }
    return false;
}

sym inst_name(flat_builder *b, const inst_class *cls)
{
    inst_class *c = (inst_class *)cls;
    if (!c->name) c->name = sym_of(b->lib->syms, lang_class_path(c->ast, b->front));
    return c->name;
}

const ast_class *inst_ast(const inst_class *cls)
{
    return cls->ast;
}
