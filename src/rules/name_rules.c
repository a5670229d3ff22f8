/* Rules over names: what a name may lead through.
 *
 * The first part of a name is looked up from inside out, each following one in the class or
 * component before it (section 5.3). Lookup finds more than is allowed, so that these rules can say
 * what is wrong with a name instead of that it is unknown.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"

void rules_first(const scope *s, const inst_element *el, const ast_ref *r)
{
    if (el->owner->root == s->cls->root || el->comp->variability == AST_CONSTANT) return;
    if (rules_report(s->b, RULE_ENCLOSING_VARIABLE, r->at[0].at,
                     "'%s' is not constant and belongs to '%s', not to '%s'", el->name,
                     el->owner->ast->name, s->cls->ast->name))
        diag_note(s->b->diags, el->comp->at, "it is declared here");
}

/* All that a package may hold, though the class is none. */
static bool is_like_package(flat_builder *b, inst_class *c, int depth)
{
    if (depth > FLAT_MAX_DEPTH || !inst_expand(b, c)) return true;
    const ast_class *a = c->ast;
    bool like = !a->n_sections && !a->external;
    for (int i = 0; like && i < a->n_elements; i++)
        like = a->elements[i]->kind != AST_COMPONENT ||
               a->elements[i]->component->variability == AST_CONSTANT;
    for (int i = 0; like && i < c->n_bases; i++)
        if (c->bases[i]) like = is_like_package(b, c->bases[i], depth + 1);
    return like;
}

static bool is_partial(const inst_class *c)
{
    while (!(c->ast->flags & AST_IS_PARTIAL) && c->ast->body == AST_SHORT && c->n_bases &&
           c->bases[0])
        c = c->bases[0];
    return (c->ast->flags & AST_IS_PARTIAL) != 0;
}

/* in.el, where in is a class. */
static void check_inside_class(flat_builder *b, inst_class *in, const inst_element *el, span at)
{
    int kind = in->ast->restriction;
    bool encapsulated = el->class_ && (el->class_->flags & AST_ENCAPSULATED);
    if (el->comp && is_partial(in)) // libraries look up classes there, and nothing is missing then
        rules_report(b, RULE_INSIDE_PARTIAL, at, "'%s' is looked up in '%s', which is partial",
                     el->name, inst_name(b, in));
    if (kind == AST_R_PACKAGE || kind == AST_R_OPERATOR || encapsulated) return;
    if (!is_like_package(b, in, 0))
        rules_report(b, RULE_INSIDE_CLASS, at, "'%s' is looked up in the %s '%s'", el->name,
                     rules_kind_text(in->ast), inst_name(b, in));
}

/* in.el, where in is a component and el a function, as in.el(x). */
static void check_method(flat_builder *b, const inst_class *in, const inst_element *el,
                         const ast_ref *r, int i)
{
    const inst_node *n = in->root->self;
    if (n->n_dims > r->at[i - 1].subs.n)
        rules_report(b, RULE_FUNCTION_OF_ARRAY, r->at[i].at,
                     "'%s' is called through the array '%s'", el->name, n->name);
    if ((el->class_->flags & AST_OPERATOR) || el->class_->restriction == AST_R_OPERATOR)
        rules_report(b, RULE_OPERATOR_OF_COMPONENT, r->at[i].at,
                     "'%s' is an operator and called through the component '%s'", el->name,
                     n->name);
}

static void check_protected(flat_builder *b, const inst_element *el, const char *where, span at)
{
    if ((el->flags & AST_PROTECTED) &&
        rules_report(b, RULE_PROTECTED_ACCESS, at, "'%s' is protected in '%s'", el->name, where))
        diag_note(b->diags, el->comp ? el->comp->at : el->class_->at, "it is declared here");
}

void rules_member(flat_builder *b, inst_class *in, const inst_element *el, const ast_ref *r, int i)
{
    span at = r->at[i].at;
    if (el->flags & AST_PROTECTED) check_protected(b, el, inst_ref_text(b, r, i), at);
    const inst_node *self = in->root->self;
    if (!self || self->kind == NODE_PACKAGE) check_inside_class(b, in, el, at);
    else if (el->class_) check_method(b, in, el, r, i);
}

void rules_import(flat_builder *b, inst_class *in, const inst_element *el, const ast_import *im)
{
    span at = im->name.span;
    if (el->flags & AST_PROTECTED) check_protected(b, el, inst_name(b, in), at);
    if (in->ast->restriction == AST_R_PACKAGE) return;
    rules_report(b, RULE_IMPORT_FROM_CLASS, at, "'%s' is imported from the %s '%s'", el->name,
                 rules_kind_text(in->ast), inst_name(b, in));
}

void rules_ambiguous(flat_builder *b, const ast_import *im, sym name)
{
    rules_report(b, RULE_IMPORT_AMBIGUOUS, im->name.span,
                 "'%s' is found in '%s' and in another package that is imported as a whole", name,
                 inst_ref_text(b, &im->name, im->name.n));
}

void rules_outer(flat_builder *b, const inst_node *outer, const ast_ref *r, int i)
{
    if (i + 1 >= r->n || !outer->type || inst_find(b, outer->type, r->at[i + 1].name)) return;
    inst_element *el =
        outer->target->cls ? inst_find(b, outer->target->cls, r->at[i + 1].name) : NULL;
    if (el && !(el->node && el->node->is_gained)) // a connection may add to an expandable one
        rules_report(b, RULE_OUTER_VIEW, r->at[i + 1].at,
                     "'%s' is an element of the inner '%s', but not of '%s', the class of the "
                     "outer one",
                     el->name, outer->name, inst_name(b, outer->type));
}

/* ---- names that are not found ---------------------------------------------------------------- */

static bool imports(const ast_class *c, sym name)
{
    for (int i = 0; i < c->n_elements; i++) {
        if (c->elements[i]->kind != AST_IMPORT) continue;
        const ast_import *im = c->elements[i]->import;
        for (int k = 0; rules_import_name(im, k); k++)
            if (rules_import_name(im, k) == name) return true;
    }
    return false;
}

static bool bases_import(const inst_class *c, sym name, int depth)
{
    for (int i = 0; i < c->n_bases && depth < FLAT_MAX_DEPTH; i++) {
        const inst_class *base = c->bases[i];
        if (base && (imports(base->ast, name) || bases_import(base, name, depth + 1))) return true;
    }
    return false;
}

static bool is_hidden_in_package(flat_builder *b, const ast_class *c, sym name)
{
    for (int i = 0; i < c->n_elements; i++) {
        if (c->elements[i]->kind != AST_IMPORT) continue;
        const ast_import *im = c->elements[i]->import;
        if (im->kind != AST_IMPORT_ALL) continue;
        ast_ref top = im->name;
        top.global = true;
        inst_class *in = inst_try_class(b, NULL, &top);
        const inst_element *el = in ? inst_find(b, in, name) : NULL;
        if (el && (el->flags & AST_PROTECTED)) return true;
    }
    return false;
}

/* Is the name known outside of the encapsulated class nearest around? */
static const inst_class *hidden_by(flat_builder *b, const inst_class *c, sym name)
{
    inst_found f;
    while (c->parent && !(c->ast->flags & AST_ENCAPSULATED)) c = c->parent;
    return c->parent && inst_lookup(b, c->parent, name, &f) ? c : NULL;
}

bool rules_unknown(flat_builder *b, inst_class *from, sym name, span at, bool base)
{
    const inst_class *shut = hidden_by(b, from, name);
    if (shut) {
        rules_report(b, RULE_ENCAPSULATED, at,
                     "'%s' is declared outside of '%s', which is "
                     "encapsulated",
                     name, shut->ast->name);
        return true;
    }
    for (const inst_class *c = from; c && c != b->inst->top; c = c->parent) {
        if (bases_import(c, name, 0)) {
            rules_report(b, RULE_IMPORT_INHERITED, at, "'%s' is imported by a base class of '%s'",
                         name, c->ast->name);
            return true;
        }
        if (is_hidden_in_package(b, c->ast, name)) {
            rules_report(b, RULE_IMPORT_HIDDEN, at,
                         "'%s' is protected in the package that '%s' "
                         "imports",
                         name, c->ast->name);
            return true;
        }
    }
    for (int i = 0; base && i < from->n_bases; i++) {
        if (!from->bases[i] || !inst_find(b, from->bases[i], name)) continue;
        rules_report(b, RULE_BASE_INHERITED, at, "'%s' comes from the base class '%s'", name,
                     from->bases[i]->ast->name);
        return true;
    }
    return false;
}

bool rules_unknown_element(flat_builder *b, inst_class *cls, sym name, span at)
{
    if (!imports(cls->ast, name) && !bases_import(cls, name, 0)) return false;
    rules_report(b, RULE_IMPORT_MODIFIED, at, "'%s' is an import of '%s'", name, inst_name(b, cls));
    return true;
}

bool rules_unknown_import(flat_builder *b, inst_class *from, const ast_import *im)
{
    inst_found f;
    sym name = im->name.at[0].name;
    if (inst_lookup(b, NULL, name, &f)) return false; // the first part is there, another is missing
    const inst_element *el = inst_find(b, from, name);
    if (!el && !(from->parent && inst_lookup(b, from->parent, name, &f))) return false;
    rules_report(b, RULE_IMPORT_LOCAL, im->name.span, "there is no '%s' at the top", name);
    return true;
}

void rules_conditional(flat_builder *b, const inst_element *el, span at)
{
    if (rules_report(b, RULE_CONDITIONAL_USE, at,
                     "'%s' has a condition and is used in an expression", el->name))
        diag_note(b->diags, el->comp->at, "it is declared here");
}

void rules_time(const scope *s, const ast_ref *r)
{
    int kind = s->cls->ast->restriction;
    if (kind == AST_R_MODEL || kind == AST_R_BLOCK || kind == AST_R_CLASS) return;
    rules_report(s->b, RULE_TIME_PLACE, r->span, "'time' is used in the %s '%s'",
                 rules_kind_text(s->cls->ast), s->cls->ast->name);
}
