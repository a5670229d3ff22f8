/* Rules over redeclarations: what may be replaced, and by what.
 *
 * The declarations of an element are the redeclarations that reach it, outermost first, and the one
 * it had in its class. Each but the last replaces the next. Modelica Language Specification, section
 * 7.3.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/interface.h"
#include "rules/rule.h"
#include "rules/tree_rules.h"

typedef struct replacement {
    flat_builder *b;
    const inst_element *el;
    inst_env env; // what reaches the element
} replacement;

/* Declaration k: that of layer k, or of the class itself for k == env.n. */
static const ast_element *declaration_of(const replacement *r, int k)
{
    return k < r->env.n ? r->env.at[k].element : NULL;
}

static uint16_t flags_of(const replacement *r, int k)
{
    const ast_element *e = declaration_of(r, k);
    if (!e) return r->el->flags;
    return e->kind == AST_CLASS ? e->class_->flags | e->flags : e->flags;
}

static const ast_component *component_of(const replacement *r, int k)
{
    const ast_element *e = declaration_of(r, k);
    return e ? e->component : r->el->comp;
}

static ast_class *class_of(const replacement *r, int k)
{
    const ast_element *e = declaration_of(r, k);
    return e ? e->class_ : r->el->class_;
}

static inst_class *place_of(const replacement *r, int k)
{
    return k < r->env.n ? r->env.at[k].at : r->el->owner;
}

static span name_of(const replacement *r, int k)
{
    return r->el->comp ? component_of(r, k)->at : class_of(r, k)->at;
}

static bool of_other_kind(const replacement *r, const ast_element *e)
{
    return (e->kind == AST_CLASS) != !r->el->comp;
}

/* The next declaration that layer k replaces; one of another kind replaces nothing. */
static int next_of(const replacement *r, int k)
{
    for (k++; k < r->env.n; k++) {
        const ast_element *e = r->env.at[k].element;
        if (e && !of_other_kind(r, e)) break;
    }
    return k;
}

static void note_replaced(const replacement *r, int k)
{
    diag_note(r->b->diags, name_of(r, k), "this declaration of '%s' is replaced", r->el->name);
}

/* The class of a declaration; of a component without the sizes of the component, and of a short
 * class without its own sizes. */
static inst_class *type_of(const replacement *r, int k)
{
    inst_class *at = place_of(r, k);
    if (r->el->comp) return inst_lookup_class(r->b, at, &component_of(r, k)->type, false);
    return inst_new_class(r->b, class_of(r, k), at, (inst_env){0});
}

/* ---- what may be replaced -------------------------------------------------------------------- */

/* package Medium = Water: the class that is meant. */
static inst_class *behind_names(const replacement *r, inst_class *c)
{
    for (int i = 0; c && i < FLAT_MAX_DEPTH; i++) {
        const ast_class *a = c->ast;
        if (a->body != AST_SHORT || a->mod || a->dims.n || !inst_expand(r->b, c)) break;
        c = c->bases[0];
    }
    return c;
}

/* Sizes and variability can be redeclared though the element is not replaceable: with one type. A class
 * that is redeclared to be what it was redeclared to be before is the same. */
static bool keeps_type(const replacement *r, int k, int old)
{
    inst_class *is = type_of(r, k), *was = type_of(r, old);
    if (r->el->comp) return is && was && is->ast == was->ast;
    if (old >= r->env.n) return false;
    is = behind_names(r, is), was = behind_names(r, was);
    return is && was && is->ast == was->ast && is->ast->body != AST_SHORT;
}

static void check_replaced(const replacement *r, int k, int old)
{
    uint16_t was = flags_of(r, old), is = flags_of(r, k);
    const ast_element *e = declaration_of(r, k);
    bool said = false;
    if (was & AST_FINAL)
        said = rules_report(r->b, RULE_REDECLARED_FINAL, e->span, "'%s' is final and redeclared",
                            r->el->name);
    else if (r->el->comp && component_of(r, old)->variability == AST_CONSTANT)
        said = rules_report(r->b, RULE_REDECLARED_CONSTANT, e->span,
                            "'%s' is constant and redeclared", r->el->name);
    else if (!(was & AST_REPLACEABLE) && !keeps_type(r, k, old))
        said = rules_report(r->b, RULE_REDECLARED_FIXED, e->span,
                            "'%s' is not replaceable and redeclared", r->el->name);
    if (said) note_replaced(r, old);
    // In modifications there is no visibility.
    bool element = lang_element(place_of(r, k)->ast, r->el->name) == e;
    if (element && (was ^ is) & AST_PROTECTED &&
        rules_report(r->b, RULE_REDECLARED_VISIBILITY, e->span, "'%s' was %s and becomes %s",
                     r->el->name, was & AST_PROTECTED ? "protected" : "public",
                     is & AST_PROTECTED ? "protected" : "public"))
        note_replaced(r, old);
}

/* ---- by what --------------------------------------------------------------------------------- */

static const ast_constraint *constraint_at(const replacement *r, int k)
{
    return r->el->comp ? component_of(r, k)->constraint : class_of(r, k)->constraint;
}

/* The class that limits what declaration k may become, from k on inwards. */
static inst_class *limit_of(const replacement *r, int k)
{
    for (; k < r->env.n; k = next_of(r, k)) {
        const ast_constraint *c = constraint_at(r, k);
        if (c) return inst_lookup_class(r->b, place_of(r, k), &c->type, false);
    }
    const ast_constraint *c = constraint_at(r, k);
    return c ? inst_lookup_class(r->b, r->el->owner, &c->type, false) : type_of(r, k);
}

/* The class with what constraining clauses from declaration k on inwards say, which holds for the constraining class and
 * for whatever replaces the element (section 7.3.2), and with the modification of a component. */
static inst_class *modified_class(const replacement *r, inst_class *c, const ast_mod *own, int k)
{
    inst_env from = k < r->env.n ? (inst_env){r->env.at + k, r->env.n - k} : (inst_env){0};
    inst_env env = inst_constraints(r->b, r->el, from, NULL);
    inst_layer layer = {.mod = own, .at = place_of(r, k)};
    if (own) env = inst_join(r->b, inst_append(r->b, (inst_env){0}, layer), env);
    return env.n ? inst_instance(r->b, c, NULL, env) : c;
}

/* Most classes fit as they are. Where one does not, what is modified decides: both have the medium that the
 * constraining clause gives them, say. */
static const char *gap_of(const replacement *r, inst_class *is, inst_class *limit, int k)
{
    const char *why = interface_gap(r->b, is, limit);
    if (!why) return NULL;
    const ast_mod *own = r->el->comp ? component_of(r, k)->mod : NULL;
    return interface_gap(r->b, modified_class(r, is, own, k), modified_class(r, limit, NULL, k));
}

static void check_limit(const replacement *r, int k, inst_class *is, inst_class *limit, span at,
                        const char *what)
{
    if (!is || !limit) return;
    const char *why = gap_of(r, is, limit, k);
    if (why)
        rules_report(r->b, RULE_CONSTRAINING_TYPE, at,
                     "'%s' cannot be %s of '%s', whose "
                     "constraining class is '%s': %s",
                     inst_name(r->b, is), what, r->el->name, inst_name(r->b, limit), why);
}

/* type T = Real3[2] constrainedby C: Real3 is held against C. */
static inst_class *without_sizes(const replacement *r, inst_class *c)
{
    if (r->el->comp || !c || c->ast->body != AST_SHORT || !c->ast->dims.n) return c;
    return inst_expand(r->b, c) ? c->bases[0] : NULL;
}

static void check_type(const replacement *r, int k, int old)
{
    const ast_constraint *own = constraint_at(r, k);
    if (!own && old < 0) return; // nothing to hold it against
    bool extends = !r->el->comp && class_of(r, k)->body == AST_CLASS_EXTENDS;
    inst_class *is = extends ? NULL : type_of(r, k);
    span at = r->el->comp ? component_of(r, k)->type.span : class_of(r, k)->at;
    inst_class *limit = own ? inst_lookup_class(r->b, place_of(r, k), &own->type, false) : NULL;
    if (own) check_limit(r, k, without_sizes(r, is), limit, at, "the class");
    if (old < 0) return;
    inst_class *before = limit_of(r, old);
    if (own) check_limit(r, k, limit, before, own->type.span, "the constraining class");
    else check_limit(r, k, is, before, at, "the class");
}

static void check_declarations(const replacement *r)
{
    for (int i = 0; i < r->env.n; i++) {
        const ast_element *e = r->env.at[i].element;
        if (e && of_other_kind(r, e))
            rules_report(r->b, RULE_REDECLARED_KIND, e->span, "'%s' is a %s and redeclared as a %s",
                         r->el->name, r->el->comp ? "component" : "class",
                         r->el->comp ? "class" : "component");
    }
    int k = next_of(r, -1);
    for (; k < r->env.n; k = next_of(r, k)) {
        int old = next_of(r, k);
        check_replaced(r, k, old);
        check_type(r, k, old);
    }
    check_type(r, k, -1);
}

/* ---- components and classes ------------------------------------------------------------------ */

void rules_redeclared_component(flat_builder *b, inst_node *n)
{
    if (!n->element || n->element->owner->root->self != n->parent) return;
    arena_mark mark = arena_here(b->scratch);
    inst_env env = inst_sub_in(b->scratch, n->element->owner->env, n->name, n->parent);
    check_declarations(&(replacement){b, n->element, env});
    arena_release(b->scratch, mark);
}

/* class extends A, without redeclare: a class of its own that takes the place of the inherited one. */
static void check_extended(flat_builder *b, inst_class *part, const ast_element *e)
{
    inst_element *old = NULL;
    for (int i = 0; i < part->n_bases && !old; i++)
        if (part->bases[i]) old = inst_find(b, part->bases[i], e->class_->name);
    if (!old || !old->class_) return;
    inst_class *now = inst_element_class(b, old);
    uint16_t was = now ? now->ast->flags | (now->ast == old->class_ ? old->flags : 0) : old->flags;
    if (was & AST_FINAL)
        rules_report(b, RULE_REDECLARED_FINAL, e->class_->at, "'%s' is final and extended in place",
                     old->name);
    else if (!(was & AST_REPLACEABLE))
        rules_report(b, RULE_REDECLARED_FIXED, e->class_->at,
                     "'%s' is not replaceable and extended in place", old->name);
}

static void check_class(flat_builder *b, inst_class *root, const inst_class *part,
                        const ast_element *e, inst_env env)
{
    inst_element *el = inst_find(b, root, e->class_->name);
    if (el && el->owner == part && el->class_) check_declarations(&(replacement){b, el, env});
}

static void visit_classes(flat_builder *b, inst_class *root, inst_class *part)
{
    for (int i = 0; i < part->ast->n_elements; i++) {
        const ast_element *e = part->ast->elements[i];
        if (e->kind != AST_CLASS || inst_redeclares(e)) continue;
        if (e->class_->body == AST_CLASS_EXTENDS) check_extended(b, part, e);
        arena_mark mark = arena_here(b->scratch);
        inst_env env = inst_sub_in(b->scratch, part->env, e->class_->name, root->self);
        if (env.n || e->class_->constraint) check_class(b, root, part, e, env);
        arena_release(b->scratch, mark);
    }
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i]) visit_classes(b, root, part->bases[i]);
}

void rules_redeclared_classes(flat_builder *b, inst_node *n)
{
    if (n->kind == NODE_COMPOSITE && n->cls) visit_classes(b, n->cls, n->cls);
}
