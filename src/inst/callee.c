/* What the evaluator asks about classes: callees, fields of records, arguments of functions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"
#include "inst/tree.h"

#include <string.h>

/* ---- callees --------------------------------------------------------------------------------- */

/* A function of a component, perhaps in classes of its class: world.gravityAcceleration. */
static inst_class *class_in_component(flat_builder *b, inst_node *n, const ast_ref *r, int i)
{
    if (n->element && n->element->comp->condition)
        b->verbs->use_conditional(b, n->element, r->at[i].at);
    inst_class *in = NULL; // names of components come first, then those of classes
    for (; i + 1 < r->n; i++) {
        if (n) {
            if (!inst_complete(b, n) || !(n = inst_follow(n)) || !inst_complete(b, n)) return NULL;
            if (n->kind == NODE_SPLIT && n->size) n = n->children.at[0];
            in = n->cls;
        }
        inst_element *el = in ? inst_find(b, in, r->at[i + 1].name) : NULL;
        if (!el || (el->comp && !n)) return NULL;
        b->verbs->use_member(b, in, el, r, i + 1);
        n = el->comp ? inst_node_of(b, el) : NULL;
        if (!n) in = inst_element_class(b, el);
    }
    return n ? NULL : in;
}

static inst_class *find_callee(flat_builder *b, inst_class *at, const ast_ref *r)
{
    inst_found f;
    if (!inst_lookup(b, r->global ? NULL : at, r->at[0].name, &f)) return NULL;
    for (int i = 0;; i++) {
        if (f.component) return class_in_component(b, inst_node_of(b, f.component), r, i);
        if (!f.cls || i + 1 == r->n) return f.cls;
        inst_element *el = inst_find(b, f.cls, r->at[i + 1].name);
        if (!el) return NULL;
        b->verbs->use_member(b, f.cls, el, r, i + 1);
        f = (inst_found){.component = el->comp ? el : NULL};
        if (!el->comp) f.cls = inst_element_class(b, el);
    }
}

typedef struct call_target {
    const ast_ref *ref;
    const inst_class *at;
    struct call_target *next;
    callee c;
} call_target;

static callee callee_classify(const scope *s, const ast_ref *r, inst_class *cls)
{
    flat_builder *b = s->b;
    if (!cls) return (callee){.kind = CALLEE_NONE};
    if (!inst_expand(b, cls)) return (callee){.kind = CALLEE_ERROR};
    const inst_primitive *p = inst_primitive_of(b, cls);
    callee c = {.cls = cls, .enum_id = p->enum_id, .type = (expr_type)p->type};
    if (p->kind == PRE_ENUM) c.kind = CALLEE_ENUM;
    else if (p->kind == PRE_EXTERNAL) c.kind = CALLEE_EXTERNAL;
    else if (p->kind) c.kind = CALLEE_TYPE;
    else {
        int restriction = inst_restriction(b, cls);
        c.kind = restriction == AST_R_FUNCTION ? CALLEE_FUNCTION
                 : restriction == AST_R_RECORD ? CALLEE_RECORD
                                               : CALLEE_ERROR;
        if (c.kind == CALLEE_ERROR)
            diag_error(b->diags, "M145", r->span, "'%s' is a %s and cannot be called",
                       inst_ref_text(b, r, r->n),
                       lang_restriction_text((ast_restriction)restriction));
    }
    return c;
}

callee inst_callee(const scope *s, const ast_ref *r)
{
    flat_builder *b = s->b;
    uint64_t key = hash_u64(map_key(r) ^ hash_u64(map_key(s->cls)));
    uint64_t *slot = map_put(&b->inst->callees, key);
    for (call_target *t = (call_target *)(uintptr_t)*slot; t; t = t->next)
        if (t->ref == r && t->at == s->cls) return t->c;
    call_target *t = arena_new(b->front, call_target);
    t->ref = r;
    t->at = s->cls;
    t->c = callee_classify(s, r, find_callee(b, s->cls, r));
    slot = map_put(&b->inst->callees, key);
    t->next = (call_target *)(uintptr_t)*slot;
    *slot = map_key(t);
    return t->c;
}

void inst_no_callee(const scope *s, const ast_ref *r)
{
    flat_builder *b = s->b;
    sym last = r->at[r->n - 1].name;
    if (r->n == 1 && b->verbs->unknown(b, s->cls, last, r->span, false)) return;
    const char *near = NULL;
    inst_class *in = NULL;
    if (r->n > 1) {
        ast_ref package = *r;
        package.n--;
        in = inst_try_class(b, s->cls, &package);
        if (in) near = inst_nearest_element(b, in, last);
    } else {
        const char *const *names;
        int n = eval_builtin_names(b->front, &names);
        near = diag_nearest(last, names, n);
        if (!near) near = inst_nearest(b, s->cls, last);
    }
    const char *name = inst_ref_text(b, r, r->n),
               *hint = r->n > 1 ? NULL : inst_hint(b, last, near);
    if (hint) diag_error(b->diags, "M146", r->span, "there is no function '%s'; %s", name, hint);
    else
        diag_error(b->diags, "M146", r->span, "there is no function '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

inst_class *inst_class_at(const scope *s, const ast_ref *r)
{
    inst_class *c = find_callee(s->b, s->cls, r);
    if (!c) return inst_lookup_class(s->b, s->cls, r, false);
    return inst_expand(s->b, c) ? c : NULL;
}

/* ---- components of functions and records ----------------------------------------------------- */

static inst_type component_type(flat_builder *b, inst_class *cls)
{
    const inst_primitive *p = inst_primitive_of(b, cls);
    inst_type t = {
        .kind = INST_OTHER, .cls = cls, .type = (expr_type)p->type, .enum_id = p->enum_id};
    if (p->kind == PRE_EXTERNAL) t.kind = INST_EXTERNAL;
    else if (p->kind && p->kind != PRE_CLOCK) t.kind = INST_PREDEFINED;
    else if (inst_restriction(b, cls) == AST_R_RECORD) t.kind = INST_RECORD;
    else if (inst_restriction(b, cls) == AST_R_FUNCTION) t.kind = INST_FUNCTION;
    return t;
}

static void component_add_dims(flat_builder *b, inst_component *c, const ast_exprs *dims,
                               inst_class *at)
{
    if (!dims->n || c->n_dims_lists == 4) return;
    c->dims[c->n_dims_lists] = dims;
    c->dims_at[c->n_dims_lists++] = inst_scope(b, at, NULL, 0);
}

static bool component_describe(flat_builder *b, inst_element *el, inst_component *c)
{
    inst_node *n = inst_node_of(b, el);
    if (!inst_declare(b, n)) return false;
    *c = (inst_component){.name = n->name,
                          .decl = n->decl,
                          .type = component_type(b, n->type),
                          .at = inst_scope(b, n->decl_at, NULL, 0),
                          .causality = n->causality,
                          .is_protected = (el->flags & AST_PROTECTED) != 0,
                          .is_final = n->is_final};
    static const uint8_t back[] = {[FLAT_CONSTANT] = AST_CONSTANT,
                                   [FLAT_PARAMETER] = AST_PARAMETER,
                                   [FLAT_DISCRETE] = AST_DISCRETE,
                                   [FLAT_CONTINUOUS] = AST_CONTINUOUS};
    c->variability = back[n->variability];
    if (n->decl->dims.n || n->decl == el->comp)
        component_add_dims(b, c, &n->decl->dims, n->decl_at);
    else component_add_dims(b, c, &el->comp->dims, el->owner);
    const inst_primitive *p = inst_primitive_of(b, n->type);
    for (int i = 0; i < p->n_dims; i++) component_add_dims(b, c, p->dims[i], p->dims_at[i]);
    if (c->type.kind == INST_RECORD && n->env.n) {
        c->modified = inst_instance(b, n->type, n, n->env);
        if (!inst_expand(b, c->modified)) return false;
    }
    const inst_layer *l = inst_value_layer(b, n->env, n->name);
    if (l) {
        c->binding = l->mod->value;
        c->binding_at = inst_scope(b, l->at, NULL, 0);
    }
    return true;
}

typedef ARRAY(inst_component) component_list;

static bool describe_part(flat_builder *b, inst_class *root, inst_class *part, component_list *out)
{
    const ast_class *a = part->ast;
    int k = 0;
    bool ok = inst_expand(b, part);
    if (ok && (a->body == AST_SHORT || a->body == AST_CLASS_EXTENDS))
        ok = describe_part(b, root, part->bases[k++], out);
    for (int i = 0; ok && i < a->n_elements; i++) {
        const ast_element *e = a->elements[i];
        if (e->kind == AST_EXTENDS) ok = describe_part(b, root, part->bases[k++], out);
        if (inst_declared_twice(b, part->ast, e)) return false;
        if (e->kind != AST_COMPONENT) continue;
        inst_element *el = inst_find(b, root, e->component->name);
        if (!el || el->owner != part) continue;
        inst_component c;
        ok = component_describe(b, el, &c);
        if (ok) array_push(b->front, out, c);
    }
    return ok;
}

inst_components inst_components_of(flat_builder *b, inst_class *cls)
{
    if (cls->list) return *cls->list;
    component_list l = {0};
    bool ok = describe_part(b, cls, cls, &l);
    inst_components *made = arena_new(b->front, inst_components);
    *made = (inst_components){l.at, ok ? l.n : -1};
    cls->list = made;
    return *made;
}

typedef ARRAY(inst_section) section_list;

static void add_sections(flat_builder *b, inst_class *part, section_list *out)
{
    if (!inst_expand(b, part)) return;
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i]) add_sections(b, part->bases[i], out);
    for (int i = 0; i < part->ast->n_sections; i++) {
        inst_section s = {&part->ast->sections[i], inst_scope(b, part, NULL, 0)};
        if (s.section->algorithm) array_push(b->front, out, s);
    }
}

int inst_sections_of(flat_builder *b, inst_class *cls, const inst_section **at)
{
    section_list l = {0};
    add_sections(b, cls, &l);
    *at = l.at;
    return l.n;
}

const ast_external *inst_external(flat_builder *b, inst_class *cls, scope *at)
{
    if (cls->ast->external) {
        if (at) *at = inst_scope(b, cls, NULL, 0);
        return cls->ast->external;
    }
    if (!inst_expand(b, cls)) return NULL;
    for (int i = 0; i < cls->n_bases; i++) {
        const ast_external *e = cls->bases[i] ? inst_external(b, cls->bases[i], at) : NULL;
        if (e) return e;
    }
    return NULL;
}

bool inst_annotation(flat_builder *b, inst_class *cls, const char *name, int n, const ast_mod **mod,
                     scope *at)
{
    const ast_mod *a = cls->ast->annotation;
    const ast_mod *ext = cls->ast->external ? cls->ast->external->annotation : NULL;
    for (int k = 0; k < 2; k++, a = ext)
        for (int i = 0; a && i < a->args.n; i++) {
            const ast_arg *arg = &a->args.at[i];
            if (arg->kind != AST_ARG_MOD || strcmp(arg->name.at[0].name, name) || !arg->mod)
                continue;
            if (n--) continue;
            *mod = arg->mod;
            *at = inst_scope(b, cls, NULL, 0);
            return true;
        }
    if (!inst_expand(b, cls)) return false;
    for (int i = 0; i < cls->n_bases; i++)
        if (cls->bases[i] && inst_annotation(b, cls->bases[i], name, n, mod, at)) return true;
    return false;
}
