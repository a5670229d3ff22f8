/* Values of components: variables as VAR nodes or, where they are known, as literals; records with
 * all their fields.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

static const value_record *record_of(flat_builder *b, inst_node *n)
{
    if (n->record) return n->record;
    value_record *r = arena_new(b->front, value_record);
    sym *names = arena_array(b->front, sym, n->children.n ? n->children.n : 1);
    for (int i = 0; i < n->children.n; i++)
        if (inst_complete(b, n->children.at[i]) && n->children.at[i]->kind != NODE_ABSENT)
            names[r->n++] = n->children.at[i]->name;
    r->name = inst_name(b, n->type);
    r->names = names;
    r->class_ = n->type;
    return n->record = r;
}

/* Stands for a variable that has no number yet. Different parameters must differ: what they decide
 * may be simplified (na - nb). */
static expr placeholder(flat_builder *b, inst_node *n, int e)
{
    bool each = n->variability == FLAT_PARAMETER;
    if (!n->placeholder) {
        n->placeholder = FLAT_NO_VAR + b->inst->n_placeholders;
        b->inst->n_placeholders += each ? n->total : 1;
        if (b->inst->n_placeholders > FLAT_NO_VAR) b->inst->n_placeholders = 0; // 8*10^8 of them
    }
    return expr_var(b->pool, n->placeholder + (each ? e : 0), 0, (expr_type)n->type_id, n->enum_id);
}

/* A variable that belongs to no component of the model: it was reached through its class. */
static bool report_not_constant(flat_builder *b, const inst_node *n)
{
    const inst_node *top = n;
    while (top->parent) top = top->parent;
    const char *cls = top->cls ? inst_name(b, top->cls) : top->name;
    diag_error(b->diags, "M148", n->decl->at,
               "'%s' of the class '%s' is used through the class, but only constants can be: "
               "declare it 'constant', or declare a component of the class and use that one's",
               n->name, cls);
    return false;
}

bool inst_leaf_value(const scope *s, inst_node *n, int e, expr *out)
{
    flat_builder *b = s->b;
    if (n->variability == FLAT_CONSTANT) return inst_known(b, n, e, out);
    if (n->variability == FLAT_PARAMETER) {
        if (s->mode == SCOPE_STRUCTURAL && !inst_is_unknown(b, n)) return inst_known(b, n, e, out);
        if (n->evaluate && inst_has_binding(b, n)) {
            bool was = inst_is_structural(n, e);
            if (!inst_known(b, n, e, out)) return false;
            if (expr_is_literal(b->pool, *out)) return true;
            inst_set_structural(b, n, e, was);
        }
    }
    if (s->mode == SCOPE_STRUCTURAL) b->m->offender = n->name;
    if (b->inst->numbered && n->var < 0) return report_not_constant(b, n);
    *out = b->inst->numbered ? inst_variable(b, inst_var(n, e)) : placeholder(b, n, e);
    return true;
}

static bool array_value(const scope *s, inst_node *n, int parent_element, span at, value *out);

bool inst_value(const scope *s, inst_node *n, int e, span at, value *out)
{
    flat_builder *b = s->b;
    if (n->kind == NODE_PRIMITIVE) {
        *out = (value){.type = n->type_id, .enum_id = (uint16_t)n->enum_id, .n = 1};
        return inst_leaf_value(s, n, e, &out->e);
    }
    if (n->kind != NODE_COMPOSITE || !(n->is_record || n->is_connector)) {
        diag_error(b->diags, "M144", at,
                   "'%s' is a %s and has no value of its own; name one of its "
                   "variables",
                   n->name,
                   n->type ? lang_restriction_text((ast_restriction)inst_restriction(b, n->type))
                           : "component");
        return false;
    }
    const value_record *r = record_of(b, n);
    value *slots;
    *out = value_new_record(&b->env, r, NULL, 0, &slots);
    int k = 0;
    if (++b->depth > FLAT_MAX_DEPTH) return b->depth--, false;
    bool ok = true;
    for (int i = 0; ok && i < n->children.n; i++) {
        inst_node *c = n->children.at[i];
        if (c->kind == NODE_ABSENT) continue;
        ok = array_value(s, c, e, at, &slots[k++]);
    }
    b->depth--;
    return ok;
}

/* The value of all elements of a component for one element of its parent. */
static bool array_value(const scope *s, inst_node *n, int parent_element, span at, value *out)
{
    flat_builder *b = s->b;
    if (n->kind == NODE_OUTER) {
        inst_node *t = inst_follow(n);
        parent_element = inst_up(t->parent, n->parent, parent_element);
        n = t;
    }
    if (!n->n_dims) return inst_value(s, n, parent_element, at, out);
    if (n->kind == NODE_PRIMITIVE) {
        expr *slots;
        *out = value_new(&b->env, (value_type)n->type_id, n->enum_id, n->dims, n->n_dims, &slots);
        for (int i = 0; i < n->size; i++)
            if (!inst_leaf_value(s, n, parent_element * n->size + i, &slots[i])) return false;
        return true;
    }
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return false;
    inst_node *first = n->kind == NODE_SPLIT && n->size ? n->children.at[0] : n;
    const value_record *r = record_of(b, first);
    value *slots;
    *out = value_new_record(&b->env, r, n->dims, n->n_dims, &slots);
    for (int i = 0; i < n->size; i++) {
        value v;
        inst_node *m = n->kind == NODE_SPLIT ? n->children.at[i] : n;
        if (!inst_value(s, m, n->kind == NODE_SPLIT ? 0 : parent_element * n->size + i, at, &v))
            return false;
        memcpy(slots + i * r->n, v.fields, (size_t)r->n * sizeof *slots);
    }
    return true;
}
