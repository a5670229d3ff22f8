/* The declaration of a component in force: redeclarations, prefixes, class.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

inst_env inst_without_redeclarations(flat_builder *b, inst_env env)
{
    inst_layer *at = arena_array(b->front, inst_layer, env.n ? env.n : 1);
    int n = 0;
    for (int i = 0; i < env.n; i++)
        if (!env.at[i].element) at[n++] = env.at[i];
    return (inst_env){at, n};
}

static const ast_constraint *constraint_of(const ast_element *e)
{
    return e->kind == AST_CLASS ? e->class_->constraint : e->component->constraint;
}

// Where there is no constraining clause, the declaration is the constraint.
inst_env inst_constraints(flat_builder *b, const inst_element *el, inst_env env, inst_node *base)
{
    inst_env out = {0};
    for (int i = 0; i < env.n; i++) {
        const ast_constraint *c = env.at[i].element ? constraint_of(env.at[i].element) : NULL;
        inst_layer l = {.at = env.at[i].at, .base = env.at[i].base, .soft = true};
        if (!c || !(l.mod = c->mod)) continue;
        out = inst_append(b, out, l);
    }
    inst_layer own = {.at = el->owner, .base = base, .soft = true};
    own.final = el->comp && (el->flags & AST_FINAL);
    const ast_constraint *c = el->comp ? el->comp->constraint : el->class_->constraint;
    if (c) own.mod = c->mod;
    else if (el->comp) own.mod = el->comp->mod;
    else if (el->class_->body == AST_SHORT) own.mod = el->class_->mod;
    return own.mod ? inst_append(b, out, own) : out;
}

static void choose_declaration(flat_builder *b, inst_node *n)
{
    inst_element *el = n->element;
    inst_env env = inst_sub(b, el->owner->env, n->name, n->parent);
    int k = 0;
    while (k < env.n && !(env.at[k].element && env.at[k].element->kind == AST_COMPONENT)) k++;
    inst_layer own = {.mod = n->decl->mod, .at = n->decl_at, .base = n->parent};
    own.final = (el->flags & AST_FINAL) != 0;
    if (n->family && n->family->node == n) own.family = n->family;
    if (k == env.n) {
        n->env = own.mod || own.final ? inst_append(b, env, own) : env;
        const ast_constraint *c = n->decl->constraint;
        if (c && c->mod) // the declaration overrides it
            n->env = inst_append(
                b, n->env,
                (inst_layer){.mod = c->mod, .at = n->decl_at, .base = n->parent, .soft = true});
        return;
    }
    const inst_layer *l = &env.at[k];
    n->decl = l->element->component;
    n->decl_at = l->at;
    inst_env outer = {env.at, k}, inner = {env.at + k + 1, env.n - k - 1};
    if (n->decl->mod)
        outer = inst_append(b, outer,
                            (inst_layer){.mod = n->decl->mod,
                                         .at = l->at,
                                         .base = l->base,
                                         .final = (l->element->flags & AST_FINAL) != 0});
    inst_env limits = inst_constraints(b, el, (inst_env){env.at + k, env.n - k}, n->parent);
    inner = inst_without_redeclarations(b, inner);
    inst_layer *soft = arena_array(b->front, inst_layer, inner.n ? inner.n : 1);
    for (int i = 0; i < inner.n; i++) soft[i] = inner.at[i], soft[i].soft = true;
    n->env = inst_join(b, outer, inst_join(b, (inst_env){soft, inner.n}, limits));
}

static uint8_t variability_of(uint8_t v)
{
    static const uint8_t table[] = {[AST_CONTINUOUS] = FLAT_CONTINUOUS,
                                    [AST_DISCRETE] = FLAT_DISCRETE,
                                    [AST_PARAMETER] = FLAT_PARAMETER,
                                    [AST_CONSTANT] = FLAT_CONSTANT};
    return table[v];
}

/* connector RealInput = input Real */
static uint8_t alias_causality(flat_builder *b, inst_class *c)
{
    const inst_primitive *p = inst_primitive_of(b, c);
    if (p->kind) return p->causality;
    for (int i = 0; c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        if (c->ast->causality) return c->ast->causality;
        if (!inst_expand(b, c) || !c->bases[0]) break;
        c = c->bases[0];
    }
    return AST_NO_CAUSALITY;
}

/* Prefixes: those of a redeclaration, or else of the original declaration; the enclosing
 * component's variability restricts its parts. */
static void find_prefixes(flat_builder *b, inst_node *n)
{
    const ast_component *d = n->decl, *o = n->element ? n->element->comp : n->decl;
    uint8_t v = variability_of(d->variability ? d->variability : o->variability);
    n->variability = n->parent->variability < v ? n->parent->variability : v;
    n->causality = d->causality ? d->causality : o->causality;
    n->flow = d->flow ? d->flow : o->flow;
    if (!n->flow) n->flow = n->parent->flow; // flow Complex i: its parts are flows
    uint16_t flags = n->element ? n->element->flags : 0;
    n->is_protected = n->parent->is_protected || (flags & AST_PROTECTED);
    n->is_final = (flags & AST_FINAL) != 0;
    n->is_inner = n->is_inner || (flags & AST_INNER);
    static const char *const path[] = {"Evaluate", NULL};
    const ast_expr *e = d->annotation ? lang_annotation_value(d->annotation, path) : NULL;
    n->evaluate = e && e->kind == AST_BOOLEAN && e->boolean;
    if (!n->causality) n->causality = alias_causality(b, n->type);
    if (!n->causality) n->causality = n->parent->causality;
}

bool inst_declare(flat_builder *b, inst_node *n)
{
    if (n->declared) return n->type != NULL;
    n->declared = true;
    if (n->element) choose_declaration(b, n);
    else if (n->decl->mod)
        n->env = inst_append(
            b, n->env, (inst_layer){.mod = n->decl->mod, .at = n->decl_at, .base = n->parent});
    n->type = inst_lookup_class(b, n->decl_at, &n->decl->type, false);
    if (n->type) n->type = inst_fmu_class(b, n);
    if (n->type && !inst_expand(b, n->type)) n->type = NULL;
    if (!n->type) return false;
    find_prefixes(b, n);
    // Which way a signal goes on a bus is said by what is connected to it.
    n->in_bus = n->parent->in_bus || n->parent->is_expandable;
    if (n->in_bus) n->causality = AST_NO_CAUSALITY;
    n->is_connector = inst_is_connector(b, n->type);
    return true;
}
