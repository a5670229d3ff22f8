/* Rules over the text of functions.
 *
 * Modelica Language Specification, section 12.2.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"

/* type In = input Real */
static bool type_has_direction(flat_builder *b, inst_class *at, const ast_component *c)
{
    inst_class *t = inst_try_class(b, at, &c->type);
    for (int i = 0; t && t->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        if (t->ast->causality) return true;
        t = inst_expand(b, t) ? t->bases[0] : NULL;
    }
    return false;
}

static void check_function_component(flat_builder *b, inst_class *at, const ast_element *e)
{
    const ast_component *c = e->component;
    const ast_class *f = at->ast;
    bool protected_ = (e->flags & AST_PROTECTED) != 0;
    if (e->flags & (AST_INNER | AST_OUTER))
        rules_report(b, RULE_FUNCTION_PREFIX, c->at, "'%s' of the function '%s' is %s", c->name,
                     f->name, e->flags & AST_INNER ? "inner" : "outer");
    if (protected_ && c->causality)
        rules_report(b, RULE_FUNCTION_VISIBILITY, c->at, "the %s '%s' of '%s' is protected",
                     c->causality == AST_INPUT ? "input" : "output", c->name, f->name);
    if (!protected_ && !c->causality && c->variability < AST_PARAMETER &&
        !type_has_direction(b, at, c))
        rules_report(b, RULE_FUNCTION_VISIBILITY, c->at,
                     "'%s' of '%s' is public and neither input nor output", c->name, f->name);
}

void rules_function(flat_builder *b, inst_class *cls)
{
    const ast_class *f = cls->ast;
    if (f->restriction != AST_R_FUNCTION) return;
    int algorithms = f->external != NULL;
    for (int i = 0; i < f->n_sections; i++) {
        const ast_section *s = &f->sections[i];
        if (!s->algorithm || s->initial)
            rules_report(b, RULE_FUNCTION_BODY, s->span, "the function '%s' has an %s%s section",
                         f->name, s->initial ? "initial " : "",
                         s->algorithm ? "algorithm" : "equation");
        else if (algorithms++)
            rules_report(b, RULE_FUNCTION_BODY, s->span, "the function '%s' has two bodies",
                         f->name);
    }
    for (int i = 0; i < f->n_elements; i++)
        if (f->elements[i]->kind == AST_COMPONENT) check_function_component(b, cls, f->elements[i]);
}
