/* Rules over the base classes of a class.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/interface.h"
#include "rules/rule.h"
#include "rules/rules.h"

#include <string.h>

/* ---- one base class -------------------------------------------------------------------------- */

/* The table of section 7.1.3: the base classes of each kind besides its own and `class`. A `class`
 * with contents is an old way to write a model, and is let have the base classes of one. */
static const uint16_t may_extend[] = {
    [KIND_CLASS] = 1 << KIND_MODEL | 1 << KIND_BLOCK | 1 << KIND_RECORD,
    [KIND_MODEL] = 1 << KIND_BLOCK | 1 << KIND_RECORD,
    [KIND_BLOCK] = 1 << KIND_RECORD,
    [KIND_CONNECTOR] = 1 << KIND_TYPE | 1 << KIND_RECORD | 1 << KIND_OPERATOR_RECORD,
    [KIND_OPERATOR_FUNCTION] = 1 << KIND_FUNCTION,
    [KIND_OPERATOR] = 0,
};

static void check_base_kind(flat_builder *b, const ast_class *c, const ast_class *base, span at)
{
    rule_kind own = rules_kind(c), other = rules_kind(base);
    if (other == own || other == KIND_CLASS || (may_extend[own] >> other & 1)) return;
    rules_report(b, RULE_BASE_KIND, at, "the %s '%s' extends the %s '%s'", rules_kind_text(c),
                 c->name, rules_kind_text(base), base->name);
}

/* A class or one of those it is a short form of was declared replaceable. */
static bool is_replaceable(const inst_class *c)
{
    while (!(c->ast->flags & AST_REPLACEABLE) && c->ast->body == AST_SHORT && c->n_bases &&
           c->bases[0])
        c = c->bases[0];
    return (c->ast->flags & AST_REPLACEABLE) != 0;
}

/* extends P.M: neither M nor P is replaceable. */
static void check_replaceable_base(flat_builder *b, inst_class *cls, const inst_class *base,
                                   const ast_ref *r)
{
    bool found = is_replaceable(base);
    ast_ref part = *r;
    for (part.n = 1; part.n < r->n && !found; part.n++) {
        const inst_class *c = inst_try_class(b, cls, &part);
        found = c && is_replaceable(c);
    }
    if (found)
        rules_report(b, RULE_REPLACEABLE_BASE, r->span, "'%s' extends '%s', which is replaceable",
                     cls->ast->name, inst_ref_text(b, r, r->n));
}

static bool has_operator_record(ast_class *c, int depth)
{
    if (!lang_whole(c)) return false;
    for (int i = 0; i < c->n_elements && depth <= LANG_DEPTH; i++) {
        const ast_element *e = c->elements[i];
        if (e->kind != AST_CLASS) continue;
        if (rules_kind(e->class_) == KIND_OPERATOR_RECORD) return true;
        if (has_operator_record(e->class_, depth + 1)) return true;
    }
    return false;
}

static void check_operator_record_base(flat_builder *b, const ast_class *c, ast_class *base,
                                       span at)
{
    if (rules_kind(base) == KIND_OPERATOR_RECORD)
        rules_report(b, RULE_OPERATOR_RECORD_BASE, at, "'%s' extends the operator record '%s'",
                     c->name, base->name);
    else if (has_operator_record(base, 0))
        rules_report(b, RULE_OPERATOR_RECORD_BASE, at,
                     "'%s' extends '%s', which has an operator record", c->name, base->name);
}

/* An array, a simple type or a class with a prefix, or what extends one. */
static bool stands_alone(flat_builder *b, const inst_class *c, int depth)
{
    if (depth > FLAT_MAX_DEPTH) return false;
    if (c->ast->dims.n || (c->ast->body == AST_SHORT && c->ast->causality)) return true;
    if (inst_primitive_of(b, (inst_class *)c)->kind) return true;
    for (int i = 0; i < c->n_bases; i++)
        if (c->bases[i] && stands_alone(b, c->bases[i], depth + 1)) return true;
    return false;
}

static bool is_empty(const inst_class *c, int depth)
{
    bool empty = depth <= FLAT_MAX_DEPTH && !c->ast->n_sections;
    for (int i = 0; empty && i < c->ast->n_elements; i++)
        empty = c->ast->elements[i]->kind != AST_COMPONENT;
    for (int i = 0; empty && i < c->n_bases; i++)
        if (c->bases[i]) empty = is_empty(c->bases[i], depth + 1);
    return empty;
}

static void check_alone(flat_builder *b, const inst_class *cls, int k, span at)
{
    const ast_class *c = cls->ast;
    if (!stands_alone(b, cls->bases[k], 0)) return;
    bool more = c->n_sections > 0;
    for (int i = 0; i < c->n_elements && !more; i++) more = c->elements[i]->kind == AST_COMPONENT;
    for (int i = 0; i < cls->n_bases && !more; i++)
        more = i != k && cls->bases[i] && !is_empty(cls->bases[i], 0);
    if (more)
        rules_report(b, RULE_BASE_ALONE, at, "'%s' extends '%s' and has more than that", c->name,
                     cls->bases[k]->ast->name);
}

/* ---- elements that meet ---------------------------------------------------------------------- */

/* How much two declarations of one name have in common. */
typedef enum likeness {
    UNLIKE,
    LIKE, // but for modifications of attributes and elements, or what is replaceable
    SAME
} likeness;

static bool same_expr(flat_builder *b, const ast_expr *x, const ast_expr *y)
{
    if (!x || !y) return x == y;
    mem m = value_arena_mem(b->front);
    text t, u;
    text_init(&t, &m);
    text_init(&u, &m);
    lang_print_expr(x, &t);
    lang_print_expr(y, &u);
    return !strcmp(text_str(&t), text_str(&u));
}

static bool same_exprs(flat_builder *b, ast_exprs x, ast_exprs y)
{
    bool same = x.n == y.n;
    for (int i = 0; same && i < x.n; i++) same = same_expr(b, x.at[i], y.at[i]);
    return same;
}

static bool same_mod(flat_builder *b, const ast_mod *x, const ast_mod *y)
{
    if (!x || !y) return x == y;
    mem m = value_arena_mem(b->front);
    text t, u;
    text_init(&t, &m);
    text_init(&u, &m);
    lang_print_mod(x, &t);
    lang_print_mod(y, &u);
    return !strcmp(text_str(&t), text_str(&u));
}

static bool same_sections(flat_builder *b, const ast_class *x, const ast_class *y)
{
    bool same = x->n_sections == y->n_sections;
    for (int i = 0; same && i < x->n_sections; i++) {
        const ast_section *p = &x->sections[i], *q = &y->sections[i];
        same = p->algorithm == q->algorithm && p->initial == q->initial && p->body.n == q->body.n;
        for (int k = 0; same && k < p->body.n; k++) {
            mem m = value_arena_mem(b->front);
            text t, u;
            text_init(&t, &m);
            text_init(&u, &m);
            lang_print_stmt(p->body.at[k], 0, &t);
            lang_print_stmt(q->body.at[k], 0, &u);
            same = !strcmp(text_str(&t), text_str(&u));
        }
    }
    return same;
}

static bool same_ref(const ast_ref *x, const ast_ref *y)
{
    bool same = x->n == y->n && x->global == y->global;
    for (int i = 0; same && i < x->n; i++) same = x->at[i].name == y->at[i].name;
    return same;
}

/* Prefixes, sizes, condition and value. */
static bool same_declaration(flat_builder *b, const ast_component *x, const ast_component *y)
{
    const ast_expr *v = x->mod ? x->mod->value : NULL, *w = y->mod ? y->mod->value : NULL;
    return x->variability == y->variability && x->causality == y->causality && x->flow == y->flow &&
           same_exprs(b, x->dims, y->dims) && same_expr(b, x->condition, y->condition) &&
           same_expr(b, v, w);
}

/* Comments and annotations may differ. */
static bool same_text(flat_builder *b, ast_class *x, ast_class *y, int depth)
{
    bool same = lang_whole(x) && lang_whole(y) && x->restriction == y->restriction &&
                x->body == y->body && x->causality == y->causality &&
                x->n_elements == y->n_elements && x->n_literals == y->n_literals &&
                same_ref(&x->base, &y->base) && same_exprs(b, x->dims, y->dims) &&
                same_mod(b, x->mod, y->mod) && same_sections(b, x, y) && depth < LANG_DEPTH;
    for (int i = 0; same && i < x->n_literals; i++)
        same = x->literals[i].name == y->literals[i].name;
    for (int i = 0; same && i < x->n_elements; i++) {
        const ast_element *p = x->elements[i], *q = y->elements[i];
        if (p->kind != q->kind || lang_element_name(p) != lang_element_name(q)) return false;
        if (p->kind == AST_EXTENDS)
            same = same_ref(&p->extends->type, &q->extends->type) &&
                   same_mod(b, p->extends->mod, q->extends->mod);
        if (p->kind == AST_COMPONENT)
            same = same_ref(&p->component->type, &q->component->type) &&
                   same_declaration(b, p->component, q->component) &&
                   same_mod(b, p->component->mod, q->component->mod);
        if (p->kind == AST_CLASS) same = same_text(b, p->class_, q->class_, depth + 1);
    }
    return same;
}

/* Two replaceable classes are made the same from outside, as the media of two base classes are. */
static likeness class_likeness(flat_builder *b, const inst_element *x, const inst_element *y)
{
    if (same_text(b, x->class_, y->class_, 0)) return SAME;
    bool open = (x->flags & AST_REPLACEABLE) && (y->flags & AST_REPLACEABLE);
    return open && rules_kind(x->class_) == rules_kind(y->class_) ? LIKE : UNLIKE;
}

static likeness element_likeness(flat_builder *b, const inst_element *x, const inst_element *y)
{
    if (x->comp == y->comp && x->class_ == y->class_) return SAME; // inherited on two ways
    if (!x->comp != !y->comp) return UNLIKE;
    if (!x->comp) return class_likeness(b, x, y);
    inst_class *ct = inst_try_class(b, x->owner, &x->comp->type),
               *dt = inst_try_class(b, y->owner, &y->comp->type);
    if (!ct || !dt || !same_declaration(b, x->comp, y->comp)) return UNLIKE;
    if (interface_gap(b, ct, dt) || interface_gap(b, dt, ct)) return UNLIKE;
    return same_mod(b, x->comp->mod, y->comp->mod) ? SAME : LIKE;
}

/* The elements of `part` and its bases against those of base k of cls. */
static void check_meeting(flat_builder *b, inst_class *cls, inst_class *part, int k, int depth)
{
    inst_class *base = cls->bases[k];
    for (int i = 0; i < part->ast->n_elements; i++) {
        const ast_element *e = part->ast->elements[i];
        sym name = lang_element_name(e);
        if (!name || inst_redeclares(e) || inst_is_broken(base->breaks, name)) continue;
        if (e->kind == AST_CLASS && e->class_->body == AST_CLASS_EXTENDS) continue; // in its place
        inst_element *x = inst_find(b, part, name), *y = inst_find(b, base, name);
        if (!x || !y || x->owner != part || (y->flags & AST_REDECLARE)) continue;
        likeness like = element_likeness(b, x, y);
        if (like == SAME) continue;
        rule r = like == LIKE ? RULE_INHERITED_UNLIKE : RULE_INHERITED_TWICE;
        span at = e->kind == AST_CLASS ? e->class_->at : e->component->at;
        if (rules_report(b, r, at, "'%s' meets another '%s' in '%s'", name, name, cls->ast->name))
            diag_note(b->diags, y->comp ? y->comp->at : y->class_->at, "the other one is here");
    }
    for (int i = 0; i < part->n_bases && part != cls && depth < FLAT_MAX_DEPTH; i++)
        if (part->bases[i]) check_meeting(b, cls, part->bases[i], k, depth + 1);
}

static void check_meetings(flat_builder *b, inst_class *cls)
{
    if (cls->ast->body == AST_SHORT) return;
    for (int k = 0; k < cls->n_bases; k++) {
        if (!cls->bases[k]) continue;
        check_meeting(b, cls, cls, k, 0);
        for (int j = 0; j < k; j++)
            if (cls->bases[j]) check_meeting(b, cls, cls->bases[j], k, 0);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void check_each_base(flat_builder *b, inst_class *cls)
{
    const ast_class *c = cls->ast;
    int k = c->body == AST_CLASS_EXTENDS;
    if (c->body == AST_SHORT && cls->n_bases && cls->bases[0])
        check_base_kind(b, c, cls->bases[0]->ast, c->base.span);
    for (int i = 0; i < c->n_elements && k < cls->n_bases; i++) {
        if (c->elements[i]->kind != AST_EXTENDS) continue;
        const ast_ref *r = &c->elements[i]->extends->type;
        const inst_class *base = cls->bases[k++];
        if (!base) continue;
        check_base_kind(b, c, base->ast, r->span);
        check_replaceable_base(b, cls, base, r);
        check_operator_record_base(b, c, base->ast, r->span);
        check_alone(b, cls, k - 1, r->span);
    }
}

void rules_bases(flat_builder *b, inst_class *cls)
{
    check_each_base(b, cls);
    check_meetings(b, cls);
}
