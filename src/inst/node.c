/* The instance tree: components with their types, sizes and conditions.
 *
 * A node is made as a stub when its class is instantiated and completed when it is first needed, so
 * declarations may refer to each other in any order; a node that needs itself is reported. All
 * elements of an array of components are instantiated as one node. Sizes and conditions inside are
 * evaluated for the first element, and for the others only when the evaluation read something that
 * differs between elements; if a size or condition comes out different, the outermost array is done
 * over with one node per element.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include "base/watch.h"

#include <string.h>

inst_node *inst_new_node(flat_builder *b, sym name, inst_node *parent)
{
    inst_node *n = arena_new(b->front, inst_node);
    n->name = name;
    n->parent = parent;
    n->family = parent ? parent->family : NULL;
    n->size = n->total = 1;
    n->var = -1;
    n->variability = FLAT_CONTINUOUS;
    b->inst->n_nodes++;
    watch_count(b->front->m->watch, "components", b->inst->n_nodes, 0);
    return n;
}

inst_node *inst_self(flat_builder *b, inst_class *cls)
{
    inst_class *root = cls->root;
    if (root->self) return root->self;
    inst_node *n = inst_new_node(b, root->ast->name, NULL);
    n->kind = NODE_PACKAGE;
    n->state = INST_READY;
    n->cls = root;
    return root->self = n;
}

inst_node *inst_node_of(flat_builder *b, inst_element *el)
{
    if (el->node) return el->node;
    inst_class *root = el->owner->root;
    if (root != el->owner && root->state == INST_READY) { // declared again by a derived class
        inst_element *winner = inst_find(b, root, el->name);
        if (winner && winner != el && winner->comp) return el->node = inst_node_of(b, winner);
    }
    inst_node *n = inst_new_node(b, el->name, inst_self(b, el->owner));
    n->element = el;
    n->decl = el->comp;
    n->decl_at = el->owner;
    return el->node = n;
}

inst_node *inst_follow(inst_node *n)
{
    for (int i = 0; n && i < FLAT_MAX_DEPTH; i++) {
        if (n->kind != NODE_OUTER && n->kind != NODE_MEMBER) break;
        n = n->target;
    }
    return n;
}

/* ---- elements of shared nodes ---------------------------------------------------------------- */

static bool is_above(const inst_node *up, const inst_node *n)
{
    while (n && n != up) n = n->parent;
    return n != NULL;
}

int inst_up(const inst_node *up, const inst_node *n, int e)
{
    if (up == n) return e;
    if (!up || !n || up->total <= 1 || n->total < up->total || !is_above(up, n)) return 0;
    return e / (n->total / up->total);
}

int inst_place(const inst_node *n, const inst_node *base, int e, int *size)
{
    int pos = 0, count = 1;
    for (; n && n != base; n = n->parent) {
        if (n->is_element) { // its array contributes the number of the element
            const inst_node *array = n->parent;
            if (array == base) break;
            pos += n->index * count;
            count *= array->size;
            n = array;
            continue;
        }
        if (n->family && n->family->node == n) { // no dimension of any value
            e /= n->size;
            continue;
        }
        if (n->size > 0) pos += e % n->size * count, e /= n->size;
        count *= n->size;
    }
    *size = count;
    return pos;
}

scope inst_scope(flat_builder *b, inst_class *at, const inst_node *n, int e)
{
    inst_node *self = inst_self(b, at);
    return (scope){.b = b, .cls = at, .self = self, .element = inst_up(self, n, e), .end = -1};
}

/* ---- inner and outer ------------------------------------------------------------------------- */

inst_node *inst_around(const inst_node *n)
{
    if (n->kind != NODE_PACKAGE) return n->parent;
    const inst_class *c = n->cls ? n->cls->parent : NULL;
    while (c && !c->root->self) c = c->parent;
    return c ? c->root->self : NULL;
}

static bool is_both(const inst_element *el)
{
    return (el->flags & AST_INNER) && (el->flags & AST_OUTER);
}

/* Two components are declared at once by `inner outer`: the inner one has the declaration and its
 * modifications, and what is written around it sees the outer one (Modelica Language Specification
 * 3.6, section 5.5). */
static inst_node *inner_node(flat_builder *b, inst_element *el)
{
    if (!is_both(el)) return inst_node_of(b, el);
    if (el->both) return el->both;
    inst_node *n = inst_new_node(b, el->name, inst_self(b, el->owner));
    n->element = el;
    n->decl = el->comp;
    n->decl_at = el->owner;
    n->is_inner = true;
    return el->both = n;
}

static inst_node *find_inner(flat_builder *b, const inst_node *n)
{
    for (inst_node *p = inst_around(n); p; p = inst_around(p)) {
        if (!p->cls || p->kind == NODE_SPLIT) continue;
        inst_element *el = inst_find(b, p->cls, n->name);
        if (el && el->comp && (el->flags & AST_INNER) && el != n->element) return inner_node(b, el);
    }
    for (int i = 0; i < b->inst->root->children.n; i++) { // made here before
        inst_node *c = b->inst->root->children.at[i];
        if (c->name == n->name && c->is_inner && c != n) return c;
    }
    return NULL;
}

static bool make_outer(flat_builder *b, inst_node *n)
{
    inst_node *t = find_inner(b, n);
    if (!t) {
        diag_warning(b->diags, "M140", n->decl->at,
                     "no component around it is declared 'inner %s': one is added at the top with "
                     "its default values",
                     n->name);
        t = inst_new_node(b, n->name, b->inst->root);
        t->decl = n->decl;
        t->decl_at = n->decl_at;
        array_push(b->front, &b->inst->root->children, t);
        t->is_inner = true;
    }
    n->kind = NODE_OUTER;
    n->target = t;
    n->state = INST_READY;
    return inst_complete(b, t);
}

/* ---- composite components -------------------------------------------------------------------- */

static void node_collect(flat_builder *b, inst_node *n, inst_class *part)
{
    const ast_class *a = part->ast;
    if (!inst_expand(b, part)) return;
    int k = 0;
    if (a->body == AST_SHORT || a->body == AST_CLASS_EXTENDS)
        if (part->n_bases && part->bases[k]) node_collect(b, n, part->bases[k++]);
    for (int i = 0; i < a->n_elements; i++) {
        const ast_element *e = a->elements[i];
        if (e->kind == AST_EXTENDS && k < part->n_bases) {
            if (part->bases[k]) node_collect(b, n, part->bases[k]);
            k++;
        }
        if (inst_declared_twice(b, part->ast, e) || e->kind != AST_COMPONENT) continue;
        sym name = e->component->name;
        inst_element *el = inst_find(b, n->cls, name);
        if (inst_redeclares(e)) {
            if (el && el->owner == part)
                diag_error(b->diags, "M124", e->component->at,
                           "'%s' is redeclared, but no inherited component has that name", name);
            continue;
        }
        if (!el || el->owner != part) continue; // replaced or removed by a derived class
        array_push(b->front, &n->children, inst_node_of(b, el));
        if (is_both(el)) array_push(b->front, &n->children, inner_node(b, el));
    }
}

static bool contains_itself(flat_builder *b, const inst_node *n)
{
    int same = 0;
    for (const inst_node *p = n->parent; p; p = p->parent)
        if (p->cls && p->cls->ast == n->type->ast && !p->is_element) same++;
    if (same < 2 && b->depth < FLAT_MAX_DEPTH) return false;
    if (same)
        diag_error(
            b->diags, "M125", n->decl->at,
            "'%s' of class '%s' contains itself without end: a class cannot have a component "
            "of its own class",
            n->name, inst_name(b, n->type));
    else
        diag_error(b->diags, "M121", n->decl->at, "components are nested more than %d deep",
                   FLAT_MAX_DEPTH);
    return true;
}

static bool may_be_component(flat_builder *b, inst_node *n)
{
    int r = inst_restriction(b, n->type);
    if (r == AST_R_PACKAGE || r == AST_R_FUNCTION || r == AST_R_OPERATOR) {
        diag_error(b->diags, "M126", n->decl->type.span,
                   "'%s' is a %s, and a component cannot be of such a class", inst_name(b, n->type),
                   lang_restriction_text((ast_restriction)r));
        return false;
    }
    const inst_class *c = n->type;
    bool partial = (c->ast->flags & AST_IS_PARTIAL) != 0;
    while (!partial && c->ast->body == AST_SHORT && c->n_bases && c->bases[0]) {
        c = c->bases[0];
        partial = (c->ast->flags & AST_IS_PARTIAL) != 0;
    }
    if (!partial) return true;
    bool replaceable = n->element && (n->element->flags & AST_REPLACEABLE);
    diag_error(b->diags, "M127", n->decl->type.span,
               "'%s' is partial and '%s' cannot be made from it; %s", inst_name(b, n->type),
               n->name,
               replaceable ? "redeclare the component with a complete class"
                           : "use a class that extends it");
    return false;
}

static bool make_instance(flat_builder *b, inst_node *n)
{
    if (contains_itself(b, n)) return false;
    n->kind = NODE_COMPOSITE;
    n->cls = inst_instance(b, n->type, n, n->env);
    if (!inst_expand(b, n->cls)) return false;
    inst_env env = {n->env.at, n->env.n};
    if (!inst_check_names(b, env, n->cls)) return false;
    node_collect(b, n, n->cls);
    inst_share(b, n);
    return true;
}

static bool deep_children(flat_builder *b, inst_node *n)
{
    bool ok = true;
    for (int i = 0; i < n->children.n && !b->inst->split && !b->inst->too_many; i++)
        ok = inst_deep(b, n->children.at[i]) && ok;
    return ok;
}

/* Every element gets a node of its own. */
static bool node_split(flat_builder *b, inst_node *n)
{
    n->kind = NODE_SPLIT;
    n->cls = NULL;
    n->children.n = 0;
    n->total = 1;
    bool ok = true;
    for (int i = 0; i < n->size && ok; i++) {
        inst_node *c = inst_new_node(b, n->name, n);
        c->is_element = true;
        c->index = i;
        c->type = n->type;
        c->decl = n->decl;
        c->decl_at = n->decl_at;
        c->env = n->env;
        c->variability = n->variability;
        c->causality = n->causality;
        c->flow = n->flow;
        c->is_connector = n->is_connector;
        c->is_protected = n->is_protected;
        c->is_record = n->is_record;
        c->is_expandable = n->is_expandable;
        c->in_bus = n->in_bus;
        array_push(b->front, &n->children, c);
        ok = make_instance(b, c);
        c->state = ok ? INST_READY : INST_BAD;
        c->deep = true;
        ok = ok && deep_children(b, c);
    }
    return ok;
}

/* A record, or a connector that is a short form of one. */
static bool is_record_class(flat_builder *b, inst_class *c)
{
    for (int i = 0; i < FLAT_MAX_DEPTH; i++) {
        if (c->ast->restriction == AST_R_RECORD) return true;
        if (c->ast->body != AST_SHORT || !inst_expand(b, c) || !c->bases[0]) return false;
        c = c->bases[0];
    }
    return false;
}

/* An expandable connector, or a short form of one. */
static bool is_expandable_class(flat_builder *b, inst_class *c)
{
    for (int i = 0; i < FLAT_MAX_DEPTH; i++) {
        if (c->ast->flags & AST_EXPANDABLE) return true;
        if (c->ast->body != AST_SHORT || !inst_expand(b, c) || !c->bases[0]) return false;
        c = c->bases[0];
    }
    return false;
}

static bool make_composite(flat_builder *b, inst_node *n)
{
    n->is_record = is_record_class(b, n->type);
    n->is_expandable = is_expandable_class(b, n->type);
    b->inst->has_bus = b->inst->has_bus || n->is_expandable;
    n->total = n->parent->total * n->size;
    bool shared = n->family && n->family->node == n;
    if (shared && n->n_dims) return inst_apart(b, false);
    bool outermost = shared || (n->n_dims && n->parent->total == 1);
    if (!make_instance(b, n)) return false;
    n->state = INST_READY;
    if (!outermost) return true;
    n->deep = true;
    bool ok = deep_children(b, n);
    if (!b->inst->split) return ok;
    b->inst->split = false;
    return shared ? inst_apart(b, true) : node_split(b, n);
}

/* ---- completing ------------------------------------------------------------------------------ */

static bool check_attributes(flat_builder *b, const inst_node *n)
{
    static const char *const names[] = {"quantity",  "unit",        "displayUnit", "min",
                                        "max",       "start",       "fixed",       "nominal",
                                        "unbounded", "stateSelect", "interval"};
    bool ok = true;
    for (int i = 0; i < n->env.n; i++) {
        const inst_layer *l = &n->env.at[i];
        const ast_mod *m = l->mod;
        for (int j = 0; m && j < m->args.n; j++) {
            const ast_arg *arg = &m->args.at[j];
            if (arg->kind != AST_ARG_MOD) continue;
            bool known = false;
            for (size_t k = 0; k < sizeof names / sizeof *names; k++)
                known = known || !strcmp(names[k], arg->name.at[0].name);
            if (known || l->soft) continue;
            const char *near =
                diag_nearest(arg->name.at[0].name, names, (int)(sizeof names / sizeof *names));
            diag_error(b->diags, "M113", arg->name.at[0].at, "'%s' has no attribute '%s'%s%s%s",
                       n->name, arg->name.at[0].name, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
            ok = false;
        }
    }
    return ok;
}

static bool make_primitive(flat_builder *b, inst_node *n, const inst_primitive *p)
{
    n->kind = NODE_PRIMITIVE;
    n->type_id = p->type;
    n->enum_id = p->enum_id;
    n->is_connector = p->connector;
    n->env = inst_join(b, n->env, inst_rebase(b, p->env, n));
    n->total = n->parent->total * n->size;
    if (n->type_id != TYPE_REAL && n->variability > FLAT_DISCRETE) n->variability = FLAT_DISCRETE;
    if (p->kind == PRE_CLOCK && n->variability <= FLAT_PARAMETER) {
        diag_error(b->diags, "M366", n->decl->type.span,
                   "a Clock is neither parameter nor constant: remove the prefix of '%s'", n->name);
        return false;
    }
    if (p->kind == PRE_EXTERNAL) {
        n->variability = FLAT_PARAMETER; // one object for the whole run
        if (inst_has_binding(b, n)) return true;
        diag_error(b->diags, "M435", n->decl->at,
                   "'%s' is an external object and needs a constructor call: %s %s = %s(...)",
                   n->name, inst_name(b, n->type), n->name, inst_name(b, n->type));
        return false;
    }
    return check_attributes(b, n);
}

static bool node_complete(flat_builder *b, inst_node *n)
{
    uint16_t flags = n->element ? n->element->flags : 0;
    if (!inst_declare(b, n)) return false;
    bool inner = n->element ? n->element->both == n : n->is_inner;
    if ((flags & AST_OUTER) && !inner) return make_outer(b, n);
    int there = inst_condition(b, n);
    // A variable of an expandable connector is there when something is connected to it.
    bool waits = n->parent->is_expandable && !n->is_present && n->variability > FLAT_PARAMETER;
    if (there <= 0 || waits) {
        n->kind = NODE_ABSENT;
        n->total = 0;
        return there >= 0;
    }
    const inst_primitive *p = inst_primitive_of(b, n->type);
    if (!p->kind && !may_be_component(b, n)) return false;
    if (p->kind) n->type_id = p->type;
    if (!inst_sizes(b, n)) return false;
    n->dims_known = true;
    b->inst->n_scalars += n->size;
    if ((int64_t)n->parent->total * n->size > FLAT_MAX_ELEMENTS) {
        diag_error(b->diags, "M134", n->decl->at, "the model has more than %d scalars",
                   FLAT_MAX_ELEMENTS);
        return false;
    }
    return p->kind ? make_primitive(b, n, p) : make_composite(b, n);
}

bool inst_complete(flat_builder *b, inst_node *n)
{
    if (n->kind == NODE_MEMBER) return inst_complete(b, n->target);
    if (n->state == INST_READY) return true;
    if (n->state == INST_BAD) return false;
    if (n->state == INST_BUSY) {
        diag_error(b->diags, "M135", n->decl->at, "the size or condition of '%s' depends on itself",
                   n->name);
        return false;
    }
    n->state = INST_BUSY;
    b->depth++;
    bool ok = b->inst->n_nodes <= FLAT_MAX_NODES && node_complete(b, n);
    if (b->inst->n_nodes > FLAT_MAX_NODES && !b->inst->too_many) {
        b->inst->too_many = true;
        diag_error(b->diags, "M134", n->decl->at, "the model has more than %d components",
                   FLAT_MAX_NODES);
    }
    b->depth--;
    n->state = ok ? INST_READY : INST_BAD;
    if (!ok) n->kind = NODE_BAD;
    return ok;
}

bool inst_deep(flat_builder *b, inst_node *n)
{
    if (n->kind == NODE_MEMBER) n = n->target;
    if (!inst_complete(b, n)) return false;
    if (n->deep || n->kind != NODE_COMPOSITE) return true;
    n->deep = true;
    b->depth++;
    bool ok = deep_children(b, n);
    b->depth--;
    return ok;
}

/* ---- elements of expandable connectors ------------------------------------------------------- */

static ast_exprs literal_dims(flat_builder *b, const int *dims, int n)
{
    ast_exprs list = {arena_array(b->front, ast_expr *, n ? n : 1), n};
    for (int i = 0; i < n; i++) {
        list.at[i] = arena_new(b->front, ast_expr);
        *list.at[i] = (ast_expr){.kind = AST_INTEGER, .integer = dims[i]};
    }
    return list;
}

/* How many of its last dimensions come with its type. */
static int dims_of_type(flat_builder *b, const inst_node *n)
{
    int count = 0;
    inst_class *c = n->type;
    const inst_primitive *p = inst_primitive_of(b, c);
    for (int i = 0; p->kind && i < p->n_dims; i++) count += p->dims[i]->n;
    for (int i = 0; !p->kind && c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        count += c->ast->dims.n;
        if (!inst_expand(b, c) || !c->bases[0]) break;
        c = c->bases[0];
    }
    return count;
}

/* Made anew, since it is there now or has become larger. */
static int gain_again(flat_builder *b, inst_node *n)
{
    n->is_present = true;
    n->state = INST_NEW;
    n->kind = NODE_STUB;
    n->cls = NULL;
    n->children.n = 0;
    n->size = 1;
    n->deep = n->dims_known = false;
    return inst_deep(b, n) ? 1 : -1;
}

static int gain_more(flat_builder *b, inst_node *n, const int *dims, int n_dims)
{
    int own = n->n_dims - dims_of_type(b, n), most[VALUE_MAX_DIMS];
    bool larger = false;
    if (!n->is_gained || own != n_dims) return 0;
    for (int i = 0; i < own; i++) {
        most[i] = dims[i] > n->dims[i] ? dims[i] : n->dims[i];
        larger = larger || dims[i] > n->dims[i];
    }
    if (!larger) return 0;
    ast_component *d = arena_new(b->front, ast_component);
    *d = *n->decl;
    d->dims = literal_dims(b, most, own);
    n->decl = n->element->comp = d;
    return gain_again(b, n);
}

int inst_gain(flat_builder *b, inst_node *bus, sym name, const inst_node *like, const int *dims,
              int n_dims)
{
    inst_element *el = inst_find(b, bus->cls, name);
    if (el && !el->comp) return 0;
    if (el) {
        inst_node *n = inst_node_of(b, el);
        if (!inst_complete(b, n)) return -1;
        if (n->kind != NODE_ABSENT) return gain_more(b, n, dims, n_dims);
        if (n->is_present) return 0; // its condition is false
        int *given = arena_array(b->front, int, n_dims + 1);
        for (int i = 0; i < n_dims; i++) given[i] = dims[i];
        n->given = like ? given : NULL;
        return gain_again(b, n);
    }
    if (!like) return 0;
    int own = n_dims - dims_of_type(b, like);
    ast_component *d = arena_new(b->front, ast_component);
    *d = (ast_component){.name = name, .at = like->decl->at, .type = like->decl->type};
    d->flow = like->decl->flow;
    d->dims = literal_dims(b, dims, own > 0 ? own : 0);
    el = arena_new(b->front, inst_element);
    *el = (inst_element){.name = name, .owner = bus->cls, .comp = d};
    *map_put(&bus->cls->elements, map_key(name)) = map_key(el);
    inst_node *n = inst_new_node(b, name, bus);
    n->element = el;
    n->decl = d;
    n->decl_at = like->decl_at;
    n->is_present = n->is_gained = true;
    el->node = n;
    array_push(b->front, &bus->children, n);
    return inst_deep(b, n) ? 1 : -1;
}

inst_node *inst_new_root(flat_builder *b, inst_class *handle)
{
    inst_node *n = inst_new_node(b, b->inst->s_empty, NULL);
    n->kind = NODE_COMPOSITE;
    n->state = INST_READY;
    n->type = handle;
    n->cls = inst_instance(b, handle, n, (inst_env){0});
    if (!inst_expand(b, n->cls)) return NULL;
    node_collect(b, n, n->cls);
    inst_share(b, n);
    return n;
}

bool inst_is_overdetermined(flat_builder *b, const inst_node *n)
{
    if (n->kind != NODE_PRIMITIVE && (n->kind != NODE_COMPOSITE || !n->is_record)) return false;
    inst_class *cls = n->kind == NODE_PRIMITIVE ? n->type : n->cls;
    inst_element *el = inst_find(b, cls, sym_of(b->lib->syms, "equalityConstraint"));
    return el && el->class_;
}
