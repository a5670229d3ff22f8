/* Rules over the text of a class.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"

#include <string.h>

/* ---- what a class of each kind may hold ------------------------------------------------------ */

static bool all_public(rule_kind k)
{
    return k == KIND_RECORD || k == KIND_OPERATOR_RECORD || k == KIND_CONNECTOR ||
           k == KIND_EXPANDABLE;
}

static bool has_sections(rule_kind k)
{
    return k == KIND_CLASS || k == KIND_MODEL || k == KIND_BLOCK || k == KIND_FUNCTION ||
           k == KIND_OPERATOR_FUNCTION;
}

/* The first prefix of a component that its class does not allow, or NULL. */
static const char *wrong_prefix(rule_kind k, const ast_element *e)
{
    const ast_component *c = e->component;
    if (!all_public(k)) return NULL;
    if (e->flags & AST_INNER) return "inner";
    if (e->flags & AST_OUTER) return "outer";
    if (k == KIND_CONNECTOR || k == KIND_EXPANDABLE) return NULL;
    if (c->causality) return c->causality == AST_INPUT ? "input" : "output";
    if (c->flow) return c->flow == AST_FLOW ? "flow" : "stream";
    return NULL;
}

static void check_component(flat_builder *b, const ast_class *c, rule_kind k, const ast_element *e)
{
    const ast_component *x = e->component;
    const char *prefix = wrong_prefix(k, e);
    if (prefix)
        rules_report(b, RULE_ELEMENT_PREFIX, x->at, "'%s' of the %s '%s' has the prefix '%s'",
                     x->name, rules_kind_text(c), c->name, prefix);
    if (k == KIND_PACKAGE && x->variability != AST_CONSTANT)
        rules_report(b, RULE_PACKAGE_CONTENT, x->at, "'%s' of the package '%s' is not constant",
                     x->name, c->name);
}

static void check_element(flat_builder *b, const ast_class *c, rule_kind k, const ast_element *e)
{
    if (e->kind == AST_IMPORT) return;
    if ((e->flags & AST_PROTECTED) && all_public(k))
        rules_report(b, RULE_CLASS_PROTECTED, e->span, "the %s '%s' has a protected element",
                     rules_kind_text(c), c->name);
    if (e->kind == AST_COMPONENT) check_component(b, c, k, e);
    bool function = e->kind == AST_CLASS && e->class_->restriction == AST_R_FUNCTION;
    if (k == KIND_OPERATOR && e->kind != AST_EXTENDS && !function)
        rules_report(b, RULE_OPERATOR_CONTENT, e->span, "'%s' in the operator '%s' is no function",
                     lang_element_name(e), c->name);
}

static void check_content(flat_builder *b, const ast_class *c)
{
    rule_kind k = rules_kind(c);
    for (int i = 0; i < c->n_elements; i++) check_element(b, c, k, c->elements[i]);
    if (c->n_sections && !has_sections(k))
        rules_report(b, RULE_CLASS_SECTION, c->sections[0].span, "the %s '%s' has %s section",
                     rules_kind_text(c), c->name,
                     c->sections[0].algorithm ? "an algorithm" : "an equation");
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_type_name(const char *name)
{
    static const char *const reserved[] = {"Real", "Integer", "Boolean", "String"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(name, reserved[i])) return true;
    return false;
}

static void check_names(flat_builder *b, const ast_class *c)
{
    if (is_type_name(c->name))
        rules_report(b, RULE_RESERVED_NAME, c->at, "a class is called '%s'", c->name);
    for (int i = 0; i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        sym name = lang_element_name(e);
        if (!name || !is_type_name(name)) continue;
        bool class_ = e->kind == AST_CLASS;
        rules_report(b, RULE_RESERVED_NAME, class_ ? e->class_->at : e->component->at,
                     "a %s is called '%s'", class_ ? "class" : "component", name);
    }
}

static void check_literals(flat_builder *b, const ast_class *c)
{
    static const char *const attributes[] = {"quantity", "min", "max", "start", "fixed"};
    for (int i = 0; i < c->n_literals; i++) {
        const ast_literal *l = &c->literals[i];
        for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
            if (!strcmp(l->name, attributes[k]))
                rules_report(b, RULE_ENUMERATION_LITERAL, l->at,
                             "the literal '%s' of '%s' has the name of an attribute", l->name,
                             c->name);
        for (int k = 0; k < i; k++)
            if (c->literals[k].name == l->name)
                rules_report(b, RULE_ENUMERATION_LITERAL, l->at, "'%s' has the literal '%s' twice",
                             c->name, l->name);
    }
}

/* ---- imports --------------------------------------------------------------------------------- */

static void check_imports(flat_builder *b, const ast_class *c)
{
    sym name;
    arena_mark mark = arena_here(b->scratch);
    map given;
    map_init(&given, b->scratch);
    for (int i = 0; i < c->n_elements; i++) {
        if (c->elements[i]->kind != AST_IMPORT) continue;
        const ast_import *im = c->elements[i]->import;
        for (int k = 0; (name = rules_import_name(im, k)); k++)
            if ((*map_put(&given, map_key(name)))++)
                rules_report(b, RULE_IMPORT_TWICE, im->name.span, "'%s' is imported twice in '%s'",
                             name, c->name);
    }
    arena_release(b->scratch, mark);
}

/* ---- the class ------------------------------------------------------------------------------- */

void rules_class(flat_builder *b, inst_class *cls)
{
    const ast_class *c = cls->ast;
    if (!c->file || c->file == b->inst->prelude) return;
    uint64_t *seen = map_put(&rules_of(b)->texts, map_key(c));
    if ((*seen)++) return;
    check_names(b, c);
    check_literals(b, c);
    check_content(b, c);
    rules_function(b, cls);
    rules_bases(b, cls);
    check_imports(b, c);
}
